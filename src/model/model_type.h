/* model_type.h: what a model is made of, and the ways to make one that only the library uses.
 *
 * Invariants: nothing changes after it is made. `info` is the space as agents see it; its arrays
 * are the model's or, in a borrowed model, the environment's. */
#ifndef XP_MODEL_MODEL_TYPE_H
#define XP_MODEL_MODEL_TYPE_H

#include "experior/model.h"
#include "experior/segments.h"

#include "agent/agent.h"
#include "base/text/json.h"

/* One of the segments of a model. */
typedef struct xp__model_segment {
    char *name;
    double own;      /* share of its own choices in its frequencies */
    xp_prior *prior; /* without names of actions: those of the model are its */
} xp__model_segment;

struct xp_model {
    xp_env_info info;
    char *agent; /* the spec of sessions that ask for no other */
    xp__agent_spec spec;
    xp_prior *prior;                /* NULL if the agent needs none, or has one over Q-functions */
    xp__states_prior *states_prior; /* likewise */
    const xp_demos *demos;          /* NULL: there were none */
    const xp_env *env;              /* NULL: not known */
    xp_demos *own_demos;            /* what has to be destroyed with it; NULL if borrowed */
    xp_env *own_env;
    size_t *categories; /* of info, where they are the model's */
    const char **names; /* one per action, or NULL; the texts belong to the demonstrations */
    uint64_t seed;
    char *params;                          /* of the prior, as text; NULL if there is none */
    char *version, *machine, *environment; /* where it was fitted, and for what */
    char *warning;
    xp__model_segment *segments; /* NULL: there are none */
    xp_pooling pooling;          /* of them; `segments` is their number */
    xp_model_evidence evidence;  /* of the table that it was fitted to */
};

/* Fits a model that borrows environment and demonstrations, which must outlive it. `env` may be
 * NULL for agents that need none of it; `demos` likewise, and `watch`. */
xp_status xp__model_fit(const char *agent, const xp_env_info *info, const xp_env *env,
                        const xp_demos *demos, const xp__fit_watch *watch, xp_rng *rng,
                        xp_model **model, xp_error *error);

/* An empty model for a spec in a space, whose categories are copied; what a file holds is filled in
 * afterwards, then xp__model_finish makes what follows from it. */
xp_status xp__model_create(const char *agent, const xp_env_info *info, xp_model **model,
                           xp_error *error);
xp_status xp__model_finish(xp_model *model, xp_error *error);

/* No evidence; that of a table (NULL: none); and as a field of a model's file, which may lack it.
 */
xp_model_evidence xp__evidence_none(void);
xp_model_evidence xp__evidence_of(const xp_choices *choices);
xp_status xp__evidence_to_json(const xp_model_evidence *evidence, json_t *root, xp_error *error);
xp_status xp__evidence_from_json(const json_t *root, size_t arms, xp_model_evidence *evidence,
                                 xp_error *error);

/* Spaces that a model or session can be for: what files hold and agents can be made for. */
enum { XP__SPACE_ARMS = 1024, XP__SPACE_ACTIONS = 256, XP__SPACE_NUMBERS = 65536 };
#define XP__SPACE_STEPS (UINT64_C(1) << 53)
/* Refuses any other. */
xp_status xp__space_check(const xp_env_info *info, xp_error *error);

/* The machine on which the program runs: "x86_64, avx512, glibc 2.36". */
char *xp__machine(void);

/* The segments as a JSON value, and back. */
xp_status xp__segments_to_json(const xp_model *model, json_t *root, xp_error *error);
xp_status xp__segments_from_json(xp_model *model, const json_t *root, xp_error *error);

/* The two kinds of files. */
xp_status xp__model_to_json(const xp_model *model, char **text, xp_error *error);
xp_status xp__model_from_json(const char *text, size_t bytes, const char *name, xp_model **model,
                              xp_error *error);
xp_status xp__model_to_tensors(const xp_model *model, void **data, size_t *bytes, xp_error *error);
xp_status xp__model_from_tensors(const void *data, size_t bytes, const char *name, xp_model **model,
                                 xp_error *error);

#endif
