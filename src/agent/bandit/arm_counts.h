/* arm_counts.h: how often each arm was pulled and what it paid. */
#ifndef XP_AGENT_BANDIT_ARM_COUNTS_H
#define XP_AGENT_BANDIT_ARM_COUNTS_H

#include "agent/agent_type.h"

#include <math.h>
#include <string.h>

typedef struct xp__arm_counts {
    double *pulls, *rewards; /* K each, in the agent's own memory */
    size_t arms;
    double total; /* pulls of all arms */
} xp__arm_counts;

static inline size_t xp__arm_counts_bytes(size_t arms) {
    return 2 * arms * sizeof(double);
}

static inline void xp__arm_counts_init(xp__arm_counts *counts, size_t arms, double *memory) {
    *counts = (xp__arm_counts){.pulls = memory, .rewards = memory + arms, .arms = arms};
}

static inline void xp__arm_counts_reset(xp__arm_counts *counts) {
    memset(counts->pulls, 0, xp__arm_counts_bytes(counts->arms));
    counts->total = 0;
}

static inline void xp__arm_counts_add(xp__arm_counts *counts, size_t arm, double reward) {
    counts->pulls[arm] += 1;
    counts->rewards[arm] += reward;
    counts->total += 1;
}

/* So many pulls that paid that much together. */
static inline void xp__arm_counts_add_many(xp__arm_counts *counts, size_t arm, uint64_t pulls,
                                           double rewards) {
    counts->pulls[arm] += (double)pulls;
    counts->rewards[arm] += rewards;
    counts->total += (double)pulls;
}

static inline void xp__arm_counts_archive(xp__arm_counts *counts, xp__archive *archive) {
    xp__archive_whole(archive, counts->pulls, counts->arms, 0x1p52);
    xp__archive_finite(archive, counts->rewards, counts->arms);
    if (xp__archive_reading(archive)) {
        counts->total = 0; /* sums of whole numbers are exact */
        for (size_t arm = 0; arm < counts->arms; arm++) {
            counts->total += counts->pulls[arm];
        }
    }
}

/* The first arm never pulled, or the number of arms if there is none. */
static inline size_t xp__arm_counts_untried(const xp__arm_counts *counts) {
    size_t arm = 0;
    while (arm < counts->arms && counts->pulls[arm] > 0) {
        arm++;
    }
    return arm;
}

#endif
