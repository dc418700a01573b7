/* tabulated.c: Thompson sampling for independent arms with any smooth density (Gamma, Normal,
 * Beta): each arm's posterior is tabulated on the nodes, and the best arm drawn as in quadrature.c
 * from P(a) ∝ ∫ f_a(x) Π_{b≠a} F_b(x) dx . A reward multiplies its arm's table by x or 1 - x; the
 * table is normalised and F is its running sum, with the third-order correction for the middle of a
 * cell.
 *
 * Densities may grow at 0 and 1 up to x^(-1/2), which x = sin²φ turns into a constant; steeper ones
 * (Beta parameters below 1/2) are not supported, the conjugate sampler draws from those. The table
 * is computed afresh every `refresh` pulls (see quadrature.c). For the nodes' sake a prior counts
 * as the pulls of the Beta distribution that has its mean and variance. */
#include "sampler/integral/integral.h"
#include "sampler/sampler_type.h"

#include "math/variates_inline.h"

#include <float.h>
#include <math.h>

static const size_t refresh = 512;

typedef struct grid {
    xp_sampler sampler;
    xp__integral integral;
    double *log_prior;            /* K × stride, at the nodes */
    double *prior_a, *prior_b;    /* K each: the prior as pulls */
    double *successes, *failures; /* K each: with those pulls */
    unsigned char memory[];
} grid;

static const xp_param params[] = {
    XP__INTEGER("nodes", "points of each arm's table (rounded up to a multiple of 16)", 32, 8192,
                128),
};

static size_t size(size_t arms, const xp__params *values) {
    const size_t asked = (size_t)xp__params_get(values, "nodes");
    const size_t stride = xp__product_tree_stride(xp__integral_nodes(asked));
    return sizeof(grid) + (arms * stride + 4 * arms) * sizeof(double) +
           xp__integral_bytes(arms, asked);
}

/* Power of x in the density at 0 and of 1 - x at 1, from two points close to the end. */
static bool smooth_at_ends(const xp_prior *prior, size_t arm) {
    const double near = 0x1p-30, far = 0x1p-20, log_ratio = 10 * 0.6931471805599453;
    for (int end = 0; end < 2; end++) {
        const double inner = prior->type->arm_log_density(prior, arm, end == 0 ? far : 1 - far);
        const double outer = prior->type->arm_log_density(prior, arm, end == 0 ? near : 1 - near);
        if (!((outer - inner) / log_ratio <= 0.5 + 1e-6)) {
            return false;
        }
    }
    return true;
}

static bool supports(const xp_prior *prior) {
    bool smooth = prior->type->arm_log_density != NULL && prior->reference == NULL;
    for (size_t arm = 0; smooth && arm < prior->arms; arm++) {
        smooth = smooth_at_ends(prior, arm);
    }
    return smooth;
}

/* Mean and variance of an arm's prior as the pulls of a Beta posterior, by 4,096 midpoints. */
static void match_pulls(const xp_prior *prior, size_t arm, double *a, double *b) {
    const size_t points = 4096;
    const double step = 1.5707963267948966 / (double)points;
    double top = -INFINITY;
    for (size_t i = 0; i < points; i++) {
        const double sine = sin(((double)i + 0.5) * step);
        top = fmax(top, prior->type->arm_log_density(prior, arm, sine * sine));
    }
    double mass = 0, first = 0, second = 0;
    for (size_t i = 0; i < points; i++) {
        const double angle = ((double)i + 0.5) * step, sine = sin(angle), x = sine * sine;
        const double weight =
            sine * cos(angle) * exp(prior->type->arm_log_density(prior, arm, x) - top);
        mass += weight;
        first += weight * x;
        second += weight * x * x;
    }
    const double mean = first / mass, variance = fmax(1e-12, second / mass - mean * mean);
    const double pulls = fmax(0, mean * (1 - mean) / variance - 3);
    *a = pulls * mean;
    *b = pulls * (1 - mean);
}

