/* xp_simulate: the same bits for any number of threads, common random numbers, known expectations.
 */
#include "claim.h"
#include "house/failing_allocator.h"

#include "env/env_type.h"
#include "env/task_distribution.h"
#include "experior/study.h"
#include "run/problem.h"
#include "env/create.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

static xp_simulate_options small(const char *const *agents, size_t count) {
    xp_simulate_options options = xp_simulate_options_default();
    options.agents = agents;
    options.agent_count = count;
    options.problems = 3;
    options.tasks = 40;
    options.episodes = 60;
    options.demonstrations = 200;
    options.threads = 2;
    options.seed = 20;
    return options;
}

/* Equal but for the clock. */
static bool same(const xp_simulate_result *a, const xp_simulate_result *b) {
    return memcmp(&a->regret, &b->regret, sizeof a->regret) == 0 &&
           memcmp(&a->regret_se, &b->regret_se, sizeof a->regret_se) == 0 &&
           memcmp(&a->regret_mean_over_episodes, &b->regret_mean_over_episodes,
                  sizeof a->regret_mean_over_episodes) == 0 &&
           a->agent_steps == b->agent_steps;
}

CLAIM(results_do_not_depend_on_the_number_of_threads) {
    const char *const agents[] = {"oracle_ts", "experior_maxent", "naive_ucb", "behaviour_cloning"};
    for (size_t problems = 1; problems <= 3; problems += 2) {
        xp_simulate_options options = small(agents, 4);
        options.problems = problems;
        xp_simulate_result first[4], other[4];
        options.threads = 1;
        EXPECT(xp_simulate(&options, first, NULL) == XP_OK);
        for (size_t threads = 2; threads <= 3; threads++) {
            options.threads = threads;
            EXPECT(xp_simulate(&options, other, NULL) == XP_OK);
            for (size_t i = 0; i < 4; i++) {
                EXPECT(same(&first[i], &other[i]));
                EXPECT(first[i].agent_steps == problems * 40 * 60);
                EXPECT(first[i].regret > 0 && first[i].regret_se > 0);
            }
        }
    }
}

CLAIM(the_returns_of_episodes_do_not_depend_on_the_number_of_threads) {
    const char *const agents[] = {"oracle_ts", "naive_ucb"};
    xp_simulate_options options = small(agents, 2);
    xp_simulate_result plain[2], results[2];
    double first[2 * 60], other[2 * 60];
    EXPECT(xp_simulate(&options, plain, NULL) == XP_OK);
    options.returns = first;
    options.threads = 1;
    EXPECT(xp_simulate(&options, results, NULL) == XP_OK);
    options.returns = other;
    options.threads = 3;
    EXPECT(xp_simulate(&options, results, NULL) == XP_OK);
    EXPECT(memcmp(first, other, sizeof first) == 0);
    for (size_t i = 0; i < 2; i++) {
        EXPECT(same(&plain[i], &results[i])); /* asking for returns changes nothing else */
        double sum = 0;
        for (size_t t = 0; t < 60; t++) {
            const double rewards = first[i * 60 + t] * 120; /* a whole number: 120 tasks */
            EXPECT(rewards >= 0 && rewards <= 120 && fabs(rewards - round(rewards)) < 1e-9);
            sum += first[i * 60 + t];
        }
        /* Some reward, and no more than with means of one. */
        EXPECT(sum > 10 && sum + results[i].regret < 60);
    }
}

CLAIM(episodes_of_several_steps_are_run_to_their_end_whatever_the_threads) {
    const char *const agents[] = {"posterior_sampling"};
    xp_simulate_options options = small(agents, 1);
    options.env = "deep_sea:goal=any,size=8";
    options.tasks = 70; /* chunks of 2 and a last one of any size */
    xp_simulate_result first, other;
    double returns[60], again[60], sum = 0;
    options.threads = 1;
    options.returns = returns;
    EXPECT(xp_simulate(&options, &first, NULL) == XP_OK);
    options.threads = 3;
    options.returns = again;
    EXPECT(xp_simulate(&options, &other, NULL) == XP_OK);
    EXPECT(same(&first, &other) && memcmp(returns, again, sizeof returns) == 0);
    EXPECT(first.agent_steps == (uint64_t)3 * 70 * 60 * 8);
    for (size_t t = 0; t < 60; t++) {
        sum += returns[t];
    }
    /* Nothing is random once the goal is drawn, so regret is what is missing to 0.99 an episode. */
    EXPECT_NEAR(first.regret, 60 * 0.99 - sum, 1e-9);
    EXPECT(returns[0] < 0.5);
    EXPECT_NEAR(returns[59], 0.99, 1e-12);
}

