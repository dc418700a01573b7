/* rewards.c: see rewards.h. */
#include "sampler/integral/rewards.h"

#include <string.h>

void xp__rewards_reset(xp__rewards *rewards) {
    memset(rewards->arm, 0, rewards->arms * sizeof rewards->arm[0]);
    rewards->written = 0;
}

static void note(xp__rewards *rewards, size_t arm) {
    rewards->ring[rewards->written++ % XP__JOURNAL] = (uint32_t)arm;
}

void xp__rewards_set(xp__rewards *rewards, size_t arm, double successes, double failures) {
    xp__arm_rewards *own = &rewards->arm[arm];
    own->successes = successes;
    own->failures = failures;
    own->epoch++;
    own->steps = 0;
    memset(own->bits, 0, sizeof own->bits);
    note(rewards, arm);
}

bool xp__rewards_add(xp__rewards *rewards, size_t arm, bool success, double successes,
                     double failures) {
    xp__arm_rewards *own = &rewards->arm[arm];
    if (own->steps + 1 == XP__CHECKPOINT) {
        xp__rewards_set(rewards, arm, successes, failures);
        return true;
    }
    own->bits[own->steps / 64] |= (uint64_t)success << own->steps % 64;
    own->steps++;
    note(rewards, arm);
    return false;
}

/* Rewards of an arm that its record knows of. */
static void count(const xp__arm_rewards *own, double *successes, double *failures) {
    *successes = own->successes;
    *failures = own->failures;
    for (uint32_t step = 0; step < own->steps; step++) {
        *(xp__rewards_success(own, step) ? successes : failures) += 1;
    }
}

void xp__rewards_archive(xp__rewards *rewards, const double *successes, const double *failures,
                         xp__archive *archive) {
    for (size_t arm = 0; arm < rewards->arms; arm++) {
        xp__arm_rewards *own = &rewards->arm[arm];
        uint64_t steps = own->steps;
        xp__archive_whole(archive, &own->successes, 1, 0x1p52);
        xp__archive_whole(archive, &own->failures, 1, 0x1p52);
        xp__archive_number(archive, &steps, XP__CHECKPOINT - 1);
        own->steps = (uint32_t)steps;
        xp__archive_bytes(archive, own->bits, (steps + 63) / 64 * sizeof own->bits[0]);
        if (xp__archive_reading(archive)) {
            double known_successes, known_failures;
            count(own, &known_successes, &known_failures);
            xp__archive_check(archive,
                              known_successes == successes[arm] && known_failures == failures[arm],
                              "the rewards of an arm are not as many as their record says");
            own->epoch = own->successes + own->failures > 0;
        }
    }
    if (xp__archive_reading(archive)) {
        rewards->written = 0;
    }
}
