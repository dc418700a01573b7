/* lmc_dqn.c: an agent that acts by Langevin dynamics on the posterior over Q-networks (Proposition
 * 3; lmc_dqn_posterior.h): what the paper names DQN Langevin Monte Carlo and sets aside as
 * unstable.
 *
 * A chain starts as a network of the maximum-entropy prior and acts greedily; of several chains one
 * is drawn for each episode. */
#include "agent/agent_type.h"

#include "agent/states/lmc_dqn_posterior.h"
#include "agent/states/learner.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { PRIOR_MAX_ENTROPY, PRIOR_NONE };

typedef struct lmc_dqn {
    xp__agent agent;
    xp__learner learner;
    xp__lmc_posterior posterior;
    void *row; /* of network inputs: scratch */
    xp_rng noise;
    bool begun;   /* an episode is under way, and its chain has been drawn */
    size_t chain; /* that acts in it */
} lmc_dqn;

static size_t size(const xp__agent_setup *setup) {
    (void)setup;
    return sizeof(lmc_dqn);
}

static double number(const xp__agent *agent, const char *name) {
    return xp__params_get(&agent->params, name);
}

static size_t whole(const xp__agent *agent, const char *name) {
    return (size_t)number(agent, name);
}

/* The learner calls it with a batch. */
static void move(void *context, const xp__net_rows *batch, xp__net_loss *td, void *td_context) {
    lmc_dqn *self = context;
    xp__lmc_posterior_move(&self->posterior, self->learner.heads, batch, td, td_context,
                           self->learner.replay.written, &self->noise);
}

static xp_status init_learner(lmc_dqn *self, const xp__state_input *input, xp_error *error) {
    const xp__agent *agent = &self->agent;
    const xp__states_prior *prior = agent->setup.states_prior;
    const xp__learner_options options = {
        .members = whole(agent, "members"),
        .hidden = whole(agent, "hidden"),
        .actions = agent->setup.actions,
        .learning_rate = number(agent, "learning_rate"),
        .batch = whole(agent, "batch"),
        .buffer = whole(agent, "buffer"),
        .warmup = whole(agent, "warmup"),
        .target_every = whole(agent, "target_every"),
        .mask = 1,
        .move = move,
        .context = self,
        .extra_rows = prior != NULL ? xp__states_prior_density(prior)->rows.count : 0,
    };
    return xp__learner_init(&self->learner, &options, input, error);
}

/* What the log-density of the prior is multiplied with. */
static double prior_weight(const xp__agent *agent, const xp__density *density) {
    const double wanted = number(agent, "prior_total");
    double total = 0;
    for (size_t t = 0; density != NULL && t < density->trajectories.count; t++) {
        total += density->trajectories.alpha[t];
    }
    return number(agent, "prior_weight") * (isinf(wanted) || total <= 0 ? 1 : wanted / total);
}

static xp_status init_posterior(lmc_dqn *self, const xp__state_input *input, xp_error *error) {
    const xp__agent *agent = &self->agent;
    const xp__states_prior *prior = agent->setup.states_prior;
    const xp__density *density = prior != NULL ? xp__states_prior_density(prior) : NULL;
    const xp__lmc_posterior_options options = {
        .density = density,
        .prior_weight = prior_weight(agent, density),
        .deviation = number(agent, "deviation"),
        .precision = number(agent, "precision"),
        .rate = number(agent, "rate"),
        .clip = number(agent, "clip"),
        .noise_every = whole(agent, "noise_every"),
        .adam = number(agent, "learning_rate") > 0,
        .members = self->learner.options.members,
        .actions = agent->setup.actions,
        .batch = self->learner.options.batch,
    };
    return xp__lmc_posterior_init(&self->posterior, &options, input, error);
}

