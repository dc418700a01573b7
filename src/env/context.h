/* context.h: the hidden context. Only environments, experts and regret accounting include this:
 * that the context is unobserved is a fact of the include graph (tools/check_layers.py). */
#ifndef XP_ENV_CONTEXT_H
#define XP_ENV_CONTEXT_H

#include "experior/env.h"

/* Optimal action values Q*_c(s, .) of the task's hidden context; `q` has one entry an action. */
void xp__task_optimal_q(const xp_task *task, const double *state, double *q);
/* Number of actions of the task's environment: the entries of `q`. */
size_t xp__task_actions(const xp_task *task);
/* Gives the task context number `context` of those that its environment lists, in place of a drawn
 * one. */
void xp__task_set_context(xp_task *task, size_t context);

#endif
