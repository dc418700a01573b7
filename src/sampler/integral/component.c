/* component.c: see component.h. A reward moves a leaf as in quadrature.c; its density is computed
 * afresh every `refresh` steps, for the reason given there. */
#include "sampler/integral/component.h"

#include "math/special.h"

#include <math.h>
#include <string.h>

/* Odds in the middle of the nodes, over the odds of the prior mean: the best of many arms is above
 * the mean. */
static const double middle = 3;
enum { REFRESH = 512 };

static size_t doubles(size_t arms, size_t nodes) {
    return 3 * arms + 2 * xp__integral_nodes(nodes);
}

size_t xp__component_bytes(size_t arms, size_t nodes) {
    return (xp__integral_bytes(arms, nodes) + doubles(arms, nodes) * sizeof(double) + 63) / 64 * 64;
}

void xp__component_init(xp__component *component, size_t arms, size_t nodes, double a, double b,
                        const double *scale, void *block) {
    const size_t count = xp__integral_nodes(nodes);
    component->a = a;
    component->b = b;
    double *next = (double *)(void *)((char *)block + xp__integral_bytes(arms, nodes));
    component->pulls = next;
    component->density = next + 2 * arms;
    component->distribution = component->density + count;
    component->epoch = (uint32_t *)(void *)(component->distribution + count);
    component->steps = component->epoch + arms;
    xp__integral_carve(&component->integral, arms, nodes, block);
    memcpy(component->integral.scale, scale, arms * sizeof *scale);
    component->laid = false;
    xp__component_reset(component);
}

void xp__component_reset(xp__component *component) {
    component->drawn = component->filled = false;
}

static void fill_density(const xp__component *component, double s, double f, double *density) {
    const xp__nodes *nodes = &component->integral.nodes;
    const double a = component->a + s, b = component->b + f, constant = xp__log_beta(a, b);
    for (size_t g = 0; g < nodes->count; g++) {
        const double value = nodes->weight[g] *
                             exp((a - 1) * nodes->log_x[g] + (b - 1) * nodes->log_y[g] - constant);
        density[g] = value < XP__TINY_DENSITY ? 0 : value;
    }
}

static void fill_distribution(const xp__component *component, double s, double f,
                              double *distribution) {
    const xp__nodes *nodes = &component->integral.nodes;
    for (size_t g = 0; g < nodes->count; g++) {
        const double value = xp__beta_cdf(nodes->x[g], component->a + s, component->b + f);
        distribution[g] = value < XP__TINY_PROBABILITY ? 0 : value;
    }
}

/* Once: what an arm without rewards looks like on even nodes, which are laid out. */
static void lay(xp__component *component) {
    const double odds = middle * component->a / component->b;
    xp__integral_pinch(&component->integral, fmin(1, sqrt(odds)));
    fill_density(component, 0, 0, component->density);
    fill_distribution(component, 0, 0, component->distribution);
    component->laid = true;
}

/* Evenly, as far as is known without rewards. */
static void lay_nodes(xp__component *component) {
    if (!component->laid) {
        lay(component);
    }
    xp__integral_lay_even(&component->integral);
    xp__integral_expect(&component->integral, component->a - 1, component->b - 1);
}

/* The leaf at the last checkpoint of its arm. */
static void start_leaf(xp__component *component, const xp__arm_rewards *record, size_t arm) {
    xp__integral *integral = &component->integral;
    double *density = xp__integral_density(integral, arm);
    double *distribution = xp__integral_distribution(integral, arm);
    if (integral->even && record->successes + record->failures == 0) {
        memcpy(density, component->density, integral->nodes.count * sizeof *density);
        memcpy(distribution, component->distribution, integral->nodes.count * sizeof *density);
    } else {
        fill_density(component, record->successes, record->failures, density);
        fill_distribution(component, record->successes, record->failures, distribution);
    }
    xp__integral_weigh(integral, arm);
    component->epoch[arm] = record->epoch;
    component->steps[arm] = 0;
}

/* Moves the leaf by the rewards since; `s` and `f` are the counts after those it stands for. */
static void move_leaf(xp__component *component, const xp__arm_rewards *record, size_t arm, double s,
                      double f) {
    xp__integral *integral = &component->integral;
    double *distribution = xp__integral_distribution(integral, arm);
    double *density = xp__integral_density(integral, arm);
    double *weighted = xp__integral_weighted(integral, arm);
    double a = component->a + s, b = component->b + f;
    for (uint32_t step = component->steps[arm]; step < record->steps; step++) {
        const bool success = xp__rewards_success(record, step);
        const double inverse = 1 / (success ? a : b);
        integral->tree.kernels->beta_step(
            integral->nodes.count, distribution, density, weighted, integral->nodes.slope,
            success ? integral->nodes.x : integral->nodes.y, success ? -inverse : inverse,
            (a + b) * inverse, integral->scale[arm]);
        *(success ? &a : &b) += 1;
        if ((step + 1) % REFRESH == 0) {
            fill_density(component, a - component->a, b - component->b, density);
            xp__integral_weigh(integral, arm);
        }
    }
    component->steps[arm] = record->steps;
}

/* Brings one leaf up to the record; false if it was. */
static bool update_leaf(xp__component *component, const xp__rewards *rewards, size_t arm,
                        const double *successes, const double *failures) {
    const xp__arm_rewards *record = &rewards->arm[arm];
    const bool stale = component->epoch[arm] != record->epoch;
    if (!stale && component->steps[arm] == record->steps) {
        return false;
    }
    if (stale) {
        start_leaf(component, record, arm);
    }
    /* Usually the last reward alone is new: what came before it is known by taking it away. */
    double s = successes[arm], f = failures[arm];
    for (uint32_t step = component->steps[arm]; step < record->steps; step++) {
        *(xp__rewards_success(record, step) ? &s : &f) -= 1;
    }
    move_leaf(component, record, arm, s, f);
    return true;
}

