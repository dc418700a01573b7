/* aggregate.h: the statistics behind xp_aggregates, in plain form. */
#ifndef XP_STUDY_AGGREGATE_H
#define XP_STUDY_AGGREGATE_H

#include "experior/aggregate.h"

/* The mean of n values without the floor(n / 4) lowest and highest; sorts them. NAN for none. */
double xp__interquartile_mean(double *values, size_t n);
/* P(x > y) + P(x = y) / 2 over all pairs. */
double xp__probability_of_improvement(const double *x, size_t n, const double *y, size_t m);
/* The 95 % interval of a share of which `failures` of `trials` were seen (Clopper and Pearson
 * 1934).
 */
void xp__clopper_pearson(size_t failures, size_t trials, double *low, double *high);

#endif
