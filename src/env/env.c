/* env.c: the registry of environments, and the calls that pass through to the implementation. */
#include "env/context.h"
#include "env/create.h"
#include "env/custom.h"
#include "env/env_type.h"
#include "env/running.h"
#include "env/task_distribution.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/settings.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const xp__env_type *find(const char *name) {
    for (size_t i = 0; i < xp__env_type_count; i++) {
        if (strcmp(xp__env_types[i]->name, name) == 0) {
            return xp__env_types[i];
        }
    }
    return NULL;
}

xp_status xp__env_params_default(const char *name, xp__params *params, xp_error *error) {
    const xp__env_type *type = find(name);
    if (type == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "there is no environment '%.80s'; 'experior list environments' shows "
                            "them",
                            name);
    }
    *params = xp__params_default(type->name, type->params, type->param_count);
    return XP_OK;
}

xp_status xp__env_params_read(const char *spec, xp__params *params, xp_error *error) {
    return xp__spec_read(spec, xp__env_params_default, params, error);
}

xp_status xp__env_create(const char *name, const xp__params *params, xp_rng *rng, xp_env **env,
                         xp_error *error) {
    *env = NULL;
    xp__params defaults;
    xp_status status = xp__env_params_default(name, &defaults, error);
    if (status != XP_OK) {
        return status;
    }
    const xp__env_type *type = find(name);
    assert(params == NULL || params->table == type->params);
    xp_env *made = xp__alloc(1, type->env_size);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->type = type;
    made->info.name = type->name;
    made->params = params != NULL ? *params : defaults;
    status = type->init(made, params != NULL ? params : &defaults, rng, error);
    if (status != XP_OK) {
        xp_env_destroy(made);
        return status;
    }
    *env = made;
    return XP_OK;
}

xp_status xp_env_create(const char *spec, xp_rng *rng, xp_env **env, xp_error *error) {
    XP__NOT_NULL(env, error);
    *env = NULL;
    XP__NOT_NULL(rng, error);
    xp__params params;
    const xp_status status = xp__env_params_read(spec, &params, error);
    return status == XP_OK ? xp__env_create(params.owner, &params, rng, env, error) : status;
}

xp__env_listing xp__env_list(size_t index) {
    const xp__env_type *type = xp__env_types[index];
    return (xp__env_listing){type->name, type->summary, type->params, type->param_count};
}

char *xp__env_spec(const xp_env *env) {
    xp__text text = {.data = NULL}, settings = {.data = NULL};
    xp__settings_write(&env->params, true, &settings);
    xp__text_append(&text, env->type->name);
    if (settings.length > 0) {
        xp__text_format(&text, ":%s", settings.data);
    }
    text.failed |= settings.failed;
    xp__text_deinit(&settings);
    char *taken;
    size_t length;
    return xp__text_take(&text, &taken, &length, NULL) == XP_OK ? taken : NULL;
}

void xp_env_destroy(xp_env *env) {
    if (env != NULL) {
        env->type->deinit(env);
        xp__free(env);
    }
}

xp_env_info xp_env_describe(const xp_env *env) {
    return env != NULL ? env->info : (xp_env_info){.name = NULL};
}

xp_status xp_task_create(const xp_env *env, xp_task **task, xp_error *error) {
    XP__NOT_NULL(task, error);
    *task = NULL;
    XP__NOT_NULL(env, error);
    *task = xp__alloc(1, env->type->task_size(env));
    if (*task == NULL) {
        return xp__no_memory(error);
    }
    (*task)->env = env;
    if (env->type->task_init == NULL) {
        return XP_OK;
    }
    const xp_status status = env->type->task_init(*task, error);
    if (status != XP_OK) {
        xp__free(*task);
        *task = NULL;
    }
    return status;
}

void xp_task_destroy(xp_task *task) {
    if (task != NULL && task->env->type->task_deinit != NULL) {
        task->env->type->task_deinit(task);
    }
    xp__free(task);
}

xp_status xp__task_status(xp_task *task, xp_error *error) {
    const xp__env_type *type = task->env->type;
    return type->task_status != NULL ? type->task_status(task, error) : XP_OK;
}

bool xp__env_parallel(const xp_env *env) {
    return env->type != &xp__custom_env_type || xp__env_custom_parallel(env);
}

bool xp__task_has_optimal_q(const xp_task *task) {
    return task->env->type != &xp__custom_env_type || xp__env_custom_has_optimal_q(task->env);
}

