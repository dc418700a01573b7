/* pool.c: the threads of a pool.
 *
 * Everything shared is behind one mutex but for the flag that running units poll. Invariants:
 * `next` only grows; `finished` is written under the mutex at places >= `done` and read by the
 * calling thread below a `done` that it took under the mutex. Units come from a queue, which a pool
 * that is not fed has full from the start. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/pool.h"

#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1024 };
/* Ticks come quickly at first, so that a short job is told about too, then five times a second. */
enum { FIRST_TICK_NANOSECONDS = 10000000, TICK_NANOSECONDS = 200000000 };
/* A fed pool looks for news from elsewhere as often as this, unless its feed says otherwise. */
enum { FEED_NANOSECONDS = 1000000 };

struct xp__pool {
    const xp__pool_job *job;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a worker ended, or in a fed pool a unit */
    pthread_cond_t given;   /* a fed pool has got units, or will get no more */
    size_t *queue;          /* units to hand out; NULL: all, in order of their numbers */
    size_t next, queued;    /* places in the queue: the next one, the end */
    size_t done;
    size_t *finished; /* units in order of their end */
    size_t ended;     /* times that units have ended, well or not */
    size_t working;   /* threads that have not ended */
    long pause;       /* nanoseconds until the calling thread tells again */
    bool closed;      /* the queue grows no more */
    bool draining;    /* hand out no more */
    size_t failed_unit;
    xp_status failed_status;
    xp_error failed_error;
    atomic_bool cancelled;
};

bool xp__pool_cancelled(const xp__pool *pool) {
    return atomic_load_explicit(&pool->cancelled, memory_order_relaxed);
}

xp_status xp__pool_threads_check(size_t threads, xp_error *error) {
    if (threads > MAX_THREADS) {
        return xp_error_set(error, XP_ERR_INPUT, "threads = %zu is outside [0, %d]", threads,
                            (int)MAX_THREADS);
    }
    return XP_OK;
}

void xp__pool_give(xp__pool *pool, size_t unit) {
    (void)pthread_mutex_lock(&pool->mutex);
    pool->queue[pool->queued++] = unit;
    (void)pthread_cond_signal(&pool->given);
    (void)pthread_mutex_unlock(&pool->mutex);
}

void xp__pool_close(xp__pool *pool) {
    (void)pthread_mutex_lock(&pool->mutex);
    pool->closed = true;
    (void)pthread_cond_broadcast(&pool->given);
    (void)pthread_mutex_unlock(&pool->mutex);
}

void xp__pool_rest(xp__pool *pool, double seconds) {
    pool->pause = (long)(seconds * 1e9);
}

static void record(xp__pool *pool, const size_t *units, size_t count, xp_status status,
                   const xp_error *error) {
    pool->ended++;
    if (status == XP_OK) {
        for (size_t i = 0; i < count; i++) {
            pool->finished[pool->done++] = units[i];
        }
    } else if (!(status == XP_ERR_INTERRUPTED && xp__pool_cancelled(pool))) {
        if (pool->job->failed != NULL) {
            for (size_t i = 0; i < count; i++) {
                pool->job->failed(pool->job->context, units[i], status, error);
            }
            return;
        }
        pool->draining = true;
        if (pool->failed_status == XP_OK || units[0] < pool->failed_unit) {
            pool->failed_unit = units[0];
            pool->failed_status = status;
            pool->failed_error = *error;
        }
    }
}

/* Takes units from the queue, waiting for some if it may still grow; 0: there are no more. */
static size_t take(xp__pool *pool, size_t *units) {
    const size_t most = pool->job->run_together != NULL ? pool->job->together : 1;
    while (!pool->draining && pool->next == pool->queued && !pool->closed) {
        (void)pthread_cond_wait(&pool->given, &pool->mutex);
    }
    size_t count = 0;
    while (!pool->draining && count < most && count < XP__POOL_TOGETHER &&
           pool->next < pool->queued) {
        units[count++] = pool->queue != NULL ? pool->queue[pool->next] : pool->next;
        pool->next++;
    }
    return count;
}

