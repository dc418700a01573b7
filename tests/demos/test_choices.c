/* Tables of choices: counts by segment and arm, and the demonstrations that they amount to. */
#include "claim.h"

#include "experior/choices.h"

#include <string.h>

static const char *const arms[] = {"left", "right", "up"}, *const segments[] = {"old", "young"};
static const uint64_t counts[] = {5, 0, 2, 1, 7, 0};

CLAIM(counts_and_names_are_kept_by_segment_and_arm) {
    xp_choices *choices;
    EXPECT(xp_choices_create(2, segments, 3, arms, counts, &choices, NULL) == XP_OK);
    EXPECT(xp_choices_segments(choices) == 2 && xp_choices_arms(choices) == 3);
    EXPECT(strcmp(xp_choices_segment_name(choices, 1), "young") == 0);
    EXPECT(strcmp(xp_choices_arm_name(choices, 2), "up") == 0);
    EXPECT(xp_choices_count(choices, 0, 2) == 2 && xp_choices_count(choices, 1, 1) == 7);
    EXPECT(xp_choices_count(choices, XP_ALL_SEGMENTS, 0) == 6);
    EXPECT(xp_choices_effective(choices, 1, 1) == 7);
    EXPECT(xp_choices_effective(choices, XP_ALL_SEGMENTS, 1) == 7);
    xp_choices_destroy(choices);
}

CLAIM(a_segment_becomes_demonstrations_with_all_arms) {
    xp_choices *choices;
    xp_demos *demos;
    uint64_t seen[3];
    EXPECT(xp_choices_create(2, segments, 3, arms, counts, &choices, NULL) == XP_OK);
    EXPECT(xp_choices_demos(choices, 1, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_count(demos) == 8 && xp_demos_actions(demos) == 3);
    EXPECT(strcmp(xp_demos_action_name(demos, 2), "up") == 0);
    xp_demos_action_counts(demos, seen);
    EXPECT(seen[0] == 1 && seen[1] == 7 && seen[2] == 0);
    xp_demos_destroy(demos);
    EXPECT(xp_choices_demos(choices, XP_ALL_SEGMENTS, &demos, NULL) == XP_OK);
    xp_demos_action_counts(demos, seen);
    EXPECT(seen[0] == 6 && seen[1] == 7 && seen[2] == 2);
    xp_demos_destroy(demos);
    xp_choices_destroy(choices);
}
