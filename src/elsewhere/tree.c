/* tree.c: a tree whose leaves pay the more the nearer they are to a hidden one.
 *
 * `size` is the depth, `slip` the number of branches of a node. The best leaf is one of `contexts`
 * that lie evenly, the k-th of them (k + 1) times as often as the first. A leaf pays 1 less the
 * distance to the best one in units of half of all leaves. */
#include "elsewhere/finite.h"

static size_t power(size_t base, size_t exponent) {
    size_t product = 1;
    while (exponent-- > 0) {
        product *= base;
    }
    return product;
}

/* Nodes are numbered level by level: the first of a level. */
static size_t level_start(size_t branches, size_t level) {
    size_t start = 0;
    for (size_t i = 0; i < level; i++) {
        start += power(branches, i);
    }
    return start;
}

static void shape(const xp__form *form, xp__finite_shape *shape) {
    const size_t branches = (size_t)form->slip;
    *shape = (xp__finite_shape){.state_size = 1,
                                .categories = {level_start(branches, form->size + 1)},
                                .actions = branches,
                                .horizon = form->size};
}

static double pay(size_t leaf, size_t best, size_t leaves) {
    const double away = fabs((double)leaf - (double)best);
    return fmax(0, 1 - 2 * away / (double)leaves);
}

static void draw(const xp__form *form, xp_rng *rng, xp__finite_model *model) {
    const size_t branches = (size_t)form->slip, leaves = power(branches, form->size);
    const size_t weights = form->contexts * (form->contexts + 1) / 2;
    size_t left = (size_t)xp_rng_below(rng, weights), context = 0;
    while (left > context) {
        left -= ++context;
    }
    const size_t best = (2 * context + 1) * leaves / (2 * form->contexts);
    model->start[0] = 1;
    for (size_t level = 0; level < form->size; level++) {
        const size_t first = level_start(branches, level), next = level_start(branches, level + 1);
        const bool last = level + 1 == form->size;
        for (size_t i = 0; i < power(branches, level); i++) {
            for (size_t a = 0; a < branches; a++) {
                const size_t child = i * branches + a;
                const double reward = last ? pay(child, best, leaves) : 0;
                xp__finite_add(model, first + i, a, (xp__way){1, reward, next + child, last});
            }
        }
    }
}

static const xp__finite_type rules = {.shape = shape, .draw = draw};

const xp__elsewhere_type xp__elsewhere_tree = {
    .name = "tree",
    .summary = "a tree with graded pay and a hidden best leaf",
    .form = {{.size = 5, .contexts = 6, .slip = 2, .beta = 20},
             {.size = 3, .contexts = 9, .slip = 3, .beta = INFINITY}},
    XP__FINITE_TASK(xp__elsewhere_tree, rules),
};
