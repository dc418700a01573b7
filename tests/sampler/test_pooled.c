/* The posterior of rewards that are not 0 or 1: its action law against Monte Carlo that shares
 * nothing with the sampler (importance sampling of everything unknown, densities from GSL), draws
 * against the law, and what must not matter: units, order, rewards one by one or in bulk. */
#include "claim.h"
#include "prior/hand_prior.h"

#include "experior/calibrate.h"
#include "experior/sampler.h"
#include "sampler/sampler_type.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

enum { ARMS = 3, MOST = 4 };

static const double tilt[ARMS] = {0.9, 0, -1.2};
/* The last arm, which experts like least, has no rewards. */
static const size_t count[ARMS] = {4, 3, 0};
static const double real[ARMS][MOST] = {{1.3, -0.4, 0.9, 0.2}, {2.2, 1.1, 0.6}};
static const double whole[ARMS][MOST] = {{3, 0, 2, 1}, {4, 5, 1}};

static const xp_prior *prior_for(hand_prior *made, size_t arms, const double *weight,
                                 const char *name, double location, double scale, double noise) {
    (void)hand_best(made, arms, weight);
    made->prior.reward = (xp__reward){xp__reward_find(name), location, scale, noise};
    return &made->prior;
}

static xp_sampler *sampler_after(const char *spec, const xp_prior *prior,
                                 const double seen[ARMS][MOST], double unit, double shift) {
    xp_sampler *sampler = NULL;
    xp_rng rng = xp_rng_seed(1);
    EXPECT(xp_sampler_create(spec, prior, &sampler, NULL) == XP_OK);
    for (size_t arm = 0; sampler != NULL && arm < ARMS; arm++) {
        for (size_t i = 0; i < count[arm]; i++) {
            EXPECT(xp_sampler_observe_reward(sampler, &rng, arm, shift + unit * seen[arm][i],
                                             NULL) == XP_OK);
        }
    }
    return sampler;
}

static double distance(const double *p, const double *q, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += 0.5 * fabs(p[i] - q[i]);
    }
    return sum;
}

static void law_of(xp_sampler *sampler, double *law) {
    size_t used = 1;
    xp_sampler_action_law(sampler, NULL, 0, law, &used);
    EXPECT(used == 0);
}

/* Distance of the sampler's law from one that importance sampling gathered in `weight`. */
static double apart(xp_sampler *sampler, const double *weight) {
    double law[ARMS], brute[ARMS], total = 0;
    law_of(sampler, law);
    for (size_t arm = 0; arm < ARMS; arm++) {
        total += weight[arm];
    }
    for (size_t arm = 0; arm < ARMS; arm++) {
        brute[arm] = weight[arm] / total;
    }
    return distance(law, brute, ARMS);
}

static size_t best_of(const double *theta) {
    size_t best = 0;
    for (size_t arm = 1; arm < ARMS; arm++) {
        best = theta[arm] > theta[best] ? arm : best;
    }
    return best;
}

/* One draw of the means given location, spread and noise; the likelihood of the real rewards, with
 * the tilt, goes to the best arm. The means are proposed from the reference. */
static void add_real(xp_rng *rng, double location, double scale, double noise, double weight,
                     double *gathered) {
    double theta[ARMS];
    for (size_t arm = 0; arm < ARMS; arm++) {
        theta[arm] = location + scale * xp_rng_normal(rng);
        for (size_t i = 0; i < count[arm]; i++) {
            weight *= gsl_ran_gaussian_pdf(real[arm][i] - theta[arm], noise);
        }
    }
    gathered[best_of(theta)] += weight * exp(tilt[best_of(theta)]);
}

enum { TRIES = 1000000 };

CLAIM(the_law_of_gaussian_rewards_with_everything_known_is_that_of_brute_force) {
    hand_prior made;
    xp_sampler *sampler =
        sampler_after(NULL, prior_for(&made, ARMS, tilt, "gaussian", 0.5, 0.8, 1.1), real, 1, 0);
    xp_rng rng = xp_rng_seed(11);
    double gathered[ARMS] = {0};
    for (size_t i = 0; i < TRIES / 2; i++) {
        add_real(&rng, 0.5, 0.8, 1.1, 1, gathered);
    }
    EXPECT(apart(sampler, gathered) < 0.005);
    xp_sampler_destroy(sampler);
}

