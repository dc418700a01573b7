/* ExPLORe as an agent: it learns, it needs the demonstrations' pull, it keeps its contract. */
#include "agent/agent_scene.h"
#include "claim.h"

#include "agent/agent.h"

#include <string.h>

/* An environment, one parameter of it, 200 demonstrations of its optimal expert, and an agent. */
static xp_status scene_init(scene *self, const char *env, const char *key, const char *value,
                            const char *agent, xp_error *error) {
    const scene_setting settings[] = {{key, value}, {NULL, NULL}};
    return scene_make(self, env, settings, 200, agent, error);
}

/* The share of ten seeds (two, if instrumented) in which the last 50 of `episodes` return more than
 * 0.8 on average. */
static double solved(const char *size, const char *agent, size_t episodes) {
    scene at;
    EXPECT(scene_init(&at, "deep_sea", "size", size, agent, NULL) == XP_OK);
    const uint64_t seeds = claim_instrumented() ? 2 : 10;
    double share = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        xp_rng rng;
        double sum = 0;
        start(&at, seed, &rng);
        for (size_t t = 0; t < episodes; t++) {
            const double reward = episode(&at, &rng, NULL);
            sum += t + 50 >= episodes ? reward / 50 : 0;
        }
        share += sum > 0.8 ? 1 / (double)seeds : 0;
    }
    scene_deinit(&at);
    return share;
}

/* A uniform policy finds the last column of six in 1 of 32 episodes: it returns 0.03. */
CLAIM(it_learns_a_small_deep_sea) {
    EXPECT(solved("6", "explore", 700) > 0.85);
}

/* Of twelve columns the last is found by chance in 1 of 2,048 episodes, so 300 are not enough
 * without the demonstrations' pull. */
CLAIM(novelty_draws_it_to_where_the_experts_went) {
    EXPECT(solved("12", "explore:temperature=0.1", 300) > 0.75);
    EXPECT(solved("12", "explore:temperature=0.1,novelty=0", 300) < 0.55);
}

CLAIM(it_learns_which_arm_pays) {
    scene at;
    EXPECT(scene_init(&at, "bernoulli_bandit", "arms", "3", "explore:warmup=10", NULL) == XP_OK);
    xp_rng rng;
    start(&at, 1, &rng);
    for (size_t t = 0; t < 2000; t++) {
        const size_t arm = xp__agent_act(at.agent, &rng, NULL);
        const xp_transition seen = {
            .action = arm, .reward = arm == 1 ? 1 : 0, .end = XP_TERMINATED};
        xp__agent_observe(at.agent, &rng, &seen);
    }
    double law[3], weight = 0;
    xp__agent_action_law(at.agent, &rng, NULL, 1, law);
    EXPECT(law[1] > 0.8);
    EXPECT_NEAR(law[0] + law[1] + law[2], 1, 1e-12);
    EXPECT(xp__agent_policies(at.agent, &weight) == 1 && weight == 1);
    EXPECT(xp__agent_policies(at.agent, NULL) == 1);
    EXPECT(xp__agent_policy_action(at.agent, 0, NULL) == 1);
    scene_deinit(&at);
}

/* Action 1 pays where the second of two real numbers is positive, action 0 where it is negative;
 * experts show it on points of their own. */
CLAIM(it_learns_from_states_of_real_numbers) {
    static const size_t real[2] = {0, 0};
    const xp_env_info info = {
        .name = "signs", .actions = 2, .state_size = 2, .horizon = 1, .categories = real};
    xp_demos *demos;
    xp__agent *agent;
    xp__agent_spec spec;
    xp_rng rng = xp_rng_seed(3);
    EXPECT(xp_demos_create(2, 2, &demos, NULL) == XP_OK);
    for (int i = 0; i < 50; i++) {
        const double state[2] = {xp_rng_normal(&rng), xp_rng_normal(&rng)};
        const uint32_t action = state[1] > 0;
        EXPECT(xp_demos_add(demos, state, &action, 1, 1, NULL) == XP_OK);
    }
    const xp__agent_setup setup = {.actions = 2, .episodes = 100, .demos = demos, .env = info};
    EXPECT(xp__agent_spec_parse("explore:warmup=10", &info, &spec, NULL) == XP_OK);
    EXPECT(xp__agent_create(&spec, &setup, &agent, NULL) == XP_OK);
    xp__agent_reset(agent, &rng);
    size_t right = 0;
    for (int i = 0; i < 2000; i++) {
        const double state[2] = {xp_rng_normal(&rng), xp_rng_normal(&rng)};
        const size_t best = state[1] > 0, action = xp__agent_act(agent, &rng, state);
        xp__agent_observe(agent, &rng,
                          &(xp_transition){.state = state,
                                           .action = action,
                                           .reward = action == best ? 1 : 0,
                                           .end = XP_TERMINATED});
        right += i >= 1500 && action == best;
    }
    EXPECT(right > 425); /* of 500; 250 ± 11 by chance */
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
}

