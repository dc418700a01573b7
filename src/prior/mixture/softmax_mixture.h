/* softmax_mixture.h: demonstrated contexts as a mixture of policies, where states are real numbers
 * that hardly come again (docs/method/mixture.md).
 *
 * A component chooses by softmax(W x) with x features of the state (softmax_policy.h). Components
 * and weights maximise the likelihood of whole demonstrations, Σ_τ log Σ_k π_k Π_h
 * softmax(W_k x_h)(a_h), by expectation-maximisation, each W_k held by a ridge at the fit to all
 * demonstrations, so that where a component saw little it does as all experts did. The number of
 * components, the features and the ridge are those under which demonstrations that are held out are
 * likeliest. It is Definition 1 with finite mixtures as the family. */
#ifndef XP_PRIOR_MIXTURE_SOFTMAX_MIXTURE_H
#define XP_PRIOR_MIXTURE_SOFTMAX_MIXTURE_H

#include "prior/states/mode_sets.h"

/* Whether demonstrations are of that kind: dense states with real numbers, most of which occur in
 * one demonstration only (however long it rests there), and few enough for a regression. */
bool xp__softmax_mixture_fits(const xp__encoded_demos *demos);

/* One set for each component, at most `most`, as xp__tie_policies_init makes them: its own
 * demonstrations' actions, and elsewhere its regression's. */
xp_status xp__softmax_mixture_init(xp__mode_sets *sets, const xp__encoded_demos *demos, size_t most,
                                   xp__watch *watch, const xp_rng *rng, size_t *member,
                                   xp_error *error);

#endif
