/* report.c: experior report: the reports of all studies and sweeps of which a directory has
 * finished units, with aggregates over runs. Nothing is computed. */
#include "json.h"
#include "options.h"
#include "output.h"
#include "progress.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* A line of the table: "0.91 [0.88, 0.94]", or "-". */
static const char *with_interval(char buffer[96], double value, double low, double high) {
    char a[32], b[32], c[32];
    if (value != value) {
        return "-";
    }
    (void)snprintf(buffer, 96, "%s [%s, %s]", cli_number(a, value), cli_number(b, low),
                   cli_number(c, high));
    return buffer;
}

static void print_aggregates(const xp_study_result *result, const xp_aggregates *aggregates) {
    const char *measure = "";
    cli_table table;
    for (size_t i = 0; i < aggregates->count; i++) {
        const xp_aggregate *row = &aggregates->rows[i];
        if (strcmp(measure, row->measure) != 0) {
            if (*measure != '\0') {
                cli_table_print(&table);
            }
            measure = row->measure;
            (void)printf("\n%s: %s\n", result->study, measure);
            char headings[256];
            (void)snprintf(
                headings, sizeof headings,
                "agent\tgroups\truns\tinterquartile mean\tP(better than %.60s)\tfailures",
                result->reference != NULL ? result->reference : "reference");
            table = cli_table_start("lrrrrr", headings);
        }
        char mean[96], better[96], failures[128] = "-";
        if (row->failures != SIZE_MAX) {
            char a[32], b[32];
            (void)snprintf(failures, sizeof failures, "%zu of %zu [%s, %s]", row->failures,
                           row->failure_runs, cli_number(a, row->failure_low),
                           cli_number(b, row->failure_high));
        }
        cli_table_add(
            &table, "%s\t%zu\t%zu\t%s\t%s\t%s", row->agent, row->groups, row->runs,
            with_interval(mean, row->iqm, row->iqm_low, row->iqm_high),
            with_interval(better, row->improvement, row->improvement_low, row->improvement_high),
            failures);
    }
    if (*measure != '\0') {
        cli_table_print(&table);
        (void)printf(
            "brackets: 95 %% intervals; bootstrap over problems, %zu resamples, seed %llu; of "
            "failures, the exact interval of their share; runs that groups share count once "
            "there\n",
            aggregates->resamples, (unsigned long long)aggregates->seed);
    }
}

static void json_aggregates(cli_json *json, const xp_study_result *result,
                            const xp_aggregates *aggregates) {
    cli_json_object(json, NULL);
    cli_json_text(json, "study", result->study);
    cli_json_text(json, "scale", result->scale);
    cli_json_integer(json, "seed", result->seed);
    cli_json_integer(json, "units_done", result->units_done);
    cli_json_integer(json, "units_total", result->units_total);
    cli_json_number(json, "seconds", result->seconds);
    cli_json_array(json, "aggregates");
    for (size_t i = 0; i < aggregates->count; i++) {
        const xp_aggregate *row = &aggregates->rows[i];
        cli_json_object(json, NULL);
        cli_json_text(json, "agent", row->agent);
        cli_json_text(json, "measure", row->measure);
        cli_json_integer(json, "groups", row->groups);
        cli_json_integer(json, "problems", row->problems);
        cli_json_integer(json, "runs", row->runs);
        cli_json_numbers(json, "iqm", (double[]){row->iqm, row->iqm_low, row->iqm_high}, 3);
        cli_json_numbers(json, "improvement",
                         (double[]){row->improvement, row->improvement_low, row->improvement_high},
                         3);
        if (row->failures != SIZE_MAX) {
            cli_json_integer(json, "failures", row->failures);
            cli_json_integer(json, "failure_runs", row->failure_runs);
            cli_json_numbers(json, "failure_share", (double[]){row->failure_low, row->failure_high},
                             2);
        }
        cli_json_end(json);
    }
    cli_json_end(json);
    cli_json_end(json);
}

