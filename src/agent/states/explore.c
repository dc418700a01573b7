/* explore.c: ExPLORe (Li et al., "Accelerating exploration with unlabeled prior data", 2023), the
 * paper's actor-critic baseline, written from its description: soft actor-critic (explore_sac.h) on
 * batches of which one half was seen online and the other was demonstrated. What demonstrated steps
 * earned was not recorded; they are labelled with an optimistic guess (explore_labels.h), so that
 * the policy is drawn to where experts went and it has not been.
 *
 * Actions are drawn from the policy. Batches and first networks are functions of (run, number), and
 * a run is named by a number that a reset draws. A bandit is the case of one state.
 *
 * A state that ends an episode is worth nothing; one in which it was cut off is worth what follows.
 */
#include "agent/agent_type.h"
#include "agent/states/explore_labels.h"
#include "agent/states/explore_sac.h"
#include "agent/states/replay.h"
#include "base/memory.h"
#include "math/variates_inline.h"

#include <math.h>
#include <string.h>

enum { STREAM_SAC, STREAM_LABELS, STREAM_BATCHES, STREAM_REPLAY };

static const xp_param params[] = {
    XP__INTEGER("hidden", "units in each of the two hidden layers", 1, 256, 50),
    XP__INTEGER("critics", "Q-networks, of which the smallest value counts", 1, 64, 2),
    XP__REAL("critic_rate", "step size of Adam for the critics", 0, 1, 1e-3),
    XP__REAL("policy_rate", "step size of Adam for the policy", 0, 1, 1e-3),
    XP__REAL("temperature_rate", "step size of Adam for log temperature", 0, 1, 1e-3),
    XP__REAL("temperature", "reward that a nat of entropy is worth at the start",
             1 / XP__SAC_TEMPERATURE_MAX, XP__SAC_TEMPERATURE_MAX, 1),
    XP__REAL("entropy", "target for the policy's mean entropy, as a share of log(actions)", 0, 1,
             0.02),
    {.name = "divergence",
     .summary = "of the policy from exp(Q / temperature): KL(target, policy), or the textbook's "
                "KL(policy, target)",
     .kind = XP_PARAM_CHOICE,
     .low = 0,
     .high = 1,
     .standard = 0,
     .choices = "forward|reverse"},
    XP__REAL("entropy_backup", "share of later entropy that counts as reward", 0, 1, 0),
    XP__REAL("discount", "worth of a reward one step later", 0, 1, 0.99),
    XP__REAL("tau", "share of the critics in their target, per update", 0, 1, 0.01),
    XP__INTEGER("target_every", "updates between steps of the target", 1, 1e6, 8),
    XP__INTEGER("batch", "transitions in an update, half of them demonstrated", 2, 4096, 128),
    XP__INTEGER("buffer", "transitions kept", 1, 1e7, 100000),
    XP__INTEGER("warmup", "steps before the first update", 1, 1e9, 128),
    XP__INTEGER("update_every", "steps between updates", 1, 1e6, 1),
    XP__REAL("novelty", "reward for a demonstrated step that is new", 0, 1e9, 0.1),
    XP__INTEGER("features", "outputs per action of the networks that measure novelty", 1, 256, 8),
    XP__REAL("novelty_rate", "step size of Adam for the predictor behind novelty", 0, 1, 1e-3),
    XP__REAL("reward_rate", "step size of Adam for the model of rewards", 0, 1, 1e-3),
};

typedef struct explore {
    xp__agent agent;
    xp__encoded_demos demos;
    uint32_t *next; /* a demonstrated step each: row of the state it led to, or UINT32_MAX */
    xp__explore_labels labels;
    xp__sac sac;
    xp__replay replay;
    size_t online, shown; /* draws of each kind in a batch */
    size_t warmup, update_every;
    uint64_t run;
    void *row;               /* of network inputs: scratch */
    double *law;             /* [actions]: scratch */
    xp__row_set rows;        /* states of one half of a batch */
    float *counts, *rewards; /* [rows][actions]: draws and their sums; labels */
    size_t *drawn, *place;   /* [shown]: steps, and their places in `rows` */
} explore;

static size_t size(const xp__agent_setup *setup) {
    (void)setup;
    return sizeof(explore);
}

static size_t whole(const xp__agent *agent, const char *name) {
    return (size_t)xp__params_get(&agent->params, name);
}

static double real(const xp__agent *agent, const char *name) {
    return xp__params_get(&agent->params, name);
}

