/* study.c: experior study: the paper's studies, resumable, with a report. */
#include "json.h"
#include "options.h"
#include "output.h"
#include "peers.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>

static void json_study(cli_json *json, const xp_study_result *result) {
    cli_json_object(json, NULL);
    cli_json_text(json, "study", result->study);
    cli_json_text(json, "title", result->title);
    cli_json_text(json, "scale", result->scale);
    cli_json_integer(json, "seed", result->seed);
    cli_json_integer(json, "agent_steps", result->agent_steps);
    cli_json_number(json, "seconds", result->seconds);
    cli_json_array(json, "rows");
    for (size_t i = 0; i < result->row_count; i++) {
        const xp_study_row *row = &result->rows[i];
        cli_json_object(json, NULL);
        cli_json_text(json, "agent", row->agent);
        cli_json_text(json, "spec", row->spec);
        cli_json_text(json, "group", row->group);
        cli_json_text(json, "measure", row->measure);
        cli_json_integer(json, "priors", row->problems);
        cli_json_number(json, "mean", row->mean);
        cli_json_number(json, "se", row->se);
        cli_json_number(json, "difference", row->difference);
        cli_json_number(json, "difference_se", row->difference_se);
        cli_json_number(json, "paper_mean", row->paper_mean);
        cli_json_number(json, "paper_se", row->paper_se);
        if (row->runs > 0) {
            cli_json_integer(json, "runs", row->runs);
            cli_json_number(json, "sd_priors", row->sd_problems);
            cli_json_number(json, "sd_runs", row->sd_runs);
        }
        cli_json_end(json);
    }
    cli_json_end(json);
    cli_json_array(json, "times");
    for (size_t i = 0; i < result->time_count; i++) {
        cli_json_object(json, NULL);
        cli_json_text(json, "agent", result->times[i].agent);
        cli_json_integer(json, "units", result->times[i].units);
        cli_json_number(json, "fit_seconds", result->times[i].fit_seconds);
        cli_json_number(json, "seconds", result->times[i].seconds);
        cli_json_end(json);
    }
    cli_json_end(json);
    cli_json_end(json);
}

/* Times differ from run to run, so they go to standard error: on standard output the same seed
 * prints the same bytes. */
static void print_times(const xp_study_result *result) {
    size_t width = 0;
    for (size_t i = 0; i < result->time_count; i++) {
        const size_t columns = cli_columns(result->times[i].agent);
        width = columns > width ? columns : width;
    }
    (void)fprintf(stderr, "%s: seconds per agent, summed over its units\n", result->study);
    for (size_t i = 0; i < result->time_count; i++) {
        const xp_study_time *time = &result->times[i];
        char number[32];
        (void)fprintf(stderr, "  %s%*s  %s s in %zu unit%s\n", time->agent,
                      (int)(width - cli_columns(time->agent)), "",
                      cli_number(number, time->seconds), time->units, time->units == 1 ? "" : "s");
    }
}

/* Writes the files, then shows the table unless --brief, or the rows into `json` if that is not
 * NULL. `first`: no other has been shown. */
static int write_report(const cli_arguments *arguments, const xp_study_result *result, bool first,
                        cli_json *json) {
    const char *directory = cli_text(arguments, "output");
    const bool shown = json == NULL && !cli_flag(arguments, "brief");
    xp_error error;
    char *table = NULL;
    if (xp_report_write(result, directory, &error) != XP_OK ||
        (shown && xp_report_table_text(result, &table, &error) != XP_OK)) {
        /* Ctrl-C on a terminal also stops the program that draws the plots. */
        return cli_interrupted() ? cli_stopped(arguments) : cli_failed(&error);
    }
    if (json != NULL) {
        if (json->depth == 0) { /* not before: a study that fails prints nothing */
            cli_json_object(json, NULL);
            cli_json_text(json, "directory", directory);
            cli_json_array(json, "studies");
        }
        json_study(json, result);
        return CLI_DONE;
    }
    (void)fputs(shown && !first ? "\n" : "", stdout);
    (void)fputs(shown ? table : "", stdout);
    if (result->value_count > 0) {
        (void)printf("runs: %s/%s-runs.csv\n", directory, result->study);
    }
    (void)fflush(stdout); /* the next study takes a while */
    if (shown) {
        print_times(result);
    }
    xp_release(table);
    return CLI_DONE;
}

