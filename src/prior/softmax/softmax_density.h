/* softmax_density.h: densities that see theta only through what an expert would choose.
 *
 *     log mu(theta) = w · s(theta) − log Z,      s(theta) = softmax(beta theta)
 *
 * This is the form of Proposition 1 for a bandit, in which demonstrations of the same arm share one
 * dual variable. At beta = inf, s is the indicator of the best arm and the density is one number an
 * arm. Softmax adds up to one, so a constant added to every w is absorbed by log Z. */
#ifndef XP_PRIOR_SOFTMAX_SOFTMAX_DENSITY_H
#define XP_PRIOR_SOFTMAX_SOFTMAX_DENSITY_H

#include "prior/bandit/prior_type.h"

/* A prior of this form; types that use it have this as their struct. */
typedef struct xp__softmax_prior {
    xp_prior prior;
    double *weight;          /* K: w, or at beta = inf w − log Z */
    xp__reference reference; /* if the prior has one */
} xp__softmax_prior;

/* The reference that the parameters name, if they name one and the type knows any; before the
 * functions below. */
xp_status xp__softmax_prior_refer(xp_prior *prior, xp_error *error);
/* Takes over nothing: copies w (K) and fills the structure fields. The density is finite. */
xp_status xp__softmax_prior_set(xp_prior *prior, double beta, const double *w,
                                double log_normaliser, xp_error *error);
/* The same at beta = inf from log densities on the region where each arm is best. */
xp_status xp__best_arm_prior_set(xp_prior *prior, const double *log_weight, xp_error *error);

/* The functions of an xp__prior_type with a parameter "beta". */
void xp__softmax_prior_deinit(xp_prior *prior);
xp_status xp__softmax_prior_to_json(const xp_prior *prior, json_t *object, xp_error *error);
xp_status xp__softmax_prior_from_json(xp_prior *prior, const json_t *object, xp_error *error);
double xp__softmax_prior_log_density(const xp_prior *prior, const double *theta);
void xp__softmax_prior_gradient(const xp_prior *prior, const double *theta, double *gradient);

/* max over theta in [0, 1]^K of w · softmax(beta theta). Writes the maximiser's softmax to `s` and
 * uses `order` (K) as scratch; either may not be NULL. */
double xp__softmax_support(const double *w, size_t arms, double beta, double *s, size_t *order);

#endif
