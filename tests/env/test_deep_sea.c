/* Deep Sea: its rewards, its exact values and its demonstrations, by hand and by recomputation. */
#include "claim.h"

#include "env/context.h"
#include "experior/demos.h"
#include "env/create.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT, RIGHT };

typedef struct dive {
    xp_env *env;
    xp_task *task;
    xp_rng rng;
} dive;

static xp_status set_all(xp__params *params, const char *settings, xp_error *error) {
    char text[128], *rest = text;
    (void)snprintf(text, sizeof text, "%s", settings);
    xp_status status = XP_OK;
    for (char *key = strtok_r(rest, "=", &rest); key != NULL && status == XP_OK;
         key = strtok_r(rest, "=", &rest)) {
        status = xp__params_set_text(params, key, strtok_r(rest, ",", &rest), error);
    }
    return status;
}

static xp_status create(const char *settings, xp_env **env, xp_error *error) {
    xp__params params;
    *env = NULL;
    xp_rng rng = xp_rng_seed(1);
    xp_status status = xp__env_params_default("deep_sea", &params, error);
    if (status == XP_OK) {
        status = set_all(&params, settings, error);
    }
    return status == XP_OK ? xp__env_create("deep_sea", &params, &rng, env, error) : status;
}

static dive start(const char *settings) {
    dive made = {.rng = xp_rng_seed(2)};
    xp_error error;
    if (create(settings, &made.env, &error) != XP_OK ||
        xp_task_create(made.env, &made.task, &error) != XP_OK) {
        EXPECT_TEXT(error.message, "(created)");
        abort();
    }
    xp_task_draw(made.task, &made.rng);
    return made;
}

static void finish(dive *made) {
    xp_task_destroy(made->task);
    xp_env_destroy(made->env);
}

/* V* of a cell. */
static double best_value(const dive *made, double cell) {
    double q[2];
    xp__task_optimal_q(made->task, &cell, q);
    return fmax(q[0], q[1]);
}

/* Plays and returns the return; `regret` is the sum of V* - Q*. The action is bit h of `moves`. */
static double play(dive *made, uint64_t moves, double *rewards, double *regret, double *cells) {
    const size_t horizon = xp_env_describe(made->env).horizon;
    double state, total = 0;
    *regret = 0;
    xp_task_reset(made->task, &made->rng, &state);
    for (size_t h = 0; h < horizon; h++) {
        cells[h] = state;
        const xp_step step = xp_task_step(made->task, &made->rng, moves >> h & 1, &state);
        rewards[h] = step.reward;
        total += step.reward;
        *regret += step.regret;
        EXPECT((step.end != XP_CONTINUES) == (h + 1 == horizon));
    }
    return total;
}

CLAIM(a_deep_sea_is_one_cell_number_of_size_squared) {
    dive made = start("size=7");
    const xp_env_info info = xp_env_describe(made.env);
    EXPECT(info.actions == 2 && info.horizon == 7 && info.state_size == 1);
    EXPECT(info.categories[0] == 49);
    finish(&made);
}

/* 30 cells left from which the goal can be reached at -0.01/30 each, and 1 in the last. The
 * authors' solved runs end at 0.99 as well; the penalty ends with the goal cell, not before it,
 * which would give 0.9903. */
CLAIM(a_perfect_dive_returns_0_99) {
    dive made = start("size=30");
    double rewards[30], cells[30], regret;
    EXPECT_NEAR(play(&made, UINT64_MAX, rewards, &regret, cells), 0.99, 1e-14);
    EXPECT(regret == 0);
    EXPECT_NEAR(best_value(&made, 0), 0.99, 1e-14);
    for (size_t h = 0; h < 30; h++) {
        EXPECT(cells[h] == (double)(31 * h));
        EXPECT_NEAR(rewards[h], (h == 29) - 0.01 / 30, 1e-16);
    }
    finish(&made);
}

/* Size 4, goal in column 2 (cell 14). Rewards belong to the cell left; penalty 0.0025. */
CLAIM(rewards_stop_when_the_goal_is_too_far_and_do_not_depend_on_the_action) {
    static const struct {
        uint64_t moves; /* bit h: right at step h */
        double reward[4], cell[4];
    } expected[] = {
        {0x6, {-0.0025, -0.0025, -0.0025, 0.9975}, {0, 4, 9, 14}}, /* left, right, right: found */
        {0xe, {-0.0025, -0.0025, -0.0025, 0.9975}, {0, 4, 9, 14}}, /* the last action is idle */
        {0x3,
         {-0.0025, -0.0025, -0.0025, 0},
         {0, 5, 10, 13}},                               /* above it, and no way straight down */
        {0x0, {-0.0025, -0.0025, 0, 0}, {0, 4, 8, 12}}, /* along the wall */
        {0x7, {-0.0025, -0.0025, -0.0025, 0}, {0, 5, 10, 15}}, /* past it */
        {0x1, {-0.0025, -0.0025, 0, 0}, {0, 5, 8, 12}},
    };
    dive made = start("size=4,goal_low=2,goal_high=2");
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        double rewards[4], cells[4], regret;
        (void)play(&made, expected[i].moves, rewards, &regret, cells);
        for (size_t h = 0; h < 4; h++) {
            EXPECT_NEAR(rewards[h], expected[i].reward[h], 1e-16);
            EXPECT(cells[h] == expected[i].cell[h]);
        }
    }
    finish(&made);
}

