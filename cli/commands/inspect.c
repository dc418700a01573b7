/* inspect.c: experior inspect: what a prior believes, and what it is worth.
 *
 * Its worth is measured on tasks drawn from the prior itself: the regret of Thompson sampling that
 * starts from it beside Thompson sampling that starts from the uniform prior, on the same tasks and
 * with the same reward noise. That is a promise the prior makes, not a test of it. */
#include "describe.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "posterior.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = 25, CURVES = 6 };

typedef struct inspection {
    size_t arms;
    double *share;       /* K: of the demonstrations */
    double *probability; /* K: of being the best arm */
    double *mean, *sd;   /* K: of the arm's mean reward */
    double *density;     /* K × BINS: of the arm's mean reward */
    double entropy;      /* of the best arm, bits */
    size_t law_draws;    /* draws behind `probability`; 0: computed */
    size_t draws, tasks, episodes;
    double regret, regret_se, uniform_regret, uniform_regret_se, saved, saved_se;
} inspection;

/* Mean and sum of squared deviations, one value at a time (Welford). */
typedef struct moments {
    double n, mean, squares;
} moments;

static void add(moments *self, double value) {
    self->n += 1;
    const double before = value - self->mean;
    self->mean += before / self->n;
    self->squares += before * (value - self->mean);
}

static double deviation(const moments *self) {
    return self->n > 1 ? sqrt(self->squares / (self->n - 1)) : NAN;
}

/* Moments of each arm's mean reward under the prior. */
static bool draw_moments(inspection *self, xp_sampler *sampler, xp_rng *rng) {
    moments *arm = cli_alloc(self->arms, sizeof *arm);
    double *theta = cli_alloc(self->arms, sizeof *theta);
    bool good = true;
    xp_sampler_reset(sampler, rng);
    for (size_t i = 0; good && i < self->draws; i++) {
        good = xp_sampler_draw(sampler, rng, theta);
        for (size_t k = 0; good && k < self->arms; k++) {
            add(&arm[k], theta[k]);
            const size_t bin = (size_t)(theta[k] * BINS);
            self->density[k * BINS + (bin < BINS ? bin : BINS - 1)] += (double)BINS;
        }
    }
    for (size_t k = 0; k < self->arms; k++) {
        self->mean[k] = arm[k].mean;
        self->sd[k] = deviation(&arm[k]);
        for (size_t bin = 0; bin < BINS; bin++) {
            self->density[k * BINS + bin] /= (double)self->draws;
        }
    }
    free(theta);
    free(arm);
    return good;
}

/* Regret of Thompson sampling on one task; every step uses one number of `rewards`. */
static double act(xp_sampler *sampler, const double *theta, size_t arms, size_t episodes,
                  xp_rng rewards, xp_rng own) {
    double best = 0, regret = 0;
    for (size_t k = 0; k < arms; k++) {
        best = fmax(best, theta[k]);
    }
    xp_sampler_reset(sampler, &own);
    for (size_t t = 0; t < episodes; t++) {
        const size_t arm = xp_sampler_act(sampler, &own);
        regret += best - theta[arm];
        xp_sampler_observe(sampler, &own, arm, xp_rng_uniform(&rewards) < theta[arm]);
    }
    return regret;
}

static bool simulate(inspection *self, xp_sampler *sampler, xp_sampler *uniform,
                     const xp_rng *root) {
    moments own = {0}, other = {0}, saved = {0};
    double *theta = cli_alloc(self->arms, sizeof *theta);
    cli_progress progress = cli_progress_start("inspect");
    bool good = true;
    for (size_t task = 0; good && task < self->tasks; task++) {
        const xp_rng stream = xp_rng_fork(root, task);
        xp_rng context = xp_rng_fork(&stream, 0);
        xp_sampler_reset(sampler, &context);
        good = xp_sampler_draw(sampler, &context, theta) &&
               cli_progress_update(&progress, task, self->tasks) == 0;
        if (good) {
            const xp_rng rewards = xp_rng_fork(&stream, 1);
            const double a =
                act(sampler, theta, self->arms, self->episodes, rewards, xp_rng_fork(&stream, 2));
            const double b =
                act(uniform, theta, self->arms, self->episodes, rewards, xp_rng_fork(&stream, 3));
            add(&own, a);
            add(&other, b);
            add(&saved, b - a);
        }
    }
    cli_progress_end(&progress);
    free(theta);
    const double root_n = sqrt((double)self->tasks);
    self->regret = own.mean;
    self->regret_se = deviation(&own) / root_n;
    self->uniform_regret = other.mean;
    self->uniform_regret_se = deviation(&other) / root_n;
    self->saved = saved.mean;
    self->saved_se = deviation(&saved) / root_n;
    return good;
}

