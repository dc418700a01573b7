/* References that learn the scale of rewards: the fast sampler against its formula, brute force and
 * Monte Carlo; the chain for finite competence; calibration of both. */
#include "claim.h"
#include "prior/counted_demos.h"

#include "experior/calibrate.h"
#include "experior/sampler.h"
#include "math/special.h"
#include "math/variates_inline.h"
#include "prior/bandit/prior_type.h"
#include "sampler/integral/quadrature_reference.h"
#include "sampler/sampler_type.h"
#include "sampler/tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ARMS = 34 };

static xp_prior *fit(const char *spec, size_t arms, const uint64_t *counts) {
    xp_demos *demos = counted_demos(arms, counts);
    xp_prior *prior = NULL;
    xp_error error = {.message = ""};
    EXPECT(xp_prior_fit(spec, demos, NULL, &prior, NULL, &error) == XP_OK);
    if (prior == NULL) {
        printf("  %s: %s\n", spec, error.message);
    }
    xp_demos_destroy(demos);
    return prior;
}

static double distance(const double *p, const double *q, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += 0.5 * fabs(p[i] - q[i]);
    }
    return sum;
}

/* Plays so many pulls of arms whose means are spread from `low` to `high`: half of them as the
 * sampler says, so that counts are as uneven as they become. */
static void play(xp_sampler *sampler, size_t pulls, double low, double high, xp_rng *rng) {
    const size_t arms = sampler->arms;
    for (size_t t = 0; t < pulls; t++) {
        const size_t arm =
            t % 2 == 0 ? xp_sampler_act(sampler, rng) : (size_t)xp_rng_below(rng, arms);
        const double mean = low + (high - low) * (double)arm / (double)(arms - 1);
        xp_sampler_observe(sampler, rng, arm, xp_rng_uniform(rng) < mean);
    }
}

/* Σ_h u_h c_a J_ha, straight from the formula on many nodes; the plain implementation. */
static void plain_law(const xp_sampler *sampler, double *law) {
    enum { NODES = 6000 };
    static double block[XP__NODES_ARRAYS * NODES], scratch[NODES];
    const xp__reference *reference = sampler->prior->reference;
    const size_t arms = sampler->arms;
    double weight[XP__REFERENCE_MAX], each[XP__REFERENCE_MAX][MOST_ARMS];
    xp__nodes nodes;
    xp__nodes_carve(&nodes, NODES, block, NODES);
    (void)xp__nodes_lay(&nodes, NULL, 0);
    xp__reference_evidence(reference, arms, sampler->successes, sampler->failures, weight);
    for (size_t arm = 0; arm < arms; arm++) {
        law[arm] = 0;
    }
    double total = 0;
    for (size_t h = 0; h < reference->count; h++) {
        if (weight[h] < 1e-9) {
            continue; /* it cannot be seen; Z is at most 1 and at least 1e-3 here */
        }
        double up[MOST_ARMS], down[MOST_ARMS];
        for (size_t arm = 0; arm < arms; arm++) {
            up[arm] = reference->a[h] - 1 + sampler->successes[arm];
            down[arm] = reference->b[h] - 1 + sampler->failures[arm];
        }
        const double share =
            weight[h] *
            exp(xp__quadrature_reference_law(&nodes, arms, sampler->prior->best_arm_log_weight, up,
                                             down, scratch, each[h]));
        total += share;
        for (size_t arm = 0; arm < arms; arm++) {
            law[arm] += share * each[h][arm];
        }
    }
    for (size_t arm = 0; arm < arms; arm++) {
        law[arm] /= total;
    }
}

static const uint64_t counts5[5] = {300, 150, 30, 15, 5};

CLAIM(the_mixture_has_the_law_of_its_formula) {
    static const struct {
        size_t pulls;
        double low, high;
    } histories[] = {{0, 0, 0},       {1, 0, 0},           {40, 0.3, 0.9},    {300, 0.002, 0.02},
                     {900, 0.4, 0.8}, {4000, 0.002, 0.02}, {9000, 0.05, 0.1}, {12000, 0.5, 0.52}};
    xp_prior *prior = fit("max_entropy:reference=learned", 5, counts5);
    xp_sampler *sampler = NULL;
    EXPECT(xp_sampler_create("mixture", prior, &sampler, NULL) == XP_OK);
    for (size_t i = 0; i < sizeof histories / sizeof histories[0]; i++) {
        double law[5], plain[5];
        xp_rng rng = xp_rng_seed(i);
        xp_sampler_reset(sampler, &rng);
        play(sampler, histories[i].pulls, histories[i].low, histories[i].high, &rng);
        xp_sampler_action_law(sampler, NULL, 0, law, NULL);
        plain_law(sampler, plain);
        const double apart = distance(law, plain, 5);
        if (!(apart < 1e-4)) {
            printf("  history %zu: %g apart\n", i, apart);
        }
        EXPECT(apart < 1e-4);
    }
    xp_sampler_destroy(sampler);
    xp_prior_destroy(prior);
}

