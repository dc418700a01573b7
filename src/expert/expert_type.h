/* expert_type.h: what an implementation of an expert provides: one file src/expert/<name>.c with a
 * `const xp__expert_type xp__expert_<name>`. */
#ifndef XP_EXPERT_EXPERT_TYPE_H
#define XP_EXPERT_EXPERT_TYPE_H

#include "base/params.h"
#include "experior/expert.h"

typedef struct xp__expert_type {
    const char *name;
    const char *summary;
    const xp_param *params;
    size_t param_count;
    /* Draws an action given the optimal action values of the hidden context. */
    size_t (*act)(const xp__params *params, xp_rng *rng, const double *q, size_t actions);
} xp__expert_type;

extern const xp__expert_type *const xp__expert_types[];
extern const size_t xp__expert_type_count;

/* Default parameters of the named expert; the parameters of a spec; and an expert from parameters,
 * NULL meaning the defaults. */
xp_status xp__expert_params_default(const char *name, xp__params *params, xp_error *error);
xp_status xp__expert_params_read(const char *spec, xp__params *params, xp_error *error);
xp_status xp__expert_create(const char *name, const xp__params *params, xp_expert **expert,
                            xp_error *error);

#endif
