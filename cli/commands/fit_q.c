/* fit_q.c: experior fit-q: the prior over Q-functions that demonstrations with states imply, as
 * networks in a file that other tools read. */
#include "json.h"
#include "options.h"
#include "output.h"

#include <stdlib.h>

static void print_json(const xp_states_prior *prior, const xp_demos *demos, const char *path) {
    const xp_states_fit fit = xp_states_prior_fit_result(prior);
    const xp_net_options *networks = xp_net_get_options(xp_states_prior_networks(prior));
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_text(&json, "method", xp_states_prior_method(prior));
    cli_json_integer(&json, "demonstrations", xp_demos_count(demos));
    cli_json_integer(&json, "distinct", xp_demos_distinct(demos));
    cli_json_integer(&json, "networks", networks->members);
    cli_json_integer(&json, "inputs", networks->inputs);
    cli_json_integer(&json, "hidden", networks->hidden);
    cli_json_integer(&json, "actions", networks->actions);
    cli_json_integer(&json, "steps", fit.steps);
    cli_json_number(&json, "log_likelihood", fit.log_likelihood);
    cli_json_number(&json, "lambda", fit.lambda);
    cli_json_number(&json, "divergence", fit.divergence);
    cli_json_number(&json, "duality_gap", fit.duality_gap);
    cli_json_number(&json, "effective", fit.effective);
    cli_json_text(&json, "effective_of", fit.effective_of);
    cli_json_number(&json, "clipped", fit.clipped);
    cli_json_text(&json, "output", path);
    cli_json_end(&json);
}

static void print_text(const xp_states_prior *prior, const xp_demos *demos, const char *path) {
    const xp_states_fit fit = xp_states_prior_fit_result(prior);
    const xp_net_options *networks = xp_net_get_options(xp_states_prior_networks(prior));
    (void)printf("%-16s %s\n", "method", xp_states_prior_method(prior));
    (void)printf("%-16s %llu, %zu distinct\n", "demonstrations",
                 (unsigned long long)xp_demos_count(demos), xp_demos_distinct(demos));
    (void)printf("%-16s %zu of %zu-%zu-%zu-%zu\n", "networks", networks->members, networks->inputs,
                 networks->hidden, networks->hidden, networks->actions);
    (void)printf("%-16s %zu\n", "steps", fit.steps);
    cli_field("log-likelihood", fit.log_likelihood, " nats per demonstrated step");
    cli_field("lambda", fit.lambda, "");
    cli_field("divergence", fit.divergence, " nats");
    cli_field("duality gap", fit.duality_gap, "");
    if (fit.effective_of != NULL) {
        char unit[64];
        (void)snprintf(unit, sizeof unit, " %s (effective number)", fit.effective_of);
        cli_field("rests on", fit.effective, unit);
    }
    cli_field("gradient cut", 100 * fit.clipped, " % of its components at the end");
    if (path != NULL) {
        (void)printf("%-16s %s\n", "written to", path);
    }
}

/* Fits and saves what was loaded. */
static int fit_demos(const cli_arguments *arguments, const xp_demos *demos, const xp_env_info *env,
                     const char *method, const xp_params *params) {
    const char *path = cli_text(arguments, "output");
    xp_error error;
    xp_rng rng = xp_rng_seed(cli_integer(arguments, "seed"));
    xp_states_prior *prior;
    if (xp_states_prior_fit(method, params, env, demos, &rng, &prior, &error) != XP_OK) {
        return cli_failed_on(cli_positional_text(arguments, 0), &error);
    }
    int code = CLI_DONE;
    if (path != NULL && xp_net_save(xp_states_prior_networks(prior), path, &error) != XP_OK) {
        code = cli_failed(&error);
    } else if (cli_flag(arguments, "json")) {
        print_json(prior, demos, path);
    } else {
        print_text(prior, demos, path);
    }
    xp_states_prior_destroy(prior);
    return code;
}

