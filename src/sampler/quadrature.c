/* quadrature.c: Thompson sampling when the prior depends on the best arm alone, by one-dimensional
 * integrals instead of draws (β = ∞ of the max-entropy prior; the uniform prior has zero weights).
 *
 * The posterior is ∝ e^{w_argmax θ} Π_a Beta(θ_a; 1+s_a, 1+f_a), so the best arm has the law
 *     P(a) ∝ e^{w_a} ∫ f_a(x) Π_{b≠a} F_b(x) dx
 * with f and F the Beta density and distribution function of an arm. A reward moves those of its
 * arm, Beta(A, B) before it, on every node:
 *     success: F -= x(1-x) f / A,  f *= x (A+B)/A;    failure: F += x(1-x) f / B,  f *=
 * (1-x)(A+B)/B. The integrand over all arms is kept in a product tree (product_tree.h).
 *
 * Invariants: leaves and tree always belong to the current counts and nodes; F is off by absolute
 * rounding only (about 1e-15), so a law whose total falls below `least_total` (the rewards
 * contradict the prior's weights) is taken from quadrature_reference.h instead. A density that
 * underflowed could be missed if its arm's luck turned: it is written afresh every `refresh`
 * pulls, too few for 1e-290 to become visible again. */
#include "sampler/integral/integral.h"
#include "sampler/integral/quadrature_reference.h"
#include "sampler/sampler_type.h"

#include "math/special.h"
#include "math/variates_inline.h"

#include <math.h>
#include <string.h>

static const double least_total = 1e-9;
static const size_t refresh = 512;

typedef struct quadrature {
    xp_sampler sampler;
    xp__integral integral;
    unsigned char memory[];
} quadrature;

static const xp_param params[] = {
    XP__INTEGER("nodes",
                "points of the integral over the best arm's value (rounded up to a multiple of 16)",
                32, 8192, 128),
};

static size_t size(size_t arms, const xp__params *values) {
    return sizeof(quadrature) + xp__integral_bytes(arms, (size_t)xp__params_get(values, "nodes"));
}

static bool supports(const xp_prior *prior) {
    return prior->best_arm_log_weight != NULL && prior->reference == NULL;
}

static void init(xp_sampler *sampler, const xp__params *values) {
    quadrature *self = (quadrature *)sampler;
    xp__integral_init(&self->integral, sampler->arms, (size_t)xp__params_get(values, "nodes"),
                      self->memory);
    const double *log_weight = sampler->prior->best_arm_log_weight;
    double largest = -INFINITY;
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        largest = fmax(largest, log_weight[arm]);
    }
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        self->integral.scale[arm] = exp(log_weight[arm] - largest);
    }
}

static void reset(xp_sampler *sampler, xp_rng *rng) {
    (void)rng;
    xp__integral *integral = &((quadrature *)sampler)->integral;
    const size_t bytes = integral->nodes.count * sizeof(double);
    xp__integral_lay_even(integral);
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        memcpy(xp__integral_density(integral, arm), integral->nodes.weight, bytes);
        memcpy(xp__integral_distribution(integral, arm), integral->nodes.x, bytes);
        xp__integral_weigh(integral, arm);
    }
    xp__product_tree_update_all(&integral->tree);
}

/* The density of an arm, from its counts. */
static void fill_density(quadrature *self, size_t arm) {
    const xp__nodes *nodes = &self->integral.nodes;
    const double s = self->sampler.successes[arm], f = self->sampler.failures[arm];
    const double constant = xp__log_beta(1 + s, 1 + f);
    double *density = xp__integral_density(&self->integral, arm);
    for (size_t g = 0; g < nodes->count; g++) {
        const double value =
            nodes->weight[g] * exp(s * nodes->log_x[g] + f * nodes->log_y[g] - constant);
        density[g] = value < XP__TINY_DENSITY ? 0 : value;
    }
    xp__integral_weigh(&self->integral, arm);
}

static void fill_distribution(quadrature *self, size_t arm) {
    const xp__nodes *nodes = &self->integral.nodes;
    const double a = 1 + self->sampler.successes[arm], b = 1 + self->sampler.failures[arm];
    double *distribution = xp__integral_distribution(&self->integral, arm);
    for (size_t g = 0; g < nodes->count; g++) {
        const double value = xp__beta_cdf(nodes->x[g], a, b);
        distribution[g] = value < XP__TINY_PROBABILITY ? 0 : value;
    }
}