static xp_status init_learners(explore *self, xp_error *error) {
    const xp__agent *agent = &self->agent;
    const size_t actions = agent->setup.actions;
    const xp__sac_options sac = {
        .critics = whole(agent, "critics"),
        .hidden = whole(agent, "hidden"),
        .actions = actions,
        .batch = whole(agent, "batch"),
        .critic_rate = real(agent, "critic_rate"),
        .policy_rate = real(agent, "policy_rate"),
        .temperature_rate = real(agent, "temperature_rate"),
        .temperature = real(agent, "temperature"),
        .entropy = real(agent, "entropy") * log((double)actions),
        .entropy_backup = real(agent, "entropy_backup"),
        .discount = real(agent, "discount"),
        .tau = real(agent, "tau"),
        .target_every = whole(agent, "target_every"),
        .reverse = whole(agent, "divergence") == 1,
    };
    const xp__explore_labels_options labels = {
        .hidden = whole(agent, "hidden"),
        .actions = actions,
        .features = whole(agent, "features"),
        .rows = self->online > self->shown ? self->online : self->shown,
        .reward_rate = real(agent, "reward_rate"),
        .novelty_rate = real(agent, "novelty_rate"),
        .scale = real(agent, "novelty"),
    };
    const xp__replay_options replay = {.capacity = whole(agent, "buffer"),
                                       .members = 1,
                                       .row_bytes = self->demos.input.row_bytes,
                                       .mask = 1};
    xp_status status = xp__sac_init(&self->sac, &sac, &self->demos.input, error);
    if (status == XP_OK) {
        status = xp__explore_labels_init(&self->labels, &labels, &self->demos.input, error);
    }
    if (status == XP_OK) {
        status = xp__replay_init(&self->replay, &replay, error);
    }
    return status;
}

static xp_status allocate(explore *self, xp_error *error) {
    const size_t actions = self->agent.setup.actions;
    const size_t room = self->online > self->shown ? self->online : self->shown;
    self->next = xp__alloc(self->demos.start[self->demos.trajectories], sizeof self->next[0]);
    self->row = xp__alloc(1, self->demos.input.row_bytes);
    self->law = xp__alloc(actions, sizeof self->law[0]);
    self->counts = xp__alloc(room * actions, sizeof self->counts[0]);
    self->rewards = xp__alloc(room * actions, sizeof self->rewards[0]);
    self->drawn = xp__alloc(self->shown, sizeof self->drawn[0]);
    self->place = xp__alloc(self->shown, sizeof self->place[0]);
    if (self->next == NULL || self->row == NULL || self->law == NULL || self->counts == NULL ||
        self->rewards == NULL || self->drawn == NULL || self->place == NULL) {
        return xp__no_memory(error);
    }
    return xp__row_set_init(&self->rows, self->demos.input.row_bytes, room, error);
}

/* The next state of a demonstrated step is the next one of its trajectory. What the last action led
 * to is not shown; an expert stops where the episode does, so the end of a demonstration counts as
 * the end of an episode, after which nothing more is earned. */
static void link_steps(explore *self) {
    const xp__encoded_demos *demos = &self->demos;
    for (size_t t = 0; t < demos->trajectories; t++) {
        const size_t last = demos->start[t + 1] - 1;
        for (size_t step = demos->start[t]; step < last; step++) {
            self->next[step] = demos->row[step + 1];
        }
        self->next[last] = UINT32_MAX;
    }
}

static xp_status init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)spec;
    explore *self = (explore *)agent;
    const size_t batch = whole(agent, "batch");
    self->online = batch / 2;
    self->shown = batch - self->online;
    self->warmup = whole(agent, "warmup");
    self->update_every = whole(agent, "update_every");
    xp_env_info env = agent->setup.env;
    env.actions = agent->setup.actions; /* which a bandit's description may leave out */
    xp_status status = xp__encoded_demos_init(&self->demos, &env, agent->setup.demos, NULL, error);
    if (status == XP_OK) {
        status = init_learners(self, error);
    }
    if (status == XP_OK) {
        status = allocate(self, error);
    }
    if (status == XP_OK) {
        link_steps(self);
    }
    return status;
}

static void deinit(xp__agent *agent) {
    explore *self = (explore *)agent;
    xp__encoded_demos_deinit(&self->demos);
    xp__explore_labels_deinit(&self->labels);
    xp__sac_deinit(&self->sac);
    xp__replay_deinit(&self->replay);
    xp__row_set_deinit(&self->rows);
    xp__free(self->next);
    xp__free(self->row);
    xp__free(self->law);
    xp__free(self->counts);
    xp__free(self->rewards);
    xp__free(self->drawn);
    xp__free(self->place);
}

static xp_rng stream(const explore *self, uint64_t which) {
    const xp_rng root = xp_rng_seed(self->run);
    return xp_rng_fork(&root, which);
}

static void reset(xp__agent *agent, xp_rng *rng) {
    explore *self = (explore *)agent;
    self->run = xp_rng_bits(rng);
    const xp_rng sac = stream(self, STREAM_SAC), labels = stream(self, STREAM_LABELS);
    xp__sac_reset(&self->sac, &sac);
    xp__explore_labels_reset(&self->labels, &labels, &self->demos);
    xp__replay_clear(&self->replay);
}

static const void *row_of(explore *self, const double *state) {
    xp__state_input_row(&self->demos.input, state, self->row);
    return self->row;
}

