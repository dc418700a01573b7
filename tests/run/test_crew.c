/* Crews: units computed by threads of one process or of several, here over sockets. */
#include "claim.h"
#include "house/failing_allocator.h"
#include "socket_peers.h"

#include "experior/study.h"
#include "run/crew/crew.h"
#include "run/crew/identity.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>

enum { UNITS = 200 };

typedef struct board {
    double square[UNITS];
    size_t told; /* units that tick knew of */
    size_t failing[2];
    bool stop;          /* tick ends the round */
    atomic_size_t most; /* units that were advanced together */
} board;

static xp_status square(void *context, size_t unit, const xp__pool *pool, xp_error *error) {
    (void)pool;
    board *self = context;
    for (size_t i = 0; i < 2; i++) {
        if (self->failing[i] != 0 && unit == self->failing[i]) {
            return xp_error_set(error, XP_ERR_NUMERIC, "unit %zu has no square", unit);
        }
    }
    self->square[unit] = (double)unit * (double)unit;
    return XP_OK;
}

static xp_status slow_square(void *context, size_t unit, const xp__pool *pool, xp_error *error) {
    (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return square(context, unit, pool, error);
}

static xp_status squares(void *context, const size_t *units, size_t count, const xp__pool *pool,
                         xp_error *error) {
    board *self = context;
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        status = square(context, units[i], pool, error);
    }
    if (count > atomic_load(&self->most)) {
        atomic_store(&self->most, count);
    }
    return status;
}

static xp_status tick(void *context, const size_t *finished, size_t done, xp_error *error) {
    board *self = context;
    for (; self->told < done; self->told++) {
        EXPECT(self->square[finished[self->told]] ==
               (double)finished[self->told] * (double)finished[self->told]);
    }
    return self->stop ? xp_error_set(error, XP_ERR_INTERRUPTED, "enough") : XP_OK;
}

static size_t length(void *context, size_t unit) {
    (void)context;
    (void)unit;
    return sizeof(double);
}

static void pack(void *context, size_t unit, unsigned char *bytes) {
    memcpy(bytes, &((board *)context)->square[unit], sizeof(double));
}

static void unpack(void *context, size_t unit, const unsigned char *bytes) {
    memcpy(&((board *)context)->square[unit], bytes, sizeof(double));
}

static xp__crew_job job_of(board *self, xp_peers *peers, size_t threads) {
    return (xp__crew_job){.units = UNITS,
                          .threads = threads,
                          .peers = peers,
                          .run = square,
                          .tick = tick,
                          .length = length,
                          .pack = pack,
                          .unpack = unpack,
                          .context = self};
}

CLAIM(every_unit_is_computed_once_by_any_number_of_processes_and_threads) {
    for (size_t processes = 1; processes <= 4; processes++) {
        for (size_t threads = 1; threads <= 3; threads += 2) {
            static socket_peers all;
            socket_peers_start(&all, processes);
            board self = {.told = 0};
            bool good = true;
            for (int round = 0; good && round < 3; round++) { /* one after the other */
                memset(self.square, 0, sizeof self.square);
                self.told = 0;
                const xp__crew_job job = job_of(&self, &all.peers, threads);
                good = xp__crew_run(&job, NULL) == XP_OK;
                for (size_t i = 0; all.peers.rank == 0 && i < UNITS; i++) {
                    good = good && self.square[i] == (double)(i * i);
                }
                good = good && (all.peers.rank != 0 || self.told == UNITS);
            }
            EXPECT(socket_peers_end(&all, good));
        }
    }
}

CLAIM(only_what_is_in_the_order_is_computed) {
    static socket_peers all;
    socket_peers_start(&all, 3);
    board self = {.told = 0};
    static const size_t order[] = {190, 3, 77, 12};
    xp__crew_job job = job_of(&self, &all.peers, 1);
    job.order = order; /* the others do not look at it */
    job.order_count = 4;
    bool good = xp__crew_run(&job, NULL) == XP_OK;
    if (all.peers.rank == 0) {
        good = good && self.told == 4 && self.square[190] == 36100 && self.square[12] == 144 &&
               self.square[4] == 0;
    }
    EXPECT(socket_peers_end(&all, good));
}

