/* enumerated.h: the maximum-entropy expert prior (Proposition 1) over a finite list of contexts.
 *
 *     minimise over mu   KL(mu || mu0) − lambda Σ_j p_j log Σ_c mu_c m_j(c)
 *
 * with mu0 uniform on C contexts, m_j(c) the likelihood of the j-th distinct trajectory and p_j its
 * share. Two things are particular to a list.
 *
 * Smoothing. A context of which no demonstration tells has mu_c → 0 as lambda → inf, and would be
 * excluded for ever by a sample that is merely small. So every context counts as demonstrated
 * `smoothing` times more by an expert who names it (m = 1 there, 0 elsewhere). Where every
 * trajectory belongs to one context, lambda = inf gives mu_c = (n_c + s) / (N + C s): the smoothed
 * frequencies of the bandit. The solution is unique for every lambda.
 *
 * Scale. Multiplying m_j by a constant changes nothing, so each is given with its largest value 1
 * and trajectories with proportional likelihoods may be given as one.
 *
 * The optimum is exp(Σ_j alpha_j m_j(c)) / Z with alpha_j = lambda p_j / Σ_c mu_c m_j(c); it is
 * computed as mu itself, which stays of moderate size where alpha grows with lambda. */
#ifndef XP_PRIOR_STATES_ENUMERATED_H
#define XP_PRIOR_STATES_ENUMERATED_H

#include "experior/base.h"

typedef struct xp__enumerated {
    size_t contexts, trajectories;
    const double *likelihood; /* trajectories × contexts, each row's largest is 1 */
    const double *count;      /* trajectories: how many demonstrations are this one, > 0 */
    double smoothing;         /* > 0 */
    double lambda;            /* [0, inf] */
} xp__enumerated;

typedef struct xp__enumerated_result {
    size_t iterations;
    double gap; /* the objective is at most (1 + lambda) gap above its minimum */
} xp__enumerated_result;

/* Writes mu (contexts numbers, positive, adding up to one). XP_ERR_NUMERIC if the gap does not get
 * below 1e-8. */
xp_status xp__enumerated_fit(const xp__enumerated *problem, double *mu,
                             xp__enumerated_result *result, xp_error *error);

#endif
