/* Parametric priors: how often experts choose each arm, its derivatives, and fits by marginal
 * likelihood. References: closed forms, GSL's quadrature, Monte Carlo, finite differences. */
#include "claim.h"
#include "prior/counted_demos.h"

#include "prior/bandit/independent_fit.h"
#include "prior/bandit/score_estimator.h"
#include "prior/bandit/prior_type.h"

#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

/* The family of a type, from a fit to whatever. */
static const xp__family *family_of(const char *method) {
    const uint64_t counts[] = {2, 1};
    xp_demos *demos = counted_demos(2, counts);
    xp_prior *prior;
    EXPECT(xp_prior_fit(method, demos, NULL, &prior, NULL, NULL) == XP_OK);
    const xp__family *family = ((const xp__independent_prior *)prior)->family;
    xp_prior_destroy(prior);
    xp_demos_destroy(demos);
    return family;
}

/* P(a) of the quadrature for Beta(a, b) arms. */
static void choice_of_beta_arms(double beta, size_t arms, const double *a, const double *b,
                                double *probability) {
    const uint64_t counts[16] = {1};
    double coordinate[32];
    xp__choice_objective objective;
    EXPECT(xp__choice_objective_init(&objective, family_of("beta"), arms, counts, 1, beta, 0,
                                     NULL) == XP_OK);
    for (size_t k = 0; k < arms; k++) {
        coordinate[2 * k] = log(a[k]);
        coordinate[2 * k + 1] = log(b[k]);
    }
    (void)xp__choice_objective_value(&objective, coordinate, NULL);
    memcpy(probability, objective.probability, arms * sizeof *probability);
    xp__choice_objective_deinit(&objective);
}

CLAIM(with_optimal_experts_power_laws_win_in_proportion_to_their_exponents) {
    /* theta_k ~ Beta(a_k, 1) has F = x^a: P(k is best) = a_k / Σ a. */
    const double a[] = {0.3, 1, 2.5, 7, 0.05}, b[] = {1, 1, 1, 1, 1};
    double p[5];
    choice_of_beta_arms(INFINITY, 5, a, b, p);
    for (size_t k = 0; k < 5; k++) {
        EXPECT_NEAR(p[k], a[k] / 10.85, 1e-9);
    }
}

CLAIM(choice_probabilities_add_up_to_one) {
    const double betas[] = {0, 0.1, 1, 2.5, 10, 25, 60, 100, INFINITY};
    const double a[] = {0.03, 1, 50, 3, 200, 0.7}, b[] = {0.5, 1, 30, 0.03, 200, 0.7};
    for (size_t k = 0; k < 9; k++) {
        double p[6], total = 0;
        choice_of_beta_arms(betas[k], 6, a, b, p);
        for (size_t i = 0; i < 6; i++) {
            EXPECT(p[i] > -1e-6);
            total += p[i];
            EXPECT(betas[k] > 0 || fabs(p[i] - 1.0 / 6) < 1e-7);
        }
        EXPECT_NEAR(total, 1, 1e-4);
    }
}

CLAIM(choice_probabilities_are_those_of_direct_quadrature_over_two_and_three_arms) {
    /* Tensor product of 60 Gauss-Legendre nodes, smooth densities. */
    enum { SIDE = 60 };
    const double a[] = {2, 3.5, 1}, b[] = {3, 2, 1};
    const double betas[] = {0.5, 2.5, 10, 30};
    double node[SIDE], weight[SIDE];
    gsl_integration_glfixed_table *table = gsl_integration_glfixed_table_alloc(SIDE);
    for (size_t i = 0; i < SIDE; i++) {
        (void)gsl_integration_glfixed_point(0, 1, i, &node[i], &weight[i], table);
    }
    gsl_integration_glfixed_table_free(table);
    for (size_t k = 0; k < 4; k++) {
        for (size_t arms = 2; arms <= 3; arms++) {
            double p[3], direct[3] = {0, 0, 0};
            choice_of_beta_arms(betas[k], arms, a, b, p);
            for (size_t cell = 0; cell < (arms == 2 ? SIDE * SIDE : SIDE * SIDE * SIDE); cell++) {
                double mass = 1, e[3], total = 0;
                size_t rest = cell;
                for (size_t i = 0; i < arms; i++, rest /= SIDE) {
                    const double x = node[rest % SIDE];
                    mass *= weight[rest % SIDE] * gsl_ran_beta_pdf(x, a[i], b[i]);
                    e[i] = exp(betas[k] * x);
                    total += e[i];
                }
                for (size_t i = 0; i < arms; i++) {
                    direct[i] += mass * e[i] / total;
                }
            }
            for (size_t i = 0; i < arms; i++) {
                EXPECT_NEAR(p[i], direct[i], 1e-7);
            }
        }
    }
}

