/* agent_spec.c: "name:key=value,…" into an agent, the prior it needs and its sampler.
 *
 * A key belongs to the agent, else to its prior, else to its sampler. Which prior and which sampler
 * depends on the agent's own keys, so those are read first. What an agent and its prior over
 * Q-functions both have, such as the width of the networks, is set for both. */
#include "agent/agent_type.h"

#include "base/memory.h"
#include "base/settings.h"
#include "env/task_distribution.h"
#include "prior/bandit/prior_type.h"
#include "sampler/sampler_type.h"

#include <string.h>

/* First pass: the agent's own parameters and the sampler's name. */
static xp_status read_own(const xp__agent_type *type, const char *settings, const char *text,
                          xp__agent_spec *spec, xp_error *error) {
    xp_status status = XP_OK;
    xp__setting each;
    while (xp__setting_next(&settings, &each, text, &status, error)) {
        if (type->has_sampler && strcmp(each.key, "sampler") == 0) {
            if (strcmp(each.value, "auto") == 0) {
                continue;
            }
            status = xp__sampler_params_default(each.value, &spec->sampler_params, error);
            if (status == XP_OK) {
                spec->sampler = spec->sampler_params.owner;
            }
        } else if (xp__params_has(&spec->agent_params, each.key)) {
            status = xp__params_set_text(&spec->agent_params, each.key, each.value, error);
        }
        if (status != XP_OK) {
            return status;
        }
    }
    return status;
}

/* Second pass: what is left belongs to the prior or to the sampler. */
static xp_status read_rest(const xp__agent_type *type, const char *settings, const char *text,
                           xp__agent_spec *spec, xp_error *error) {
    xp_status status = XP_OK;
    xp__setting each;
    while (xp__setting_next(&settings, &each, text, &status, error)) {
        const bool shared = spec->states && xp__params_has(&spec->prior_params, each.key);
        if ((xp__params_has(&spec->agent_params, each.key) && !shared) ||
            (type->has_sampler && strcmp(each.key, "sampler") == 0)) {
            continue;
        }
        if (xp__params_has(&spec->prior_params, each.key)) {
            status = xp__params_set_text(&spec->prior_params, each.key, each.value, error);
        } else if (xp__params_has(&spec->sampler_params, each.key)) {
            status = xp__params_set_text(&spec->sampler_params, each.key, each.value, error);
        } else {
            status =
                xp_error_set(error, XP_ERR_INPUT,
                             "agent '%.120s': neither %s, nor its prior, nor its sampler has a "
                             "parameter '%s'",
                             text, type->name, each.key);
        }
        if (status != XP_OK) {
            return status;
        }
    }
    return status;
}

xp_status xp__agent_spec_parse(const char *text, const xp_env_info *env, xp__agent_spec *spec,
                               xp_error *error) {
    char name[XP__SETTING_KEY];
    const size_t length = strcspn(text, ":");
    const size_t copied = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, text, copied);
    name[copied] = '\0';
    const xp__agent_type *type =
        length == copied ? xp__agent_find(name, env != NULL && env->state_size > 0) : NULL;
    if (type == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "there is no agent '%.80s'; 'experior list agents' shows them", name);
    }
    *spec = (xp__agent_spec){.name = type->name,
                             .states = type->has_states,
                             .sampler = type->has_sampler ? "auto" : NULL};
    spec->agent_params = xp__params_default(type->name, type->params, type->param_count);
    const char *settings = text[length] == ':' ? text + length + 1 : text + length;
    xp_status status = read_own(type, settings, text, spec, error);
    if (status == XP_OK && type->prior_method != NULL) {
        spec->prior_method = type->prior_method(&spec->agent_params);
    }
    if (status == XP_OK && spec->prior_method != NULL && !type->is_oracle) {
        status =
            type->has_states
                ? xp__states_prior_params_default(spec->prior_method, &spec->prior_params, error)
                : xp__prior_params_default(spec->prior_method, &spec->prior_params, error);
    }
    return status == XP_OK ? read_rest(type, settings, text, spec, error) : status;
}