CLAIM(runs_repeat_on_the_same_stream_and_differ_on_a_later_one) {
    scene at;
    EXPECT(scene_init(&at, "frozen_lake", "observation", "pomdp", "explore:update_every=2", NULL) ==
           XP_OK);
    size_t first[1000] = {0}, again[1000] = {0};
    double law[3][4];
    const double state[2] = {7, -1};
    for (int round = 0; round < 2; round++) {
        xp_rng rng;
        size_t *actions = round == 0 ? first : again;
        start(&at, 7, &rng);
        for (int t = 0; t < 10; t++) {
            (void)episode(&at, &rng, actions + (size_t)t * 100);
        }
        xp__agent_action_law(at.agent, &rng, state, 1, law[round]);
        xp__agent_reset(at.agent, &rng);
        xp__agent_action_law(at.agent, &rng, state, 1, law[2]);
    }
    EXPECT(memcmp(first, again, sizeof first) == 0);
    EXPECT(memcmp(law[0], law[1], sizeof law[0]) == 0);
    xp_rng rng;
    start(&at, 7, &rng);
    xp__agent_action_law(at.agent, &rng, state, 1, law[0]);
    EXPECT(memcmp(law[0], law[2], sizeof law[0]) != 0);
    scene_deinit(&at);
}

CLAIM(what_it_cannot_learn_from_is_named) {
    scene at;
    xp_error error;
    xp__agent *agent;
    xp__agent_spec spec;
    EXPECT(scene_init(&at, "deep_sea", "size", "4", "explore", NULL) == XP_OK);
    const xp_env_info info = xp_env_describe(at.env);
    EXPECT(xp__agent_spec_parse("explore", &info, &spec, NULL) == XP_OK);
    xp__agent_setup setup = {.actions = 2, .episodes = 5, .env = info};
    EXPECT(xp__agent_create(&spec, &setup, &agent, &error) == XP_ERR_INPUT && agent == NULL);
    EXPECT_TEXT(error.message, "agent explore needs demonstrations");

    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"actions\": [0, 1]}\n", "have 0 numbers a state but the environment has 1"},
        {"{\"actions\": [0, 2], \"states\": [[0], [1]]}\n", "have 3 actions but"},
        {"{\"actions\": [0, 1], \"states\": [[0], [16]]}\n",
         "distinct demonstration 1, step 2: number 1 of the state, 16, is not a whole number from "
         "-1 to 15"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        xp_demos *demos;
        EXPECT(xp_demos_parse(cases[i].text, strlen(cases[i].text), "text", &demos, NULL) == XP_OK);
        setup.demos = demos;
        EXPECT(xp__agent_create(&spec, &setup, &agent, &error) == XP_ERR_INPUT && agent == NULL);
        EXPECT_TEXT(error.message, cases[i].message);
        xp_demos_destroy(demos);
    }
    xp_demos *none;
    EXPECT(xp_demos_create(1, 2, &none, NULL) == XP_OK);
    setup.demos = none;
    EXPECT(xp__agent_create(&spec, &setup, &agent, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "no demonstrated step");
    xp_demos_destroy(none);
    setup.demos = at.demos;
    EXPECT(xp__agent_spec_parse("explore:features=129", &info, &spec, NULL) == XP_OK);
    EXPECT(xp__agent_create(&spec, &setup, &agent, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "features = 129 for each of 2 actions");
    EXPECT(xp__agent_spec_parse("explore:batch=1", &info, &spec, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "batch");
    scene_deinit(&at);
}

CLAIM(it_survives_any_allocation_that_fails_and_acts_without_one) {
    const scene_setting settings[] = {{"size", "5"}, {NULL, NULL}};
    scene_survives("deep_sea", settings, 200,
                   "explore:warmup=8,batch=16,buffer=50,target_every=2,critics=3", 20, 41);
}
