/* pool.c: the threads of a pool.
 *
 * Everything shared is behind one mutex but for the flag that running units poll. Invariants:
 * `next` only grows; `finished` is written under the mutex at places >= `done` and read by the
 * calling thread below a `done` that it took under the mutex. */
#include "base/pool.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1024 };
/* Ticks come quickly at first, so that a short job is told about too, then five times a second. */
enum { FIRST_TICK_NANOSECONDS = 10000000, TICK_NANOSECONDS = 200000000 };

struct xp__pool {
    const xp__pool_job *job;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a worker ended */
    size_t next;            /* the unit to hand out */
    size_t done;
    size_t *finished; /* units in order of their end */
    size_t working;   /* threads that have not ended */
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

static void record(xp__pool *pool, size_t unit, xp_status status, const xp_error *error) {
    if (status == XP_OK) {
        pool->finished[pool->done++] = unit;
    } else if (!(status == XP_ERR_INTERRUPTED && xp__pool_cancelled(pool))) {
        pool->draining = true;
        if (pool->failed_status == XP_OK || unit < pool->failed_unit) {
            pool->failed_unit = unit;
            pool->failed_status = status;
            pool->failed_error = *error;
        }
    }
}

static void *work(void *argument) {
    xp__pool *pool = argument;
    (void)pthread_mutex_lock(&pool->mutex);
    while (!pool->draining && pool->next < pool->job->units) {
        const size_t unit = pool->next++;
        (void)pthread_mutex_unlock(&pool->mutex);
        xp_error error = {.status = XP_OK};
        const xp_status status = pool->job->run(pool->job->context, unit, pool, &error);
        (void)pthread_mutex_lock(&pool->mutex);
        record(pool, unit, status, &error);
    }
    pool->working--;
    (void)pthread_cond_signal(&pool->changed);
    (void)pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* Waits until all workers have ended, ticking; the mutex is held on entry and on return. */
static xp_status watch(xp__pool *pool, xp_error *error) {
    xp_status status = XP_OK;
    long pause = FIRST_TICK_NANOSECONDS;
    for (bool last = false; !last;) {
        struct timespec until;
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += pause;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pause = 2 * pause < TICK_NANOSECONDS ? 2 * pause : TICK_NANOSECONDS;
        int waited = 0;
        while (pool->working > 0 && waited == 0) {
            waited = pthread_cond_timedwait(&pool->changed, &pool->mutex, &until);
        }
        /* Threads may end while tick runs: only a tick that began after all had ended is the last.
         */
        last = pool->working == 0;
        if (pool->job->tick != NULL && (status == XP_OK || last)) {
            const size_t done = pool->done;
            (void)pthread_mutex_unlock(&pool->mutex);
            const xp_status told = pool->job->tick(pool->job->context, pool->finished, done,
                                                   status == XP_OK ? error : NULL);
            (void)pthread_mutex_lock(&pool->mutex);
            if (status == XP_OK && told != XP_OK) {
                status = told;
                atomic_store_explicit(&pool->cancelled, true, memory_order_relaxed);
                pool->draining = true;
            }
        }
    }
    return status;
}

static size_t thread_count(const xp__pool_job *job) {
    size_t threads = job->threads;
    if (threads == 0) {
        const long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores > 0 ? (size_t)cores : 1;
    }
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
    xp__pool pool = {.job = job};
    atomic_init(&pool.cancelled, false);
    const size_t wanted = thread_count(job);
    pool.finished = xp__alloc(job->units, sizeof *pool.finished);
    pthread_t *threads = xp__alloc(wanted, sizeof *threads);
    xp_status status = XP_OK;
    if (pool.finished == NULL || threads == NULL || !init_locks(&pool)) {
        status = xp__no_memory(error);
    } else {
        status = run_threads(&pool, threads, wanted, error);
        (void)pthread_cond_destroy(&pool.changed);
        (void)pthread_mutex_destroy(&pool.mutex);
    }
    xp__free(threads);
    xp__free(pool.finished);
    return status;
}
