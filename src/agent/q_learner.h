/* q_learner.h: an ensemble of Q-networks that learns from one stream of transitions.
 *
 * Bootstrapped DQN (Osband et al., 2016) as the paper's section 4.2 uses it: every head fits
 * r + noise + max_a Q(s', a) of its own values as they were at the last synchronisation, without
 * discount; a terminal state is worth 0. Which head acts is not decided here.
 *
 * No target network is stored. At a synchronisation the batches of the coming period are drawn and
 * their next states evaluated at once; what a plain target network would say is then known. So a
 * batch is drawn from the transitions that were there at the synchronisation and still are.
 *
 * Everything random is a function of (run, serial number, head): batches, noise and the first
 * networks of a run do not depend on who asks for them and when. */
#ifndef XP_AGENT_Q_LEARNER_H
#define XP_AGENT_Q_LEARNER_H

#include "agent/replay.h"
#include "prior/row_set.h"
#include "prior/state_input.h"

typedef struct xp__q_learner_options {
    size_t members, hidden, actions;
    double learning_rate;
    size_t batch, buffer;
    size_t warmup;       /* transitions before the first update */
    size_t target_every; /* updates between synchronisations */
    double noise, mask;  /* as in replay.h */
    /* How a batch moves the networks; NULL: one step of Adam on the squared TD error. `rows` are
     * the batch's states, and at most extra_rows more may be added to them. */
    void (*move)(void *context, const xp_net_rows *rows, xp_net_td *td);
    void *context;
    size_t extra_rows;
} xp__q_learner_options;

typedef struct xp__q_learner {
    xp__q_learner_options options;
    xp__state_input input;
    xp_net *net;
    xp__replay replay;
    uint64_t run;      /* names the streams of this run */
    uint64_t updates;  /* so far */
    uint64_t *drawn;   /* [target_every][batch]: serial numbers */
    uint32_t *next;    /* [target_every][batch]: row of the next state in `ahead`, or UINT32_MAX */
    xp__row_set ahead; /* next states of the period */
    float *value;      /* [rows of ahead][members]: max_a Q of them at the synchronisation */
    xp__row_set rows;  /* states of the batch */
    float *counts;     /* [rows][actions], or [rows][actions][members] if there is a mask */
    float *targets;    /* [rows][actions][members]: sums over draws */
} xp__q_learner;

/* A learner for states as `input` has them; networks and run are those of the next reset. */
xp_status xp__q_learner_init(xp__q_learner *learner, const xp__q_learner_options *options,
                             const xp__state_input *input, xp_error *error);
void xp__q_learner_deinit(xp__q_learner *learner); /* also one that is all zero */

/* Forgets all transitions and starts the run of that name. The networks stay: the caller draws or
 * copies new ones. */
void xp__q_learner_reset(xp__q_learner *learner, uint64_t run);
/* Adds a transition, and updates the networks if it is time. */
void xp__q_learner_observe(xp__q_learner *learner, const double *state, size_t action,
                           double reward, const double *next_state, bool end);

/* The stream of a run for its first networks. */
xp_rng xp__q_learner_networks(const xp__q_learner *learner);
/* Draws every member of `net` anew as xp_net_create does, and forgets the optimiser's state;
 * `parameters` has room for xp_net_parameter_count floats. */
void xp__q_networks_draw(xp_net *net, const xp_rng *rng, float *parameters);

#endif
