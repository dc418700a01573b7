/* context.h: the hidden context. Only environments, experts and regret accounting include this:
 * that the context is unobserved is a fact of the include graph (tools/check_layers.py). */
#ifndef XP_ENV_CONTEXT_H
#define XP_ENV_CONTEXT_H

#include "env/board.h"
#include "env/contexts.h"

/* Optimal action values Q*_c(s, .) of the task's hidden context; `q` has one entry an action. */
void xp__task_optimal_q(const xp_task *task, const double *state, double *q);
/* Whether these are known: those of an environment of the caller's may not be. */
bool xp__task_has_optimal_q(const xp_task *task);
/* Numbers in a state of the task's environment. */
size_t xp__task_state_size(const xp_task *task);
/* Number of actions of the task's environment: the entries of `q`. */
size_t xp__task_actions(const xp_task *task);
/* Gives the task context number `context` of those that its environment lists, in place of a drawn
 * one. */
void xp__task_set_context(xp_task *task, size_t context);

/* The exact expected return of an episode of the task if `policy` takes every action: the mean over
 * what the hidden context leaves to chance, with nothing sampled. Neither the task's episode nor
 * its context is touched. The context must have been drawn or set, and the policy must answer with
 * an action of the environment and always with the same one in the same state. NAN where the
 * environment cannot tell. */
double xp__task_policy_value(const xp_task *task, xp__policy policy, void *policy_context);
/* The best expected return of an episode for a learner who knows the hidden context but sees the
 * states as the learner sees them, memory of the episode included: no policy's value is above it.
 * The context must have been drawn or set. */
double xp__task_optimal_value(const xp_task *task);

/* The board of the task's current episode with all that is true of it, hidden or not. The
 * environment must be one that can be drawn (xp__board_exists), the episode begun. */
void xp__task_board(const xp_task *task, xp__board *board);

#endif
