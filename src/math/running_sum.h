/* running_sum.h: drawing from running sums of weights. */
#ifndef XP_MATH_RUNNING_SUM_H
#define XP_MATH_RUNNING_SUM_H

#include <stddef.h>

/* The first of n ≥ 1 increasing sums that exceeds the target; the last if none does. */
static inline size_t xp__running_sum_find(const double *sum, size_t n, double target) {
    size_t low = 0, high = n - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sum[middle] > target) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

#endif
