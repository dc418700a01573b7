/* distributions.c: random variates other than uniform. */
#include "base/rng_inline.h"

#include <math.h>

double xp_rng_exponential(xp_rng *rng) {
    return -log(xp__rng_uniform(rng));
}

double xp_rng_gumbel(xp_rng *rng) {
    return -log(xp_rng_exponential(rng));
}

bool xp_rng_bernoulli(xp_rng *rng, double probability) {
    return xp__rng_uniform(rng) < probability;
}

/* Lemire's multiply-and-reject: unbiased. */
uint64_t xp_rng_below(xp_rng *rng, uint64_t bound) {
    unsigned __int128 product = (unsigned __int128)xp__rng_bits(rng) * bound;
    if ((uint64_t)product < bound) {
        const uint64_t threshold = -bound % bound;
        while ((uint64_t)product < threshold) {
            product = (unsigned __int128)xp__rng_bits(rng) * bound;
        }
    }
    return (uint64_t)(product >> 64);
}

double xp_rng_normal(xp_rng *rng) {
    const double radius = sqrt(-2 * log(xp__rng_uniform(rng)));
    return radius * cos(6.283185307179586 * xp__rng_uniform(rng));
}

/* Marsaglia and Tsang (2000); below 1 by the boost Gamma(a) = Gamma(a + 1) U^(1/a). */
double xp_rng_gamma(xp_rng *rng, double shape) {
    const double boosted = shape < 1 ? shape + 1 : shape;
    const double d = boosted - 1.0 / 3, c = 1 / sqrt(9 * d);
    double v;
    for (;;) {
        const double x = xp_rng_normal(rng);
        v = 1 + c * x;
        if (v <= 0) {
            continue;
        }
        v = v * v * v;
        const double u = xp__rng_uniform(rng);
        if (log(u) < 0.5 * x * x + d - d * v + d * log(v)) {
            break;
        }
    }
    return shape < 1 ? d * v * pow(xp__rng_uniform(rng), 1 / shape) : d * v;
}

double xp_rng_beta(xp_rng *rng, double a, double b) {
    const double x = xp_rng_gamma(rng, a), y = xp_rng_gamma(rng, b);
    return x / (x + y);
}

size_t xp_rng_categorical(xp_rng *rng, const double *weight, size_t n) {
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
                return i;
            }
        }
    }
    return last;
}
