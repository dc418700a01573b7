/* inspect.h: what a bandit's model believes, and what it is worth.
 *
 * Its worth is measured on tasks drawn from its own prior: the regret of Thompson sampling that
 * starts from the prior beside Thompson sampling that starts from the uniform one, on the same
 * tasks and with the same reward noise. That is a promise the prior makes, not a test of it.
 *
 * Threads: a model may be inspected by any number of threads at once. NULL is accepted only where
 * it is said. */
#ifndef EXPERIOR_INSPECT_H
#define EXPERIOR_INSPECT_H

#include "experior/model.h"
#include "experior/sampler.h"

typedef struct xp_inspect_options {
    size_t size;          /* sizeof(xp_inspect_options), set by xp_inspect_options_default */
    const char *sampler;  /* spec; NULL: the prior's default */
    uint64_t seed;        /* everything random is a function of it */
    size_t draws;         /* of the prior, behind means, deviations and densities */
    size_t tasks;         /* drawn from the prior to act in */
    size_t episodes;      /* actions in each task */
    xp_progress progress; /* told of tasks; may be NULL */
    void *progress_context;
} xp_inspect_options;

/* The default sampler, seed 1, 10,000 draws, 500 tasks of 300 episodes, no progress. */
XP_API void xp_inspect_options_init(xp_inspect_options *options, size_t size);
static inline xp_inspect_options xp_inspect_options_default(void) {
    xp_inspect_options options;
    xp_inspect_options_init(&options, sizeof options);
    return options;
}

/* What was found. K is the number of arms. Standard errors are over tasks, NAN if there is one. */
typedef struct xp_inspection {
    size_t arms, bins;
    const char *sampler; /* its name; never freed */
    xp_sampler_kind kind;
    double *share;       /* K: of the demonstrations that chose the arm; NAN if there are none */
    double *probability; /* K: that the arm is the best one */
    double *mean, *sd;   /* K: of the arm's mean reward; the sd of one draw is NAN */
    double *density;     /* K × bins: of the arm's mean reward, in equal bins of [0, 1] */
    double entropy;      /* of the best arm, bits */
    size_t law_draws;    /* behind `probability`; 0: computed */
    size_t draws, tasks, episodes;            /* as asked for */
    double regret, regret_se;                 /* of a task, starting from the prior */
    double uniform_regret, uniform_regret_se; /* starting from the uniform prior */
    double saved, saved_se;                   /* the second less the first */
} xp_inspection;

/* Inspects the prior over arm means. `options` may be NULL. The result is a function of model and
 * options. Free with xp_inspection_destroy; it does not need the model any more. Fails with
 * XP_ERR_INPUT for a model that has no such prior or a sampler that cannot handle it,
 * XP_ERR_NUMERIC where the sampler gives up, XP_ERR_MEMORY, XP_ERR_INTERRUPTED. */
XP_API xp_status xp_inspect(const xp_model *model, const xp_inspect_options *options,
                            xp_inspection **inspection, xp_error *error);
XP_API void xp_inspection_destroy(xp_inspection *inspection); /* NULL is fine */

#endif