static void init(xp_sampler *sampler, const xp__params *values) {
    grid *self = (grid *)sampler;
    const size_t arms = sampler->arms, asked = (size_t)xp__params_get(values, "nodes");
    const size_t bytes = xp__integral_bytes(arms, asked);
    xp__integral_init(&self->integral, arms, asked, self->memory);
    double *next = (double *)(void *)(self->memory + bytes);
    self->log_prior = next;
    next += arms * self->integral.tree.stride;
    self->prior_a = next;
    self->prior_b = next + arms;
    self->successes = next + 2 * arms;
    self->failures = next + 3 * arms;
    for (size_t arm = 0; arm < arms; arm++) {
        match_pulls(sampler->prior, arm, &self->prior_a[arm], &self->prior_b[arm]);
    }
}

/* Normalises the table of an arm and sums it up. */
static void settle(grid *self, size_t arm) {
    const size_t n = self->integral.nodes.count;
    double *density = xp__integral_density(&self->integral, arm);
    double *distribution = xp__integral_distribution(&self->integral, arm);
    double total = 0;
    for (size_t g = 0; g < n; g++) {
        distribution[g] = total; /* the mass of the cells before this one */
        total += density[g];
    }
    const double inverse = 1 / total;
    for (size_t g = 0; g < n; g++) {
        const double before = g > 0 ? density[g - 1] : 0, after = g + 1 < n ? density[g + 1] : 0;
        const double half = 0.5 * density[g] - (after - before) / 24;
        const double value = (distribution[g] + fmin(density[g], fmax(0, half))) * inverse;
        distribution[g] = value < XP__TINY_PROBABILITY ? 0 : value;
    }
    for (size_t g = 0; g < n; g++) {
        const double value = density[g] * inverse;
        density[g] = value < XP__TINY_DENSITY ? 0 : value;
    }
    xp__integral_weigh(&self->integral, arm);
}

/* The table of an arm from its counts. */
static void fill(grid *self, size_t arm) {
    const xp__nodes *nodes = &self->integral.nodes;
    const double *log_prior = self->log_prior + arm * self->integral.tree.stride;
    const double s = self->sampler.successes[arm], f = self->sampler.failures[arm];
    double *density = xp__integral_density(&self->integral, arm), top = -INFINITY;
    for (size_t g = 0; g < nodes->count; g++) {
        density[g] = log_prior[g] + s * nodes->log_x[g] + f * nodes->log_y[g];
        top = fmax(top, density[g]);
    }
    for (size_t g = 0; g < nodes->count; g++) {
        density[g] = nodes->weight[g] * exp(density[g] - top);
    }
    settle(self, arm);
}

/* The logarithm of an arm's prior at the nodes. */
static void fill_prior(grid *self, size_t arm) {
    const xp_prior *prior = self->sampler.prior;
    const xp__nodes *nodes = &self->integral.nodes;
    double *log_prior = self->log_prior + arm * self->integral.tree.stride;
    for (size_t g = 0; g < nodes->count; g++) {
        log_prior[g] = prior->type->arm_log_density(prior, arm, nodes->x[g]);
    }
}

static void fill_all(grid *self) {
    for (size_t arm = 0; arm < self->sampler.arms; arm++) {
        fill_prior(self, arm);
        fill(self, arm);
    }
    xp__product_tree_update_all(&self->integral.tree);
}

static void focus(grid *self, size_t first) {
    xp__integral_focus(&self->integral, self->successes, self->failures, first);
    fill_all(self);
}

static void reset(xp_sampler *sampler, xp_rng *rng) {
    (void)rng;
    grid *self = (grid *)sampler;
    xp__integral_lay_even(&self->integral);
    fill_all(self);
    bool narrow = false;
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        self->successes[arm] = self->prior_a[arm];
        self->failures[arm] = self->prior_b[arm];
        narrow = narrow || xp__integral_outgrown(&self->integral, arm,
                                                 self->successes[arm] + self->failures[arm]);
    }
    if (narrow) {
        focus(self, sampler->arms);
    }
}

