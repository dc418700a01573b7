/* bench_scale.c: what a scale of rewards that is learned costs per step of Thompson sampling (act,
 * then observe the reward): nanoseconds with the uniform and with the learned reference, and their
 * ratio, as lines "measure,value,unit".
 *
 * Both are measured in turns, so that what disturbs one disturbs the other; each line is the median
 * of nine turns of some hundredths of a second of processor time. Tasks start fresh. Means are
 * uniform on (0, 1) over 1,500 steps, as in the paper, or on (0.002, 0.02) over 10,000. */
#include "bench.h"

#include "experior/sampler.h"
#include "prior/bandit/prior_type.h"

#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 9, ARMS_MAX = 34 };

typedef struct regime {
    const char *name;
    double low, high;
    size_t steps;
} regime;

static size_t run_task(xp_sampler *sampler, size_t arms, const regime *means, xp_rng *rng) {
    double mean[ARMS_MAX];
    size_t sum = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        mean[arm] = means->low + (means->high - means->low) * xp_rng_uniform(rng);
    }
    xp_sampler_reset(sampler, rng);
    for (size_t t = 0; t < means->steps; t++) {
        const size_t arm = xp_sampler_act(sampler, rng);
        xp_sampler_observe(sampler, rng, arm, xp_rng_uniform(rng) < mean[arm]);
        sum = 31 * sum + arm;
    }
    return sum;
}

/* Nanoseconds per step; the same tasks whatever the sampler. */
static double turn(xp_sampler *sampler, size_t arms, const regime *means, uint64_t seed) {
    xp_rng rng = xp_rng_seed(seed);
    const size_t tasks = 60000 / means->steps;
    size_t sum = 0;
    const double start = now();
    for (size_t i = 0; i < tasks; i++) {
        sum += run_task(sampler, arms, means, &rng);
    }
    const double seconds = now() - start;
    if (sum == 0) { /* keeps the loop alive */
        (void)fprintf(stderr, "bench_scale: all actions were 0\n");
    }
    return 1e9 * seconds / (double)(tasks * means->steps);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values) {
    qsort(values, TURNS, sizeof *values, compare);
    return values[TURNS / 2];
}

/* Demonstrations of arm a in proportion to 1 / (a + 1): a few arms much liked, many hardly. */
static xp_prior *fit(const char *spec, size_t arms) {
    xp_error error;
    xp_demos *demos;
    xp_prior *prior;
    check(xp_demos_create(0, arms, &demos, &error), &error);
    for (uint32_t arm = 0; arm < arms; arm++) {
        check(xp_demos_add(demos, NULL, &arm, 1, 400 / (arm + 1), &error), &error);
    }
    check(xp_prior_fit(spec, demos, NULL, &prior, NULL, &error), &error);
    xp_demos_destroy(demos);
    return prior;
}

static void measure(size_t arms, const regime *means) {
    xp_error error;
    xp_prior *prior[2] = {fit("max_entropy", arms), fit("max_entropy:reference=learned", arms)};
    static const char *const name[2] = {"uniform", "learned"};
    xp_sampler *sampler[2];
    double each[2][TURNS], ratio[TURNS];
    for (size_t i = 0; i < 2; i++) {
        check(xp_sampler_create(NULL, prior[i], &sampler[i], &error), &error);
    }
    for (size_t t = 0; t < TURNS; t++) {
        for (size_t i = 0; i < 2; i++) {
            each[i][t] = turn(sampler[i], arms, means, t);
        }
        ratio[t] = each[1][t] / each[0][t];
    }
    for (size_t i = 0; i < 2; i++) {
        (void)printf("step reference=%s K=%zu means %s,%.1f,ns\n", name[i], arms, means->name,
                     median(each[i]));
        xp_sampler_destroy(sampler[i]);
        xp_prior_destroy(prior[i]);
    }
    (void)printf("step learned over uniform K=%zu means %s,%.2f,ratio\n", arms, means->name,
                 median(ratio));
    (void)fflush(stdout);
}

int main(void) {
    static const regime regimes[] = {{"0 to 1", 0, 1, 1500}, {"0.002 to 0.02", 0.002, 0.02, 10000}};
    static const size_t arms[] = {10, 34};
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 2; k++) {
            measure(arms[k], &regimes[i]);
        }
    }
    return 0;
}
