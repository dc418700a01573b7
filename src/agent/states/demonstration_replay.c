/* demonstration_replay.c: the agent `replay`, which repeats whole demonstrations and finds out
 * which of them pay: a baseline that knows nothing of contexts, values or policies.
 *
 * Each distinct demonstration is an arm of a bandit whose rewards are the returns of episodes, and
 * arms are drawn by Thompson sampling (Thompson 1933). The model is that of one-way analysis of
 * variance: a return of arm i is N(mean_i, v), and mean_i is N(m, s²), with m and s² the mean and
 * variance of all returns so far. The variance v within arms is unknown; the prior for it counts as
 * much as `doubt` returns with variance s², so that it is drawn as (doubt s² + squared deviations
 * from the means of the arms) / chi-square. Nothing else has a unit, so that multiplying all
 * returns by a positive number, or adding one to them, changes no decision.
 *
 * Arms that were never played look alike, so that not all of them take part in a draw: `fresh` of
 * them do, each drawn with probability proportional to how often it was demonstrated.
 *
 * Repeating is closed loop where states match: in a state of the demonstration the agent does what
 * was done there (the first time at or after the present place in it; else the last time before).
 * In a state that only other demonstrations have, it does what was done there most often. In a
 * state that nobody showed, it does what the demonstration did in its nearest state (real numbers,
 * in units of their standard deviation over all shown states) or next (categories alone). */
#include "agent/agent_type.h"

#include "base/memory.h"
#include "encode/encoded_demos.h"
#include "math/variates_inline.h"

#include <math.h>
#include <string.h>

typedef struct returns {
    double count, mean, squares; /* squares: the sum of squared deviations from the mean */
} returns;

typedef struct replay {
    xp__agent agent;
    xp__encoded_demos demos;
    uint32_t *usual; /* [rows]: the action most often shown in a state */
    double *scale;   /* [inputs]: 1 / variance of a real input; NULL if states are categories */
    returns *arms;   /* [demonstrations] */
    returns all;
    void *row; /* of network inputs: scratch */
    double doubt;
    size_t fresh;
    bool single; /* episodes are of one step, so that each action begins another */
    bool begun, acted, stepped;
    size_t arm, place; /* of the episode under way; steps of the demonstration behind it */
    double value;      /* what the episode returned so far */
} replay;

/* Returns beyond count as this much: squares stay finite. */
static const double most_return = 1e140;

static size_t size(const xp__agent_setup *setup) {
    (void)setup;
    return sizeof(replay);
}

/* How often each action was shown in each state, then the most frequent, the first of equals. */
static xp_status find_usual(replay *self, xp_error *error) {
    const xp__encoded_demos *demos = &self->demos;
    const size_t rows = demos->rows.count, actions = demos->actions;
    double *shown = xp__alloc(rows * actions, sizeof *shown);
    self->usual = xp__alloc(rows, sizeof *self->usual);
    if (shown == NULL || self->usual == NULL) {
        xp__free(shown);
        return xp__no_memory(error);
    }
    for (size_t t = 0; t < demos->trajectories; t++) {
        for (size_t h = demos->start[t]; h < demos->start[t + 1]; h++) {
            shown[demos->row[h] * actions + demos->action[h]] += (double)demos->count[t];
        }
    }
    for (size_t row = 0; row < rows; row++) {
        for (uint32_t a = 1; a < actions; a++) {
            if (shown[row * actions + a] > shown[row * actions + self->usual[row]]) {
                self->usual[row] = a;
            }
        }
    }
    xp__free(shown);
    return XP_OK;
}

static const float *inputs_of(const replay *self, size_t row) {
    return (const float *)(const void *)(self->demos.rows.rows + row * self->demos.rows.row_bytes);
}

