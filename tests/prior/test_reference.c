/* References other than the uniform distribution: their density, their file, what they refuse; and
 * competence relative to their spread. */
#include "claim.h"
#include "prior/counted_demos.h"

#include "experior/prior.h"
#include "base/memory.h"
#include "math/special.h"
#include "prior/bandit/prior_type.h"
#include "sampler/prior_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const specs[] = {
    "max_entropy:reference=learned",
    "max_entropy:reference=beta,mean=0.05,shape=2",
    "max_entropy:reference=learned,beta=10",
    "max_entropy:reference=learned,beta=10,unit=relative",
    "max_entropy:reference=beta,mean=0.02,beta=5,unit=relative",
    "uniform:reference=learned",
    "uniform:reference=beta,mean=0.8",
};
enum { SPECS = sizeof specs / sizeof specs[0], ARMS = 3 };
static const uint64_t some_counts[ARMS] = {60, 30, 10};

static xp_status try_fit(const char *spec, size_t arms, const uint64_t *counts, xp_prior **prior,
                         xp_error *error) {
    xp_demos *demos = counted_demos(arms, counts);
    const xp_status status = xp_prior_fit(spec, demos, NULL, prior, NULL, error);
    xp_demos_destroy(demos);
    return status;
}

static xp_prior *fit(const char *spec, size_t arms, const uint64_t *counts) {
    xp_prior *prior = NULL;
    xp_error error = {.message = ""};
    const xp_status status = try_fit(spec, arms, counts, &prior, &error);
    EXPECT_TEXT(status == XP_OK ? "fitted" : error.message, "fitted");
    return prior;
}

CLAIM(a_base_rate_is_a_beta_distribution_with_that_mean) {
    xp_prior *prior = fit("max_entropy:reference=beta,mean=0.01,shape=2", ARMS, some_counts);
    EXPECT(prior->reference->count == 1 && prior->reference->a[0] == 2);
    EXPECT_NEAR(prior->reference->b[0], 2 * 0.99 / 0.01, 1e-9);
    xp_prior_destroy(prior);
    /* The least shape with one mode: 1 below one half, M / (1 − M) above. */
    prior = fit("max_entropy:reference=beta,mean=0.2", ARMS, some_counts);
    EXPECT(prior->reference->a[0] == 1);
    EXPECT_NEAR(prior->reference->b[0], 4, 1e-12);
    xp_prior_destroy(prior);
    prior = fit("max_entropy:reference=beta,mean=0.9", ARMS, some_counts);
    EXPECT_NEAR(prior->reference->a[0], 9, 1e-9);
    EXPECT_NEAR(prior->reference->b[0], 1, 1e-9);
    xp_prior_destroy(prior);
}

CLAIM(the_default_has_no_reference_of_its_own) {
    static const char *const plain[] = {"max_entropy", "max_entropy:reference=uniform",
                                        "max_entropy:beta=10,unit=relative", "uniform"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        xp_prior *prior = fit(plain[i], ARMS, some_counts);
        EXPECT(prior->reference == NULL);
        xp_prior_destroy(prior);
    }
    /* On the uniform reference both units of beta are the same. */
    xp_prior *one = fit("max_entropy:beta=10", ARMS, some_counts);
    xp_prior *other = fit("max_entropy:beta=10,unit=relative", ARMS, some_counts);
    EXPECT(memcmp(one->softmax_weight, other->softmax_weight, ARMS * sizeof(double)) == 0);
    xp_prior_destroy(one);
    xp_prior_destroy(other);
}

CLAIM(under_every_reference_optimal_experts_choose_as_the_demonstrations_do) {
    for (size_t i = 0; i < 2; i++) {
        xp_prior *prior = fit(specs[i], ARMS, some_counts), *plain;
        plain = fit("max_entropy", ARMS, some_counts);
        EXPECT(memcmp(prior->best_arm_log_weight, plain->best_arm_log_weight,
                      ARMS * sizeof(double)) == 0);
        xp_prior_destroy(plain);
        xp_prior_destroy(prior);
    }
}

