/* Parameters: defaults, ranges, kinds and choices, and messages that name what is wrong. */
#include "claim.h"

#include "base/params.h"
#include "base/params.h"

#include <math.h>
#include <string.h>

static const xp_param table[] = {
    {.name = "arms", .kind = XP_PARAM_INTEGER, .low = 2, .high = 1024, .standard = 10},
    {.name = "beta", .kind = XP_PARAM_REAL, .low = 0, .high = INFINITY, .standard = 1},
    {.name = "rate", .kind = XP_PARAM_REAL, .low = -1, .high = 1, .standard = NAN},
    {.name = "sampler",
     .kind = XP_PARAM_CHOICE,
     .low = 0,
     .high = 2,
     .standard = 1,
     .choices = "exact|chain|exact_chain"},
};

static xp__params fresh(void) {
    return xp__params_default("thing", table, sizeof table / sizeof table[0]);
}

CLAIM(defaults_come_from_the_table_and_are_not_given) {
    const xp__params params = fresh();
    EXPECT(xp__params_get(&params, "arms") == 10 && xp__params_get(&params, "beta") == 1);
    EXPECT(isnan(xp__params_get(&params, "rate")));
    for (size_t i = 0; i < params.count; i++) {
        EXPECT(!params.given[i]);
    }
    EXPECT(xp__params_has(&params, "sampler") && !xp__params_has(&params, "samplers"));
}

CLAIM(values_inside_the_range_are_kept_ends_included) {
    xp__params params = fresh();
    static const struct {
        const char *name, *text;
        double value;
    } good[] = {{"arms", "2", 2},          {"arms", "1024", 1024},
                {"arms", "1e1", 10},       {"beta", "0", 0},
                {"beta", "inf", INFINITY}, {"beta", "2.5e-3", 2.5e-3},
                {"rate", "-1", -1},        {"rate", ".5", 0.5},
                {"sampler", "exact", 0},   {"sampler", "exact_chain", 2}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        xp_error error;
        EXPECT(xp__params_set_text(&params, good[i].name, good[i].text, &error) == XP_OK);
        EXPECT(xp__params_get(&params, good[i].name) == good[i].value);
    }
    for (size_t i = 0; i < params.count; i++) {
        EXPECT(params.given[i]);
    }
}

CLAIM(what_is_wrong_is_refused_in_words_and_changes_nothing) {
    static const struct {
        const char *name, *text, *message;
    } bad[] = {
        {"arms", "1", "thing.arms = 1 is outside [2, 1024]"},
        {"arms", "1025", "thing.arms = 1025 is outside [2, 1024]"},
        {"arms", "2.5", "thing.arms = 2.5 is not a whole number"},
        {"arms", "nan", "thing.arms = nan is outside [2, 1024]"},
        {"arms", "inf", "thing.arms = inf is outside [2, 1024]"},
        {"arms", "ten", "thing.arms = 'ten' is not a number"},
        {"arms", "", "thing.arms = '' is not a number"},
        {"arms", "10 ", "thing.arms = '10 ' is not a number"},
        {"arms", "0x10", "thing.arms = '0x10' is not a number"},
        {"beta", "-1e-9", "thing.beta = -1e-09 is outside [0, inf]"},
        {"beta", "-inf", "thing.beta = -inf is outside [0, inf]"},
        {"rate", "nan", "thing.rate = nan is outside [-1, 1]"},
        {"sampler", "chai", "thing.sampler = 'chai' is not one of exact|chain|exact_chain"},
        {"sampler", "", "thing.sampler = '' is not one of exact|chain|exact_chain"},
        {"sampler", "exact|chain", "is not one of exact|chain|exact_chain"},
        {"sampler", "1", "thing.sampler = '1' is not one of"},
        {"armz", "3", "thing has no parameter 'armz'; it has arms, beta, rate, sampler"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        xp__params params = fresh();
        const xp__params before = params;
        xp_error error = {.status = XP_OK};
        EXPECT(xp__params_set_text(&params, bad[i].name, bad[i].text, &error) == XP_ERR_INPUT);
        EXPECT(error.status == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, bad[i].message);
        EXPECT(memcmp(before.value, params.value, sizeof before.value) == 0);
        EXPECT(memcmp(before.given, params.given, sizeof before.given) == 0);
        EXPECT(xp__params_set_text(&params, bad[i].name, bad[i].text, NULL) == XP_ERR_INPUT);
    }
}

CLAIM(numbers_are_checked_as_texts_are) {
    xp__params params = fresh();
    xp_error error;
    EXPECT(xp__params_set(&params, "arms", 7, &error) == XP_OK);
    EXPECT(xp__params_get(&params, "arms") == 7);
    EXPECT(xp__params_set(&params, "arms", NAN, &error) == XP_ERR_INPUT);
    EXPECT(xp__params_set(&params, "arms", 7.5, &error) == XP_ERR_INPUT);
    EXPECT(xp__params_set(&params, "nothing", 1, &error) == XP_ERR_INPUT);
    EXPECT(xp__params_get(&params, "arms") == 7);
    EXPECT(xp__params_set(&params, "sampler", 3, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "thing.sampler = 3 is not the index of one of exact|chain");
    EXPECT(xp__params_set(&params, "sampler", NAN, &error) == XP_ERR_INPUT);
    EXPECT(xp__params_set(&params, "sampler", 0.5, &error) == XP_ERR_INPUT);
}

CLAIM(the_chosen_word_is_returned_and_cut_to_the_room_there_is) {
    xp__params params = fresh();
    char word[32], small[4];
    EXPECT(strcmp(xp__params_choice(&params, "sampler", word, sizeof word), "chain") == 0);
    EXPECT(xp__params_set_text(&params, "sampler", "exact_chain", NULL) == XP_OK);
    EXPECT(strcmp(xp__params_choice(&params, "sampler", word, sizeof word), "exact_chain") == 0);
    EXPECT(strcmp(xp__params_choice(&params, "sampler", small, sizeof small), "exa") == 0);
}

CLAIM(a_table_of_the_largest_size_and_long_names_fit_the_message) {
    xp_param large[XP_PARAM_MAX];
    for (size_t i = 0; i < XP_PARAM_MAX; i++) {
        large[i] = (xp_param){.name = "a_parameter_with_a_long_name", .high = 1};
    }
    xp__params params = xp__params_default("thing", large, XP_PARAM_MAX);
    char name[2000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    xp_error error;
    EXPECT(xp__params_set(&params, name, 1, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "it has a_parameter_with_a_long_name, ");
    EXPECT(strlen(error.message) < sizeof error.message);
    EXPECT(xp__params_set_text(&params, "a_parameter_with_a_long_name", name, &error) ==
           XP_ERR_INPUT);
}
