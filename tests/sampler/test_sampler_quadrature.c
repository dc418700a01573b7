/* The integrals over the best arm: fast against reference, kept up to date against fresh, narrow
 * posteriors, and histories made to break the recursion. */
#include "claim.h"
#include "prior/hand_prior.h"

#include "experior/sampler.h"
#include "sampler/integral/integral.h"
#include "sampler/integral/quadrature_reference.h"
#include "sampler/sampler_type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static xp_sampler *make(const xp_prior *prior, double nodes) {
    xp_sampler *sampler = NULL;
    xp__params params;
    EXPECT(xp__sampler_params_default("quadrature", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "nodes", nodes, NULL) == XP_OK);
    EXPECT(xp__sampler_create("quadrature", &params, prior, &sampler, NULL) == XP_OK);
    return sampler;
}

static void tell(xp_sampler *sampler, size_t arm, size_t successes, size_t failures) {
    xp_rng rng = xp_rng_seed(0);
    for (size_t i = 0; i < successes + failures; i++) {
        /* Spread evenly, so that the order is not a streak. */
        const bool success =
            (i + 1) * successes / (successes + failures) > i * successes / (successes + failures);
        xp_sampler_observe(sampler, &rng, arm, success);
    }
}

static double distance(const double *p, const double *q, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += 0.5 * fabs(p[i] - q[i]);
    }
    return sum;
}

static void law(xp_sampler *sampler, double *p) {
    size_t used = 1;
    xp_sampler_action_law(sampler, NULL, 0, p, &used);
    EXPECT(used == 0);
}

/* The law by the reference on many even nodes. */
static void reference(const xp_sampler *sampler, size_t nodes, double *p) {
    double *block = malloc((XP__NODES_ARRAYS + 1) * nodes * sizeof *block);
    xp__nodes layout;
    xp__nodes_carve(&layout, nodes, block, nodes);
    (void)xp__nodes_lay(&layout, NULL, 0);
    xp__quadrature_reference_law(&layout, sampler->arms, sampler->prior->best_arm_log_weight,
                                 sampler->successes, sampler->failures,
                                 block + XP__NODES_ARRAYS * nodes, p);
    free(block);
}

CLAIM(every_vector_width_gives_the_same_bits) {
    enum { N = 64 };
    double in[6][N], out[3][2][N], lane[3][XP__LANES], state[3][3][N];
    xp_rng rng = xp_rng_seed(1);
    for (int i = 0; i < 6; i++) {
        for (int g = 0; g < N; g++) {
            in[i][g] = xp_rng_uniform(&rng) * (g % 7 == 0 ? 1e-150 : 1);
        }
    }
    memset(out, 0, sizeof out);
    memset(lane, 0, sizeof lane);
    for (size_t k = 0; k < 3; k++) {
        const xp__kernels *kernels = xp__kernels_at(k);
        if (kernels == NULL) {
            continue;
        }
        kernels->combine(N, out[k][0], out[k][1], in[0], in[1], in[2], in[3]);
        kernels->lane_sums(N, in[0], lane[k]);
        memcpy(state[k], in, sizeof state[k]);
        kernels->beta_step(N, state[k][0], state[k][1], state[k][2], in[4], in[5], -0.3, 1.7, 0.1);
        EXPECT(memcmp(out[k], out[0], sizeof out[0]) == 0);
        EXPECT(memcmp(lane[k], lane[0], sizeof lane[0]) == 0);
        EXPECT(memcmp(state[k], state[0], sizeof state[0]) == 0);
    }
    EXPECT(out[0][0][1] == in[0][1] * in[2][1]);
    EXPECT(out[0][0][0] == 0); /* 1e-300 is taken as zero */
    EXPECT(xp__kernels_best() != NULL);
}

