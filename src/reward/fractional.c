/* fractional.c: rewards from 0 to 1, of any distribution.
 *
 * A reward r is rounded at random, to 1 with probability r and else to 0 (Agrawal and Goyal,
 * "Analysis of Thompson sampling for the multi-armed bandit problem", 2012). The rounded rewards of
 * an arm are independent Bernoulli variables with the arm's mean, whatever the distribution of r:
 * all that is said of Bernoulli rewards is exact for the mean. What is lost is that r may vary less
 * than a coin of the same mean.
 *
 * The sum of many rewards is rounded at random as a whole, which has the same mean and varies
 * less. */
#include "reward/reward_type.h"

#include "base/rng_inline.h"

#include <math.h>

static bool legal(double reward) {
    return reward >= 0 && reward <= 1;
}

static bool legal_sum(double count, double sum, double squares) {
    /* Rewards that add up to S have squares that add up to between S²/n and S. */
    const double slack = 1e-9 * count;
    return sum >= 0 && sum <= count &&
           (isnan(squares) ||
            (squares <= sum + slack && squares * count >= sum * sum - slack * count));
}

/* The sum of many rewards goes through here as well: its fraction is what is rounded. */
static bool success(xp_rng *rng, double reward) {
    return reward >= 1 || (reward > 0 && xp__rng_uniform(rng) < reward);
}

/* A Beta variable of that mean, which takes all values from 0 to 1. */
static double draw_reward(xp_rng *rng, double mean, double noise) {
    (void)noise;
    return mean > 0 && mean < 1 ? xp_rng_beta(rng, 2 * mean, 2 * (1 - mean)) : mean;
}

const xp__reward_type xp__reward_fractional = {
    .name = "fractional",
    .summary = "rewards from 0 to 1, rounded at random to 0 or 1: exact for the mean",
    .takes = "a number from 0 to 1",
    .low = 0,
    .high = 1,
    .legal = legal,
    .legal_sum = legal_sum,
    .draw_reward = draw_reward,
    .success = success,
};
