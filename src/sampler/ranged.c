/* ranged.c: independent arms whose means are low + (high − low) Beta(a, b): the oracle's sampler
 * for bandits on another scale.
 *
 * Each arm has CELLS cells of equal prior probability; a reward multiplies each by the likelihood
 * in its middle. A mean is drawn by a cell and, within it, uniformly. With 512 cells the law is off
 * by less than 1e-3 (tests). */
#include "sampler/sampler_type.h"

#include "base/rng_inline.h"
#include "math/running_sum.h"
#include "math/special.h"

#include <float.h>
#include <math.h>

enum { CELLS = 512 };

typedef struct ranged {
    xp_sampler sampler;
    double *edge;   /* K × (CELLS + 1): means at the ends of the cells */
    double *weight; /* K × CELLS, up to a factor */
    double *sum;    /* K × CELLS: their running sums */
    double numbers[];
} ranged;

static size_t size(size_t arms, const xp__params *values) {
    (void)values;
    return sizeof(ranged) + arms * (3 * CELLS + 1) * sizeof(double);
}

static bool supports(const xp_prior *prior) {
    return prior->range_a != NULL;
}

static void init(xp_sampler *sampler, const xp__params *values) {
    (void)values;
    ranged *self = (ranged *)sampler;
    const xp_prior *prior = sampler->prior;
    self->edge = self->numbers;
    self->weight = self->edge + sampler->arms * (CELLS + 1);
    self->sum = self->weight + sampler->arms * CELLS;
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        for (size_t g = 0; g <= CELLS; g++) {
            const double z =
                xp__beta_quantile((double)g / CELLS, prior->range_a[arm], prior->range_b[arm]);
            self->edge[arm * (CELLS + 1) + g] =
                prior->range_low + (prior->range_high - prior->range_low) * z;
        }
    }
}

static void add_up(ranged *self, size_t arm) {
    const double *weight = self->weight + arm * CELLS;
    double total = 0;
    for (size_t g = 0; g < CELLS; g++) {
        total += weight[g];
        self->sum[arm * CELLS + g] = total;
    }
}

/* From the counts. */
static void fill(ranged *self, size_t arm) {
    const double s = self->sampler.successes[arm], f = self->sampler.failures[arm];
    double *weight = self->weight + arm * CELLS, top = -INFINITY;
    for (size_t g = 0; g < CELLS; g++) {
        const double *edge = self->edge + arm * (CELLS + 1) + g;
        const double middle = 0.5 * (edge[0] + edge[1]);
        weight[g] = (s > 0 ? s * log(middle) : 0) + (f > 0 ? f * log1p(-middle) : 0);
        top = fmax(top, weight[g]);
    }
    for (size_t g = 0; g < CELLS; g++) {
        weight[g] = exp(weight[g] - top);
    }
    add_up(self, arm);
}

static void reset(xp_sampler *sampler, xp_rng *rng) {
    (void)rng;
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        fill((ranged *)sampler, arm);
    }
}

static void observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    (void)rng;
    ranged *self = (ranged *)sampler;
    const double pulls = sampler->successes[arm] + sampler->failures[arm];
    const double *edge = self->edge + arm * (CELLS + 1);
    double *weight = self->weight + arm * CELLS;
    for (size_t g = 0; g < CELLS; g++) {
        const double middle = 0.5 * (edge[g] + edge[g + 1]);
        weight[g] *= success ? middle : 1 - middle;
    }
    add_up(self, arm);
    if ((uint64_t)pulls % 256 == 0 || !(self->sum[arm * CELLS + CELLS - 1] > 1e-200)) {
        fill(self, arm);
    }
}

static void observe_many(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t rewards) {
    (void)rng;
    (void)rewards;
    fill((ranged *)sampler, arm);
}

static double draw_arm(const ranged *self, xp_rng *rng, size_t arm) {
    const double *sum = self->sum + arm * CELLS, *edge = self->edge + arm * (CELLS + 1);
    const double target = sum[CELLS - 1] * xp__rng_uniform(rng);
    const size_t low = xp__running_sum_find(sum, CELLS, target);
    const double before = low > 0 ? sum[low - 1] : 0, room = sum[low] - before;
    const double share = room > 0 ? fmin(1, fmax(0, (target - before) / room)) : 0.5;
    return edge[low] + share * (edge[low + 1] - edge[low]);
}

static bool draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        theta[arm] = draw_arm((const ranged *)sampler, rng, arm);
    }
    return true;
}

static void archive(xp_sampler *sampler, xp__archive *archive) {
    ranged *self = (ranged *)sampler;
    xp__archive_within(archive, self->weight, sampler->arms * CELLS, 0, DBL_MAX / CELLS / 2);
    for (size_t arm = 0; xp__archive_reading(archive) && arm < sampler->arms; arm++) {
        add_up(self, arm);
    }
}

const xp__sampler_type xp__sampler_ranged = {
    .name = "ranged",
    .summary =
        "independent draws: from cells of equal probability (arms whose means lie in a range)",
    .kind = XP_SAMPLER_INDEPENDENT,
    .preference = 30,
    .size = size,
    .supports = supports,
    .init = init,
    .reset = reset,
    .observe = observe,
    .observe_many = observe_many,
    .draw = draw,
    .archive = archive,
};