/* Every sequence of actions, so every state that can be met: the sum of V* - Q* is what the episode
 * fell short of V*(start), and the best of them all is V*(start). */
CLAIM(regret_adds_up_to_the_shortfall_of_the_episode_and_the_best_is_the_value) {
    for (int goal = 0; goal < 8; goal++) {
        char settings[64];
        (void)snprintf(settings, sizeof settings, "size=8,goal_low=%d,goal_high=%d", goal, goal);
        dive made = start(settings);
        double best = -1;
        for (uint64_t moves = 0; moves < 256; moves++) {
            double rewards[8], cells[8], regret;
            const double total = play(&made, moves, rewards, &regret, cells);
            EXPECT_NEAR(best_value(&made, 0) - total, regret, 1e-14);
            best = fmax(best, total);
        }
        EXPECT_NEAR(best, best_value(&made, 0), 1e-15);
        EXPECT_NEAR(best, 0.99, 1e-14); /* every column can be reached from the corner */
        finish(&made);
    }
}

/* The reward and the move are written here once more, from the definition. */
CLAIM(q_satisfies_the_bellman_equation_in_every_cell) {
    enum { M = 13 };
    for (int goal = 0; goal < M; goal += 3) {
        char settings[64];
        (void)snprintf(settings, sizeof settings, "size=%d,goal_low=%d,goal_high=%d", M, goal,
                       goal);
        dive made = start(settings);
        for (int cell = 0; cell < M * M; cell++) {
            const int row = cell / M, column = cell % M;
            const double state = cell;
            double q[2];
            xp__task_optimal_q(made.task, &state, q);
            for (int action = 0; action < 2; action++) {
                double wanted = abs(goal - column) <= M - 1 - row ? -0.01 / M : 0;
                wanted += row == M - 1 && column == goal ? 1 : 0;
                if (row < M - 1) {
                    int next = column + (action == RIGHT ? 1 : -1);
                    next = next < 0 ? 0 : next >= M ? M - 1 : next;
                    wanted += best_value(&made, (row + 1) * M + next);
                }
                EXPECT(q[action] == wanted);
            }
        }
        finish(&made);
    }
}

/* The action in row h is bit h of the context, a uint64_t. */
static size_t by_row(void *context, const double *state) {
    return *(const uint64_t *)context >> ((size_t)*state / 8) & 1;
}

/* Every path of size 8 under every goal against the dive itself. */
CLAIM(the_exact_value_of_a_policy_is_the_return_of_its_dive) {
    dive made = start("size=8,goal=any");
    for (size_t goal = 0; goal < 8; goal++) {
        xp__task_set_context(made.task, goal);
        EXPECT_NEAR(xp__task_optimal_value(made.task), 0.99, 1e-14);
        double best = -1;
        for (uint64_t moves = 0; moves < 256; moves++) {
            double rewards[8], cells[8], regret;
            const double total = play(&made, moves, rewards, &regret, cells);
            const double exact = xp__task_policy_value(made.task, by_row, &moves);
            EXPECT(exact == total);
            best = fmax(best, exact);
        }
        EXPECT_NEAR(best, xp__task_optimal_value(made.task), 1e-15);
    }
    finish(&made);
}

CLAIM(asking_for_values_leaves_the_episode_alone) {
    dive made = start("size=8,goal=last");
    const uint64_t moves = 0, *left = &moves;
    double state;
    xp_task_reset(made.task, &made.rng, &state);
    (void)xp_task_step(made.task, &made.rng, RIGHT, &state);
    EXPECT(xp__task_policy_value(made.task, by_row, (void *)left) < 0);
    EXPECT(xp__task_optimal_value(made.task) > 0.98);
    (void)xp_task_step(made.task, &made.rng, RIGHT, &state);
    EXPECT(state == 2 * 8 + 2);
    finish(&made);
}

CLAIM(goals_are_uniform_on_the_columns_that_were_asked_for) {
    static const struct {
        const char *settings;
        size_t size, low, high;
    } cases[] = {
        {"goal=last", 30, 29, 29},
        {"goal=quarter", 30, 22, 29},
        {"goal=half", 30, 15, 29},
        {"goal=any", 30, 0, 29},
        {"size=7,goal=quarter", 7, 5, 6},
        {"size=7,goal=half", 7, 3, 6},
        {"size=2,goal=quarter", 2, 1, 1},
        {"goal=last,goal_high=3", 30, 0, 3},
        {"goal=half,goal_low=28", 30, 28, 29},
        {"goal_low=4,goal_high=6", 30, 4, 6},
    };
    enum { N = 6000 };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dive made = start(cases[i].settings);
        const size_t size = cases[i].size, columns = cases[i].high - cases[i].low + 1;
        size_t seen[30] = {0};
        for (int n = 0; n < N; n++) {
            xp_task_draw(made.task, &made.rng);
            for (size_t column = 0; column < size; column++) { /* the goal is where it pays */
                seen[column] +=
                    best_value(&made, (double)((size - 1) * size + column)) > 0.5 ? 1 : 0;
            }
        }
        const double p = 1.0 / (double)columns;
        for (size_t column = 0; column < size; column++) {
            const bool inside = column >= cases[i].low && column <= cases[i].high;
            EXPECT(inside || seen[column] == 0);
            if (inside) { /* 6 standard errors: false alarm below 1e-6 over all columns */
                EXPECT_NEAR((double)seen[column] / N, p, 6 * sqrt(p * (1 - p) / N));
            }
        }
        finish(&made);
    }
}

