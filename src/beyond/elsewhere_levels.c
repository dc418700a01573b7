/* elsewhere_levels.c: see elsewhere_levels.h. Streams are those of the task, under names that no
 * agent uses. */
#include "beyond/elsewhere_levels.h"

#include "base/memory.h"
#include "env/running.h"
#include "expert/expert_type.h"

enum { STREAM_EXPERT = 100, STREAM_RANDOM };

/* The mean return of an expert, or of random actions if `expert` is NULL. */
static xp_status play(xp_task *task, const xp_env_info *info, const xp_expert *expert, xp_rng rng,
                      double *state, double *mean, xp_error *error) {
    *mean = 0;
    xp_status status = XP_OK;
    for (size_t t = 0; status == XP_OK && t < XP__LEVEL_EPISODES; t++) {
        xp_step step = {.end = XP_CONTINUES};
        xp_task_reset(task, &rng, state);
        while (status == XP_OK && step.end == XP_CONTINUES) {
            size_t action = (size_t)xp_rng_below(&rng, info->actions);
            if (expert != NULL) {
                status = xp_expert_act(expert, &rng, task, state, &action, error);
            }
            if (status == XP_OK) {
                step = xp_task_step(task, &rng, action, state);
                *mean += step.reward / XP__LEVEL_EPISODES;
            }
        }
    }
    return status == XP_OK ? xp__task_status(task, error) : status;
}

static xp_status expert_of(const xp__expert_entry *entry, xp_expert **expert, xp_error *error) {
    xp__params params;
    *expert = NULL;
    xp_status status = xp__expert_params_default(entry->name, &params, error);
    if (status == XP_OK && entry->parameter != NULL) {
        status = xp__params_set(&params, entry->parameter, entry->value, error);
    }
    return status == XP_OK ? xp__expert_create(entry->name, &params, expert, error) : status;
}

xp_status xp__levels_measure(const xp__unit *unit, size_t run, xp__levels *levels,
                             xp_error *error) {
    const xp_env_info info = xp_env_describe(unit->problem->env);
    const xp_rng tasks = xp__problem_tasks(unit->problem);
    const xp_rng own = xp_rng_fork(&tasks, run);
    xp_rng context = xp__task_context(&tasks, run);
    xp_expert *expert = NULL;
    xp_task *task = NULL;
    double *state = xp__alloc(info.state_size + 1, sizeof *state);
    xp_status status =
        state != NULL ? expert_of(unit->expert, &expert, error) : xp__no_memory(error);
    if (status == XP_OK) {
        status = xp_task_create(unit->problem->env, &task, error);
    }
    if (status == XP_OK) {
        xp_task_draw(task, &context);
        status = play(task, &info, expert, xp_rng_fork(&own, STREAM_EXPERT), state, &levels->expert,
                      error);
    }
    if (status == XP_OK) {
        status = play(task, &info, NULL, xp_rng_fork(&own, STREAM_RANDOM), state, &levels->random,
                      error);
    }
    xp_task_destroy(task);
    xp_expert_destroy(expert);
    xp__free(state);
    return status;
}
