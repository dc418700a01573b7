/* What every registered prior owes: its density, its gradient, its file; and what fitting and
 * loading refuse. */
#include "claim.h"
#include "experior/catalogue.h"
#include "prior/counted_demos.h"
#include "house/failing_allocator.h"

#include "experior/prior.h"
#include "prior/bandit/prior_type.h"

#include "base/file.h"
#include "experior/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint64_t some_counts[] = {60, 25, 10, 5};

/* A prior of each kind: every type with its defaults, then others with structure of their own. */
enum { EXTRA = 4 };

static size_t specimen_count(void) {
    return xp_catalogue_count(XP_PRIORS) + EXTRA;
}

static xp_status specimen(size_t index, xp_prior **prior, xp_error *error) {
    static const struct {
        const char *method, *name;
        double value;
    } extra[EXTRA] = {{"max_entropy", "beta", 5},
                      {"max_entropy", "lambda", 30},
                      {"max_entropy_authors", "beta", INFINITY},
                      {"beta", "beta", INFINITY}};
    const size_t types = xp_catalogue_count(XP_PRIORS);
    const char *method =
        index < types ? xp_catalogue_get(XP_PRIORS, index).name : extra[index - types].method;
    xp__params params;
    *prior = NULL;
    xp_status status = xp__prior_params_default(method, &params, error);
    if (status == XP_OK && index >= types) {
        status =
            xp__params_set(&params, extra[index - types].name, extra[index - types].value, error);
    }
    xp_demos *demos = NULL;
    if (status == XP_OK) {
        status = xp_demos_create(0, 4, &demos, error);
    }
    for (uint32_t arm = 0; status == XP_OK && arm < 4; arm++) {
        status = xp_demos_add(demos, NULL, &arm, 1, some_counts[arm], error);
    }
    if (status == XP_OK) {
        xp_rng rng = xp_rng_seed(1);
        status = xp__prior_fit(method, &params, demos, &rng, prior, NULL, error);
    }
    xp_demos_destroy(demos);
    return status;
}

static xp_prior *made_specimen(size_t index) {
    xp_prior *prior;
    xp_error error = {.message = ""};
    const xp_status status = specimen(index, &prior, &error);
    EXPECT_TEXT(status == XP_OK ? "fitted" : error.message, "fitted");
    return prior;
}

static void draw_theta(xp_rng *rng, double *theta) {
    for (size_t a = 0; a < 4; a++) {
        theta[a] = 0.02 + 0.96 * xp_rng_uniform(rng);
    }
}

CLAIM(every_prior_says_what_it_was_fitted_to) {
    EXPECT(xp_catalogue_count(XP_PRIORS) >= 6);
    for (size_t i = 0; i < specimen_count(); i++) {
        xp_prior *prior = made_specimen(i);
        EXPECT(xp_prior_arms(prior) == 4 && xp_prior_action_name(prior, 2) == NULL);
        EXPECT(memcmp(xp_prior_action_counts(prior), some_counts, sizeof some_counts) == 0);
        const xp_fit fit = xp_prior_fit_result(prior);
        EXPECT(fit.converged && fit.divergence >= 0 && fit.log_likelihood < 0);
        /* No prior explains the demonstrations better than their own frequencies. */
        double entropy = 0;
        for (size_t a = 0; a < 4; a++) {
            entropy -= (double)some_counts[a] / 100 * log((double)some_counts[a] / 100);
        }
        EXPECT(fit.log_likelihood <= -entropy + 1e-12);
        xp_prior_destroy(prior);
    }
    for (size_t i = 0; i < xp_catalogue_count(XP_PRIORS); i++) {
        EXPECT(strlen(xp_catalogue_get(XP_PRIORS, i).summary) > 10);
    }
}

CLAIM(every_density_vanishes_outside_the_cube) {
    for (size_t i = 0; i < specimen_count(); i++) {
        xp_prior *prior = made_specimen(i);
        const double outside[][4] = {
            {0.5, -1e-9, 0.5, 0.5}, {1.0000001, 0.5, 0.5, 0.5}, {0.5, 0.5, NAN, 0.5}};
        for (size_t k = 0; k < 3; k++) {
            EXPECT(xp_prior_log_density(prior, outside[k]) == -INFINITY);
        }
        EXPECT(isfinite(xp_prior_log_density(prior, (const double[]){0.2, 0.4, 0.6, 0.8})));
        xp_prior_destroy(prior);
    }
}