CLAIM(choice_probabilities_are_those_of_simulated_experts) {
    /* Singular and narrow arms together; error bound five standard errors. */
    const double a[] = {0.2, 5, 1, 30}, b[] = {0.4, 2, 6, 12};
    const double betas[] = {1, 10, INFINITY};
    enum { DRAWS = 100000 };
    for (size_t k = 0; k < 3; k++) {
        double p[4], count[4] = {0, 0, 0, 0};
        choice_of_beta_arms(betas[k], 4, a, b, p);
        xp_rng rng = xp_rng_seed(1);
        for (int i = 0; i < DRAWS; i++) {
            size_t best = 0;
            double top = -INFINITY;
            for (size_t arm = 0; arm < 4; arm++) {
                const double noise = isinf(betas[k]) ? 0 : xp_rng_gumbel(&rng) / betas[k];
                const double score = xp_rng_beta(&rng, a[arm], b[arm]) + noise;
                best = score > top ? arm : best;
                top = fmax(top, score);
            }
            count[best]++;
        }
        for (size_t arm = 0; arm < 4; arm++) {
            EXPECT(fabs(count[arm] / DRAWS - p[arm]) <= 5 * sqrt(p[arm] * (1 - p[arm]) / DRAWS));
        }
    }
}

CLAIM(gradients_of_the_penalised_likelihood_are_those_of_finite_differences) {
    const char *const methods[] = {"beta", "gamma", "normal"};
    const double betas[] = {0.5, 10, 40, INFINITY};
    const uint64_t counts[] = {50, 30, 15, 0, 5};
    for (size_t m = 0; m < 3; m++) {
        const xp__family *family = family_of(methods[m]);
        for (size_t k = 0; k < 4; k++) {
            xp__choice_objective objective;
            EXPECT(xp__choice_objective_init(&objective, family, 5, counts, 100, betas[k], 3,
                                             NULL) == XP_OK);
            xp_rng rng = xp_rng_seed(2);
            double x[10], gradient[10];
            for (size_t i = 0; i < 10; i++) {
                x[i] = family->start[i % 2] + 0.4 * xp_rng_normal(&rng);
            }
            (void)xp__choice_objective_value(&objective, x, gradient);
            for (size_t i = 0; i < 10; i++) {
                const double at = x[i], h = 1e-5;
                x[i] = at + h;
                const double above = xp__choice_objective_value(&objective, x, NULL);
                x[i] = at - h;
                const double below = xp__choice_objective_value(&objective, x, NULL);
                x[i] = at;
                EXPECT(fabs(gradient[i] - (above - below) / (2 * h)) < 1e-8);
            }
            xp__choice_objective_deinit(&objective);
        }
    }
}

CLAIM(the_penalty_is_the_divergence_from_uniform) {
    /* KL(Beta(a, b) || U) = (a − 1)(ψ(a) − ψ(a + b)) + (b − 1)(ψ(b) − ψ(a + b)) − log B(a, b); for
     * Beta(2, 1): log 2 − 1/2. Two such arms, weight 4, N = 8: (4/8) · 2 · that. */
    const uint64_t counts[] = {4, 4};
    xp__choice_objective objective;
    EXPECT(xp__choice_objective_init(&objective, family_of("beta"), 2, counts, 8, 10, 4, NULL) ==
           XP_OK);
    const double x[] = {log(2), 0, log(2), 0};
    /* By symmetry P = 1/2. */
    EXPECT_NEAR(xp__choice_objective_value(&objective, x, NULL), -log(2) - (log(2) - 0.5), 1e-6);
    xp__choice_objective_deinit(&objective);
}

/* A fit of expert competence `beta`; a penalty of NAN is the default. */
static xp_prior *fit_penalised(const char *method, size_t arms, const uint64_t *counts, double beta,
                               double penalty, xp_fit *fit) {
    xp__params params;
    xp_prior *prior;
    EXPECT(xp__prior_params_default(method, &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "beta", beta, NULL) == XP_OK);
    EXPECT(isnan(penalty) || xp__params_set(&params, "penalty", penalty, NULL) == XP_OK);
    xp_demos *demos = counted_demos(arms, counts);
    EXPECT(xp__prior_fit(method, &params, demos, NULL, &prior, fit, NULL) == XP_OK);
    xp_demos_destroy(demos);
    return prior;
}