static int inspect(inspection *self, const cli_posterior *posterior, const xp_rng *root) {
    const uint64_t *counts = xp_prior_action_counts(posterior->prior);
    double total = 0;
    for (size_t k = 0; k < self->arms; k++) {
        total += (double)counts[k];
    }
    xp_rng law_rng = xp_rng_fork(root, 0), draw_rng = xp_rng_fork(root, 1);
    const xp_rng task_rng = xp_rng_fork(root, 2);
    xp_sampler_reset(posterior->sampler, &law_rng);
    xp_sampler_action_law(posterior->sampler, &law_rng, self->draws, self->probability,
                          &self->law_draws);
    for (size_t k = 0; k < self->arms; k++) {
        const double p = self->probability[k];
        self->share[k] = total > 0 ? (double)counts[k] / total : NAN;
        self->entropy -= p > 0 ? p * log2(p) : 0;
    }
    xp_prior *flat;
    xp_sampler *uniform;
    xp_error error;
    if (xp_prior_create_uniform(self->arms, &flat, &error) != XP_OK) {
        return cli_failed(&error);
    }
    if (xp_sampler_create(NULL, flat, &uniform, &error) != XP_OK) {
        xp_prior_destroy(flat);
        return cli_failed(&error);
    }
    int code = CLI_DONE;
    if (!draw_moments(self, posterior->sampler, &draw_rng) ||
        !simulate(self, posterior->sampler, uniform, &task_rng)) {
        code = CLI_NO;
        if (cli_interrupted()) {
            cli_complain("interrupted; nothing is kept: run the command again");
        } else {
            cli_complain("the sampler '%s' gave up on this prior; try another --sampler",
                         posterior->sampler_name);
        }
    }
    xp_sampler_destroy(uniform);
    xp_prior_destroy(flat);
    return code;
}