/* Over points that crowd at 0 as the smallest scales do: x = t³, dx = 3 t² dt. */
CLAIM(densities_have_mass_one) {
    enum { POINTS = 500 };
    static const uint64_t counts[2] = {60, 40};
    for (size_t i = 0; i < SPECS; i++) {
        xp_prior *prior = fit(specs[i], 2, counts);
        double mass = 0;
        for (size_t j = 0; j < POINTS * POINTS; j++) {
            const double t = ((double)(j % POINTS) + 0.5) / POINTS;
            const double u = ((double)(j / POINTS) + 0.5) / POINTS;
            const double theta[2] = {t * t * t, u * u * u};
            mass += exp(xp_prior_log_density(prior, theta)) * 9 * t * t * u * u;
        }
        mass /= POINTS * POINTS;
        if (!(fabs(mass - 1) < 0.01)) {
            printf("  %s: mass %g\n", specs[i], mass);
        }
        EXPECT_NEAR(mass, 1, 0.01);
        xp_prior_destroy(prior);
    }
}

CLAIM(gradients_are_the_derivatives_of_log_densities) {
    for (size_t i = 0; i < SPECS; i++) {
        xp_prior *prior = fit(specs[i], ARMS, some_counts);
        xp_rng rng = xp_rng_seed(i);
        for (size_t t = 0; t < 30; t++) {
            double theta[ARMS], gradient[ARMS];
            const double scale = t % 2 == 0 ? 0.9 : 0.02;
            for (size_t arm = 0; arm < ARMS; arm++) {
                theta[arm] = scale * (0.02 + 0.96 * xp_rng_uniform(&rng));
            }
            xp_prior_gradient(prior, theta, gradient);
            for (size_t arm = 0; arm < ARMS; arm++) {
                const double x = theta[arm], h = 1e-6 * x;
                theta[arm] = x + h;
                const double above = xp_prior_log_density(prior, theta);
                theta[arm] = x - h;
                const double slope = (above - xp_prior_log_density(prior, theta)) / (2 * h);
                theta[arm] = x;
                EXPECT(fabs(slope - gradient[arm]) < 1e-3 * (1 + fabs(slope)));
            }
        }
        xp_prior_destroy(prior);
    }
}

CLAIM(no_density_is_above_its_bound) {
    for (size_t i = 0; i < SPECS; i++) {
        xp_prior *prior = fit(specs[i], ARMS, some_counts);
        xp_rng rng = xp_rng_seed(i);
        double theta[ARMS], largest = -INFINITY;
        for (size_t t = 0; t < 2000; t++) {
            EXPECT(xp__prior_draw(prior, &rng, theta));
            largest = fmax(largest, xp_prior_log_density(prior, theta));
        }
        EXPECT(largest <= xp_prior_log_density_bound(prior));
        xp_prior_destroy(prior);
    }
}

CLAIM(files_round_trip_byte_for_byte_and_densities_bit_for_bit) {
    for (size_t i = 0; i < SPECS; i++) {
        xp_prior *prior = fit(specs[i], ARMS, some_counts), *back = NULL;
        char *text = NULL, *again = NULL;
        EXPECT(xp__prior_to_json(prior, &text, NULL) == XP_OK);
        EXPECT(xp__prior_from_json(text, strlen(text), "file", &back, NULL) == XP_OK);
        EXPECT(xp__prior_to_json(back, &again, NULL) == XP_OK);
        EXPECT_TEXT(again, text);
        xp_rng rng = xp_rng_seed(i);
        for (size_t t = 0; t < 20; t++) {
            double theta[ARMS];
            EXPECT(xp__prior_draw(prior, &rng, theta));
            EXPECT(xp_prior_log_density(prior, theta) == xp_prior_log_density(back, theta));
        }
        xp_release(text);
        xp_release(again);
        xp_prior_destroy(back);
        xp_prior_destroy(prior);
    }
}

