/* variates_inline.h: random variates for loops in which a call would show.
 *
 * Normal and exponential by ziggurats of 256 layers (ziggurat.c), gamma by Marsaglia and Tsang, "A
 * simple method for generating gamma variables" (2000), beta from two gammas. All are exact
 * rejection methods: no approximation but the resolution of a double. */
#ifndef XP_MATH_VARIATES_INLINE_H
#define XP_MATH_VARIATES_INLINE_H

#include "base/rng_inline.h"

#include <math.h>

extern const double xp__ziggurat_normal_x[257], xp__ziggurat_normal_height[257];
extern const double xp__ziggurat_exponential_x[257], xp__ziggurat_exponential_height[257];

/* What follows when a candidate x of `layer` is not inside the layer's core. */
double xp__normal_edge(xp_rng *rng, unsigned layer, double x);
double xp__exponential_edge(xp_rng *rng, unsigned layer, double x);
/* The exact rejection step of a gamma variate, for which the leading seven bits did not suffice. */
bool xp__gamma_accepts(xp_rng *rng, double leading, double t, double d);

/* As xp_rng_categorical, of weights that are known to be good. */
size_t xp__rng_categorical(xp_rng *rng, const double *weight, size_t n);
/* A Poisson variate of a mean from 0 to 1e15. */
double xp__rng_poisson(xp_rng *rng, double mean);

/* Bits 0-7 name the layer, the upper 56 - unused bits are a signed fraction of its width, and the
 * `unused` ones between are left to the caller. */
static inline double xp__normal_candidate(uint64_t bits, unsigned unused) {
    const int64_t fraction = (int64_t)bits >> (8 + unused);
    const double scale = 1.0 / (double)((uint64_t)1 << (55 - unused));
    return ((double)fraction + 0.5) * scale * xp__ziggurat_normal_x[bits & 255];
}

/* Bits 0-7 name the layer, 12-63 are a fraction of its width, never zero. */
static inline double xp__exponential_candidate(uint64_t bits) {
    return ((double)(bits >> 12) + 0.5) * 0x1p-52 * xp__ziggurat_exponential_x[bits & 255];
}

/* A standard normal that starts from `bits` without the `unused` ones. */
static inline double xp__normal_from(xp_rng *rng, uint64_t bits, unsigned unused) {
    const unsigned layer = bits & 255;
    const double x = xp__normal_candidate(bits, unused);
    if (__builtin_expect(fabs(x) < xp__ziggurat_normal_x[layer + 1], 1)) {
        return x;
    }
    return xp__normal_edge(rng, layer, x);
}

/* Sign and 53 bits of fraction. */
static inline double xp__rng_normal(xp_rng *rng) {
    return xp__normal_from(rng, xp__rng_bits(rng), 2);
}

/* Rate 1; never zero. */
static inline double xp__rng_exponential(xp_rng *rng) {
    const uint64_t bits = xp__rng_bits(rng);
    const unsigned layer = bits & 255;
    const double x = xp__exponential_candidate(bits);
    if (__builtin_expect(x < xp__ziggurat_exponential_x[layer + 1], 1)) {
        return x;
    }
    return xp__exponential_edge(rng, layer, x);
}

/* Gamma(shape) with shape >= 1: d (1 + t)^3 with t = x / sqrt(9 d), x normal, d = shape - 1/3, kept
 * with probability exp(-3 d R), R = t - t^2/2 + t^3/3 - log(1 + t). Its series t^4/4 - t^5/5 + ...
 * gives 0 <= R <= t^4 / (4 min(1, 1 + t)), hence a squeeze that gets tighter as d grows: a uniform
 * u rejects only if u < x^4 / (108 d min(1, 1 + t)). The seven bits of the word that the normal
 * leaves are u's leading ones; the others are drawn in the one case of a hundred that needs them.
 */
static inline double xp__rng_gamma_large(xp_rng *rng, double shape) {
    if (shape == 1) {
        return xp__rng_exponential(rng);
    }
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const uint64_t bits = xp__rng_bits(rng);
        const double x = xp__normal_from(rng, bits, 7), t = c * x, root = 1 + t;
        const double fourth = x * x * (x * x), scale = 54 * d * (2 + (t - fabs(t)));
        const double leading = (double)(bits >> 8 & 127);
        if (__builtin_expect(leading * 0x1p-7 * scale >= fourth, 1)) {
            return d * (root * root * root);
        }
        if (root > 0 && xp__gamma_accepts(rng, leading, t, d)) {
            return d * (root * root * root);
        }
    }
}

/* Beta(a, b) with a, b >= 1: the posterior of a mean under a uniform prior. */
static inline double xp__rng_beta_ge1(xp_rng *rng, double a, double b) {
    if (a == 1 && b == 1) {
        return xp__rng_uniform(rng);
    }
    const double x = xp__rng_gamma_large(rng, a), y = xp__rng_gamma_large(rng, b);
    return x / (x + y);
}

#endif
