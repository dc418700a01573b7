/* The maximum-entropy prior over a list of contexts: closed forms, brute force, invariances. */
#include "claim.h"

#include "prior/bandit/best_arm_dual.h"
#include "prior/states/enumerated.h"

#include <math.h>
#include <stdio.h>

CLAIM(where_every_trajectory_belongs_to_one_context_the_prior_is_that_of_best_arms) {
    /* Closed form for lambda = inf, Lambert's W for the others (best_arm_dual.c). Two trajectories
     * of context 1 count together, and context 3 has none. */
    const double likelihood[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double count[] = {70, 15, 5, 10};
    const double lambdas[] = {0.01, 1, 10, 1000, INFINITY};
    double p[4];
    const double shown[] = {70, 20, 10, 0};
    for (size_t c = 0; c < 4; c++) {
        p[c] = (shown[c] + 0.5) / 102;
    }
    for (size_t i = 0; i < 5; i++) {
        const xp__enumerated problem = {.contexts = 4,
                                        .trajectories = 4,
                                        .likelihood = likelihood,
                                        .count = count,
                                        .smoothing = 0.5,
                                        .lambda = lambdas[i]};
        xp__enumerated_result result;
        double mu[4], log_weight[4];
        EXPECT(xp__enumerated_fit(&problem, mu, &result, NULL) == XP_OK);
        (void)xp__best_arm_dual(p, 4, lambdas[i], log_weight);
        for (size_t c = 0; c < 4; c++) {
            EXPECT_NEAR(log(4 * mu[c]), log_weight[c], 1e-8);
        }
        EXPECT(isinf(lambdas[i]) ? result.iterations == 0 : result.iterations < 40);
    }
}

/* Three contexts that four trajectories tell apart only in part. */
static const double overlapping[] = {1, 0.5, 0.1, 0.3, 1, 0.2, 0, 1, 1, 1, 1, 0};
static const double seen[] = {9, 4, 2, 5};

static xp__enumerated overlap(double lambda) {
    return (xp__enumerated){.contexts = 3,
                            .trajectories = 4,
                            .likelihood = overlapping,
                            .count = seen,
                            .smoothing = 0.5,
                            .lambda = lambda};
}

/* The objective over 1 + lambda, written out; infinite outside the simplex. */
static double value(double lambda, double a, double b) {
    const double mu[] = {a, b, 1 - a - b};
    if (!(a > 0 && b > 0 && mu[2] > 0)) {
        return INFINITY;
    }
    const double fit = isinf(lambda) ? 1 : lambda / (1 + lambda);
    const double total = 20 + 1.5;
    double sum = 0;
    for (size_t j = 0; j < 4; j++) {
        const double *m = overlapping + 3 * j;
        sum -= fit * seen[j] / total * log(mu[0] * m[0] + mu[1] * m[1] + mu[2] * m[2]);
    }
    for (size_t c = 0; c < 3; c++) {
        sum -= fit * 0.5 / total * log(mu[c]);
        sum += (1 - fit) * mu[c] * log(3 * mu[c]);
    }
    return sum;
}

CLAIM(the_fit_is_the_minimum_that_a_search_over_the_simplex_finds) {
    const double lambdas[] = {0.1, 3, 50, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        double a = 1.0 / 3, b = 1.0 / 3, best = value(lambdas[i], a, b), width = 0.3;
        while (width > 1e-9) { /* pattern search: F is convex and smooth */
            double a0 = a, b0 = b;
            for (int k = 0; k < 8; k++) {
                const double x = a0 + width * cos(k * 0.785398), y = b0 + width * sin(k * 0.785398);
                if (value(lambdas[i], x, y) < best) {
                    best = value(lambdas[i], x, y);
                    a = x;
                    b = y;
                }
            }
            width = a == a0 && b == b0 ? width / 2 : width;
        }
        const xp__enumerated problem = overlap(lambdas[i]);
        xp__enumerated_result result;
        double mu[3];
        EXPECT(xp__enumerated_fit(&problem, mu, &result, NULL) == XP_OK);
        EXPECT_NEAR(mu[0], a, 1e-6); /* a search by values ends within the root of their rounding */
        EXPECT_NEAR(mu[1], b, 1e-6);
        EXPECT(value(lambdas[i], mu[0], mu[1]) <= best + 1e-14);
        EXPECT(result.gap <= 1e-10 && result.iterations < 40);
    }
}

CLAIM(the_prior_has_the_exponential_form_of_proposition_1) {
    /* log mu_c = Σ_j alpha_j m_j(c) − log Z with alpha_j = lambda p_j / Σ_c mu_c m_j(c), the
     * smoothing's trajectories among them. */
    const double lambda = 7, total = 21.5;
    const xp__enumerated problem = overlap(lambda);
    xp__enumerated_result result;
    double mu[3], log_z[3];
    EXPECT(xp__enumerated_fit(&problem, mu, &result, NULL) == XP_OK);
    for (size_t c = 0; c < 3; c++) {
        log_z[c] = lambda * 0.5 / total / mu[c] - log(mu[c]);
        for (size_t j = 0; j < 4; j++) {
            const double *m = overlapping + 3 * j;
            const double share = mu[0] * m[0] + mu[1] * m[1] + mu[2] * m[2];
            log_z[c] += lambda * seen[j] / total / share * m[c];
        }
    }
    EXPECT_NEAR(log_z[1], log_z[0], 1e-9);
    EXPECT_NEAR(log_z[2], log_z[0], 1e-9);
}

CLAIM(proportional_trajectories_count_as_one_and_lambda_0_is_uniform) {
    const double twice[] = {1, 0.5, 0.1, 0.3, 1, 0.2, 1, 0.5, 0.1};
    const double parts[] = {6, 4, 3};
    const xp__enumerated split = {.contexts = 3,
                                  .trajectories = 3,
                                  .likelihood = twice,
                                  .count = parts,
                                  .smoothing = 0.5,
                                  .lambda = 20};
    xp__enumerated whole = overlap(20);
    whole.trajectories = 2;
    xp__enumerated_result result;
    double a[3], b[3];
    EXPECT(xp__enumerated_fit(&split, a, &result, NULL) == XP_OK);
    EXPECT(xp__enumerated_fit(&whole, b, &result, NULL) == XP_OK);
    whole.lambda = 0;
    for (size_t c = 0; c < 3; c++) {
        EXPECT_NEAR(a[c], b[c], 1e-10);
    }
    EXPECT(xp__enumerated_fit(&whole, a, &result, NULL) == XP_OK);
    for (size_t c = 0; c < 3; c++) {
        EXPECT(a[c] == 1.0 / 3);
    }
}
