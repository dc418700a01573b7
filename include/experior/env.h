/* env.h: environments: families of tasks that differ by a hidden context.
 *
 * An xp_env is a distribution over tasks (the paper's mu*); an xp_task is one task, with its
 * context drawn and hidden. What a learner may see is in this header; the context itself is in
 * src/env/context.h, which only environments, experts and regret accounting include. */
#ifndef EXPERIOR_ENV_H
#define EXPERIOR_ENV_H

#include "experior/param.h"
#include "experior/rng.h"

typedef struct xp_env xp_env;
typedef struct xp_task xp_task;

/* What a learner knows of an environment. */
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
} xp_env_info;

/* How an episode stands after a step. */
typedef enum xp_end {
    XP_CONTINUES,
    XP_TERMINATED, /* it is over and nothing more was to be had */
    XP_TRUNCATED   /* it was cut off: what comes later still has a worth */
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

/* Registered environments: their number, and the i-th's name, summary and parameter defaults. */
XP_API size_t xp_env_type_count(void);
XP_API const char *xp_env_type_name(size_t index);
XP_API const char *xp_env_type_summary(size_t index);
/* Default parameters of the named environment. */
XP_API xp_status xp_env_params_default(const char *name, xp_params *params, xp_error *error);

/* Creates an environment. `rng` draws what its task distribution leaves open (for
 * bernoulli_bandit the Beta parameters of each arm). Destroy with xp_env_destroy. */
XP_API xp_status xp_env_create(const char *name, const xp_params *params, xp_rng *rng, xp_env **env,
                               xp_error *error);
/* A Bernoulli bandit with given parameters: the mean of arm i is Beta(a[i], b[i]). */
XP_API xp_status xp_env_create_bernoulli_bandit(size_t arms, const double *a, const double *b,
                                                xp_env **env, xp_error *error);
XP_API void xp_env_destroy(xp_env *env); /* NULL is fine */
XP_API xp_env_info xp_env_describe(const xp_env *env);

/* A task of `env`, which must outlive it; its context is not drawn yet. */
XP_API xp_status xp_task_create(const xp_env *env, xp_task **task, xp_error *error);
XP_API void xp_task_destroy(xp_task *task);
/* Draws a new hidden context. */
XP_API void xp_task_draw(xp_task *task, xp_rng *rng);
/* Starts an episode and writes the first state (state_size numbers). */
XP_API void xp_task_reset(xp_task *task, xp_rng *rng, double *state);
/* Takes an action (0 .. actions-1) and writes the next state. After an end the next call is a reset
 * or a draw; the state is then the last one of the episode. */
XP_API xp_step xp_task_step(xp_task *task, xp_rng *rng, size_t action, double *state);

#endif
