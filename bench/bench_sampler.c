/* bench_sampler.c: nanoseconds per step of Thompson sampling (act, then observe the reward) for
 * every sampler, each prior it supports, and several numbers of arms, as lines
 * "measure,value,unit".
 *
 * A step includes drawing the reward (one uniform number). Tasks are 1,500 steps from a fresh
 * start, as in the paper, so the cost of a reset is in; each line takes the fastest of three runs
 * of about a fifth of a second of processor time, which others on the machine disturb least.
 * Rejection is left out above 10 arms, where it stalls. */
#include "bench.h"

#include "experior/sampler.h"
#include "prior/bandit/prior_type.h"
#include "experior/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPISODES = 1500, ARMS_MAX = 50 };

/* One task with means drawn from U(0, 1); returns a number that depends on every action. */
static size_t run_task(xp_sampler *sampler, size_t arms, xp_rng *rng) {
    double mean[ARMS_MAX];
    size_t sum = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        mean[arm] = xp_rng_uniform(rng);
    }
    xp_sampler_reset(sampler, rng);
    for (size_t t = 0; t < EPISODES; t++) {
        const size_t arm = xp_sampler_act(sampler, rng);
        xp_sampler_observe(sampler, rng, arm, xp_rng_uniform(rng) < mean[arm]);
        sum = 31 * sum + arm;
    }
    return sum;
}

static void measure(const char *name, const char *label, const xp_prior *prior) {
    xp_error error;
    xp_sampler *sampler;
    const bool hopeless = strcmp(name, "rejection") == 0 && xp_prior_arms(prior) > 10;
    if (hopeless || !xp_sampler_supports(name, prior)) {
        return;
    }
    check(xp_sampler_create(name, prior, &sampler, &error), &error);
    double fastest = 1e300;
    size_t sum = 0;
    for (int repetition = 0; repetition < 3; repetition++) {
        xp_rng rng = xp_rng_seed(1);
        const double start = now();
        size_t tasks = 0;
        double seconds;
        do {
            sum += run_task(sampler, xp_prior_arms(prior), &rng);
            tasks++;
            seconds = now() - start;
        } while (seconds < 0.2);
        const double each = 1e9 * seconds / ((double)tasks * EPISODES);
        fastest = each < fastest ? each : fastest;
    }
    xp_sampler_destroy(sampler);
    (void)printf("%s %s K=%zu,%.1f,ns\n", name, label, xp_prior_arms(prior), fastest);
    (void)fflush(stdout);
    if (sum == 0) { /* keeps the loop alive */
        (void)fprintf(stderr, "bench_sampler: all actions were 0\n");
    }
}

/* Demonstrations of arm a in proportion to 1 / (a + 1): a few arms much liked, many hardly. */
static xp_prior *fit(size_t arms, double beta) {
    xp_error error;
    xp_demos *demos;
    check(xp_demos_create(0, arms, &demos, &error), &error);
    for (uint32_t arm = 0; arm < arms; arm++) {
        check(xp_demos_add(demos, NULL, &arm, 1, 400 / (arm + 1), &error), &error);
    }
    xp__params params;
    xp_prior *prior;
    check(xp__prior_params_default("max_entropy", &params, &error), &error);
    check(xp__params_set(&params, "beta", beta, &error), &error);
    xp_rng rng = xp_rng_seed(3);
    check(xp__prior_fit("max_entropy", &params, demos, &rng, &prior, NULL, &error), &error);
    xp_demos_destroy(demos);
    return prior;
}

int main(void) {
    const size_t arms_of[] = {2, 5, 10, 50};
    for (size_t i = 0; i < sizeof arms_of / sizeof arms_of[0]; i++) {
        const size_t arms = arms_of[i];
        xp_error error;
        xp_rng rng = xp_rng_seed(2);
        double a[ARMS_MAX], b[ARMS_MAX];
        for (size_t arm = 0; arm < arms; arm++) {
            a[arm] = 4 * xp_rng_uniform(&rng);
            b[arm] = 4 * xp_rng_uniform(&rng);
        }
        struct {
            const char *label;
            xp_prior *prior;
        } priors[4] = {{"uniform", NULL},
                       {"beta", NULL},
                       {"max_entropy beta=inf", fit(arms, INFINITY)},
                       {"max_entropy beta=10", fit(arms, 10)}};
        check(xp_prior_create_uniform(arms, &priors[0].prior, &error), &error);
        check(xp_prior_create_beta(arms, a, b, &priors[1].prior, &error), &error);
        for (size_t p = 0; p < 4; p++) {
            for (size_t s = 0; s < xp_catalogue_count(XP_SAMPLERS); s++) {
                measure(xp_catalogue_get(XP_SAMPLERS, s).name, priors[p].label, priors[p].prior);
            }
            xp_prior_destroy(priors[p].prior);
        }
    }
    return 0;
}
