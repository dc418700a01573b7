/* running.h: what those who run tasks must know of environments of the caller's: whether their
 * functions failed, and whether several threads may run them. */
#ifndef XP_ENV_RUNNING_H
#define XP_ENV_RUNNING_H

#include "experior/env.h"

/* XP_OK, or how the first function of the task that failed since the last call ended. After a
 * failure states are zeros and episodes end at once, until this is asked. */
xp_status xp__task_status(xp_task *task, xp_error *error);
/* Whether tasks may be run by several threads at once, each by one. */
bool xp__env_parallel(const xp_env *env);

#endif
