/* inspect.c: experior inspect: prints what a model believes and what it is worth (inspect.h). */
#include "describe.h"
#include "json.h"
#include "model.h"
#include "options.h"
#include "output.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 6 };

static void print_json(const xp_inspection *self, const xp_model *model) {
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_text(&json, "method", xp_model_describe(model).method);
    cli_json_integer(&json, "arms", self->arms);
    cli_json_text(&json, "sampler", self->sampler);
    cli_json_text(&json, "kind", xp_sampler_kind_name(self->kind));
    cli_json_integer(&json, "draws", self->draws);
    cli_json_number(&json, "entropy_bits", self->entropy);
    cli_json_array(&json, "actions");
    for (size_t k = 0; k < self->arms; k++) {
        char label[32];
        cli_json_text(&json, NULL, cli_model_label(model, k, label));
    }
    cli_json_end(&json);
    cli_json_numbers(&json, "demonstrated", self->share, self->arms);
    cli_json_numbers(&json, "probability_best", self->probability, self->arms);
    cli_json_numbers(&json, "mean_reward", self->mean, self->arms);
    cli_json_numbers(&json, "mean_reward_sd", self->sd, self->arms);
    cli_json_integer(&json, "tasks", self->tasks);
    cli_json_integer(&json, "episodes", self->episodes);
    cli_json_number(&json, "regret", self->regret);
    cli_json_number(&json, "regret_se", self->regret_se);
    cli_json_number(&json, "uniform_regret", self->uniform_regret);
    cli_json_number(&json, "uniform_regret_se", self->uniform_regret_se);
    cli_json_number(&json, "regret_saved", self->saved);
    cli_json_number(&json, "regret_saved_se", self->saved_se);
    cli_json_end(&json);
}

static void print_text(const xp_inspection *self, const xp_model *model) {
    enum { WIDTH = 24 };
    double largest = 0;
    for (size_t k = 0; k < self->arms; k++) {
        largest = fmax(largest, self->probability[k]);
    }
    (void)printf("%s prior over %zu arms; the best arm has an entropy of %.3f bits\n\n",
                 xp_model_describe(model).method, self->arms, self->entropy);
    cli_table table = cli_table_start(
        "lrrrrl", "action\tdemonstrated\tP(best)\tmean reward\tsd\tP(best), to scale");
    for (size_t k = 0; k < self->arms; k++) {
        char number[32], label[CLI_LABEL_SHOWN], share[32], bar[3 * WIDTH + 1];
        (void)cli_label_shown(cli_model_label(model, k, number), label);
        if (isnan(self->share[k])) {
            (void)cli_number(share, NAN);
        } else {
            (void)snprintf(share, sizeof share, "%.4f", self->share[k]);
        }
        cli_table_add(&table, "%s\t%s\t%.4f\t%.4f\t%.4f\t%s", label, share, self->probability[k],
                      self->mean[k], self->sd[k],
                      cli_bar(bar, WIDTH, self->probability[k] / largest));
    }
    cli_table_print(&table);
    (void)printf("\nOn %zu tasks drawn from this prior, after %zu episodes, Thompson sampling has "
                 "regret\n",
                 self->tasks, self->episodes);
    (void)printf("  %9.3f ± %.3f  from this prior\n", self->regret, self->regret_se);
    (void)printf("  %9.3f ± %.3f  from the uniform prior\n", self->uniform_regret,
                 self->uniform_regret_se);
    (void)printf("  %9.3f ± %.3f  saved (± is the standard error over tasks)\n", self->saved,
                 self->saved_se);
}

/* The arm that is the most likely best one among those that are not `taken` yet. */
static size_t next_arm(const xp_inspection *self, const bool *taken) {
    size_t best = self->arms;
    for (size_t k = 0; k < self->arms; k++) {
        if (!taken[k] && (best == self->arms || self->probability[k] > self->probability[best])) {
            best = k;
        }
    }
    return best;
}

/* Two panels: how likely each arm is the best, and the densities of the likeliest arms' means. */
static int draw_picture(const xp_inspection *self, const xp_model *model, const char *path) {
    double *arm = cli_alloc(self->arms, sizeof *arm);
    double *middle = cli_alloc(self->bins, sizeof *middle);
    bool *taken = cli_alloc(self->arms, sizeof *taken);
    char labels[CURVES][CLI_LABEL_SHOWN + 8];
    xp_series series[2 + CURVES];
    for (size_t k = 0; k < self->arms; k++) {
        arm[k] = (double)k;
    }
    for (size_t bin = 0; bin < self->bins; bin++) {
        middle[bin] = ((double)bin + 0.5) / (double)self->bins;
    }
    xp_series over_arms = {.agent = "P(best)",
                           .panel = "which arm is the best",
                           .x_label = "arm",
                           .y_label = "probability",
                           .n = self->arms,
                           .x = arm,
                           .y = self->probability};
    size_t count = 0;
    series[count++] = over_arms;
    if (!isnan(self->share[0])) { /* a prior may be given, not fitted */
        over_arms.agent = "share of demonstrations";
        over_arms.y = self->share;
        series[count++] = over_arms;
    }
    for (size_t i = 0; i < CURVES && i < self->arms; i++) {
        char number[32], shown[CLI_LABEL_SHOWN];
        const size_t k = next_arm(self, taken);
        taken[k] = true;
        (void)snprintf(labels[i], sizeof labels[i], "arm %s",
                       cli_label_shown(cli_model_label(model, k, number), shown));
        series[count++] = (xp_series){.agent = labels[i],
                                      .panel = "what the likeliest arms pay",
                                      .x_label = "mean reward",
                                      .y_label = "density under the prior",
                                      .n = self->bins,
                                      .x = middle,
                                      .y = self->density + k * self->bins};
    }
    char title[128];
    (void)snprintf(title, sizeof title, "%s prior, %zu arms", xp_model_describe(model).method,
                   self->arms);
    xp_error error;
    const xp_status status = xp_picture_series(series, count, title, path, &error);
    free(taken);
    free(middle);
    free(arm);
    return status == XP_OK ? CLI_DONE : cli_failed(&error);
}

