/* score_estimator.h: the paper's Monte-Carlo gradient of the marginal likelihood (after Definition
 * 1), kept beside the exact one for comparison. */
#ifndef XP_PRIOR_BANDIT_SCORE_ESTIMATOR_H
#define XP_PRIOR_BANDIT_SCORE_ESTIMATOR_H

#include "experior/rng.h"

typedef struct xp__score_estimator {
    size_t arms, samples;
    const uint64_t *counts; /* K */
    double demonstrations;  /* N */
    double beta;
    xp_rng *rng;
    double *theta, *s;          /* samples × K each */
    double *probability, *mean; /* K, 2K */
} xp__score_estimator;

xp_status xp__score_estimator_init(xp__score_estimator *estimator, size_t arms, size_t samples,
                                   xp_error *error);
void xp__score_estimator_deinit(xp__score_estimator *estimator);
/* Gradient of (1/N) Σ_a n_a log P(a) in (log A_a, log B_a), arm by arm, from fresh draws. `context`
 * is an xp__score_estimator. */
void xp__score_gradient(void *context, const double *coordinate, double *gradient);

#endif