/* Aggregates of a result, into DIR and onto the screen. */
/* Seconds in the unit that a reader would choose. */
typedef struct amount {
    double value;
    const char *unit;
} amount;

static amount amount_of(double seconds) {
    return seconds < 120    ? (amount){seconds, "s"}
           : seconds < 7200 ? (amount){seconds / 60, "min"}
                            : (amount){seconds / 3600, "h"};
}

static int show(const char *directory, const xp_study_result *result, cli_json *json) {
    xp_aggregates *aggregates = NULL;
    xp_error error;
    xp_status status = xp_aggregates_create(result, NULL, &aggregates, &error);
    if (status == XP_OK && aggregates->count > 0) {
        status = xp_report_aggregates(aggregates, result->study, directory, &error);
    }
    if (status != XP_OK) {
        xp_aggregates_destroy(aggregates);
        return cli_failed(&error);
    }
    if (json != NULL) {
        json_aggregates(json, result, aggregates);
    } else {
        const amount took = amount_of(result->seconds);
        (void)printf("%s, %s, seed %llu: %zu of %zu units finished, %.3g %s of processor time\n",
                     result->study, result->scale, (unsigned long long)result->seed,
                     result->units_done, result->units_total, took.value, took.unit);
        print_aggregates(result, aggregates);
    }
    xp_aggregates_destroy(aggregates);
    return CLI_DONE;
}

static int report_study(const char *directory, const xp_store_study *found, cli_json *json) {
    xp_study_options options = xp_study_options_default();
    options.directory = directory;
    options.scale = found->scale;
    options.seed = found->seed;
    options.so_far = true;
    options.runs = true;
    xp_study_result *result = NULL;
    xp_error error;
    int code = CLI_DONE;
    if (xp_study_run(found->study, &options, &result, &error) != XP_OK ||
        xp_report_write(result, directory, &error) != XP_OK) {
        code = cli_failed(&error);
    } else {
        code = show(directory, result, json);
    }
    xp_study_result_destroy(result);
    return code;
}

static int report_sweep(const char *directory, const char *file, cli_json *json) {
    char path[4096];
    xp_sweep *sweep = NULL;
    xp_sweep_result *result = NULL;
    xp_error error;
    int code = CLI_DONE;
    xp_study_options options = xp_study_options_default();
    options.directory = directory;
    options.so_far = true;
    (void)snprintf(path, sizeof path, "%s/%s", directory, file);
    if (xp_sweep_load(path, cli_notice, NULL, &sweep, &error) != XP_OK ||
        xp_sweep_run(sweep, &options, &result, &error) != XP_OK ||
        xp_report_sweep(sweep, result, directory, &error) != XP_OK) {
        code = cli_failed(&error);
    } else {
        code = show(directory, result->study, json);
    }
    xp_sweep_result_destroy(result);
    xp_sweep_destroy(sweep);
    return code;
}

/* The names of the sweeps that a directory keeps, for free; *count says how many. */
static struct dirent **list_sweeps(const char *directory, size_t *count) {
    static const char ending[] = ".sweep";
    struct dirent **names = NULL;
    const int all = scandir(directory, &names, NULL, alphasort);
    *count = 0;
    for (int i = 0; i < all; i++) {
        const size_t length = strlen(names[i]->d_name);
        if (length >= sizeof ending &&
            strcmp(names[i]->d_name + length + 1 - sizeof ending, ending) == 0) {
            names[(*count)++] = names[i];
        } else {
            free(names[i]);
        }
    }
    return names;
}

static void show_work(const xp_store_work *work, const char *of, cli_json *json) {
    if (json != NULL) {
        cli_json_object(json, of);
        cli_json_integer(json, "units", work->units);
        cli_json_number(json, "seconds", work->seconds);
        cli_json_number(json, "fit_seconds", work->fit_seconds);
        cli_json_end(json);
    } else {
        const amount took = amount_of(work->seconds);
        (void)printf("%s: %zu units, %.3g %s of processor time\n", of, work->units, took.value,
                     took.unit);
    }
}

