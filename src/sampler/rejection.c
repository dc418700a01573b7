/* rejection.c: exact draws for any prior with a bounded density: propose θ from independent
 * Beta(1+s, 1+f), accept with probability μ(θ) / max μ. The independent check of the other
 * samplers. With a reference: propose a component h from what rewards say of it and θ from
 * Beta(a_h+s, b_h+f), accept by the density with respect to the reference.
 *
 * It can stall: when the rewards favour what the prior finds unlikely, nearly every proposal is
 * refused. After `tries` proposals it gives up and says so (draw returns false); θ is then one of
 * the proposals, picked with probability proportional to μ (importance resampling by a reservoir),
 * which is close to the posterior though not exact, and which act falls back on. */
#include "sampler/sampler_type.h"

#include "math/variates_inline.h"

#include <math.h>
#include <string.h>

typedef struct rejection {
    xp_sampler sampler;
    size_t tries;
    double evidence[XP__REFERENCE_MAX]; /* share of each component of the reference */
    double kept[];                      /* K: the reservoir */
} rejection;

static const xp_param params[] = {
    XP__INTEGER("tries", "number of proposals after which a draw gives up", 1, 1e9, 1e6),
};

static size_t size(size_t arms, const xp__params *values) {
    (void)values;
    return sizeof(rejection) + arms * sizeof(double);
}

static bool supports(const xp_prior *prior) {
    return prior->type->log_density != NULL && prior->log_density_bound < INFINITY;
}

static void init(xp_sampler *sampler, const xp__params *values) {
    ((rejection *)sampler)->tries = (size_t)xp__params_get(values, "tries");
}

/* Proposes θ; returns the probability to accept it with. */
static double propose(rejection *self, xp_rng *rng, double *theta) {
    const xp_sampler *sampler = &self->sampler;
    const xp_prior *prior = sampler->prior;
    const xp__reference *reference = prior->reference;
    size_t h = 0;
    double a = 1, b = 1;
    if (reference != NULL) {
        h = xp__rng_categorical(rng, self->evidence, reference->count);
        a = reference->a[h];
        b = reference->b[h];
    }
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        theta[arm] = xp__rng_beta_ge1(rng, a + sampler->successes[arm], b + sampler->failures[arm]);
    }
    return reference != NULL
               ? exp(xp__prior_tilt(prior, h, theta) - prior->log_tilt_bound)
               : exp(prior->type->log_density(prior, theta) - prior->log_density_bound);
}

static bool draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    rejection *self = (rejection *)sampler;
    double weight = 0;
    if (sampler->prior->reference != NULL) {
        xp__reference_evidence(sampler->prior->reference, sampler->arms, sampler->successes,
                               sampler->failures, self->evidence);
    }
    for (size_t i = 0; i < self->tries; i++) {
        const double accept = propose(self, rng, theta);
        if (xp__rng_uniform(rng) < accept) {
            return true;
        }
        weight += accept;
        if (i == 0 || xp__rng_uniform(rng) * weight < accept) {
            memcpy(self->kept, theta, sampler->arms * sizeof(double));
        }
    }
    memcpy(theta, self->kept, sampler->arms * sizeof(double));
    return false;
}

const xp__sampler_type xp__sampler_rejection = {
    .name = "rejection",
    .summary = "independent draws: accepts or rejects Beta proposals (bounded priors; may stall)",
    .kind = XP_SAMPLER_INDEPENDENT,
    .preference = 0,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = size,
    .supports = supports,
    .init = init,
    .reset = xp__sampler_reset_nothing,
    .observe = xp__sampler_observe_nothing,
    .draw = draw,
};
