/* Demonstrations as a multiset, and as drawn from a simulator. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "demos/demos_type.h"
#include "env/env_type.h"

#include <math.h>
#include <string.h>

CLAIM(equal_trajectories_are_counted_and_the_order_of_first_appearance_is_kept) {
    xp_demos *demos;
    xp_error error;
    EXPECT(xp_demos_create(1, 0, &demos, &error) == XP_OK);
    const double here[] = {0.5, -2}, there[] = {0.5, 3}, zero[] = {0.0}, minus_zero[] = {-0.0};
    const uint32_t left_right[] = {0, 4}, right_left[] = {4, 0};
    EXPECT(xp_demos_add(demos, here, left_right, 2, 1, &error) == XP_OK);
    EXPECT(xp_demos_add(demos, there, left_right, 2, 1, &error) == XP_OK); /* another state */
    EXPECT(xp_demos_add(demos, here, right_left, 2, 1, &error) == XP_OK);  /* another order */
    EXPECT(xp_demos_add(demos, here, left_right, 1, 1, &error) == XP_OK);  /* a prefix */
    EXPECT(xp_demos_add(demos, here, left_right, 2, 5, &error) == XP_OK);  /* the first again */
    EXPECT(xp_demos_add(demos, zero, left_right, 1, 1, &error) == XP_OK);
    EXPECT(xp_demos_add(demos, minus_zero, left_right, 1, 1, &error) == XP_OK); /* the same state */
    EXPECT(xp_demos_distinct(demos) == 5);
    EXPECT(xp_demos_count(demos) == 11);
    EXPECT(xp_demos_actions(demos) == 5);
    EXPECT(xp_demos_state_size(demos) == 1);
    const xp_trajectory first = xp_demos_trajectory(demos, 0), last = xp_demos_trajectory(demos, 4);
    EXPECT(first.count == 6 && first.length == 2 && first.actions[1] == 4);
    EXPECT(first.states[0] == 0.5 && first.states[1] == -2);
    EXPECT(last.count == 2 && last.length == 1 && last.states[0] == 0 && !signbit(last.states[0]));
    uint64_t counts[5];
    xp_demos_action_counts(demos, counts);
    /* by hand: 6 + 1 + 1 demonstrations have one of each, three have action 0 alone */
    EXPECT(counts[0] == 11 && counts[1] == 0 && counts[2] == 0 && counts[3] == 0 && counts[4] == 8);
    xp_demos_destroy(demos);
}

CLAIM(the_environment_is_told_from_the_data) {
    xp_demos *demos;
    const double states[] = {0, 2.5, -1, 3, 1, 0, 7, -2, 70000};
    const uint32_t actions[] = {0, 4, 1};
    size_t categories[3];
    EXPECT(xp_demos_create(3, 0, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, states, actions, 2, 1, NULL) == XP_OK);
    xp_env_info info = xp_demos_environment(demos, categories);
    EXPECT(info.actions == 5 && info.state_size == 3 && info.horizon == 2 && info.contexts == 0);
    EXPECT(info.categories == categories);
    EXPECT(categories[0] == 4 && categories[1] == 0 && categories[2] == 1);
    EXPECT(xp_demos_add(demos, states, actions, 3, 1, NULL) == XP_OK);
    info = xp_demos_environment(demos, categories);
    EXPECT(info.horizon == 3);
    EXPECT(categories[0] == 8 && categories[1] == 0 && categories[2] == 0); /* 70000 is too many */
    xp_demos_destroy(demos);
}

CLAIM(many_distinct_trajectories_are_all_found_again) {
    xp_demos *demos;
    EXPECT(xp_demos_create(0, 0, &demos, NULL) == XP_OK);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            const uint32_t actions[] = {i % 10, i / 10 % 10, i / 100 % 10, i / 1000};
            EXPECT(xp_demos_add(demos, NULL, actions, 4, 1 + i % 2, NULL) == XP_OK);
        }
    }
    EXPECT(xp_demos_distinct(demos) == 5000 && xp_demos_count(demos) == 22500);
    for (uint32_t i = 0; i < 5000; i++) {
        const xp_trajectory one = xp_demos_trajectory(demos, i);
        EXPECT(one.count == 3 * (1 + i % 2) && one.actions[3] == i / 1000 && one.states == NULL);
    }
    xp_demos_destroy(demos);
}

