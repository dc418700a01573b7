/* Frozen Lake: its rules, its exact values with and without sight of the hazard, its experts. */
#include "claim.h"
#include "expert_action.h"

#include "env/context.h"
#include "env/frozen_lake.h"
#include "experior/demos.h"
#include "env/create.h"
#include "expert/expert_type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MDP, POMDP };
enum { UP, RIGHT, DOWN, LEFT };

typedef struct walk {
    xp_env *env;
    xp_task *task;
    xp_rng rng;
} walk;

static xp_status create(double hazards, double observation, xp_env **env, xp_error *error) {
    xp__params params;
    *env = NULL;
    xp_rng rng = xp_rng_seed(1);
    xp_status status = xp__env_params_default("frozen_lake", &params, error);
    if (status == XP_OK) {
        status = xp__params_set(&params, "hazards", hazards, error);
    }
    if (status == XP_OK) {
        status = xp__params_set(&params, "observation", observation, error);
    }
    return status == XP_OK ? xp__env_create("frozen_lake", &params, &rng, env, error) : status;
}

static walk start(int hazards, int observation, uint64_t seed) {
    walk made = {.rng = xp_rng_seed(seed)};
    xp_error error;
    if (create(hazards, observation, &made.env, &error) != XP_OK ||
        xp_task_create(made.env, &made.task, &error) != XP_OK) {
        EXPECT_TEXT(error.message, "(created)");
        abort();
    }
    xp_task_draw(made.task, &made.rng);
    return made;
}

static void finish(walk *made) {
    xp_task_destroy(made->task);
    xp_env_destroy(made->env);
}

static double largest(const double *q) {
    return fmax(fmax(q[0], q[1]), fmax(q[2], q[3]));
}

CLAIM(a_lake_is_two_cell_numbers_and_the_pomdp_hides_the_second) {
    for (int observation = MDP; observation <= POMDP; observation++) {
        walk made = start(5, observation, 2);
        const xp_env_info info = xp_env_describe(made.env);
        EXPECT(info.actions == 4 && info.horizon == 100 && info.state_size == 2);
        EXPECT(info.categories[0] == 25 && info.categories[1] == 25);
        for (int episode = 0; episode < 50; episode++) {
            double state[2] = {-7, -7};
            xp_task_reset(made.task, &made.rng, state);
            EXPECT(state[0] == 10);
            EXPECT(observation == POMDP ? state[1] == -1
                                        : xp__lake_cell_square((size_t)state[1]) < 9);
            const double before = state[1];
            EXPECT(xp_task_step(made.task, &made.rng, UP, state).end == XP_CONTINUES);
            EXPECT(state[0] == 5 && state[1] == before);
        }
        finish(&made);
    }
}

CLAIM(moves_go_up_right_down_left_and_stay_at_the_border) {
    for (size_t cell = 0; cell < 25; cell++) {
        const int row = (int)cell / 5, column = (int)cell % 5;
        static const int down[] = {-1, 0, 1, 0}, right[] = {0, 1, 0, -1};
        for (size_t action = 0; action < 4; action++) {
            const int r = row + down[action], c = column + right[action];
            const bool off = r < 0 || r > 4 || c < 0 || c > 4;
            EXPECT(xp__lake_move(cell, action) == (off ? cell : (size_t)(5 * r + c)));
        }
    }
    static const size_t interior[] = {6, 7, 8, 11, 12, 13, 16, 17, 18};
    for (size_t square = 0; square < 9; square++) {
        EXPECT(xp__lake_square_cell(square) == interior[square]);
        EXPECT(xp__lake_cell_square(interior[square]) == square);
    }
    EXPECT(xp__lake_cell_square(10) == 9 && xp__lake_cell_square(14) == 9);
}

/* Straight ahead: the fourth move is the goal's 20, or one of them is the hazard's -100. */
CLAIM(goal_and_hazard_pay_instead_of_the_move_and_end_the_episode) {
    walk made = start(9, MDP, 3);
    int found = 0;
    for (int episode = 0; episode < 200; episode++) {
        double state[2], total = 0;
        size_t steps = 0;
        xp_task_reset(made.task, &made.rng, state);
        const double hazard = state[1];
        bool done = false;
        while (!done) {
            const xp_step step = xp_task_step(made.task, &made.rng, RIGHT, state);
            total += step.reward;
            done = step.end != XP_CONTINUES;
            steps++;
        }
        if (hazard >= 11 && hazard <= 13) {
            EXPECT(total == -100 - 2 * (hazard - 11) && steps == (size_t)hazard - 10);
            EXPECT(state[0] == hazard);
            found++;
        } else {
            EXPECT(total == 14 && steps == 4 && state[0] == 14);
        }
    }
    EXPECT(found > 0 && found < 200);
    finish(&made);
}

