/* draw.c: demonstrations drawn from a simulator (paper, section 2): for each one a hidden context
 * from the task distribution, then one episode of an expert who sees it.
 *
 * Demonstration i has its own random stream, so it is the same whatever was drawn before it, and
 * the first n of m demonstrations are the n that would have been drawn alone. */
#include "demos/demos_type.h"

#include "base/check.h"
#include "base/memory.h"
#include "env/running.h"

typedef struct scratch {
    xp_task *task;
    double *states; /* (horizon + 1) × state_size */
    uint32_t *actions;
} scratch;

/* `context` is where the context is drawn from, if not from `rng`. */
static xp_status play(const xp_env_info *info, const xp_expert *expert, const xp_rng *context,
                      xp_rng *rng, scratch *room, size_t *length, xp_error *error) {
    double *state = room->states;
    if (context != NULL) {
        xp_rng same = *context;
        xp_task_draw(room->task, &same);
    } else {
        xp_task_draw(room->task, rng);
    }
    xp_task_reset(room->task, rng, state);
    xp_status status = xp__task_status(room->task, error);
    *length = 0;
    for (bool over = false; status == XP_OK && !over && *length < info->horizon; (*length)++) {
        size_t action;
        status = xp_expert_act(expert, rng, room->task, state, &action, error);
        if (status != XP_OK) {
            break;
        }
        double *next = state + info->state_size;
        for (size_t i = 0; i < info->state_size; i++) {
            next[i] = state[i]; /* a step may change only what it has to */
        }
        room->actions[*length] = (uint32_t)action;
        over = xp_task_step(room->task, rng, action, next).end != XP_CONTINUES;
        status = xp__task_status(room->task, error);
        state = next;
    }
    return status;
}

xp_status xp_demos_draw(const xp_env *env, const xp_expert *expert, uint64_t count, xp_rng *rng,
                        xp_demos **demos, xp_error *error) {
    XP__NOT_NULL(demos, error);
    *demos = NULL;
    XP__NOT_NULL(env, error);
    XP__NOT_NULL(expert, error);
    XP__NOT_NULL(rng, error);
    return xp__demos_draw_from(env, expert, count, NULL, rng, demos, error);
}

xp_status xp__demos_draw_from(const xp_env *env, const xp_expert *expert, uint64_t count,
                              const xp_rng *context, xp_rng *rng, xp_demos **demos,
                              xp_error *error) {
    *demos = NULL;
    const xp_env_info info = xp_env_describe(env);
    xp_demos *made = NULL;
    scratch room = {.task = NULL};
    xp_status status = xp_demos_create(info.state_size, info.actions, &made, error);
    if (status == XP_OK) {
        status = xp_task_create(env, &room.task, error);
    }
    if (status == XP_OK) {
        room.states = info.horizon < SIZE_MAX && info.state_size <= SIZE_MAX / 16
                          ? xp__alloc(info.horizon + 1, info.state_size * sizeof(double))
                          : NULL;
        room.actions = xp__alloc(info.horizon, sizeof(uint32_t));
        if (room.states == NULL || room.actions == NULL) {
            status = xp__no_memory(error);
        }
    }
    const xp_rng root = xp_rng_fork(rng, xp_rng_bits(rng));
    for (uint64_t i = 0; status == XP_OK && i < count; i++) {
        xp_rng stream = xp_rng_fork(&root, i);
        size_t length;
        status = play(&info, expert, context, &stream, &room, &length, error);
        if (status == XP_OK) {
            status = xp_demos_add(made, room.states, room.actions, length, 1, error);
        }
    }
    xp__free(room.states);
    xp__free(room.actions);
    xp_task_destroy(room.task);
    if (status != XP_OK) {
        xp_demos_destroy(made);
        return status;
    }
    *demos = made;
    return XP_OK;
}