CLAIM(what_cannot_be_a_demonstration_is_refused_and_changes_nothing) {
    xp_demos *demos;
    xp_error error;
    EXPECT(xp_demos_create(2, 3, &demos, &error) == XP_OK);
    const double bad[] = {1, 2, 3, NAN}, good[] = {1, 2};
    const uint32_t actions[] = {0, 2}, large[] = {3};
    EXPECT(xp_demos_add(demos, bad, actions, 2, 1, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "state 1 of step 1 = nan is not a finite number");
    EXPECT(xp_demos_add(demos, good, large, 1, 1, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "action 3 is outside 0 .. 2");
    EXPECT(xp_demos_add(demos, good, actions, 0, 1, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "a demonstration has no steps");
    EXPECT(xp_demos_add(demos, good, actions, 1, XP__COUNT_MAX + 1, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "count = 9007199254740993 makes more than 2^53 steps");
    EXPECT(xp_demos_add(demos, good, actions, 1, XP__COUNT_MAX, &error) == XP_OK);
    EXPECT(xp_demos_add(demos, good, actions, 1, 1, &error) == XP_ERR_INPUT);
    EXPECT(xp_demos_add(demos, good, actions, 1, 0, &error) == XP_OK); /* nothing is added */
    EXPECT(xp_demos_distinct(demos) == 1 && xp_demos_count(demos) == XP__COUNT_MAX);
    xp_demos_destroy(demos);
    EXPECT(xp_demos_create(0, 1000001, &demos, &error) == XP_ERR_INPUT && demos == NULL);
    xp_demos_destroy(NULL);
}

CLAIM(actions_are_found_by_number_and_by_name) {
    xp_demos *demos;
    xp_error error;
    size_t action = 99;
    EXPECT(xp_demos_create(0, 0, &demos, &error) == XP_OK);
    EXPECT(xp_demos_action_find(demos, "0", &action, &error) == XP_ERR_INPUT);
    const uint32_t three = 3;
    EXPECT(xp_demos_add(demos, NULL, &three, 1, 1, &error) == XP_OK);
    EXPECT(xp_demos_action_find(demos, "3", &action, &error) == XP_OK && action == 3);
    EXPECT(xp_demos_action_name(demos, 3) == NULL);
    static const char *const wrong[] = {
        "4", "-1", "03", "1.0", "x", "", " 1", "1e0", "18446744073709551617"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        EXPECT(xp_demos_action_find(demos, wrong[i], &action, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, "; actions are the whole numbers 0 to 3");
        EXPECT_TEXT(error.message, wrong[i]);
    }
    EXPECT(xp_demos_declare_actions(demos, 6, &error) == XP_OK && xp_demos_actions(demos) == 6);
    EXPECT(xp_demos_declare_actions(demos, 2, &error) == XP_OK && xp_demos_actions(demos) == 6);
    EXPECT(xp_demos_action_find(demos, "5", &action, &error) == XP_OK && action == 5);
    EXPECT(xp_demos_declare_actions(demos, 1000001, &error) == XP_ERR_INPUT);
    xp_demos_destroy(demos);

    const char text[] = "blue\nred\nblue\n";
    EXPECT(xp_demos_parse(text, sizeof text - 1, "text", &demos, &error) == XP_OK);
    EXPECT(xp_demos_action_find(demos, "red", &action, &error) == XP_OK && action == 1);
    EXPECT(strcmp(xp_demos_action_name(demos, 0), "blue") == 0);
    EXPECT(xp_demos_action_find(demos, "1", &action, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "there is no action '1'; actions are blue, red");
    EXPECT(xp_demos_declare_actions(demos, 2, &error) == XP_OK);
    EXPECT(xp_demos_declare_actions(demos, 3, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "there cannot be 3 actions: the demonstrations name 2");
    xp_demos_destroy(demos);
}

static xp_demos *draw(double a, double b, uint64_t count, xp_rng *rng) {
    const double first[] = {a, 1}, second[] = {b, 1};
    xp_env *env;
    xp_expert *expert;
    xp_demos *demos;
    EXPECT(xp_env_create_bernoulli_bandit(2, first, second, &env, NULL) == XP_OK);
    EXPECT(xp_expert_create("optimal", &expert, NULL) == XP_OK);
    EXPECT(xp_demos_draw(env, expert, count, rng, &demos, NULL) == XP_OK);
    xp_expert_destroy(expert);
    xp_env_destroy(env);
    return demos;
}

/* P(Beta(2, 1) > Beta(1, 1)) = 2/3: the integral of 2x · x over [0, 1]. The frequency over n draws
 * has sd sqrt(2/9/n); 5 sd is a one in a million event. */
CLAIM(drawn_demonstrations_follow_the_optimal_expert_of_the_task_distribution) {
    xp_rng rng = xp_rng_seed(11);
    const uint64_t n = 100000;
    xp_demos *demos = draw(2, 1, n, &rng);
    uint64_t counts[2];
    xp_demos_action_counts(demos, counts);
    EXPECT(xp_demos_count(demos) == n && counts[0] + counts[1] == n);
    EXPECT(xp_demos_actions(demos) == 2 && xp_demos_distinct(demos) == 2);
    EXPECT_NEAR((double)counts[0] / (double)n, 2.0 / 3, 5 * sqrt(2.0 / 9 / (double)n));
    xp_demos_destroy(demos);
}

CLAIM(drawing_repeats_from_the_same_generator_and_moves_it) {
    xp_rng one = xp_rng_seed(5), two = one;
    xp_demos *a = draw(1, 1, 1000, &one), *b = draw(1, 1, 1000, &two);
    EXPECT(xp__demos_equal(a, b));
    xp_demos *c = draw(1, 1, 1000, &one);
    EXPECT(!xp__demos_equal(a, c)); /* equal by chance with probability about 0.02; not here */
    xp_demos_destroy(a);
    xp_demos_destroy(b);
    xp_demos_destroy(c);
}

CLAIM(the_first_demonstrations_of_many_are_the_few_drawn_alone) {
    const uint64_t sizes[] = {0, 1, 2, 7, 8};
    uint64_t before[2] = {0, 0};
    for (size_t i = 0; i < 5; i++) {
        xp_rng rng = xp_rng_seed(3);
        xp_demos *demos = draw(1, 1, sizes[i], &rng);
        uint64_t counts[2];
        xp_demos_action_counts(demos, counts);
        EXPECT(counts[0] >= before[0] && counts[1] >= before[1]);
        EXPECT(counts[0] + counts[1] == sizes[i]);
        memcpy(before, counts, sizeof counts);
        xp_demos_destroy(demos);
    }
}

/* A corridor of which the hidden context is the end, 2 or 9: action 1 goes right, and reaching the
 * end is all that pays. An episode has at most 4 steps. */
typedef struct corridor {
    xp_task task;
    double position, end;
} corridor;

static size_t corridor_size(const xp_env *env) {
    (void)env;
    return sizeof(corridor);
}

static void corridor_draw(xp_task *task, xp_rng *rng) {
    ((corridor *)task)->end = xp_rng_bernoulli(rng, 0.5) ? 2 : 9;
}

static void corridor_reset(xp_task *task, xp_rng *rng, double *state) {
    (void)rng;
    corridor *self = (corridor *)task;
    state[0] = self->position = 0;
    state[1] = 7;
}

static xp_step corridor_step(xp_task *task, xp_rng *rng, size_t action, double *state) {
    (void)rng;
    corridor *self = (corridor *)task;
    state[0] = self->position += action == 1 ? 1 : -1;
    return (xp_step){.end = self->position == self->end ? XP_TERMINATED : XP_CONTINUES};
}

static void corridor_optimal_q(const xp_task *task, const double *state, double *q) {
    (void)task;
    q[0] = -state[0];
    q[1] = state[0] + 1;
}

CLAIM(an_episode_is_states_and_actions_until_it_is_done_or_the_horizon) {
    const xp__env_type type = {.name = "corridor",
                               .task_size = corridor_size,
                               .task_draw = corridor_draw,
                               .task_reset = corridor_reset,
                               .task_step = corridor_step,
                               .task_optimal_q = corridor_optimal_q};
    const xp_env env = {.type = &type,
                        .info = {.name = "corridor", .actions = 2, .state_size = 2, .horizon = 4}};
    xp_expert *expert;
    xp_demos *demos;
    xp_rng rng = xp_rng_seed(1);
    EXPECT(xp_expert_create("optimal", &expert, NULL) == XP_OK);
    EXPECT(xp_demos_draw(&env, expert, 50, &rng, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_distinct(demos) == 2 && xp_demos_count(demos) == 50);
    for (size_t i = 0; i < 2; i++) {
        const xp_trajectory one = xp_demos_trajectory(demos, i);
        EXPECT(one.length == 2 || one.length == 4);
        EXPECT(one.length != xp_demos_trajectory(demos, 1 - i).length);
        for (size_t step = 0; step < one.length; step++) {
            EXPECT(one.states[2 * step] == (double)step && one.states[2 * step + 1] == 7);
            EXPECT(one.actions[step] == 1);
        }
    }
    xp_demos_destroy(demos);
    xp_expert_destroy(expert);
}

CLAIM(drawing_survives_every_failed_allocation) {
    failing_allocator allocator;
    xp_status status = XP_ERR_MEMORY;
    const double ones[] = {1, 1};
    for (size_t n = 0; n < 200 && status != XP_OK; n++) {
        xp_env *env;
        xp_expert *expert;
        failing_allocator_install(&allocator, SIZE_MAX);
        EXPECT(xp_env_create_bernoulli_bandit(2, ones, ones, &env, NULL) == XP_OK);
        EXPECT(xp_expert_create("optimal", &expert, NULL) == XP_OK);
        allocator.fail_at = allocator.calls + n;
        xp_rng rng = xp_rng_seed(1);
        xp_error error = {XP_OK, ""};
        xp_demos *demos;
        status = xp_demos_draw(env, expert, 10, &rng, &demos, &error);
        EXPECT(status == XP_OK || (status == XP_ERR_MEMORY && demos == NULL));
        EXPECT(error.status == status);
        xp_demos_destroy(demos);
        xp_expert_destroy(expert);
        xp_env_destroy(env);
        EXPECT(allocator.alive == 0);
    }
    EXPECT(status == XP_OK);
    xp__allocator_install(NULL);
}
