/* deferred.c: see deferred.h. */
#include "net/deferred.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

xp_status xp__net_deferred_init(xp__net_deferred *deferred, xp_net *net, size_t room,
                                xp_error *error) {
    *deferred = (xp__net_deferred){.net = net, .room = room};
    deferred->taken = xp__alloc(net->options.members, sizeof deferred->taken[0]);
    deferred->steps = xp__alloc(room, sizeof deferred->steps[0]);
    bool made = deferred->taken != NULL && deferred->steps != NULL;
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
    *deferred = (xp__net_deferred){.net = NULL};
}

void xp__net_deferred_plan(xp__net_deferred *deferred, const xp_net_rows *rows, xp_net_loss *loss,
                           void *context) {
    assert(deferred->count < deferred->room);
    xp__net_deferred_step *step = &deferred->steps[deferred->count++];
    step->rows = *rows;
    step->loss = loss;
    step->context = context;
    xp__net_plan_make(deferred->net, &step->plan, rows, true);
}

void xp__net_deferred_catch_up(xp__net_deferred *deferred, size_t member) {
    assert(member < deferred->net->options.members);
    const bool more = member + 1 < deferred->net->options.members;
    const unsigned saved = xp__net_flush_begin();
    for (; deferred->taken[member] < deferred->count; deferred->taken[member]++) {
        const xp__net_deferred_step *step = &deferred->steps[deferred->taken[member]];
        (void)xp__net_train_member(deferred->net, member, &step->plan, &step->rows, step->loss,
                                   step->context, more);
    }
    xp__net_flush_end(saved);
}

void xp__net_deferred_clear(xp__net_deferred *deferred) {
    deferred->count = 0;
    memset(deferred->taken, 0, deferred->net->options.members * sizeof deferred->taken[0]);
}
