/* best_arm_dual.c: see the header.
 *
 * exp(w_a) = lambda Z p_a / w_a, so Z = Σ exp(w_a) is the equation lambda Σ_a p_a / w_a = 1, whose
 * left side falls as log Z rises: one root, found by Newton inside a bracket. Then the log density
 * is log(lambda K p_a / w_a), accurate however large w is. */
#include "prior/bandit/best_arm_dual.h"

#include "math/softmax.h"
#include "math/special.h"
#include "prior/bandit/prior_type.h"

#include <math.h>

/* lambda Σ p_a / w_a − 1 at log Z, and its derivative: dw/dlog Z = w / (1 + w). */
static double excess(const double *p, size_t arms, double lambda, double log_z, double *slope) {
    double total = 0, change = 0;
    for (size_t a = 0; a < arms; a++) {
        const double w = xp__lambert_w_exp(log(lambda * p[a]) + log_z);
        const double share = lambda * p[a] / w;
        total += share;
        change -= share / (1 + w);
    }
    *slope = change;
    return total - 1;
}

static double solve_log_z(const double *p, size_t arms, double lambda) {
    double largest = 0, least = 1;
    for (size_t a = 0; a < arms; a++) {
        largest = fmax(largest, p[a]);
        least = fmin(least, p[a]);
    }
    /* lambda is the p-weighted harmonic mean of the w_a, hence between the w of the least and of
     * the largest p, and w = lambda where Z p = exp(lambda). */
    double low = lambda - log(largest), high = lambda - log(least);
    double log_z = 0.5 * (low + high);
    for (int step = 0; step < 200; step++) {
        double slope;
        const double value = excess(p, arms, lambda, log_z, &slope);
        *(value > 0 ? &low : &high) = log_z;
        double next = log_z - value / slope;
        if (!(next >= low && next <= high)) {
            next = 0.5 * (low + high);
        }
        if (fabs(next - log_z) <= 4e-16 * (1 + fabs(log_z))) {
            return next;
        }
        log_z = next;
    }
    return log_z;
}

double xp__best_arm_dual(const double *p, size_t arms, double lambda, double *log_weight) {
    if (lambda == 0) {
        for (size_t a = 0; a < arms; a++) {
            log_weight[a] = 0;
        }
    } else if (isinf(lambda)) {
        for (size_t a = 0; a < arms; a++) {
            log_weight[a] = log((double)arms * p[a]);
        }
    } else {
        const double log_z = solve_log_z(p, arms, lambda);
        for (size_t a = 0; a < arms; a++) {
            const double w = xp__lambert_w_exp(log(lambda * p[a]) + log_z);
            log_weight[a] = log((double)arms * p[a] * (lambda / w));
        }
    }
    double divergence = 0;
    for (size_t a = 0; a < arms; a++) {
        divergence += p[a] * (log((double)arms * p[a]) - log_weight[a]);
    }
    return fmax(divergence, 0);
}

double xp__best_arm_lambda(const double *p, size_t arms, double epsilon, double *log_weight) {
    if (xp__best_arm_dual(p, arms, 0, log_weight) <= epsilon) {
        return 0;
    }
    double low = -30, high = 60; /* log lambda; the divergence falls as it rises */
    for (int halving = 0; halving < 80 && epsilon > 0; halving++) {
        const double middle = 0.5 * (low + high);
        const double divergence = xp__best_arm_dual(p, arms, exp(middle), log_weight);
        *(divergence > epsilon ? &low : &high) = middle;
    }
    const double lambda = epsilon > 0 && high < 60 ? exp(high) : INFINITY;
    (void)xp__best_arm_dual(p, arms, lambda, log_weight);
    return lambda;
}

double xp__best_arm_gap(const double *p, size_t arms, double lambda, const double *log_weight) {
    if (lambda == 0) {
        return 0; /* the uniform prior; nothing is asked for */
    }
    const double total = xp__log_sum_exp(log_weight, arms);
    double shift = 0; /* v = log weight + shift, with Σ_a (1 + v_a / lambda) E[s_a] = 1 */
    for (size_t a = 0; a < arms; a++) {
        shift -= exp(log_weight[a] - total) * log_weight[a];
    }
    double gap = 0, value = log((double)arms) - total - shift;
    for (size_t a = 0; a < arms; a++) {
        const double mean = exp(log_weight[a] - total), v = log_weight[a] + shift;
        if (isinf(lambda)) {
            value += p[a] * v;
            gap += v * (mean - p[a]);
        } else {
            const double t = (mean - p[a] + v / lambda * mean) / p[a];
            value += p[a] * lambda * log1p(v / lambda);
            gap += p[a] * lambda * (t - log1p(t));
        }
    }
    return fabs(gap) / (1 + fabs(value));
}
