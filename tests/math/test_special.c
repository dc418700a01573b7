/* Special functions: against closed forms, against GSL where it is accurate, and against reference
 * values computed with 60 digits (mpmath 1.3) where it is not. */
#include "claim.h"

#include "math/special.h"
#include "math/stirling.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf.h>
#include <math.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static double relative_error(double got, double wanted) {
    return got == wanted ? 0 : fabs(got / wanted - 1);
}

/* The larger; NaN counts as infinite, so that it cannot pass for small. */
static double worse(double worst, double error) {
    return isnan(error) ? INFINITY : fmax(worst, error);
}

static const double shapes[] = {0.03, 0.1, 0.5, 1, 1.5, 2, 3, 10, 30, 100, 400};

CLAIM(log_gamma_is_the_log_of_the_factorial_and_agrees_with_gsl) {
    double factorial = 1, worst = 0;
    for (int n = 1; n < 100; n++) {
        EXPECT_NEAR(xp__log_gamma(n), log(factorial), 1e-14);
        factorial *= n;
    }
    for (double x = 1e-8; x < 1e8; x *= 1.37) {
        worst = worse(worst, fabs(xp__log_gamma(x) - gsl_sf_lngamma(x)) /
                                 fmax(1, fabs(gsl_sf_lngamma(x))));
    }
    EXPECT_NEAR(worst, 0, 1e-14);
}

CLAIM(the_stirling_error_joins_its_two_branches_and_is_one_twelfth_over_x) {
    EXPECT_NEAR(xp__stirling_error(10 - 1e-9), xp__stirling_error(10), 1e-11);
    EXPECT_NEAR(xp__stirling_error(1e6) * 12e6, 1, 1e-12);
    /* Gamma(1) = 1: the error is 1 - log(2 pi) / 2. */
    EXPECT_NEAR(xp__stirling_error(1), 1 - 0.5 * log(2 * acos(-1)), 1e-15);
    /* Gamma(11) = 10!. */
    EXPECT_NEAR(xp__stirling_error(11),
                log(3628800) - 10.5 * log(11) + 11 - 0.5 * log(2 * acos(-1)), 1e-14);
}

CLAIM(the_deviance_is_zero_at_the_mean_and_quadratic_near_it) {
    EXPECT(xp__deviance(3, 3) == 0);
    EXPECT_NEAR(xp__deviance(1e5, 1e5 + 1) * 2e5, 1, 1e-4);
    EXPECT_NEAR(xp__deviance(2, 1), 2 * log(2) - 1, 1e-15);
    EXPECT_NEAR(xp__deviance(1.2, 1), 1.2 * log(1.2) - 0.2, 1e-15);
    EXPECT(isinf(xp__deviance(1, 0)));
}

CLAIM(trigamma_agrees_with_gsl) {
    for (double x = 1e-3; x < 1e6; x *= 1.3) {
        EXPECT_NEAR(xp__trigamma(x) / gsl_sf_psi_1(x), 1, 1e-13);
    }
}

CLAIM(digamma_agrees_with_gsl_and_with_sixty_digits) {
    static const double reference[][2] = {
        {1e-06, -1000000.57721402},   {0.03, -33.862254420618765}, {1, -0.57721566490153286},
        {5, 1.5061176684318005},      {9.99, 2.2507003728312011},  {10, 2.2517525890667211},
        {100000, 11.512920464961895},
    };
    for (size_t i = 0; i < LENGTH(reference); i++) {
        EXPECT_NEAR(xp__digamma(reference[i][0]), reference[i][1], 2e-15);
    }
    double worst = 0;
    for (double x = 0.001; x < 1e6; x *= 1.01) {
        const double wanted = gsl_sf_psi(x);
        worst = worse(worst, fabs(xp__digamma(x) - wanted) / fmax(1, fabs(wanted)));
    }
    EXPECT_NEAR(worst, 0, 3e-15);
    /* The recurrence psi(x + 1) = psi(x) + 1/x across the switch to the asymptotic series. */
    for (double x = 9; x < 11; x += 0.01) {
        EXPECT_NEAR(xp__digamma(x + 1), xp__digamma(x) + 1 / x, 2e-15);
    }
}

