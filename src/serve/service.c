/* service.c: the writer. */
#include "serve/service.h"

#include "serve/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_JOBS = 1024, TIDY_MS = 200, TRIM_MS = 2000, TRIM_ROWS = 5000, PHASES = 3 };

struct serve_service {
    serve_store_options options;
    char *place;
    serve_store *store; /* NULL while it cannot be opened */
    serve_book *book;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    serve_job *first, **last; /* the queue */
    bool stopping;
    serve_figures figures;
    int64_t trimmed; /* when last */
    pthread_t tidier;
    bool tidies;        /* there is one */
    pthread_cond_t end; /* of the tidier */
    serve_wanted *wanted;
    size_t wanted_room;
};

int64_t serve_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t ticks_us(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

serve_figures *serve_service_figures(serve_service *service) {
    return &service->figures;
}

static void answer_problem(serve_job *job, const serve_problem *problem) {
    serve_text_free(&job->answer);
    job->code = problem->code;
    serve_text_add(&job->answer, "{\"error\":");
    serve_text_json(&job->answer, problem->text);
    serve_text_add(&job->answer, "}\n");
}

static void close_store(serve_service *service) {
    serve_book_destroy(service->book);
    service->book = NULL;
    if (service->store != NULL) {
        service->store->type->close(service->store);
        service->store = NULL;
    }
}

static bool open_store(serve_service *service, char *message, size_t room) {
    if (service->store != NULL) {
        return true;
    }
    service->store = serve_store_open(&service->options, message, room);
    service->book = service->store != NULL ? serve_book_create(service->store) : NULL;
    if (service->store != NULL && service->book == NULL) {
        (void)snprintf(message, room, "out of memory");
        close_store(service);
    }
    return service->store != NULL;
}

/* The store failed: nothing of the group happened, or it is not known whether it did. The next
 * group starts with a new connection. */
static void fail_group(serve_service *service, serve_job *const *jobs, size_t count, bool writes,
                       const char *reason) {
    serve_problem problem = {.code = 503};
    if (writes && service->store != NULL && service->store->uncertain) {
        (void)snprintf(problem.text, sizeof problem.text,
                       "the store was lost while it was written (%.200s), so it is not known "
                       "whether this was done; send the same again: a reward, or a request with a "
                       "request_id, counts once",
                       reason);
    } else {
        (void)snprintf(problem.text, sizeof problem.text,
                       "the store cannot be %s now (%.200s); nothing was changed, try again later",
                       writes ? "written" : "read", reason);
    }
    for (size_t i = 0; i < count; i++) {
        answer_problem(jobs[i], &problem);
    }
    if (atomic_exchange(&service->figures.ready, false)) {
        serve_log("error", "store_failed", "reason", reason, NULL);
    }
    atomic_fetch_add(&service->figures.failures, 1);
    close_store(service);
}

static bool run_jobs(serve_service *service, serve_job *const *jobs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        serve_problem problem = {.code = 500};
        jobs[i]->code = 200;
        const serve_outcome outcome = jobs[i]->type->run(service->book, jobs[i], &problem);
        if (outcome == SERVE_BROKEN) {
            return false;
        }
        if (outcome == SERVE_DONE && jobs[i]->answer.failed) {
            (void)serve_refuse(&problem, 500, "out of memory");
        }
        if (outcome == SERVE_REFUSED || jobs[i]->answer.failed) {
            answer_problem(jobs[i], &problem);
        }
    }
    return true;
}

static void be_ready(serve_service *service) {
    if (!atomic_exchange(&service->figures.ready, true)) {
        serve_log("info", "store_recovered", NULL);
    }
}

/* Tells the store what the jobs will look for. */
static bool expect(serve_service *service, serve_job *const *jobs, size_t count) {
    serve_store *store = service->store;
    size_t total = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        total += (jobs[i]->id[0] != '\0') + jobs[i]->reward_count;
    }
    if (total > service->wanted_room) {
        serve_wanted *more = realloc(service->wanted, total * sizeof *more);
        if (more == NULL) {
            return true; /* then they are looked for one by one */
        }
        service->wanted = more;
        service->wanted_room = total;
    }
    for (size_t i = 0; i < count; i++) {
        if (jobs[i]->id[0] != '\0') {
            service->wanted[at++] =
                (serve_wanted){.experiment = jobs[i]->id, .request = jobs[i]->decide.request_id};
        }
        for (size_t r = 0; r < jobs[i]->reward_count; r++) {
            service->wanted[at++] = (serve_wanted){.experiment = jobs[i]->rewards[r].experiment,
                                                   .number = jobs[i]->rewards[r].number};
        }
    }
    return store->type->expect(store, service->wanted, total);
}