CLAIM(every_density_has_mass_one) {
    /* Plain Monte Carlo over the cube; the bound on the error is five standard errors. */
    enum { DRAWS = 100000 };
    for (size_t i = 0; i < specimen_count(); i++) {
        xp_prior *prior = made_specimen(i);
        xp_rng rng = xp_rng_seed(2);
        double sum = 0, squares = 0;
        for (int k = 0; k < DRAWS; k++) {
            const double theta[] = {xp_rng_uniform(&rng), xp_rng_uniform(&rng),
                                    xp_rng_uniform(&rng), xp_rng_uniform(&rng)};
            const double density = exp(xp_prior_log_density(prior, theta));
            sum += density / DRAWS;
            squares += density * density / DRAWS;
        }
        EXPECT_NEAR(sum, 1, 5 * sqrt((squares - sum * sum) / DRAWS) + 0.002);
        xp_prior_destroy(prior);
    }
}

CLAIM(every_gradient_is_the_derivative_of_its_log_density) {
    for (size_t i = 0; i < specimen_count(); i++) {
        xp_prior *prior = made_specimen(i);
        xp_rng rng = xp_rng_seed(3);
        for (int k = 0; k < 50; k++) {
            double theta[4], gradient[4];
            draw_theta(&rng, theta);
            xp_prior_gradient(prior, theta, gradient);
            for (size_t a = 0; a < 4; a++) {
                const double at = theta[a], h = 1e-5;
                theta[a] = at + h;
                const double above = xp_prior_log_density(prior, theta);
                theta[a] = at - h;
                const double below = xp_prior_log_density(prior, theta);
                theta[a] = at;
                EXPECT_NEAR(gradient[a], (above - below) / (2 * h), 1e-5);
            }
        }
        xp_prior_destroy(prior);
    }
}

CLAIM(densities_of_independent_arms_add_up) {
    size_t seen = 0;
    for (size_t i = 0; i < specimen_count(); i++) {
        xp_prior *prior = made_specimen(i);
        if (prior->type->arm_log_density != NULL) {
            xp_rng rng = xp_rng_seed(4);
            double theta[4], gradient[4], sum = 0;
            draw_theta(&rng, theta);
            xp_prior_gradient(prior, theta, gradient);
            for (size_t a = 0; a < 4; a++) {
                sum += prior->type->arm_log_density(prior, a, theta[a]);
                EXPECT_NEAR(prior->type->arm_gradient(prior, a, theta[a]), gradient[a], 1e-14);
            }
            EXPECT_NEAR(xp_prior_log_density(prior, theta), sum, 1e-13);
            seen++;
        }
        xp_prior_destroy(prior);
    }
    EXPECT(seen >= 4);
}

CLAIM(the_structure_that_a_prior_declares_gives_its_density) {
    for (size_t i = 0; i < specimen_count(); i++) {
        xp_prior *prior = made_specimen(i);
        xp_rng rng = xp_rng_seed(5);
        for (int k = 0; k < 100; k++) {
            double theta[4];
            draw_theta(&rng, theta);
            const double density = xp_prior_log_density(prior, theta);
            EXPECT(density <= xp_prior_log_density_bound(prior) + 1e-12);
            size_t best = 0;
            double top = 0, total = 0, weighted = 0, beta = 0;
            for (size_t a = 0; a < 4; a++) {
                best = theta[a] > theta[best] ? a : best;
                top = fmax(top, theta[a]);
            }
            for (size_t a = 0; a < 4; a++) {
                if (prior->softmax_weight != NULL) {
                    const double e = exp(prior->softmax_beta * (theta[a] - top));
                    total += e;
                    weighted += prior->softmax_weight[a] * e;
                }
                if (prior->beta_a != NULL) {
                    const double p = prior->beta_a[a], q = prior->beta_b[a];
                    beta += (p - 1) * log(theta[a]) + (q - 1) * log(1 - theta[a]) + lgamma(p + q) -
                            lgamma(p) - lgamma(q);
                }
            }
            if (prior->best_arm_log_weight != NULL) {
                EXPECT(density == prior->best_arm_log_weight[best]);
            }
            if (prior->softmax_weight != NULL) {
                EXPECT_NEAR(density, weighted / total - prior->log_normaliser, 1e-12);
            }
            if (prior->beta_a != NULL) {
                EXPECT_NEAR(density, beta, 1e-11);
            }
        }
        xp_prior_destroy(prior);
    }
}

