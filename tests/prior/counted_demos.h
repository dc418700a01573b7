/* counted_demos.h: demonstrations of a bandit from how often each arm was chosen. */
#ifndef XP_TESTS_PRIOR_COUNTED_DEMOS_H
#define XP_TESTS_PRIOR_COUNTED_DEMOS_H

#include "claim.h"

#include "experior/demos.h"

static inline xp_demos *counted_demos(size_t arms, const uint64_t *counts) {
    xp_demos *demos;
    EXPECT(xp_demos_create(0, arms, &demos, NULL) == XP_OK);
    for (uint32_t arm = 0; arm < arms; arm++) {
        if (counts[arm] > 0) {
            EXPECT(xp_demos_add(demos, NULL, &arm, 1, counts[arm], NULL) == XP_OK);
        }
    }
    return demos;
}

#endif
