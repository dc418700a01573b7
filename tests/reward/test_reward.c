/* Families of rewards against what they are defined by: numerical integrals over everything that a
 * closed form has integrated out, two passes over the rewards, GSL's distributions. */
#include "claim.h"

#include "math/variates_inline.h"
#include "reward/reward_type.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 3, MOST = 3 };

/* Rewards of three arms, the last of which has none. */
static const size_t count[ARMS] = {3, 2, 0};
static const double real[ARMS][MOST] = {{1.3, -0.4, 0.9}, {2.2, 1.6}};
static const double whole[ARMS][MOST] = {{3, 0, 2}, {7, 5}};

static xp__reward family(const char *name, double location, double scale, double noise) {
    return (xp__reward){xp__reward_find(name), location, scale, noise};
}

static void sums(const xp__reward *reward, size_t h, const double seen[ARMS][MOST],
                 double sum[XP__REWARD_TERMS]) {
    memset(sum, 0, XP__REWARD_TERMS * sizeof *sum);
    for (size_t arm = 0; arm < ARMS; arm++) {
        xp__reward_seen all = {0};
        double term[XP__REWARD_TERMS];
        for (size_t i = 0; i < count[arm]; i++) {
            xp__reward_add(&all, 1, seen[arm][i], 0);
        }
        reward->type->terms(reward, h, &all, term);
        for (size_t i = 0; i < XP__REWARD_TERMS; i++) {
            sum[i] += term[i];
        }
    }
}

/* Density of the rewards of an arm given spread, location and noise: ∫ N(θ) Π N(r; θ) dθ. */
static double arm_density(size_t arm, double location, double scale, double noise) {
    const double step = fmin(scale, noise) / 8, from = fmin(location - 9 * scale, -20),
                 to = fmax(location + 9 * scale, 20);
    double total = 0;
    for (double theta = fmax(from, -60); theta < fmin(to, 60); theta += step) {
        double value = gsl_ran_gaussian_pdf(theta - location, scale);
        for (size_t i = 0; i < count[arm]; i++) {
            value *= gsl_ran_gaussian_pdf(real[arm][i] - theta, noise);
        }
        total += value * step;
    }
    return total;
}

static double known_density(double location, double scale, double noise) {
    return arm_density(0, location, scale, noise) * arm_density(1, location, scale, noise);
}

/* The weight of a ratio of spread to noise: a half-Cauchy law, over powers of the ratio. */
static double ratio_weight(double ratio) {
    return log(ratio / (1 + ratio * ratio));
}

CLAIM(evidence_of_known_location_and_noise_is_the_integral_over_the_means) {
    const xp__reward reward = family("gaussian", 0.5, NAN, 1.1);
    double sum[XP__REWARD_TERMS];
    const size_t h[2] = {5, 8}; /* ρ = 1/2 and 4 */
    double closed[2], brute[2];
    for (size_t i = 0; i < 2; i++) {
        sums(&reward, h[i], real, sum);
        closed[i] = reward.type->log_evidence(&reward, h[i], sum);
        const double ratio = exp2((double)h[i] - 6);
        brute[i] = ratio_weight(ratio) + log(known_density(0.5, 1.1 * ratio, 1.1));
    }
    EXPECT_NEAR(closed[1] - closed[0], brute[1] - brute[0], 1e-6);
}

CLAIM(evidence_of_a_given_spread_tells_noises_apart) {
    const xp__reward reward = family("gaussian", 0.5, 2, NAN);
    EXPECT(reward.type->components(&reward) == 65);
    const size_t h[2] = {32, 38}; /* noise 2 and 2^-0.5 */
    double closed[2], brute[2], sum[XP__REWARD_TERMS];
    for (size_t i = 0; i < 2; i++) {
        sums(&reward, h[i], real, sum);
        closed[i] = reward.type->log_evidence(&reward, h[i], sum);
        const double ratio = exp2(0.25 * ((double)h[i] - 32));
        brute[i] = ratio_weight(ratio) + log(known_density(0.5, 2, 2 / ratio));
    }
    EXPECT_NEAR(closed[1] - closed[0], brute[1] - brute[0], 1e-6);
}

