/* The contract of samplers, over every registered one and every prior that it supports. */
#include "claim.h"
#include "experior/catalogue.h"
#include "house/failing_allocator.h"
#include "sampler_zoo.h"
#include "sampler/sampler_type.h"
#include "experior/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number that depends on every action and draw of a short task. */
static double play(xp_sampler *sampler, uint64_t seed, size_t steps) {
    xp_rng rng = xp_rng_seed(seed);
    double theta[ARMS], sum = 0;
    xp_sampler_reset(sampler, &rng);
    for (size_t t = 0; t < steps; t++) {
        const size_t arm = xp_sampler_act(sampler, &rng);
        xp_sampler_observe(sampler, &rng, arm, xp_rng_uniform(&rng) < 0.2 + 0.15 * (double)arm);
        (void)xp_sampler_draw(sampler, &rng, theta);
        sum = 0.7 * sum + (double)arm + theta[0] + 2 * theta[3];
    }
    return sum;
}

static void check_numbers(xp_sampler *sampler) {
    xp_rng rng = xp_rng_seed(4);
    double law[ARMS], theta[ARMS];
    for (int stage = 0; stage < 2; stage++) {
        for (size_t i = 0; i < 200; i++) {
            bool inside = true;
            (void)xp_sampler_draw(sampler, &rng, theta);
            for (size_t arm = 0; arm < ARMS; arm++) {
                inside = inside && xp_prior_log_density(sampler->prior, theta) > -INFINITY;
            }
            expect(inside, sampler, "theta is where the prior is");
            expect(xp_sampler_act(sampler, &rng) < ARMS, sampler, "acts with an arm");
        }
        double sum = 0;
        size_t used = 7;
        xp_sampler_action_law(sampler, &rng, 500, law, &used);
        for (size_t arm = 0; arm < ARMS; arm++) {
            expect(law[arm] >= 0 && law[arm] <= 1, sampler, "a probability");
            sum += law[arm];
        }
        expect(used == 0 || used == 500, sampler, "says how many draws it used");
        expect(fabs(sum - 1) < 1e-12, sampler, "probabilities sum to one");
        for (size_t i = 0; i < 40; i++) {
            xp_sampler_observe(sampler, &rng, i % ARMS, i % 3 == 0);
        }
    }
}

CLAIM(draws_are_means_and_laws_are_probabilities) {
    EXPECT(for_each_pair(check_numbers) >= 20);
}

static void check_repeats(xp_sampler *sampler) {
    const double first = play(sampler, 8, 60);
    expect(play(sampler, 9, 25) != first, sampler, "another stream plays otherwise");
    expect(play(sampler, 8, 60) == first, sampler, "reset forgets; same stream, same play");
    xp_sampler *other = make(sampler->type->name, sampler->prior);
    expect(play(other, 8, 60) == first, sampler, "another of the kind plays the same");
    xp_sampler_destroy(other);
}

CLAIM(a_sampler_is_a_function_of_its_stream_and_reset_forgets) {
    EXPECT(for_each_pair(check_repeats) >= 20);
}

/* 300 rewards an arm leave no prior of the zoo a say: arm 3 is best beyond doubt. */
static void check_learns(xp_sampler *sampler) {
    xp_rng rng = xp_rng_seed(2);
    double law[ARMS];
    xp_sampler_reset(sampler, &rng);
    for (size_t i = 0; i < 1200; i++) {
        xp_sampler_observe(sampler, &rng, i % ARMS, i % ARMS == 3 ? i % 10 != 9 : i % 10 == 9);
    }
    for (int i = 0; i < 300; i++) {
        (void)xp_sampler_act(sampler, &rng); /* a chain may take its time */
    }
    xp_sampler_action_law(sampler, &rng, 500, law, NULL);
    expect(law[3] > 0.95, sampler, "finds the arm that pays");
}

CLAIM(every_sampler_learns_from_rewards) {
    (void)for_each_pair(check_learns);
}

static void *count_reallocate(void *context, void *block, size_t bytes) {
    ++*(size_t *)context;
    return realloc(block, bytes);
}

