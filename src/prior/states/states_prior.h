/* states_prior.h: priors over Q-functions, inferred from demonstrations.
 *
 * Where there are states, a context is known by its optimal action values Q. A prior over Q is a
 * list of networks (net.h) with their probabilities. It is immutable once fitted and may be
 * shared by threads. */
#ifndef XP_PRIOR_STATES_STATES_PRIOR_H
#define XP_PRIOR_STATES_STATES_PRIOR_H

#include "base/params.h"
#include "encode/state_units.h"
#include "experior/demos.h"
#include "net/net.h"

typedef struct xp__states_prior xp__states_prior;

/* How a fit ended. What a method does not have is NAN. */
typedef struct xp__states_fit {
    size_t steps;             /* of the optimiser or of the chain */
    double log_likelihood;    /* of a demonstrated step, log softmax(beta Q(s, .))(a): mean over
                                 steps and networks */
    double lambda;            /* the lambda* used or solved for */
    double divergence;        /* KL(p̂ || P_E(.; mu)) over distinct trajectories, nats; what the
                                 environment did has the frequencies of the demonstrations */
    double duality_gap;       /* primal minus dual value, relative to 1 + |dual| */
    double effective;         /* effective number, 1 / Σ probability², of … */
    const char *effective_of; /* … "reference networks", "modes", "policies"; NULL if it is NAN */
    double clipped;           /* share of gradient components that were cut */
} xp__states_fit;

xp_status xp__states_prior_params_default(const char *method, xp__params *params, xp_error *error);

/* Fits the named prior to demonstrations in an environment like `env`, which is not needed later.
 * `params` may be NULL for the defaults. Demonstrations may differ in length. XP_ERR_NUMERIC if the
 * fit diverges: networks of a prior are finite. Destroy with xp__states_prior_destroy. */
xp_status xp__states_prior_fit(const char *method, const xp__params *params, const xp_env_info *env,
                               const xp_demos *demos, xp_rng *rng, xp__states_prior **prior,
                               xp_error *error);
/* The same for a caller who watches: told an estimate of the work done, a nonzero return ends the
 * fit with XP_ERR_INTERRUPTED. The result does not depend on who watches. */
typedef struct xp__states_prior_fit_options {
    const xp__params *params; /* NULL: the defaults */
    xp_rng *rng;
    xp_progress progress; /* NULL: nobody watches */
    void *progress_context;
} xp__states_prior_fit_options;
xp_status xp__states_prior_fit_with(const char *method, const xp__states_prior_fit_options *options,
                                    const xp_env_info *env, const xp_demos *demos,
                                    xp__states_prior **prior, xp_error *error);
void xp__states_prior_destroy(xp__states_prior *prior); /* NULL is fine */

const char *xp__states_prior_method(const xp__states_prior *prior);
xp__states_fit xp__states_prior_fit_result(const xp__states_prior *prior);
/* The units in which its networks see states; NULL: the environment's, as without a prior. */
const xp__state_units *xp__states_prior_units(const xp__states_prior *prior);
/* Its networks; they belong to the prior. */
const xp__net *xp__states_prior_networks(const xp__states_prior *prior);
/* Their probabilities, one a network; NULL: each is as likely as any other. */
const double *xp__states_prior_weights(const xp__states_prior *prior);
/* Draws from it for learners to start from, each as likely as any other. They are the networks
 * unless these have weights: then a likely network is not drawn twice, but what it stands for is,
 * and draws lie in the order of the networks. */
const xp__net *xp__states_prior_draws(const xp__states_prior *prior);

#endif
