/* component.c: see component.h.
 *
 * A reward moves a leaf as in quadrature.c. Many at once are cheaper from the counts, where an
 * incomplete beta function per node replaces a step per reward. A leaf's density is written afresh
 * every `refresh` pulls, for the reason given there. */
#include "sampler/integral/component.h"

#include "math/special.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double refresh = 512, most_steps = 256;
/* Odds in the middle of the nodes, over the odds of the prior mean: the best of many arms is above
 * the mean. */
static const double middle = 3;

static size_t doubles(size_t arms, size_t nodes) {
    return 4 * arms + 2 * xp__integral_nodes(nodes);
}

size_t xp__component_bytes(size_t arms, size_t nodes) {
    /* Whole cache lines, so that components that follow each other are aligned. */
    return (xp__integral_bytes(arms, nodes) + doubles(arms, nodes) * sizeof(double) + 63) / 64 * 64;
}

void xp__component_init(xp__component *component, size_t arms, size_t nodes, double a, double b,
                        const double *scale, void *block) {
    const size_t count = xp__integral_nodes(nodes);
    component->a = a;
    component->b = b;
    double *next = (double *)(void *)((char *)block + xp__integral_bytes(arms, nodes));
    component->successes = next;
    component->failures = next + arms;
    component->scratch = next + 2 * arms;
    component->density = next + 4 * arms;
    component->distribution = component->density + count;
    xp__integral_carve(&component->integral, arms, nodes, block);
    memcpy(component->integral.scale, scale, arms * sizeof *scale);
    component->laid = component->filled = false;
}

