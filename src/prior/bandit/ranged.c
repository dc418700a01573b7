/* ranged.c: means that are independent and each low + (high − low) Beta(a, b): the task
 * distribution of a bandit whose rewards are on another scale, for the oracle. It is not
 * registered, since nothing fits it. */
#include "prior/bandit/prior_type.h"

#include "base/memory.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

typedef struct ranged_prior {
    xp_prior prior;
    double *a, *b; /* K each */
} ranged_prior;

static void deinit(xp_prior *prior) {
    xp__free(((ranged_prior *)prior)->a);
    xp__free(((ranged_prior *)prior)->b);
}

static xp_status to_json(const xp_prior *prior, json_t *object, xp_error *error) {
    (void)object;
    return xp_error_set(error, XP_ERR_INPUT,
                        "the true distribution of means from %g to %g has no file: fit it again "
                        "from its environment",
                        prior->range_low, prior->range_high);
}

static double arm_log_density(const xp_prior *prior, size_t arm, double x) {
    const double width = prior->range_high - prior->range_low;
    const double a = prior->range_a[arm], b = prior->range_b[arm];
    const double z = (x - prior->range_low) / width;
    return z > 0 && z < 1 ? (a - 1) * log(z) + (b - 1) * log1p(-z) - xp__log_beta(a, b) - log(width)
                          : -INFINITY;
}

static double log_density(const xp_prior *prior, const double *theta) {
    double sum = 0;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        sum += arm_log_density(prior, arm, theta[arm]);
    }
    return sum;
}

static void gradient(const xp_prior *prior, const double *theta, double *out) {
    const double width = prior->range_high - prior->range_low;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        const double z = (theta[arm] - prior->range_low) / width;
        out[arm] =
            z > 0 && z < 1
                ? ((prior->range_a[arm] - 1) / z - (prior->range_b[arm] - 1) / (1 - z)) / width
                : 0;
    }
}

static const xp__prior_type ranged = {
    .name = "ranged",
    .summary = "independent arms with means of a given range",
    .size = sizeof(ranged_prior),
    .deinit = deinit,
    .to_json = to_json,
    .log_density = log_density,
    .gradient = gradient,
};

xp_status xp__prior_create_ranged(size_t arms, const double *a, const double *b, double low,
                                  double high, xp_prior **prior, xp_error *error) {
    const xp_status status = xp__prior_create(&ranged, arms, prior, error);
    if (status != XP_OK) {
        return status;
    }
    ranged_prior *self = (ranged_prior *)*prior;
    self->a = xp__alloc(arms, sizeof *self->a);
    self->b = xp__alloc(arms, sizeof *self->b);
    if (self->a == NULL || self->b == NULL) {
        xp_prior_destroy(*prior);
        *prior = NULL;
        return xp__no_memory(error);
    }
    memcpy(self->a, a, arms * sizeof *a);
    memcpy(self->b, b, arms * sizeof *b);
    (*prior)->range_a = self->a;
    (*prior)->range_b = self->b;
    (*prior)->range_low = low;
    (*prior)->range_high = high;
    return XP_OK;
}
