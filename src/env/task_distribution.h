/* task_distribution.h: what is known of a distribution over tasks to someone who is told it: an
 * oracle. It says nothing of the task at hand. */
#ifndef XP_ENV_TASK_DISTRIBUTION_H
#define XP_ENV_TASK_DISTRIBUTION_H

#include "experior/env.h"

/* Beta parameters of each arm of a bernoulli_bandit, `arms` numbers each, and the range that such a
 * number is mapped to; false for another type. */
bool xp__bernoulli_bandit_parameters(const xp_env *env, const double **a, const double **b,
                                     double *low, double *high);
/* The environment as text, with the parameters that were given: "deep_sea:size=10,goal=any". NULL
 * when memory runs out; for xp__free. xp_env_create reads it. */
char *xp__env_spec(const xp_env *env);

#endif