/* Combines the vertices above changed leaves, children before parents. `vertex` is sorted, the
 * largest first. */
static void update_above(xp__product_tree *tree, size_t *vertex, size_t count) {
    while (count > 0) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            const size_t parent = vertex[i] / 2;
            if (parent >= 1 && (kept == 0 || vertex[kept - 1] != parent)) {
                xp__product_tree_combine(tree, parent);
                vertex[kept++] = parent;
            }
        }
        count = kept;
    }
}

static void insert(size_t *vertex, size_t count, size_t leaf) {
    size_t place = count;
    for (; place > 0 && vertex[place - 1] < leaf; place--) {
        vertex[place] = vertex[place - 1];
    }
    vertex[place] = leaf;
}

/* Leaves, tree and total for the nodes as they are. */
static void fill(xp__component *component, const xp__rewards *rewards, const double *successes,
                 const double *failures) {
    for (size_t arm = 0; arm < component->integral.arms; arm++) {
        start_leaf(component, &rewards->arm[arm], arm);
        (void)update_leaf(component, rewards, arm, successes, failures);
    }
    xp__product_tree_update_all(&component->integral.tree);
    component->total = xp__product_tree_total(&component->integral.tree);
    component->read = rewards->written;
    component->filled = true;
}

void xp__component_pulls(xp__component *component, const double *successes, const double *failures,
                         const double **up, const double **down) {
    const size_t arms = component->integral.arms;
    for (size_t arm = 0; arm < arms; arm++) {
        component->pulls[arm] = component->a - 1 + successes[arm];
        component->pulls[arms + arm] = component->b - 1 + failures[arm];
    }
    *up = component->pulls;
    *down = component->pulls + arms;
}

/* Crowds the nodes around what is narrow. A leaf may have become so narrow that it lies between two
 * nodes: they are crowded around `first` to begin with, if it is an arm, so that the law is right,
 * and then as the law says. */
static void focus(xp__component *component, const xp__rewards *rewards, const double *successes,
                  const double *failures, size_t first) {
    const size_t arms = component->integral.arms;
    const double *up, *down;
    xp__component_pulls(component, successes, failures, &up, &down);
    for (size_t around = first; around <= arms; around = around < arms ? arms : arms + 1) {
        xp__integral_focus(&component->integral, up, down, around);
        fill(component, rewards, successes, failures);
    }
}

/* The arm with most pulls of those that the nodes are too coarse for, or K. */
static size_t find_narrow(xp__component *component, const double *successes,
                          const double *failures) {
    xp__integral *integral = &component->integral;
    size_t narrow = integral->arms;
    double most = -1;
    for (size_t arm = 0; arm < integral->arms; arm++) {
        const double up = component->a - 1 + successes[arm],
                     down = component->b - 1 + failures[arm];
        xp__integral_recheck(integral, arm, up, down);
        if (xp__integral_outgrown(integral, arm, up + down) && up + down > most) {
            narrow = arm;
            most = up + down;
        }
    }
    return narrow;
}

bool xp__component_update(xp__component *component, const xp__rewards *rewards,
                          const double *successes, const double *failures) {
    if (!component->drawn) {
        lay_nodes(component);
        fill(component, rewards, successes, failures);
        const size_t narrow = find_narrow(component, successes, failures);
        if (narrow < component->integral.arms) {
            focus(component, rewards, successes, failures, narrow);
        }
        component->drawn = true;
        return true;
    }
    if (!component->filled || rewards->written - component->read > XP__JOURNAL) {
        if (!component->filled) {
            fill(component, rewards, successes, failures);
            return false;
        }
        for (size_t arm = 0; arm < component->integral.arms; arm++) {
            (void)update_leaf(component, rewards, arm, successes, failures);
        }
        xp__product_tree_update_all(&component->integral.tree);
    } else if (component->read != rewards->written) {
        size_t vertex[XP__JOURNAL], dirty = 0;
        for (uint64_t i = component->read; i < rewards->written; i++) {
            const size_t arm = rewards->ring[i % XP__JOURNAL];
            if (update_leaf(component, rewards, arm, successes, failures)) {
                insert(vertex, dirty++, component->integral.arms + arm);
            }
        }
        update_above(&component->integral.tree, vertex, dirty);
    } else {
        return false;
    }
    component->read = rewards->written;
    component->total = xp__product_tree_total(&component->integral.tree);
    return false;
}

void xp__component_watch(xp__component *component, const xp__rewards *rewards,
                         const double *successes, const double *failures, size_t arm, bool moved) {
    xp__integral *integral = &component->integral;
    if (!component->drawn) {
        return;
    }
    const double up = component->a - 1 + successes[arm], down = component->b - 1 + failures[arm];
    if (moved) {
        xp__integral_recheck(integral, arm, up, down);
    }
    if (xp__integral_outgrown(integral, arm, up + down)) {
        (void)xp__component_update(component, rewards, successes, failures);
        focus(component, rewards, successes, failures, moved ? arm : integral->arms);
    }
}

double xp__component_limit(const xp__component *component, size_t arm) {
    return component->drawn ? component->integral.resolved[arm] - (component->a + component->b - 2)
                            : INFINITY;
}

void xp__component_archive(xp__component *component, xp__archive *archive) {
    xp__archive_bool(archive, &component->drawn);
    if (xp__archive_reading(archive)) {
        component->filled = false;
        if (component->drawn) {
            lay_nodes(component);
        }
    }
    if (component->drawn) {
        xp__integral_nodes_archive(&component->integral, archive);
    }
}
