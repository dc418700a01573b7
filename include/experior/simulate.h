/* simulate.h: measures agents in one setting.
 *
 * Everything is a function of the seed: results are bit-identical for any number of threads, and
 * every agent meets the same tasks, the same demonstrations and the same reward noise. */
#ifndef EXPERIOR_SIMULATE_H
#define EXPERIOR_SIMULATE_H

#include "experior/peers.h"
#include "experior/session.h"

typedef struct xp_simulate_options {
    size_t size;        /* set by xp_simulate_options_default */
    const char *env;    /* spec: "deep_sea:size=10" */
    const char *expert; /* spec */
    /* The caller's own, instead of the specs above; NULL: by spec. An environment of the caller's
     * is one problem however often it is drawn: `problems` repeats it with other demonstrations. */
    const xp_env *custom_env;
    const xp_expert *custom_expert;
    /* Agents act from this model, and nobody demonstrates or fits; NULL: each agent's own is fitted
     * to demonstrations. */
    const xp_model *model;
    const char *const *agents; /* specs */
    size_t agent_count;
    size_t problems; /* distributions over tasks, drawn */
    size_t tasks;    /* tasks drawn from each */
    size_t episodes;
    uint64_t demonstrations; /* per problem */
    size_t threads;          /* 0: as many as there are cores */
    uint64_t seed;
    xp_progress progress; /* may be NULL */
    void *progress_context;
    /* agent_count × episodes numbers of the caller's: the return of each episode, mean over all
     * tasks. NULL: not wanted. */
    double *returns;
    /* Tasks are drawn from this model's prior (xp_env_create_from_model), instead of the
     * environments above; NULL: not. An oracle then acts from this very model. */
    const xp_model *tasks_from;
    /* Processes that compute together; NULL: this one alone. All call with the same options; those
     * that do not lead (rank is not 0) get zeroes for results. */
    xp_peers *peers;
} xp_simulate_options;

/* An optimal expert's 1,000 demonstrations in each of 16 Bernoulli bandits, 128 tasks of 1,500
 * episodes each, all cores, seed 1; no agents. */
XP_API void xp_simulate_options_init(xp_simulate_options *options, size_t size);
static inline xp_simulate_options xp_simulate_options_default(void) {
    xp_simulate_options options;
    xp_simulate_options_init(&options, sizeof options);
    return options;
}

/* The family of tasks that a bandit's model believes in: the means of a task's arms are drawn from
 * the model's prior, and arms pay rewards of its family. The model must outlive the environment,
 * which the caller destroys. Fails with XP_ERR_INPUT for a model with states, and for one without a
 * prior. */
XP_API xp_status xp_env_create_from_model(const xp_model *model, xp_env **env, xp_error *error);

/* What one agent did: means over all tasks of all problems. */
typedef struct xp_simulate_result {
    double regret;    /* final cumulative regret; NAN where optimal values are not known */
    double regret_se; /* standard error of the mean: over problems if there are several,
                         else over tasks */
    double
        regret_mean_over_episodes; /* mean over t of the cumulative regret (the paper's Figure 2) */
    double fit_seconds, seconds;   /* of the processor, summed over units */
    uint64_t agent_steps;
} xp_simulate_result;

/* Simulates every agent on the same tasks; `results` has agent_count entries, in the order of the
 * agents. Fails with XP_ERR_INPUT for specs and counts that do not fit, XP_ERR_NUMERIC where a fit
 * has no solution, XP_ERR_INTERRUPTED. */
XP_API xp_status xp_simulate(const xp_simulate_options *options, xp_simulate_result *results,
                             xp_error *error);

#endif
