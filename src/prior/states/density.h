/* density.h: the log-density of the maximum-entropy expert prior over the parameters theta of a
 * Q-network (Proposition 1), up to a constant, as something that Langevin dynamics can follow:
 *
 *   paper    log mu = Σ_τ alpha_τ m_τ(theta) − r P(theta)           (the sum of Proposition 1)
 *   authors  log mu = Σ_τ alpha_τ (log m_τ(theta) − r P(theta))     (what their program samples)
 *
 * with P(theta) = |theta|_2 + the mean of Q² over the demonstrated states, which stands for mu0. */
#ifndef XP_PRIOR_STATES_DENSITY_H
#define XP_PRIOR_STATES_DENSITY_H

#include "prior/states/states_prior.h"
#include "encode/encoded_demos.h"

typedef struct xp__density {
    xp__net_trajectories trajectories;
    double penalty;    /* of P(theta) */
    xp__net_rows rows; /* the demonstrated states, to which the trajectories refer */
} xp__density;

/* The density that belongs to weights alpha[trajectories]; it points into both. */
xp__density xp__density_of(const xp__encoded_demos *demos, const double *alpha, double beta,
                           bool logarithm, double regulariser);

/* Minus the log-density but for |theta|, as a loss in density->rows; the context is an
 * xp__density. */
double xp__density_loss(void *density, size_t member, size_t rows, const float *q, float *slope);
/* What |theta| adds to the gradient is this times theta. */
double xp__density_decay(const xp__density *density, const xp__net *net, size_t member);

/* The density of a fitted prior, or NULL if it has none. It belongs to the prior. */
const xp__density *xp__states_prior_density(const xp__states_prior *prior);

#endif
