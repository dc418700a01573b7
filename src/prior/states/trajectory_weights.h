/* trajectory_weights.h: the weights alpha_τ of the maximum-entropy expert prior over Q-functions
 * (Proposition 1): the dual (trajectory_dual.h) over networks drawn from the initialiser, which
 * stand for the reference distribution mu0. */
#ifndef XP_PRIOR_STATES_TRAJECTORY_WEIGHTS_H
#define XP_PRIOR_STATES_TRAJECTORY_WEIGHTS_H

#include "base/watch.h"
#include "prior/states/states_prior.h"
#include "encode/encoded_demos.h"

typedef struct xp__trajectory_weights_options {
    size_t references; /* networks drawn */
    size_t hidden;     /* their units in each of the two hidden layers */
    double beta;       /* competence of the experts */
    double lambda;
    double epsilon;   /* finite: lambda is solved for so that the divergence is this */
    xp__watch *watch; /* NULL: nobody watches; once it has stopped, the answer is of no use */
    double part;      /* for the watch: the share of all the work that this is */
} xp__trajectory_weights_options;

/* Writes alpha[trajectories], and into `fit` lambda, divergence, duality gap and effective number.
 * XP_ERR_NUMERIC, naming the least divergence, if there is none as small as epsilon. */
xp_status xp__trajectory_weights_solve(const xp__trajectory_weights_options *options,
                                       const xp__encoded_demos *demos, const xp_rng *rng,
                                       double *alpha, xp__states_fit *fit, xp_error *error);

#endif
