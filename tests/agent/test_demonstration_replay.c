/* The agent replay: it settles on the demonstration that pays most, repeats in closed loop, and has
 * no unit. */
#include "agent_scene.h"
#include "claim.h"

#include <math.h>
#include <stdio.h>

/* A corridor of six cells and demonstrations by hand. Action 0 goes left, 1 right, 2 stays. */
static const size_t cells[1] = {6};
static const xp_env_info corridor = {
    .name = "corridor", .actions = 3, .state_size = 1, .categories = cells, .horizon = 8};
static const xp_env_info line = {.name = "line",
                                 .actions = 3,
                                 .state_size = 1,
                                 .categories = (const size_t[1]){0},
                                 .horizon = 8};

typedef struct shown {
    double states[4];
    uint32_t actions[4];
    size_t length;
    uint64_t count;
} shown;

static xp__agent *make(const char *text, const xp_env_info *env, const shown *list, size_t count,
                       xp_demos **demos) {
    xp__agent_spec spec;
    xp__agent *agent = NULL;
    xp_error error = {0};
    EXPECT(xp_demos_create(env->state_size, env->actions, demos, NULL) == XP_OK);
    for (size_t i = 0; i < count; i++) {
        EXPECT(xp_demos_add(*demos, env->state_size > 0 ? list[i].states : NULL, list[i].actions,
                            list[i].length, list[i].count, NULL) == XP_OK);
    }
    EXPECT(xp__agent_spec_parse(text, env, &spec, &error) == XP_OK);
    const xp__agent_setup setup = {
        .actions = env->actions, .episodes = 100, .demos = *demos, .env = *env};
    if (xp__agent_create(&spec, &setup, &agent, &error) != XP_OK) {
        printf("  %s\n", error.message);
    }
    EXPECT(agent != NULL);
    return agent;
}

static void tell(xp__agent *agent, xp_rng *rng, double state, size_t action, double reward,
                 double next, xp_end end) {
    const xp_transition seen = {
        .state = &state, .action = action, .reward = reward, .next_state = &next, .end = end};
    xp__agent_observe(agent, rng, &seen);
}

static size_t ask(xp__agent *agent, xp_rng *rng, double state) {
    return xp__agent_act(agent, rng, &state);
}

/* One demonstration: from cell 2 left twice, then stay at 0; another passes through cell 4. */
static const shown paths[] = {
    {.states = {2, 1, 0}, .actions = {0, 0, 2}, .length = 3, .count = 5},
    {.states = {4, 3, 4}, .actions = {0, 1, 1}, .length = 3, .count = 1},
    {.states = {4, 5}, .actions = {1, 2}, .length = 2, .count = 3},
};

CLAIM(it_does_what_was_done_in_the_state_and_where_nobody_was_what_comes_next) {
    xp_demos *demos;
    xp_rng rng = xp_rng_seed(1);
    xp__agent *agent = make("replay", &corridor, paths, 1, &demos);
    xp__agent_reset(agent, &rng);
    EXPECT(ask(agent, &rng, 2) == 0);
    tell(agent, &rng, 2, 0, 0, 0, XP_CONTINUES);
    EXPECT(ask(agent, &rng, 0) == 2); /* carried on to cell 0: what was done there */
    tell(agent, &rng, 0, 2, 0, 1, XP_CONTINUES);
    EXPECT(ask(agent, &rng, 1) == 0); /* carried back */
    tell(agent, &rng, 1, 0, 0, 5, XP_CONTINUES);
    EXPECT(ask(agent, &rng, 5) == 2); /* nobody was in cell 5: next is the last action */
    tell(agent, &rng, 5, 2, 0, 5, XP_CONTINUES);
    EXPECT(ask(agent, &rng, 5) == 2); /* and again when there is no next one */
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
}

CLAIM(in_a_state_of_others_alone_it_does_what_they_did_most_often) {
    xp_demos *demos;
    xp_rng rng = xp_rng_seed(1);
    xp__agent *agent = make("replay", &corridor, paths, 3, &demos);
    size_t met = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        xp__agent_reset(agent, &rng);
        if (ask(agent, &rng, 2) == 0 && ask(agent, &rng, 1) == 0) {
            /* Whichever was drawn: in cell 5 all stay; in cell 4 the other two went right four
             * times and left once. */
            EXPECT(ask(agent, &rng, 5) == 2);
            met += ask(agent, &rng, 4) == 1;
        }
        tell(agent, &rng, 2, 0, 0, 2, XP_TERMINATED);
    }
    EXPECT(met > 20);
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
}

CLAIM(a_state_that_comes_twice_is_the_one_at_or_after_the_present_place) {
    xp_demos *demos;
    xp_rng rng = xp_rng_seed(1);
    xp__agent *agent = make("replay", &corridor, &paths[1], 1, &demos);
    xp__agent_reset(agent, &rng);
    EXPECT(ask(agent, &rng, 4) == 0);
    tell(agent, &rng, 4, 0, 0, 3, XP_CONTINUES);
    EXPECT(ask(agent, &rng, 3) == 1);
    tell(agent, &rng, 3, 1, 0, 4, XP_CONTINUES);
    EXPECT(ask(agent, &rng, 4) == 1);
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
}

