/* model.c: fitting a model, and what it says of itself. */
#include "model/model_type.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/settings.h"
#include "agent/agent_type.h"
#include "demos/action.h"
#include "demos/demos_type.h"
#include "env/task_distribution.h"
#include "net/kernels/kernels.h"
#include "prior/bandit/prior_type.h"
#include "prior/states/states_prior_type.h"

#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

static const char default_agent[] = "experior_maxent";

void xp_model_options_init(xp_model_options *options, size_t size) {
    const xp_model_options own = {.size = sizeof own, .seed = 1};
    xp__options_give(options, size, &own, sizeof own);
}

char *xp__machine(void) {
    struct utsname system;
    const char *architecture = uname(&system) == 0 ? system.machine : "unknown";
    xp__text text = {.data = NULL};
#ifdef __GLIBC__
    xp__text_format(&text, "%s, %s, glibc %s", architecture, xp__net_kernels_named(NULL)->name,
                    gnu_get_libc_version());
#else
    xp__text_format(&text, "%s, %s", architecture, xp__net_kernels_named(NULL)->name);
#endif
    char *taken;
    size_t length;
    return xp__text_take(&text, &taken, &length, NULL) == XP_OK ? taken : NULL;
}

xp_status xp__model_create(const char *agent, const xp_env_info *info, xp_model **model,
                           xp_error *error) {
    *model = NULL;
    xp__agent_spec spec;
    const xp_status status = xp__agent_spec_parse(agent, info, &spec, error);
    if (status != XP_OK) {
        return status;
    }
    xp_model *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->spec = spec;
    made->evidence = xp__evidence_none();
    made->info = *info;
    made->info.name = NULL;
    made->agent = xp__strdup(agent);
    made->version = xp__strdup(xp_version());
    made->machine = xp__machine();
    bool good = made->agent != NULL && made->version != NULL && made->machine != NULL;
    if (info->state_size > 0) {
        made->categories = xp__alloc(info->state_size, sizeof made->categories[0]);
        good = good && made->categories != NULL;
        if (made->categories != NULL) {
            memcpy(made->categories, info->categories,
                   info->state_size * sizeof made->categories[0]);
        }
        made->info.categories = made->categories;
    }
    if (!good) {
        xp_model_destroy(made);
        return xp__no_memory(error);
    }
    *model = made;
    return XP_OK;
}

/* Names of the actions, if they have any: the demonstrations', else the prior's. */
static xp_status gather_names(xp_model *model, xp_error *error) {
    const bool from_demos = model->demos != NULL && xp_demos_action_name(model->demos, 0) != NULL;
    const bool from_prior =
        !from_demos && model->prior != NULL && xp_prior_action_name(model->prior, 0) != NULL;
    if (!from_demos && !from_prior) {
        return XP_OK;
    }
    model->names = xp__alloc(model->info.actions, sizeof model->names[0]);
    if (model->names == NULL) {
        return xp__no_memory(error);
    }
    for (size_t action = 0; action < model->info.actions; action++) {
        model->names[action] = from_demos ? xp_demos_action_name(model->demos, action)
                                          : xp_prior_action_name(model->prior, action);
    }
    return XP_OK;
}

static xp_status write_params(xp_model *model, xp_error *error) {
    const xp__params *params = model->prior != NULL          ? &model->prior->params
                               : model->states_prior != NULL ? &model->states_prior->params
                                                             : NULL;
    if (params == NULL) {
        return XP_OK;
    }
    xp__text text = {.data = NULL};
    size_t length;
    xp__settings_write(params, false, &text);
    return xp__text_take(&text, &model->params, &length, error);
}

