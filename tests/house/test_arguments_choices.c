/* Bad arguments (arguments.h) of choices.h. */
#include "house/arguments.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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

CLAIM(readers_of_tables_check_their_arguments) {
    static const char text[] = "action,count\na,4\nb,2\n";
    xp_choices_options options = xp_choices_options_default();
    xp_choices *table;
    uint64_t rows = 7;
    EXPECT_REFUSED(xp_choices_load(NULL, NULL, &table, NULL, error), "path is NULL");
    EXPECT_REFUSED(xp_choices_load("x", NULL, NULL, NULL, error), "choices is NULL");
    EXPECT_REFUSED(xp_choices_parse(NULL, 1, "x", NULL, &table, NULL, error), "text is NULL");
    EXPECT_REFUSED(xp_choices_parse("0", 1, NULL, NULL, &table, NULL, error), "name is NULL");
    EXPECT_REFUSED(xp_choices_parse("0", 1, "x", NULL, NULL, NULL, error), "choices is NULL");
    options.size = sizeof options + 1;
    EXPECT_REFUSED(xp_choices_parse("0", 1, "x", &options, &table, NULL, error), "size");
    xp_choices_options_init(NULL, sizeof options);
    EXPECT(xp_choices_parse(text, sizeof text - 1, "x", NULL, &table, NULL, NULL) == XP_OK);
    EXPECT(xp_choices_describe(NULL).rows == 0 && xp_choices_describe(table).rows == 2);
    EXPECT(xp_choices_column(NULL, 0) == NULL && xp_choices_column(table, 2) == NULL);
    EXPECT(xp_choices_role(NULL, 0) == NULL && xp_choices_role(table, 2) == NULL);
    EXPECT(xp_choices_dropped(NULL, 0, &rows) == NULL && rows == 7);
    EXPECT(xp_choices_dropped(table, 0, NULL) == NULL);
    EXPECT(xp_choices_agreement(NULL).experts == 0);
    EXPECT(isnan(xp_choices_agreement(table).p_value));
    EXPECT(isnan(xp_choices_drift(NULL).p_value) && isnan(xp_choices_drift(table).p_value));
    EXPECT(xp_choices_differing(NULL, 0).name == NULL);
    EXPECT(xp_choices_differing(table, 0).name == NULL);
    xp_choices_destroy(table);
}
