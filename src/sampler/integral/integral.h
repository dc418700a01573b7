/* integral.h: the integral over the value x of the best arm, shared by the samplers that keep a
 * density and a distribution function for each arm on nodes: the nodes, the product tree over the
 * arms, and the rule that crowds the nodes where posteriors have become narrow.
 *
 * The owner fills the leaves (density, F and weighted density of an arm) and calls update. */
#ifndef XP_SAMPLER_INTEGRAL_INTEGRAL_H
#define XP_SAMPLER_INTEGRAL_INTEGRAL_H

#include "base/archive.h"
#include "sampler/integral/nodes.h"
#include "sampler/integral/product_tree.h"

typedef struct xp__integral {
    size_t arms; /* K */
    xp__nodes nodes;
    xp__product_tree tree;
    double *density;  /* K × stride: weight · f_a(x) */
    double *scale;    /* K: weight of the arm, at most 1 */
    double *resolved; /* K: the number of pulls at which the arm outgrows the nodes */
    double *center;   /* K: φ of the arm's mean when the nodes were last focused */
    double *law;      /* K: scratch for action laws */
    double *scratch;  /* for xp__product_tree_law; at least `nodes` doubles */
    bool even;        /* no lenses: the nodes are as after xp__integral_lay */
} xp__integral;

/* Number of nodes used when `asked` are asked for: whole vectors. */
size_t xp__integral_nodes(size_t asked);
/* Bytes of memory that an integral needs, alignment included. */
size_t xp__integral_bytes(size_t arms, size_t asked);
/* Points into `block` of that many bytes; nothing is filled and no node laid out. */
void xp__integral_carve(xp__integral *integral, size_t arms, size_t asked, void *block);
/* The same; all arm weights are 1 and the nodes are laid out evenly. */
void xp__integral_init(xp__integral *integral, size_t arms, size_t asked, void *block);
/* Pinches the nodes (nodes.h) and lays them out again. */
void xp__integral_pinch(xp__integral *integral, double pinch);
/* Spreads the nodes evenly, as at the start. The leaves must be filled again. */
void xp__integral_lay_even(xp__integral *integral);
/* Tells it that all arms have so many successes and failures, on nodes that are even. */
void xp__integral_expect(xp__integral *integral, double successes, double failures);
/* True when an arm with this many pulls is too narrow for the nodes. */
static inline bool xp__integral_outgrown(const xp__integral *integral, size_t arm, double pulls) {
    return pulls >= integral->resolved[arm];
}
/* To be called now and then for an arm that was pulled: an arm whose mean has wandered off its lens
 * counts as outgrown. */
void xp__integral_recheck(xp__integral *integral, size_t arm, double successes, double failures);
/* Crowds the nodes around the narrow posteriors that matter for the action law, and first of all
 * around that of arm `first`, if it is one, whose leaf may be too narrow to be in the law. The
 * leaves must be filled again. */
void xp__integral_focus(xp__integral *integral, const double *successes, const double *failures,
                        size_t first);

static inline double *xp__integral_density(const xp__integral *integral, size_t arm) {
    return integral->density + arm * integral->tree.stride;
}
static inline double *xp__integral_distribution(const xp__integral *integral, size_t arm) {
    return xp__product_tree_p(&integral->tree, integral->arms + arm);
}
static inline double *xp__integral_weighted(const xp__integral *integral, size_t arm) {
    return xp__product_tree_s(&integral->tree, integral->arms + arm);
}
/* Makes the weighted density of an arm from its density. */
void xp__integral_weigh(xp__integral *integral, size_t arm);

/* A value inside the cell of `node`, whose density there and in the neighbouring cells is given. */
double xp__nodes_value(const xp__nodes *nodes, xp_rng *rng, size_t node, double before, double here,
                       double after);
/* A value inside the cell of `node`, from the density of `arm` being the best with that value. */
double xp__integral_value(const xp__integral *integral, xp_rng *rng, size_t arm, size_t node);
/* Normalises the law of the tree; false if its total is below `least`. */
bool xp__integral_law(const xp__integral *integral, double least, double *probability);

/* Beta(a, b) given that it is at most `top`. */
double xp__beta_below(xp_rng *rng, double a, double b, double top);

/* Walks where the nodes are and what they are good for. */
void xp__integral_nodes_archive(xp__integral *integral, xp__archive *archive);
/* Walks nodes, densities and distribution functions, which rewards have changed step by step and no
 * count gives back bit by bit; the rest of the tree follows from these. */
void xp__integral_archive(xp__integral *integral, xp__archive *archive);

#endif
