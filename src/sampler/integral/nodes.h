/* nodes.h: where the one-dimensional integrals of the samplers are evaluated.
 *
 * x = sin²φ on (0, 1) with midpoints in φ: a posterior after n rewards has about the same width
 * 1/(2 sqrt n) in φ wherever it lies. The end weights are corrected (Euler-Maclaurin) so that a
 * density that does not vanish at 0 or 1 costs no accuracy. Lenses crowd the midpoints around
 * given places, for posteriors that have become narrower than the spacing. A pinch p < 1 puts the
 * midpoints evenly in ψ instead, tan φ = p tan ψ, of which half lie where the odds x / (1 - x) are
 * below p²: for means that are all small. */
#ifndef XP_SAMPLER_INTEGRAL_NODES_H
#define XP_SAMPLER_INTEGRAL_NODES_H

#include <stddef.h>

/* A place that needs midpoints at least as dense as `density` per unit of φ. */
typedef struct xp__lens {
    double center;  /* φ */
    double density; /* midpoints per unit of φ at the centre */
} xp__lens;

enum { XP__LENS_MAX = 8 };
/* The share of the midpoints that stay evenly spread whatever the lenses. */
#define XP__EVEN_SHARE 0.4

/* `count` midpoints; all arrays have `count` entries and belong to the caller. */
typedef struct xp__nodes {
    size_t count;       /* G */
    double pinch;       /* 1: none */
    double *x, *y;      /* x and 1 - x, each to full relative accuracy */
    double *log_x;      /* log x */
    double *log_y;      /* log (1 - x) */
    double *weight;     /* ∫ g dx ≈ Σ weight · g(x) */
    double *slope;      /* x (1 - x) / weight: the recursion of a distribution function needs it */
    double *angle;      /* φ */
    double *angle_step; /* width of the cell in φ */
} xp__nodes;

enum { XP__NODES_ARRAYS = 8 };

/* No pinch. Points the arrays of `nodes` into `block`, which has XP__NODES_ARRAYS × stride doubles.
 */
void xp__nodes_carve(xp__nodes *nodes, size_t count, double *block, size_t stride);
/* Lays the midpoints out, with at most XP__LENS_MAX lenses. Returns how many lenses, from the
 * first, found room. */
size_t xp__nodes_lay(xp__nodes *nodes, const xp__lens *lens, size_t lenses);
/* Fills the other arrays from `angle` and `angle_step`. */
void xp__nodes_fill(xp__nodes *nodes);
/* How much denser midpoints are at φ than if they were even there, if nothing but the pinch decides
 * it. */
double xp__nodes_pinching(const xp__nodes *nodes, double angle);
/* Midpoints per unit of φ at φ. */
double xp__nodes_density(const xp__nodes *nodes, double angle);

#endif
