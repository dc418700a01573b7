/* pooling.h: how much segments of a table of choices have in common, estimated from the table.
 *
 * Choices in segment s follow frequencies p_s ~ Dirichlet(κ q) around overall frequencies q ~
 * Dirichlet(α, ..., α). Given κ, the expected frequencies of a segment with counts n_s and N_s
 * choices are
 *
 *     E p_s = (n_s + κ q) / (N_s + κ),
 *
 * its own choices and κ choices of the overall table: κ = ∞ is full pooling. κ is not plugged in:
 * with few segments its likelihood is flat or has its maximum at ∞. The mean is taken over the
 * posterior of (κ, α) on a grid instead, and over the case that segments have nothing in common
 * (docs/method/segments.md has the derivation).
 *
 * Counts are real numbers: effective counts may be. */
#ifndef XP_PRIOR_POOLING_POOLING_H
#define XP_PRIOR_POOLING_POOLING_H

#include "experior/base.h"

/* S segments of K arms; n[segment × arms + arm] is at least 0 and finite. */
typedef struct xp__segment_counts {
    size_t segments, arms;
    const double *n;
} xp__segment_counts;

/* The posterior. G rungs, pairs of (κ, α); invariants: weights are not negative and add up to 1,
 * overall frequencies are positive and add up to 1 in each rung. */
typedef struct xp__pooling {
    size_t arms, rungs;
    double *strength; /* G: κ, in choices; INFINITY is full pooling */
    double *alpha;    /* G; INFINITY: q is even, and segments are taken each alone */
    double *weight;   /* G: posterior probability */
    double *evidence; /* G: log marginal likelihood of the counts, up to a common constant */
    double *overall;  /* G × K: E[q | κ, α] */
    double *tables;   /* G × K: what the overall table counts as independent choices of each arm */
} xp__pooling;

xp_status xp__pooling_init(xp__pooling *pooling, const xp__segment_counts *counts, xp_error *error);
void xp__pooling_deinit(xp__pooling *pooling);

/* The expected frequencies of a segment with counts n, K each. Returns the share of the segment's
 * own choices in them, from 0 (full pooling) to 1. */
double xp__pooling_segment(const xp__pooling *pooling, const double *n, double *p);
/* The choices that these frequencies are worth, given how many the segment has: N_s + κ, in the
 * harmonic mean over κ, but not more than `most`. */
double xp__pooling_worth(const xp__pooling *pooling, double total, double most);
/* The κ below which the posterior has the given share; it is 0 where nothing is shared. */
double xp__pooling_quantile(const xp__pooling *pooling, double share);

/* Mean log likelihood of a choice, in nats, given all other choices: of leave-one-out
 * cross-validation. NAN without choices. */
typedef struct xp__left_out {
    double none;      /* segments alone: (n_sa + ½) / (N_s + K/2) */
    double full;      /* one table: (n_a + ½) / (N + K/2) */
    double estimated; /* as xp__pooling_segment */
} xp__left_out;
xp__left_out xp__pooling_left_out(const xp__pooling *pooling, const xp__segment_counts *counts);

/* Frequencies (n_a + ½) / (N + K/2) of one segment, or of all taken together. */
void xp__pooling_none(const double *n, size_t arms, double *p);
void xp__pooling_full(const xp__segment_counts *counts, double *p);

#endif