/* Opens the store if it is not open, and begins a group. Nothing was done yet if the connection
 * turns out to be lost (the server was started again): it is opened once more. */
static bool begin_group(serve_service *service, serve_job *const *jobs, size_t count, bool writes,
                        char *reason, size_t room) {
    for (int attempt = 0; attempt < 2; attempt++) {
        if (!open_store(service, reason, room)) {
            return false;
        }
        serve_store *store = service->store;
        if (store->type->begin(store, writes) &&
            (!writes || store->type->expect == NULL || expect(service, jobs, count))) {
            serve_book_begin(service->book, serve_now());
            return true;
        }
        store->type->rollback(store);
        (void)snprintf(reason, room, "%s", store->message);
        if (!store->lost) {
            return false;
        }
        close_store(service);
    }
    return false;
}

static void run_group(serve_service *service, serve_job *const *jobs, size_t count, bool writes) {
    char reason[256];
    if (count == 0) {
        return;
    }
    if (!begin_group(service, jobs, count, writes, reason, sizeof reason)) {
        fail_group(service, jobs, count, writes, reason);
        return;
    }
    serve_store *store = service->store;
    if (!run_jobs(service, jobs, count) || !serve_book_flush(service->book)) {
        store->type->rollback(store);
        (void)snprintf(reason, sizeof reason, "%s", store->message);
        fail_group(service, jobs, count, writes, reason);
        return;
    }
    const int64_t start = ticks_us();
    if (!store->type->commit(store)) {
        (void)snprintf(reason, sizeof reason, "%s", store->message);
        store->type->rollback(store);
        fail_group(service, jobs, count, writes, reason);
        return;
    }
    if (!writes) {
        return;
    }
    atomic_fetch_add(&service->figures.commit_us, (unsigned long long)(ticks_us() - start));
    atomic_fetch_add(&service->figures.groups, 1);
    be_ready(service);
    for (size_t i = 0; i < count; i++) {
        if (jobs[i]->code == 200 && jobs[i]->type == &serve_job_decide) {
            atomic_fetch_add(&service->figures.decisions, jobs[i]->decide.count);
        } else if (jobs[i]->code == 200 && jobs[i]->type == &serve_job_reward) {
            atomic_fetch_add(&service->figures.rewards, jobs[i]->reward_count);
        }
    }
}

/* Deletes what is old, in small steps between groups. A store that failed is tried again here too:
 * nobody sends requests to a service that is not ready. */
static void trim(serve_service *service) {
    const int64_t now = serve_now();
    char reason[256];
    if (now - service->trimmed < TRIM_MS) {
        return;
    }
    serve_problem problem = {.code = 0};
    bool more = false;
    service->trimmed = now;
    if (!begin_group(service, NULL, 0, true, reason, sizeof reason)) {
        return;
    }
    serve_store *store = service->store;
    if ((atomic_load(&service->figures.ready) || store->type->touch(store)) &&
        serve_experiments_trim(service->book, TRIM_ROWS, &more, &problem) == SERVE_DONE &&
        serve_book_flush(service->book) && store->type->commit(store)) {
        service->trimmed = more ? now - TRIM_MS + 50 : now;
        be_ready(service);
        return;
    }
    store->type->rollback(store);
    close_store(service);
}

/* Takes up to MOST_JOBS from the queue, waiting for the first. Returns 0 at the end. */
static size_t take(serve_service *service, serve_job **jobs) {
    size_t count = 0;
    (void)pthread_mutex_lock(&service->lock);
    while (service->first == NULL && !service->stopping) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        if (pthread_cond_timedwait(&service->wake, &service->lock, &until) == ETIMEDOUT) {
            (void)pthread_mutex_unlock(&service->lock);
            trim(service);
            (void)pthread_mutex_lock(&service->lock);
        }
    }
    while (service->first != NULL && count < MOST_JOBS) {
        jobs[count++] = service->first;
        service->first = service->first->next;
    }
    if (service->first == NULL) {
        service->last = &service->first;
    }
    (void)pthread_mutex_unlock(&service->lock);
    return count;
}