/* For the environment that the data suggest. */
static int fit_as_data_suggest(const cli_arguments *arguments, const char *method,
                               const xp_params *params) {
    xp_demos *demos;
    xp_error error;
    if (xp_demos_load(cli_positional_text(arguments, 0), &demos, &error) != XP_OK) {
        return cli_failed(&error);
    }
    int code = CLI_NO;
    const size_t numbers = xp_demos_state_size(demos);
    size_t *categories = calloc(numbers > 0 ? numbers : 1, sizeof *categories);
    if (categories != NULL) {
        const xp_env_info env = xp_demos_environment(demos, categories);
        code = fit_demos(arguments, demos, &env, method, params);
    } else {
        cli_complain("out of memory");
    }
    free(categories);
    xp_demos_destroy(demos);
    return code;
}

/* For the environment that is named: the file is checked against it line by line. */
static int fit_in(const cli_arguments *arguments, const char *name, const xp_params *env_params,
                  const char *method, const xp_params *params) {
    xp_error error;
    xp_env *env;
    xp_rng rng = xp_rng_seed(cli_integer(arguments, "seed"));
    if (xp_env_create(name, env_params, &rng, &env, &error) != XP_OK) {
        return cli_failed(&error);
    }
    const xp_env_info info = xp_env_describe(env);
    xp_demos *demos;
    int code;
    if (xp_demos_load_for(cli_positional_text(arguments, 0), &info, &demos, &error) != XP_OK) {
        code = cli_failed(&error);
    } else {
        code = fit_demos(arguments, demos, &info, method, params);
        xp_demos_destroy(demos);
    }
    xp_env_destroy(env);
    return code;
}

static int run(const cli_arguments *arguments) {
    enum { METHOD, ENV };
    const bool named = cli_was_given(arguments, "env");
    const char *const types[] = {[METHOD] = cli_text(arguments, "method"),
                                 [ENV] = named ? cli_text(arguments, "env") : "deep_sea"};
    xp_params params[2];
    if (!cli_parameters(arguments, types, params)) {
        return CLI_BAD;
    }
    return named ? fit_in(arguments, types[ENV], &params[ENV], types[METHOD], &params[METHOD])
                 : fit_as_data_suggest(arguments, types[METHOD], &params[METHOD]);
}

const cli_command cli_command_fit_q = {
    .name = "fit-q",
    .order = 4,
    .summary = "infer a prior over Q-functions from demonstrations with states",
    .description =
        "Reads demonstrations of episodes with states (CSV, JSONL, or a Minari dataset), infers "
        "the prior over "
        "Q-functions that they imply, writes its networks as a safetensors file and prints how "
        "the fit ended. Unless an environment is named, its actions and states are taken from the "
        "data: a number that is always whole is one of so many values, any other is real.",
    .positionals = {{.name = "DEMOS",
                     .required = true,
                     .summary = "file or Minari dataset of demonstrations, - for standard input"}},
    .options = {{.name = "output",
                 .letter = 'o',
                 .kind = CLI_TEXT,
                 .value = "NETWORKS.safetensors",
                 .summary = "file to write the networks to; without it the fit is only described"},
                {.name = "method",
                 .kind = CLI_TEXT,
                 .value = "NAME",
                 .standard = "ensemble",
                 .summary = "prior to fit; see 'experior list q_priors'"},
                {.name = "env",
                 .kind = CLI_TEXT,
                 .value = "NAME",
                 .summary = "environment in which the demonstrations were given; see 'experior "
                            "list environments'"},
                CLI_OPTION_SEED,
                CLI_OPTION_JSON},
    .stages = {{&cli_states_priors, "method"}, {&cli_environments, "env"}},
    .examples = {{"experior fit-q walks.jsonl -o networks.safetensors",
                  "25 networks that choose as the experts did"},
                 {"experior fit-q dives.jsonl --env deep_sea --size 10 --method max_entropy",
                  "the maximum-entropy prior, with its diagnostics"}},
    .run = run,
};