CLAIM(evidence_of_learned_location_and_noise_is_the_integral_over_them) {
    /* The priors 1/σ² ~ Gamma(0.1, 1e-20) and m ~ N(0, (10⁴σ)²) of gaussian.c, by brute force over
     * log σ and m; both are flat where the rewards are. */
    const xp__reward reward = family("gaussian", NAN, NAN, NAN);
    const size_t h[2] = {5, 7}; /* ρ = 1/2 and 2 */
    double closed[2], brute[2] = {0}, sum[XP__REWARD_TERMS];
    for (size_t i = 0; i < 2; i++) {
        const double ratio = exp2((double)h[i] - 6);
        sums(&reward, h[i], real, sum);
        closed[i] = reward.type->log_evidence(&reward, h[i], sum);
        for (double t = -2.5; t < 2.5; t += 0.25) { /* log σ; the step's error is the same order */
            const double noise = exp(t), scale = ratio * noise, sd = sqrt(scale * scale + noise);
            for (double m = 1 - 8 * sd; m < 1 + 8 * sd; m += sd / 4) {
                brute[i] += sd / 4 * gsl_ran_gaussian_pdf(m, 1e4 * noise) * pow(noise, -0.2) *
                            known_density(m, scale, noise);
            }
        }
    }
    EXPECT_NEAR(closed[1] - closed[0],
                log(brute[1] / brute[0]) + ratio_weight(2) - ratio_weight(0.5), 0.02);
}

CLAIM(evidence_of_counts_is_the_integral_over_the_means) {
    const xp__reward reward = family("poisson", NAN, NAN, NAN);
    const size_t h[2] = {3 * 15 + 1, 3 * 17 + 2}; /* M = 2, α = 4 and M = 8, α = 16 */
    const double mean[2] = {2, 8}, shape[2] = {4, 16};
    double closed[2], brute[2] = {0}, sum[XP__REWARD_TERMS];
    for (size_t i = 0; i < 2; i++) {
        sums(&reward, h[i], whole, sum);
        closed[i] = reward.type->log_evidence(&reward, h[i], sum);
        for (size_t arm = 0; arm < 2; arm++) {
            double total = 0;
            for (double theta = 0.005; theta < 60; theta += 0.01) {
                double value = gsl_ran_gamma_pdf(theta, shape[i], mean[i] / shape[i]);
                for (size_t k = 0; k < count[arm]; k++) {
                    value *= gsl_ran_poisson_pdf((unsigned)whole[arm][k], theta);
                }
                total += value * 0.01;
            }
            brute[i] += log(total);
        }
    }
    EXPECT_NEAR(closed[1] - closed[0], brute[1] - brute[0], 1e-4);
}

CLAIM(nodes_of_the_shared_numbers_have_their_moments) {
    /* 1/σ² is Gamma and m given σ normal, so that E[1/σ²] = shape/rate and E[(m − center)²/σ²] =
     * 1/precision; many draws have the same means. */
    const xp__reward reward = family("gaussian", NAN, NAN, NAN);
    for (size_t h = 3; h < 10; h += 3) {
        double sum[XP__REWARD_TERMS], mass = 0, precise = 0, location = 0, log_noise = 0;
        sums(&reward, h, real, sum);
        xp__reward_shared node[XP__REWARD_NODES];
        const size_t nodes = reward.type->shared_nodes(&reward, h, sum, node);
        for (size_t q = 0; q < nodes; q++) {
            const double weight = exp(node[q].log_weight);
            mass += weight;
            precise += weight / (node[q].noise * node[q].noise);
            location += weight * node[q].location;
            log_noise += weight * log(node[q].noise);
        }
        EXPECT_NEAR(mass, 1, 1e-3);
        xp_rng rng = xp_rng_seed(h);
        double drawn_precise = 0, drawn_log = 0, drawn_location = 0;
        const size_t draws = 200000;
        for (size_t i = 0; i < draws; i++) {
            const xp__reward_shared one = reward.type->draw_shared(&reward, h, sum, &rng);
            drawn_precise += 1 / (one.noise * one.noise) / (double)draws;
            drawn_log += log(one.noise) / (double)draws;
            drawn_location += one.location / (double)draws;
        }
        EXPECT_NEAR(precise, drawn_precise, 0.01 * drawn_precise);
        EXPECT_NEAR(log_noise, drawn_log, 0.01);
        EXPECT_NEAR(location, drawn_location, 0.05);
    }
}

/* Laws of several widths and shapes. */
static void for_each_law(void (*check)(const xp__reward_type *type, xp__arm_law law)) {
    static const xp__arm_law normal[] = {{0, 1}, {-3, 0.01}, {250, 20}};
    static const xp__arm_law gamma[] = {{0.5, 2}, {1, 1}, {7, 0.01}, {400, 3}, {30000, 20}};
    for (size_t i = 0; i < sizeof normal / sizeof normal[0]; i++) {
        check(xp__reward_find("gaussian"), normal[i]);
    }
    for (size_t i = 0; i < sizeof gamma / sizeof gamma[0]; i++) {
        check(xp__reward_find("poisson"), gamma[i]);
    }
}