/* The expert goes left while it may, so the way to column g is 29 - g steps along the wall, then g
 * to the right, then a last action that does not matter: left. */
CLAIM(optimal_demonstrations_are_one_trajectory_a_goal) {
    xp_env *env;
    xp_expert *expert;
    xp_demos *demos;
    xp_rng rng = xp_rng_seed(3);
    EXPECT(create("goal=any", &env, NULL) == XP_OK);
    EXPECT(xp_expert_create("optimal", &expert, NULL) == XP_OK);
    EXPECT(xp_demos_draw(env, expert, 1000, &rng, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_count(demos) == 1000);
    EXPECT(xp_demos_distinct(demos) == 30); /* a column is missed with probability 30 exp(-33) */
    bool met[30] = {false};
    for (size_t i = 0; i < xp_demos_distinct(demos); i++) {
        const xp_trajectory one = xp_demos_trajectory(demos, i);
        EXPECT(one.length == 30);
        const size_t goal = (size_t)one.states[29] % 30;
        EXPECT(!met[goal]);
        met[goal] = true;
        for (size_t h = 0; h < 30; h++) {
            const size_t column = h > 29 - goal ? h - (29 - goal) : 0;
            EXPECT(one.states[h] == (double)(30 * h + column));
            EXPECT(one.actions[h] == (h >= 29 - goal && h < 29 ? RIGHT : LEFT));
        }
    }
    xp_demos_destroy(demos);
    xp_expert_destroy(expert);
    xp_env_destroy(env);
}

CLAIM(demonstrations_keep_their_states_in_files) {
    static const xp_demos_format formats[] = {XP_DEMOS_CSV, XP_DEMOS_JSONL};
    xp_env *env;
    xp_expert *expert;
    xp_demos *demos, *loaded;
    xp_rng rng = xp_rng_seed(4);
    EXPECT(create("goal=half", &env, NULL) == XP_OK);
    EXPECT(xp_expert_create("optimal", &expert, NULL) == XP_OK);
    EXPECT(xp_demos_draw(env, expert, 200, &rng, &demos, NULL) == XP_OK);
    for (size_t f = 0; f < 2; f++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/sea.%zu", claim_directory(), f);
        EXPECT(xp_demos_save(demos, path, formats[f], NULL) == XP_OK);
        EXPECT(xp_demos_load(path, &loaded, NULL) == XP_OK);
        EXPECT(xp_demos_state_size(loaded) == 1 && xp_demos_actions(loaded) == 2);
        EXPECT(xp_demos_count(loaded) == 200);
        EXPECT(xp_demos_distinct(loaded) == xp_demos_distinct(demos));
        for (size_t i = 0; i < xp_demos_distinct(demos); i++) {
            const xp_trajectory a = xp_demos_trajectory(demos, i);
            const xp_trajectory b = xp_demos_trajectory(loaded, i);
            EXPECT(a.length == b.length && a.count == b.count);
            EXPECT(memcmp(a.states, b.states, a.length * sizeof *a.states) == 0);
            EXPECT(memcmp(a.actions, b.actions, a.length * sizeof *a.actions) == 0);
        }
        xp_demos_destroy(loaded);
    }
    xp_demos_destroy(demos);
    xp_expert_destroy(expert);
    xp_env_destroy(env);
}

CLAIM(impossible_seas_are_refused_in_a_sentence) {
    static const struct {
        const char *settings, *message;
    } bad[] = {
        {"size=1", "deep_sea.size = 1 is outside [2, 1024]"},
        {"size=2.5", "deep_sea.size = 2.5 is not a whole number"},
        {"goal=first", "deep_sea.goal = 'first' is not one of last|quarter|half|any"},
        {"goal_low=30", "deep_sea.goal_low = 30: the columns of size 30 are 0 to 29"},
        {"size=4,goal_high=4", "deep_sea.goal_high = 4: the columns of size 4 are 0 to 3"},
        {"goal_low=5,goal_high=3", "deep_sea.goal_low = 5 is after goal_high = 3"},
        {"goal_low=-1", "deep_sea.goal_low = -1 is outside [0, 1023]"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        xp_env *env;
        xp_error error;
        EXPECT(create(bad[i].settings, &env, &error) == XP_ERR_INPUT && env == NULL);
        EXPECT_TEXT(error.message, bad[i].message);
    }
}
