/* The maximum-entropy prior over Q-functions, mode by mode: which demonstrations go together, how
 * often, and networks that follow them. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "agent/states/mode_choice.h"
#include "experior/experior.h"
#include "prior/states/mode_sets.h"
#include "prior/states/likelihood.h"
#include "env/create.h"
#include "prior/states/states_prior.h"

#include <math.h>
#include <string.h>

static const size_t categories[] = {8};
static const xp_env_info corridor = {
    .name = "corridor", .actions = 3, .state_size = 1, .horizon = 4, .categories = categories};

/* Adds a trajectory given as "state action state action …". */
static void add(xp_demos *demos, const char *steps, uint64_t count) {
    double states[8];
    uint32_t actions[8];
    size_t length = 0;
    for (const char *at = steps; *at != '\0'; at += 4, length++) {
        states[length] = at[0] - '0';
        actions[length] = (uint32_t)(at[2] - '0');
        if (at[3] == '\0') {
            length++;
            break;
        }
    }
    EXPECT(xp_demos_add(demos, states, actions, length, count, NULL) == XP_OK);
}

static xp_demos *demos_of(size_t count, const char *const *steps, const uint64_t *counts) {
    xp_demos *demos;
    EXPECT(xp_demos_create(1, 3, &demos, NULL) == XP_OK);
    for (size_t i = 0; i < count; i++) {
        add(demos, steps[i], counts[i]);
    }
    return demos;
}

static xp__encoded_demos read(const xp_demos *demos) {
    xp__encoded_demos made;
    EXPECT(xp__encoded_demos_init(&made, &corridor, demos, NULL, NULL) == XP_OK);
    return made;
}

/* What a mode does in a state. */
static uint32_t does(const xp__mode_sets *sets, const xp__encoded_demos *demos, size_t mode,
                     uint32_t state) {
    for (size_t row = 0; row < demos->rows.count; row++) {
        if (memcmp(demos->rows.rows + row * demos->input.row_bytes, &state, sizeof state) == 0) {
            return sets->action[mode * sets->rows + row];
        }
    }
    return XP__MODE_SILENT;
}

/* 0 0 1 0 and 0 1 2 1 differ in state 0; 5 2 contradicts neither. */
static const char *const three[] = {"0 0 1 0", "0 1 2 1", "5 2"};

CLAIM(demonstrations_that_contradict_each_other_are_different_modes) {
    const uint64_t counts[] = {6, 3, 1};
    xp_demos *demos = demos_of(3, three, counts);
    xp__encoded_demos shown = read(demos);
    const xp_rng rng = xp_rng_seed(1);
    xp__mode_sets sets;
    EXPECT(xp__mode_sets_init(&sets, &shown, 10, NULL, &rng, NULL) == XP_OK);
    EXPECT(sets.count == 2);
    for (size_t k = 0; k < sets.count; k++) {
        const bool first = does(&sets, &shown, k, 0) == 0;
        EXPECT(does(&sets, &shown, k, 0) == (first ? 0 : 1));
        EXPECT(does(&sets, &shown, k, 1) == (first ? 0 : XP__MODE_SILENT));
        EXPECT(does(&sets, &shown, k, 2) == (first ? XP__MODE_SILENT : 1));
        EXPECT(does(&sets, &shown, k, 5) == 2);
    }
    EXPECT_NEAR(sets.weight[0] + sets.weight[1], 1, 1e-12);
    xp__mode_sets_deinit(&sets);
    xp__encoded_demos_deinit(&shown);
    xp_demos_destroy(demos);
}

/* The second demonstration is alone with its last step; the third, shown once more, is not. */
CLAIM(steps_are_shown_with_what_came_of_them) {
    static const char *const steps[] = {"0 0 1 0", "0 0 1 0 2 1", "5 2 0 0 1 0"};
    const uint64_t counts[] = {6, 1, 2};
    xp_demos *demos = demos_of(3, steps, counts);
    xp__encoded_demos read_demos = read(demos);
    xp__shown_steps shown;
    EXPECT(xp__shown_steps_init(&shown, &read_demos, NULL) == XP_OK);
    EXPECT_NEAR(shown.strange, (1 + 1) / (9 + 2.0), 1e-12);
    const uint32_t state[] = {0, 1, 2, 5, 7};
    unsigned char scratch[64];
    EXPECT(shown.steps.row_bytes <= sizeof scratch && shown.steps.count == 5);
    EXPECT(xp__shown_steps_has(&shown, &state[0], 0, &state[1], scratch));
    EXPECT(xp__shown_steps_has(&shown, &state[1], 0, NULL, scratch));
    EXPECT(xp__shown_steps_has(&shown, &state[1], 0, &state[2], scratch));
    EXPECT(xp__shown_steps_has(&shown, &state[2], 1, NULL, scratch));
    EXPECT(xp__shown_steps_has(&shown, &state[3], 2, &state[0], scratch));
    EXPECT(!xp__shown_steps_has(&shown, &state[0], 0, NULL, scratch));
    EXPECT(!xp__shown_steps_has(&shown, &state[0], 1, &state[1], scratch));
    EXPECT(!xp__shown_steps_has(&shown, &state[0], 0, &state[0], scratch));
    EXPECT(!xp__shown_steps_has(&shown, &state[4], 0, &state[1], scratch));
    xp__shown_steps_deinit(&shown);
    xp__encoded_demos_deinit(&read_demos);
    xp_demos_destroy(demos);
}