static xp_study_options read_options(const cli_arguments *arguments, cli_progress *progress) {
    xp_study_options options = xp_study_options_default();
    options.scale = cli_text(arguments, "scale");
    options.directory = cli_text(arguments, "output");
    options.threads = cli_threads(arguments);
    options.seed = cli_integer(arguments, "seed");
    options.fresh = cli_flag(arguments, "fresh");
    options.so_far = cli_flag(arguments, "so-far");
    options.only = cli_text(arguments, "only");
    options.problems = cli_integer(arguments, "problems");
    options.runs = cli_flag(arguments, "runs");
    options.progress = cli_progress_update;
    options.progress_context = progress;
    options.notice = cli_notice;
    options.peers = cli_peers();
    return options;
}

/* Before it starts, says how long it will take, which may need a pilot run. */
static void ask_forecast(xp_study_options *options, cli_progress *progress) {
    options->pilot = true;
    options->forecast = cli_progress_forecast;
    options->forecast_context = progress;
}

/* The units of several studies, in one queue. */
static int compute_several(const cli_arguments *arguments, const char *label,
                           const char *const *names, size_t count) {
    cli_progress progress = cli_progress_start(label);
    xp_study_options options = read_options(arguments, &progress);
    ask_forecast(&options, &progress);
    xp_error error;
    const xp_status status = xp_study_compute(names, count, &options, &error);
    cli_progress_end(&progress);
    return status == XP_OK                ? CLI_DONE
           : status == XP_ERR_INTERRUPTED ? cli_stopped(arguments)
                                          : cli_failed(&error);
}

/* Words for several studies. */
static bool is_group(const char *name) {
    return strcmp(name, "all") == 0 || strcmp(name, "paper") == 0 || strcmp(name, "bandits") == 0;
}

/* A study among those that were asked for. */
typedef struct task {
    const char *name;
    size_t problems; /* 0: all */
    bool computed;   /* all its units are in the store */
} task;

/* Computes and reports; *status says how the study itself ended. */
static int run_study(const cli_arguments *arguments, const task *of, bool first, cli_json *json,
                     xp_status *status) {
    cli_progress progress = cli_progress_start(of->name);
    xp_study_options options = read_options(arguments, &progress);
    options.problems = of->problems;
    if (of->computed) {
        options.fresh = false;
        options.peers = NULL;
    } else if (!options.so_far && strcmp(options.scale, "paper") == 0) {
        ask_forecast(&options, &progress);
    }
    xp_study_result *result = NULL;
    xp_error error;
    *status = xp_study_run(of->name, &options, &result, &error);
    cli_progress_end(&progress);
    int code;
    if (*status == XP_ERR_INTERRUPTED) {
        code = cli_stopped(arguments);
    } else if (*status != XP_OK) {
        code = is_group(cli_positional_text(arguments, 0)) ? cli_failed_on(of->name, &error)
                                                           : cli_failed(&error);
    } else {
        code = result != NULL ? write_report(arguments, result, first, json) : CLI_DONE;
    }
    xp_study_result_destroy(result);
    return code;
}

static bool is_wanted(const xp_catalogue_entry *study, const char *name) {
    return strcmp(name, "all") == 0       ? true
           : strcmp(name, "paper") == 0   ? study->in_paper
           : strcmp(name, "bandits") == 0 ? !study->states
                                          : strcmp(name, study->name) == 0;
}

/* One report after the other. With `may_skip`, a study of which nothing is finished, or nothing
 * matches --only, is skipped; it is an error if that leaves none. */
static int run_all(const cli_arguments *arguments, const task *tasks, size_t count, bool may_skip,
                   cli_json *json) {
    size_t reported = 0;
    for (size_t i = 0; i < count; i++) {
        xp_status status;
        const int code = run_study(arguments, &tasks[i], reported == 0, json, &status);
        if (code != CLI_DONE && !(may_skip && status == XP_ERR_INPUT)) {
            return code;
        }
        reported += code == CLI_DONE;
    }
    if (reported > 0 && json == NULL && cli_leads()) {
        (void)printf("report: %s/index.html\n", cli_text(arguments, "output"));
    }
    return reported > 0 ? CLI_DONE : CLI_BAD;
}

