/* choices.h: a table of choices: how often experts chose each arm, in each segment.
 *
 * A choice is a demonstration of one action without states. A table of choices holds counts and
 * names, nothing per row: ten million rows take no more memory than ten. Segments are what a column
 * of the table tells apart (the age group, the shop); without such a column there is one, whose
 * name is NULL.
 *
 * Two numbers are kept for each arm of each segment. Its count is the number of choices: rows, or
 * the sum of a column of counts. Its effective count is what an estimate may rely on: choices of
 * unequal weight, or of few experts who each have their habits, tell less than as many independent
 * ones. Without weights and experts the two are the same number.
 *
 * A table never changes: any number of threads may read it. */
#ifndef EXPERIOR_CHOICES_H
#define EXPERIOR_CHOICES_H

#include "experior/demos.h"

typedef struct xp_choices xp_choices;

#define XP_ALL_SEGMENTS SIZE_MAX

/* A table from counts that the caller has: counts[segment × arms + arm], at most 2^53 in all.
 * `arm_names` may be NULL: arms are numbers from 0; `segment_names` may be NULL if there is one
 * segment. Names are copied; they must be distinct and not empty. */
XP_API xp_status xp_choices_create(size_t segments, const char *const *segment_names, size_t arms,
                                   const char *const *arm_names, const uint64_t *counts,
                                   xp_choices **choices, xp_error *error);
XP_API void xp_choices_destroy(xp_choices *choices);

XP_API size_t xp_choices_arms(const xp_choices *choices);
XP_API size_t xp_choices_segments(const xp_choices *choices);
/* Name of an arm, or NULL when arms are plain numbers or there is none such. */
XP_API const char *xp_choices_arm_name(const xp_choices *choices, size_t arm);
/* Name of a segment, or NULL when the table has no column of segments or there is none such. */
XP_API const char *xp_choices_segment_name(const xp_choices *choices, size_t segment);
/* Choices of an arm in a segment, or in XP_ALL_SEGMENTS; 0 if there is none such. */
XP_API uint64_t xp_choices_count(const xp_choices *choices, size_t segment, size_t arm);
/* The effective number of them; 0 if there is none such. Of all segments it is not their sum: one
 * expert may have chosen in several. */
XP_API double xp_choices_effective(const xp_choices *choices, size_t segment, size_t arm);

/* The choices of a segment, or of XP_ALL_SEGMENTS, as demonstrations with all of the table's arms
 * and their names. Effective counts that are not whole are rounded so that their sum is off by at
 * most a half (the largest remainders are rounded up). */
XP_API xp_status xp_choices_demos(const xp_choices *choices, size_t segment, xp_demos **demos,
                                  xp_error *error);

#endif
