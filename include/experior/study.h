/* study.h: studies, of the paper and beyond it: agents measured on many problems, beside the
 * paper's numbers.
 *
 * Everything is a function of the seed: results are bit-identical for any number of threads, and
 * every agent meets the same tasks, the same demonstrations and the same reward noise. */
#ifndef EXPERIOR_STUDY_H
#define EXPERIOR_STUDY_H

#include "experior/peers.h"
#include "experior/picture.h"

/* Called from the calling thread with a sentence that its user should see. */
typedef void (*xp_notice)(void *context, const char *sentence);

/* How long the remaining units will take, judged by finished units like them, or by a pilot. */
typedef struct xp_study_forecast {
    size_t units;                  /* that are left */
    size_t from_units, from_pilot; /* of these, told from units that finished; from a pilot. Of the
                                      others only the mean of all units is known */
    size_t workers;                /* threads of all processes */
    double work;                   /* seconds of the processor; NAN if nothing is known */
    double seconds; /* of the clock until all workers are through: no less than the longest unit,
                       and longer as others use the machine too */
} xp_study_forecast;

/* Called from the calling thread, before the first unit begins and now and then. */
typedef void (*xp_study_forecaster)(void *context, const xp_study_forecast *forecast);

typedef struct xp_study_options {
    size_t size;           /* set by xp_study_options_default */
    const char *scale;     /* "smoke" (does it run?), "quick" or "paper" */
    const char *directory; /* finished units are kept in study.sqlite here; created if missing. One
                              study at a time computes there; others may report so_far meanwhile */
    size_t threads;        /* 0: as many as there are cores */
    uint64_t seed;
    bool fresh;  /* discard finished units of an earlier run in the directory */
    bool so_far; /* compute nothing: the result is of the finished units, without rows of which one
                    is missing and without findings */
    /* Words separated by blanks: compute, or discard, only units whose keys contain all of them,
     * such as "hazards=9,observation=mdp beta=0.1 experior_maxent"; the result is as with so_far.
     * NULL: all units. */
    const char *only;
    bool runs;            /* keep the value of every single run in the result */
    xp_progress progress; /* may be NULL */
    void *progress_context;
    xp_notice notice; /* may be NULL; told if finished units are of another version or revision */
    void *notice_context;
    xp_study_forecaster forecast; /* may be NULL */
    void *forecast_context;
    bool pilot; /* before it starts, try what no finished unit tells the time of: one task of each
                   agent in each environment, cut short; and begin with the longest units */
    /* Processes that compute together; NULL: this one alone. All call with the same options, and
     * those that do not lead (rank is not 0) get no result: *result stays NULL. */
    xp_peers *peers;
    /* Studies with states: only the first problems of each setting, so many at most; 0: all. What
     * they compute is what the whole study computes of them. Of several studies, those without
     * states are computed as a whole. */
    size_t problems;
} xp_study_options;

/* The paper's scale in the directory "out", all cores, seed 1. */
XP_API void xp_study_options_init(xp_study_options *options, size_t size);
static inline xp_study_options xp_study_options_default(void) {
    xp_study_options options;
    xp_study_options_init(&options, sizeof options);
    return options;
}

/* One number of a study beside the paper's. Fields that do not apply are NAN. */
typedef struct xp_study_row {
    const char *agent;   /* label: "ExPerior-MaxEnt (beta = inf)" */
    const char *spec;    /* the agent's spec; "" if no agent acts (a bound) */
    const char *group;   /* what it is a mean over: "low", "all", "K = 5", "noisily_rational 2.5" */
    const char *measure; /* "final regret", "regret averaged over t", "bound" */
    size_t problems;     /* in the mean */
    double mean, se;     /* over problems; se is the standard error of the mean */
    double difference, difference_se; /* paired difference from the result's reference */
    double paper_mean, paper_se;
    double degrees; /* of freedom of the difference: its 95 % interval is Student's */
    /* Where runs are told apart: how many each problem has, and the two standard deviations of the
     * one-way random-effects model, between problems and between runs within one; an estimate below
     * 0 is 0, one that needs more runs is NAN. 0 runs: they are not. */
    size_t runs;
    double sd_problems, sd_runs;
} xp_study_row;

/* What one run came to. The mean of a row is the mean over the problems of its agent, group and
 * measure of the means over their runs. */
typedef struct xp_study_value {
    const char *key;                     /* of the run's unit */
    const char *agent, *group, *measure; /* as in the rows; where rows are of groups of
                                            problems, the group of this one */
    size_t problem;                      /* its number */
    size_t run; /* number of its task, from 1; 0: the mean over its tasks, which are not told apart
                 */
    double value; /* never NAN */
} xp_study_value;

/* What an agent took: seconds of the processor, summed over its finished units. */
typedef struct xp_study_time {
    const char *agent; /* label */
    size_t units;
    double fit_seconds, seconds; /* for fitting priors; for all */
} xp_study_time;

/* A picture that a study made: an SVG file that stands alone. */
typedef struct xp_study_picture {
    const char *title;
    const char *svg;
} xp_study_picture;

/* All that a report needs. Owned by the caller, freed by xp_study_result_destroy. */
typedef struct xp_study_result {
    char *study, *title, *scale;
    const char *reference; /* agent that differences are from; NULL: there are none */
    uint64_t seed;
    double seconds; /* of the processor, summed over the units */
    uint64_t agent_steps;
    size_t units_done, units_total;
    xp_study_row *rows;
    size_t row_count;
    xp_series *series;
    size_t series_count;
    char **notes; /* sentences: protocol, sample sizes, what ± means */
    size_t note_count;
    char **findings; /* sentences: what holds, what is overturned and why, with numbers */
    size_t finding_count;
    xp_study_time *times; /* one per agent, in the order of the study */
    size_t time_count;
    xp_study_value *values; /* with xp_study_options.runs */
    size_t value_count;
    xp_study_picture *pictures; /* beside the one that the report makes of rows and series */
    size_t picture_count;
    void *arena; /* private: strings and arrays of the rows and series */
} xp_study_result;

/* Runs or resumes a study by its name in the catalogue; `options` may be NULL. On
 * XP_ERR_INTERRUPTED finished units are kept and the same call resumes. */
XP_API xp_status xp_study_run(const char *name, const xp_study_options *options,
                              xp_study_result **result, xp_error *error);
/* Frees the result; NULL is fine. */
XP_API void xp_study_result_destroy(xp_study_result *result);

/* Computes the missing units of several studies as one queue, so that no worker waits between two
 * studies, and reports nothing: xp_study_run then finds all units finished. `options` may be NULL;
 * `so_far` and `only` are not for this. */
XP_API xp_status xp_study_compute(const char *const *names, size_t count,
                                  const xp_study_options *options, xp_error *error);

#endif