/* The third demonstration goes with the first with probability 6/9, and lends it its weight:
 * (6 + ½ + (1 + ½) 6/9) / (10 + 3/2) on average. 5 standard deviations of 2,000 draws: 0.0069. */
CLAIM(modes_are_as_frequent_as_what_was_shown) {
    enum { RUNS = 2000 };
    const uint64_t counts[] = {6, 3, 1};
    xp_demos *demos = demos_of(3, three, counts);
    xp__encoded_demos shown = read(demos);
    const xp_rng root = xp_rng_seed(2);
    double mean = 0;
    for (size_t run = 0; run < RUNS; run++) {
        const xp_rng rng = xp_rng_fork(&root, run);
        xp__mode_sets sets;
        EXPECT(xp__mode_sets_init(&sets, &shown, 10, NULL, &rng, NULL) == XP_OK);
        for (size_t k = 0; k < sets.count; k++) {
            mean += does(&sets, &shown, k, 0) == 0 ? sets.weight[k] / RUNS : 0;
        }
        xp__mode_sets_deinit(&sets);
    }
    EXPECT_NEAR(mean, (6.5 + 1.5 * 6 / 9) / 11.5, 0.0069);
    xp__encoded_demos_deinit(&shown);
    xp_demos_destroy(demos);
}

/* With room for 4 modes, of 20 demonstrations the one shown 10 times begins 2 of them or more. */
CLAIM(with_little_room_modes_are_drawn_systematically) {
    const char *const steps[] = {"0 0", "0 1", "0 2", "1 0 0 0", "1 1 0 0", "1 2 0 0"};
    const uint64_t counts[] = {10, 5, 2, 1, 1, 1};
    xp_demos *demos = demos_of(6, steps, counts);
    xp__encoded_demos shown = read(demos);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        const xp_rng rng = xp_rng_seed(seed);
        xp__mode_sets sets;
        EXPECT(xp__mode_sets_init(&sets, &shown, 4, NULL, &rng, NULL) == XP_OK);
        double total = 0, first = 0, second = 0;
        for (size_t k = 0; k < sets.count; k++) {
            total += sets.weight[k];
            first += does(&sets, &shown, k, 0) == 0 ? sets.weight[k] : 0;
            second += does(&sets, &shown, k, 0) == 1 ? sets.weight[k] : 0;
        }
        EXPECT(sets.count <= 4);
        EXPECT_NEAR(total, 1, 1e-12);
        EXPECT(first >= 0.5);
        EXPECT_NEAR(second, 0.25, 1e-12); /* exactly one of the four places falls among its five */
        xp__mode_sets_deinit(&sets);
    }
    xp__encoded_demos_deinit(&shown);
    xp_demos_destroy(demos);
}

CLAIM(a_demonstration_is_followed_in_its_last_action) {
    const char *const steps[] = {"0 1 1 2 0 2"};
    const uint64_t counts[] = {3};
    xp_demos *demos = demos_of(1, steps, counts);
    xp__encoded_demos shown = read(demos);
    const xp_rng rng = xp_rng_seed(1);
    xp__mode_sets sets;
    EXPECT(xp__mode_sets_init(&sets, &shown, 4, NULL, &rng, NULL) == XP_OK);
    EXPECT(sets.count == 1 && sets.weight[0] == 1);
    EXPECT(does(&sets, &shown, 0, 0) == 2 && does(&sets, &shown, 0, 1) == 2);
    xp__mode_sets_deinit(&sets);
    xp__encoded_demos_deinit(&shown);
    xp_demos_destroy(demos);
}

static xp_env *sea_of(const char *size) {
    xp__params params;
    xp_env *env;
    xp_rng rng = xp_rng_seed(1);
    EXPECT(xp__env_params_default("deep_sea", &params, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "size", size, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "goal", "any", NULL) == XP_OK);
    EXPECT(xp__env_create("deep_sea", &params, &rng, &env, NULL) == XP_OK);
    return env;
}

