/* The maximum-entropy prior over Q-functions: its density against differences, its chain step by
 * step, and demonstrations as a network sees them. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "prior/states/states_prior.h"
#include "prior/states/density.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two trajectories over two states that share the first one. */
CLAIM(the_slope_of_the_density_is_its_derivative) {
    static const double state[2] = {0, 1};
    static const uint32_t choices[2][2] = {{1, 0}, {0, 1}};
    static const size_t categories[1] = {4};
    const xp_env_info env = {.actions = 2, .state_size = 1, .categories = categories};
    static const double alpha[2] = {3, 5};
    xp_demos *demos;
    xp__encoded_demos read;
    EXPECT(xp_demos_create(1, 2, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, state, choices[0], 2, 1, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, state, choices[1], 1, 1, NULL) == XP_OK);
    EXPECT(xp__encoded_demos_init(&read, &env, demos, NULL, NULL) == XP_OK);
    for (int logarithm = 0; logarithm < 2; logarithm++) {
        xp__density density = xp__density_of(&read, alpha, 2, logarithm == 1, 0.5);
        float q[4] = {0.5F, -0.25F, 0.125F, 1}, slope[4], unused[4];
        const double loss = xp__density_loss(&density, 0, 2, q, slope);
        /* By hand: softmax(2 Q) of the actions taken, and the mean of Q². */
        const double right = 1 / (1 + exp(1.5)), left_below = 1 / (1 + exp(1.75));
        const double m[2] = {right * left_below, 1 - right};
        const double squares = (0.25 + 0.0625 + 0.015625 + 1) / 4;
        const double sum = logarithm == 1
                               ? 3 * (log(m[0]) - 0.5 * squares) + 5 * (log(m[1]) - 0.5 * squares)
                               : 3 * m[0] + 5 * m[1] - 0.5 * squares;
        EXPECT_NEAR(loss, -sum, 1e-6);
        for (size_t i = 0; i < 4; i++) {
            const float h = 0.0009765625F, kept = q[i];
            q[i] = kept + h;
            const double up = xp__density_loss(&density, 0, 2, q, unused);
            q[i] = kept - h;
            const double down = xp__density_loss(&density, 0, 2, q, unused);
            q[i] = kept;
            EXPECT_NEAR((double)slope[i], (up - down) / (2 * (double)h), 1e-4);
        }
    }
    xp__encoded_demos_deinit(&read);
    xp_demos_destroy(demos);
}

enum { SIZE = 5 };
static const size_t cells[1] = {SIZE * SIZE};
static const xp_env_info sea = {.actions = 2, .state_size = 1, .categories = cells};

/* Dives to the last column of a small Deep Sea, right at every step, ten times. */
static xp_demos *dives(void) {
    double states[SIZE];
    uint32_t actions[SIZE];
    xp_demos *demos;
    for (size_t row = 0; row < SIZE; row++) {
        states[row] = (double)(row * SIZE + row);
        actions[row] = 1;
    }
    if (xp_demos_create(1, 2, &demos, NULL) != XP_OK) {
        return NULL;
    }
    if (xp_demos_add(demos, states, actions, SIZE, 10, NULL) != XP_OK) {
        xp_demos_destroy(demos);
        return NULL;
    }
    return demos;
}

typedef struct chain_plan {
    const char *density;
    size_t steps, last, networks;
    double rate;
} chain_plan;

static xp_status fit(const chain_plan *plan, uint64_t seed, xp__states_prior **prior,
                     xp_error *error) {
    xp__params params;
    xp_rng rng = xp_rng_seed(seed);
    *prior = NULL;
    xp_status status = xp__states_prior_params_default("max_entropy", &params, error);
    if (status != XP_OK) {
        return status;
    }
    EXPECT(xp__params_set_text(&params, "density", plan->density, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "chain_steps", (double)plan->steps, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "chain_last", (double)plan->last, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "networks", (double)plan->networks, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "chain_rate", plan->rate, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "references", 60, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "hidden", 16, NULL) == XP_OK);
    xp_demos *demos = dives();
    status = demos != NULL
                 ? xp__states_prior_fit("max_entropy", &params, &sea, demos, &rng, prior, error)
                 : XP_ERR_MEMORY;
    xp_demos_destroy(demos);
    return status;
}

enum { MOST_PARAMETERS = 4096 };

