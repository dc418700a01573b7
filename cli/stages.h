/* stages.h: what the library offers by name (experior/catalogue.h), as the command line calls it.
 */
#ifndef CLI_STAGES_H
#define CLI_STAGES_H

#include "experior/experior.h"

typedef struct cli_stage {
    const char *plural;   /* "environments" */
    const char *singular; /* "environment" */
    xp_kind kind;
} cli_stage;

extern const cli_stage cli_environments, cli_experts, cli_priors, cli_states_priors, cli_samplers,
    cli_agents, cli_studies, cli_rewards;
/* All of them in the order in which data flows; NULL ends it. */
extern const cli_stage *const cli_stages[];

/* Whether a type has a parameter of that name. */
bool cli_has_param(const xp_catalogue_entry *type, const char *name);
/* The type of the stage that is called `name`; if there is none, prints a sentence that lists or
 * suggests and returns false. */
bool cli_stage_find(const cli_stage *stage, const char *name, xp_catalogue_entry *entry);
/* The same for one who does not need the type. */
bool cli_stage_check(const cli_stage *stage, const char *name);
/* How many types the stage has, and the i-th. */
size_t cli_stage_count(const cli_stage *stage);
xp_catalogue_entry cli_stage_at(const cli_stage *stage, size_t index);
/* A parameter's default and range in words: "default 10; 2 to 1024". `size` bytes of `buffer`. */
const char *cli_param_range(const xp_param *param, char *buffer, size_t size);

#endif
