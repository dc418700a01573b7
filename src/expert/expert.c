/* expert.c: the registry of experts. An expert is its parameters and a rule over optimal values. */
#include "expert/expert_type.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/settings.h"
#include "env/context.h"

#include <assert.h>
#include <string.h>

struct xp_expert {
    const xp__expert_type *type; /* NULL: the caller's function */
    xp__params params;
    const char *name;
    xp_expert_custom *custom;
    void *context;
};

enum { MAX_ACTIONS = 1024 };

static const xp__expert_type *find(const char *name) {
    for (size_t i = 0; i < xp__expert_type_count; i++) {
        if (strcmp(xp__expert_types[i]->name, name) == 0) {
            return xp__expert_types[i];
        }
    }
    return NULL;
}

xp_status xp__expert_params_default(const char *name, xp__params *params, xp_error *error) {
    const xp__expert_type *type = find(name);
    if (type == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "there is no expert '%.80s'; 'experior list experts' shows them", name);
    }
    *params = xp__params_default(type->name, type->params, type->param_count);
    return XP_OK;
}

xp_status xp__expert_params_read(const char *spec, xp__params *params, xp_error *error) {
    return xp__spec_read(spec, xp__expert_params_default, params, error);
}

xp_status xp_expert_create(const char *spec, xp_expert **expert, xp_error *error) {
    XP__NOT_NULL(expert, error);
    *expert = NULL;
    xp__params params;
    const xp_status status = xp__expert_params_read(spec, &params, error);
    return status == XP_OK ? xp__expert_create(params.owner, &params, expert, error) : status;
}

xp_status xp__expert_create(const char *name, const xp__params *params, xp_expert **expert,
                            xp_error *error) {
    *expert = NULL;
    xp__params defaults;
    const xp_status status = xp__expert_params_default(name, &defaults, error);
    if (status != XP_OK) {
        return status;
    }
    xp_expert *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->type = find(name);
    assert(params == NULL || params->table == made->type->params);
    made->params = params != NULL ? *params : defaults;
    *expert = made;
    return XP_OK;
}

void xp_expert_destroy(xp_expert *expert) {
    xp__free(expert);
}

xp_status xp_expert_create_custom(const char *name, xp_expert_custom *act, void *context,
                                  xp_expert **expert, xp_error *error) {
    XP__NOT_NULL(expert, error);
    *expert = NULL;
    if (name == NULL || act == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "an expert needs a name and a function");
    }
    xp_expert *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    *made = (xp_expert){.name = name, .custom = act, .context = context};
    *expert = made;
    return XP_OK;
}

static xp_status act_custom(const xp_expert *expert, xp_rng *rng, const xp_task *task,
                            const double *state, size_t *action, xp_error *error) {
    const xp_status status = expert->custom(expert->context, rng, task, state, action, error);
    if (status == XP_OK && *action >= xp__task_actions(task)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "expert %.80s took action %zu; the environment has %zu", expert->name,
                            *action, xp__task_actions(task));
    }
    return status;
}

xp_status xp_expert_act(const xp_expert *expert, xp_rng *rng, const xp_task *task,
                        const double *state, size_t *action, xp_error *error) {
    XP__NOT_NULL(action, error);
    *action = 0;
    XP__NOT_NULL(expert, error);
    XP__NOT_NULL(rng, error);
    XP__NOT_NULL(task, error);
    if (xp__task_state_size(task) > 0) {
        XP__NOT_NULL(state, error);
    }
    if (expert->custom != NULL) {
        return act_custom(expert, rng, task, state, action, error);
    }
    if (!xp__task_has_optimal_q(task)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "expert %s goes by optimal action values, which the environment does "
                            "not give (task_optimal_q)",
                            expert->type->name);
    }
    assert(xp__task_actions(task) <= MAX_ACTIONS);
    double q[MAX_ACTIONS];
    xp__task_optimal_q(task, state, q);
    *action = expert->type->act(&expert->params, rng, q, xp__task_actions(task));
    return XP_OK;
}
