/* demos.c: experior demos: demonstrations of a simulated expert. */
#include "options.h"
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Standard output cannot be replaced whole, as the library replaces files: the demonstrations are
 * saved beside it and copied. */
static int print_demos(const xp_demos *demos, xp_demos_format format) {
    const char *place = getenv("TMPDIR");
    char path[4096];
    (void)snprintf(path, sizeof path, "%.4000s/experior.XXXXXX",
                   place != NULL && *place != '\0' ? place : "/tmp");
    const int descriptor = mkstemp(path);
    if (descriptor < 0) {
        cli_complain("cannot write '%s': %s", path, strerror(errno));
        return CLI_BAD;
    }
    (void)close(descriptor);
    xp_error error;
    const xp_status status = xp_demos_save(demos, path, format, &error);
    FILE *copy = status == XP_OK ? fopen(path, "rb") : NULL;
    (void)unlink(path);
    if (status != XP_OK) {
        return cli_failed(&error);
    }
    if (copy == NULL) {
        cli_complain("cannot read '%s': %s", path, strerror(errno));
        return CLI_BAD;
    }
    char block[1 << 14];
    size_t got;
    do {
        got = fread(block, 1, sizeof block, copy);
    } while (got != 0 && cli_print_bytes(block, got));
    (void)fclose(copy);
    return CLI_DONE;
}

/* The actions of a CSV file end with the largest that somebody chose. */
static void mention_untaken(const xp_demos *demos, xp_demos_format format) {
    const size_t actions = xp_demos_actions(demos);
    uint64_t *counts = cli_alloc(actions, sizeof *counts);
    xp_demos_action_counts(demos, counts);
    if (format == XP_DEMOS_CSV && counts[actions - 1] == 0) {
        char advice[64] = "name --env again with fit";
        if (xp_demos_state_size(demos) == 0) {
            (void)snprintf(advice, sizeof advice, "fit with --arms %zu", actions);
        }
        cli_complain("no demonstration chose action %zu, which CSV cannot say: %s or write "
                     "--format jsonl",
                     actions - 1, advice);
    }
    free(counts);
}

static int save(const cli_arguments *arguments, const xp_demos *demos) {
    const xp_demos_format format =
        strcmp(cli_text(arguments, "format"), "jsonl") == 0 ? XP_DEMOS_JSONL : XP_DEMOS_CSV;
    const char *path = cli_text(arguments, "output");
    mention_untaken(demos, format);
    if (cli_means_standard_output(path)) {
        return print_demos(demos, format);
    }
    xp_error error;
    if (xp_demos_save(demos, path, format, &error) != XP_OK) {
        return cli_failed(&error);
    }
    (void)fprintf(stderr, "%llu demonstrations, %zu distinct, written to %s\n",
                  (unsigned long long)xp_demos_count(demos), xp_demos_distinct(demos), path);
    return CLI_DONE;
}

static int run(const cli_arguments *arguments) {
    const char *const types[] = {cli_text(arguments, "env"), cli_text(arguments, "expert")};
    char *specs[2];
    if (!cli_specs(arguments, types, specs)) {
        return CLI_BAD;
    }
    /* The streams of a simulation's first problem: `experior simulate` with the same seed
     * and parameters shows its agents these demonstrations. */
    const xp_rng root = xp_rng_seed(cli_integer(arguments, "seed"));
    const xp_rng problem = xp_rng_fork(&root, 0);
    xp_rng env_rng = xp_rng_fork(&problem, 0), demos_rng = xp_rng_fork(&problem, 1);
    xp_env *env = NULL;
    xp_expert *expert = NULL;
    xp_demos *demos = NULL;
    xp_error error;
    xp_status status = xp_env_create(specs[0], &env_rng, &env, &error);
    if (status == XP_OK) {
        status = xp_expert_create(specs[1], &expert, &error);
    }
    if (status == XP_OK) {
        status =
            xp_demos_draw(env, expert, cli_integer(arguments, "count"), &demos_rng, &demos, &error);
    }
    const int code = status == XP_OK ? save(arguments, demos) : cli_failed(&error);
    xp_demos_destroy(demos);
    xp_expert_destroy(expert);
    xp_env_destroy(env);
    free(specs[0]);
    free(specs[1]);
    return code;
}

const cli_command cli_command_demos = {
    .name = "demos",
    .order = 2,
    .summary = "make demonstrations with a simulated expert",
    .description = "Draws a problem (a distribution over tasks), then demonstrations. For each "
                   "demonstration a task with its hidden context is drawn, and an expert who sees "
                   "the context acts in it.",
    .options = {CLI_OPTION_ENV,
                CLI_OPTION_EXPERT("expert"),
                {.name = "count",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "1000",
                 .low = 1,
                 .high = 1e9,
                 .summary = "number of demonstrations"},
                {.name = "output",
                 .letter = 'o',
                 .kind = CLI_TEXT,
                 .value = "FILE",
                 .standard = "-",
                 .summary = "file to write, - for standard output"},
                {.name = "format",
                 .kind = CLI_CHOICE,
                 .value = "WORD",
                 .standard = "csv",
                 .choices = "csv|jsonl",
                 .summary = "format of the file"},
                CLI_OPTION_SEED},
    .stages = {{&cli_environments, "env"}, {&cli_experts, "expert"}},
    .examples = {{"experior demos --arms 10 --count 1000 --seed 1 -o demos.csv",
                  "1,000 choices of an optimal expert among 10 arms"},
                 {"experior demos --expert noisily_rational --beta 2.5 --format jsonl",
                  "a less competent expert, to standard output"}},
    .run = run,
};
