/* env_type.h: what an implementation of an environment provides.
 *
 * One file src/env/<name>.c defines `const xp__env_type xp__env_<name>`; the build finds it by its
 * file name. An environment starts with an xp_env, a task with an xp_task; `env_size` and
 * `task_size` are the bytes of the whole struct and `task_size` may depend on the parameters. */
#ifndef XP_ENV_ENV_TYPE_H
#define XP_ENV_ENV_TYPE_H

#include "base/params.h"
#include "env/board.h"
#include "env/contexts.h"

/* A model of all contexts (contexts.h), for environments that can list them; it starts with an
 * xp__contexts. The functions are those of contexts.h. */
typedef struct xp__contexts_type {
    size_t (*size)(const xp_env *env);    /* bytes of the whole struct */
    void (*init)(xp__contexts *contexts); /* zeroed, env set; may be NULL */
    void (*likelihood)(xp__contexts *contexts, const xp__shown *episodes, size_t count,
                       xp__choice choice, const void *expert, double *log_likelihood);
    void (*plan)(xp__contexts *contexts, size_t context);
    void (*values)(xp__contexts *contexts, const double *state, double *q);
    void (*begin)(xp__contexts *contexts); /* may be NULL */
    void (*observe)(xp__contexts *contexts, const xp__seen *step, double tolerance,
                    double *log_likelihood);
    /* Walks what the episode has shown so far, but not the plan; NULL: that changes nothing. */
    void (*archive)(xp__contexts *contexts, xp__archive *archive);
} xp__contexts_type;

/* The environment as a board of cells, for those that can be drawn. The functions are those of
 * board.h; `describe` is xp__task_board of context.h, with the board zeroed. */
typedef struct xp__board_type {
    size_t (*cell)(const xp_env *env, const double *state);
    bool (*move)(const xp_env *env, size_t action, double *state);
    void (*describe)(const xp_task *task, xp__board *board);
} xp__board_type;

typedef struct xp__env_type {
    const char *name;
    const char *summary;
    const xp_param *params;
    size_t param_count;
    size_t env_size;
    /* Fills in the environment (zeroed, info.name set) from checked parameters; draws what is open.
     */
    xp_status (*init)(xp_env *env, const xp__params *params, xp_rng *rng, xp_error *error);
    void (*deinit)(xp_env *env);
    size_t (*task_size)(const xp_env *env);
    /* What a task has beside its bytes, which are zero; NULL: nothing. */
    xp_status (*task_init)(xp_task *task, xp_error *error);
    void (*task_deinit)(xp_task *task);
    void (*task_draw)(xp_task *task, xp_rng *rng);
    void (*task_reset)(xp_task *task, xp_rng *rng, double *state);
    xp_step (*task_step)(xp_task *task, xp_rng *rng, size_t action, double *state);
    /* NULL: not known. */
    void (*task_optimal_q)(const xp_task *task, const double *state, double *q);
    /* Exact expected returns under the task's context (context.h). The policy goes through
     * xp__policy_action. */
    double (*task_policy_value)(const xp_task *task, xp__policy policy, void *policy_context);
    double (*task_optimal_value)(const xp_task *task);
    /* For environments that can list their contexts and set info.contexts; NULL for the others. */
    const xp__contexts_type *contexts;
    void (*task_set_context)(xp_task *task, size_t context);
    const xp__board_type *board; /* NULL: there is nothing to draw */
    /* How the task's functions have fared since the last call; NULL: they cannot fail. */
    xp_status (*task_status)(xp_task *task, xp_error *error);
} xp__env_type;

struct xp_env {
    const xp__env_type *type;
    xp_env_info info;
    xp__params params; /* as given to xp_env_create */
};

struct xp_task {
    const xp_env *env;
};

struct xp__contexts {
    const xp_env *env;
};

/* The policy's answer, which must be an action of the task's environment. */
size_t xp__policy_action(const xp_task *task, xp__policy policy, void *policy_context,
                         const double *state);

/* The registry, generated from the files of this folder. */
extern const xp__env_type *const xp__env_types[];
extern const size_t xp__env_type_count;

#endif
