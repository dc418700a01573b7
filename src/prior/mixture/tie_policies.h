/* tie_policies.h: demonstrated contexts as a mixture of policies, where states come again
 * (docs/method/mixture.md).
 *
 * Which demonstrations have one context is inferred by marginal likelihood. In each state a
 * component acts uniformly on an unknown set T of actions, with error rate η: the experts of
 * Assumption 1 as β → ∞, who are indifferent between tied actions. With counts n of a component's
 * actions in a state,
 *
 *     f(n) = Σ_T prior(T) ((1 - η)/|T| + η/A)^n_T (η/A)^(n - n_T),  prior(T) ∝ ρ_|T| Π_{a in T}
 * b(a)
 *
 * normalised for each size of T, where b(a) is how often all experts took a there. Partitions have
 * the prior of a Chinese restaurant of concentration 1, and the search is for the partition of
 * greatest joint probability. It is Definition 1 with finite mixtures as the family. */
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

/* log f for tests: counts of `support` actions of which b says how often all took them (adding up
 * to any number), and `others` errors on further ones. */
double xp__tie_policies_log_f(size_t support, const double *b, const double *counts, double others,
                              size_t actions, double tie, double error_rate);

#endif