static xp_demos *dives(const xp_env *env, uint64_t count) {
    xp_expert *expert;
    xp_demos *demos;
    xp_rng rng = xp_rng_seed(2);
    EXPECT(xp_expert_create("optimal", &expert, NULL) == XP_OK);
    EXPECT(xp_demos_draw(env, expert, count, &rng, &demos, NULL) == XP_OK);
    xp_expert_destroy(expert);
    return demos;
}

/* Every goal is a mode, since dives to different goals part somewhere. Its network follows it with
 * likelihood 0.9 at least and no other dive with more than a little, so that E_mu[m_τ] is between
 * 0.9 and 1 of its probability (n + ½) / (N + K/2) and a little more. */
CLAIM(expected_likelihoods_are_the_frequencies) {
    xp_env *env = sea_of("10");
    xp_demos *demos = dives(env, 500);
    const xp_env_info info = xp_env_describe(env);
    xp__encoded_demos shown;
    xp__states_prior *prior;
    xp_rng rng = xp_rng_seed(3);
    EXPECT(xp__encoded_demos_init(&shown, &info, demos, NULL, NULL) == XP_OK);
    EXPECT(xp__states_prior_fit("modes", NULL, &info, demos, &rng, &prior, NULL) == XP_OK);
    const xp__net *networks = xp__states_prior_networks(prior);
    const double *weights = xp__states_prior_weights(prior);
    EXPECT(shown.trajectories == 10 && xp__net_get_options(networks)->members == 10);
    float q[2 * 100];
    double each[10], expected[10] = {0};
    EXPECT(shown.rows.count <= 100);
    for (size_t k = 0; k < 10; k++) {
        xp__network_log_likelihoods(networks, k, 1, &shown, 5, q, each);
        for (size_t t = 0; t < 10; t++) {
            expected[t] += weights[k] * exp(each[t]);
        }
    }
    double divergence = 0;
    for (size_t t = 0; t < 10; t++) {
        const double share = ((double)shown.count[t] + 0.5) / ((double)shown.total + 5);
        EXPECT(expected[t] > 0.9 * share && expected[t] < 1.05 * share);
        divergence +=
            (double)shown.count[t] / 500 * log((double)shown.count[t] / 500 / expected[t]);
    }
    EXPECT_NEAR(xp__states_prior_fit_result(prior).divergence, divergence, 1e-9);
    EXPECT(xp__states_prior_fit_result(prior).divergence < 0.12); /* -log 0.9 and a little */
    xp__states_prior_destroy(prior);
    xp__encoded_demos_deinit(&shown);
    xp_demos_destroy(demos);
    xp_env_destroy(env);
}

/* Of 25 draws 0.786 · 25 = 19.6 are of the first mode: those whose middle, (i + ½) / 25, lies
 * below its probability. No two are the same where nothing was shown. */
CLAIM(draws_are_of_modes_by_their_probability_and_all_different) {
    const char *const steps[] = {"0 0 1 0", "0 1 2 1"};
    const uint64_t counts[] = {16, 4};
    xp_demos *demos = demos_of(2, steps, counts);
    xp__states_prior *prior;
    xp_rng rng = xp_rng_seed(4);
    EXPECT(xp__states_prior_fit("modes", NULL, &corridor, demos, &rng, &prior, NULL) == XP_OK);
    const xp__net *draws = xp__states_prior_draws(prior);
    EXPECT(xp__net_get_options(draws)->members == 25);
    const uint32_t start = 0, then[] = {1, 2}, elsewhere = 5;
    const xp__net_rows at_start = {.count = 1, .hot = &start},
                       away = {.count = 1, .hot = &elsewhere};
    size_t of[2] = {0, 0};
    float values[25 * 3];
    xp__net_q(draws, 0, 25, &away, values);
    for (size_t i = 0; i < 25; i++) {
        const size_t mode = xp__net_greedy(draws, i, &at_start);
        EXPECT(mode < 2);
        const xp__net_rows next = {.count = 1, .hot = &then[mode]};
        EXPECT(xp__net_greedy(draws, i, &next) == mode);
        of[mode]++;
        for (size_t j = 0; j < i; j++) {
            EXPECT(memcmp(values + 3 * i, values + 3 * j, 3 * sizeof values[0]) != 0);
        }
    }
    EXPECT(of[0] == 20 && of[1] == 5);
    xp__states_prior_destroy(prior);
    xp_demos_destroy(demos);
}