CLAIM(where_states_are_real_the_nearest_of_the_demonstration_counts) {
    xp_demos *demos;
    xp_rng rng = xp_rng_seed(1);
    xp__agent *agent = make("replay", &line, paths, 1, &demos);
    xp__agent_reset(agent, &rng);
    EXPECT(ask(agent, &rng, 0.4) == 2 && ask(agent, &rng, 0.6) == 0 && ask(agent, &rng, 9) == 0);
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
}

/* Which of three arms a bandit's episodes went to, with returns c (x + noise) + shift. */
static size_t bandit(const char *text, double c, double shift, size_t episodes, size_t *actions) {
    static const shown arms[] = {{.actions = {0}, .length = 1, .count = 10},
                                 {.actions = {1}, .length = 1, .count = 10},
                                 {.actions = {2}, .length = 1, .count = 1}};
    static const xp_env_info place = {.name = "arms", .actions = 3, .horizon = 1};
    static const double mean[3] = {0.2, 0.5, 1};
    xp_demos *demos;
    xp_rng rng = xp_rng_seed(3), noise = xp_rng_seed(4);
    xp__agent *agent = make(text, &place, arms, 3, &demos);
    xp__agent_reset(agent, &rng);
    size_t best = 0;
    for (size_t t = 0; t < episodes; t++) {
        actions[t] = xp__agent_act(agent, &rng, NULL);
        const double value = mean[actions[t]] + 0.25 * (double)xp_rng_below(&noise, 3);
        const xp_transition seen = {
            .action = actions[t], .reward = c * value + shift, .end = XP_TERMINATED};
        xp__agent_observe(agent, &rng, &seen);
        best += t >= episodes / 2 && actions[t] == 2;
    }
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
    return best;
}

CLAIM(it_settles_on_the_demonstration_that_pays_most_though_it_is_rare) {
    size_t actions[200];
    EXPECT(bandit("replay", 1, 0, 200, actions) > 90);
    EXPECT(bandit("replay:fresh=100", 1, 0, 200, actions) > 90);
}

CLAIM(scale_and_shift_of_returns_change_no_decision) {
    size_t actions[200], others[200];
    (void)bandit("replay", 1, 0, 200, actions);
    for (int k = -10; k <= 10; k++) {
        (void)bandit("replay", ldexp(1, k), 0, 200, others);
        EXPECT(memcmp(actions, others, sizeof actions) == 0);
    }
    /* Multiples of 1/8 with a shift are exact too; their means need not be. */
    (void)bandit("replay", 1, -1000, 200, others);
    EXPECT(memcmp(actions, others, sizeof actions) == 0);
}

CLAIM(rewards_of_steps_that_it_did_not_choose_go_to_the_demonstration_that_shows_them) {
    static const shown arms[] = {{.actions = {0}, .length = 1, .count = 10},
                                 {.actions = {1}, .length = 1, .count = 10}};
    static const xp_env_info place = {.name = "arms", .actions = 3, .horizon = 1};
    xp_demos *demos;
    xp_rng rng = xp_rng_seed(3);
    double law[3];
    xp__agent *agent = make("replay", &place, arms, 2, &demos);
    xp__agent_reset(agent, &rng);
    for (size_t i = 0; i < 60; i++) {
        const xp_transition seen = {
            .action = i % 3, .reward = i % 3 == 1 ? 5 : 0, .end = XP_TERMINATED};
        xp__agent_observe(agent, &rng, &seen);
    }
    EXPECT(xp__agent_action_law(agent, &rng, NULL, 500, law) == 500);
    EXPECT(law[1] > 0.95 && law[2] == 0); /* nobody showed action 2 */
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
}

CLAIM(it_finds_the_dive_of_a_small_deep_sea) {
    static const scene_setting settings[] = {{"size", "8"}, {"goal", "any"}, {NULL, NULL}};
    double late = 0;
    scene at;
    EXPECT(scene_make(&at, "deep_sea", settings, 200, "replay", NULL) == XP_OK);
    for (uint64_t seed = 0; seed < 10; seed++) {
        xp_rng rng;
        start(&at, seed, &rng);
        for (int t = 0; t < 100; t++) {
            const double value = episode(&at, &rng, NULL);
            late += t >= 50 ? value / 500 : 0;
        }
    }
    EXPECT(late > 0.9); /* the optimum is 0.99 */
    scene_deinit(&at);
}

CLAIM(every_failed_allocation_is_told_and_acting_allocates_nothing) {
    static const scene_setting settings[] = {{"size", "5"}, {"goal", "any"}, {NULL, NULL}};
    scene_survives("deep_sea", settings, 10, "replay", 5, 8);
}
