/* normal.c: independent arms whose means are Normal(mean, sd) truncated to [0, 1], one of the
 * misspecified families of the paper's Table 2. log density = mean x / sd² − x² / (2 sd²) − … */
#include "prior/bandit/independent_fit.h"

#include "math/special.h"

#include <math.h>

static const double root_two_pi = 2.50662827463100050242;

static void statistics(double x, double log_x, double log_1_x, double t[2]) {
    (void)log_x;
    (void)log_1_x;
    t[0] = x;
    t[1] = x * x;
}

static void slopes(double x, double t[2]) {
    t[0] = 1;
    t[1] = 2 * x;
}

static void natural(const double parameter[2], double c[2]) {
    const double precision = 1 / (parameter[1] * parameter[1]);
    c[0] = parameter[0] * precision;
    c[1] = -0.5 * precision;
}

/* Coordinates are mean / sd² and log sd: a density that only rises across [0, 1] is a finite slope
 * here, where its mean and sd would run away together. */
static void chart(const double coordinate[2], double parameter[2], double by[2][2]) {
    parameter[1] = exp(coordinate[1]);
    const double variance = parameter[1] * parameter[1];
    parameter[0] = coordinate[0] * variance;
    by[0][0] = 1;
    by[0][1] = by[1][0] = 0;
    by[1][1] = 1 / variance;
}

/* log of the normal distribution's lower tail, however small it is. */
static double log_tail(double z) {
    if (z > -30) {
        return log(xp__normal_cdf(z));
    }
    const double y = 1 / (z * z); /* asymptotic series; its next term is below 1e-11 */
    return -0.5 * z * z - log(-z * root_two_pi) +
           log1p(-y * (1 - y * (3 - y * (15 - y * (105 - y * 945)))));
}

/* log ∫_0^1 exp(mean x / sd² − x² / (2 sd²)) dx. The probability of [0, 1] is a difference of two
 * lower tails on whichever side they are the smaller ones. */
static double log_normaliser(const double parameter[2]) {
    const double mean = parameter[0], sd = parameter[1];
    const double near = mean < 0.5 ? mean / sd : (1 - mean) / sd;
    const double far = mean < 0.5 ? (mean - 1) / sd : -mean / sd;
    const double log_near = log_tail(near);
    return 0.5 * (mean / sd) * (mean / sd) + log(root_two_pi * sd) + log_near +
           log1p(-exp(log_tail(far) - log_near));
}

static double mode(const double parameter[2]) {
    return fmin(fmax(parameter[0], 0), 1);
}

static const xp__family family = {
    .name = {"mean", "sd"},
    .positive = {false, true},
    .start = {0.5, 0},
    .low = {-400, -2.995732273553991}, /* sd in [0.05, 2] */
    .high = {800, 0.6931471805599453},
    .statistics = statistics,
    .slopes = slopes,
    .natural = natural,
    .chart = chart,
    .log_normaliser = log_normaliser,
    .mode = mode,
};

static const xp_param params[] = {XP__INDEPENDENT_PARAMS};

static xp_status fit(xp_prior *prior, xp_rng *rng, xp_error *error) {
    (void)rng;
    return xp__independent_fit(prior, &family, NULL, error);
}

static xp_status from_json(xp_prior *prior, const json_t *object, xp_error *error) {
    return xp__independent_from_json(prior, &family, object, error);
}

const xp__prior_type xp__prior_normal = {
    .name = "normal",
    .summary = "independent Normal arms truncated to [0, 1], by marginal likelihood",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .fit = fit,
    .from_json = from_json,
    XP__INDEPENDENT_FUNCTIONS,
};