CLAIM(log_beta_keeps_its_digits_for_large_parameters) {
    static const double reference[][3] = {
        {1e5, 1e5, -138633.92706134806},  {1e4, 1e4, -13866.28325676141},
        {0.03, 1e5, 3.1445834249935331},  {1e-10, 1e-10, 23.718998110500402},
        {12.5, 3e5, -138.91011398868173}, {9.9, 9.9, -13.592448519002671},
        {0.5, 10, -0.56643279639759393},
    };
    for (size_t i = 0; i < LENGTH(reference); i++) {
        const double a = reference[i][0], b = reference[i][1];
        EXPECT_NEAR(xp__log_beta(a, b), reference[i][2], 2e-15);
        EXPECT(xp__log_beta(a, b) == xp__log_beta(b, a));
    }
    EXPECT(xp__log_beta(1, 1) == 0);
    double worst = 0;
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        for (size_t j = 0; j < LENGTH(shapes); j++) {
            worst = worse(worst, fabs(xp__log_beta(shapes[i], shapes[j]) -
                                      gsl_sf_lnbeta(shapes[i], shapes[j])));
        }
    }
    EXPECT_NEAR(worst, 0, 1e-12);
    for (double a = 0.01; a < 1e8; a *= 3.3) { /* B(a, 1) = 1 / a */
        EXPECT_NEAR(xp__log_beta(a, 1), -log(a), 1e-14);
    }
}

CLAIM(the_beta_distribution_agrees_with_gsl_for_moderate_parameters) {
    double worst = 0;
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        for (size_t j = 0; j < LENGTH(shapes); j++) {
            for (double x = 0.001; x < 1; x += 0.0133) {
                const double wanted = gsl_cdf_beta_P(x, shapes[i], shapes[j]);
                if (wanted > 1e-280) {
                    worst =
                        worse(worst, relative_error(xp__beta_cdf(x, shapes[i], shapes[j]), wanted));
                }
            }
        }
    }
    EXPECT_NEAR(worst, 0, 2e-12);
}

CLAIM(the_beta_distribution_agrees_with_sixty_digits_at_the_extremes) {
    static const double reference[][4] = {
        {0.4983, 1e5, 1e5, 0.064189073308502884},
        {0.49, 1e5, 1e5, 1.8571347290404196e-19},
        {0.51, 1e5, 1e5, 1.0},
        {0.83, 400, 80, 0.41214943572316344},
        {0.7, 400, 80, 6.7542791801397288e-12},
        {0.98, 1e5, 1e3, 1.5332280528244429e-142},
        {0.0099, 1e3, 1e5, 0.50287472271583783},
        {0.9999, 1e5, 0.03, 1.3614286504326424e-7},
        {0.99999, 1e5, 0.03, 0.0067821116617718099},
        {1e-300, 0.03, 0.05, 6.2645904804223353e-10},
        {1e-10, 0.03, 0.05, 0.31397327726993002},
        {0.5, 0.03, 0.05, 0.62527942634196497},
        {0.999, 0.03, 0.05, 0.73388827724513294},
        {1e-5, 0.03, 1e5, 0.99321788833827926},
        {0.001, 0.5, 1e4, 0.99999229418843071},
        {0.25, 400, 0.03, 1.8078197743002767e-245},
        {0.5, 0.001, 0.001, 0.5},
    };
    double worst = 0;
    for (size_t i = 0; i < LENGTH(reference); i++) {
        const double *row = reference[i];
        worst = worse(worst, relative_error(xp__beta_cdf(row[0], row[1], row[2]), row[3]));
    }
    EXPECT_NEAR(worst, 0, 1e-12);
}

CLAIM(the_beta_distribution_has_its_closed_forms) {
    double power = 0, complement = 0, arcsine = 0;
    for (double x = 0.005; x < 1; x += 0.01) {
        for (double a = 0.03; a < 2e5; a *= 2.9) {
            const double wanted = exp(a * log(x));
            if (wanted > 1e-280) {
                /* exp itself is off by a log(x) rounding errors. */
                const double scale = 1 - a * log(x);
                power = worse(power, relative_error(xp__beta_cdf(x, a, 1), wanted) / scale);
            }
            complement =
                worse(complement, relative_error(xp__beta_cdf(x, 1, a), -expm1(a * log1p(-x))));
        }
        arcsine =
            worse(arcsine, relative_error(xp__beta_cdf(x, 0.5, 0.5), 2 / acos(-1) * asin(sqrt(x))));
    }
    EXPECT_NEAR(power, 0, 1e-14);
    EXPECT_NEAR(complement, 0, 1e-13);
    EXPECT_NEAR(arcsine, 0, 1e-14);
}

CLAIM(the_beta_distribution_rises_from_zero_to_one) {
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        for (size_t j = 0; j < LENGTH(shapes); j++) {
            const double a = shapes[i], b = shapes[j];
            EXPECT(xp__beta_cdf(0, a, b) == 0 && xp__beta_cdf(1, a, b) == 1);
            EXPECT(xp__beta_cdf(-1, a, b) == 0 && xp__beta_cdf(2, a, b) == 1);
            EXPECT(isnan(xp__beta_cdf(NAN, a, b)));
            double before = 0;
            bool rises = true;
            for (int k = 1; k < 200; k++) {
                const double p = xp__beta_cdf(k / 200.0, a, b);
                rises = rises && p >= before * (1 - 1e-14) && p <= 1;
                before = p;
            }
            EXPECT(rises);
        }
    }
}