static int run(const cli_arguments *arguments) {
    const char *name = cli_positional_text(arguments, 0);
    const bool several = is_group(name);
    if (!several && !cli_stage_check(&cli_studies, name)) {
        return CLI_BAD;
    }
    cli_json json = {.depth = 0};
    const size_t studies = cli_stage_count(&cli_studies);
    const bool so_far = cli_flag(arguments, "so-far");
    const bool pile = several && !so_far && cli_text(arguments, "only") == NULL;
    const bool contradicts = so_far && cli_flag(arguments, "fresh"); /* then none can be run */
    const char **names = cli_alloc(studies, sizeof *names);
    task *tasks = cli_alloc(studies, sizeof *tasks);
    size_t count = 0;
    for (size_t i = 0; i < studies; i++) {
        const xp_catalogue_entry entry = cli_stage_at(&cli_studies, i);
        if (is_wanted(&entry, name)) {
            const bool whole = several && !entry.states;
            tasks[count] = (task){.name = entry.name,
                                  .problems = whole ? 0 : cli_integer(arguments, "problems"),
                                  .computed = pile};
            names[count++] = entry.name;
        }
    }
    int code = pile ? compute_several(arguments, name, names, count) : CLI_DONE;
    if (code == CLI_DONE && (!pile || cli_leads())) {
        code = run_all(arguments, tasks, count, several && !pile && !contradicts,
                       cli_flag(arguments, "json") ? &json : NULL);
    }
    free(names);
    free(tasks);
    while (json.depth > 0) {
        cli_json_end(&json);
    }
    return code;
}

const cli_command cli_command_study = {
    .name = "study",
    .order = 10,
    .together = true,
    .summary = "run a study, of the paper or beyond it, and write its report",
    .description = "Runs a study, prints a table with the paper's numbers beside ours and writes a "
                   "report (JSON, CSV, SVG and one HTML page). Finished units are kept in the "
                   "directory, so an interrupted study resumes where it stopped. Seconds per agent "
                   "are printed on standard error.",
    .positionals = {{.name = "NAME",
                     .required = true,
                     .summary = "a study (see 'experior list studies'), 'paper' for all figures "
                                "and tables of the paper, 'bandits' for all studies of bandits, "
                                "which take minutes, or 'all' for every study"}},
    .options =
        {{.name = "output",
          .letter = 'o',
          .kind = CLI_TEXT,
          .value = "DIR",
          .required = true,
          .summary = "directory for the report and the finished units"},
         {.name = "scale",
          .kind = CLI_CHOICE,
          .value = "WORD",
          .standard = "quick",
          .choices = "smoke|quick|paper",
          .summary = "how much to compute: smoke (does it run?), quick (minutes) or paper "
                     "(the paper's sample sizes)"},
         {.name = "fresh", .kind = CLI_FLAG, .summary = "discard finished units of earlier runs"},
         {.name = "so-far",
          .kind = CLI_FLAG,
          .summary = "compute nothing; report on the units that are finished, even while the study "
                     "runs. Of several studies, those without any are skipped"},
         {.name = "runs",
          .kind = CLI_FLAG,
          .summary = "also write DIR/NAME-runs.csv, the value of every single run"},
         {.name = "brief",
          .kind = CLI_FLAG,
          .summary = "print only where the report is, without the table and the seconds per agent"},
         {.name = "only",
          .kind = CLI_TEXT,
          .value = "WORDS",
          .summary =
              "compute only units whose key (setting and agent spec) contains all of these words"},
         {.name = "problems",
          .kind = CLI_INTEGER,
          .value = "N",
          .standard = "0",
          .summary = "in studies with states, compute only the first N problems of each setting; "
                     "0: all problems of the scale"},
         CLI_OPTION_THREADS,
         CLI_OPTION_SEED,
         CLI_OPTION_JSON},
    .examples = {{"experior study table2 --scale quick -o report",
                  "the paper's Table 2 with fewer tasks; open report/index.html"},
                 {"experior study paper --scale paper -o report",
                  "every figure and table of the paper, in hours; Ctrl-C stops it and the same "
                  "command resumes it"},
                 {"experior study table3 --scale paper -o report --so-far",
                  "what a running or interrupted study shows so far"},
                 {"experior study figure4 --scale quick -o report --runs",
                  "also the return and success of every run, in report/figure4-runs.csv"},
                 {"experior study table3 --scale paper --seed 3 --problems 5 -o out",
                  "five problems of another seed; a larger N later adds the others"},
                 {"experior study table3 --scale paper -o out --only \"=mdp beta=10 posterior\"",
                  "one agent in one of the settings"}},
    .run = run,
};
