/* crew.c: a job of several processes: the calling thread of each is the one that talks, from the
 * `feed` of a fed pool whose threads compute.
 *
 * Messages are a head and, after it, bytes. A worker says that it is READY for a round, how many
 * units it can hold and what it is; the leader answers with units (DO), each of which the worker
 * returns DONE or FAILED; END closes the round. Rounds are numbered, so that a worker who is READY
 * for a round that was over before it could begin is not taken for one of the next. What it would
 * have learnt from its READY, that its plan is not the leader's, it learns from END; and who takes
 * part no longer (FAILED without a unit) is heard in later rounds too. Invariants of the leader:
 * `held[p]` counts the units that process p was given and has not returned; the round ends when
 * none is left to give and all held are 0.
 *
 * Nobody may wait for one who has given up. So what it takes to say that something failed is there
 * from the start, and saying it needs no memory. */
#include "run/crew/crew.h"

#include "base/grow.h"
#include "base/memory.h"
#include "run/crew/identity.h"
#include "run/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { READY = 1, DO, DONE, FAILED, END };

typedef struct head {
    uint32_t kind;
    uint32_t status; /* FAILED, END */
    uint64_t round;
    uint64_t number; /* READY: threads × together; DONE, FAILED: the unit, or GONE; DO: how many
                        follow; END: the plan */
} head;

/* FAILED, not in a unit: the process takes part no longer. */
#define GONE UINT64_MAX

/* The longest text in a message: that of an error. */
enum { TEXT = sizeof((xp_error *)NULL)->message };

/* A unit that failed here, from the thread that saw it to the one that talks. */
typedef struct failure {
    size_t unit;
    xp_status status;
    xp_error error;
} failure;

typedef struct crew {
    const xp__crew_job *job;
    xp_peers *peers;
    uint64_t round;
    unsigned char *bytes; /* a message that is made */
    size_t room;
    size_t told;            /* of the units finished here, those that were passed on */
    size_t threads;         /* computing here */
    size_t room_here, here; /* units that this process computes at a time, and those it has */
    xp__identity own;
    pthread_mutex_t lock; /* of `failures` */
    failure *failures;    /* room for all units that can be here at a time */
    size_t failure_count;
    /* The leader's. */
    size_t next, count; /* of the order: the next to give; how many there are */
    size_t *capacity;   /* units that a process holds while it computes; 0: it is not ready */
    size_t *held;
    double *since;    /* when a process last began to hold units, or returned one */
    double *took;     /* seconds of its last unit; 0: it has returned none */
    size_t *finished; /* of all processes, in the order of their end */
    size_t done;
    size_t *place; /* of a unit in the order, for the failures */
    failure first; /* the one that comes first; status XP_OK: none */
    double ticked; /* when tick was last called */
    bool draining; /* give no more */
    bool over;     /* the round is to end: tick has failed, or the leader says so */
    bool failed;   /* a follower: it has nothing more to say or to hear in this round */
} crew;

bool xp__crew_leads(const xp_peers *peers) {
    return peers == NULL || peers->rank == 0;
}

size_t xp__crew_workers(const xp_peers *peers, size_t threads) {
    const xp__pool_job any = {.units = SIZE_MAX, .threads = threads};
    return (peers != NULL ? peers->count : 1) * xp__pool_threads(&any);
}

xp_status xp__crew_check(const xp_peers *peers, xp_error *error) {
    if (peers == NULL) {
        return XP_OK;
    }
    if (peers->size != sizeof *peers || peers->send == NULL || peers->receive == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "peers is incomplete: set size, send and receive");
    }
    if (peers->count < 1 || peers->rank >= peers->count) {
        return xp_error_set(error, XP_ERR_INPUT, "peers: rank = %zu is outside [0, %zu]",
                            peers->rank, peers->count - 1);
    }
    return XP_OK;
}

static xp_status say(crew *self, size_t to, head what, size_t payload, xp_error *error) {
    what.round = self->round;
    memcpy(self->bytes, &what, sizeof what);
    return self->peers->send(self->peers->context, to, self->bytes, sizeof what + payload, error);
}

/* Room for a message with so many bytes after its head; they begin behind it. */
static unsigned char *payload(crew *self, size_t bytes) {
    unsigned char *grown = xp__reserve(self->bytes, &self->room, sizeof(head) + bytes, 1);
    if (grown != NULL) {
        self->bytes = grown;
    }
    return grown != NULL ? grown + sizeof(head) : NULL;
}

