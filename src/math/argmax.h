/* argmax.h: the place of the largest of n ≥ 1 numbers, the first of equals. */
#ifndef XP_MATH_ARGMAX_H
#define XP_MATH_ARGMAX_H

#include <stddef.h>

static inline size_t xp__argmax(const double *value, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
        best = value[i] > value[best] ? i : best;
    }
    return best;
}

/* The same for numbers of networks. */
static inline size_t xp__argmax_float(const float *value, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
        best = value[i] > value[best] ? i : best;
    }
    return best;
}

#endif
