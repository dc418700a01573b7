/* Calibration: exact samplers have uniform ranks, Langevin dynamics has not, results do not depend
 * on threads. Seeds are fixed; a p-value below 0.001 of a right sampler is a one in a thousand
 * event that was looked at once, when the seed was chosen. */
#include "claim.h"
#include "house/failing_allocator.h"
#include "prior/hand_prior.h"

#include "experior/calibrate.h"
#include "sampler/prior_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double best[4] = {2, 0, 1, -1}, soft[3] = {6, 0, 3};
static const double shape_a[3] = {0.4, 2.5, 1}, shape_b[3] = {1.5, 0.6, 1};
static const double mean3[3] = {0.4, 0.7, 0.1}, sd3[3] = {0.2, 0.1, 0.5};

/* The smallest p-value over all statistics; also checks that the histograms are whole. */
static double smallest_p(const char *sampler, const xp_prior *prior, size_t history,
                         bool thompson) {
    xp_calibrate_options options = xp_calibrate_options_default();
    options.sampler = sampler;
    options.history = history;
    options.thompson = thompson;
    options.seed = 20;
    xp_calibrate_result *result = NULL;
    xp_error error = {.message = ""};
    EXPECT(xp_calibrate(prior, &options, &result, &error) == XP_OK);
    if (result == NULL) {
        printf("  %s\n", error.message);
        return 0;
    }
    double smallest = 1;
    EXPECT(result->statistic_count == prior->arms + 2 && result->gave_up == 0);
    for (size_t s = 0; s < result->statistic_count; s++) {
        const xp_calibrate_statistic *statistic = &result->statistics[s];
        uint64_t sum = 0;
        for (size_t bin = 0; bin < statistic->bins; bin++) {
            sum += statistic->counts[bin];
        }
        EXPECT(sum == 1000);
        smallest = fmin(smallest, statistic->p);
    }
    EXPECT_TEXT(result->statistics[0].name, "theta 0");
    EXPECT_TEXT(result->statistics[prior->arms].name, "maximum");
    xp_calibrate_result_destroy(result);
    return smallest;
}

CLAIM(quadrature_is_calibrated) {
    hand_prior prior;
    EXPECT(smallest_p("quadrature", hand_best(&prior, 4, best), 40, true) > 0.001);
    EXPECT(smallest_p("quadrature", hand_best(&prior, 4, best), 0, false) > 0.001);
}

CLAIM(conjugate_is_calibrated) {
    hand_prior prior;
    EXPECT(smallest_p("conjugate", hand_beta(&prior, 3, shape_a, shape_b), 40, true) > 0.001);
}

CLAIM(grid_is_calibrated) {
    hand_prior prior;
    EXPECT(smallest_p("tabulated", hand_normal(&prior, 3, mean3, sd3), 40, true) > 0.001);
}

CLAIM(rejection_is_calibrated) {
    hand_prior prior;
    EXPECT(smallest_p("rejection", hand_softmax(&prior, 3, soft, 10), 20, true) > 0.001);
    EXPECT(smallest_p("rejection", hand_best(&prior, 4, best), 40, false) > 0.001);
}

CLAIM(the_chain_is_calibrated) {
    hand_prior prior;
    EXPECT(smallest_p("mcmc", hand_softmax(&prior, 3, soft, 10), 40, true) > 0.001);
    EXPECT(smallest_p("mcmc", hand_best(&prior, 4, best), 40, true) > 0.001);
    EXPECT(smallest_p("mcmc", hand_normal(&prior, 3, mean3, sd3), 40, false) > 0.001);
}

CLAIM(langevin_dynamics_is_not_calibrated) {
    hand_prior prior;
    EXPECT(smallest_p("sgld", hand_softmax(&prior, 3, soft, 10), 40, true) < 1e-6);
    EXPECT(smallest_p("sgld", hand_best(&prior, 4, best), 40, true) < 1e-6);
}

/* The test can fail: the ranks of a prior that is not the sampler's own are not uniform. */
CLAIM(a_wrong_prior_is_found_out) {
    hand_prior prior, other;
    xp_prior wrong = *hand_best(&prior, 4, best);
    const double flat[4] = {0};
    /* Its draws follow `beta_a`, its density the weights: the two disagree. */
    const double one[4] = {1, 1, 1, 1}, two[4] = {2, 2, 2, 2};
    (void)hand_best(&other, 4, flat);
    wrong.best_arm_log_weight = other.u;
    wrong.beta_a = two;
    wrong.beta_b = one;
    EXPECT(smallest_p("quadrature", &wrong, 10, true) < 1e-6);
}

CLAIM(threads_do_not_change_the_result) {
    hand_prior prior;
    (void)hand_softmax(&prior, 3, soft, 10);
    xp_calibrate_options options = xp_calibrate_options_default();
    options.simulations = 90;
    xp_calibrate_result *one = NULL, *three = NULL;
    options.threads = 1;
    EXPECT(xp_calibrate(&prior.prior, &options, &one, NULL) == XP_OK);
    options.threads = 3;
    EXPECT(xp_calibrate(&prior.prior, &options, &three, NULL) == XP_OK);
    EXPECT(strcmp(one->sampler, "mcmc") == 0 && one->thinning == 10);
    for (size_t s = 0; s < one->statistic_count; s++) {
        EXPECT(memcmp(one->statistics[s].counts, three->statistics[s].counts,
                      one->statistics[s].bins * sizeof(uint64_t)) == 0);
        EXPECT(one->statistics[s].p == three->statistics[s].p);
    }
    xp_calibrate_result_destroy(one);
    xp_calibrate_result_destroy(three);
}

