/* prototype */
#include "agent/boot_dqn.h"
#include "agent/evidence.h"
#include "agent/q_learner.h"
#include "base/memory.h"

#include <math.h>

typedef struct mode_agent {
    xp_agent agent;
    xp__q_learner learner;
    void *row;
    const xp_net *modes;
    size_t mode_count;
    double *prior; /* [mode_count + 1]: the last is the learner's */
    double *arm_prior;
    bool *agree; /* [modes][modes] */
    bool *played;
    size_t *order, order_count;
    bool changed;
    xp__evidence evidence;
    size_t horizon, step, policy, head;
    uint64_t episode;
    double value;
    double memory, floor;
    size_t heads;
} mode_agent;

static size_t size(const xp_agent_setup *setup) {
    (void)setup;
    return sizeof(mode_agent);
}

static size_t whole(const xp_agent *agent, const char *name) {
    return (size_t)xp_params_get(&agent->params, name);
}

static xp_status init(xp_agent *agent, const xp_agent_spec *spec, xp_error *error) {
    (void)spec;
    mode_agent *self = (mode_agent *)agent;
    self->horizon = agent->setup.env.horizon > 0 ? agent->setup.env.horizon : 1;
    xp__state_input input;
    xp_status status = xp__state_input_init(&input, &agent->setup.env, error);
    const xp__q_learner_options options = {
        .members = whole(agent, "members"),
        .hidden = whole(agent, "hidden"),
        .actions = agent->setup.actions,
        .learning_rate = xp_params_get(&agent->params, "learning_rate"),
        .batch = whole(agent, "batch"),
        .buffer = whole(agent, "buffer"),
        .warmup = whole(agent, "warmup"),
        .target_every = whole(agent, "target_every"),
        .noise = xp_params_get(&agent->params, "noise"),
        .mask = xp_params_get(&agent->params, "mask"),
    };
    status = xp__q_learner_init(&self->learner, &options, &input, error);
    if (status != XP_OK)
        return status;
    self->modes = xp_q_prior_networks(agent->setup.q_prior);
    self->mode_count = xp_net_get_options(self->modes)->members;
    self->row = xp__alloc(1, input.row_bytes);
    self->heads = whole(agent, "apiece") ? options.members : 1;
    self->prior = xp__alloc(self->mode_count + self->heads, sizeof(double));
    self->arm_prior = xp__alloc(self->mode_count + self->heads, sizeof(double));
    self->agree = xp__alloc(self->mode_count * self->mode_count, sizeof(bool));
    self->played = xp__alloc(self->mode_count, sizeof(bool));
    self->order = xp__alloc(self->mode_count, sizeof(size_t));
    const double *w = xp_q_prior_weights(agent->setup.q_prior);
    const double none = xp_params_get(&agent->params, "none");
    for (size_t k = 0; k < self->mode_count; k++) {
        self->prior[k] = (1 - none) * (w != NULL ? w[k] : 1 / (double)self->mode_count);
    }
    for (size_t k = 0; k < self->heads; k++) {
        self->prior[self->mode_count + k] = none / (double)self->heads;
    }
    self->floor = xp_params_get(&agent->params, "floor");
    self->memory = xp_params_get(&agent->params, "memory");
    status = xp__evidence_init(&self->evidence, self->mode_count + self->heads,
                             options.noise * sqrt((double)self->horizon), self->arm_prior, error);
    self->evidence.changing = whole(agent, "learnt") ? self->mode_count : SIZE_MAX;
    self->evidence.apart = whole(agent, "apart");
    return status;
}

static void deinit(xp_agent *agent) {
    mode_agent *self = (mode_agent *)agent;
    xp__q_learner_deinit(&self->learner);
    xp__evidence_deinit(&self->evidence);
    xp__free(self->row);
    xp__free(self->prior);
    xp__free(self->arm_prior);
    xp__free(self->agree);
    xp__free(self->played);
    xp__free(self->order);
}

static void represent(mode_agent *self) {
    const size_t n = self->mode_count;
    for (size_t k = 0; k < n + self->heads; k++) {
        self->arm_prior[k] = self->prior[k];
    }
    for (size_t j = 0; j < n; j++) {
        if (self->played[j])
            continue;
        for (size_t o = 0; o < self->order_count; o++) {
            const size_t i = self->order[o];
            if (self->agree[i * n + j]) {
                self->arm_prior[i] += self->arm_prior[j];
                self->arm_prior[j] = 0;
                break;
            }
        }
    }
}

static void reset(xp_agent *agent, xp_rng *rng) {
    mode_agent *self = (mode_agent *)agent;
    xp__q_learner_reset(&self->learner, xp_rng_bits(rng));
    xp__evidence_clear(&self->evidence);
    self->step = 0;
    self->episode = 0;
    self->order_count = 0;
    for (size_t k = 0; k < self->mode_count; k++) {
        self->played[k] = false;
    }
    for (size_t k = 0; k < self->mode_count * self->mode_count; k++) {
        self->agree[k] = true;
    }
    represent(self);
    xp_net_reset_optimiser(self->learner.net);
    const size_t members = self->learner.options.members;
    if (self->prior[self->mode_count] >= 1 && whole(agent, "random")) {
        const xp_rng networks = xp__q_learner_networks(&self->learner);
        float *p = xp__alloc(xp_net_parameter_count(self->learner.net), sizeof *p);
        xp__q_networks_draw(self->learner.net, &networks, p);
        xp__free(p);
        return;
    }
    /* systematic */
    const double *w = xp_q_prior_weights(agent->setup.q_prior);
    const double offset = xp_rng_uniform(rng);
    double up = 0;
    size_t k = 0;
    up = w != NULL ? w[0] : 1 / (double)self->mode_count;
    for (size_t head = 0; head < members; head++) {
        const double at = ((double)head + offset) / (double)members;
        while (k + 1 < self->mode_count && up < at) {
            k++;
            up += w != NULL ? w[k] : 1 / (double)self->mode_count;
        }
        xp_net_copy_member(self->learner.net, head, self->modes, k);
    }
}

