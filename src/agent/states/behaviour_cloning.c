/* behaviour_cloning.c: behaviour cloning where there are states: acts as networks trained on the
 * demonstrations say that the experts would, whatever happens.
 *
 * The loss of the prior `ensemble` is the cross-entropy of softmax(beta Q(s, .)) in the
 * demonstrated steps, divided by beta: maximum likelihood under Assumption 1. The policy is the
 * mean of those of the prior's networks; networks=1 makes it that of a single one. */
#include "agent/agent_type.h"

#include "base/memory.h"
#include "math/argmax.h"
#include "math/softmax.h"
#include "prior/states/states_prior_type.h"
#include "math/variates_inline.h"

#include <math.h>
#include <string.h>

enum { ACT_SAMPLE, ACT_GREEDY };

typedef struct behaviour_cloning {
    xp__agent agent;
    xp__state_input input;
    const xp__net *networks;
    double beta;
    bool greedy;
    float *q;       /* [networks][actions] */
    void *row;      /* of network inputs */
    double *policy; /* [actions] */
} behaviour_cloning;

static size_t size(const xp__agent_setup *setup) {
    (void)setup;
    return sizeof(behaviour_cloning);
}

static xp_status init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)spec;
    behaviour_cloning *self = (behaviour_cloning *)agent;
    const xp__states_prior *prior = agent->setup.states_prior;
    self->networks = xp__states_prior_networks(prior);
    self->beta = xp__params_get(&prior->params, "beta");
    self->greedy = (size_t)xp__params_get(&agent->params, "act") == ACT_GREEDY;
    const xp__net_options *its = xp__net_get_options(self->networks);
    xp_status status = xp__state_input_init(&self->input, &agent->setup.env, error);
    self->input.units = xp__states_prior_units(prior);
    if (status != XP_OK) {
        return status;
    }
    if (its->inputs != self->input.inputs || its->actions != agent->setup.actions) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the prior's networks have %zu inputs and %zu actions but the "
                            "environment has %zu and %zu",
                            its->inputs, its->actions, self->input.inputs, agent->setup.actions);
    }
    self->q = xp__alloc(its->members * its->actions, sizeof self->q[0]);
    self->row = xp__alloc(1, self->input.row_bytes);
    self->policy = xp__alloc(its->actions, sizeof self->policy[0]);
    return self->q != NULL && self->row != NULL && self->policy != NULL ? XP_OK
                                                                        : xp__no_memory(error);
}

static void deinit(xp__agent *agent) {
    behaviour_cloning *self = (behaviour_cloning *)agent;
    xp__free(self->q);
    xp__free(self->row);
    xp__free(self->policy);
}

static void reset(xp__agent *agent, xp_rng *rng) {
    (void)agent;
    (void)rng;
}

/* Adds share · softmax(beta q) to the policy. */
static void add_softmax(behaviour_cloning *self, const float *q, double share) {
    const size_t actions = self->agent.setup.actions;
    double most;
    const double sum = xp__soft_sum(q, actions, self->beta, NULL, &most);
    for (size_t a = 0; a < actions; a++) {
        self->policy[a] += share * exp(self->beta * ((double)q[a] - most)) / sum;
    }
}

/* Fills self->policy. */
static void look_up(behaviour_cloning *self, const double *state) {
    const size_t networks = xp__net_get_options(self->networks)->members;
    const size_t actions = self->agent.setup.actions;
    xp__state_input_row(&self->input, state, self->row);
    const xp__net_rows rows = xp__state_input_rows(&self->input, 1, self->row);
    xp__net_q(self->networks, 0, networks, &rows, self->q);
    memset(self->policy, 0, actions * sizeof self->policy[0]);
    for (size_t i = 0; i < networks; i++) {
        add_softmax(self, self->q + i * actions, 1 / (double)networks);
    }
}

/* The likeliest action, the first of equals. */
static size_t policy_action(xp__agent *agent, size_t policy, const double *state) {
    (void)policy;
    behaviour_cloning *self = (behaviour_cloning *)agent;
    look_up(self, state);
    return xp__argmax(self->policy, agent->setup.actions);
}

static size_t act(xp__agent *agent, xp_rng *rng, const double *state) {
    behaviour_cloning *self = (behaviour_cloning *)agent;
    if (self->greedy) {
        return policy_action(agent, 0, state);
    }
    look_up(self, state);
    return xp__rng_categorical(rng, self->policy, agent->setup.actions);
}

static void observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)agent;
    (void)rng;
    (void)transition;
}

static size_t action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                         double *probability) {
    (void)rng;
    (void)draws;
    behaviour_cloning *self = (behaviour_cloning *)agent;
    if (self->greedy) {
        memset(probability, 0, agent->setup.actions * sizeof *probability);
        probability[policy_action(agent, 0, state)] = 1;
        return 0;
    }
    look_up(self, state);
    memcpy(probability, self->policy, agent->setup.actions * sizeof *probability);
    return 0;
}

/* Only the greedy one is a deterministic policy. */
static size_t policies(xp__agent *agent, double *weight) {
    const bool greedy = ((behaviour_cloning *)agent)->greedy;
    if (greedy && weight != NULL) {
        weight[0] = 1;
    }
    return greedy ? 1 : 0;
}

static const xp_param params[] = {
    {.name = "act",
     .summary = "draws an action with its probability, or takes the likeliest",
     .kind = XP_PARAM_CHOICE,
     .low = ACT_SAMPLE,
     .high = ACT_GREEDY,
     .standard = ACT_SAMPLE,
     .choices = "sample|greedy"},
};

static const char *prior_method(const xp__params *values) {
    (void)values;
    return "ensemble";
}

const xp__agent_type xp__agent_states_behaviour_cloning = {
    .name = "behaviour_cloning",
    .summary = "acts as networks trained on the demonstrations do; does not learn",
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
    .action_law = action_law,
    .policies = policies,
    .policy_action = policy_action,
};