static void observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    (void)rng;
    grid *self = (grid *)sampler;
    const xp__nodes *nodes = &self->integral.nodes;
    double *seen = success ? self->successes : self->failures;
    seen[arm] += 1;
    if ((size_t)(sampler->successes[arm] + sampler->failures[arm]) % refresh == 0) {
        fill(self, arm);
        xp__integral_recheck(&self->integral, arm, self->successes[arm], self->failures[arm]);
    } else {
        const double *side = success ? nodes->x : nodes->y;
        double *density = xp__integral_density(&self->integral, arm);
        for (size_t g = 0; g < nodes->count; g++) {
            density[g] *= side[g];
        }
        settle(self, arm);
    }
    xp__product_tree_update(&self->integral.tree, arm);
    if (xp__integral_outgrown(&self->integral, arm, self->successes[arm] + self->failures[arm])) {
        focus(self, sampler->arms);
    }
}

/* As in quadrature.c. */
static void observe_many(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t rewards) {
    (void)rng;
    (void)rewards;
    grid *self = (grid *)sampler;
    xp__integral *integral = &self->integral;
    self->successes[arm] = self->prior_a[arm] + sampler->successes[arm];
    self->failures[arm] = self->prior_b[arm] + sampler->failures[arm];
    fill(self, arm);
    xp__product_tree_update(&integral->tree, arm);
    xp__integral_recheck(integral, arm, self->successes[arm], self->failures[arm]);
    if (xp__integral_outgrown(integral, arm, self->successes[arm] + self->failures[arm])) {
        focus(self, arm);
        focus(self, sampler->arms);
    }
}

static void archive(xp_sampler *sampler, xp__archive *archive) {
    grid *self = (grid *)sampler;
    xp__archive_within(archive, self->successes, sampler->arms, 0, DBL_MAX);
    xp__archive_within(archive, self->failures, sampler->arms, 0, DBL_MAX);
    xp__integral_archive(&self->integral, archive);
    for (size_t arm = 0; xp__archive_reading(archive) && arm < sampler->arms; arm++) {
        fill_prior(self, arm);
    }
}

/* The weights are 1, so the total is the probability that some arm is best: 1 up to rounding. */
static void action_law(xp_sampler *sampler, double *probability) {
    (void)xp__integral_law(&((grid *)sampler)->integral, 0, probability);
}

/* The best arm and the node of its value; any if the tables hold no numbers. */
static size_t draw_best(const grid *self, xp_rng *rng, size_t *node) {
    const size_t arm = xp__product_tree_draw(&self->integral.tree, rng, 0, node);
    if (arm < self->sampler.arms) {
        return arm;
    }
    *node = 0;
    return (size_t)xp_rng_below(rng, self->sampler.arms);
}

static size_t act(xp_sampler *sampler, xp_rng *rng) {
    size_t node;
    return draw_best((const grid *)sampler, rng, &node);
}

/* The value of an arm given that it is at most `top`, which lies in the cell of `node`. */
static double draw_below(const grid *self, xp_rng *rng, size_t arm, size_t node, double top) {
    const xp__nodes *nodes = &self->integral.nodes;
    const double *density = xp__integral_density(&self->integral, arm);
    double room = 0;
    for (size_t g = 0; g <= node; g++) {
        room += density[g];
    }
    for (int tries = 0; room > 0 && tries < 1000; tries++) {
        const size_t g = xp__rng_categorical(rng, density, node + 1);
        const double value = xp__nodes_value(nodes, rng, g, g > 0 ? density[g - 1] : 0, density[g],
                                             g + 1 < nodes->count ? density[g + 1] : 0);
        if (value <= top) {
            return value;
        }
    }
    return top * xp__rng_uniform(rng); /* no mass below: the table says nothing there */
}

static bool draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    grid *self = (grid *)sampler;
    size_t node;
    const size_t best = draw_best(self, rng, &node);
    theta[best] = xp__integral_value(&self->integral, rng, best, node);
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        if (arm != best) {
            theta[arm] = draw_below(self, rng, arm, node, theta[best]);
        }
    }
    return true;
}

const xp__sampler_type xp__sampler_tabulated = {
    .name = "tabulated",
    .summary = "computed: tabulates each arm's posterior (independent arms, smooth densities)",
    .kind = XP_SAMPLER_COMPUTED,
    .preference = 20,
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
