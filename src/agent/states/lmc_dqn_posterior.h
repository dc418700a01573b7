/* lmc_dqn_posterior.h: Langevin dynamics on the posterior over Q-networks (Proposition 3).
 *
 * With n transitions seen, reward deviation sigma and the maximum-entropy expert prior mu, minus
 * the log-posterior is n / (2 sigma²) times
 *
 *     L(theta) = mean (r + max_a Q'(s', a) − Q(s, a))² − T log mu(theta) + T precision |theta|² /
 * 2, T = 2 sigma² / n,
 *
 * the mean over a batch standing for the mean over the history, and Q' being the network as it was
 * at the last synchronisation. A step is theta += −rate ∇L + sqrt(2 rate T) normal. It may be
 * preceded by one of Adam on L: the drift that Ishfaq et al. ("Provable and practical: efficient
 * exploration in reinforcement learning via Langevin Monte Carlo", 2023) add, without which a
 * network learns slowly; the chain then no longer has the posterior as its law. The gradient is
 * that of the sum: states of the batch and demonstrated states go through the network together. */
#ifndef XP_AGENT_STATES_LMC_DQN_POSTERIOR_H
#define XP_AGENT_STATES_LMC_DQN_POSTERIOR_H

#include "prior/states/density.h"

typedef struct xp__lmc_posterior_options {
    const xp__density *density; /* log mu; NULL: flat. It must outlive the posterior */
    double prior_weight;        /* multiplies log mu */
    double deviation, precision;
    double rate, clip;  /* of a Langevin step; components of its gradient are cut to ± clip */
    size_t noise_every; /* updates for each Langevin step, which is that many times longer */
    bool adam;          /* each update is also a step of Adam */
    size_t members, actions, batch; /* most rows of a batch */
} xp__lmc_posterior_options;

typedef struct xp__lmc_posterior {
    xp__lmc_posterior_options options;
    xp__state_input input;
    xp__density density; /* no rows: flat */
    unsigned char *rows; /* states of the batch, then demonstrated ones */
    double *decay;       /* a member each */
    uint64_t updates;
    double temperature; /* T of the last update */
    size_t batch_rows;
    xp__net_loss *td;
    void *td_context;
} xp__lmc_posterior;

xp_status xp__lmc_posterior_init(xp__lmc_posterior *posterior,
                                 const xp__lmc_posterior_options *options,
                                 const xp__state_input *input, xp_error *error);
void xp__lmc_posterior_deinit(xp__lmc_posterior *posterior); /* also one that is all zero */

/* One update of every member of `net`, which takes batch + demonstrated rows: from a batch of
 * TD errors that stands for `seen` transitions. Noise is a function of (rng, update, member). */
void xp__lmc_posterior_move(xp__lmc_posterior *posterior, xp__net *net, const xp__net_rows *batch,
                            xp__net_loss *td, void *td_context, uint64_t seen, const xp_rng *rng);

#endif
