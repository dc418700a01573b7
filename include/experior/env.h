/* env.h: environments: families of tasks that differ by a hidden context.
 *
 * An xp_env is a problem: a distribution over tasks (the paper's mu*). An xp_task is one task, with
 * its context drawn and hidden: no function of this interface reveals it to a learner.
 *
 * An environment never changes and may be shared by threads; a task belongs to one thread at a
 * time. */
#ifndef EXPERIOR_ENV_H
#define EXPERIOR_ENV_H

#include "experior/base.h"
#include "experior/rng.h"

typedef struct xp_env xp_env;
typedef struct xp_task xp_task;

/* What a learner knows of an environment. Strings and arrays belong to it. */
typedef struct xp_env_info {
    const char *name;
    size_t actions;    /* number of actions */
    size_t state_size; /* numbers in a state; 0 in a bandit */
    size_t horizon;    /* most steps in an episode; 1 in a bandit */
    /* state_size entries: state number j is one of 0 .. categories[j]-1, or -1 when the learner is
     * not shown it; 0 for a real number. NULL if state_size is 0. Belongs to the environment. */
    const size_t *categories;
    size_t
        contexts; /* how many contexts the family of tasks can have; 0 if they cannot be listed */
    const char *rewards; /* a bandit's: the family of rewards that it pays; NULL: not said */
} xp_env_info;

/* How an episode stands after a step. */
typedef enum xp_end {
    XP_CONTINUES,
    XP_TERMINATED, /* it is over: nothing would follow */
    XP_TRUNCATED   /* it was cut off: what would follow still has a value */
} xp_end;

/* A step as an agent sees it. */
typedef struct xp_transition {
    const double *state; /* state_size numbers; NULL in a bandit */
    size_t action;
    double reward;
    const double *next_state; /* NULL in a bandit, and allowed to be NULL if terminated */
    xp_end end;
} xp_transition;

/* What a step gives back. `regret` is V*(s) - Q*(s, a) under the hidden context: its sum over an
 * episode is the expected regret. It is for accounting and is never shown to an agent. */
typedef struct xp_step {
    double reward;
    double regret;
    xp_end end;
} xp_step;

/* Creates one of the library's environments from a spec (base.h): "deep_sea:size=10". `rng` draws
 * what the spec leaves open, such as the Beta parameters of each arm of a bernoulli_bandit. */
XP_API xp_status xp_env_create(const char *spec, xp_rng *rng, xp_env **env, xp_error *error);
/* A Bernoulli bandit with given parameters: the mean of arm i is Beta(a[i], b[i]), with positive
 * numbers. */
XP_API xp_status xp_env_create_bernoulli_bandit(size_t arms, const double *a, const double *b,
                                                xp_env **env, xp_error *error);
/* What came of a step in an environment of the caller's. */
typedef struct xp_outcome {
    double reward;
    xp_end end;
} xp_outcome;

/* An environment of the caller's: a family of tasks that differ by a hidden context, as functions.
 * A function that fails returns a status and fills `error`; whatever runs the task then ends with
 * both. Start from xp_env_custom_default. */
typedef struct xp_env_custom {
    size_t size; /* sizeof(xp_env_custom), set by xp_env_custom_default */
    const char *name;
    size_t actions;
    size_t state_size;        /* numbers in a state; 0: a bandit */
    const size_t *categories; /* as in xp_env_info; NULL: all are real numbers */
    size_t horizon; /* most steps of an episode, which is truncated there; 1 in a bandit */
    void *context;  /* handed to task_create */
    /* A task whose hidden context is not drawn yet, or NULL if there is no memory; and its end. */
    void *(*task_create)(void *context);
    void (*task_destroy)(void *task);
    /* Draws a new hidden context; everything random comes from `rng`. */
    xp_status (*task_draw)(void *task, xp_rng *rng, xp_error *error);
    /* Starts an episode and writes the first state. */
    xp_status (*task_reset)(void *task, xp_rng *rng, double *state, xp_error *error);
    /* Takes an action and writes the next state over the present one. */
    xp_status (*task_step)(void *task, xp_rng *rng, size_t action, double *state,
                           xp_outcome *outcome, xp_error *error);
    /* Optimal action values of the hidden context in a state, one per action. NULL: not known;
     * then regret is not reported and the library's experts cannot act, which need them. */
    void (*task_optimal_q)(void *task, const double *state, double *q);
    bool parallel; /* tasks may be used at the same time, each by one thread */
    /* A bandit's: the family of rewards that it pays, as 'experior list rewards' names them. An
     * agent for another family, and a reward that is not one of it, are errors. NULL: not said. */
    const char *rewards;
} xp_env_custom;

/* Everything NULL or 0 but size and a horizon of 1. */
XP_API void xp_env_custom_init(xp_env_custom *custom, size_t size);
static inline xp_env_custom xp_env_custom_default(void) {
    xp_env_custom custom;
    xp_env_custom_init(&custom, sizeof custom);
    return custom;
}
/* An environment that calls these functions; `custom` is copied, what it points to must outlive the
 * environment. Fails with XP_ERR_INPUT if a function that it needs is missing. */
XP_API xp_status xp_env_create_custom(const xp_env_custom *custom, xp_env **env, xp_error *error);
/* The caller's task behind a task of such an environment, for the caller's experts; NULL for a task
 * of the library's environments. */
XP_API void *xp_task_custom(const xp_task *task);

/* No task may be left. */
XP_API void xp_env_destroy(xp_env *env);
/* What a learner may know of it; all zero for NULL. */
XP_API xp_env_info xp_env_describe(const xp_env *env);

/* A task of `env`, which must outlive it; its context is not drawn yet. */
XP_API xp_status xp_task_create(const xp_env *env, xp_task **task, xp_error *error);
/* Frees the task; NULL is fine. */
XP_API void xp_task_destroy(xp_task *task);
/* Draws a new hidden context. */
XP_API void xp_task_draw(xp_task *task, xp_rng *rng);
/* Starts an episode and writes the first state (state_size numbers). */
XP_API void xp_task_reset(xp_task *task, xp_rng *rng, double *state);
/* Takes an action (0 .. actions-1) and writes the next state. After an end the next call is a reset
 * or a draw; the state is then the last one of the episode. For an action that does not exist the
 * reward is NAN, the end XP_TERMINATED, and the task stays as it was. */
XP_API xp_step xp_task_step(xp_task *task, xp_rng *rng, size_t action, double *state);

#endif