/* A quantile is right when the probabilities of its two neighbouring doubles enclose p, up to the
 * error of the distribution function itself. */
CLAIM(the_beta_quantile_inverts_the_distribution) {
    static const double parameters[] = {0.03, 0.5, 1, 3, 40, 400, 1e4, 1e5};
    static const double p[] = {1e-300, 1e-20, 1e-5, 0.01, 0.3, 0.5, 0.9, 0.999, 1 - 1e-10};
    for (size_t i = 0; i < LENGTH(parameters); i++) {
        for (size_t j = 0; j < LENGTH(parameters); j++) {
            const double a = parameters[i], b = parameters[j];
            for (size_t k = 0; k < LENGTH(p); k++) {
                const double x = xp__beta_quantile(p[k], a, b);
                EXPECT(x >= 0 && x <= 1);
                if (x == 0) { /* the smallest normal double is already above p */
                    EXPECT(xp__beta_cdf(DBL_MIN, a, b) >= p[k] * (1 - 1e-12));
                    continue;
                }
                EXPECT(xp__beta_cdf(x - 4e-16 * x, a, b) <= p[k] * (1 + 1e-12));
                EXPECT(xp__beta_cdf(fmin(1, x * (1 + 4e-16)), a, b) >= p[k] * (1 - 1e-12));
            }
            EXPECT(xp__beta_quantile(0, a, b) == 0 && xp__beta_quantile(1, a, b) == 1);
            EXPECT(isnan(xp__beta_quantile(NAN, a, b)));
        }
    }
}

CLAIM(the_beta_quantile_rises_with_p_and_has_its_closed_forms) {
    static const double parameters[] = {0.03, 0.7, 1, 4, 90, 1e5};
    for (size_t i = 0; i < LENGTH(parameters); i++) {
        for (size_t j = 0; j < LENGTH(parameters); j++) {
            double before = 0;
            bool rises = true;
            for (int k = 1; k < 200; k++) {
                const double x = xp__beta_quantile(k / 200.0, parameters[i], parameters[j]);
                rises = rises && x >= before;
                before = x;
            }
            EXPECT(rises);
        }
        const double a = parameters[i]; /* p = x^a */
        EXPECT_NEAR(xp__beta_quantile(0.3, a, 1) / exp(log(0.3) / a), 1, 1e-13);
        EXPECT_NEAR(xp__beta_quantile(0.3, 1, a) / -expm1(log1p(-0.3) / a), 1, 1e-13);
    }
}

CLAIM(the_gamma_distribution_agrees_with_gsl_and_with_sixty_digits) {
    static const double reference[][4] = {
        /* x, shape, P, 1 - P */
        {100000, 100000, 0.50042052211036518, 0.49957947788963482},
        {98000, 100000, 9.6908351581604864e-11, 0.99999999990309165},
        {102000, 100000, 0.99999999983493939, 1.6506061359362834e-10},
        {9400, 10000, 4.6485246081212703e-10, 0.99999999953514754},
        {10500, 10000, 0.99999957241275449, 4.2758724550596473e-7},
        {1e-300, 0.03, 1.0167251794755456e-9, 0.99999999898327482},
        {2, 0.03, 0.99846368057861804, 0.0015363194213819572},
        {1e-05, 0.001, 0.98912304469578267, 0.010876955304217331},
        {280, 400, 9.3156470923020299e-12, 0.99999999999068435},
        {5, 40, 8.5500237568428868e-23, 1.0},
    };
    for (size_t i = 0; i < LENGTH(reference); i++) {
        const double *row = reference[i];
        EXPECT_NEAR(xp__gamma_cdf(row[0], row[1]) / row[2], 1, 1e-13);
        EXPECT_NEAR(xp__chi_square_survival(2 * row[0], 2 * row[1]) / row[3], 1, 1e-13);
    }
    double worst = 0;
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        for (double x = 0.01; x < 1000; x *= 1.1) {
            const double wanted = gsl_sf_gamma_inc_P(shapes[i], x);
            if (wanted > 1e-280) {
                worst = worse(worst, relative_error(xp__gamma_cdf(x, shapes[i]), wanted));
            }
        }
    }
    EXPECT_NEAR(worst, 0, 1e-12);
    for (double x = 0.01; x < 700; x *= 1.3) {
        EXPECT_NEAR(xp__gamma_cdf(x, 1) / -expm1(-x), 1, 1e-14);
    }
    EXPECT(xp__gamma_cdf(0, 2) == 0 && xp__gamma_cdf(-1, 2) == 0);
    EXPECT(xp__gamma_cdf(INFINITY, 2) == 1 && isnan(xp__gamma_cdf(NAN, 2)));
}

