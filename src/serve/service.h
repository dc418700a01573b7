/* service.h: the writer: one thread that works on the store, for all connections.
 *
 * Jobs are queued by the threads that talk HTTP. The writer takes all that wait, runs those that
 * write in one transaction (decisions first, so that each of them needs the law of an experiment
 * only once per group), commits, and only then lets them be answered: what was acknowledged is
 * durable. Jobs that only read follow in a transaction of their own, so that they work on a store
 * that cannot be written. If the store fails, the whole group is undone and answered with 503. */
#ifndef XP_SERVE_SERVICE_H
#define XP_SERVE_SERVICE_H

#include "serve/experiments/decide.h"
#include "serve/experiments/manage.h"
#include "serve/text.h"

#include <stdatomic.h>

typedef struct serve_job serve_job;

typedef struct serve_job_type {
    bool writes;
    int phase; /* order within a group */
    serve_outcome (*run)(serve_book *book, serve_job *job, serve_problem *problem);
} serve_job_type;

struct serve_job {
    const serve_job_type *type;
    void (*done)(serve_job *job); /* called by the writer when code and answer are there */
    void *context;                /* the caller's */
    serve_job *next;

    char id[SERVE_ID_SIZE]; /* of the experiment, or "" */
    serve_decide decide;
    serve_create create;
    serve_reward_item *rewards;
    size_t reward_count;
    serve_arm_change change;
    char *arm;
    uint64_t choices;
    char *segment; /* whose law is shown; NULL: "" */

    int code; /* as in HTTP */
    serve_text answer;
};

extern const serve_job_type serve_job_decide, serve_job_reward, serve_job_create, serve_job_arm,
    serve_job_pause, serve_job_resume, serve_job_delete, serve_job_list, serve_job_show,
    serve_job_curve;

/* Frees what a job holds, not the job. */
void serve_job_deinit(serve_job *job);

typedef struct serve_figures { /* for /metrics */
    atomic_ullong decisions, rewards, groups, jobs, failures;
    atomic_ullong commit_us;
    atomic_bool ready; /* the last group was written */
} serve_figures;

typedef struct serve_service serve_service;

/* Starts the writer, which owns the store from then on. NULL on failure. */
serve_service *serve_service_start(const serve_store_options *store, char *message, size_t room);
/* Queues a job. After serve_service_stop began, it is answered with 503. */
void serve_service_submit(serve_service *service, serve_job *job);
serve_figures *serve_service_figures(serve_service *service);
/* Finishes what is queued, and ends. */
void serve_service_stop(serve_service *service);

/* Milliseconds since 1970. */
int64_t serve_now(void);

#endif
