/* plan.c: a batch of few-hot rows seen from the first layer: which of its rows are in the batch,
 * who uses them, and which others Adam moves in this step.
 *
 * The gradient of a first-layer row is the sum over the batch rows that have it; grouping them once
 * a step, for all members, turns the scatter into a gather with a fixed order. */
#include "net/net_type.h"

#include <assert.h>
#include <string.h>

static void visit(xp_net *net, uint32_t input) {
    if (net->last[input] == 0) {
        net->visited[net->visited_count++] = input;
    }
}

/* Without XP_NET_VISITED Adam moves every row, so all count as visited from the start. */
static void visit_all(xp_net *net) {
    if (net->visited_count == 0) {
        for (size_t i = 0; i < net->options.inputs; i++) {
            net->visited[i] = (uint32_t)i;
        }
        net->visited_count = net->options.inputs;
    }
}

static xp__net_update update_of(const xp_net *net, uint32_t input) {
    const uint32_t last = net->last[input];
    const uint64_t skipped = last == 0 ? 0 : net->step - last;
    return (xp__net_update){
        .input = input,
        .late = xp__net_late(net, input),
        .floor = last == 0 ? 0 : (float)xp__net_schedule_floor(&net->schedule, last),
        .decay1 = (float)xp__net_power(&net->schedule.beta1, skipped),
        .decay2 = (float)xp__net_power(&net->schedule.beta2, skipped),
    };
}

/* Counts the users of every input in the batch, in order of first appearance. */
static void find_touched(xp_net *net, const xp_net_rows *rows) {
    xp__net_work *w = &net->work;
    const size_t cells = rows->count * net->options.hot;
    for (size_t i = 0; i < cells; i++) {
        const uint32_t input = rows->hot[i];
        if (input == XP_NET_NONE) {
            w->late[i] = 0;
            continue;
        }
        assert(input < net->options.inputs);
        if (w->slot[input] == 0) {
            w->update[w->touched] = update_of(net, input);
            w->slot[input] = (uint32_t)++w->touched;
        }
        xp__net_update *update = &w->update[w->slot[input] - 1];
        update->last++;
        w->late[i] = update->late;
    }
}

static void fill_list(xp_net *net, const xp_net_rows *rows) {
    xp__net_work *w = &net->work;
    uint32_t start = 0;
    for (size_t u = 0; u < w->touched; u++) {
        const uint32_t users = w->update[u].last;
        w->update[u].first = w->update[u].last = start;
        start += users;
    }
    for (size_t r = 0; r < rows->count; r++) {
        for (size_t h = 0; h < net->options.hot; h++) {
            const uint32_t input = rows->hot[r * net->options.hot + h];
            if (input != XP_NET_NONE) {
                w->list[w->update[w->slot[input] - 1].last++] = (uint32_t)r;
            }
        }
    }
}

void xp__net_plan(xp_net *net, const xp_net_rows *rows, bool adam) {
    xp__net_work *w = &net->work;
    assert(rows->count <= net->options.rows);
    w->touched = w->updates = 0;
    if (net->options.hot == 0) {
        assert(rows->count == 0 || rows->dense != NULL);
        return;
    }
    assert(rows->count == 0 || rows->hot != NULL);
    find_touched(net, rows);
    fill_list(net, rows);
    w->updates = w->touched;
    if (!adam) {
        return;
    }
    const unsigned savings = net->options.savings;
    if (!(savings & XP_NET_VISITED)) {
        visit_all(net);
    } else {
        for (size_t u = 0; u < w->touched; u++) {
            visit(net, w->update[u].input);
        }
    }
    if (!(savings & XP_NET_LAZY) || net->step < net->options.lazy_after) {
        for (size_t i = 0; i < net->visited_count; i++) {
            const uint32_t input = net->visited[i];
            if (w->slot[input] == 0) {
                w->update[w->updates++] = update_of(net, input);
            }
        }
    }
}

void xp__net_unplan(xp_net *net) {
    xp__net_work *w = &net->work;
    for (size_t u = 0; u < w->touched; u++) {
        w->slot[w->update[u].input] = 0;
    }
    w->touched = w->updates = 0;
}
