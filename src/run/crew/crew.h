/* crew.h: who computes the units of a study: the threads of this process, or of several.
 *
 * Units are numbered, and what a unit computes depends on its number alone. With peers every
 * process makes the same plan and calls xp__crew_run with the same job; process 0 leads. It gives
 * each process a few units at a time, so that none waits for the next, unpacks what they left and
 * tells of them as its own. The others compute until they are told that all is done, and learn
 * nothing else. A unit may be computed beside others by one thread (run_together): nothing here
 * assumes that a worker has one unit at a time. */
#ifndef XP_RUN_CREW_CREW_H
#define XP_RUN_CREW_CREW_H

#include "base/pool.h"
#include "experior/peers.h"

typedef struct xp__crew_job {
    size_t units;        /* numbers are below this */
    const size_t *order; /* of the leader: the units to compute, in the order to begin them; NULL:
                            all, in the order of their numbers */
    size_t order_count;
    size_t threads;  /* of each process; 0: as many as there are cores */
    xp_peers *peers; /* NULL: this process alone */
    uint64_t plan;   /* with peers: a checksum of all that determines what units compute. Processes
                        that differ in it, or in their version or machine, are refused */
    /* As in an xp__pool_job; units are told by their numbers. tick is the leader's alone. */
    xp_status (*run)(void *context, size_t unit, const xp__pool *pool, xp_error *error);
    xp_status (*run_together)(void *context, const size_t *units, size_t count,
                              const xp__pool *pool, xp_error *error);
    size_t together;
    xp_status (*tick)(void *context, const size_t *finished, size_t done, xp_error *error);
    /* What a unit left, as `length` bytes: to the leader, and there into its place. */
    size_t (*length)(void *context, size_t unit);
    void (*pack)(void *context, size_t unit, unsigned char *bytes);
    void (*unpack)(void *context, size_t unit, const unsigned char *bytes);
    void *context;
} xp__crew_job;

/* Runs the job to its end. When units fail, those already begun are completed, and the failure of
 * the one that comes first in the order is returned, for any number of processes and threads. */
xp_status xp__crew_run(const xp__crew_job *job, xp_error *error);
/* What it comes to without peers. */
xp_status xp__crew_run_alone(const xp__crew_job *job, xp_error *error);
/* Instead of xp__crew_run, from a process that cannot take part: the others end with its error. */
void xp__crew_fail(xp_peers *peers, const xp_error *error);
/* Whether this process leads; alone it does. */
bool xp__crew_leads(const xp_peers *peers);
/* Threads of all processes together, if all have as many. */
size_t xp__crew_workers(const xp_peers *peers, size_t threads);
/* Checks what a caller gave. NULL is fine. */
xp_status xp__crew_check(const xp_peers *peers, xp_error *error);

#endif