static double exact_cdf(const xp__reward_type *type, xp__arm_law law, double x) {
    return strcmp(type->name, "gaussian") == 0 ? gsl_cdf_gaussian_P(x - law.a, law.b)
                                               : gsl_cdf_gamma_P(x, law.a, 1 / law.b);
}

static void check_table(const xp__reward_type *type, xp__arm_law law) {
    double center, width, u[2], density[2], distribution[2];
    type->spot(law, &center, &width);
    for (double z = -5; z <= 5; z += 0.25) {
        const double apart = 1e-3 * width;
        u[0] = center + z * width;
        u[1] = u[0] + apart;
        if (u[0] <= type->low_u) {
            continue;
        }
        type->tabulate(law, 2, u, density, distribution);
        EXPECT_NEAR(distribution[0], exact_cdf(type, law, type->value(u[0])), 2e-5);
        const double slope =
            (exact_cdf(type, law, type->value(u[1])) - exact_cdf(type, law, type->value(u[0]))) /
            apart;
        EXPECT_NEAR(0.5 * (density[0] + density[1]) * width, slope * width, 1e-5);
    }
}

CLAIM(tables_are_the_density_and_the_distribution_function) {
    for_each_law(check_table);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

enum { DRAWS = 20000 };

/* Kolmogorov's distance of draws from the law given that it is at most `top`. It exceeds 2.2 / √n
 * with probability 1e-4. */
static void check_draws(const xp__reward_type *type, xp__arm_law law, double top, bool below) {
    static double drawn[DRAWS];
    xp_rng rng = xp_rng_seed(7);
    for (size_t i = 0; i < DRAWS; i++) {
        drawn[i] = below ? type->draw_mean_below(law, &rng, top) : type->draw_mean(law, &rng);
    }
    qsort(drawn, DRAWS, sizeof drawn[0], ascending);
    const double room = below ? exact_cdf(type, law, top) : 1;
    double worst = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        const double f = exact_cdf(type, law, drawn[i]) / room;
        worst = fmax(worst, fabs(f - ((double)i + 0.5) / DRAWS));
    }
    EXPECT(worst < 2.2 / sqrt(DRAWS));
    EXPECT(!below || drawn[DRAWS - 1] <= top);
}

static void check_all_draws(const xp__reward_type *type, xp__arm_law law) {
    double center, width;
    type->spot(law, &center, &width);
    check_draws(type, law, NAN, false);
    for (double z = -4; z <= 2; z += 1.5) {
        const double u = center + z * width;
        if (u > type->low_u) {
            check_draws(type, law, type->value(u), true);
        }
    }
}

CLAIM(draws_of_a_mean_follow_its_law_below_any_top) {
    for_each_law(check_all_draws);
}

CLAIM(poisson_variates_have_their_probabilities) {
    /* Chi-square over the values that are expected at least 20 times; p > 1e-4. */
    static const double mean[] = {0.01, 0.7, 9.5, 10, 40, 5000};
    const size_t draws = 50000;
    for (size_t i = 0; i < sizeof mean / sizeof mean[0]; i++) {
        static double seen[8192];
        memset(seen, 0, sizeof seen);
        xp_rng rng = xp_rng_seed(i);
        for (size_t k = 0; k < draws; k++) {
            const double drawn = xp__rng_poisson(&rng, mean[i]);
            seen[drawn < 8191 ? (size_t)drawn : 8191] += 1;
        }
        double statistic = 0, cells = 0, rest = (double)draws, rest_seen = (double)draws;
        for (unsigned k = 0; k < 8191; k++) {
            const double expected = (double)draws * gsl_ran_poisson_pdf(k, mean[i]);
            if (expected >= 20) {
                statistic += (seen[k] - expected) * (seen[k] - expected) / expected;
                cells++;
                rest -= expected;
                rest_seen -= seen[k];
            }
        }
        statistic += rest > 1 ? (rest_seen - rest) * (rest_seen - rest) / rest : 0;
        EXPECT(gsl_cdf_chisq_Q(statistic, cells) > 1e-4);
    }
}

