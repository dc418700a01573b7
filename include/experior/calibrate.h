/* calibrate.h: is a sampler right?
 *
 * Simulation-based calibration (Talts et al., "Validating Bayesian inference algorithms with
 * simulation-based calibration", 2018): draw θ from the prior and rewards from θ. Then θ and draws
 * from the posterior given the rewards are exchangeable, so the rank of θ among L draws is uniform
 * on 0 .. L, for any number computed from θ. If the histogram of ranks is not flat, the sampler is
 * wrong. For two or three arms the bias is also measured, against brute force. */
#ifndef EXPERIOR_CALIBRATE_H
#define EXPERIOR_CALIBRATE_H

#include "experior/sampler.h"

typedef struct xp_calibrate_options {
    size_t size;         /* set by xp_calibrate_options_default */
    const char *sampler; /* spec; NULL: the prior's default */
    size_t simulations;
    size_t history;  /* rewards seen before the draws */
    bool thompson;   /* the sampler chooses the arms; otherwise they take turns */
    size_t draws;    /* L */
    size_t thinning; /* keep one draw in `thinning`; 0 means 1, or 10 for a Markov chain */
    size_t bins;     /* of the histograms; divides L + 1 */
    size_t threads;  /* 0: as many as there are cores */
    uint64_t seed;
    xp_progress progress; /* told of simulations; may be NULL */
    void *progress_context;
} xp_calibrate_options;

/* 1,000 simulations of 40 rewards chosen by Thompson sampling, 63 draws in 16 bins. */
XP_API void xp_calibrate_options_init(xp_calibrate_options *options, size_t size);
static inline xp_calibrate_options xp_calibrate_options_default(void) {
    xp_calibrate_options options;
    xp_calibrate_options_init(&options, sizeof options);
    return options;
}

/* Ranks of one number computed from θ. */
typedef struct xp_calibrate_statistic {
    char name[32]; /* "theta 0", …, "maximum", "linear" (a random combination each time) */
    size_t bins;
    uint64_t *counts;  /* bins: how many ranks fell into each */
    double chi_square; /* against a flat histogram, bins - 1 degrees of freedom */
    double p;          /* probability of a chi-square at least as large if the sampler is right */
} xp_calibrate_statistic;

/* Freed by xp_calibrate_result_destroy. */
typedef struct xp_calibrate_result {
    const char *sampler, *prior; /* names */
    size_t simulations;
    size_t thinning;                    /* as used */
    uint64_t gave_up;                   /* draws that the sampler gave up on (rejection) */
    xp_calibrate_statistic *statistics; /* one per arm, then maximum, then linear */
    size_t statistic_count;
} xp_calibrate_result;

/* Runs the simulations; `options` may be NULL. The result is a function of prior, options and seed,
 * whatever the number of threads. Fails with XP_ERR_INPUT for a prior that cannot be drawn from
 * exactly. */
XP_API xp_status xp_calibrate(const xp_prior *prior, const xp_calibrate_options *options,
                              xp_calibrate_result **result, xp_error *error);
/* Frees the result; NULL is fine. */
XP_API void xp_calibrate_result_destroy(xp_calibrate_result *result);

enum { XP_BIAS_ARMS = 3 };

/* What a sampler says of a posterior, beside the truth. */
typedef struct xp_bias {
    size_t arms;
    double mean[XP_BIAS_ARMS], exact_mean[XP_BIAS_ARMS];
    double sd[XP_BIAS_ARMS], exact_sd[XP_BIAS_ARMS];
    double law[XP_BIAS_ARMS], exact_law[XP_BIAS_ARMS]; /* probability of being the best arm */
    double law_distance;                               /* total variation between the two */
} xp_bias;

/* Measures a sampler, a spec or NULL for the default, with `draws` draws after `successes` and
 * `failures` of each arm, shown in turns, against brute-force quadrature. The prior has two or
 * three arms. */
XP_API xp_status xp_calibrate_bias(const xp_prior *prior, const char *sampler,
                                   const size_t *successes, const size_t *failures, size_t draws,
                                   uint64_t seed, xp_bias *bias, xp_error *error);

#endif
