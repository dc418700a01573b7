/* tie_policies.h: demonstrated contexts as a mixture of policies, where states come again
 * (docs/method/mixture.md).
 *
 * Which demonstrations have one context is inferred by marginal likelihood (partition.h). In each
 * state a component acts by tied actions (tied_actions.h). It is Definition 1 with finite mixtures
 * as the family. */
#ifndef XP_PRIOR_MIXTURE_TIE_POLICIES_H
#define XP_PRIOR_MIXTURE_TIE_POLICIES_H

#include "prior/states/mode_sets.h"

/* One set for each component, at most `most`: what it did most often in each demonstrated state,
 * and where it has no demonstration what all experts did most often. Weights are (n + ½)/(N + K/2).
 * `member` [demos->trajectories], which may be NULL, is the component of each trajectory. `watch`
 * may be NULL. */
xp_status xp__tie_policies_init(xp__mode_sets *sets, const xp__encoded_demos *demos, size_t most,
                                xp__watch *watch, const xp_rng *rng, size_t *member,
                                xp_error *error);

/* What all experts did most often in each demonstrated state: action[rows]. */
xp_status xp__pooled_actions(const xp__encoded_demos *demos, uint32_t *action, xp_error *error);

#endif