CLAIM(what_is_kept_of_rewards_does_not_depend_on_how_they_came) {
    const double all[6] = {1e6 + 1, 1e6 - 2, 1e6 + 0.5, 1e6, 1e6 + 7, 1e6 - 3};
    double mean = 0, deviations = 0;
    for (size_t i = 0; i < 6; i++) {
        mean += all[i] / 6;
    }
    for (size_t i = 0; i < 6; i++) {
        deviations += (all[i] - mean) * (all[i] - mean);
    }
    xp__reward_seen single = {0}, bulk = {0};
    for (size_t i = 0; i < 6; i++) {
        xp__reward_add(&single, 1, all[i], 0);
    }
    xp__reward_add(&bulk, 2, all[0] + all[1], 4.5);
    xp__reward_add(&bulk, 4, all[2] + all[3] + all[4] + all[5], 53.1875);
    EXPECT(single.count == 6 && bulk.count == 6);
    EXPECT_NEAR(single.sum, 6 * mean, 1e-6);
    EXPECT_NEAR(single.deviations, deviations, 1e-6);
    EXPECT_NEAR(bulk.deviations, deviations, 1e-6);
}

CLAIM(fractions_are_rounded_to_their_mean) {
    const xp__reward_type *type = xp__reward_find("fractional");
    xp_rng rng = xp_rng_seed(3);
    double up = 0;
    for (size_t i = 0; i < 100000; i++) {
        up += type->success(&rng, 0.3) ? 1 : 0;
    }
    EXPECT_NEAR(up / 100000, 0.3, 6e-3); /* four standard deviations */
    const xp_rng before = rng;
    EXPECT(!type->success(&rng, 0) && type->success(&rng, 1));
    EXPECT(rng.block == before.block); /* whole rewards use no random numbers */
}

CLAIM(a_drawn_reward_has_the_mean_of_its_arm_and_is_legal) {
    for (size_t i = 0; i < xp__reward_type_count; i++) {
        const xp__reward_type *type = xp__reward_types[i];
        xp_rng rng = xp_rng_seed(i);
        double sum = 0;
        for (size_t k = 0; k < 100000; k++) {
            const double drawn = type->draw_reward(&rng, 0.4, 0.5);
            EXPECT(type->legal(drawn));
            sum += drawn;
        }
        EXPECT_NEAR(sum / 100000, 0.4, 0.009); /* the largest deviation is that of a count, 0.63 */
    }
}

CLAIM(every_family_says_which_rewards_it_takes) {
    const double good[][3] = {{0, 1, 1}, {0, 0.45, 1}, {-1e6, 0, 12.5}, {0, 3, 1e6}};
    const double bad[][3] = {
        {0.5, -1, NAN}, {-0.1, 1.1, NAN}, {INFINITY, 1e39, NAN}, {0.5, -1, NAN}};
    static const char *const name[] = {"bernoulli", "fractional", "gaussian", "poisson"};
    for (size_t i = 0; i < 4; i++) {
        const xp__reward_type *type = xp__reward_find(name[i]);
        EXPECT(type != NULL && type->takes != NULL);
        for (size_t k = 0; k < 3; k++) {
            EXPECT(type->legal(good[i][k]));
            EXPECT(!type->legal(bad[i][k]));
        }
    }
    EXPECT(!xp__reward_find("bernoulli")->legal_sum(3, 1.5, NAN));
    EXPECT(xp__reward_find("fractional")->legal_sum(3, 1.5, 0.75));
    EXPECT(!xp__reward_find("fractional")->legal_sum(3, 3.5, NAN));
    EXPECT(!xp__reward_find("fractional")->legal_sum(3, 1.5, 0.5));
    EXPECT(xp__reward_find("gaussian")->legal_sum(2, -3, 4.5));
    EXPECT(!xp__reward_find("gaussian")->legal_sum(2, -3, 4));
    EXPECT(!xp__reward_find("poisson")->legal_sum(2, 2.5, NAN));
    EXPECT(xp__reward_find("none") == NULL);
}

CLAIM(parameters_that_do_not_go_together_are_refused_with_a_sentence) {
    const xp__reward refused[] = {
        family("bernoulli", 0.5, NAN, NAN), family("gaussian", NAN, -1, NAN),
        family("gaussian", 0, 1e9, 1),      family("poisson", 1, NAN, 1),
        family("poisson", 1, 2, NAN),       family("poisson", 1e9, 1, NAN),
        family("poisson", -1, NAN, NAN)};
    const xp__reward taken[] = {family("bernoulli", NAN, NAN, NAN), family("gaussian", -3, 2, 1),
                                family("poisson", 3, 3, NAN), family("poisson", NAN, 3, NAN)};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        xp_error error = {.message = ""};
        EXPECT(xp__reward_check(&refused[i], &error) == XP_ERR_INPUT);
        EXPECT(strlen(error.message) > 20);
    }
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        EXPECT(xp__reward_check(&taken[i], NULL) == XP_OK);
    }
}