static xp_prior *fit_counts(const char *method, size_t arms, const uint64_t *counts,
                            const char *name, double value, xp_fit *fit) {
    xp__params params;
    xp_prior *prior;
    xp_rng rng = xp_rng_seed(3);
    EXPECT(xp__prior_params_default(method, &params, NULL) == XP_OK);
    if (name != NULL) {
        EXPECT(xp__params_set(&params, name, value, NULL) == XP_OK);
    }
    xp_demos *demos = counted_demos(arms, counts);
    EXPECT(xp__prior_fit(method, &params, demos, &rng, &prior, fit, NULL) == XP_OK);
    xp_demos_destroy(demos);
    return prior;
}

CLAIM(a_light_penalty_recovers_the_frequencies) {
    const uint64_t counts[] = {500, 250, 150, 80, 20};
    const char *const methods[] = {"beta", "gamma", "normal"};
    for (size_t m = 0; m < 3; m++) {
        xp_fit fit;
        xp_prior *prior = fit_counts(methods[m], 5, counts, "penalty", 0.1, &fit);
        EXPECT(fit.converged && fit.divergence >= 0 && fit.divergence < 1e-4);
        xp_prior_destroy(prior);
    }
}

CLAIM(a_heavier_penalty_gives_a_prior_nearer_to_uniform) {
    const uint64_t counts[] = {500, 250, 150, 80, 20};
    const double penalties[] = {1, 30, 1000, 1e7};
    double before = -1;
    for (size_t k = 0; k < 4; k++) {
        xp_fit fit;
        xp_prior *prior = fit_counts("beta", 5, counts, "penalty", penalties[k], &fit);
        EXPECT(fit.converged && fit.divergence > before);
        before = fit.divergence;
        if (k == 3) {
            for (size_t a = 0; a < 5; a++) {
                EXPECT_NEAR(prior->beta_a[a], 1, 1e-3);
                EXPECT_NEAR(prior->beta_b[a], 1, 1e-3);
            }
        }
        xp_prior_destroy(prior);
    }
}

CLAIM(the_penalised_fit_is_a_maximum) {
    const uint64_t counts[] = {70, 20, 10, 0};
    const double betas[] = {1, 10, INFINITY};
    for (size_t k = 0; k < 3; k++) {
        xp_fit fit;
        xp_prior *prior = fit_penalised("beta", 4, counts, betas[k], 1, &fit);
        EXPECT(fit.converged);
        xp__choice_objective objective;
        EXPECT(xp__choice_objective_init(&objective, family_of("beta"), 4, counts, 100, betas[k], 1,
                                         NULL) == XP_OK);
        double x[8], y[8];
        for (size_t i = 0; i < 8; i++) {
            x[i] = log(i % 2 == 0 ? prior->beta_a[i / 2] : prior->beta_b[i / 2]);
        }
        const double best = xp__choice_objective_value(&objective, x, NULL);
        xp_rng rng = xp_rng_seed(4);
        for (int trial = 0; trial < 100; trial++) {
            const double scale = trial < 50 ? 0.01 : 0.5;
            for (size_t i = 0; i < 8; i++) {
                y[i] = x[i] + scale * xp_rng_normal(&rng);
            }
            EXPECT(xp__choice_objective_value(&objective, y, NULL) < best);
        }
        xp__choice_objective_deinit(&objective);
        xp_prior_destroy(prior);
    }
}

CLAIM(where_the_model_misfits_the_penalty_grows_by_the_dispersion) {
    const uint64_t counts[] = {70, 20, 10, 0};
    xp_fit plain, scaled, standard;
    xp_prior_destroy(fit_penalised("beta", 4, counts, 1, 1, &plain));
    /* KL against its expectation (K − 1) / (2N) under the model */
    const double dispersion = 2 * 100 * plain.divergence / 3;
    EXPECT(dispersion > 5); /* experts of competence 1 do not choose one arm in 70 of 100 */
    xp_prior *a = fit_penalised("beta", 4, counts, 1, dispersion, &scaled);
    xp_prior *b = fit_penalised("beta", 4, counts, 1, NAN, &standard);
    for (size_t arm = 0; arm < 4; arm++) {
        EXPECT_NEAR(b->beta_a[arm], a->beta_a[arm], 1e-3);
        EXPECT_NEAR(b->beta_b[arm], a->beta_b[arm], 1e-3);
    }
    xp_prior_destroy(a);
    xp_prior_destroy(b);
    /* A model that fits keeps the penalty of one demonstration. */
    a = fit_penalised("beta", 4, counts, 10, 1, &plain);
    b = fit_penalised("beta", 4, counts, 10, NAN, &standard);
    EXPECT(2 * 100 * plain.divergence / 3 < 1 && plain.divergence == standard.divergence);
    xp_prior_destroy(a);
    xp_prior_destroy(b);
}

