/* softmax_dual.h: the dual of the maximum-entropy problem of Proposition 1, for finite beta.
 *
 *     primal   minimise over mu   KL(mu || mu0) + lambda KL(p || E_mu[s])
 *     dual     maximise over w    −log E_mu0[exp(w · s)] + lambda Σ_a p_a log(w_a / (lambda p_a)) …
 *
 * written in v = w − lambda, which stays of moderate size as lambda grows and has a limit at
 * lambda = inf (exact matching, E_mu[s] = p). Softmax adds up to one, so mu depends on v alone:
 *
 *     D(v) = −log E_mu0[exp(v · s)] + lambda Σ_a p_a log(1 + v_a / lambda)
 *
 * Certificate. For mu = mu_v and t_a = (1 + v_a / lambda) E_mu[s_a] / p_a, primal minus dual is
 * lambda Σ_a p_a (t_a − 1 − log t_a), which is never negative and zero only at the optimum. The
 * expectations are over a finite set of weighted points (softmax_points.h) in place of mu0, so the
 * gap is exact for that discrete reference distribution; how far the set is from mu0 it cannot say.
 * Tests compare with dense grids for that. */
#ifndef XP_PRIOR_SOFTMAX_SOFTMAX_DUAL_H
#define XP_PRIOR_SOFTMAX_SOFTMAX_DUAL_H

#include "prior/softmax/softmax_points.h"

/* How a solve ended; the fields have the meaning of xp_fit's. */
typedef struct xp__dual_result {
    size_t iterations; /* Newton steps */
    bool converged;
    double lambda, divergence, gap;
} xp__dual_result;

/* Solves for given lambda in (0, inf] from v (K), which is overwritten. `p` is positive and adds up
 * to one. Leaves the points weighed at v. */
xp_status xp__softmax_dual_solve(xp__softmax_points *points, const double *p, double lambda,
                                 double *v, xp__dual_result *result, xp_error *error);
/* Finds the lambda at which KL(p || E_mu[s]) = epsilon > 0 as well, starting from v = 0.
 * XP_ERR_NUMERIC if there is none: beta is too small. lambda = 0 and v = 0 if the uniform
 * distribution does. */
xp_status xp__softmax_dual_solve_epsilon(xp__softmax_points *points, const double *p,
                                         double epsilon, double *v, xp__dual_result *result,
                                         xp_error *error);

#endif
