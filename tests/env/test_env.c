/* Environments: the contract that every registered one keeps, and the Bernoulli bandit's own law.
 */
#include "claim.h"

#include "env/context.h"
#include "env/env_type.h"
#include "env/task_distribution.h"
#include "experior/env.h"
#include "env/create.h"
#include "experior/catalogue.h"
#include "base/memory.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EPISODES = 40, CANARY = 3 };

static size_t allocations;

static void *count_reallocate(void *context, void *block, size_t bytes) {
    (void)context;
    allocations++;
    return realloc(block, bytes);
}

static void count_release(void *context, void *block) {
    (void)context;
    free(block);
}

static const xp__allocator counting = {count_reallocate, count_release, NULL};

typedef struct fixture {
    xp_env *env;
    xp_task *task;
    xp_env_info info;
    double *state; /* state_size numbers, then canaries */
    double *q;
} fixture;

static fixture make(const char *name, uint64_t seed) {
    fixture made = {.env = NULL};
    xp_rng rng = xp_rng_seed(seed);
    xp_error error;
    if (xp_env_create(name, &rng, &made.env, &error) != XP_OK ||
        xp_task_create(made.env, &made.task, &error) != XP_OK) {
        EXPECT_TEXT(error.message, "(created)");
        abort();
    }
    made.info = xp_env_describe(made.env);
    made.state = malloc((made.info.state_size + CANARY) * sizeof(double));
    made.q = malloc(made.info.actions * sizeof(double));
    for (size_t i = 0; i < made.info.state_size + CANARY; i++) {
        made.state[i] = 1234.5;
    }
    return made;
}

static void destroy(fixture *made) {
    xp_task_destroy(made->task);
    xp_env_destroy(made->env);
    free(made->state);
    free(made->q);
}

static bool canaries_live(const fixture *made) {
    bool live = true;
    for (size_t i = 0; i < CANARY; i++) {
        live = live && made->state[made->info.state_size + i] == 1234.5;
    }
    return live;
}

/* Finite, and where it is a category a whole number of its range or -1. */
static bool state_is_possible(const fixture *made) {
    bool possible = true;
    for (size_t i = 0; i < made->info.state_size; i++) {
        const double number = made->state[i], categories = (double)made->info.categories[i];
        possible =
            possible && isfinite(number) &&
            (categories == 0 || (number == floor(number) && number >= -1 && number < categories));
    }
    return possible;
}

CLAIM(every_environment_describes_itself_and_its_parameters) {
    EXPECT(xp_catalogue_count(XP_ENVIRONMENTS) >= 3);
    for (size_t i = 0; i < xp_catalogue_count(XP_ENVIRONMENTS); i++) {
        const char *name = xp_catalogue_get(XP_ENVIRONMENTS, i).name;
        EXPECT(name[0] != '\0' && xp_catalogue_get(XP_ENVIRONMENTS, i).summary[0] != '\0');
        for (size_t j = 0; j < i; j++) {
            EXPECT(strcmp(name, xp_catalogue_get(XP_ENVIRONMENTS, j).name) != 0);
        }
        xp__params params;
        EXPECT(xp__env_params_default(name, &params, NULL) == XP_OK);
        for (size_t k = 0; k < params.count; k++) {
            const xp_param *param = &params.table[k];
            EXPECT(param->name[0] != '\0' && param->summary[0] != '\0' &&
                   param->low <= param->high);
            xp__params copy = params; /* a default is a value that may be set */
            EXPECT(isnan(param->standard) ||
                   xp__params_set(&copy, param->name, param->standard, NULL) == XP_OK);
        }
    }
}

