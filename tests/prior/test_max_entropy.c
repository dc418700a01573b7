/* The maximum-entropy expert prior: closed forms, the certificate of its solver, and independent
 * solutions of the same problem (a primal method on a grid, dense tensor grids). */
#include "claim.h"
#include "prior/counted_demos.h"

#include "experior/prior.h"
#include "prior/bandit/best_arm_dual.h"
#include "prior/bandit/prior_type.h"
#include "prior/softmax/softmax_density.h"
#include "prior/softmax/softmax_dual.h"
#include "prior/softmax/softmax_hull.h"

#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_K = 16 };

/* A fit with "name=value" settings, NULL-terminated; NULL with the error set if it fails. */
static xp_prior *fit_to(size_t arms, const uint64_t *counts, const char *const *settings,
                        xp_fit *fit, xp_error *error) {
    xp__params params;
    EXPECT(xp__prior_params_default("max_entropy", &params, error) == XP_OK);
    for (; *settings != NULL; settings++) {
        char name[32];
        const size_t length = strcspn(*settings, "=");
        memcpy(name, *settings, length);
        name[length] = '\0';
        EXPECT(xp__params_set_text(&params, name, *settings + length + 1, error) == XP_OK);
    }
    xp_demos *demos = counted_demos(arms, counts);
    xp_prior *prior;
    (void)xp__prior_fit("max_entropy", &params, demos, NULL, &prior, fit, error);
    xp_demos_destroy(demos);
    return prior;
}

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void softmax(const double *theta, size_t arms, double beta, double *s) {
    double top = theta[0], total = 0;
    for (size_t a = 1; a < arms; a++) {
        top = fmax(top, theta[a]);
    }
    for (size_t a = 0; a < arms; a++) {
        s[a] = exp(beta * (theta[a] - top));
        total += s[a];
    }
    for (size_t a = 0; a < arms; a++) {
        s[a] /= total;
    }
}

static double sum_of(const double *x, size_t n) {
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        total += x[i];
    }
    return total;
}

/* Random frequencies: `kind` 0 nearly even, 1 uneven, 2 one arm takes almost all. */
static void draw_counts(xp_rng *rng, size_t arms, int kind, uint64_t total, uint64_t *counts) {
    double weight[MAX_K];
    for (size_t a = 0; a < arms; a++) {
        weight[a] = xp_rng_gamma(rng, kind == 0 ? 5 : kind == 1 ? 0.5 : 0.1);
        counts[a] = 0;
    }
    for (uint64_t i = 0; i < total; i++) {
        counts[xp_rng_categorical(rng, weight, arms)]++;
    }
}

CLAIM(with_optimal_experts_the_density_is_the_smoothed_frequency_of_the_best_arm) {
    const uint64_t counts[] = {7, 0, 90, 3};
    xp_fit fit;
    xp_prior *prior = fit_to(4, counts, SETTINGS(NULL), &fit, NULL);
    for (size_t best = 0; best < 4; best++) {
        double theta[] = {0.2, 0.3, 0.1, 0.25};
        theta[best] = 0.9;
        /* K p, p = (n + 1/2) / (N + K/2) */
        EXPECT_NEAR(xp_prior_log_density(prior, theta), log(4 * ((double)counts[best] + 0.5) / 102),
                    1e-14);
    }
    EXPECT(isinf(fit.lambda) && fit.divergence == 0 && fit.converged);
    EXPECT(fit.duality_gap >= 0 && fit.duality_gap < 1e-12);
    EXPECT_NEAR(xp_prior_log_density_bound(prior), log(4 * 90.5 / 102), 1e-14);
    /* (1/N) Σ n log p */
    EXPECT_NEAR(fit.log_likelihood,
                (7 * log(7.5 / 102) + 90 * log(90.5 / 102) + 3 * log(3.5 / 102)) / 100, 1e-13);
    xp_prior_destroy(prior);
}

