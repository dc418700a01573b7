/* prior_draw.c: one way for each structure: Beta variates; a uniform point whose largest coordinate
 * is moved to an arm drawn by weight; a fine table for independent arms; rejection for the rest. */
#include "sampler/prior_draw.h"

#include "base/rng_inline.h"
#include "math/variates_inline.h"
#include "math/argmax.h"
#include "math/running_sum.h"
#include "prior/bandit/prior_type.h"

#include <math.h>

static void draw_uniform(size_t arms, xp_rng *rng, double *theta) {
    for (size_t arm = 0; arm < arms; arm++) {
        theta[arm] = xp__rng_uniform(rng);
    }
}

/* From the reference; returns the component. */
static size_t draw_reference(const xp_prior *prior, xp_rng *rng, double *theta) {
    const xp__reference *reference = prior->reference;
    if (reference == NULL) {
        draw_uniform(prior->arms, rng, theta);
        return 0;
    }
    const size_t h = xp__rng_categorical(rng, reference->weight, reference->count);
    for (size_t arm = 0; arm < prior->arms; arm++) {
        theta[arm] = xp_rng_beta(rng, reference->a[h], reference->b[h]);
    }
    return h;
}

static void draw_best(const xp_prior *prior, xp_rng *rng, double *theta, double *noise) {
    /* The Gumbel trick draws an arm with probability ∝ exp(weight): each arm is the best one on the
     * same share of the reference measure. */
    size_t best = 0;
    double largest = -INFINITY;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        const double value = prior->best_arm_log_weight[arm] + xp_rng_gumbel(rng);
        if (value > largest) {
            largest = value;
            best = arm;
        }
    }
    if (xp__reward_binary(&prior->reward)) {
        (void)draw_reference(prior, rng, theta);
    } else {
        *noise = xp__reward_draw(&prior->reward, prior->arms, rng, theta).noise;
    }
    const size_t top = xp__argmax(theta, prior->arms);
    const double value = theta[top];
    theta[top] = theta[best];
    theta[best] = value;
}

enum { CELLS = 4096 };

/* A place among the cells, in units of cells, for running sums of their masses. */
static double draw_cell(const double sum[CELLS], xp_rng *rng) {
    const double target = sum[CELLS - 1] * xp__rng_uniform(rng);
    const size_t low = xp__running_sum_find(sum, CELLS, target);
    const double before = low > 0 ? sum[low - 1] : 0;
    return (double)low + (target - before) / (sum[low] - before);
}

/* By the distribution function on cells of x = sin²φ. */
static double draw_smooth_arm(const xp_prior *prior, size_t arm, xp_rng *rng) {
    double sum[CELLS], top = -INFINITY, total = 0;
    const double step = 1.5707963267948966 / CELLS;
    for (size_t i = 0; i < CELLS; i++) {
        const double sine = sin(((double)i + 0.5) * step);
        sum[i] = prior->type->arm_log_density(prior, arm, sine * sine);
        top = fmax(top, sum[i]);
    }
    for (size_t i = 0; i < CELLS; i++) {
        total += sin(2 * ((double)i + 0.5) * step) * exp(sum[i] - top);
        sum[i] = total;
    }
    const double sine = sin(draw_cell(sum, rng) * step);
    return sine * sine;
}

/* The same where the density is like x^(a-1) with a small a: on cells of u = log(x / (1 - x)), of
 * which the first also stands for all that is smaller, where a double has no room. */
static double draw_steep_arm(const xp_prior *prior, size_t arm, double a, xp_rng *rng) {
    double sum[CELLS], top = -INFINITY, total = 0;
    const double first = -700, step = (36 - first) / CELLS;
    for (size_t i = 0; i < CELLS; i++) {
        const double u = first + step * ((double)i + 0.5), x = 1 / (1 + exp(-u));
        sum[i] = prior->type->arm_log_density(prior, arm, x) + log(x) - log1p(exp(u));
        top = fmax(top, sum[i]);
    }
    for (size_t i = 0; i < CELLS; i++) {
        total += exp(sum[i] - top) * (i == 0 ? 1 + 1 / (a * step) : 1);
        sum[i] = total;
    }
    return 1 / (1 + exp(-(first + step * draw_cell(sum, rng))));
}

static double draw_arm(const xp_prior *prior, size_t arm, xp_rng *rng) {
    const double log_near = -700, log_far = -600; /* so near to 0 that only the power counts */
    const double a = 1 + (prior->type->arm_log_density(prior, arm, exp(log_far)) -
                          prior->type->arm_log_density(prior, arm, exp(log_near))) /
                             (log_far - log_near);
    return a < 0.5 ? draw_steep_arm(prior, arm, a, rng) : draw_smooth_arm(prior, arm, rng);
}

static bool draw_rejection(const xp_prior *prior, xp_rng *rng, double *theta) {
    for (size_t i = 0; i < 10000000; i++) {
        const size_t h = draw_reference(prior, rng, theta);
        const double gap = prior->reference != NULL
                               ? prior->log_tilt_bound - xp__prior_tilt(prior, h, theta)
                               : prior->log_density_bound - prior->type->log_density(prior, theta);
        if (gap < xp_rng_exponential(rng)) {
            return true;
        }
    }
    return false;
}

bool xp__prior_draw(const xp_prior *prior, xp_rng *rng, double *theta) {
    double noise;
    return xp__prior_draw_with(prior, rng, theta, &noise);
}

bool xp__prior_draw_with(const xp_prior *prior, xp_rng *rng, double *theta, double *noise) {
    *noise = NAN;
    if (prior->beta_a != NULL) {
        for (size_t arm = 0; arm < prior->arms; arm++) {
            theta[arm] = xp_rng_beta(rng, prior->beta_a[arm], prior->beta_b[arm]);
        }
        return true;
    }
    if (prior->best_arm_log_weight != NULL) {
        draw_best(prior, rng, theta, noise);
        return true;
    }
    if (prior->type->arm_log_density != NULL) {
        for (size_t arm = 0; arm < prior->arms; arm++) {
            theta[arm] = draw_arm(prior, arm, rng);
        }
        return true;
    }
    return prior->log_density_bound < INFINITY && draw_rejection(prior, rng, theta);
}
