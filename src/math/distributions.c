/* distributions.c: random variates other than uniform, as functions.
 *
 * Shapes below one are boosted, Gamma(a) = Gamma(a + 1) U^(1/a); a beta variate takes the boost in
 * logarithms, for when both of its gammas are too small for a double. */
#include "math/variates_inline.h"

double xp_rng_normal(xp_rng *rng) {
    return rng != NULL ? xp__rng_normal(rng) : NAN;
}

double xp_rng_exponential(xp_rng *rng) {
    return rng != NULL ? xp__rng_exponential(rng) : NAN;
}

double xp_rng_gumbel(xp_rng *rng) {
    return rng != NULL ? -log(xp__rng_exponential(rng)) : NAN;
}

bool xp_rng_bernoulli(xp_rng *rng, double probability) {
    return rng != NULL && xp__rng_uniform(rng) < probability;
}

/* Lemire, "Fast random integer generation in an interval" (2019): multiply and reject; unbiased. */
uint64_t xp_rng_below(xp_rng *rng, uint64_t bound) {
    if (rng == NULL || bound == 0) {
        return 0;
    }
    unsigned __int128 product = (unsigned __int128)xp__rng_bits(rng) * bound;
    if ((uint64_t)product < bound) {
        const uint64_t threshold = -bound % bound;
        while ((uint64_t)product < threshold) {
            product = (unsigned __int128)xp__rng_bits(rng) * bound;
        }
    }
    return (uint64_t)(product >> 64);
}

bool xp__gamma_accepts(xp_rng *rng, double leading, double t, double d) {
    const double u = (leading + xp__rng_uniform(rng)) * 0x1p-7, square = t * t;
    if (u * fmin(1, 1 + t) >= 0.75 * d * square * square) {
        return true;
    }
    return log1p(-u) < 3 * d * (log1p(t) - t * (1 - t * (0.5 - t / 3)));
}

/* A shape that a variate can have; NaN is none. */
static bool is_shape(double shape) {
    return shape > 0 && shape < INFINITY;
}

double xp_rng_gamma(xp_rng *rng, double shape) {
    if (rng == NULL || !is_shape(shape)) {
        return NAN;
    }
    if (shape >= 1) {
        return xp__rng_gamma_large(rng, shape);
    }
    const double boosted = xp__rng_gamma_large(rng, shape + 1);
    return boosted * exp(-xp__rng_exponential(rng) / shape);
}

/* log Gamma(shape) variate. */
static double log_gamma_variate(xp_rng *rng, double shape) {
    if (shape >= 1) {
        return log(xp__rng_gamma_large(rng, shape));
    }
    const double boosted = log(xp__rng_gamma_large(rng, shape + 1));
    return boosted - xp__rng_exponential(rng) / shape;
}

double xp_rng_beta(xp_rng *rng, double a, double b) {
    if (rng == NULL || !is_shape(a) || !is_shape(b)) {
        return NAN;
    }
    if (a >= 1 && b >= 1) {
        return xp__rng_beta_ge1(rng, a, b);
    }
    const double x = log_gamma_variate(rng, a), y = log_gamma_variate(rng, b);
    if (isinf(x) && isinf(y)) { /* shapes near the smallest double: the law is two atoms */
        return xp__rng_uniform(rng) < a / (a + b) ? 1 : 0;
    }
    return 1 / (1 + exp(y - x));
}

size_t xp_rng_categorical(xp_rng *rng, const double *weight, size_t n) {
    double total = 0;
    bool good = rng != NULL && weight != NULL;
    for (size_t i = 0; good && i < n; i++) {
        good = weight[i] >= 0;
        total += weight[i];
    }
    return good && total > 0 && total < INFINITY ? xp__rng_categorical(rng, weight, n) : n;
}

size_t xp__rng_categorical(xp_rng *rng, const double *weight, size_t n) {
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        total += weight[i];
    }
    double left = total * xp__rng_uniform(rng);
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (weight[i] > 0) {
            last = i;
            left -= weight[i];
            if (left < 0) {
                break;
            }
        }
    }
    return last;
}