/* The oracle's prior is the task distribution itself. */
static xp_status oracle_prior(const xp_env *env, xp_prior **prior, xp_error *error) {
    const double *a, *b;
    double low, high;
    if (env == NULL || !xp__bernoulli_bandit_parameters(env, &a, &b, &low, &high)) {
        return xp_error_set(
            error, XP_ERR_INPUT,
            "the oracle needs an environment whose distribution over tasks is known");
    }
    const size_t arms = xp_env_describe(env).actions;
    return low == 0 && high == 1 ? xp_prior_create_beta(arms, a, b, prior, error)
                                 : xp__prior_create_ranged(arms, a, b, low, high, prior, error);
}

xp_status xp__agent_fit(const xp__agent_spec *spec, const xp_env_info *info, const xp_env *env,
                        const xp_demos *demos, const xp__fit_watch *watch, xp_rng *rng,
                        xp_prior **prior, xp__states_prior **states_prior, xp_error *error) {
    *prior = NULL;
    *states_prior = NULL;
    const xp__agent_type *type = xp__agent_find(spec->name, spec->states);
    const xp_status status = xp__agent_check_env(type, info, error);
    if (status != XP_OK || spec->prior_method == NULL) {
        return status;
    }
    if (type->is_oracle) {
        return oracle_prior(env, prior, error);
    }
    if (demos == NULL && !type->needs_demos && !spec->states) {
        return xp__prior_create_alone(&spec->prior_params, info->actions, prior, error);
    }
    if (demos == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "agent %s needs demonstrations", spec->name);
    }
    const xp_progress progress = watch != NULL ? watch->progress : NULL;
    void *const context = watch != NULL ? watch->context : NULL;
    if (spec->states) {
        const xp__states_prior_fit_options options = {&spec->prior_params, rng, progress, context};
        return xp__states_prior_fit_with(spec->prior_method, &options, info, demos, states_prior,
                                         error);
    }
    const xp__prior_fit_options options = {
        .params = &spec->prior_params,
        .rng = rng,
        .progress = progress,
        .progress_context = context,
    };
    return xp__prior_fit_with(spec->prior_method, &options, demos, prior, NULL, error);
}

xp_status xp__agent_prior_fit(const xp__agent_spec *spec, const xp_env *env, const xp_demos *demos,
                              xp_rng *rng, xp_prior **prior, xp_error *error) {
    const xp_env_info info = env != NULL ? xp_env_describe(env) : (xp_env_info){.horizon = 1};
    xp__states_prior *none = NULL;
    *prior = NULL;
    return spec->states ? XP_OK
                        : xp__agent_fit(spec, &info, env, demos, NULL, rng, prior, &none, error);
}

/* For the environment that the demonstrations tell of. */
static xp_status fit_as_data_suggest(const xp__agent_spec *spec, const xp_demos *demos, xp_rng *rng,
                                     xp__states_prior **prior, xp_error *error) {
    const size_t numbers = xp_demos_state_size(demos);
    size_t *categories = xp__alloc(numbers, sizeof *categories);
    if (categories == NULL) {
        return xp__no_memory(error);
    }
    const xp_env_info info = xp_demos_environment(demos, categories);
    const xp_status status = xp__states_prior_fit(spec->prior_method, &spec->prior_params, &info,
                                                  demos, rng, prior, error);
    xp__free(categories);
    return status;
}

xp_status xp__agent_q_prior_fit(const xp__agent_spec *spec, const xp_env *env,
                                const xp_demos *demos, xp_rng *rng, xp__states_prior **prior,
                                xp_error *error) {
    const xp_env_info info = env != NULL ? xp_env_describe(env) : (xp_env_info){.horizon = 1};
    xp_prior *none = NULL;
    *prior = NULL;
    if (!spec->states) {
        return XP_OK;
    }
    return env == NULL && demos != NULL && spec->prior_method != NULL
               ? fit_as_data_suggest(spec, demos, rng, prior, error)
               : xp__agent_fit(spec, &info, env, demos, NULL, rng, &none, prior, error);
}
