/* naive_ucb.c: upper confidence bounds (Auer et al. 2002); ignores the demonstrations. */
#include "agent/bandit/arm_counts.h"

static const xp_param params[] = {
    {.name = "rho",
     .summary = "width of the bonus sqrt(rho log(t + 1) / n)",
     .kind = XP_PARAM_REAL,
     .low = 0,
     .high = 1e6,
     .standard = 1},
};

typedef struct naive_ucb {
    xp__agent agent;
    double rho;
    xp__arm_counts counts;
    double memory[];
} naive_ucb;

static size_t size(const xp__agent_setup *setup) {
    return sizeof(naive_ucb) + xp__arm_counts_bytes(setup->actions);
}

static xp_status init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)spec;
    (void)error;
    naive_ucb *self = (naive_ucb *)agent;
    self->rho = xp__params_get(&agent->params, "rho");
    xp__arm_counts_init(&self->counts, agent->setup.actions, self->memory);
    return XP_OK;
}

static void reset(xp__agent *agent, xp_rng *rng) {
    (void)rng;
    xp__arm_counts_reset(&((naive_ucb *)agent)->counts);
}

static size_t act(xp__agent *agent, xp_rng *rng, const double *state) {
    (void)rng;
    (void)state;
    const naive_ucb *self = (const naive_ucb *)agent;
    return xp__arm_counts_ucb(&self->counts, self->rho);
}

static void observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)rng;
    xp__arm_counts_add(&((naive_ucb *)agent)->counts, transition->action, transition->reward);
}

static void observe_rewards(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                            double sum) {
    (void)rng;
    xp__arm_counts_add_many(&((naive_ucb *)agent)->counts, action, trials, sum);
}

static void archive(xp__agent *agent, xp__archive *archive) {
    xp__arm_counts_archive(&((naive_ucb *)agent)->counts, archive);
}

const xp__agent_type xp__agent_naive_ucb = {
    .name = "naive_ucb",
    .summary = "upper confidence bounds; ignores the demonstrations",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = size,
    .init = init,
    .reset = reset,
    .act = act,
    .observe = observe,
    .observe_rewards = observe_rewards,
    .archive = archive,
};
