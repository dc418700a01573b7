/* pool.h: independent units of work spread over a few threads.
 *
 * Units are numbered and handed out in that order. What a unit computes must depend on its number
 * alone, so that results do not depend on scheduling. The calling thread computes nothing: it
 * wakes about five times a second to tell what has finished. */
#ifndef XP_BASE_POOL_H
#define XP_BASE_POOL_H

#include "experior/base.h"

typedef struct xp__pool xp__pool;

typedef struct xp__pool_job {
    size_t units;
    size_t threads; /* 0: as many as there are cores */
    /* Computes one unit, on any thread. May give up with XP_ERR_INTERRUPTED when
     * xp__pool_cancelled. */
    xp_status (*run)(void *context, size_t unit, const xp__pool *pool, xp_error *error);
    /* On the calling thread: finished[0 .. done-1] are the units done so far in order of their
     * end; those told before keep their places. A failure cancels the rest and is returned; tick is
     * then called once more when all threads have ended. May be NULL. */
    xp_status (*tick)(void *context, const size_t *finished, size_t done, xp_error *error);
    void *context;
} xp__pool_job;

/* Runs the job to its end. When units fail, those already handed out are completed, and the failure
 * of the lowest number is returned, so that the message is the same for any number of threads. */
xp_status xp__pool_run(const xp__pool_job *job, xp_error *error);
/* True once tick has failed: what is under way is no longer wanted. */
bool xp__pool_cancelled(const xp__pool *pool);

/* Checks a number of threads asked for by a caller. */
xp_status xp__pool_threads_check(size_t threads, xp_error *error);

#endif
