/* ziggurat.c: the tables of the ziggurats and their rare paths: wedges and tails (Marsaglia and
 * Tsang, "The ziggurat method for generating random variables", 2000). The common path is inline
 * in variates_inline.h; layer, sign and mantissa there are disjoint bits of one word, which cures
 * the correlation of the original (Doornik, 2005). */
#include "math/variates_inline.h"

#include "math/ziggurat_table.h"

#include <math.h>

/* The part of the normal law beyond r (Marsaglia 1964): r + E/r, kept when E^2/r^2 < 2 E'. */
static double normal_tail(xp_rng *rng) {
    const double r = xp__ziggurat_normal_x[1];
    for (;;) {
        const double x = xp__rng_exponential(rng) / r;
        if (x * x < 2 * xp__rng_exponential(rng)) {
            return r + x;
        }
    }
}

double xp__normal_edge(xp_rng *rng, unsigned layer, double x) {
    for (;;) {
        if (layer == 0) {
            return copysign(normal_tail(rng), x);
        }
        const double low = xp__ziggurat_normal_height[layer];
        const double high = xp__ziggurat_normal_height[layer + 1];
        if (low + (high - low) * xp__rng_uniform(rng) < exp(-0.5 * x * x)) {
            return x;
        }
        const uint64_t bits = xp__rng_bits(rng);
        layer = bits & 255;
        x = xp__normal_candidate(bits, 2);
        if (fabs(x) < xp__ziggurat_normal_x[layer + 1]) {
            return x;
        }
    }
}

double xp__exponential_edge(xp_rng *rng, unsigned layer, double x) {
    double start = 0; /* beyond r the law is r plus a fresh exponential */
    for (;;) {
        if (layer == 0) {
            start += xp__ziggurat_exponential_x[1];
        } else {
            const double low = xp__ziggurat_exponential_height[layer];
            const double high = xp__ziggurat_exponential_height[layer + 1];
            if (low + (high - low) * xp__rng_uniform(rng) < exp(-x)) {
                return start + x;
            }
        }
        const uint64_t bits = xp__rng_bits(rng);
        layer = bits & 255;
        x = xp__exponential_candidate(bits);
        if (x < xp__ziggurat_exponential_x[layer + 1]) {
            return start + x;
        }
    }
}