/* What may differ here from where the model was fitted. */
static xp_status compare_machines(xp_model *model, xp_error *error) {
    char *here = xp__machine();
    if (here == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = XP_OK;
    if (strcmp(here, model->machine) != 0 || strcmp(model->version, xp_version()) != 0) {
        xp__text text = {.data = NULL};
        size_t length;
        xp__text_format(&text,
                        "the model was fitted by version %s on %s; this is version %s on %s: "
                        "results may differ in their last digits",
                        model->version, model->machine, xp_version(), here);
        status = xp__text_take(&text, &model->warning, &length, error);
    }
    xp__free(here);
    return status;
}

xp_status xp__model_finish(xp_model *model, xp_error *error) {
    xp_status status = gather_names(model, error);
    if (status == XP_OK) {
        status = write_params(model, error);
    }
    if (status == XP_OK && model->env != NULL) {
        model->environment = xp__env_spec(model->env);
        model->info.name = xp_env_describe(model->env).name;
        status = model->environment != NULL ? XP_OK : xp__no_memory(error);
    }
    return status == XP_OK ? compare_machines(model, error) : status;
}

xp_status xp__model_fit(const char *agent, const xp_env_info *info, const xp_env *env,
                        const xp_demos *demos, const xp__fit_watch *watch, xp_rng *rng,
                        xp_model **model, xp_error *error) {
    xp_status status = xp__model_create(agent, info, model, error);
    if (status != XP_OK) {
        return status;
    }
    xp_model *made = *model;
    made->demos = demos;
    made->env = env;
    made->info.name = info->name;
    made->info.contexts = info->contexts;
    status = xp__agent_fit(&made->spec, &made->info, env, demos, watch, rng, &made->prior,
                           &made->states_prior, error);
    if (status == XP_OK) {
        status = xp__model_finish(made, error);
    }
    if (status != XP_OK) {
        xp_model_destroy(made);
        *model = NULL;
    }
    return status;
}

xp_status xp__space_check(const xp_env_info *info, xp_error *error) {
    const size_t most = info->state_size > 0 ? XP__SPACE_ACTIONS : XP__SPACE_ARMS;
    if (info->actions < 1 || info->actions > most) {
        return xp_error_set(error, XP_ERR_INPUT, "a space %s states has 1 to %zu actions, not %zu",
                            info->state_size > 0 ? "with" : "without", most, info->actions);
    }
    if (info->state_size > XP__SPACE_NUMBERS || info->horizon > XP__SPACE_STEPS) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "a space has states of at most %d numbers and episodes of at most 2^53 "
                            "steps, not %zu and %zu",
                            (int)XP__SPACE_NUMBERS, info->state_size, info->horizon);
    }
    for (size_t j = 0; j < info->state_size; j++) {
        if (info->categories[j] > UINT32_MAX) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "state number %zu has %zu categories; it may have at most 2^32 - 1",
                                j, info->categories[j]);
        }
    }
    return XP_OK;
}

static xp_status check_space(const xp_space *space, xp_error *error) {
    if (space->actions < 1 || (space->state_size > 0 && space->categories == NULL)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "a space needs at least one action, and categories for its %zu state "
                            "numbers",
                            space->state_size);
    }
    if (space->discount != 0 && space->discount != 1) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "discount = %g is not supported: rewards count alike, discount = 1",
                            space->discount);
    }
    return XP_OK;
}

/* The space as agents see it: the caller's, or what demonstrations tell of it. `categories` has
 * room for the demonstrations' state numbers. */
static xp_status settle_space(const xp_space *space, const xp_demos *demos, size_t *categories,
                              xp_env_info *info, xp_error *error) {
    if (space == NULL) {
        *info = xp_demos_environment(demos, categories);
        return xp__space_check(info, error);
    }
    *info = (xp_env_info){.actions = space->actions,
                          .state_size = space->state_size,
                          .horizon = space->horizon > 0 ? space->horizon : 1,
                          .categories = space->categories};
    xp_status status = check_space(space, error);
    if (status == XP_OK) {
        status = xp__space_check(info, error);
    }
    if (status == XP_OK && demos != NULL && xp_demos_state_size(demos) != space->state_size) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              "the demonstrations have states of %zu numbers, the space has %zu",
                              xp_demos_state_size(demos), space->state_size);
    }
    if (status == XP_OK && demos != NULL && xp_demos_actions(demos) > space->actions) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              "the demonstrations have %zu actions, the space has %zu",
                              xp_demos_actions(demos), space->actions);
    }
    return status;
}

/* The model's own demonstrations, with the space's actions and names. Without any there is still
 * something to carry names. */
