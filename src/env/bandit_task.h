/* bandit_task.h: what the tasks of all bandits have in common: a mean per arm, and the best of
 * them. How means are drawn and what an arm pays is each bandit's own. */
#ifndef XP_ENV_BANDIT_TASK_H
#define XP_ENV_BANDIT_TASK_H

#include "env/env_type.h"

typedef struct xp__bandit_task {
    xp_task task;
    double best;   /* the largest mean */
    double mean[]; /* K */
} xp__bandit_task;

size_t xp__bandit_task_size(const xp_env *env);
void xp__bandit_task_reset(xp_task *task, xp_rng *rng, double *state);
void xp__bandit_task_optimal_q(const xp_task *task, const double *state, double *q);
double xp__bandit_task_policy_value(const xp_task *task, xp__policy policy, void *policy_context);
double xp__bandit_task_optimal_value(const xp_task *task);

/* All of them, for an xp__env_type. */
#define XP__BANDIT_TASK                                                                            \
    .task_size = xp__bandit_task_size, .task_reset = xp__bandit_task_reset,                        \
    .task_optimal_q = xp__bandit_task_optimal_q,                                                   \
    .task_policy_value = xp__bandit_task_policy_value,                                             \
    .task_optimal_value = xp__bandit_task_optimal_value

#endif
