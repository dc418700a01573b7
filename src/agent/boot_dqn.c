/* boot_dqn.c: Bootstrapped DQN (Osband et al., "Deep exploration via bootstrapped DQN", 2016; the
 * paper, section 4.2): one head of an ensemble of Q-networks, drawn anew for each episode, acts
 * greedily; all heads learn from what it sees (q_learner.h).
 *
 * Heads start as random networks, which is the paper's Naive Boot-DQN, or as draws with replacement
 * from networks pre-trained on the demonstrations, which is ExPerior-Param (Proposition 2;
 * pretrain.h). An agent pre-trains anew at each reset, so that tasks differ by the draw of the
 * prior too. A bandit is the case of one state and episodes of one step.
 *
 * `done` ends the worth of a state: an environment that cuts an episode off is taken at its word.
 */
#include "agent/agent_type.h"
#include "agent/pretrain.h"
#include "agent/q_learner.h"
#include "base/memory.h"

#include <string.h>

enum { INIT_RANDOM, INIT_DEMONSTRATIONS };

#define INTEGER(key, text, least, most, usual)                                                     \
    {                                                                                              \
        .name = key, .summary = text, .kind = XP_PARAM_INTEGER, .low = least, .high = most,        \
        .standard = usual                                                                          \
    }
#define REAL(key, text, least, most, usual)                                                        \
    {                                                                                              \
        .name = key, .summary = text, .kind = XP_PARAM_REAL, .low = least, .high = most,           \
        .standard = usual                                                                          \
    }

static const xp_param params[] = {
    {.name = "init",
     .summary = "heads start as random networks, or pre-trained on the demonstrations",
     .kind = XP_PARAM_CHOICE,
     .low = INIT_RANDOM,
     .high = INIT_DEMONSTRATIONS,
     .standard = INIT_RANDOM,
     .choices = "random|demonstrations"},
    INTEGER("members", "heads of the ensemble", 1, 4096, 25),
    INTEGER("hidden", "units in each of the two hidden layers", 1, 256, 50),
    REAL("learning_rate", "step size of Adam online", 0, 1, 1e-3),
    INTEGER("batch", "transitions in an update", 1, 4096, 128),
    INTEGER("buffer", "transitions kept", 1, 1e7, 10000),
    INTEGER("warmup", "steps before the first update", 1, 1e9, 128),
    INTEGER("target_every", "updates between copies of the networks to their targets", 1, 1024, 4),
    REAL("noise", "standard deviation of each head's reward noise", 0, 1e6, 0.01),
    REAL("mask", "probability with which a head learns from a transition", 0, 1, 1),
    REAL("epsilon", "probability of an action at random", 0, 1, 0),
    REAL("beta", "competence of the experts in pre-training", 1e-6, 1e6, 5),
    INTEGER("pretrain_steps", "steps of pre-training", 0, 1e6, 1000),
    INTEGER("pretrain_batch", "demonstrated steps in a step of pre-training", 1, 4096, 64),
    REAL("pretrain_rate", "step size of Adam in pre-training", 0, 1, 1e-3),
};

typedef struct boot_dqn {
    xp_agent agent;
    xp__q_learner learner;
    xp__pretrain pretrain; /* all zero unless heads start from demonstrations */
    float *parameters;     /* of one network: scratch */
    void *row;             /* of network inputs: scratch */
    double epsilon;
    size_t horizon, step; /* most steps of an episode; steps of this one so far */
    size_t head;          /* that acts in this episode */
} boot_dqn;

static size_t size(const xp_agent_setup *setup) {
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

static xp_status init_pretrain(boot_dqn *self, const xp__state_input *input, xp_error *error) {
    const xp_agent *agent = &self->agent;
    if (agent->setup.demos == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "agent boot_dqn with init=demonstrations needs demonstrations");
    }
    const xp__pretrain_options options = {
        .members = whole(agent, "members"),
        .hidden = whole(agent, "hidden"),
        .actions = agent->setup.actions,
        .steps = whole(agent, "pretrain_steps"),
        .batch = whole(agent, "pretrain_batch"),
        .beta = xp_params_get(&agent->params, "beta"),
        .learning_rate = xp_params_get(&agent->params, "pretrain_rate"),
    };
    return xp__pretrain_init(&self->pretrain, &options, input, agent->setup.demos, error);
}

static xp_status init(xp_agent *agent, const xp_agent_spec *spec, xp_error *error) {
    (void)spec;
    boot_dqn *self = (boot_dqn *)agent;
    self->epsilon = xp_params_get(&agent->params, "epsilon");
    self->horizon = agent->setup.env.horizon > 0 ? agent->setup.env.horizon : 1;
    xp__state_input input;
    xp_status status = xp__state_input_init(&input, &agent->setup.env, error);
    if (status == XP_OK) {
        status = init_learner(self, &input, error);
    }
    if (status == XP_OK && whole(agent, "init") == INIT_DEMONSTRATIONS) {
        status = init_pretrain(self, &input, error);
    }
    if (status == XP_OK) {
        self->parameters =
            xp__alloc(xp_net_parameter_count(self->learner.net), sizeof self->parameters[0]);
        self->row = xp__alloc(1, input.row_bytes);
        status = self->parameters != NULL && self->row != NULL ? XP_OK : xp__no_memory(error);
    }
    return status;
}

static void deinit(xp_agent *agent) {
    boot_dqn *self = (boot_dqn *)agent;
    xp__q_learner_deinit(&self->learner);
    xp__pretrain_deinit(&self->pretrain);
    xp__free(self->parameters);
    xp__free(self->row);
}

/* The run is named by a number from `rng`: a later reset on the same stream is another run. */
static void reset(xp_agent *agent, xp_rng *rng) {
    boot_dqn *self = (boot_dqn *)agent;
    xp_net *net = self->learner.net;
    xp__q_learner_reset(&self->learner, xp_rng_bits(rng));
    self->step = 0;
    const xp_rng networks = xp__q_learner_networks(&self->learner);
    if (self->pretrain.net == NULL) {
        xp__q_networks_draw(net, &networks, self->parameters);
        return;
    }
    xp__pretrain_run(&self->pretrain, &networks, self->parameters);
    const size_t members = xp_net_get_options(net)->members;
    xp_net_reset_optimiser(net);
    for (size_t head = 0; head < members; head++) {
        const size_t from = (size_t)xp_rng_below(rng, members);
        xp_net_copy_member(net, head, self->pretrain.net, from);
    }
}

static size_t greedy(boot_dqn *self, size_t head) {
    const xp_net_rows rows = xp__state_input_rows(&self->learner.input, 1, self->row);
    return xp_net_greedy(self->learner.net, head, &rows);
}

static size_t act(xp_agent *agent, xp_rng *rng, const double *state) {
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

static void observe(xp_agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)rng;
    boot_dqn *self = (boot_dqn *)agent;
    xp__q_learner_observe(&self->learner, transition->state, transition->action, transition->reward,
                          transition->next_state, transition->done);
    self->step = transition->done || self->step + 1 >= self->horizon ? 0 : self->step + 1;
}

/* Exact: before an episode any head may come to act, within one it is the head that was drawn. */
static void action_law(xp_agent *agent, xp_rng *rng, const double *state, size_t draws,
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

const xp_agent_type xp__agent_boot_dqn = {
    .name = "boot_dqn",
    .summary = "bootstrapped DQN: a random head of an ensemble of Q-networks acts in each episode",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .has_states = true,
    .size = size,
    .init = init,
    .deinit = deinit,
    .reset = reset,
    .act = act,
    .observe = observe,
    .action_law = action_law,
};
