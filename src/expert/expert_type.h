/* expert_type.h: what an implementation of an expert provides: one file src/expert/<name>.c with a
 * `const xp_expert_type xp__expert_<name>`. */
#ifndef XP_EXPERT_EXPERT_TYPE_H
#define XP_EXPERT_EXPERT_TYPE_H

#include "experior/expert.h"

typedef struct xp_expert_type {
    const char *name;
    const char *summary;
    const xp_param *params;
    size_t param_count;
    /* Draws an action given the optimal action values of the hidden context. */
    size_t (*act)(const xp_params *params, xp_rng *rng, const double *q, size_t actions);
} xp_expert_type;

extern const xp_expert_type *const xp__expert_types[];
extern const size_t xp__expert_type_count;

#endif
