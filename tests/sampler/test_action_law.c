/* The action law of every exact sampler against brute force (tensor.c: sums over all of the cube,
 * no structure used), for two and three arms over a grid of histories.
 *
 * Counted laws: with n independent draws the total variation distance over K arms has mean at most
 * sqrt(K / (2 π n)) and exceeds 0.01 with probability below 2^K exp(-2 n 0.01²) (union of
 * Hoeffding bounds over sets of arms): 1e-8 at n = 100,000. The chain gets twice as many
 * draws for its correlation. */
#include "claim.h"
#include "prior/hand_prior.h"

#include "experior/sampler.h"
#include "sampler/tensor.h"

#include <math.h>
#include <stdlib.h>

static const size_t count_of[4] = {0, 1, 5, 40};

static void tell(xp_sampler *sampler, size_t arm, size_t successes, size_t failures) {
    xp_rng rng = xp_rng_seed(0);
    for (size_t i = 0; i < successes + failures; i++) {
        xp_sampler_observe(sampler, &rng, arm, i < successes);
    }
}

/* Largest total variation distance over the histories number first, first + step, … below 16^K:
 * the digits of the number in base 4 are the counts. */
static double worst_distance(const char *name, const xp_prior *prior, size_t nodes, size_t draws,
                             size_t first, size_t step) {
    const size_t arms = prior->arms, histories = arms == 2 ? 256 : 4096;
    double worst = 0;
    xp_sampler *sampler = NULL;
    EXPECT(xp_sampler_create(name, prior, &sampler, NULL) == XP_OK);
    for (size_t h = first; sampler != NULL && h < histories; h += step) {
        double successes[3], failures[3], law[3], sum = 0;
        xp_rng rng = xp_rng_seed(h);
        xp_sampler_reset(sampler, &rng);
        for (size_t arm = 0, digits = h; arm < arms; arm++, digits /= 16) {
            const size_t s = count_of[digits % 4], f = count_of[digits / 4 % 4];
            tell(sampler, arm, s, f);
            successes[arm] = (double)s;
            failures[arm] = (double)f;
        }
        xp__tensor exact;
        EXPECT(xp__tensor_posterior(prior, successes, failures, nodes, &exact, NULL) == XP_OK);
        xp_sampler_action_law(sampler, &rng, draws, law, NULL);
        for (size_t arm = 0; arm < arms; arm++) {
            sum += 0.5 * fabs(law[arm] - exact.law[arm]);
        }
        worst = fmax(worst, sum);
    }
    xp_sampler_destroy(sampler);
    return worst;
}

static const double best2[2] = {0, 2.5}, best3[3] = {1, 0, -4};
static const double soft2[2] = {8, 2}, soft3[3] = {0, 9, 4};
/* Rejection accepts e^-difference of the weights at worst. */
static const double mild2[2] = {4, 1}, mild3[3] = {0, 4, 2};
static const double shape_a[3] = {0.7, 2.5, 1}, shape_b[3] = {1.5, 3, 1};
static const double mean3[3] = {0.4, 0.7, 0.1}, sd3[3] = {0.2, 0.1, 0.5};

CLAIM(brute_force_is_right_where_the_answer_is_known) {
    /* Beta(1+s, 1+f) moments; P(Beta(2,1) > Beta(1,1)) = 2/3. */
    const double zero[2] = {0}, successes[2] = {1, 0}, failures[2] = {0, 0};
    hand_prior prior;
    xp__tensor exact;
    EXPECT(xp__tensor_posterior(hand_best(&prior, 2, zero), successes, failures, 512, &exact,
                                NULL) == XP_OK);
    EXPECT_NEAR(exact.mean[0], 2.0 / 3, 1e-6);
    EXPECT_NEAR(exact.sd[0], sqrt(1.0 / 18), 1e-6);
    EXPECT_NEAR(exact.sd[1], sqrt(1.0 / 12), 1e-6);
    EXPECT_NEAR(exact.law[0], 2.0 / 3, 1e-5);
    /* Weights 3 : 1 on the best arm and no rewards: the law is the weights'. */
    const double weight[2] = {log(3), 0}, none[2] = {0};
    EXPECT(xp__tensor_posterior(hand_best(&prior, 2, weight), none, none, 512, &exact, NULL) ==
           XP_OK);
    EXPECT_NEAR(exact.law[0], 0.75, 1e-5);
}

CLAIM(quadrature_has_the_exact_law) {
    hand_prior prior;
    EXPECT(worst_distance("quadrature", hand_best(&prior, 2, best2), 256, 0, 0, 1) < 3e-4);
    EXPECT(worst_distance("quadrature", hand_best(&prior, 3, best3), 96, 0, 5, 409) < 2e-3);
}

CLAIM(grid_has_the_exact_law) {
    hand_prior prior;
    EXPECT(worst_distance("tabulated", hand_normal(&prior, 2, mean3, sd3), 256, 0, 0, 5) < 3e-4);
    EXPECT(worst_distance("tabulated", hand_normal(&prior, 3, mean3, sd3), 96, 0, 5, 409) < 2e-3);
    EXPECT(worst_distance("tabulated", hand_beta(&prior, 2, shape_a, shape_b), 256, 0, 0, 5) <
           2e-3);
}

CLAIM(conjugate_has_the_exact_law) {
    hand_prior prior;
    EXPECT(worst_distance("conjugate", hand_beta(&prior, 2, shape_a, shape_b), 256, 100000, 3, 17) <
           0.01);
    EXPECT(worst_distance("conjugate", hand_beta(&prior, 3, shape_a, shape_b), 96, 100000, 5,
                          1023) < 0.01);
}

CLAIM(rejection_has_the_exact_law) {
    hand_prior prior;
    EXPECT(worst_distance("rejection", hand_best(&prior, 2, best2), 256, 100000, 3, 37) < 0.01);
    EXPECT(worst_distance("rejection", hand_softmax(&prior, 2, mild2, 10), 256, 100000, 3, 67) <
           0.01);
    EXPECT(worst_distance("rejection", hand_softmax(&prior, 3, mild3, 10), 96, 100000, 5, 1367) <
           0.01);
}

CLAIM(the_chain_has_the_exact_law) {
    hand_prior prior;
    EXPECT(worst_distance("mcmc", hand_best(&prior, 2, best2), 256, 300000, 3, 37) < 0.01);
    EXPECT(worst_distance("mcmc", hand_softmax(&prior, 2, soft2, 10), 256, 300000, 3, 37) < 0.01);
    EXPECT(worst_distance("mcmc", hand_best(&prior, 3, best3), 96, 200000, 5, 1023) < 0.01);
    EXPECT(worst_distance("mcmc", hand_softmax(&prior, 3, soft3, 10), 96, 300000, 5, 819) < 0.01);
    EXPECT(worst_distance("mcmc", hand_opaque(&prior, 2, soft2, 10), 256, 200000, 3, 127) < 0.01);
    EXPECT(worst_distance("mcmc", hand_normal(&prior, 2, mean3, sd3), 256, 200000, 3, 127) < 0.01);
    EXPECT(worst_distance("mcmc", hand_beta(&prior, 2, shape_a, shape_b), 256, 200000, 3, 127) <
           0.01);
}
