/* quasi.c: the R-sequence, in 64-bit fixed point.
 *
 * Additive recurrences lose digits when the product (i + 1) * g^-(j+1) grows; modulo one it is a
 * multiplication of integers modulo 2^64, which never does. */
#include "math/quasi.h"

#include <math.h>
#include <stdint.h>

/* The root above one of g^(d+1) = g + 1, by the contraction g <- (1 + g)^(1/(d+1)). */
static double generalised_golden_ratio(size_t dimension) {
    double g = 2;
    for (int step = 0; step < 64; step++) {
        g = pow(1 + g, 1 / ((double)dimension + 1));
    }
    return g;
}

void xp__quasi_points(double *out, size_t count, size_t dimension) {
    const double g = generalised_golden_ratio(dimension);
    for (size_t j = 0; j < dimension; j++) {
        /* g^-(j+1) < 1 has 53 bits; as a fraction of 2^64 it is an integer. */
        const uint64_t stride = (uint64_t)ldexp(pow(g, -((double)j + 1)), 64);
        uint64_t place = (uint64_t)1 << 63;
        for (size_t i = 0; i < count; i++) {
            place += stride;
            /* 52 bits, centred in their cells: never 0 or 1. */
            out[i * dimension + j] = ((double)(place >> 12) + 0.5) * 0x1p-52;
        }
    }
}
