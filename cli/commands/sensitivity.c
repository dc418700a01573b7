/* sensitivity.c: experior sensitivity: how much decisions depend on the competence that the experts
 * are taken to have.
 *
 * Competence cannot be learned from choices alone: the likelihood always prefers beta = ∞. So the
 * honest thing is to look at what to do for a range of values, and to mistrust what changes. */
#include "json.h"
#include "options.h"
#include "output.h"
#include "posterior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double betas[] = {0.5, 1, 2.5, 5, 10, 25, INFINITY};
enum { BETAS = sizeof betas / sizeof betas[0] };

/* What came out for one beta. */
typedef struct outcome {
    bool feasible;
    double lambda;
    double *probability; /* K */
    size_t draws;
} outcome;

/* Fits, replays and asks. An infeasible beta is an outcome; anything else that fails ends it. */
static int decide(const cli_arguments *arguments, const xp_demos *demos, double beta,
                  cli_posterior *posterior, outcome *out) {
    xp_error error;
    char spec[64];
    (void)snprintf(spec, sizeof spec, "experior_maxent:beta=%g", beta);
    xp_status status = xp_model_fit(spec, NULL, demos, NULL, &posterior->model, &error);
    if (status == XP_ERR_NUMERIC) {
        return CLI_DONE;
    }
    if (status == XP_OK) {
        posterior->prior = xp_model_prior(posterior->model);
        posterior->sampler_name = xp_sampler_default(posterior->prior);
        status = xp_sampler_create(posterior->sampler_name, posterior->prior, &posterior->sampler,
                                   &error);
    }
    if (status != XP_OK) {
        return cli_failed_on(cli_positional_text(arguments, 0), &error);
    }
    xp_rng rng = xp_rng_seed(cli_integer(arguments, "seed"));
    size_t observations;
    const int code =
        cli_posterior_replay(posterior, cli_text(arguments, "history"), &rng, &observations);
    if (code == CLI_DONE) {
        out->feasible = true;
        out->lambda = xp_prior_fit_result(posterior->prior).lambda;
        xp_sampler_action_law(posterior->sampler, &rng, cli_integer(arguments, "draws"),
                              out->probability, &out->draws);
    }
    return code;
}

static void print_json(const xp_demos *demos, const outcome *outcomes, size_t arms) {
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_array(&json, "actions");
    for (size_t arm = 0; arm < arms; arm++) {
        char label[32];
        const char *name = xp_demos_action_name(demos, arm);
        (void)snprintf(label, sizeof label, "%zu", arm);
        cli_json_text(&json, NULL, name != NULL ? name : label);
    }
    cli_json_end(&json);
    cli_json_array(&json, "betas");
    for (size_t i = 0; i < BETAS; i++) {
        cli_json_object(&json, NULL);
        cli_json_number(&json, "beta", betas[i]);
        cli_json_bool(&json, "feasible", outcomes[i].feasible);
        if (outcomes[i].feasible) {
            cli_json_number(&json, "lambda", outcomes[i].lambda);
            cli_json_numbers(&json, "probabilities", outcomes[i].probability, arms);
        }
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

static void print_text(const xp_prior *prior, const outcome *outcomes, size_t arms) {
    cli_table table = cli_table_start("lrrrrrrr", "action, beta =\t0.5\t1\t2.5\t5\t10\t25\tinf");
    for (size_t arm = 0; arm < arms; arm++) {
        char label[CLI_ACTION_SHOWN], cell[BETAS][16];
        for (size_t i = 0; i < BETAS; i++) {
            if (outcomes[i].feasible) {
                (void)snprintf(cell[i], sizeof cell[i], "%.3f", outcomes[i].probability[arm]);
            } else {
                (void)snprintf(cell[i], sizeof cell[i], "–");
            }
        }
        cli_table_add(&table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", cli_action_shown(prior, arm, label),
                      cell[0], cell[1], cell[2], cell[3], cell[4], cell[5], cell[6]);
    }
    cli_table_print(&table);
    size_t infeasible = 0;
    for (size_t i = 0; i < BETAS; i++) {
        infeasible += !outcomes[i].feasible;
    }
    if (infeasible > 0) {
        (void)printf("– no experts of so little competence choose as these did\n");
    }
}

static int run(const cli_arguments *arguments) {
    const char *history = cli_text(arguments, "history");
    if (history != NULL && strcmp(history, "-") == 0) {
        cli_complain("--history is read once for each beta, so it must be a file, not '-'");
        return CLI_BAD;
    }
    xp_error error;
    xp_demos *demos = NULL;
    if (xp_demos_load(cli_positional_text(arguments, 0), &demos, &error) != XP_OK) {
        return cli_failed(&error);
    }
    const size_t arms = xp_demos_actions(demos);
    outcome outcomes[BETAS] = {{.feasible = false}};
    cli_posterior posteriors[BETAS] = {{.prior = NULL}};
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < BETAS; i++) {
        outcomes[i].probability = cli_alloc(arms, sizeof(double));
        code = decide(arguments, demos, betas[i], &posteriors[i], &outcomes[i]);
    }
    if (code == CLI_DONE && cli_flag(arguments, "json")) {
        print_json(demos, outcomes, arms);
    } else if (code == CLI_DONE) {
        print_text(posteriors[BETAS - 1].prior, outcomes, arms); /* beta = ∞ is always feasible */
    }
    for (size_t i = 0; i < BETAS; i++) {
        cli_posterior_deinit(&posteriors[i]);
        free(outcomes[i].probability);
    }
    xp_demos_destroy(demos);
    return code;
}

const cli_command cli_command_sensitivity = {
    .name = "sensitivity",
    .summary = "how decisions depend on the competence of the experts",
    .description = "Fits the maximum-entropy prior for a range of competences beta and prints the "
                   "probability of each action under each. Competence cannot be learned from "
                   "choices alone, so mistrust what changes along a line.",
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
