/* The units in which networks see the real numbers of states: those of the demonstrations, so that
 * the environment's own do not matter. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "base/bytes/tensors.h"
#include "base/memory.h"
#include "encode/encoded_demos.h"
#include "prior/states/states_prior_type.h"

#include "experior/experior.h"

#include <math.h>
#include <string.h>

enum { STEPS = 6, SIZE = 4 };
/* A category; a speed that is small, a place far from 0, and a number that never changes. */
static const size_t categories[SIZE] = {3, 0, 0, 0};
static const xp_env_info road = {
    .actions = 2, .state_size = SIZE, .horizon = STEPS, .categories = categories};
static const double way[STEPS][SIZE] = {{0, 0.01, 500, 7}, {1, -0.02, 501, 7}, {2, 0.04, 499, 7},
                                        {0, 0.03, 503, 7}, {1, -0.01, 498, 7}, {2, 0.00, 500, 7}};

/* Two demonstrations of that way, one shown three times, with the real numbers multiplied. */
static xp_demos *demos_in(double unit) {
    static const uint32_t actions[STEPS] = {0, 1, 0, 0, 1, 1};
    double states[STEPS * SIZE];
    for (size_t h = 0; h < STEPS; h++) {
        for (size_t j = 0; j < SIZE; j++) {
            states[h * SIZE + j] = way[h][j] * (j > 0 ? unit : 1);
        }
    }
    xp_demos *demos;
    EXPECT(xp_demos_create(SIZE, 2, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, states, actions, STEPS, 1, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, states + SIZE, actions, 2, 3, NULL) == XP_OK);
    return demos;
}

CLAIM(demonstrated_numbers_have_mean_0_and_deviation_1_and_categories_stay) {
    xp_demos *demos = demos_in(1);
    xp__state_units units;
    EXPECT(xp__state_units_init(&units, &road, demos, NULL) == XP_OK);
    for (size_t j = 1; j < 3; j++) {
        double sum = 0, squares = 0;
        for (size_t h = 0; h < STEPS; h++) {
            const double times = h == 1 || h == 2 ? 4 : 1; /* steps of both demonstrations */
            const double seen = xp__state_units_in(&units, j, way[h][j]);
            sum += times * seen / 12;
            squares += times * seen * seen / 12;
        }
        EXPECT(fabs(sum) < 1e-9 && fabs(squares - 1) < 1e-9);
    }
    EXPECT(xp__state_units_in(&units, 3, 7) == 0 && xp__state_units_in(&units, 3, 7.5) == 0.5);
    EXPECT(xp__state_units_in(&units, 1, 1e300) == 10); /* far from all that was shown */
    EXPECT(xp__state_units_in(&units, 1, -1e300) == -10);
    xp__encoded_demos read;
    EXPECT(xp__encoded_demos_init(&read, &road, demos, &units, NULL) == XP_OK);
    const float *row = (const float *)(const void *)read.rows.rows; /* of the first step */
    EXPECT(read.input.inputs == 6 && row[0] == 1 && row[1] == 0 && row[2] == 0);
    EXPECT(row[3] == (float)xp__state_units_in(&units, 1, 0.01) && row[5] == 0);
    xp__encoded_demos_deinit(&read);
    xp__state_units_deinit(&units);
    xp_demos_destroy(demos);
}

CLAIM(states_without_real_numbers_have_no_units) {
    static const size_t both[2] = {4, 4};
    const xp_env_info grid = {.actions = 2, .state_size = 2, .horizon = 9, .categories = both};
    static const double states[2] = {1, 2};
    static const uint32_t action = 1;
    xp_demos *demos;
    xp__state_units units;
    EXPECT(xp_demos_create(2, 2, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, states, &action, 1, 1, NULL) == XP_OK);
    EXPECT(xp__state_units_init(&units, &grid, demos, NULL) == XP_OK);
    EXPECT(units.mean == NULL);
    xp_demos_destroy(demos);
}

/* What each agent with a prior does on the way, in units of the environment. */
static void act_in(double unit, const char *agent, size_t *actions) {
    const xp_space where = {
        .actions = 2, .state_size = SIZE, .horizon = STEPS, .categories = categories};
    xp_demos *demos = demos_in(unit);
    xp_model *model = NULL;
    xp_session *session = NULL;
    EXPECT(xp_model_fit(agent, &where, demos, NULL, &model, NULL) == XP_OK);
    EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
    for (size_t episode = 0; episode < 20; episode++) {
        for (size_t h = 0; h < STEPS; h++) {
            double state[SIZE], next[SIZE];
            for (size_t j = 0; j < SIZE; j++) {
                const double real = j > 0 ? unit : 1;
                state[j] = way[h][j] * real;
                next[j] = way[(h + 1) % STEPS][j] * real;
            }
            EXPECT(xp_session_act(session, state, actions, NULL) == XP_OK);
            const xp_transition seen = {.state = state,
                                        .action = *actions,
                                        .reward = *actions == h % 2 ? 1 : 0,
                                        .next_state = next,
                                        .end = h + 1 < STEPS ? XP_CONTINUES : XP_TERMINATED};
            EXPECT(xp_session_observe(session, &seen, NULL) == XP_OK);
            actions++;
        }
    }
    xp_session_destroy(session);
    xp_model_destroy(model);
    xp_demos_destroy(demos);
}

