/* sensitivity.c: experior sensitivity: how much decisions depend on the competence that the experts
 * are taken to have.
 *
 * Competence cannot be learned from choices alone: the likelihood always prefers beta = ∞. So the
 * honest thing is to look at what to do for a range of values, and to mistrust what changes. For
 * that only beta may differ: every column leaves the same divergence epsilon = (K − 1) / (2N)
 * between the demonstrations and the prior, with lambda solved for. What 'experior fit' does by
 * default at beta = ∞ is another rule, lambda = ∞, and stands in a column of its own. */
#include "json.h"
#include "options.h"
#include "output.h"
#include "posterior.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double betas[] = {0.5, 1, 2.5, 5, 10, 25, INFINITY, INFINITY};
/* The last column is the default of fit. */
enum { COLUMNS = sizeof betas / sizeof betas[0], BETAS = COLUMNS - 1 };

/* What came out for one beta. */
typedef struct outcome {
    bool feasible;
    double lambda;
    double *probability; /* K */
    size_t draws;
} outcome;

typedef struct sensitivity {
    const cli_arguments *arguments;
    xp_demos *demos;
    size_t arms;
    double epsilon;
    outcome outcomes[COLUMNS];
    cli_posterior posteriors[COLUMNS];
    size_t column; /* the one that is being worked on */
    cli_progress progress;
} sensitivity;

/* The columns are alike in the bar. */
static int update(void *context, size_t done, size_t total) {
    sensitivity *self = context;
    return cli_progress_update(&self->progress, self->column * total + done, COLUMNS * total);
}

static xp_status fit(sensitivity *self, cli_posterior *posterior, xp_error *error) {
    char spec[128];
    const int used = snprintf(spec, sizeof spec, "experior_maxent:beta=%.17g", betas[self->column]);
    if (self->column < BETAS) {
        (void)snprintf(spec + used, sizeof spec - (size_t)used, ",epsilon=%.17g", self->epsilon);
    }
    xp_model_options options = xp_model_options_default();
    options.progress = update;
    options.progress_context = self;
    const xp_status status =
        xp_model_fit(spec, NULL, self->demos, &options, &posterior->model, error);
    posterior->prior = status == XP_OK ? xp_model_prior(posterior->model) : NULL;
    return status;
}

/* Fits, replays and asks. An infeasible beta is an outcome; anything else that fails ends it. */
static int decide(sensitivity *self) {
    cli_posterior *posterior = &self->posteriors[self->column];
    outcome *out = &self->outcomes[self->column];
    xp_error error;
    out->probability = cli_alloc(self->arms, sizeof *out->probability);
    xp_status status = fit(self, posterior, &error);
    if (status == XP_ERR_NUMERIC) {
        return CLI_DONE;
    }
    if (status == XP_OK) {
        posterior->prior = xp_model_prior(posterior->model);
        posterior->sampler_name = xp_sampler_default(posterior->prior);
        status = xp_sampler_create(posterior->sampler_name, posterior->prior, &posterior->sampler,
                                   &error);
    }
    if (status == XP_ERR_INTERRUPTED || (status == XP_OK && cli_interrupted())) {
        cli_progress_end(&self->progress);
        cli_complain("interrupted; nothing is kept: run the command again");
        return CLI_NO;
    }
    if (status != XP_OK) {
        return cli_failed_on(cli_positional_text(self->arguments, 0), &error);
    }
    xp_rng rng = xp_rng_seed(cli_integer(self->arguments, "seed"));
    size_t observations;
    const int code = cli_posterior_replay(posterior, cli_text(self->arguments, "history"), &rng,
                                          NULL, &observations);
    if (code == CLI_DONE) {
        out->feasible = true;
        out->lambda = xp_prior_fit_result(posterior->prior).lambda;
        xp_sampler_action_law(posterior->sampler, &rng, cli_integer(self->arguments, "draws"),
                              out->probability, &out->draws);
    }
    return code;
}

static void json_outcome(cli_json *json, const sensitivity *self, size_t column, const char *key) {
    const outcome *out = &self->outcomes[column];
    cli_json_object(json, key);
    cli_json_number(json, "beta", betas[column]);
    cli_json_bool(json, "feasible", out->feasible);
    if (out->feasible) {
        cli_json_number(json, "lambda", out->lambda);
        cli_json_integer(json, "draws", out->draws);
        cli_json_numbers(json, "probabilities", out->probability, self->arms);
    }
    cli_json_end(json);
}

