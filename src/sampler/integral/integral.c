/* integral.c: nodes, leaves and focus. See integral.h.
 *
 * In the angle φ a Beta posterior after n pulls has standard deviation 1/(2 sqrt(n + 2)). The
 * midpoint rule is off by about 2 exp(-2 (π d σ)²) with d nodes per unit of φ: 6e-6 at d σ = 0.8,
 * which is where an arm counts as outgrown; a lens starts at twice that density and so lasts until
 * the arm has four times as many pulls. Refilling leaves is therefore rare: O(log T) times. */
#include "sampler/integral/integral.h"

#include "base/rng_inline.h"
#include "math/special.h"
#include "math/variates_inline.h"

#include <float.h>
#include <math.h>

static const double least_resolution = 0.8; /* nodes per standard deviation */
/* An arm whose probability is below this is not worth a lens. */
static const double least_probability = 1e-9;

size_t xp__integral_nodes(size_t asked) {
    return (asked + XP__LANES - 1) / XP__LANES * XP__LANES;
}

static size_t doubles(size_t arms, size_t nodes) {
    const size_t stride = xp__product_tree_stride(nodes);
    return XP__NODES_ARRAYS * stride + xp__product_tree_doubles(arms, nodes) + arms * stride +
           4 * arms + xp__product_tree_scratch(arms, nodes);
}

size_t xp__integral_bytes(size_t arms, size_t asked) {
    return 64 + doubles(arms, xp__integral_nodes(asked)) * sizeof(double);
}

static double needed_density(double pulls) {
    return 2 * sqrt(pulls + 2) * least_resolution;
}

/* Pulls up to which `density` nodes per unit of φ are enough. */
static double enough_for(double density) {
    const double root = density / (2 * least_resolution);
    return root * root - 2;
}

static void lay(xp__integral *integral, const xp__lens *lens, size_t lenses) {
    integral->even = xp__nodes_lay(&integral->nodes, lens, lenses) == 0;
}

static void set_resolved(xp__integral *integral, double pulls) {
    for (size_t arm = 0; arm < integral->arms; arm++) {
        integral->resolved[arm] = pulls;
    }
}

void xp__integral_carve(xp__integral *integral, size_t arms, size_t asked, void *block) {
    const size_t nodes = xp__integral_nodes(asked);
    double *next = (double *)(((uintptr_t)block + 63) & ~(uintptr_t)63);
    const size_t stride = xp__product_tree_stride(nodes);
    integral->arms = arms;
    xp__nodes_carve(&integral->nodes, nodes, next, stride);
    next += XP__NODES_ARRAYS * stride;
    xp__product_tree_init(&integral->tree, arms, nodes, next);
    next += xp__product_tree_doubles(arms, nodes);
    integral->density = next;
    next += arms * stride;
    integral->scale = next;
    next += arms;
    integral->resolved = next;
    next += arms;
    integral->center = next;
    next += arms;
    integral->law = next;
    next += arms;
    integral->scratch = next;
    integral->even = false;
}

void xp__integral_init(xp__integral *integral, size_t arms, size_t asked, void *block) {
    xp__integral_carve(integral, arms, asked, block);
    for (size_t arm = 0; arm < arms; arm++) {
        integral->scale[arm] = 1;
    }
    xp__integral_lay_even(integral);
}

void xp__integral_pinch(xp__integral *integral, double pinch) {
    integral->nodes.pinch = pinch;
    integral->even = false;
    xp__integral_lay_even(integral);
}

void xp__integral_lay_even(xp__integral *integral) {
    if (!integral->even) {
        lay(integral, NULL, 0);
    }
    /* Also where they are: a focus that found no lens worth its while has left them so. */
    set_resolved(integral, enough_for(xp__nodes_density(&integral->nodes, 0)));
}

static double angle_of(double successes, double failures) {
    return asin(sqrt((successes + 1) / (successes + failures + 2)));
}

