/* catalogue.c: the registries of all stages seen as one. */
#include "experior/catalogue.h"

#include "agent/agent_type.h"
#include "base/check.h"
#include "base/settings.h"
#include "env/create.h"
#include "expert/expert_type.h"
#include "prior/bandit/prior_type.h"
#include "prior/states/states_prior_type.h"
#include "reward/reward_type.h"
#include "sampler/sampler_type.h"
#include "study/study_type.h"

#include <string.h>

/* What the types of every kind have in common. */
#define COMMON(type)                                                                               \
    .name = (type)->name, .summary = (type)->summary, .params = (type)->params,                    \
    .param_count = (type)->param_count

static xp_catalogue_entry environment(size_t i) {
    const xp__env_listing listing = xp__env_list(i);
    return (xp_catalogue_entry){COMMON(&listing)};
}

static xp_catalogue_entry expert(size_t i) {
    return (xp_catalogue_entry){COMMON(xp__expert_types[i])};
}

static xp_catalogue_entry prior(size_t i) {
    return (xp_catalogue_entry){COMMON(xp__prior_types[i])};
}

static xp_catalogue_entry states_prior(size_t i) {
    return (xp_catalogue_entry){COMMON(xp__states_prior_types[i]), .states = true};
}

static xp_catalogue_entry sampler(size_t i) {
    const xp__sampler_type *type = xp__sampler_types[i];
    return (xp_catalogue_entry){COMMON(type), .sampler = type->kind};
}

static xp_catalogue_entry agent(size_t i) {
    const xp__agent_type *type = xp__agent_types[i];
    return (xp_catalogue_entry){COMMON(type), .states = type->has_states};
}

static xp_catalogue_entry reward(size_t i) {
    return (xp_catalogue_entry){COMMON(xp__reward_types[i])};
}

static xp_catalogue_entry study(size_t i) {
    const xp__study_type *type = xp__study_types[i];
    return (xp_catalogue_entry){.name = type->name,
                                .summary = type->summary,
                                .states = type->has_states,
                                .in_paper = type->in_paper};
}

static const struct {
    const char *singular;
    const size_t *count;
    xp_catalogue_entry (*entry)(size_t index);
} kinds[XP_KINDS] = {
    [XP_ENVIRONMENTS] = {"environment", &xp__env_type_count, environment},
    [XP_EXPERTS] = {"expert", &xp__expert_type_count, expert},
    [XP_PRIORS] = {"prior", &xp__prior_type_count, prior},
    [XP_STATES_PRIORS] = {"prior over Q-functions", &xp__states_prior_type_count, states_prior},
    [XP_SAMPLERS] = {"sampler", &xp__sampler_type_count, sampler},
    [XP_AGENTS] = {"agent", &xp__agent_type_count, agent},
    [XP_STUDIES] = {"study", &xp__study_type_count, study},
    [XP_REWARDS] = {"family of rewards", &xp__reward_type_count, reward},
};

size_t xp_catalogue_count(xp_kind kind) {
    return (unsigned)kind < XP_KINDS ? *kinds[kind].count : 0;
}

xp_catalogue_entry xp_catalogue_get(xp_kind kind, size_t index) {
    return index < xp_catalogue_count(kind) ? kinds[kind].entry(index)
                                            : (xp_catalogue_entry){.name = NULL};
}

/* An agent's keys may be those of its prior or sampler, with states or without. */
static xp_status check_agent(const char *spec, xp_error *error) {
    static const size_t categories[] = {2};
    static const xp_env_info states = {
        .actions = 2, .state_size = 1, .horizon = 2, .categories = categories, .contexts = 2};
    xp__agent_spec parsed;
    return xp__agent_spec_parse(spec, &states, &parsed, NULL) == XP_OK
               ? XP_OK
               : xp__agent_spec_parse(spec, NULL, &parsed, error);
}

xp_status xp_catalogue_check(xp_kind kind, const char *spec, xp_error *error) {
    XP__NOT_NULL(spec, error);
    if ((unsigned)kind >= XP_KINDS) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no kind %d", (int)kind);
    }
    if (kind == XP_AGENTS) {
        return check_agent(spec, error);
    }
    char name[XP__SETTING_KEY];
    const char *settings = xp__spec_name(spec, name);
    for (size_t i = 0; i < *kinds[kind].count; i++) {
        const xp_catalogue_entry entry = kinds[kind].entry(i);
        if (strcmp(entry.name, name) == 0) {
            xp__params params = xp__params_default(entry.name, entry.params, entry.param_count);
            return xp__settings_read(&params, settings, error);
        }
    }
    return xp_error_set(error, XP_ERR_INPUT, "there is no %s '%.80s'", kinds[kind].singular, name);
}