static void *work(void *argument) {
    xp__pool *pool = argument;
    const xp__pool_job *job = pool->job;
    size_t units[XP__POOL_TOGETHER], count;
    (void)pthread_mutex_lock(&pool->mutex);
    while ((count = take(pool, units)) > 0) {
        (void)pthread_mutex_unlock(&pool->mutex);
        xp_error error = {.status = XP_OK};
        const xp_status status = job->run_together != NULL
                                     ? job->run_together(job->context, units, count, pool, &error)
                                     : job->run(job->context, units[0], pool, &error);
        (void)pthread_mutex_lock(&pool->mutex);
        record(pool, units, count, status, &error);
        if (job->feed != NULL) {
            (void)pthread_cond_signal(&pool->changed);
        }
    }
    pool->working--;
    (void)pthread_cond_signal(&pool->changed);
    (void)pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* Tells what has finished; the mutex is held on entry and on return, and not meanwhile. */
static xp_status tell(xp__pool *pool, xp_error *error) {
    const xp__pool_job *job = pool->job;
    const size_t done = pool->done;
    (void)pthread_mutex_unlock(&pool->mutex);
    xp_status status = XP_OK;
    if (job->feed != NULL) {
        pool->pause = FEED_NANOSECONDS;
        status = job->feed(job->context, pool, pool->finished, done, error);
    } else if (job->tick != NULL) {
        status = job->tick(job->context, pool->finished, done, error);
    }
    (void)pthread_mutex_lock(&pool->mutex);
    return status;
}

/* Waits until all workers have ended, ticking; the mutex is held on entry and on return. */
static xp_status watch(xp__pool *pool, xp_error *error) {
    const bool fed = pool->job->feed != NULL;
    xp_status status = XP_OK;
    pool->pause = fed ? FEED_NANOSECONDS : FIRST_TICK_NANOSECONDS;
    size_t ended = 0;
    for (bool last = false; !last;) {
        struct timespec until;
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += pool->pause;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (!fed) {
            pool->pause = 2 * pool->pause < TICK_NANOSECONDS ? 2 * pool->pause : TICK_NANOSECONDS;
        }
        int waited = 0;
        while (pool->working > 0 && waited == 0 && !(fed && pool->ended != ended)) {
            waited = pthread_cond_timedwait(&pool->changed, &pool->mutex, &until);
        }
        ended = pool->ended;
        /* Threads may end while it is told: only what began after all had ended is the last. */
        last = pool->working == 0;
        if (status == XP_OK || last) {
            const xp_status told = tell(pool, status == XP_OK ? error : NULL);
            if (status == XP_OK && told != XP_OK) {
                status = told;
                atomic_store_explicit(&pool->cancelled, true, memory_order_relaxed);
                pool->draining = true;
                (void)pthread_cond_broadcast(&pool->given);
            }
        }
    }
    return status;
}

/* Those that this process may use: a launcher or a container may have bound it to some. */
static size_t count_cores(void) {
    cpu_set_t allowed; /* of 1,024; on a larger machine the call fails */
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0) {
        return (size_t)CPU_COUNT(&allowed);
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (size_t)cores : 1;
}

size_t xp__pool_threads(const xp__pool_job *job) {
    size_t threads = job->threads;
    threads = threads == 0 ? count_cores() : threads;
    threads = threads < MAX_THREADS ? threads : MAX_THREADS;
    return threads < job->units ? threads : job->units;
}

/* Starts the workers and sees them end. */
static xp_status run_threads(xp__pool *pool, pthread_t *threads, size_t wanted, xp_error *error) {
    (void)pthread_mutex_lock(&pool->mutex);
    size_t started = 0;
    while (started < wanted && pthread_create(&threads[started], NULL, work, pool) == 0) {
        started++;
        pool->working++;
    }
    xp_status status = started > 0 ? watch(pool, error)
                                   : xp_error_set(error, XP_ERR_MEMORY, "no thread can be started");
    (void)pthread_mutex_unlock(&pool->mutex);
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    if (status == XP_OK && pool->failed_status != XP_OK) {
        status = pool->failed_status;
        if (error != NULL) {
            *error = pool->failed_error;
        }
    }
    return status;
}

static bool init_locks(xp__pool *pool) {
    pthread_condattr_t attributes;
    if (pthread_mutex_init(&pool->mutex, NULL) != 0) {
        return false;
    }
    bool good = pthread_condattr_init(&attributes) == 0;
    if (good) {
        good = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
               pthread_cond_init(&pool->changed, &attributes) == 0;
        if (good && pthread_cond_init(&pool->given, NULL) != 0) {
            (void)pthread_cond_destroy(&pool->changed);
            good = false;
        }
        (void)pthread_condattr_destroy(&attributes);
    }
    if (!good) {
        (void)pthread_mutex_destroy(&pool->mutex);
    }
    return good;
}

xp_status xp__pool_run(const xp__pool_job *job, xp_error *error) {
    if (job->units == 0) {
        return XP_OK;
    }
    const bool fed = job->feed != NULL;
    xp__pool pool = {.job = job, .queued = fed ? 0 : job->units, .closed = !fed};
    atomic_init(&pool.cancelled, false);
    const size_t wanted = xp__pool_threads(job);
    pool.finished = xp__alloc(job->units, sizeof *pool.finished);
    pool.queue = fed ? xp__alloc(job->units, sizeof *pool.queue) : NULL;
    pthread_t *threads = xp__alloc(wanted, sizeof *threads);
    xp_status status = XP_OK;
    if (pool.finished == NULL || (fed && pool.queue == NULL) || threads == NULL ||
        !init_locks(&pool)) {
        status = xp__no_memory(error);
    } else {
        status = run_threads(&pool, threads, wanted, error);
        (void)pthread_cond_destroy(&pool.given);
        (void)pthread_cond_destroy(&pool.changed);
        (void)pthread_mutex_destroy(&pool.mutex);
    }
    xp__free(threads);
    xp__free(pool.queue);
    xp__free(pool.finished);
    return status;
}