void xp_task_draw(xp_task *task, xp_rng *rng) {
    if (task != NULL && rng != NULL) {
        task->env->type->task_draw(task, rng);
    }
}

void xp_task_reset(xp_task *task, xp_rng *rng, double *state) {
    if (task != NULL && rng != NULL && (state != NULL || task->env->info.state_size == 0)) {
        task->env->type->task_reset(task, rng, state);
    }
}

xp_step xp_task_step(xp_task *task, xp_rng *rng, size_t action, double *state) {
    if (task == NULL || rng == NULL || action >= task->env->info.actions ||
        (state == NULL && task->env->info.state_size > 0)) {
        return (xp_step){.reward = NAN, .regret = NAN, .end = XP_TERMINATED};
    }
    return task->env->type->task_step(task, rng, action, state);
}

void xp__task_optimal_q(const xp_task *task, const double *state, double *q) {
    task->env->type->task_optimal_q(task, state, q);
}

size_t xp__task_state_size(const xp_task *task) {
    return task->env->info.state_size;
}

size_t xp__task_actions(const xp_task *task) {
    return task->env->info.actions;
}

void xp__task_set_context(xp_task *task, size_t context) {
    assert(context < task->env->info.contexts);
    task->env->type->task_set_context(task, context);
}

size_t xp__policy_action(const xp_task *task, xp__policy policy, void *policy_context,
                         const double *state) {
    (void)task; /* which only the assertion needs */
    const size_t action = policy(policy_context, state);
    assert(action < task->env->info.actions);
    return action;
}

double xp__task_policy_value(const xp_task *task, xp__policy policy, void *policy_context) {
    return task->env->type->task_policy_value != NULL
               ? task->env->type->task_policy_value(task, policy, policy_context)
               : NAN;
}

double xp__task_optimal_value(const xp_task *task) {
    return task->env->type->task_optimal_value != NULL ? task->env->type->task_optimal_value(task)
                                                       : NAN;
}

bool xp__board_exists(const xp_env *env) {
    return env->type->board != NULL;
}

size_t xp__board_cell(const xp_env *env, const double *state) {
    return env->type->board->cell(env, state);
}

bool xp__board_move(const xp_env *env, size_t action, double *state) {
    assert(action < env->info.actions);
    return env->type->board->move(env, action, state);
}

void xp__task_board(const xp_task *task, xp__board *board) {
    *board = (xp__board){.rows = 0};
    task->env->type->board->describe(task, board);
}

xp_status xp__contexts_create(const xp_env *env, xp__contexts **contexts, xp_error *error) {
    assert(env->info.contexts > 0);
    const xp__contexts_type *type = env->type->contexts;
    *contexts = xp__alloc(1, type->size(env));
    if (*contexts == NULL) {
        return xp__no_memory(error);
    }
    (*contexts)->env = env;
    if (type->init != NULL) {
        type->init(*contexts);
    }
    return XP_OK;
}

void xp__contexts_destroy(xp__contexts *contexts) {
    xp__free(contexts);
}

size_t xp__contexts_count(const xp__contexts *contexts) {
    return contexts->env->info.contexts;
}

void xp__contexts_likelihood(xp__contexts *contexts, const xp__shown *episodes, size_t count,
                             xp__choice choice, const void *expert, double *log_likelihood) {
    contexts->env->type->contexts->likelihood(contexts, episodes, count, choice, expert,
                                              log_likelihood);
}

void xp__contexts_plan(xp__contexts *contexts, size_t context) {
    assert(context < contexts->env->info.contexts);
    contexts->env->type->contexts->plan(contexts, context);
}

void xp__contexts_values(xp__contexts *contexts, const double *state, double *q) {
    contexts->env->type->contexts->values(contexts, state, q);
}

void xp__contexts_begin(xp__contexts *contexts) {
    if (contexts->env->type->contexts->begin != NULL) {
        contexts->env->type->contexts->begin(contexts);
    }
}

void xp__contexts_observe(xp__contexts *contexts, const xp__seen *step, double tolerance,
                          double *log_likelihood) {
    contexts->env->type->contexts->observe(contexts, step, tolerance, log_likelihood);
}

void xp__contexts_archive(xp__contexts *contexts, xp__archive *archive) {
    if (contexts->env->type->contexts->archive != NULL) {
        contexts->env->type->contexts->archive(contexts, archive);
    }
}
