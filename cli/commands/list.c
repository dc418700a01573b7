/* list.c: experior list: what is registered, from the library's own tables. */
#include "help.h"
#include "json.h"
#include "options.h"
#include "output.h"

#include <string.h>

static void json_param(cli_json *json, const xp_param *param) {
    static const char *const kinds[] = {"real", "integer", "choice"};
    cli_json_object(json, NULL);
    cli_json_text(json, "name", param->name);
    cli_json_text(json, "summary", param->summary);
    cli_json_text(json, "kind", kinds[param->kind]);
    if (param->kind == XP_PARAM_CHOICE) {
        cli_json_array(json, "choices");
        size_t index = 0;
        char standard[64] = "";
        for (const char *word = param->choices; *word != '\0'; index++) {
            char choice[64];
            const size_t length = strcspn(word, "|");
            cli_copy(choice, sizeof choice, word, length);
            cli_json_text(json, NULL, choice);
            if (index == (size_t)param->standard) {
                (void)strcpy(standard, choice);
            }
            word += length + (word[length] == '|');
        }
        cli_json_end(json);
        cli_json_text(json, "default", standard);
    } else {
        cli_json_number(json, "low", param->low);
        cli_json_number(json, "high", param->high);
        cli_json_number(json, "default", param->standard);
    }
    cli_json_end(json);
}

static void json_stage(cli_json *json, const cli_stage *stage) {
    cli_json_array(json, stage->plural);
    for (size_t i = 0; i < cli_stage_count(stage); i++) {
        const xp_catalogue_entry entry = cli_stage_at(stage, i);
        cli_json_object(json, NULL);
        cli_json_text(json, "name", entry.name);
        cli_json_text(json, "summary", entry.summary);
        if (stage == &cli_samplers) {
            cli_json_text(json, "kind", xp_sampler_kind_name(entry.sampler));
        }
        if (stage == &cli_agents) {
            cli_json_text(json, "for", entry.states ? "states" : "bandits");
        }
        cli_json_array(json, "parameters");
        for (size_t p = 0; p < entry.param_count; p++) {
            json_param(json, &entry.params[p]);
        }
        cli_json_end(json);
        cli_json_end(json);
    }
    cli_json_end(json);
}

static void text_stage(const cli_stage *stage) {
    (void)printf("%s%s%s\n", cli_bold(stdout), stage->plural, cli_plain_style(stdout));
    for (size_t i = 0; i < cli_stage_count(stage); i++) {
        const xp_catalogue_entry entry = cli_stage_at(stage, i);
        /* Two agents may share a name: one for bandits, one for tasks with states. */
        if (stage == &cli_agents && (i == 0 || cli_stage_at(stage, i - 1).states != entry.states)) {
            (void)printf("  %s\n", entry.states ? "with states:" : "for bandits:");
        }
        (void)printf("  %s%s%s\n      ", cli_bold(stdout), entry.name, cli_plain_style(stdout));
        cli_wrap(stdout, 6, entry.summary);
        for (size_t p = 0; p < entry.param_count; p++) {
            char range[256], text[512];
            (void)snprintf(text, sizeof text, "%s: %s (%s)", entry.params[p].name,
                           entry.params[p].summary,
                           cli_param_range(&entry.params[p], range, sizeof range));
            (void)fputs("      ", stdout);
            cli_wrap(stdout, 8, text);
        }
    }
}

static int run(const cli_arguments *arguments) {
    const char *wanted = cli_positional_text(arguments, 0);
    cli_nearest nearest = cli_nearest_start(wanted != NULL ? wanted : "");
    bool found = wanted == NULL;
    for (size_t s = 0; cli_stages[s] != NULL; s++) {
        found = found || strcmp(cli_stages[s]->plural, wanted) == 0;
        cli_nearest_try(&nearest, cli_stages[s]->plural);
    }
    if (!found) {
        cli_complain("there is nothing called '%.80s' to list; %s%s%s", wanted,
                     nearest.best != NULL ? "did you mean '" : "",
                     nearest.best != NULL ? nearest.best : "'experior list' shows what there is",
                     nearest.best != NULL ? "'?" : "");
        return CLI_BAD;
    }
    const bool as_json = cli_flag(arguments, "json");
    cli_json json = {.depth = 0};
    if (as_json) {
        cli_json_object(&json, NULL);
    }
    for (size_t s = 0; cli_stages[s] != NULL; s++) {
        if (wanted != NULL && strcmp(cli_stages[s]->plural, wanted) != 0) {
            continue;
        }
        if (as_json) {
            json_stage(&json, cli_stages[s]);
        } else {
            text_stage(cli_stages[s]);
        }
    }
    if (as_json) {
        cli_json_end(&json);
    }
    return CLI_DONE;
}

const cli_command cli_command_list = {
    .name = "list",
    .order = 1,
    .summary = "list environments, experts, priors, samplers, agents, studies and rewards",
    .description = "Lists what the library offers by name, in all stages or in one, with "
                   "parameters, defaults and ranges.",
    .positionals = {{.name = "STAGE",
                     .summary =
                         "environments, experts, priors, samplers, agents, studies or rewards"}},
    .options = {CLI_OPTION_JSON},
    .examples = {{"experior list agents", "the agents that 'experior simulate' can run"}},
    .run = run,
};
