/* episode.h: running an agent on tasks, and what is counted on the way. */
#ifndef XP_RUN_EPISODE_H
#define XP_RUN_EPISODE_H

#include "experior/session.h"
#include "base/pool.h"

enum { XP__CHECKPOINTS = 18 };

/* Episodes after which the cumulative regret is noted: those of data/paper/emp_regret_vs_T.csv. */
extern const size_t xp__checkpoint[XP__CHECKPOINTS];

/* Sums over tasks. Tallies of consecutive ranges of tasks are merged in the order of the tasks. */
typedef struct xp__tally {
    size_t tasks;
    double mean, squares;       /* of the final regret: mean, and sum of squared deviations */
    double over_t;              /* sum of the regret averaged over t */
    double at[XP__CHECKPOINTS]; /* sums of the regret after so many episodes; 0 beyond the last */
    uint64_t steps;
    double *returns;    /* T, the caller's: sums of each episode's return; NULL: not wanted. Not
                           merged with the rest */
    double *evaluation; /* the caller's: an xp__evaluation of the last task; NULL: not wanted */
} xp__tally;

/* `merged` becomes the tally of both. */
void xp__tally_merge(xp__tally *merged, const xp__tally *next);
/* Standard error of the mean final regret; NAN for fewer than two tasks. */
double xp__tally_se(const xp__tally *tally);

/* Someone who looks on. `begin` is called when episode t (from 1) of a task has its first state and
 * the agent has not acted: it may be asked for what it believes. False ends the run as if
 * interrupted. `step` has the state after a step. Nothing that is done there changes the run. */
typedef struct xp__onlooker {
    bool (*begin)(void *context, xp_session *session, const xp_task *task, size_t t,
                  const double *state);
    void (*step)(void *context, const double *state, const xp_step *step);
    void *context;
} xp__onlooker;

/* Tasks of one problem. Every agent meets the same ones: task i draws its context from
 * fork(fork(tasks, i), 0) and its rewards from fork(…, 1); the agent has fork(fork(…, 2), name) for
 * itself, and its evaluation draws from fork(…, 3). */
typedef struct xp__tasks {
    const xp_env *env;
    xp_rng stream;
    size_t episodes;   /* T */
    size_t steps;      /* if not 0: exactly so many steps instead, the last episode cut off */
    size_t evaluation; /* steps of the evaluation */
    const xp__onlooker *watch; /* NULL: nobody looks on */
} xp__tasks;

/* The stream from which task i draws its context. */
xp_rng xp__task_context(const xp_rng *tasks, size_t i);

/* Runs `session` on tasks first .. first + count - 1, T episodes each. `name` is a hash that gives
 * the agent its own stream. `pool` may be NULL. `tally` comes in with `returns` and `evaluation`
 * set and is otherwise overwritten. */
xp_status xp__episodes_run(const xp__tasks *tasks, xp_session *session, uint64_t name, size_t first,
                           size_t count, const xp__pool *pool, xp__tally *tally, xp_error *error);

/* FNV-1a: the number by which text names a stream. */
uint64_t xp__text_hash(const char *text);

#endif
