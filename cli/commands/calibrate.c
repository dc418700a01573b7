/* calibrate.c: experior calibrate: are the samplers right?
 *
 * Simulation-based calibration of every sampler on every prior that it supports: a right sampler's
 * ranks are uniform. And, for a sampler that is only approximate, its bias against brute force. */
#include "calibration/calibration.h"

#include "output.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const standard_names[] = {"uniform",
                                             "beta",
                                             "max_entropy",
                                             "max_entropy, beta = 10",
                                             "max_entropy, learned",
                                             "max_entropy, learned, beta = 10"};
enum { STANDARD_PRIORS = sizeof standard_names / sizeof standard_names[0] };

/* Standard priors: one of each structure that samplers tell apart, and then one per family of
 * rewards; three arms each. */
static size_t standard_priors(void) {
    return STANDARD_PRIORS + cli_stage_count(&cli_rewards);
}

static const char *standard_name(size_t index) {
    return index < STANDARD_PRIORS ? standard_names[index]
                                   : cli_stage_at(&cli_rewards, index - STANDARD_PRIORS).name;
}

static xp_status standard_prior(size_t index, xp_prior **prior, xp_error *error) {
    if (index == 0) {
        return xp_prior_create_uniform(3, prior, error);
    }
    if (index == 1) {
        return xp_prior_create_beta(3, (const double[]){2, 1, 0.7}, (const double[]){1, 3, 0.7},
                                    prior, error);
    }
    xp_demos *demos;
    xp_status status = xp_demos_create(0, 3, &demos, error);
    const uint64_t counts[] = {70, 20, 10};
    for (uint32_t arm = 0; status == XP_OK && arm < 3; arm++) {
        status = xp_demos_add(demos, NULL, &arm, 1, counts[arm], error);
    }
    if (status == XP_OK) {
        xp_rng rng = xp_rng_seed(1);
        static const char *const specs[] = {"max_entropy", "max_entropy:beta=10",
                                            "max_entropy:reference=learned",
                                            "max_entropy:reference=learned,beta=10,unit=relative"};
        char spec[64];
        (void)snprintf(spec, sizeof spec, "%s%s",
                       index < STANDARD_PRIORS ? specs[index - 2] : "max_entropy:rewards=",
                       index < STANDARD_PRIORS ? "" : standard_name(index));
        status = xp_prior_fit(spec, demos, &rng, prior, NULL, error);
    }
    xp_demos_destroy(demos);
    return status;
}

/* Rewards after which the bias is measured: a posterior that is neither the prior nor a point. */
static const size_t bias_successes[] = {6, 3, 1}, bias_failures[] = {4, 2, 4};
enum { BIAS_DRAWS = 20000 };

/* One sampler on one prior. */
static xp_status calibrate_pair(calibration *self, const char *prior_name, const xp_prior *prior,
                                const char *sampler, xp_error *error) {
    calibration_pair *pair = &self->pairs[self->count];
    *pair = (calibration_pair){.prior = prior_name};
    cli_progress progress = cli_progress_start(sampler);
    xp_calibrate_options options = xp_calibrate_options_default();
    options.sampler = sampler;
    options.simulations = self->simulations;
    options.threads = self->threads;
    options.seed = self->seed;
    options.progress = cli_progress_update;
    options.progress_context = &progress;
    xp_status status = xp_calibrate(prior, &options, &pair->result, error);
    cli_progress_end(&progress);
    if (status != XP_OK) {
        return status;
    }
    self->count++;
    for (size_t i = 0; i < cli_stage_count(&cli_samplers); i++) {
        const xp_catalogue_entry entry = cli_stage_at(&cli_samplers, i);
        if (strcmp(entry.name, pair->result->sampler) == 0) {
            pair->kind = entry.sampler;
        }
    }
    const bool approximate = pair->kind == XP_SAMPLER_APPROXIMATE;
    pair->passed = true;
    for (size_t i = 0; i < pair->result->statistic_count; i++) {
        pair->passed = pair->passed && pair->result->statistics[i].p > CALIBRATION_P;
    }
    self->passed = self->passed && (pair->passed || approximate);
    if (approximate && xp_prior_arms(prior) == 3) {
        pair->has_bias = true;
        status = xp_calibrate_bias(prior, sampler, bias_successes, bias_failures, BIAS_DRAWS,
                                   self->seed, &pair->bias, error);
    }
    return status;
}

/* Every wanted sampler on one prior, as far as it supports it. */
static xp_status calibrate_prior(calibration *self, const char *prior_name, const xp_prior *prior,
                                 xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < self->sampler_count; i++) {
        if (xp_sampler_supports(self->samplers[i], prior)) {
            status = calibrate_pair(self, prior_name, prior,
                                    self->spec != NULL ? self->spec : self->samplers[i], error);
        }
    }
    return status;
}

