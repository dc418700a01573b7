/* q_prior.c: the registry of priors over Q-functions, and what is common to their fits. */
#include "prior/q_prior_type.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const xp_q_prior_type *xp__q_prior_type_find(const char *name) {
    for (size_t i = 0; i < xp__q_prior_type_count; i++) {
        if (strcmp(xp__q_prior_types[i]->name, name) == 0) {
            return xp__q_prior_types[i];
        }
    }
    return NULL;
}

size_t xp_q_prior_type_count(void) {
    return xp__q_prior_type_count;
}

const char *xp_q_prior_type_name(size_t index) {
    return xp__q_prior_types[index]->name;
}

const char *xp_q_prior_type_summary(size_t index) {
    return xp__q_prior_types[index]->summary;
}

xp_status xp_q_prior_params_default(const char *method, xp_params *params, xp_error *error) {
    const xp_q_prior_type *type = xp__q_prior_type_find(method);
    if (type == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no prior over Q-functions '%.80s'",
                            method);
    }
    *params = xp_params_default(type->name, type->params, type->param_count);
    return XP_OK;
}

xp_status xp_q_prior_fit(const char *method, const xp_params *params, const xp_env_info *env,
                         const xp_demos *demos, xp_rng *rng, xp_q_prior **prior, xp_error *error) {
    *prior = NULL;
    xp_params chosen;
    xp_status status = xp_q_prior_params_default(method, &chosen, error);
    xp__q_demos read;
    if (status == XP_OK) {
        status = xp__q_demos_init(&read, env, demos, error);
    }
    if (status != XP_OK) {
        return status;
    }
    const xp_q_prior_type *type = xp__q_prior_type_find(method);
    xp_q_prior *made = xp__alloc(1, type->size);
    if (made == NULL) {
        xp__q_demos_deinit(&read);
        return xp__no_memory(error);
    }
    assert(params == NULL || params->owner == type->name);
    made->type = type;
    made->params = params != NULL ? *params : chosen;
    made->fit = (xp_q_fit){.log_likelihood = NAN,
                           .lambda = NAN,
                           .divergence = NAN,
                           .duality_gap = NAN,
                           .effective = NAN,
                           .clipped = NAN};
    status = type->fit(made, &read, rng, error);
    xp__q_demos_deinit(&read);
    if (status != XP_OK) {
        xp_q_prior_destroy(made);
        return status;
    }
    *prior = made;
    return XP_OK;
}

void xp_q_prior_destroy(xp_q_prior *prior) {
    if (prior != NULL) {
        if (prior->type->deinit != NULL) {
            prior->type->deinit(prior);
        }
        xp_net_destroy(prior->networks);
        xp_net_destroy(prior->draws);
        xp__free(prior);
    }
}

const char *xp_q_prior_method(const xp_q_prior *prior) {
    return prior->type->name;
}

xp_q_fit xp_q_prior_fit_result(const xp_q_prior *prior) {
    return prior->fit;
}

const xp_net *xp_q_prior_networks(const xp_q_prior *prior) {
    return prior->networks;
}

const double *xp_q_prior_weights(const xp_q_prior *prior) {
    return prior->weights;
}

const xp_net *xp_q_prior_draws(const xp_q_prior *prior) {
    return prior->draws != NULL ? prior->draws : prior->networks;
}
