/* pretrain.c: see pretrain.h. A demonstration that occurs n times is read once and weighs n. */
#include "agent/pretrain.h"

#include "agent/q_learner.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { STREAM_NETWORKS, STREAM_BATCHES };

static xp_status bad_state(const xp__state_input *input, size_t trajectory, size_t step,
                           size_t number, double value, xp_error *error) {
    const size_t values = input->categories[number];
    char wanted[64] = "too large for a network";
    if (values > 0) {
        (void)snprintf(wanted, sizeof wanted, "not a whole number from -1 to %zu", values - 1);
    }
    return xp_error_set(error, XP_ERR_INPUT,
                        "distinct demonstration %zu, step %zu: number %zu of the state, %g, is %s",
                        trajectory + 1, step + 1, number + 1, value, wanted);
}

static xp_status check(const xp__pretrain_options *o, const xp__state_input *input,
                       const xp_demos *demos, xp_error *error) {
    if (xp_demos_state_size(demos) != input->state_size) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "demonstrations have %zu numbers a state but the environment has %zu",
                            xp_demos_state_size(demos), input->state_size);
    }
    if (xp_demos_actions(demos) > o->actions) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "demonstrations have %zu actions but the environment has %zu",
                            xp_demos_actions(demos), o->actions);
    }
    for (size_t t = 0; t < xp_demos_distinct(demos); t++) {
        const xp_trajectory trajectory = xp_demos_trajectory(demos, t);
        for (size_t h = 0; h < trajectory.length && input->state_size > 0; h++) {
            const double *state = trajectory.states + h * input->state_size;
            const size_t fault = xp__state_input_fault(input, state);
            if (fault < input->state_size) {
                return bad_state(input, t, h, fault, state[fault], error);
            }
        }
    }
    return XP_OK;
}

/* The demonstrations' steps as rows, actions and cumulative counts. */
static void read_pairs(xp__pretrain *pretrain, const xp_demos *demos) {
    const xp__state_input *input = &pretrain->input;
    uint64_t total = 0;
    size_t pair = 0;
    for (size_t t = 0; t < xp_demos_distinct(demos); t++) {
        const xp_trajectory trajectory = xp_demos_trajectory(demos, t);
        for (size_t h = 0; h < trajectory.length; h++, pair++) {
            const double *state =
                input->state_size > 0 ? trajectory.states + h * input->state_size : NULL;
            xp__state_input_row(input, state, pretrain->states + pair * input->row_bytes);
            pretrain->actions[pair] = trajectory.actions[h];
            pretrain->up_to[pair] = total += trajectory.count;
        }
    }
}

static xp_status allocate(xp__pretrain *pretrain, xp_error *error) {
    const xp__pretrain_options *o = &pretrain->options;
    const xp__state_input *input = &pretrain->input;
    pretrain->states = xp__alloc(pretrain->pairs, input->row_bytes);
    pretrain->actions = xp__alloc(pretrain->pairs, sizeof pretrain->actions[0]);
    pretrain->up_to = xp__alloc(pretrain->pairs, sizeof pretrain->up_to[0]);
    pretrain->counts = xp__alloc(o->batch * o->actions, sizeof pretrain->counts[0]);
    if (pretrain->states == NULL || pretrain->actions == NULL || pretrain->up_to == NULL ||
        pretrain->counts == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = xp__row_set_init(&pretrain->rows, input->row_bytes, o->batch, error);
    if (status == XP_OK) {
        xp_net_options net = xp_net_options_default(input->inputs, o->actions, input->hot);
        net.members = o->members;
        net.hidden = o->hidden;
        net.rows = o->batch;
        net.learning_rate = o->learning_rate;
        status = xp_net_create(&net, NULL, &pretrain->net, error);
    }
    return status;
}

xp_status xp__pretrain_init(xp__pretrain *pretrain, const xp__pretrain_options *options,
                            const xp__state_input *input, const xp_demos *demos, xp_error *error) {
    *pretrain = (xp__pretrain){.options = *options, .input = *input};
    xp_status status = check(options, input, demos, error);
    if (status != XP_OK) {
        return status;
    }
    uint64_t steps = 0;
    for (size_t t = 0; t < xp_demos_distinct(demos); t++) {
        const xp_trajectory trajectory = xp_demos_trajectory(demos, t);
        pretrain->pairs += trajectory.length;
        steps += trajectory.length * trajectory.count;
    }
    if (steps == 0) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no demonstrated step to learn from");
    }
    status = allocate(pretrain, error);
    if (status != XP_OK) {
        xp__pretrain_deinit(pretrain);
        return status;
    }
    read_pairs(pretrain, demos);
    return XP_OK;
}

void xp__pretrain_deinit(xp__pretrain *pretrain) {
    xp_net_destroy(pretrain->net);
    xp__row_set_deinit(&pretrain->rows);
    xp__free(pretrain->states);
    xp__free(pretrain->actions);
    xp__free(pretrain->up_to);
    xp__free(pretrain->counts);
    *pretrain = (xp__pretrain){.net = NULL};
}

/* A step of the demonstrations, each as likely as any other. */
static size_t draw_pair(const xp__pretrain *pretrain, xp_rng *rng) {
    const uint64_t wanted = xp_rng_below(rng, pretrain->up_to[pretrain->pairs - 1]);
    size_t low = 0, high = pretrain->pairs - 1; /* the first pair with up_to > wanted */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pretrain->up_to[middle] > wanted) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

void xp__pretrain_run(xp__pretrain *pretrain, const xp_rng *rng, float *parameters) {
    const xp__pretrain_options *o = &pretrain->options;
    const xp_rng networks = xp_rng_fork(rng, STREAM_NETWORKS);
    xp_rng batches = xp_rng_fork(rng, STREAM_BATCHES);
    xp__q_networks_draw(pretrain->net, &networks, parameters);
    for (size_t step = 0; step < o->steps; step++) {
        xp__row_set_clear(&pretrain->rows);
        memset(pretrain->counts, 0, o->batch * o->actions * sizeof pretrain->counts[0]);
        for (size_t i = 0; i < o->batch; i++) {
            const size_t pair = draw_pair(pretrain, &batches);
            bool is_new;
            const size_t row = xp__row_set_add(
                &pretrain->rows, pretrain->states + pair * pretrain->input.row_bytes, &is_new);
            pretrain->counts[row * o->actions + pretrain->actions[pair]] += 1;
        }
        xp_net_imitation imitation = {.td = {.draws = (double)o->batch,
                                             .members = o->members,
                                             .actions = o->actions,
                                             .counts = pretrain->counts},
                                      .beta = o->beta};
        const xp_net_rows rows =
            xp__state_input_rows(&pretrain->input, pretrain->rows.count, pretrain->rows.rows);
        xp_net_train(pretrain->net, &rows, xp_net_imitation_loss, &imitation, NULL);
    }
}