static xp_status find_scale(replay *self, xp_error *error) {
    const size_t inputs = self->demos.input.inputs, rows = self->demos.rows.count;
    if (self->demos.input.hot > 0) {
        return XP_OK;
    }
    self->scale = xp__alloc(inputs, sizeof *self->scale);
    if (self->scale == NULL) {
        return xp__no_memory(error);
    }
    for (size_t j = 0; j < inputs; j++) {
        double mean = 0, squares = 0;
        for (size_t row = 0; row < rows; row++) {
            const double from = (double)inputs_of(self, row)[j] - mean;
            mean += from / (double)(row + 1);
            squares += from * ((double)inputs_of(self, row)[j] - mean);
        }
        self->scale[j] = squares > 0 ? (double)rows / squares : 0;
    }
    return XP_OK;
}

static xp_status init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)spec;
    replay *self = (replay *)agent;
    self->doubt = xp__params_get(&agent->params, "doubt");
    self->fresh = (size_t)xp__params_get(&agent->params, "fresh");
    self->single = agent->setup.env.horizon <= 1;
    /* A setup without an environment is a bandit. */
    xp_env_info env = agent->setup.env;
    env.actions = agent->setup.actions;
    xp_status status = xp__encoded_demos_init(&self->demos, &env, agent->setup.demos, NULL, error);
    if (status == XP_OK) {
        status = find_usual(self, error);
    }
    if (status == XP_OK) {
        status = find_scale(self, error);
    }
    if (status == XP_OK) {
        self->arms = xp__alloc(self->demos.trajectories, sizeof *self->arms);
        self->row = xp__alloc(1, self->demos.input.row_bytes);
        status = self->arms != NULL && self->row != NULL ? XP_OK : xp__no_memory(error);
    }
    return status;
}

static void deinit(xp__agent *agent) {
    replay *self = (replay *)agent;
    xp__encoded_demos_deinit(&self->demos);
    xp__free(self->usual);
    xp__free(self->scale);
    xp__free(self->arms);
    xp__free(self->row);
}

static void reset(xp__agent *agent, xp_rng *rng) {
    (void)rng;
    replay *self = (replay *)agent;
    memset(self->arms, 0, self->demos.trajectories * sizeof *self->arms);
    self->all = (returns){.count = 0};
    self->begun = false;
}

/* The squared distance of a demonstrated state from the one in self->row. */
static double distance(const replay *self, size_t row) {
    const float *at = self->row, *other = inputs_of(self, row);
    double sum = 0;
    for (size_t j = 0; j < self->demos.input.inputs; j++) {
        const double apart = (double)at[j] - (double)other[j];
        sum += self->scale[j] * apart * apart;
    }
    return sum;
}

/* The step of the arm's demonstration that is repeated in a state, from 0, or its length if it is
 * none: *action is what others did there. */
static size_t find_step(replay *self, size_t arm, size_t place, const double *state,
                        size_t *action) {
    const xp__encoded_demos *demos = &self->demos;
    const size_t start = demos->start[arm], length = demos->start[arm + 1] - start;
    xp__state_input_row(&demos->input, state, self->row);
    const size_t here = xp__row_set_find(&demos->rows, self->row);
    size_t step = length;
    for (size_t h = 0; here < demos->rows.count && h < length; h++) {
        if (demos->row[start + h] == here) {
            step = h;
            if (h >= place) {
                break;
            }
        }
    }
    if (step == length && here < demos->rows.count) {
        *action = self->usual[here];
        return length;
    }
    double least = INFINITY;
    for (size_t h = 0; step == length && self->scale != NULL && h < length; h++) {
        least = fmin(least, distance(self, demos->row[start + h]));
    }
    for (size_t h = 0; step == length && self->scale != NULL && h < length; h++) {
        step = distance(self, demos->row[start + h]) <= least ? h : length;
    }
    if (step == length) {
        step = place < length ? place : length - 1;
    }
    *action = demos->action[start + step];
    return step;
}

