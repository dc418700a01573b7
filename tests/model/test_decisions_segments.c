/* Kept decisions of a model with segments: one learner per segment, made when it is first asked
 * for. */
#include "claim.h"

#include "experior/experior.h"

#include <stdio.h>
#include <string.h>

enum { ARMS = 3, SEGMENTS = 3 };

static xp_model *fitted(const char *agent) {
    static const char *const arms[ARMS] = {"none", "drug A", "drug B"};
    static const char *const segments[SEGMENTS] = {"young", "middle", "old"};
    static const uint64_t counts[SEGMENTS * ARMS] = {120, 20, 3, 30, 60, 40, 5, 16, 110};
    xp_choices *choices = NULL;
    xp_model *model = NULL;
    EXPECT(xp_choices_create(SEGMENTS, segments, ARMS, arms, counts, &choices, NULL) == XP_OK);
    EXPECT(xp_model_fit_segments(agent, choices, NULL, &model, NULL) == XP_OK);
    xp_choices_destroy(choices);
    return model;
}

static xp_decisions *open_state(const char *name, const xp_model *model) {
    char path[512];
    xp_decisions *state = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", claim_directory(), name);
    EXPECT(xp_decisions_open(path, model, NULL, &state, NULL) == XP_OK);
    return state;
}

/* Draws in a segment and gives a reward, with the file closed in between. */
static size_t live(const char *name, const xp_model *model, const char *segment, double reward) {
    xp_decisions *state = open_state(name, model);
    xp_decision drawn = {.id = 0};
    EXPECT(xp_decisions_segment(state, segment, NULL) == XP_OK);
    EXPECT(xp_decisions_draw(state, NULL, 0, 1, &drawn, NULL) == XP_OK);
    EXPECT((segment == NULL) == (drawn.segment == NULL));
    EXPECT(segment == NULL || drawn.segment == NULL || strcmp(drawn.segment, segment) == 0);
    EXPECT(xp_decisions_save(state, NULL) == XP_OK);
    xp_decisions_close(state);
    state = open_state(name, model);
    const xp_decision kept = xp_decisions_pending(state, 0);
    EXPECT(kept.id == drawn.id && kept.action == drawn.action && kept.segment == drawn.segment);
    EXPECT(xp_decisions_observe(state, &drawn.id, &reward, 1, NULL) == XP_OK);
    EXPECT(xp_decisions_save(state, NULL) == XP_OK);
    xp_decisions_close(state);
    return drawn.action;
}

/* Four learners in one file, each beside a session that sees the same rewards. */
static void expect_own_learners(const char *name, const char *agent, bool computed) {
    static const char *const segments[] = {"old", NULL, "young", "old", "old", "young"};
    static const char *const all[] = {NULL, "young", "middle", "old"};
    xp_model *model = fitted(agent);
    xp_session *sessions[4] = {NULL};
    for (size_t i = 0; i < 4; i++) {
        xp_session_options options = xp_session_options_default();
        options.segment = all[i];
        EXPECT(xp_session_create(model, &options, &sessions[i], NULL) == XP_OK);
    }
    for (size_t i = 0; i < sizeof segments / sizeof segments[0]; i++) {
        const xp_transition seen = {.action = live(name, model, segments[i], i % 2 == 0 ? 1 : 0),
                                    .reward = i % 2 == 0 ? 1 : 0,
                                    .end = XP_TERMINATED};
        for (size_t j = 0; j < 4; j++) {
            if (segments[i] == NULL ? all[j] == NULL
                                    : all[j] != NULL && strcmp(all[j], segments[i]) == 0) {
                EXPECT(xp_session_observe(sessions[j], &seen, NULL) == XP_OK);
            }
        }
    }
    xp_decisions *state = open_state(name, model);
    for (size_t i = 0; i < 4; i++) {
        double kept[ARMS], wanted[ARMS];
        EXPECT(xp_decisions_segment(state, all[i], NULL) == XP_OK);
        EXPECT(xp_decisions_law(state, 2000, kept, NULL, NULL) == XP_OK);
        EXPECT(xp_session_law(sessions[i], NULL, 2000, wanted, NULL, NULL) == XP_OK);
        EXPECT(xp_decisions_describe(state).session.observations ==
               xp_session_describe(sessions[i]).observations);
        for (size_t arm = 0; arm < ARMS; arm++) { /* a chain of 2,000 draws has other numbers */
            EXPECT_NEAR(kept[arm], wanted[arm], computed ? 1e-12 : 0.15);
        }
        xp_session_destroy(sessions[i]);
    }
    xp_decisions_close(state);
    xp_model_destroy(model);
}

CLAIM(every_segment_learns_from_its_own_rewards) {
    expect_own_learners("computed", NULL, true);
    expect_own_learners("chain", "experior_maxent:beta=5,reference=uniform", false);
}

CLAIM(a_segment_that_the_model_does_not_have_is_refused_and_leaves_the_choice_as_it_was) {
    xp_model *model = fitted(NULL);
    xp_decisions *state = open_state("unknown", model);
    xp_error error;
    EXPECT(xp_decisions_segment(state, "old", NULL) == XP_OK);
    EXPECT(xp_decisions_segment(state, "ancient", &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "ancient");
    EXPECT_TEXT(xp_decisions_describe(state).session.segment, "old");
    EXPECT(xp_decisions_segment(state, NULL, NULL) == XP_OK);
    EXPECT(xp_decisions_describe(state).session.segment == NULL);
    xp_decisions_close(state);
    xp_model_destroy(model);
}
