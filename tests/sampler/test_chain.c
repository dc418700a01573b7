/* The chain of sampler mcmc against integrals that share nothing with it, for every family of
 * priors, with shapes so small that most of an arm's mass lies below 1e-15.
 *
 * Independent arms: the trapezoid rule in u = log(x / (1 - x)), where x^(a-1) is a gentle slope;
 * its step of 0.05 leaves errors below 1e-9 for the densities used. Softmax: midpoints of a square.
 *
 * Each mean is over 200,000 draws. Its standard error is that of the means of 100 batches, so
 * that correlation within 2,000 draws is counted; the allowed error is 5 of them (once in a million
 * means, if Gaussian) and 1e-5 for the integral. A standard error that is large would allow
 * anything, so it is bounded, too. */
#include "claim.h"

#include "experior/calibrate.h"
#include "prior/bandit/prior_type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DRAWS = 200000, BATCHES = 100, STATISTICS = 4 };

/* What is compared: E x of arm 0, P(x < 1e-15) and P(x < 1e-3) of arm 0, P(arm 0 is the best). */
static void statistics(const double *theta, double value[STATISTICS]) {
    value[0] = theta[0];
    value[1] = theta[0] < 1e-15;
    value[2] = theta[0] < 1e-3;
    value[3] = theta[0] > theta[1];
}

/* A prior of two arms from a file's text. */
static xp_prior *parse(const char *method, const char *params, const char *fields) {
    char text[1024];
    xp_prior *prior = NULL;
    xp_error error = {.message = ""};
    (void)snprintf(text, sizeof text,
                   "{\"format\": \"experior-prior\", \"version\": 1, \"method\": \"%s\", "
                   "\"arms\": 2, \"actions\": null, \"demonstrations\": {\"count\": 2, "
                   "\"per_arm\": [1, 1]}, \"parameters\": {%s}, \"fit\": {\"iterations\": 1, "
                   "\"converged\": true, \"lambda\": 1, \"divergence\": 0, \"duality_gap\": 0, "
                   "\"log_likelihood\": -100}, %s}",
                   method, params, fields);
    EXPECT(xp__prior_from_json(text, strlen(text), "test", &prior, &error) == XP_OK);
    if (prior == NULL) {
        printf("  %s\n", error.message);
    }
    return prior;
}

static xp_prior *independent(const char *method, const char *first, double u0, double u1,
                             const char *second, double v0, double v1) {
    char fields[256];
    (void)snprintf(fields, sizeof fields, "\"%s\": [%.17g, %.17g], \"%s\": [%.17g, %.17g]", first,
                   u0, u1, second, v0, v1);
    return parse(method,
                 "\"beta\": 10, \"rule\": \"penalty\", \"penalty\": null, \"steps\": null, "
                 "\"learning_rate\": 0.02",
                 fields);
}

typedef struct history {
    size_t successes[2], failures[2];
} history;

static const history none = {{0, 0}, {0, 0}}, some = {{2, 0}, {1, 3}}, lost = {{0, 1}, {6, 0}};

/* Log density of an arm's log odds, up to a constant, straight from the family's formula. */
typedef double (*arm_density)(double log_x, double log_y, const double parameter[2]);

static double gamma_arm(double log_x, double log_y, const double parameter[2]) {
    (void)log_y;
    return (parameter[0] - 1) * log_x - parameter[1] * exp(log_x);
}

static double normal_arm(double log_x, double log_y, const double parameter[2]) {
    (void)log_y;
    const double z = (exp(log_x) - parameter[0]) / parameter[1];
    return -0.5 * z * z;
}

static double beta_arm(double log_x, double log_y, const double parameter[2]) {
    return (parameter[0] - 1) * log_x + (parameter[1] - 1) * log_y;
}