void xp__integral_expect(xp__integral *integral, double successes, double failures) {
    const double center = angle_of(successes, failures);
    set_resolved(integral, enough_for(xp__nodes_density(&integral->nodes, center)));
    for (size_t arm = 0; arm < integral->arms; arm++) {
        integral->center[arm] = center;
    }
}

/* True when a lens serves another arm as well: close by, dense enough to last, and not so much
 * narrower that the arm sticks out of it. */
static bool serves(const xp__lens *lens, double center, double pulls) {
    const double lasting = needed_density(2 * pulls);
    return fabs(center - lens->center) * needed_density(pulls) < 2 && lens->density >= lasting &&
           lens->density < 2 * lasting;
}

void xp__integral_focus(xp__integral *integral, const double *successes, const double *failures,
                        size_t first) {
    const double even = XP__EVEN_SHARE * (double)integral->nodes.count / 1.5707963267948966;
    double *law = integral->law;
    (void)xp__integral_law(integral, 0, law);
    if (first < integral->arms) {
        law[first] = INFINITY;
    }
    xp__lens lens[XP__LENS_MAX];
    size_t lenses = 0;
    /* The likeliest arms first; equal arms share a lens. */
    while (lenses < XP__LENS_MAX) {
        size_t arm = 0;
        for (size_t other = 1; other < integral->arms; other++) {
            arm = law[other] > law[arm] ? other : arm;
        }
        if (!(law[arm] > least_probability)) {
            break;
        }
        law[arm] = 0;
        const double pulls = successes[arm] + failures[arm];
        const double center = angle_of(successes[arm], failures[arm]);
        bool served =
            needed_density(2 * pulls) <= even * xp__nodes_pinching(&integral->nodes, center);
        for (size_t j = 0; j < lenses && !served; j++) {
            served = serves(&lens[j], center, pulls);
        }
        if (!served) {
            lens[lenses++] = (xp__lens){.center = center, .density = 2 * needed_density(pulls)};
        }
    }
    lay(integral, lens, lenses);
    for (size_t arm = 0; arm < integral->arms; arm++) {
        const double pulls = successes[arm] + failures[arm];
        integral->center[arm] = angle_of(successes[arm], failures[arm]);
        const double density = xp__nodes_density(&integral->nodes, integral->center[arm]);
        /* An arm that found no lens waits until it has doubled, not until its next pull. */
        integral->resolved[arm] = fmax(enough_for(density), 2 * pulls + 1);
    }
}

void xp__integral_recheck(xp__integral *integral, size_t arm, double successes, double failures) {
    const double pulls = successes + failures, center = angle_of(successes, failures);
    const bool wandered = fabs(center - integral->center[arm]) * needed_density(pulls) > 4;
    if (!(integral->even && integral->nodes.pinch == 1) && wandered) {
        const double enough = enough_for(xp__nodes_density(&integral->nodes, center));
        integral->resolved[arm] = fmin(integral->resolved[arm], enough);
    }
}

void xp__integral_weigh(xp__integral *integral, size_t arm) {
    const double *density = xp__integral_density(integral, arm);
    double *weighted = xp__integral_weighted(integral, arm);
    for (size_t g = 0; g < integral->nodes.count; g++) {
        const double scaled = integral->scale[arm] * density[g];
        weighted[g] = scaled < XP__TINY_PRODUCT ? 0 : scaled;
    }
}

/* The density of (arm, value) at a node, up to the arm's weight: f_a Π_{b≠a} F_b as a density in
 * the even parameter. Off the grid it is zero. */
static double joint(const xp__integral *integral, size_t arm, size_t node) {
    if (node >= integral->nodes.count) {
        return 0;
    }
    const xp__product_tree *tree = &integral->tree;
    double value = xp__integral_density(integral, arm)[node];
    for (size_t vertex = integral->arms + arm; vertex > 1; vertex /= 2) {
        value *= xp__product_tree_p(tree, vertex ^ 1)[node];
    }
    return value;
}