static xp_status own_demos(const xp_space *space, const xp_env_info *info, const xp_demos *demos,
                           xp_demos **own, xp_error *error) {
    *own = NULL;
    const bool named = space != NULL && space->action_names != NULL;
    if (demos == NULL && !named) {
        return XP_OK;
    }
    xp_status status = demos != NULL ? xp__demos_copy(demos, info->actions, own, error)
                                     : xp_demos_create(info->state_size, info->actions, own, error);
    if (status == XP_OK && named) {
        status = xp_demos_name_actions(*own, space->action_names, error);
    }
    return status;
}

/* A planner keeps the family of tasks: one like it, made from its name and parameters. */
static xp_status own_env(xp_model *model, xp_error *error) {
    if (model->env == NULL) {
        return XP_OK;
    }
    model->env = NULL;
    if (!xp__agent_find(model->spec.name, model->spec.states)->needs_contexts) {
        return XP_OK;
    }
    xp_rng unused = xp_rng_seed(0);
    const xp_status status = xp_env_create(model->environment, &unused, &model->own_env, error);
    model->env = model->own_env;
    return status;
}

/* Fits to demonstrations that become the model's. */
static xp_status fit_owned(const char *agent, const xp_env_info *info, const xp_env *env,
                           xp_demos *demos, const xp_model_options *options, xp_model **model,
                           xp_error *error) {
    xp_model_options chosen = xp_model_options_default();
    xp_status status = XP_OK;
    if (options != NULL) {
        status = xp__options_take(&chosen, sizeof chosen, options, "xp_model_options", error);
    }
    xp_rng rng = xp_rng_seed(chosen.seed);
    const bool empty = demos == NULL || xp_demos_count(demos) == 0;
    const xp__fit_watch watch = {chosen.progress, chosen.progress_context};
    if (status == XP_OK) {
        status = xp__model_fit(agent != NULL ? agent : default_agent, info, env,
                               empty ? NULL : demos, &watch, &rng, model, error);
    }
    if (status != XP_OK) {
        xp_demos_destroy(demos);
        return status;
    }
    (*model)->seed = chosen.seed;
    (*model)->evidence = xp__evidence_of(chosen.source);
    (*model)->own_demos = demos;
    (*model)->demos = demos;
    status = own_env(*model, error);
    if (status == XP_OK && empty && (*model)->names == NULL) {
        status = gather_names(*model, error);
    }
    if (status != XP_OK) {
        xp_model_destroy(*model);
        *model = NULL;
    }
    return status;
}

xp_status xp_model_fit(const char *agent, const xp_space *space, const xp_demos *demos,
                       const xp_model_options *options, xp_model **model, xp_error *error) {
    if (model == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "model is NULL");
    }
    *model = NULL;
    if (space == NULL && demos == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "a model needs demonstrations, or a space to act in");
    }
    const size_t numbers = demos != NULL ? xp_demos_state_size(demos) : 0;
    size_t *categories = xp__alloc(numbers > 0 ? numbers : 1, sizeof *categories);
    if (categories == NULL) {
        return xp__no_memory(error);
    }
    xp_env_info info;
    xp_demos *own = NULL;
    xp_status status = settle_space(space, demos, categories, &info, error);
    if (status == XP_OK) {
        status = own_demos(space, &info, demos, &own, error);
    }
    if (status == XP_OK) {
        status = fit_owned(agent, &info, NULL, own, options, model, error);
    } else {
        xp_demos_destroy(own);
    }
    xp__free(categories);
    return status;
}

xp_status xp_model_fit_env(const char *agent, const xp_env *env, const xp_demos *demos,
                           const xp_model_options *options, xp_model **model, xp_error *error) {
    if (model == NULL || env == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "%s is NULL", model == NULL ? "model" : "env");
    }
    *model = NULL;
    const xp_env_info info = xp_env_describe(env);
    xp_demos *own;
    const xp_status status = own_demos(NULL, &info, demos, &own, error);
    if (status != XP_OK) {
        xp_demos_destroy(own);
        return status;
    }
    return fit_owned(agent, &info, env, own, options, model, error);
}

