/* first_decision.c: from what experts chose to the first decision, and to the next after two
 * rewards.
 *
 * Experts gave four treatments 30, 55, 25 and 10 times. They saw more than the record shows. */
#include <experior/experior.h>

#include <stdio.h>

static const char *const names[] = {"standard care", "drug A", "drug B", "half dose"};
enum { ARMS = 4 };

static void print_law(xp_sampler *sampler, xp_rng *rng, const char *when) {
    double probability[ARMS];
    size_t draws;
    xp_sampler_action_law(sampler, rng, 10000, probability, &draws);
    printf("%s\n", when);
    for (size_t arm = 0; arm < ARMS; arm++) {
        printf("  %-14s %.3f\n", names[arm], probability[arm]);
    }
}

int main(void) {
    const uint64_t counts[ARMS] = {30, 55, 25, 10};
    xp_error error;
    xp_demos *demos = NULL;
    xp_prior *prior = NULL;
    xp_sampler *sampler = NULL;
    xp_status status = xp_demos_create(0, ARMS, &demos, &error);
    for (uint32_t arm = 0; status == XP_OK && arm < ARMS; arm++) {
        status = xp_demos_add(demos, NULL, &arm, 1, counts[arm], &error);
    }
    if (status == XP_OK) {
        status = xp_prior_fit("max_entropy", demos, NULL, &prior, NULL, &error);
    }
    if (status == XP_OK) {
        status = xp_sampler_create(xp_sampler_default(prior), prior, &sampler, &error);
    }
    if (status == XP_OK) {
        xp_rng rng = xp_rng_seed(1);
        xp_sampler_reset(sampler, &rng);
        print_law(sampler, &rng, "before any reward");
        xp_sampler_observe(sampler, &rng, 1, false);
        xp_sampler_observe(sampler, &rng, 1, false);
        print_law(sampler, &rng, "after drug A failed twice");
    } else {
        (void)fprintf(stderr, "%s\n", error.message);
    }
    xp_sampler_destroy(sampler);
    xp_prior_destroy(prior);
    xp_demos_destroy(demos);
    return status == XP_OK ? 0 : 1;
}