/* The variance of returns of the same arm, drawn from its posterior. */
static double draw_variance(const replay *self, xp_rng *rng) {
    double squares = self->doubt * self->all.squares / self->all.count, degrees = self->doubt;
    for (size_t i = 0; i < self->demos.trajectories; i++) {
        squares += self->arms[i].squares;
        degrees += self->arms[i].count > 0 ? self->arms[i].count - 1 : 0;
    }
    return squares / (2 * xp_rng_gamma(rng, degrees / 2));
}

/* The mean of an arm, drawn from its posterior given the variance of its returns. */
static double draw_mean(const replay *self, xp_rng *rng, const returns *of, double variance) {
    const double between = self->all.squares / self->all.count;
    const double share = of->count * between / (of->count * between + variance);
    return self->all.mean + share * (of->mean - self->all.mean) +
           xp_rng_normal(rng) * sqrt(between * (1 - share));
}

/* An arm that was never played, by how often it was shown; the number of arms if there is none. */
static size_t draw_fresh(const replay *self, xp_rng *rng) {
    uint64_t total = 0;
    for (size_t i = 0; i < self->demos.trajectories; i++) {
        total += self->arms[i].count == 0 ? self->demos.count[i] : 0;
    }
    if (total == 0) {
        return self->demos.trajectories;
    }
    uint64_t left = xp_rng_below(rng, total);
    size_t arm = 0;
    for (;; arm++) {
        const uint64_t own = self->arms[arm].count == 0 ? self->demos.count[arm] : 0;
        if (left < own) {
            return arm;
        }
        left -= own;
    }
}

/* Where all returns are equal nothing is known: a fresh arm, or any. */
static size_t draw_arm(const replay *self, xp_rng *rng) {
    const size_t arms = self->demos.trajectories;
    if (!(self->all.squares > 0)) {
        const size_t fresh = draw_fresh(self, rng);
        return fresh < arms ? fresh : (size_t)xp_rng_below(rng, arms);
    }
    const double variance = draw_variance(self, rng);
    size_t best = arms;
    double most = -INFINITY;
    for (size_t i = 0; i < self->fresh; i++) {
        const size_t arm = draw_fresh(self, rng);
        if (arm == arms) {
            break;
        }
        const double mean = draw_mean(self, rng, &self->arms[arm], variance);
        best = mean > most ? arm : best;
        most = fmax(mean, most);
    }
    for (size_t arm = 0; arm < arms; arm++) {
        if (self->arms[arm].count > 0) {
            const double mean = draw_mean(self, rng, &self->arms[arm], variance);
            best = mean > most ? arm : best;
            most = fmax(mean, most);
        }
    }
    return best < arms ? best : 0;
}

static double within(double value) {
    return fmin(fmax(value, -most_return), most_return);
}

static void add(returns *to, double value) {
    const double from = value - to->mean;
    to->count++;
    to->mean += from / to->count;
    to->squares += from * (value - to->mean);
}

/* The arm to which an episode of one step belongs: the one that shows it. Rewards may come late,
 * so that it need not be the last that was drawn. */
static size_t arm_of_step(replay *self, const xp_transition *step) {
    const xp__encoded_demos *demos = &self->demos;
    xp__state_input_row(&demos->input, step->state, self->row);
    const size_t here = xp__row_set_find(&demos->rows, self->row);
    for (size_t arm = 0; here < demos->rows.count && arm < demos->trajectories; arm++) {
        if (demos->row[demos->start[arm]] == here &&
            demos->action[demos->start[arm]] == step->action) {
            return arm;
        }
    }
    return self->begun ? self->arm : demos->trajectories;
}

static void end_episode(replay *self) {
    if (self->stepped && self->arm < self->demos.trajectories) {
        add(&self->arms[self->arm], self->value);
        add(&self->all, self->value);
    }
    self->begun = false;
}

