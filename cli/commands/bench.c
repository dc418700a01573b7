/* bench.c: experior bench: how fast this build is on this machine.
 *
 * Steps a second of whole simulations (environment, agent, accounting), on one thread and on two,
 * and seconds a fit. Ratios compare numbers of the same run, which survive a change of machine. */
#include "json.h"
#include "options.h"
#include "output.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { EPISODES = 1500, DEMONSTRATIONS = 1000, SEED = 1 };
static const char environment[] = "bernoulli_bandit:arms=10";

static const char *const agents[] = {"experior_maxent", "experior_maxent:beta=10,sampler=mcmc",
                                     "experior_param",  "oracle_ts",
                                     "naive_ts",        "naive_ucb"};
enum { AGENTS = sizeof agents / sizeof agents[0] };

typedef struct measure {
    char name[96];
    double value;
    const char *unit;
} measure;

typedef struct bench {
    cli_progress progress;
    size_t done, total;
    double slot; /* seconds for each measurement */
    measure measures[64];
    size_t count;
} bench;

static void record(bench *self, double value, const char *unit, const char *what,
                   const char *which) {
    if (self->count < sizeof self->measures / sizeof self->measures[0]) {
        measure *added = &self->measures[self->count++];
        (void)snprintf(added->name, sizeof added->name, "%s%s", what, which);
        added->value = value;
        added->unit = unit;
    }
}

static int interrupted(void *context, size_t done, size_t total) {
    (void)done;
    (void)total;
    const bench *self = context;
    return cli_progress_update((void *)&self->progress, self->done, self->total);
}

/* One simulation; steps per second of wall-clock, or NAN if it failed. */
static double simulate(bench *self, const char *agent, size_t tasks, size_t threads,
                       double *seconds, xp_error *error) {
    xp_simulate_options options = xp_simulate_options_default();
    options.agents = &agent;
    options.agent_count = 1;
    options.env = environment;
    options.expert = "optimal";
    options.problems = 1;
    options.tasks = tasks;
    options.episodes = EPISODES;
    options.demonstrations = DEMONSTRATIONS;
    options.threads = threads;
    options.seed = SEED;
    options.progress = interrupted;
    options.progress_context = self;
    xp_simulate_result result;
    const double start = cli_seconds();
    if (xp_simulate(&options, &result, error) != XP_OK) {
        return NAN;
    }
    *seconds = cli_seconds() - start;
    return (double)result.agent_steps / *seconds;
}

/* An agent on one thread and on two, with as many tasks as fill the slot. */
static bool measure_agent(bench *self, const char *agent, double *reference, xp_error *error) {
    size_t tasks = 16;
    double seconds = 0, speed[2] = {0, 0};
    do {
        tasks *= 4;
        speed[0] = simulate(self, agent, tasks, 1, &seconds, error);
    } while (!isnan(speed[0]) && seconds < self->slot / 4 && tasks < 1000000);
    self->done++;
    speed[1] = isnan(speed[0]) ? NAN : simulate(self, agent, tasks, 2, &seconds, error);
    self->done++;
    if (isnan(speed[1])) {
        return false;
    }
    record(self, speed[0], "agent-steps/s", agent, ", 1 thread");
    record(self, speed[1], "agent-steps/s", agent, ", 2 threads");
    record(self, speed[1] / speed[0], "ratio", agent, ", 2 threads / 1");
    if (isnan(*reference)) { /* the first one */
        *reference = speed[0];
    } else {
        record(self, speed[0] / *reference, "ratio", agent, " / experior_maxent");
    }
    return true;
}

static bool measure_fit(bench *self, const char *method, double beta, const xp_demos *demos,
                        xp_error *error) {
    char spec[80];
    (void)snprintf(spec, sizeof spec, isnan(beta) ? "%s" : "%s:beta=%g", method, beta);
    size_t fits = 0;
    const double start = cli_seconds();
    do {
        const xp_rng root = xp_rng_seed(SEED);
        xp_rng rng = xp_rng_fork(&root, fits++);
        xp_prior *prior;
        if (xp_prior_fit(spec, demos, &rng, &prior, NULL, error) != XP_OK) {
            return false;
        }
        xp_prior_destroy(prior);
        if (interrupted(self, 0, 0) != 0) {
            (void)xp_error_set(error, XP_ERR_INTERRUPTED, "interrupted");
            return false;
        }
    } while (cli_seconds() - start < self->slot / 4);
    char which[64] = "";
    if (!isnan(beta)) {
        (void)snprintf(which, sizeof which, ", beta = %g", beta);
    }
    char name[80];
    (void)snprintf(name, sizeof name, "fit %s", method);
    record(self, (cli_seconds() - start) / (double)fits, "s", name, which);
    self->done++;
    return true;
}

