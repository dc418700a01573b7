/* result.h: building an xp_study_result.
 *
 * Running out of memory is remembered and not reported at each call: a study adds rows, series and
 * sentences without checks, and xp__builder_finish says whether all of it was kept. */
#ifndef XP_STUDY_RESULT_H
#define XP_STUDY_RESULT_H

#include "experior/study.h"

typedef struct xp__builder {
    xp_study_result *result;
    bool failed;
    bool partial;      /* units are missing, and NAN: rows and series with them, and findings, which
                          speak of all, are left out */
    bool wants_values; /* of single runs */
} xp__builder;

/* Starts an empty result. Ended by xp__builder_finish, whatever happens. */
xp_status xp__builder_init(xp__builder *builder, const char *study, const char *title,
                           const char *scale, uint64_t seed, xp_error *error);
/* Hands the result over, or frees it and says that memory ran out. */
xp_status xp__builder_finish(xp__builder *builder, xp_study_result **result, xp_error *error);

/* Adds a copy of the row; its strings are copied too (NULL becomes ""). */
void xp__builder_row(xp__builder *builder, const xp_study_row *row);
/* Adds a series with room for series->n points and series->paper_n points of the paper; `with_se`
 * asks for se too. Labels are copied. NULL when memory ran out. Valid until the next series. */
xp_series *xp__builder_series(xp__builder *builder, const xp_series *labels, bool with_se);
/* Adds a copy of a value, unless values are not wanted or it is NAN. */
void xp__builder_value(xp__builder *builder, const xp_study_value *value);
/* Adds a unit to what an agent took. */
void xp__builder_time(xp__builder *builder, const char *agent, double fit_seconds, double seconds);
/* Adds a copy of a picture (xp__record_svg). */
void xp__builder_picture(xp__builder *builder, const char *title, const char *svg);
/* Adds a sentence. */
void xp__builder_note(xp__builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void xp__builder_finding(xp__builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
