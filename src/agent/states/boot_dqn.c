/* boot_dqn.c: Bootstrapped DQN (Osband et al., "Deep exploration via bootstrapped DQN", 2016; the
 * paper, section 4.2): one head of an ensemble of Q-networks, drawn anew for each episode, acts
 * greedily; all heads learn from what it sees (learner.h).
 *
 * Heads start as random networks, which is the paper's Naive Boot-DQN, or as draws from a prior
 * over Q-functions (states_prior.h). With `act=posterior` the networks of the prior stay beside the
 * heads as they were, and which network acts is drawn from a posterior (mode_choice.h). Policies
 * are numbered so: the prior's networks if they may act, then the heads. A bandit is the case of
 * one state and episodes of one step.
 *
 * A state that ends an episode is worth nothing; one in which it was cut off is worth what follows.
 * Transitions of an episode in which no policy of the agent's acted teach the heads and say nothing
 * of a policy's return. */
#include "agent/states/boot_dqn.h"

#include "agent/states/mode_choice.h"
#include "agent/states/learner.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct boot_dqn {
    xp__agent agent;
    xp__learner learner;
    xp__mode_choice choice; /* all zero where heads are drawn evenly */
    unsigned char *row;     /* two rows of network inputs: scratch */
    double *law;            /* of policies: scratch */
    double epsilon;
    bool single;         /* episodes are of one step, so that each action begins another */
    bool begun;          /* an episode is under way */
    bool acted, stepped; /* in it an action was chosen, a step was seen */
    size_t policy;       /* that acts in this episode */
    double value;        /* what the episode returned so far */
    double least, most;  /* its rewards so far lie between */
    bool relative;       /* no unit of reward is assumed */
    double seen, square; /* rewards, sum of their squares */
} boot_dqn;

size_t xp__boot_dqn_size(const xp__agent_setup *setup) {
    (void)setup;
    return sizeof(boot_dqn);
}

static size_t whole(const xp__agent *agent, const char *name) {
    return (size_t)xp__params_get(&agent->params, name);
}

/* Whether no unit of reward is assumed. */
static bool is_relative(const xp__agent *agent) {
    if (!xp__params_has(&agent->params, "evidence")) {
        return false;
    }
    const int evidence = (int)xp__params_get(&agent->params, "evidence");
    return evidence == XP__EVIDENCE_RELATIVE ||
           (evidence == XP__EVIDENCE_AUTO &&
            xp__params_get(&agent->params, "prior") >= XP__PRIOR_MIXTURE);
}

/* Steps before the first update. Where no unit is assumed, that of time is not either: episodes of
 * fewer than eight steps need fewer in proportion. */
static size_t warmup_of(const boot_dqn *self) {
    const double steps = xp__params_get(&self->agent.params, "warmup");
    const double horizon = (double)self->agent.setup.env.horizon;
    return (size_t)(self->relative && horizon < 8 ? fmax(1, steps * fmax(1, horizon) / 8) : steps);
}

static xp_status init_learner(boot_dqn *self, const xp__state_input *input, xp_error *error) {
    const xp__agent *agent = &self->agent;
    const xp__learner_options options = {
        .members = whole(agent, "members"),
        .hidden = whole(agent, "hidden"),
        .actions = agent->setup.actions,
        .learning_rate = xp__params_get(&agent->params, "learning_rate"),
        .batch = whole(agent, "batch"),
        .buffer = whole(agent, "buffer"),
        .warmup = warmup_of(self),
        .target_every = whole(agent, "target_every"),
        .noise = xp__params_get(&agent->params, "noise"),
        .mask = xp__params_get(&agent->params, "mask"),
    };
    return xp__learner_init(&self->learner, &options, input, error);
}