CLAIM(a_calibration_survives_memory_that_runs_out) {
    hand_prior prior;
    (void)hand_best(&prior, 4, best);
    xp_calibrate_options options = xp_calibrate_options_default();
    options.simulations = 20;
    options.threads = 1;
    bool succeeded = false;
    for (size_t n = 0; n < 100 && !succeeded; n++) {
        failing_allocator memory;
        failing_allocator_install(&memory, n);
        xp_calibrate_result *result = NULL;
        const xp_status status = xp_calibrate(&prior.prior, &options, &result, NULL);
        succeeded = status == XP_OK;
        EXPECT(status == (memory.calls > n ? XP_ERR_MEMORY : XP_OK));
        xp_calibrate_result_destroy(result);
        xp__allocator_install(NULL);
        EXPECT(memory.alive == 0);
    }
    EXPECT(succeeded);
}

static int stop_at_once(void *context, size_t done, size_t total) {
    ++*(int *)context;
    EXPECT(done <= total);
    return 1;
}

CLAIM(a_calibration_can_be_interrupted) {
    hand_prior prior;
    int calls = 0;
    xp_calibrate_options options = xp_calibrate_options_default();
    options.simulations = 1000000;
    options.progress = stop_at_once;
    options.progress_context = &calls;
    xp_calibrate_result *result = NULL;
    xp_error error;
    EXPECT(xp_calibrate(hand_best(&prior, 4, best), &options, &result, &error) ==
           XP_ERR_INTERRUPTED);
    EXPECT(calls >= 1 && result == NULL);
}

CLAIM(bad_options_are_refused_in_a_sentence) {
    hand_prior prior;
    (void)hand_best(&prior, 4, best);
    xp_calibrate_result *result = NULL;
    xp_error error;
    xp_calibrate_options options = xp_calibrate_options_default();
    options.bins = 10;
    EXPECT(xp_calibrate(&prior.prior, &options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "64 ranks, which 10 bins do not divide");
    options = xp_calibrate_options_default();
    options.simulations = 0;
    EXPECT(xp_calibrate(&prior.prior, &options, &result, &error) == XP_ERR_INPUT);
    options = xp_calibrate_options_default();
    options.sampler = "nonsense";
    EXPECT(xp_calibrate(&prior.prior, &options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "nonsense");
    options.sampler = "conjugate";
    EXPECT(xp_calibrate(&prior.prior, &options, &result, &error) == XP_ERR_INPUT);
    /* A density with neither bound nor structure cannot be drawn from. */
    (void)hand_opaque(&prior, 3, soft, 10);
    prior.prior.log_density_bound = INFINITY;
    options = xp_calibrate_options_default();
    EXPECT(xp_calibrate(&prior.prior, &options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "exact draws from the prior 'hand_softmax'");
    EXPECT(result == NULL);
    xp_calibrate_result_destroy(NULL);
}

/* Means of the priors themselves. best: E[θ_best] and the others' mean in closed form for K = 4
 * uniforms: the largest has mean 4/5, the others 2/5. Normal: cut moments by quadrature. */
CLAIM(exact_draws_from_a_prior_have_its_moments) {
    hand_prior prior;
    xp_rng rng = xp_rng_seed(3);
    double theta[4], sum[4] = {0};
    const int n = 200000;
    (void)hand_best(&prior, 4, best);
    for (int i = 0; i < n; i++) {
        EXPECT(xp__prior_draw(&prior.prior, &rng, theta));
        for (size_t arm = 0; arm < 4; arm++) {
            sum[arm] += theta[arm] / n;
        }
    }
    double total = 0;
    for (size_t arm = 0; arm < 4; arm++) {
        total += exp(best[arm]);
    }
    for (size_t arm = 0; arm < 4; arm++) {
        const double p = exp(best[arm]) / total;
        EXPECT_NEAR(sum[arm], 0.8 * p + 0.4 * (1 - p), 5 * 0.3 / sqrt(n));
    }
    const double middle[2] = {0.5, 0.5}, narrow[2] = {0.05, 0.05};
    double square = 0;
    (void)hand_normal(&prior, 2, middle, narrow);
    for (int i = 0; i < 2000; i++) {
        EXPECT(xp__prior_draw(&prior.prior, &rng, theta));
        square += (theta[0] - 0.5) * (theta[0] - 0.5) / 2000;
    }
    EXPECT_NEAR(square, 0.0025, 5 * 0.0025 * sqrt(2.0 / 2000));
}

CLAIM(bias_is_small_for_exact_samplers_and_large_for_langevin_dynamics) {
    hand_prior prior;
    const size_t successes[3] = {4, 1, 0}, failures[3] = {2, 3, 0};
    xp_bias bias;
    const char *const exact[] = {"rejection", "mcmc"};
    const double weight[3] = {3, 0, 1};
    (void)hand_softmax(&prior, 3, weight, 10);
    for (size_t i = 0; i < 2; i++) {
        EXPECT(xp_calibrate_bias(&prior.prior, exact[i], successes, failures, 200000, 5, &bias,
                                 NULL) == XP_OK);
        EXPECT(bias.law_distance < 0.01);
        for (size_t arm = 0; arm < 3; arm++) {
            EXPECT_NEAR(bias.mean[arm], bias.exact_mean[arm], 0.005);
            EXPECT_NEAR(bias.sd[arm], bias.exact_sd[arm], 0.005);
        }
    }
    EXPECT(xp_calibrate_bias(&prior.prior, "sgld", successes, failures, 200000, 5, &bias, NULL) ==
           XP_OK);
    EXPECT(bias.law_distance > 0.05);
    xp_error error;
    EXPECT(xp_calibrate_bias(hand_best(&prior, 4, best), "mcmc", successes, failures, 10, 5, &bias,
                             &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "got 4 arms");
}