static xp_status say_text(crew *self, size_t to, head what, const char *text, xp_error *error) {
    const size_t length = strlen(text) + 1;
    unsigned char *bytes = payload(self, length);
    if (bytes == NULL) {
        return xp__no_memory(error);
    }
    memcpy(bytes, text, length);
    return say(self, to, what, length, error);
}

/* Closes the round for all others. What cannot be sent is of no use any more. */
static void say_end(crew *self, xp_status status, const xp_error *error) {
    const bool known = error != NULL && status != XP_OK;
    for (size_t to = 1; to < self->peers->count; to++) {
        (void)say_text(self, to,
                       (head){.kind = END, .status = (uint32_t)status, .number = self->own.plan},
                       known ? error->message : "", NULL);
    }
}

/* Ends a round, from here, for all. */
static void give_up(xp_peers *peers, uint64_t round, const xp_error *error) {
    unsigned char bytes[sizeof(head) + TEXT];
    crew self = {.peers = peers, .round = round, .bytes = bytes, .room = sizeof bytes};
    const xp_status status = error != NULL && error->status != XP_OK ? error->status : XP_ERR_INPUT;
    if (peers->rank == 0) {
        say_end(&self, status, error);
    } else {
        (void)say_text(&self, 0, (head){.kind = FAILED, .status = (uint32_t)status, .number = GONE},
                       error != NULL ? error->message : "", NULL);
    }
}

void xp__crew_fail(xp_peers *peers, const xp_error *error) {
    if (peers != NULL && peers->count > 1) {
        give_up(peers, ++peers->round, error);
    }
}

void xp_peers_fail(xp_peers *peers, const xp_error *error) {
    if (xp__crew_check(peers, NULL) == XP_OK) {
        xp__crew_fail(peers, error);
    }
}

/* On the thread that computed it. */
static void note_failure(void *context, size_t unit, xp_status status, const xp_error *error) {
    crew *self = context;
    (void)pthread_mutex_lock(&self->lock);
    self->failures[self->failure_count++] =
        (failure){.unit = unit, .status = status, .error = *error};
    (void)pthread_mutex_unlock(&self->lock);
}

static bool take_failure(crew *self, failure *taken) {
    (void)pthread_mutex_lock(&self->lock);
    const bool any = self->failure_count > 0;
    if (any) {
        *taken = self->failures[--self->failure_count];
    }
    (void)pthread_mutex_unlock(&self->lock);
    return any;
}

static xp_status run_one(void *context, size_t unit, const xp__pool *pool, xp_error *error) {
    const crew *self = context;
    return self->job->run(self->job->context, unit, pool, error);
}

static xp_status run_some(void *context, const size_t *units, size_t count, const xp__pool *pool,
                          xp_error *error) {
    const crew *self = context;
    return self->job->run_together(self->job->context, units, count, pool, error);
}

/* Takes a message of this round, or the word that a process is gone; false: none is here. Others
 * are stale and dropped. */
static xp_status listen(crew *self, bool *any, size_t *from, head *what, const unsigned char **body,
                        size_t *length, xp_error *error) {
    xp_peers *peers = self->peers;
    for (;;) {
        const void *bytes = NULL;
        size_t all = 0;
        *any = false;
        const xp_status status = peers->receive(peers->context, from, &bytes, &all, error);
        if (status != XP_OK || all == 0) {
            return status;
        }
        if (all < sizeof *what || *from >= peers->count) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "a message of %zu bytes is not one of this program's", all);
        }
        memcpy(what, bytes, sizeof *what);
        const bool gone = what->kind == FAILED && what->number == GONE && what->round < self->round;
        if (what->round == self->round || gone) {
            *body = (const unsigned char *)bytes + sizeof *what;
            *length = all - sizeof *what;
            *any = true;
            return XP_OK;
        }
    }
}

/* A worker: sends what a unit left. */
static xp_status return_unit(crew *self, size_t unit, xp_error *error) {
    const xp__crew_job *job = self->job;
    const size_t length = job->length(job->context, unit);
    unsigned char *bytes = payload(self, length);
    if (bytes == NULL) {
        return xp__no_memory(error);
    }
    job->pack(job->context, unit, bytes);
    return say(self, 0, (head){.kind = DONE, .number = unit}, length, error);
}

