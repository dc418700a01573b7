/* sensitivity.h: how much decisions depend on the assumed expert competence β.
 *
 * Competence cannot be learned from choices alone: the likelihood always prefers β = ∞. So see what
 * the decisions are for a range of values, and do not rely on what changes. For a fair comparison
 * only β differs: for each β, lambda is solved for so that the maximum-entropy prior has the same
 * divergence epsilon = (K − 1) / (2N) from the N demonstrations. `experior fit` uses another rule
 * by default, β = ∞ with lambda = ∞, which is reported as well.
 *
 * Threads: demonstrations and history may be shared with other readers. NULL is accepted only where
 * a description says so. */
#ifndef EXPERIOR_SENSITIVITY_H
#define EXPERIOR_SENSITIVITY_H

#include "experior/demos.h"
#include "experior/history.h"

typedef struct xp_sensitivity_options {
    size_t size;         /* sizeof(xp_sensitivity_options), set by xp_sensitivity_options_default */
    const double *betas; /* the competences to compare; NULL: 0.5, 1, 2.5, 5, 10, 25 and INFINITY */
    size_t beta_count;   /* not looked at if betas is NULL */
    uint64_t seed;       /* everything random is a function of it */
    size_t draws;        /* behind a probability that is not computed (finite β) */
    xp_progress progress; /* may be NULL */
    void *progress_context;
    /* Further parameters of every prior, as a spec has them; NULL is what `experior fit` does:
     * "reference=learned,unit=relative". */
    const char *settings;
} xp_sensitivity_options;

/* Seven competences, seed 1, 20,000 draws, no progress. */
XP_API void xp_sensitivity_options_init(xp_sensitivity_options *options, size_t size);
static inline xp_sensitivity_options xp_sensitivity_options_default(void) {
    xp_sensitivity_options options;
    xp_sensitivity_options_init(&options, sizeof options);
    return options;
}

/* What came out for one β. */
typedef struct xp_sensitivity_outcome {
    double beta;
    bool feasible;       /* false: no experts of so little competence choose as these did */
    double lambda;       /* of the prior; NAN if infeasible */
    double *probability; /* K: that the arm is the best one, given the history; NAN likewise */
    size_t draws;        /* behind `probability`; 0: computed, or infeasible */
} xp_sensitivity_outcome;

typedef struct xp_sensitivity {
    size_t arms;    /* K */
    double epsilon; /* the divergence that every β leaves, nats */
    size_t beta_count;
    xp_sensitivity_outcome *outcomes;   /* one per β, as they were given */
    xp_sensitivity_outcome fit_default; /* what `experior fit` does by default */
} xp_sensitivity;

/* Fits a prior for each β to demonstrations of a bandit, and asks it what to do after `history`
 * (NULL: before any reward), whose rewards are 0 or 1. An infeasible β is an outcome, not a
 * failure. `options` may be NULL. Free with xp_sensitivity_destroy. Fails with XP_ERR_INPUT for
 * demonstrations with states, none at all, a history of other arms and a β that is not positive,
 * XP_ERR_MEMORY, XP_ERR_INTERRUPTED. */
XP_API xp_status xp_sensitivity_fit(const xp_demos *demos, const xp_history *history,
                                    const xp_sensitivity_options *options,
                                    xp_sensitivity **sensitivity, xp_error *error);
XP_API void xp_sensitivity_destroy(xp_sensitivity *sensitivity); /* NULL is fine */

#endif
