/* deep_sea.c: a dive through an M × M grid to a hidden column (paper, section 4.2; after Osband et
 * al., "Deep exploration via randomized value functions", 2019).
 *
 * Every step goes one row down and one column left (action 0) or right (action 1), clipped at the
 * walls; an episode is M steps from the top left corner. The hidden context is the goal's column in
 * the last row. The reward belongs to the cell that is left, whatever the action: -0.01/M while the
 * goal is no further away in columns than in rows, and in the goal cell 1 on top of that. A perfect
 * episode leaves M such cells, the goal the last of them, and so returns 1 - M × 0.01/M = 0.99.
 *
 * V* is computed by backward induction when the context is set. Cells of one row from which the
 * same rewards follow get them added in the same order, so ties between actions are exact. */
#include "env/env_type.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { LEFT, RIGHT, ACTIONS };
enum { GOAL_LAST, GOAL_QUARTER, GOAL_HALF, GOAL_ANY };

typedef struct sea {
    xp_env env;
    size_t size;                /* M */
    size_t goal_low, goal_high; /* the goal is uniform on these columns, ends included */
    size_t categories[1];
} sea;

/* V* of one goal, (M + 1) × M; the row after the last is the end of the episode: 0. */
typedef struct chart {
    size_t goal;
    bool solved; /* the values are those of `goal` */
} chart;

typedef struct sea_task {
    xp_task task;
    size_t row, column;
    chart chart;
    double value[];
} sea_task;

/* Every column of the last row is a context, whatever the distribution of goals. */
typedef struct sea_contexts {
    xp__contexts contexts;
    chart chart; /* of the planned goal */
    double value[];
} sea_contexts;

static const xp_param params[] = {
    XP__INTEGER("size", "rows, columns and steps of an episode, M", 2, 1024, 30),
    {.name = "goal",
     .summary = "columns in which the goal may be: the last, the last quarter, the last half, any",
     .kind = XP_PARAM_CHOICE,
     .low = 0,
     .high = 3,
     .standard = GOAL_LAST,
     .choices = "last|quarter|half|any"},
    XP__INTEGER(
        "goal_low",
        "first column in which the goal may be; goal is ignored if this or goal_high is given", 0,
        1023, NAN),
    XP__INTEGER("goal_high", "last column in which the goal may be", 0, 1023, NAN),
};

/* The last ceil(M/4) or ceil(M/2) columns: 22..29 and 15..29 for M = 30. */
static size_t first_column(size_t size, int goal) {
    const size_t width[] = {[GOAL_LAST] = 1,
                            [GOAL_QUARTER] = (size + 3) / 4,
                            [GOAL_HALF] = (size + 1) / 2,
                            [GOAL_ANY] = size};
    return size - width[goal];
}

static xp_status init(xp_env *env, const xp__params *values, xp_rng *rng, xp_error *error) {
    (void)rng;
    sea *self = (sea *)env;
    const double low = xp__params_get(values, "goal_low"),
                 high = xp__params_get(values, "goal_high");
    self->size = (size_t)xp__params_get(values, "size");
    self->goal_low = first_column(self->size, (int)xp__params_get(values, "goal"));
    self->goal_high = self->size - 1;
    if (!isnan(low) || !isnan(high)) {
        self->goal_low = isnan(low) ? 0 : (size_t)low;
        self->goal_high = isnan(high) ? self->size - 1 : (size_t)high;
    }
    if (self->goal_high >= self->size || self->goal_low >= self->size) {
        const bool by_high = self->goal_high >= self->size;
        return xp_error_set(error, XP_ERR_INPUT,
                            "deep_sea.goal_%s = %zu: the columns of size %zu are 0 to %zu",
                            by_high ? "high" : "low", by_high ? self->goal_high : self->goal_low,
                            self->size, self->size - 1);
    }
    if (self->goal_low > self->goal_high) {
        return xp_error_set(error, XP_ERR_INPUT, "deep_sea.goal_low = %zu is after goal_high = %zu",
                            self->goal_low, self->goal_high);
    }
    self->categories[0] = self->size * self->size;
    env->info.actions = ACTIONS;
    env->info.state_size = 1;
    env->info.horizon = self->size;
    env->info.categories = self->categories;
    env->info.contexts = self->size;
    return XP_OK;
}

