/* trajectory_dual.h: the dual of the maximum-entropy expert prior (Proposition 1) over a sample of
 * reference networks.
 *
 *     maximise over w > 0   −log (1/C) Σ_c exp(Σ_j w_j m_j(c)) + lambda Σ_j p_j log w_j
 *
 * with m_j(c) the likelihood of the j-th distinct trajectory under network c and p_j its share of
 * the demonstrations. Demonstrations that are equal share one weight, so that there are as many as
 * distinct trajectories. Multiplying m_j by a constant divides w_j by it and changes nothing else:
 * each m_j is given with its largest value 1, since a product of thirty choices is tiny.
 *
 * At the optimum w_j = lambda p_j / E_mu[m_j], where mu(c) ∝ exp(Σ_j w_j m_j(c)). */
#ifndef XP_PRIOR_STATES_TRAJECTORY_DUAL_H
#define XP_PRIOR_STATES_TRAJECTORY_DUAL_H

#include "base/watch.h"

typedef struct xp__trajectory_dual {
    size_t references;    /* C */
    size_t trajectories;  /* J */
    const double *scaled; /* [C][J]: m_j(c), the largest of each j is 1 */
    const double *share;  /* [J]: p_j > 0, adding up to one */
    double lambda;        /* > 0 */
    xp__watch *watch;     /* NULL: nobody watches; once it has stopped, the answer is of no use */
} xp__trajectory_dual;

typedef struct xp__trajectory_dual_result {
    size_t iterations;
    double gap;       /* primal minus dual value, relative to 1 + |dual| */
    double effective; /* 1 / Σ_c mu_c²: how many of the C networks the prior rests on */
} xp__trajectory_dual_result;

/* Writes w and expected[j] = E_mu[m_j], J numbers each. XP_ERR_NUMERIC if the gap does not get
 * below 1e-6. */
xp_status xp__trajectory_dual_solve(const xp__trajectory_dual *dual, double *w, double *expected,
                                    xp__trajectory_dual_result *result, xp_error *error);

#endif