CLAIM(every_environment_keeps_to_its_sizes_and_ends_its_episodes) {
    for (size_t i = 0; i < xp_catalogue_count(XP_ENVIRONMENTS); i++) {
        fixture made = make(xp_catalogue_get(XP_ENVIRONMENTS, i).name, 1);
        EXPECT(strcmp(made.info.name, xp_catalogue_get(XP_ENVIRONMENTS, i).name) == 0);
        EXPECT(made.info.actions >= 2 && made.info.horizon >= 1);
        EXPECT((made.info.categories == NULL) == (made.info.state_size == 0));
        xp_rng rng = xp_rng_seed(2);
        for (int episode = 0; episode < EPISODES; episode++) {
            xp_task_draw(made.task, &rng);
            xp_task_reset(made.task, &rng, made.state);
            size_t steps = 0;
            for (bool done = false; !done && steps <= made.info.horizon; steps++) {
                const size_t action = xp_rng_below(&rng, made.info.actions);
                done = xp_task_step(made.task, &rng, action, made.state).end != XP_CONTINUES;
                EXPECT(canaries_live(&made) && state_is_possible(&made));
            }
            EXPECT(steps <= made.info.horizon);
        }
        destroy(&made);
    }
}

CLAIM(regret_is_the_best_value_minus_the_value_of_the_action) {
    for (size_t i = 0; i < xp_catalogue_count(XP_ENVIRONMENTS); i++) {
        fixture made = make(xp_catalogue_get(XP_ENVIRONMENTS, i).name, 3);
        xp_rng rng = xp_rng_seed(4);
        for (int episode = 0; episode < EPISODES; episode++) {
            xp_task_draw(made.task, &rng);
            xp_task_reset(made.task, &rng, made.state);
            for (bool done = false; !done;) {
                xp__task_optimal_q(made.task, made.state, made.q);
                double best = made.q[0];
                for (size_t a = 1; a < made.info.actions; a++) {
                    best = fmax(best, made.q[a]);
                }
                const size_t action = xp_rng_below(&rng, made.info.actions);
                const xp_step step = xp_task_step(made.task, &rng, action, made.state);
                EXPECT_NEAR(step.regret, best - made.q[action], 1e-12);
                EXPECT(step.regret >= 0 && isfinite(step.reward));
                done = step.end != XP_CONTINUES;
            }
        }
        destroy(&made);
    }
}

/* Runs episodes on a fresh environment and folds all that comes out into one number. */
static double fold(const char *name, uint64_t seed) {
    fixture made = make(name, seed);
    xp_rng root = xp_rng_seed(seed), context = xp_rng_fork(&root, 0), luck = xp_rng_fork(&root, 1),
           choice = xp_rng_fork(&root, 2);
    double folded = 0;
    for (int episode = 0; episode < EPISODES; episode++) {
        xp_task_draw(made.task, &context);
        xp_task_reset(made.task, &luck, made.state);
        for (bool done = false; !done;) {
            const size_t action = xp_rng_below(&choice, made.info.actions);
            const xp_step step = xp_task_step(made.task, &luck, action, made.state);
            folded = 0.9 * folded + step.reward + 3 * step.regret;
            for (size_t k = 0; k < made.info.state_size; k++) {
                folded += made.state[k] * (double)(k + 1);
            }
            done = step.end != XP_CONTINUES;
        }
    }
    destroy(&made);
    return folded;
}

static size_t always(void *action, const double *state) {
    (void)state;
    return *(const size_t *)action;
}

/* Constant policies against 400 episodes each, 6 standard errors; the rest is for arms that paid
 * the same 400 times, whose error cannot be seen. */
CLAIM(every_environment_values_policies_exactly_and_none_above_its_optimum) {
    enum { N = 400 };
    for (size_t i = 0; i < xp_catalogue_count(XP_ENVIRONMENTS); i++) {
        fixture made = make(xp_catalogue_get(XP_ENVIRONMENTS, i).name, 15);
        xp_rng rng = xp_rng_seed(16);
        for (int draw = 0; draw < 5; draw++) {
            xp_task_draw(made.task, &rng);
            const double optimal = xp__task_optimal_value(made.task);
            for (size_t action = 0; action < made.info.actions; action++) {
                double sum = 0, squares = 0;
                for (int episode = 0; episode < N; episode++) {
                    double total = 0;
                    xp_task_reset(made.task, &rng, made.state);
                    for (bool done = false; !done;) {
                        const xp_step step = xp_task_step(made.task, &rng, action, made.state);
                        total += step.reward;
                        done = step.end != XP_CONTINUES;
                    }
                    sum += total;
                    squares += total * total;
                }
                const double mean = sum / N;
                const double error = sqrt(fmax(squares / N - mean * mean, 0) / N);
                const double exact = xp__task_policy_value(made.task, always, &action);
                EXPECT(fabs(exact - mean) <= 6 * error + 0.05);
                EXPECT(exact <= optimal + 1e-12);
            }
        }
        destroy(&made);
    }
}

