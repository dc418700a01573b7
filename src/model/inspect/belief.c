/* belief.c: what a prior believes of each arm's mean reward.
 *
 * Means, deviations and the binned density are counted from draws. Quantiles and the smooth curve
 * come from the distribution function of the arm where it is known:
 * - a prior on the best arm alone, with P the probability that the arm is the best of K: where
 * every arm has the distribution function u under the reference, the best of K has u^K and any
 * other (K u − u^K) / (K − 1); of a mixture of references, their mean;
 * - independent arms: by quadrature of the density.
 * Elsewhere the draws are sorted for quantiles and smoothed for the curve. */
#include "model/inspect/inspect_parts.h"

#include "base/memory.h"
#include "math/special.h"

#include <stdlib.h>

enum { DRAWS_PER_LOOK = 256, CELLS = 2048, KEPT_NUMBERS = 1 << 22, KEPT_LEAST = 500 };
static const double levels[XP_INSPECT_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

typedef struct belief {
    const xp_prior *prior;
    xp_inspection *result;
    xp__moments *moments; /* K */
    double *kept;         /* K × keep draws, or the table of one arm's distribution: CELLS + 1 */
    size_t keep, fill;    /* draws that there is room for, and that are there */
} belief;

static double best_arm_distribution(const belief *self, size_t arm, double x) {
    const xp__reference *reference = self->prior->reference;
    const double arms = (double)self->prior->arms;
    const double p = exp(self->prior->best_arm_log_weight[arm]) / arms;
    double sum = 0;
    for (size_t h = 0; h < (reference != NULL ? reference->count : 1); h++) {
        const double u = reference != NULL ? xp__beta_cdf(x, reference->a[h], reference->b[h]) : x;
        const double power = pow(u, arms);
        sum += (reference != NULL ? reference->weight[h] : 1) *
               (p * power + (1 - p) * (arms * u - power) / (arms - 1));
    }
    return sum;
}

/* The edge of cell i of x = sin²φ. */
static double edge(size_t i) {
    const double sine = sin(1.5707963267948966 / CELLS * (double)i);
    return sine * sine;
}

static void tabulate(belief *self, size_t arm) {
    double top = -INFINITY, total = 0;
    const double step = 1.5707963267948966 / CELLS;
    double *table = self->kept;
    for (size_t i = 0; i < CELLS; i++) {
        const double sine = sin(((double)i + 0.5) * step);
        table[i + 1] = self->prior->type->arm_log_density(self->prior, arm, sine * sine);
        top = fmax(top, table[i + 1]);
    }
    table[0] = 0;
    for (size_t i = 0; i < CELLS; i++) {
        total += sin(2 * ((double)i + 0.5) * step) * exp(table[i + 1] - top);
        table[i + 1] = total;
    }
    for (size_t i = 1; i <= CELLS; i++) {
        table[i] /= total;
    }
}

static double tabulated_distribution(const belief *self, size_t arm, double x) {
    (void)arm;
    const double place = asin(sqrt(x)) / 1.5707963267948966 * CELLS;
    const size_t cell = place < CELLS ? (size_t)place : CELLS - 1;
    const double low = edge(cell), high = edge(cell + 1);
    const double within = fmin(1, fmax(0, (x - low) / (high - low)));
    return self->kept[cell] + within * (self->kept[cell + 1] - self->kept[cell]);
}

typedef double distribution(const belief *self, size_t arm, double x);

static double quantile(const belief *self, distribution *of, size_t arm, double level) {
    double low = 0, high = 1;
    for (size_t i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (of(self, arm, middle) < level) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

/* [0, 1], or less if nearly all of every arm lies in the lower half: 0.5, 0.2, 0.1, 0.05, … */
static void choose_axis(xp_inspection *result) {
    double top = 0;
    for (size_t k = 0; k < result->arms; k++) {
        top = fmax(top, result->quantiles[k * XP_INSPECT_QUANTILES + XP_INSPECT_QUANTILES - 1]);
    }
    static const double steps[] = {2, 2.5, 2};
    result->curve_high = 1;
    for (size_t i = 0; i < 24; i++) {
        const double next = result->curve_high / steps[i % 3];
        if (1.25 * top > next) {
            break;
        }
        result->curve_high = next;
    }
}

static void compute(belief *self, distribution *of, bool table) {
    xp_inspection *result = self->result;
    for (size_t pass = 0; pass < 2; pass++) {
        const double width = result->curve_high / (double)result->curve_points;
        for (size_t k = 0; k < result->arms; k++) {
            if (table) {
                tabulate(self, k);
            }
            for (size_t q = 0; pass == 0 && q < XP_INSPECT_QUANTILES; q++) {
                result->quantiles[k * XP_INSPECT_QUANTILES + q] = quantile(self, of, k, levels[q]);
            }
            for (size_t i = 0; pass == 1 && i < result->curve_points; i++) {
                const double low = (double)i * width, high = fmin(1, low + width);
                result->curve[k * result->curve_points + i] =
                    fmax(0, of(self, k, high) - of(self, k, low)) / width;
            }
        }
        if (pass == 0) {
            choose_axis(result);
        }
    }
    result->curve_computed = true;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double kernel(double z) {
    return fabs(z) < 6 ? exp(-z * z / 2) : 0;
}

/* A normal kernel around each draw (Silverman's width); what would leave
 * [0, 1] is reflected. */
static void smooth(const belief *self, size_t arm, double *curve) {
    const xp_inspection *result = self->result;
    const double *draw = self->kept + arm * self->keep;
    const double *q = result->quantiles + arm * XP_INSPECT_QUANTILES;
    const double sd = sqrt(fmax(0, xp__moments_variance(&self->moments[arm])));
    const double middle = (q[3] - q[1]) / 1.34, n = (double)self->fill;
    const double width = result->curve_high / (double)result->curve_points;
    const double spread = fmax(0.9 * (middle > 0 ? fmin(sd, middle) : sd) * pow(n, -0.2), width);
    for (size_t i = 0; i < result->curve_points; i++) {
        const double x = ((double)i + 0.5) * width;
        double sum = 0;
        for (size_t j = 0; j < self->fill; j++) {
            sum += kernel((x - draw[j]) / spread) + kernel((x + draw[j]) / spread) +
                   kernel((2 - x - draw[j]) / spread);
        }
        curve[i] = sum / (n * spread * 2.5066282746310002);
    }
}

static void estimate(belief *self) {
    xp_inspection *result = self->result;
    for (size_t k = 0; k < result->arms; k++) {
        double *draw = self->kept + k * self->keep;
        qsort(draw, self->fill, sizeof *draw, ascending);
        for (size_t q = 0; q < XP_INSPECT_QUANTILES; q++) {
            const double place = levels[q] * (double)(self->fill - 1);
            const size_t at = (size_t)place, next = at + 1 < self->fill ? at + 1 : at;
            result->quantiles[k * XP_INSPECT_QUANTILES + q] =
                draw[at] + (place - (double)at) * (draw[next] - draw[at]);
        }
    }
    choose_axis(result);
    for (size_t k = 0; k < result->arms; k++) {
        smooth(self, k, result->curve + k * result->curve_points);
    }
}

/* Moments and binned density of each arm's mean reward. */
static xp_status count_draws(xp__inspector *inspector, belief *self, xp_rng *rng, xp_error *error) {
    xp_inspection *result = self->result;
    const size_t bins = result->bins;
    xp_status status = XP_OK;
    xp_sampler_reset(inspector->sampler, rng);
    for (size_t i = 0; status == XP_OK && i < result->draws; i++) {
        if (i % DRAWS_PER_LOOK == 0) {
            status = xp__inspect_tell(inspector, 0, error);
        }
        if (status == XP_OK) {
            status = xp__inspect_draw(inspector, inspector->sampler, rng, error);
        }
        for (size_t k = 0; status == XP_OK && k < result->arms; k++) {
            const double mean = inspector->theta[k];
            xp__moments_add(&self->moments[k], mean);
            const size_t bin = (size_t)(mean * (double)bins);
            result->density[k * bins + (bin < bins ? bin : bins - 1)] += (double)bins;
            if (i < self->keep) {
                self->kept[k * self->keep + i] = mean;
            }
        }
        self->fill += i < self->keep;
    }
    for (size_t k = 0; k < result->arms; k++) {
        result->mean[k] = self->moments[k].mean;
        result->sd[k] = sqrt(xp__moments_variance(&self->moments[k]));
        for (size_t bin = 0; bin < bins; bin++) {
            result->density[k * bins + bin] /= (double)result->draws;
        }
    }
    return status;
}

static size_t draws_to_keep(const xp_inspection *result) {
    const size_t room = KEPT_NUMBERS / result->arms / 4;
    const size_t most = room > KEPT_LEAST ? room : KEPT_LEAST;
    const size_t wanted = most < 4000 ? most : 4000;
    return result->draws < wanted ? result->draws : wanted;
}

xp_status xp__inspect_belief(xp__inspector *inspector, xp_rng *rng, xp_error *error) {
    const xp_prior *prior = inspector->prior;
    const bool best = prior->best_arm_log_weight != NULL;
    const bool independent = prior->type->arm_log_density != NULL;
    belief self = {.prior = prior, .result = inspector->result};
    self.keep = best || independent ? 0 : draws_to_keep(inspector->result);
    self.moments = xp__alloc(prior->arms, sizeof *self.moments);
    self.kept = xp__alloc(self.keep > 0 ? self.keep * prior->arms : CELLS + 1, sizeof *self.kept);
    xp_status status = self.moments != NULL && self.kept != NULL ? XP_OK : xp__no_memory(error);
    if (status == XP_OK) {
        status = count_draws(inspector, &self, rng, error);
    }
    if (status == XP_OK && best) {
        compute(&self, best_arm_distribution, false);
    } else if (status == XP_OK && independent) {
        compute(&self, tabulated_distribution, true);
    } else if (status == XP_OK) {
        estimate(&self);
    }
    xp__free(self.kept);
    xp__free(self.moments);
    return status;
}
