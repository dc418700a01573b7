/* The dual of the maximum-entropy prior over Q-functions against brute force and by weak duality,
 * and the weights it leaves against the one-dimensional equation. */
#include "claim.h"

#include "prior/states/trajectory_dual.h"
#include "prior/states/trajectory_weights.h"
#include "prior/states/states_prior.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_REFERENCES = 1500, MOST_TRAJECTORIES = 200 };

static double scaled[MOST_REFERENCES * MOST_TRAJECTORIES];
static double share[MOST_TRAJECTORIES], w[MOST_TRAJECTORIES], expected[MOST_TRAJECTORIES];

/* Likelihoods exp(-range · u), u uniform, each trajectory's largest 1; random shares. */
static xp__trajectory_dual draw_dual(size_t references, size_t trajectories, double range,
                                     double lambda, uint64_t seed) {
    xp_rng rng = xp_rng_seed(seed);
    double total = 0;
    for (size_t j = 0; j < trajectories; j++) {
        double least = INFINITY;
        for (size_t c = 0; c < references; c++) {
            scaled[c * trajectories + j] = xp_rng_uniform(&rng);
            least = fmin(least, scaled[c * trajectories + j]);
        }
        for (size_t c = 0; c < references; c++) {
            double *m = &scaled[c * trajectories + j];
            *m = exp(-range * (*m - least));
        }
        share[j] = 0.05 + xp_rng_uniform(&rng);
        total += share[j];
    }
    for (size_t j = 0; j < trajectories; j++) {
        share[j] /= total;
    }
    return (xp__trajectory_dual){references, trajectories, scaled, share, lambda, NULL};
}

/* log of the mean over references of exp(Σ_j v_j m_j), and E_mu[m_j] if `mean` is given. */
static double log_partition(const xp__trajectory_dual *dual, const double *v, double *mean) {
    const size_t n = dual->trajectories;
    double largest = -INFINITY, sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; pass == 1 && mean != NULL && j < n; j++) {
            mean[j] = 0;
        }
        for (size_t c = 0; c < dual->references; c++) {
            double exponent = 0;
            for (size_t j = 0; j < n; j++) {
                exponent += v[j] * dual->scaled[c * n + j];
            }
            if (pass == 0) {
                largest = fmax(largest, exponent);
                continue;
            }
            sum += exp(exponent - largest);
            for (size_t j = 0; mean != NULL && j < n; j++) {
                mean[j] += exp(exponent - largest) * dual->scaled[c * n + j];
            }
        }
    }
    for (size_t j = 0; mean != NULL && j < n; j++) {
        mean[j] /= sum;
    }
    return largest + log(sum / (double)dual->references);
}

static double dual_value(const xp__trajectory_dual *dual, const double *v) {
    double sum = 0;
    for (size_t j = 0; j < dual->trajectories; j++) {
        sum += dual->share[j] * log(v[j]);
    }
    return dual->lambda * sum - log_partition(dual, v, NULL);
}

/* The largest dual value over v[index ..], by golden section on log v, the innermost first. */
static double golden(const xp__trajectory_dual *dual, double *v, size_t index) {
    const double ratio = (sqrt(5) - 1) / 2;
    double low = log(dual->lambda * share[index]) - 1, high = low + 12, found[2] = {0};
    if (index == dual->trajectories) {
        return dual_value(dual, v);
    }
    double at[2] = {high - ratio * (high - low), low + ratio * (high - low)};
    for (int side = 0; side < 2; side++) {
        v[index] = exp(at[side]);
        found[side] = golden(dual, v, index + 1);
    }
    while (high - low > 1e-9) {
        const int worse = found[0] < found[1] ? 0 : 1;
        *(worse == 0 ? &low : &high) = at[worse];
        at[worse] = at[1 - worse];
        found[worse] = found[1 - worse];
        at[1 - worse] = worse == 0 ? low + ratio * (high - low) : high - ratio * (high - low);
        v[index] = exp(at[1 - worse]);
        found[1 - worse] = golden(dual, v, index + 1);
        if (at[0] > at[1]) {
            const double swap[2] = {at[0], found[0]};
            at[0] = at[1], found[0] = found[1];
            at[1] = swap[0], found[1] = swap[1];
        }
    }
    v[index] = exp((low + high) / 2);
    return golden(dual, v, index + 1);
}

/* Golden section finds a maximum to the square root of the rounding of its values. */
CLAIM(the_optimum_in_one_and_two_dimensions_is_that_of_golden_section) {
    static const double lambdas[] = {0.3, 10, 200};
    for (size_t trajectories = 1; trajectories <= 2; trajectories++) {
        for (size_t i = 0; i < 3; i++) {
            const xp__trajectory_dual dual = draw_dual(12, trajectories, 4, lambdas[i], 10 + i);
            xp__trajectory_dual_result result;
            double v[3] = {0};
            EXPECT(xp__trajectory_dual_solve(&dual, w, expected, &result, NULL) == XP_OK);
            const double best = golden(&dual, v, 0);
            EXPECT_NEAR(dual_value(&dual, w), best, 1e-12);
            EXPECT(dual_value(&dual, w) >= best - 1e-12 * (1 + fabs(best)));
            for (size_t j = 0; j < trajectories; j++) {
                EXPECT_NEAR(w[j] / v[j], 1, 1e-5);
            }
        }
    }
}

