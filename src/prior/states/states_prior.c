/* states_prior.c: the registry of priors over Q-functions, and what is common to their fits. */
#include "prior/states/states_prior_type.h"

#include "base/budget.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const xp__states_prior_type *xp__states_prior_type_find(const char *name) {
    for (size_t i = 0; i < xp__states_prior_type_count; i++) {
        if (strcmp(xp__states_prior_types[i]->name, name) == 0) {
            return xp__states_prior_types[i];
        }
    }
    return NULL;
}

xp_status xp__states_prior_params_default(const char *method, xp__params *params, xp_error *error) {
    const xp__states_prior_type *type = xp__states_prior_type_find(method);
    if (type == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no prior over Q-functions '%.80s'",
                            method);
    }
    *params = xp__params_default(type->name, type->params, type->param_count);
    return XP_OK;
}

/* A network that is not finite, or whose values are not, is no draw of a prior. */
static xp_status check_finite(const xp__states_prior *prior, xp_error *error) {
    const xp__net *both[2] = {prior->networks, prior->draws};
    bool finite = isfinite(prior->fit.log_likelihood);
    for (size_t i = 0; finite && i < 2 && both[i] != NULL; i++) {
        const size_t members = xp__net_get_options(both[i])->members;
        for (size_t member = 0; finite && member < members; member++) {
            finite = isfinite(xp__net_norm(both[i], member));
        }
    }
    return finite ? XP_OK
                  : xp_error_set(error, XP_ERR_NUMERIC,
                                 "the fit of %s diverged: its networks are not finite. Use %s",
                                 prior->type->name, prior->type->steadier);
}

/* Room for the states twice, as inputs and as action values, is the most that a method takes beside
 * what it checks itself. */
static xp_status check_memory(const xp__encoded_demos *read, xp_error *error) {
    char what[96];
    (void)snprintf(what, sizeof what, "%zu demonstrated states with %zu actions", read->rows.count,
                   read->actions);
    return xp__budget_check(read->rows.count,
                            2 * (read->input.row_bytes + read->actions * sizeof(float)), what,
                            "use fewer demonstrations, actions, or values of a state", error);
}

xp_status xp__states_prior_create(const char *method, xp__states_prior **prior, xp_error *error) {
    const xp__states_prior_type *type = xp__states_prior_type_find(method);
    *prior = xp__alloc(1, type->size);
    if (*prior == NULL) {
        return xp__no_memory(error);
    }
    (*prior)->type = type;
    (*prior)->params = xp__params_default(type->name, type->params, type->param_count);
    return XP_OK;
}

xp_status xp__states_prior_fit(const char *method, const xp__params *params, const xp_env_info *env,
                               const xp_demos *demos, xp_rng *rng, xp__states_prior **prior,
                               xp_error *error) {
    const xp__states_prior_fit_options options = {.params = params, .rng = rng};
    return xp__states_prior_fit_with(method, &options, env, demos, prior, error);
}

xp_status xp__states_prior_fit_with(const char *method, const xp__states_prior_fit_options *options,
                                    const xp_env_info *env, const xp_demos *demos,
                                    xp__states_prior **prior, xp_error *error) {
    *prior = NULL;
    xp__encoded_demos read;
    const xp__params *params = options->params;
    xp__params chosen;
    xp__states_prior *made = NULL;
    xp_status status = xp__states_prior_params_default(method, &chosen, error);
    if (status == XP_OK) {
        status = xp__states_prior_create(method, &made, error);
    }
    if (status == XP_OK) {
        status = xp__state_units_init(&made->units, env, demos, error);
    }
    if (status == XP_OK) {
        status = xp__encoded_demos_init(&read, env, demos, xp__states_prior_units(made), error);
    }
    if (status != XP_OK) {
        xp__states_prior_destroy(made);
        return status;
    }
    assert(params == NULL || params->owner == made->type->name);
    made->params = params != NULL ? *params : chosen;
    made->fit = (xp__states_fit){.log_likelihood = NAN,
                                 .lambda = NAN,
                                 .divergence = NAN,
                                 .duality_gap = NAN,
                                 .effective = NAN,
                                 .clipped = NAN};
    made->watch = (xp__watch){.progress = options->progress, .context = options->progress_context};
    status = check_memory(&read, error);
    if (status == XP_OK) {
        status = made->type->fit(made, &read, options->rng, error);
    }
    if (made->watch.stopped) {
        status = xp_error_set(error, XP_ERR_INTERRUPTED, "the fit was interrupted");
    }
    made->watch = (xp__watch){.progress = NULL};
    xp__encoded_demos_deinit(&read);
    if (status == XP_OK) {
        status = check_finite(made, error);
    }
    if (status != XP_OK) {
        xp__states_prior_destroy(made);
        return status;
    }
    *prior = made;
    return XP_OK;
}

void xp__states_prior_destroy(xp__states_prior *prior) {
    if (prior != NULL) {
        if (prior->type->deinit != NULL) {
            prior->type->deinit(prior);
        }
        xp__net_destroy(prior->networks);
        xp__net_destroy(prior->draws);
        xp__free(prior->weights);
        xp__state_units_deinit(&prior->units);
        xp__free(prior);
    }
}

const char *xp__states_prior_method(const xp__states_prior *prior) {
    return prior->type->name;
}

xp__states_fit xp__states_prior_fit_result(const xp__states_prior *prior) {
    return prior->fit;
}

const xp__state_units *xp__states_prior_units(const xp__states_prior *prior) {
    return prior != NULL && prior->units.mean != NULL ? &prior->units : NULL;
}

const xp__net *xp__states_prior_networks(const xp__states_prior *prior) {
    return prior->networks;
}

const double *xp__states_prior_weights(const xp__states_prior *prior) {
    return prior->weights;
}

const xp__net *xp__states_prior_draws(const xp__states_prior *prior) {
    return prior->draws != NULL ? prior->draws : prior->networks;
}
