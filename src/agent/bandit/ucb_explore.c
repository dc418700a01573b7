/* ucb_explore.c: UCB-ExPLORe, the paper's bandit version of Li et al. (2023): demonstrations are
 * labelled with optimistic rewards and pooled with what was seen online.
 *
 * After `warmup` episodes of plain UCB: reward of arm a = (p̂_a UCB_a + f_a mean_a) / (p̂_a + f_a)
 * with p̂ the expert frequencies and f the fractions of pulls; its index adds the same bonus as UCB.
 */
#include "agent/bandit/ucb.h"

static const xp_param params[] = {
    XP__UCB_RHO,
    XP__INTEGER("warmup", "episodes of plain UCB at the start", 0, 1e9, 50),
};

typedef struct ucb_explore {
    xp__ucb ucb;
    double warmup;
    double *expert; /* K: p̂ */
    double memory[];
} ucb_explore;

static size_t size(const xp__agent_setup *setup) {
    return sizeof(ucb_explore) + xp__arm_counts_bytes(setup->actions) +
           setup->actions * sizeof(double);
}

static xp_status init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)spec;
    ucb_explore *self = (ucb_explore *)agent;
    xp__ucb_init(&self->ucb, self->memory);
    self->warmup = xp__params_get(&agent->params, "warmup");
    self->expert = self->memory + 2 * agent->setup.actions;
    return xp__agent_expert_policy(agent, self->expert, error);
}

static size_t act(xp__agent *agent, xp_rng *rng, const double *state) {
    const ucb_explore *self = (const ucb_explore *)agent;
    const xp__arm_counts *counts = &self->ucb.counts;
    if (counts->total < self->warmup || xp__arm_counts_untried(counts) < counts->arms) {
        return xp__ucb_act(agent, rng, state);
    }
    const double scale = self->ucb.rho * log(counts->total + 1);
    size_t best = 0;
    double best_index = -INFINITY;
    for (size_t arm = 0; arm < counts->arms; arm++) {
        const double n = counts->pulls[arm], mean = counts->rewards[arm] / n;
        const double bonus = sqrt(scale / n), fraction = n / counts->total;
        const double pooled =
            (self->expert[arm] * (mean + bonus) + fraction * mean) / (self->expert[arm] + fraction);
        if (pooled + bonus > best_index) {
            best_index = pooled + bonus;
            best = arm;
        }
    }
    return best;
}

const xp__agent_type xp__agent_ucb_explore = {
    .name = "ucb_explore",
    .summary = "upper confidence bounds with optimistically labelled demonstrations",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .needs_demos = true,
    .size = size,
    .init = init,
    .reset = xp__ucb_reset,
    .act = act,
    .observe = xp__ucb_observe,
    .observe_rewards = xp__ucb_observe_rewards,
    .archive = xp__ucb_archive,
};
