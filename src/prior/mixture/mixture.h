/* mixture.h: demonstrated contexts as a mixture of policies: by marginal likelihood where states
 * come again (tie_policies.h), by regressions where they are real numbers (softmax_mixture.h). */
#ifndef XP_PRIOR_MIXTURE_MIXTURE_H
#define XP_PRIOR_MIXTURE_MIXTURE_H

#include "prior/states/mode_sets.h"

/* Competence of the experts: the higher it is, the smaller are the differences between the action
 * values of networks that follow them, and the sooner heads learn better. In units of the root mean
 * square of rewards. */
#define XP__MIXTURE_BETA 15

xp_status xp__mixture_init(xp__mode_sets *sets, const xp__encoded_demos *demos, size_t most,
                           xp__watch *watch, const xp_rng *rng, xp_error *error);
/* How many states a step of a network's fit takes, for xp__mode_networks_fit. */
size_t xp__mixture_batch(const xp__encoded_demos *demos);

#endif