CLAIM(the_law_of_gaussian_rewards_with_everything_learned_is_that_of_brute_force) {
    /* Proposals near the rewards; the weight has the priors of gaussian.c: m ~ N(0, (10⁴σ)²),
     * 1/σ² ~ Gamma(0.1, 1e-20), that is σ^-0.2 over log σ, and ρ = 2^-6 … 2^6, half-Cauchy. */
    hand_prior made;
    xp_sampler *sampler =
        sampler_after(NULL, prior_for(&made, ARMS, tilt, "gaussian", NAN, NAN, NAN), real, 1, 0);
    xp_rng rng = xp_rng_seed(12);
    double gathered[ARMS] = {0};
    for (size_t i = 0; i < 2 * TRIES; i++) {
        const double z = xp_rng_normal(&rng), noise = exp(0.5 * z - 0.1);
        const double ratio = exp2((double)xp_rng_below(&rng, 13) - 6), scale = noise * ratio;
        const double width = 1 + 1.2 * scale, m = 0.8 + width * xp_rng_normal(&rng);
        const double weight = ratio / (1 + ratio * ratio) * gsl_ran_gaussian_pdf(m, 1e4 * noise) *
                              pow(noise, -0.2) /
                              (gsl_ran_gaussian_pdf(m - 0.8, width) * gsl_ran_ugaussian_pdf(z));
        add_real(&rng, m, scale, noise, weight, gathered);
    }
    EXPECT(apart(sampler, gathered) < 0.005);
    xp_sampler_destroy(sampler);
}

CLAIM(the_law_of_gaussian_rewards_with_a_known_spread_is_that_of_brute_force) {
    hand_prior made;
    xp_sampler *sampler =
        sampler_after(NULL, prior_for(&made, ARMS, tilt, "gaussian", 0.5, 0.8, NAN), real, 1, 0);
    xp_rng rng = xp_rng_seed(13);
    double gathered[ARMS] = {0};
    for (size_t i = 0; i < TRIES; i++) {
        const double ratio = exp2(0.25 * ((double)xp_rng_below(&rng, 65) - 32));
        add_real(&rng, 0.5, 0.8, 0.8 / ratio, ratio / (1 + ratio * ratio), gathered);
    }
    EXPECT(apart(sampler, gathered) < 0.005);
    xp_sampler_destroy(sampler);
}

CLAIM(the_law_of_counts_is_that_of_brute_force) {
    const double location[] = {NAN, 3, NAN, 3}, scale[] = {NAN, NAN, 1.5, 2};
    for (size_t k = 0; k < 4; k++) {
        hand_prior made;
        const xp_prior *prior = prior_for(&made, ARMS, tilt, "poisson", location[k], scale[k], NAN);
        xp_sampler *sampler = sampler_after(NULL, prior, whole, 1, 0);
        xp_rng rng = xp_rng_seed(14 + k);
        double gathered[ARMS] = {0};
        for (size_t i = 0; i < TRIES; i++) {
            /* The grid of poisson.c; M beyond 64 does not give such rewards. */
            double alpha = exp2(2 * (double)xp_rng_below(&rng, 3)), weight = 1, theta[ARMS];
            double mean = exp2((double)xp_rng_below(&rng, 21) - 14);
            mean = isnan(location[k]) ? mean : location[k];
            if (!isnan(scale[k])) {
                alpha = isnan(location[k]) ? exp2((double)xp_rng_below(&rng, 18) - 1)
                                           : (mean / scale[k]) * (mean / scale[k]);
                mean = sqrt(alpha) * scale[k];
            }
            for (size_t arm = 0; arm < ARMS; arm++) {
                theta[arm] = mean / alpha * xp_rng_gamma(&rng, alpha);
                for (size_t n = 0; n < count[arm]; n++) {
                    weight *= gsl_ran_poisson_pdf((unsigned)whole[arm][n], theta[arm]);
                }
            }
            gathered[best_of(theta)] += weight * exp(tilt[best_of(theta)]);
        }
        EXPECT(apart(sampler, gathered) < 0.005);
        xp_sampler_destroy(sampler);
    }
}

