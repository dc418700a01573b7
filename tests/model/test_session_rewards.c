/* Models and sessions of every family of rewards: what they take and refuse, files and bulk. */
#include "claim.h"
#include "choices.h"

#include "experior/catalogue.h"
#include "experior/session.h"
#include "reward/reward_type.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 3 };

static xp_model *fit(const char *agent, xp_error *error) {
    const uint64_t counts[ARMS] = {6, 30, 14};
    xp_demos *demos = choices_demos(counts, ARMS);
    xp_model *model = NULL;
    (void)xp_model_fit(agent, NULL, demos, NULL, &model, error);
    xp_demos_destroy(demos);
    return model;
}

static xp_session *session_of(const xp_model *model) {
    xp_session *session = NULL;
    EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
    return session;
}

static xp_status see(xp_session *session, size_t arm, double reward, xp_error *error) {
    const xp_transition seen = {.action = arm, .reward = reward, .end = XP_TERMINATED};
    return xp_session_observe(session, &seen, error);
}

static bool same_law(xp_session *a, xp_session *b) {
    double left[ARMS], right[ARMS];
    return xp_session_law(a, NULL, 0, left, NULL, NULL) == XP_OK &&
           xp_session_law(b, NULL, 0, right, NULL, NULL) == XP_OK &&
           memcmp(left, right, sizeof left) == 0;
}

static void check_files(const char *name) {
    const xp__reward_type *type = xp__reward_find(name);
    char spec[64];
    (void)snprintf(spec, sizeof spec, "experior_maxent:rewards=%s", name);
    xp_model *model = fit(spec, NULL), *again = NULL;
    xp_session *session = session_of(model), *loaded = NULL;
    EXPECT_TEXT(xp_model_describe(model).rewards, name);
    EXPECT_TEXT(xp_session_describe(session).rewards, name);
    xp_rng luck = xp_rng_seed(3);
    size_t arm;
    for (size_t i = 0; i < 30; i++) {
        EXPECT(xp_session_act(session, NULL, &arm, NULL) == XP_OK);
        EXPECT(see(session, arm, type->draw_reward(&luck, 0.3 + 0.2 * (double)arm, 0.5), NULL) ==
               XP_OK);
    }
    void *data = NULL, *bytes = NULL;
    size_t size = 0, count = 0;
    EXPECT(xp_model_to_bytes(model, &data, &size, NULL) == XP_OK);
    EXPECT(xp_model_parse(data, size, "model", &again, NULL) == XP_OK);
    EXPECT_TEXT(xp_model_describe(again).rewards, name);
    EXPECT(xp_session_to_bytes(session, &bytes, &count, NULL) == XP_OK);
    EXPECT(xp_session_parse(bytes, count, "session", again, &loaded, NULL) == XP_OK);
    EXPECT(loaded != NULL && same_law(session, loaded));
    for (size_t i = 0; loaded != NULL && i < 30; i++) {
        size_t other;
        EXPECT(xp_session_act(session, NULL, &arm, NULL) == XP_OK);
        EXPECT(xp_session_act(loaded, NULL, &other, NULL) == XP_OK);
        EXPECT(arm == other);
        const double reward = type->draw_reward(&luck, 0.3 + 0.2 * (double)arm, 0.5);
        EXPECT(see(session, arm, reward, NULL) == XP_OK && see(loaded, arm, reward, NULL) == XP_OK);
    }
    EXPECT(loaded != NULL && same_law(session, loaded));
    xp_release(bytes);
    xp_release(data);
    xp_session_destroy(loaded);
    xp_session_destroy(session);
    xp_model_destroy(again);
    xp_model_destroy(model);
}

CLAIM(every_family_goes_on_bit_for_bit_from_its_files) {
    for (size_t i = 0; i < xp_catalogue_count(XP_REWARDS); i++) {
        check_files(xp_catalogue_get(XP_REWARDS, i).name);
    }
}