/* Heads are copies of the prior's networks, so those must be of the same shape. */
static xp_status check_prior(const xp__agent *agent, const xp__learner *learner, xp_error *error) {
    if (agent->setup.states_prior == NULL) {
        return XP_OK;
    }
    const xp__net_options *prior =
        xp__net_get_options(xp__states_prior_networks(agent->setup.states_prior));
    const xp__net_options *own = xp__net_get_options(learner->heads);
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

/* Prior probability that no mode stands out, for the reason of that name. */
static double exception(const boot_dqn *self, const char *name) {
    const double given = xp__params_get(&self->agent.params, name);
    return !isnan(given) ? given : self->relative ? 0.005 : 0.02;
}

static xp_status init_choice(boot_dqn *self, xp_error *error) {
    const xp__agent *agent = &self->agent;
    const xp__learner_options *learner = &self->learner.options;
    if (!xp__params_has(&agent->params, "act")) {
        return XP_OK;
    }
    const double none = exception(self, "none"), same = exception(self, "same");
    if (none + same > 1) {
        return xp_error_set(error, XP_ERR_INPUT, "none = %g and same = %g are more than 1 together",
                            none, same);
    }
    const int act = (int)xp__params_get(&agent->params, "act");
    const bool weighted = xp__states_prior_weights(agent->setup.states_prior) != NULL;
    if (act == XP__ACT_UNIFORM || (act == XP__ACT_AUTO && !weighted)) {
        return XP_OK;
    }
    const size_t horizon = agent->setup.env.horizon > 0 ? agent->setup.env.horizon : 1;
    /* The noise that the agent adds to each reward says which differences do not matter. */
    const xp__mode_choice_options options = {
        .heads = learner->members,
        .none = none,
        .same = same,
        .memory = xp__params_get(&agent->params, "memory"),
        .resolution = learner->noise * sqrt((double)horizon),
        .relative = self->relative,
    };
    return xp__mode_choice_init(&self->choice, &options, agent->setup.states_prior, error);
}

xp_status xp__boot_dqn_init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)spec;
    boot_dqn *self = (boot_dqn *)agent;
    self->epsilon = xp__params_get(&agent->params, "epsilon");
    self->single = agent->setup.env.horizon <= 1;
    self->relative = is_relative(agent);
    xp__state_input input;
    xp_status status = xp__state_input_init(&input, &agent->setup.env, error);
    input.units = xp__states_prior_units(agent->setup.states_prior);
    if (status == XP_OK) {
        status = init_learner(self, &input, error);
    }
    if (status == XP_OK) {
        status = check_prior(agent, &self->learner, error);
    }
    if (status == XP_OK) {
        status = init_choice(self, error);
    }
    if (status == XP_OK) {
        self->row = xp__alloc(2, input.row_bytes);
        self->law = xp__alloc(self->choice.count + self->learner.options.members, sizeof(double));
        status = self->row != NULL && self->law != NULL ? XP_OK : xp__no_memory(error);
    }
    return status;
}

void xp__boot_dqn_deinit(xp__agent *agent) {
    boot_dqn *self = (boot_dqn *)agent;
    xp__learner_deinit(&self->learner);
    xp__mode_choice_deinit(&self->choice);
    xp__free(self->row);
    xp__free(self->law);
}

/* Heads from the prior's draws: with replacement, or evenly spaced where these lie in an order. */
static void draw_heads(boot_dqn *self, xp_rng *rng) {
    const xp__states_prior *prior = self->agent.setup.states_prior;
    const xp__net *draws = xp__states_prior_draws(prior);
    const bool ordered = xp__states_prior_weights(prior) != NULL;
    const size_t heads = self->learner.options.members;
    const size_t count = xp__net_get_options(draws)->members;
    const double offset = ordered ? xp_rng_uniform(rng) : 0;
    xp__net_reset_optimiser(self->learner.heads);
    for (size_t head = 0; head < heads; head++) {
        const double place = ((double)head + offset) / (double)heads * (double)count;
        const size_t even = place < (double)count ? (size_t)place : count - 1;
        const size_t from = ordered ? even : (size_t)xp_rng_below(rng, count);
        xp__net_copy_member(self->learner.heads, head, draws, from);
    }
}

/* The run is named by a number from `rng`: a later reset on the same stream is another run. */
void xp__boot_dqn_reset(xp__agent *agent, xp_rng *rng) {
    boot_dqn *self = (boot_dqn *)agent;
    xp__net *net = self->learner.heads;
    xp__learner_reset(&self->learner, xp_rng_bits(rng));
    self->begun = false;
    self->seen = self->square = 0;
    if (self->choice.count > 0) {
        xp__mode_choice_clear(&self->choice);
    }
    const xp_rng networks = xp__learner_networks(&self->learner);
    if (agent->setup.states_prior == NULL) {
        xp__net_draw(net, &networks);
        return;
    }
    draw_heads(self, rng);
}

