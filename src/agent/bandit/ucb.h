/* ucb.h: upper confidence bounds, the body of naive_ucb and ucb_explore: the arm with the largest
 * mean + sqrt(rho log(t + 1) / n), t pulls so far (Auer et al. 2002). */
#ifndef XP_AGENT_BANDIT_UCB_H
#define XP_AGENT_BANDIT_UCB_H

#include "agent/bandit/arm_counts.h"

/* An agent's struct begins with it. */
typedef struct xp__ucb {
    xp__agent agent;
    double rho;
    xp__arm_counts counts;
} xp__ucb;

#define XP__UCB_RHO                                                                                \
    {                                                                                              \
        .name = "rho", .summary = "width of the bonus sqrt(rho log(t + 1) / n)",                   \
        .kind = XP_PARAM_REAL, .low = 0, .high = 1e6, .standard = 1                                \
    }

/* `memory` has room for xp__arm_counts_bytes. */
void xp__ucb_init(xp__ucb *ucb, double *memory);
void xp__ucb_reset(xp__agent *agent, xp_rng *rng);
/* Untried arms come first, in order. */
size_t xp__ucb_act(xp__agent *agent, xp_rng *rng, const double *state);
void xp__ucb_observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition);
void xp__ucb_observe_rewards(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                             double sum);
void xp__ucb_archive(xp__agent *agent, xp__archive *archive);

#endif
