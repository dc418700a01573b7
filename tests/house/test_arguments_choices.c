/* Arguments that nobody should pass to tables of choices (choices.h); see arguments.h. */
#include "house/arguments.h"

CLAIM(tables_of_choices_check_their_arguments) {
    static const char *const names[] = {"a", "b"}, *const twins[] = {"a", "a"},
                             *const holes[] = {"a", NULL}, *const empty[] = {"", "a"};
    const uint64_t counts[] = {1, 2, 3, 4}, many[] = {UINT64_C(1) << 53, 1};
    xp_choices *table;
    xp_demos *demos;
    EXPECT_REFUSED(xp_choices_create(1, NULL, 2, names, counts, NULL, error), "choices is NULL");
    EXPECT_REFUSED(xp_choices_create(1, NULL, 2, names, NULL, &table, error), "counts is NULL");
    EXPECT_REFUSED(xp_choices_create(0, NULL, 2, names, counts, &table, error), "segment");
    EXPECT_REFUSED(xp_choices_create(1, NULL, 0, names, counts, &table, error), "arms");
    EXPECT_REFUSED(xp_choices_create(2, NULL, 2, names, counts, &table, error), "segment_names");
    EXPECT_REFUSED(xp_choices_create(2, twins, 2, names, counts, &table, error), "segments 0");
    EXPECT_REFUSED(xp_choices_create(1, NULL, 2, twins, counts, &table, error), "both named 'a'");
    EXPECT_REFUSED(xp_choices_create(1, NULL, 2, holes, counts, &table, error), "arm 1");
    EXPECT_REFUSED(xp_choices_create(1, NULL, 2, empty, counts, &table, error), "arm 0");
    EXPECT_REFUSED(xp_choices_create(1, NULL, 2, names, many, &table, error), "2^53");
    EXPECT_REFUSED(xp_choices_create(SIZE_MAX / 2, names, 2, NULL, counts, &table, error), "MiB");
    EXPECT(xp_choices_create(2, names, 2, NULL, counts, &table, NULL) == XP_OK);
    EXPECT_REFUSED(xp_choices_demos(NULL, 0, &demos, error), "choices is NULL");
    EXPECT_REFUSED(xp_choices_demos(table, 0, NULL, error), "demos is NULL");
    EXPECT_REFUSED(xp_choices_demos(table, 2, &demos, error), "segment 2 is outside 0 .. 1");
    EXPECT(xp_choices_arms(NULL) == 0 && xp_choices_segments(NULL) == 0);
    EXPECT(xp_choices_arm_name(NULL, 0) == NULL && xp_choices_arm_name(table, 0) == NULL);
    EXPECT(xp_choices_segment_name(NULL, 0) == NULL);
    EXPECT(xp_choices_segment_name(table, 2) == NULL);
    EXPECT(xp_choices_count(NULL, 0, 0) == 0 && xp_choices_count(table, 2, 0) == 0);
    EXPECT(xp_choices_count(table, XP_ALL_SEGMENTS, 2) == 0);
    EXPECT(xp_choices_effective(NULL, 0, 0) == 0 && xp_choices_effective(table, 0, 2) == 0);
    xp_choices_destroy(table);
    xp_choices_destroy(NULL);
}
