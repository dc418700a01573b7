/* encoded_demos.c: see encoded_demos.h. A demonstration that occurs n times is read once and weighs
 * n. */
#include "encode/encoded_demos.h"

#include "base/memory.h"

#include <stdio.h>

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

static xp_status check(const xp__encoded_demos *read, const xp_demos *demos, xp_error *error) {
    const xp__state_input *input = &read->input;
    if (xp_demos_state_size(demos) != input->state_size) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "demonstrations have %zu numbers a state but the environment has %zu",
                            xp_demos_state_size(demos), input->state_size);
    }
    if (xp_demos_actions(demos) > read->actions) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "demonstrations have %zu actions but the environment has %zu",
                            xp_demos_actions(demos), read->actions);
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

static xp_status allocate(xp__encoded_demos *read, size_t trajectories, size_t steps,
                          xp_error *error) {
    read->start = xp__alloc(trajectories + 1, sizeof read->start[0]);
    read->count = xp__alloc(trajectories, sizeof read->count[0]);
    read->row = xp__alloc(steps, sizeof read->row[0]);
    read->action = xp__alloc(steps, sizeof read->action[0]);
    read->steps_up_to = xp__alloc(steps, sizeof read->steps_up_to[0]);
    if (read->start == NULL || read->count == NULL || read->row == NULL || read->action == NULL ||
        read->steps_up_to == NULL) {
        return xp__no_memory(error);
    }
    return xp__row_set_init(&read->rows, read->input.row_bytes, steps, error);
}

static void add(xp__encoded_demos *read, const xp_trajectory *trajectory, void *row) {
    const size_t first = read->start[read->trajectories], width = read->input.state_size;
    for (size_t h = 0; h < trajectory->length; h++) {
        const size_t step = first + h;
        bool is_new;
        xp__state_input_row(&read->input, width > 0 ? trajectory->states + h * width : NULL, row);
        read->row[step] = (uint32_t)xp__row_set_add(&read->rows, row, &is_new);
        read->action[step] = trajectory->actions[h];
        read->steps_up_to[step] = (step > 0 ? read->steps_up_to[step - 1] : 0) + trajectory->count;
    }
    read->count[read->trajectories++] = trajectory->count;
    read->start[read->trajectories] = first + trajectory->length;
    read->total += trajectory->count;
}

xp_status xp__encoded_demos_init(xp__encoded_demos *read, const xp_env_info *env,
                                 const xp_demos *demos, const xp__state_units *units,
                                 xp_error *error) {
    *read = (xp__encoded_demos){.actions = env->actions};
    xp_status status = xp__state_input_init(&read->input, env, error);
    read->input.units = units;
    if (status == XP_OK) {
        status = check(read, demos, error);
    }
    if (status != XP_OK) {
        return status;
    }
    size_t steps = 0;
    for (size_t t = 0; t < xp_demos_distinct(demos); t++) {
        steps += xp_demos_trajectory(demos, t).length;
    }
    if (steps == 0) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no demonstrated step to learn from");
    }
    void *row = xp__alloc(1, read->input.row_bytes);
    status =
        row != NULL ? allocate(read, xp_demos_distinct(demos), steps, error) : xp__no_memory(error);
    for (size_t t = 0; status == XP_OK && t < xp_demos_distinct(demos); t++) {
        const xp_trajectory trajectory = xp_demos_trajectory(demos, t);
        if (trajectory.length > 0 && trajectory.count > 0) {
            add(read, &trajectory, row);
        }
    }
    xp__free(row);
    if (status != XP_OK) {
        xp__encoded_demos_deinit(read);
    }
    return status;
}

void xp__encoded_demos_deinit(xp__encoded_demos *read) {
    xp__row_set_deinit(&read->rows);
    xp__free(read->start);
    xp__free(read->count);
    xp__free(read->row);
    xp__free(read->action);
    xp__free(read->steps_up_to);
    *read = (xp__encoded_demos){.start = NULL};
}

size_t xp__encoded_demos_draw_step(const xp__encoded_demos *read, xp_rng *rng) {
    const size_t steps = read->start[read->trajectories];
    const uint64_t wanted = xp_rng_below(rng, read->steps_up_to[steps - 1]);
    size_t low = 0, high = steps - 1; /* the first step with steps_up_to > wanted */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (read->steps_up_to[middle] > wanted) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

xp__net_rows xp__encoded_demos_rows(const xp__encoded_demos *read) {
    return xp__state_input_rows(&read->input, read->rows.count, read->rows.rows);
}