CLAIM(an_episode_ends_after_a_hundred_steps) {
    walk made = start(9, POMDP, 4);
    double state[2], total = 0;
    xp_task_reset(made.task, &made.rng, state);
    for (int step = 1; step <= 100; step++) {
        const xp_step taken = xp_task_step(made.task, &made.rng, LEFT, state);
        total += taken.reward;
        EXPECT((taken.end != XP_CONTINUES) == (step == 100));
    }
    EXPECT(total == -200 && state[0] == 10);
    finish(&made);
}

CLAIM(the_hazard_stays_in_the_tasks_set_and_every_set_is_equally_likely) {
    enum { TASKS = 3600, EPISODES = 60 };
    walk made = start(2, MDP, 5);
    static size_t seen[512];
    for (int n = 0; n < TASKS; n++) {
        xp_task_draw(made.task, &made.rng);
        size_t set = 0;
        for (int episode = 0; episode < EPISODES; episode++) {
            double state[2];
            xp_task_reset(made.task, &made.rng, state);
            set |= (size_t)1 << xp__lake_cell_square((size_t)state[1]);
        }
        seen[set]++; /* one of two squares is missed with probability 2^-59 */
    }
    int sets = 0;
    for (size_t set = 0; set < 512; set++) {
        if (seen[set] > 0) { /* 6 standard errors of a binomial with p = 1/36 */
            EXPECT_NEAR((double)seen[set] / TASKS, 1.0 / 36, 6 * sqrt(1.0 / 36 * 35 / 36 / TASKS));
            sets++;
        }
    }
    EXPECT(sets == 36);
    finish(&made);
}

CLAIM(q_satisfies_the_bellman_equation_exactly) {
    double q[25][4];
    for (size_t square = 0; square < 9; square++) {
        const size_t hazard = xp__lake_square_cell(square);
        xp__lake_optimal_q(hazard, q);
        for (size_t cell = 0; cell < 25; cell++) {
            for (size_t action = 0; action < 4; action++) {
                const size_t next = xp__lake_move(cell, action);
                const double wanted = cell == 14 || cell == hazard ? 0
                                      : next == 14                 ? 20
                                      : next == hazard             ? -100
                                                                   : -2 + largest(q[next]);
                EXPECT(q[cell][action] == wanted);
            }
        }
        EXPECT(largest(q[10]) == (square / 3 == 1 ? 10 : 14)); /* around it, or straight ahead */
    }
}

/* V*(start) less the sum of V* - Q* is the return, and the value of where a cut episode stopped. */
CLAIM(regret_adds_up_to_the_shortfall_of_the_episode) {
    walk made = start(9, POMDP, 6);
    for (int episode = 0; episode < 300; episode++) {
        double state[2], q[4], total = 0, regret = 0;
        xp_task_reset(made.task, &made.rng, state);
        xp__task_optimal_q(made.task, state, q);
        const double value = largest(q);
        for (bool done = false; !done;) {
            /* episodes that drift right end; those that push left mostly do not */
            const size_t action = xp_rng_bernoulli(&made.rng, 0.4)
                                      ? (size_t)(episode % 2 == 0 ? LEFT : RIGHT)
                                      : (size_t)xp_rng_below(&made.rng, 4);
            const xp_step step = xp_task_step(made.task, &made.rng, action, state);
            total += step.reward;
            regret += step.regret;
            done = step.end != XP_CONTINUES;
        }
        xp__task_optimal_q(made.task, state, q);
        EXPECT(value - regret == total + largest(q)); /* whole numbers: exact */
    }
    finish(&made);
}

/* Expected returns of the best learner, averaged over all sets of n squares. Seen: 14 for the six
 * squares off the middle row, 10 for the three on it. Not seen: walking on a square of the set
 * fails with probability 1/9 or more and costs over 100, and the way round all squares is only 8
 * worse than the way straight ahead; so the best is the shortest way around the whole set: 14, 10
 * or 6. For n = 2, 15 of 36 sets leave the middle row free and the others leave a way of 6 moves.
 */