CLAIM(the_failure_that_comes_first_is_told_by_all) {
    for (size_t processes = 1; processes <= 4; processes++) {
        static socket_peers all;
        socket_peers_start(&all, processes);
        board self = {.failing = {40, 43}};
        const xp__crew_job job = job_of(&self, &all.peers, 2);
        xp_error error = {.status = XP_OK};
        const bool good = xp__crew_run(&job, &error) == XP_ERR_NUMERIC &&
                          strcmp(error.message, "unit 40 has no square") == 0;
        EXPECT(socket_peers_end(&all, good));
    }
}

CLAIM(a_leader_who_stops_stops_all) {
    static socket_peers all;
    socket_peers_start(&all, 3);
    board self = {.stop = true};
    const xp__crew_job job = job_of(&self, &all.peers, 1);
    EXPECT(socket_peers_end(&all, xp__crew_run(&job, NULL) == XP_ERR_INTERRUPTED));
}

CLAIM(a_process_that_cannot_take_part_ends_the_others_with_its_sentence) {
    for (size_t who = 0; who < 3; who++) {
        static socket_peers all;
        socket_peers_start(&all, 3);
        board self = {.told = 0};
        const xp__crew_job job = job_of(&self, &all.peers, 1);
        xp_error error = {.status = XP_OK};
        bool good = true;
        if (all.peers.rank == who) {
            (void)xp_error_set(&error, XP_ERR_FILE, "no file on host %zu", who);
            xp_peers_fail(&all.peers, &error);
        } else if (who == 0) {
            good = xp__crew_run(&job, &error) == XP_ERR_FILE &&
                   strcmp(error.message, "no file on host 0") == 0;
        } else { /* the leader may have been through before it heard */
            char sentence[64];
            (void)snprintf(sentence, sizeof sentence, "process %zu: no file on host %zu", who, who);
            const xp_status status = xp__crew_run(&job, &error);
            good = status == XP_OK || strcmp(error.message, sentence) == 0;
        }
        EXPECT(socket_peers_end(&all, good));
    }
}

CLAIM(a_process_that_would_compute_something_else_ends_all) {
    static socket_peers all;
    socket_peers_start(&all, 3);
    board self = {.told = 0};
    xp__crew_job job = job_of(&self, &all.peers, 1);
    job.plan = all.peers.rank == 2 ? 8 : 7;
    job.run = slow_square; /* it lasts until the last process is ready */
    (void)alarm(120);
    xp_error error = {.status = XP_OK};
    bool good = xp__crew_run(&job, &error) == XP_ERR_INPUT;
    (void)alarm(0);
    good = good && strstr(error.message, "process 2 would not compute the same") != NULL;
    EXPECT(socket_peers_end(&all, good));
}

/* The leader's first round may be over before a process has said that it cannot take part, or that
 * it would compute something else. Here it has nothing to do, and the process waits for its end. */
static bool two_rounds(socket_peers *all, const xp__crew_job *late, xp_error *error) {
    static const size_t none[1];
    board self = {.told = 0};
    xp__crew_job job = job_of(&self, &all->peers, 1);
    job.plan = 7;
    (void)alarm(120);
    char any;
    if (all->peers.rank == 1) {
        (void)recv(all->end[0], &any, 1, MSG_PEEK);
        if (late == NULL) {
            xp_peers_fail(&all->peers, error);
            return true;
        }
        return xp__crew_run(late, error) == XP_ERR_INPUT;
    }
    job.order = none;
    bool good = xp__crew_run(&job, error) == XP_OK;
    (void)recv(all->end[1], &any, 1, MSG_PEEK); /* what process 1 has to say is on its way */
    job.order = NULL;
    job.run = slow_square;
    good = good && xp__crew_run(&job, error) == XP_ERR_INPUT;
    (void)alarm(0);
    return good;
}

