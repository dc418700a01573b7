/* Demonstrated contexts as a mixture of policies: which demonstrations have one context, what a
 * component does where it was not shown, and the priors that are made of it. */
#include "agent/agent_scene.h"
#include "claim.h"
#include "watcher.h"

#include "experior/experior.h"
#include "prior/mixture/softmax_mixture.h"
#include "prior/mixture/tie_policies.h"
#include "prior/mixture/tied_actions.h"

#include <math.h>
#include <string.h>

/* Two of three actions were ever taken, with b = 0.75 and 0.25: sets {0}, {1} and {0, 1}. The sum
 * is written out from the definition. */
CLAIM(the_marginal_likelihood_is_the_sum_over_sets_of_tied_actions) {
    const double b[] = {3, 1}, tie = 0.3, slip = 0.06 / 3;
    const double counts[XP__TIED_COUNTS] = {[0] = 5, [1] = 2, [XP__TIED_SUPPORT] = 1};
    const double alone = 1 - 0.06 + slip, tied = (1 - 0.06) / 2 + slip;
    const double wanted = 0.7 * 0.75 * pow(alone, 5) * pow(slip, 2 + 1) +
                          0.7 * 0.25 * pow(alone, 2) * pow(slip, 5 + 1) + 0.3 * pow(tied, 7) * slip;
    xp__tied_rates rates;
    xp__tied_cell cell = {.support = 2};
    xp__tied_rates_set(&rates, 3, tie, 0.06);
    xp__tied_cell_weigh(&cell, b);
    EXPECT_NEAR(xp__tied_log_f(&rates, &cell, counts, NULL, NULL), log(wanted), 1e-12);
    const double nothing[XP__TIED_COUNTS] = {0};
    EXPECT_NEAR(xp__tied_log_f(&rates, &cell, nothing, NULL, NULL), 0, 1e-12);
}

/* A Deep Sea whose experts are indifferent between tied actions. */
static xp_demos *tied_demos(const char *size, uint64_t count, xp_env **env) {
    xp__params params;
    xp_expert *expert;
    xp_demos *demos;
    xp_rng rng = xp_rng_seed(1);
    EXPECT(xp__env_params_default("deep_sea", &params, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "size", size, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "goal", "any", NULL) == XP_OK);
    EXPECT(xp__env_create("deep_sea", &params, &rng, env, NULL) == XP_OK);
    EXPECT(xp_expert_create("optimal:ties=uniform", &expert, NULL) == XP_OK);
    EXPECT(xp_demos_draw(*env, expert, count, &rng, &demos, NULL) == XP_OK);
    xp_expert_destroy(expert);
    return demos;
}

/* The share of demonstrations whose component is mostly of their label. */
static double purity(const xp__encoded_demos *demos, const size_t *member, const size_t *label,
                     size_t labels, size_t components) {
    double pure = 0;
    for (size_t k = 0; k < components; k++) {
        double most = 0;
        for (size_t l = 0; l < labels; l++) {
            double both = 0;
            for (size_t t = 0; t < demos->trajectories; t++) {
                both += member[t] == k && label[t] == l ? (double)demos->count[t] : 0;
            }
            most = fmax(most, both);
        }
        pure += most;
    }
    return pure / (double)demos->total;
}

