/* calibrate_bias.c: a sampler's moments and action law beside the exact ones. See calibrate.h. */
#include "experior/calibrate.h"

#include "base/check.h"
#include "math/argmax.h"
#include "sampler/sampler_type.h"
#include "sampler/tensor.h"

#include <math.h>

/* Points an arm for brute force: it takes well under a second either way. */
static size_t tensor_nodes(size_t arms) {
    return arms == 2 ? 512 : 128;
}

/* Shows the rewards in turns, an arm at a time, its successes spread evenly. */
static void show(xp_sampler *sampler, xp_rng *rng, size_t arms, const size_t *successes,
                 const size_t *failures) {
    bool left = true;
    for (size_t i = 0; left; i++) {
        left = false;
        for (size_t arm = 0; arm < arms; arm++) {
            const size_t s = successes[arm], n = s + failures[arm];
            if (i < n) {
                xp__sampler_observe(sampler, rng, arm, (i + 1) * s / n > i * s / n);
                left = true;
            }
        }
    }
}

static void measure(xp_sampler *sampler, xp_rng *rng, size_t draws, xp_bias *bias) {
    double theta[XP_BIAS_ARMS], sum[XP_BIAS_ARMS] = {0}, squares[XP_BIAS_ARMS] = {0};
    size_t best[XP_BIAS_ARMS] = {0};
    for (size_t i = 0; i < draws; i++) {
        (void)xp_sampler_draw(sampler, rng, theta);
        best[xp__argmax(theta, bias->arms)]++;
        for (size_t arm = 0; arm < bias->arms; arm++) {
            /* About the exact mean, so that the variance does not cancel. */
            const double deviation = theta[arm] - bias->exact_mean[arm];
            sum[arm] += deviation;
            squares[arm] += deviation * deviation;
        }
    }
    for (size_t arm = 0; arm < bias->arms; arm++) {
        const double shift = sum[arm] / (double)draws;
        bias->mean[arm] = bias->exact_mean[arm] + shift;
        bias->sd[arm] = sqrt(fmax(0, squares[arm] / (double)draws - shift * shift));
        bias->law[arm] = (double)best[arm] / (double)draws;
        bias->law_distance += 0.5 * fabs(bias->law[arm] - bias->exact_law[arm]);
    }
}

xp_status xp_calibrate_bias(const xp_prior *prior, const char *sampler, const size_t *successes,
                            const size_t *failures, size_t draws, uint64_t seed, xp_bias *bias,
                            xp_error *error) {
    XP__NOT_NULL(prior, error);
    XP__NOT_NULL(successes, error);
    XP__NOT_NULL(failures, error);
    XP__NOT_NULL(bias, error);
    const size_t arms = xp_prior_arms(prior);
    if (arms < 2 || arms > XP_BIAS_ARMS || draws == 0) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "bias is measured for 2 or 3 arms and at least one draw; got %zu arms "
                            "and %zu draws",
                            arms, draws);
    }
    xp_status status = xp__count_check("draws", draws, 1, XP__MOST_DRAWS, error);
    double s[XP_BIAS_ARMS], f[XP_BIAS_ARMS];
    for (size_t arm = 0; status == XP_OK && arm < arms; arm++) {
        status = xp__count_check("successes", successes[arm], 0, XP__MOST_THINGS, error);
        status =
            status ? status : xp__count_check("failures", failures[arm], 0, XP__MOST_THINGS, error);
        s[arm] = (double)successes[arm];
        f[arm] = (double)failures[arm];
    }
    if (status != XP_OK) {
        return status;
    }
    xp__tensor exact;
    status = xp__tensor_posterior(prior, s, f, tensor_nodes(arms), &exact, error);
    xp_sampler *made = NULL;
    if (status == XP_OK) {
        status = xp_sampler_create(sampler, prior, &made, error);
    }
    if (status != XP_OK) {
        return status;
    }
    *bias = (xp_bias){.arms = arms};
    for (size_t arm = 0; arm < arms; arm++) {
        bias->exact_mean[arm] = exact.mean[arm];
        bias->exact_sd[arm] = exact.sd[arm];
        bias->exact_law[arm] = exact.law[arm];
    }
    xp_rng rng = xp_rng_seed(seed);
    xp_sampler_reset(made, &rng);
    show(made, &rng, arms, successes, failures);
    measure(made, &rng, draws, bias);
    xp_sampler_destroy(made);
    return XP_OK;
}
