/* unit.h: a unit of a study: one agent on all tasks of one problem.
 *
 * A unit yields an xp__unit_result and, as the study's shape asks for, numbers of each task beside
 * it: the return of every episode, and what the policy is worth at the end. */
#ifndef XP_RUN_UNIT_H
#define XP_RUN_UNIT_H

#include "run/episode.h"
#include "run/problem.h"

/* An expert as a study names it: "noisily_rational" with parameter "beta" = 2.5. */
typedef struct xp__expert_entry {
    const char *name;
    const char *parameter; /* NULL: it has none */
    double value;
    const char *spec; /* if not NULL: instead of name and parameter */
    bool own_context; /* it shows only the context in which the learner will act; each task then has
                         demonstrations, and a fit, of its own */
} xp__expert_entry;

/* An agent as a study names it. */
typedef struct xp__agent_entry {
    const char *label;
    const char *spec;
    const char *settings; /* options with which the spec is run, if not NULL. Keys have them;
                             reports and streams of chance go by `spec` alone: for a study whose
                             defaults have changed since, and whose numbers have not */
    const char *fallback; /* spec to use where the fit has no solution (XP_ERR_NUMERIC), or NULL */
    bool may_fail; /* a fit without a solution is a result too (XP__UNIT_FAILED), not an error */
    const char *in_tables, *in_figures; /* what the paper calls it there, or NULL */
} xp__agent_entry;

/* How long and how often, and what is kept. */
typedef struct xp__shape {
    size_t tasks, episodes;
    uint64_t demonstrations;
    size_t steps;      /* if not 0: learn for so many steps instead of `episodes` */
    bool returns;      /* keep the return of every episode of every task; not with steps */
    size_t evaluation; /* if not 0: steps of the evaluation after learning */
} xp__shape;

/* Numbers kept of each task: `episodes` returns if they are, then an xp__evaluation if there is
 * one. */
size_t xp__shape_numbers(const xp__shape *shape);

/* Demonstrations of a file, and what stands for their content in keys. */
enum { XP__GIVEN_NAME = 24 };
typedef struct xp__given_demos {
    xp_demos *demos;
    char name[XP__GIVEN_NAME];
} xp__given_demos;

typedef struct xp__unit {
    const xp__problem *problem;
    const xp__expert_entry *expert;
    const xp__agent_entry *agent;
    size_t episodes;              /* if not 0: instead of the shape's */
    uint64_t demonstrations;      /* likewise */
    const xp__given_demos *given; /* if not NULL: instead of any that the expert would show */
} xp__unit;

/* Numbers of every finished unit: doubles only, since the store keeps them as such. */
typedef struct xp__unit_result {
    double regret, regret_se; /* final regret: mean over tasks, standard error over tasks */
    double over_t;            /* regret averaged over t, mean over tasks */
    double steps;
    double fit_seconds, seconds; /* of the processor, for the fit; for all */
    double fallback; /* 1 if the fallback spec was used; XP__UNIT_FAILED: the fit has no solution */
    double at[XP__CHECKPOINTS]; /* mean cumulative regret; 0 beyond the last episode */
} xp__unit_result;

enum { XP__UNIT_FAILED = 2 }; /* numbers are NAN then, but for the seconds */
enum { XP__UNIT_NUMBERS = sizeof(xp__unit_result) / sizeof(double), XP__UNIT_KEY = 640 };

/* A spec made ready on a problem. */
typedef struct xp__fitted {
    const char *settings; /* of the agent (xp__agent_entry), or NULL */
    const xp_model *model;
    xp_model *own; /* the same, if it was fitted here */
    double seconds;
} xp__fitted;

/* Fits the model that the spec needs; it borrows the problem's environment and the demonstrations.
 * Messages name the problem and the spec. Gives up with XP_ERR_INTERRUPTED once `pool` is
 * cancelled; NULL: it goes on to its end. */
xp_status xp__fitted_init(xp__fitted *fitted, const char *spec, const char *settings,
                          const xp__problem *problem, const xp_demos *demos, const xp__pool *pool,
                          xp_error *error);
void xp__fitted_deinit(xp__fitted *fitted);
/* A session of the agent on it, `episodes` long. */
xp_status xp__fitted_session(const xp__fitted *fitted, const char *spec, size_t episodes,
                             xp_session **session, xp_error *error);
/* Runs the agent on tasks first .. first + count - 1 of the problem. */
xp_status xp__fitted_run(const xp__fitted *fitted, const char *spec, const xp__problem *problem,
                         const xp__shape *shape, size_t first, size_t count, const xp__pool *pool,
                         xp__tally *tally, xp_error *error);

/* The demonstrations that the agent of a unit sees in its task number `task`. */
xp_status xp__unit_demos(const xp__unit *unit, uint64_t count, size_t task, xp_demos **demos,
                         xp_error *error);
/* Computes a unit. `numbers` has room for those of each task, one task after the other; NULL if
 * none are kept. */
xp_status xp__unit_run(const xp__unit *unit, const xp__shape *shape, const xp__pool *pool,
                       xp__unit_result *result, double *numbers, xp_error *error);
/* The same in parts, which may be computed apart: one task, whose numbers go to their place among
 * those of all tasks; and the unit of all its tasks, bit for bit as if it were computed at once
 * (but for the seconds, of which each part spends those of the fit anew). */
xp_status xp__unit_run_task(const xp__unit *unit, const xp__shape *shape, size_t task,
                            const xp__pool *pool, xp__unit_result *result, double *numbers,
                            xp_error *error);
void xp__unit_join(const xp__unit_result *parts, size_t tasks, xp__unit_result *result);
/* Text that, with the seed, the library's version and the revision, determines the result's bits
 * (but for the seconds). `key` has room for XP__UNIT_KEY bytes. */
void xp__unit_key(const xp__unit *unit, const xp__shape *shape, char *key);
/* "STUDY.AGENT": the revisions of the study and of the unit's agent (xp__study_type,
 * xp__agent_type). `text` has room for XP__UNIT_REVISION bytes. */
enum { XP__UNIT_REVISION = 32 };
void xp__unit_revision(const xp__unit *unit, unsigned study, char *text);

/* Seconds of a clock that only goes forward; of the processor, for the calling thread. A unit is
 * computed by one thread, so that the latter says what it costs, however busy the machine is. */
double xp__clock(void);
double xp__work_clock(void);

#endif