CLAIM(an_agents_result_does_not_depend_on_the_other_agents) {
    const char *const alone[] = {"naive_ts"};
    const char *const together[] = {"oracle_ts", "naive_ts"};
    xp_simulate_options options = small(alone, 1);
    xp_simulate_result one[1], two[2];
    EXPECT(xp_simulate(&options, one, NULL) == XP_OK);
    options = small(together, 2);
    EXPECT(xp_simulate(&options, two, NULL) == XP_OK);
    EXPECT(same(&one[0], &two[1]));
}

CLAIM(agents_with_the_same_policy_have_the_same_regret) {
    /* Different specs, so different streams of their own; but the policy draws nothing from them,
     * and contexts and rewards are common. */
    const char *const agents[] = {"naive_ucb", "naive_ucb:rho=1", "naive_ucb:rho=2"};
    const xp_simulate_options options = small(agents, 3);
    xp_simulate_result results[3];
    EXPECT(xp_simulate(&options, results, NULL) == XP_OK);
    EXPECT(same(&results[0], &results[1]));
    EXPECT(!same(&results[0], &results[2]));
}

CLAIM(behaviour_cloning_has_its_closed_form_regret) {
    const char *const agents[] = {"behaviour_cloning"};
    xp_simulate_options options = small(agents, 1);
    options.problems = 1;
    options.tasks = 4000;
    options.episodes = 50;
    xp_simulate_result result;
    EXPECT(xp_simulate(&options, &result, NULL) == XP_OK);
    /* T (E max θ - Σ p̂_a A_a / (A_a + B_a)); E max θ = ∫ 1 - Π F_a(x) dx by midpoints, GSL. */
    xp__problem problem;
    xp_demos *demos;
    const double *a, *b;
    double low, high;
    uint64_t counts[10];
    EXPECT(xp__problem_init(&problem, options.seed, 0, options.env, NULL, NULL) == XP_OK);
    EXPECT(xp__problem_demos(&problem, "optimal", NULL, 200, &demos, NULL) == XP_OK);
    EXPECT(xp__bernoulli_bandit_parameters(problem.env, &a, &b, &low, &high));
    xp_demos_action_counts(demos, counts);
    double best = 0, cloned = 0;
    for (size_t i = 0; i < 4000; i++) {
        double product = 1;
        for (size_t arm = 0; arm < 10; arm++) {
            product *= gsl_cdf_beta_P(((double)i + 0.5) / 4000, a[arm], b[arm]);
        }
        best += (1 - product) / 4000;
    }
    for (size_t arm = 0; arm < 10; arm++) {
        cloned += (double)counts[arm] / 200 * a[arm] / (a[arm] + b[arm]);
    }
    const double wanted = 50 * (best - cloned);
    /* Five standard errors; the regret of cloning grows linearly, so its mean over t is known too.
     */
    EXPECT(fabs(result.regret - wanted) < 5 * result.regret_se);
    EXPECT(fabs(result.regret_mean_over_episodes - wanted * 51 / 100) < 5 * result.regret_se);
    EXPECT(result.regret_se < 0.1 * wanted);
    xp_demos_destroy(demos);
    xp__problem_deinit(&problem);
}

CLAIM(knowing_the_task_distribution_beats_not_knowing_it) {
    const char *const agents[] = {"oracle_ts", "experior_maxent", "naive_ts"};
    xp_simulate_options options = small(agents, 3);
    options.problems = 8;
    options.episodes = 300;
    options.demonstrations = 1000;
    xp_simulate_result results[3];
    EXPECT(xp_simulate(&options, results, NULL) == XP_OK);
    EXPECT(results[0].regret < 0.8 * results[2].regret);
    EXPECT(results[1].regret < 0.8 * results[2].regret);
}

