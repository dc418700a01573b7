/* expert.c: the registry of experts. An expert is its parameters and a rule over optimal values. */
#include "expert/expert_type.h"

#include "base/memory.h"
#include "env/context.h"

#include <assert.h>
#include <string.h>

struct xp_expert {
    const xp_expert_type *type;
    xp_params params;
};

enum { MAX_ACTIONS = 1024 };

static const xp_expert_type *find(const char *name) {
    for (size_t i = 0; i < xp__expert_type_count; i++) {
        if (strcmp(xp__expert_types[i]->name, name) == 0) {
            return xp__expert_types[i];
        }
    }
    return NULL;
}

size_t xp_expert_type_count(void) {
    return xp__expert_type_count;
}

const char *xp_expert_type_name(size_t index) {
    assert(index < xp__expert_type_count);
    return xp__expert_types[index]->name;
}

const char *xp_expert_type_summary(size_t index) {
    assert(index < xp__expert_type_count);
    return xp__expert_types[index]->summary;
}

xp_status xp_expert_params_default(const char *name, xp_params *params, xp_error *error) {
    const xp_expert_type *type = find(name);
    if (type == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no expert '%.80s'", name);
    }
    *params = xp_params_default(type->name, type->params, type->param_count);
    return XP_OK;
}

xp_status xp_expert_create(const char *name, const xp_params *params, xp_expert **expert,
                           xp_error *error) {
    *expert = NULL;
    xp_params defaults;
    const xp_status status = xp_expert_params_default(name, &defaults, error);
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

size_t xp_expert_act(const xp_expert *expert, xp_rng *rng, const xp_task *task,
                     const double *state) {
    assert(xp__task_actions(task) <= MAX_ACTIONS);
    double q[MAX_ACTIONS];
    xp__task_optimal_q(task, state, q);
    return expert->type->act(&expert->params, rng, q, xp__task_actions(task));
}

size_t xp__argmax(const double *value, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
        best = value[i] > value[best] ? i : best;
    }
    return best;
}
