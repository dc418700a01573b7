/* frozen_lake.c: to the other side of a lake with one weak square (paper, section 4.2; after
 * Warrington et al., "Robust asymmetric learning in POMDPs", 2021).
 *
 * 5 × 5 cells, from (2, 0) to (2, 4). The hidden context is a set of squares among the nine
 * interior ones, drawn once a task; in every episode the hazard is one of them, each equally
 * likely. The state is the agent's cell and the hazard's. A learner of the POMDP sees -1 for the
 * second; the expert sees the hazard in both.
 *
 * Q*, and with it the regret, is that of the episode's hazard, without the limit of 100 steps: time
 * is no part of the state. It depends on nothing else, so nine tables serve all tasks. Steps are
 * deterministic and use no random number, a reset uses one index. */
#include "env/frozen_lake.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct lake_task {
    xp_task task;
    size_t square[XP__LAKE_SQUARES]; /* the first `hazards` are the set */
    size_t hazard;                   /* this episode's square */
    size_t cell, steps;
} lake_task;

static const xp_param params[] = {
    XP__INTEGER("hazards", "how many of the nine interior squares may be the hazard", 1,
                XP__LAKE_SQUARES, XP__LAKE_SQUARES),
    {.name = "observation",
     .summary = "mdp: the learner sees the hazard; pomdp: it does not",
     .kind = XP_PARAM_CHOICE,
     .low = 0,
     .high = 1,
     .standard = 1,
     .choices = "mdp|pomdp"},
};

static xp_status init(xp_env *env, const xp__params *values, xp_rng *rng, xp_error *error) {
    (void)rng;
    (void)error;
    xp__lake *self = (xp__lake *)env;
    self->hazards = (size_t)xp__params_get(values, "hazards");
    self->shown = xp__params_get(values, "observation") == 0;
    self->categories[0] = XP__LAKE_CELLS;
    self->categories[1] = XP__LAKE_CELLS;
    for (size_t square = 0; square < XP__LAKE_SQUARES; square++) {
        xp__lake_optimal_q(xp__lake_square_cell(square), self->q[square]);
    }
    for (size_t set = 0; set < XP__LAKE_SETS; set++) {
        if (xp__lake_set_size(set) == self->hazards) {
            self->sets[env->info.contexts++] = set;
        }
    }
    if (!self->shown) {
        xp__lake_blind_values(self->blind);
    }
    env->info.actions = XP__LAKE_ACTIONS;
    env->info.state_size = 2;
    env->info.horizon = XP__LAKE_HORIZON;
    env->info.categories = self->categories;
    return XP_OK;
}

static void deinit(xp_env *env) {
    (void)env;
}

static size_t task_size(const xp_env *env) {
    (void)env;
    return sizeof(lake_task);
}

/* The first steps of a Fisher-Yates shuffle: every set of that many squares is equally likely. */
static void task_draw(xp_task *task, xp_rng *rng) {
    lake_task *self = (lake_task *)task;
    const size_t hazards = ((const xp__lake *)task->env)->hazards;
    for (size_t i = 0; i < XP__LAKE_SQUARES; i++) {
        self->square[i] = i;
    }
    for (size_t i = 0; i < hazards; i++) {
        const size_t other = i + (size_t)xp_rng_below(rng, XP__LAKE_SQUARES - i);
        const size_t kept = self->square[i];
        self->square[i] = self->square[other];
        self->square[other] = kept;
    }
}

static void task_set_context(xp_task *task, size_t context) {
    lake_task *self = (lake_task *)task;
    const size_t set = ((const xp__lake *)task->env)->sets[context];
    size_t count = 0;
    for (size_t square = 0; square < XP__LAKE_SQUARES; square++) {
        if ((set >> square & 1) != 0) {
            self->square[count++] = square;
        }
    }
}

static void observe(const lake_task *self, double *state) {
    const bool shown = ((const xp__lake *)self->task.env)->shown;
    state[0] = (double)self->cell;
    state[1] = shown ? (double)xp__lake_square_cell(self->hazard) : -1;
}

static void task_reset(xp_task *task, xp_rng *rng, double *state) {
    lake_task *self = (lake_task *)task;
    self->hazard = self->square[xp_rng_below(rng, ((const xp__lake *)task->env)->hazards)];
    self->cell = XP__LAKE_START;
    self->steps = 0;
    observe(self, state);
}

static double best_of(const double *q) {
    double best = q[0];
    for (size_t action = 1; action < XP__LAKE_ACTIONS; action++) {
        best = fmax(best, q[action]);
    }
    return best;
}

static xp_step task_step(xp_task *task, xp_rng *rng, size_t action, double *state) {
    (void)rng;
    lake_task *self = (lake_task *)task;
    const size_t hazard = xp__lake_square_cell(self->hazard);
    assert(self->cell != XP__LAKE_GOAL && self->cell != hazard && self->steps < XP__LAKE_HORIZON);
    const double *q = ((const xp__lake *)task->env)->q[self->hazard][self->cell];
    xp_step step = {.reward = XP__LAKE_MOVE_REWARD, .regret = best_of(q) - q[action]};
    self->cell = xp__lake_move(self->cell, action);
    self->steps++;
    if (self->cell == XP__LAKE_GOAL || self->cell == hazard) {
        step.reward = self->cell == hazard ? XP__LAKE_HAZARD_REWARD : XP__LAKE_GOAL_REWARD;
        step.end = XP_TERMINATED;
    }
    if (self->steps == XP__LAKE_HORIZON) {
        step.end = XP_TERMINATED; /* the cap counts as an end of its own */
    }
    observe(self, state);
    return step;
}

