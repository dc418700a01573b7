/* deferred.h: steps of Adam that are planned when they are due and taken by each member when it is
 * next needed.
 *
 * Members do not mix, so it is all the same in which order they take their steps; but a member that
 * takes several steps in a row finds its records in a nearer cache. A step is planned for all
 * members at once (plan.c) and counts as the network's from then on: only members that have caught
 * up may be evaluated. */
#ifndef XP_NET_DEFERRED_H
#define XP_NET_DEFERRED_H

#include "net/net_type.h"

typedef struct xp__net_deferred_step {
    xp__net_plan plan;
    xp__net_rows rows;
    xp__net_loss *loss;
    void *context;
} xp__net_deferred_step;

typedef struct xp__net_deferred {
    xp__net *net;
    size_t room, count;           /* steps that can wait, and do */
    xp__net_deferred_step *steps; /* [room] */
    size_t *taken;                /* [members]: steps of these that the member has taken */
    uint64_t round;               /* of waiting */
    uint64_t *wanted;             /* [inputs]: the last round in which a step wanted it */
    float *late;                  /* [rows to evaluate][hot] */
    uint32_t *fetch;              /* [rows to evaluate][hot]: inputs that no step wants */
} xp__net_deferred;

/* For up to `room` waiting steps, and evaluations of up to `rows` rows. */
xp_status xp__net_deferred_init(xp__net_deferred *deferred, xp__net *net, size_t room, size_t rows,
                                xp_error *error);
void xp__net_deferred_deinit(xp__net_deferred *deferred); /* also one that is all zero */

/* Plans a step like xp__net_train. What `rows` and `context` point to must stay as it is until all
 * members have taken the step. */
void xp__net_deferred_plan(xp__net_deferred *deferred, const xp__net_rows *rows, xp__net_loss *loss,
                           void *context);
/* Lets one member take the steps that wait for it. */
void xp__net_deferred_catch_up(xp__net_deferred *deferred, size_t member);
/* Lets every member take the steps that wait for it and then evaluate max_a Q of `rows` into
 * value + member · value_step; rows may be none. */
void xp__net_deferred_finish(xp__net_deferred *deferred, const xp__net_rows *rows, float *value,
                             size_t value_step);

#endif