CLAIM(a_chi_square_p_value_has_its_closed_forms) {
    for (double x = 0.01; x < 1400; x *= 1.3) {
        EXPECT_NEAR(xp__chi_square_survival(x, 2) / exp(-0.5 * x), 1, 1e-12);
        EXPECT_NEAR(xp__chi_square_survival(x, 1) / erfc(sqrt(0.5 * x)), 1, 1e-12);
        EXPECT_NEAR(xp__chi_square_survival(x, 9) / gsl_cdf_chisq_Q(x, 9), 1, 1e-12);
    }
    EXPECT(xp__chi_square_survival(0, 5) == 1);
}

CLAIM(the_normal_distribution_holds_in_both_tails) {
    static const double reference[][2] = {
        {-37.5, 4.6053530095819548e-308}, {-30, 4.9067139271481871e-198},
        {-12, 1.776482112077679e-33},     {-5, 2.8665157187919391e-7},
        {-1, 0.15865525393145705},        {0.5, 0.6914624612740131},
        {2, 0.97724986805182079},         {6, 0.99999999901341235},
    };
    for (size_t i = 0; i < LENGTH(reference); i++) {
        EXPECT_NEAR(xp__normal_cdf(reference[i][0]) / reference[i][1], 1, 3e-13);
    }
    for (double x = -8; x < 8; x += 0.01) {
        EXPECT_NEAR(xp__normal_cdf(x) / gsl_cdf_ugaussian_P(x), 1, 2e-14);
    }
    EXPECT(xp__normal_cdf(0) == 0.5 && xp__normal_cdf(-INFINITY) == 0 &&
           xp__normal_cdf(INFINITY) == 1);
}

CLAIM(lambert_w_agrees_with_sixty_digits_up_to_its_branch_point) {
    static const double reference[][2] = {
        {-0.367879441171, -0.99999844932533195},
        {-0.36787944, -0.99992019848415145},
        {-0.36784, -0.9854277600553051},
        {-0.36781, -0.98069482240106663},
        {-0.3678, -0.97936071495783052},
        {-0.3676, -0.96152062062035156},
        {-0.367, -0.93239918474792822},
        {-0.3, -0.48940222718021493},
        {-0.1, -0.11183255915896297},
        {0.1, 0.091276527160862269},
        {1, 0.56714329040978387},
        {2.7, 0.9966287342654775},
        {2.72, 1.0003159651071842},
        {100, 3.3856301402900502},
        {1e300, 684.24720862976085},
    };
    for (size_t i = 0; i < LENGTH(reference); i++) {
        EXPECT_NEAR(xp__lambert_w(reference[i][0]) / reference[i][1], 1, 5e-15);
    }
    EXPECT_NEAR(xp__lambert_w(-exp(-1)), -1, 2e-8);
    EXPECT(xp__lambert_w(0) == 0);
    EXPECT(isnan(xp__lambert_w(-0.3679)) && isnan(xp__lambert_w(NAN)));
    EXPECT(isinf(xp__lambert_w(INFINITY)));
}

CLAIM(lambert_w_solves_its_equation_for_any_size) {
    double equation = 0, gsl = 0, logarithm = 0, huge = 0;
    for (double x = 1e-300; x < 1e300; x *= 3.7) {
        const double w = xp__lambert_w(x);
        equation = worse(equation, fabs(w + log(w) - log(x)) / fmax(1, fabs(log(x))));
        logarithm = worse(logarithm, relative_error(xp__lambert_w_exp(log(x)), w));
        if (x > 1e-10) { /* GSL loses digits below, and gives 0 in the end */
            gsl = worse(gsl, relative_error(w, gsl_sf_lambert_W0(x)));
        }
    }
    for (double y = 1; y < 1e300; y *= 1.9) {
        const double w = xp__lambert_w_exp(y);
        huge = worse(huge, relative_error(w + log(w), y));
    }
    EXPECT_NEAR(equation, 0, 1e-15);
    EXPECT_NEAR(gsl, 0, 1e-14);
    EXPECT_NEAR(logarithm, 0, 1e-13); /* log(x) has lost up to nine bits of x */
    EXPECT_NEAR(huge, 0, 5e-16);
    EXPECT_NEAR(xp__lambert_w_exp(1), 1, 1e-15); /* e = 1 e^1 */
    EXPECT(xp__lambert_w_exp(-INFINITY) == 0 && isinf(xp__lambert_w_exp(INFINITY)));
}

__attribute__((constructor)) static void quiet_gsl(void) {
    (void)gsl_set_error_handler_off(); /* underflow is an answer, not a reason to abort */
}
