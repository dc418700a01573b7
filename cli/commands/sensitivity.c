/* sensitivity.c: experior sensitivity: prints how much decisions depend on the assumed expert
 * competence (sensitivity.h). */
#include "choices/choices.h"
#include "json.h"
#include "model.h"
#include "options.h"
#include "output.h"
#include "progress.h"

#include "experior/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *action_label(const xp_demos *demos, size_t action, char buffer[32]) {
    const char *name = xp_demos_action_name(demos, action);
    if (name == NULL) {
        (void)snprintf(buffer, 32, "%zu", action);
    }
    return name != NULL ? name : buffer;
}

static void json_outcome(cli_json *json, const xp_sensitivity *self,
                         const xp_sensitivity_outcome *out, const char *key) {
    cli_json_object(json, key);
    cli_json_number(json, "beta", out->beta);
    cli_json_bool(json, "feasible", out->feasible);
    if (out->feasible) {
        cli_json_number(json, "lambda", out->lambda);
        cli_json_integer(json, "draws", out->draws);
        cli_json_numbers(json, "probabilities", out->probability, self->arms);
    }
    cli_json_end(json);
}

static void print_json(const xp_sensitivity *self, const xp_demos *demos) {
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_array(&json, "actions");
    for (size_t arm = 0; arm < self->arms; arm++) {
        char label[32];
        cli_json_text(&json, NULL, action_label(demos, arm, label));
    }
    cli_json_end(&json);
    cli_json_text(&json, "rule", "epsilon");
    cli_json_number(&json, "epsilon", self->epsilon);
    cli_json_array(&json, "betas");
    for (size_t i = 0; i < self->beta_count; i++) {
        json_outcome(&json, self, &self->outcomes[i], NULL);
    }
    cli_json_end(&json);
    json_outcome(&json, self, &self->fit_default, "fit_default");
    cli_json_end(&json);
}

/* Appends a cell to a row that has room for it. */
static void add_cell(char *row, const xp_sensitivity_outcome *out, size_t arm) {
    char cell[16] = "\t–";
    if (out->feasible) {
        (void)snprintf(cell, sizeof cell, "\t%.3f", out->probability[arm]);
    }
    (void)strcat(row, cell);
}

static void print_text(const xp_sensitivity *self, const xp_demos *demos) {
    enum { CELL = 32 };
    const size_t columns = self->beta_count + 2;
    bool all = self->fit_default.feasible;
    char *alignment = cli_alloc(columns + 1, 1);
    char *row = cli_alloc(columns, CELL);
    (void)strcpy(row, "action, beta =");
    (void)memset(alignment, 'r', columns);
    alignment[0] = 'l';
    for (size_t i = 0; i < self->beta_count; i++) {
        all = all && self->outcomes[i].feasible;
        (void)snprintf(row + strlen(row), CELL, "\t%g", self->outcomes[i].beta);
    }
    (void)strcat(row, "\tfit's default");
    cli_table table = cli_table_start(alignment, row);
    for (size_t arm = 0; arm < self->arms; arm++) {
        char number[32], label[CLI_LABEL_SHOWN];
        row[0] = '\0';
        for (size_t i = 0; i < self->beta_count; i++) {
            add_cell(row, &self->outcomes[i], arm);
        }
        add_cell(row, &self->fit_default, arm);
        cli_table_add(&table, "%s%s", cli_label_shown(action_label(demos, arm, number), label),
                      row);
    }
    cli_table_print(&table);
    free(row);
    free(alignment);
    if (!all) {
        (void)printf("– no experts of so little competence choose as these did\n");
    }
    (void)printf("one rule for every beta: lambda is such that the demonstrations are epsilon = "
                 "(K-1)/(2N) = %.4g nats\nfrom the prior; fit's default at beta = inf is another "
                 "rule, lambda = inf (no divergence)\n",
                 self->epsilon);
}