CLAIM(with_optimal_experts_and_finite_lambda_the_weights_solve_lamberts_equation) {
    const double lambdas[] = {1e-3, 1, 10, 190, 1000, 1e6, 1e12};
    xp_rng rng = xp_rng_seed(1);
    for (size_t k = 0; k < 7; k++) {
        for (size_t arms = 2; arms <= 10; arms += 4) {
            uint64_t counts[MAX_K];
            double p[MAX_K], log_weight[MAX_K], m[MAX_K];
            draw_counts(&rng, arms, 2, 50, counts);
            for (size_t a = 0; a < arms; a++) {
                p[a] = ((double)counts[a] + 0.5) / (50 + 0.5 * (double)arms);
            }
            const double lambda = lambdas[k];
            const double divergence = xp__best_arm_dual(p, arms, lambda, log_weight);
            for (size_t a = 0; a < arms; a++) {
                m[a] = exp(log_weight[a]) / (double)arms;
            }
            EXPECT_NEAR(sum_of(m, arms), 1, 1e-12);
            EXPECT_NEAR(divergence, xp__divergence(p, m, arms), 1e-11);
            /* Stationarity, w_a = lambda p_a / m_a, and log density = w_a − constant. */
            for (size_t a = 1; a < arms; a++) {
                const double difference = lambda * (p[a] / m[a] - p[0] / m[0]);
                EXPECT_NEAR(log_weight[a] - log_weight[0], difference, 1e-14 * lambda + 1e-11);
            }
            EXPECT(xp__best_arm_gap(p, arms, lambda, log_weight) < 1e-11);
        }
    }
}

CLAIM(a_wrong_density_has_a_duality_gap) {
    const double p[] = {0.7, 0.2, 0.1};
    double log_weight[3];
    (void)xp__best_arm_dual(p, 3, 10, log_weight);
    log_weight[0] -= 0.1;
    EXPECT(xp__best_arm_gap(p, 3, 10, log_weight) > 1e-4);
}

CLAIM(with_optimal_experts_lambda_is_found_from_epsilon) {
    const uint64_t counts[] = {80, 15, 5, 0};
    xp_fit fit;
    xp_prior_destroy(fit_to(4, counts, SETTINGS("epsilon=0.01"), &fit, NULL));
    EXPECT_NEAR(fit.divergence, 0.01, 1e-10);
    EXPECT(fit.lambda > 1 && fit.lambda < 1e4 && fit.duality_gap < 1e-10);
    xp_prior_destroy(fit_to(4, counts, SETTINGS("epsilon=5"), &fit, NULL));
    EXPECT(fit.lambda == 0 && fit.divergence < 5);
    xp_prior_destroy(fit_to(4, counts, SETTINGS("epsilon=0"), &fit, NULL));
    EXPECT(isinf(fit.lambda) && fit.divergence == 0);
}

CLAIM(the_duality_gap_closes_for_every_beta_lambda_and_frequency) {
    const char *const betas[] = {"beta=0.5", "beta=1", "beta=2.5", "beta=10", "beta=50"};
    const char *const lambdas[] = {"lambda=1", "lambda=10", "lambda=190", "lambda=1000"};
    const uint64_t totals[] = {1, 20, 1000};
    xp_rng rng = xp_rng_seed(2);
    for (size_t arms = 2; arms <= 10; arms += 2) {
        for (size_t b = 0; b < 5; b++) {
            for (size_t l = 0; l < 4; l++) {
                const int kind = (int)((arms / 2 + b + l) % 3);
                uint64_t counts[MAX_K];
                draw_counts(&rng, arms, kind, totals[(b + l) % 3], counts);
                xp_fit fit = {.duality_gap = NAN};
                xp_error error = {.message = ""};
                xp_prior *prior = fit_to(
                    arms, counts, SETTINGS(betas[b], lambdas[l], "points=2048"), &fit, &error);
                EXPECT_TEXT(prior != NULL ? "solved" : error.message, "solved");
                EXPECT(fit.duality_gap >= 0 && fit.duality_gap <= 1e-6 && fit.converged);
                xp_prior_destroy(prior);
            }
        }
    }
}