static int stop_at_once(void *context, size_t done, size_t total) {
    size_t *calls = context;
    (*calls)++;
    return done <= total;
}

CLAIM(a_progress_callback_can_stop_a_simulation) {
    const char *const agents[] = {"naive_ts"};
    xp_simulate_options options = small(agents, 1);
    options.tasks = 4096;
    options.episodes = 20000; /* minutes, were it not stopped */
    size_t calls = 0;
    options.progress = stop_at_once;
    options.progress_context = &calls;
    xp_simulate_result result;
    EXPECT(xp_simulate(&options, &result, NULL) == XP_ERR_INTERRUPTED);
    EXPECT(calls >= 1);
}

CLAIM(bad_options_are_sentences) {
    const char *const agents[] = {"naive_ts", "no_such_agent"};
    xp_simulate_result results[2];
    xp_error error;
    xp_simulate_options options = small(agents, 2);
    EXPECT(xp_simulate(&options, results, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "no_such_agent");
    options.agent_count = 0;
    EXPECT(xp_simulate(&options, results, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "agents = 0 is outside");
    options = small(agents, 1);
    options.tasks = 0;
    EXPECT(xp_simulate(&options, results, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "tasks = 0 is outside");
    options = small(agents, 1);
    options.threads = 100000;
    EXPECT(xp_simulate(&options, results, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "threads = 100000");
    options = small(agents, 1);
    options.env = "moon";
    EXPECT(xp_simulate(&options, results, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "moon");
    options.env = "deep_sea:arms=3";
    EXPECT(xp_simulate(&options, results, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "deep_sea has no parameter 'arms'");
    options.env = "deep_sea";
    EXPECT(xp_simulate(&options, results, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "agent naive_ts acts in bandits only; deep_sea has states");
    options = small(agents, 1);
    options.expert = "parrot";
    EXPECT(xp_simulate(&options, results, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "parrot");
}

CLAIM(a_simulation_survives_any_allocation_that_fails) {
    const char *const agents[] = {"experior_maxent", "naive_ucb"};
    xp_simulate_options options = small(agents, 2);
    options.problems = 2;
    options.tasks = 20;
    options.episodes = 3;
    options.threads = 1; /* the failing allocator counts without a lock */
    xp_simulate_result results[2];
    xp_status status = XP_ERR_MEMORY;
    size_t failures = 0;
    for (size_t n = 0; status != XP_OK && n < 100000; n += 1 + n / 64) {
        failing_allocator allocator;
        failing_allocator_install(&allocator, n);
        status = xp_simulate(&options, results, NULL);
        xp__allocator_install(NULL);
        EXPECT(status == XP_OK || status == XP_ERR_MEMORY);
        EXPECT(allocator.alive == 0);
        failures += status != XP_OK;
    }
    EXPECT(status == XP_OK && failures > 20);
}

CLAIM(a_model_acts_only_in_a_space_like_its_own) {
    static const char choices[] = "action,count\n0,4\n1,2\n2,1\n";
    const char *const agents[] = {"experior_maxent"};
    xp_demos *demos;
    xp_model *model;
    xp_simulate_result result;
    xp_error error;
    EXPECT(xp_demos_parse(choices, strlen(choices), "choices", &demos, NULL) == XP_OK);
    EXPECT(xp_model_fit(agents[0], NULL, demos, NULL, &model, NULL) == XP_OK);
    xp_simulate_options options = small(agents, 1);
    options.model = model;
    options.env = "bernoulli_bandit:arms=3";
    EXPECT(xp_simulate(&options, &result, NULL) == XP_OK && result.regret > 0);
    static const char *const others[] = {"bernoulli_bandit:arms=4", "frozen_lake"};
    for (size_t i = 0; i < 2; i++) {
        options.env = others[i];
        EXPECT(xp_simulate(&options, &result, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, "the model is for 3 actions and states of 0 numbers; ");
    }
    xp_model_destroy(model);
    xp_demos_destroy(demos);
}