CLAIM(no_decision_depends_on_the_unit_of_a_state) {
    static const char *const agents[] = {
        "experior_maxent:members=3,draws=3,hidden=8,warmup=10,batch=8,fit_steps=50",
        "experior_param:members=3,networks=3,hidden=8,warmup=10,batch=8,pretrain_steps=50",
        "behaviour_cloning:networks=3,hidden=8,pretrain_steps=50"};
    for (size_t i = 0; i < sizeof agents / sizeof agents[0]; i++) {
        size_t plain[20 * STEPS], other[20 * STEPS];
        act_in(1, agents[i], plain);
        for (int k = -20; k <= 20; k += 10) {
            act_in(ldexp(1, k), agents[i], other);
            EXPECT(memcmp(plain, other, sizeof plain) == 0);
        }
    }
}

/* Writes the file and reads the prior that is in it. */
static xp_status read_again(const xp__tensors *file, const xp_demos *demos,
                            xp__states_prior **restored, xp_error *error) {
    xp__tensor_file read;
    void *data;
    size_t bytes;
    EXPECT(xp__tensors_write(file, &data, &bytes, NULL) == XP_OK);
    EXPECT(xp__tensor_file_init(&read, data, bytes, "f", NULL) == XP_OK);
    const xp_status status = xp__states_prior_read(&read, &road, demos, restored, error);
    xp__tensor_file_deinit(&read);
    xp__free(data);
    return status;
}

CLAIM(units_that_are_none_are_refused) {
    static const double wrong[] = {0, -1, INFINITY, NAN};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        xp_demos *demos = demos_in(1);
        xp_rng rng = xp_rng_seed(1);
        xp__states_prior *fitted = NULL, *restored = NULL;
        xp__tensors file = {.list = NULL};
        xp_error error = {.message = ""};
        EXPECT(xp__states_prior_fit("ensemble", NULL, &road, demos, &rng, &fitted, NULL) == XP_OK);
        fitted->units.scale[2] = wrong[i];
        xp__states_prior_write(fitted, &file);
        EXPECT(read_again(&file, demos, &restored, &error) == XP_ERR_INPUT);
        EXPECT(restored == NULL);
        EXPECT_TEXT(error.message, "f: the unit of state number 3 is ");
        xp__states_prior_destroy(fitted);
        xp__tensors_deinit(&file);
        xp_demos_destroy(demos);
    }
}

CLAIM(a_fit_to_real_numbers_survives_any_allocation_that_fails) {
    xp_demos *demos = demos_in(1);
    for (size_t i = 0; i < 10; i++) { /* as many as it takes to try several components */
        const double states[2 * SIZE] = {1, 0.1 * (double)i, 490, 7, 2, -0.1 * (double)i, 510, 7};
        const uint32_t actions[2] = {i % 2, 1};
        EXPECT(xp_demos_add(demos, states, actions, 2, 1, NULL) == XP_OK);
    }
    xp__params params;
    EXPECT(xp__states_prior_params_default("union", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "fit_steps", 2, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "draws", 2, NULL) == XP_OK);
    xp_status status = XP_ERR_MEMORY;
    size_t n = 0;
    for (; status != XP_OK && n < 1000; n++) {
        failing_allocator count;
        xp_rng rng = xp_rng_seed(1);
        xp__states_prior *prior = NULL;
        const xp__states_prior_fit_options options = {.params = &params, .rng = &rng};
        failing_allocator_install(&count, n);
        status = xp__states_prior_fit_with("union", &options, &road, demos, &prior, NULL);
        EXPECT(status == XP_OK || (status == XP_ERR_MEMORY && prior == NULL));
        xp__states_prior_destroy(prior);
        EXPECT(count.alive == 0);
        xp__allocator_install(NULL);
    }
    EXPECT(status == XP_OK && n > 30);
    xp_demos_destroy(demos);
}

/* Networks of files that were written before there were units saw the environment's. */
CLAIM(a_file_without_units_is_read_as_it_was_written) {
    for (size_t old = 0; old < 2; old++) {
        xp_demos *demos = demos_in(1);
        xp_rng rng = xp_rng_seed(1);
        xp__states_prior *fitted = NULL, *restored = NULL;
        xp__tensors file = {.list = NULL};
        EXPECT(xp__states_prior_fit("union", NULL, &road, demos, &rng, &fitted, NULL) == XP_OK);
        xp__states_prior_write(fitted, &file);
        for (size_t i = 0; old == 1 && i < file.count; i++) {
            if (strcmp(file.list[i].name, "units.mean") == 0) { /* and units.scale after it */
                memmove(&file.list[i], &file.list[i + 2],
                        (file.count - i - 2) * sizeof file.list[i]);
                file.count -= 2;
            }
        }
        EXPECT(read_again(&file, demos, &restored, NULL) == XP_OK);
        EXPECT((xp__states_prior_units(restored) == NULL) == (old == 1));
        if (old == 0) {
            EXPECT(memcmp(xp__states_prior_units(restored)->mean, fitted->units.mean,
                          2 * SIZE * sizeof(double)) == 0);
        }
        xp__states_prior_destroy(restored);
        xp__states_prior_destroy(fitted);
        xp__tensors_deinit(&file);
        xp_demos_destroy(demos);
    }
}