static void print_json(const sensitivity *self) {
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_array(&json, "actions");
    for (size_t arm = 0; arm < self->arms; arm++) {
        char label[32];
        const char *name = xp_demos_action_name(self->demos, arm);
        (void)snprintf(label, sizeof label, "%zu", arm);
        cli_json_text(&json, NULL, name != NULL ? name : label);
    }
    cli_json_end(&json);
    cli_json_text(&json, "rule", "epsilon");
    cli_json_number(&json, "epsilon", self->epsilon);
    cli_json_array(&json, "betas");
    for (size_t i = 0; i < BETAS; i++) {
        json_outcome(&json, self, i, NULL);
    }
    cli_json_end(&json);
    json_outcome(&json, self, BETAS, "fit_default");
    cli_json_end(&json);
}

static void print_text(const sensitivity *self) {
    const xp_prior *prior = self->posteriors[BETAS].prior; /* beta = ∞ is always feasible */
    bool all = true;
    cli_table table =
        cli_table_start("lrrrrrrrr", "action, beta =\t0.5\t1\t2.5\t5\t10\t25\tinf\tfit's default");
    for (size_t arm = 0; arm < self->arms; arm++) {
        char label[CLI_ACTION_SHOWN], cell[COLUMNS][16];
        for (size_t i = 0; i < COLUMNS; i++) {
            all = all && self->outcomes[i].feasible;
            if (self->outcomes[i].feasible) {
                (void)snprintf(cell[i], sizeof cell[i], "%.3f", self->outcomes[i].probability[arm]);
            } else {
                (void)snprintf(cell[i], sizeof cell[i], "–");
            }
        }
        cli_table_add(&table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s",
                      cli_action_shown(prior, arm, label), cell[0], cell[1], cell[2], cell[3],
                      cell[4], cell[5], cell[6], cell[7]);
    }
    cli_table_print(&table);
    if (!all) {
        (void)printf("– no experts of so little competence choose as these did\n");
    }
    (void)printf("one rule for every beta: lambda is such that the demonstrations are epsilon = "
                 "(K-1)/(2N) = %.4g nats\nfrom the prior; fit's default at beta = inf is another "
                 "rule, lambda = inf (no divergence)\n",
                 self->epsilon);
}

static int run(const cli_arguments *arguments) {
    const char *history = cli_text(arguments, "history");
    if (history != NULL && strcmp(history, "-") == 0) {
        cli_complain("--history is read once for each beta, so it must be a file, not '-'");
        return CLI_BAD;
    }
    xp_error error;
    sensitivity self = {.arguments = arguments};
    if (xp_demos_load(cli_positional_text(arguments, 0), &self.demos, &error) != XP_OK) {
        return cli_failed(&error);
    }
    self.arms = xp_demos_actions(self.demos);
    self.epsilon = (double)(self.arms - 1) / (2 * (double)xp_demos_count(self.demos));
    self.progress = cli_progress_start("sensitivity");
    int code = CLI_DONE;
    for (; code == CLI_DONE && self.column < COLUMNS; self.column++) {
        code = decide(&self);
    }
    cli_progress_end(&self.progress);
    if (code == CLI_DONE && cli_flag(arguments, "json")) {
        print_json(&self);
    } else if (code == CLI_DONE) {
        print_text(&self);
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        cli_posterior_deinit(&self.posteriors[i]);
        free(self.outcomes[i].probability);
    }
    xp_demos_destroy(self.demos);
    return code;
}

const cli_command cli_command_sensitivity = {
    .name = "sensitivity",
    .order = 7,
    .summary = "how decisions depend on the competence of the experts",
    .description = "Fits the maximum-entropy prior for a range of competences beta and prints the "
                   "probability of each action under each. Competence cannot be learned from "
                   "choices alone, so mistrust what changes along a line. Every beta is fitted by "
                   "the same rule: lambda is solved so that the demonstrations are (K-1)/(2N) nats "
                   "from the prior. The last column is what 'experior fit' does by default: "
                   "beta = inf with lambda = inf.",
    .positionals = {{.name = "DEMOS",
                     .required = true,
                     .summary = "file of demonstrations, - for standard input"}},
    .options = {CLI_OPTION_HISTORY,
                {.name = "draws",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "20000",
                 .low = 1,
                 .high = 1e9,
                 .summary = "draws behind a probability that is not computed (finite beta)"},
                CLI_OPTION_SEED,
                CLI_OPTION_JSON},
    .examples = {{"experior sensitivity demos.csv --history history.csv",
                  "what to do next, for experts from poor to perfect"}},
    .run = run,
};
