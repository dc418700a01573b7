/* mode_sets.h: the modes of the maximum-entropy expert prior over Q-functions (Proposition 1).
 *
 * The density exp(Σ_τ α_τ m_τ(Q)) is a sum of likelihoods, not a product: where α is large, its
 * modes are Q-functions that follow as many demonstrations as can be followed at once. Two
 * demonstrations cannot be if they take different actions in the same state. A mode is told by what
 * it does in the demonstrated states; elsewhere it is as likely as the reference says.
 *
 * A mode is drawn by its first demonstration, so that modes are as frequent as what was shown; the
 * other demonstrations follow in random order, and each that contradicts nothing so far is followed
 * too. A demonstration that takes several actions in one state is followed in the last of them:
 * what led on from there, without the detour. */
#ifndef XP_PRIOR_STATES_MODE_SETS_H
#define XP_PRIOR_STATES_MODE_SETS_H

#include "base/watch.h"
#include "encode/encoded_demos.h"

#define XP__MODE_SILENT UINT32_MAX

typedef struct xp__mode_sets {
    size_t count, rows;
    uint32_t *action; /* [count][rows]: what the mode does in each demonstrated state, or
                         XP__MODE_SILENT */
    uint32_t *own;    /* [count][rows]: the same, and XP__MODE_SILENT where a mode does what others
                         did; NULL: it never does */
    double *weight;   /* [count]: probability of the mode */
} xp__mode_sets;

/* At most `most` modes, all different. If there are no more distinct demonstrations than that,
 * each is the first one of a mode; otherwise first ones are drawn systematically from all. `watch`
 * may be NULL; once it has stopped, there are fewer modes. */
xp_status xp__mode_sets_init(xp__mode_sets *sets, const xp__encoded_demos *demos, size_t most,
                             xp__watch *watch, const xp_rng *rng, xp_error *error);
void xp__mode_sets_deinit(xp__mode_sets *sets); /* also one that is all zero */

#endif
