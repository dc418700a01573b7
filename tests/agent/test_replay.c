/* What bootstrapped DQN stands on: the ring of transitions, distinct rows, states as inputs. */
#include "claim.h"

#include "agent/states/replay.h"
#include "encode/row_set.h"
#include "encode/state_input.h"

#include <math.h>
#include <string.h>

static xp__replay ring(size_t capacity, size_t members, double noise, double mask) {
    xp__replay made;
    const xp__replay_options options = {
        .capacity = capacity, .members = members, .row_bytes = 4, .noise = noise, .mask = mask};
    EXPECT(xp__replay_init(&made, &options, NULL) == XP_OK);
    return made;
}

CLAIM(a_transition_lies_at_its_serial_number_until_the_ring_comes_round) {
    xp__replay replay = ring(5, 1, 0, 1);
    const xp_rng stream = xp_rng_seed(1);
    for (uint32_t serial = 0; serial < 12; serial++) {
        const size_t slot = xp__replay_add(&replay, &stream);
        EXPECT(slot == serial % 5);
        replay.actions[slot] = serial;
    }
    EXPECT(replay.written == 12);
    for (uint32_t serial = 7; serial < 12; serial++) {
        EXPECT(replay.actions[xp__replay_slot(&replay, serial)] == serial);
    }
    xp__replay_clear(&replay);
    EXPECT(replay.written == 0 && xp__replay_add(&replay, &stream) == 0);
    xp__replay_deinit(&replay);
}

/* Counts of 100,000 draws over n serial numbers; chi-squared with n - 1 degrees of freedom exceeds
 * its mean by 7 standard deviations with a probability below 1e-6 for n as here. */
static void expect_uniform(const xp__replay *replay, size_t later, uint64_t first, uint64_t last) {
    enum { DRAWS = 100000 };
    double count[64] = {0}, chi = 0;
    xp_rng rng = xp_rng_seed(2);
    for (int i = 0; i < DRAWS; i++) {
        const uint64_t serial = xp__replay_draw(replay, &rng, later);
        EXPECT(serial >= first && serial <= last);
        count[serial - first < 64 ? serial - first : 63]++;
    }
    const double n = (double)(last - first + 1), wanted = DRAWS / n;
    for (uint64_t i = 0; i <= last - first; i++) {
        chi += (count[i] - wanted) * (count[i] - wanted) / wanted;
    }
    EXPECT(chi < n - 1 + 7 * sqrt(2 * (n - 1)));
}

CLAIM(draws_are_uniform_on_what_is_here_and_will_stay) {
    xp__replay replay = ring(40, 1, 0, 1);
    const xp_rng stream = xp_rng_seed(1);
    for (int i = 0; i < 30; i++) {
        (void)xp__replay_add(&replay, &stream);
    }
    expect_uniform(&replay, 0, 0, 29);
    expect_uniform(&replay, 3, 0, 29);
    for (int i = 0; i < 60; i++) {
        (void)xp__replay_add(&replay, &stream);
    }
    expect_uniform(&replay, 0, 50, 89);
    expect_uniform(&replay, 3, 53, 89);
    xp__replay_deinit(&replay);
}

CLAIM(noise_and_mask_are_functions_of_stream_serial_number_and_head) {
    enum { HEADS = 4 };
    xp__replay small = ring(3, HEADS, 0.5, 0.5), large = ring(100, HEADS, 0.5, 0.5);
    const xp_rng stream = xp_rng_seed(7);
    for (size_t serial = 0; serial < 50; serial++) {
        const size_t a = xp__replay_add(&small, &stream), b = xp__replay_add(&large, &stream);
        EXPECT(memcmp(small.noises + a * HEADS, large.noises + b * HEADS, sizeof(float[HEADS])) ==
               0);
        EXPECT(memcmp(small.keeps + a * HEADS, large.keeps + b * HEADS, sizeof(float[HEADS])) == 0);
    }
    EXPECT(memcmp(large.noises, large.noises + HEADS, sizeof(float[HEADS])) != 0);
    xp__replay_deinit(&small);
    xp__replay_deinit(&large);
}

/* Of n = 200,000 normals the mean has standard error 1/sqrt(n), the variance sqrt(2/n); of as many
 * masks the mean has sqrt(p(1-p)/n). Five of each. */
CLAIM(noise_is_normal_and_masks_have_their_probability) {
    enum { HEADS = 20, TRANSITIONS = 10000 };
    xp__replay replay = ring(TRANSITIONS, HEADS, 0.01, 0.3);
    const xp_rng stream = xp_rng_seed(3);
    double sum = 0, squares = 0, kept = 0;
    for (size_t i = 0; i < TRANSITIONS; i++) {
        (void)xp__replay_add(&replay, &stream);
    }
    const double n = HEADS * TRANSITIONS;
    for (size_t i = 0; i < HEADS * TRANSITIONS; i++) {
        const double x = replay.noises[i] / 0.01;
        sum += x;
        squares += x * x;
        EXPECT(replay.keeps[i] == 0 || replay.keeps[i] == 1);
        kept += replay.keeps[i];
    }
    EXPECT(fabs(sum / n) < 5 / sqrt(n));
    EXPECT(fabs(squares / n - 1) < 5 * sqrt(2 / n));
    EXPECT(fabs(kept / n - 0.3) < 5 * sqrt(0.21 / n));
    xp__replay_deinit(&replay);
    replay = ring(10, HEADS, 0.01, 1);
    EXPECT(replay.keeps == NULL);
    xp__replay_deinit(&replay);
}

