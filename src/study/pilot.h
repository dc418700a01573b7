/* pilot.h: how long units will take of which none like them has finished: a pilot run of one task
 * of each family, cut short, on all threads of all processes. */
#ifndef XP_STUDY_PILOT_H
#define XP_STUDY_PILOT_H

#include "experior/peers.h"
#include "study/forecast.h"

typedef struct xp__pilot_options {
    size_t threads;
    xp_peers *peers; /* NULL: this process alone. All have noted the same kinds in the same order */
    uint64_t plan;   /* as in xp__crew_job */
    /* Called by the leader now and then; a failure ends the pilot. */
    xp_status (*tell)(void *context, xp_error *error);
    void *context;
} xp__pilot_options;

/* The leader's forecast says which kinds need a pilot, and learns what it took. When it fails, it
 * has failed in all processes. */
xp_status xp__pilot_run(xp__forecast *forecast, const xp__pilot_options *options, xp_error *error);

#endif
