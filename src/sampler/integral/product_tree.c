/* product_tree.c: the product rule in a binary tree. See product_tree.h for the idea. */
#include "sampler/integral/product_tree.h"

#include "base/rng_inline.h"

size_t xp__product_tree_stride(size_t nodes) {
    return nodes + 8;
}

size_t xp__product_tree_doubles(size_t arms, size_t nodes) {
    return 4 * arms * xp__product_tree_stride(nodes);
}

void xp__product_tree_init(xp__product_tree *tree, size_t arms, size_t nodes, double *value) {
    tree->arms = arms;
    tree->nodes = nodes;
    tree->stride = xp__product_tree_stride(nodes);
    tree->value = value;
    tree->kernels = xp__kernels_best();
}

void xp__product_tree_combine(xp__product_tree *tree, size_t vertex) {
    const size_t left = 2 * vertex, right = left + 1;
    tree->kernels->combine(tree->nodes, xp__product_tree_p(tree, vertex),
                           xp__product_tree_s(tree, vertex), xp__product_tree_p(tree, left),
                           xp__product_tree_s(tree, left), xp__product_tree_p(tree, right),
                           xp__product_tree_s(tree, right));
}

void xp__product_tree_update(xp__product_tree *tree, size_t arm) {
    for (size_t vertex = (tree->arms + arm) / 2; vertex >= 1; vertex /= 2) {
        xp__product_tree_combine(tree, vertex);
    }
}

void xp__product_tree_update_all(xp__product_tree *tree) {
    for (size_t vertex = tree->arms - 1; vertex >= 1; vertex--) {
        xp__product_tree_combine(tree, vertex);
    }
}

/* Sum of the lanes, in pairs: the same order whatever the vector width. */
static double sum_of_lanes(const double lane[XP__LANES]) {
    double half[XP__LANES];
    for (size_t l = 0; l < XP__LANES; l++) {
        half[l] = lane[l];
    }
    for (size_t width = XP__LANES / 2; width >= 1; width /= 2) {
        for (size_t l = 0; l < width; l++) {
            half[l] += half[l + width];
        }
    }
    return half[0];
}

double xp__product_tree_total(const xp__product_tree *tree) {
    double lane[XP__LANES];
    tree->kernels->lane_sums(tree->nodes, xp__product_tree_s(tree, 1), lane);
    return sum_of_lanes(lane);
}

/* Index i of value[i · step], i < n, whose running sum first exceeds *left; *left becomes what is
 * left of it there. Rounding may use the sum up: then the largest value is as good as any. */
static size_t descend(const double *value, size_t step, size_t n, double *left) {
    for (size_t i = 0; i < n; i++) {
        const double here = value[i * step];
        if (*left < here) {
            return i;
        }
        *left -= here;
    }
    size_t largest = 0;
    for (size_t i = 1; i < n; i++) {
        largest = value[i * step] > value[largest * step] ? i : largest;
    }
    *left = 0.5 * value[largest * step];
    return largest;
}

size_t xp__product_tree_draw(const xp__product_tree *tree, xp_rng *rng, double least,
                             size_t *node) {
    const double *root = xp__product_tree_s(tree, 1);
    double lane[XP__LANES];
    tree->kernels->lane_sums(tree->nodes, root, lane);
    const double total = sum_of_lanes(lane);
    if (!(total >= least)) {
        return tree->arms;
    }
    double left = total * xp__rng_uniform(rng);
    const size_t l = descend(lane, 1, XP__LANES, &left);
    const size_t g = l + XP__LANES * descend(root + l, XP__LANES, tree->nodes / XP__LANES, &left);
    size_t vertex = 1;
    while (vertex < tree->arms) {
        const double *child = xp__product_tree_p(tree, 2 * vertex) + g;
        const size_t stride = tree->stride;
        const double pl = child[0], sl = child[stride], pr = child[2 * stride],
                     sr = child[3 * stride];
        const double from_left = sl * pr, from_right = pl * sr;
        if ((left < from_left || !(from_right > 0)) && from_left > 0) {
            left = left < from_left ? left / pr : 0.5 * sl;
            vertex = 2 * vertex;
        } else {
            left = left > from_left ? (left - from_left) / pl : 0;
            vertex = 2 * vertex + 1;
        }
    }
    *node = g;
    return vertex - tree->arms;
}

/* Levels below the root: a path needs one array of outer products for each. */
static size_t depth(size_t arms) {
    size_t levels = 1;
    while ((size_t)1 << levels < 2 * arms) {
        levels++;
    }
    return levels;
}

size_t xp__product_tree_scratch(size_t arms, size_t nodes) {
    return (depth(arms) + 1) * nodes;
}

/* Walks the tree left to right; `outer` holds, level by level, the product of all F outside the
 * subtree. */
static void walk(const xp__product_tree *tree, size_t vertex, double *outer, double *probability) {
    const size_t n = tree->nodes;
    if (vertex >= tree->arms) {
        const double *s = xp__product_tree_s(tree, vertex);
        double sum = 0;
        for (size_t g = 0; g < n; g++) {
            sum += s[g] * outer[g];
        }
        probability[vertex - tree->arms] = sum;
        return;
    }
    for (size_t child = 2 * vertex; child <= 2 * vertex + 1; child++) {
        const double *sibling = xp__product_tree_p(tree, child ^ 1);
        for (size_t g = 0; g < n; g++) {
            const double product = outer[g] * sibling[g];
            outer[n + g] = product < XP__TINY_PRODUCT ? 0 : product;
        }
        walk(tree, child, outer + n, probability);
    }
}

void xp__product_tree_law(const xp__product_tree *tree, double *scratch, double *probability) {
    for (size_t g = 0; g < tree->nodes; g++) {
        scratch[g] = 1;
    }
    walk(tree, 1, scratch, probability);
}
