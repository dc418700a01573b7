/* best_arm_dual.h: the maximum-entropy problem for optimal experts (beta = inf).
 *
 * s is the indicator of the best arm, every arm is best on 1/K of the cube, and the density is one
 * number an arm. With w_a = W(lambda Z p_a) (Lambert's W) and Z = Σ_a exp(w_a), the density is
 * K exp(w_a) / Z; as lambda -> inf it becomes K p_a. */
#ifndef XP_PRIOR_BANDIT_BEST_ARM_DUAL_H
#define XP_PRIOR_BANDIT_BEST_ARM_DUAL_H

#include <stddef.h>

/* Log density on each arm's region for lambda in [0, inf]; p positive, adding up to one. Returns
 * KL(p || P_E) where P_E(a) = density_a / K. */
double xp__best_arm_dual(const double *p, size_t arms, double lambda, double *log_weight);
/* The lambda at which that divergence is epsilon >= 0: inf for 0, and 0 if the uniform prior is
 * within epsilon. */
double xp__best_arm_lambda(const double *p, size_t arms, double epsilon, double *log_weight);
/* The duality gap of softmax_dual.h, relative to 1 + |dual value|. It needs only the density: the
 * dual variables that belong to it are its logarithm plus a constant. */
double xp__best_arm_gap(const double *p, size_t arms, double lambda, const double *log_weight);

#endif
