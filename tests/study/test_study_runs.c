/* Units that keep numbers of their runs: budgets of steps, returns, evaluations, and the statistics
 * over problems and runs that studies make of them. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "demos/demos_type.h"
#include "paper/lake.h"
#include "env/create.h"
#include "expert/expert_type.h"

#include <math.h>
#include <string.h>

/* Problem `index` of an environment with one parameter set. */
static void make_problem(xp__problem *problem, size_t index, const char *env, const char *key,
                         const char *value) {
    xp__params params;
    EXPECT(xp__env_params_default(env, &params, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, key, value, NULL) == XP_OK);
    EXPECT(xp__problem_init(problem, 11, index, env, &params, NULL) == XP_OK);
}

static const xp__agent_entry small_dqn = {.label = "small",
                                          .spec = "boot_dqn:members=3,hidden=8,batch=16"};
static const xp__expert_entry rational = {
    .name = "noisily_rational", .parameter = "beta", .value = 1};

CLAIM(spreads_are_those_of_the_one_way_random_effects_model) {
    /* By hand: means 2, 2, 8 with variance 12; within squares 2 + 0 + 8 on 3 degrees. */
    const double values[] = {1, 3, 2, 2, 6, 10};
    const xp__spread spread = xp__spread_of(values, 3, 2);
    EXPECT(spread.mean.n == 3 && spread.runs == 2);
    EXPECT_NEAR(spread.mean.mean, 4, 1e-15);
    EXPECT_NEAR(spread.mean.se, 2, 1e-15); /* sqrt(12 / 3) */
    EXPECT(spread.mean.degrees == 2);
    EXPECT_NEAR(spread.sd_runs, sqrt(10.0 / 3), 1e-14);
    EXPECT_NEAR(spread.sd_problems, sqrt(12 - 10.0 / 6), 1e-14);
    /* Equal means: the estimate of the variance between problems is −41/2, shown as 0. */
    const double equal[] = {0, 10, 1, 9};
    const xp__spread none = xp__spread_of(equal, 2, 2);
    EXPECT(none.sd_problems == 0 && none.mean.se == 0);
    EXPECT_NEAR(none.sd_runs, sqrt(41), 1e-14); /* (50 + 32) / 2 */
    const xp__spread single = xp__spread_of(values, 6, 1);
    EXPECT(isnan(single.sd_problems) && isnan(single.sd_runs) && single.mean.se > 0);
    const xp__spread prior = xp__spread_of(values, 1, 6);
    EXPECT(isnan(prior.sd_problems) && isnan(prior.mean.se) && prior.sd_runs > 0);
}

CLAIM(a_spread_recovers_the_model_it_was_drawn_from) {
    /* 4,000 problems of 3 runs, standard deviations 2 and 3: their estimates have standard errors
     * of about 0.045 and 0.024; five of each. */
    enum { PRIORS = 4000, RUNS = 3 };
    static double values[PRIORS * RUNS];
    xp_rng rng = xp_rng_seed(5);
    for (size_t prior = 0; prior < PRIORS; prior++) {
        const double own = 2 * xp_rng_normal(&rng);
        for (size_t run = 0; run < RUNS; run++) {
            values[prior * RUNS + run] = own + 3 * xp_rng_normal(&rng);
        }
    }
    const xp__spread spread = xp__spread_of(values, PRIORS, RUNS);
    EXPECT_NEAR(spread.sd_problems, 2, 0.23);
    EXPECT_NEAR(spread.sd_runs, 3, 0.12);
}

CLAIM(moving_averages_are_over_five_episodes) {
    /*                         1  2  3  4  5  6  7  8  9 10 */
    const double returns[] = {1, 0, 1, 1, 1, 1, 0, 1, 1, 1};
    EXPECT_NEAR(xp__moving_average(returns, 5), 0.8, 1e-15);
    EXPECT_NEAR(xp__moving_average(returns, 7), 0.8, 1e-15);
    EXPECT(xp__average_reaches(returns, 10, 0.75) == 5);
    EXPECT(xp__average_reaches(returns, 10, 0.9) == 0);
    EXPECT(xp__average_stays(returns, 10, 0.75) == 5);
    const double late[] = {1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1};
    EXPECT(xp__average_reaches(late, 12, 0.9) == 5);
    EXPECT(xp__average_stays(late, 12, 0.9) == 12);
    EXPECT(xp__average_stays(late, 11, 0.9) == 0); /* 0.8 at the end */
    EXPECT_NEAR(xp__window_mean(late, (xp__window){5, 8}), 0.5, 1e-15);
}