static void focus(quadrature *self, size_t first) {
    xp__integral_focus(&self->integral, self->sampler.successes, self->sampler.failures, first);
    for (size_t arm = 0; arm < self->sampler.arms; arm++) {
        fill_density(self, arm);
        fill_distribution(self, arm);
    }
    xp__product_tree_update_all(&self->integral.tree);
}

static void observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    (void)rng;
    quadrature *self = (quadrature *)sampler;
    xp__integral *integral = &self->integral;
    const double pulls = sampler->successes[arm] + sampler->failures[arm];
    /* The counts include this reward: what is now s was the A = 1 + s of before, and so for B. */
    const double inverse = 1 / (success ? sampler->successes[arm] : sampler->failures[arm]);
    integral->tree.kernels->beta_step(
        integral->nodes.count, xp__integral_distribution(integral, arm),
        xp__integral_density(integral, arm), xp__integral_weighted(integral, arm),
        integral->nodes.slope, success ? integral->nodes.x : integral->nodes.y,
        success ? -inverse : inverse, (pulls + 1) * inverse, integral->scale[arm]);
    if ((size_t)pulls % refresh == 0) {
        fill_density(self, arm);
        xp__integral_recheck(integral, arm, sampler->successes[arm], sampler->failures[arm]);
    }
    xp__product_tree_update(&integral->tree, arm);
    if (xp__integral_outgrown(integral, arm, pulls)) {
        focus(self, sampler->arms);
    }
}

/* The arm's table afresh. If it has become too narrow for the nodes, they are crowded around it
 * first, so that the law is right, and then as the law says. */
static void observe_many(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t rewards) {
    (void)rng;
    (void)rewards;
    quadrature *self = (quadrature *)sampler;
    xp__integral *integral = &self->integral;
    fill_density(self, arm);
    fill_distribution(self, arm);
    xp__product_tree_update(&integral->tree, arm);
    xp__integral_recheck(integral, arm, sampler->successes[arm], sampler->failures[arm]);
    if (xp__integral_outgrown(integral, arm, sampler->successes[arm] + sampler->failures[arm])) {
        focus(self, arm);
        focus(self, sampler->arms);
    }
}

static void archive(xp_sampler *sampler, xp__archive *archive) {
    xp__integral_archive(&((quadrature *)sampler)->integral, archive);
}

static void action_law(xp_sampler *sampler, double *probability) {
    xp__integral *integral = &((quadrature *)sampler)->integral;
    if (!xp__integral_law(integral, least_total, probability)) {
        (void)xp__quadrature_reference_law(&integral->nodes, sampler->arms,
                                           sampler->prior->best_arm_log_weight, sampler->successes,
                                           sampler->failures, integral->scratch, probability);
    }
}

/* The best arm, and the node of its value if `node` is not NULL. */
static size_t draw_best(quadrature *self, xp_rng *rng, size_t *node) {
    size_t drawn;
    size_t arm = xp__product_tree_draw(&self->integral.tree, rng, least_total, &drawn);
    if (arm == self->sampler.arms) {
        action_law(&self->sampler, self->integral.law);
        arm = xp__rng_categorical(rng, self->integral.law, self->sampler.arms);
        const xp_sampler *own = &self->sampler;
        drawn = node == NULL ? 0
                             : xp__quadrature_reference_node(&self->integral.nodes, own->arms, arm,
                                                             own->successes, own->failures,
                                                             self->integral.scratch, rng);
    }
    if (node != NULL) {
        *node = drawn;
    }
    return arm;
}

static size_t act(xp_sampler *sampler, xp_rng *rng) {
    return draw_best((quadrature *)sampler, rng, NULL);
}

static bool draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    quadrature *self = (quadrature *)sampler;
    size_t node;
    const size_t best = draw_best(self, rng, &node);
    theta[best] = xp__integral_value(&self->integral, rng, best, node);
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        if (arm != best) {
            theta[arm] = xp__beta_below(rng, 1 + sampler->successes[arm],
                                        1 + sampler->failures[arm], theta[best]);
        }
    }
    return true;
}

const xp__sampler_type xp__sampler_quadrature = {
    .name = "quadrature",
    .summary =
        "computed: integrates over the best arm's value (priors that depend on the best arm alone)",
    .kind = XP_SAMPLER_COMPUTED,
    .preference = 40,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = size,
    .supports = supports,
    .init = init,
    .reset = reset,
    .observe = observe,
    .observe_many = observe_many,
    .draw = draw,
    .act = act,
    .action_law = action_law,
    .archive = archive,
};