CLAIM(what_it_does_has_the_law_that_it_tells) {
    /* 2^5 exp(-2 n 0.01²) = 7e-8 at n = 100,000 (Hoeffding, over sets of arms). */
    enum { DRAWS = 100000 };
    xp_prior *prior = fit("max_entropy:reference=learned", 5, counts5);
    xp_sampler *sampler = NULL;
    EXPECT(xp_sampler_create("mixture", prior, &sampler, NULL) == XP_OK);
    xp_rng rng = xp_rng_seed(3);
    for (size_t pulls = 60; pulls <= 600; pulls += 540) {
        double law[5], done[5] = {0};
        xp_sampler_reset(sampler, &rng);
        play(sampler, pulls, 0.01, 0.2, &rng);
        xp_sampler_action_law(sampler, NULL, 0, law, NULL);
        for (size_t i = 0; i < DRAWS; i++) {
            done[xp_sampler_act(sampler, &rng)] += 1.0 / DRAWS;
        }
        EXPECT(distance(law, done, 5) < 0.01);
    }
    xp_sampler_destroy(sampler);
    xp_prior_destroy(prior);
}

/* P(a is best | rewards) from draws of the posterior of the reference alone, weighted by the
 * density with respect to it: nothing is shared with the samplers. */
static void monte_carlo(const xp_sampler *sampler, size_t draws, double *law) {
    const xp_prior *prior = sampler->prior;
    const xp__reference *reference = prior->reference;
    double weight[XP__REFERENCE_MAX], total = 0, theta[MOST_ARMS];
    xp_rng rng = xp_rng_seed(77);
    xp__reference_evidence(reference, prior->arms, sampler->successes, sampler->failures, weight);
    for (size_t arm = 0; arm < prior->arms; arm++) {
        law[arm] = 0;
    }
    for (size_t i = 0; i < draws; i++) {
        const size_t h = xp_rng_categorical(&rng, weight, reference->count);
        size_t best = 0;
        for (size_t arm = 0; arm < prior->arms; arm++) {
            theta[arm] = xp_rng_beta(&rng, reference->a[h] + sampler->successes[arm],
                                     reference->b[h] + sampler->failures[arm]);
            best = theta[arm] > theta[best] ? arm : best;
        }
        const double here = exp(xp__prior_tilt(prior, h, theta));
        law[best] += here;
        total += here;
    }
    for (size_t arm = 0; arm < prior->arms; arm++) {
        law[arm] /= total;
    }
}

/* The law within 0.005 total variation of Monte Carlo: 200,000 weighted draws of three arms are
 * themselves off by 0.001 or so, and a chain of 200,000 by 0.002. */
static void check_law(const char *spec, const char *name, size_t draws) {
    static const uint64_t counts[3] = {60, 30, 10};
    xp_prior *prior = fit(spec, 3, counts);
    xp_sampler *sampler = NULL;
    EXPECT(xp_sampler_create(name, prior, &sampler, NULL) == XP_OK);
    static const double high[] = {0.01, 0.6};
    for (size_t i = 0; i < 2; i++) {
        double law[3], counted[3];
        xp_rng rng = xp_rng_seed(5 + i);
        xp_sampler_reset(sampler, &rng);
        play(sampler, 60, high[i] / 4, high[i], &rng);
        xp_sampler_action_law(sampler, &rng, draws, law, NULL);
        monte_carlo(sampler, 200000, counted);
        const double apart = distance(law, counted, 3);
        if (!(apart < 0.005)) {
            printf("  %s, %s, history %zu: %g apart\n", spec, name, i, apart);
        }
        EXPECT(apart < 0.005);
    }
    xp_sampler_destroy(sampler);
    xp_prior_destroy(prior);
}

CLAIM(action_laws_are_within_0005_of_monte_carlo) {
    check_law("max_entropy:reference=learned", "mixture", 0);
    check_law("max_entropy:reference=beta,mean=0.01,shape=2", "mixture", 0);
    check_law("uniform:reference=learned", "mixture", 0);
    check_law("max_entropy:reference=learned,beta=10,unit=relative", "mixture_chain", 200000);
    check_law("max_entropy:reference=learned,beta=10", "mixture_chain", 200000);
    check_law("max_entropy:reference=beta,mean=0.01,beta=10,unit=relative", "mixture_chain",
              200000);
}

