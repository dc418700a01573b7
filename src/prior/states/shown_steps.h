/* shown_steps.h: the steps that demonstrations show: in this state, this action led there, or ended
 * the episode.
 *
 * They tell, without any reward, whether a policy that was learned from experts fares as they did:
 * where they saw what it cannot see, its episodes take turns that no expert's took. How often that
 * happens by chance is how often it happened to the experts themselves: the share of demonstrations
 * with a step that no other has (Good and Turing's estimate of what a further one would show). */
#ifndef XP_PRIOR_STATES_SHOWN_STEPS_H
#define XP_PRIOR_STATES_SHOWN_STEPS_H

#include "prior/states/states_prior.h"
#include "encode/encoded_demos.h"

typedef struct xp__shown_steps {
    size_t state_bytes; /* of a row of inputs */
    xp__row_set steps;  /* distinct ones */
    double strange;     /* probability that a further demonstration has a step that none showed */
} xp__shown_steps;

xp_status xp__shown_steps_init(xp__shown_steps *shown, const xp__encoded_demos *demos,
                               xp_error *error);
void xp__shown_steps_deinit(xp__shown_steps *shown); /* also one that is all zero */

/* Whether a demonstration shows the step; `next` NULL: it ended the episode. `scratch` has room for
 * steps.row_bytes. */
bool xp__shown_steps_has(const xp__shown_steps *shown, const void *state, size_t action,
                         const void *next, unsigned char *scratch);

/* Those of a fitted prior, or NULL if it does not keep them. They belong to the prior. */
const xp__shown_steps *xp__states_prior_shown_steps(const xp__states_prior *prior);

#endif