static void task_optimal_q(const xp_task *task, const double *state, double *q) {
    const lake_task *self = (const lake_task *)task;
    assert(state[0] >= 0 && state[0] < XP__LAKE_CELLS);
    memcpy(q, ((const xp__lake *)task->env)->q[self->hazard][(size_t)state[0]],
           XP__LAKE_ACTIONS * sizeof(double));
}

/* Return of an episode with that hazard. A policy of the state that comes to a cell again comes to
 * it for ever, so such an episode runs to the limit. `action` remembers what the policy said. */
static double follow(const xp_task *task, size_t hazard, xp__policy policy, void *policy_context,
                     size_t action[XP__LAKE_CELLS]) {
    const bool shown = ((const xp__lake *)task->env)->shown;
    bool visited[XP__LAKE_CELLS] = {false};
    double total = 0;
    for (size_t cell = XP__LAKE_START; !visited[cell]; total += XP__LAKE_MOVE_REWARD) {
        visited[cell] = true;
        if (action[cell] == XP__LAKE_ACTIONS) {
            const double state[] = {(double)cell, shown ? (double)hazard : -1};
            action[cell] = xp__policy_action(task, policy, policy_context, state);
        }
        cell = xp__lake_move(cell, action[cell]);
        if (cell == XP__LAKE_GOAL || cell == hazard) {
            return total + (cell == hazard ? XP__LAKE_HAZARD_REWARD : XP__LAKE_GOAL_REWARD);
        }
    }
    return XP__LAKE_MOVE_REWARD * XP__LAKE_HORIZON;
}

static double task_policy_value(const xp_task *task, xp__policy policy, void *policy_context) {
    const lake_task *self = (const lake_task *)task;
    const xp__lake *lake = (const xp__lake *)task->env;
    size_t action[XP__LAKE_CELLS];
    double total = 0;
    for (size_t i = 0; i < lake->hazards; i++) {
        for (size_t cell = 0; cell < XP__LAKE_CELLS && (i == 0 || lake->shown); cell++) {
            action[cell] = XP__LAKE_ACTIONS; /* not asked yet; a shown hazard is another state */
        }
        const size_t hazard = xp__lake_square_cell(self->square[i]);
        total += follow(task, hazard, policy, policy_context, action);
    }
    return total / (double)lake->hazards;
}

static double task_optimal_value(const xp_task *task) {
    const lake_task *self = (const lake_task *)task;
    const xp__lake *lake = (const xp__lake *)task->env;
    double total = 0;
    size_t set = 0;
    for (size_t i = 0; i < lake->hazards; i++) {
        total += best_of(lake->q[self->square[i]][XP__LAKE_START]);
        set |= (size_t)1 << self->square[i];
    }
    return lake->shown ? total / (double)lake->hazards : lake->blind[set][XP__LAKE_START];
}

static size_t board_cell(const xp_env *env, const double *state) {
    (void)env;
    return (size_t)state[0];
}

static bool board_move(const xp_env *env, size_t action, double *state) {
    (void)env;
    const size_t cell = xp__lake_move((size_t)state[0], action);
    state[0] = (double)cell;
    return cell != XP__LAKE_GOAL && state[0] != state[1];
}

static void board_describe(const xp_task *task, xp__board *board) {
    const lake_task *self = (const lake_task *)task;
    const xp__lake *lake = (const xp__lake *)task->env;
    (void)snprintf(board->title, sizeof board->title, "Frozen Lake (%s), %zu square%s may be weak",
                   lake->shown ? "MDP" : "POMDP", lake->hazards, lake->hazards == 1 ? "" : "s");
    board->rows = board->columns = XP__LAKE_SIDE;
    size_t count = 0;
    board->marks[count++] = (xp__board_mark){XP__LAKE_START, XP__SIGN_START, "start"};
    board->marks[count++] = (xp__board_mark){XP__LAKE_GOAL, XP__SIGN_GOAL, "goal"};
    for (size_t i = 0; i < lake->hazards; i++) {
        board->marks[count++] =
            (xp__board_mark){xp__lake_square_cell(self->square[i]), XP__SIGN_RISK,
                             "may be weak: the set, hidden from the agent"};
    }
    board->marks[count++] =
        (xp__board_mark){xp__lake_square_cell(self->hazard), XP__SIGN_DANGER,
                         lake->shown ? "weak in this episode, shown to the agent"
                                     : "weak in this episode, hidden from the agent"};
    board->mark_count = count;
}

static const xp__board_type board_type = {
    .cell = board_cell, .move = board_move, .describe = board_describe};

const xp__env_type xp__env_frozen_lake = {
    .name = "frozen_lake",
    .summary = "across 5 x 5 cells of ice, one of which breaks (the hazard); the hidden context is "
               "the set of squares that may be the hazard",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .env_size = sizeof(xp__lake),
    .init = init,
    .deinit = deinit,
    .task_size = task_size,
    .task_draw = task_draw,
    .task_reset = task_reset,
    .task_step = task_step,
    .task_optimal_q = task_optimal_q,
    .task_policy_value = task_policy_value,
    .task_optimal_value = task_optimal_value,
    .contexts = &xp__lake_contexts,
    .task_set_context = task_set_context,
    .board = &board_type,
};
