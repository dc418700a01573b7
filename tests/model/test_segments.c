/* Models with a prior per segment: what a segment believes, files, sessions and refusals. */
#include "claim.h"

#include "experior/experior.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARMS = 3, SEGMENTS = 4 };
static const char *const arm_names[ARMS] = {"none", "drug A", "drug B"};
static const char *const segment_names[SEGMENTS] = {"young", "middle", "old", "unknown"};
static const uint64_t counts[SEGMENTS * ARMS] = {12, 7, 3, 9, 6, 7, 5, 6, 11, 0, 1, 0};

static xp_choices *table(void) {
    xp_choices *choices;
    xp_error error;
    EXPECT(xp_choices_create(SEGMENTS, segment_names, ARMS, arm_names, counts, &choices, &error) ==
           XP_OK);
    return choices;
}

static xp_model *fitted(const char *agent) {
    xp_choices *choices = table();
    xp_model *model = NULL;
    xp_error error = {.message = ""};
    EXPECT(xp_model_fit_segments(agent, choices, NULL, &model, &error) == XP_OK);
    EXPECT_TEXT(error.message, "");
    xp_choices_destroy(choices);
    return model;
}

CLAIM(a_segment_lies_between_its_own_choices_and_those_of_all) {
    xp_model *model = fitted(NULL);
    double all[ARMS] = {0}, total = 0;
    for (size_t i = 0; i < SEGMENTS * ARMS; i++) {
        all[i % ARMS] += (double)counts[i];
        total += (double)counts[i];
    }
    EXPECT(xp_model_segments(model) == SEGMENTS);
    for (size_t s = 0; s < SEGMENTS; s++) {
        const xp_segment one = xp_model_segment(model, s);
        double sum = 0, own = 0;
        for (size_t arm = 0; arm < ARMS; arm++) {
            own += (double)counts[s * ARMS + arm];
        }
        EXPECT(strcmp(one.name, segment_names[s]) == 0);
        EXPECT((double)one.choices == own);
        EXPECT(one.own > 0 && one.own < 1);
        EXPECT(one.effective > own && one.effective <= total);
        for (size_t arm = 0; arm < ARMS; arm++) {
            const double mine = (double)counts[s * ARMS + arm] / own, theirs = all[arm] / total;
            sum += one.target[arm];
            EXPECT(one.counts[arm] == counts[s * ARMS + arm]);
            EXPECT(one.target[arm] > fmin(mine, theirs) - 0.05); /* smoothed */
            EXPECT(one.target[arm] < fmax(mine, theirs) + 0.05);
        }
        EXPECT_NEAR(sum, 1, 1e-12);
    }
    EXPECT(xp_model_segment(model, 0).own > xp_model_segment(model, 3).own);
    const xp_pooling pooling = xp_model_pooling(model);
    EXPECT(pooling.strength_low <= pooling.strength && pooling.strength <= pooling.strength_high);
    EXPECT(pooling.estimated > pooling.none && pooling.estimated > pooling.full);
    xp_model_destroy(model);
}

CLAIM(a_sessions_first_law_is_the_segments_frequencies) {
    xp_model *model = fitted("experior_maxent");
    for (size_t s = 0; s <= SEGMENTS; s++) {
        xp_session *session;
        xp_error error;
        double law[ARMS];
        xp_session_options options = xp_session_options_default();
        options.segment = s < SEGMENTS ? segment_names[s] : NULL;
        EXPECT(xp_session_create(model, &options, &session, &error) == XP_OK);
        EXPECT(xp_session_law(session, NULL, 0, law, NULL, &error) == XP_OK);
        for (size_t arm = 0; arm < ARMS && s < SEGMENTS; arm++) {
            EXPECT_NEAR(law[arm], xp_model_segment(model, s).target[arm], 1e-6);
        }
        const char *told = xp_session_describe(session).segment;
        EXPECT(s < SEGMENTS ? told != NULL && strcmp(told, segment_names[s]) == 0 : told == NULL);
        xp_session_destroy(session);
    }
    xp_model_destroy(model);
}

/* The law of a session, and its bytes. */
static void law_of(const xp_session *session, double law[ARMS]) {
    xp_error error;
    EXPECT(xp_session_law((xp_session *)session, NULL, 0, law, NULL, &error) == XP_OK);
}

CLAIM(a_model_with_segments_and_its_sessions_are_saved_and_loaded_bit_for_bit) {
    char model_path[512], session_path[512];
    (void)snprintf(model_path, sizeof model_path, "%s/m.json", claim_directory());
    (void)snprintf(session_path, sizeof session_path, "%s/s.session", claim_directory());
    xp_model *model = fitted("experior_maxent:epsilon=0.01"), *again;
    xp_error error;
    EXPECT(xp_model_save(model, model_path, &error) == XP_OK);
    EXPECT(xp_model_load(model_path, &again, &error) == XP_OK);
    void *a, *b;
    size_t a_bytes, b_bytes;
    EXPECT(xp_model_to_bytes(model, &a, &a_bytes, &error) == XP_OK);
    EXPECT(xp_model_to_bytes(again, &b, &b_bytes, &error) == XP_OK);
    EXPECT(a_bytes == b_bytes && memcmp(a, b, a_bytes) == 0);
    EXPECT(memcmp(&(double){xp_model_pooling(model).estimated},
                  &(double){xp_model_pooling(again).estimated}, sizeof(double)) == 0);
    xp_session_options options = xp_session_options_default();
    options.segment = "old";
    xp_session *session, *loaded;
    EXPECT(xp_session_create(model, &options, &session, &error) == XP_OK);
    EXPECT(xp_session_observe_rewards(session, 2, 10, 4, &error) == XP_OK);
    EXPECT(xp_session_save(session, session_path, &error) == XP_OK);
    EXPECT(xp_session_load(session_path, again, &loaded, &error) == XP_OK);
    double first[ARMS], second[ARMS];
    law_of(session, first);
    law_of(loaded, second);
    EXPECT(memcmp(first, second, sizeof first) == 0);
    EXPECT(strcmp(xp_session_describe(loaded).segment, "old") == 0);
    xp_session_destroy(session);
    xp_session_destroy(loaded);
    xp_release(a);
    xp_release(b);
    xp_model_destroy(model);
    xp_model_destroy(again);
}