/* The same sums, written out naively. */
static void primal_and_dual(const xp__softmax_points *points, const double *mass, const double *p,
                            double lambda, const double *v, double *primal, double *dual) {
    const size_t arms = points->arms, count = points->count;
    double m[MAX_K] = {0}, relative = 0, normaliser = 0;
    for (size_t i = 0; i < count; i++) {
        double exponent = points->base[i];
        for (size_t a = 0; a < arms; a++) {
            m[a] += mass[i] * points->s[a * count + i];
            exponent += v[a] * points->s[a * count + i];
        }
        relative += mass[i] > 0 ? mass[i] * (log(mass[i]) - points->base[i]) : 0;
        normaliser += exp(exponent);
    }
    *primal = relative + lambda * xp__divergence(p, m, arms);
    *dual = -log(normaliser);
    for (size_t a = 0; a < arms; a++) {
        *dual += lambda * p[a] * log((lambda + v[a]) / lambda);
    }
}

CLAIM(the_certificate_is_primal_minus_dual_and_no_other_weights_do_better) {
    const double p[] = {0.6, 0.25, 0.1, 0.05}, lambda = 100;
    xp__softmax_points points;
    EXPECT(xp__softmax_points_init(&points, 4, 2048, 5, NULL, NULL) == XP_OK);
    double v[4] = {0}, primal, dual, mass[2048];
    xp__dual_result result;
    EXPECT(xp__softmax_dual_solve(&points, p, lambda, v, &result, NULL) == XP_OK);
    EXPECT(points.count == 2048);
    memcpy(mass, points.weight, sizeof mass);
    primal_and_dual(&points, mass, p, lambda, v, &primal, &dual);
    EXPECT_NEAR(primal, dual, 1e-10);
    EXPECT_NEAR(result.gap, 0, 1e-10);
    xp_rng rng = xp_rng_seed(3);
    for (int trial = 0; trial < 20; trial++) {
        double other[2048];
        for (size_t i = 0; i < 2048; i++) {
            other[i] = mass[i] * exp(0.1 * xp_rng_normal(&rng));
        }
        const double total = sum_of(other, 2048);
        for (size_t i = 0; i < 2048; i++) {
            other[i] /= total;
        }
        double worse;
        primal_and_dual(&points, other, p, lambda, v, &worse, &dual);
        EXPECT(worse > primal);
    }
    xp__softmax_points_deinit(&points);
}

/* E_mu[s] and log E_mu0[exp(w · s)] on a tensor grid of Gauss-Legendre nodes (GSL's). */
static void dense_grid(const xp_prior *prior, size_t side, double *mean, double *log_normaliser) {
    const size_t arms = prior->arms, cells = (size_t)(pow((double)side, (double)arms) + 0.5);
    double total = 0, theta[3], s[3], node[256], weight[256];
    gsl_integration_glfixed_table *table = gsl_integration_glfixed_table_alloc(side);
    for (size_t i = 0; i < side; i++) {
        (void)gsl_integration_glfixed_point(0, 1, i, &node[i], &weight[i], table);
    }
    gsl_integration_glfixed_table_free(table);
    memset(mean, 0, arms * sizeof *mean);
    for (size_t cell = 0; cell < cells; cell++) {
        double mass = 1;
        size_t rest = cell;
        for (size_t a = 0; a < arms; a++, rest /= side) {
            theta[a] = node[rest % side];
            mass *= weight[rest % side];
        }
        softmax(theta, arms, prior->softmax_beta, s);
        mass *= exp(xp_prior_log_density(prior, theta));
        total += mass;
        for (size_t a = 0; a < arms; a++) {
            mean[a] += mass * s[a];
        }
    }
    *log_normaliser = prior->log_normaliser + log(total);
    for (size_t a = 0; a < arms; a++) {
        mean[a] /= total;
    }
}