CLAIM(optimal_returns_averaged_over_sets_are_those_of_the_paper) {
    static const struct {
        int hazards;
        double seen, blind;
    } expected[] = {{1, 12 + 2.0 / 3, 12 + 2.0 / 3},
                    {2, 12 + 2.0 / 3, 11 + 2.0 / 3},
                    {5, 12 + 2.0 / 3, 6 + 8.0 / 9},
                    {7, 12 + 2.0 / 3, 6},
                    {9, 12 + 2.0 / 3, 6}};
    static double value[XP__LAKE_SETS][XP__LAKE_CELLS];
    double q[9][25][4];
    xp__lake_blind_values(value);
    for (size_t square = 0; square < 9; square++) {
        xp__lake_optimal_q(xp__lake_square_cell(square), q[square]);
    }
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        double seen = 0, blind = 0, sets = 0;
        for (size_t set = 0; set < 512; set++) {
            double hazards = 0, sum = 0;
            for (size_t square = 0; square < 9; square++) {
                hazards += (double)(set >> square & 1);
                sum += (set >> square & 1) != 0 ? largest(q[square][10]) : 0;
            }
            if (hazards == expected[i].hazards) {
                EXPECT(value[set][10] == 14 || value[set][10] == 10 || value[set][10] == 6);
                EXPECT(value[set][10] <= sum / hazards + 1e-12);
                seen += sum / hazards;
                blind += value[set][10];
                sets++;
            }
        }
        EXPECT_NEAR(seen / sets, expected[i].seen, 1e-13);
        EXPECT_NEAR(blind / sets, expected[i].blind, 1e-13);
    }
}

/* By hand. Squares 1, 4 and 7 are the middle column: cells 7, 12 and 17. */
CLAIM(the_blind_value_prices_risk_and_learns_from_survival) {
    static double value[XP__LAKE_SETS][XP__LAKE_CELLS];
    xp__lake_blind_values(value);
    const size_t column = 1 << 1 | 1 << 4 | 1 << 7;
    EXPECT(isnan(value[0][10]) && isnan(value[column][12])); /* no such beliefs */
    EXPECT(value[column][10] == 6);           /* the column is not worth a risk of 1/3: go round */
    EXPECT(value[1 << 1 | 1 << 7][12] == 18); /* survived cell 12: two moves to the goal */
    EXPECT(value[511 ^ 1][6] == 10);          /* survived cell 6: up, and 5 more by the border */
    /* Survived cell 12 in the middle of all squares: over cell 13 with a risk of 1/8, else -2 + 20;
     * any other way out has the same risk and is longer. */
    EXPECT_NEAR(value[511 ^ 1 << 4][12], (-100 + 7 * (-2 + 20.0)) / 8, 1e-13);
    for (size_t set = 1; set < 512; set++) { /* the border is always open */
        EXPECT(value[set][10] >= 6 && value[set][14] == 0);
    }
}

/* An action for each cell and, where it is seen, for each hazard. */
typedef struct rule {
    size_t action[26][25]; /* the row of hazard h is h + 1: row 0 is that of a hidden one */
    size_t asked;
} rule;

static size_t obey(void *context, const double *state) {
    rule *self = context;
    self->asked++;
    return self->action[(size_t)(state[1] + 1)][(size_t)state[0]];
}

/* Return of an episode with the hazard on that cell, played step by step. */
static double play(walk *made, rule *self, size_t hazard) {
    const double below = (double)hazard + 5;
    double state[2], q[4], total = 0;
    do { /* until the episode has that hazard, which Q* one row below it gives away */
        xp_task_reset(made->task, &made->rng, state);
        xp__task_optimal_q(made->task, &below, q);
    } while (q[UP] != -100);
    for (bool done = false; !done;) {
        const xp_step step = xp_task_step(made->task, &made->rng, obey(self, state), state);
        total += step.reward;
        done = step.end != XP_CONTINUES;
    }
    return total;
}

/* Random policies that drift to the right, so that some arrive, some fall and some go in circles.
 */