CLAIM(arms_that_were_chosen_equally_often_get_the_same_parameters) {
    const uint64_t counts[] = {40, 0, 40, 0, 20};
    xp_prior *prior = fit_counts("beta", 5, counts, NULL, 0, NULL);
    EXPECT_NEAR(prior->beta_a[0], prior->beta_a[2], 1e-4);
    EXPECT_NEAR(prior->beta_b[1], prior->beta_b[3], 1e-4);
    /* More chosen, higher mean. */
    const double mean0 = prior->beta_a[0] / (prior->beta_a[0] + prior->beta_b[0]);
    const double mean1 = prior->beta_a[1] / (prior->beta_a[1] + prior->beta_b[1]);
    const double mean4 = prior->beta_a[4] / (prior->beta_a[4] + prior->beta_b[4]);
    EXPECT(mean0 > mean4 && mean4 > mean1);
    xp_prior_destroy(prior);
}

CLAIM(rule_steps_takes_the_steps_it_is_told) {
    const uint64_t counts[] = {60, 30, 10};
    xp_demos *demos = counted_demos(3, counts);
    xp__params params;
    xp_fit fit[3];
    EXPECT(xp__prior_params_default("beta", &params, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "rule", "steps", NULL) == XP_OK);
    for (size_t i = 0; i < 3; i++) {
        xp_prior *prior;
        if (i == 1) {
            EXPECT(xp__params_set(&params, "beta", 2.5, NULL) == XP_OK);
        } else if (i == 2) {
            EXPECT(xp__params_set(&params, "steps", 1, NULL) == XP_OK);
        }
        EXPECT(xp__prior_fit("beta", &params, demos, NULL, &prior, &fit[i], NULL) == XP_OK);
        if (i == 2) { /* the first step of Adam is the learning rate, up or down */
            EXPECT_NEAR(fabs(log(prior->beta_a[0])), 0.02, 1e-6);
        }
        xp_prior_destroy(prior);
    }
    EXPECT(fit[0].iterations == 300 && fit[1].iterations == 50 && fit[2].iterations == 1);
    EXPECT(fit[0].log_likelihood > fit[2].log_likelihood);
    xp_demos_destroy(demos);
}

CLAIM(the_score_estimator_has_the_exact_gradient_as_its_mean) {
    const uint64_t counts[] = {50, 30, 20};
    const double x[] = {0.4, -0.3, 0.1, 0.5, -0.4, 0.2};
    const double betas[] = {5, INFINITY};
    for (size_t k = 0; k < 2; k++) {
        xp__choice_objective objective;
        EXPECT(xp__choice_objective_init(&objective, family_of("beta"), 3, counts, 100, betas[k], 0,
                                         NULL) == XP_OK);
        double exact[6], mean[6] = {0}, square[6] = {0};
        (void)xp__choice_objective_value(&objective, x, exact);
        xp_rng rng = xp_rng_seed(5);
        xp__score_estimator score = {
            .counts = counts, .demonstrations = 100, .beta = betas[k], .rng = &rng};
        EXPECT(xp__score_estimator_init(&score, 3, 2000, NULL) == XP_OK);
        enum { REPEATS = 100 };
        for (int i = 0; i < REPEATS; i++) {
            double gradient[6];
            xp__score_gradient(&score, x, gradient);
            for (size_t j = 0; j < 6; j++) {
                mean[j] += gradient[j] / REPEATS;
                square[j] += gradient[j] * gradient[j] / REPEATS;
            }
        }
        for (size_t j = 0; j < 6; j++) {
            /* Five standard errors, and the bias of the ratio, which is of order 1 / samples. */
            const double se = sqrt((square[j] - mean[j] * mean[j]) / REPEATS);
            EXPECT(fabs(mean[j] - exact[j]) <= 5 * se + 0.002 && se < 0.01);
        }
        xp__score_estimator_deinit(&score);
        xp__choice_objective_deinit(&objective);
    }
}

