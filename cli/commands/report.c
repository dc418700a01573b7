/* report.c: experior report: writes the reports of all studies and sweeps that have finished units
 * in a directory, with aggregates over runs. It computes no units.
 *
 * Others may be able to write to the directory, so a sweep file that is a link or a pipe is not
 * read. */
#include "json.h"
#include "options.h"
#include "output.h"
#include "progress.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A cell of the table: "0.91 [0.88, 0.94]", "0.91" without an interval, or "-". */
static const char *with_interval(char buffer[96], double value, double low, double high) {
    char a[32], b[32], c[32];
    if (value != value) {
        return "-";
    }
    if (low != low) {
        return cli_number(buffer, value);
    }
    (void)snprintf(buffer, 96, "%s [%s, %s]", cli_number(a, value), cli_number(b, low),
                   cli_number(c, high));
    return buffer;
}

/* How the tables are to be read. */
static void print_legend(const xp_aggregates *aggregates) {
    bool few = false, unlike = false;
    for (size_t i = 0; i < aggregates->count; i++) {
        const xp_aggregate *row = &aggregates->rows[i];
        few = few || row->iqm_low != row->iqm_low;
        unlike = unlike || (i > 0 && strcmp(row[-1].measure, row->measure) == 0 &&
                            (row[-1].groups != row->groups || row[-1].runs != row->runs));
    }
    (void)printf("brackets: 95 %% intervals, from a bootstrap over problems with %zu resamples and "
                 "seed %llu%s; for failures, the exact interval of their share, for which runs "
                 "that groups share count once\n",
                 aggregates->resamples, (unsigned long long)aggregates->seed,
                 few ? " (none with fewer than five problems)" : "");
    if (unlike) {
        (void)printf("Agents with different numbers of groups or runs are averaged over different "
                     "settings, so their means cannot be compared; probabilities are over the "
                     "groups that both agents have.\n");
    }
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
        print_legend(aggregates);
    }
}

/* `sweep` is NULL for a study. */
static void json_aggregates(cli_json *json, const xp_study_result *result,
                            const xp_sweep_info *sweep, const xp_aggregates *aggregates) {
    const bool seeds = sweep != NULL && sweep->seeds > 1;
    cli_json_object(json, NULL);
    cli_json_text(json, "study", result->study);
    cli_json_text(json, "scale", result->scale);
    cli_json_integer(json, seeds ? "seeds" : "seed", seeds ? sweep->seeds : result->seed);
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

/* "grid, sweep, 2 seeds: 24 of 24 units finished, 3.5 s of processor time". */
static void print_state(const xp_study_result *result, const xp_sweep_info *sweep) {
    const amount took = amount_of(result->seconds);
    const bool searched = sweep != NULL && sweep->rounds > 0;
    (void)printf("%s, %s, ", result->study, result->scale);
    if (sweep != NULL && sweep->seeds > 1) {
        (void)printf("%zu seeds", sweep->seeds);
    } else {
        (void)printf("seed %llu", (unsigned long long)result->seed);
    }
    (void)printf(": %zu of %zu units finished%s, %.3g %s of processor time%s\n", result->units_done,
                 result->units_total, searched ? " after the search" : "", took.value, took.unit,
                 searched ? " without it" : "");
}

/* Aggregates of a result, into DIR and onto the screen; `sweep` is NULL for a study. */
static int show(const char *directory, const xp_study_result *result, const xp_sweep_info *sweep,
                cli_json *json) {
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
        json_aggregates(json, result, sweep, aggregates);
    } else {
        print_state(result, sweep);
        print_aggregates(result, aggregates);
    }
    xp_aggregates_destroy(aggregates);
    return CLI_DONE;
}

/* Says what the library tells of a study or sweep, which is the context. */
static void tell(void *context, const char *sentence) {
    cli_complain("%s: %s", (const char *)context, sentence);
}

static int report_study(const char *directory, const xp_store_study *found, cli_json *json) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s", found->study);
    xp_study_options options = xp_study_options_default();
    options.directory = directory;
    options.scale = found->scale;
    options.seed = found->seed;
    options.so_far = true;
    options.runs = true;
    options.notice = tell;
    options.notice_context = name;
    xp_study_result *result = NULL;
    xp_error error;
    int code = CLI_DONE;
    if (xp_study_run(name, &options, &result, &error) != XP_OK ||
        xp_report_write(result, directory, &error) != XP_OK) {
        code = cli_failed(&error);
    } else {
        code = show(directory, result, NULL, json);
    }
    xp_study_result_destroy(result);
    return code;
}

/* Says why a sweep cannot be reported on yet, and what to do. */
static int unfinished(const char *directory, const char *path, const xp_error *error) {
    xp_store_contents held = {.outdated = 0};
    if (error->status != XP_ERR_INPUT || xp_store_describe(directory, &held, NULL) != XP_OK) {
        return cli_failed_on(path, error);
    }
    cli_complain("%s: %s; '%s' has %zu finished units, and 'experior sweep %s -o %s' computes the "
                 "rest",
                 path, error->message, directory, held.work.units, path, directory);
    return CLI_BAD;
}

