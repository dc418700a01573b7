/* The policy that returns would choose, one rule for every agent. Expected numbers are by hand from
 * the definition in settle.h. */
#include "claim.h"

#include "run/settle.h"

#include <math.h>

CLAIM(before_any_episode_no_policy_is_chosen_and_nothing_is_known_of_acting) {
    xp__settle settle;
    EXPECT(xp__settle_init(&settle, 3, NULL) == XP_OK);
    EXPECT(xp__settle_choose(&settle) == 3);
    EXPECT(isnan(xp__settle_late(&settle)));
    xp__settle_deinit(&settle);
}

CLAIM(the_policy_with_the_better_returns_is_chosen) {
    xp__settle settle;
    EXPECT(xp__settle_init(&settle, 3, NULL) == XP_OK);
    for (size_t i = 0; i < 60; i++) {
        xp__settle_record(&settle, i % 3, i % 3 == 1 ? 6 : 2 + (double)(i % 2), false);
    }
    EXPECT(xp__settle_choose(&settle) == 1);
    xp__settle_clear(&settle);
    EXPECT(xp__settle_choose(&settle) == 3);
    xp__settle_deinit(&settle);
}

CLAIM(one_lucky_return_does_not_beat_many_good_ones) {
    /* Policy 0: 40 returns of 5 and 7 in turn, mean 6; about 23 of them are remembered, a standard
     * error of 0.21 and a bound of 5.58. Policy 1: one return of 6.5. Its variance is half of that
     * of all, which is 1: its bound is 6.5 − 2 √0.5 = 5.09. */
    xp__settle settle;
    EXPECT(xp__settle_init(&settle, 2, NULL) == XP_OK);
    for (size_t i = 0; i < 40; i++) {
        xp__settle_record(&settle, 0, i % 2 == 0 ? 5 : 7, false);
    }
    xp__settle_record(&settle, 1, 6.5, false);
    EXPECT(settle.mean[1] > settle.mean[0]);
    EXPECT(xp__settle_choose(&settle) == 0);
    xp__settle_deinit(&settle);
}

CLAIM(a_policy_that_has_become_worse_loses_by_its_recent_returns) {
    xp__settle settle;
    EXPECT(xp__settle_init(&settle, 2, NULL) == XP_OK);
    for (size_t i = 0; i < 200; i++) {
        xp__settle_record(&settle, 0, 10, false);
        xp__settle_record(&settle, 1, 8, false);
    }
    EXPECT(xp__settle_choose(&settle) == 0);
    for (size_t i = 0; i < 200; i++) {
        xp__settle_record(&settle, 0, -20, false);
        xp__settle_record(&settle, 1, 8, false);
    }
    EXPECT(xp__settle_choose(&settle) == 1);
    xp__settle_deinit(&settle);
}

CLAIM(multiplying_all_returns_changes_no_choice) {
    xp__settle plain, scaled;
    EXPECT(xp__settle_init(&plain, 4, NULL) == XP_OK);
    EXPECT(xp__settle_init(&scaled, 4, NULL) == XP_OK);
    for (size_t i = 0; i < 300; i++) {
        const size_t policy = i * 7 % 4;
        const double value = (double)(i * i % 13) + (double)policy;
        xp__settle_record(&plain, policy, value, false);
        xp__settle_record(&scaled, policy, 0x1p-9 * value, false);
        EXPECT(xp__settle_choose(&plain) == xp__settle_choose(&scaled));
    }
    xp__settle_deinit(&plain);
    xp__settle_deinit(&scaled);
}

CLAIM(acting_is_the_mean_of_late_returns_and_needs_no_policy) {
    xp__settle settle;
    EXPECT(xp__settle_init(&settle, 0, NULL) == XP_OK);
    xp__settle_record(&settle, 0, 100, false);
    EXPECT(xp__settle_late(&settle) == 100); /* none is late: the last one */
    xp__settle_record(&settle, 0, 1, true);
    xp__settle_record(&settle, 0, 4, true);
    EXPECT_NEAR(xp__settle_late(&settle), 2.5, 1e-15);
    EXPECT(xp__settle_choose(&settle) == 0);
    xp__settle_deinit(&settle);
}