/* What all studies took, and those of the paper: units that several need are counted once. */
static int sum_up(const char *directory, xp_store_study *found, size_t count, cli_json *json) {
    xp_store_work all, paper;
    xp_error error;
    xp_status status = xp_store_sum(directory, found, count, &all, &error);
    size_t in_paper = 0;
    for (size_t i = 0; i < count; i++) {
        if (found[i].in_paper) {
            found[in_paper++] = found[i];
        }
    }
    if (status == XP_OK) {
        status = xp_store_sum(directory, found, in_paper, &paper, &error);
    }
    if (status != XP_OK) {
        return cli_failed(&error);
    }
    if (json != NULL || count > 1) {
        show_work(&all, json != NULL ? "work" : "all studies, shared units counted once", json);
    }
    if (json != NULL || (in_paper > 1 && in_paper < count)) {
        show_work(&paper, json != NULL ? "work_of_the_paper" : "of these, the paper's own", json);
    }
    return CLI_DONE;
}

/* Each study and sweep; one that cannot be reported does not keep the others from it. */
static int report_all(const char *directory, xp_store_study *found, size_t count,
                      struct dirent **sweeps, size_t sweep_count, cli_json *json) {
    int code = CLI_DONE;
    if (json != NULL) {
        cli_json_object(json, NULL);
        cli_json_text(json, "directory", directory);
        cli_json_array(json, "studies");
    }
    for (size_t i = 0; i < count + sweep_count; i++) {
        const int one = i < count ? report_study(directory, &found[i], json)
                                  : report_sweep(directory, sweeps[i - count]->d_name, json);
        code = one > code ? one : code;
    }
    if (json != NULL) {
        cli_json_end(json);
    }
    if (count > 0) {
        const int one = sum_up(directory, found, count, json);
        code = one > code ? one : code;
    }
    if (json != NULL) {
        cli_json_end(json);
    } else if (code == CLI_DONE) {
        (void)printf("report: %s/index.html\n", directory);
    }
    return code;
}

static int run(const cli_arguments *arguments) {
    enum { ROOM = 256 };
    const char *directory = cli_positional_text(arguments, 0);
    xp_store_study *found = cli_alloc(ROOM, sizeof *found);
    size_t count = 0, sweep_count = 0;
    xp_error error;
    if (xp_store_studies(directory, found, ROOM, &count, &error) != XP_OK) {
        free(found);
        return cli_failed(&error);
    }
    struct dirent **sweeps = list_sweeps(directory, &sweep_count);
    int code = CLI_BAD;
    if (count + sweep_count == 0) {
        cli_complain("'%s' has no finished units of a study or sweep", directory);
    } else {
        cli_json json = {.depth = 0};
        code = report_all(directory, found, count, sweeps, sweep_count,
                          cli_flag(arguments, "json") ? &json : NULL);
    }
    for (size_t i = 0; i < sweep_count; i++) {
        free(sweeps[i]);
    }
    free(sweeps);
    free(found);
    return code;
}

const cli_command cli_command_report = {
    .name = "report",
    .order = 12,
    .summary = "report on the finished units in a directory",
    .description =
        "Writes the report of every study and sweep that has finished units in DIR, without "
        "computing any. Where single runs are kept (environments with states) it also prints "
        "aggregates over them and writes them to DIR/NAME-aggregates.csv: interquartile means, "
        "probabilities of improvement and failures, with 95 % intervals. At the end it prints the "
        "processor time of all finished units, each counted once.",
    .positionals = {{.name = "DIR", .required = true, .summary = "directory of a study or sweep"}},
    .options = {CLI_OPTION_JSON},
    .examples = {{"experior report out/paper", "what is finished, also while a study runs"}},
    .run = run,
};