CLAIM(the_uniform_prior_has_density_one) {
    xp_prior *prior;
    EXPECT(xp_prior_create_uniform(4, &prior, NULL) == XP_OK);
    EXPECT(xp_prior_log_density(prior, (const double[]){0, 0.1, 0.9, 1}) == 0);
    EXPECT(xp_prior_log_density_bound(prior) == 0 && xp_prior_action_counts(prior)[3] == 0);
    EXPECT(strcmp(xp_prior_method(prior), "uniform") == 0);
    xp_prior_destroy(prior);
    xp_prior_destroy(NULL);
}

CLAIM(given_beta_arms_have_the_beta_density) {
    const double a[] = {2, 1, 0.5}, b[] = {3, 1, 4};
    xp_prior *prior;
    EXPECT(xp_prior_create_beta(3, a, b, &prior, NULL) == XP_OK);
    /* Beta(2, 3) at 1/4 is 12 (1/4) (3/4)²; Beta(1/2, 4) at 1/4 is (3/4)³ (1/4)^-½ / B(1/2, 4),
     * B(1/2, 4) = 32/35. */
    const double theta[] = {0.25, 0.7, 0.25};
    EXPECT_NEAR(xp_prior_log_density(prior, theta),
                log(12 * 0.25 * 0.5625) + log(0.421875 * 2 * 35.0 / 32), 1e-13);
    EXPECT(isinf(xp_prior_log_density_bound(prior)));
    EXPECT(xp_prior_log_density(prior, (const double[]){0.5, 0, 0}) == INFINITY);
    EXPECT(xp_prior_log_density(prior, (const double[]){1, 0, 0.5}) == -INFINITY);
    EXPECT(isfinite(xp_prior_log_density(prior, (const double[]){0.5, 1, 0.5})));
    xp_prior_destroy(prior);
    xp_error error;
    EXPECT(xp_prior_create_beta(2, a, (const double[]){1, -2}, &prior, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "Beta(1, -2) of arm 1");
    EXPECT(prior == NULL);
}

CLAIM(files_round_trip_byte_for_byte_and_densities_bit_for_bit) {
    for (size_t i = 0; i < specimen_count(); i++) {
        xp_prior *prior = made_specimen(i), *loaded = NULL;
        char *text, *again;
        xp_error error = {.message = ""};
        EXPECT(xp__prior_to_json(prior, &text, NULL) == XP_OK);
        EXPECT(xp__prior_from_json(text, strlen(text), "again", &loaded, &error) == XP_OK);
        EXPECT_TEXT(loaded != NULL ? "loaded" : error.message, "loaded");
        EXPECT(xp__prior_to_json(loaded, &again, NULL) == XP_OK);
        EXPECT(strcmp(text, again) == 0);
        xp_release(text);
        xp_release(again);
        xp_rng rng = xp_rng_seed(6);
        for (int k = 0; k < 100; k++) {
            double theta[4];
            draw_theta(&rng, theta);
            EXPECT(xp_prior_log_density(prior, theta) == xp_prior_log_density(loaded, theta));
        }
        EXPECT(xp_prior_log_density_bound(prior) == xp_prior_log_density_bound(loaded));
        xp_prior_destroy(prior);
        xp_prior_destroy(loaded);
    }
}

CLAIM(names_of_actions_are_kept_in_files) {
    xp_demos *demos;
    xp_prior *prior, *loaded;
    static const char csv[] = "action\nred\n\"gr\xc3\xbcn \"\"x\"\"\"\nred\n";
    EXPECT(xp_demos_parse(csv, strlen(csv), "names", &demos, NULL) == XP_OK);
    EXPECT(xp_prior_fit("max_entropy", demos, NULL, &prior, NULL, NULL) == XP_OK);
    char *text;
    EXPECT(xp__prior_to_json(prior, &text, NULL) == XP_OK);
    EXPECT(xp__prior_from_json(text, strlen(text), "names", &loaded, NULL) == XP_OK);
    for (size_t a = 0; a < 2; a++) {
        EXPECT(strcmp(xp_prior_action_name(loaded, a), xp_demos_action_name(demos, a)) == 0);
    }
    xp_release(text);
    xp_prior_destroy(prior);
    xp_prior_destroy(loaded);
    xp_demos_destroy(demos);
}

/* Fits `method` to demonstrations and expects a sentence with `part`. */
static void expect_refusal(const char *method, xp_demos *demos, const char *part) {
    xp_error error = {.message = ""};
    xp_prior *prior;
    EXPECT(xp_prior_fit(method, demos, NULL, &prior, NULL, &error) == XP_ERR_INPUT);
    EXPECT(prior == NULL);
    EXPECT_TEXT(error.message, part);
    xp_demos_destroy(demos);
}

CLAIM(only_demonstrations_of_a_bandit_are_fitted) {
    static const uint64_t nothing[1200] = {0}, one[] = {3};
    expect_refusal("max_entropy", counted_demos(2, nothing), "no demonstrations");
    expect_refusal("max_entropy", counted_demos(1, one), "has 1 arm");
    uint64_t many[1025] = {1};
    expect_refusal("beta", counted_demos(1025, many), "has 1025 arms");
    expect_refusal("psychic", counted_demos(2, some_counts), "there is no prior 'psychic'");
    xp_demos *demos;
    EXPECT(xp_demos_create(2, 2, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, (const double[]){0, 0}, (const uint32_t[]){1}, 1, 1, NULL) == XP_OK);
    expect_refusal("beta", demos, "2 numbers a state");
    EXPECT(xp_demos_create(0, 2, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, NULL, (const uint32_t[]){1, 0, 1}, 3, 1, NULL) == XP_OK);
    expect_refusal("uniform", demos, "has 3 actions");
}

CLAIM(the_largest_number_of_arms_works) {
    uint64_t counts[1024];
    for (size_t a = 0; a < 1024; a++) {
        counts[a] = a % 7;
    }
    xp_demos *demos = counted_demos(1024, counts);
    xp_prior *prior, *loaded;
    EXPECT(xp_prior_fit("max_entropy", demos, NULL, &prior, NULL, NULL) == XP_OK);
    char *text;
    EXPECT(xp__prior_to_json(prior, &text, NULL) == XP_OK);
    EXPECT(xp__prior_from_json(text, strlen(text), "large", &loaded, NULL) == XP_OK);
    xp_release(text);
    xp_prior_destroy(prior);
    xp_prior_destroy(loaded);
    xp_demos_destroy(demos);
}

/* `text` with the first occurrence of `from` replaced; expects loading to fail with `part`. */
static void expect_bad_file(const char *text, const char *from, const char *to, const char *part) {
    static char changed[8192];
    const char *place = strstr(text, from);
    EXPECT(place != NULL);
    if (place == NULL) {
        printf("  \"%s\" is not in the file\n", from);
        return;
    }
    (void)snprintf(changed, sizeof changed, "%.*s%s%s", (int)(place - text), text, to,
                   place + strlen(from));
    xp_error error = {.message = ""};
    xp_prior *prior;
    EXPECT(xp__prior_from_json(changed, strlen(changed), "my.json", &prior, &error) ==
           XP_ERR_INPUT);
    EXPECT(prior == NULL);
    EXPECT_TEXT(error.message, "my.json: ");
    EXPECT_TEXT(error.message, part);
    xp_prior_destroy(prior);
}

/* The file of a fit with these settings, or of given Beta arms if method is NULL. */
static char *file_of(const char *method, const char *name, double value) {
    xp_prior *prior;
    xp__params params;
    char *text;
    const uint64_t counts[] = {3, 1};
    if (method == NULL) {
        EXPECT(xp_prior_create_beta(2, (const double[]){2, 3}, (const double[]){4, 5}, &prior,
                                    NULL) == XP_OK);
    } else {
        xp_demos *demos = counted_demos(2, counts);
        EXPECT(xp__prior_params_default(method, &params, NULL) == XP_OK);
        EXPECT(xp__params_set(&params, name, value, NULL) == XP_OK);
        EXPECT(xp__prior_fit(method, &params, demos, NULL, &prior, NULL, NULL) == XP_OK);
        xp_demos_destroy(demos);
    }
    EXPECT(xp__prior_to_json(prior, &text, NULL) == XP_OK);
    xp_prior_destroy(prior);
    return text;
}

CLAIM(a_bad_head_is_refused_with_file_field_and_value) {
    char *text = file_of("max_entropy", "beta", INFINITY);
    expect_bad_file(text, "{", "[", "line 2");
    expect_bad_file(text, "\"version\"", "version", "line 3");
    expect_bad_file(text, text, "[1]", "not a JSON object");
    expect_bad_file(text, "experior-prior", "experior-cat", "'format' is \"experior-cat\"");
    expect_bad_file(text, "\"version\": 1", "\"version\": 2", "'version' is 2");
    expect_bad_file(text, "\"version\": 1", "\"version\": \"1\"", "'version' is \"1\"");
    expect_bad_file(text, "\"max_entropy\"", "\"telepathy\"", "there is no prior 'telepathy'");
    expect_bad_file(text, "\"method\": \"max_entropy\"", "\"method\": null", "'method' is null");
    expect_bad_file(text, "\"arms\": 2", "\"arms\": 1", "'arms' is 1");
    expect_bad_file(text, "\"arms\": 2", "\"arms\": 100000", "'arms' is 100000");
    expect_bad_file(text, "\"arms\": 2", "\"arms\": 2.5", "'arms' is 2.5");
    expect_bad_file(text, "\"arms\": 2", "\"arms\": 3", "'per_arm' must be an array of 3");
    expect_bad_file(text, "\"arms\": 2,", "", "'arms' is missing");
    expect_bad_file(text, "\"arms\": 2", "\"arms\": 2, \"arms\": 2", "line");
    expect_bad_file(text, "\"actions\": null", "\"actions\": 7", "'actions' must be null or 2");
    expect_bad_file(text, "\"actions\": null", "\"actions\": [\"a\", 1]", "'actions', entry 1");
    xp_release(text);
}

CLAIM(bad_counts_parameters_and_reports_are_refused_with_field_and_value) {
    char *text = file_of("max_entropy", "beta", INFINITY);
    expect_bad_file(text, "\"count\": 4", "\"count\": -4", "'count' is -4");
    expect_bad_file(text, "\"count\": 4", "\"count\": 5", "adds up to 4");
    expect_bad_file(text, "[3, 1]", "[5, -1]", "'per_arm', entry 1 is -1");
    expect_bad_file(text, "[3, 1]", "[3, \"1\"]", "'per_arm', entry 1 is \"1\"");
    expect_bad_file(text, "[3, 1]", "[9223372036854775807, 1]", "'per_arm', entry 0");
    expect_bad_file(text, "\"beta\": \"inf\"", "\"beta\": -1",
                    "max_entropy.beta = -1 is outside [0, inf]");
    expect_bad_file(text, "\"beta\": \"inf\"", "\"beta\": \"nan\"", "max_entropy.beta = nan");
    expect_bad_file(text, "\"beta\": \"inf\"", "\"beta\": null", "max_entropy.beta is null");
    expect_bad_file(text, "\"beta\": \"inf\"", "\"gamma\": 1", "no parameter 'gamma'");
    expect_bad_file(text, "\"parameters\": {", "\"parameters\": 1, \"x\": {", "'parameters'");
    expect_bad_file(text, "\"converged\": true", "\"converged\": 1", "'converged'");
    expect_bad_file(text, "\"iterations\": 0", "\"iterations\": -1", "'iterations' is -1");
    expect_bad_file(text, "\"lambda\": \"inf\",\n    \"div", "\"lambda\": \"large\",\n    \"div",
                    "'lambda' is \"large\"");
    xp_release(text);
}

CLAIM(bad_weights_are_refused_with_field_and_value) {
    char *text = file_of("max_entropy", "beta", INFINITY);
    expect_bad_file(text, "\"best_arm_log_weights\": [", "\"best_arm_log_weights\": [0, ",
                    "has 3 numbers; it must have 2");
    expect_bad_file(text, "\"best_arm_log_weights\": [",
                    "\"best_arm_log_weights\": [\"nan\"], \"x\": [", "has 1 numbers");
    expect_bad_file(text, "best_arm_log_weights\": [", "best_arm_log_weights\": [1, 1], \"x\": [",
                    "adds up to 2.71828");
    expect_bad_file(text, "best_arm_log_weights\": [",
                    "best_arm_log_weights\": [\"nan\", 1], \"x\": [",
                    "entry 0 is nan; it must be finite");
    expect_bad_file(text, "best_arm_log_weights", "weights", "'best_arm_log_weights' is missing");
    xp_release(text);

    text = file_of("max_entropy_authors", "beta", 10);
    expect_bad_file(text, "softmax_weights\": [", "softmax_weights\": [\"inf\", 1], \"x\": [",
                    "'softmax_weights', entry 0 is inf");
    expect_bad_file(text, "softmax_weights\": [", "softmax_weights\": [{}, 1], \"x\": [",
                    "'softmax_weights', entry 0 is an object");
    expect_bad_file(text, "\"log_normaliser\": ", "\"log_normaliser\": 1e9, \"x\": ",
                    "'log_normaliser' is 1e+09; with these weights it must be in [0.5, 1.5]");
    expect_bad_file(text, "\"log_normaliser\": ", "\"log_normaliser\": \"nan\", \"x\": ",
                    "'log_normaliser' is nan");
    xp_release(text);

    text = file_of(NULL, NULL, 0);
    expect_bad_file(text, "\"a\": [2, 3]", "\"a\": [2, 0]", "'a', entry 1 is 0");
    expect_bad_file(text, "\"b\": [4, 5]", "\"b\": [-4, 5]", "'b', entry 0 is -4");
    expect_bad_file(text, "\"b\": [4, 5]", "\"b\": [\"inf\", 5]", "'b', entry 0 is inf");
    expect_bad_file(text, "\"b\": [4, 5]", "\"b\": [4]", "'b' has 1 numbers; it must have 2");
    xp_release(text);
}

CLAIM(a_file_cut_anywhere_is_refused) {
    char *text = file_of("max_entropy", "beta", INFINITY);
    const size_t bytes = strlen(text);
    for (size_t cut = 0; cut + 2 < bytes; cut++) { /* without its last newline it is whole */
        xp_prior *prior;
        xp_error error = {.message = ""};
        EXPECT(xp__prior_from_json(text, cut, "cut.json", &prior, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, "cut.json: line ");
    }
    xp_release(text);
}

CLAIM(fits_and_files_survive_any_allocation_that_fails) {
    for (size_t i = 0; i < specimen_count(); i++) {
        for (size_t fail_at = 0;; fail_at++) {
            failing_allocator allocator;
            failing_allocator_install(&allocator, fail_at);
            xp_prior *prior = NULL, *loaded = NULL;
            char *text = NULL;
            xp_error error = {.message = ""};
            xp_status status = specimen(i, &prior, &error);
            if (status == XP_OK) {
                status = xp__prior_to_json(prior, &text, &error);
            }
            if (status == XP_OK) {
                status = xp__prior_from_json(text, strlen(text), "memory", &loaded, &error);
            }
            EXPECT(status == XP_OK || status == XP_ERR_MEMORY);
            EXPECT((status == XP_OK) == (allocator.calls <= fail_at));
            xp_release(text);
            xp_prior_destroy(prior);
            xp_prior_destroy(loaded);
            EXPECT(allocator.alive == 0);
            xp__allocator_install(NULL);
            if (status != XP_ERR_MEMORY) {
                break;
            }
            EXPECT_TEXT(error.message, "out of memory");
        }
    }
}

CLAIM(a_type_or_an_action_that_is_not_there_has_no_name) {
    EXPECT(xp_catalogue_get(XP_PRIORS, 1000).name == NULL);
    EXPECT(xp_catalogue_get(XP_PRIORS, xp_catalogue_count(XP_PRIORS)).summary == NULL);
    xp_prior *prior = NULL;
    EXPECT(xp_prior_create_uniform(3, &prior, NULL) == XP_OK);
    EXPECT(xp_prior_action_name(prior, 3) == NULL);
    xp_prior_destroy(prior);
}
