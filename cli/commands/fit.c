/* fit.c: experior fit: the prior that demonstrations imply, as a file. */
#include "json.h"
#include "options.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Entropy in bits of the frequencies of the arms in the demonstrations. */
static double entropy_bits(const uint64_t *counts, size_t arms) {
    double total = 0, entropy = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        total += (double)counts[arm];
    }
    for (size_t arm = 0; arm < arms; arm++) {
        if (counts[arm] != 0) {
            const double share = (double)counts[arm] / total;
            entropy -= share * log2(share);
        }
    }
    return entropy;
}

static void print_json(const xp_prior *prior, const char *path) {
    const xp_fit fit = xp_prior_fit_result(prior);
    const size_t arms = xp_prior_arms(prior);
    const uint64_t *counts = xp_prior_action_counts(prior);
    uint64_t demonstrations = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        demonstrations += counts[arm];
    }
    cli_json json = {.depth = 0};
    cli_json_object(&json, NULL);
    cli_json_text(&json, "method", xp_prior_method(prior));
    cli_json_integer(&json, "demonstrations", demonstrations);
    cli_json_integer(&json, "arms", arms);
    cli_json_integers(&json, "counts", counts, arms);
    cli_json_number(&json, "entropy_bits", entropy_bits(counts, arms));
    cli_json_number(&json, "lambda", fit.lambda);
    cli_json_number(&json, "divergence", fit.divergence);
    cli_json_number(&json, "duality_gap", fit.duality_gap);
    cli_json_number(&json, "log_likelihood", fit.log_likelihood);
    cli_json_integer(&json, "iterations", fit.iterations);
    cli_json_bool(&json, "converged", fit.converged);
    cli_json_text(&json, "output", path);
    cli_json_end(&json);
}

static void print_text(const xp_prior *prior, const char *path) {
    const xp_fit fit = xp_prior_fit_result(prior);
    const size_t arms = xp_prior_arms(prior);
    const uint64_t *counts = xp_prior_action_counts(prior);
    unsigned long long demonstrations = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        demonstrations += counts[arm];
    }
    (void)printf("%-16s %s\n", "method", xp_prior_method(prior));
    (void)printf("%-16s %llu\n", "demonstrations", demonstrations);
    (void)printf("%-16s %zu\n", "arms", arms);
    cli_field("entropy", entropy_bits(counts, arms), " bits");
    cli_field("lambda", fit.lambda, "");
    cli_field("divergence", fit.divergence, " nats");
    cli_field("duality gap", fit.duality_gap, "");
    cli_field("log-likelihood", fit.log_likelihood, " nats a demonstration");
    (void)printf("%-16s %s\n", "converged", fit.converged ? "yes" : "no");
    if (path != NULL) {
        (void)printf("%-16s %s\n", "written to", path);
    }
}

/* Writes the prior where it was asked for, and its description to standard output unless the prior
 * itself went there. */
static int save(const cli_arguments *arguments, const xp_prior *prior) {
    const char *path = cli_text(arguments, "output");
    xp_error error;
    if (path != NULL && cli_means_standard_output(path)) {
        char *text;
        if (xp_prior_to_json(prior, &text, &error) != XP_OK) {
            return cli_failed(&error);
        }
        (void)fputs(text, stdout);
        xp_release(text);
        return CLI_DONE;
    }
    if (path != NULL && xp_prior_save(prior, path, &error) != XP_OK) {
        return cli_failed(&error);
    }
    if (cli_flag(arguments, "json")) {
        print_json(prior, path);
    } else {
        print_text(prior, path);
    }
    return CLI_DONE;
}

/* Fits and saves what was loaded. */
static int fit_demos(const cli_arguments *arguments, xp_demos *demos, const char *spec) {
    xp_error error;
    if (cli_was_given(arguments, "arms") &&
        xp_demos_declare_actions(demos, cli_integer(arguments, "arms"), &error) != XP_OK) {
        return cli_failed_on(cli_positional_text(arguments, 0), &error);
    }
    xp_rng rng = xp_rng_seed(cli_integer(arguments, "seed"));
    xp_prior *prior;
    if (xp_prior_fit(spec, demos, &rng, &prior, NULL, &error) != XP_OK) {
        return cli_failed_on(cli_positional_text(arguments, 0), &error);
    }
    int code = save(arguments, prior);
    if (code == CLI_DONE && !xp_prior_fit_result(prior).converged) {
        cli_complain("the fit did not converge: the prior is the best one found");
        code = CLI_NO;
    }
    xp_prior_destroy(prior);
    return code;
}

static int run(const cli_arguments *arguments) {
    const char *const method = cli_text(arguments, "method");
    char *spec;
    if (!cli_specs(arguments, &method, &spec)) {
        return CLI_BAD;
    }
    xp_demos *demos;
    xp_error error;
    const int code = xp_demos_load(cli_positional_text(arguments, 0), &demos, &error) == XP_OK
                         ? fit_demos(arguments, demos, spec)
                         : cli_failed(&error);
    xp_demos_destroy(demos);
    free(spec);
    return code;
}

const cli_command cli_command_fit = {
    .name = "fit",
    .summary = "infer a prior from demonstrations",
    .description = "Reads demonstrations (CSV, JSONL, or a plain list of actions), infers the "
                   "prior over hidden contexts that they imply, writes it to a file and prints "
                   "how the fit ended.",
    .positionals = {{.name = "DEMOS",
                     .required = true,
                     .summary = "file of demonstrations, - for standard input"}},
    .options = {{.name = "output",
                 .letter = 'o',
                 .kind = CLI_TEXT,
                 .value = "PRIOR.json",
                 .summary =
                     "file to write the prior to, - for standard output; without it the fit is "
                     "only described"},
                {.name = "method",
                 .kind = CLI_TEXT,
                 .value = "NAME",
                 .standard = "max_entropy",
                 .summary = "prior to fit; see 'experior list priors'"},
                {.name = "arms",
                 .kind = CLI_INTEGER,
                 .value = "K",
                 .low = 2,
                 .high = 1024,
                 .summary = "number of arms, if some of them occur in no demonstration"},
                CLI_OPTION_SEED,
                CLI_OPTION_JSON},
    .stages = {{&cli_priors, "method"}},
    .examples = {{"experior fit demos.csv -o prior.json",
                  "the maximum-entropy prior for optimal experts"},
                 {"experior fit demos.csv --beta 10 --epsilon 0.005 -o prior.json",
                  "for experts of competence 10, with lambda solved from the constraint"},
                 {"experior fit demos.csv --method beta --json",
                  "the parametric prior, described as JSON"}},
    .run = run,
};
