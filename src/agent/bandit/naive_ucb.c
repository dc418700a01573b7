/* naive_ucb.c: upper confidence bounds (ucb.h); ignores the demonstrations. */
#include "agent/bandit/ucb.h"

static const xp_param params[] = {XP__UCB_RHO};

typedef struct naive_ucb {
    xp__ucb ucb;
    double memory[];
} naive_ucb;

static size_t size(const xp__agent_setup *setup) {
    return sizeof(naive_ucb) + xp__arm_counts_bytes(setup->actions);
}

static xp_status init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)spec;
    (void)error;
    naive_ucb *self = (naive_ucb *)agent;
    xp__ucb_init(&self->ucb, self->memory);
    return XP_OK;
}

const xp__agent_type xp__agent_naive_ucb = {
    .name = "naive_ucb",
    .summary = "upper confidence bounds; ignores the demonstrations",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = size,
    .init = init,
    .reset = xp__ucb_reset,
    .act = xp__ucb_act,
    .observe = xp__ucb_observe,
    .observe_rewards = xp__ucb_observe_rewards,
    .archive = xp__ucb_archive,
};
