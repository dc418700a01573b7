/* prior_check.c: see prior_check.h.
 *
 * A file may have been written by hand or put together from two. What can be computed from its
 * other fields is compared with them, so that a prior is not taken for one that its demonstrations
 * never led to. */
#include "prior/bandit/prior_check.h"

#include "base/memory.h"
#include "base/text/scan.h"
#include "base/text/tokens.h"

#include <math.h>
#include <string.h>

xp_status xp__prior_check_names(const char *const *name, size_t arms, xp_error *error) {
    xp__tokens seen = {.count = 0};
    xp_status status = XP_OK;
    for (size_t arm = 0; status == XP_OK && arm < arms; arm++) {
        const size_t length = strlen(name[arm]);
        char shown[XP__SHOWN];
        size_t twin;
        if (length == 0) {
            status =
                xp_error_set(error, XP_ERR_INPUT,
                             "field 'actions', entry %zu is empty; every action has a name", arm);
        } else if (xp__tokens_find(&seen, name[arm], length, &twin)) {
            status =
                xp_error_set(error, XP_ERR_INPUT,
                             "field 'actions', entries %zu and %zu are both \"%s\"; names must "
                             "differ",
                             twin, arm, xp__show(shown, name[arm], length));
        } else {
            status = xp__tokens_add(&seen, name[arm], length, error);
        }
    }
    xp__tokens_deinit(&seen);
    return status;
}

static double given(const xp_prior *prior, const char *name) {
    return xp__params_has(&prior->params, name) ? xp__params_get(&prior->params, name) : NAN;
}

/* By which factor one count must be larger for its weight to be. Softmax weights come from points
 * that stand for the uniform distribution. An arm is best in one of K of them, so that it is known
 * to 1 / sqrt(points / K); six standard deviations of a difference leave no room for chance. */
static double least_ratio(const xp_prior *prior) {
    const double points = given(prior, "points"), usual = 8192;
    return exp(6 * sqrt(2 * (double)prior->arms / (isnan(points) ? usual : points)));
}

/* What an arm's weight follows: its count, or its share of the target. */
static double count_of(const xp_prior *prior, size_t arm) {
    return prior->target != NULL ? prior->effective * prior->target[arm]
                                 : (double)prior->counts[arm];
}

/* Arms differ by their counts alone, so that the one chosen more often weighs more; where weights
 * are exact, those chosen equally often weigh the same. */
static xp_status check_order(const xp_prior *prior, xp_error *error) {
    const bool exact = prior->best_arm_log_weight != NULL;
    const double *weight = exact ? prior->best_arm_log_weight : prior->softmax_weight;
    const double ratio = exact ? 1 : least_ratio(prior);
    for (size_t a = 0; weight != NULL && a < prior->arms; a++) {
        for (size_t b = 0; b < prior->arms; b++) {
            const double slack = 1e-6 * (1 + fabs(weight[a]) + fabs(weight[b]));
            const bool more = count_of(prior, a) + 0.5 >= ratio * (count_of(prior, b) + 0.5);
            if (more && weight[a] < weight[b] - slack) {
                return xp_error_set(
                    error, XP_ERR_INPUT,
                    "field '%s': demonstrations chose arm %zu %.16g times and arm %zu %.16g times, "
                    "but their weights are %g and %g",
                    exact ? "best_arm_log_weights" : "softmax_weights", a, count_of(prior, a), b,
                    count_of(prior, b), weight[a], weight[b]);
            }
        }
    }
    return XP_OK;
}

/* The log-likelihood of the demonstrations is at most minus their entropy, and where the weights
 * say how often each arm is the best it is what these make it. */
static xp_status check_likelihood(const xp_prior *prior, xp_error *error) {
    const double told = prior->fit.log_likelihood, arms = (double)prior->arms;
    double most = 0, made = 0;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        const double share = (double)prior->counts[arm] / (double)prior->demonstrations;
        most += share > 0 ? share * log(share) : 0;
        made += prior->best_arm_log_weight != NULL && share > 0
                    ? share * (prior->best_arm_log_weight[arm] - log(arms))
                    : 0;
    }
    const double slack = 1e-6 * (1 + fabs(most));
    if (told > most + slack) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "field 'log_likelihood' is %g; with these counts it is at most %g",
                            told, most);
    }
    if (prior->best_arm_log_weight != NULL && fabs(told - made) > 1e-6 * (1 + fabs(made))) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "field 'log_likelihood' is %g; these counts and weights make it %g",
                            told, made);
    }
    return XP_OK;
}

static xp_status check_fit(const xp_prior *prior, xp_error *error) {
    const double lambda = given(prior, "lambda"), epsilon = given(prior, "epsilon");
    const double divergence = prior->fit.divergence;
    if (!isnan(lambda) && !isnan(epsilon)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "parameters 'lambda' = %g and 'epsilon' = %g are both given; one "
                            "decides the other",
                            lambda, epsilon);
    }
    if (!isnan(lambda) && lambda != prior->fit.lambda) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "parameter 'lambda' is %g but the fit's 'lambda' is %g", lambda,
                            prior->fit.lambda);
    }
    if (divergence < -1e-9) {
        return xp_error_set(error, XP_ERR_INPUT, "field 'divergence' is %g; none is below 0",
                            divergence);
    }
    if (divergence > 1.01 * epsilon + 1e-6) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "field 'divergence' is %g but parameter 'epsilon' allows %g",
                            divergence, epsilon);
    }
    return XP_OK;
}

/* Frequencies, worth some choices. */
static xp_status check_target(const xp_prior *prior, xp_error *error) {
    double sum = 0;
    for (size_t arm = 0; prior->target != NULL && arm < prior->arms; arm++) {
        if (!(prior->target[arm] > 0)) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "field 'target', entry %zu is %g; it must be positive", arm,
                                prior->target[arm]);
        }
        sum += prior->target[arm];
    }
    if (prior->target != NULL && !(fabs(sum - 1) < 1e-9)) {
        return xp_error_set(error, XP_ERR_INPUT, "field 'target' adds up to %.12g instead of 1",
                            sum);
    }
    if (prior->target != NULL && !(prior->effective > 0 && prior->effective <= 0x1p53)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "field 'effective' is %g; it must be a number of choices",
                            prior->effective);
    }
    return XP_OK;
}

xp_status xp__prior_check(const xp_prior *prior, xp_error *error) {
    xp_status status = check_target(prior, error);
    if (status == XP_OK) {
        status = check_order(prior, error);
    }
    if (status == XP_OK) {
        status = check_fit(prior, error);
    }
    if (status == XP_OK && prior->demonstrations > 0) {
        status = check_likelihood(prior, error);
    }
    return status;
}