static xp_status accept(crew *self, xp__pool *pool, const head *what, const unsigned char *body,
                        size_t length, xp_error *error) {
    if (what->kind == DO && length == 8 * what->number) {
        for (size_t i = 0; i < what->number; i++) {
            uint64_t unit;
            memcpy(&unit, body + 8 * i, sizeof unit);
            if (unit >= self->job->units) {
                return xp_error_set(error, XP_ERR_INPUT,
                                    "process 0 handed out unit %llu of %zu: the processes do not "
                                    "run the same command",
                                    (unsigned long long)unit, self->job->units);
            }
            xp__pool_give(pool, (size_t)unit);
        }
        self->here += what->number;
        return XP_OK;
    }
    if (what->kind != END) {
        return xp_error_set(error, XP_ERR_INPUT, "process 0 sent a message that is not understood");
    }
    xp__pool_close(pool);
    if (what->status == XP_OK && what->number != self->own.plan) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "process %zu would not compute the same as process 0: its options or "
                            "the files that it reads differ",
                            self->peers->rank);
    }
    self->over = true;
    return what->status == XP_OK
               ? XP_OK
               : xp_error_set(error, (xp_status)what->status, "%.*s",
                              length > 0 ? (int)length - 1 : 0, (const char *)body);
}

static xp_status follow(void *context, xp__pool *pool, const size_t *finished, size_t done,
                        xp_error *error) {
    crew *self = context;
    xp_status status = XP_OK;
    failure failed;
    if (self->over || self->failed) {
        return XP_OK; /* nobody waits for what was still under way */
    }
    for (; status == XP_OK && self->told < done; self->told++) {
        status = return_unit(self, finished[self->told], error);
        self->here--;
    }
    while (status == XP_OK && take_failure(self, &failed)) {
        self->here--;
        status = say_text(
            self, 0,
            (head){.kind = FAILED, .status = (uint32_t)failed.status, .number = failed.unit},
            failed.error.message, error);
    }
    /* Behind the end of a round may already lie that of the next, which is not for this one. */
    bool any = status == XP_OK;
    while (status == XP_OK && any && !self->over) {
        size_t from, length;
        head what;
        const unsigned char *body;
        status = listen(self, &any, &from, &what, &body, &length, error);
        if (status == XP_OK && any) {
            status = accept(self, pool, &what, body, length, error);
        }
    }
    /* While all threads compute, the only news can be that the round has ended. */
    if (self->here >= self->room_here) {
        static const double seconds = 0.1;
        xp__pool_rest(pool, seconds);
    }
    self->failed = status != XP_OK;
    return status;
}

static xp_status say_ready(crew *self, size_t capacity, xp_error *error) {
    unsigned char *bytes = payload(self, sizeof self->own);
    if (bytes == NULL) {
        return xp__no_memory(error);
    }
    memcpy(bytes, &self->own, sizeof self->own);
    return say(self, 0, (head){.kind = READY, .number = capacity}, sizeof self->own, error);
}

/* The leader: the i-th unit of the order. */
static size_t unit_at(const crew *self, size_t i) {
    return self->job->order != NULL ? self->job->order[i] : i;
}

static void remember_failure(crew *self, const failure *failed) {
    const size_t none = SIZE_MAX;
    const size_t here = failed->unit != none ? self->place[failed->unit] : none;
    const size_t there = self->first.unit != none ? self->place[self->first.unit] : none;
    self->draining = true;
    if (self->first.status == XP_OK || here < there) {
        self->first = *failed;
    }
}

/* A process has returned a unit. */
static void take_back(crew *self, size_t process) {
    const double now = xp__clock();
    self->took[process] = (now - self->since[process]) * (double)self->capacity[process] + 1e-9;
    self->since[process] = now;
    self->held[process]--;
}

static xp_status collect(crew *self, size_t from, const head *what, const unsigned char *body,
                         size_t length, xp_error *error) {
    const xp__crew_job *job = self->job;
    if (what->kind == READY && self->capacity[from] == 0) {
        self->capacity[from] = what->number > 0 ? (size_t)what->number : 1;
        return xp__identity_check(&self->own, from, body, length, error);
    }
    if (what->kind == FAILED) {
        const bool of_unit = what->number < job->units && self->held[from] > 0;
        failure failed = {.unit = of_unit ? (size_t)what->number : SIZE_MAX,
                          .status = (xp_status)what->status};
        const int text = length > 0 ? (int)length - 1 : 0;
        if (of_unit) { /* the same, whoever computed it */
            (void)xp_error_set(&failed.error, failed.status, "%.*s", text, (const char *)body);
            take_back(self, from);
        } else { /* it takes part no longer */
            (void)xp_error_set(&failed.error, failed.status, "process %zu: %.*s", from, text,
                               (const char *)body);
            self->held[from] = self->capacity[from] = 0;
        }
        remember_failure(self, &failed);
        return XP_OK;
    }
    const size_t unit = (size_t)what->number;
    if (what->kind != DONE || self->held[from] == 0 || unit >= job->units ||
        length != job->length(job->context, unit)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "process %zu sent a message that is not understood: the processes do "
                            "not run the same command",
                            from);
    }
    job->unpack(job->context, unit, body);
    self->finished[self->done++] = unit;
    take_back(self, from);
    return XP_OK;
}