/* Chains start as the prior's networks and follow its density. */
static xp_status check_prior(const xp__agent *agent, const xp__state_input *input,
                             xp_error *error) {
    const xp__states_prior *prior = agent->setup.states_prior;
    if (prior == NULL) {
        return XP_OK;
    }
    if (xp__states_prior_density(prior) == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "agent lmc_dqn needs a prior with a density; %s has none",
                            xp__states_prior_method(prior));
    }
    const xp__net_options *its = xp__net_get_options(xp__states_prior_networks(prior));
    const size_t hidden = whole(agent, "hidden"), actions = agent->setup.actions;
    if (its->inputs == input->inputs && its->hidden == hidden && its->actions == actions) {
        return XP_OK;
    }
    return xp_error_set(error, XP_ERR_INPUT,
                        "the prior's networks have %zu inputs, %zu hidden units and %zu actions "
                        "but the agent's have %zu, %zu and %zu",
                        its->inputs, its->hidden, its->actions, input->inputs, hidden, actions);
}

static xp_status init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)spec;
    lmc_dqn *self = (lmc_dqn *)agent;
    xp__state_input input;
    xp_status status = xp__state_input_init(&input, &agent->setup.env, error);
    input.units = xp__states_prior_units(agent->setup.states_prior);
    if (status == XP_OK) {
        status = check_prior(agent, &input, error);
    }
    if (status == XP_OK) {
        status = init_learner(self, &input, error);
    }
    if (status == XP_OK) {
        status = init_posterior(self, &input, error);
    }
    if (status == XP_OK) {
        self->row = xp__alloc(1, input.row_bytes);
        status = self->row != NULL ? XP_OK : xp__no_memory(error);
    }
    return status;
}

static void deinit(xp__agent *agent) {
    lmc_dqn *self = (lmc_dqn *)agent;
    xp__learner_deinit(&self->learner);
    xp__lmc_posterior_deinit(&self->posterior);
    xp__free(self->row);
}

/* The stream of a run for its noise. */
static void name_noise(lmc_dqn *self) {
    const xp_rng networks = xp__learner_networks(&self->learner);
    self->noise = xp_rng_fork(&networks, UINT64_MAX); /* chains have the smaller numbers */
}

/* The run is named by a number from `rng`: a later reset on the same stream is another run. */
static void reset(xp__agent *agent, xp_rng *rng) {
    lmc_dqn *self = (lmc_dqn *)agent;
    xp__net *net = self->learner.heads;
    const uint64_t run = xp_rng_bits(rng);
    xp__learner_reset(&self->learner, run);
    self->posterior.updates = 0;
    self->begun = false;
    const xp_rng networks = xp__learner_networks(&self->learner);
    name_noise(self);
    if (agent->setup.states_prior == NULL) {
        xp__net_draw(net, &networks);
        return;
    }
    const xp__net *prior = xp__states_prior_networks(agent->setup.states_prior);
    const size_t choices = xp__net_get_options(prior)->members;
    xp__net_reset_optimiser(net);
    for (size_t chain = 0; chain < self->learner.options.members; chain++) {
        xp__net_copy_member(net, chain, prior, (size_t)xp_rng_below(rng, choices));
    }
}

static size_t policy_action(xp__agent *agent, size_t policy, const double *state) {
    lmc_dqn *self = (lmc_dqn *)agent;
    xp__state_input_row(&self->learner.input, state, self->row);
    const xp__net_rows rows = xp__state_input_rows(&self->learner.input, 1, self->row);
    return xp__net_greedy(self->learner.heads, policy, &rows);
}

static void begin(xp__agent *agent, xp_rng *rng, const double *state) {
    (void)state;
    lmc_dqn *self = (lmc_dqn *)agent;
    self->chain = (size_t)xp_rng_below(rng, self->learner.options.members);
    self->begun = true;
}

static size_t act(xp__agent *agent, xp_rng *rng, const double *state) {
    lmc_dqn *self = (lmc_dqn *)agent;
    if (!self->begun) {
        begin(agent, rng, state);
    }
    self->begun = agent->setup.env.horizon > 1; /* else the next action begins another */
    return policy_action(agent, self->chain, state);
}

static void observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)rng;
    lmc_dqn *self = (lmc_dqn *)agent;
    xp__learner_observe(&self->learner, transition->state, transition->action, transition->reward,
                        transition->next_state, transition->end == XP_TERMINATED);
    self->begun = self->begun && transition->end == XP_CONTINUES;
}

