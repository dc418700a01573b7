/* pool.h: independent units of work spread over a few threads.
 *
 * Units are numbered and handed out in that order. What a unit computes must depend on its number
 * alone, so that results do not depend on scheduling. The calling thread computes nothing: it
 * wakes about five times a second to tell what has finished.
 *
 * A fed pool does not know its units when it starts: the calling thread gives them to it one by one
 * (xp__pool_give), and is woken whenever one has finished. */
#ifndef XP_BASE_POOL_H
#define XP_BASE_POOL_H

#include "experior/base.h"

typedef struct xp__pool xp__pool;

enum { XP__POOL_TOGETHER = 64 };

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
    /* Instead of `run`, if not NULL: a thread takes as many as `together` units at a time, which
     * advance side by side. They finish, or fail, as one. */
    xp_status (*run_together)(void *context, const size_t *units, size_t count,
                              const xp__pool *pool, xp_error *error);
    size_t together; /* at most XP__POOL_TOGETHER */
    /* Makes a fed pool, if not NULL: called instead of `tick`, more often, and gives units.
     * Failures of units are told by `failed`, on the thread that failed, and end nothing by
     * themselves. */
    xp_status (*feed)(void *context, xp__pool *pool, const size_t *finished, size_t done,
                      xp_error *error);
    void (*failed)(void *context, size_t unit, xp_status status, const xp_error *error);
} xp__pool_job;

/* Runs the job to its end. When units fail, those already handed out are completed, and the failure
 * of the lowest number is returned, so that the message is the same for any number of threads. */
xp_status xp__pool_run(const xp__pool_job *job, xp_error *error);
/* Gives a unit to a fed pool, from its `feed`; no unit twice. */
void xp__pool_give(xp__pool *pool, size_t unit);
/* From `feed`: no more units will come. */
void xp__pool_close(xp__pool *pool);
/* From `feed`: if no unit ends, it need not be called again for so many seconds. */
void xp__pool_rest(xp__pool *pool, double seconds);
/* Threads of a job: those asked for, or as many as there are cores; no more than units. */
size_t xp__pool_threads(const xp__pool_job *job);
/* True once tick (or feed) has failed: what is under way is no longer wanted. */
bool xp__pool_cancelled(const xp__pool *pool);

/* Checks a number of threads asked for by a caller. */
xp_status xp__pool_threads_check(size_t threads, xp_error *error);

#endif
