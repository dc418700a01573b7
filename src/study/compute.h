/* compute.h: the units of one study or of several: what is finished is taken from the store, the
 * rest is computed and filed. */
#ifndef XP_STUDY_COMPUTE_H
#define XP_STUDY_COMPUTE_H

#include "experior/study.h"
#include "run/crew/crew.h"
#include "study/forecast.h"
#include "study/grid.h"

/* A grid whose units are wanted, and the revision of what computes them. */
typedef struct xp__source {
    xp__grid *grid; /* complete */
    unsigned revision;
    const bool *wanted; /* distinct units: those to compute; NULL: all. Only the leader's counts */
    size_t absent;      /* set: units that were left open; their numbers are NAN */
} xp__source;

/* XP_ERR_INPUT if no unit of a complete grid has all the words of `only` in its key. */
xp_status xp__compute_check(const xp__grid *grid, const char *only, xp_error *error);

/* Computes what is missing, as the options ask (threads, fresh, so_far, only, progress, notice,
 * forecast, pilot, peers), into the grids. Units that are in several grids are computed once; with
 * several sources they are then only in the store. Whether anything is there is for the caller to
 * judge (xp__source.absent). `store` is NULL in a process that does not lead:
 * it helps, and its grids stay empty. `forecast` keeps what is known of times for further calls;
 * NULL: there are none. */
xp_status xp__compute(xp__source *sources, size_t count, const xp_study_options *options,
                      xp__store *store, xp__forecast *forecast, xp_error *error);

#endif