static void print_json(const inspection *self, const cli_posterior *posterior) {
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_text(&json, "method", xp_prior_method(posterior->prior));
    cli_json_integer(&json, "arms", self->arms);
    cli_json_text(&json, "sampler", posterior->sampler_name);
    cli_json_text(&json, "kind", xp_sampler_kind_name(posterior->kind));
    cli_json_integer(&json, "draws", self->draws);
    cli_json_number(&json, "entropy_bits", self->entropy);
    cli_json_array(&json, "actions");
    for (size_t k = 0; k < self->arms; k++) {
        char label[32];
        cli_json_text(&json, NULL, cli_action_label(posterior->prior, k, label));
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

static void print_text(const inspection *self, const cli_posterior *posterior) {
    enum { WIDTH = 24 };
    double largest = 0;
    for (size_t k = 0; k < self->arms; k++) {
        largest = fmax(largest, self->probability[k]);
    }
    (void)printf("%s prior over %zu arms; the best arm has an entropy of %.3f bits\n\n",
                 xp_prior_method(posterior->prior), self->arms, self->entropy);
    cli_table table = cli_table_start(
        "lrrrrl", "action\tdemonstrated\tP(best)\tmean reward\tsd\tP(best), to scale");
    for (size_t k = 0; k < self->arms; k++) {
        char label[CLI_ACTION_SHOWN], share[32], bar[3 * WIDTH + 1];
        (void)cli_action_shown(posterior->prior, k, label);
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
static size_t next_arm(const inspection *self, const bool *taken) {
    size_t best = self->arms;
    for (size_t k = 0; k < self->arms; k++) {
        if (!taken[k] && (best == self->arms || self->probability[k] > self->probability[best])) {
            best = k;
        }
    }
    return best;
}

/* Two panels: how likely each arm is the best, and the densities of the likeliest arms' means. */
static int draw_picture(const inspection *self, const cli_posterior *posterior, const char *path) {
    double *arm = cli_alloc(self->arms, sizeof *arm), middle[BINS];
    bool *taken = cli_alloc(self->arms, sizeof *taken);
    char labels[CURVES][CLI_ACTION_SHOWN + 8];
    xp_series series[2 + CURVES];
    for (size_t k = 0; k < self->arms; k++) {
        arm[k] = (double)k;
    }
    for (size_t bin = 0; bin < BINS; bin++) {
        middle[bin] = ((double)bin + 0.5) / BINS;
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
        char shown[CLI_ACTION_SHOWN];
        const size_t k = next_arm(self, taken);
        taken[k] = true;
        (void)snprintf(labels[i], sizeof labels[i], "arm %s",
                       cli_action_shown(posterior->prior, k, shown));
        series[count++] = (xp_series){.agent = labels[i],
                                      .panel = "what the likeliest arms pay",
                                      .x_label = "mean reward",
                                      .y_label = "density under the prior",
                                      .n = BINS,
                                      .x = middle,
                                      .y = self->density + k * BINS};
    }
    char title[128];
    (void)snprintf(title, sizeof title, "%s prior, %zu arms", xp_prior_method(posterior->prior),
                   self->arms);
    xp_error error;
    const xp_status status = xp_picture_series(series, count, title, path, &error);
    free(taken);
    free(arm);
    return status == XP_OK ? CLI_DONE : cli_failed(&error);
}

/* A model without a prior over arm means has no arms to look at. */
static int describe(const cli_arguments *arguments, xp_model *model, int code) {
    if (code == CLI_DONE && cli_text(arguments, "picture") != NULL) {
        cli_complain("'%s' has no prior over arm means, so there are no arms to draw; leave "
                     "--picture away",
                     cli_positional_text(arguments, 0));
        code = CLI_BAD;
    }
    if (code == CLI_DONE) {
        cli_describe_model(model, NULL, cli_flag(arguments, "json"));
    }
    xp_model_destroy(model);
    return code;
}

static int run(const cli_arguments *arguments) {
    xp_model *model = NULL;
    int code = cli_model_load(arguments, &model);
    if (code != CLI_DONE || xp_model_prior(model) == NULL) {
        return describe(arguments, model, code);
    }
    xp_model_destroy(model);
    cli_posterior posterior;
    code = cli_posterior_init(&posterior, arguments);
    if (code == CLI_DONE) {
        const size_t arms = xp_prior_arms(posterior.prior);
        double *memory = cli_alloc((4 + BINS) * arms, sizeof *memory);
        inspection self = {.arms = arms,
                           .share = memory,
                           .probability = memory + arms,
                           .mean = memory + 2 * arms,
                           .sd = memory + 3 * arms,
                           .density = memory + 4 * arms,
                           .draws = cli_integer(arguments, "draws"),
                           .tasks = cli_integer(arguments, "tasks"),
                           .episodes = cli_integer(arguments, "episodes")};
        const xp_rng root = xp_rng_seed(cli_integer(arguments, "seed"));
        code = inspect(&self, &posterior, &root);
        if (code == CLI_DONE && cli_text(arguments, "picture") != NULL) {
            code = draw_picture(&self, &posterior, cli_text(arguments, "picture"));
        }
        if (code == CLI_DONE && cli_flag(arguments, "json")) {
            print_json(&self, &posterior);
        } else if (code == CLI_DONE) {
            print_text(&self, &posterior);
        }
        free(memory);
    }
    cli_posterior_deinit(&posterior);
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
                 .summary = "draw the arms as a picture, too (needs gnuplot)"},
                CLI_OPTION_SEED,
                CLI_OPTION_JSON},
    .stages = {{&cli_samplers, "sampler"}},
    .examples = {{"experior inspect model.json", "a table of the arms and the regret saved"},
                 {"experior inspect model.json --picture model.svg", "with a picture as well"},
                 {"experior inspect model.safetensors",
                  "a model with states: its networks and its fit"}},
    .run = run,
};