/* The online half of a batch, and a step of the reward model on it. */
static void add_online(explore *self, xp_rng *rng) {
    const size_t actions = self->agent.setup.actions, bytes = self->demos.input.row_bytes;
    const xp__replay *replay = &self->replay;
    xp__row_set_clear(&self->rows);
    for (size_t i = 0; i < self->online; i++) {
        const size_t slot = xp__replay_slot(replay, xp__replay_draw(replay, rng, 0));
        const void *state = replay->states + slot * bytes;
        bool is_new;
        const size_t row = xp__row_set_add(&self->rows, state, &is_new);
        if (is_new) {
            memset(self->counts + row * actions, 0, actions * sizeof self->counts[0]);
            memset(self->rewards + row * actions, 0, actions * sizeof self->rewards[0]);
        }
        self->counts[row * actions + replay->actions[slot]] += 1;
        self->rewards[row * actions + replay->actions[slot]] += replay->rewards[slot];
        xp__sac_add(&self->sac, state, replay->actions[slot], replay->rewards[slot],
                    replay->ends[slot] ? NULL : replay->next_states + slot * bytes);
    }
    xp__net_td td = {.draws = (double)self->online,
                     .members = 1,
                     .actions = actions,
                     .counts = self->counts,
                     .targets = self->rewards};
    xp__explore_labels_fit(&self->labels, self->rows.rows, self->rows.count, &td);
}

/* The demonstrated half, labelled as things stand now. */
static void add_shown(explore *self, xp_rng *rng) {
    const xp__encoded_demos *demos = &self->demos;
    const size_t actions = self->agent.setup.actions, bytes = demos->input.row_bytes;
    xp__row_set_clear(&self->rows);
    for (size_t i = 0; i < self->shown; i++) {
        const size_t step = self->drawn[i] = xp__encoded_demos_draw_step(demos, rng);
        bool is_new;
        self->place[i] =
            xp__row_set_add(&self->rows, demos->rows.rows + demos->row[step] * bytes, &is_new);
    }
    xp__explore_labels_of(&self->labels, self->rows.rows, self->rows.count, self->rewards);
    for (size_t i = 0; i < self->shown; i++) {
        const size_t step = self->drawn[i], action = demos->action[step], next = self->next[step];
        xp__sac_add(&self->sac, demos->rows.rows + demos->row[step] * bytes, action,
                    self->rewards[self->place[i] * actions + action],
                    next == UINT32_MAX ? NULL : demos->rows.rows + next * bytes);
    }
}

static void archive(xp__agent *agent, xp__archive *archive) {
    explore *self = (explore *)agent;
    XP__ARCHIVE(archive, self->run);
    const xp_rng unused = stream(self, STREAM_REPLAY);
    xp__sac_archive(&self->sac, archive);
    xp__explore_labels_archive(&self->labels, archive);
    xp__replay_archive(&self->replay, &unused, &self->demos.input, agent->setup.actions, archive);
}

static void observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)rng;
    explore *self = (explore *)agent;
    xp__replay *replay = &self->replay;
    const size_t bytes = self->demos.input.row_bytes;
    const xp_rng unused = stream(self, STREAM_REPLAY);
    const size_t slot = xp__replay_add(replay, &unused);
    unsigned char *state = replay->states + slot * bytes;
    xp__state_input_row(&self->demos.input, transition->state, state);
    if (transition->end != XP_TERMINATED) {
        xp__state_input_row(&self->demos.input, transition->next_state,
                            replay->next_states + slot * bytes);
    }
    replay->actions[slot] = (uint32_t)transition->action;
    replay->rewards[slot] = (float)transition->reward;
    replay->ends[slot] = transition->end == XP_TERMINATED;
    xp__explore_labels_visit(&self->labels, state, transition->action);
    if (replay->written > self->warmup && replay->written % self->update_every == 0) {
        const xp_rng batches = stream(self, STREAM_BATCHES);
        xp_rng batch = xp_rng_fork(&batches, self->sac.updates);
        add_online(self, &batch);
        add_shown(self, &batch);
        xp__sac_update(&self->sac);
    }
}

static size_t act(xp__agent *agent, xp_rng *rng, const double *state) {
    explore *self = (explore *)agent;
    xp__sac_policy(&self->sac, row_of(self, state), self->law);
    return xp__rng_categorical(rng, self->law, agent->setup.actions);
}

static size_t action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                         double *probability) {
    (void)rng;
    (void)draws;
    explore *self = (explore *)agent;
    xp__sac_policy(&self->sac, row_of(self, state), probability);
    return 0;
}

/* Without learning it would still draw its actions; its one deterministic policy is the most likely
 * action everywhere, as actor-critics are evaluated. */
static size_t policies(xp__agent *agent, double *weight) {
    (void)agent;
    if (weight != NULL) {
        weight[0] = 1;
    }
    return 1;
}

static size_t policy_action(xp__agent *agent, size_t policy, const double *state) {
    (void)policy;
    explore *self = (explore *)agent;
    return xp__sac_greedy(&self->sac, row_of(self, state));
}

const xp__agent_type xp__agent_explore = {
    .name = "explore",
    .summary = "ExPLORe, modified: soft actor-critic on what it saw and on optimistically labelled "
               "demonstrations; a baseline",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
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
    .archive = archive,
};
