/* max_entropy.c: the maximum-entropy expert prior of Proposition 1, solved exactly.
 *
 * Of all priors whose expert would choose arms nearly as often as the demonstrations do, KL(p ||
 * P_E(.; mu)) <= epsilon, the one nearest to the reference (reference.h; the paper's is uniform). p
 * is smoothed, (n_a + smoothing) / (N + K smoothing): with an arm that was never chosen the dual
 * has no maximum otherwise. The same p is in the constraint, in the dual and in the reported
 * divergence.
 *
 * lambda is the paper's lambda*, the multiplier of the constraint. Given, it is used; else it is
 * solved for so that the constraint is active at epsilon = (K − 1) / (2N), the expected divergence
 * of the frequencies of N draws from their distribution. Optimal experts (beta = inf) default to
 * lambda = inf, exact matching, which has a closed form. */
#include "prior/bandit/best_arm_dual.h"
#include "prior/softmax/softmax_density.h"
#include "prior/softmax/softmax_dual.h"

#include "base/memory.h"
#include "reward/reward_params.h"

#include <math.h>

static const xp_param params[] = {
    XP__REAL("beta", "assumed competence of the experts; inf is optimal", 0, INFINITY, INFINITY),
    XP__REAL("lambda",
             "multiplier of the constraint; inf matches the demonstrations exactly; if not given, "
             "epsilon decides",
             0, INFINITY, NAN),
    XP__REAL("epsilon",
             "largest divergence from the demonstrations, in nats; (K-1)/(2N) if not given", 0,
             INFINITY, NAN),
    XP__REAL("smoothing", "added to the count of every arm", 0, 1e6, 0.5),
    XP__INTEGER("points",
                "points that stand for the uniform distribution if beta is finite; 8192, or 16384 "
                "if K < 4",
                256, 65536, NAN),
    XP__REFERENCE_PARAMS,
    XP__REFERENCE_UNIT_PARAM,
    XP__REWARD_PARAMS,
};

/* The frequencies to match; an error if an arm has none. */
static xp_status target(const xp_prior *prior, double *p, xp_error *error) {
    const double smoothing = xp__params_get(&prior->params, "smoothing");
    xp__prior_frequencies(prior, smoothing, p);
    for (size_t arm = 0; arm < prior->arms; arm++) {
        if (!(p[arm] > 0)) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "max_entropy.smoothing = %g and no demonstration chose arm %zu; "
                                "smoothing must be positive then",
                                smoothing, arm);
        }
    }
    return XP_OK;
}

static xp_status fit_best_arm(xp_prior *prior, const double *p, double lambda, double epsilon,
                              double *log_weight, xp_error *error) {
    if (!isnan(epsilon)) {
        lambda = xp__best_arm_lambda(p, prior->arms, epsilon, log_weight);
    } else if (isnan(lambda)) {
        lambda = INFINITY;
    }
    prior->fit.lambda = lambda;
    prior->fit.divergence = xp__best_arm_dual(p, prior->arms, lambda, log_weight);
    prior->fit.duality_gap = xp__best_arm_gap(p, prior->arms, lambda, log_weight);
    const xp_status status = xp__best_arm_prior_set(prior, log_weight, error);
    for (size_t arm = 0; arm < prior->arms; arm++) {
        log_weight[arm] = exp(log_weight[arm]) / (double)prior->arms; /* P_E */
    }
    prior->fit.log_likelihood = xp__prior_log_likelihood(prior, log_weight);
    return status;
}

/* Finite beyond it, lambda is exact matching but for rounding, which the certificate would show. */
static const double largest_lambda = 1e9;

static xp_status fit_softmax(xp_prior *prior, const double *p, double lambda, double epsilon,
                             double *v, xp_error *error) {
    const double beta = xp__params_get(&prior->params, "beta");
    const double count = xp__params_get(&prior->params, "points");
    if (isnan(lambda) && isnan(epsilon)) {
        epsilon = (double)(prior->arms - 1) / (2 * xp__prior_effective(prior));
    } else if (epsilon == 0) {
        lambda = INFINITY;
    }
    if (lambda > largest_lambda && !isinf(lambda)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "max_entropy.lambda = %g is neither inf nor at most %g, with finite "
                            "beta",
                            lambda, largest_lambda);
    }
    xp__softmax_points points;
    xp__dual_result result = {.converged = true, .lambda = 0};
    xp_status status = xp__softmax_points_init(
        &points, prior->arms, isnan(count) ? 0 : (size_t)count, beta, prior->reference, error);
    points.watch = &prior->watch;
    if (status == XP_OK && lambda == 0) {
        (void)xp__softmax_points_follow(&points, v); /* at v = 0, where they start */
        result.divergence = xp__divergence(p, points.mean, prior->arms);
    } else if (status == XP_OK && !isnan(lambda)) {
        status = xp__softmax_dual_solve(&points, p, lambda, v, &result, error);
    } else if (status == XP_OK) {
        status = xp__softmax_dual_solve_epsilon(&points, p, epsilon, v, &result, error);
    }
    if (status == XP_OK) {
        prior->fit = (xp_fit){.iterations = result.iterations,
                              .converged = result.converged,
                              .lambda = result.lambda,
                              .divergence = result.divergence,
                              .duality_gap = result.gap,
                              .log_likelihood = xp__prior_log_likelihood(prior, points.mean)};
        status = xp__softmax_prior_set(prior, beta, v, points.log_normaliser, error);
    }
    xp__softmax_points_deinit(&points);
    return status;
}

static xp_status fit(xp_prior *prior, xp_rng *rng, xp_error *error) {
    (void)rng;
    const double lambda = xp__params_get(&prior->params, "lambda");
    const double epsilon = xp__params_get(&prior->params, "epsilon");
    if (!isnan(lambda) && !isnan(epsilon)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "max_entropy.lambda = %g and max_entropy.epsilon = %g are both given; "
                            "one decides the other",
                            lambda, epsilon);
    }
    double *p = xp__alloc(2 * prior->arms, sizeof *p);
    if (p == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = xp__reward_read(&prior->params, &prior->reward, error);
    if (status == XP_OK) {
        status = xp__softmax_prior_refer(prior, error);
    }
    if (status == XP_OK) {
        status = target(prior, p, error);
    }
    if (status == XP_OK) {
        status = isinf(xp__params_get(&prior->params, "beta"))
                     ? fit_best_arm(prior, p, lambda, epsilon, p + prior->arms, error)
                     : fit_softmax(prior, p, lambda, epsilon, p + prior->arms, error);
    }
    xp__free(p);
    return status;
}

static xp_status from_json(xp_prior *prior, const json_t *object, xp_error *error) {
    const xp_status status = xp__reward_read(&prior->params, &prior->reward, error);
    return status == XP_OK ? xp__softmax_prior_from_json(prior, object, error) : status;
}

const xp__prior_type xp__prior_max_entropy = {
    .name = "max_entropy",
    .summary = "the prior nearest to uniform whose experts choose as the demonstrations do",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = sizeof(xp__softmax_prior),
    .takes_target = true,
    .fit = fit,
    .deinit = xp__softmax_prior_deinit,
    .to_json = xp__softmax_prior_to_json,
    .from_json = from_json,
    .log_density = xp__softmax_prior_log_density,
    .gradient = xp__softmax_prior_gradient,
};
