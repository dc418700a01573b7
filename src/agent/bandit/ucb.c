/* ucb.c: see ucb.h. */
#include "agent/bandit/ucb.h"

void xp__ucb_init(xp__ucb *ucb, double *memory) {
    ucb->rho = xp__params_get(&ucb->agent.params, "rho");
    xp__arm_counts_init(&ucb->counts, ucb->agent.setup.actions, memory);
}

void xp__ucb_reset(xp__agent *agent, xp_rng *rng) {
    (void)rng;
    xp__arm_counts_reset(&((xp__ucb *)agent)->counts);
}

size_t xp__ucb_act(xp__agent *agent, xp_rng *rng, const double *state) {
    (void)rng;
    (void)state;
    const xp__ucb *self = (const xp__ucb *)agent;
    const xp__arm_counts *counts = &self->counts;
    const double scale = self->rho * log(counts->total + 1);
    size_t best = 0;
    double best_index = -INFINITY;
    for (size_t arm = 0; arm < counts->arms; arm++) {
        const double n = counts->pulls[arm];
        const double index = n > 0 ? counts->rewards[arm] / n + sqrt(scale / n) : INFINITY;
        if (index > best_index) {
            best_index = index;
            best = arm;
        }
    }
    return best;
}

void xp__ucb_observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)rng;
    xp__arm_counts_add(&((xp__ucb *)agent)->counts, transition->action, transition->reward);
}

void xp__ucb_observe_rewards(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                             double sum) {
    (void)rng;
    xp__arm_counts_add_many(&((xp__ucb *)agent)->counts, action, trials, sum);
}

void xp__ucb_archive(xp__agent *agent, xp__archive *archive) {
    xp__arm_counts_archive(&((xp__ucb *)agent)->counts, archive);
}