CLAIM(a_segments_own_model_acts_like_the_segment) {
    xp_model *model = fitted(NULL), *old;
    xp_error error;
    EXPECT(xp_model_segment_create(model, "old", &old, &error) == XP_OK);
    EXPECT(xp_model_segments(old) == 0);
    EXPECT(strcmp(xp_model_action_name(old, 1), "drug A") == 0);
    EXPECT(xp_model_describe(old).demonstrations == 22);
    xp_session_options options = xp_session_options_default();
    options.segment = "old";
    xp_session *one, *other;
    EXPECT(xp_session_create(model, &options, &one, &error) == XP_OK);
    EXPECT(xp_session_create(old, NULL, &other, &error) == XP_OK);
    double a[ARMS], b[ARMS];
    law_of(one, a);
    law_of(other, b);
    EXPECT(memcmp(a, b, sizeof a) == 0);
    xp_session_destroy(one);
    xp_session_destroy(other);
    void *bytes;
    size_t size;
    xp_model *again;
    EXPECT(xp_model_to_bytes(old, &bytes, &size, &error) == XP_OK);
    EXPECT(xp_model_parse(bytes, size, "old", &again, &error) == XP_OK);
    xp_release(bytes);
    xp_model_destroy(again);
    xp_model_destroy(old);
    xp_model_destroy(model);
}

CLAIM(a_finite_competence_has_segments_too) {
    xp_model *model = fitted("experior_maxent:beta=8,points=1024");
    for (size_t s = 0; s < SEGMENTS; s++) {
        EXPECT(xp_prior_fit_result(xp_model_segment(model, s).prior).converged);
    }
    xp_model_destroy(model);
}

CLAIM(what_is_not_a_segment_is_refused_with_near_names) {
    xp_model *model = fitted(NULL), *none = NULL;
    xp_error error;
    size_t segment;
    EXPECT(xp_model_segment_find(model, "Yuong", &segment, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "no segment 'Yuong'; it has 'young'");
    EXPECT(xp_model_segment_find(model, "old", &segment, &error) == XP_OK && segment == 2);
    xp_choices *choices;
    EXPECT(xp_choices_create(1, NULL, ARMS, arm_names, counts, &choices, &error) == XP_OK);
    EXPECT(xp_model_fit_segments(NULL, choices, NULL, &none, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "no column of segments");
    xp_choices_destroy(choices);
    choices = table();
    EXPECT(xp_model_fit_segments("behaviour_cloning", choices, NULL, &none, &error) ==
           XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "use experior_maxent");
    EXPECT(xp_model_fit_segments("experior_param", choices, NULL, &none, &error) == XP_ERR_INPUT);
    EXPECT(none == NULL);
    xp_demos *demos;
    EXPECT(xp_choices_demos(choices, XP_ALL_SEGMENTS, &demos, &error) == XP_OK);
    EXPECT(xp_model_fit(NULL, NULL, demos, NULL, &none, &error) == XP_OK);
    EXPECT(xp_model_segment_find(none, "old", &segment, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "has no segments");
    EXPECT(xp_model_segments(none) == 0 && xp_model_segment_name(none, 0) == NULL);
    xp_demos_destroy(demos);
    xp_choices_destroy(choices);
    xp_model_destroy(none);
    xp_model_destroy(model);
}

/* Puts `instead` in the place of the first `text` after `after`. */
static void expect_refused(const char *file, const char *after, const char *text,
                           const char *instead, const char *sentence) {
    char changed[65536];
    const char *at = strstr(file, after);
    at = at != NULL ? strstr(at, text) : NULL;
    EXPECT(at != NULL);
    if (at != NULL) {
        xp_model *model = NULL;
        xp_error error = {.message = ""};
        (void)snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - file), file, instead,
                       at + strlen(text));
        EXPECT(xp_model_parse(changed, strlen(changed), "file", &model, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, sentence);
    }
}

CLAIM(a_file_whose_segments_contradict_it_is_refused) {
    xp_model *model = fitted(NULL);
    xp_error error;
    void *data;
    size_t bytes;
    char file[65536];
    EXPECT(xp_model_to_bytes(model, &data, &bytes, &error) == XP_OK && bytes < sizeof file);
    (void)snprintf(file, sizeof file, "%.*s", (int)bytes, (const char *)data);
    char *sum = strstr(file, "\"checksum\"");
    EXPECT(sum != NULL);
    memcpy(sum, "\"xhecksum\"", 10); /* edited by hand */
    expect_refused(file, "\"segments\"", "\"middle\"", "\"young\"", "another one's");
    expect_refused(file, "\"segments\"", "\"own\": 0", "\"own\": 7", "it is a share");
    expect_refused(file, "\"segments\"", "\"target\"", "\"other\"", "a 'target'");
    expect_refused(file, "\"segments\"", "\"arms\": 3", "\"arms\": 2", "segment 1");
    expect_refused(file, "\"pooling\"", "\"strength\": ", "\"strength\": -", "in order");
    xp_release(data);
    xp_model_destroy(model);
}
