/* stages.h: the registries of the library seen as one: every stage has named types with parameters.
 */
#ifndef CLI_STAGES_H
#define CLI_STAGES_H

#include "experior/experior.h"

typedef struct cli_stage {
    const char *plural;   /* "environments" */
    const char *singular; /* "environment" */
    size_t (*count)(void);
    const char *(*name)(size_t index);
    const char *(*summary)(size_t index);
    /* Default parameters of a type; NULL: this stage's types have none. */
    xp_status (*params_default)(const char *name, xp_params *params, xp_error *error);
    xp_params (*params_at)(size_t index);  /* agents, of which two may share a name */
    xp_sampler_kind (*kind)(size_t index); /* samplers only */
} cli_stage;

extern const cli_stage cli_environments, cli_experts, cli_priors, cli_states_priors, cli_samplers,
    cli_agents, cli_studies;
/* All of them in the order in which data flows; NULL ends it. */
extern const cli_stage *const cli_stages[];

/* True when `name` is a type of the stage; otherwise prints a sentence that lists or suggests. */
bool cli_stage_check(const cli_stage *stage, const char *name);
/* Default parameters of the i-th type; none if the stage has no parameters. */
xp_params cli_stage_params(const cli_stage *stage, size_t index);
/* A parameter's default and range in words: "default 10; 2 to 1024". `size` bytes of `buffer`. */
const char *cli_param_range(const xp_param *param, char *buffer, size_t size);

#endif