CLAIM(a_unit_with_a_budget_ends_exactly_at_that_number_of_steps) {
    static const size_t budgets[] = {1, 7, 100, 237};
    xp__problem problem;
    make_problem(&problem, 0, "frozen_lake", "observation", "mdp");
    const xp__unit unit = {.problem = &problem, .expert = &rational, .agent = &small_dqn};
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        const xp__shape shape = {
            .tasks = 2, .demonstrations = 5, .steps = budgets[i], .evaluation = 50};
        double numbers[2 * XP__EVALUATION_NUMBERS];
        xp__unit_result result;
        EXPECT(xp__unit_run(&unit, &shape, NULL, &result, numbers, NULL) == XP_OK);
        EXPECT(result.steps == 2 * (double)budgets[i]);
    }
    xp__problem_deinit(&problem);
}

CLAIM(kept_returns_are_those_of_a_simulation) {
    enum { EPISODES = 12 };
    xp_simulate_options options = xp_simulate_options_default();
    double mean[EPISODES], numbers[2 * EPISODES];
    options.env = "deep_sea:size=5";
    options.agents = &small_dqn.spec;
    options.agent_count = 1;
    options.problems = 1;
    options.tasks = 2;
    options.episodes = EPISODES;
    options.demonstrations = 20;
    options.seed = 11;
    options.threads = 1;
    options.returns = mean;
    xp_simulate_result simulated;
    EXPECT(xp_simulate(&options, &simulated, NULL) == XP_OK);

    xp__problem problem;
    make_problem(&problem, 0, "deep_sea", "size", "5");
    const xp__unit unit = {
        .problem = &problem, .expert = &xp__expert_optimal_entry, .agent = &small_dqn};
    const xp__shape shape = {
        .tasks = 2, .episodes = EPISODES, .demonstrations = 20, .returns = true};
    xp__unit_result result;
    EXPECT(xp__shape_numbers(&shape) == EPISODES);
    EXPECT(xp__unit_run(&unit, &shape, NULL, &result, numbers, NULL) == XP_OK);
    for (size_t t = 0; t < EPISODES; t++) {
        EXPECT_NEAR((numbers[t] + numbers[EPISODES + t]) / 2, mean[t], 1e-15);
    }
    EXPECT_NEAR(result.regret, simulated.regret, 1e-12);
    EXPECT(result.steps == (double)simulated.agent_steps);
    xp__problem_deinit(&problem);
}

/* Two blocks on two problems of Deep Sea, computed. */
static void compute_grid(xp__grid *grid) {
    static const xp__agent_entry other = {.label = "exact", .spec = "posterior_sampling"};
    xp__params params;
    size_t set;
    *grid = (xp__grid){
        .seed = 3, .shape = {.tasks = 3, .episodes = 20, .demonstrations = 30, .returns = true}};
    EXPECT(xp__env_params_default("deep_sea", &params, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "size", "4", NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "goal", "any", NULL) == XP_OK);
    EXPECT(xp__grid_list(grid, "deep_sea", &params, 5, 2, &set, NULL) == XP_OK);
    (void)xp__grid_block(grid, set, &xp__expert_optimal_entry, &small_dqn);
    (void)xp__grid_block(grid, set, &xp__expert_optimal_entry, &other);
    EXPECT(xp__grid_complete(grid, NULL) == XP_OK);
    EXPECT(grid->distinct_count == 4 && grid->units[1].problem->index == 6);
    for (size_t i = 0; i < 4; i++) {
        EXPECT(xp__unit_run(&grid->units[i], &grid->shape, NULL, &grid->results[i],
                            grid->numbers + i * 60, NULL) == XP_OK);
    }
}

