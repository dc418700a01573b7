/* deferred.c: see deferred.h. While a member takes its steps, records are fetched for the one that
 * follows: each of them once a round. */
#include "net/deferred.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

xp_status xp__net_deferred_init(xp__net_deferred *deferred, xp__net *net, size_t room, size_t rows,
                                xp_error *error) {
    const size_t hot = net->options.hot > 0 ? net->options.hot : 1;
    *deferred = (xp__net_deferred){.net = net, .room = room, .round = 1};
    deferred->taken = xp__alloc(net->options.members, sizeof deferred->taken[0]);
    deferred->steps = xp__alloc(room, sizeof deferred->steps[0]);
    deferred->wanted = xp__alloc(net->options.inputs, sizeof deferred->wanted[0]);
    deferred->late = xp__alloc(rows, hot * sizeof deferred->late[0]);
    deferred->fetch = xp__alloc(rows, hot * sizeof deferred->fetch[0]);
    bool made = deferred->taken != NULL && deferred->steps != NULL && deferred->wanted != NULL &&
                deferred->late != NULL && deferred->fetch != NULL;
    for (size_t i = 0; made && i < room; i++) {
        made = xp__net_plan_init(&deferred->steps[i].plan, &net->options);
    }
    if (!made) {
        xp__net_deferred_deinit(deferred);
        return xp__no_memory(error);
    }
    return XP_OK;
}

void xp__net_deferred_deinit(xp__net_deferred *deferred) {
    for (size_t i = 0; deferred->steps != NULL && i < deferred->room; i++) {
        xp__net_plan_deinit(&deferred->steps[i].plan);
    }
    xp__free(deferred->steps);
    xp__free(deferred->taken);
    xp__free(deferred->wanted);
    xp__free(deferred->late);
    xp__free(deferred->fetch);
    *deferred = (xp__net_deferred){.net = NULL};
}

/* Copies those of `inputs` that nothing has wanted in this round; returns how many. */
static size_t not_yet_wanted(xp__net_deferred *deferred, size_t count, const uint32_t *inputs,
                             uint32_t *out) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t input = inputs[i];
        if (input != XP_NET_NONE && deferred->wanted[input] != deferred->round) {
            deferred->wanted[input] = deferred->round;
            out[found++] = input;
        }
    }
    return found;
}

void xp__net_deferred_plan(xp__net_deferred *deferred, const xp__net_rows *rows, xp__net_loss *loss,
                           void *context) {
    assert(deferred->count < deferred->room);
    xp__net_deferred_step *step = &deferred->steps[deferred->count++];
    xp__net_plan *plan = &step->plan;
    step->rows = *rows;
    step->loss = loss;
    step->context = context;
    xp__net_plan_make(deferred->net, plan, rows, true);
    plan->fetches = not_yet_wanted(deferred, plan->fetches, plan->fetch, plan->fetch);
}

static void take_steps(xp__net_deferred *deferred, size_t member, bool more) {
    for (; deferred->taken[member] < deferred->count; deferred->taken[member]++) {
        const xp__net_deferred_step *step = &deferred->steps[deferred->taken[member]];
        (void)xp__net_train_member(deferred->net, member, &step->plan, &step->rows, step->loss,
                                   step->context, more);
    }
}

void xp__net_deferred_catch_up(xp__net_deferred *deferred, size_t member) {
    assert(member < deferred->net->options.members);
    const unsigned saved = xp__net_flush_begin();
    take_steps(deferred, member, false);
    xp__net_flush_end(saved);
}

void xp__net_deferred_finish(xp__net_deferred *deferred, const xp__net_rows *rows, float *value,
                             size_t value_step) {
    xp__net *net = deferred->net;
    const size_t members = net->options.members;
    const unsigned saved = xp__net_flush_begin();
    xp__net_late_rows(net, rows, deferred->late);
    const size_t fetches =
        not_yet_wanted(deferred, rows->count * net->options.hot, rows->hot, deferred->fetch);
    for (size_t member = 0; member < members; member++) {
        const bool more = member + 1 < members;
        take_steps(deferred, member, more);
        const xp__net_soon soon = {xp__net_records(net, member + more), deferred->fetch,
                                   more ? fetches : 0};
        xp__net_max_late(net, member, rows, deferred->late, soon, value + member * value_step);
        deferred->taken[member] = 0;
    }
    deferred->count = 0;
    deferred->round++;
    xp__net_flush_end(saved);
}
