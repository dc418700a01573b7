/* rewards.h: all rewards so far, so that whoever comes late can follow them in the order in which
 * they came.
 *
 * Tables that a reward moves step by step depend on the order of the steps in their last digits. A
 * record makes them a function of what happened, whenever they are brought up to date: an arm's
 * table is computed from the counts of its last checkpoint, and moved by the rewards since, of
 * which there are fewer than XP__CHECKPOINT. Records are small, and archives keep them instead of
 * tables.
 */
#ifndef XP_SAMPLER_INTEGRAL_REWARDS_H
#define XP_SAMPLER_INTEGRAL_REWARDS_H

#include "base/archive.h"

enum { XP__CHECKPOINT = 2048, XP__JOURNAL = 64 };

typedef struct xp__arm_rewards {
    double successes, failures; /* at the last checkpoint */
    uint32_t epoch;             /* checkpoints so far; 0: none, the arm has no rewards there */
    uint32_t steps;             /* rewards since */
    uint64_t bits[XP__CHECKPOINT / 64]; /* bit i of them is set if reward i was a success */
} xp__arm_rewards;

/* The arms that were rewarded lately are in a ring, so that few of many need be looked at. */
typedef struct xp__rewards {
    size_t arms;
    xp__arm_rewards *arm; /* K */
    uint64_t written;     /* entries of the ring since the reset, also those that are overwritten */
    uint32_t ring[XP__JOURNAL];
} xp__rewards;

static inline bool xp__rewards_success(const xp__arm_rewards *arm, uint32_t step) {
    return (arm->bits[step / 64] >> step % 64 & 1) != 0;
}

void xp__rewards_reset(xp__rewards *rewards);
/* One more; true if it made a checkpoint. `successes` and `failures` of the arm include it. */
bool xp__rewards_add(xp__rewards *rewards, size_t arm, bool success, double successes,
                     double failures);
/* So many that their order is not known; a checkpoint. */
void xp__rewards_set(xp__rewards *rewards, size_t arm, double successes, double failures);
/* Walks the record; counts that it contradicts fail the archive. */
void xp__rewards_archive(xp__rewards *rewards, const double *successes, const double *failures,
                         xp__archive *archive);

#endif
