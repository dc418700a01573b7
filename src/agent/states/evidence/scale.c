/* scale.c: see scale.h. */
#include "agent/states/evidence/scale.h"

#include <math.h>

/* As many returns as the noise common to all policies counts for, beside a policy's own. */
static const double shared_returns = 4;

/* With `relative`: the resolution as a fraction of the spread; the same is the noise that is
 * assumed before any return is repeated, for as many repetitions as it then counts for; and how far
 * an untried changing policy may be from B, as a fraction of the spread. */
static const double relative_unit = 1.0 / 64, relative_freedom = 2, relative_start = 1.0 / 32;

static size_t policies_of(const xp__evidence *evidence) {
    return evidence->options.fixed + evidence->options.changing;
}

/* How far apart the mean returns of tried policies first .. end - 1 are. */
static double spread(const xp__evidence *evidence, size_t first, size_t end) {
    double low = INFINITY, high = -INFINITY;
    for (size_t k = first; k < end; k++) {
        if (evidence->count[k] > 0) {
            low = fmin(low, evidence->mean[k]);
            high = fmax(high, evidence->mean[k]);
        }
    }
    return high > low ? high - low : 0;
}

/* The scale is the spread of mean returns and of the noise about them. Where there is neither, all
 * returns are equal, and nothing depends on it. */
static void settle_relative(const xp__evidence *evidence, xp__evidence_scale *now, double squares,
                            double freedom) {
    const double means = spread(evidence, 0, policies_of(evidence));
    const double noise = freedom > 0 ? sqrt(squares / freedom) : 0;
    int exponent = 0;
    (void)frexp(fmax(means, noise), &exponent);
    exponent = exponent < -500 ? -500 : exponent > 500 ? 500 : exponent;
    const double down = ldexp(1, -exponent), own = hypot(down * means, down * noise);
    const double all = own > 0 ? own : 1;
    const double among = down * spread(evidence, 0, evidence->options.fixed);
    now->down = down;
    now->unit = relative_unit * all;
    now->start = relative_start * (among > 0 ? among : all);
    now->pooled = (squares * down * down + relative_freedom * now->unit * now->unit) /
                  (freedom + relative_freedom);
}

xp__evidence_scale xp__evidence_scale_of(const xp__evidence *evidence) {
    double squares = 0, freedom = 0, sum = 0;
    for (size_t t = 0; t < evidence->tried_count; t++) {
        const size_t k = evidence->tried[t];
        squares += evidence->square[k];
        freedom += evidence->count[k] - 1;
        sum += evidence->mean[k];
    }
    const double range = evidence->high > evidence->low ? evidence->high - evidence->low : 0;
    const double least = fmax(evidence->options.resolution, 1e-4 * range);
    const double unit = least > 0 ? least : 1;
    xp__evidence_scale now = {
        .down = 1,
        .unit = unit,
        .start = unit,
        .pooled = freedom > 0 ? squares / freedom : 0,
        .centre = evidence->tried_count > 0 ? sum / (double)evidence->tried_count : 0};
    if (evidence->options.relative) {
        settle_relative(evidence, &now, squares, freedom);
    }
    return now;
}

double xp__evidence_x(const xp__evidence *evidence, const xp__evidence_scale *now, size_t k) {
    return now->down * (evidence->mean[k] - now->centre);
}

double xp__evidence_variance_with(const xp__evidence *evidence, const xp__evidence_scale *now,
                                  size_t k, double most) {
    const double own = fmax(0, evidence->count[k] - 1);
    const double square = evidence->square[k] * now->down * now->down;
    const double noise = (shared_returns * now->pooled + square) / (shared_returns + own);
    return (now->unit * now->unit + fmin(noise, most)) / evidence->count[k];
}

double xp__evidence_variance(const xp__evidence *evidence, const xp__evidence_scale *now,
                             size_t k) {
    return xp__evidence_variance_with(evidence, now, k,
                                      k < evidence->options.fixed ? INFINITY : now->pooled);
}
