/* Streams: reproducible, independent of order, forked without side effects. */
#include "claim.h"

#include "experior/rng.h"

#include <math.h>

CLAIM(the_same_seed_gives_the_same_numbers) {
    xp_rng a = xp_rng_seed(7), b = xp_rng_seed(7), c = xp_rng_seed(8);
    const uint64_t first = xp_rng_bits(&a);
    EXPECT(first == xp_rng_bits(&b));
    EXPECT(first != xp_rng_bits(&c));
}

CLAIM(forking_does_not_move_the_parent_and_names_distinct_streams) {
    xp_rng parent = xp_rng_seed(1), untouched = parent;
    xp_rng left = xp_rng_fork(&parent, 0), right = xp_rng_fork(&parent, 1);
    const uint64_t from_left = xp_rng_bits(&left), from_right = xp_rng_bits(&right);
    EXPECT(from_left != from_right);
    const uint64_t from_parent = xp_rng_bits(&parent);
    EXPECT(from_parent == xp_rng_bits(&untouched));
    EXPECT(from_parent != from_left && from_parent != from_right);
    xp_rng grandchild = xp_rng_fork(&left, 1), other = xp_rng_fork(&right, 0);
    EXPECT(xp_rng_bits(&grandchild) != xp_rng_bits(&other));
}

/* The mean of n uniforms is normal with sd 1/sqrt(12 n): 5 sd is a one in a million event. */
CLAIM(uniform_numbers_have_the_moments_of_the_uniform_law) {
    xp_rng rng = xp_rng_seed(3);
    const int n = 1000000;
    double sum = 0, squares = 0, low = 1, high = 0;
    for (int i = 0; i < n; i++) {
        const double u = xp_rng_uniform(&rng);
        sum += u;
        squares += u * u;
        low = fmin(low, u);
        high = fmax(high, u);
    }
    EXPECT(low > 0 && high < 1);
    EXPECT_NEAR(sum / n, 0.5, 5 / sqrt(12.0 * n));
    EXPECT_NEAR(squares / n, 1.0 / 3, 5 * sqrt(4.0 / 45 / n));
}
