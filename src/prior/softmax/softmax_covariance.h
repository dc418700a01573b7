/* softmax_covariance.h: the product of two tall tables that the covariance of the points is made
 * of, which takes most of the time of a fit with many arms. */
#ifndef XP_PRIOR_SOFTMAX_SOFTMAX_COVARIANCE_H
#define XP_PRIOR_SOFTMAX_SOFTMAX_COVARIANCE_H

#include <stddef.h>

enum { XP__COVARIANCE_TILE = 256, XP__COVARIANCE_LANES = 8 };

/* Adds one tile: spread[a K + b] += Σ_i left[a][i] right[b][i] for b <= a, where both tables are K
 * × XP__COVARIANCE_TILE. Each sum is made of XP__COVARIANCE_LANES partial sums and then a tree,
 * whatever the processor, so that every width gives the same bits. */
typedef void xp__covariance_add(size_t arms, const double *left, const double *right,
                                double *spread);

/* The fastest that this processor runs. */
xp__covariance_add *xp__covariance_best(void);
/* The index-th, narrowest first; NULL past the last or where the processor cannot run it. */
xp__covariance_add *xp__covariance_at(size_t index);

/* The order in which the partial sums of eight lanes are added. */
static inline double xp__lane_total(const double *lane) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

#endif