/* A model without a prior over arm means has no arms to look at. */
static int describe(const cli_arguments *arguments, const xp_model *model) {
    if (cli_text(arguments, "picture") != NULL) {
        cli_complain("'%s' has no prior over arm means, so there are no arms to draw; leave "
                     "--picture away",
                     cli_positional_text(arguments, 0));
        return CLI_BAD;
    }
    cli_describe_model(model, NULL, NULL, cli_flag(arguments, "json"));
    return CLI_DONE;
}

/* The sampler of --sampler with its typed parameters, as text for free(). */
static bool read_sampler(const cli_arguments *arguments, const xp_model *model, char **spec) {
    const char *name = cli_text(arguments, "sampler");
    if (strcmp(name, "auto") == 0) {
        name = xp_sampler_default(xp_model_prior(model));
    }
    return cli_stage_check(&cli_samplers, name) && cli_specs(arguments, &name, spec);
}

static int inspect(const cli_arguments *arguments, const xp_model *model,
                   xp_inspection **inspection) {
    char *sampler;
    if (!read_sampler(arguments, model, &sampler)) {
        return CLI_BAD;
    }
    cli_progress progress = cli_progress_start("inspect");
    xp_inspect_options options = xp_inspect_options_default();
    options.sampler = sampler;
    options.seed = cli_integer(arguments, "seed");
    options.draws = cli_integer(arguments, "draws");
    options.tasks = cli_integer(arguments, "tasks");
    options.episodes = cli_integer(arguments, "episodes");
    options.progress = cli_progress_update;
    options.progress_context = &progress;
    xp_error error;
    const xp_status status = xp_inspect(model, &options, inspection, &error);
    cli_progress_end(&progress);
    free(sampler);
    if (status == XP_ERR_INTERRUPTED) {
        cli_complain("interrupted; nothing is kept: run the command again");
        return CLI_NO;
    }
    return status == XP_OK ? CLI_DONE : cli_failed(&error);
}

static int show(const cli_arguments *arguments, const xp_model *model) {
    xp_inspection *inspection = NULL;
    int code = inspect(arguments, model, &inspection);
    if (code == CLI_DONE && cli_text(arguments, "picture") != NULL) {
        code = draw_picture(inspection, model, cli_text(arguments, "picture"));
    }
    if (code == CLI_DONE && cli_flag(arguments, "json")) {
        print_json(inspection, model);
    } else if (code == CLI_DONE) {
        print_text(inspection, model);
    }
    xp_inspection_destroy(inspection);
    return code;
}

static int run(const cli_arguments *arguments) {
    xp_model *model = NULL;
    int code = cli_model_load(arguments, &model);
    if (code == CLI_DONE) {
        code = xp_model_prior(model) != NULL ? show(arguments, model) : describe(arguments, model);
    }
    xp_model_destroy(model);
    return code;
}

const cli_command cli_command_inspect = {
    .name = "inspect",
    .order = 6,
    .summary = "see what a model believes and what it is worth",
    .description = "Prints, for every arm, how often it was demonstrated, how likely it is the "
                   "best and what it pays under the prior; and the regret that the prior promises "
                   "to save, on tasks drawn from the prior itself. Of a model with states it "
                   "prints what it was fitted to and how the fit ended.",
    .positionals = {{.name = "MODEL",
                     .required = true,
                     .summary = "model file made by 'experior fit'"}},
    .options = {CLI_OPTION_SAMPLER,
                {.name = "draws",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "10000",
                 .low = 1,
                 .high = 1e9,
                 .summary = "draws of the prior behind means and deviations"},
                {.name = "tasks",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "500",
                 .low = 1,
                 .high = 1e7,
                 .summary = "tasks to simulate"},
                {.name = "episodes",
                 .kind = CLI_INTEGER,
                 .value = "T",
                 .standard = "300",
                 .low = 1,
                 .high = 1e7,
                 .summary = "how long to act in each"},
                {.name = "picture",
                 .kind = CLI_TEXT,
                 .value = "FILE.svg",
                 .summary = "write a picture of the arms, too (needs gnuplot)"},
                CLI_OPTION_SEED,
                CLI_OPTION_JSON},
    .stages = {{&cli_samplers, "sampler"}},
    .examples = {{"experior inspect model.json", "a table of the arms and the regret saved"},
                 {"experior inspect model.json --picture model.svg", "with a picture as well"},
                 {"experior inspect model.safetensors",
                  "a model with states: its networks and its fit"}},
    .run = run,
};