CLAIM(windows_and_differences_agree_with_a_plain_recomputation) {
    static xp__grid grid;
    compute_grid(&grid);
    const xp__question question = {.ask = xp__ask_window, .window = {4, 15}};
    double first[2] = {0, 0}, gap[2] = {0, 0};
    for (size_t prior = 0; prior < 2; prior++) {
        for (size_t run = 0; run < 3; run++) {
            for (size_t t = 3; t < 15; t++) {
                const size_t place = 60 * prior + 20 * run + t;
                first[prior] += grid.numbers[place] / 36;
                gap[prior] += (grid.numbers[120 + place] - grid.numbers[place]) / 36;
            }
        }
    }
    const xp__spread mean = xp__block_spread(&grid, 0, XP__NO_BLOCK, &question);
    const xp__spread difference = xp__block_spread(&grid, 1, 0, &question);
    EXPECT_NEAR(mean.mean.mean, (first[0] + first[1]) / 2, 1e-14);
    EXPECT_NEAR(mean.mean.se, fabs(first[0] - first[1]) / 2, 1e-14);
    EXPECT_NEAR(difference.mean.mean, (gap[0] + gap[1]) / 2, 1e-14);
    EXPECT(difference.mean.mean > 0.1); /* exact posterior sampling is ahead of a random start */
    double curve[20], sum = 0;
    xp__block_curve(&grid, 0, curve);
    for (size_t t = 3; t < 15; t++) {
        sum += curve[t];
    }
    EXPECT_NEAR(sum / 12, mean.mean.mean, 1e-14);
    xp__grid_deinit(&grid);
}

CLAIM(experts_of_the_learners_own_context_show_that_one_only) {
    xp__problem problem;
    xp__params params;
    make_problem(&problem, 0, "deep_sea", "goal", "any");
    EXPECT(xp__expert_params_default("optimal", &params, NULL) == XP_OK);
    size_t ends[3];
    for (size_t task = 0; task < 3; task++) {
        xp_demos *demos;
        EXPECT(xp__problem_own_demos(&problem, task, "optimal", &params, 40, &demos, NULL) ==
               XP_OK);
        EXPECT(xp_demos_count(demos) == 40 && xp_demos_distinct(demos) == 1);
        const xp_trajectory shown = xp_demos_trajectory(demos, 0);
        ends[task] = (size_t)shown.states[shown.length - 1] % 30;
        /* It is the context that the task draws: the expert's path has no regret there. */
        const xp_rng tasks = xp__problem_tasks(&problem);
        xp_rng context = xp__task_context(&tasks, task), rewards = xp_rng_seed(1);
        xp_task *own;
        double state, regret = 0;
        EXPECT(xp_task_create(problem.env, &own, NULL) == XP_OK);
        xp_task_draw(own, &context);
        xp_task_reset(own, &rewards, &state);
        for (size_t h = 0; h < shown.length; h++) {
            regret += xp_task_step(own, &rewards, shown.actions[h], &state).regret;
        }
        EXPECT(regret == 0);
        xp_task_destroy(own);
        xp_demos_destroy(demos);
    }
    EXPECT(ends[0] != ends[1] || ends[1] != ends[2]);
    xp__problem_deinit(&problem);
}

CLAIM(an_evaluation_is_exact_where_the_answer_is_known) {
    /* Posterior sampling that knows the family of tasks: with nine hazard squares there is but one
     * set, so it is optimal at once: 6 where the hazard is hidden and 38/3 where it is seen (the
     * mean over nine squares of 14, or 12 where the hazard lies on the middle row). */
    static const struct {
        const char *observation;
        double value;
    } cases[] = {{"pomdp", 6}, {"mdp", 38.0 / 3}};
    static const xp__agent_entry exact = {.label = "exact", .spec = "posterior_sampling:beta=1"};
    for (size_t i = 0; i < 2; i++) {
        xp__problem problem;
        make_problem(&problem, 2, "frozen_lake", "observation", cases[i].observation);
        const xp__unit unit = {.problem = &problem, .expert = &rational, .agent = &exact};
        const xp__shape shape = {.tasks = 1, .demonstrations = 100, .steps = 50, .evaluation = 500};
        xp__evaluation evaluation;
        double numbers[XP__EVALUATION_NUMBERS];
        xp__unit_result result;
        EXPECT(xp__unit_run(&unit, &shape, NULL, &result, numbers, NULL) == XP_OK);
        memcpy(&evaluation, numbers, sizeof evaluation);
        EXPECT_NEAR(evaluation.exact, cases[i].value, 1e-9);
        EXPECT_NEAR(evaluation.vote, cases[i].value, 1e-9);
        EXPECT_NEAR(evaluation.optimal, cases[i].value, 1e-9);
        EXPECT_NEAR(evaluation.settled, cases[i].value, 1e-9); /* all its policies are optimal */
        EXPECT(evaluation.acting <= 14); /* the best that an episode can return */
        /* About 100 episodes of standard deviation below 1; five standard errors. */
        EXPECT_NEAR(evaluation.estimate, cases[i].value, 0.5);
        EXPECT(evaluation.episodes >= 60);
        const xp__question *near = &xp__lake_question[XP__LAKE_NEAR];
        const xp__question *shortfall = &xp__lake_question[XP__LAKE_SHORTFALL];
        EXPECT(near->ask(&shape, numbers, near) == 1);
        EXPECT_NEAR(shortfall->ask(&shape, numbers, shortfall), 0, 1e-9);
        xp__problem_deinit(&problem);
    }
}