double xp__nodes_value(const xp__nodes *nodes, xp_rng *rng, size_t node, double before, double here,
                       double after) {
    /* Inside its cell the density is taken as linear, 1 + k v for v in (-1/2, 1/2), with the slope
     * of the neighbours; its distribution function is a quadratic. */
    const double slope = here > 0 ? 0.5 * (after - before) / here : 0;
    const double k = fmin(2, fmax(-2, slope)), u = xp__rng_uniform(rng);
    const double inner = (1 - 0.5 * k) * (1 - 0.5 * k) + 2 * k * u;
    const double v = fabs(k) < 1e-6 ? u - 0.5 : (sqrt(fmax(0, inner)) - 1) / k;
    const double angle = nodes->angle[node] + v * nodes->angle_step[node];
    const double sine = sin(fmin(1.5707963267948966, fmax(0, angle)));
    return sine * sine;
}

double xp__integral_value(const xp__integral *integral, xp_rng *rng, size_t arm, size_t node) {
    return xp__nodes_value(&integral->nodes, rng, node, joint(integral, arm, node - 1),
                           joint(integral, arm, node), joint(integral, arm, node + 1));
}

double xp__beta_below(xp_rng *rng, double a, double b, double top) {
    const double room = xp__beta_cdf(top, a, b);
    if (room > 0.1) {
        for (;;) {
            const double value = xp_rng_beta(rng, a, b);
            if (value <= top) {
                return value;
            }
        }
    }
    const double u = xp__rng_uniform(rng);
    /* Far below its bulk the density is x^(a-1) to first order. */
    return room > 1e-290 ? fmin(top, xp__beta_quantile(u * room, a, b)) : top * pow(u, 1 / a);
}

bool xp__integral_law(const xp__integral *integral, double least, double *probability) {
    xp__product_tree_law(&integral->tree, integral->scratch, probability);
    double total = 0;
    for (size_t arm = 0; arm < integral->arms; arm++) {
        total += probability[arm];
    }
    if (!(total >= least) || !(total > 0)) {
        return false;
    }
    for (size_t arm = 0; arm < integral->arms; arm++) {
        probability[arm] /= total;
    }
    return true;
}

/* More than any density times its weight comes to, and than rounding adds to a probability. */
static const double most_density = 1e100, most_probability = 1.01;

static void archive_nodes(xp__integral *integral, xp__archive *archive) {
    xp__nodes *nodes = &integral->nodes;
    xp__archive_within(archive, nodes->angle, nodes->count, DBL_MIN, 1.5707963267948966);
    xp__archive_within(archive, nodes->angle_step, nodes->count, 1e-100, 1.5707963267948966);
    if (xp__archive_reading(archive)) {
        for (size_t g = 1; g < nodes->count; g++) {
            xp__archive_check(archive, nodes->angle[g] > nodes->angle[g - 1],
                              "the nodes of an integral are not in order");
        }
        xp__nodes_fill(nodes);
    }
}

void xp__integral_nodes_archive(xp__integral *integral, xp__archive *archive) {
    bool even = integral->even;
    xp__archive_bool(archive, &even);
    if (!even) {
        archive_nodes(integral, archive);
    } else if (xp__archive_reading(archive)) {
        xp__integral_lay_even(integral);
    }
    integral->even = even;
    xp__archive_finite(archive, integral->resolved, integral->arms);
    xp__archive_finite(archive, integral->center, integral->arms);
}

void xp__integral_archive(xp__integral *integral, xp__archive *archive) {
    const size_t count = integral->nodes.count;
    xp__integral_nodes_archive(integral, archive);
    for (size_t arm = 0; arm < integral->arms; arm++) {
        xp__archive_within(archive, xp__integral_density(integral, arm), count, 0, most_density);
        xp__archive_within(archive, xp__integral_distribution(integral, arm), count, 0,
                           most_probability);
    }
    if (xp__archive_reading(archive)) {
        for (size_t arm = 0; arm < integral->arms; arm++) {
            xp__integral_weigh(integral, arm);
        }
        xp__product_tree_update_all(&integral->tree);
    }
}