CLAIM(a_process_that_cannot_take_part_is_heard_in_a_later_round) {
    static socket_peers all;
    socket_peers_start(&all, 2);
    xp_error error = {.status = XP_OK};
    if (all.peers.rank == 1) {
        (void)xp_error_set(&error, XP_ERR_INPUT, "no file here");
    }
    const bool good = two_rounds(&all, NULL, &error);
    const bool named = all.peers.rank == 1 || strcmp(error.message, "process 1: no file here") == 0;
    EXPECT(socket_peers_end(&all, good && named));
}

CLAIM(a_process_with_another_plan_learns_it_from_the_end_of_a_round) {
    static socket_peers all;
    socket_peers_start(&all, 2);
    board self = {.told = 0};
    xp__crew_job other = job_of(&self, &all.peers, 1);
    other.plan = 8;
    xp_error error = {.status = XP_OK};
    const bool good = two_rounds(&all, &other, &error);
    EXPECT(socket_peers_end(&all,
                            good && strstr(error.message, "would not compute the same") != NULL));
}

CLAIM(a_process_of_another_kind_is_refused_by_name) {
    xp__identity here, there;
    xp_error error;
    EXPECT(xp__identity_init(&here, 7) && xp__identity_init(&there, 7));
    EXPECT(xp__identity_check(&here, 3, &there, sizeof there, &error) == XP_OK);
    EXPECT(strstr(here.machine, xp_version()) == here.machine);
    (void)snprintf(there.machine, sizeof there.machine, "%s, s390x, portable", xp_version());
    EXPECT(xp__identity_check(&here, 3, &there, sizeof there, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "process 3 has");
    EXPECT_TEXT(error.message, "s390x, portable");
    EXPECT_TEXT(error.message, here.machine);
    memset(there.machine, 'x', sizeof there.machine); /* no end */
    EXPECT(xp__identity_check(&here, 3, &there, sizeof there, &error) == XP_ERR_INPUT);
    EXPECT(xp__identity_check(&here, 3, &there, 8, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "'another version'");
}

CLAIM(a_worker_may_advance_several_units_together) {
    for (size_t processes = 1; processes <= 2; processes++) {
        static socket_peers all;
        socket_peers_start(&all, processes);
        board self = {.told = 0};
        xp__crew_job job = job_of(&self, &all.peers, 1);
        job.run = NULL;
        job.run_together = squares;
        job.together = 8;
        bool good = xp__crew_run(&job, NULL) == XP_OK;
        if (all.peers.rank == 0) {
            good = good && self.told == UNITS && atomic_load(&self.most) > 1 &&
                   atomic_load(&self.most) <= 8 && self.square[199] == 39601;
        }
        EXPECT(socket_peers_end(&all, good));
    }
}

/* In one process memory runs out at its n-th allocation, from n = 0 until it gets through. Whoever
 * it is, all end: with the same failure, or, if it was through already, well. */
CLAIM(memory_that_runs_out_in_one_process_ends_all) {
    for (size_t who = 0; who < 3; who++) {
        bool through = false;
        for (size_t n = 0; !through && n < 100; n++) {
            static socket_peers all;
            socket_peers_start(&all, 3);
            board self = {.failing = {n % 2 == 1 ? 150 : 0}}; /* another failure besides */
            const xp__crew_job job = job_of(&self, &all.peers, 2);
            failing_allocator allocator;
            if (all.peers.rank == who) {
                failing_allocator_install(&allocator, n);
            }
            (void)alarm(120); /* of those that would wait for ever */
            xp_error error = {.status = XP_OK};
            const xp_status status = xp__crew_run(&job, &error);
            (void)alarm(0);
            xp__allocator_install(NULL);
            const bool failed = all.peers.rank == who && allocator.calls > n;
            bool good = status == error.status;
            good = good && (!failed || (status == XP_ERR_MEMORY && allocator.alive == 0));
            good = good && (status == XP_OK || status == XP_ERR_MEMORY || status == XP_ERR_NUMERIC);
            /* 2: it needed no more allocations. */
            if (all.peers.rank == who && who != 0) {
                _exit(!good ? 1 : failed ? 0 : 2);
            }
            if (all.peers.rank != 0) {
                _exit(good ? 0 : 1);
            }
            through = who == 0 && !failed;
            for (size_t rank = 1; rank < 3; rank++) {
                int ended = 0;
                EXPECT(waitpid(all.child[rank], &ended, 0) > 0 && WIFEXITED(ended));
                through = through || (rank == who && WEXITSTATUS(ended) == 2);
                good = good && (WEXITSTATUS(ended) == 0 || WEXITSTATUS(ended) == 2);
                (void)close(all.end[rank]);
            }
            EXPECT(good);
            EXPECT(n > 0 || !through);
        }
        EXPECT(through);
    }
}

CLAIM(units_that_fail_together_are_all_given_back) {
    for (size_t processes = 1; processes <= 2; processes++) {
        static socket_peers all;
        socket_peers_start(&all, processes);
        board self = {.failing = {40, 43}};
        xp__crew_job job = job_of(&self, &all.peers, 1);
        job.run = NULL;
        job.run_together = squares;
        job.together = 8;
        (void)alarm(120);
        const bool good = xp__crew_run(&job, NULL) == XP_ERR_NUMERIC;
        (void)alarm(0);
        EXPECT(socket_peers_end(&all, good));
    }
}

CLAIM(peers_that_are_not_complete_are_refused) {
    xp_study_options options = xp_study_options_default();
    xp_study_result *result;
    xp_peers peers = {.size = sizeof peers, .count = 2};
    xp_error error;
    options.peers = &peers;
    EXPECT(xp_study_run("figure3b", &options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "peers is incomplete");
    peers = (xp_peers){.size = sizeof peers,
                       .rank = 2,
                       .count = 2,
                       .send = socket_send,
                       .receive = socket_receive};
    EXPECT(xp_study_run("figure3b", &options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "rank = 2 is outside [0, 1]");
}

/* The means of a study's rows, by so many processes in a fresh directory. */
static size_t run_study(const char *study, size_t processes, size_t threads, double *mean,
                        size_t room) {
    static socket_peers all;
    static int number;
    char place[512];
    (void)snprintf(place, sizeof place, "%s/crew%d", claim_directory(), number++);
    socket_peers_start(&all, processes);
    xp_study_options options = xp_study_options_default();
    xp_study_result *result = NULL;
    options.scale = "smoke";
    options.directory = place;
    options.threads = threads;
    options.peers = &all.peers;
    bool good = xp_study_run(study, &options, &result, NULL) == XP_OK;
    good = good && (result != NULL) == (all.peers.rank == 0);
    size_t count = 0;
    for (; good && result != NULL && count < result->row_count && count < room; count++) {
        mean[count] = result->rows[count].mean;
    }
    xp_study_result_destroy(result);
    EXPECT(socket_peers_end(&all, good));
    return count;
}

CLAIM(a_study_has_the_same_rows_by_one_process_and_by_three) {
    enum { ROOM = 1000 };
    static double alone[ROOM], three[ROOM];
    const char *const studies[] = {"figure3b", "figure4"}; /* the second divides its units */
    for (size_t i = 0; i < 2; i++) {
        const size_t rows = run_study(studies[i], 1, 1, alone, ROOM);
        EXPECT(rows > 3);
        EXPECT(run_study(studies[i], 3, 16, three, ROOM) == rows);
        EXPECT(memcmp(alone, three, rows * sizeof *alone) == 0);
    }
}
