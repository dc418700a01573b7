/* aggregate.h: summaries of many runs, in the manner of rliable (Agarwal et al., "Deep
 * Reinforcement Learning at the Edge of the Statistical Precipice", 2021), and what changed between
 * two stores.
 *
 * An aggregate is taken over the groups of a study (settings) of which an agent has every run that
 * any agent has, and over all runs in them. Its interval comes from a bootstrap over problems: they
 * are resampled with all their runs, because the runs of a problem share demonstrations and prior,
 * and in all groups together, because groups may hold the same problems. Percentiles are expanded
 * for few problems (Hesterberg 2015); fewer than five have no interval. */
#ifndef EXPERIOR_AGGREGATE_H
#define EXPERIOR_AGGREGATE_H

#include "experior/study.h"

typedef struct xp_aggregate_options {
    size_t size;      /* set by xp_aggregate_options_default */
    size_t resamples; /* of the bootstrap */
    uint64_t seed;
} xp_aggregate_options;

/* 2,000 resamples, seed 1. */
XP_API void xp_aggregate_options_init(xp_aggregate_options *options, size_t size);
static inline xp_aggregate_options xp_aggregate_options_default(void) {
    xp_aggregate_options options;
    xp_aggregate_options_init(&options, sizeof options);
    return options;
}

/* One agent by one measure. Intervals are 95 %; what does not apply is NAN. */
typedef struct xp_aggregate {
    const char *agent, *measure; /* they live as long as the study's result */
    size_t groups;
    size_t problems; /* that are resampled: of the group that has most */
    size_t runs;     /* in all groups */
    /* Interquartile mean: the mean of the middle half of all runs. */
    double iqm, iqm_low, iqm_high;
    /* Probability that a run of this agent exceeds one of the reference in the same group, equal
     * ones counted half; mean over the groups that both have. NAN for the reference, and where
     * there is none. */
    double improvement, improvement_low, improvement_high;
    /* Where the measure says of each run whether it succeeded (the values of all agents are 0 or
     * 1): how many failed, of how many that differ (runs that several groups share count once), and
     * the exact (Clopper-Pearson) interval of the share, as if these were independent. failures =
     * SIZE_MAX: the measure is none of those. */
    size_t failures, failure_runs;
    double failure_low, failure_high;
} xp_aggregate;

typedef struct xp_aggregates {
    xp_aggregate *rows; /* by measure, then by agent, in the order of the study */
    size_t count;
    size_t resamples;
    uint64_t seed;
} xp_aggregates;

/* Aggregates of the single runs in a result (xp_study_options.runs). A study without runs has no
 * rows. `options` may be NULL. Freed by xp_aggregates_destroy. */
XP_API xp_status xp_aggregates_create(const xp_study_result *result,
                                      const xp_aggregate_options *options,
                                      xp_aggregates **aggregates, xp_error *error);
XP_API void xp_aggregates_destroy(xp_aggregates *aggregates); /* NULL is fine */

/* An agent in a setting, in two stores: means over the problems that both have. */
typedef struct xp_store_change {
    const char *setting; /* environment, expert and shape: the key without problem and agent */
    const char *agent;   /* spec */
    /* "final regret", "mean return", "exact return"; where a fit had no solution in either, "share
     * without a solution" */
    const char *measure;
    size_t problems;  /* that both have */
    size_t identical; /* of these, with the same bits */
    double before, after;
    double difference, low, high; /* after − before, paired; 95 % interval, Student's */
} xp_store_change;

typedef struct xp_comparison {
    xp_store_change *rows;
    size_t count;
    size_t both, only_before, only_after; /* units */
    size_t damaged; /* units of either that cannot be read, and are left out */
    void *arena;    /* private */
} xp_comparison;

/* Compares the finished units of two directories, whatever version or revision computed them; of a
 * unit that is there twice, the latest counts. */
XP_API xp_status xp_comparison_create(const char *before, const char *after,
                                      xp_comparison **comparison, xp_error *error);
XP_API void xp_comparison_destroy(xp_comparison *comparison); /* NULL is fine */

/* A study of which a directory has finished units. */
typedef struct xp_store_study {
    const char *study, *scale;
    uint64_t seed;
    bool in_paper; /* a figure or table of the paper */
    size_t units_done, units_total;
} xp_store_study;

/* Lists the studies of a directory, each with the scale and seed of which most is finished; of
 * equals the larger scale. `studies` has room for `room`; *count is how many there are. */
XP_API xp_status xp_store_studies(const char *directory, xp_store_study *studies, size_t room,
                                  size_t *count, xp_error *error);

/* What finished units took: seconds of the processor. */
typedef struct xp_store_work {
    size_t units;
    double seconds, fit_seconds; /* of all; of these, for fitting priors */
} xp_store_work;

/* Adds up the finished units of studies that xp_store_studies lists. A unit that several of them
 * need counts once. */
XP_API xp_status xp_store_sum(const char *directory, const xp_store_study *studies, size_t count,
                              xp_store_work *work, xp_error *error);

/* All that a directory's store holds, of whatever study or sweep. */
typedef struct xp_store_contents {
    xp_store_work work; /* of the finished units, each counted once */
    size_t outdated;    /* units that only another version of the library has computed */
    size_t damaged;     /* units that were changed since they were filed */
} xp_store_contents;

/* Looks through a store; where there is none, all is 0. */
XP_API xp_status xp_store_describe(const char *directory, xp_store_contents *contents,
                                   xp_error *error);

#endif