/* Replaces `from` by `to` once and tries to load. */
static void expect_refusal(const char *spec, const char *from, const char *to, const char *why) {
    xp_prior *prior = fit(spec, ARMS, some_counts), *back = NULL;
    char *text = NULL, *changed = malloc(100000);
    xp_error error = {.message = ""};
    EXPECT(xp__prior_to_json(prior, &text, NULL) == XP_OK);
    const char *at = strstr(text, from);
    EXPECT(at != NULL);
    if (at != NULL) {
        (void)snprintf(changed, 100000, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
        EXPECT(xp__prior_from_json(changed, strlen(changed), "file", &back, &error) ==
               XP_ERR_INPUT);
        if (strstr(error.message, why) == NULL) {
            printf("  '%s' does not say '%s'\n", error.message, why);
        }
        EXPECT(back == NULL && strstr(error.message, why) != NULL);
    }
    free(changed);
    xp_release(text);
    xp_prior_destroy(prior);
}

CLAIM(files_that_contradict_themselves_are_refused) {
    expect_refusal(specs[0], "\"weights\": [0.95", "\"weights\": [0.9", "add up to");
    expect_refusal(specs[0], "\"weights\": [0.95", "\"weights\": [-0.95", "component 0");
    expect_refusal(specs[0], "\"a\": [1,", "\"a\": [0.5,", "at least 1");
    expect_refusal(specs[0], "\"components\": 17", "\"components\": 16", "weights");
    expect_refusal(specs[0], "\"components\": 17", "\"components\": 1700", "components");
    expect_refusal(specs[1], "\"mean\": 0.05", "\"mean\": 0.06", "mean");
    expect_refusal(specs[1], "\"reference\": \"beta\"", "\"reference\": \"gamma\"", "reference");
    expect_refusal("max_entropy", "\"reference\": \"uniform\"", "\"reference\": \"learned\"",
                   "reference");
}

CLAIM(parameters_that_do_not_fit_together_are_refused_with_the_way_out) {
    static const char *const bad[][2] = {
        {"max_entropy:reference=beta", "give mean"},
        {"max_entropy:mean=0.1", "reference = beta"},
        {"max_entropy:reference=learned,shape=3", "reference = beta"},
        {"max_entropy:reference=beta,mean=0.9,shape=2", "at least 9"},
        {"uniform:reference=beta", "give mean"},
        {"max_entropy:reference=beta,mean=1", "outside"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        xp_prior *prior = NULL;
        xp_error error = {.message = ""};
        EXPECT(try_fit(bad[i][0], ARMS, some_counts, &prior, &error) == XP_ERR_INPUT);
        EXPECT(prior == NULL && strstr(error.message, bad[i][1]) != NULL);
    }
}

/* Of the prior that was fitted, by draws that share nothing with the fit. */
static void expert_frequencies(const xp_prior *prior, double *frequency, double *largest) {
    enum { DRAWS = 40000 };
    const xp__reference *reference = prior->reference;
    double theta[ARMS], weight = 0;
    xp_rng rng = xp_rng_seed(8);
    *largest = 0;
    for (size_t arm = 0; arm < ARMS; arm++) {
        frequency[arm] = 0;
    }
    for (size_t i = 0; i < DRAWS; i++) {
        /* (h, theta) from the reference, weighted by the density with respect to it. */
        const size_t h = xp_rng_categorical(&rng, reference->weight, reference->count);
        double e[ARMS], total = 0, top = 0;
        for (size_t arm = 0; arm < ARMS; arm++) {
            theta[arm] = xp_rng_beta(&rng, reference->a[h], reference->b[h]);
            top = fmax(top, theta[arm]);
        }
        const double beta = prior->softmax_beta * reference->sharpness[h];
        for (size_t arm = 0; arm < ARMS; arm++) {
            e[arm] = exp(beta * (theta[arm] - top));
            total += e[arm];
        }
        const double here = exp(xp__prior_tilt(prior, h, theta));
        weight += here;
        *largest += here * top;
        for (size_t arm = 0; arm < ARMS; arm++) {
            frequency[arm] += here * e[arm] / total;
        }
    }
    *largest /= weight;
    for (size_t arm = 0; arm < ARMS; arm++) {
        frequency[arm] /= weight;
    }
    EXPECT_NEAR(weight / DRAWS, 1, 0.05); /* log_normaliser is right */
}

CLAIM(experts_of_finite_competence_choose_as_the_demonstrations_do) {
    static const char *const soft[] = {
        "max_entropy:reference=learned,beta=10,unit=relative,lambda=inf",
        "max_entropy:reference=learned,beta=10,lambda=inf",
        "max_entropy:reference=beta,mean=0.01,shape=4,beta=10,unit=relative,lambda=inf"};
    for (size_t i = 0; i < sizeof soft / sizeof soft[0]; i++) {
        xp_prior *prior = fit(soft[i], ARMS, some_counts);
        double frequency[ARMS], largest;
        expert_frequencies(prior, frequency, &largest);
        for (size_t arm = 0; arm < ARMS; arm++) {
            EXPECT_NEAR(frequency[arm], ((double)some_counts[arm] + 0.5) / 101.5, 0.02);
        }
        xp_prior_destroy(prior);
    }
}

/* Rewards a hundred times as rare: the same experts, the same belief on the other scale. Both
 * references are nearly the same Gamma distribution times their mean. */
CLAIM(relative_competence_means_the_same_on_every_scale) {
    double first[ARMS];
    for (size_t i = 0; i < 3; i++) {
        static const char *const means[] = {"0.01", "0.001", "0.0001"};
        char spec[128];
        (void)snprintf(spec, sizeof spec,
                       "max_entropy:reference=beta,mean=%s,beta=10,unit=relative", means[i]);
        xp_prior *prior = fit(spec, ARMS, some_counts);
        double frequency[ARMS], largest;
        expert_frequencies(prior, frequency, &largest);
        EXPECT_NEAR(largest / strtod(means[i], NULL), 1.85, 0.1); /* 11/6 = E[max of 3] untilted */
        for (size_t arm = 0; arm < ARMS; arm++) {
            first[arm] = i == 0 ? prior->softmax_weight[arm] : first[arm];
            EXPECT_NEAR(prior->softmax_weight[arm] - prior->softmax_weight[0],
                        first[arm] - first[0], 0.1);
        }
        xp_prior_destroy(prior);
    }
}

/* With absolute competence experts hardly tell rare rewards apart. To explain their choices all the
 * same takes weights out of all proportion. */
CLAIM(absolute_competence_contradicts_a_low_base_rate) {
    xp_prior *prior =
        fit("max_entropy:reference=beta,mean=0.005,beta=10,unit=absolute", ARMS, some_counts);
    double largest = 0;
    for (size_t i = 0; i < ARMS; i++) {
        largest = fmax(largest, fabs(prior->softmax_weight[i] - prior->softmax_weight[0]));
    }
    xp_prior *relative =
        fit("max_entropy:reference=beta,mean=0.005,beta=10,unit=relative", ARMS, some_counts);
    double other = 0;
    for (size_t i = 0; i < ARMS; i++) {
        other = fmax(other, fabs(relative->softmax_weight[i] - relative->softmax_weight[0]));
    }
    EXPECT(largest > 20 * other);
    xp_prior_destroy(relative);
    xp_prior_destroy(prior);
}

CLAIM(evidence_is_the_marginal_likelihood_of_rewards) {
    xp_prior *prior = fit("uniform:reference=learned", 2, (const uint64_t[]){5, 5});
    const xp__reference *reference = prior->reference;
    const double successes[2] = {1, 0}, failures[2] = {2, 0};
    double weight[XP__REFERENCE_MAX], total = 0;
    xp__reference_evidence(reference, 2, successes, failures, weight);
    double wanted[XP__REFERENCE_MAX];
    for (size_t h = 0; h < reference->count; h++) {
        /* P(success, failure, failure) = a b (b + 1) / (n (n + 1) (n + 2)), n = a + b. */
        const double a = reference->a[h], b = reference->b[h], n = a + b;
        wanted[h] = reference->weight[h] * a * b * (b + 1) / (n * (n + 1) * (n + 2));
        total += wanted[h];
    }
    for (size_t h = 0; h < reference->count; h++) {
        EXPECT_NEAR(weight[h], wanted[h] / total, 1e-12);
    }
    xp_prior_destroy(prior);
}
