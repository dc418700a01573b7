/* inspect_parts.h: the parts of an inspection, each of which fills its fields of the result.
 *
 * Streams of the seed's: 0 for P(best), 1 for the moments, 2 for the tasks, 3 for the choices of
 * priors that were fitted to a part of the demonstrations. */
#ifndef XP_MODEL_INSPECT_INSPECT_PARTS_H
#define XP_MODEL_INSPECT_INSPECT_PARTS_H

#include "experior/inspect.h"
#include "sampler/sampler_type.h"

#include <math.h>

/* What is at work: the samplers of the prior, of the one without the experts and of the tasks, and
 * one context. */
typedef struct xp__inspector {
    const xp_model *model;
    const xp_prior *prior;
    const xp_inspect_options *options;
    xp_inspection *result;
    xp_sampler *sampler, *without, *tasks; /* the last may be the first */
    xp_prior *reference;                   /* of `without` */
    xp_prior *stated;                      /* of `tasks`, if their scale was stated */
    double *theta;                         /* K */
} xp__inspector;

/* Mean and sum of squared deviations, one value at a time (Welford). */
typedef struct xp__moments {
    double n, mean, squares;
} xp__moments;

static inline void xp__moments_add(xp__moments *self, double value) {
    self->n += 1;
    const double before = value - self->mean;
    self->mean += before / self->n;
    self->squares += before * (value - self->mean);
}

static inline double xp__moments_variance(const xp__moments *self) {
    return self->n > 1 ? self->squares / (self->n - 1) : NAN;
}

/* Standard error of the mean. */
static inline double xp__moments_error(const xp__moments *self) {
    return sqrt(xp__moments_variance(self) / self->n);
}

/* Tells who watches; XP_ERR_INTERRUPTED if they want no more. */
xp_status xp__inspect_tell(const xp__inspector *self, size_t tasks_done, xp_error *error);
/* Draws a context into `theta`. */
xp_status xp__inspect_draw(xp__inspector *self, xp_sampler *sampler, xp_rng *rng, xp_error *error);
/* The priors without the experts and of the tasks, and the words for both. */
xp_status xp__inspect_scale(xp__inspector *self, xp_error *error);

/* Moments, quantiles and densities of the arms' mean rewards. */
xp_status xp__inspect_belief(xp__inspector *self, xp_rng *rng, xp_error *error);
/* Regret with and without the experts. */
xp_status xp__inspect_worth(xp__inspector *self, const xp_rng *root, xp_error *error);
/* How well choices are predicted that the prior was not fitted to. */
xp_status xp__inspect_held_out(xp__inspector *self, xp_rng *rng, xp_error *error);
/* What other competences of the experts would change. */
xp_status xp__inspect_sensitivity(xp__inspector *self, xp_error *error);
/* What to know before the data is relied on; after the parts above. */
xp_status xp__inspect_warnings(xp__inspector *self, xp_error *error);
/* What it comes to in words; the last part. */
xp_status xp__inspect_answer(xp__inspector *self, xp_error *error);

#endif
