/* quasi.h: quasi-random points on the unit cube.
 *
 * The R-sequence (Roberts 2018: additive recurrence with the generalised golden ratio of the
 * dimension), centred: point i of dimension d is frac(1/2 + (i + 1) * g^-(j+1)), g the root of
 * g^(d+1) = g + 1. Any dimension, deterministic, no tables. */
#ifndef XP_MATH_QUASI_H
#define XP_MATH_QUASI_H

#include <stddef.h>

/* Writes `count` points of `dimension` numbers in (0, 1), row by row. */
void xp__quasi_points(double *out, size_t count, size_t dimension);

#endif
