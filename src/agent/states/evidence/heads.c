/* heads.c: see heads.h. */
#include "agent/states/evidence/heads.h"

#include <math.h>

/* Even where none of them acted for very long, their last returns tell something. */
static const double least_count = 1e-6;

static size_t policies_of(const xp__evidence *evidence) {
    return evidence->options.fixed + evidence->options.changing;
}

size_t xp__evidence_heads_tried(const xp__evidence *evidence) {
    size_t tried = 0;
    for (size_t k = evidence->options.fixed; k < policies_of(evidence); k++) {
        tried += evidence->count[k] > 0;
    }
    return tried;
}

/* Variance between the means of changing policies beyond chance: the moment estimator of one-way
 * analysis of variance. */
static double between(const xp__evidence *evidence, const xp__evidence_scale *now, double noise) {
    double n = 0, nn = 0, sum = 0, heads = 0, away = 0;
    for (size_t k = evidence->options.fixed; k < policies_of(evidence); k++) {
        const double own = evidence->count[k];
        heads += own > 0;
        n += own;
        nn += own * own;
        sum += own > 0 ? own * xp__evidence_x(evidence, now, k) : 0;
    }
    const double freedom = n - nn / n;
    if (heads < 2 || !(freedom > least_count)) {
        return 0;
    }
    for (size_t k = evidence->options.fixed; k < policies_of(evidence); k++) {
        if (evidence->count[k] > 0) {
            const double d = xp__evidence_x(evidence, now, k) - sum / n;
            away += evidence->count[k] * d * d;
        }
    }
    return fmax(0, (away - (heads - 1) * noise) / freedom);
}

double xp__evidence_draw_head(const xp__evidence *evidence, const xp__evidence_scale *now, size_t k,
                              double base, double start, xp_rng *rng) {
    const size_t tried = xp__evidence_heads_tried(evidence);
    const double own = evidence->count[k];
    if (tried == 0 || (own == 0 && xp_rng_below(rng, tried + 1) == 0)) {
        return base + start / sqrt(evidence->before) * xp_rng_normal(rng);
    }
    const double noise = now->unit * now->unit + now->pooled;
    double mean = now->down * (evidence->pool_mean - now->centre);
    double variance =
        noise / fmax(evidence->pool_count, least_count) + between(evidence, now, noise);
    if (own > 0) {
        const double share = variance / (variance + xp__evidence_variance(evidence, now, k));
        mean += share * (xp__evidence_x(evidence, now, k) - mean);
        variance *= 1 - share;
    }
    return mean + sqrt(variance) * xp_rng_normal(rng);
}
