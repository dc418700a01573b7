/* bernoulli.c: rewards of 0 and 1: every reward is a success or a failure. */
#include "reward/reward_type.h"

#include "base/rng_inline.h"

#include <math.h>

static bool legal(double reward) {
    return reward == 0 || reward == 1;
}

static bool legal_sum(double count, double sum, double squares) {
    return sum >= 0 && sum <= count && sum == floor(sum) && (isnan(squares) || squares == sum);
}

static bool success(xp_rng *rng, double reward) {
    (void)rng;
    return reward > 0.5;
}

static double draw_reward(xp_rng *rng, double mean, double noise) {
    (void)noise;
    return xp__rng_uniform(rng) < mean ? 1 : 0;
}

const xp__reward_type xp__reward_bernoulli = {
    .name = "bernoulli",
    .summary = "rewards of 0 and 1",
    .takes = "0 or 1",
    .low = 0,
    .high = 1,
    .legal = legal,
    .legal_sum = legal_sum,
    .draw_reward = draw_reward,
    .success = success,
};
