/* sweep.c: experior sweep: agents in all settings that a file lists. */
#include "json.h"
#include "options.h"
#include "output.h"
#include "peers.h"
#include "progress.h"

#include <string.h>

static void print_json(const xp_sweep *sweep, const xp_sweep_result *result) {
    const xp_sweep_info info = xp_sweep_describe(sweep);
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_text(&json, "sweep", info.name);
    cli_json_integer(&json, "units_done", result->study->units_done);
    cli_json_integer(&json, "units_total", result->study->units_total);
    cli_json_array(&json, "candidates");
    for (size_t i = 0; i < result->candidate_count; i++) {
        const xp_sweep_candidate *of = &result->candidates[i];
        cli_json_object(&json, NULL);
        cli_json_text(&json, "agent", of->agent);
        cli_json_integer(&json, "round", of->round);
        cli_json_integer(&json, "problems", of->problems);
        cli_json_number(&json, "rank", of->rank);
        cli_json_bool(&json, "kept", of->kept);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_array(&json, "rows");
    for (size_t i = 0; i < result->study->row_count; i++) {
        const xp_study_row *row = &result->study->rows[i];
        cli_json_object(&json, NULL);
        cli_json_text(&json, "agent", row->agent);
        cli_json_text(&json, "setting", row->group);
        cli_json_text(&json, "measure", row->measure);
        cli_json_integer(&json, "problems", row->problems);
        cli_json_number(&json, "mean", row->mean);
        cli_json_number(&json, "se", row->se);
        cli_json_number(&json, "difference", row->difference);
        cli_json_number(&json, "difference_se", row->difference_se);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

/* How far each agent came in the search: the report shows only those that were kept. */
static void print_search(const xp_sweep *sweep, const xp_sweep_result *result) {
    const size_t rounds = xp_sweep_describe(sweep).rounds;
    cli_table table = cli_table_start("lrlr", "agent\tlast round\toutcome\tmean rank");
    for (size_t i = 0; i < result->candidate_count; i++) {
        const xp_sweep_candidate *of = &result->candidates[i];
        if (!of->kept || of->round == rounds) {
            cli_table_add(&table, "%s\t%zu of %zu\t%s\t%.2f", of->agent, of->round, rounds,
                          of->kept ? "reported" : "dropped", of->rank);
        }
    }
    (void)printf("Search: the mean rank is over settings; 1 is best\n");
    cli_table_print(&table);
    (void)printf("\n");
}

static int report(const cli_arguments *arguments, const xp_sweep *sweep,
                  const xp_sweep_result *result) {
    const char *directory = cli_text(arguments, "output");
    const bool as_json = cli_flag(arguments, "json");
    const bool shown = !as_json && !cli_flag(arguments, "brief");
    xp_error error;
    char *table = NULL;
    if (xp_report_sweep(sweep, result, directory, &error) != XP_OK ||
        (shown && xp_report_table_text(result->study, &table, &error) != XP_OK)) {
        return cli_interrupted() ? cli_stopped(arguments) : cli_failed(&error);
    }
    if (as_json) {
        print_json(sweep, result);
        return CLI_DONE;
    }
    const char *name = xp_sweep_describe(sweep).name;
    if (shown && result->candidate_count > 0) {
        print_search(sweep, result);
    }
    (void)fputs(shown ? table : "", stdout);
    (void)printf("report: %s/index.html\nvalues: %s/%s-values.csv, %s/%s-values.sqlite\n",
                 directory, directory, name, directory, name);
    xp_release(table);
    return CLI_DONE;
}

static int run(const cli_arguments *arguments) {
    const char *path = cli_positional_text(arguments, 0);
    if (cli_peers() != NULL && strcmp(path, "-") == 0) {
        cli_complain("several processes cannot read the sweep from standard input, which reaches "
                     "only one of them: write it to a file and give its name");
        return CLI_BAD;
    }
    xp_sweep *sweep = NULL;
    xp_error error;
    if (xp_sweep_load(path, cli_notice, NULL, &sweep, &error) != XP_OK) {
        return cli_failed(&error);
    }
    cli_progress progress = cli_progress_start(xp_sweep_describe(sweep).name);
    progress.in_rounds = xp_sweep_describe(sweep).rounds > 0;
    progress.long_only = true;
    xp_study_options options = xp_study_options_default();
    options.directory = cli_text(arguments, "output");
    options.threads = cli_threads(arguments);
    options.fresh = cli_flag(arguments, "fresh");
    options.so_far = cli_flag(arguments, "so-far");
    options.progress = cli_progress_update;
    options.progress_context = &progress;
    options.pilot = !options.so_far;
    options.forecast = cli_progress_forecast;
    options.forecast_context = &progress;
    options.notice = cli_notice;
    options.peers = cli_peers();
    xp_sweep_result *result = NULL;
    const xp_status status = xp_sweep_run(sweep, &options, &result, &error);
    cli_progress_end(&progress);
    const int code = status == XP_ERR_INTERRUPTED ? cli_stopped(arguments)
                     : status != XP_OK            ? cli_failed(&error)
                     : result != NULL             ? report(arguments, sweep, result)
                                                  : CLI_DONE;
    xp_sweep_result_destroy(result);
    xp_sweep_destroy(sweep);
    return code;
}

const cli_command cli_command_sweep = {
    .name = "sweep",
    .order = 11,
    .together = true,
    .summary = "compare agents in many settings of your own",
    .description =
        "Runs every agent in every setting that a JSON file lists: every combination of an "
        "environment, an expert and demonstrations. The file is an object with the keys "
        "\"environments\", \"experts\", \"demonstrations\" (how many, or files) and \"agents\". It "
        "may also have \"seeds\" (default 1), \"problems\" per seed (8), \"tasks\" per problem "
        "(16), \"episodes\" per task (500), \"search\", \"folder\" and \"name\". Every mistake in "
        "the file is reported before anything is computed. Finished units are kept in DIR, so the "
        "same command resumes an interrupted sweep. With \"search\", agents are first selected by "
        "successive halving, on problems that are not reported on.",
    .positionals = {{.name = "FILE", .required = true, .summary = "the sweep, as JSON"}},
    .options = {{.name = "output",
                 .letter = 'o',
                 .kind = CLI_TEXT,
                 .value = "DIR",
                 .required = true,
                 .summary = "directory for the report, the values and the finished units"},
                {.name = "fresh",
                 .kind = CLI_FLAG,
                 .summary = "discard finished units of earlier runs"},
                {.name = "so-far",
                 .kind = CLI_FLAG,
                 .summary = "compute nothing; report on the units that are finished"},
                {.name = "brief", .kind = CLI_FLAG, .summary = "do not print the table"},
                CLI_OPTION_THREADS,
                CLI_OPTION_JSON},
    .examples = {{"experior sweep examples/data/sweep.json -o out/sweep",
                  "agents with several parameters each, in two bandits"},
                 {"mpirun -n 64 experior sweep grid.json -o out/grid",
                  "the same on a cluster, with 64 processes"}},
    .run = run,
};
