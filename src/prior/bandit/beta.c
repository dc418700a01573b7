/* beta.c: independent arms whose means are Beta(a, b): the parametric expert prior of Definition 1,
 * or given parameters. log density = (a − 1) log x + (b − 1) log(1 − x) − log B(a, b). */
#include "prior/bandit/independent_fit.h"
#include "prior/bandit/score_estimator.h"

#include "base/check.h"
#include "math/special.h"

#include <math.h>

static void statistics(double x, double log_x, double log_1_x, double t[2]) {
    (void)x;
    t[0] = log_x;
    t[1] = log_1_x;
}

static void slopes(double x, double t[2]) {
    t[0] = 1 / x;
    t[1] = -1 / (1 - x);
}

static void natural(const double parameter[2], double c[2]) {
    c[0] = parameter[0] - 1;
    c[1] = parameter[1] - 1;
}

/* Coordinates are log a and log b. */
static void chart(const double coordinate[2], double parameter[2], double by[2][2]) {
    by[0][0] = parameter[0] = exp(coordinate[0]);
    by[1][1] = parameter[1] = exp(coordinate[1]);
    by[0][1] = by[1][0] = 0;
}

static double log_normaliser(const double parameter[2]) {
    return xp__log_beta(parameter[0], parameter[1]);
}

static double mode(const double parameter[2]) {
    const double a = parameter[0] - 1, b = parameter[1] - 1;
    return a < 0 || b < 0 ? NAN : a + b > 0 ? a / (a + b) : 0.5;
}

static const xp__family family = {
    .name = {"a", "b"},
    .positive = {true, true},
    .start = {0, 0},
    .low = {-3.506557897319982, -3.506557897319982}, /* a and b in [0.03, 200] */
    .high = {5.298317366548036, 5.298317366548036},
    .statistics = statistics,
    .slopes = slopes,
    .natural = natural,
    .chart = chart,
    .log_normaliser = log_normaliser,
    .mode = mode,
};

static const xp_param params[] = {
    XP__INDEPENDENT_PARAMS,
    {.name = "estimator",
     .summary = "how the gradient is computed with rule=steps: by quadrature, or by the paper's "
                "Monte-Carlo score",
     .kind = XP_PARAM_CHOICE,
     .low = 0,
     .high = 1,
     .standard = 0,
     .choices = "quadrature|score"},
    XP__INTEGER("samples", "draws per step of estimator=score", 2, 1e6, 1000),
};

static void set_structure(xp_prior *prior) {
    prior->beta_a = ((xp__independent_prior *)prior)->parameter[0];
    prior->beta_b = ((xp__independent_prior *)prior)->parameter[1];
}

static xp_status fit_score(xp_prior *prior, xp_rng *rng, xp_error *error) {
    if (rng == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "beta.estimator = score needs a random generator and was given none");
    }
    if (xp__params_get(&prior->params, "penalty") > 0) { /* false if not given */
        return xp_error_set(error, XP_ERR_INPUT,
                            "beta.penalty = %g is given and beta.estimator = score has no penalty",
                            xp__params_get(&prior->params, "penalty"));
    }
    xp__score_estimator score = {.counts = prior->counts,
                                 .demonstrations = (double)prior->demonstrations,
                                 .beta = xp__params_get(&prior->params, "beta"),
                                 .rng = rng};
    xp_status status = xp__score_estimator_init(
        &score, prior->arms, (size_t)xp__params_get(&prior->params, "samples"), error);
    if (status == XP_OK) {
        status = xp__independent_fit(
            prior, &family, &(xp__estimator){.gradient = xp__score_gradient, .context = &score},
            error);
    }
    xp__score_estimator_deinit(&score);
    return status;
}

static xp_status fit(xp_prior *prior, xp_rng *rng, xp_error *error) {
    const xp_status status = xp__params_get(&prior->params, "estimator") != 0
                                 ? fit_score(prior, rng, error)
                                 : xp__independent_fit(prior, &family, NULL, error);
    set_structure(prior);
    return status;
}

static xp_status from_json(xp_prior *prior, const json_t *object, xp_error *error) {
    const xp_status status = xp__independent_from_json(prior, &family, object, error);
    set_structure(prior);
    return status;
}

const xp__prior_type xp__prior_beta = {
    .name = "beta",
    .summary = "independent Beta arms, by marginal likelihood",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .fit = fit,
    .from_json = from_json,
    XP__INDEPENDENT_FUNCTIONS,
};

xp_status xp_prior_create_beta(size_t arms, const double *a, const double *b, xp_prior **prior,
                               xp_error *error) {
    XP__NOT_NULL(prior, error);
    *prior = NULL;
    XP__NOT_NULL(a, error);
    XP__NOT_NULL(b, error);
    xp_status status = xp__prior_create(&xp__prior_beta, arms, prior, error);
    for (size_t arm = 0; status == XP_OK && arm < arms; arm++) {
        if (!(a[arm] > 0 && b[arm] > 0 && isfinite(a[arm]) && isfinite(b[arm]))) {
            status = xp_error_set(error, XP_ERR_INPUT,
                                  "Beta(%g, %g) of arm %zu: parameters must be positive", a[arm],
                                  b[arm], arm);
        }
    }
    if (status == XP_OK) {
        status = xp__independent_set(*prior, &family, a, b, error);
    }
    if (status != XP_OK) {
        xp_prior_destroy(*prior);
        *prior = NULL;
        return status;
    }
    set_structure(*prior);
    return XP_OK;
}
