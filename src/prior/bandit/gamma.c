/* gamma.c: independent arms whose means are Gamma(shape, rate) truncated to [0, 1], one of the
 * misspecified families of the paper's Table 2. log density = (shape − 1) log x − rate x − … */
#include "prior/bandit/independent_fit.h"

#include "math/special.h"

#include <math.h>

static void statistics(double x, double log_x, double log_1_x, double t[2]) {
    (void)log_1_x;
    t[0] = log_x;
    t[1] = x;
}

static void slopes(double x, double t[2]) {
    t[0] = 1 / x;
    t[1] = 1;
}

static void natural(const double parameter[2], double c[2]) {
    c[0] = parameter[0] - 1;
    c[1] = -parameter[1];
}

/* Coordinates are log shape and log rate. */
static void chart(const double coordinate[2], double parameter[2], double by[2][2]) {
    by[0][0] = parameter[0] = exp(coordinate[0]);
    parameter[1] = exp(coordinate[1]);
    by[1][1] = -parameter[1];
    by[0][1] = by[1][0] = 0;
}

/* log ∫_0^1 x^(shape − 1) exp(−rate x) dx. Where the incomplete gamma function may underflow, by
 * its series exp(−rate) Σ_n rate^n / (shape (shape + 1) … (shape + n)), whose terms fall. */
static double log_normaliser(const double parameter[2]) {
    const double shape = parameter[0], rate = parameter[1];
    if (rate >= shape + 1) {
        return xp__log_gamma(shape) - shape * log(rate) + log(xp__gamma_cdf(rate, shape));
    }
    double term = 1 / shape, sum = term;
    for (double n = 1; term > 1e-17 * sum; n++) {
        term *= rate / (shape + n);
        sum += term;
    }
    return log(sum) - rate;
}

static double mode(const double parameter[2]) {
    return parameter[0] < 1 ? NAN : fmin((parameter[0] - 1) / parameter[1], 1);
}

static const xp__family family = {
    .name = {"shape", "rate"},
    .positive = {true, true},
    .start = {0, 0},
    .low = {-3.506557897319982,
            -6.907755278982137}, /* shape in [0.03, 200], rate in [0.001, 400] */
    .high = {5.298317366548036, 5.991464547107982},
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

const xp__prior_type xp__prior_gamma = {
    .name = "gamma",
    .summary = "independent Gamma arms truncated to [0, 1], by marginal likelihood",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .fit = fit,
    .from_json = from_json,
    XP__INDEPENDENT_FUNCTIONS,
};
