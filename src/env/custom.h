/* custom.h: the environment type behind xp_env_create_custom. It is in no registry. */
#ifndef XP_ENV_CUSTOM_H
#define XP_ENV_CUSTOM_H

#include "env/env_type.h"

extern const xp__env_type xp__custom_env_type;
bool xp__env_custom_parallel(const xp_env *env);
bool xp__env_custom_has_optimal_q(const xp_env *env);

#endif