/* The history of --history, NULL if there is none. */
static int load_history(const char *path, const xp_demos *demos, xp_history **history) {
    if (path == NULL) {
        return CLI_DONE;
    }
    const size_t arms = xp_demos_actions(demos);
    const char **names = cli_alloc(arms, sizeof *names);
    for (size_t arm = 0; arm < arms; arm++) {
        names[arm] = xp_demos_action_name(demos, arm);
    }
    xp_error error;
    xp_status status =
        xp_history_load(path, arms, names[0] != NULL ? names : NULL, history, &error);
    if (status == XP_OK) {
        status = xp_history_require_binary(*history, &error);
    }
    free(names);
    return status == XP_OK ? CLI_DONE : cli_failed(&error);
}

static int compare(const cli_arguments *arguments, const xp_demos *demos,
                   const xp_history *history) {
    cli_progress progress = cli_progress_start("sensitivity");
    xp_sensitivity_options options = xp_sensitivity_options_default();
    options.seed = cli_integer(arguments, "seed");
    options.draws = cli_integer(arguments, "draws");
    options.progress = cli_progress_update;
    options.progress_context = &progress;
    xp_sensitivity *self;
    xp_error error;
    const xp_status status = xp_sensitivity_fit(demos, history, &options, &self, &error);
    cli_progress_end(&progress);
    if (status == XP_ERR_INTERRUPTED) {
        cli_complain("interrupted; nothing is kept: run the command again");
        return CLI_NO;
    }
    if (status != XP_OK) {
        return cli_failed_on(cli_positional_text(arguments, 0), &error);
    }
    if (cli_flag(arguments, "json")) {
        print_json(self, demos);
    } else {
        print_text(self, demos);
    }
    xp_sensitivity_destroy(self);
    return CLI_DONE;
}

static int run(const cli_arguments *arguments) {
    const char *path = cli_positional_text(arguments, 0), *told = cli_text(arguments, "history");
    if (told != NULL && strcmp(told, "-") == 0 && strcmp(path, "-") == 0) {
        cli_complain("DEMOS and --history are both standard input; one of them must be a file");
        return CLI_BAD;
    }
    xp_choices *choices;
    xp_demos *demos;
    xp_history *history = NULL;
    int code = cli_choices_demos(arguments, &choices, &demos);
    if (code == CLI_DONE) {
        code = load_history(told, demos, &history);
    }
    if (code == CLI_DONE) {
        code = compare(arguments, demos, history);
    }
    xp_history_destroy(history);
    xp_demos_destroy(demos);
    xp_choices_destroy(choices);
    return code;
}

const cli_command cli_command_sensitivity = {
    .name = "sensitivity",
    .order = 8,
    .summary = "how much decisions depend on the experts' competence",
    .description =
        "Fits the maximum-entropy prior for a range of competences beta and prints the "
        "probability of each action under each. Competence cannot be learned from choices alone, "
        "so do not rely on what changes along a row. As in 'experior fit', "
        "the scale of rewards is learned, and beta is relative to it. Every beta is fitted by "
        "the same rule: lambda is solved so that the demonstrations are (K-1)/(2N) nats "
        "from the prior. The last column is what 'experior fit' does by default: "
        "beta = inf with lambda = inf.",
    .positionals = {{.name = "DEMOS",
                     .required = true,
                     .summary = "file of demonstrations, - for standard input"}},
    .options = {CLI_OPTION_HISTORY,
                CLI_TABLE_ACTION,
                CLI_TABLE_EXPERT,
                CLI_TABLE_WEIGHT,
                CLI_TABLE_COUNT,
                CLI_TABLE_DELIMITER,
                CLI_TABLE_NO_HEADER,
                CLI_TABLE_EXACT,
                CLI_TABLE_MISSING,
                {.name = "draws",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "20000",
                 .low = 1,
                 .high = 1e9,
                 .summary = "draws from which a probability is estimated (finite beta)"},
                CLI_OPTION_SEED,
                CLI_OPTION_JSON},
    .examples = {{"experior sensitivity demos.csv --history history.csv",
                  "what to do next, for experts from poor to perfect"}},
    .run = run,
};
