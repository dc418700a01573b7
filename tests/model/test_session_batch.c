/* Batches are so many single calls; advice is what the learner would do if it explored no more. */
#include "claim.h"
#include "model_scene.h"

enum { ARMS = 3, MANY = 50 };

static xp_model *bandit_model(const char *agent) {
    xp_demos *demos = NULL;
    xp_model *model = NULL;
    const uint64_t counts[ARMS] = {6, 30, 14};
    EXPECT(xp_demos_create(0, ARMS, &demos, NULL) == XP_OK);
    for (uint32_t arm = 0; arm < ARMS; arm++) {
        EXPECT(xp_demos_add(demos, NULL, &arm, 1, counts[arm], NULL) == XP_OK);
    }
    EXPECT(xp_model_fit(agent, NULL, demos, NULL, &model, NULL) == XP_OK);
    xp_demos_destroy(demos);
    return model;
}

CLAIM(a_batch_of_a_bandit_draws_what_single_calls_draw) {
    static const char *const agents[] = {"experior_maxent", "experior_maxent:beta=10", "naive_ts",
                                         "boot_dqn:members=3,hidden=8,batch=16,warmup=16"};
    for (size_t k = 0; k < sizeof agents / sizeof agents[0]; k++) {
        xp_model *model = bandit_model(agents[k]);
        xp_session *one = NULL, *batch = NULL;
        EXPECT(xp_session_create(model, NULL, &one, NULL) == XP_OK);
        EXPECT(xp_session_create(model, NULL, &batch, NULL) == XP_OK);
        size_t actions[MANY], action;
        double rewards[MANY];
        for (size_t round = 0; round < 3; round++) {
            EXPECT(xp_session_act_batch(batch, MANY, actions, NULL) == XP_OK);
            for (size_t i = 0; i < MANY; i++) {
                EXPECT(xp_session_begin(one, NULL, NULL) == XP_OK);
                EXPECT(xp_session_act(one, NULL, &action, NULL) == XP_OK);
                EXPECT(action == actions[i]);
                rewards[i] = (i + action) % 3 == 0 ? 1 : 0;
            }
            EXPECT(xp_session_observe_batch(batch, actions, rewards, MANY, NULL) == XP_OK);
            for (size_t i = 0; i < MANY; i++) {
                const xp_transition seen = {
                    .action = actions[i], .reward = rewards[i], .end = XP_TERMINATED};
                EXPECT(xp_session_observe(one, &seen, NULL) == XP_OK);
            }
        }
        xp_session_destroy(one);
        xp_session_destroy(batch);
        xp_model_destroy(model);
    }
}

CLAIM(a_batch_with_one_bad_reward_changes_nothing) {
    xp_model *model = bandit_model("experior_maxent");
    xp_session *session = NULL;
    xp_error error;
    EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
    const size_t actions[] = {1, 2, 0};
    const double rewards[] = {1, 0, 0.45};
    EXPECT(xp_session_observe_batch(session, actions, rewards, 3, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "number 2 of the batch: the reward 0.45 is neither 0 nor 1");
    EXPECT(xp_session_describe(session).observations == 0);
    EXPECT(xp_session_observe_batch(session, actions, rewards, 2, &error) == XP_OK);
    EXPECT(xp_session_describe(session).observations == 2);
    xp_session_destroy(session);
    xp_model_destroy(model);
}

CLAIM(the_advice_of_a_thompson_sampler_is_its_most_likely_arm) {
    xp_model *model = bandit_model("experior_maxent");
    xp_session *session = NULL;
    size_t action;
    EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
    EXPECT(xp_session_advise(session, NULL, &action, NULL) == XP_OK);
    EXPECT(action == 1);
    EXPECT(xp_session_observe_rewards(session, 1, 40, 0, NULL) == XP_OK);
    EXPECT(xp_session_observe_rewards(session, 0, 40, 40, NULL) == XP_OK);
    EXPECT(xp_session_advise(session, NULL, &action, NULL) == XP_OK);
    EXPECT(action == 0);
    xp_session_destroy(session);
    xp_model_destroy(model);
}

CLAIM(with_states_advice_moves_nothing_and_batches_are_refused) {
    model_scene scene;
    EXPECT(model_scene_open(&scene, "deep_sea", "size", 5, 40));
    xp_model *model = NULL;
    xp_session *asked = NULL, *left = NULL;
    xp_error error;
    const char *spec = "experior_maxent:members=3,hidden=8,batch=16,warmup=16,draws=4";
    EXPECT(xp_model_fit_env(spec, scene.env, scene.demos, NULL, &model, NULL) == XP_OK);
    EXPECT(xp_session_create(model, NULL, &asked, NULL) == XP_OK);
    EXPECT(xp_session_create(model, NULL, &left, NULL) == XP_OK);
    const double state[8] = {0};
    size_t advice, first, second;
    for (size_t i = 0; i < 20; i++) {
        EXPECT(xp_session_advise(asked, state, &advice, NULL) == XP_OK);
        EXPECT(advice < scene.info.actions);
        EXPECT(xp_session_begin(asked, state, NULL) == XP_OK);
        EXPECT(xp_session_begin(left, state, NULL) == XP_OK);
        EXPECT(xp_session_act(asked, state, &first, NULL) == XP_OK);
        EXPECT(xp_session_act(left, state, &second, NULL) == XP_OK);
        EXPECT(first == second);
    }
    const double nowhere[8] = {1e9};
    EXPECT(xp_session_advise(asked, nowhere, &advice, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "state: number 0");
    EXPECT(xp_session_act_batch(asked, 1, &first, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "batches are for bandits");
    EXPECT(xp_session_observe_batch(asked, &first, state, 1, &error) == XP_ERR_INPUT);
    xp_session_destroy(asked);
    xp_session_destroy(left);
    xp_model_destroy(model);
    model_scene_close(&scene);
}