/* How far the values in the states of other dives are from where they started, root mean square. */
static double drift(const char *hold) {
    xp_env *env = sea_of("10");
    xp_demos *demos = dives(env, 500);
    const xp_env_info info = xp_env_describe(env);
    xp__params params;
    xp__states_prior *fitted, *start;
    xp_rng rng = xp_rng_seed(3), again = rng;
    EXPECT(xp__states_prior_params_default("modes", &params, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "hold", hold, NULL) == XP_OK);
    EXPECT(xp__states_prior_fit("modes", &params, &info, demos, &rng, &fitted, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "fit_rate", "0", NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "fit_steps", "1", NULL) == XP_OK);
    EXPECT(xp__states_prior_fit("modes", &params, &info, demos, &again, &start, NULL) == XP_OK);
    double sum = 0;
    size_t terms = 0;
    for (uint32_t row = 0; row < 100; row++) {
        const xp__net_rows rows = {.count = 1, .hot = &row};
        for (size_t k = 0; k < 10; k++) {
            float one[2], two[2];
            xp__net_q(xp__states_prior_networks(fitted), k, 1, &rows, one);
            xp__net_q(xp__states_prior_networks(start), k, 1, &rows, two);
            sum +=
                pow((double)one[0] - (double)two[0], 2) + pow((double)one[1] - (double)two[1], 2);
            terms += 2;
        }
    }
    xp__states_prior_destroy(start);
    xp__states_prior_destroy(fitted);
    xp_demos_destroy(demos);
    xp_env_destroy(env);
    return sqrt(sum / (double)terms);
}

CLAIM(elsewhere_networks_stay_nearer_to_where_they_started) {
    const double held = drift("1"), free_to_move = drift("0");
    EXPECT(held > 0 && held < 0.8 * free_to_move);
}

/* A prior of four modes over states 0 .. 7 of the corridor that is asked for its choice. */
CLAIM(modes_that_were_not_told_apart_are_one_hypothesis) {
    const char *const steps[] = {"0 0 1 0", "0 0 1 1", "0 1 2 1", "0 1 2 2"};
    const uint64_t counts[] = {5, 5, 5, 5};
    xp_demos *demos = demos_of(4, steps, counts);
    xp__states_prior *prior;
    xp_rng rng = xp_rng_seed(4);
    EXPECT(xp__states_prior_fit("modes", NULL, &corridor, demos, &rng, &prior, NULL) == XP_OK);
    EXPECT(xp__net_get_options(xp__states_prior_networks(prior))->members == 4);
    const xp__mode_choice_options options = {
        .heads = 2, .none = 0.2, .resolution = 0.1, .memory = 50};
    xp__mode_choice choice;
    EXPECT(xp__mode_choice_init(&choice, &options, prior, NULL) == XP_OK);
    size_t mode = 0; /* one that does 0 in state 0 */
    const uint32_t zero = 0, one = 1;
    const xp__net_rows at_zero = {.count = 1, .hot = &zero}, at_one = {.count = 1, .hot = &one};
    while (xp__net_greedy(choice.modes, mode, &at_zero) != 0) {
        mode++;
    }
    EXPECT(xp__mode_choice_act(&choice, mode, &at_zero) == 0);
    xp__mode_choice_end(&choice, mode, 1, 0, 1);
    EXPECT_NEAR(choice.evidence.prior[mode], 0.4, 1e-12); /* its own and its sister's */
    (void)xp__mode_choice_act(&choice, mode, &at_zero);
    (void)xp__mode_choice_act(&choice, mode, &at_one);
    xp__mode_choice_end(&choice, mode, 1, 0, 1);
    for (size_t k = 0; k < 4; k++) {
        EXPECT_NEAR(choice.evidence.prior[k], 0.2, 1e-12);
    }
    double law[6], sum = 0;
    xp__mode_choice_law(&choice, &rng, 1000, law);
    for (size_t k = 0; k < 6; k++) {
        sum += law[k];
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    xp__mode_choice_deinit(&choice);
    xp__states_prior_destroy(prior);
    xp_demos_destroy(demos);
}

static xp_status flow(xp_demos *demos) {
    const xp__mode_choice_options options = {
        .heads = 2, .none = 0.2, .resolution = 0.1, .memory = 50};
    xp__states_prior *prior;
    xp__mode_choice choice;
    xp_rng rng = xp_rng_seed(4);
    xp_status status = xp__states_prior_fit("modes", NULL, &corridor, demos, &rng, &prior, NULL);
    if (status == XP_OK) {
        status = xp__mode_choice_init(&choice, &options, prior, NULL);
    }
    if (status == XP_OK) {
        xp__mode_choice_deinit(&choice);
    }
    xp__states_prior_destroy(prior);
    return status;
}

CLAIM(memory_that_runs_out_is_reported_and_nothing_is_left) {
    const uint64_t counts[] = {6, 3, 1};
    xp_demos *demos = demos_of(3, three, counts);
    xp_status status = XP_ERR_MEMORY;
    size_t n = 0;
    for (; status != XP_OK; n++) {
        failing_allocator allocator;
        failing_allocator_install(&allocator, n);
        status = flow(demos);
        xp__allocator_install(NULL);
        EXPECT(allocator.alive == 0);
        EXPECT(status == XP_OK || status == XP_ERR_MEMORY);
    }
    EXPECT(n > 20);
    xp_demos_destroy(demos);
}
