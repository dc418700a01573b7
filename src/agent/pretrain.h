/* pretrain.h: Q-networks that choose as the experts did: the parametric expert prior for
 * Q-functions (Proposition 2). Each network minimises, from its own random start, the mean over
 * steps (s, a) of the demonstrations of
 *
 *     (1/beta) log Σ_b exp(beta Q(s, b)) - Q(s, a)
 *
 * by Adam on batches of steps drawn with replacement. */
#ifndef XP_AGENT_PRETRAIN_H
#define XP_AGENT_PRETRAIN_H

#include "agent/row_set.h"
#include "agent/state_input.h"
#include "experior/demos.h"

typedef struct xp__pretrain_options {
    size_t members, hidden, actions;
    size_t steps, batch;
    double beta, learning_rate;
} xp__pretrain_options;

typedef struct xp__pretrain {
    xp__pretrain_options options;
    xp__state_input input;
    xp_net *net;
    size_t pairs;          /* steps of the distinct trajectories */
    unsigned char *states; /* [pairs][row_bytes] */
    uint32_t *actions;     /* [pairs] */
    uint64_t *up_to;       /* [pairs]: demonstrated steps up to and with this one */
    xp__row_set rows;      /* of the batch */
    float *counts;         /* [rows][actions] */
} xp__pretrain;

/* Reads the demonstrations; they are not needed later. Fails, naming the value, where they are not
 * of `input`'s states or have other actions, and where there are none. */
xp_status xp__pretrain_init(xp__pretrain *pretrain, const xp__pretrain_options *options,
                            const xp__state_input *input, const xp_demos *demos, xp_error *error);
void xp__pretrain_deinit(xp__pretrain *pretrain); /* also one that is all zero */

/* Draws the networks of pretrain->net anew and trains them. `parameters` as for
 * xp__q_networks_draw. */
void xp__pretrain_run(xp__pretrain *pretrain, const xp_rng *rng, float *parameters);

#endif
