/* learner.h: an ensemble of Q-networks that learns from one stream of transitions.
 *
 * Bootstrapped DQN (Osband et al., 2016) as the paper's section 4.2 uses it: every head fits
 * r + noise + max_a Q(s', a) of its own values as they were at the last synchronisation, without
 * discount; a terminal state is worth 0. Which head acts is not decided here.
 *
 * No target network is stored. At a synchronisation the batches of the coming period are drawn and
 * their next states evaluated at once; what a plain target network would say is then known. So a
 * batch is drawn from the transitions that were there at the synchronisation and still are.
 *
 * Between two synchronisations nobody but the head that acts is asked for anything. So an update is
 * prepared when it is due, and a head takes it when it is next needed: the head that acts at once,
 * the others at the next synchronisation, several in a row while their parameters are in a near
 * cache. Heads do not mix, so no bit depends on it.
 *
 * Everything random is a function of (run, serial number, head): batches, noise and the first
 * networks of a run do not depend on who asks for them and when. */
#ifndef XP_AGENT_STATES_LEARNER_H
#define XP_AGENT_STATES_LEARNER_H

#include "agent/states/replay.h"
#include "net/deferred.h"
#include "encode/row_set.h"
#include "encode/state_input.h"

typedef struct xp__learner_options {
    size_t members, hidden, actions;
    double learning_rate;
    size_t batch, buffer;
    size_t warmup;       /* transitions before the first update */
    size_t target_every; /* updates between synchronisations */
    double noise, mask;  /* as in replay.h */
    /* How a batch moves all heads at once; NULL: one step of Adam on the squared TD error. `rows`
     * are the batch's states, and at most extra_rows more may be added to them; `td` with its
     * context is the loss on the batch's own. */
    void (*move)(void *context, const xp__net_rows *rows, xp__net_loss *td, void *td_context);
    void *context;
    size_t extra_rows;
} xp__learner_options;

/* An update that heads may still have to take, apart from the replay, which moves on. */
typedef struct xp__learner_update {
    const struct xp__learner *learner;
    xp__row_set rows; /* states of the batch */
    uint32_t *cell;   /* [batch]: row · actions + action of a draw */
    uint32_t *next;   /* [batch]: place of its next state in `value` */
    float *reward;    /* [members][batch]: with noise */
    float *keep;      /* [members][batch]: whether a head learns from it; NULL if all do */
    float *counts;    /* [rows][actions]: draws */
} xp__learner_update;

typedef struct xp__learner {
    xp__learner_options options;
    xp__state_input input;
    xp__net *heads; /* each is up to date after xp__learner_head only */
    xp__replay replay;
    uint64_t run;      /* names the streams of this run */
    uint64_t updates;  /* so far */
    double unit;       /* of rewards: heads learn from rewards divided by it; the caller's to set,
                          1 after a reset */
    uint64_t *drawn;   /* [target_every][batch]: serial numbers */
    uint32_t *next;    /* [target_every][batch]: 1 + row of the next state in `ahead`, or 0 */
    xp__row_set ahead; /* next states of the period */
    float *late;       /* [rows of ahead][hot]: their pending steps at the synchronisation */
    float *value;      /* [members][1 + rows of ahead]: 0, then max_a Q at the synchronisation */
    xp__learner_update *waiting; /* [room of deferred] */
    xp__net_deferred deferred;
    float *target, *count; /* [rows][actions], of one head: scratch */
} xp__learner;

/* A learner for states as `input` has them; networks and run are those of the next reset. */
xp_status xp__learner_init(xp__learner *learner, const xp__learner_options *options,
                           const xp__state_input *input, xp_error *error);
void xp__learner_deinit(xp__learner *learner); /* also one that is all zero */

/* Forgets all transitions and starts the run of that name. The networks stay: the caller draws or
 * copies new ones. */
void xp__learner_reset(xp__learner *learner, uint64_t run);
/* Adds a transition, and updates the heads if it is time. */
void xp__learner_observe(xp__learner *learner, const double *state, size_t action, double reward,
                         const double *next_state, bool end);

/* Walks networks, transitions and the period under way (base/archive.h). Every head takes the
 * updates that wait for it, which changes no bit of what it learns. */
void xp__learner_archive(xp__learner *learner, xp__archive *archive);

/* The stream of a run for its first networks. */
xp_rng xp__learner_networks(const xp__learner *learner);
/* A stream for questions asked at this time, which move nothing. */
xp_rng xp__learner_asking(const xp__learner *learner);
/* The ensemble with this head up to date. */
const xp__net *xp__learner_head(xp__learner *learner, size_t head);

#endif
