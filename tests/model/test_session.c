/* What a session refuses, and what it tells. */
#include "claim.h"
#include "choices.h"
#include "model_scene.h"

#include <math.h>

enum { ARMS = 3 };

static xp_model *bandit_model(const char *agent) {
    const uint64_t counts[ARMS] = {6, 30, 14};
    return choices_model(agent, counts, ARMS);
}

CLAIM(a_reward_that_the_model_cannot_use_is_refused_and_changes_nothing) {
    xp_model *model = bandit_model("experior_maxent");
    xp_session *session = NULL;
    EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
    double before[ARMS], after[ARMS];
    EXPECT(xp_session_law(session, NULL, 0, before, NULL, NULL) == XP_OK);
    xp_error error;
    xp_transition seen = {.action = 1, .reward = 0.45, .end = XP_TERMINATED};
    EXPECT(xp_session_observe(session, &seen, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "0.45 is neither 0 nor 1");
    seen.reward = NAN;
    EXPECT(xp_session_observe(session, &seen, &error) == XP_ERR_INPUT);
    seen = (xp_transition){.action = ARMS, .reward = 1, .end = XP_TERMINATED};
    EXPECT(xp_session_observe(session, &seen, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "action 3 is not one of 0 to 2");
    EXPECT(xp_session_observe_rewards(session, 1, 3, 4, &error) == XP_ERR_INPUT);
    EXPECT(xp_session_observe_rewards(session, 1, 3, 1.5, &error) == XP_ERR_INPUT);
    EXPECT(xp_session_observe(session, NULL, &error) == XP_ERR_INPUT);
    EXPECT(xp_session_observe(NULL, &seen, &error) == XP_ERR_INPUT);
    EXPECT(xp_session_law(session, NULL, 0, after, NULL, NULL) == XP_OK);
    EXPECT(memcmp(before, after, sizeof before) == 0);
    EXPECT(xp_session_describe(session).observations == 0);
    xp_session_destroy(session);
    xp_model_destroy(model);
}

CLAIM(rewards_in_bulk_are_those_one_by_one_in_law) {
    xp_model *model = bandit_model("experior_maxent");
    xp_session *one = NULL, *bulk = NULL;
    EXPECT(xp_session_create(model, NULL, &one, NULL) == XP_OK);
    EXPECT(xp_session_create(model, NULL, &bulk, NULL) == XP_OK);
    for (size_t i = 0; i < 40; i++) {
        const xp_transition seen = {
            .action = i % ARMS, .reward = i % 4 == 0 ? 1 : 0, .end = XP_TERMINATED};
        EXPECT(xp_session_observe(one, &seen, NULL) == XP_OK);
    }
    for (size_t arm = 0; arm < ARMS; arm++) {
        uint64_t trials = 0, successes = 0;
        for (size_t i = arm; i < 40; i += ARMS) {
            trials++;
            successes += i % 4 == 0;
        }
        EXPECT(xp_session_observe_rewards(bulk, arm, trials, (double)successes, NULL) == XP_OK);
    }
    double left[ARMS], right[ARMS];
    EXPECT(xp_session_law(one, NULL, 0, left, NULL, NULL) == XP_OK);
    EXPECT(xp_session_law(bulk, NULL, 0, right, NULL, NULL) == XP_OK);
    for (size_t arm = 0; arm < ARMS; arm++) {
        EXPECT_NEAR(left[arm], right[arm], 1e-9);
    }
    EXPECT(xp_session_describe(bulk).observations == 40);
    xp_session_destroy(one);
    xp_session_destroy(bulk);
    xp_model_destroy(model);
}

CLAIM(a_session_may_ask_for_another_agent_that_the_model_can_serve_and_no_other) {
    xp_model *model = bandit_model("experior_maxent");
    static const char *const good[] = {"behaviour_cloning", "naive_ucb", "ucb_explore",
                                       "successive_elimination", "experior_maxent:sampler=mcmc"};
    static const char *const bad[] = {"experior_param", "experior_maxent:beta=2", "oracle_ts",
                                      "nobody", "posterior_sampling"};
    xp_session_options options = xp_session_options_default();
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        xp_session *session = NULL;
        options.agent = good[i];
        EXPECT(xp_session_create(model, &options, &session, NULL) == XP_OK);
        xp_session_destroy(session);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        xp_session *session = NULL;
        xp_error error = {.message = ""};
        options.agent = bad[i];
        EXPECT(xp_session_create(model, &options, &session, &error) == XP_ERR_INPUT);
        EXPECT(session == NULL && error.message[0] != '\0');
    }
    xp_model_destroy(model);
}

CLAIM(a_session_without_a_model_needs_a_space_and_survives_its_file) {
    xp_session_options options = xp_session_options_default();
    xp_session *session = NULL, *loaded = NULL;
    options.agent = "naive_ucb";
    EXPECT(xp_session_create(NULL, &options, &session, NULL) == XP_ERR_INPUT);
    const xp_space space = {.actions = 4, .horizon = 1, .discount = 1};
    options.space = &space;
    EXPECT(xp_session_create(NULL, &options, &session, NULL) == XP_OK);
    for (size_t i = 0; i < 10; i++) {
        size_t action;
        EXPECT(xp_session_act(session, NULL, &action, NULL) == XP_OK);
        const xp_transition seen = {.action = action, .reward = 0.1 * (double)action};
        EXPECT(xp_session_observe(session, &seen, NULL) == XP_OK);
    }
    void *data;
    size_t bytes;
    EXPECT(xp_session_to_bytes(session, &data, &bytes, NULL) == XP_OK);
    EXPECT(xp_session_parse(data, bytes, "bytes", NULL, &loaded, NULL) == XP_OK);
    size_t a = 0, b = 1;
    EXPECT(xp_session_act(session, NULL, &a, NULL) == XP_OK);
    EXPECT(xp_session_act(loaded, NULL, &b, NULL) == XP_OK && a == b);
    xp_release(data);
    xp_session_destroy(loaded);
    xp_session_destroy(session);
}

CLAIM(a_session_of_another_model_and_damaged_bytes_are_refused) {
    xp_model *model = bandit_model("experior_maxent"), *other = bandit_model("experior_param");
    xp_session *session = NULL, *loaded = NULL;
    void *data;
    size_t bytes;
    xp_error error;
    EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
    EXPECT(xp_session_to_bytes(session, &data, &bytes, NULL) == XP_OK);
    EXPECT(xp_session_parse(data, bytes, "b", other, &loaded, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "was made with another model");
    EXPECT(xp_session_parse(data, bytes, "b", NULL, &loaded, &error) == XP_ERR_INPUT);
    for (size_t cut = 0; cut < bytes; cut += 7) {
        EXPECT(xp_session_parse(data, cut, "b", model, &loaded, &error) == XP_ERR_INPUT);
    }
    for (size_t i = 0; i < bytes; i += 3) {
        ((unsigned char *)data)[i] ^= 0x10;
        EXPECT(xp_session_parse(data, bytes, "b", model, &loaded, &error) == XP_ERR_INPUT);
        ((unsigned char *)data)[i] ^= 0x10;
    }
    xp_release(data);
    xp_session_destroy(session);
    xp_model_destroy(model);
    xp_model_destroy(other);
}

CLAIM(states_that_the_space_does_not_have_are_refused) {
    model_scene scene;
    EXPECT(model_scene_open(&scene, "deep_sea", "size", 4, 10));
    xp_model *model = NULL;
    xp_session *session = NULL;
    xp_error error;
    EXPECT(xp_model_fit_env("behaviour_cloning", scene.env, scene.demos, NULL, &model, NULL) ==
           XP_OK);
    EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
    size_t action;
    const double bad[] = {16, -2, 0.5, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        EXPECT(xp_session_act(session, &bad[i], &action, &error) == XP_ERR_INPUT);
    }
    EXPECT(xp_session_act(session, NULL, &action, &error) == XP_ERR_INPUT);
    const double good = 0;
    EXPECT(xp_session_act(session, &good, &action, &error) == XP_OK);
    xp_session_destroy(session);
    xp_model_destroy(model);
    model_scene_close(&scene);
}
