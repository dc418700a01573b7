/* Bandits that pay rewards of any family: what they pay, and who may act in them. */
#include "claim.h"

#include "experior/catalogue.h"
#include "experior/env.h"
#include "experior/model.h"
#include "experior/simulate.h"
#include "reward/reward_type.h"

#include <math.h>
#include <stdio.h>

CLAIM(every_family_pays_its_own_rewards) {
    for (size_t i = 0; i < xp_catalogue_count(XP_REWARDS); i++) {
        const char *name = xp_catalogue_get(XP_REWARDS, i).name;
        const xp__reward_type *type = xp__reward_find(name);
        char spec[64];
        (void)snprintf(spec, sizeof spec, "reward_bandit:arms=4,rewards=%s", name);
        xp_rng rng = xp_rng_seed(i);
        xp_env *env = NULL;
        xp_task *task = NULL;
        EXPECT(xp_env_create(spec, &rng, &env, NULL) == XP_OK);
        EXPECT_TEXT(xp_env_describe(env).rewards, name);
        EXPECT(xp_task_create(env, &task, NULL) == XP_OK);
        for (size_t draw = 0; task != NULL && draw < 20; draw++) {
            xp_task_draw(task, &rng);
            double least = INFINITY;
            for (size_t t = 0; t < 40; t++) {
                const xp_step step = xp_task_step(task, &rng, t % 4, NULL);
                EXPECT(type->legal(step.reward) && step.regret >= 0);
                least = fmin(least, step.regret);
            }
            EXPECT(least == 0);
        }
        xp_task_destroy(task);
        xp_env_destroy(env);
    }
}

CLAIM(means_have_the_location_and_scale_that_were_asked_for) {
    /* Over problems and tasks; four standard errors of 4,000 independent problems. */
    static const char *const spec[] = {
        "reward_bandit:arms=2,rewards=gaussian,location=-20,scale=4,noise=0.001",
        "reward_bandit:arms=2,rewards=poisson,location=50000,scale=10000"};
    const double location[] = {-20, 50000}, scale[] = {4, 10000};
    for (size_t k = 0; k < 2; k++) {
        const size_t problems = 4000;
        double sum = 0, squares = 0;
        for (size_t i = 0; i < problems; i++) {
            xp_rng rng = xp_rng_seed(i);
            xp_env *env = NULL;
            xp_task *task = NULL;
            EXPECT(xp_env_create(spec[k], &rng, &env, NULL) == XP_OK &&
                   xp_task_create(env, &task, NULL) == XP_OK);
            xp_task_draw(task, &rng);
            const double mean = xp_task_step(task, &rng, 1, NULL).reward; /* but for its noise */
            sum += (mean - location[k]) / scale[k];
            squares += (mean - location[k]) * (mean - location[k]) / (scale[k] * scale[k]);
            xp_task_destroy(task);
            xp_env_destroy(env);
        }
        EXPECT_NEAR(sum / (double)problems, 0, 0.065);
        EXPECT_NEAR(squares / (double)problems, 1, 0.12);
    }
}

CLAIM(an_agent_for_other_rewards_is_refused_with_a_sentence) {
    const char *const agents[] = {"experior_maxent"};
    xp_simulate_options options = xp_simulate_options_default();
    options.env = "reward_bandit:rewards=gaussian";
    options.agents = agents;
    options.agent_count = 1;
    options.problems = 1;
    options.tasks = 1;
    options.episodes = 5;
    xp_simulate_result result;
    xp_error error = {.message = ""};
    EXPECT(xp_simulate(&options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "reward_bandit pays gaussian rewards");
    EXPECT_TEXT(error.message, "rewards=gaussian");
    xp_rng rng = xp_rng_seed(1);
    xp_env *env = NULL;
    EXPECT(xp_env_create("reward_bandit:rewards=poisson,location=-1", &rng, &env, &error) ==
           XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "is not positive");
}

CLAIM(experts_help_whatever_arms_pay) {
    static const char *const name[] = {"gaussian", "poisson", "fractional"};
    for (size_t i = 0; i < 3; i++) {
        char env[64], with[64], without[64];
        (void)snprintf(env, sizeof env, "reward_bandit:arms=5,rewards=%s", name[i]);
        (void)snprintf(with, sizeof with, "experior_maxent:rewards=%s", name[i]);
        (void)snprintf(without, sizeof without, "naive_ts:rewards=%s", name[i]);
        const char *const agents[] = {with, without};
        xp_simulate_options options = xp_simulate_options_default();
        options.env = env;
        options.agents = agents;
        options.agent_count = 2;
        options.problems = 8;
        options.tasks = 16;
        options.episodes = 60;
        options.threads = 1;
        xp_simulate_result result[2];
        EXPECT(xp_simulate(&options, result, NULL) == XP_OK);
        EXPECT(result[0].regret < result[1].regret);
    }
}
