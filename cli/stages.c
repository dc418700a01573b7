/* stages.c: one table row per kind of the catalogue. */
#include "stages.h"

#include "options.h"
#include "output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const cli_stage cli_environments = {"environments", "environment", XP_ENVIRONMENTS};
const cli_stage cli_experts = {"experts", "expert", XP_EXPERTS};
const cli_stage cli_priors = {"priors", "prior", XP_PRIORS};
const cli_stage cli_states_priors = {"q_priors", "prior over Q-functions", XP_STATES_PRIORS};
const cli_stage cli_samplers = {"samplers", "sampler", XP_SAMPLERS};
const cli_stage cli_agents = {"agents", "agent", XP_AGENTS};
const cli_stage cli_studies = {"studies", "study", XP_STUDIES};

const cli_stage cli_rewards = {"rewards", "family of rewards", XP_REWARDS};

const cli_stage *const cli_stages[] = {&cli_environments,  &cli_experts,  &cli_priors,
                                       &cli_states_priors, &cli_samplers, &cli_agents,
                                       &cli_studies,       &cli_rewards,  NULL};

size_t cli_stage_count(const cli_stage *stage) {
    return xp_catalogue_count(stage->kind);
}

xp_catalogue_entry cli_stage_at(const cli_stage *stage, size_t index) {
    return xp_catalogue_get(stage->kind, index);
}

bool cli_has_param(const xp_catalogue_entry *type, const char *name) {
    size_t i = 0;
    while (i < type->param_count && strcmp(type->params[i].name, name) != 0) {
        i++;
    }
    return i < type->param_count;
}

bool cli_stage_find(const cli_stage *stage, const char *name, xp_catalogue_entry *entry) {
    cli_nearest nearest = cli_nearest_start(name);
    for (size_t i = 0; i < cli_stage_count(stage); i++) {
        *entry = cli_stage_at(stage, i);
        if (strcmp(entry->name, name) == 0) {
            return true;
        }
        cli_nearest_try(&nearest, entry->name);
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

bool cli_stage_check(const cli_stage *stage, const char *name) {
    xp_catalogue_entry entry;
    return cli_stage_find(stage, name, &entry);
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