CLAIM(a_mixture_is_worth_no_more_than_the_optimum_and_its_estimate_is_near_its_value) {
    xp__problem problem;
    make_problem(&problem, 1, "frozen_lake", "observation", "mdp");
    const xp__unit unit = {.problem = &problem, .expert = &rational, .agent = &small_dqn};
    const xp__shape shape = {.tasks = 2, .demonstrations = 5, .steps = 3000, .evaluation = 20000};
    double numbers[2 * XP__EVALUATION_NUMBERS];
    xp__unit_result result;
    EXPECT(xp__unit_run(&unit, &shape, NULL, &result, numbers, NULL) == XP_OK);
    for (size_t run = 0; run < 2; run++) {
        xp__evaluation evaluation;
        memcpy(&evaluation, numbers + run * XP__EVALUATION_NUMBERS, sizeof evaluation);
        EXPECT(evaluation.exact <= evaluation.optimal + 1e-12);
        EXPECT(evaluation.vote <= evaluation.optimal + 1e-12);
        EXPECT(evaluation.settled <= evaluation.optimal + 1e-12);
        EXPECT(evaluation.acting >= -298 && evaluation.acting <= 14);
        /* Returns lie in [−298, 14]: the standard error over at least 200 episodes is below 11. */
        EXPECT(evaluation.episodes >= 200);
        EXPECT_NEAR(evaluation.estimate, evaluation.exact, 55);
    }
    xp__problem_deinit(&problem);
}

static xp_status run_forever(void *context, size_t number, const xp__pool *pool, xp_error *error) {
    (void)number;
    const xp__shape shape = {
        .tasks = 1, .demonstrations = 5, .steps = 1000000000, .evaluation = 10};
    double numbers[XP__EVALUATION_NUMBERS];
    xp__unit_result result;
    return xp__unit_run(context, &shape, pool, &result, numbers, error);
}

static xp_status stop_at_once(void *context, const size_t *finished, size_t done, xp_error *error) {
    (void)context;
    (void)finished;
    (void)done;
    return xp_error_set(error, XP_ERR_INTERRUPTED, "stopped");
}

/* Hours of learning, or of fitting: the claims could not end otherwise. */
static void expect_to_give_up(const xp__agent_entry *agent) {
    xp__problem problem;
    make_problem(&problem, 0, "frozen_lake", "observation", "pomdp");
    xp__unit unit = {.problem = &problem, .expert = &rational, .agent = agent};
    const xp__pool_job job = {
        .units = 1, .threads = 1, .run = run_forever, .tick = stop_at_once, .context = &unit};
    EXPECT(xp__pool_run(&job, NULL) == XP_ERR_INTERRUPTED);
    xp__problem_deinit(&problem);
}

CLAIM(a_cancelled_unit_gives_up_in_the_middle_of_a_run) {
    expect_to_give_up(&small_dqn);
}

CLAIM(a_cancelled_unit_gives_up_in_the_middle_of_a_fit) {
    static const char *const specs[] = {
        "experior_param:networks=4096,pretrain_steps=1000000",
        "experior_maxent:prior=max_entropy,networks=1500,chain_steps=10000000"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        expect_to_give_up(&(xp__agent_entry){.label = "slow", .spec = specs[i]});
    }
}

CLAIM(numbers_of_runs_come_back_from_the_store_bit_for_bit) {
    char path[256];
    (void)snprintf(path, sizeof path, "%s/runs", claim_directory());
    const double kept[] = {1.0 / 3, NAN, -0.0, INFINITY, 0x1p-1074};
    const xp__unit_result result = {.regret = 2, .steps = 5};
    xp__unit_result back;
    double numbers[5];
    xp__store *store;
    xp__filed filed;
    EXPECT(xp__store_open(path, 1, true, &store, NULL) == XP_OK);
    EXPECT(xp__store_begin(store, NULL) == XP_OK);
    EXPECT(xp__store_put(store, "runs", "0.0", &result, kept, 5, NULL) == XP_OK);
    EXPECT(xp__store_put(store, "none", "0.0", &result, NULL, 0, NULL) == XP_OK);
    EXPECT(xp__store_commit(store, NULL) == XP_OK);
    EXPECT(xp__store_get(store, "runs", "0.0", &filed, &back, numbers, 5, NULL) == XP_OK);
    EXPECT(filed == XP__FILED);
    EXPECT(memcmp(numbers, kept, sizeof kept) == 0 && memcmp(&back, &result, sizeof back) == 0);
    EXPECT(xp__store_get(store, "none", "0.0", &filed, &back, NULL, 0, NULL) == XP_OK);
    EXPECT(filed == XP__FILED);
    /* Another number of numbers is no unit of ours. */
    EXPECT(xp__store_get(store, "runs", "0.0", &filed, &back, numbers, 4, NULL) == XP_OK);
    EXPECT(filed == XP__FILED_DAMAGED);
    xp__store_close(store);
}