/* An episode under way ends here: it was left, or cut off unseen. */
static void begin(xp__agent *agent, xp_rng *rng, const double *state) {
    (void)state;
    replay *self = (replay *)agent;
    if (self->begun) {
        end_episode(self);
    }
    self->arm = draw_arm(self, rng);
    self->place = 0;
    self->value = 0;
    self->begun = true;
    self->acted = self->stepped = false;
}

/* Whether the arm of the next action has been drawn. */
static bool is_drawn(const replay *self) {
    return self->begun && !(self->single && self->acted);
}

static size_t act(xp__agent *agent, xp_rng *rng, const double *state) {
    replay *self = (replay *)agent;
    if (!is_drawn(self)) {
        begin(agent, rng, state);
    }
    self->acted = true;
    size_t action;
    (void)find_step(self, self->arm, self->place, state, &action);
    return action;
}

/* An episode in which the agent did not act says nothing of an arm, unless it is of one step. */
static void observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)rng;
    replay *self = (replay *)agent;
    if (self->single) {
        self->arm = arm_of_step(self, transition);
        self->value = within(transition->reward);
        self->stepped = true;
        end_episode(self);
        return;
    }
    if (!self->begun) {
        return;
    }
    size_t action;
    const size_t length = self->demos.start[self->arm + 1] - self->demos.start[self->arm];
    const size_t step = find_step(self, self->arm, self->place, transition->state, &action);
    if (step < length) {
        self->place = step + 1;
    }
    self->value = within(self->value + transition->reward);
    self->stepped = true;
    if (transition->end != XP_CONTINUES) {
        end_episode(self);
    }
}

/* Before an episode any arm may come to act, within one it is the one that was drawn. */
static size_t action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                         double *probability) {
    replay *self = (replay *)agent;
    size_t action;
    memset(probability, 0, agent->setup.actions * sizeof *probability);
    if (is_drawn(self)) {
        (void)find_step(self, self->arm, self->place, state, &action);
        probability[action] = 1;
        return 0;
    }
    for (size_t i = 0; i < draws; i++) {
        (void)find_step(self, draw_arm(self, rng), 0, state, &action);
        probability[action] += 1 / (double)draws;
    }
    return draws;
}

static void archive_returns(xp__archive *archive, returns *of) {
    xp__archive_whole(archive, &of->count, 1, 0x1p53);
    xp__archive_within(archive, &of->mean, 1, -most_return, most_return);
    xp__archive_within(archive, &of->squares, 1, 0, 0x1p1000);
}

static void archive(xp__agent *agent, xp__archive *archive) {
    replay *self = (replay *)agent;
    const size_t arms = self->demos.trajectories;
    archive_returns(archive, &self->all);
    xp__archive_check(archive, self->all.squares == 0 || self->all.count > 1,
                      "returns vary before there are two");
    for (size_t arm = 0; arm < arms; arm++) {
        archive_returns(archive, &self->arms[arm]);
    }
    xp__archive_bool(archive, &self->begun);
    if (self->begun) {
        xp__archive_size(archive, &self->arm, arms - 1);
        xp__archive_size(archive, &self->place,
                         self->demos.start[self->arm + 1] - self->demos.start[self->arm]);
        xp__archive_within(archive, &self->value, 1, -most_return, most_return);
        xp__archive_bool(archive, &self->acted);
        xp__archive_bool(archive, &self->stepped);
    }
}

static const xp_param params[] = {
    XP__REAL("doubt", "how many returns the prior of the variance within an arm counts for", 1e-3,
             1e6, 1),
    XP__INTEGER("fresh", "how many demonstrations that were never played take part in a draw", 1,
                1e6, 1),
};

const xp__agent_type xp__agent_replay = {
    .name = "replay",
    .summary = "repeats whole demonstrations, drawn by Thompson sampling on their returns",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .needs_demos = true,
    .has_states = true,
    .size = size,
    .init = init,
    .deinit = deinit,
    .reset = reset,
    .begin = begin,
    .act = act,
    .observe = observe,
    .action_law = action_law,
    .archive = archive,
};