CLAIM(a_reward_outside_the_family_is_refused_and_changes_nothing) {
    static const struct {
        const char *spec;
        double bad;
        const char *sentence;
    } cases[] = {
        {"experior_maxent:rewards=fractional", 1.2, "the reward 1.2 is not a number from 0 to 1"},
        {"experior_maxent:rewards=poisson", 1.5, "the reward 1.5 is not a whole number from 0"},
        {"experior_maxent:rewards=gaussian", INFINITY, "not a finite number"},
        {"experior_maxent", 0.45, "the reward 0.45 is neither 0 nor 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        xp_error error = {.message = ""};
        xp_model *model = fit(cases[i].spec, NULL);
        xp_session *session = session_of(model), *fresh = session_of(model);
        EXPECT(see(session, 0, cases[i].bad, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, cases[i].sentence);
        EXPECT(same_law(session, fresh));
        xp_session_destroy(fresh);
        xp_session_destroy(session);
        xp_model_destroy(model);
    }
}

CLAIM(sums_of_gaussian_rewards_need_squares_unless_the_noise_is_known) {
    xp_error error = {.message = ""};
    xp_model *learned = fit("experior_maxent:rewards=gaussian", NULL);
    xp_model *known = fit("experior_maxent:rewards=gaussian,noise=2", NULL);
    xp_session *a = session_of(learned), *b = session_of(learned), *c = session_of(known);
    EXPECT(xp_session_observe_rewards(a, 1, 3, 12, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "the sum of their squares");
    EXPECT(xp_session_observe_rewards(a, 1, 1, 12, NULL) == XP_OK); /* one has no spread */
    EXPECT(xp_session_observe_squares(b, 1, 3, 12, 30, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "cannot add up");
    EXPECT(xp_session_observe_squares(b, 1, 3, 12, 50, NULL) == XP_OK); /* 3, 4, 5 */
    EXPECT(xp_session_observe_rewards(c, 1, 3, 12, NULL) == XP_OK);
    EXPECT(xp_session_describe(b).observations == 3 && xp_session_describe(c).observations == 3);
    xp_session *d = session_of(learned);
    double bulk[ARMS], single[ARMS];
    for (size_t i = 0; i < 3; i++) {
        EXPECT(see(d, 1, 3 + (double)i, NULL) == XP_OK);
    }
    EXPECT(xp_session_law(b, NULL, 0, bulk, NULL, NULL) == XP_OK);
    EXPECT(xp_session_law(d, NULL, 0, single, NULL, NULL) == XP_OK);
    for (size_t arm = 0; arm < ARMS; arm++) {
        EXPECT_NEAR(bulk[arm], single[arm], 1e-9);
    }
    xp_session_destroy(d);
    xp_session_destroy(c);
    xp_session_destroy(b);
    xp_session_destroy(a);
    xp_model_destroy(known);
    xp_model_destroy(learned);
}

CLAIM(sums_of_fractions_are_rounded_at_random_and_impossible_ones_refused) {
    xp_error error = {.message = ""};
    xp_model *model = fit("experior_maxent:rewards=fractional", NULL);
    xp_session *session = session_of(model);
    EXPECT(xp_session_observe_rewards(session, 0, 4, 4.5, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "4 fractional rewards, each a number from 0 to 1");
    double up = 0;
    const size_t tries = 400;
    for (size_t i = 0; i < tries; i++) { /* 2.25 is 2 or 3: the law shows which */
        double law[ARMS], three[ARMS];
        EXPECT(xp_session_reset(session, i, NULL) == XP_OK);
        EXPECT(xp_session_observe_rewards(session, 0, 4, 2.25, NULL) == XP_OK);
        EXPECT(xp_session_law(session, NULL, 0, law, NULL, NULL) == XP_OK);
        EXPECT(xp_session_reset(session, i, NULL) == XP_OK);
        EXPECT(xp_session_observe_rewards(session, 0, 4, 3, NULL) == XP_OK);
        EXPECT(xp_session_law(session, NULL, 0, three, NULL, NULL) == XP_OK);
        up += fabs(law[0] - three[0]) < 1e-9 ? 1 : 0;
    }
    EXPECT_NEAR(up / (double)tries, 0.25, 0.09); /* four standard deviations */
    xp_session_destroy(session);
    xp_model_destroy(model);
}

CLAIM(what_a_family_cannot_have_is_refused_when_fitting) {
    static const struct {
        const char *spec, *sentence;
    } cases[] = {
        {"experior_maxent:rewards=gaussian,beta=10", "only optimal experts"},
        {"experior_maxent:noise=1", "bernoulli rewards have no such parameter"},
        {"experior_maxent:rewards=poisson,noise=1", "poisson rewards have no such parameter"},
        {"experior_maxent:rewards=poisson,location=1,scale=3", "poisson.scale = 3"},
        {"experior_maxent:rewards=gaussian,scale=0", "gaussian.scale = 0 is outside"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        xp_error error = {.message = ""};
        EXPECT(fit(cases[i].spec, &error) == NULL);
        EXPECT_TEXT(error.message, cases[i].sentence);
    }
}

CLAIM(a_model_of_zeros_and_ones_does_not_mention_its_rewards) {
    /* So that files and descriptions are those of before there were families. */
    xp_model *model = fit("experior_maxent", NULL);
    char *data = NULL;
    size_t size = 0;
    EXPECT(xp_model_to_bytes(model, (void **)&data, &size, NULL) == XP_OK);
    char *text = data != NULL ? strndup(data, size) : NULL;
    EXPECT(text != NULL && strstr(text, "rewards") == NULL && strstr(text, "noise") == NULL);
    EXPECT(strstr(xp_model_describe(model).params, "rewards") == NULL);
    xp_release(data);
    free(text);
    xp_model_destroy(model);
}