static int report_sweep(const char *directory, const char *file, cli_json *json) {
    char path[4096];
    struct stat status;
    (void)snprintf(path, sizeof path, "%s/%s", directory, file);
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        cli_complain("'%s' is not a regular file", path);
        return CLI_BAD;
    }
    xp_sweep *sweep = NULL;
    xp_sweep_result *result = NULL;
    xp_error error;
    xp_study_options options = xp_study_options_default();
    options.directory = directory;
    options.so_far = true;
    options.notice = tell;
    options.notice_context = path;
    const bool loaded = xp_sweep_load(path, tell, path, &sweep, &error) == XP_OK;
    const bool ran = loaded && xp_sweep_run(sweep, &options, &result, &error) == XP_OK;
    int code;
    if (loaded && !ran) {
        code = unfinished(directory, path, &error);
    } else if (!ran || xp_report_sweep(sweep, result, directory, &error) != XP_OK) {
        code = cli_failed(&error);
    } else {
        const xp_sweep_info info = xp_sweep_describe(sweep);
        code = show(directory, result->study, &info, json);
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

/* What all units in the directory took, and those of the paper. */
static int sum_up(const char *directory, xp_store_study *found, size_t count, cli_json *json) {
    xp_store_contents all;
    xp_store_work paper;
    xp_error error;
    size_t in_paper = 0;
    for (size_t i = 0; i < count; i++) {
        if (found[i].in_paper) {
            found[in_paper++] = found[i];
        }
    }
    if (xp_store_describe(directory, &all, &error) != XP_OK ||
        xp_store_sum(directory, found, in_paper, &paper, &error) != XP_OK) {
        return cli_failed(&error);
    }
    if (json != NULL || all.work.units > 0) {
        show_work(&all.work, json != NULL ? "work" : "all finished units, each counted once", json);
    }
    if (json != NULL || (in_paper > 1 && paper.units < all.work.units)) {
        show_work(&paper,
                  json != NULL ? "work_of_the_paper" : "of these, units of the paper's studies",
                  json);
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
    const int one = sum_up(directory, found, count, json);
    code = one > code ? one : code;
    if (json != NULL) {
        cli_json_end(json);
    } else if (code == CLI_DONE) {
        (void)printf("report: %s/index.html\n", directory);
    }
    return code;
}

/* Why there is no report of a directory. */
static int nothing_found(const char *directory) {
    xp_store_contents held;
    xp_error error;
    if (xp_store_describe(directory, &held, &error) != XP_OK) {
        return cli_failed(&error);
    }
    if (held.work.units > 0) {
        cli_complain("'%s' has %zu finished units, but they belong neither to a study of this "
                     "version nor to a sweep file (NAME.sweep) in the directory; if they are from "
                     "a sweep, 'experior sweep FILE -o %s --so-far' reports on them",
                     directory, held.work.units, directory);
    } else if (held.outdated + held.damaged > 0) {
        cli_complain("'%s' has no units that can be used: %zu are of another version and %zu are "
                     "damaged; to replace them, rerun the command that computed them",
                     directory, held.outdated, held.damaged);
    } else {
        cli_complain("'%s' has no finished units of a study or sweep", directory);
    }
    return CLI_BAD;
}

static int run(const cli_arguments *arguments) {
    enum { ROOM = 256 };
    const char *directory = cli_positional_text(arguments, 0);
    struct stat status;
    const bool there = stat(directory, &status) == 0;
    if (!there || !S_ISDIR(status.st_mode)) {
        cli_complain("cannot report on '%s': %s", directory, strerror(there ? ENOTDIR : errno));
        return CLI_BAD;
    }
    xp_store_study *found = cli_alloc(ROOM, sizeof *found);
    size_t count = 0, sweep_count = 0;
    xp_error error;
    if (xp_store_studies(directory, found, ROOM, &count, &error) != XP_OK) {
        free(found);
        return cli_failed(&error);
    }
    struct dirent **sweeps = list_sweeps(directory, &sweep_count);
    int code;
    if (count + sweep_count == 0) {
        code = nothing_found(directory);
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
    .once = true,
    .summary = "report on the finished units in a directory",
    .description =
        "Writes the report of every study and sweep that has finished units in DIR, without "
        "computing any units. Where single runs are kept (environments with states), it also "
        "prints aggregates over them and writes them to DIR/NAME-aggregates.csv: interquartile "
        "means, probabilities of improvement and failures, with 95 % intervals. If the search of a "
        "sweep is not finished, it says what is missing. At the end it prints the processor time "
        "of all finished units in DIR, of studies and sweeps, each counted once.",
    .positionals = {{.name = "DIR", .required = true, .summary = "directory of a study or sweep"}},
    .options = {CLI_OPTION_JSON},
    .examples = {{"experior report out/paper", "what is finished, also while a study runs"}},
    .run = run,
};