CLAIM(a_fit_by_the_score_estimator_is_near_the_exact_one_and_needs_a_generator) {
    const uint64_t counts[] = {60, 30, 10};
    xp_demos *demos = counted_demos(3, counts);
    xp__params params;
    xp_fit exact, noisy;
    xp_prior *prior;
    EXPECT(xp__prior_params_default("beta", &params, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "rule", "steps", NULL) == XP_OK);
    EXPECT(xp__prior_fit("beta", &params, demos, NULL, &prior, &exact, NULL) == XP_OK);
    xp_prior_destroy(prior);
    EXPECT(xp__params_set_text(&params, "estimator", "score", NULL) == XP_OK);
    xp_rng rng = xp_rng_seed(6);
    EXPECT(xp__prior_fit("beta", &params, demos, &rng, &prior, &noisy, NULL) == XP_OK);
    xp_prior_destroy(prior);
    EXPECT_NEAR(noisy.log_likelihood, exact.log_likelihood, 0.01);
    xp_error error;
    EXPECT(xp__prior_fit("beta", &params, demos, NULL, &prior, NULL, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "needs a random generator");
    EXPECT(xp__params_set(&params, "penalty", 2, NULL) == XP_OK);
    EXPECT(xp__prior_fit("beta", &params, demos, &rng, &prior, NULL, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "beta.penalty = 2");
    xp_demos_destroy(demos);
}

/* ∫_0^1 of one arm's density, by GSL. */
typedef struct arm_of {
    const xp_prior *prior;
    size_t arm;
} arm_of;

static double arm_density(double x, void *context) {
    const arm_of *which = context;
    return exp(which->prior->type->arm_log_density(which->prior, which->arm, x));
}

/* exp(c1 x + c2 x² − normaliser) */
static double normal_density(double x, void *context) {
    const double *c = context;
    return exp(c[0] * x + c[1] * x * x - c[2]);
}

CLAIM(every_arm_of_a_family_has_mass_one) {
    const uint64_t counts[] = {900, 80, 15, 5, 0};
    const char *const methods[] = {"beta", "gamma", "normal"};
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    for (size_t m = 0; m < 3; m++) {
        xp_prior *prior = fit_counts(methods[m], 5, counts, NULL, 0, NULL);
        for (size_t arm = 0; arm < 5; arm++) {
            arm_of which = {prior, arm};
            gsl_function function = {arm_density, &which};
            double mass, precision;
            (void)gsl_integration_qags(&function, 0, 1, 1e-10, 1e-10, 1000, space, &mass,
                                       &precision);
            EXPECT_NEAR(mass, 1, 1e-8);
        }
        xp_prior_destroy(prior);
    }
    gsl_integration_workspace_free(space);
}

CLAIM(steep_normal_arms_have_mass_one) {
    /* ∫ exp(c1 x + c2 x²) by GSL, up to a slope of 800 across [0, 1]. */
    const xp__family *family = family_of("normal");
    const double cases[][2] = {{0.5, 0.05}, {-1, 0.05}, {2, 0.05}, {0.5, 2},   {3200, 2},
                               {-1600, 2},  {60, 1},    {60.9, 1}, {-29.9, 1}, {-31, 1}};
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double c[2], mass, precision;
        family->natural(cases[i], c);
        double exponent_shift[3] = {c[0], c[1], family->log_normaliser(cases[i])};
        gsl_function function = {normal_density, exponent_shift};
        (void)gsl_integration_qags(&function, 0, 1, 1e-12, 1e-11, 1000, space, &mass, &precision);
        EXPECT_NEAR(mass, 1, 1e-9);
    }
    gsl_integration_workspace_free(space);
}

CLAIM(fits_end_inside_their_box_for_extreme_demonstrations) {
    const uint64_t counts[][3] = {{1, 0, 0}, {1000000, 0, 0}, {1, 1, 1}, {1, 999, 0}};
    const char *const methods[] = {"beta", "gamma", "normal"};
    const double betas[] = {0, 0.1, 10, 100, INFINITY};
    for (size_t m = 0; m < 3; m++) {
        for (size_t c = 0; c < 4; c++) {
            for (size_t k = 0; k < 5; k++) {
                xp_fit fit;
                xp_prior *prior = fit_counts(methods[m], 3, counts[c], "beta", betas[k], &fit);
                EXPECT(isfinite(fit.log_likelihood) && fit.log_likelihood <= 1e-6);
                EXPECT(isfinite(xp_prior_log_density(prior, (const double[]){0.2, 0.5, 0.7})));
                xp_prior_destroy(prior);
            }
        }
    }
}
