/* plan.c: a batch of few-hot rows seen from the first layer: which of its rows are in the batch,
 * who uses them, and which others Adam moves in this step.
 *
 * The gradient of a first-layer row is the sum over the batch rows that have it; grouping them once
 * a step, for all members, turns the scatter into a gather with a fixed order. */
#include "net/net_type.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

bool xp__net_plan_init(xp__net_plan *plan, const xp__net_options *options) {
    const size_t cells = options->rows * options->hot, tile = XP__NET_TILE;
    *plan = (xp__net_plan){.late = xp__alloc(cells > 0 ? cells : 1, sizeof plan->late[0])};
    plan->list = xp__alloc(cells > 0 ? cells : tile, sizeof plan->list[0]);
    plan->fetch = xp__alloc(cells > 0 ? cells : 1, sizeof plan->fetch[0]);
    plan->update = xp__alloc(cells > 0 ? options->inputs : tile, sizeof plan->update[0]);
    if (plan->late == NULL || plan->list == NULL || plan->fetch == NULL || plan->update == NULL) {
        xp__net_plan_deinit(plan);
        return false;
    }
    return true;
}

void xp__net_plan_deinit(xp__net_plan *plan) {
    xp__free(plan->late);
    xp__free(plan->list);
    xp__free(plan->fetch);
    xp__free(plan->update);
    *plan = (xp__net_plan){.late = NULL};
}

static void visit(xp__net *net, uint32_t input) {
    if (net->last[input] == 0) {
        net->visited[net->visited_count++] = input;
    }
}

/* Without XP_NET_VISITED Adam moves every row, so all count as visited from the start. */
static void visit_all(xp__net *net) {
    if (net->visited_count == 0) {
        for (size_t i = 0; i < net->options.inputs; i++) {
            net->visited[i] = (uint32_t)i;
        }
        net->visited_count = net->options.inputs;
    }
}

static xp__net_update update_of(const xp__net *net, uint32_t input) {
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
static void find_touched(xp__net *net, xp__net_plan *plan, const xp__net_rows *rows) {
    uint32_t *slot = net->work.slot;
    const size_t cells = rows->count * net->options.hot;
    for (size_t i = 0; i < cells; i++) {
        const uint32_t input = rows->hot[i];
        if (input == XP_NET_NONE) {
            plan->late[i] = 0;
            continue;
        }
        assert(input < net->options.inputs);
        if (slot[input] == 0) {
            plan->update[plan->touched] = update_of(net, input);
            slot[input] = (uint32_t)++plan->touched;
        }
        xp__net_update *update = &plan->update[slot[input] - 1];
        update->last++;
        plan->late[i] = update->late;
    }
}

static void fill_list(xp__net *net, xp__net_plan *plan, const xp__net_rows *rows) {
    uint32_t start = 0;
    for (size_t u = 0; u < plan->touched; u++) {
        const uint32_t users = plan->update[u].last;
        plan->update[u].first = plan->update[u].last = start;
        start += users;
    }
    for (size_t r = 0; r < rows->count; r++) {
        for (size_t h = 0; h < net->options.hot; h++) {
            const uint32_t input = rows->hot[r * net->options.hot + h];
            if (input != XP_NET_NONE) {
                plan->list[plan->update[net->work.slot[input] - 1].last++] = (uint32_t)r;
            }
        }
    }
}

/* The rows that Adam moves without a gradient, and the numbers of the step. */
static void plan_adam(xp__net *net, xp__net_plan *plan) {
    const xp__net_options *o = &net->options;
    if (!(o->savings & XP_NET_VISITED)) {
        visit_all(net);
    } else {
        for (size_t u = 0; u < plan->touched; u++) {
            visit(net, plan->update[u].input);
        }
    }
    if (!(o->savings & XP_NET_LAZY) || net->step < o->lazy_after) {
        for (size_t i = 0; i < net->visited_count; i++) {
            const uint32_t input = net->visited[i];
            if (net->work.slot[input] == 0) {
                plan->update[plan->updates++] = update_of(net, input);
            }
        }
    }
}

/* Every row that the plan moves is as of the next step from now on. */
static void count_step(xp__net *net, xp__net_plan *plan) {
    const xp__net_options *o = &net->options;
    assert(net->step < UINT32_MAX);
    plan->floor = (float)xp__net_schedule_floor(&net->schedule, net->step);
    net->step++;
    for (size_t u = 0; u < plan->updates; u++) {
        net->last[plan->update[u].input] = (uint32_t)net->step;
    }
    plan->adam = (xp__net_adam){
        .beta1 = (float)o->beta1,
        .rest1 = (float)(1 - o->beta1),
        .beta2 = (float)o->beta2,
        .rest2 = (float)(1 - o->beta2),
        .rate = (float)xp__net_schedule_rate(&net->schedule, net->step),
        .floor = (float)xp__net_schedule_floor(&net->schedule, net->step),
    };
}

void xp__net_plan_make(xp__net *net, xp__net_plan *plan, const xp__net_rows *rows, bool adam) {
    assert(rows->count <= net->options.rows);
    plan->touched = plan->updates = plan->fetches = 0;
    if (net->options.hot > 0) {
        assert(rows->count == 0 || rows->hot != NULL);
        find_touched(net, plan, rows);
        fill_list(net, plan, rows);
        plan->updates = plan->fetches = plan->touched;
        for (size_t u = 0; u < plan->touched; u++) {
            plan->fetch[u] = plan->update[u].input;
        }
        if (adam) {
            plan_adam(net, plan);
        }
        xp__net_plan_unmark(net, plan);
    } else {
        assert(rows->count == 0 || rows->dense != NULL);
    }
    if (adam) {
        count_step(net, plan);
    }
}

void xp__net_plan_mark(xp__net *net, const xp__net_plan *plan) {
    for (size_t u = 0; u < plan->touched; u++) {
        net->work.slot[plan->update[u].input] = (uint32_t)u + 1;
    }
}

void xp__net_plan_unmark(xp__net *net, const xp__net_plan *plan) {
    for (size_t u = 0; u < plan->touched; u++) {
        net->work.slot[plan->update[u].input] = 0;
    }
}
