/* sweep.h: a comparison of the user's own: every agent in every setting that a file lists.
 *
 * A sweep file is JSON (docs/sweep.md): environments × experts × demonstrations × agents × seeds.
 * Every mistake in it is reported before anything is computed. Finished units are kept as those of
 * a study are, and results are a function of the file alone, for any number of threads and
 * processes.
 *
 * With a search, agents are first selected on separate problems. Only those that remain are
 * reported, on other problems, so that the selection does not bias the report. */
#ifndef EXPERIOR_SWEEP_H
#define EXPERIOR_SWEEP_H

#include "experior/study.h"

typedef struct xp_sweep xp_sweep;

/* Reads a file. Every mistake is a sentence for `fault` (may be NULL), or after a hundred of them
 * one for the rest; XP_ERR_INPUT, if there are any, says how many. Demonstrations of files are read
 * too, from where the file is. */
XP_API xp_status xp_sweep_load(const char *path, xp_notice fault, void *fault_context,
                               xp_sweep **sweep, xp_error *error);
XP_API void xp_sweep_destroy(xp_sweep *sweep); /* NULL is fine */

/* What a file asks for. Texts live as long as the sweep. */
typedef struct xp_sweep_info {
    const char *name;
    const char *text; /* the file */
    size_t settings;  /* environments × experts × demonstrations */
    size_t agents;    /* after parameters with several values were multiplied out */
    size_t seeds, problems, tasks, episodes;
    size_t units;    /* to report: settings × agents × seeds × problems */
    size_t rounds;   /* of the search; 0: there is none */
    size_t searched; /* units of the search, at most */
} xp_sweep_info;
XP_API xp_sweep_info xp_sweep_describe(const xp_sweep *sweep); /* zeroes for NULL */

/* One number of a sweep. */
typedef struct xp_sweep_value {
    const char *environment, *expert, *demonstrations, *agent; /* as in the file */
    const char *measure;
    uint64_t seed;
    size_t problem;
    size_t run; /* number of the task, from 1; 0: the mean over the tasks of the problem */
    double value;
} xp_sweep_value;

/* What a search came to: an agent in a round. */
typedef struct xp_sweep_candidate {
    const char *agent;
    size_t round;    /* from 1 */
    size_t problems; /* that it was tried on, in each setting and for each seed */
    double rank;     /* mean over settings; 1 is best */
    bool kept;
} xp_sweep_candidate;

typedef struct xp_sweep_result {
    xp_study_result *study; /* rows: means over problems and seeds */
    xp_sweep_value *values; /* all numbers of which the rows are made */
    size_t value_count;
    xp_sweep_candidate *candidates;
    size_t candidate_count;
} xp_sweep_result;

/* Runs or resumes a sweep in options->directory; scale and seed are ignored. As
 * with xp_study_run, a process that does not lead gets no result. The sweep must outlive the
 * result. */
XP_API xp_status xp_sweep_run(const xp_sweep *sweep, const xp_study_options *options,
                              xp_sweep_result **result, xp_error *error);
XP_API void xp_sweep_result_destroy(xp_sweep_result *result); /* NULL is fine */

#endif
