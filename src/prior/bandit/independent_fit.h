/* independent_fit.h: maximum marginal likelihood for independent arms (Definition 1).
 *
 *     maximise   (1/N) Σ_a n_a log P(a)  −  (penalty / N) Σ_a KL(arm a || U(0, 1))
 *
 * over two coordinates an arm. 2K parameters stand against K − 1 frequencies, so the likelihood
 * alone has no unique maximum and long fits run away; the penalty makes the answer unique: of the
 * members of the family that explain the demonstrations, the one nearest to uniform. It is the
 * problem of Proposition 1 with lambda = N / penalty, over the family in place of all priors.
 *
 * The penalty counts in demonstrations. If it is not given it is 1, times the dispersion where the
 * fitted model leaves more divergence than sampling noise can. */
#ifndef XP_PRIOR_BANDIT_INDEPENDENT_FIT_H
#define XP_PRIOR_BANDIT_INDEPENDENT_FIT_H

#include "prior/bandit/independent.h"

/* The objective for given demonstrations, with everything that evaluating it needs. */
typedef struct xp__choice_objective {
    const xp__family *family;
    size_t arms;
    const uint64_t *counts; /* K */
    double demonstrations;  /* N */
    double penalty;
    xp__choice_grid grid;
    double *statistics;  /* 2 × J: T1 and T2 at the nodes */
    double *mass;        /* J × K */
    double *log_density; /* J × K */
    double *slope;       /* C × K */
    double *probability; /* K: P(a), of the last evaluation */
    double *metric;      /* K × 3: Fisher information of each arm in its two coordinates: the
                            entries 00, 01, 11; of the last evaluation with a gradient */
    double *coefficient; /* K */
    double *scratch;
} xp__choice_objective;

xp_status xp__choice_objective_init(xp__choice_objective *objective, const xp__family *family,
                                    size_t arms, const uint64_t *counts, double demonstrations,
                                    double beta, double penalty, xp_error *error);
void xp__choice_objective_deinit(xp__choice_objective *objective);
/* Value at 2K coordinates (arm by arm) and its gradient, which may be NULL. */
double xp__choice_objective_value(xp__choice_objective *objective, const double *coordinate,
                                  double *gradient);

/* A gradient of the mean log likelihood at 2K coordinates, in place of the exact one. */
typedef struct xp__estimator {
    void (*gradient)(void *context, const double *coordinate, double *gradient);
    void *context;
} xp__estimator;

/* Fits a prior whose counts and parameters are set, by the rule that they name; `estimator` (NULL:
 * exact gradients) replaces the likelihood's gradient in rule=steps. */
xp_status xp__independent_fit(xp_prior *prior, const xp__family *family,
                              const xp__estimator *estimator, xp_error *error);

#endif