static void count_release(void *context, void *block) {
    ++*(size_t *)context;
    free(block);
}

static size_t memory_calls;

static void check_no_allocation(xp_sampler *sampler) {
    const size_t before = memory_calls;
    xp_rng rng = xp_rng_seed(3);
    double law[ARMS];
    (void)play(sampler, 1, 50);
    for (size_t i = 0; i < 6000; i++) { /* enough to make the nodes focus */
        xp_sampler_observe(sampler, &rng, 0, i % 2 == 0);
    }
    xp_sampler_action_law(sampler, &rng, 10, law, NULL);
    expect(memory_calls == before, sampler, "reset, act, draw and observe do not allocate");
}

CLAIM(acting_and_learning_never_allocate) {
    xp__allocator_install(&(xp__allocator){count_reallocate, count_release, &memory_calls});
    const size_t pairs = for_each_pair(check_no_allocation);
    xp__allocator_install(NULL);
    EXPECT(pairs >= 20 && memory_calls > 0);
}

CLAIM(creation_survives_memory_that_runs_out) {
    hand_prior prior;
    const double zero[2] = {0};
    (void)hand_best(&prior, 2, zero);
    for (size_t s = 0; s < xp_catalogue_count(XP_SAMPLERS); s++) {
        if (!xp_sampler_supports(xp_catalogue_get(XP_SAMPLERS, s).name, &prior.prior)) {
            continue;
        }
        bool succeeded = false;
        for (size_t n = 0; n < 10 && !succeeded; n++) {
            failing_allocator memory;
            failing_allocator_install(&memory, n);
            xp_sampler *sampler = NULL;
            const xp_status status = xp_sampler_create(xp_catalogue_get(XP_SAMPLERS, s).name,
                                                       &prior.prior, &sampler, NULL);
            succeeded = status == XP_OK;
            EXPECT(status == (memory.calls > n ? XP_ERR_MEMORY : XP_OK));
            EXPECT((sampler != NULL) == succeeded);
            xp_sampler_destroy(sampler);
            xp__allocator_install(NULL);
            EXPECT(memory.alive == 0);
        }
        EXPECT(succeeded);
    }
}

CLAIM(the_default_is_an_exact_sampler_that_fits_the_prior) {
    zoo priors;
    open_zoo(&priors);
    for (size_t p = 0; p < priors.count; p++) {
        const char *name = xp_sampler_default(priors.prior[p]);
        EXPECT(xp_sampler_supports(name, priors.prior[p]));
        const bool best = priors.prior[p]->best_arm_log_weight != NULL;
        const char *wanted = !xp__reward_binary(&priors.prior[p]->reward) ? "pooled"
                             : priors.prior[p]->reference != NULL
                                 ? (best ? "mixture" : "mixture_chain")
                             : best                                           ? "quadrature"
                             : priors.prior[p]->beta_a != NULL                ? "conjugate"
                             : priors.prior[p]->type->arm_log_density != NULL ? NULL
                                                                              : "mcmc";
        EXPECT(wanted == NULL || strcmp(name, wanted) == 0);
        EXPECT(strcmp(name, "sgld") != 0 && strcmp(name, "rejection") != 0);
    }
    close_zoo(&priors);
}