/* Distance between the law and the best arms of draws; sqrt(K / (2 π n)) or less is chance. */
static double distance_of_draws(xp_sampler *sampler, size_t draws) {
    double law[ARMS], counted[ARMS] = {0}, theta[ARMS];
    xp_rng rng = xp_rng_seed(5);
    law_of(sampler, law);
    for (size_t i = 0; i < draws; i++) {
        EXPECT(xp_sampler_draw(sampler, &rng, theta));
        counted[best_of(theta)] += 1 / (double)draws;
    }
    return distance(law, counted, ARMS);
}

CLAIM(draws_have_the_law) {
    hand_prior made;
    xp_sampler *a =
        sampler_after(NULL, prior_for(&made, ARMS, tilt, "gaussian", NAN, NAN, NAN), real, 1, 0);
    EXPECT(distance_of_draws(a, 200000) < 0.005);
    xp_sampler_destroy(a);
    a = sampler_after(NULL, prior_for(&made, ARMS, tilt, "poisson", NAN, NAN, NAN), whole, 1, 0);
    EXPECT(distance_of_draws(a, 200000) < 0.005);
    xp_sampler_destroy(a);
}

CLAIM(draws_without_proposals_have_the_law_and_the_means_too) {
    /* Experts as sure as one in e^12: hardly a proposal is kept, and with one try each none is. */
    const double sure[ARMS] = {-12, -12, 0};
    static const char *const name[] = {"gaussian", "poisson"};
    for (size_t k = 0; k < 2; k++) {
        hand_prior made;
        const xp_prior *prior =
            prior_for(&made, ARMS, sure, name[k], 1, k == 0 ? 0.5 : 1, k == 0 ? 0.7 : NAN);
        xp_sampler *sampler = sampler_after("pooled:tries=1", prior, k == 0 ? real : whole, 1, 0);
        xp_sampler *patient =
            sampler_after("pooled:tries=1000000", prior, k == 0 ? real : whole, 1, 0);
        const size_t draws = 4000;
        double mean[2][ARMS] = {{0}}, theta[ARMS];
        EXPECT(distance_of_draws(sampler, draws) < 0.03);
        xp_rng rng = xp_rng_seed(6);
        for (size_t i = 0; i < draws; i++) {
            for (size_t which = 0; which < 2; which++) {
                EXPECT(xp_sampler_draw(which == 0 ? sampler : patient, &rng, theta));
                for (size_t arm = 0; arm < ARMS; arm++) {
                    mean[which][arm] += theta[arm] / (double)draws;
                }
            }
        }
        for (size_t arm = 0; arm < ARMS; arm++) {
            EXPECT_NEAR(mean[0][arm], mean[1][arm], 0.06);
        }
        xp_sampler_destroy(patient);
        xp_sampler_destroy(sampler);
    }
}

CLAIM(units_and_origin_of_learned_rewards_do_not_matter) {
    hand_prior made;
    const xp_prior *prior = prior_for(&made, ARMS, tilt, "gaussian", NAN, NAN, NAN);
    const double unit[] = {1, 1e-3, 1e4, 1}, shift[] = {0, 0, 0, 25};
    double first[ARMS], law[ARMS];
    for (size_t k = 0; k < 4; k++) {
        xp_sampler *sampler = sampler_after(NULL, prior, real, unit[k], shift[k]);
        law_of(sampler, k == 0 ? first : law);
        EXPECT(k == 0 || distance(first, law, ARMS) < 1e-3);
        xp_sampler_destroy(sampler);
    }
}

CLAIM(before_any_reward_the_law_is_that_of_the_experts) {
    static const char *const name[] = {"gaussian", "poisson"};
    const double weight[ARMS] = {log(6), log(3), 0};
    for (size_t k = 0; k < 2; k++) {
        hand_prior made;
        double law[ARMS];
        xp_sampler *sampler = NULL;
        EXPECT(xp_sampler_create(NULL, prior_for(&made, ARMS, weight, name[k], NAN, NAN, NAN),
                                 &sampler, NULL) == XP_OK);
        law_of(sampler, law);
        EXPECT_NEAR(law[0], 0.6, 1e-5);
        EXPECT_NEAR(law[1], 0.3, 1e-5);
        xp_sampler_destroy(sampler);
    }
}

