/* partition.h: demonstrations parted into components, each of which acts by tied actions
 * (tied_actions.h, docs/method/mixture.md).
 *
 * Partitions have the prior of a Chinese restaurant of concentration 1. The search is for the
 * partition of greatest joint probability
 *
 *     J = Σ_components Σ_states log f(n) + log CRP(sizes)
 *
 * and goes uphill from several starts. */
#ifndef XP_PRIOR_MIXTURE_PARTITION_H
#define XP_PRIOR_MIXTURE_PARTITION_H

#include "base/watch.h"
#include "encode/encoded_demos.h"
#include "prior/mixture/tied_actions.h"

/* A demonstration's step in a cell; which == XP__TIED_SUPPORT: an action beyond the support. */
typedef struct xp__tied_step {
    uint32_t cell, which;
} xp__tied_step;

typedef struct xp__partition {
    /* given */
    const xp__encoded_demos *demos;
    size_t most, cells;
    xp__tied_cell *cell;
    size_t *begin; /* [trajectories + 1] into steps */
    xp__tied_step *steps;
    /* sought */
    xp__tied_rates rates;
    size_t *member, *best_member; /* [trajectories]: component */
    size_t *order;                /* [trajectories]: scratch */
    double *counts;               /* [most][cells][XP__TIED_COUNTS] */
    double *log_f;                /* [most][cells] */
    double *size;                 /* [most]: demonstrations */
    double best;                  /* J of best_member and merge_gain for each component */
} xp__partition;

/* Room for at most `most` components and for one cell per demonstrated state; the caller adds cells
 * and steps. */
xp_status xp__partition_init(xp__partition *self, const xp__encoded_demos *demos, size_t most,
                             xp_error *error);
void xp__partition_deinit(xp__partition *self); /* also one that is all zero */

/* Leaves the best partition in `member`, with its counts and sizes. If it was stopped before there
 * is one, all are in component 0. */
void xp__partition_search(xp__partition *self, xp__watch *watch, const xp_rng *rng);

/* The counts [XP__TIED_COUNTS] of a component in a cell. */
double *xp__partition_counts(const xp__partition *self, size_t component, size_t cell);

#endif
