/* Bootstrapped DQN as an agent: it learns, it starts from demonstrations, it keeps its contract in
 * environments with states. */
#include "agent/agent_scene.h"
#include "claim.h"

#include "agent/states/learner.h"
#include "agent/agent.h"

#include <math.h>
#include <string.h>

/* An environment, one parameter of it, 200 demonstrations of its optimal expert, and an agent. */
static xp_status scene_init(scene *self, const char *env, const char *key, const char *value,
                            const char *agent, xp_error *error) {
    const scene_setting settings[] = {{key, value}, {NULL, NULL}};
    return scene_make(self, env, settings, 200, agent, error);
}

/* A uniform policy finds the last column of five with probability 1/16 an episode, so an agent that
 * does not learn returns 0.06; one that has learned returns 0.99. */
CLAIM(it_learns_a_small_deep_sea) {
    enum { SEEDS = 10, EPISODES = 250, LAST = 50 };
    scene at;
    EXPECT(scene_init(&at, "deep_sea", "size", "5", "boot_dqn", NULL) == XP_OK);
    size_t solved = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        xp_rng rng;
        double sum = 0;
        start(&at, seed, &rng);
        for (size_t t = 0; t < EPISODES; t++) {
            const double reward = episode(&at, &rng, NULL);
            sum += t >= EPISODES - LAST ? reward / LAST : 0;
        }
        solved += sum > 0.8;
    }
    EXPECT(solved >= 8);
    scene_deinit(&at);
}

CLAIM(it_learns_which_arm_pays) {
    scene at;
    EXPECT(scene_init(&at, "bernoulli_bandit", "arms", "3", "boot_dqn:warmup=10", NULL) == XP_OK);
    xp_rng rng;
    start(&at, 1, &rng);
    for (size_t t = 0; t < 400; t++) {
        const size_t arm = xp__agent_act(at.agent, &rng, NULL);
        const xp_transition seen = {
            .action = arm, .reward = arm == 1 ? 1 : 0, .end = XP_TERMINATED};
        xp__agent_observe(at.agent, &rng, &seen);
    }
    double law[3];
    xp__agent_action_law(at.agent, &rng, NULL, 1, law);
    EXPECT_NEAR(law[1], 1, 1e-12);
    scene_deinit(&at);
}

/* With the goal in the last column every optimal demonstration goes right at each step. */
CLAIM(heads_that_start_from_demonstrations_do_as_the_experts_did) {
    enum { SIZE = 8 };
    scene at;
    EXPECT(scene_init(&at, "deep_sea", "size", "8", "boot_dqn:prior=ensemble", NULL) == XP_OK);
    xp_rng rng;
    start(&at, 3, &rng);
    for (size_t row = 0; row + 1 < SIZE; row++) {
        const double cell = (double)(row * SIZE + row);
        double law[2];
        xp__agent_action_law(at.agent, &rng, &cell, 1, law);
        EXPECT_NEAR(law[1], 1, 1e-12);
    }
    for (int t = 0; t < 10; t++) {
        EXPECT_NEAR(episode(&at, &rng, NULL), 0.99, 1e-9);
    }
    scene_deinit(&at);
}

/* The loss of Proposition 2 is smallest where softmax(beta Q) is the frequency of each action:
 * Q(a) - Q(b) = log(p_a / p_b) / beta. Frequencies in a batch of 2,048 have a standard deviation
 * of at most 0.011, which moves these differences by 0.01 or less once steps of 1e-4 average it. */
CLAIM(pretraining_finds_the_log_frequencies_of_the_demonstrations) {
    const xp_env_info env = {.actions = 3};
    const uint64_t counts[3] = {60, 30, 10};
    xp_demos *demos;
    xp__params params;
    xp__states_prior *prior;
    EXPECT(xp_demos_create(0, 3, &demos, NULL) == XP_OK);
    for (uint32_t arm = 0; arm < 3; arm++) {
        EXPECT(xp_demos_add(demos, NULL, &arm, 1, counts[arm], NULL) == XP_OK);
    }
    EXPECT(xp__states_prior_params_default("ensemble", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "networks", 5, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "pretrain_steps", 3000, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "pretrain_batch", 2048, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "pretrain_rate", 1e-4, NULL) == XP_OK);
    xp_rng rng = xp_rng_seed(2);
    EXPECT(xp__states_prior_fit("ensemble", &params, &env, demos, &rng, &prior, NULL) == XP_OK);
    xp_demos_destroy(demos);
    const uint32_t row = 0;
    const xp__net_rows rows = {.count = 1, .hot = &row};
    for (size_t member = 0; member < 5; member++) {
        float q[3];
        xp__net_q(xp__states_prior_networks(prior), member, 1, &rows, q);
        EXPECT_NEAR((double)q[0] - q[1], log(2.0) / 5, 0.03);
        EXPECT_NEAR((double)q[1] - q[2], log(3.0) / 5, 0.03);
    }
    /* The entropy of the frequencies, which the fit reaches but for its error. */
    const double entropy = -(0.6 * log(0.6) + 0.3 * log(0.3) + 0.1 * log(0.1));
    EXPECT_NEAR(xp__states_prior_fit_result(prior).log_likelihood, -entropy, 0.01);
    xp__states_prior_destroy(prior);
}

