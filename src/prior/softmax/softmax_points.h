/* softmax_points.h: expectations under mu_v ∝ exp(v · s(theta)) on [0, 1]^K by weighted points.
 *
 * A set of points stands for the reference: point i has the reference mass exp(base_i). With a
 * mixture of references a point is (h, theta), and its softmax has the beta of component h.
 * It starts as equally weighted points of a lattice. When v has moved so far that few points carry
 * the weight, they are resampled and moved by Gibbs sampling to where mu_v has its mass, and the
 * reference masses follow (sequential Monte Carlo; Del Moral, Doucet & Jasra, J. R. Stat. Soc. B
 * 2006). The random numbers of the moves come from a fixed seed, so everything here is a function
 * of its arguments. */
#ifndef XP_PRIOR_SOFTMAX_SOFTMAX_POINTS_H
#define XP_PRIOR_SOFTMAX_SOFTMAX_POINTS_H

#include "base/watch.h"
#include "experior/rng.h"
#include "prior/bandit/reference.h"

/* Passes over the arms that make a refresh; and the number of arms beyond which it is worth while
 * to save on them on the way to a solution. */
enum { XP__SWEEPS = 2, XP__MANY_ARMS = 64 };

typedef struct xp__softmax_points {
    size_t arms, count; /* K, M */
    double beta;
    const xp__reference *reference; /* NULL: the uniform one */
    uint8_t *component;             /* M, with a reference: of each point */
    double *theta;                  /* M × K: the points */
    double *s;                      /* K × M: s_a of every point, arm by arm */
    double *base;                   /* M: log reference mass; the masses add up to about one */
    double *weight;                 /* M: mu_v's mass of each point; adds up to one */
    double *mean;                   /* K: E_v[s] */
    double *spread;                 /* K × K: Cov_v[s], filled by xp__softmax_points_covariance */
    double log_normaliser;          /* log Σ_i exp(base_i + v · s_i) */
    double effective;               /* effective sample size as a share of M: 1 / (M Σ weight²) */
    double *home;                   /* K: a v at which the points are effective */
    double *scratch;                /* what the kernels need in between */
    uint32_t *copies;               /* M: how often each point is kept when resampling */
    size_t refreshes;
    int sweeps;       /* of a refresh: XP__SWEEPS, or 1 for points that only show the way */
    xp__watch *watch; /* NULL: nobody watches; once it has stopped, the points are of no use */
    xp_rng rng;
} xp__softmax_points;

/* `reference` must live as long as the points. `count` is rounded up to a power of two, at least
 * 256; 0 is 8192, or 16384 for two or three arms. Deinit also after a failure. */
xp_status xp__softmax_points_init(xp__softmax_points *points, size_t arms, size_t count,
                                  double beta, const xp__reference *reference, xp_error *error);
void xp__softmax_points_deinit(xp__softmax_points *points);

/* Fills weight, mean, log_normaliser and effective for v (K). */
void xp__softmax_points_weigh(xp__softmax_points *points, const double *v);
/* Fills spread for the v last weighed. */
void xp__softmax_points_covariance(xp__softmax_points *points);
/* True when enough points carry the weight: a quarter of them. */
bool xp__softmax_points_effective(const xp__softmax_points *points);
/* Weighs at v, with refreshes on the way if the points cannot follow in one step. False if they
 * cannot follow in 200 either. */
bool xp__softmax_points_follow(xp__softmax_points *points, const double *v);
/* Resamples and moves the points to mu_v, for the v last weighed, and weighs them again.
 * log_normaliser at v is kept. */
void xp__softmax_points_refresh(xp__softmax_points *points, const double *v);

#endif
