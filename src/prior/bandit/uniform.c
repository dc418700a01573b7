/* uniform.c: the uniform prior on [0, 1]^K: what is known before any demonstration.
 *
 * It is a Beta(1, 1) arm by arm and a function of the best arm as well, and says both, so that
 * every exact sampler can take it. With a reference (reference.h) it is that reference alone: every
 * arm is equally likely to be the best, on a scale that is known or learned. With other rewards
 * than 0 and 1 it is the reference of their family. */
#include "prior/bandit/prior_type.h"

#include "base/check.h"
#include "base/memory.h"
#include "reward/reward_params.h"

#include <math.h>
#include <string.h>

typedef struct uniform_prior {
    xp_prior prior;
    double *ones, *zeros;    /* K each */
    xp__reference reference; /* if the prior has one */
} uniform_prior;

static const xp_param params[] = {XP__REFERENCE_PARAMS, XP__REWARD_PARAMS};

static xp_status set(xp_prior *prior, xp_error *error) {
    uniform_prior *self = (uniform_prior *)prior;
    self->ones = xp__alloc(prior->arms, sizeof(double));
    self->zeros = xp__alloc(prior->arms, sizeof(double));
    if (self->ones == NULL || self->zeros == NULL) {
        return xp__no_memory(error);
    }
    for (size_t arm = 0; arm < prior->arms; arm++) {
        self->ones[arm] = 1;
    }
    prior->best_arm_log_weight = self->zeros;
    prior->log_density_bound = 0;
    if (prior->reference != NULL) {
        prior->log_density_bound = xp__reference_bound(prior->reference, prior->arms);
    } else if (xp__reward_binary(&prior->reward)) {
        prior->beta_a = prior->beta_b = self->ones;
    }
    return XP_OK;
}

/* The same with the reference that the parameters name. */
static xp_status set_named(xp_prior *prior, xp_error *error) {
    uniform_prior *self = (uniform_prior *)prior;
    bool given = false;
    xp_status status = xp__reward_read(&prior->params, &prior->reward, error);
    if (status == XP_OK && xp__reward_binary(&prior->reward)) {
        status = xp__reference_init(&self->reference, &prior->params, prior->arms, &given, error);
    }
    if (status != XP_OK) {
        return status;
    }
    prior->reference = given ? &self->reference : NULL;
    return set(prior, error);
}

static xp_status fit(xp_prior *prior, xp_rng *rng, xp_error *error) {
    (void)rng;
    /* Under the uniform prior every expert chooses every arm equally often. */
    prior->fit.log_likelihood = -log((double)prior->arms);
    prior->fit.divergence = 0;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        const double p = (double)prior->counts[arm] / (double)prior->demonstrations;
        prior->fit.divergence += p > 0 ? p * log(p * (double)prior->arms) : 0;
    }
    return set_named(prior, error);
}

static void deinit(xp_prior *prior) {
    xp__free(((uniform_prior *)prior)->ones);
    xp__free(((uniform_prior *)prior)->zeros);
}

static xp_status from_json(xp_prior *prior, const json_t *object, xp_error *error) {
    uniform_prior *self = (uniform_prior *)prior;
    bool given = false;
    xp_status status = xp__reward_read(&prior->params, &prior->reward, error);
    if (status == XP_OK && xp__reward_binary(&prior->reward)) {
        status = xp__reference_from_json(&self->reference, &prior->params, prior->arms, &given,
                                         object, error);
    }
    if (status != XP_OK) {
        return status;
    }
    prior->reference = given ? &self->reference : NULL;
    return set(prior, error);
}

static xp_status to_json(const xp_prior *prior, json_t *object, xp_error *error) {
    return prior->reference != NULL ? xp__reference_to_json(prior->reference, object, error)
                                    : XP_OK;
}

static double log_density(const xp_prior *prior, const double *theta) {
    if (prior->reference == NULL) {
        return 0;
    }
    double term[XP__REFERENCE_MAX];
    xp__reference_terms(prior->reference, prior->arms, theta, term);
    return xp__reference_shares(prior->reference, term);
}

static void gradient(const xp_prior *prior, const double *theta, double *out) {
    memset(out, 0, prior->arms * sizeof *out);
    if (prior->reference != NULL) {
        double share[XP__REFERENCE_MAX];
        xp__reference_terms(prior->reference, prior->arms, theta, share);
        (void)xp__reference_shares(prior->reference, share);
        xp__reference_gradient(prior->reference, prior->arms, theta, share, out);
    }
}

static double arm_zero(const xp_prior *prior, size_t arm, double x) {
    (void)prior;
    (void)arm;
    (void)x;
    return 0;
}

const xp__prior_type xp__prior_uniform = {
    .name = "uniform",
    .summary = "every vector of means is equally likely; ignores the demonstrations",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = sizeof(uniform_prior),
    .fit = fit,
    .deinit = deinit,
    .to_json = to_json,
    .from_json = from_json,
    .log_density = log_density,
    .gradient = gradient,
    .arm_log_density = arm_zero,
    .arm_gradient = arm_zero,
};

xp_status xp__prior_create_alone(const xp__params *values, size_t arms, xp_prior **prior,
                                 xp_error *error) {
    xp_status status = xp__prior_create(&xp__prior_uniform, arms, prior, error);
    if (status == XP_OK) {
        (*prior)->params = values != NULL ? *values : (*prior)->params;
        status = set_named(*prior, error);
        if (status != XP_OK) {
            xp_prior_destroy(*prior);
            *prior = NULL;
        }
    }
    return status;
}

xp_status xp_prior_create_uniform(size_t arms, xp_prior **prior, xp_error *error) {
    XP__NOT_NULL(prior, error);
    return xp__prior_create_alone(NULL, arms, prior, error);
}
