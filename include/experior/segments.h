/* segments.h: models with one prior per segment.
 *
 * A table of choices may say in which segment each was made: the age group, the shop. A model with
 * segments has the overall prior and one prior per segment. A segment's prior is fitted to its own
 * frequencies shrunk toward the overall ones, by an amount that is estimated from the table
 * (docs/method/segments.md): segments that agree share their choices, segments that differ do not.
 *
 * The overall prior is the one that the table gives without segments. It is for tasks whose segment
 * is unknown.
 *
 * Threads: as for models. NULL is accepted only where a description says so. */
#ifndef EXPERIOR_SEGMENTS_H
#define EXPERIOR_SEGMENTS_H

#include "experior/choices.h"
#include "experior/model.h"

/* Fits a model with a prior per segment of the table, for a bandit's agent whose prior can be
 * shrunk: "experior_maxent" (NULL) with its parameters. The table may be destroyed afterwards;
 * `options` may be NULL. Fails with XP_ERR_INPUT for another agent, a table without segments or
 * with more than XP_SEGMENTS_MAX, XP_ERR_NUMERIC where a fit has no solution, XP_ERR_MEMORY,
 * XP_ERR_INTERRUPTED. */
XP_API xp_status xp_model_fit_segments(const char *agent, const xp_choices *choices,
                                       const xp_model_options *options, xp_model **model,
                                       xp_error *error);
enum { XP_SEGMENTS_MAX = 65536 };

/* How much segments have in common, and what knowing it is worth. */
typedef struct xp_pooling {
    size_t segments;
    /* Choices of the overall table that each segment borrows: the median of what the table says,
     * and an interval that holds it with probability 0.95. INFINITY: segments do not differ; 0:
     * they have nothing in common. */
    double strength, strength_low, strength_high;
    /* Mean log likelihood of a choice given all others, nats: with each segment alone, with one
     * table for all, and with the estimated pooling. */
    double none, full, estimated;
} xp_pooling;
/* Of a model; all zero if it has no segments. */
XP_API xp_pooling xp_model_pooling(const xp_model *model);

/* One segment. The pointers belong to the model. */
typedef struct xp_segment {
    const char *name;
    uint64_t choices;       /* made in it */
    double own;             /* share of these in its frequencies; the rest is the overall table's */
    double effective;       /* choices that its frequencies are worth */
    const double *target;   /* its frequencies, one per action */
    const uint64_t *counts; /* its choices, one number per action */
    const xp_prior *prior;
} xp_segment;

/* Number of segments; 0 if the model has none. */
XP_API size_t xp_model_segments(const xp_model *model);
/* One of them, in the order of the table; all zero if there is none such. */
XP_API xp_segment xp_model_segment(const xp_model *model, size_t segment);
/* Its name; NULL if there is none such. */
XP_API const char *xp_model_segment_name(const xp_model *model, size_t segment);
/* The number of the segment of that name. Another name is refused with a sentence that lists near
 * ones. */
XP_API xp_status xp_model_segment_find(const xp_model *model, const char *name, size_t *segment,
                                       xp_error *error);
/* A model of its own for one segment: the same agent on the segment's prior, with its choices. It
 * does not need the other any more. Destroy it with xp_model_destroy. */
XP_API xp_status xp_model_segment_create(const xp_model *model, const char *name,
                                         xp_model **segment, xp_error *error);

#endif
