/* fit.c: experior fit: the model that demonstrations teach, as a file: of choices and of walks
 * through states alike. */
#include "choices/choices.h"
#include "describe.h"
#include "model.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "segments/segments.h"

#include <stdlib.h>
#include <string.h>

/* Writes the model where it was asked for, and its description to standard output unless the model
 * itself went there. */
static int save(const cli_arguments *arguments, const xp_model *model, const xp_choices *choices) {
    const char *path = cli_text(arguments, "output");
    xp_error error;
    if (path != NULL && cli_means_standard_output(path)) {
        void *data;
        size_t bytes;
        if (xp_model_to_bytes(model, &data, &bytes, &error) != XP_OK) {
            return cli_failed(&error);
        }
        (void)fwrite(data, 1, bytes, stdout);
        xp_release(data);
        return CLI_DONE;
    }
    if (path != NULL && xp_model_save(model, path, &error) != XP_OK) {
        return cli_failed(&error);
    }
    cli_describe_model(model, choices, path, cli_flag(arguments, "json"));
    return CLI_DONE;
}

/* The agent that acts on a prior of that name, for those who name the prior; NULL after a
 * complaint. */
static const char *agent_for(const char *method, bool states) {
    static const struct {
        const char *method;
        bool states;
        const char *agent;
    } agents[] = {{"max_entropy", false, "experior_maxent"},
                  {"max_entropy_authors", false, "experior_maxent:prior=authors"},
                  {"beta", false, "experior_param"},
                  {"gamma", false, "experior_param:family=gamma"},
                  {"normal", false, "experior_param:family=normal"},
                  {"uniform", false, "naive_ts"},
                  {"modes", true, "experior_maxent:prior=modes"},
                  {"max_entropy", true, "experior_maxent:prior=max_entropy"},
                  {"mixture", true, "experior_maxent:prior=mixture"},
                  {"union", true, "experior_maxent"},
                  {"ensemble", true, "experior_param"}};
    const char *other = NULL;
    for (size_t i = 0; i < sizeof agents / sizeof agents[0]; i++) {
        if (strcmp(agents[i].method, method) == 0) {
            if (agents[i].states == states) {
                return agents[i].agent;
            }
            other = method;
        }
    }
    if (other != NULL) {
        cli_complain("the prior '%s' is for demonstrations %s states", other,
                     states ? "without" : "with");
    } else {
        (void)cli_stage_check(states ? &cli_states_priors : &cli_priors, method);
    }
    return NULL;
}

/* The agent that was asked for, by its own name or by its prior's; NULL after a complaint. */
static const char *wanted_agent(const cli_arguments *arguments, size_t state_size) {
    const char *method = cli_text(arguments, "method"), *agent = cli_text(arguments, "agent");
    if (method != NULL && agent != NULL) {
        cli_complain("--method names the prior and --agent the agent that fits it: give one");
        return NULL;
    }
    const bool maxent = method == NULL || strcmp(method, "max_entropy") == 0;
    return agent != NULL               ? agent
           : maxent && state_size == 0 ? cli_choice_agent(arguments)
           : method != NULL            ? agent_for(method, state_size > 0)
                                       : "experior_maxent";
}

/* Fits and saves what was loaded; `choices` is NULL unless it was a table, `env` unless it was
 * named. */
static int fit_demos(const cli_arguments *arguments, const xp_demos *demos,
                     const xp_choices *choices, const xp_env *env,
                     const xp_catalogue_entry *env_type) {
    const char *agent = wanted_agent(arguments, xp_demos_state_size(demos));
    if (agent == NULL) {
        return CLI_BAD;
    }
    char *spec = cli_agent_spec(arguments, agent, env_type);
    cli_progress progress = cli_progress_start("fit");
    xp_model_options options = xp_model_options_default();
    options.seed = cli_integer(arguments, "seed");
    options.source = choices;
    options.progress = cli_progress_update;
    options.progress_context = &progress;
    xp_model *model = NULL;
    xp_error error;
    const xp_status status = env != NULL
                                 ? xp_model_fit_env(spec, env, demos, &options, &model, &error)
                             : choices != NULL && cli_text(arguments, "by") != NULL
                                 ? xp_model_fit_segments(spec, choices, &options, &model, &error)
                                 : xp_model_fit(spec, NULL, demos, &options, &model, &error);
    cli_progress_end(&progress);
    free(spec);
    if (status == XP_ERR_INTERRUPTED) {
        cli_complain("interrupted; nothing was written: run the command again");
        return CLI_NO;
    }
    if (status != XP_OK) {
        return cli_failed_on(cli_positional_text(arguments, 0), &error);
    }
    int code = save(arguments, model, choices);
    if (code == CLI_DONE && !xp_model_diagnose(model).converged) {
        cli_complain("the fit did not converge: the prior is the best one found");
        code = CLI_NO;
    }
    xp_model_destroy(model);
    return code;
}