/* Whether there is so much left that a process may hold units in reserve. */
static bool is_plenty(const crew *self) {
    size_t all = 0;
    for (size_t p = 0; p < self->peers->count; p++) {
        all += self->capacity[p];
    }
    return self->count - self->next > 2 * all;
}

static bool is_quick(const crew *self, size_t process) {
    static const double seconds = 0.25;
    return self->took[process] > 0 && self->took[process] < seconds;
}

/* Where units are short and there is plenty left a process holds twice what it computes at a time,
 * so that it need not wait for the next. Of long units, and towards the end, it holds no more than
 * it computes, so that none lies with one process while another has nothing to do. */
static size_t most_held(const crew *self, size_t process, bool plenty) {
    return (plenty && is_quick(self, process) ? 2 : 1) * self->capacity[process];
}

/* Seconds until the leader looks for messages again: each look takes from what it computes, and
 * wakes a processor. Who has a reserve can wait for a part of a unit; who has none is to lose
 * less than a hundredth of its time. */
static double patience(const crew *self, bool plenty) {
    static const double least = 1e-3, most = 20e-3;
    double seconds = most;
    for (size_t p = 1; p < self->peers->count; p++) {
        const double share = plenty && is_quick(self, p) ? 1.0 / 16 : 1.0 / 128;
        const double wait = share * self->took[p]; /* 0 if it has yet to say that it is ready */
        if ((self->held[p] > 0 || self->capacity[p] == 0) && wait < seconds) {
            seconds = wait;
        }
    }
    return seconds > least ? seconds : least;
}

static xp_status give_to(crew *self, xp__pool *pool, size_t process, bool plenty, xp_error *error) {
    const size_t most = most_held(self, process, plenty), left = self->count - self->next;
    const size_t wanted = most > self->held[process] ? most - self->held[process] : 0;
    const size_t count = wanted < left ? wanted : left;
    if (count == 0 || self->draining || self->over) {
        return XP_OK;
    }
    unsigned char *bytes = payload(self, 8 * count);
    if (bytes == NULL) {
        return xp__no_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t unit = unit_at(self, self->next++);
        if (process == 0) {
            xp__pool_give(pool, (size_t)unit);
        } else {
            memcpy(bytes + 8 * i, &unit, sizeof unit);
        }
    }
    if (self->held[process] == 0) {
        self->since[process] = xp__clock();
    }
    self->held[process] += count;
    return process == 0 ? XP_OK
                        : say(self, process, (head){.kind = DO, .number = count}, 8 * count, error);
}

/* All that has come, from here and elsewhere. */
static xp_status collect_all(crew *self, const size_t *finished, size_t done, xp_error *error) {
    failure failed;
    for (; self->told < done; self->told++) {
        self->finished[self->done++] = finished[self->told];
        take_back(self, 0);
    }
    while (take_failure(self, &failed)) {
        take_back(self, 0);
        remember_failure(self, &failed);
    }
    bool any = true;
    xp_status status = XP_OK;
    while (status == XP_OK && any) {
        size_t from, length;
        head what;
        const unsigned char *body;
        status = listen(self, &any, &from, &what, &body, &length, error);
        if (status == XP_OK && any) {
            status = collect(self, from, &what, body, length, error);
        }
    }
    return status;
}

/* tick comes as often as from the pool, and at the end. */
static xp_status tick(crew *self, bool last, xp_error *error) {
    static const double seconds_between = 0.2;
    const xp__crew_job *job = self->job;
    const double now = xp__clock();
    if (job->tick == NULL || (!last && now - self->ticked < seconds_between)) {
        return XP_OK;
    }
    self->ticked = now;
    const xp_status status = job->tick(job->context, self->finished, self->done, error);
    return status;
}

