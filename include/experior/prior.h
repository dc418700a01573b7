/* prior.h: priors over the hidden context, inferred from demonstrations.
 *
 * For a K-armed Bernoulli bandit the context is the vector of arm means theta in [0, 1]^K. A prior
 * never changes and may be shared by threads. It is saved as part of a model (model.h). */
#ifndef EXPERIOR_PRIOR_H
#define EXPERIOR_PRIOR_H

#include "experior/demos.h"

typedef struct xp_prior xp_prior;

/* How a fit ended. Fields that a method does not have are NAN (or 0). */
typedef struct xp_fit {
    size_t iterations;
    bool converged;
    double lambda;         /* the lambda* used or solved for; INFINITY for exact matching */
    double divergence;     /* KL(p̂ || P_E(.; mu)) of the fitted prior, nats; max_entropy, whose
                              constraint it is, takes the smoothed frequencies for p̂ */
    double duality_gap;    /* primal minus dual value, relative to 1 + |dual| */
    double log_likelihood; /* mean log marginal likelihood of a demonstration */
} xp_fit;

/* Fits a prior, named by a spec (base.h) such as "max_entropy:beta=10", to demonstrations of a
 * bandit: no states, one action each. `rng` is for stochastic estimators and may be NULL for the
 * others; `fit`, if not NULL, is told how the fit ended. */
XP_API xp_status xp_prior_fit(const char *spec, const xp_demos *demos, xp_rng *rng,
                              xp_prior **prior, xp_fit *fit, xp_error *error);
/* Independent Beta(a[i], b[i]) arms with positive numbers, given rather than fitted; 2 to 1024. */
XP_API xp_status xp_prior_create_beta(size_t arms, const double *a, const double *b,
                                      xp_prior **prior, xp_error *error);
/* The uniform prior on [0, 1]^arms. */
XP_API xp_status xp_prior_create_uniform(size_t arms, xp_prior **prior, xp_error *error);
/* No sampler may use it any more. */
XP_API void xp_prior_destroy(xp_prior *prior);

XP_API const char *xp_prior_method(const xp_prior *prior); /* registered name */
XP_API size_t xp_prior_arms(const xp_prior *prior);        /* number of arms */
/* Name of an action, or NULL when actions are plain numbers or there is none such. */
XP_API const char *xp_prior_action_name(const xp_prior *prior, size_t action);
/* How often the demonstrations chose each arm, one number per arm; zeros if it was not fitted. */
XP_API const uint64_t *xp_prior_action_counts(const xp_prior *prior);
/* How its fit ended. */
XP_API xp_fit xp_prior_fit_result(const xp_prior *prior);

/* log mu(theta) with respect to the uniform distribution, for theta in [0, 1]^K; -INFINITY outside.
 */
XP_API double xp_prior_log_density(const xp_prior *prior, const double *theta);
/* Gradient of log_density in theta. Zero almost everywhere where the density is piecewise constant.
 */
XP_API void xp_prior_gradient(const xp_prior *prior, const double *theta, double *gradient);
/* An upper bound of log_density; INFINITY if it has none. */
XP_API double xp_prior_log_density_bound(const xp_prior *prior);

#endif
