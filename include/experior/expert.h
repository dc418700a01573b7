/* expert.h: experts, who see the hidden context of a task and act on it. An expert never changes
 * and may be shared by threads. */
#ifndef EXPERIOR_EXPERT_H
#define EXPERIOR_EXPERT_H

#include "experior/env.h"

typedef struct xp_expert xp_expert;

/* Creates one of the library's experts from a spec (base.h): "noisily_rational:beta=2.5". */
XP_API xp_status xp_expert_create(const char *spec, xp_expert **expert, xp_error *error);
/* An expert of the caller's: writes the action that it takes in `state` of `task`, whose hidden
 * context it sees (xp_task_custom). `context` is passed on. */
typedef xp_status xp_expert_custom(void *context, xp_rng *rng, const xp_task *task,
                                   const double *state, size_t *action, xp_error *error);
/* `name` stands for it in messages; both must outlive the expert. */
XP_API xp_status xp_expert_create_custom(const char *name, xp_expert_custom *act, void *context,
                                         xp_expert **expert, xp_error *error);
/* Frees the expert; NULL is fine. */
XP_API void xp_expert_destroy(xp_expert *expert);
/* Writes the action that it takes in `state` of `task`, whose context it sees; `state` may be NULL
 * in a bandit. Fails where the task has no optimal values, which the library's experts go by, and
 * where an expert of the caller's does. */
XP_API xp_status xp_expert_act(const xp_expert *expert, xp_rng *rng, const xp_task *task,
                               const double *state, size_t *action, xp_error *error);

#endif