static bool measure_fits(bench *self, xp_error *error) {
    const xp_rng root = xp_rng_seed(SEED);
    xp_rng env_rng = xp_rng_fork(&root, 0), demos_rng = xp_rng_fork(&root, 1);
    xp_env *env = NULL;
    xp_expert *expert = NULL;
    xp_demos *demos = NULL;
    bool good = xp_env_create(environment, &env_rng, &env, error) == XP_OK &&
                xp_expert_create("optimal", &expert, error) == XP_OK &&
                xp_demos_draw(env, expert, DEMONSTRATIONS, &demos_rng, &demos, error) == XP_OK;
    for (size_t i = 0; good && i < xp_catalogue_count(XP_PRIORS); i++) {
        good = measure_fit(self, xp_catalogue_get(XP_PRIORS, i).name, NAN, demos, error);
    }
    good = good && measure_fit(self, "max_entropy", 10, demos, error);
    xp_demos_destroy(demos);
    xp_expert_destroy(expert);
    xp_env_destroy(env);
    return good;
}

static void print_json(const bench *self) {
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_text(&json, "version", xp_version());
    cli_json_array(&json, "measures");
    for (size_t i = 0; i < self->count; i++) {
        cli_json_object(&json, NULL);
        cli_json_text(&json, "measure", self->measures[i].name);
        cli_json_number(&json, "value", self->measures[i].value);
        cli_json_text(&json, "unit", self->measures[i].unit);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

static void print_csv(const bench *self) {
    for (size_t i = 0; i < self->count; i++) { /* names hold commas */
        (void)printf("\"%s\",%.3g,%s\n", self->measures[i].name, self->measures[i].value,
                     self->measures[i].unit);
    }
}

static void print_text(const bench *self) {
    cli_table table = cli_table_start("lrl", "measure\tvalue\tunit");
    for (size_t i = 0; i < self->count; i++) {
        cli_table_add(&table, "%s\t%.3g\t%s", self->measures[i].name, self->measures[i].value,
                      self->measures[i].unit);
    }
    cli_table_print(&table);
}

static int run(const cli_arguments *arguments) {
    bench *self = cli_alloc(1, sizeof *self);
    self->total = 2 * AGENTS + xp_catalogue_count(XP_PRIORS) + 1;
    self->slot = cli_real(arguments, "seconds") / (double)self->total;
    self->progress = cli_progress_start("bench");
    xp_error error;
    double reference = NAN;
    bool good = true;
    for (size_t i = 0; good && i < AGENTS; i++) {
        good = measure_agent(self, agents[i], &reference, &error);
    }
    good = good && measure_fits(self, &error);
    cli_progress_end(&self->progress);
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    record(self, (double)usage.ru_maxrss / 1024, "MiB", "peak memory", "");
    int code = CLI_DONE;
    if (!good) {
        code = cli_failed(&error);
    } else if (cli_flag(arguments, "json")) {
        print_json(self);
    } else if (cli_flag(arguments, "csv")) {
        print_csv(self);
    } else {
        print_text(self);
    }
    free(self);
    return code;
}

const cli_command cli_command_bench = {
    .name = "bench",
    .order = 15,
    .summary = "measure the speed of this build on this machine",
    .description = "Times simulations of key agents with 10 arms on one thread and on two, and the "
                   "fit of every prior to 1,000 demonstrations; also prints ratios within the run "
                   "and the peak memory use.",
    .options = {{.name = "seconds",
                 .kind = CLI_REAL,
                 .value = "S",
                 .standard = "20",
                 .low = 0.1,
                 .high = 3600,
                 .summary = "roughly how long to measure in total"},
                {.name = "csv", .kind = CLI_FLAG, .summary = "print CSV lines: measure,value,unit"},
                CLI_OPTION_JSON},
    .examples = {{"experior bench --seconds 5 --json", "a short measurement, for programs"}},
    .run = run,
};