static xp_status lead(void *context, xp__pool *pool, const size_t *finished, size_t done,
                      xp_error *error) {
    crew *self = context;
    xp_status status = collect_all(self, finished, done, error);
    const bool plenty = is_plenty(self);
    size_t held = 0;
    for (size_t p = 0; status == XP_OK && p < self->peers->count; p++) {
        if (self->capacity[p] > 0) {
            status = give_to(self, pool, p, plenty, error);
        }
        held += self->held[p];
    }
    xp__pool_rest(pool, patience(self, plenty));
    const bool last = held == 0 && (self->draining || self->next == self->count);
    if (status == XP_OK) {
        status = tick(self, last || self->over, error);
    }
    if (status == XP_OK && last) {
        xp__pool_close(pool);
    }
    self->over = self->over || status != XP_OK;
    return status;
}

static xp_status lead_round(crew *self, const xp__pool_job *pool, xp_error *error) {
    const xp__crew_job *job = self->job;
    const size_t peers = self->peers->count;
    self->count = job->order != NULL ? job->order_count : job->units;
    self->capacity = xp__alloc(peers, sizeof *self->capacity);
    self->held = xp__alloc(peers, sizeof *self->held);
    self->since = xp__alloc(peers, sizeof *self->since);
    self->took = xp__alloc(peers, sizeof *self->took);
    self->finished = xp__alloc(self->count, sizeof *self->finished);
    self->place = xp__alloc(job->units, sizeof *self->place);
    self->first = (failure){.unit = SIZE_MAX, .status = XP_OK};
    xp_error own = {.status = XP_OK};
    xp_status status = XP_OK;
    if (self->capacity == NULL || self->held == NULL || self->since == NULL || self->took == NULL ||
        self->finished == NULL || self->place == NULL) {
        status = xp__no_memory(&own);
    } else {
        for (size_t i = 0; i < self->count; i++) {
            self->place[unit_at(self, i)] = i;
        }
        self->capacity[0] = self->threads * (job->run_together != NULL ? job->together : 1);
        status = xp__pool_run(pool, &own);
        if (status == XP_OK && self->first.status != XP_OK) {
            status = self->first.status;
            own = self->first.error;
        }
    }
    say_end(self, status, &own);
    if (status != XP_OK && error != NULL) {
        *error = own;
    }
    xp__free(self->capacity);
    xp__free(self->held);
    xp__free(self->since);
    xp__free(self->took);
    xp__free(self->finished);
    xp__free(self->place);
    return status;
}

static xp_status run_with_peers(const xp__crew_job *job, xp_error *error) {
    crew self = {.job = job, .peers = job->peers, .round = ++job->peers->round};
    xp__pool_job pool = {.units = job->units,
                         .threads = job->threads,
                         .run = run_one,
                         .run_together = job->run_together != NULL ? run_some : NULL,
                         .together = job->together,
                         .failed = note_failure,
                         .context = &self};
    self.threads = xp__pool_threads(&pool);
    const bool leads = xp__crew_leads(job->peers);
    const size_t together = job->run_together != NULL ? job->together : 1;
    self.room_here = self.threads * together;
    pool.feed = leads ? lead : follow;
    xp_error own = {.status = XP_OK};
    self.failures = xp__alloc(2 * self.threads * together + 1, sizeof *self.failures);
    if (self.failures == NULL || payload(&self, TEXT) == NULL ||
        !xp__identity_init(&self.own, job->plan) || pthread_mutex_init(&self.lock, NULL) != 0) {
        (void)xp__no_memory(&own);
        give_up(job->peers, self.round, &own);
        xp__free(self.failures);
        xp__free(self.bytes);
        return xp__no_memory(error);
    }
    xp_status status = XP_OK;
    if (leads) {
        status = lead_round(&self, &pool, error);
    } else {
        status = say_ready(&self, self.room_here, &own);
        status = status == XP_OK ? xp__pool_run(&pool, &own) : status;
        if (status != XP_OK && !self.over) {
            give_up(job->peers, self.round, &own);
        }
        if (status != XP_OK && error != NULL) {
            *error = own;
        }
    }
    (void)pthread_mutex_destroy(&self.lock);
    xp__free(self.failures);
    xp__free(self.bytes);
    return status;
}

xp_status xp__crew_run(const xp__crew_job *job, xp_error *error) {
    return job->peers != NULL && job->peers->count > 1 ? run_with_peers(job, error)
                                                       : xp__crew_run_alone(job, error);
}