static void *work(void *context) {
    serve_service *service = context;
    static serve_job *jobs[MOST_JOBS], *sorted[MOST_JOBS];
    size_t count;
    while ((count = take(service, jobs)) > 0) {
        size_t writes = 0, all = 0;
        for (int phase = 0; phase <= PHASES; phase++) { /* those that read come last */
            for (size_t i = 0; i < count; i++) {
                if ((jobs[i]->type->writes ? jobs[i]->type->phase : PHASES) == phase) {
                    sorted[all++] = jobs[i];
                }
            }
            writes = phase < PHASES ? all : writes;
        }
        run_group(service, sorted, writes, true);
        run_group(service, sorted + writes, count - writes, false);
        atomic_fetch_add(&service->figures.jobs, count);
        for (size_t i = 0; i < count; i++) {
            jobs[i]->done(jobs[i]);
        }
        trim(service);
    }
    return NULL;
}

/* Waits, with the lock held, until the service stops: true, or for so long: false. */
static bool wait_for_end(serve_service *service, int64_t milliseconds) {
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    const int64_t nanoseconds = until.tv_nsec + milliseconds * 1000000;
    until.tv_sec += nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    while (!service->stopping) {
        if (pthread_cond_timedwait(&service->end, &service->lock, &until) == ETIMEDOUT) {
            return service->stopping;
        }
    }
    return true;
}

/* Keeps the log short on a connection of its own, so that the writer does not wait for it. */
static void *tidy(void *context) {
    serve_service *service = context;
    serve_store *store = NULL;
    char message[256];
    serve_store_options options = service->options;
    options.create = false;
    (void)pthread_mutex_lock(&service->lock);
    while (!wait_for_end(service, TIDY_MS)) {
        (void)pthread_mutex_unlock(&service->lock);
        if (store == NULL) {
            store = serve_store_open(&options, message, sizeof message);
        }
        if (store != NULL && !store->type->tidy(store)) { /* the writer notices too, and says so */
            store->type->close(store);
            store = NULL;
        }
        (void)pthread_mutex_lock(&service->lock);
    }
    (void)pthread_mutex_unlock(&service->lock);
    if (store != NULL) {
        store->type->close(store);
    }
    return NULL;
}

/* Ends the tidier. */
static void stop_tidier(serve_service *service) {
    (void)pthread_mutex_lock(&service->lock);
    service->stopping = true;
    (void)pthread_cond_signal(&service->wake);
    (void)pthread_cond_signal(&service->end);
    (void)pthread_mutex_unlock(&service->lock);
    if (service->tidies) {
        (void)pthread_join(service->tidier, NULL);
    }
}

static void free_service(serve_service *service) {
    close_store(service);
    (void)pthread_cond_destroy(&service->wake);
    (void)pthread_cond_destroy(&service->end);
    (void)pthread_mutex_destroy(&service->lock);
    free(service->place);
    free(service->wanted);
    free(service);
}

serve_service *serve_service_start(const serve_store_options *store, char *message, size_t room) {
    serve_service *service = calloc(1, sizeof *service);
    if (service == NULL) {
        (void)snprintf(message, room, "out of memory");
        return NULL;
    }
    service->options = *store;
    service->place = strdup(store->place);
    service->options.place = service->place;
    service->options.tidied = true;
    service->last = &service->first;
    atomic_init(&service->figures.ready, true);
    (void)pthread_mutex_init(&service->lock, NULL);
    (void)pthread_cond_init(&service->wake, NULL);
    (void)pthread_cond_init(&service->end, NULL);
    if (service->place == NULL || !open_store(service, message, room)) {
        free_service(service);
        return NULL;
    }
    service->tidies = service->store->type->tidy != NULL;
    if (service->tidies && pthread_create(&service->tidier, NULL, tidy, service) != 0) {
        (void)snprintf(message, room, "a thread cannot be started");
        free_service(service);
        return NULL;
    }
    if (pthread_create(&service->thread, NULL, work, service) != 0) {
        (void)snprintf(message, room, "a thread cannot be started");
        stop_tidier(service);
        free_service(service);
        return NULL;
    }
    return service;
}

void serve_service_submit(serve_service *service, serve_job *job) {
    job->next = NULL;
    (void)pthread_mutex_lock(&service->lock);
    const bool refused = service->stopping;
    if (!refused) {
        *service->last = job;
        service->last = &job->next;
        (void)pthread_cond_signal(&service->wake);
    }
    (void)pthread_mutex_unlock(&service->lock);
    if (refused) {
        serve_problem problem;
        (void)serve_refuse(&problem, 503, "the service is shutting down");
        answer_problem(job, &problem);
        job->done(job);
    }
}

void serve_service_stop(serve_service *service) {
    stop_tidier(service);
    (void)pthread_join(service->thread, NULL);
    free_service(service);
}
