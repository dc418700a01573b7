/* simulate.c: experior simulate: regret of agents in one setting, and in environments with states
 * the return of each episode. */
#include "json.h"
#include "model.h"
#include "options.h"
#include "output.h"
#include "peers.h"
#include "progress.h"
#include "segments/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fields of one agent's result, into an object that is open. */
static void json_result(cli_json *json, const xp_simulate_options *options,
                        const xp_simulate_result *result, size_t agent) {
    cli_json_number(json, "regret", result->regret);
    cli_json_number(json, "regret_se", result->regret_se);
    cli_json_number(json, "regret_mean_over_episodes", result->regret_mean_over_episodes);
    cli_json_integer(json, "agent_steps", result->agent_steps);
    if (options->returns != NULL) {
        cli_json_numbers(json, "returns", options->returns + agent * options->episodes,
                         options->episodes);
    }
}

static void print_json(const cli_arguments *arguments, const xp_simulate_options *options,
                       const xp_simulate_result *results, double seconds) {
    uint64_t steps = 0;
    for (size_t i = 0; i < options->agent_count; i++) {
        steps += results[i].agent_steps;
    }
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_text(&json, "env", options->tasks_from == NULL ? options->env : NULL);
    if (options->tasks_from != NULL) {
        cli_json_text(&json, "tasks_from", cli_text(arguments, "tasks-from"));
    }
    cli_json_text(&json, "expert", options->expert);
    cli_json_integer(&json, "problems", options->problems);
    cli_json_integer(&json, "priors", options->problems); /* its former name, for one version */
    cli_json_integer(&json, "tasks", options->tasks);
    cli_json_integer(&json, "episodes", options->episodes);
    cli_json_integer(&json, "demonstrations", options->demonstrations);
    cli_json_integer(&json, "seed", options->seed);
    cli_json_number(&json, "seconds", seconds);
    if (options->agent_count == 1) {
        cli_json_text(&json, "agent", options->agents[0]);
        json_result(&json, options, &results[0], 0);
    } else {
        cli_json_integer(&json, "agent_steps", steps);
    }
    cli_json_array(&json, "agents");
    for (size_t i = 0; i < options->agent_count; i++) {
        cli_json_object(&json, NULL);
        cli_json_text(&json, "agent", options->agents[i]);
        json_result(&json, options, &results[i], i);
        cli_json_number(&json, "fit_seconds", results[i].fit_seconds);
        cli_json_number(&json, "act_seconds", results[i].seconds);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

/* Mean return of the first so many episodes. */
static double mean_return(const xp_simulate_options *options, size_t agent, size_t episodes) {
    double sum = 0;
    for (size_t t = 0; t < episodes; t++) {
        sum += options->returns[agent * options->episodes + t];
    }
    return sum / (double)episodes;
}

static void print_returns(const xp_simulate_options *options) {
    const size_t first[] = {50, 200};
    char cell[3][32];
    cli_table table = cli_table_start("lrrr", "agent\tepisodes 1-50\t1-200\tall");
    for (size_t i = 0; i < options->agent_count; i++) {
        for (size_t j = 0; j < 3; j++) {
            const size_t n = j < 2 ? first[j] : options->episodes;
            const bool enough = n <= options->episodes;
            (void)cli_number(cell[j], enough ? mean_return(options, i, n) : NAN);
        }
        cli_table_add(&table, "%s\t%s\t%s\t%s", options->agents[i], cell[0], cell[1], cell[2]);
    }
    (void)printf("\nmean return of an episode\n");
    cli_table_print(&table);
}

static void print_text(const xp_simulate_options *options, const xp_simulate_result *results,
                       double seconds) {
    uint64_t steps = 0;
    const bool single = options->problems == 1 && options->tasks == 1;
    cli_table table = cli_table_start("lrrr", "agent\tfinal regret\tse\tregret averaged over t");
    for (size_t i = 0; i < options->agent_count; i++) {
        char se[32] = "-";
        if (!single) {
            (void)snprintf(se, sizeof se, "%.4f", results[i].regret_se);
        }
        cli_table_add(&table, "%s\t%.4f\t%s\t%.4f", options->agents[i], results[i].regret, se,
                      results[i].regret_mean_over_episodes);
        steps += results[i].agent_steps;
    }
    cli_table_print(&table);
    (void)printf("se: standard error of the mean over %s%s\n",
                 options->problems > 1 ? "problems" : "tasks",
                 single ? "; a single task has none" : "");
    if (options->returns != NULL) {
        print_returns(options);
    }
    /* Time is no result: it goes where messages go, and the same seed prints the same bytes. */
    (void)fprintf(stderr, "%.3g s, %.3g agent-steps per second\n", seconds,
                  (double)steps / seconds);
}

/* In a bandit an episode is one reward: nobody asks for each of them. */
static bool has_returns(const xp_simulate_options *options) {
    if (options->tasks_from != NULL) {
        return false;
    }
    xp_rng rng = xp_rng_seed(options->seed);
    xp_env *env;
    const bool made = xp_env_create(options->env, &rng, &env, NULL) == XP_OK;
    const bool has = made && xp_env_describe(env).state_size > 0;
    xp_env_destroy(env);
    return has;
}

/* Numbers separated by commas into `episodes`, which has room for as many as there are characters;
 * 0 if they are not that. */
static size_t read_episodes(const char *text, size_t *episodes) {
    size_t count = 0;
    for (const char *p = text;; p++) {
        char *end;
        const unsigned long long number = strtoull(p, &end, 10);
        if (*p < '0' || *p > '9' || (*end != ',' && *end != '\0') || number > SIZE_MAX / 2) {
            return 0;
        }
        episodes[count++] = (size_t)number;
        p = end;
        if (*p == '\0') {
            return count;
        }
    }
}

/* Pictures come first: what is wrong with them is said before a long simulation. */
static int render(const cli_arguments *arguments, xp_simulate_options *options) {
    const char *directory = cli_text(arguments, "render");
    const char *list = cli_text(arguments, "render-episodes");
    if (directory == NULL) {
        if (list != NULL) {
            cli_complain("--render-episodes says which episodes to draw, but no --render where to");
        }
        return list != NULL ? CLI_BAD : CLI_DONE;
    }
    size_t *episodes = cli_alloc(list != NULL ? strlen(list) + 1 : 1, sizeof *episodes);
    const size_t count = list != NULL ? read_episodes(list, episodes) : 0;
    if (list != NULL && count == 0) {
        cli_complain("--render-episodes = '%s' is not a list like 1,5,20", list);
        free(episodes);
        return CLI_BAD;
    }
    cli_progress progress = cli_progress_start("render");
    options->progress = cli_progress_update;
    options->progress_context = &progress;
    xp_error error;
    size_t written;
    const xp_status status =
        xp_picture_episodes(options, episodes, count, directory, &written, &error);
    cli_progress_end(&progress);
    free(episodes);
    if (status == XP_ERR_INTERRUPTED) {
        cli_complain("interrupted after %zu pictures", written);
        return CLI_NO;
    }
    if (status != XP_OK) {
        return cli_failed(&error);
    }
    (void)fprintf(stderr, "%zu picture%s written to %s\n", written, written == 1 ? "" : "s",
                  directory);
    return CLI_DONE;
}

static int simulate(const cli_arguments *arguments, xp_simulate_options *options) {
    xp_simulate_result *results = cli_alloc(options->agent_count, sizeof *results);
    double *returns = has_returns(options)
                          ? cli_alloc(options->agent_count, options->episodes * sizeof *returns)
                          : NULL;
    options->returns = returns;
    cli_progress progress = cli_progress_start("simulate");
    options->progress = cli_progress_update;
    options->progress_context = &progress;
    xp_error error;
    const double start = cli_seconds();
    const xp_status status = xp_simulate(options, results, &error);
    const double seconds = cli_seconds() - start;
    cli_progress_end(&progress);
    int code = CLI_DONE;
    if (status == XP_ERR_INTERRUPTED) {
        cli_complain("interrupted; a simulation keeps nothing: run the command again");
        code = CLI_NO;
    } else if (status != XP_OK) {
        code = cli_failed(&error);
    } else if (!cli_leads()) {
        code = CLI_DONE;
    } else if (cli_flag(arguments, "json")) {
        print_json(arguments, options, results, seconds);
    } else {
        print_text(options, results, seconds);
    }
    free(returns);
    free(results);
    return code;
}

/* Loads the model that tasks are drawn from, if there is one: then no environment may be named, nor
 * a parameter of one. */
static int load_tasks(const cli_arguments *arguments, xp_model **model) {
    if (cli_text(arguments, "tasks-from") == NULL) {
        return CLI_DONE;
    }
    xp_catalogue_entry env;
    if (!cli_stage_find(&cli_environments, cli_text(arguments, "env"), &env)) {
        return CLI_BAD;
    }
    static const char *const others[] = {"env", "render", "render-episodes"};
    for (size_t i = 0; i < arguments->given_count; i++) {
        const cli_given *given = &arguments->given[i];
        bool other = given->option == NULL && cli_has_param(&env, given->name);
        for (size_t j = 0; j < sizeof others / sizeof others[0]; j++) {
            other = other || strcmp(given->name, others[j]) == 0;
        }
        if (other) {
            cli_complain("--%s is about an environment, but with --tasks-from the tasks are those "
                         "of the model; give one of them",
                         given->name);
            return CLI_BAD;
        }
    }
    xp_error error;
    const char *path = cli_text(arguments, "tasks-from");
    return xp_model_load(path, model, &error) == XP_OK ? cli_model_segment(arguments, path, model)
                                                       : cli_failed(&error);
}

static int run(const cli_arguments *arguments) {
    const char *const types[] = {cli_text(arguments, "env"), cli_text(arguments, "expert")};
    char *specs[2];
    if (!cli_specs(arguments, types, specs)) {
        return CLI_BAD;
    }
    const char **agents = cli_alloc(arguments->given_count + 1, sizeof *agents);
    xp_simulate_options options = xp_simulate_options_default();
    options.env = specs[0];
    options.expert = specs[1];
    options.agents = agents;
    options.agent_count = cli_values(arguments, "agent", agents);
    xp_model *model = NULL;
    if (cli_text(arguments, "model") != NULL) {
        xp_error error;
        if (xp_model_load(cli_text(arguments, "model"), &model, &error) != XP_OK) {
            free(agents);
            return cli_failed(&error);
        }
        if (cli_model_segment(arguments, cli_text(arguments, "model"), &model) != CLI_DONE) {
            free(agents);
            return CLI_BAD;
        }
        options.model = model;
        if (!cli_was_given(arguments, "agent")) {
            agents[0] = xp_model_describe(model).agent;
        }
    }
    options.problems =
        cli_integer(arguments, cli_was_given(arguments, "priors") ? "priors" : "problems");
    options.tasks = cli_integer(arguments, "tasks");
    options.episodes = cli_integer(arguments, "episodes");
    options.demonstrations = cli_integer(arguments, "demonstrations");
    options.threads = cli_threads(arguments);
    options.peers = cli_peers();
    options.seed = cli_integer(arguments, "seed");
    xp_model *tasks = NULL;
    int code = load_tasks(arguments, &tasks);
    options.tasks_from = tasks;
    if (code == CLI_DONE && cli_leads()) {
        code = render(arguments, &options);
    }
    if (code == CLI_DONE) {
        code = simulate(arguments, &options);
    }
    xp_model_destroy(model);
    xp_model_destroy(tasks);
    free(agents);
    free(specs[0]);
    free(specs[1]);
    return code;
}

const cli_command cli_command_simulate = {
    .name = "simulate",
    .order = 9,
    .together = true,
    .summary = "measure the regret of agents in a setting of your own",
    .description = "Draws problems (distributions over tasks), demonstrations and tasks, lets "
                   "every agent act in the same ones, and prints cumulative regret. Where episodes "
                   "have several steps, it also prints their returns.",
    .options = {{.name = "agent",
                 .kind = CLI_TEXT,
                 .value = "SPEC",
                 .standard = "experior_maxent",
                 .repeatable = true,
                 .summary = "agent as NAME or NAME:key=value,...; see 'experior list agents'"},
                CLI_OPTION_ENV,
                CLI_OPTION_EXPERT("who demonstrates"),
                {.name = "model",
                 .kind = CLI_TEXT,
                 .value = "MODEL",
                 .summary = "agents act from this model, made by 'experior fit', instead of one "
                            "fitted to demonstrations of the expert"},
                {.name = "tasks-from",
                 .kind = CLI_TEXT,
                 .value = "MODEL",
                 .summary =
                     "draw tasks from the prior of this model, made by 'experior fit', "
                     "instead of an environment; agent oracle_ts then acts from that very "
                     "prior, and the others from demonstrations of the expert in such tasks"},
                CLI_OPTION_SEGMENT,
                {.name = "problems",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "1",
                 .low = 1,
                 .high = 1e6,
                 .summary = "problems (distributions over tasks) to draw"},
                {.name = "priors",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .low = 1,
                 .high = 1e6,
                 .summary = "the former name of --problems"},
                {.name = "tasks",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "512",
                 .low = 1,
                 .high = 1e7,
                 .summary = "tasks to draw from each problem"},
                {.name = "episodes",
                 .kind = CLI_INTEGER,
                 .value = "T",
                 .standard = "1500",
                 .low = 1,
                 .high = 1e7,
                 .summary = "episodes for which an agent acts in each task"},
                {.name = "demonstrations",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "1000",
                 .low = 1,
                 .high = 1e9,
                 .summary = "demonstrations per problem"},
                {.name = "render",
                 .kind = CLI_TEXT,
                 .value = "DIR",
                 .summary = "also write pictures of episodes of the first task, as SVG files in "
                            "DIR: path, truth, and what the agent believed"},
                {.name = "render-episodes",
                 .kind = CLI_TEXT,
                 .value = "LIST",
                 .summary =
                     "episodes to show, such as 1,5,20; without it, 1, 2, 4, 8, ... and the last"},
                CLI_OPTION_THREADS,
                CLI_OPTION_SEED,
                CLI_OPTION_JSON},
    .stages = {{&cli_environments, "env"}, {&cli_experts, "expert"}},
    .examples = {{"experior simulate --arms 10 --agent experior_maxent --agent oracle_ts",
                  "the maximum-entropy agent beside one that knows the true problem"},
                 {"experior simulate --agent experior_maxent:beta=10,sampler=mcmc --json",
                  "with parameters of its prior and sampler, for programs"},
                 {"experior simulate --env deep_sea --goal any --agent posterior_sampling",
                  "dives to hidden goals: the return of the first 50 and 200 episodes"},
                 {"experior simulate --tasks-from model.json --agent oracle_ts --agent naive_ts",
                  "what a model of your own would gain if it were right"},
                 {"experior simulate --env deep_sea --agent boot_dqn --tasks 1 --render film",
                  "watch an agent learn: pictures of episodes 1, 2, 4, ... and the last"}},
    .run = run,
};