static void deinit(xp_env *env) {
    (void)env;
}

static size_t value_bytes(const xp_env *env) {
    const size_t size = ((const sea *)env)->size;
    return (size + 1) * size * sizeof(double);
}

static size_t task_size(const xp_env *env) {
    return sizeof(sea_task) + value_bytes(env);
}

static double reward(size_t size, size_t goal, size_t row, size_t column) {
    const size_t rows_left = size - 1 - row, away = goal > column ? goal - column : column - goal;
    if (away > rows_left) {
        return 0;
    }
    return (rows_left == 0 ? 1.0 : 0.0) - 0.01 / (double)size;
}

static size_t move(size_t size, size_t column, size_t action) {
    if (action == LEFT) {
        return column > 0 ? column - 1 : 0;
    }
    return column + 1 < size ? column + 1 : column;
}

static void solve(chart *self, double *value, size_t size, size_t goal) {
    if (self->solved && self->goal == goal) {
        return;
    }
    self->goal = goal;
    self->solved = true;
    for (size_t row = size; row-- > 0;) {
        const double *below = value + (row + 1) * size;
        for (size_t column = 0; column < size; column++) {
            value[row * size + column] =
                reward(size, goal, row, column) +
                fmax(below[move(size, column, LEFT)], below[move(size, column, RIGHT)]);
        }
    }
}

static void task_draw(xp_task *task, xp_rng *rng) {
    const sea *env = (const sea *)task->env;
    sea_task *self = (sea_task *)task;
    const size_t goal =
        env->goal_low + (size_t)xp_rng_below(rng, env->goal_high - env->goal_low + 1);
    solve(&self->chart, self->value, env->size, goal);
}

static void task_set_context(xp_task *task, size_t context) {
    sea_task *self = (sea_task *)task;
    solve(&self->chart, self->value, ((const sea *)task->env)->size, context);
}

static void task_reset(xp_task *task, xp_rng *rng, double *state) {
    (void)rng;
    sea_task *self = (sea_task *)task;
    self->row = 0;
    self->column = 0;
    state[0] = 0;
}

static void action_values(const chart *self, const double *value, size_t size, size_t row,
                          size_t column, double *q) {
    const double here = reward(size, self->goal, row, column);
    for (size_t action = 0; action < ACTIONS; action++) {
        q[action] = here + value[(row + 1) * size + move(size, column, action)];
    }
}

static xp_step task_step(xp_task *task, xp_rng *rng, size_t action, double *state) {
    (void)rng;
    sea_task *self = (sea_task *)task;
    const size_t size = ((const sea *)task->env)->size;
    assert(self->row < size); /* otherwise the episode is over */
    double q[ACTIONS];
    action_values(&self->chart, self->value, size, self->row, self->column, q);
    const xp_step step = {.reward = reward(size, self->chart.goal, self->row, self->column),
                          .regret = fmax(q[LEFT], q[RIGHT]) - q[action],
                          .end = self->row + 1 == size ? XP_TERMINATED : XP_CONTINUES};
    self->row++;
    if (step.end == XP_CONTINUES) {
        self->column = move(size, self->column, action);
    }
    state[0] = (double)((step.end != XP_CONTINUES ? size - 1 : self->row) * size + self->column);
    return step;
}

static void state_values(const chart *self, const double *value, size_t size, const double *state,
                         double *q) {
    assert(state[0] >= 0 && state[0] < (double)(size * size));
    const size_t cell = (size_t)state[0];
    action_values(self, value, size, cell / size, cell % size, q);
}

static void task_optimal_q(const xp_task *task, const double *state, double *q) {
    const sea_task *self = (const sea_task *)task;
    state_values(&self->chart, self->value, ((const sea *)task->env)->size, state, q);
}

/* Nothing is left to chance: one dive says it. */
static double task_policy_value(const xp_task *task, xp__policy policy, void *policy_context) {
    const size_t size = ((const sea *)task->env)->size;
    const size_t goal = ((const sea_task *)task)->chart.goal;
    double total = 0;
    for (size_t row = 0, column = 0; row < size; row++) {
        const double state = (double)(row * size + column);
        total += reward(size, goal, row, column);
        column = move(size, column, xp__policy_action(task, policy, policy_context, &state));
    }
    return total;
}