#include <stdio.h>
#include <stdlib.h>
static size_t act(xp_agent *agent, xp_rng *rng, const double *state) {
    mode_agent *self = (mode_agent *)agent;
    if (self->step == 0) {
        self->policy = xp_rng_bernoulli(rng, self->floor) ? self->mode_count : xp__evidence_draw(&self->evidence, rng);
        self->head = self->heads > 1 ? self->policy - self->mode_count : (size_t)xp_rng_below(rng, self->learner.options.members);
        self->value = 0;
        self->changed = false;
        if (self->policy < self->mode_count && !self->played[self->policy]) {
            self->played[self->policy] = true;
            self->order[self->order_count++] = self->policy;
            self->changed = true;
        }
    }
    xp__state_input_row(&self->learner.input, state, self->row);
    const xp_net_rows rows = xp__state_input_rows(&self->learner.input, 1, self->row);
    if (self->policy >= self->mode_count) {
        return xp_net_greedy(self->learner.net, self->head, &rows);
    }
    const size_t action = xp_net_greedy(self->modes, self->policy, &rows);
    for (size_t j = 0; j < self->mode_count; j++) {
        bool *agree = &self->agree[self->policy * self->mode_count + j];
        if (*agree && !self->played[j] && xp_net_greedy(self->modes, j, &rows) != action) {
            *agree = false;
            self->changed = true;
        }
    }
    return action;
}

static void observe(xp_agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)rng;
    mode_agent *self = (mode_agent *)agent;
    xp__q_learner_observe(&self->learner, transition->state, transition->action, transition->reward,
                          transition->next_state, transition->done);
    self->value += transition->reward;
    self->step = transition->done || self->step + 1 >= self->horizon ? 0 : self->step + 1;
    if (self->step == 0) {
        self->episode++;
        if (self->changed)
            represent(self);
        const double memory = fmax(self->memory, whole(agent, "grow") * 0.25 * (double)self->episode);
        if (self->policy >= self->mode_count)
            xp__evidence_fade(&self->evidence, self->policy, 1 - 1 / memory);
        xp__evidence_record(&self->evidence, self->policy, self->value);
        if (getenv("TRACE"))
            fprintf(stderr, "%llu %zu %g\n", (unsigned long long)self->episode, self->policy < self->mode_count ? self->policy : 99,
                    self->value);
    }
}

static size_t policies(xp_agent *agent, double *weight) {
    mode_agent *self = (mode_agent *)agent;
    const size_t heads = self->learner.options.members;
    if (weight != NULL) {
        xp_rng rng = xp_rng_seed(self->episode);
        for (size_t i = 0; i < self->mode_count + heads; i++)
            weight[i] = 0;
        for (int i = 0; i < 1000; i++) {
            const size_t k = xp__evidence_draw(&self->evidence, &rng);
            if (k < self->mode_count)
                weight[k] += 1e-3;
            else
                for (size_t h = 0; h < heads; h++)
                    weight[self->mode_count + h] += 1e-3 / (double)heads;
        }
    }
    return heads + self->mode_count;
}

static size_t policy_action(xp_agent *agent, size_t policy, const double *state) {
    mode_agent *self = (mode_agent *)agent;
    xp__state_input_row(&self->learner.input, state, self->row);
    const xp_net_rows rows = xp__state_input_rows(&self->learner.input, 1, self->row);
    return policy < self->mode_count
               ? xp_net_greedy(self->modes, policy, &rows)
               : xp_net_greedy(self->learner.net, policy - self->mode_count, &rows);
}

static const xp_param params[] = {
    XP__BOOT_DQN_PARAMS,
    XP__BOOT_DQN_REAL("none", "prior probability that no mode is the context's", 0, 1, 0.05),
    XP__BOOT_DQN_REAL("memory", "episodes", 1, 1e9, 50),
    XP__BOOT_DQN_INTEGER("grow", "", 0, 1, 0),
    XP__BOOT_DQN_REAL("floor", "", 0, 1, 0),
    XP__BOOT_DQN_INTEGER("learnt", "", 0, 1, 1),
    XP__BOOT_DQN_INTEGER("apart", "", 0, 4, 2),
    XP__BOOT_DQN_INTEGER("apiece", "", 0, 1, 1),
    XP__BOOT_DQN_INTEGER("random", "", 0, 1, 0),
};

static const char *prior_method(const xp_params *values) {
    (void)values;
    return "modes";
}

const xp_agent_type xp__agent_experior_modes = {
    .name = "experior_modes",
    .summary = "modes",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .prior_method = prior_method,
    .needs_demos = true,
    .has_states = true,
    .size = size,
    .init = init,
    .deinit = deinit,
    .reset = reset,
    .act = act,
    .observe = observe,
    .policies = policies,
    .policy_action = policy_action,
};