CLAIM(the_points_agree_with_a_dense_grid_within_one_percent) {
    static const struct {
        size_t arms, side;
        uint64_t counts[3];
        const char *beta, *lambda;
    } cases[] = {
        {2, 200, {70, 30, 0}, "beta=10", "lambda=190"},
        {2, 200, {1, 0, 0}, "beta=2.5", "lambda=10"},
        {2, 200, {990, 10, 0}, "beta=50", "lambda=1000"},
        {2, 200, {60, 40, 0}, "beta=1", "lambda=1000"},
        {3, 64, {50, 30, 20}, "beta=10", "lambda=190"},
        {3, 64, {960, 40, 0}, "beta=10", "lambda=1000"},
        {3, 64, {5, 3, 0}, "beta=2.5", "lambda=1000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint64_t *counts = cases[i].counts;
        const size_t arms = cases[i].arms;
        xp_prior *prior =
            fit_to(arms, counts, SETTINGS(cases[i].beta, cases[i].lambda), NULL, NULL);
        EXPECT(prior != NULL);
        double mean[3], log_normaliser, p[3];
        dense_grid(prior, cases[i].side, mean, &log_normaliser);
        const double lambda = xp__params_get(&prior->params, "lambda");
        xp__prior_smoothed(prior, p);
        EXPECT_NEAR(prior->log_normaliser, log_normaliser, 0.01);
        /* Stationarity of the problem over the cube itself: w_a = lambda p_a / E[s_a], up to the
         * constant that softmax absorbs; so E[s_a] = p_a / (1 + v_a / lambda). */
        double wanted[3];
        for (size_t a = 0; a < arms; a++) {
            wanted[a] = p[a] / (1 + prior->softmax_weight[a] / lambda);
        }
        for (size_t a = 0; a < arms; a++) {
            EXPECT(fabs(mean[a] - wanted[a]) <= 0.005);
            EXPECT(fabs(mean[a] - wanted[a]) <= 0.05 * wanted[a]); /* rare arms too */
        }
        xp_prior_destroy(prior);
    }
}

/* For two arms everything depends on d = theta_0 − theta_1, whose density is 1 − |d|. Minimises
 * KL(mu || mu0) + lambda KL(p || E_mu[s]) over the masses on a grid of d by mirror descent on the
 * primal itself. */
static void primal_two_arms(const double *p, double beta, double lambda, size_t cells, double *mu,
                            double *reference) {
    double total = 0;
    for (size_t i = 0; i < cells; i++) {
        const double d = 2 * ((double)i + 0.5) / (double)cells - 1;
        reference[i] = 1 - fabs(d);
        total += reference[i];
    }
    for (size_t i = 0; i < cells; i++) {
        mu[i] = reference[i] /= total;
    }
    const double rate = 1 / (1 + lambda);
    for (int step = 0; step < 20000; step++) {
        double m = 0, sum = 0;
        for (size_t i = 0; i < cells; i++) {
            const double d = 2 * ((double)i + 0.5) / (double)cells - 1;
            m += mu[i] / (1 + exp(-beta * d));
        }
        for (size_t i = 0; i < cells; i++) {
            const double d = 2 * ((double)i + 0.5) / (double)cells - 1,
                         s = 1 / (1 + exp(-beta * d));
            const double slope =
                log(mu[i] / reference[i]) - lambda * (p[0] * s / m + p[1] * (1 - s) / (1 - m));
            mu[i] *= exp(-rate * (slope + lambda));
            sum += mu[i];
        }
        for (size_t i = 0; i < cells; i++) {
            mu[i] /= sum;
        }
    }
}

CLAIM(for_two_arms_the_prior_is_what_minimising_the_primal_on_a_grid_finds) {
    const uint64_t counts[] = {85, 15};
    enum { CELLS = 100 };
    double mu[CELLS], reference[CELLS], p[2];
    xp_prior *prior = fit_to(2, counts, SETTINGS("beta=4", "lambda=20"), NULL, NULL);
    EXPECT(prior != NULL);
    xp__prior_smoothed(prior, p);
    primal_two_arms(p, 4, 20, CELLS, mu, reference);
    for (size_t i = 0; i < CELLS; i += 3) {
        const double d = 2 * ((double)i + 0.5) / CELLS - 1;
        const double theta[] = {0.5 + 0.5 * d, 0.5 - 0.5 * d};
        EXPECT_NEAR(xp_prior_log_density(prior, theta), log(mu[i] / reference[i]), 0.01);
    }
    xp_prior_destroy(prior);
}

CLAIM(lambda_is_solved_so_that_the_constraint_is_active) {
    xp_rng rng = xp_rng_seed(4);
    const char *const betas[] = {"beta=5", "beta=10", "beta=50"};
    for (size_t i = 0; i < 3; i++) {
        uint64_t counts[MAX_K];
        draw_counts(&rng, 10, 1, 1000, counts);
        xp_fit fit = {.lambda = NAN};
        xp_error error = {.message = ""};
        xp_prior *prior = fit_to(10, counts, SETTINGS(betas[i]), &fit, &error);
        EXPECT_TEXT(prior != NULL ? "solved" : error.message, "solved");
        EXPECT_NEAR(fit.divergence, 9.0 / 2000, 1e-9); /* (K − 1) / (2N) */
        EXPECT(fit.lambda > 1 && fit.duality_gap < 1e-9);
        xp_prior_destroy(prior);
    }
}

CLAIM(one_demonstration_leaves_the_uniform_prior) {
    /* epsilon = (K − 1) / 2 is more than KL(p || uniform), so nothing is asked of the prior. */
    const uint64_t counts[] = {0, 1, 0, 0};
    xp_fit fit;
    xp_prior *prior = fit_to(4, counts, SETTINGS("beta=10"), &fit, NULL);
    EXPECT(fit.lambda == 0 && fit.converged && fit.duality_gap == 0);
    EXPECT_NEAR(xp_prior_log_density(prior, (const double[]){0.1, 0.9, 0.3, 0.2}), 0, 1e-14);
    xp_prior_destroy(prior);
}

CLAIM(exact_matching_at_finite_beta_gives_the_smoothed_frequencies) {
    const uint64_t counts[] = {50, 30, 20};
    xp_fit fit;
    xp_prior *prior = fit_to(3, counts, SETTINGS("beta=10", "lambda=inf"), &fit, NULL);
    EXPECT(prior != NULL);
    double mean[3], log_normaliser, p[3];
    dense_grid(prior, 64, mean, &log_normaliser);
    xp__prior_smoothed(prior, p);
    EXPECT(fit.divergence < 1e-12 && isinf(fit.lambda));
    for (size_t a = 0; a < 3; a++) {
        EXPECT_NEAR(mean[a], p[a], 0.003);
    }
    xp_prior_destroy(prior);
}

CLAIM(a_beta_too_small_for_the_demonstrations_is_a_sentence_and_not_a_loop) {
    const uint64_t counts[] = {995, 5};
    xp_error error;
    xp_prior *prior = fit_to(2, counts, SETTINGS("beta=1"), NULL, &error);
    EXPECT(prior == NULL && error.status == XP_ERR_NUMERIC);
    EXPECT_TEXT(error.message, "max_entropy.beta = 1 is too small for these demonstrations");
    /* The nearest reachable frequency is e / (1 + e): its divergence is in the sentence. */
    const double p = 995.5 / 1001, m = exp(1) / (1 + exp(1));
    char number[32];
    (void)snprintf(number, sizeof number, "KL = %.4g",
                   p * log(p / m) + (1 - p) * log((1 - p) / (1 - m)));
    EXPECT_TEXT(error.message, number);
    prior = fit_to(2, counts, SETTINGS("beta=1", "lambda=inf"), NULL, &error);
    EXPECT(prior == NULL && error.status == XP_ERR_NUMERIC);
    prior = fit_to(2, counts, SETTINGS("beta=0"), NULL, &error);
    EXPECT(prior == NULL && error.status == XP_ERR_NUMERIC);
}

CLAIM(the_nearest_reachable_frequencies_come_with_a_bound) {
    /* K = 3, all mass on arm 0: the corner (1, 0, 0) is nearest. */
    const double p[] = {0.98, 0.01, 0.01}, e = exp(1);
    double m[3], divergence, bound;
    EXPECT(xp__softmax_hull_nearest(p, 3, 1, 0, 1e-8, m, &divergence, &bound, NULL) == XP_OK);
    EXPECT_NEAR(m[0], e / (e + 2), 1e-9);
    EXPECT(bound <= divergence && bound > divergence - 1e-6);
    /* Inside the hull the divergence vanishes. */
    const double inside[] = {0.4, 0.35, 0.25};
    EXPECT(xp__softmax_hull_nearest(inside, 3, 1, 1e-10, 1e-8, m, &divergence, &bound, NULL) ==
           XP_OK);
    EXPECT(divergence <= 1e-10 && bound <= divergence);
}

CLAIM(experts_of_the_fitted_prior_choose_as_the_demonstrations_do) {
    /* Independent check over 10 arms by importance sampling from the uniform distribution. */
    const uint64_t counts[] = {300, 200, 150, 100, 80, 60, 50, 40, 15, 5};
    xp_fit fit;
    xp_prior *prior = fit_to(10, counts, SETTINGS("beta=10"), &fit, NULL);
    EXPECT(prior != NULL);
    enum { DRAWS = 200000 };
    xp_rng rng = xp_rng_seed(5);
    double mean[10] = {0}, p[10], total = 0;
    for (int i = 0; i < DRAWS; i++) {
        double theta[10], s[10];
        for (size_t a = 0; a < 10; a++) {
            theta[a] = xp_rng_uniform(&rng);
        }
        softmax(theta, 10, 10, s);
        const double density = exp(xp_prior_log_density(prior, theta)) / DRAWS;
        total += density;
        for (size_t a = 0; a < 10; a++) {
            mean[a] += density * s[a];
        }
    }
    EXPECT_NEAR(total, 1, 0.04);
    xp__prior_smoothed(prior, p);
    for (size_t a = 0; a < 10; a++) {
        mean[a] /= total;
    }
    /* The divergence that the fit reports, from draws it has never seen. */
    EXPECT_NEAR(xp__divergence(p, mean, 10), fit.divergence, 0.0015);
    xp_prior_destroy(prior);
}

CLAIM(more_points_give_the_same_prior) {
    const uint64_t counts[] = {700, 150, 100, 30, 10, 8, 2, 0};
    xp_fit coarse, fine;
    xp_prior *a = fit_to(8, counts, SETTINGS("beta=10"), &coarse, NULL);
    xp_prior *b = fit_to(8, counts, SETTINGS("beta=10", "points=65536"), &fine, NULL);
    EXPECT(a != NULL && b != NULL);
    EXPECT(fabs(coarse.lambda / fine.lambda - 1) < 0.05);
    EXPECT_NEAR(a->log_normaliser - a->softmax_weight[0], b->log_normaliser - b->softmax_weight[0],
                0.05);
    xp_prior_destroy(a);
    xp_prior_destroy(b);
}

CLAIM(a_fit_is_a_function_of_its_input) {
    const uint64_t counts[] = {40, 30, 20, 9, 1};
    char *text[2];
    for (int i = 0; i < 2; i++) {
        xp_prior *prior = fit_to(5, counts, SETTINGS("beta=10", "lambda=300"), NULL, NULL);
        EXPECT(xp__prior_to_json(prior, &text[i], NULL) == XP_OK);
        xp_prior_destroy(prior);
    }
    EXPECT(strcmp(text[0], text[1]) == 0);
    xp_release(text[0]);
    xp_release(text[1]);
}

CLAIM(the_bound_is_the_largest_density_of_a_corner) {
    xp_rng rng = xp_rng_seed(6);
    const double betas[] = {0.3, 2, 20, 900};
    for (size_t k = 0; k < 4; k++) {
        double w[6], s[6], best = -INFINITY;
        size_t order[6];
        for (size_t a = 0; a < 6; a++) {
            w[a] = 5 * xp_rng_normal(&rng);
        }
        for (unsigned corner = 0; corner < 64; corner++) {
            double theta[6], value = 0;
            for (size_t a = 0; a < 6; a++) {
                theta[a] = (double)(corner >> a & 1);
            }
            softmax(theta, 6, betas[k], s);
            for (size_t a = 0; a < 6; a++) {
                value += w[a] * s[a];
            }
            best = fmax(best, value);
        }
        EXPECT_NEAR(xp__softmax_support(w, 6, betas[k], s, order), best, 1e-13);
        double value = 0;
        for (size_t a = 0; a < 6; a++) {
            value += w[a] * s[a];
        }
        EXPECT_NEAR(value, best, 1e-13);
    }
}

CLAIM(refreshed_points_have_the_means_of_the_distribution_they_stand_for) {
    /* Two arms: E_v[s] by quadrature over d = theta_0 − theta_1 with density 1 − |d|. */
    const double v[] = {30, 0}, beta = 10;
    enum { CELLS = 20000 };
    double total = 0, mean = 0;
    for (size_t i = 0; i < CELLS; i++) {
        const double d = 2 * ((double)i + 0.5) / CELLS - 1, s = 1 / (1 + exp(-beta * d));
        const double mass = (1 - fabs(d)) * exp(v[0] * s) * 2 / CELLS;
        total += mass;
        mean += mass * s;
    }
    xp__softmax_points points;
    EXPECT(xp__softmax_points_init(&points, 2, 8192, beta, NULL, NULL) == XP_OK);
    xp__softmax_points_follow(&points, v);
    EXPECT_NEAR(points.mean[1] / (1 - mean / total), 1, 0.02);
    for (int i = 0; i < 5; i++) {
        xp__softmax_points_refresh(&points, v);
    }
    EXPECT(points.refreshes >= 5 && points.effective >= 0.45);
    /* The rarer arm keeps its relative accuracy. */
    EXPECT_NEAR(points.mean[1] / (1 - mean / total), 1, 0.1);
    EXPECT_NEAR(points.log_normaliser, log(total), 0.02);
    xp__softmax_points_deinit(&points);
}

CLAIM(extreme_competence_is_finite_and_close_to_the_limit) {
    const uint64_t counts[] = {60, 30, 10};
    xp_fit limit, sharp;
    xp_prior *a = fit_to(3, counts, SETTINGS("lambda=50"), &limit, NULL);
    xp_prior *b = fit_to(3, counts, SETTINGS("lambda=50", "beta=1e6"), &sharp, NULL);
    EXPECT(a != NULL && b != NULL);
    const double theta[] = {0.3, 0.8, 0.5};
    EXPECT_NEAR(xp_prior_log_density(b, theta), xp_prior_log_density(a, theta), 0.02);
    EXPECT_NEAR(sharp.divergence, limit.divergence, 1e-4);
    xp_prior_destroy(a);
    xp_prior_destroy(b);
}

CLAIM(settings_that_contradict_are_refused_in_a_sentence) {
    const uint64_t counts[] = {5, 0, 5};
    xp_error error;
    EXPECT(fit_to(3, counts, SETTINGS("lambda=1", "epsilon=0.1"), NULL, &error) == NULL);
    EXPECT_TEXT(error.message,
                "max_entropy.lambda = 1 and max_entropy.epsilon = 0.1 are both given");
    EXPECT(fit_to(3, counts, SETTINGS("smoothing=0"), NULL, &error) == NULL);
    EXPECT_TEXT(error.message, "no demonstration chose arm 1");
    xp__params params;
    EXPECT(xp__prior_params_default("max_entropy", &params, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "beta", "-1", &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "max_entropy.beta = -1 is outside [0, inf]");
}

CLAIM(the_authors_prior_has_log_density_k_times_frequency_times_softmax) {
    const uint64_t counts[] = {6, 3, 1};
    xp_demos *demos = counted_demos(3, counts);
    xp_prior *prior;
    xp_fit fit;
    EXPECT(xp_prior_fit("max_entropy_authors", demos, NULL, &prior, &fit, NULL) == XP_OK);
    const double a[] = {0.9, 0.5, 0.1}, b[] = {0.2, 0.3, 0.7};
    double s[3], difference = 0;
    softmax(a, 3, 10, s);
    difference += 3 * (0.6 * s[0] + 0.3 * s[1] + 0.1 * s[2]);
    softmax(b, 3, 10, s);
    difference -= 3 * (0.6 * s[0] + 0.3 * s[1] + 0.1 * s[2]);
    EXPECT_NEAR(xp_prior_log_density(prior, a) - xp_prior_log_density(prior, b), difference, 1e-13);
    double mean[3], log_normaliser;
    dense_grid(prior, 64, mean, &log_normaliser);
    EXPECT_NEAR(prior->log_normaliser, log_normaliser, 0.003);
    const double p[] = {0.6, 0.3, 0.1};
    EXPECT_NEAR(fit.divergence, xp__divergence(p, mean, 3), 0.003);
    xp_prior_destroy(prior);

    xp__params params;
    EXPECT(xp__prior_params_default("max_entropy_authors", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "beta", INFINITY, NULL) == XP_OK);
    EXPECT(xp__prior_fit("max_entropy_authors", &params, demos, NULL, &prior, NULL, NULL) == XP_OK);
    EXPECT_NEAR(xp_prior_log_density(prior, a), 1.8 - log((exp(1.8) + exp(0.9) + exp(0.3)) / 3),
                1e-13);
    xp_prior_destroy(prior);
    xp_demos_destroy(demos);
}
