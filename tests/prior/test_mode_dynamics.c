/* What the environment did in demonstrations, and the divergence that leaves it out. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "prior/states/states_prior.h"
#include "prior/states/dynamics.h"
#include "experior/catalogue.h"

#include <math.h>
#include <string.h>

static const size_t categories[1] = {4};
static const xp_env_info env = {.actions = 2, .state_size = 1, .categories = categories};

static void add(xp_demos *demos, const double *states, const uint32_t *actions, size_t length,
                uint64_t count) {
    EXPECT(xp_demos_add(demos, states, actions, length, count, NULL) == XP_OK);
}

/* From state 0, action 1 led to state 2 in three of four cases and ended the episode in one; six of
 * ten episodes began in state 1. Action 0 in state 1 always ended them. */
CLAIM(first_and_next_states_are_as_likely_as_they_were_frequent) {
    static const double there[2] = {0, 2}, other[1] = {1};
    static const uint32_t on[2] = {1, 0}, stay[1] = {0};
    xp_demos *demos = NULL;
    xp__encoded_demos read;
    EXPECT(xp_demos_create(1, 2, &demos, NULL) == XP_OK);
    add(demos, there, on, 2, 3);
    add(demos, there, on, 1, 1);
    add(demos, other, stay, 1, 6);
    EXPECT(xp__encoded_demos_init(&read, &env, demos, NULL, NULL) == XP_OK);
    double log_t[3];
    EXPECT(xp__log_dynamics(&read, log_t, NULL) == XP_OK);
    EXPECT_NEAR(log_t[0], log(0.4 * 0.75), 1e-12);
    EXPECT_NEAR(log_t[1], log(0.4 * 0.25), 1e-12);
    EXPECT_NEAR(log_t[2], log(0.6), 1e-12);
    failing_allocator allocator;
    for (size_t n = 0;; n++) {
        failing_allocator_install(&allocator, n);
        const xp_status status = xp__log_dynamics(&read, log_t, NULL);
        EXPECT(allocator.alive == 0);
        xp__allocator_install(NULL);
        if (status == XP_OK) {
            EXPECT(n == 6);
            break;
        }
        EXPECT(status == XP_ERR_MEMORY);
    }
    xp__encoded_demos_deinit(&read);
    xp_demos_destroy(demos);
}

CLAIM(an_environment_that_leaves_nothing_to_chance_has_probability_one) {
    static const double states[2] = {0, 1};
    static const uint32_t left[2] = {0, 0}, right[1] = {1};
    xp_demos *demos = NULL;
    xp__encoded_demos read;
    EXPECT(xp_demos_create(1, 2, &demos, NULL) == XP_OK);
    add(demos, states, left, 2, 5);
    add(demos, states, right, 1, 7);
    EXPECT(xp__encoded_demos_init(&read, &env, demos, NULL, NULL) == XP_OK);
    double log_t[2] = {NAN, NAN};
    EXPECT(xp__log_dynamics(&read, log_t, NULL) == XP_OK);
    EXPECT(log_t[0] == 0 && log_t[1] == 0);
    xp__encoded_demos_deinit(&read);
    xp_demos_destroy(demos);
}

/* Episodes begin in any of four states, and experts always do the same there: one mode follows all
 * of them with probability 0.9 or more, so that at most -log 0.9 is left. The likelihoods of the
 * four trajectories add up to more than 3, which made the divergence log(1/4 / 0.9) and below. */
CLAIM(where_episodes_begin_anywhere_the_divergence_is_that_of_the_choices) {
    xp_demos *demos = NULL;
    EXPECT(xp_demos_create(1, 2, &demos, NULL) == XP_OK);
    for (uint32_t i = 0; i < 4; i++) {
        const double state = i;
        const uint32_t action = i % 2;
        add(demos, &state, &action, 1, 10);
    }
    for (size_t i = 0; i < xp_catalogue_count(XP_STATES_PRIORS); i++) {
        xp_rng rng = xp_rng_seed(1);
        xp__states_prior *prior = NULL;
        const char *name = xp_catalogue_get(XP_STATES_PRIORS, i).name;
        EXPECT(xp__states_prior_fit(name, NULL, &env, demos, &rng, &prior, NULL) == XP_OK);
        const xp__states_fit fit = xp__states_prior_fit_result(prior);
        EXPECT(isnan(fit.divergence) || fit.divergence >= 0);
        EXPECT(isnan(fit.effective) == (fit.effective_of == NULL));
        if (xp__states_prior_weights(prior) != NULL) {
            EXPECT(fit.divergence > 0 && fit.divergence <= -log(0.9) + 1e-9);
            EXPECT_TEXT(fit.effective_of, strcmp(name, "modes") == 0 ? "modes" : "policies");
        }
        xp__states_prior_destroy(prior);
    }
    xp_demos_destroy(demos);
}
