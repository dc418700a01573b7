/* bandit_task.c: what the tasks of all bandits have in common. */
#include "env/bandit_task.h"

#include <string.h>

size_t xp__bandit_task_size(const xp_env *env) {
    return sizeof(xp__bandit_task) + env->info.actions * sizeof(double);
}

void xp__bandit_task_reset(xp_task *task, xp_rng *rng, double *state) {
    (void)task;
    (void)rng;
    (void)state;
}

void xp__bandit_task_optimal_q(const xp_task *task, const double *state, double *q) {
    (void)state;
    memcpy(q, ((const xp__bandit_task *)task)->mean, task->env->info.actions * sizeof(double));
}

double xp__bandit_task_policy_value(const xp_task *task, xp__policy policy, void *policy_context) {
    const size_t arm = xp__policy_action(task, policy, policy_context, NULL);
    return ((const xp__bandit_task *)task)->mean[arm];
}

double xp__bandit_task_optimal_value(const xp_task *task) {
    return ((const xp__bandit_task *)task)->best;
}