/* The statistics of two independent arms on the nodes of u: masses of both, then sums. */
static void integrate_arms(arm_density density, const double parameter[2][2], const history *seen,
                           double value[STATISTICS]) {
    enum { NODES = 60000 };
    static double mass[2][NODES];
    const double step = 0.05, first = -2900; /* to 100 */
    double total[2] = {0, 0}, below = 0;
    for (size_t arm = 0; arm < 2; arm++) {
        double top = -INFINITY;
        for (size_t i = 0; i < NODES; i++) {
            const double u = first + step * (double)i;
            const double log_x = u < 0 ? u - log1p(exp(u)) : -log1p(exp(-u)), log_y = log_x - u;
            mass[arm][i] = density(log_x, log_y, parameter[arm]) +
                           (1 + (double)seen->successes[arm]) * log_x +
                           (1 + (double)seen->failures[arm]) * log_y;
            top = fmax(top, mass[arm][i]);
        }
        for (size_t i = 0; i < NODES; i++) {
            mass[arm][i] = exp(mass[arm][i] - top);
            total[arm] += mass[arm][i];
        }
    }
    memset(value, 0, STATISTICS * sizeof *value);
    for (size_t i = 0; i < NODES; i++) {
        const double u = first + step * (double)i, x = 1 / (1 + exp(-u));
        const double share = mass[0][i] / total[0], other = mass[1][i] / total[1];
        value[0] += share * x;
        /* A node stands for u plus and minus half a step. */
        value[1] += share * fmax(0, fmin(1, 0.5 + (log(1e-15) - u) / step));
        value[2] += share * fmax(0, fmin(1, 0.5 + (log(1e-3 / (1 - 1e-3)) - u) / step));
        value[3] += share * (below + 0.5 * other);
        below += other;
    }
}

static void integrate_softmax(const double weight[2], double beta, const history *seen,
                              double value[STATISTICS]) {
    enum { SIDE = 1000 };
    double total = 0;
    memset(value, 0, STATISTICS * sizeof *value);
    for (size_t i = 0; i < SIDE; i++) {
        for (size_t j = 0; j < SIDE; j++) {
            const double x[2] = {((double)i + 0.5) / SIDE, ((double)j + 0.5) / SIDE};
            const double s = 1 / (1 + exp(beta * (x[1] - x[0])));
            double level = weight[0] * s + weight[1] * (1 - s);
            for (size_t arm = 0; arm < 2; arm++) {
                level += (double)seen->successes[arm] * log(x[arm]) +
                         (double)seen->failures[arm] * log1p(-x[arm]);
            }
            const double mass = exp(level);
            total += mass;
            value[0] += mass * x[0];
            value[2] += i == 0 ? mass : 0;
            value[3] += i > j ? mass : i == j ? 0.5 * mass : 0;
        }
    }
    for (size_t k = 0; k < STATISTICS; k++) {
        value[k] /= total;
    }
}

static void compare(xp_prior *prior, const history *seen, const double exact[STATISTICS],
                    const char *what) {
    xp_sampler *sampler = NULL;
    EXPECT(prior != NULL && xp_sampler_create("mcmc", prior, &sampler, NULL) == XP_OK);
    if (sampler == NULL) {
        return;
    }
    xp_rng rng = xp_rng_seed(1);
    xp_sampler_reset(sampler, &rng);
    for (size_t arm = 0; arm < 2; arm++) {
        for (size_t i = 0; i < seen->successes[arm] + seen->failures[arm]; i++) {
            xp_sampler_observe(sampler, &rng, arm, i < seen->successes[arm]);
        }
    }
    double mean[STATISTICS] = {0}, square[STATISTICS] = {0};
    for (size_t batch = 0; batch < BATCHES; batch++) {
        double sum[STATISTICS] = {0};
        for (size_t i = 0; i < DRAWS / BATCHES; i++) {
            double theta[2], value[STATISTICS];
            EXPECT(xp_sampler_draw(sampler, &rng, theta));
            statistics(theta, value);
            for (size_t k = 0; k < STATISTICS; k++) {
                sum[k] += value[k] / (DRAWS / BATCHES);
            }
        }
        for (size_t k = 0; k < STATISTICS; k++) {
            mean[k] += sum[k] / BATCHES;
            square[k] += sum[k] * sum[k] / BATCHES;
        }
    }
    for (size_t k = 0; k < STATISTICS; k++) {
        const double se = sqrt(fmax(0, square[k] - mean[k] * mean[k]) / (BATCHES - 1));
        const bool right = fabs(mean[k] - exact[k]) <= 5 * se + 1e-5 && se < 0.004;
        if (!right) {
            printf("  %s, statistic %zu: %.5f ± %.5f instead of %.5f\n", what, k, mean[k], se,
                   exact[k]);
        }
        EXPECT(right);
    }
    xp_sampler_destroy(sampler);
}