static size_t greedy(boot_dqn *self, size_t policy, const double *state) {
    xp__state_input_row(&self->learner.input, state, self->row);
    const xp__net_rows rows = xp__state_input_rows(&self->learner.input, 1, self->row);
    const size_t modes = self->choice.count;
    if (policy < modes) {
        return xp__net_greedy(self->choice.modes, policy, &rows);
    }
    const size_t head = policy - modes;
    return xp__net_greedy(xp__learner_head(&self->learner, head), head, &rows);
}

/* The episode is over, and its return is noted. */
static void end_episode(boot_dqn *self) {
    if (self->stepped && self->choice.count > 0) {
        xp__mode_choice_end(&self->choice, self->policy, self->value, self->least, self->most);
    }
    self->begun = false;
}

/* Draws the policy. An episode under way ends here: it was left, or cut off unseen. */
void xp__boot_dqn_begin(xp__agent *agent, xp_rng *rng, const double *state) {
    (void)state;
    boot_dqn *self = (boot_dqn *)agent;
    if (self->begun) {
        end_episode(self);
    }
    self->policy = self->choice.count > 0
                       ? xp__mode_choice_draw(&self->choice, rng)
                       : (size_t)xp_rng_below(rng, self->learner.options.members);
    self->value = 0;
    self->least = INFINITY;
    self->most = -INFINITY;
    self->begun = true;
    self->acted = self->stepped = false;
}

/* Whether the policy of the next action has been drawn. */
static bool is_drawn(const boot_dqn *self) {
    return self->begun && !(self->single && self->acted);
}

size_t xp__boot_dqn_act(xp__agent *agent, xp_rng *rng, const double *state) {
    boot_dqn *self = (boot_dqn *)agent;
    const size_t modes = self->choice.count;
    if (!is_drawn(self)) {
        xp__boot_dqn_begin(agent, rng, state);
    }
    self->acted = true;
    if (self->epsilon > 0 && xp_rng_bernoulli(rng, self->epsilon)) {
        return (size_t)xp_rng_below(rng, agent->setup.actions);
    }
    if (self->policy >= modes) {
        return greedy(self, self->policy, state);
    }
    xp__state_input_row(&self->learner.input, state, self->row);
    const xp__net_rows rows = xp__state_input_rows(&self->learner.input, 1, self->row);
    return xp__mode_choice_act(&self->choice, self->policy, &rows);
}

/* What a mode came upon. */
static void show_step(boot_dqn *self, const xp_transition *transition, bool ends) {
    const xp__state_input *input = &self->learner.input;
    unsigned char *next = self->row + input->row_bytes;
    xp__state_input_row(input, transition->state, self->row);
    if (!ends) {
        xp__state_input_row(input, transition->next_state, next);
    }
    xp__mode_choice_see(&self->choice, self->row, transition->action, ends ? NULL : next);
}

/* Heads learn in units of the root mean square of the rewards so far. */
static void settle_unit(boot_dqn *self) {
    const double unit = self->seen > 0 ? sqrt(self->square / self->seen) : 0;
    self->learner.unit = self->relative && unit > 0 ? unit : 1;
}

void xp__boot_dqn_observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)rng;
    boot_dqn *self = (boot_dqn *)agent;
    if (self->relative) {
        self->seen += 1;
        self->square += transition->reward * transition->reward;
        settle_unit(self);
    }
    xp__learner_observe(&self->learner, transition->state, transition->action, transition->reward,
                        transition->next_state, transition->end == XP_TERMINATED);
    if (!self->begun) {
        return;
    }
    const bool ends = transition->end != XP_CONTINUES;
    self->value += transition->reward;
    self->least = fmin(self->least, transition->reward);
    self->most = fmax(self->most, transition->reward);
    self->stepped = true;
    if (self->policy < self->choice.count) {
        show_step(self, transition, ends);
    }
    if (ends) {
        end_episode(self);
    }
}