/* Where nothing hidden ends the episode, a move on the board is the step. */
CLAIM(a_board_has_a_cell_for_every_state_and_moves_as_the_steps_do) {
    size_t boards = 0;
    for (size_t i = 0; i < xp_catalogue_count(XP_ENVIRONMENTS); i++) {
        fixture made = make(xp_catalogue_get(XP_ENVIRONMENTS, i).name, 19);
        xp_rng rng = xp_rng_seed(20);
        boards += xp__board_exists(made.env);
        for (int episode = 0; episode < EPISODES && xp__board_exists(made.env); episode++) {
            xp__board board;
            xp_task_draw(made.task, &rng);
            xp_task_reset(made.task, &rng, made.state);
            xp__task_board(made.task, &board);
            const size_t cells = board.rows * board.columns;
            EXPECT(cells > 0 && board.title[0] != '\0' && board.mark_count <= XP__BOARD_MARKS);
            EXPECT(board.marks[0].sign == XP__SIGN_START &&
                   board.marks[0].cell == xp__board_cell(made.env, made.state));
            for (size_t k = 0; k < board.mark_count; k++) {
                EXPECT(board.marks[k].cell < cells && board.marks[k].label[0] != '\0');
            }
            for (bool done = false; !done;) {
                double moved[2];
                EXPECT(made.info.state_size <= 2);
                memcpy(moved, made.state, made.info.state_size * sizeof *moved);
                const size_t action = xp_rng_below(&rng, made.info.actions);
                const bool going = xp__board_move(made.env, action, moved);
                done = xp_task_step(made.task, &rng, action, made.state).end != XP_CONTINUES;
                EXPECT(memcmp(moved, made.state, made.info.state_size * sizeof *moved) == 0);
                EXPECT(going || done);
                EXPECT(xp__board_cell(made.env, made.state) < cells);
            }
        }
        destroy(&made);
    }
    EXPECT(boards == 2); /* deep_sea and frozen_lake */
}

CLAIM(a_bandit_policy_is_worth_the_mean_of_its_arm) {
    fixture made = make("bernoulli_bandit", 17);
    xp_rng rng = xp_rng_seed(18);
    xp_task_draw(made.task, &rng);
    xp__task_optimal_q(made.task, NULL, made.q);
    double best = 0;
    for (size_t arm = 0; arm < made.info.actions; arm++) {
        EXPECT(xp__task_policy_value(made.task, always, &arm) == made.q[arm]);
        best = fmax(best, made.q[arm]);
    }
    EXPECT(xp__task_optimal_value(made.task) == best);
    destroy(&made);
}

CLAIM(the_same_streams_give_the_same_tasks_and_steps) {
    for (size_t i = 0; i < xp_catalogue_count(XP_ENVIRONMENTS); i++) {
        const char *name = xp_catalogue_get(XP_ENVIRONMENTS, i).name;
        const double once = fold(name, 5);
        EXPECT(once == fold(name, 5));
        EXPECT(once != fold(name, 6));
    }
}

CLAIM(drawing_resetting_and_stepping_never_allocate) {
    for (size_t i = 0; i < xp_catalogue_count(XP_ENVIRONMENTS); i++) {
        allocations = 0;
        xp__allocator_install(&counting);
        fixture made = make(xp_catalogue_get(XP_ENVIRONMENTS, i).name, 7);
        EXPECT(allocations > 0);
        allocations = 0;
        xp_rng rng = xp_rng_seed(8);
        for (int episode = 0; episode < EPISODES; episode++) {
            xp_task_draw(made.task, &rng);
            xp_task_reset(made.task, &rng, made.state);
            for (bool done = false; !done;) {
                const size_t action = xp_rng_below(&rng, made.info.actions);
                done = xp_task_step(made.task, &rng, action, made.state).end != XP_CONTINUES;
                xp__task_optimal_q(made.task, made.state, made.q);
            }
            size_t action = 0;
            (void)xp__task_policy_value(made.task, always, &action);
            (void)xp__task_optimal_value(made.task);
        }
        EXPECT(allocations == 0);
        destroy(&made);
        xp__allocator_install(NULL);
    }
}