static xp_status calibrate_all(calibration *self, const char *path, xp_error *error) {
    xp_prior *prior = NULL;
    xp_status status = XP_OK;
    if (path != NULL) {
        xp_model *model;
        status = xp_model_load(path, &model, error);
        if (status == XP_OK && xp_model_prior(model) == NULL) {
            status = xp_error_set(error, XP_ERR_INPUT, "%s: has no prior over arm means", path);
        } else if (status == XP_OK) {
            status = calibrate_prior(self, path, xp_model_prior(model), error);
        }
        xp_model_destroy(model);
        return status;
    }
    for (size_t i = 0; status == XP_OK && i < standard_priors(); i++) {
        if (strcmp(standard_name(i), "bernoulli") == 0) {
            continue; /* the rewards of the others before */
        }
        status = standard_prior(i, &prior, error);
        if (status == XP_OK) {
            status = calibrate_prior(self, standard_name(i), prior, error);
            xp_prior_destroy(prior);
        }
    }
    return status;
}

/* The samplers asked for, or all; and the spec of the only one, if parameters were typed. */
static bool read_samplers(const cli_arguments *arguments, calibration *self) {
    self->sampler_count = cli_values(arguments, "sampler", self->samplers);
    for (size_t i = 0; i < self->sampler_count; i++) {
        if (!cli_stage_check(&cli_samplers, self->samplers[i])) {
            return false;
        }
    }
    bool typed = false;
    for (size_t i = 0; i < arguments->given_count; i++) {
        typed = typed || arguments->given[i].option == NULL;
    }
    if (typed && self->sampler_count != 1) {
        cli_complain("parameters need exactly one --sampler that they belong to");
        return false;
    }
    if (typed) {
        return cli_specs(arguments, self->samplers, &self->spec);
    }
    if (self->sampler_count == 0) {
        for (size_t i = 0; i < cli_stage_count(&cli_samplers); i++) {
            self->samplers[self->sampler_count++] = cli_stage_at(&cli_samplers, i).name;
        }
    }
    return true;
}

static int show(const cli_arguments *arguments, const calibration *self) {
    const char *directory = cli_text(arguments, "output");
    if (self->count == 0) {
        cli_complain("none of the samplers asked for supports the prior");
        return CLI_BAD;
    }
    if (directory != NULL && !calibration_save(self, directory)) {
        return CLI_BAD;
    }
    if (cli_flag(arguments, "json")) {
        calibration_json(self, stdout);
    } else {
        calibration_text(self);
    }
    return self->passed ? CLI_DONE : CLI_NO;
}

static int run(const cli_arguments *arguments) {
    calibration self = {.simulations = cli_integer(arguments, "simulations"),
                        .threads = cli_integer(arguments, "threads"),
                        .seed = cli_integer(arguments, "seed"),
                        .passed = true};
    const size_t room = arguments->given_count + 1 + cli_stage_count(&cli_samplers);
    self.samplers = cli_alloc(room, sizeof *self.samplers);
    self.pairs = cli_alloc(room * standard_priors(), sizeof *self.pairs);
    int code = CLI_BAD;
    if (read_samplers(arguments, &self)) {
        xp_error error;
        const xp_status status = calibrate_all(&self, cli_positional_text(arguments, 0), &error);
        code = status == XP_OK ? show(arguments, &self) : cli_failed(&error);
    }
    for (size_t i = 0; i < self.count; i++) {
        xp_calibrate_result_destroy(self.pairs[i].result);
    }
    free(self.pairs);
    free(self.samplers);
    free(self.spec);
    return code;
}

const cli_command cli_command_calibrate = {
    .name = "calibrate",
    .order = 14,
    .summary = "check that samplers draw from the posterior",
    .description =
        "Draws arm means from a prior and rewards from these arms, and ranks the means among "
        "draws from the posterior: for a correct sampler the ranks are uniform. The exit status "
        "is 1 if a sampler that is not approximate has a chi-square p-value of 0.001 or less.",
    .positionals = {{.name = "MODEL",
                     .summary = "model of a bandit; without it, standard priors over three arms"}},
    .options = {{.name = "sampler",
                 .kind = CLI_TEXT,
                 .value = "NAME",
                 .repeatable = true,
                 .summary = "sampler to check; all of them if none is named"},
                {.name = "simulations",
                 .kind = CLI_INTEGER,
                 .value = "N",
                 .standard = "1000",
                 .low = 100,
                 .high = 1e7,
                 .summary = "tasks to simulate for each sampler and prior"},
                {.name = "output",
                 .letter = 'o',
                 .kind = CLI_TEXT,
                 .value = "DIR",
                 .summary = "directory for calibration.json and calibration.svg"},
                CLI_OPTION_THREADS,
                CLI_OPTION_SEED,
                CLI_OPTION_JSON},
    .stages = {{&cli_samplers, "sampler"}},
    .examples = {{"experior calibrate", "every sampler on every prior that it supports"},
                 {"experior calibrate --sampler sgld --jacobian no",
                  "how wrong the paper's own chain is"}},
    .run = run,
};