/* ∫ K x^(K-1) dx = 1 and moments of it, in closed form. */
CLAIM(the_nodes_integrate_powers) {
    enum { N = 128 };
    double block[XP__NODES_ARRAYS * N];
    xp__nodes nodes;
    xp__nodes_carve(&nodes, N, block, N);
    const xp__lens lens[2] = {{.center = 0.7, .density = 4000}, {.center = 1.2, .density = 300}};
    for (size_t lenses = 0; lenses <= 2; lenses++) {
        EXPECT(xp__nodes_lay(&nodes, lens, lenses) == lenses);
        double previous = 0, one = 0, ninth = 0;
        for (size_t g = 0; g < N; g++) {
            EXPECT(nodes.x[g] > previous && nodes.x[g] < 1);
            EXPECT_NEAR(nodes.x[g] + nodes.y[g], 1, 1e-15);
            previous = nodes.x[g];
            one += nodes.weight[g];
            ninth += nodes.weight[g] * 10 * pow(nodes.x[g], 9);
        }
        EXPECT_NEAR(one, 1, lenses == 0 ? 1e-9 : 1e-6);
        EXPECT_NEAR(ninth, 1, lenses == 0 ? 1e-9 : 1e-6);
        if (lenses > 0) {
            EXPECT(xp__nodes_density(&nodes, 0.7) > 2000);
        }
    }
}

CLAIM(under_a_uniform_prior_the_law_is_the_closed_form) {
    /* K arms with no failures: P(a is best) = (s_a + 1) / Σ (s_b + 1). */
    const double zero[4] = {0};
    hand_prior prior;
    xp_sampler *sampler = make(hand_best(&prior, 4, zero), 128);
    const size_t successes[4] = {0, 1, 5, 40};
    double p[4], wanted[4];
    for (size_t arm = 0; arm < 4; arm++) {
        tell(sampler, arm, successes[arm], 0);
        wanted[arm] = (double)(successes[arm] + 1) / (4 + 46);
    }
    law(sampler, p);
    EXPECT(distance(p, wanted, 4) < 1e-7);
    xp_sampler_destroy(sampler);
}

CLAIM(the_fast_law_agrees_with_the_reference) {
    xp_rng rng = xp_rng_seed(11);
    const size_t arms_of[] = {2, 3, 10, 17, 64};
    for (size_t i = 0; i < sizeof arms_of / sizeof arms_of[0]; i++) {
        const size_t arms = arms_of[i];
        double weight[64], fast[64], slow[64];
        for (size_t arm = 0; arm < arms; arm++) {
            weight[arm] = 6 * xp_rng_uniform(&rng);
        }
        hand_prior prior;
        xp_sampler *sampler = make(hand_best(&prior, arms, weight), 128);
        for (size_t arm = 0; arm < arms; arm++) {
            tell(sampler, arm, (size_t)xp_rng_below(&rng, 60), (size_t)xp_rng_below(&rng, 60));
        }
        law(sampler, fast);
        reference(sampler, 128, slow);
        EXPECT(distance(fast, slow, arms) < 1e-12); /* same nodes: rounding alone */
        reference(sampler, 1024, slow);
        EXPECT(distance(fast, slow, arms) < 1e-8); /* many nodes: the rule's error */
        xp_sampler_destroy(sampler);
    }
}

/* What is kept up to date for 100,000 rewards is what a fresh computation gives. */
CLAIM(a_hundred_thousand_rewards_do_not_wear_the_recursion) {
    const double zero[3] = {0};
    hand_prior prior;
    xp_sampler *sampler = make(hand_best(&prior, 3, zero), 1024); /* no refocusing on the way */
    xp_rng rng = xp_rng_seed(5);
    const double mean[3] = {0.5, 0.52, 0.3};
    double worst = 0;
    for (size_t i = 1; i <= 100000; i++) {
        const size_t arm = i % 3;
        xp_sampler_observe(sampler, &rng, arm, xp_rng_uniform(&rng) < mean[arm]);
        if (i % 20000 == 0) {
            double fast[3], slow[3];
            law(sampler, fast);
            reference(sampler, 1024, slow);
            worst = fmax(worst, distance(fast, slow, 3));
        }
    }
    EXPECT(worst < 1e-11);
    xp_sampler_destroy(sampler);
}

