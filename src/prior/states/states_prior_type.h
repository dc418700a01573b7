/* states_prior_type.h: what an implementation of a prior over Q-functions provides: one file
 * src/prior/q_<name>.c with a `const xp_states_prior_type xp__states_prior_<name>`. */
#ifndef XP_PRIOR_STATES_STATES_PRIOR_TYPE_H
#define XP_PRIOR_STATES_STATES_PRIOR_TYPE_H

#include "experior/states_prior.h"
#include "prior/states/density.h"
#include "prior/states/shown_steps.h"

typedef struct xp_states_prior_type {
    const char *name;
    const char *summary;
    const char *steadier;   /* "a smaller …": what to change where a fit diverges */
    const xp_param *params; /* among them "hidden", the units of a hidden layer */
    size_t param_count;
    size_t size; /* bytes of the whole struct, which starts with an xp_states_prior */
    /* Makes prior->networks from the demonstrations; params are set. May fill prior->fit, and may
     * take the demonstrations over, leaving *demos all zero. */
    xp_status (*fit)(xp_states_prior *prior, xp__encoded_demos *demos, xp_rng *rng,
                     xp_error *error);
    void (*deinit)(
        xp_states_prior *prior); /* frees what fit made beside the networks; may be NULL */
    const xp__density *(*density)(
        const xp_states_prior *prior); /* NULL: it is known by draws only */
} xp_states_prior_type;

struct xp_states_prior {
    const xp_states_prior_type *type;
    xp_params params;
    xp_states_fit fit;
    xp_net *networks;
    double *weights;       /* of the networks, adding up to 1; NULL: all the same */
    xp_net *draws;         /* NULL where the networks are the draws */
    xp__shown_steps shown; /* all zero: not kept */
};

/* Parameters that every prior over networks has, for its table. */
#define XP__STATES_PRIOR_HIDDEN                                                                    \
    {                                                                                              \
        .name = "hidden", .summary = "units in each of the two hidden layers",                     \
        .kind = XP_PARAM_INTEGER, .low = 1, .high = 256, .standard = 50                            \
    }
#define XP__STATES_PRIOR_BETA                                                                      \
    {                                                                                              \
        .name = "beta", .summary = "competence of the experts", .kind = XP_PARAM_REAL,             \
        .low = 1e-6, .high = 1e6, .standard = 5                                                    \
    }

extern const xp_states_prior_type *const xp__states_prior_types[];
extern const size_t xp__states_prior_type_count;

/* The type of that name, or NULL. */
const xp_states_prior_type *xp__states_prior_type_find(const char *name);

#endif