CLAIM(an_unknown_environment_is_named) {
    xp_rng rng = xp_rng_seed(1);
    xp_env *env = (xp_env *)&rng;
    xp_error error;
    EXPECT(xp_env_create("bernouli", &rng, &env, &error) == XP_ERR_INPUT && env == NULL);
    EXPECT_TEXT(error.message, "there is no environment 'bernouli'");
    xp_env_destroy(NULL);
    xp_task_destroy(NULL);
}

CLAIM(a_bandit_pays_ones_with_the_mean_of_the_arm) {
    static const double a[] = {1, 3, 0.5}, b[] = {2, 1, 0.5};
    xp_env *env;
    xp_task *task;
    EXPECT(xp_env_create_bernoulli_bandit(3, a, b, &env, NULL) == XP_OK);
    EXPECT(xp_task_create(env, &task, NULL) == XP_OK);
    EXPECT(xp_env_describe(env).actions == 3 && xp_env_describe(env).horizon == 1 &&
           xp_env_describe(env).state_size == 0);
    xp_rng rng = xp_rng_seed(9);
    xp_task_draw(task, &rng);
    double mean[3];
    xp__task_optimal_q(task, NULL, mean);
    enum { N = 200000 };
    for (size_t arm = 0; arm < 3; arm++) {
        double sum = 0;
        bool binary = true;
        for (int i = 0; i < N; i++) {
            const double reward = xp_task_step(task, &rng, arm, NULL).reward;
            binary = binary && (reward == 0 || reward == 1);
            sum += reward;
        }
        EXPECT(binary);
        EXPECT_NEAR(sum / N, mean[arm], 5 * sqrt(mean[arm] * (1 - mean[arm]) / N) + 1e-12);
    }
    xp_task_destroy(task);
    xp_env_destroy(env);
}

/* Kolmogorov-Smirnov on the drawn means: P(sqrt(n) D > 2.8) = 3e-7. */
CLAIM(the_means_of_a_bandit_have_the_beta_law_of_each_arm) {
    static const double a[] = {1, 3, 0.5}, b[] = {2, 1, 0.5};
    enum { N = 20000, GRID = 200 };
    static double below[3][GRID];
    xp_env *env;
    xp_task *task;
    EXPECT(xp_env_create_bernoulli_bandit(3, a, b, &env, NULL) == XP_OK);
    EXPECT(xp_task_create(env, &task, NULL) == XP_OK);
    xp_rng rng = xp_rng_seed(10);
    for (int i = 0; i < N; i++) {
        double mean[3];
        xp_task_draw(task, &rng);
        xp__task_optimal_q(task, NULL, mean);
        for (int arm = 0; arm < 3; arm++) {
            for (int k = 0; k < GRID; k++) {
                below[arm][k] += mean[arm] <= (k + 1.0) / GRID;
            }
        }
    }
    for (int arm = 0; arm < 3; arm++) {
        double distance = 0;
        for (int k = 0; k < GRID; k++) {
            const double p = gsl_cdf_beta_P((k + 1.0) / GRID, a[arm], b[arm]);
            distance = fmax(distance, fabs(below[arm][k] / N - p));
        }
        EXPECT_NEAR(distance * sqrt(N), 0, 2.8);
    }
    xp_task_destroy(task);
    xp_env_destroy(env);
}

