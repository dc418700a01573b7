/* choice_likelihood.h: how often an expert chooses each arm when the means are independent.
 *
 * The expert takes argmax of theta_a + Gumbel noise / beta (which is the softmax law), so with
 * F_a(x) = E exp(−exp(−beta (x − theta_a))) the distribution of one arm's noisy value,
 *
 *     P(a) = ∫ F_a'(x) Π_{b ≠ a} F_b(x) dx.
 *
 * Each arm's mean is given by its probability masses on fixed nodes of (0, 1), whatever the family;
 * everything is deterministic, and derivatives are exact for the discrete sums. For beta = inf, F_a
 * is the distribution of theta_a itself. */
#ifndef XP_PRIOR_BANDIT_CHOICE_LIKELIHOOD_H
#define XP_PRIOR_BANDIT_CHOICE_LIKELIHOOD_H

#include "experior/base.h"

typedef struct xp__choice_grid {
    double beta;
    size_t nodes;                /* J: on (0, 1) */
    double *t, *log_t, *log_1_t; /* J each: t, log t, log(1 − t), each to full precision */
    double *log_mass;            /* J: of the uniform distribution; the masses add up to one */
    size_t columns;              /* C <= J: nodes that the kernel cannot tell apart are one */
    uint32_t *column;            /* J */
    size_t rows;                 /* G: points x */
    double *kernel, *kernel_slope; /* G × C: exp(−exp(−beta (x − t))) and its dx-derivative × dx */
} xp__choice_grid;

xp_status xp__choice_grid_init(xp__choice_grid *grid, double beta, xp_error *error);
void xp__choice_grid_deinit(xp__choice_grid *grid);

/* Doubles of scratch that the two functions below share. */
size_t xp__choice_scratch(const xp__choice_grid *grid, size_t arms);
/* P(a) (K numbers) for the arms' masses (J × K, arms innermost). */
void xp__choice_probabilities(const xp__choice_grid *grid, size_t arms, const double *mass,
                              double *scratch, double *probability);
/* For a function L of the P(a) with dL/dP(a) = c[a]: dL/dmass (C × K, by column), after
 * xp__choice_probabilities with the same scratch. */
void xp__choice_gradient(const xp__choice_grid *grid, size_t arms, const double *c, double *scratch,
                         double *slope);

#endif