CLAIM(a_row_set_numbers_rows_in_order_of_first_appearance) {
    enum { ROOM = 300 };
    xp__row_set set;
    EXPECT(xp__row_set_init(&set, 2 * sizeof(uint32_t), ROOM, NULL) == XP_OK);
    for (int round = 0; round < 2; round++) {
        bool is_new;
        for (uint32_t i = 0; i < 3 * ROOM; i++) {
            const uint32_t row[2] = {i % ROOM, 1000 - i % ROOM};
            EXPECT(xp__row_set_add(&set, row, &is_new) == i % ROOM && is_new == (i < ROOM));
        }
        EXPECT(set.count == ROOM);
        xp__row_set_clear(&set);
        EXPECT(set.count == 0);
    }
    xp__row_set_deinit(&set);
}

CLAIM(whole_numbers_become_lists_of_inputs_and_hidden_ones_are_left_out) {
    const size_t categories[] = {25, 25};
    const xp_env_info env = {.actions = 4, .state_size = 2, .categories = categories};
    xp__state_input input;
    EXPECT(xp__state_input_init(&input, &env, NULL) == XP_OK);
    EXPECT(input.inputs == 50 && input.hot == 2 && input.row_bytes == 2 * sizeof(uint32_t));
    uint32_t row[2];
    xp__state_input_row(&input, (const double[]){12, 3}, row);
    EXPECT(row[0] == 12 && row[1] == 28);
    xp__state_input_row(&input, (const double[]){0, -1}, row);
    EXPECT(row[0] == 0 && row[1] == XP_NET_NONE);
    EXPECT(xp__state_input_fault(&input, (const double[]){24, -1}) == 2);
    EXPECT(xp__state_input_fault(&input, (const double[]){25, 0}) == 0);
    EXPECT(xp__state_input_fault(&input, (const double[]){0, 1.5}) == 1);
    EXPECT(xp__state_input_fault(&input, (const double[]){0, -2}) == 1);
    EXPECT(xp__state_input_fault(&input, (const double[]){NAN, 0}) == 0);
}

CLAIM(real_numbers_make_rows_dense) {
    const size_t categories[] = {0, 3, 0};
    const xp_env_info env = {.actions = 2, .state_size = 3, .categories = categories};
    xp__state_input input;
    EXPECT(xp__state_input_init(&input, &env, NULL) == XP_OK);
    EXPECT(input.inputs == 5 && input.hot == 0 && input.row_bytes == 5 * sizeof(float));
    float row[5];
    xp__state_input_row(&input, (const double[]){-2.5, 1, 4}, row);
    const float wanted[5] = {-2.5F, 0, 1, 0, 4};
    EXPECT(memcmp(row, wanted, sizeof row) == 0);
    xp__state_input_row(&input, (const double[]){-0.0, -1, 0}, row);
    const float blank[5] = {0};
    EXPECT(memcmp(row, blank, sizeof row) == 0);
    EXPECT(xp__state_input_fault(&input, (const double[]){1e300, 0, 0}) == 0);
    EXPECT(xp__state_input_fault(&input, (const double[]){0, 0, INFINITY}) == 2);
    const xp__net_rows rows = xp__state_input_rows(&input, 1, row);
    EXPECT(rows.count == 1 && rows.dense == row && rows.hot == NULL);
}

CLAIM(a_bandit_has_one_input_that_is_always_on) {
    const xp_env_info env = {.actions = 3};
    xp__state_input input;
    EXPECT(xp__state_input_init(&input, &env, NULL) == XP_OK);
    EXPECT(input.inputs == 1 && input.hot == 1);
    uint32_t row = 9;
    xp__state_input_row(&input, NULL, &row);
    EXPECT(row == 0);
}

CLAIM(states_too_wide_for_a_network_are_refused_and_many_numbers_go_dense) {
    const size_t wide[] = {(size_t)1 << 24, 1};
    xp_env_info env = {.name = "ocean", .actions = 2, .state_size = 2, .categories = wide};
    xp__state_input input;
    xp_error error;
    EXPECT(xp__state_input_init(&input, &env, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "a state of ocean is more than 16777216 network inputs");
    size_t many[17];
    for (size_t j = 0; j < 17; j++) {
        many[j] = 2;
    }
    env.categories = many;
    env.state_size = 17;
    EXPECT(xp__state_input_init(&input, &env, &error) == XP_OK);
    EXPECT(input.inputs == 34 && input.hot == 0);
}
