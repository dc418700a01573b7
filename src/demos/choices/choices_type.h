/* choices_type.h: what a table of choices holds.
 *
 * Invariants: at least one segment and one arm; names are distinct; the counts of all segments
 * together are at most 2^53; a weight is finite, at least 0, and 0 wherever the count is. */
#ifndef XP_DEMOS_CHOICES_CHOICES_TYPE_H
#define XP_DEMOS_CHOICES_CHOICES_TYPE_H

#include "experior/choices.h"

#include "demos/demos_type.h"

struct xp_choices {
    size_t segments, arms;
    xp__tokens segment_names, arm_names; /* empty: one segment; arms are numbers */
    uint64_t *count;                     /* segments × arms */
    double *weight;                      /* segments × arms; NULL: the counts */
    double *worth; /* segments, and one for all: effective choices per weight; NULL: 1 */
};

/* A table without choices and names; room for both numbers of each arm of each segment. */
xp_status xp__choices_create(size_t segments, size_t arms, bool weighted, xp_choices **choices,
                             xp_error *error);

#endif