void xp__component_reset(xp__component *component) {
    component->filled = false;
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

static void fill_leaf(xp__component *component, size_t arm) {
    const double s = component->successes[arm], f = component->failures[arm];
    fill_density(component, s, f, xp__integral_density(&component->integral, arm));
    fill_distribution(component, s, f, xp__integral_distribution(&component->integral, arm));
    xp__integral_weigh(&component->integral, arm);
}

/* Once: where the nodes are and what an arm without rewards looks like there. */
static void lay(xp__component *component) {
    const double odds = middle * component->a / component->b;
    xp__integral_pinch(&component->integral, fmin(1, sqrt(odds)));
    fill_density(component, 0, 0, component->density);
    fill_distribution(component, 0, 0, component->distribution);
    component->laid = true;
}

/* All leaves without rewards. */
static void fill_first(xp__component *component) {
    xp__integral *integral = &component->integral;
    const size_t arms = integral->arms, bytes = integral->nodes.count * sizeof(double);
    if (!component->laid) {
        lay(component);
    }
    xp__integral_lay_even(integral);
    xp__integral_expect(integral, component->a - 1, component->b - 1);
    for (size_t arm = 0; arm < arms; arm++) {
        memcpy(xp__integral_density(integral, arm), component->density, bytes);
        memcpy(xp__integral_distribution(integral, arm), component->distribution, bytes);
        xp__integral_weigh(integral, arm);
        component->successes[arm] = component->failures[arm] = 0;
    }
    xp__product_tree_update_all(&integral->tree);
    component->read = 0;
    component->filled = true;
}

void xp__component_pulls(xp__component *component, const double **successes,
                         const double **failures) {
    const size_t arms = component->integral.arms;
    for (size_t arm = 0; arm < arms; arm++) {
        component->scratch[arm] = component->a - 1 + component->successes[arm];
        component->scratch[arms + arm] = component->b - 1 + component->failures[arm];
    }
    *successes = component->scratch;
    *failures = component->scratch + arms;
}

static void step(xp__component *component, size_t arm, bool success) {
    xp__integral *integral = &component->integral;
    double *seen = success ? component->successes : component->failures;
    const double a = component->a + component->successes[arm];
    const double b = component->b + component->failures[arm];
    const double inverse = 1 / (success ? a : b);
    integral->tree.kernels->beta_step(
        integral->nodes.count, xp__integral_distribution(integral, arm),
        xp__integral_density(integral, arm), xp__integral_weighted(integral, arm),
        integral->nodes.slope, success ? integral->nodes.x : integral->nodes.y,
        success ? -inverse : inverse, (a + b) * inverse, integral->scale[arm]);
    seen[arm] += 1;
}

/* What became too narrow for the nodes: an arm, or K; and whether it did so in one leap. */
typedef struct narrowed {
    size_t arm;
    bool leapt;
} narrowed;

/* Brings one leaf up to its counts; false if it was. */
static bool update_leaf(xp__component *component, size_t arm, double s, double f,
                        narrowed *narrow) {
    xp__integral *integral = &component->integral;
    const double before = component->successes[arm] + component->failures[arm];
    const double steps = s + f - before;
    if (steps == 0) {
        return false;
    }
    if (steps <= most_steps) {
        while (component->successes[arm] < s) {
            step(component, arm, true);
        }
        while (component->failures[arm] < f) {
            step(component, arm, false);
        }
        if (floor(before / refresh) != floor((s + f) / refresh)) {
            fill_density(component, s, f, xp__integral_density(integral, arm));
            xp__integral_weigh(integral, arm);
        }
    } else {
        component->successes[arm] = s;
        component->failures[arm] = f;
        fill_leaf(component, arm);
    }
    const double up = component->a - 1 + s, down = component->b - 1 + f;
    xp__integral_recheck(integral, arm, up, down);
    if (xp__integral_outgrown(integral, arm, up + down)) {
        narrow->arm = arm;
        narrow->leapt = narrow->leapt || steps > most_steps;
    }
    return true;
}

/* Combines the vertices above the changed leaves, children before parents. `vertex` is sorted, the
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

/* Crowds the nodes around what is narrow. A leaf that leapt may lie between two nodes: they are
 * crowded around it first, so that the law is right, and then as the law says. */
static void focus(xp__component *component, narrowed narrow) {
    const size_t arms = component->integral.arms;
    const double *successes, *failures;
    xp__component_pulls(component, &successes, &failures);
    for (int pass = narrow.leapt ? 0 : 1; pass < 2; pass++) {
        xp__integral_focus(&component->integral, successes, failures,
                           pass == 0 ? narrow.arm : arms);
        for (size_t arm = 0; arm < arms; arm++) {
            fill_leaf(component, arm);
        }
        xp__product_tree_update_all(&component->integral.tree);
    }
}

void xp__component_update(xp__component *component, const double *successes, const double *failures,
                          const xp__journal *journal) {
    xp__product_tree *tree = &component->integral.tree;
    bool changed = !component->filled;
    narrowed narrow = {.arm = component->integral.arms};
    if (!component->filled) {
        fill_first(component);
    } else if (component->read == journal->written) {
        return;
    }
    const uint64_t news = journal->written - component->read;
    if (news > XP__JOURNAL || component->read < journal->first) {
        for (size_t arm = 0; arm < component->integral.arms; arm++) {
            changed =
                update_leaf(component, arm, successes[arm], failures[arm], &narrow) || changed;
        }
        xp__product_tree_update_all(tree);
    } else {
        size_t vertex[XP__JOURNAL], dirty = 0;
        for (uint64_t i = component->read; i < journal->written; i++) {
            const size_t arm = journal->arm[i % XP__JOURNAL];
            if (update_leaf(component, arm, successes[arm], failures[arm], &narrow)) {
                insert(vertex, dirty++, component->integral.arms + arm);
            }
        }
        changed = changed || dirty > 0;
        update_above(tree, vertex, dirty);
    }
    component->read = journal->written;
    if (narrow.arm < component->integral.arms) {
        focus(component, narrow);
    }
    if (changed) {
        component->total = xp__product_tree_total(tree);
    }
}

void xp__component_archive(xp__component *component, xp__archive *archive) {
    const size_t arms = component->integral.arms;
    xp__archive_bool(archive, &component->filled);
    if (!component->filled) {
        return;
    }
    if (xp__archive_reading(archive) && !component->laid) {
        lay(component);
    }
    xp__archive_whole(archive, component->successes, arms, 0x1p52);
    xp__archive_whole(archive, component->failures, arms, 0x1p52);
    xp__archive_number(archive, &component->read, UINT64_MAX);
    xp__integral_archive(&component->integral, archive);
    if (xp__archive_reading(archive)) {
        component->total = xp__product_tree_total(&component->integral.tree);
    }
}
