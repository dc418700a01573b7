/* conjugate.c: independent Beta arms: the posterior is Beta(A + s, B + f) arm by arm, drawn
 * exactly. This is Thompson sampling as usually meant: naive (A = B = 1), with a fitted Beta prior,
 * and with the true one (the oracle). */
#include "sampler/sampler_type.h"

#include "math/variates_inline.h"

static size_t size(size_t arms, const xp__params *values) {
    (void)arms;
    (void)values;
    return sizeof(xp_sampler);
}

static bool supports(const xp_prior *prior) {
    return prior->beta_a != NULL && prior->beta_b != NULL;
}

static void init(xp_sampler *sampler, const xp__params *values) {
    (void)sampler;
    (void)values;
}

static inline double draw_arm(const xp_sampler *sampler, xp_rng *rng, size_t arm) {
    const double a = sampler->prior->beta_a[arm] + sampler->successes[arm];
    const double b = sampler->prior->beta_b[arm] + sampler->failures[arm];
    return a >= 1 && b >= 1 ? xp__rng_beta_ge1(rng, a, b) : xp_rng_beta(rng, a, b);
}

static bool draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        theta[arm] = draw_arm(sampler, rng, arm);
    }
    return true;
}

static size_t act(xp_sampler *sampler, xp_rng *rng) {
    size_t best = 0;
    double largest = -1;
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        const double theta = draw_arm(sampler, rng, arm);
        if (theta > largest) {
            largest = theta;
            best = arm;
        }
    }
    return best;
}

const xp__sampler_type xp__sampler_conjugate = {
    .name = "conjugate",
    .summary = "independent draws: Beta, arm by arm (independent Beta priors)",
    .kind = XP_SAMPLER_INDEPENDENT,
    .preference = 30,
    .size = size,
    .supports = supports,
    .init = init,
    .reset = xp__sampler_reset_nothing,
    .observe = xp__sampler_observe_nothing,
    .draw = draw,
    .act = act,
};
