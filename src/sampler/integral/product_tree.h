/* product_tree.h: which of K independent numbers is the largest, as integrals kept up to date.
 *
 * Arm a has on every node a distribution function F_a and a weighted density s_a (quadrature weight
 * and arm weight included). The integrand of Thompson sampling is the product rule,
 *     S = Σ_a s_a Π_{b≠a} F_b ,
 * so each inner vertex of a binary tree holds P = P_l P_r and S = S_l P_r + P_l S_r of its
 * subtree: a changed arm costs O(G log K), a draw of (node, arm) O(G + log K), and nothing is ever
 * divided by an F that may be zero.
 *
 * Vertex 1 is the root, the children of v are 2v and 2v + 1, arm a is vertex K + a. */
#ifndef XP_SAMPLER_INTEGRAL_PRODUCT_TREE_H
#define XP_SAMPLER_INTEGRAL_PRODUCT_TREE_H

#include "experior/rng.h"
#include "sampler/integral/kernels.h"

typedef struct xp__product_tree {
    size_t arms, nodes; /* K, G */
    size_t stride;      /* doubles from one array to the next */
    double *value;      /* 2K vertices × (P, S) × G */
    const xp__kernels *kernels;
} xp__product_tree;

/* Doubles from one array of `nodes` numbers to the next: whole cache lines, and not a power of two,
 * which would send all arrays to the same lines of the cache. */
size_t xp__product_tree_stride(size_t nodes);
/* Doubles that a tree needs. */
size_t xp__product_tree_doubles(size_t arms, size_t nodes);
void xp__product_tree_init(xp__product_tree *tree, size_t arms, size_t nodes, double *value);

static inline double *xp__product_tree_p(const xp__product_tree *tree, size_t vertex) {
    return tree->value + 2 * vertex * tree->stride;
}

static inline double *xp__product_tree_s(const xp__product_tree *tree, size_t vertex) {
    return tree->value + (2 * vertex + 1) * tree->stride;
}

/* P and S of an inner vertex from those of its children. */
void xp__product_tree_combine(xp__product_tree *tree, size_t vertex);
/* Brings the tree up to date after the leaf of one arm, or all leaves, changed. */
void xp__product_tree_update(xp__product_tree *tree, size_t arm);
void xp__product_tree_update_all(xp__product_tree *tree);

/* Sum of S over the nodes: the probability (up to the weights' scale) of what was seen. */
double xp__product_tree_total(const xp__product_tree *tree);
/* Draws node and arm with probability s_a Π_{b≠a} F_b / total. Returns the arm; `arms` if the total
 * is below `least`, when nothing is drawn. One uniform number. */
size_t xp__product_tree_draw(const xp__product_tree *tree, xp_rng *rng, double least, size_t *node);
/* probability[a] = Σ_g s_a Π_{b≠a} F_b, not normalised; `scratch` has
 * xp__product_tree_scratch(arms, nodes) doubles. */
void xp__product_tree_law(const xp__product_tree *tree, double *scratch, double *probability);
size_t xp__product_tree_scratch(size_t arms, size_t nodes);

#endif
