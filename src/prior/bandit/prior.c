/* prior.c: the registry of priors, what every fit checks first, and the calls that pass through to
 * the implementation.
 *
 * Invariant: a prior that a caller holds was fitted, given or loaded without error; its structure
 * fields point into itself and never change again. */
#include "prior/bandit/prior_type.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/settings.h"
#include "math/argmax.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MAX_ARMS = 1024 };
/* Counts are exact as doubles, in files and in frequencies. */
static const uint64_t max_demonstrations = (uint64_t)1 << 53;

const xp__prior_type *xp__prior_type_find(const char *name) {
    for (size_t i = 0; i < xp__prior_type_count; i++) {
        if (strcmp(xp__prior_types[i]->name, name) == 0) {
            return xp__prior_types[i];
        }
    }
    return NULL;
}

xp_status xp__prior_params_default(const char *method, xp__params *params, xp_error *error) {
    const xp__prior_type *type = xp__prior_type_find(method);
    if (type == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no prior '%.80s'", method);
    }
    *params = xp__params_default(type->name, type->params, type->param_count);
    return XP_OK;
}

xp_status xp__prior_create(const xp__prior_type *type, size_t arms, xp_prior **prior,
                           xp_error *error) {
    *prior = NULL;
    if (arms < 2) {
        return xp_error_set(
            error, XP_ERR_INPUT,
            "the bandit has %zu arm%s; it must have at least 2: name an arm that nobody "
            "chose in a row with count 0, or give the number of arms",
            arms, arms == 1 ? "" : "s");
    }
    if (arms > MAX_ARMS) {
        return xp_error_set(error, XP_ERR_INPUT, "the bandit has %zu arms; it may have at most %d",
                            arms, MAX_ARMS);
    }
    xp_prior *made = xp__alloc(1, type->size);
    uint64_t *counts = xp__alloc(arms, sizeof *counts);
    if (made == NULL || counts == NULL) {
        xp__free(made);
        xp__free(counts);
        return xp__no_memory(error);
    }
    made->type = type;
    made->arms = arms;
    made->counts = counts;
    made->params = xp__params_default(type->name, type->params, type->param_count);
    made->fit = (xp_fit){.converged = true,
                         .lambda = NAN,
                         .divergence = NAN,
                         .duality_gap = NAN,
                         .log_likelihood = NAN};
    made->log_density_bound = INFINITY;
    made->reward =
        (xp__reward){.type = &xp__reward_bernoulli, .location = NAN, .scale = NAN, .noise = NAN};
    *prior = made;
    return XP_OK;
}

void xp_prior_destroy(xp_prior *prior) {
    if (prior == NULL) {
        return;
    }
    if (prior->type->deinit != NULL) {
        prior->type->deinit(prior);
    }
    for (size_t arm = 0; prior->action_names != NULL && arm < prior->arms; arm++) {
        xp__free(prior->action_names[arm]);
    }
    xp__free(prior->action_names);
    xp__free(prior->counts);
    xp__free(prior->target);
    xp__free(prior);
}

xp_status xp__prior_name_actions(xp_prior *prior, const char *const *name, xp_error *error) {
    prior->action_names = xp__alloc(prior->arms, sizeof *prior->action_names);
    if (prior->action_names == NULL) {
        return xp__no_memory(error);
    }
    for (size_t arm = 0; arm < prior->arms; arm++) {
        prior->action_names[arm] = xp__strdup(name[arm]);
        if (prior->action_names[arm] == NULL) {
            return xp__no_memory(error);
        }
    }
    return XP_OK;
}

xp_status xp__prior_set_target(xp_prior *prior, const double *target, double effective,
                               xp_error *error) {
    prior->target = xp__alloc(prior->arms, sizeof *prior->target);
    if (prior->target == NULL) {
        return xp__no_memory(error);
    }
    memcpy(prior->target, target, prior->arms * sizeof *target);
    prior->effective = effective;
    return XP_OK;
}

/* A bandit's demonstrations have no states and one action each. A segment may have none. */
static xp_status check_demos(const xp_demos *demos, bool may_be_empty, xp_error *error) {
    if (xp_demos_count(demos) == 0 && !may_be_empty) {
        return xp_error_set(error, XP_ERR_INPUT, "there are no demonstrations to fit a prior to");
    }
    if (xp_demos_count(demos) > max_demonstrations) {
        return xp_error_set(error, XP_ERR_INPUT, "%llu demonstrations are more than 2^53",
                            (unsigned long long)xp_demos_count(demos));
    }
    if (xp_demos_state_size(demos) != 0) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the demonstrations have %zu numbers a state; a prior over a bandit "
                            "needs demonstrations without states",
                            xp_demos_state_size(demos));
    }
    for (size_t i = 0; i < xp_demos_distinct(demos); i++) {
        const size_t length = xp_demos_trajectory(demos, i).length;
        if (length != 1) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "a demonstration has %zu actions; a prior over a bandit needs "
                                "demonstrations of one action",
                                length);
        }
    }
    return XP_OK;
}

static xp_status copy_action_names(xp_prior *prior, const xp_demos *demos, xp_error *error) {
    const char *name[MAX_ARMS];
    for (size_t arm = 0; arm < prior->arms; arm++) {
        name[arm] = xp_demos_action_name(demos, arm);
        if (name[arm] == NULL) {
            return XP_OK; /* actions are plain numbers */
        }
    }
    return xp__prior_name_actions(prior, name, error);
}

xp_status xp__prior_params_read(const char *spec, xp__params *params, xp_error *error) {
    return xp__spec_read(spec, xp__prior_params_default, params, error);
}