CLAIM(a_drawn_task_distribution_has_parameters_between_zero_and_the_maximum) {
    xp__params params;
    xp_rng rng = xp_rng_seed(11);
    EXPECT(xp__env_params_default("bernoulli_bandit", &params, NULL) == XP_OK);
    EXPECT(xp__params_get(&params, "arms") == 10 && xp__params_get(&params, "parameter_max") == 4);
    EXPECT(xp__params_set(&params, "arms", 1024, NULL) == XP_OK);
    xp_env *env;
    EXPECT(xp__env_create("bernoulli_bandit", &params, &rng, &env, NULL) == XP_OK);
    const double *a, *b;
    double low, high;
    EXPECT(xp__bernoulli_bandit_parameters(env, &a, &b, &low, &high) && low == 0 && high == 1);
    double sum = 0;
    low = 4;
    high = 0;
    for (size_t arm = 0; arm < 1024; arm++) {
        sum += a[arm] + b[arm];
        low = fmin(low, fmin(a[arm], b[arm]));
        high = fmax(high, fmax(a[arm], b[arm]));
    }
    EXPECT(low > 0 && high < 4);
    EXPECT_NEAR(sum / 2048, 2, 5 * sqrt(16.0 / 12 / 2048)); /* uniform on (0, 4) */
    xp_env_destroy(env);
}

CLAIM(means_of_a_bandit_stay_in_the_range_that_is_asked_for) {
    xp_rng rng = xp_rng_seed(3);
    xp_env *env = NULL;
    EXPECT(xp_env_create("bernoulli_bandit:arms=50,low=0.002,high=0.02", &rng, &env, NULL) ==
           XP_OK);
    xp_task *task = NULL;
    EXPECT(xp_task_create(env, &task, NULL) == XP_OK);
    double q[50], least = 1, most = 0;
    for (size_t i = 0; i < 200; i++) {
        xp_task_draw(task, &rng);
        xp__task_optimal_q(task, NULL, q);
        for (size_t arm = 0; arm < 50; arm++) {
            least = fmin(least, q[arm]);
            most = fmax(most, q[arm]);
        }
    }
    EXPECT(least >= 0.002 && least < 0.0021 && most <= 0.02 && most > 0.0199);
    xp_task_destroy(task);
    xp_env_destroy(env);
    xp_error error = {.message = ""};
    EXPECT(xp_env_create("bernoulli_bandit:low=0.5,high=0.5", &rng, &env, &error) == XP_ERR_INPUT);
    EXPECT(strstr(error.message, "low = 0.5") != NULL);
}

/* One number a reward whatever the arm: agents that share a stream share their luck. */
CLAIM(a_reward_uses_one_random_number_whatever_the_arm) {
    fixture made = make("bernoulli_bandit", 12);
    xp_rng rng = xp_rng_seed(13);
    xp_task_draw(made.task, &rng);
    for (size_t arm = 0; arm < made.info.actions; arm++) {
        xp_rng luck = xp_rng_seed(14), twin = luck;
        (void)xp_task_step(made.task, &luck, arm, NULL);
        (void)xp_rng_uniform(&twin);
        EXPECT(xp_rng_bits(&luck) == xp_rng_bits(&twin));
    }
    destroy(&made);
}

CLAIM(a_bandit_refuses_parameters_that_no_beta_law_has) {
    static const struct {
        size_t arms;
        double a, b;
        const char *message;
    } bad[] = {{3, 0, 1, "of arm 2: parameters must be positive"},
               {3, 1, -2, "of arm 2"},
               {3, NAN, 1, "Beta(nan, 1) of arm 2"},
               {3, 1, INFINITY, "of arm 2"},
               {1, 1, 1, "bernoulli_bandit.arms = 1 is outside [2, 1024]"},
               {0, 1, 1, "bernoulli_bandit.arms = 0 is outside"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const double a[] = {1, 1, bad[i].a}, b[] = {1, 1, bad[i].b};
        xp_env *env = (xp_env *)&env;
        xp_error error;
        EXPECT(xp_env_create_bernoulli_bandit(bad[i].arms, a, b, &env, &error) == XP_ERR_INPUT);
        EXPECT(env == NULL);
        EXPECT_TEXT(error.message, bad[i].message);
    }
    xp_env *env;
    xp_error error;
    EXPECT(xp_env_create_bernoulli_bandit(1025, NULL, NULL, &env, &error) == XP_ERR_INPUT);
}