CLAIM(what_is_not_supported_is_refused_in_a_sentence) {
    hand_prior prior;
    const double weight[2] = {1, 0};
    xp_sampler *sampler = NULL;
    xp_error error;
    hand_softmax(&prior, 2, weight, 10);
    EXPECT(xp_sampler_create("quadrature", &prior.prior, &sampler, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "'quadrature'");
    EXPECT_TEXT(error.message, "'mcmc' can");
    EXPECT(sampler == NULL);
    EXPECT(xp_sampler_create("nonsense", &prior.prior, &sampler, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "there is no sampler 'nonsense'");
    EXPECT(!xp_sampler_supports("nonsense", &prior.prior));
    EXPECT(!xp_sampler_supports("conjugate", &prior.prior));
    /* Beta arms steeper than x^(-1/2) are not for a table. */
    const double steep[2] = {0.4, 1}, flat[2] = {0.6, 1}, one[2] = {1, 1};
    EXPECT(!xp_sampler_supports("tabulated", hand_beta(&prior, 2, steep, one)));
    EXPECT(!xp_sampler_supports("tabulated", hand_beta(&prior, 2, one, steep)));
    EXPECT(xp_sampler_supports("grid", hand_beta(&prior, 2, flat, one)));
    xp_sampler_destroy(NULL);
}

/* Arm 0 is the prior's by e^30 and the rewards' loser. */
CLAIM(rejection_that_stalls_says_so_and_still_acts) {
    hand_prior prior;
    const double weight[2] = {30, 0};
    xp__params params;
    xp_sampler *sampler = NULL;
    EXPECT(xp__sampler_params_default("rejection", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "tries", 100, NULL) == XP_OK);
    EXPECT(xp__sampler_create("rejection", &params, hand_best(&prior, 2, weight), &sampler, NULL) ==
           XP_OK);
    xp_rng rng = xp_rng_seed(1);
    for (size_t i = 0; i < 400; i++) {
        xp_sampler_observe(sampler, &rng, i % 2, i % 2 == 1);
    }
    double theta[2];
    EXPECT(!xp_sampler_draw(sampler, &rng, theta));
    EXPECT(theta[1] > theta[0] && theta[1] <= 1);
    EXPECT(xp_sampler_act(sampler, &rng) == 1);
    xp_sampler_destroy(sampler);
}

/* With the gradient of a uniform prior, no rewards and the Jacobian, the chain's target is
 * U(0, 1): mean 1/2, sd sqrt(1/12). Without it there is nothing to hold the logits. */
CLAIM(langevin_with_the_jacobian_aims_at_the_posterior) {
    hand_prior prior;
    const double zero[2] = {0};
    double variance[2];
    for (int jacobian = 0; jacobian < 2; jacobian++) {
        xp__params params;
        xp_sampler *sampler = NULL;
        EXPECT(xp__sampler_params_default("sgld", &params, NULL) == XP_OK);
        EXPECT(xp__params_set_text(&params, "jacobian", jacobian ? "yes" : "no", NULL) == XP_OK);
        EXPECT(xp__sampler_create("sgld", &params, hand_best(&prior, 2, zero), &sampler, NULL) ==
               XP_OK);
        xp_rng rng = xp_rng_seed(6);
        double theta[2], square = 0;
        const int draws = 100000;
        for (int i = 0; i < draws; i++) {
            (void)xp_sampler_draw(sampler, &rng, theta);
            square += (theta[0] - 0.5) * (theta[0] - 0.5);
        }
        variance[jacobian] = square / draws;
        xp_sampler_destroy(sampler);
    }
    EXPECT_NEAR(variance[1], 1.0 / 12, 0.01);
    EXPECT(variance[0] > 0.2); /* it has wandered off to 0 and 1, where the variance is 1/4 */
}

CLAIM(what_is_not_there_is_answered_with_nothing) {
    EXPECT(xp_catalogue_get(XP_SAMPLERS, 1000).name == NULL);
    EXPECT(xp_sampler_kind_name((xp_sampler_kind)1000) == NULL);
    /* An arm that does not exist changes nothing. */
    zoo priors;
    open_zoo(&priors);
    for (size_t p = 0; p < priors.count; p++) {
        xp_sampler *sampler = make(xp_sampler_default(priors.prior[p]), priors.prior[p]);
        const size_t arms = priors.prior[p]->arms;
        xp_rng one = xp_rng_seed(1), other = xp_rng_seed(1);
        double theta[HAND_ARMS_MAX], again[HAND_ARMS_MAX];
        xp_sampler_reset(sampler, &one);
        EXPECT(xp_sampler_draw(sampler, &one, theta));
        xp_sampler_reset(sampler, &other);
        xp_sampler_observe(sampler, &other, arms, true);
        xp_sampler_observe(sampler, &other, (size_t)-1, false);
        EXPECT(xp_sampler_draw(sampler, &other, again));
        EXPECT(memcmp(theta, again, arms * sizeof *theta) == 0);
        xp_sampler_destroy(sampler);
    }
    close_zoo(&priors);
}