CLAIM(the_exact_value_of_a_policy_is_the_mean_over_hazards_of_its_episodes) {
    static const int hazards[] = {1, 2, 5, 9};
    static rule self;
    int looped = 0, fell = 0, arrived = 0;
    for (int trial = 0; trial < 160; trial++) {
        const int n = hazards[trial / 2 % 4];
        walk made = start(n, trial % 2, 100 + (uint64_t)trial);
        for (size_t i = 0; i < 26 * 25; i++) {
            self.action[i / 25][i % 25] =
                xp_rng_bernoulli(&made.rng, 0.5) ? RIGHT : (size_t)xp_rng_below(&made.rng, 4);
        }
        const size_t context = (size_t)trial % xp_env_describe(made.env).contexts;
        const size_t set = ((const xp__lake *)made.env)->sets[context];
        xp__task_set_context(made.task, context);
        double total = 0;
        for (size_t square = 0; square < 9; square++) {
            if ((set >> square & 1) != 0) {
                const double got = play(&made, &self, xp__lake_square_cell(square));
                looped += got == -200;
                fell += got < 0 && got > -200;
                arrived += got > 0;
                total += got;
            }
        }
        self.asked = 0;
        EXPECT_NEAR(xp__task_policy_value(made.task, obey, &self), total / n, 1e-13);
        EXPECT(self.asked <= (trial % 2 == POMDP ? 25u : 25u * (size_t)n));
        EXPECT(xp__task_optimal_value(made.task) >= total / n);
        finish(&made);
    }
    EXPECT(looped > 20 && fell > 20 && arrived > 20);
}

/* 14 for six hazards of nine; the other three end it after 1, 2 or 3 moves: -102 on average. */
CLAIM(the_straight_line_is_worth_two_thirds_of_14_and_a_third_of_minus_102) {
    static rule straight;
    for (size_t i = 0; i < 26 * 25; i++) {
        straight.action[i / 25][i % 25] = RIGHT;
    }
    for (int observation = MDP; observation <= POMDP; observation++) {
        walk made = start(9, observation, 14);
        EXPECT_NEAR(xp__task_policy_value(made.task, obey, &straight), (2 * 14 - 102) / 3.0, 1e-14);
        straight.action[0][10] = LEFT; /* into the wall, for who does not see the hazard */
        EXPECT_NEAR(xp__task_policy_value(made.task, obey, &straight),
                    observation == POMDP ? -200 : (2 * 14 - 102) / 3.0, 1e-14);
        straight.action[0][10] = RIGHT;
        finish(&made);
    }
}

/* The same numbers as of the tables above, by the door that a study uses. */
CLAIM(the_optimal_value_of_a_task_averages_to_the_optimal_row_of_the_paper) {
    static const struct {
        int hazards;
        double blind;
    } expected[] = {{2, 11 + 2.0 / 3}, {5, 6 + 8.0 / 9}, {7, 6}, {9, 6}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        for (int observation = MDP; observation <= POMDP; observation++) {
            walk made = start(expected[i].hazards, observation, 15);
            const size_t sets = xp_env_describe(made.env).contexts;
            double sum = 0;
            for (size_t c = 0; c < sets; c++) {
                xp__task_set_context(made.task, c);
                sum += xp__task_optimal_value(made.task);
            }
            EXPECT_NEAR(sum / (double)sets, observation == MDP ? 12 + 2.0 / 3 : expected[i].blind,
                        1e-13);
            finish(&made);
        }
    }
}

/* Exact expectation over hazards of length and return of the expert of competence beta, by running
 * the distribution over cells forward for 100 steps. `square_total` is that of the squared return.
 */
static void expect_expert(double beta, double *length, double *total, double *square_total) {
    *length = *total = *square_total = 0;
    for (size_t square = 0; square < 9; square++) {
        const size_t hazard = xp__lake_square_cell(square);
        double q[25][4], mass[25] = {0};
        xp__lake_optimal_q(hazard, q);
        mass[10] = 1.0 / 9;
        for (int step = 0; step < 100; step++) {
            double next[25] = {0};
            for (size_t cell = 0; cell < 25; cell++) {
                double weight[4], sum = 0;
                for (size_t a = 0; a < 4; a++) {
                    weight[a] = exp(beta * (q[cell][a] - largest(q[cell])));
                    sum += weight[a];
                }
                *length += mass[cell];
                for (size_t a = 0; a < 4; a++) {
                    const double p = mass[cell] * weight[a] / sum;
                    const size_t to = xp__lake_move(cell, a);
                    const double end = to == 14 ? 20 : to == hazard ? -100 : -2;
                    *total += p * end;
                    if (to == 14 || to == hazard || step == 99) {
                        *square_total += p * (end - 2 * step) * (end - 2 * step);
                    } else {
                        next[to] += p;
                    }
                }
            }
            memcpy(mass, next, sizeof mass);
        }
    }
}