void xp__boot_dqn_archive(xp__agent *agent, xp__archive *archive) {
    boot_dqn *self = (boot_dqn *)agent;
    xp__learner_archive(&self->learner, archive);
    if (self->choice.count > 0) {
        xp__mode_choice_archive(&self->choice, archive);
    }
    if (self->relative) {
        xp__archive_whole(archive, &self->seen, 1, 0x1p52);
        xp__archive_within(archive, &self->square, 1, 0, DBL_MAX);
        settle_unit(self);
    }
    xp__archive_bool(archive, &self->begun);
    if (self->begun) {
        xp__archive_size(archive, &self->policy,
                         self->choice.count + self->learner.options.members - 1);
        xp__archive_finite(archive, &self->value, 1);
        xp__archive_bool(archive, &self->acted);
        xp__archive_bool(archive, &self->stepped);
        if (self->relative) {
            xp__archive_within(archive, &self->least, 1, -DBL_MAX, INFINITY);
            xp__archive_within(archive, &self->most, 1, -INFINITY, DBL_MAX);
        }
    }
}

/* The probability that a policy acts in the next episode, in self->law: exact where heads are drawn
 * evenly, otherwise estimated. */
static size_t fill_law(boot_dqn *self, size_t draws) {
    const size_t heads = self->learner.options.members, policies = self->choice.count + heads;
    if (self->choice.count > 0) {
        xp_rng rng = xp__learner_asking(&self->learner); /* of its own: asking moves nothing */
        xp__mode_choice_law(&self->choice, &rng, draws, self->law);
        return policies;
    }
    for (size_t head = 0; head < heads; head++) {
        self->law[head] = 1 / (double)heads;
    }
    return policies;
}

/* Before an episode any policy may come to act, within one it is the one that was drawn. */
size_t xp__boot_dqn_action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                               double *probability) {
    (void)rng;
    boot_dqn *self = (boot_dqn *)agent;
    const size_t actions = agent->setup.actions;
    for (size_t action = 0; action < actions; action++) {
        probability[action] = self->epsilon / (double)actions;
    }
    if (is_drawn(self)) {
        probability[greedy(self, self->policy, state)] += 1 - self->epsilon;
        return 0;
    }
    const size_t policies = fill_law(self, draws);
    for (size_t policy = 0; policy < policies; policy++) {
        if (self->law[policy] > 0) {
            probability[greedy(self, policy, state)] += (1 - self->epsilon) * self->law[policy];
        }
    }
    return self->choice.count > 0 ? draws : 0;
}

size_t xp__boot_dqn_belief(xp__agent *agent, double *weight) {
    enum {
        DRAWS = 1000
    }; /* a share is then within 0.03 of its value, as good as a picture shows */
    boot_dqn *self = (boot_dqn *)agent;
    if (weight == NULL) {
        return self->choice.count + self->learner.options.members;
    }
    const size_t policies = fill_law(self, DRAWS);
    memcpy(weight, self->law, policies * sizeof *weight);
    return policies;
}

/* One who learns no more has nothing to find out: it keeps to the policy on which it settles. */
size_t xp__boot_dqn_policies(xp__agent *agent, double *weight) {
    boot_dqn *self = (boot_dqn *)agent;
    const size_t heads = self->learner.options.members, policies = self->choice.count + heads;
    if (weight == NULL) {
        return policies;
    }
    for (size_t policy = 0; policy < policies; policy++) {
        weight[policy] = self->choice.count > 0 ? 0 : 1 / (double)heads;
    }
    if (self->choice.count > 0) {
        weight[xp__mode_choice_settled(&self->choice)] = 1;
    }
    return policies;
}

size_t xp__boot_dqn_policy_action(xp__agent *agent, size_t policy, const double *state) {
    return greedy((boot_dqn *)agent, policy, state);
}

size_t xp__boot_dqn_acted(const xp__agent *agent) {
    return ((const boot_dqn *)agent)->policy;
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

static const char *prior_method(const xp__params *values) {
    static const char *const methods[] = {NULL, "ensemble", "max_entropy"};
    return methods[(size_t)xp__params_get(values, "prior")];
}

const xp__agent_type xp__agent_boot_dqn = {
    .name = "boot_dqn",
    .summary = "bootstrapped DQN: a random head of an ensemble of Q-networks acts in each episode",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .prior_method = prior_method,
    XP__BOOT_DQN_FUNCTIONS,
};
