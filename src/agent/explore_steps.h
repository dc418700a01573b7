/* explore_steps.h: the steps of demonstrations as transitions without reward.
 *
 * The next state of a demonstrated step is the next state of its trajectory. What the last action
 * of a trajectory led to is not shown; an expert stops where the episode does, so the end of a
 * demonstration counts as the end of an episode, after which nothing more is earned. */
#ifndef XP_AGENT_EXPLORE_STEPS_H
#define XP_AGENT_EXPLORE_STEPS_H

#include "agent/state_input.h"
#include "experior/demos.h"

typedef struct xp__explore_steps {
    size_t row_bytes;
    size_t count;          /* steps of the distinct trajectories */
    unsigned char *states; /* [count][row_bytes] */
    uint32_t *actions;     /* [count] */
    bool *ends;            /* [count]: the last of its trajectory */
    uint64_t *up_to;       /* [count]: demonstrated steps up to and with this one */
} xp__explore_steps;

/* Reads the demonstrations; they are not needed later. Fails, naming the value, where they are not
 * of `input`'s states or have other actions, and where there are none. */
xp_status xp__explore_steps_init(xp__explore_steps *steps, const xp__state_input *input,
                                 size_t actions, const xp_demos *demos, xp_error *error);
void xp__explore_steps_deinit(xp__explore_steps *steps); /* also one that is all zero */

/* The number of a step, each demonstrated one as likely as any other. */
size_t xp__explore_steps_draw(const xp__explore_steps *steps, xp_rng *rng);
/* The state a step was taken in, and the one it led to: NULL if the episode ended. */
static inline const void *xp__explore_steps_state(const xp__explore_steps *steps, size_t step) {
    return steps->states + step * steps->row_bytes;
}
static inline const void *xp__explore_steps_next(const xp__explore_steps *steps, size_t step) {
    return steps->ends[step] ? NULL : xp__explore_steps_state(steps, step + 1);
}

#endif