/* Mean length and return at n = 9 were sampled in a trial: 34 / 5.2 / 4.7 / 4.7 and -46.9 / 11.6 /
 * 12.65 / 12.68. The exact ones are within its error; drawn demonstrations must agree with them. */
CLAIM(noisily_rational_experts_have_the_lengths_and_returns_of_their_competence) {
    static const double beta[] = {0.1, 1, 2.5, 10};
    static const double trial_length[] = {34, 5.2, 4.7, 4.7};
    static const double trial_return[] = {-46.9, 11.6, 12.65, 12.68};
    static const double trial_error[] = {0.5, 0.05, 0.05, 0.05}; /* its digits and sampling */
    enum { N = 4000 };
    for (size_t i = 0; i < 4; i++) {
        double length, total, squares;
        expect_expert(beta[i], &length, &total, &squares);
        EXPECT(fabs(length - trial_length[i]) < trial_error[i]);
        EXPECT(fabs(total - trial_return[i]) < trial_error[i]);
        walk made = start(9, POMDP, 7 + i);
        xp__params params;
        xp_expert *expert;
        EXPECT(xp__expert_params_default("noisily_rational", &params, NULL) == XP_OK);
        EXPECT(xp__params_set(&params, "beta", beta[i], NULL) == XP_OK);
        EXPECT(xp__expert_create("noisily_rational", &params, &expert, NULL) == XP_OK);
        double steps = 0, sum = 0;
        for (int n = 0; n < N; n++) {
            double state[2];
            xp_task_draw(made.task, &made.rng);
            xp_task_reset(made.task, &made.rng, state);
            for (bool done = false; !done; steps++) {
                const size_t action = expert_action(expert, &made.rng, made.task, state);
                const xp_step step = xp_task_step(made.task, &made.rng, action, state);
                sum += step.reward;
                done = step.end != XP_CONTINUES;
            }
        }
        /* 5 standard errors; a length is at most 100, so its variance at most length × 100 */
        const double error = 5 * sqrt(fmax(squares - total * total, 0) / N);
        EXPECT(fabs(sum / N - total) < error);
        EXPECT(fabs(steps / N - length) < 5 * sqrt(length * (100 - length) / N));
        xp_expert_destroy(expert);
        finish(&made);
    }
}

/* The learner of the POMDP is shown what the expert did, not what it saw. */
CLAIM(demonstrations_of_the_pomdp_do_not_show_the_hazard) {
    walk made = start(9, POMDP, 12);
    xp_expert *expert;
    xp_demos *demos;
    EXPECT(xp_expert_create("optimal", &expert, NULL) == XP_OK);
    EXPECT(xp_demos_draw(made.env, expert, 500, &made.rng, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_distinct(demos) >= 2); /* straight ahead, and ways around */
    uint64_t straight = 0;
    for (size_t i = 0; i < xp_demos_distinct(demos); i++) {
        const xp_trajectory one = xp_demos_trajectory(demos, i);
        EXPECT(one.length == 4 || one.length == 6);
        straight += one.length == 4 ? one.count : 0;
        for (size_t step = 0; step < one.length; step++) {
            EXPECT(one.states[2 * step + 1] == -1);
        }
    }
    EXPECT_NEAR((double)straight / 500, 2.0 / 3, 5 * sqrt(2.0 / 9 / 500));
    xp_demos_destroy(demos);
    xp_expert_destroy(expert);
    finish(&made);
}

CLAIM(impossible_lakes_are_refused_in_a_sentence) {
    xp_env *env;
    xp_error error;
    EXPECT(create(0, MDP, &env, &error) == XP_ERR_INPUT && env == NULL);
    EXPECT_TEXT(error.message, "frozen_lake.hazards = 0 is outside [1, 9]");
    EXPECT(create(10, MDP, &env, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "frozen_lake.hazards = 10 is outside [1, 9]");
    xp__params params;
    EXPECT(xp__env_params_default("frozen_lake", &params, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "observation", "blind", &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "frozen_lake.observation = 'blind' is not one of mdp|pomdp");
}