/* Ties make hundreds of different paths out of eight goals. */
CLAIM(paths_to_one_goal_are_one_component_although_ties_make_them_differ) {
    enum { SIZE = 8 };
    xp_env *env;
    xp_demos *demos = tied_demos("8", 400, &env);
    const xp_env_info info = xp_env_describe(env);
    xp__encoded_demos shown;
    EXPECT(xp__encoded_demos_init(&shown, &info, demos, NULL, NULL) == XP_OK);
    EXPECT(shown.trajectories > 3 * SIZE);
    size_t member[400], goal[400];
    for (size_t t = 0; t < shown.trajectories; t++) {
        uint32_t last;
        memcpy(&last, shown.rows.rows + shown.row[shown.start[t + 1] - 1] * shown.input.row_bytes,
               sizeof last);
        goal[t] = last % SIZE;
    }
    const xp_rng rng = xp_rng_seed(2);
    xp__mode_sets sets;
    EXPECT(xp__tie_policies_init(&sets, &shown, 64, NULL, &rng, member, NULL) == XP_OK);
    EXPECT(sets.count >= SIZE && sets.count <= SIZE + 3);
    EXPECT(purity(&shown, member, goal, SIZE, sets.count) > 0.95);
    double sum = 0;
    for (size_t k = 0; k < sets.count; k++) {
        sum += sets.weight[k];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    xp__mode_sets_deinit(&sets);
    xp__encoded_demos_deinit(&shown);
    xp_demos_destroy(demos);
    xp_env_destroy(env);
}

static const size_t corridor_categories[] = {8};
static const xp_env_info corridor = {.name = "corridor",
                                     .actions = 3,
                                     .state_size = 1,
                                     .horizon = 4,
                                     .categories = corridor_categories};

/* Two contexts that part in states 0 and 1; state 5 is shown in the first of them alone, and there
 * nearly all take action 2. */
CLAIM(where_a_component_was_not_shown_it_does_as_all_experts_did) {
    xp_demos *demos;
    EXPECT(xp_demos_create(1, 3, &demos, NULL) == XP_OK);
    const double left[] = {0, 1, 5}, right[] = {0, 1}, other[] = {0, 1, 5};
    const uint32_t go_left[] = {0, 0, 2}, go_right[] = {1, 1}, slip[] = {0, 0, 1};
    EXPECT(xp_demos_add(demos, left, go_left, 3, 30, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, right, go_right, 2, 30, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, other, slip, 3, 1, NULL) == XP_OK);
    xp__encoded_demos shown;
    EXPECT(xp__encoded_demos_init(&shown, &corridor, demos, NULL, NULL) == XP_OK);
    const xp_rng rng = xp_rng_seed(3);
    xp__mode_sets sets;
    size_t member[3];
    EXPECT(xp__tie_policies_init(&sets, &shown, 64, NULL, &rng, member, NULL) == XP_OK);
    EXPECT(sets.count >= 2 && member[0] != member[1]);
    const uint32_t *action = sets.action + member[1] * sets.rows;
    const uint32_t *own = sets.own + member[1] * sets.rows;
    for (size_t row = 0; row < sets.rows; row++) {
        uint32_t state;
        memcpy(&state, shown.rows.rows + row * shown.input.row_bytes, sizeof state);
        EXPECT(action[row] == (state == 5 ? 2 : 1));
        EXPECT(own[row] == (state == 5 ? XP__MODE_SILENT : 1));
    }
    uint32_t pooled[3];
    EXPECT(xp__pooled_actions(&shown, pooled, NULL) == XP_OK);
    EXPECT(pooled[2] == 2);
    xp__mode_sets_deinit(&sets);
    xp__encoded_demos_deinit(&shown);
    xp_demos_destroy(demos);
}

static const size_t real_categories[] = {0, 0};
static const xp_env_info plane = {
    .name = "plane", .actions = 3, .state_size = 2, .horizon = 20, .categories = real_categories};

enum { CONTEXTS = 3, REAL_DEMOS = 60, REAL_STEPS = 20 };

/* Experts of three contexts who push by which third of a turned plane they are in, and stay where
 * they are for `stay` steps. With `shared`, all demonstrations go through the same states. */
static xp_demos *resting_demos(size_t contexts, size_t stay, bool shared, size_t *label) {
    xp_demos *demos;
    xp_rng rng = xp_rng_seed(4);
    EXPECT(xp_demos_create(2, 3, &demos, NULL) == XP_OK);
    for (size_t t = 0; t < REAL_DEMOS; t++) {
        double states[2 * REAL_STEPS];
        uint32_t actions[REAL_STEPS];
        double x = 0, y = 0;
        label[t] = t % contexts;
        rng = shared ? xp_rng_seed(4) : rng;
        for (size_t h = 0; h < REAL_STEPS; h++) {
            if (h % stay == 0) {
                x = xp_rng_normal(&rng);
                y = xp_rng_normal(&rng);
            }
            const double score[] = {x, y, -x - y};
            size_t best = 0;
            for (size_t a = 1; a < 3; a++) {
                best = score[a] > score[best] ? a : best;
            }
            states[2 * h] = x;
            states[2 * h + 1] = y;
            actions[h] = (uint32_t)((best + label[t]) % 3);
        }
        EXPECT(xp_demos_add(demos, states, actions, REAL_STEPS, 1, NULL) == XP_OK);
    }
    return demos;
}

static xp_demos *real_demos(size_t contexts, size_t *label) {
    return resting_demos(contexts, 1, false, label);
}

CLAIM(states_come_again_where_another_demonstration_was_not_where_one_rests) {
    for (size_t stay = 1; stay <= REAL_STEPS; stay *= 2) {
        for (size_t shared = 0; shared < 2; shared++) {
            size_t label[REAL_DEMOS];
            xp_demos *demos = resting_demos(CONTEXTS, stay, shared == 1, label);
            xp__encoded_demos shown;
            EXPECT(xp__encoded_demos_init(&shown, &plane, demos, NULL, NULL) == XP_OK);
            EXPECT(xp__softmax_mixture_fits(&shown) == (shared == 0));
            xp__encoded_demos_deinit(&shown);
            xp_demos_destroy(demos);
        }
    }
}

CLAIM(contexts_of_real_valued_states_are_found_and_counted) {
    for (size_t contexts = 1; contexts <= CONTEXTS; contexts++) {
        size_t label[REAL_DEMOS], member[REAL_DEMOS];
        xp_demos *demos = real_demos(contexts, label);
        xp__encoded_demos shown;
        EXPECT(xp__encoded_demos_init(&shown, &plane, demos, NULL, NULL) == XP_OK);
        EXPECT(xp__softmax_mixture_fits(&shown));
        const xp_rng rng = xp_rng_seed(5);
        xp__mode_sets sets;
        EXPECT(xp__softmax_mixture_init(&sets, &shown, 64, NULL, &rng, member, NULL) == XP_OK);
        EXPECT(sets.count == contexts);
        EXPECT(purity(&shown, member, label, contexts, sets.count) > 0.95);
        xp__mode_sets_deinit(&sets);
        xp__encoded_demos_deinit(&shown);
        xp_demos_destroy(demos);
    }
}

CLAIM(a_fit_of_either_kind_can_be_stopped) {
    static const char *const methods[] = {"mixture", "union"};
    size_t label[REAL_DEMOS];
    for (size_t i = 0; i < 4; i++) {
        xp_env *env = NULL;
        xp_demos *demos = i < 2 ? real_demos(2, label) : tied_demos("5", 100, &env);
        const xp_env_info info = i < 2 ? plane : xp_env_describe(env);
        for (size_t stop = 1; stop < 2000; stop = 3 * stop + 1) {
            xp_rng rng = xp_rng_seed(6);
            watcher who = {.stop_at = stop};
            const xp__states_prior_fit_options options = {
                .rng = &rng, .progress = watcher_look, .progress_context = &who};
            xp__states_prior *prior;
            EXPECT(xp__states_prior_fit_with(methods[i % 2], &options, &info, demos, &prior,
                                             NULL) == XP_ERR_INTERRUPTED);
            EXPECT(who.calls == stop && !who.fell);
        }
        xp_demos_destroy(demos);
        xp_env_destroy(env);
    }
}

/* In a small sea all accounts agree, so that the union has no more policies than goals and one for
 * all experts. */
CLAIM(policies_that_do_the_same_are_one_in_the_union) {
    xp_env *env;
    xp__params params;
    xp_rng rng = xp_rng_seed(7);
    xp_expert *expert;
    xp_demos *demos;
    xp__states_prior *prior;
    EXPECT(xp__env_params_default("deep_sea", &params, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "size", "6", NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "goal", "any", NULL) == XP_OK);
    EXPECT(xp__env_create("deep_sea", &params, &rng, &env, NULL) == XP_OK);
    EXPECT(xp_expert_create("optimal", &expert, NULL) == XP_OK);
    EXPECT(xp_demos_draw(env, expert, 300, &rng, &demos, NULL) == XP_OK);
    const xp_env_info info = xp_env_describe(env);
    EXPECT(xp__states_prior_fit("union", NULL, &info, demos, &rng, &prior, NULL) == XP_OK);
    const size_t count = xp__net_get_options(xp__states_prior_networks(prior))->members;
    EXPECT(count >= 6 && count <= 7);
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        sum += xp__states_prior_weights(prior)[k];
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    xp__states_prior_destroy(prior);
    xp_demos_destroy(demos);
    xp_expert_destroy(expert);
    xp_env_destroy(env);
}

/* Ten columns in random order are 5.5 tries on average: 0.88 over 40 episodes (the experts'
 * indifference costs some); an agent that ignores what it sees returns 0.1. */
CLAIM(a_goal_hidden_among_tied_paths_is_found) {
    enum { RUNS = 20, EPISODES = 40 };
    scene at;
    const scene_setting settings[] = {{"size", "8"}, {"goal", "any"}, {NULL, NULL}};
    EXPECT(scene_make(&at, "deep_sea", settings, 300,
                      "experior_maxent:warmup=1000000,prior=union,evidence=relative",
                      NULL) == XP_OK);
    double mean = 0;
    for (uint64_t run = 1; run <= RUNS; run++) {
        xp_rng rng;
        start(&at, run, &rng);
        for (size_t t = 0; t < EPISODES; t++) {
            mean += episode(&at, &rng, NULL) / (RUNS * EPISODES);
        }
    }
    EXPECT(mean > 0.7);
    scene_deinit(&at);
}

CLAIM(any_allocation_that_fails_is_told_and_acting_makes_none) {
    const scene_setting settings[] = {{"size", "4"}, {"goal", "any"}, {NULL, NULL}};
    scene_survives("deep_sea", settings, 100,
                   "experior_maxent:members=3,warmup=8,batch=16,fit_steps=5,prior=union,"
                   "evidence=relative",
                   10, 40);
}