/* For the environment that is named: the file is checked against it line by line. */
static int fit_in(const cli_arguments *arguments, const char *name) {
    xp_error error;
    xp_env *env;
    xp_catalogue_entry type;
    xp_rng rng = xp_rng_seed(cli_integer(arguments, "seed"));
    if (cli_choices_options_given(arguments)) {
        cli_complain("options that say how to read a table of choices do not go with --env");
        return CLI_BAD;
    }
    if (!cli_stage_find(&cli_environments, name, &type)) {
        return CLI_BAD;
    }
    char *spec = cli_spec(arguments, &type);
    const xp_status status = xp_env_create(spec, &rng, &env, &error);
    free(spec);
    if (status != XP_OK) {
        return cli_failed(&error);
    }
    const xp_env_info info = xp_env_describe(env);
    xp_demos *demos;
    int code;
    if (xp_demos_load_for(cli_positional_text(arguments, 0), &info, &demos, &error) != XP_OK) {
        code = cli_failed(&error);
    } else {
        code = fit_demos(arguments, demos, NULL, env, &type);
        xp_demos_destroy(demos);
    }
    xp_env_destroy(env);
    return code;
}

static int run(const cli_arguments *arguments) {
    if (cli_was_given(arguments, "env")) {
        if (cli_text(arguments, "by") != NULL) {
            cli_complain("--by is for tables of choices, not for demonstrations in an environment");
            return CLI_BAD;
        }
        return fit_in(arguments, cli_text(arguments, "env"));
    }
    xp_choices *choices;
    xp_demos *demos;
    int code = cli_choices_demos(arguments, &choices, &demos);
    if (code == CLI_DONE) {
        code = fit_demos(arguments, demos, choices, NULL, NULL);
    }
    xp_demos_destroy(demos);
    xp_choices_destroy(choices);
    return code;
}

const cli_command cli_command_fit = {
    .name = "fit",
    .order = 3,
    .summary = "learn a model from what experts did",
    .description =
        "Reads what experts did (a table of choices, a plain list, trajectories, or a Minari "
        "dataset), infers "
        "what the experts must have known, writes the model to a file and prints how the fit "
        "ended. Unless an agent is named, the scale of rewards is learned from rewards "
        "(--reference learned), or given by --mean. A finite --beta is then relative to that "
        "scale: between two arms that differ by one standard deviation of the reference, experts "
        "choose with odds of 1 to exp(0.29 beta). Choices give a bandit's model, as JSON; "
        "trajectories "
        "give a model with states, "
        "as safetensors. Unless an environment is named, actions and states are taken from the "
        "data: a state number that is always whole is taken as categorical, any other as real.",
    .positionals = {{.name = "DEMOS",
                     .required = true,
                     .summary = "file or Minari dataset of demonstrations, - for standard input"}},
    .options = {{.name = "output",
                 .letter = 'o',
                 .kind = CLI_TEXT,
                 .value = "MODEL",
                 .summary = "file to write the model to, - for standard output; without it the "
                            "fit is only described"},
                {.name = "agent",
                 .kind = CLI_TEXT,
                 .value = "SPEC",
                 .summary = "agent that will act on the model, as NAME or NAME:key=value,... "
                            "(default experior_maxent); see 'experior list agents'"},
                {.name = "method",
                 .kind = CLI_TEXT,
                 .value = "NAME",
                 .summary = "prior to fit, instead of an agent; see 'experior list priors'"},
                {.name = "env",
                 .kind = CLI_TEXT,
                 .value = "NAME",
                 .summary = "environment in which the demonstrations were given; see 'experior "
                            "list environments'"},
                {.name = "arms",
                 .kind = CLI_INTEGER,
                 .value = "K",
                 .low = 2,
                 .high = 1024,
                 .summary = "number of arms, if some of them occur in no demonstration; arms are "
                            "then the numbers from 0"},
                CLI_TABLE_ACTION,
                CLI_TABLE_BY,
                CLI_TABLE_EXPERT,
                CLI_TABLE_WEIGHT,
                CLI_TABLE_COUNT,
                CLI_TABLE_DELIMITER,
                CLI_TABLE_NO_HEADER,
                CLI_TABLE_EXACT,
                CLI_TABLE_MISSING,
                CLI_OPTION_SEED,
                CLI_OPTION_JSON},
    .stages = {{&cli_priors, "method"}, {&cli_states_priors, "method"}, {&cli_environments, "env"}},
    .examples = {{"experior fit choices.csv -o model.json",
                  "the maximum-entropy prior for optimal experts"},
                 {"experior fit choices.csv --action drug --by age -o model.json",
                  "one prior per age group, from a table with the columns drug and age"},
                 {"experior fit choices.csv --mean 0.01 -o model.json",
                  "for rewards that are 1 about once in a hundred times"},
                 {"experior fit choices.csv --beta 10 --epsilon 0.005 -o model.json",
                  "for experts of competence 10, with lambda solved from the constraint"},
                 {"experior fit choices.csv --agent experior_param --json",
                  "the parametric prior, described as JSON"},
                 {"experior fit walks.jsonl -o model.safetensors",
                  "from trajectories: an agent with Q-networks"}},
    .run = run,
};