/* Posteriors narrower than the spacing of 128 nodes; the reference has 8,192. */
CLAIM(narrow_posteriors_keep_their_law) {
    const double weight[5] = {0, -3, 0, -8, 0};
    hand_prior prior;
    static const size_t history[][5][2] = {
        {{100000, 100000}, {0, 0}, {0, 0}, {0, 0}, {0, 0}},
        {{100000, 100000}, {50010, 49990}, {5, 5}, {0, 0}, {3, 9}},
        {{100000, 100000}, {10000, 10010}, {2500, 2500}, {3000, 2900}, {800, 800}},
        {{30000, 10}, {29990, 12}, {3000, 2}, {50, 0}, {0, 0}},
        {{8000, 8000}, {8000, 8030}, {7990, 8000}, {8010, 8000}, {8000, 8010}},
        {{20000, 80000}, {0, 3}, {1, 12}, {0, 4}, {3000, 12100}},
    };
    for (size_t h = 0; h < sizeof history / sizeof history[0]; h++) {
        xp_sampler *sampler = make(hand_best(&prior, 5, weight), 128);
        double fast[5], slow[5];
        for (size_t arm = 0; arm < 5; arm++) {
            tell(sampler, arm, history[h][arm][0], history[h][arm][1]);
        }
        law(sampler, fast);
        reference(sampler, 8192, slow);
        EXPECT_NEAR(distance(fast, slow, 5), 0, 2e-3);
        xp_sampler_destroy(sampler);
    }
}

/* 3,000 successes and then 3,000 failures: on the way the density at 1/2 is 1e-900. */
CLAIM(a_turn_of_luck_does_not_leave_a_dead_density) {
    const double zero[2] = {0};
    hand_prior prior;
    xp_sampler *sampler = make(hand_best(&prior, 2, zero), 128);
    xp_rng rng = xp_rng_seed(1);
    for (size_t i = 0; i < 6000; i++) {
        xp_sampler_observe(sampler, &rng, 0, i < 3000);
    }
    tell(sampler, 1, 50, 50);
    double fast[2], slow[2];
    law(sampler, fast);
    reference(sampler, 4096, slow);
    EXPECT_NEAR(fast[0], slow[0], 1e-4);
    xp_sampler_destroy(sampler);
}

/* The prior is sure of arm 0, of arm 1 it allows e^-60; the rewards say arm 2 (e^-400). */
CLAIM(rewards_that_contradict_the_prior_are_weighed_by_the_reference) {
    const double weight[4] = {0, -60, -400, -INFINITY};
    hand_prior prior;
    xp_sampler *sampler = make(hand_best(&prior, 4, weight), 128);
    tell(sampler, 0, 10, 90);
    tell(sampler, 1, 40, 60);
    tell(sampler, 2, 90, 10);
    tell(sampler, 3, 99, 1);
    double fast[4], slow[4];
    law(sampler, fast);
    reference(sampler, 128, slow);
    EXPECT(distance(fast, slow, 4) < 1e-9);
    EXPECT(fast[3] == 0);
    xp_rng rng = xp_rng_seed(2);
    size_t hits[4] = {0};
    for (int i = 0; i < 2000; i++) {
        hits[xp_sampler_act(sampler, &rng)]++;
    }
    double theta[4];
    EXPECT(xp_sampler_draw(sampler, &rng, theta));
    EXPECT(hits[3] == 0);
    for (size_t arm = 0; arm < 4; arm++) {
        EXPECT(theta[arm] >= 0 && theta[arm] <= 1);
        EXPECT_NEAR((double)hits[arm] / 2000, slow[arm], 0.06); /* 5 sd at most */
    }
    xp_sampler_destroy(sampler);
}

CLAIM(many_arms_share_the_law_evenly_and_stay_finite) {
    enum { K = 64 };
    const double zero[K] = {0};
    hand_prior prior;
    xp_sampler *sampler = make(hand_best(&prior, K, zero), 128);
    double p[K];
    law(sampler, p);
    for (size_t arm = 0; arm < K; arm++) {
        EXPECT_NEAR(p[arm], 1.0 / K, 1e-12);
    }
    for (size_t arm = 0; arm < K; arm++) {
        tell(sampler, arm, arm % 3, 3000);
    }
    law(sampler, p);
    double sum = 0;
    for (size_t arm = 0; arm < K; arm++) {
        sum += p[arm];
        EXPECT(p[arm] >= 0 && isfinite(p[arm]));
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    xp_sampler_destroy(sampler);
}
