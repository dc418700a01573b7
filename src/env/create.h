/* create.h: environments from parameters as values, for code that has them so; programs write specs
 * (experior/base.h). */
#ifndef XP_ENV_CREATE_H
#define XP_ENV_CREATE_H

#include "base/params.h"
#include "experior/env.h"

/* Default parameters of the named environment. */
xp_status xp__env_params_default(const char *name, xp__params *params, xp_error *error);
/* The parameters of a spec; their owner is the environment's registered name. */
xp_status xp__env_params_read(const char *spec, xp__params *params, xp_error *error);
/* As xp_env_create; `params` may be NULL for the defaults. */
xp_status xp__env_create(const char *name, const xp__params *params, xp_rng *rng, xp_env **env,
                         xp_error *error);

/* The registered environments seen from outside: the i-th's name, summary and parameters. */
typedef struct xp__env_listing {
    const char *name, *summary;
    const xp_param *params;
    size_t param_count;
} xp__env_listing;
xp__env_listing xp__env_list(size_t index);
extern const size_t xp__env_type_count;

#endif
