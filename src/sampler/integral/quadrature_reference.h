/* quadrature_reference.h: the action law of sampler `quadrature` straight from its formula, with
 * nothing kept between calls. The fast path is tested against it and falls back on it when the
 * rewards contradict the prior so much that the recursion's rounding would show. */
#ifndef XP_SAMPLER_INTEGRAL_QUADRATURE_REFERENCE_H
#define XP_SAMPLER_INTEGRAL_QUADRATURE_REFERENCE_H

#include "experior/rng.h"
#include "sampler/integral/nodes.h"

/* Probability that each arm is the best one under the prior ∝ exp(log_weight[argmax θ]); `scratch`
 * has nodes->count doubles. Returns log Σ_a ∫ e^{w_a} f_a Π F_b, how well the prior's weights agree
 * with the rewards. */
double xp__quadrature_reference_law(const xp__nodes *nodes, size_t arms, const double *log_weight,
                                    const double *successes, const double *failures,
                                    double *scratch, double *probability);
/* The node of the best arm's value given which arm it is, in logarithms: for when the law itself
 * had to be taken from here. */
size_t xp__quadrature_reference_node(const xp__nodes *nodes, size_t arms, size_t best,
                                     const double *successes, const double *failures,
                                     double *scratch, xp_rng *rng);

#endif
