/* boot_dqn.c: Bootstrapped DQN (Osband et al., "Deep exploration via bootstrapped DQN", 2016; the
 * paper, section 4.2): one head of an ensemble of Q-networks, drawn anew for each episode, acts
 * greedily; all heads learn from what it sees (q_learner.h).
 *
 * Heads start as random networks, which is the paper's Naive Boot-DQN, or as draws with replacement
 * from the networks of a prior over Q-functions (q_prior.h). A bandit is the case of one state and
 * episodes of one step.
 *
 * `done` ends the worth of a state: an environment that cuts an episode off is taken at its word.
 */
#include "agent/boot_dqn.h"

#include "agent/q_learner.h"
#include "base/memory.h"

typedef struct boot_dqn {
    xp_agent agent;
    xp__q_learner learner;
    void *row; /* of network inputs: scratch */
    double epsilon;
    size_t horizon, step; /* most steps of an episode; steps of this one so far */
    size_t head;          /* that acts in this episode */
} boot_dqn;

size_t xp__boot_dqn_size(const xp_agent_setup *setup) {
    (void)setup;
    return sizeof(boot_dqn);
}

static size_t whole(const xp_agent *agent, const char *name) {
    return (size_t)xp_params_get(&agent->params, name);
}

static xp_status init_learner(boot_dqn *self, const xp__state_input *input, xp_error *error) {
    const xp_agent *agent = &self->agent;
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
    return xp__q_learner_init(&self->learner, &options, input, error);
}

/* Heads are copies of the prior's networks, so those must be of the same shape. */
static xp_status check_prior(const xp_agent *agent, const xp__q_learner *learner, xp_error *error) {
    if (agent->setup.q_prior == NULL) {
        return XP_OK;
    }
    const xp_net_options *prior = xp_net_get_options(xp_q_prior_networks(agent->setup.q_prior));
    const xp_net_options *own = xp_net_get_options(learner->heads);
    const struct {
        const char *what;
        size_t prior, own;
    } sizes[] = {{"inputs", prior->inputs, own->inputs},
                 {"hidden units", prior->hidden, own->hidden},
                 {"actions", prior->actions, own->actions}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].prior != sizes[i].own) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "the prior's networks have %zu %s but the agent's have %zu",
                                sizes[i].prior, sizes[i].what, sizes[i].own);
        }
    }
    return XP_OK;
}

xp_status xp__boot_dqn_init(xp_agent *agent, const xp_agent_spec *spec, xp_error *error) {
    (void)spec;
    boot_dqn *self = (boot_dqn *)agent;
    self->epsilon = xp_params_get(&agent->params, "epsilon");
    self->horizon = agent->setup.env.horizon > 0 ? agent->setup.env.horizon : 1;
    xp__state_input input;
    xp_status status = xp__state_input_init(&input, &agent->setup.env, error);
    if (status == XP_OK) {
        status = init_learner(self, &input, error);
    }
    if (status == XP_OK) {
        status = check_prior(agent, &self->learner, error);
    }
    if (status == XP_OK) {
        self->row = xp__alloc(1, input.row_bytes);
        status = self->row != NULL ? XP_OK : xp__no_memory(error);
    }
    return status;
}

void xp__boot_dqn_deinit(xp_agent *agent) {
    boot_dqn *self = (boot_dqn *)agent;
    xp__q_learner_deinit(&self->learner);
    xp__free(self->row);
}

/* The run is named by a number from `rng`: a later reset on the same stream is another run. */
void xp__boot_dqn_reset(xp_agent *agent, xp_rng *rng) {
    boot_dqn *self = (boot_dqn *)agent;
    xp_net *net = self->learner.heads;
    xp__q_learner_reset(&self->learner, xp_rng_bits(rng));
    self->step = 0;
    const xp_rng networks = xp__q_learner_networks(&self->learner);
    if (agent->setup.q_prior == NULL) {
        xp_net_draw(net, &networks);
        return;
    }
    const xp_net *prior = xp_q_prior_networks(agent->setup.q_prior);
    const size_t choices = xp_net_get_options(prior)->members;
    xp_net_reset_optimiser(net);
    for (size_t head = 0; head < self->learner.options.members; head++) {
        xp_net_copy_member(net, head, prior, (size_t)xp_rng_below(rng, choices));
    }
}

static size_t greedy(boot_dqn *self, size_t head) {
    const xp_net_rows rows = xp__state_input_rows(&self->learner.input, 1, self->row);
    return xp_net_greedy(xp__q_learner_head(&self->learner, head), head, &rows);
}

size_t xp__boot_dqn_act(xp_agent *agent, xp_rng *rng, const double *state) {
    boot_dqn *self = (boot_dqn *)agent;
    if (self->step == 0) {
        self->head = (size_t)xp_rng_below(rng, self->learner.options.members);
    }
    if (self->epsilon > 0 && xp_rng_bernoulli(rng, self->epsilon)) {
        return (size_t)xp_rng_below(rng, agent->setup.actions);
    }
    xp__state_input_row(&self->learner.input, state, self->row);
    return greedy(self, self->head);
}

void xp__boot_dqn_observe(xp_agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)rng;
    boot_dqn *self = (boot_dqn *)agent;
    xp__q_learner_observe(&self->learner, transition->state, transition->action, transition->reward,
                          transition->next_state, transition->done);
    self->step = transition->done || self->step + 1 >= self->horizon ? 0 : self->step + 1;
}

/* Exact: before an episode any head may come to act, within one it is the head that was drawn. */
void xp__boot_dqn_action_law(xp_agent *agent, xp_rng *rng, const double *state, size_t draws,
                             double *probability) {
    (void)rng;
    (void)draws;
    boot_dqn *self = (boot_dqn *)agent;
    const size_t actions = agent->setup.actions;
    const size_t first = self->step == 0 ? 0 : self->head;
    const size_t heads = self->step == 0 ? self->learner.options.members : 1;
    for (size_t action = 0; action < actions; action++) {
        probability[action] = self->epsilon / (double)actions;
    }
    xp__state_input_row(&self->learner.input, state, self->row);
    for (size_t head = first; head < first + heads; head++) {
        probability[greedy(self, head)] += (1 - self->epsilon) / (double)heads;
    }
}

size_t xp__boot_dqn_policies(xp_agent *agent, double *weight) {
    const size_t heads = ((boot_dqn *)agent)->learner.options.members;
    for (size_t head = 0; weight != NULL && head < heads; head++) {
        weight[head] = 1 / (double)heads;
    }
    return heads;
}

size_t xp__boot_dqn_policy_action(xp_agent *agent, size_t policy, const double *state) {
    boot_dqn *self = (boot_dqn *)agent;
    xp__state_input_row(&self->learner.input, state, self->row);
    return greedy(self, policy);
}

static const xp_param params[] = {
    {.name = "prior",
     .summary = "what heads start from: random networks, or a prior fitted to demonstrations",
     .kind = XP_PARAM_CHOICE,
     .low = 0,
     .high = 2,
     .standard = 0,
     .choices = "random|ensemble|max_entropy"},
    XP__BOOT_DQN_PARAMS,
};

static const char *prior_method(const xp_params *values) {
    static const char *const methods[] = {NULL, "ensemble", "max_entropy"};
    return methods[(size_t)xp_params_get(values, "prior")];
}

const xp_agent_type xp__agent_boot_dqn = {
    .name = "boot_dqn",
    .summary = "bootstrapped DQN: a random head of an ensemble of Q-networks acts in each episode",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .prior_method = prior_method,
    XP__BOOT_DQN_FUNCTIONS,
};