static void parameters(const xp__states_prior *prior, size_t network, float *to) {
    EXPECT(xp__net_parameter_count(xp__states_prior_networks(prior)) <= MOST_PARAMETERS);
    memset(to, 0, MOST_PARAMETERS * sizeof *to);
    xp__net_get(xp__states_prior_networks(prior), network, to);
}

CLAIM(networks_of_the_chain_follow_the_demonstrations) {
    static const char *const densities[] = {"authors", "paper"};
    for (size_t i = 0; i < 2; i++) {
        const chain_plan plan = {densities[i], 600, 200, 8, 1e-2};
        xp__states_prior *prior;
        EXPECT(fit(&plan, 50, &prior, NULL) == XP_OK);
        for (size_t network = 0; network < 8; network++) {
            for (uint32_t row = 0; row < SIZE; row++) {
                const uint32_t cell = row * SIZE + row;
                const xp__net_rows rows = {.count = 1, .hot = &cell};
                EXPECT(xp__net_greedy(xp__states_prior_networks(prior), network, &rows) == 1);
            }
        }
        const xp__states_fit result = xp__states_prior_fit_result(prior);
        EXPECT(result.log_likelihood > -0.1 && result.log_likelihood <= 0); /* chance: -0.69 */
        EXPECT(result.steps == 600 && result.duality_gap <= 1e-10);
        EXPECT(result.clipped >= 0 && result.clipped <= 1);
        EXPECT(xp__states_prior_density(prior) != NULL);
        xp__states_prior_destroy(prior);
    }
}

/* A chain's first steps do not know how long it will be, so the network that a long run keeps is
 * the last of a shorter one. */
CLAIM(networks_are_kept_at_even_distances_up_to_the_last_step) {
    const chain_plan whole_run = {"paper", 30, 12, 4, 1e-3};
    xp__states_prior *prior, *shorter;
    static float kept[MOST_PARAMETERS], last[MOST_PARAMETERS];
    EXPECT(fit(&whole_run, 51, &prior, NULL) == XP_OK);
    for (size_t k = 0; k < 4; k++) {
        const chain_plan part = {"paper", 18 + 3 * (k + 1), 1, 1, 1e-3};
        EXPECT(fit(&part, 51, &shorter, NULL) == XP_OK);
        parameters(prior, k, kept);
        parameters(shorter, 0, last);
        EXPECT(memcmp(kept, last, sizeof kept) == 0);
        xp__states_prior_destroy(shorter);
    }
    xp__states_prior_destroy(prior);
}

CLAIM(without_a_chain_networks_are_draws_of_the_initialiser) {
    const chain_plan still = {"paper", 0, 1, 3, 1e-3};
    xp__states_prior *prior;
    static float a[MOST_PARAMETERS], b[MOST_PARAMETERS];
    EXPECT(fit(&still, 52, &prior, NULL) == XP_OK);
    parameters(prior, 0, a);
    parameters(prior, 1, b);
    EXPECT(memcmp(a, b, sizeof a) != 0);
    EXPECT(a[16 * 25] == 0 && b[16 * 25 + 15] == 0); /* first-layer biases */
    EXPECT(isnan(xp__states_prior_fit_result(prior).clipped));
    EXPECT(xp__states_prior_density(prior) != NULL);
    xp__states_prior_destroy(prior);
}

CLAIM(a_fit_is_a_function_of_its_stream) {
    const chain_plan plan = {"authors", 40, 20, 2, 1e-2};
    static float values[3][MOST_PARAMETERS];
    xp__states_fit fits[3];
    for (size_t i = 0; i < 3; i++) {
        xp__states_prior *prior;
        EXPECT(fit(&plan, i < 2 ? 53 : 54, &prior, NULL) == XP_OK);
        parameters(prior, 1, values[i]);
        fits[i] = xp__states_prior_fit_result(prior);
        xp__states_prior_destroy(prior);
    }
    EXPECT(memcmp(values[0], values[1], sizeof values[0]) == 0);
    EXPECT(memcmp(values[0], values[2], sizeof values[0]) != 0);
    EXPECT(fits[0].divergence == fits[1].divergence && fits[0].clipped == fits[1].clipped);
    EXPECT(fits[0].divergence != fits[2].divergence);
}

