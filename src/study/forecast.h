/* forecast.h: how long units will take, told from units like them.
 *
 * Two units are alike if they differ in the problem alone. Where none like a unit has finished, the
 * agent's others in the same environment stand for it, then a pilot (one task, cut short), then all
 * units that have finished. */
#ifndef XP_STUDY_FORECAST_H
#define XP_STUDY_FORECAST_H

#include "experior/study.h"
#include "run/unit.h"

typedef struct xp__forecast xp__forecast;

/* NULL when memory ran out. */
xp__forecast *xp__forecast_create(void);
void xp__forecast_destroy(xp__forecast *forecast);
/* Notes the kind of a unit; *kind is its number. The unit stays, or another of the kind is noted,
 * while units of the kind are left. */
xp_status xp__forecast_kind(xp__forecast *forecast, const xp__unit *unit, const xp__shape *shape,
                            size_t *kind, xp_error *error);
/* A unit of a kind has taken so long, or is left to be computed. */
void xp__forecast_took(xp__forecast *forecast, size_t kind, double seconds);
void xp__forecast_add(xp__forecast *forecast, size_t kind);
void xp__forecast_drop(xp__forecast *forecast, size_t kind);
/* Seconds that a unit of the kind is expected to take; NAN if nothing is known of any. */
double xp__forecast_seconds(const xp__forecast *forecast, size_t kind);
/* How many kinds there are; they are numbered from 0, in the order in which they were noted. */
size_t xp__forecast_kinds(const xp__forecast *forecast);
/* One unit of a kind. */
const xp__unit *xp__forecast_unit(const xp__forecast *forecast, size_t kind, xp__shape *shape);
/* Kinds that stand for all whose time only a pilot could tell; `list` has room for all kinds. */
xp_status xp__forecast_unknown(const xp__forecast *forecast, size_t *list, size_t *count,
                               xp_error *error);
/* A pilot says that a unit of the kind takes so long. */
void xp__forecast_tried(xp__forecast *forecast, size_t kind, double seconds);
/* What is left, on so many workers, each of which needs `pace` seconds for one of the processor. */
xp_study_forecast xp__forecast_left(const xp__forecast *forecast, size_t workers, double pace);

#endif
