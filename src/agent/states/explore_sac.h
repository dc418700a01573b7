/* explore_sac.h: soft actor-critic for few actions (Haarnoja et al., "Soft actor-critic algorithms
 * and applications", 2018; Christodoulou, "Soft actor-critic for discrete action settings", 2019).
 *
 *     critics      min over Q_i of the mean of (Q_i(s, a) - y)²
 *                  y = r + discount · Σ_b π(b | s') (min_i Q̄_i(s', b) - backup · α log π(b | s'))
 *     policy       min over π of the mean of KL(t(· | s), π(· | s)), t ∝ exp(min_i Q_i(s, ·) / α)
 *     temperature  log α falls where the mean entropy of π is above the wanted one, and rises below
 *
 * The usual loss of the policy is the KL the other way round. It has the same minimum, but its
 * slope at an action is proportional to π there: a policy that hardened too early stays as it is,
 * whatever the critics have learned since. That of ours is π - t.
 *
 * Expectations over actions are sums, so that a state that was drawn n times is one row of weight
 * n: the gradients are those of the plain batch. Q̄ follows the critics by Polyak averaging. An
 * average of k updates at a time, with weight 1 - (1 - tau)^k, costs a k-th of one after each. */
#ifndef XP_AGENT_STATES_EXPLORE_SAC_H
#define XP_AGENT_STATES_EXPLORE_SAC_H

#include "base/archive.h"
#include "encode/row_set.h"
#include "encode/state_input.h"

#define XP__SAC_TEMPERATURE_MAX 1e9 /* and its reciprocal the least */

typedef struct xp__sac_options {
    size_t critics, hidden, actions, batch;
    double critic_rate, policy_rate, temperature_rate; /* step sizes of Adam */
    double temperature;                                /* α at the start */
    double entropy;                                    /* wanted, in nats */
    double entropy_backup; /* the share of later entropy that counts as reward */
    double discount, tau;
    size_t target_every; /* updates between averages of the target */
    bool reverse; /* the policy is fitted by KL(π, t), the textbook's, and not by KL(t, π) */
} xp__sac_options;

typedef struct xp__sac {
    xp__sac_options options;
    xp__state_input input;
    xp__net *critic, *target, *policy; /* critics, critics, 1 members */
    double log_temperature, first_moment, second_moment;
    uint64_t updates;
    double entropy;     /* mean of the policy's in the last batch */
    float target_share; /* of the critics in an average */

    size_t draws;            /* in the batch so far */
    uint32_t *row, *next;    /* [batch]: of a draw in `rows`, in `nexts` or UINT32_MAX */
    uint32_t *action;        /* [batch] */
    float *reward;           /* [batch] */
    xp__row_set rows, nexts; /* states, next states */
    float *weights;          /* [rows]: draws of a row */
    float *counts, *targets; /* [rows][actions], [rows][actions][critics] */
    float *q;                /* [critics][rows][actions] */
    float *logits;           /* [rows][actions] */
    float *values;           /* [nexts] */
} xp__sac;

xp_status xp__sac_init(xp__sac *sac, const xp__sac_options *options, const xp__state_input *input,
                       xp_error *error);
void xp__sac_deinit(xp__sac *sac); /* also one that is all zero */
/* Walks networks, temperature and counters between two batches (base/archive.h). */
void xp__sac_archive(xp__sac *sac, xp__archive *archive);
/* Draws new networks and starts again. */
void xp__sac_reset(xp__sac *sac, const xp_rng *rng);

/* Adds a transition to the batch, which has room for options.batch; `next` is NULL after the end of
 * an episode. */
void xp__sac_add(xp__sac *sac, const void *row, size_t action, float reward, const void *next);
/* One update of everything on the batch, which is then empty. */
void xp__sac_update(xp__sac *sac);

double xp__sac_temperature(const xp__sac *sac);
/* π(· | s), and the most likely action: the first of equals. */
void xp__sac_policy(const xp__sac *sac, const void *row, double *probability);
size_t xp__sac_greedy(const xp__sac *sac, const void *row);

/* The policy's loss by its logits; context of an xp__net_loss. */
typedef struct xp__sac_actor {
    size_t critics, actions;
    double draws, temperature;
    const float *weights; /* [R] */
    const float *q;       /* [critics][R][actions] */
    bool reverse;         /* as in the options */
    double entropy;       /* result: the policy's mean entropy over draws */
} xp__sac_actor;
double xp__sac_actor_loss(void *actor, size_t member, size_t rows, const float *logits,
                          float *slope);

#endif
