/* Random variates: nanoseconds each, and how each compares with 64 raw bits in the same run. */
#include "experior/rng.h"

#include <stdio.h>
#include <time.h>

enum { DRAWS = 4000000, ROUNDS = 5 };

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double draw_bits(xp_rng *rng) {
    return (double)(xp_rng_bits(rng) & 1);
}

static double draw_beta(xp_rng *rng) {
    return xp_rng_beta(rng, 2, 3);
}

static volatile double sink; /* keeps the draws from being optimised away */

/* The fastest of some rounds: the others were disturbed. */
static double nanoseconds(double (*draw)(xp_rng *)) {
    double best = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        xp_rng rng = xp_rng_seed((uint64_t)round);
        double sum = 0;
        const double start = now();
        for (int i = 0; i < DRAWS; i++) {
            sum += draw(&rng);
        }
        const double spent = now() - start;
        sink = sum;
        best = spent < best ? spent : best;
    }
    return best / DRAWS * 1e9;
}

int main(void) {
    static const struct {
        const char *name;
        double (*draw)(xp_rng *);
    } variates[] = {
        {"uniform", xp_rng_uniform},
        {"normal", xp_rng_normal},
        {"exponential", xp_rng_exponential},
        {"beta 2 3", draw_beta},
    };
    const double bits = nanoseconds(draw_bits);
    printf("64 bits,%.3g,ns\n", bits);
    for (size_t i = 0; i < sizeof variates / sizeof variates[0]; i++) {
        const double spent = nanoseconds(variates[i].draw);
        printf("%s,%.3g,ns\n%s / 64 bits,%.3g,ratio\n", variates[i].name, spent, variates[i].name,
               spent / bits);
    }
    return 0;
}
