/* model.h: what demonstrations taught, as one object that programs hold, share and keep in a file.
 *
 * A model is fitted once. It holds the prior that was inferred (or none, for agents that need
 * none), the demonstrations that it was inferred from, the space that it is for, the agent that
 * acts on it unless a session asks for another, and its origin: seed, version, machine. Sessions
 * (session.h) act on it.
 *
 * Files: a bandit's model is JSON that people can read; a model with states is a safetensors file,
 * which other tools read. A loaded model acts bit for bit like the one that was saved, given the
 * same library version, instruction set and C library; the file records these, and
 * xp_model_warning says if they differ.
 *
 * A model never changes: any number of threads may use it at once, each with sessions of its own.
 */
#ifndef EXPERIOR_MODEL_H
#define EXPERIOR_MODEL_H

#include "experior/choices.h"
#include "experior/prior.h"

typedef struct xp_model xp_model;

/* The space in which an agent acts. Strings and arrays are copied where a space is taken, and
 * belong to the model where one is given. */
typedef struct xp_space {
    size_t actions;
    const char *const *action_names; /* one per action, or NULL: actions are numbers from 0 */
    size_t state_size;               /* numbers in a state; 0 in a bandit */
    /* One per state number: it is one of 0 .. categories[j]-1, or -1 when it is hidden; 0 means
     * that it is a real number. NULL if state_size is 0. */
    const size_t *categories;
    size_t horizon;  /* most steps of an episode; 1 in a bandit */
    double discount; /* of rewards per step; 1, the only value that agents support now */
} xp_space;

typedef struct xp_model_options {
    size_t size;          /* sizeof(xp_model_options), set by xp_model_options_default */
    uint64_t seed;        /* everything random in the fit is a function of it */
    size_t threads;       /* 0: as many as there are cores; the result does not depend on it */
    xp_progress progress; /* may be NULL */
    void *progress_context;
    const xp_choices *source; /* the table that the demonstrations come from, whose agreement and
                                 drift the model remembers; NULL: not known */
} xp_model_options;

/* Seed 1, all cores, no progress. */
XP_API void xp_model_options_init(xp_model_options *options, size_t size);
static inline xp_model_options xp_model_options_default(void) {
    xp_model_options options;
    xp_model_options_init(&options, sizeof options);
    return options;
}

/* Fits the model that an agent needs: "experior_maxent", "experior_param:beta=5" (NULL:
 * "experior_maxent"). `space` says where the agent will act; NULL takes it from the demonstrations:
 * their actions, their states and the longest of them. `demos` may be NULL or empty for an agent
 * that needs none, if a space is given. Both may be destroyed afterwards. `options` may be NULL.
 * Fails with XP_ERR_INPUT for a spec, space or demonstrations that do
 * not fit together, XP_ERR_NUMERIC where the fit has no solution, XP_ERR_MEMORY,
 * XP_ERR_INTERRUPTED. */
XP_API xp_status xp_model_fit(const char *agent, const xp_space *space, const xp_demos *demos,
                              const xp_model_options *options, xp_model **model, xp_error *error);
/* The same for a family of tasks: for oracles, which are told its distribution, and for planners,
 * which know its rules. `demos` may be NULL for an agent that needs none. The environment is one of
 * the library's and may be destroyed afterwards. */
XP_API xp_status xp_model_fit_env(const char *agent, const xp_env *env, const xp_demos *demos,
                                  const xp_model_options *options, xp_model **model,
                                  xp_error *error);
XP_API void xp_model_destroy(xp_model *model); /* no session may use it any more */

/* Writes the file whole or not at all. */
XP_API xp_status xp_model_save(const xp_model *model, const char *path, xp_error *error);
/* Reads a file that xp_model_save wrote, or a prior file of version 0.1. Every number is checked;
 * a damaged, cut or contradictory file is refused with a sentence. */
XP_API xp_status xp_model_load(const char *path, xp_model **model, xp_error *error);
/* The bytes of the file, for xp_release. */
XP_API xp_status xp_model_to_bytes(const xp_model *model, void **data, size_t *bytes,
                                   xp_error *error);
/* Reads such bytes; `name` stands for the file in messages. */
XP_API xp_status xp_model_parse(const void *data, size_t bytes, const char *name, xp_model **model,
                                xp_error *error);

/* What a model is. Strings belong to the model. */
typedef struct xp_model_info {
    xp_space space;
    const char *agent;       /* the spec that sessions act by unless they ask for another */
    const char *method;      /* of the prior: "max_entropy", "modes"; NULL if there is none */
    const char *params;      /* of the prior, all of them: "beta=inf,lambda=inf" */
    uint64_t demonstrations; /* that it was fitted to */
    size_t distinct;         /* of these */
    uint64_t seed;           /* of the fit */
    const char *version;     /* of the library that fitted it */
    const char *machine;     /* instruction set and C library on which it was fitted */
    const char *environment; /* spec of the family of tasks if it knows one, else NULL */
    const char *rewards;     /* family of rewards that a prior over arm means is for: "bernoulli",
                                "gaussian"; NULL if there is no such prior */
} xp_model_info;

/* What it is; all zero for NULL. */
XP_API xp_model_info xp_model_describe(const xp_model *model);
/* The prior over arm means; it belongs to the model. NULL if it has none. */
XP_API const xp_prior *xp_model_prior(const xp_model *model);

/* How the fit ended. Fields that a method does not have are NAN, 0 or NULL. */
typedef struct xp_model_diagnosis {
    bool converged;
    size_t iterations;        /* of the solver, or steps of the optimiser or chain */
    double lambda;            /* weight of the demonstrations, used or solved for */
    double divergence;        /* KL of what was demonstrated from what the prior expects, nats */
    double duality_gap;       /* of the solver, relative */
    double log_likelihood;    /* nats per demonstrated choice */
    double effective;         /* effective number of what the prior rests on */
    const char *effective_of; /* what that is: "modes" */
    double clipped;           /* share of the gradient's components that were cut */
    size_t networks, inputs, hidden; /* of a prior over Q-functions */
} xp_model_diagnosis;

/* What is known of the table of choices that a model was fitted to. */
typedef struct xp_model_evidence {
    uint64_t rows, dropped; /* of the table; 0 if there was none */
    double choices;         /* in all; there are fewer demonstrations where experts have habits */
    xp_agreement agreement; /* of the experts; NAN and 0 if they are not known */
    xp_drift drift;         /* along the table; NAN if it has no order */
} xp_model_evidence;

/* What is known of its table; all NAN and 0 for NULL. Files keep it. */
XP_API xp_model_evidence xp_model_recall(const xp_model *model);
/* How its fit ended. */
XP_API xp_model_diagnosis xp_model_diagnose(const xp_model *model);
/* A sentence about what may differ here from the machine on which the model was fitted, or NULL. */
XP_API const char *xp_model_warning(const xp_model *model);
/* Name of an action: the space's, or NULL when actions are plain numbers or there is none such. */
XP_API const char *xp_model_action_name(const xp_model *model, size_t action);
/* Number of the action so written, a name or a number. */
XP_API xp_status xp_model_action_find(const xp_model *model, const char *text, size_t *action,
                                      xp_error *error);
/* Times each action was demonstrated; `counts` has one entry per action. */
XP_API void xp_model_action_counts(const xp_model *model, uint64_t *counts);

#endif