CLAIM(runs_repeat_on_the_same_stream_and_differ_on_a_later_one) {
    scene at;
    EXPECT(scene_init(&at, "frozen_lake", "observation", "pomdp", "boot_dqn:epsilon=0.1,mask=0.5",
                      NULL) == XP_OK);
    size_t first[500] = {0}, again[500] = {0};
    for (int round = 0; round < 2; round++) {
        xp_rng rng;
        size_t *actions = round == 0 ? first : again;
        start(&at, 7, &rng);
        for (int t = 0; t < 5; t++) {
            (void)episode(&at, &rng, actions + (size_t)t * 100);
        }
    }
    EXPECT(memcmp(first, again, sizeof first) == 0);
    scene_deinit(&at);

    EXPECT(scene_init(&at, "deep_sea", "size", "9", "boot_dqn", NULL) == XP_OK);
    xp_rng rng;
    double law[2][9];
    start(&at, 7, &rng);
    for (int round = 0; round < 2; round++) {
        for (size_t row = 0; row < 9; row++) {
            const double cell = (double)(row * 9);
            double both[2];
            xp__agent_action_law(at.agent, &rng, &cell, 1, both);
            law[round][row] = both[0];
        }
        xp__agent_reset(at.agent, &rng);
    }
    EXPECT(memcmp(law[0], law[1], sizeof law[0]) != 0);
    scene_deinit(&at);
}

CLAIM(within_an_episode_one_head_acts_and_between_episodes_any_may) {
    scene at;
    EXPECT(scene_init(&at, "deep_sea", "size", "6", "boot_dqn:epsilon=0.25", NULL) == XP_OK);
    xp_rng rng;
    start(&at, 2, &rng);
    double law[2];
    const double cells[2] = {0, 6};
    xp__agent_action_law(at.agent, &rng, &cells[0], 1, law);
    EXPECT(law[0] > 0.125 && law[0] < 0.875); /* 25 random networks do not all agree */
    EXPECT_NEAR(law[0] + law[1], 1, 1e-12);
    (void)xp__agent_act(at.agent, &rng, &cells[0]);
    xp__agent_observe(at.agent, &rng,
                      &(xp_transition){.state = &cells[0], .next_state = &cells[1]});
    xp__agent_action_law(at.agent, &rng, &cells[1], 1, law);
    const double surer = fmax(law[0], law[1]);
    EXPECT_NEAR(surer, 0.875, 1e-12);
    scene_deinit(&at);
}

CLAIM(what_it_cannot_start_from_is_named) {
    scene at;
    xp_error error;
    xp__agent *agent;
    xp__agent_spec spec;
    xp__states_prior *prior;
    xp_rng rng = xp_rng_seed(1);
    EXPECT(scene_init(&at, "deep_sea", "size", "4", "boot_dqn", NULL) == XP_OK);
    const xp_env_info info = xp_env_describe(at.env);
    EXPECT(xp__agent_spec_parse("boot_dqn:prior=ensemble", &info, &spec, NULL) == XP_OK);
    const xp__agent_setup setup = {.actions = 2, .episodes = 5, .env = info};
    EXPECT(xp__agent_create(&spec, &setup, &agent, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "needs a prior");
    EXPECT(xp__agent_q_prior_fit(&spec, at.env, NULL, &rng, &prior, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "needs demonstrations");

    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"actions\": [0, 1]}\n", "have 0 numbers a state but the environment has 1"},
        {"{\"actions\": [0, 2], \"states\": [[0], [1]]}\n", "have 3 actions but"},
        {"{\"actions\": [0], \"states\": [[3]]}\n{\"actions\": [0, 1], \"states\": [[0], [16]]}\n",
         "distinct demonstration 2, step 2: number 1 of the state, 16, is not a whole number from "
         "-1 to 15"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        xp_demos *demos;
        EXPECT(xp_demos_parse(cases[i].text, strlen(cases[i].text), "text", &demos, NULL) == XP_OK);
        EXPECT(xp__agent_q_prior_fit(&spec, at.env, demos, &rng, &prior, &error) == XP_ERR_INPUT &&
               prior == NULL);
        EXPECT_TEXT(error.message, cases[i].message);
        xp_demos_destroy(demos);
    }
    xp_demos *none;
    EXPECT(xp_demos_create(1, 2, &none, NULL) == XP_OK);
    EXPECT(xp__agent_q_prior_fit(&spec, at.env, none, &rng, &prior, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "no demonstrated step");
    xp_demos_destroy(none);
    scene_deinit(&at);
}

CLAIM(it_survives_any_allocation_that_fails_and_acts_without_one) {
    const scene_setting settings[] = {{"size", "5"}, {NULL, NULL}};
    scene_survives("deep_sea", settings, 200,
                   "boot_dqn:prior=ensemble,mask=0.5,members=3,pretrain_steps=5,warmup=8,batch=16",
                   10, 21);
}