CLAIM(keys_tell_settings_shapes_and_experts_apart) {
    xp__problem problem;
    make_problem(&problem, 4, "frozen_lake", "observation", "mdp");
    xp__expert_entry own = rational;
    own.own_context = true;
    const xp__shape shape = {.tasks = 2, .demonstrations = 5, .steps = 90000, .evaluation = 500};
    const xp__shape returns = {.tasks = 2, .episodes = 30, .demonstrations = 5, .returns = true};
    char key[XP__UNIT_KEY];
    xp__unit unit = {.problem = &problem, .expert = &rational, .agent = &small_dqn};
    xp__unit_key(&unit, &shape, key);
    EXPECT(strcmp(key, "frozen_lake:observation=mdp/4/noisily_rational:beta=1/"
                       "n=5,tasks=2,steps=90000,evaluation=500/"
                       "boot_dqn:members=3,hidden=8,batch=16") == 0);
    unit.expert = &own;
    xp__unit_key(&unit, &returns, key);
    EXPECT(strcmp(key, "frozen_lake:observation=mdp/4/noisily_rational:beta=1,own_context/"
                       "n=5,tasks=2,t=30,returns/boot_dqn:members=3,hidden=8,batch=16") == 0);
    xp__problem_deinit(&problem);
}

CLAIM(a_unit_survives_any_allocation_that_fails) {
    xp__expert_entry own = rational;
    own.own_context = true;
    static const xp__agent_entry param = {
        .label = "small", .spec = "experior_param:members=2,networks=2,hidden=4,pretrain_steps=3"};
    const xp__shape shape = {.tasks = 2, .demonstrations = 3, .steps = 140, .evaluation = 10};
    xp_status status = XP_ERR_MEMORY;
    size_t failures = 0;
    for (size_t n = 0; status != XP_OK && n < 100000; n += 1 + n / 32) {
        xp__problem problem;
        make_problem(&problem, 0, "frozen_lake", "observation", "pomdp");
        const xp__unit unit = {.problem = &problem, .expert = &own, .agent = &param};
        double numbers[2 * XP__EVALUATION_NUMBERS];
        xp__unit_result result;
        failing_allocator allocator;
        failing_allocator_install(&allocator, n);
        status = xp__unit_run(&unit, &shape, NULL, &result, numbers, NULL);
        xp__allocator_install(NULL);
        EXPECT(status == XP_OK || status == XP_ERR_MEMORY);
        EXPECT(allocator.alive == 0);
        failures += status != XP_OK;
        xp__problem_deinit(&problem);
    }
    EXPECT(status == XP_OK && failures > 20);
}

CLAIM(a_list_that_is_full_ends_with_whole_items_and_says_so) {
    char list[XP__LIST_TEXT] = "";
    xp__list_add(list, "%s %d", "first", 1);
    xp__list_add(list, "second ± %.1f", 0.5);
    EXPECT(strcmp(list, "first 1; second ± 0.5") == 0);
    for (int i = 0; i < 100; i++) {
        xp__list_add(list, "β = %d ± %d", i, i);
        EXPECT(strlen(list) < XP__LIST_TEXT);
    }
    const char *end = strstr(list, "; …");
    EXPECT(end != NULL && end[strlen("; …")] == '\0');
    char before[32];
    int last = 0;
    while (strstr(list, (snprintf(before, sizeof before, "β = %d ± %d;", last, last), before))) {
        last++;
    }
    EXPECT(last > 30 && strlen(list) > XP__LIST_TEXT - 40);
    char number[XP__MEAN_TEXT];
    EXPECT(strcmp(xp__number_text("%.2f", -24.671, number), "−24.67") == 0);
    EXPECT(strcmp(xp__number_text("%+.1f", 3, number), "+3.0") == 0);
    EXPECT(strcmp(xp__number_text("%.2f", -0.001, number), "0.00") == 0);
}
