/* study.c: experior study: the paper's studies, resumable, with a report. */
#include "options.h"
#include "output.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>

static int write_report(const xp_study_result *result, const char *directory) {
    xp_error error;
    char *table;
    if (xp_report_write(result, directory, &error) != XP_OK ||
        xp_report_table_text(result, &table, &error) != XP_OK) {
        return cli_failed(&error);
    }
    (void)fputs(table, stdout);
    (void)printf("report: %s/index.html\n", directory);
    (void)fflush(stdout); /* the next study takes a while */
    xp_release(table);
    return CLI_DONE;
}

static int run_study(const cli_arguments *arguments, const char *name) {
    cli_progress progress = cli_progress_start(name);
    xp_study_options options = xp_study_options_default();
    options.scale = cli_text(arguments, "scale");
    options.directory = cli_text(arguments, "output");
    options.threads = cli_integer(arguments, "threads");
    options.seed = cli_integer(arguments, "seed");
    options.fresh = cli_flag(arguments, "fresh");
    options.progress = cli_progress_update;
    options.progress_context = &progress;
    xp_study_result *result = NULL;
    xp_error error;
    const xp_status status = xp_study_run(name, &options, &result, &error);
    cli_progress_end(&progress);
    int code;
    if (status == XP_ERR_INTERRUPTED) {
        /* --fresh would throw away what was kept. */
        cli_complain("interrupted; finished units are kept in '%s': run the same command%s to go "
                     "on",
                     options.directory, options.fresh ? " without --fresh" : "");
        code = CLI_NO;
    } else if (status != XP_OK) {
        code = cli_failed(&error);
    } else {
        code = write_report(result, options.directory);
    }
    xp_study_result_destroy(result);
    return code;
}

static int run(const cli_arguments *arguments) {
    const char *name = cli_positional_text(arguments, 0);
    if (strcmp(name, "all") != 0) {
        return cli_stage_check(&cli_studies, name) ? run_study(arguments, name) : CLI_BAD;
    }
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < xp_study_type_count(); i++) {
        (void)fputs(i != 0 ? "\n" : "", stdout);
        code = run_study(arguments, xp_study_type_name(i));
    }
    return code;
}

const cli_command cli_command_study = {
    .name = "study",
    .summary = "run a study of the paper and write its report",
    .description = "Runs a study, prints its table beside the paper's numbers and writes a report "
                   "(JSON, CSV, SVG and one HTML page). Finished units are kept in the directory, "
                   "so an interrupted study goes on where it stopped.",
    .positionals = {{.name = "NAME",
                     .required = true,
                     .summary = "study, or all; see 'experior list studies'"}},
    .options = {{.name = "output",
                 .letter = 'o',
                 .kind = CLI_TEXT,
                 .value = "DIR",
                 .required = true,
                 .summary = "directory of the report and of the finished units"},
                {.name = "scale",
                 .kind = CLI_CHOICE,
                 .value = "WORD",
                 .standard = "quick",
                 .choices = "quick|paper",
                 .summary = "minutes, or the sample sizes of the paper"},
                {.name = "fresh",
                 .kind = CLI_FLAG,
                 .summary = "discard finished units of earlier runs"},
                CLI_OPTION_THREADS,
                CLI_OPTION_SEED},
    .examples = {{"experior study table2 --scale quick -o report",
                  "the paper's Table 2 with fewer tasks; open report/index.html"},
                 {"experior study all --scale paper -o report",
                  "everything; Ctrl-C stops it and the same command goes on"}},
    .run = run,
};
