/* inspect.c: experior inspect: prints what a model believes and what it is worth (inspect.h). */
#include "describe.h"
#include "inspection/inspection.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "segments/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 6, DRAWN = 8, SEGMENT_TASKS = 4000, LEAST_TASKS = 50 };

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

static int write_page(xp_inspection *const *inspections, const xp_model *model, const char *path) {
    const size_t count = 1 + xp_model_segments(model);
    const char **names = cli_alloc(count, sizeof *names);
    for (size_t i = 1; i < count; i++) {
        names[i] = xp_model_segment_name(model, i - 1);
    }
    xp_error error;
    const xp_status status = xp_report_inspections(model, (const xp_inspection *const *)inspections,
                                                   names, count, path, &error);
    free(names);
    return status == XP_OK ? CLI_DONE : cli_failed(&error);
}

/* A model without a prior over arm means has no arms to look at. */
static int describe(const cli_arguments *arguments, const xp_model *model) {
    const char *const drawn[] = {"picture", "html"};
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
        if (cli_text(arguments, drawn[i]) != NULL) {
            cli_complain("'%s' has no prior over arm means, so there are no arms to draw; leave "
                         "--%s away",
                         cli_positional_text(arguments, 0), drawn[i]);
            return CLI_BAD;
        }
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

/* Options of the whole model: what was typed. */
static xp_inspect_options read_options(const cli_arguments *arguments) {
    xp_inspect_options options = xp_inspect_options_default();
    options.seed = cli_integer(arguments, "seed");
    options.draws = cli_integer(arguments, "draws");
    options.tasks = cli_integer(arguments, "tasks");
    options.episodes = cli_integer(arguments, "episodes");
    if (cli_was_given(arguments, "mean")) {
        options.mean = cli_real(arguments, "mean");
    }
    if (cli_was_given(arguments, "shape")) {
        options.shape = cli_real(arguments, "shape");
    }
    return options;
}

static int inspect_one(const xp_model *model, xp_inspect_options options, const char *what,
                       xp_inspection **inspection) {
    cli_progress progress = cli_progress_start(what);
    options.progress = cli_progress_update;
    options.progress_context = &progress;
    xp_error error;
    const xp_status status = xp_inspect(model, &options, inspection, &error);
    cli_progress_end(&progress);
    if (status == XP_ERR_INTERRUPTED) {
        cli_complain("interrupted; nothing is kept: run the command again");
        return CLI_NO;
    }
    return status == XP_OK ? CLI_DONE : cli_failed(&error);
}

/* Whether fewer than DRAWN segments have more choices: the page draws these. */
static bool is_large(const xp_model *model, size_t segment) {
    const uint64_t own = xp_model_segment(model, segment).choices;
    size_t larger = 0;
    for (size_t i = 0; i < xp_model_segments(model); i++) {
        larger += xp_model_segment(model, i).choices > own;
    }
    return larger < DRAWN;
}

/* Many segments get fewer tasks each, unless a number was typed; competences are compared in the
 * largest ones. */
static int inspect_segment(const cli_arguments *arguments, const xp_model *model, size_t segment,
                           xp_inspection **inspection) {
    const size_t segments = xp_model_segments(model), fair = SEGMENT_TASKS / segments;
    xp_inspect_options options = read_options(arguments);
    xp_model *one = NULL;
    xp_error error;
    if (!cli_was_given(arguments, "tasks") && fair < options.tasks) {
        options.tasks = fair > LEAST_TASKS ? fair : LEAST_TASKS;
    }
    if (!is_large(model, segment)) {
        options.sensitivity_draws = 0;
    }
    if (xp_model_segment_create(model, xp_model_segment_name(model, segment), &one, &error) !=
        XP_OK) {
        return cli_failed(&error);
    }
    char what[64];
    (void)snprintf(what, sizeof what, "segment %zu of %zu", segment + 1, segments);
    const int code = inspect_one(one, options, what, inspection);
    xp_model_destroy(one);
    return code;
}

/* The whole model first, then its segments; the pointers are for free(). */
static int inspect_all(const cli_arguments *arguments, const xp_model *model,
                       xp_inspection **inspections) {
    char *sampler;
    if (!read_sampler(arguments, model, &sampler)) {
        return CLI_BAD;
    }
    xp_inspect_options options = read_options(arguments);
    options.sampler = sampler;
    int code = inspect_one(model, options, "inspect", &inspections[0]);
    free(sampler);
    for (size_t i = 0; code == CLI_DONE && i < xp_model_segments(model); i++) {
        code = inspect_segment(arguments, model, i, &inspections[i + 1]);
    }
    return code;
}

static void print(const cli_arguments *arguments, const xp_model *model,
                  xp_inspection *const *inspections) {
    if (!cli_flag(arguments, "json")) {
        cli_inspection_text(inspections[0], model);
        cli_inspection_segments(inspections + 1, model);
        return;
    }
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_inspection_json(&json, inspections[0], model);
    cli_inspection_segments_json(&json, inspections + 1, model);
    cli_json_end(&json);
}

static int show(const cli_arguments *arguments, const xp_model *model) {
    const size_t count = 1 + xp_model_segments(model);
    xp_inspection **inspections = cli_alloc(count, sizeof(xp_inspection *));
    int code = inspect_all(arguments, model, inspections);
    if (code == CLI_DONE && cli_text(arguments, "picture") != NULL) {
        code = draw_picture(inspections[0], model, cli_text(arguments, "picture"));
    }
    if (code == CLI_DONE && cli_text(arguments, "html") != NULL) {
        code = write_page(inspections, model, cli_text(arguments, "html"));
    }
    if (code == CLI_DONE) {
        print(arguments, model, inspections);
    }
    for (size_t i = 0; i < count; i++) {
        xp_inspection_destroy(inspections[i]);
    }
    free(inspections);
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
    .order = 7,
    .summary = "see what a model believes and what the expert data is worth",
    .description = "Says whether the experts' choices are worth anything: the regret that the "
                   "prior promises to save over the first 10, 100 and 1,000 decisions, on tasks "
                   "drawn from the prior itself; for every arm, how often it was chosen, how "
                   "likely it is the best and what it pays; how well held-out choices are "
                   "predicted; what other competences of the experts would change; and warnings. "
                   "For a model with states it prints what it was fitted to and how the fit ended.",
    .positionals = {{.name = "MODEL",
                     .required = true,
                     .summary = "model file made by 'experior fit'"}},
    .options = {CLI_OPTION_SEGMENT,
                CLI_OPTION_SAMPLER,
                {.name = "draws",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "10000",
                 .low = 1,
                 .high = 1e9,
                 .summary = "draws from the prior for means and standard deviations"},
                {.name = "tasks",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "1000",
                 .low = 1,
                 .high = 1e7,
                 .summary = "tasks to simulate"},
                {.name = "episodes",
                 .kind = CLI_INTEGER,
                 .value = "T",
                 .standard = "1000",
                 .low = 1,
                 .high = 1e7,
                 .summary = "decisions in each task"},
                {.name = "mean",
                 .kind = CLI_REAL,
                 .value = "M",
                 .low = 1e-6,
                 .high = 0.999999,
                 .summary = "how often arms pay off on average, if you know it: regret is "
                            "predicted for this rate, otherwise for the scale of the model"},
                {.name = "shape",
                 .kind = CLI_REAL,
                 .value = "S",
                 .low = 1,
                 .high = 1e6,
                 .summary = "with --mean: how alike arms are; the larger, the more alike"},
                {.name = "html",
                 .kind = CLI_TEXT,
                 .value = "FILE.html",
                 .summary = "also write one page with pictures, for people"},
                {.name = "picture",
                 .kind = CLI_TEXT,
                 .value = "FILE.svg",
                 .summary = "also write a picture of the arms (needs gnuplot)"},
                CLI_OPTION_SEED,
                CLI_OPTION_JSON},
    .stages = {{&cli_samplers, "sampler"}},
    .examples = {{"experior inspect model.json",
                  "the answer, a table of the arms and the regret saved"},
                 {"experior inspect model.json --html model.html", "a page to show around"},
                 {"experior inspect model.json --picture model.svg", "with a picture as well"},
                 {"experior inspect model.safetensors",
                  "a model with states: its networks and its fit"}},
    .run = run,
};
