/* runs.h: numbers of single runs: learning curves, when they are learned, and spreads.
 *
 * A run is one task of a unit. Runs of one problem share demonstrations and fitted prior, so
 * problems are the units of replication: y_ij = mean + problem_i + run_ij, with independent
 * problem_i and run_ij. Both standard deviations are estimated by the analysis of variance of equal
 * groups. */
#ifndef XP_STUDY_RUNS_H
#define XP_STUDY_RUNS_H

#include "run/evaluate.h"
#include "study/summary.h"

/* A number over P problems of R runs each. */
typedef struct xp__spread {
    xp__mean mean; /* over problems, of the means over their runs */
    size_t runs;   /* R */
    double
        sd_problems; /* estimate of the standard deviation of problem_i; 0 if its square is below */
    double
        sd_runs; /* of run_ij; both NAN for one run per problem, the first also for one problem */
} xp__spread;

/* Of values[problem * runs + run]. */
xp__spread xp__spread_of(const double *values, size_t problems, size_t runs);

/* Mean return over a window of episodes, first .. last, counted from 1. */
typedef struct xp__window {
    size_t first, last;
} xp__window;
double xp__window_mean(const double *returns, xp__window window);

/* The moving average over the five episodes up to one. */
enum { XP__AVERAGED = 5 };
double xp__moving_average(const double *returns, size_t episode);
/* The first episode at which it is at least `level`, and the first from which it stays so to the
 * end; 0: never. Episodes before the fifth have none. */
size_t xp__average_reaches(const double *returns, size_t episodes, double level);
size_t xp__average_stays(const double *returns, size_t episodes, double level);

/* What is asked of a run: a number from those kept of it (xp__shape_numbers). */
typedef struct xp__question {
    double (*ask)(const xp__shape *shape, const double *numbers, const struct xp__question *self);
    xp__window window; /* of xp__ask_window */
    double level;      /* of xp__ask_solved and others */
    size_t field;      /* of xp__ask_evaluation and xp__ask_near_optimal: its place in an
                          xp__evaluation */
} xp__question;

double xp__ask_window(const xp__shape *shape, const double *numbers, const xp__question *self);
/* 1 if the moving average at the end is at least the level, else 0. */
double xp__ask_solved(const xp__shape *shape, const double *numbers, const xp__question *self);
/* A field of the evaluation. */
double xp__ask_evaluation(const xp__shape *shape, const double *numbers, const xp__question *self);
/* By how much the exact value is below the best possible; NAN if not known. */
double xp__ask_shortfall(const xp__shape *shape, const double *numbers, const xp__question *self);
/* 1 if that field of the evaluation is at most `level` below the best possible, else 0; NAN if not
 * known. */
double xp__ask_near_optimal(const xp__shape *shape, const double *numbers,
                            const xp__question *self);

/* The number over all runs of a block, less that of the same run in block `minus` unless it is
 * XP__NO_BLOCK. */
xp__spread xp__block_spread(const xp__grid *grid, size_t block, size_t minus,
                            const xp__question *question);
/* Adds up runs of a block of which the answer is 0, and all that are known, but those of units that
 * stand in an earlier block too: agents that take no heed of demonstrations are run once for all
 * experts. */
void xp__count_zeros(const xp__grid *grid, size_t block, const xp__question *question,
                     size_t *zeros, size_t *known);
/* Adds the number of each run of a block to the values. */
void xp__runs_add(xp__builder *builder, const xp__grid *grid, size_t block,
                  const xp__question *question, const char *agent, const char *group,
                  const char *measure);
/* The mean return of each episode over all runs of a block; `curve` has shape.episodes entries. */
void xp__block_curve(const xp__grid *grid, size_t block, double *curve);

/* A row for a spread, with the paired difference if `gap` is not NULL. */
xp_study_row xp__spread_row(const char *agent, const char *spec, const char *group,
                            const char *measure, const xp__spread *spread, const xp__mean *gap);

#endif
