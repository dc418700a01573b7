/* explore_steps.c: see explore_steps.h. A demonstration that occurs n times is read once and weighs
 * n. */
#include "agent/explore_steps.h"

#include "base/memory.h"

static xp_status check(const xp__state_input *input, size_t actions, const xp_demos *demos,
                       xp_error *error) {
    if (xp_demos_state_size(demos) != input->state_size) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "demonstrations have %zu numbers a state but the environment has %zu",
                            xp_demos_state_size(demos), input->state_size);
    }
    if (xp_demos_actions(demos) > actions) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "demonstrations have %zu actions but the environment has %zu",
                            xp_demos_actions(demos), actions);
    }
    return XP_OK;
}

static void read_steps(xp__explore_steps *steps, const xp__state_input *input,
                       const xp_demos *demos) {
    uint64_t total = 0;
    size_t at = 0;
    for (size_t t = 0; t < xp_demos_distinct(demos); t++) {
        const xp_trajectory trajectory = xp_demos_trajectory(demos, t);
        for (size_t h = 0; h < trajectory.length; h++, at++) {
            const double *state =
                input->state_size > 0 ? trajectory.states + h * input->state_size : NULL;
            xp__state_input_row(input, state, steps->states + at * steps->row_bytes);
            steps->actions[at] = trajectory.actions[h];
            steps->ends[at] = h + 1 == trajectory.length;
            steps->up_to[at] = total += trajectory.count;
        }
    }
}

xp_status xp__explore_steps_init(xp__explore_steps *steps, const xp__state_input *input,
                                 size_t actions, const xp_demos *demos, xp_error *error) {
    *steps = (xp__explore_steps){.row_bytes = input->row_bytes};
    const xp_status status = check(input, actions, demos, error);
    if (status != XP_OK) {
        return status;
    }
    uint64_t total = 0;
    for (size_t t = 0; t < xp_demos_distinct(demos); t++) {
        const xp_trajectory trajectory = xp_demos_trajectory(demos, t);
        steps->count += trajectory.length;
        total += trajectory.length * trajectory.count;
    }
    if (total == 0) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no demonstrated step to learn from");
    }
    steps->states = xp__alloc(steps->count, input->row_bytes);
    steps->actions = xp__alloc(steps->count, sizeof steps->actions[0]);
    steps->ends = xp__alloc(steps->count, sizeof steps->ends[0]);
    steps->up_to = xp__alloc(steps->count, sizeof steps->up_to[0]);
    if (steps->states == NULL || steps->actions == NULL || steps->ends == NULL ||
        steps->up_to == NULL) {
        xp__explore_steps_deinit(steps);
        return xp__no_memory(error);
    }
    read_steps(steps, input, demos);
    return XP_OK;
}

void xp__explore_steps_deinit(xp__explore_steps *steps) {
    xp__free(steps->states);
    xp__free(steps->actions);
    xp__free(steps->ends);
    xp__free(steps->up_to);
    *steps = (xp__explore_steps){.states = NULL};
}

size_t xp__explore_steps_draw(const xp__explore_steps *steps, xp_rng *rng) {
    const uint64_t wanted = xp_rng_below(rng, steps->up_to[steps->count - 1]);
    size_t low = 0, high = steps->count - 1; /* the first step with up_to > wanted */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (steps->up_to[middle] > wanted) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}