void xp_model_destroy(xp_model *model) {
    if (model != NULL) {
        xp_prior_destroy(model->prior);
        xp__states_prior_destroy(model->states_prior);
        xp_demos_destroy(model->own_demos);
        xp_env_destroy(model->own_env);
        xp__free(model->agent);
        xp__free(model->categories);
        xp__free(model->names);
        xp__free(model->params);
        xp__free(model->version);
        xp__free(model->machine);
        xp__free(model->environment);
        xp__free(model->warning);
        for (size_t i = 0; model->segments != NULL && i < model->pooling.segments; i++) {
            xp__free(model->segments[i].name);
            xp_prior_destroy(model->segments[i].prior);
        }
        xp__free(model->segments);
        xp__free(model);
    }
}

xp_model_info xp_model_describe(const xp_model *model) {
    if (model == NULL) {
        return (xp_model_info){.agent = NULL};
    }
    return (xp_model_info){
        .space = {.actions = model->info.actions,
                  .action_names = model->names,
                  .state_size = model->info.state_size,
                  .categories = model->info.categories,
                  .horizon = model->info.horizon,
                  .discount = 1},
        .agent = model->agent,
        .method = model->prior != NULL          ? xp_prior_method(model->prior)
                  : model->states_prior != NULL ? xp__states_prior_method(model->states_prior)
                                                : NULL,
        .params = model->params,
        .demonstrations = model->demos != NULL ? xp_demos_count(model->demos) : 0,
        .distinct = model->demos != NULL ? xp_demos_distinct(model->demos) : 0,
        .seed = model->seed,
        .version = model->version,
        .machine = model->machine,
        .environment = model->environment,
        .rewards = model->prior != NULL ? model->prior->reward.type->name : NULL};
}

const xp_prior *xp_model_prior(const xp_model *model) {
    return model != NULL ? model->prior : NULL;
}

static xp_model_diagnosis diagnose_states(const xp__states_prior *prior) {
    const xp__states_fit fit = xp__states_prior_fit_result(prior);
    const xp__net_options *networks = xp__net_get_options(xp__states_prior_networks(prior));
    return (xp_model_diagnosis){.converged = true,
                                .iterations = fit.steps,
                                .lambda = fit.lambda,
                                .divergence = fit.divergence,
                                .duality_gap = fit.duality_gap,
                                .log_likelihood = fit.log_likelihood,
                                .effective = fit.effective,
                                .effective_of = fit.effective_of,
                                .clipped = fit.clipped,
                                .networks = networks->members,
                                .inputs = networks->inputs,
                                .hidden = networks->hidden};
}

xp_model_diagnosis xp_model_diagnose(const xp_model *model) {
    if (model != NULL && model->states_prior != NULL) {
        return diagnose_states(model->states_prior);
    }
    xp_model_diagnosis diagnosis = {.converged = model != NULL,
                                    .lambda = NAN,
                                    .divergence = NAN,
                                    .duality_gap = NAN,
                                    .log_likelihood = NAN,
                                    .effective = NAN,
                                    .clipped = NAN};
    if (model != NULL && model->prior != NULL) {
        const xp_fit fit = xp_prior_fit_result(model->prior);
        diagnosis.converged = fit.converged;
        diagnosis.iterations = fit.iterations;
        diagnosis.lambda = fit.lambda;
        diagnosis.divergence = fit.divergence;
        diagnosis.duality_gap = fit.duality_gap;
        diagnosis.log_likelihood = fit.log_likelihood;
    }
    return diagnosis;
}

const char *xp_model_warning(const xp_model *model) {
    return model != NULL ? model->warning : NULL;
}

const char *xp_model_action_name(const xp_model *model, size_t action) {
    return model != NULL && model->names != NULL && action < model->info.actions
               ? model->names[action]
               : NULL;
}

xp_status xp_model_action_find(const xp_model *model, const char *text, size_t *action,
                               xp_error *error) {
    XP__NOT_NULL(model, error);
    XP__NOT_NULL(text, error);
    XP__NOT_NULL(action, error);
    xp__tokens none = {.count = 0};
    const xp__tokens *names = model->demos != NULL ? &model->demos->names : &none;
    return xp__action_find(names, model->info.actions, text, strlen(text), action, error);
}

void xp_model_action_counts(const xp_model *model, uint64_t *counts) {
    if (model == NULL || counts == NULL) {
        return;
    }
    memset(counts, 0, model->info.actions * sizeof *counts);
    if (model->demos != NULL) {
        xp_demos_action_counts(model->demos, counts);
    }
}
