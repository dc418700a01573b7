/* tensor.h: a posterior over two or three arms by brute force, with no structure used: the check
 * of every sampler, and the exact answer that their bias is measured against. */
#ifndef XP_SAMPLER_TENSOR_H
#define XP_SAMPLER_TENSOR_H

#include "experior/prior.h"

enum { XP__TENSOR_ARMS = 3 };

typedef struct xp__tensor {
    double mean[XP__TENSOR_ARMS], sd[XP__TENSOR_ARMS];
    double law[XP__TENSOR_ARMS]; /* probability that the arm is the best one */
} xp__tensor;

/* Moments and action law of the posterior after `successes` and `failures` of each of the prior's
 * arms (at most three), on `nodes` points an arm. The error is about 1/nodes²; counts up to a tenth
 * of nodes² are resolved. */
xp_status xp__tensor_posterior(const xp_prior *prior, const double *successes,
                               const double *failures, size_t nodes, xp__tensor *result,
                               xp_error *error);

#endif
