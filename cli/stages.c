/* stages.c: one table row a registry. */
#include "stages.h"

#include "options.h"
#include "output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const cli_stage cli_environments = {.plural = "environments",
                                    .singular = "environment",
                                    .count = xp_env_type_count,
                                    .name = xp_env_type_name,
                                    .summary = xp_env_type_summary,
                                    .params_default = xp_env_params_default};
const cli_stage cli_experts = {.plural = "experts",
                               .singular = "expert",
                               .count = xp_expert_type_count,
                               .name = xp_expert_type_name,
                               .summary = xp_expert_type_summary,
                               .params_default = xp_expert_params_default};
const cli_stage cli_priors = {.plural = "priors",
                              .singular = "prior",
                              .count = xp_prior_type_count,
                              .name = xp_prior_type_name,
                              .summary = xp_prior_type_summary,
                              .params_default = xp_prior_params_default};
const cli_stage cli_states_priors = {.plural = "q_priors",
                                     .singular = "prior over Q-functions",
                                     .count = xp_states_prior_type_count,
                                     .name = xp_states_prior_type_name,
                                     .summary = xp_states_prior_type_summary,
                                     .params_default = xp_states_prior_params_default};
const cli_stage cli_samplers = {.plural = "samplers",
                                .singular = "sampler",
                                .count = xp_sampler_type_count,
                                .name = xp_sampler_type_name,
                                .summary = xp_sampler_type_summary,
                                .params_default = xp_sampler_params_default,
                                .kind = xp_sampler_type_kind};
const cli_stage cli_agents = {.plural = "agents",
                              .singular = "agent",
                              .count = xp_agent_type_count,
                              .name = xp_agent_type_name,
                              .summary = xp_agent_type_summary,
                              .params_at = xp_agent_type_params};
const cli_stage cli_studies = {.plural = "studies",
                               .singular = "study",
                               .count = xp_study_type_count,
                               .name = xp_study_type_name,
                               .summary = xp_study_type_summary};

const cli_stage *const cli_stages[] = {&cli_environments,  &cli_experts,  &cli_priors,
                                       &cli_states_priors, &cli_samplers, &cli_agents,
                                       &cli_studies,       NULL};

bool cli_stage_check(const cli_stage *stage, const char *name) {
    cli_nearest nearest = cli_nearest_start(name);
    for (size_t i = 0; i < stage->count(); i++) {
        if (strcmp(stage->name(i), name) == 0) {
            return true;
        }
        cli_nearest_try(&nearest, stage->name(i));
    }
    if (nearest.best != NULL) {
        cli_complain("there is no %s '%.80s'; did you mean '%s'?", stage->singular, name,
                     nearest.best);
    } else {
        cli_complain("there is no %s '%.80s'; 'experior list %s' shows them", stage->singular, name,
                     stage->plural);
    }
    return false;
}

xp_params cli_stage_params(const cli_stage *stage, size_t index) {
    xp_params params = {.owner = stage->name(index)};
    if (stage->params_at != NULL) {
        params = stage->params_at(index);
    } else if (stage->params_default != NULL) {
        (void)stage->params_default(stage->name(index), &params, NULL); /* a registered name */
    }
    return params;
}

const char *cli_param_range(const xp_param *param, char *buffer, size_t size) {
    if (param->kind == XP_PARAM_CHOICE) {
        const char *word = param->choices;
        for (int i = 0; i < (int)param->standard; i++) {
            word = strchr(word, '|') + 1;
        }
        (void)snprintf(buffer, size, "default %.*s; one of %s", (int)strcspn(word, "|"), word,
                       param->choices);
    } else if (isnan(param->standard)) {
        (void)snprintf(buffer, size, "not given by default; %.10g to %.10g", param->low,
                       param->high);
    } else {
        (void)snprintf(buffer, size, "default %.10g; %.10g to %.10g", param->standard, param->low,
                       param->high);
    }
    return buffer;
}