CLAIM(rewards_in_bulk_are_those_one_by_one) {
    hand_prior made;
    const xp_prior *prior = prior_for(&made, ARMS, tilt, "gaussian", NAN, NAN, NAN);
    xp_sampler *single = sampler_after(NULL, prior, real, 1, 0), *bulk = NULL;
    EXPECT(xp_sampler_create(NULL, prior, &bulk, NULL) == XP_OK);
    xp_rng rng = xp_rng_seed(1);
    for (size_t arm = ARMS; arm-- > 0;) {
        double sum = 0, squares = 0, law[2][ARMS];
        for (size_t i = 0; i < count[arm]; i++) {
            sum += real[arm][i];
            squares += real[arm][i] * real[arm][i];
        }
        xp__sampler_observe_sums(bulk, &rng, arm, count[arm], sum, squares);
        if (arm == 0) {
            law_of(single, law[0]);
            law_of(bulk, law[1]);
            EXPECT(distance(law[0], law[1], ARMS) < 1e-9);
        }
    }
    xp_sampler_destroy(bulk);
    xp_sampler_destroy(single);
}

CLAIM(many_rewards_and_many_arms_stay_exact) {
    enum { MANY = 64 };
    double weight[MANY] = {0}, law[MANY];
    static const char *const name[] = {"gaussian", "poisson"};
    for (size_t k = 0; k < 2; k++) {
        hand_prior made;
        xp_sampler *sampler = NULL;
        EXPECT(xp_sampler_create(NULL, prior_for(&made, MANY, weight, name[k], NAN, NAN, NAN),
                                 &sampler, NULL) == XP_OK);
        xp_rng rng = xp_rng_seed(2);
        for (size_t arm = 0; arm < MANY; arm++) { /* arms 7 and 9 are the best, and equal */
            const double n = 1e6, mean = arm == 7 || arm == 9 ? 5 : 4 - (double)(arm % 3);
            xp__sampler_observe_sums(sampler, &rng, arm, (uint64_t)n, n * mean,
                                     n * (mean * mean + mean));
        }
        law_of(sampler, law);
        EXPECT_NEAR(law[7], 0.5, 1e-6);
        EXPECT_NEAR(law[9], 0.5, 1e-6);
        xp_sampler_destroy(sampler);
    }
}

CLAIM(a_reward_that_the_family_does_not_have_is_refused) {
    hand_prior made;
    xp_sampler *sampler = NULL;
    xp_rng rng = xp_rng_seed(1);
    xp_error error = {.message = ""};
    EXPECT(xp_sampler_create(NULL, prior_for(&made, ARMS, tilt, "poisson", NAN, NAN, NAN), &sampler,
                             NULL) == XP_OK);
    EXPECT(xp_sampler_observe_reward(sampler, &rng, 0, 0.5, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "the reward 0.5 is not a whole number");
    EXPECT(xp_sampler_observe_reward(sampler, &rng, ARMS, 1, &error) == XP_ERR_INPUT);
    EXPECT(!xp_sampler_supports("quadrature", &made.prior));
    EXPECT(!xp_sampler_supports("mcmc", &made.prior));
    EXPECT(xp_sampler_create("mcmc", &made.prior, &(xp_sampler *){NULL}, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "'pooled' can");
    xp_sampler_destroy(sampler);
}

CLAIM(every_family_is_calibrated) {
    const double nothing = NAN;
    const struct {
        const char *name;
        double location, scale, noise;
    } families[] = {
        {"fractional", nothing, nothing, nothing},
        {"gaussian", nothing, nothing, nothing},
        {"gaussian", nothing, nothing, 2},
        {"gaussian", 1, 3, nothing},
        {"gaussian", 1, 3, 2},
        {"poisson", nothing, nothing, nothing},
        {"poisson", 4, nothing, nothing},
        {"poisson", 4, 2, nothing},
    };
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        hand_prior made;
        const xp_prior *prior = prior_for(&made, ARMS, tilt, families[i].name, families[i].location,
                                          families[i].scale, families[i].noise);
        xp_calibrate_options options = xp_calibrate_options_default();
        options.seed = 21;
        options.threads = 1;
        xp_calibrate_result *result = NULL;
        EXPECT(xp_calibrate(prior, &options, &result, NULL) == XP_OK);
        for (size_t s = 0; result != NULL && s < result->statistic_count; s++) {
            EXPECT(result->statistics[s].p > 0.001);
        }
        xp_calibrate_result_destroy(result);
    }
}
