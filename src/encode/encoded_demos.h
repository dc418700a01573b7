/* encoded_demos.h: demonstrations as a network sees them: the distinct states as rows of inputs,
 * and each distinct trajectory as a list of (row, action). */
#ifndef XP_ENCODE_ENCODED_DEMOS_H
#define XP_ENCODE_ENCODED_DEMOS_H

#include "experior/demos.h"
#include "encode/row_set.h"
#include "encode/state_input.h"

typedef struct xp__encoded_demos {
    xp__state_input input;
    size_t actions;
    xp__row_set rows;       /* distinct states */
    size_t trajectories;    /* distinct ones, none of them empty */
    size_t *start;          /* [trajectories + 1]: steps start[t] .. start[t+1] - 1 are of t */
    uint32_t *row, *action; /* a step each */
    uint64_t *count;        /* [trajectories]: how often it was demonstrated */
    uint64_t *steps_up_to;  /* a step each: demonstrated steps up to and with this one, every
                               demonstration of its trajectory counted */
    uint64_t total;         /* demonstrations */
} xp__encoded_demos;

/* Reads `demos`, which are not needed later. `units` are of the real numbers of states (NULL: the
 * environment's) and have to stay. Fails, naming the value, where demonstrations are not of states
 * or actions of `env`, and where there is no step. */
xp_status xp__encoded_demos_init(xp__encoded_demos *read, const xp_env_info *env,
                                 const xp_demos *demos, const xp__state_units *units,
                                 xp_error *error);
void xp__encoded_demos_deinit(xp__encoded_demos *read); /* also one that is all zero */

/* A demonstrated step, each as likely as any other: its number. */
size_t xp__encoded_demos_draw_step(const xp__encoded_demos *read, xp_rng *rng);
/* The distinct states as a network takes them. */
xp__net_rows xp__encoded_demos_rows(const xp__encoded_demos *read);

#endif
