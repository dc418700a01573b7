/* states_prior_type.h: what an implementation of a prior over Q-functions provides: one file
 * src/prior/states/<name>.c with a `const xp__states_prior_type xp__states_prior_<name>`. */
#ifndef XP_PRIOR_STATES_STATES_PRIOR_TYPE_H
#define XP_PRIOR_STATES_STATES_PRIOR_TYPE_H

#include "prior/states/states_prior.h"
#include "prior/states/density.h"
#include "base/bytes/tensors.h"
#include "base/watch.h"
#include "encode/state_units.h"
#include "prior/states/shown_steps.h"

typedef struct xp__states_prior_type {
    const char *name;
    const char *summary;
    const char *steadier;   /* "a smaller …": what to change where a fit diverges */
    const xp_param *params; /* among them "hidden", the units of a hidden layer */
    size_t param_count;
    size_t size; /* bytes of the whole struct, which starts with an xp__states_prior */
    /* Makes prior->networks from the demonstrations; params are set. May fill prior->fit, and may
     * take the demonstrations over, leaving *demos all zero. Once prior->watch has stopped, what it
     * returns is thrown away. */
    xp_status (*fit)(xp__states_prior *prior, xp__encoded_demos *demos, xp_rng *rng,
                     xp_error *error);
    void (*deinit)(xp__states_prior *prior); /* frees what only the method knows of; may be NULL */
    /* NULL: it is known by draws only. */
    const xp__density *(*density)(const xp__states_prior *prior);
    /* Arrays of its own beside the networks, to a file and back; NULL: it has none. When it is
     * restored its networks, weights and draws are there, and it may take the demonstrations over
     * like fit. */
    void (*write)(const xp__states_prior *prior, xp__tensors *file);
    xp_status (*restore)(xp__states_prior *prior, const xp__tensor_file *file,
                         xp__encoded_demos *demos, xp_error *error);
} xp__states_prior_type;

struct xp__states_prior {
    const xp__states_prior_type *type;
    xp__params params;
    xp__states_fit fit;
    xp__net *networks;
    double *weights;       /* of the networks, adding up to 1; NULL: all the same */
    xp__net *draws;        /* NULL where the networks are the draws */
    xp__shown_steps shown; /* all zero: not kept */
    xp__state_units units; /* in which the networks see states */
    xp__watch watch;       /* told by fit; empty afterwards */
};

/* Parameters that every prior over networks has, for its table. */
#define XP__STATES_PRIOR_HIDDEN                                                                    \
    XP__INTEGER("hidden", "units in each of the two hidden layers", 1, 256, 50)
#define XP__STATES_PRIOR_BETA_OF(standard)                                                         \
    XP__REAL("beta", "competence of the experts", 1e-6, 1e6, standard)
#define XP__STATES_PRIOR_BETA XP__STATES_PRIOR_BETA_OF(5)

extern const xp__states_prior_type *const xp__states_prior_types[];
extern const size_t xp__states_prior_type_count;

/* A prior of that method without networks, for xp__states_prior_destroy. */
xp_status xp__states_prior_create(const char *method, xp__states_prior **prior, xp_error *error);

/* All that was fitted, as tensors and short texts of a file; and back. The demonstrations are those
 * that it was fitted to: what follows from them is made anew. */
void xp__states_prior_write(const xp__states_prior *prior, xp__tensors *file);
xp_status xp__states_prior_read(const xp__tensor_file *file, const xp_env_info *env,
                                const xp_demos *demos, xp__states_prior **prior, xp_error *error);

/* The type of that name, or NULL. */
const xp__states_prior_type *xp__states_prior_type_find(const char *name);

#endif
