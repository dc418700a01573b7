/* tied_actions.h: one component's actions in one state, where ties make actions equally good
 * (docs/method/mixture.md).
 *
 * A component acts uniformly on an unknown set T of actions, with error rate η: the experts of
 * Assumption 1 as β → ∞, who are indifferent between tied actions. With counts n of its actions,
 *
 *     f(n) = Σ_T prior(T) ((1 - η)/|T| + η/A)^n_T (η/A)^(n - n_T)
 *     prior(T) ∝ ρ_|T| Π_{a in T} b(a), normalised for each size of T
 *
 * where b(a) is how often all experts took a there. Sets T are subsets of the actions that were
 * taken there, the XP__TIED_SUPPORT most frequent ones. */
#ifndef XP_PRIOR_MIXTURE_TIED_ACTIONS_H
#define XP_PRIOR_MIXTURE_TIED_ACTIONS_H

#include <stddef.h>
#include <stdint.h>

enum {
    XP__TIED_SUPPORT = 6,
    XP__TIED_MASKS = 1 << XP__TIED_SUPPORT,
    XP__TIED_COUNTS = XP__TIED_SUPPORT + 1 /* by the order of the support; last, all others */
};

/* ρ and η, and what follows from them. */
typedef struct xp__tied_rates {
    size_t actions;
    double tie, error_rate;
    double log_size[XP__TIED_SUPPORT + 1][XP__TIED_SUPPORT + 1]; /* log ρ of a size, by support */
    double log_in[XP__TIED_SUPPORT + 1], log_out;
} xp__tied_rates;

void xp__tied_rates_set(xp__tied_rates *rates, size_t actions, double tie, double error_rate);

/* A state: the actions taken there, the most frequent one first, and how likely their sets are. */
typedef struct xp__tied_cell {
    size_t support;
    uint32_t action[XP__TIED_SUPPORT];
    double log_set[XP__TIED_MASKS]; /* log Π b / Σ_{|T'| = |T|} Π b, by bits of T */
} xp__tied_cell;

/* `pooled` [actions]: how often all experts took each action. A cell with a support of 1 has no
 * sets to tell apart, and its log_set is left out. */
void xp__tied_cell_make(xp__tied_cell *cell, const double *pooled, size_t actions);
/* Fills log_set for a support that is set; b [support] may add up to any number. */
void xp__tied_cell_weigh(xp__tied_cell *cell, const double *b);

/* The sum of counts [XP__TIED_COUNTS]. */
double xp__tied_total(const double *counts);

/* log f of counts [XP__TIED_COUNTS]; what share of f has more than one action, and how many errors
 * it expects, if wanted (both, or neither). */
double xp__tied_log_f(const xp__tied_rates *rates, const xp__tied_cell *cell, const double *counts,
                      double *ties, double *errors);

#endif