/* The posterior has moved as often as the learner. */
static void archive(xp__agent *agent, xp__archive *archive) {
    lmc_dqn *self = (lmc_dqn *)agent;
    xp__learner_archive(&self->learner, archive);
    xp__archive_bool(archive, &self->begun);
    if (self->begun) {
        xp__archive_size(archive, &self->chain, self->learner.options.members - 1);
    }
    if (xp__archive_reading(archive)) {
        self->posterior.updates = self->learner.updates;
        name_noise(self);
    }
}

/* Exact: before an episode any chain may come to act, within one it is the one that was drawn. */
static size_t action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                         double *probability) {
    (void)rng;
    (void)draws;
    lmc_dqn *self = (lmc_dqn *)agent;
    const size_t first = self->begun ? self->chain : 0;
    const size_t chains = self->begun ? 1 : self->learner.options.members;
    memset(probability, 0, agent->setup.actions * sizeof *probability);
    for (size_t chain = first; chain < first + chains; chain++) {
        probability[policy_action(agent, chain, state)] += 1 / (double)chains;
    }
    return 0;
}

static size_t acted(const xp__agent *agent) {
    return ((const lmc_dqn *)agent)->chain;
}

static size_t policies(xp__agent *agent, double *weight) {
    const size_t chains = ((lmc_dqn *)agent)->learner.options.members;
    for (size_t chain = 0; weight != NULL && chain < chains; chain++) {
        weight[chain] = 1 / (double)chains;
    }
    return chains;
}

static const xp_param params[] = {
    {.name = "prior",
     .summary = "the maximum-entropy expert prior, or none: chains start as random networks",
     .kind = XP_PARAM_CHOICE,
     .low = PRIOR_MAX_ENTROPY,
     .high = PRIOR_NONE,
     .standard = PRIOR_MAX_ENTROPY,
     .choices = "max_entropy|none"},
    XP__REAL("prior_weight", "multiplies the log-density of the prior; 0: only where chains start",
             0, 1e6, 1),
    XP__REAL(
        "prior_total",
        "the log-density is scaled so that the weights of the demonstrations add up to this; inf: "
        "as the dual has them",
        0, INFINITY, INFINITY),
    XP__REAL("deviation", "standard deviation of a reward, which sets the temperature", 0, 1e6,
             0.01),
    XP__REAL("precision", "of a normal distribution of mean 0 of every parameter; 0: none", 0, 1e9,
             0),
    XP__REAL("rate", "size of a Langevin step", 0, 1, 1e-2),
    XP__REAL("learning_rate", "step size of Adam before it; 0: none", 0, 1, 1e-3),
    XP__REAL("clip",
             "components of the gradient of a Langevin step are cut to plus or minus this; "
             "0: not cut",
             0, 1e30, 1),
    XP__INTEGER("noise_every", "updates for each Langevin step, which is that many times longer", 1,
                1e6, 4),
    XP__INTEGER("members", "chains", 1, 4096, 1),
    XP__INTEGER("hidden", "units in each of the two hidden layers", 1, 256, 50),
    XP__INTEGER("batch", "transitions in an update", 1, 4096, 128),
    XP__INTEGER("buffer", "transitions kept", 1, 1e7, 10000),
    XP__INTEGER("warmup", "steps before the first update", 1, 1e9, 128),
    XP__INTEGER("target_every", "updates between copies of the networks to their targets", 1, 1024,
                4),
};

static const char *prior_method(const xp__params *values) {
    return (size_t)xp__params_get(values, "prior") == PRIOR_NONE ? NULL : "max_entropy";
}

const xp__agent_type xp__agent_lmc_dqn = {
    .name = "lmc_dqn",
    .summary =
        "not recommended, a negative result: Langevin dynamics on the posterior over Q-networks "
        "(Proposition 3), whose noise is too small to explore",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .prior_method = prior_method,
    .has_states = true,
    .size = size,
    .init = init,
    .deinit = deinit,
    .reset = reset,
    .begin = begin,
    .act = act,
    .observe = observe,
    .action_law = action_law,
    .policies = policies,
    .policy_action = policy_action,
    .acted = acted,
    .archive = archive,
};
