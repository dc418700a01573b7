/* Any bytes are refused in a sentence, or are a table whose parts agree. The first bytes say how it
 * is to be read. */
#include "experior/choices.h"

#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_whole(const xp_choices *choices) {
    const xp_choices_info info = xp_choices_describe(choices);
    uint64_t total = 0, dropped = 0, rows = 0;
    double effective = 0;
    assert(xp_choices_arms(choices) >= 1 && xp_choices_arms(choices) <= 1024);
    for (size_t arm = 0; arm < xp_choices_arms(choices); arm++) {
        uint64_t sum = 0;
        for (size_t s = 0; s < xp_choices_segments(choices); s++) {
            sum += xp_choices_count(choices, s, arm);
            assert(isfinite(xp_choices_effective(choices, s, arm)));
        }
        assert(sum == xp_choices_count(choices, XP_ALL_SEGMENTS, arm));
        total += sum;
        effective += xp_choices_effective(choices, XP_ALL_SEGMENTS, arm);
    }
    for (size_t i = 0; xp_choices_dropped(choices, i, &rows) != NULL; i++) {
        dropped += rows;
    }
    assert(total == info.choices && dropped == info.dropped && info.rows >= info.dropped);
    assert(effective <= (double)total * (1 + 1e-9) && total > 0);
    for (size_t i = 0; i < info.columns; i++) {
        assert(xp_choices_column(choices, i) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const columns[] = {NULL, "a", "b", "1"};
    static const char delimiters[] = {0, 0, ',', ';'};
    if (size < 2) {
        return 0;
    }
    xp_choices_options options = xp_choices_options_default();
    options.action = columns[data[0] & 3];
    options.segment = (data[0] & 12) == 4 ? "b" : NULL;
    options.expert = (data[0] & 48) == 16 ? "c" : NULL;
    options.weight = (data[0] & 192) == 64 ? "d" : NULL;
    options.delimiter = delimiters[data[1] & 3];
    options.no_header = (data[1] & 12) == 4;
    options.exact = (data[1] & 16) != 0;
    options.arms = (data[1] & 224) == 32 ? 3 : 0;
    options.missing = (data[1] & 224) == 64 ? "x,-" : NULL;
    xp_error error = {XP_OK, ""};
    xp_choices *choices;
    xp_demos *walks, *demos;
    const xp_status read = xp_choices_parse((const char *)data + 2, size - 2, "input", &options,
                                            &choices, &walks, &error);
    assert(read == error.status && (read == XP_OK) == (choices != NULL || walks != NULL));
    assert(choices == NULL || walks == NULL);
    assert(read == XP_OK || strlen(error.message) > 0);
    if (choices != NULL) {
        expect_whole(choices);
        assert(xp_choices_demos(choices, XP_ALL_SEGMENTS, &demos, NULL) == XP_OK);
        assert(xp_demos_actions(demos) == xp_choices_arms(choices));
        xp_demos_destroy(demos);
    }
    xp_choices_destroy(choices);
    xp_demos_destroy(walks);
    return 0;
}
