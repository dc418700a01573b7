/* inspect.h: what a bandit's model believes, and what it is worth.
 *
 * Its worth is measured on tasks drawn from its own prior: the regret of Thompson sampling that
 * starts from the prior is compared with that of Thompson sampling without the experts, on the same
 * tasks and with the same reward noise. This is what the prior promises, not a test of it. Choices
 * alone can test only how well it predicts choices to which it was not fitted.
 *
 * Threads: a model may be inspected by any number of threads at once. NULL is accepted only where a
 * description says so. */
#ifndef EXPERIOR_INSPECT_H
#define EXPERIOR_INSPECT_H

#include "experior/model.h"
#include "experior/sampler.h"
#include "experior/sensitivity.h"

typedef struct xp_inspect_options {
    size_t size;          /* sizeof(xp_inspect_options), set by xp_inspect_options_default */
    const char *sampler;  /* spec; NULL: the prior's default */
    uint64_t seed;        /* everything random is a function of it */
    size_t draws;         /* of the prior, behind means, deviations and densities */
    size_t tasks;         /* drawn from the prior to act in */
    size_t episodes;      /* actions in each task */
    xp_progress progress; /* told of tasks; may be NULL */
    void *progress_context;
    size_t sensitivity_draws; /* behind a probability at finite β; 0: do not compare competences */
    size_t sensitivity_arms;  /* nor with more arms than this: the time grows with their square */
    size_t folds; /* of the held-out choices where leaving one out has no closed form; 0: none */
    /* If it is known what arms pay: tasks have the reference beta with this mean and shape
     * (prior.h), whatever the learners assume. A mean of 0: tasks are drawn from the prior. A shape
     * of 0: the least. */
    double mean, shape;
} xp_inspect_options;

/* The default sampler, seed 1, 10,000 draws, 1,000 tasks of 1,000 episodes, no progress, 4,000
 * draws for each competence with up to 128 arms, 5 folds. */
XP_API void xp_inspect_options_init(xp_inspect_options *options, size_t size);
static inline xp_inspect_options xp_inspect_options_default(void) {
    xp_inspect_options options;
    xp_inspect_options_init(&options, sizeof options);
    return options;
}

/* Regret of a task's first decisions. Standard errors are over tasks; those of `saved` and `share`
 * are of paired differences. */
typedef struct xp_inspect_horizon {
    size_t decisions;
    double regret, regret_se;   /* starting from the prior */
    double without, without_se; /* starting without the experts */
    double saved, saved_se;     /* the second less the first */
    double share, share_se;     /* what is saved of `without`: 0.4 is 40 % */
} xp_inspect_horizon;

/* Something to know before the data is relied on. */
typedef struct xp_inspect_warning {
    const char *code; /* "few_rows", "never_chosen", …; never freed */
    char *sentence;
} xp_inspect_warning;

enum { XP_INSPECT_HORIZONS = 3, XP_INSPECT_QUANTILES = 5 };

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
    double uniform_regret, uniform_regret_se; /* starting without the experts */
    double saved, saved_se;                   /* the second less the first */

    uint64_t demonstrations; /* that the prior was fitted to; 0: it was given */
    double effective;        /* choices that it rests on: a segment borrows from the others */
    const uint64_t *counts;  /* K: of them */
    double effective_arms;   /* 2^entropy: as many equally likely arms would be as uncertain */
    /* The first 10, 100 and 1,000 decisions, as far as there are that many episodes. */
    xp_inspect_horizon horizons[XP_INSPECT_HORIZONS];
    size_t horizon_count;
    /* The saving over all episodes, as a number of decisions: a start without the experts loses as
     * much in its first `head_start` decisions. */
    double head_start;
    double *quantiles; /* K × 5: 5, 25, 50, 75 and 95 % of the arm's mean reward */
    /* K × points: density of the arm's mean reward at the middles of equal parts of [low, high],
     * which holds nearly all of it; computed, or smoothed draws. */
    double *curve;
    size_t curve_points;
    double curve_low, curve_high;
    bool curve_computed;
    /* Mean log probability of a demonstrated choice that was held out, nats, and of guessing among
     * K arms; NAN where there is nothing to hold out. */
    double held_out, held_out_se, held_out_guess;
    size_t held_out_folds;       /* 0: one at a time */
    xp_sensitivity *sensitivity; /* NULL: not asked for, or there are no demonstrations */
    /* The largest probability that the prior of another β moves from one arm to others, compared
     * with β = inf at the same rule: total variation; NAN without `sensitivity`. */
    double sensitivity_distance;
    xp_inspect_warning *warnings;
    size_t warning_count;
    char *answer;      /* is the data worth anything? One or two sentences */
    char *scale;       /* what is assumed about how often arms pay off, in words */
    bool scale_stated; /* that of the tasks was stated: options.mean */
} xp_inspection;

/* Inspects the prior over arm means. `options` may be NULL. The result is a function of model and
 * options. Free with xp_inspection_destroy; it does not need the model any more. Fails with
 * XP_ERR_INPUT for a model that has no such prior or a sampler that cannot handle it,
 * XP_ERR_NUMERIC where the sampler gives up, XP_ERR_MEMORY, XP_ERR_INTERRUPTED. */
XP_API xp_status xp_inspect(const xp_model *model, const xp_inspect_options *options,
                            xp_inspection **inspection, xp_error *error);
XP_API void xp_inspection_destroy(xp_inspection *inspection); /* NULL is fine */

#endif
