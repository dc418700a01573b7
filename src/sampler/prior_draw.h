/* prior_draw.h: exact draws from a prior, by means that share nothing with the samplers' chains. */
#ifndef XP_SAMPLER_PRIOR_DRAW_H
#define XP_SAMPLER_PRIOR_DRAW_H

#include "experior/prior.h"

/* Draws theta (K numbers) from the prior. False if that cannot be done: a density with no bound and
 * no structure, or one so concentrated that ten million proposals were refused. */
bool xp__prior_draw(const xp_prior *prior, xp_rng *rng, double *theta);
/* The same; *noise is the standard deviation of rewards in that context, where the prior's family
 * of rewards has one, else NAN. */
bool xp__prior_draw_with(const xp_prior *prior, xp_rng *rng, double *theta, double *noise);

#endif