static double task_optimal_value(const xp_task *task) {
    return ((const sea_task *)task)->value[0];
}

static size_t contexts_size(const xp_env *env) {
    return sizeof(sea_contexts) + value_bytes(env);
}

static void plan(xp__contexts *contexts, size_t context) {
    sea_contexts *self = (sea_contexts *)contexts;
    solve(&self->chart, self->value, ((const sea *)contexts->env)->size, context);
}

static void values(xp__contexts *contexts, const double *state, double *q) {
    const sea_contexts *self = (sea_contexts *)contexts;
    state_values(&self->chart, self->value, ((const sea *)contexts->env)->size, state, q);
}

/* Whether the states are those to which the actions lead, from the top left corner down. */
static bool is_dive(size_t size, const xp__shown *episode) {
    size_t column = 0;
    bool is = episode->length == size;
    for (size_t row = 0; is && row < size; row++) {
        is = episode->states[row] == (double)(row * size + column);
        column = move(size, column, episode->actions[row]);
    }
    return is;
}

static void likelihood(xp__contexts *contexts, const xp__shown *episodes, size_t count,
                       xp__choice choice, const void *expert, double *log_likelihood) {
    const size_t size = ((const sea *)contexts->env)->size;
    for (size_t goal = 0; goal < size; goal++) {
        plan(contexts, goal);
        for (size_t i = 0; i < count; i++) {
            double sum = is_dive(size, &episodes[i]) ? 0 : -INFINITY;
            for (size_t row = 0; row < size && sum > -INFINITY; row++) {
                double q[ACTIONS];
                values(contexts, &episodes[i].states[row], q);
                sum += choice(expert, q, ACTIONS, episodes[i].actions[row]);
            }
            log_likelihood[i * size + goal] = sum;
        }
    }
}

static void observe(xp__contexts *contexts, const xp__seen *step, double tolerance,
                    double *log_likelihood) {
    const size_t size = ((const sea *)contexts->env)->size, cell = (size_t)step->state[0];
    for (size_t goal = 0; goal < size; goal++) {
        const double wanted = reward(size, goal, cell / size, cell % size);
        if (!(fabs(step->reward - wanted) <= tolerance)) {
            log_likelihood[goal] = -INFINITY;
        }
    }
}

static size_t board_cell(const xp_env *env, const double *state) {
    (void)env;
    return (size_t)state[0];
}

static bool board_move(const xp_env *env, size_t action, double *state) {
    const size_t size = ((const sea *)env)->size, cell = (size_t)state[0], row = cell / size;
    if (row + 1 == size) {
        return false;
    }
    state[0] = (double)((row + 1) * size + move(size, cell % size, action));
    return true;
}

static void board_describe(const xp_task *task, xp__board *board) {
    const size_t size = ((const sea *)task->env)->size;
    const size_t goal = ((const sea_task *)task)->chart.goal;
    (void)snprintf(board->title, sizeof board->title, "Deep Sea, %zu × %zu, goal in column %zu",
                   size, size, goal);
    board->rows = board->columns = size;
    board->ends = "column";
    board->marks[0] = (xp__board_mark){0, XP__SIGN_START, "start"};
    board->marks[1] =
        (xp__board_mark){(size - 1) * size + goal, XP__SIGN_GOAL, "goal, hidden from the agent"};
    board->mark_count = 2;
}

static const xp__board_type board_type = {
    .cell = board_cell, .move = board_move, .describe = board_describe};

static const xp__contexts_type contexts_type = {.size = contexts_size,
                                                .likelihood = likelihood,
                                                .plan = plan,
                                                .values = values,
                                                .observe = observe};

const xp__env_type xp__env_deep_sea = {
    .name = "deep_sea",
    .summary = "a dive of M steps, left or right, to a goal in the last row; the hidden context is "
               "the goal's column",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .env_size = sizeof(sea),
    .init = init,
    .deinit = deinit,
    .task_size = task_size,
    .task_draw = task_draw,
    .task_reset = task_reset,
    .task_step = task_step,
    .task_optimal_q = task_optimal_q,
    .task_policy_value = task_policy_value,
    .task_optimal_value = task_optimal_value,
    .contexts = &contexts_type,
    .task_set_context = task_set_context,
    .board = &board_type,
};