xp_status xp_prior_fit(const char *spec, const xp_demos *demos, xp_rng *rng, xp_prior **prior,
                       xp_fit *fit, xp_error *error) {
    XP__NOT_NULL(prior, error);
    *prior = NULL;
    XP__NOT_NULL(demos, error);
    xp__params params;
    const xp_status status = xp__prior_params_read(spec, &params, error);
    return status == XP_OK ? xp__prior_fit(params.owner, &params, demos, rng, prior, fit, error)
                           : status;
}

xp_status xp__prior_fit(const char *method, const xp__params *params, const xp_demos *demos,
                        xp_rng *rng, xp_prior **prior, xp_fit *fit, xp_error *error) {
    const xp__prior_fit_options options = {.params = params, .rng = rng};
    return xp__prior_fit_with(method, &options, demos, prior, fit, error);
}

xp_status xp__prior_fit_with(const char *method, const xp__prior_fit_options *options,
                             const xp_demos *demos, xp_prior **prior, xp_fit *fit,
                             xp_error *error) {
    *prior = NULL;
    const xp__params *params = options->params;
    xp__params defaults;
    xp_status status = xp__prior_params_default(method, &defaults, error);
    if (status == XP_OK) {
        status = check_demos(demos, options->target != NULL, error);
    }
    if (status != XP_OK) {
        return status;
    }
    const xp__prior_type *type = xp__prior_type_find(method);
    assert(params == NULL || params->table == type->params);
    xp_prior *made;
    status = xp__prior_create(type, xp_demos_actions(demos), &made, error);
    if (status != XP_OK) {
        return status;
    }
    made->params = params != NULL ? *params : defaults;
    made->demonstrations = xp_demos_count(demos);
    xp_demos_action_counts(demos, made->counts);
    status = copy_action_names(made, demos, error);
    if (status == XP_OK && options->target != NULL) {
        assert(type->takes_target);
        status = xp__prior_set_target(made, options->target, options->effective, error);
    }
    if (status == XP_OK) {
        made->watch =
            (xp__watch){.progress = options->progress, .context = options->progress_context};
        status = type->fit(made, options->rng, error);
        if (made->watch.stopped) {
            status = xp_error_set(error, XP_ERR_INTERRUPTED, "the fit was interrupted");
        }
        made->watch = (xp__watch){.progress = NULL};
    }
    if (status != XP_OK) {
        xp_prior_destroy(made);
        return status;
    }
    if (fit != NULL) {
        *fit = made->fit;
    }
    *prior = made;
    return XP_OK;
}

const char *xp_prior_method(const xp_prior *prior) {
    return prior != NULL ? prior->type->name : NULL;
}

size_t xp_prior_arms(const xp_prior *prior) {
    return prior != NULL ? prior->arms : 0;
}

const char *xp_prior_action_name(const xp_prior *prior, size_t action) {
    return prior != NULL && prior->action_names != NULL && action < prior->arms
               ? prior->action_names[action]
               : NULL;
}

const uint64_t *xp_prior_action_counts(const xp_prior *prior) {
    return prior != NULL ? prior->counts : NULL;
}

xp_fit xp_prior_fit_result(const xp_prior *prior) {
    static const xp_fit none = {
        .lambda = NAN, .divergence = NAN, .duality_gap = NAN, .log_likelihood = NAN};
    return prior != NULL ? prior->fit : none;
}

double xp_prior_log_density(const xp_prior *prior, const double *theta) {
    if (prior == NULL || theta == NULL) {
        return NAN;
    }
    const xp__reward_type *reward = prior->reward.type;
    const double low = reward != NULL ? reward->low : 0, high = reward != NULL ? reward->high : 1;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        if (!(theta[arm] >= low && theta[arm] <= high)) { /* also catches NaN */
            return -INFINITY;
        }
    }
    return prior->type->log_density(prior, theta);
}

void xp_prior_gradient(const xp_prior *prior, const double *theta, double *gradient) {
    if (prior != NULL && theta != NULL && gradient != NULL) {
        prior->type->gradient(prior, theta, gradient);
    }
}

double xp_prior_log_density_bound(const xp_prior *prior) {
    return prior != NULL ? prior->log_density_bound : NAN;
}

double xp__prior_tilt(const xp_prior *prior, size_t component, const double *theta) {
    const size_t best = xp__argmax(theta, prior->arms);
    if (prior->best_arm_log_weight != NULL) {
        return prior->best_arm_log_weight[best];
    }
    const double beta = prior->softmax_beta * prior->reference->sharpness[component];
    double weighted = 0, total = 0;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        const double e = exp(beta * (theta[arm] - theta[best]));
        weighted += prior->softmax_weight[arm] * e;
        total += e;
    }
    return weighted / total - prior->log_normaliser;
}

double xp__prior_effective(const xp_prior *prior) {
    return prior->target != NULL ? prior->effective : (double)prior->demonstrations;
}

void xp__prior_frequencies(const xp_prior *prior, double smoothing, double *p) {
    if (prior->target != NULL) {
        memcpy(p, prior->target, prior->arms * sizeof *p);
        return;
    }
    const double total = (double)prior->demonstrations + (double)prior->arms * smoothing;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        p[arm] = ((double)prior->counts[arm] + smoothing) / total;
    }
}

void xp__prior_smoothed(const xp_prior *prior, double *p) {
    xp__prior_frequencies(prior, 0.5, p);
}

double xp__divergence(const double *p, const double *q, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += p[i] > 0 ? p[i] * log(p[i] / q[i]) : 0;
    }
    return sum > 0 ? sum : 0; /* rounding may take it below */
}

double xp__prior_log_likelihood(const xp_prior *prior, const double *q) {
    double sum = 0;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        sum += prior->counts[arm] != 0 ? (double)prior->counts[arm] * log(q[arm]) : 0;
    }
    return sum / (double)prior->demonstrations;
}