static void compare_arms(const char *method, const char *const names[2], arm_density density,
                         const double parameter[2][2], const history *seen) {
    double exact[STATISTICS];
    char what[64];
    (void)snprintf(what, sizeof what, "%s %g", method, parameter[0][0]);
    xp_prior *prior = independent(method, names[0], parameter[0][0], parameter[1][0], names[1],
                                  parameter[0][1], parameter[1][1]);
    integrate_arms(density, parameter, seen, exact);
    compare(prior, seen, exact, what);
    xp_prior_destroy(prior);
}

CLAIM(the_chain_is_right_for_gamma_arms_of_every_shape) {
    static const char *const names[2] = {"shape", "rate"};
    static const double shapes[] = {0.03, 0.02, 0.1, 0.3, 2.5, 0.8};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const double parameter[2][2] = {{shapes[i], 2}, {0.2, 0.5}};
        compare_arms("gamma", names, gamma_arm, parameter, i % 2 == 0 ? &none : &some);
        compare_arms("gamma", names, gamma_arm, parameter, &lost);
    }
}

CLAIM(the_chain_is_right_for_beta_arms_of_every_shape) {
    static const char *const names[2] = {"a", "b"};
    static const double shapes[] = {0.03, 0.1, 0.8, 4};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const double parameter[2][2] = {{shapes[i], 1.5}, {0.2, 2}};
        compare_arms("beta", names, beta_arm, parameter, &none);
        compare_arms("beta", names, beta_arm, parameter, &some);
    }
}

CLAIM(the_chain_is_right_for_normal_arms) {
    static const char *const names[2] = {"mean", "sd"};
    static const double parameter[2][2] = {{0.3, 0.1}, {-0.5, 0.6}},
                        narrow[2][2] = {{0, 0.02}, {0.01, 0.05}};
    compare_arms("normal", names, normal_arm, parameter, &none);
    compare_arms("normal", names, normal_arm, parameter, &some);
    compare_arms("normal", names, normal_arm, narrow, &lost);
}

CLAIM(the_chain_is_right_for_softmax_priors) {
    static const double weight[2] = {6, 2}, beta = 8;
    const history *const seen[] = {&none, &some, &lost};
    for (size_t i = 0; i < 3; i++) {
        double exact[STATISTICS];
        integrate_softmax(weight, beta, seen[i], exact);
        xp_prior *prior = parse("max_entropy",
                                "\"beta\": 8, \"lambda\": null, \"epsilon\": null, \"smoothing\": "
                                "0.5, \"points\": null",
                                "\"softmax_weights\": [6, 2], \"log_normaliser\": 4");
        compare(prior, seen[i], exact, "softmax");
        xp_prior_destroy(prior);
    }
}

/* Ranks among the chain's draws of means that were drawn from the prior by a table. */
CLAIM(the_chain_is_calibrated_on_steep_gamma_arms) {
    xp_prior *prior = independent("gamma", "shape", 0.03, 0.1, "rate", 1, 1);
    xp_calibrate_options options = xp_calibrate_options_default();
    options.sampler = "mcmc";
    options.simulations = 400;
    xp_calibrate_result *result = NULL;
    EXPECT(prior != NULL && xp_calibrate(prior, &options, &result, NULL) == XP_OK);
    for (size_t i = 0; result != NULL && i < result->statistic_count; i++) {
        EXPECT(result->statistics[i].p > 0.001);
    }
    xp_calibrate_result_destroy(result);
    xp_prior_destroy(prior);
}