CLAIM(brute_force_over_the_square_gives_the_same_law) {
    static const uint64_t counts[2] = {70, 30};
    static const double seen[][4] = {{0, 0, 0, 0}, {0, 9, 0, 2}, {3, 40, 0, 9}, {6, 1, 2, 2}};
    xp_prior *prior = fit("max_entropy:reference=learned", 2, counts);
    xp_sampler *sampler = NULL;
    EXPECT(xp_sampler_create("mixture", prior, &sampler, NULL) == XP_OK);
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        const double successes[2] = {seen[i][0], seen[i][2]},
                     failures[2] = {seen[i][1], seen[i][3]};
        double law[2];
        xp_rng rng = xp_rng_seed(i);
        xp__tensor exact;
        xp_sampler_reset(sampler, &rng);
        for (size_t arm = 0; arm < 2; arm++) {
            xp__sampler_observe_many(sampler, &rng, arm, (uint64_t)successes[arm],
                                     (uint64_t)failures[arm]);
        }
        EXPECT(xp__tensor_posterior(prior, successes, failures, 512, &exact, NULL) == XP_OK);
        xp_sampler_action_law(sampler, NULL, 0, law, NULL);
        EXPECT_NEAR(law[0], exact.law[0], 1e-3);
    }
    xp_sampler_destroy(sampler);
    xp_prior_destroy(prior);
}

static double smallest_p(const char *spec, const char *sampler, size_t history) {
    static const uint64_t counts[4] = {60, 25, 15, 5};
    xp_prior *prior = fit(spec, 4, counts);
    xp_calibrate_options options = xp_calibrate_options_default();
    options.sampler = sampler;
    options.history = history;
    options.thompson = true;
    options.seed = 20;
    xp_calibrate_result *result = NULL;
    EXPECT(xp_calibrate(prior, &options, &result, NULL) == XP_OK);
    EXPECT(result->simulations == 1000 && result->gave_up == 0);
    double smallest = 1;
    for (size_t s = 0; s < result->statistic_count; s++) {
        smallest = fmin(smallest, result->statistics[s].p);
    }
    xp_calibrate_result_destroy(result);
    xp_prior_destroy(prior);
    if (!(smallest > 0.001)) {
        printf("  %s, %s: p = %g\n", spec, sampler, smallest);
    }
    return smallest;
}

/* Learned references are nearly uniform before rewards; beta ones put the low scales to the test.
 */
CLAIM(both_samplers_are_calibrated) {
    static const char low[] = "max_entropy:reference=beta,mean=0.03,shape=2";
    EXPECT(smallest_p("max_entropy:reference=learned", "mixture", 40) > 0.001);
    EXPECT(smallest_p(low, "mixture", 100) > 0.001);
    EXPECT(smallest_p("max_entropy:reference=learned,beta=10,unit=relative", "mixture_chain", 40) >
           0.001);
    EXPECT(smallest_p("max_entropy:reference=beta,mean=0.03,shape=2,beta=10,unit=relative",
                      "mixture_chain", 100) > 0.001);
    EXPECT(smallest_p(low, "mixture_chain", 40) > 0.001);
    EXPECT(smallest_p("uniform:reference=learned", "rejection", 40) > 0.001);
}

/* The oracle of a bandit on another scale. Weighted draws of its prior share nothing with its
 * cells. 2^3 exp(-2 n 0.01²) = 2e-8 at n = 100,000 (Hoeffding). */
CLAIM(means_of_a_range_have_the_law_of_weighted_draws) {
    enum { DRAWS = 100000 };
    static const double a[3] = {0.3, 2, 1}, b[3] = {0.5, 1.5, 3}, low = 0.002, high = 0.02;
    static const uint64_t successes[3] = {1, 3, 0}, failures[3] = {100, 250, 40};
    xp_prior *prior = NULL;
    xp_sampler *sampler = NULL;
    xp_rng rng = xp_rng_seed(4);
    EXPECT(xp__prior_create_ranged(3, a, b, low, high, &prior, NULL) == XP_OK);
    EXPECT(xp_sampler_create(NULL, prior, &sampler, NULL) == XP_OK);
    EXPECT_TEXT(sampler->type->name, "ranged");
    xp_sampler_reset(sampler, &rng);
    for (size_t arm = 0; arm < 3; arm++) {
        for (uint64_t i = 0; i < successes[arm] + failures[arm]; i++) {
            xp_sampler_observe(sampler, &rng, arm, i < successes[arm]);
        }
    }
    double law[3] = {0}, counted[3] = {0}, total = 0;
    for (size_t i = 0; i < 4 * DRAWS; i++) {
        double weight = 1, theta[3];
        size_t best = 0;
        for (size_t arm = 0; arm < 3; arm++) {
            theta[arm] = low + (high - low) * xp_rng_beta(&rng, a[arm], b[arm]);
            weight *= pow(theta[arm], (double)successes[arm]) *
                      pow(1 - theta[arm], (double)failures[arm]);
            best = theta[arm] > theta[best] ? arm : best;
        }
        counted[best] += weight;
        total += weight;
    }
    for (size_t arm = 0; arm < 3; arm++) {
        counted[arm] /= total;
    }
    for (size_t i = 0; i < DRAWS; i++) {
        law[xp_sampler_act(sampler, &rng)] += 1.0 / DRAWS;
    }
    EXPECT(distance(law, counted, 3) < 0.01);
    xp_sampler_destroy(sampler);
    xp_prior_destroy(prior);
}
