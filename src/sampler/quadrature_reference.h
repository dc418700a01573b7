/* quadrature_reference.h: the action law of sampler `quadrature` straight from its formula, with
 * nothing kept between calls. The fast path is tested against it and falls back on it when the
 * rewards contradict the prior so much that the recursion's rounding would show. */
#ifndef XP_SAMPLER_QUADRATURE_REFERENCE_H
#define XP_SAMPLER_QUADRATURE_REFERENCE_H

#include "sampler/nodes.h"

/* Probability that each arm is the best one under the prior ∝ exp(log_weight[argmax θ]); `scratch`
 * has nodes->count doubles. */
void xp__quadrature_reference_law(const xp__nodes *nodes, size_t arms, const double *log_weight,
                                  const double *successes, const double *failures, double *scratch,
                                  double *probability);

#endif