/* Weak duality is the certificate: KL(mu || mu0) − lambda Σ p log E_mu[m] of any mu is at least
 * the dual's value, with equality only at the optimum. */
CLAIM(weights_are_stationary_and_the_gap_certifies_it) {
    static const struct {
        size_t references, trajectories;
        double range, lambda;
    } cases[] = {{2, 1, 3, 10},       {5, 3, 1, 0.1},      {1500, 30, 10, 10},
                 {1500, 30, 30, 1e4}, {1500, 200, 20, 10}, {40, 200, 20, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const xp__trajectory_dual dual = draw_dual(cases[i].references, cases[i].trajectories,
                                                   cases[i].range, cases[i].lambda, 20 + i);
        static double mean[MOST_TRAJECTORIES];
        xp__trajectory_dual_result result;
        EXPECT(xp__trajectory_dual_solve(&dual, w, expected, &result, NULL) == XP_OK);
        const double log_z = log_partition(&dual, w, mean);
        double primal = -log_z, value = dual.lambda - log_z;
        for (size_t j = 0; j < dual.trajectories; j++) {
            const double p = dual.lambda * share[j];
            EXPECT_NEAR(expected[j] / mean[j], 1, 1e-9);
            EXPECT_NEAR(w[j] * mean[j] / p, 1, 1e-5);
            primal += w[j] * mean[j] - p * log(mean[j]);
            value += p * log(w[j]) - p * log(p);
        }
        EXPECT(result.gap >= 0 && result.gap <= 1e-10);
        EXPECT_NEAR(primal, value, 1e-10);
        EXPECT(result.effective >= 1 && result.effective <= (double)dual.references * (1 + 1e-12));
    }
}

CLAIM(the_scale_of_a_likelihood_is_taken_up_by_its_weight) {
    xp__trajectory_dual dual = draw_dual(100, 3, 5, 10, 30);
    static const double factor[3] = {1, 0.25, 1e-3};
    double first[3];
    xp__trajectory_dual_result result, again;
    EXPECT(xp__trajectory_dual_solve(&dual, w, expected, &result, NULL) == XP_OK);
    memcpy(first, w, sizeof first);
    for (size_t i = 0; i < 300; i++) {
        scaled[i] *= factor[i % 3];
    }
    EXPECT(xp__trajectory_dual_solve(&dual, w, expected, &again, NULL) == XP_OK);
    for (size_t j = 0; j < 3; j++) {
        EXPECT_NEAR(w[j] * factor[j] / first[j], 1, 1e-6);
    }
    EXPECT_NEAR(again.effective, result.effective, 1e-6);
}

/* With references that do not differ the prior is mu0, whatever lambda: w = lambda p / m. */
CLAIM(references_that_do_not_differ_leave_the_reference_distribution) {
    const xp__trajectory_dual dual = draw_dual(10, 2, 0, 7, 31);
    xp__trajectory_dual_result result;
    EXPECT(xp__trajectory_dual_solve(&dual, w, expected, &result, NULL) == XP_OK);
    EXPECT_NEAR(w[0], 7 * share[0], 1e-12);
    EXPECT_NEAR(w[1], 7 * share[1], 1e-12);
    EXPECT_NEAR(result.effective, 10, 1e-9);
}

/* One state, three actions; every demonstration is the choice of action 1. */
static const xp_env_info bandit = {.actions = 3};

static xp_demos *one_choice(void) {
    const uint32_t action = 1;
    xp_demos *demos;
    return xp_demos_create(0, 3, &demos, NULL) == XP_OK &&
                   xp_demos_add(demos, NULL, &action, 1, 8, NULL) == XP_OK
               ? demos
               : NULL;
}

enum { REFERENCES = 40 };

/* The likelihoods of that choice under the reference networks, which are those of the stream. */
static double one_choice_likelihoods(const xp_rng *rng, double beta, double *m) {
    const uint32_t row = 0;
    const xp__net_rows rows = {.count = 1, .hot = &row};
    xp__net_options options = xp__net_options_default(1, 3, 1);
    options.members = REFERENCES;
    options.hidden = 6;
    const xp_rng own = xp_rng_fork(rng, 0);
    xp__net *net;
    float q[REFERENCES][3];
    double most = 0;
    EXPECT(xp__net_create(&options, &own, &net, NULL) == XP_OK);
    xp__net_q(net, 0, REFERENCES, &rows, q[0]);
    xp__net_destroy(net);
    for (size_t c = 0; c < REFERENCES; c++) {
        const double up = exp(beta * (double)q[c][1]);
        m[c] = up / (exp(beta * (double)q[c][0]) + up + exp(beta * (double)q[c][2]));
        most = fmax(most, m[c]);
    }
    return most;
}

static double tilted_mean(const double *m, double alpha) {
    double sum = 0, total = 0;
    for (size_t c = 0; c < REFERENCES; c++) {
        sum += m[c] * exp(alpha * (m[c] - 1));
        total += exp(alpha * (m[c] - 1));
    }
    return sum / total;
}

/* One distinct demonstration: alpha E_mu[m] = lambda, found by bisection. */
CLAIM(the_weight_of_a_single_trajectory_solves_its_equation) {
    xp_demos *demos = one_choice();
    xp__encoded_demos read;
    EXPECT(xp__encoded_demos_init(&read, &bandit, demos, NULL, NULL) == XP_OK);
    const xp_rng rng = xp_rng_seed(40);
    double m[REFERENCES], alpha = 0;
    (void)one_choice_likelihoods(&rng, 2, m);
    for (double lambda = 0.1; lambda < 200; lambda *= 10) {
        const xp__trajectory_weights_options options = {.references = REFERENCES,
                                                        .hidden = 6,
                                                        .beta = 2,
                                                        .lambda = lambda,
                                                        .epsilon = INFINITY};
        xp__states_fit fit;
        double low = 0, high = 1e5;
        EXPECT(xp__trajectory_weights_solve(&options, &read, &rng, &alpha, &fit, NULL) == XP_OK);
        for (int i = 0; i < 100; i++) {
            const double middle = (low + high) / 2;
            *(middle * tilted_mean(m, middle) < lambda ? &low : &high) = middle;
        }
        EXPECT_NEAR(alpha / low, 1, 1e-5);
        EXPECT_NEAR(fit.divergence, -log(tilted_mean(m, low)), 1e-6);
        EXPECT(fit.lambda == lambda && fit.duality_gap <= 1e-10);
    }
    xp__encoded_demos_deinit(&read);
    xp_demos_destroy(demos);
}

CLAIM(lambda_is_solved_for_so_that_the_divergence_is_epsilon_or_the_least_is_named) {
    xp_demos *demos = one_choice();
    xp__encoded_demos read;
    EXPECT(xp__encoded_demos_init(&read, &bandit, demos, NULL, NULL) == XP_OK);
    const xp_rng rng = xp_rng_seed(41);
    double m[REFERENCES], alpha = 0;
    const double least = -log(one_choice_likelihoods(&rng, 2, m)), most = -log(tilted_mean(m, 0));
    xp__trajectory_weights_options options = {.references = REFERENCES, .hidden = 6, .beta = 2};
    xp__states_fit fit;
    xp_error error;
    for (int i = 1; i <= 3; i++) {
        options.epsilon = least + (most - least) * i / 4;
        EXPECT(xp__trajectory_weights_solve(&options, &read, &rng, &alpha, &fit, NULL) == XP_OK);
        EXPECT_NEAR(fit.divergence, options.epsilon, 1e-6);
        EXPECT(fit.divergence <= options.epsilon);
        EXPECT_NEAR(alpha * tilted_mean(m, alpha), fit.lambda, 1e-5);
    }
    options.epsilon = least / 2;
    EXPECT(xp__trajectory_weights_solve(&options, &read, &rng, &alpha, &fit, &error) ==
           XP_ERR_NUMERIC);
    char named[64];
    (void)snprintf(named, sizeof named, "the least is about %.3g", least);
    EXPECT_TEXT(error.message, named);
    xp__encoded_demos_deinit(&read);
    xp_demos_destroy(demos);
}

/* Both actions in one state cannot be likely for an expert who hardly errs. */
CLAIM(a_demonstration_that_no_reference_explains_is_an_error_and_no_infinite_weight) {
    const uint32_t actions[2] = {0, 1};
    xp_demos *demos;
    xp__encoded_demos read;
    EXPECT(xp_demos_create(0, 3, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, NULL, actions, 2, 1, NULL) == XP_OK);
    EXPECT(xp__encoded_demos_init(&read, &bandit, demos, NULL, NULL) == XP_OK);
    const xp_rng rng = xp_rng_seed(42);
    const xp__trajectory_weights_options options = {
        .references = 20, .hidden = 6, .beta = 1e6, .lambda = 10, .epsilon = INFINITY};
    double alpha = 0;
    xp__states_fit fit;
    xp_error error;
    EXPECT(xp__trajectory_weights_solve(&options, &read, &rng, &alpha, &fit, &error) ==
           XP_ERR_NUMERIC);
    EXPECT_TEXT(error.message, "distinct demonstration 1 has a likelihood of at most exp(-");
    xp__encoded_demos_deinit(&read);
    xp_demos_destroy(demos);
}