CLAIM(a_prior_that_is_known_by_draws_only_has_no_density) {
    xp__states_prior *prior;
    xp__params params;
    xp_rng rng = xp_rng_seed(1);
    xp_demos *demos = dives();
    EXPECT(xp__states_prior_params_default("ensemble", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "pretrain_steps", 1, NULL) == XP_OK);
    EXPECT(xp__states_prior_fit("ensemble", &params, &sea, demos, &rng, &prior, NULL) == XP_OK);
    EXPECT(xp__states_prior_density(prior) == NULL);
    xp__states_prior_destroy(prior);
    xp_demos_destroy(demos);
}

CLAIM(a_fit_survives_any_allocation_that_fails) {
    const chain_plan plan = {"paper", 3, 2, 2, 1e-3};
    failing_allocator count;
    for (size_t n = 0;; n++) {
        xp__states_prior *prior;
        failing_allocator_install(&count, n);
        const xp_status status = fit(&plan, 55, &prior, NULL);
        EXPECT(status == XP_OK || (status == XP_ERR_MEMORY && prior == NULL));
        xp__states_prior_destroy(prior);
        EXPECT(count.alive == 0);
        xp__allocator_install(NULL);
        if (status == XP_OK) {
            EXPECT(n > 20);
            break;
        }
    }
}

CLAIM(trajectories_of_unequal_length_share_their_states) {
    static const double states[3] = {7, 8, 7};
    static const uint32_t actions[3] = {1, 0, 1};
    xp_demos *demos;
    xp__encoded_demos read;
    EXPECT(xp_demos_create(1, 2, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, states, actions, 3, 2, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, states + 1, actions + 1, 1, 4, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, states, actions, 3, 1, NULL) == XP_OK); /* the first again */
    EXPECT(xp__encoded_demos_init(&read, &sea, demos, NULL, NULL) == XP_OK);
    xp_demos_destroy(demos);
    EXPECT(read.trajectories == 2 && read.total == 7 && read.rows.count == 2);
    EXPECT(read.count[0] == 3 && read.count[1] == 4);
    EXPECT(read.start[0] == 0 && read.start[1] == 3 && read.start[2] == 4);
    EXPECT(read.row[0] == 0 && read.row[1] == 1 && read.row[2] == 0 && read.row[3] == 1);
    EXPECT(read.action[0] == 1 && read.action[1] == 0 && read.action[2] == 1 &&
           read.action[3] == 0);
    const xp__net_rows rows = xp__encoded_demos_rows(&read);
    EXPECT(rows.count == 2 && rows.hot[0] == 7 && rows.hot[1] == 8);

    /* 13 demonstrated steps: three of each of the first trajectory's, four of the second's. The
     * count of the latter in 13,000 draws has a standard deviation of 52. */
    enum { DRAWS = 13000 };
    size_t drawn[4] = {0};
    xp_rng rng = xp_rng_seed(60);
    for (size_t i = 0; i < DRAWS; i++) {
        drawn[xp__encoded_demos_draw_step(&read, &rng)]++;
    }
    for (size_t step = 0; step < 4; step++) {
        EXPECT_NEAR((double)drawn[step], step < 3 ? 3000 : 4000, 5 * 52.0 / 3000);
    }
    xp__encoded_demos_deinit(&read);
}

CLAIM(states_that_are_not_of_the_environment_are_named) {
    static const double bad[] = {25, -2, 0.5};
    for (size_t i = 0; i < 3; i++) {
        const double states[2] = {0, bad[i]};
        const uint32_t actions[2] = {0, 1};
        xp_demos *demos;
        xp__encoded_demos read;
        xp_error error;
        char named[64];
        EXPECT(xp_demos_create(1, 2, &demos, NULL) == XP_OK);
        EXPECT(xp_demos_add(demos, states, actions, 2, 1, NULL) == XP_OK);
        EXPECT(xp__encoded_demos_init(&read, &sea, demos, NULL, &error) == XP_ERR_INPUT);
        (void)snprintf(named, sizeof named, "demonstration 1, step 2: number 1 of the state, %g,",
                       bad[i]);
        EXPECT_TEXT(error.message, named);
        xp_demos_destroy(demos);
    }
    const double hidden = -1;
    const uint32_t action = 0;
    xp_demos *demos;
    xp__encoded_demos read;
    EXPECT(xp_demos_create(1, 2, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, &hidden, &action, 1, 1, NULL) == XP_OK);
    EXPECT(xp__encoded_demos_init(&read, &sea, demos, NULL, NULL) == XP_OK);
    EXPECT(xp__encoded_demos_rows(&read).hot[0] == XP_NET_NONE);
    xp__encoded_demos_deinit(&read);
    xp_demos_destroy(demos);
}
