/* prior_draw.c: one way for each structure: Beta variates; a uniform point whose largest coordinate
 * is moved to an arm drawn by weight; a fine table for independent arms; rejection for the rest. */
#include "sampler/prior_draw.h"

#include "base/rng_inline.h"
#include "math/argmax.h"
#include "prior/bandit/prior_type.h"

#include <math.h>

static void draw_uniform(size_t arms, xp_rng *rng, double *theta) {
    for (size_t arm = 0; arm < arms; arm++) {
        theta[arm] = xp__rng_uniform(rng);
    }
}

static void draw_best(const xp_prior *prior, xp_rng *rng, double *theta) {
    /* The Gumbel trick draws an arm with probability ∝ exp(weight): each arm is the best one on the
     * same volume. */
    size_t best = 0;
    double largest = -INFINITY;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        const double value = prior->best_arm_log_weight[arm] + xp_rng_gumbel(rng);
        if (value > largest) {
            largest = value;
            best = arm;
        }
    }
    draw_uniform(prior->arms, rng, theta);
    const size_t top = xp__argmax(theta, prior->arms);
    const double value = theta[top];
    theta[top] = theta[best];
    theta[best] = value;
}

/* By the distribution function on 4,096 cells of x = sin²φ. */
static double draw_arm(const xp_prior *prior, size_t arm, xp_rng *rng) {
    enum { CELLS = 4096 };
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
    const double target = total * xp__rng_uniform(rng);
    size_t low = 0, high = CELLS - 1; /* the first cell whose sum exceeds the target */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sum[middle] > target) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    const double before = low > 0 ? sum[low - 1] : 0;
    const double part = (target - before) / (sum[low] - before);
    const double sine = sin(((double)low + part) * step);
    return sine * sine;
}

static bool draw_rejection(const xp_prior *prior, xp_rng *rng, double *theta) {
    for (size_t i = 0; i < 10000000; i++) {
        draw_uniform(prior->arms, rng, theta);
        const double gap = prior->log_density_bound - prior->type->log_density(prior, theta);
        if (gap < xp_rng_exponential(rng)) {
            return true;
        }
    }
    return false;
}

bool xp__prior_draw(const xp_prior *prior, xp_rng *rng, double *theta) {
    if (prior->beta_a != NULL) {
        for (size_t arm = 0; arm < prior->arms; arm++) {
            theta[arm] = xp_rng_beta(rng, prior->beta_a[arm], prior->beta_b[arm]);
        }
        return true;
    }
    if (prior->best_arm_log_weight != NULL) {
        draw_best(prior, rng, theta);
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
