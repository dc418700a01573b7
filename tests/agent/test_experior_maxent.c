/* ExPerior-MaxEnt where there are states: posterior sampling over modes and heads, as an agent. */
#include "agent/agent_scene.h"
#include "claim.h"

#include "experior/experior.h"

#include <math.h>
#include <string.h>

/* A Deep Sea whose goal may be in any column, 300 demonstrations of its optimal expert, an agent.
 */
static xp_status scene_init(scene *self, const char *size, const char *agent, xp_error *error) {
    const scene_setting settings[] = {{"size", size}, {"goal", "any"}, {NULL, NULL}};
    return scene_make(self, "deep_sea", settings, 300, agent, error);
}

/* Ten columns tried in random order would be 5.5 tries on average, a mean return of 0.88 over 40
 * episodes; an agent that ignores what it sees returns 0.1. The standard error of the mean over 40
 * runs is below 0.02. */
CLAIM(a_hidden_goal_is_found_by_trying_the_demonstrated_ones) {
    enum { RUNS = 40, EPISODES = 40 };
    scene at;
    EXPECT(scene_init(&at, "10", "experior_maxent:warmup=1000000", NULL) == XP_OK);
    double mean = 0, last = 0;
    for (uint64_t run = 1; run <= RUNS; run++) {
        xp_rng rng = xp_rng_seed(run);
        xp_task_draw(at.task, &rng);
        xp__agent_reset(at.agent, &rng);
        for (size_t t = 0; t < EPISODES; t++) {
            const double value = episode(&at, &rng, NULL);
            mean += value / (RUNS * EPISODES);
            last += t >= EPISODES - 10 ? value / (RUNS * 10) : 0;
        }
    }
    EXPECT(mean > 0.75);
    EXPECT(last > 0.95);
    scene_deinit(&at);
}

CLAIM(once_found_the_mode_of_the_goal_is_the_policy_to_keep) {
    scene at;
    EXPECT(scene_init(&at, "8", "experior_maxent", NULL) == XP_OK);
    xp_rng rng = xp_rng_seed(3);
    xp_task_draw(at.task, &rng);
    xp__agent_reset(at.agent, &rng);
    for (size_t t = 0; t < 60; t++) {
        (void)episode(&at, &rng, NULL);
    }
    double weight[8 + 25], most = 0;
    EXPECT(xp__agent_policies(at.agent, weight) == 8 + 25);
    for (size_t policy = 0; policy < 8; policy++) {
        most = fmax(most, weight[policy]);
    }
    EXPECT(most > 0.9);
    const xp_rng before = rng;
    (void)xp__agent_policies(at.agent, weight);
    EXPECT(memcmp(&before, &rng, sizeof rng) == 0);
    scene_deinit(&at);
}

/* Without the two hypotheses that no mode is right, each mode acts as often as the prior says; 1000
 * draws are within 0.08 of that at five standard deviations. The policy to keep stays one. */
CLAIM(before_the_first_episode_it_believes_what_its_prior_says) {
    scene at;
    EXPECT(scene_init(&at, "8", "experior_maxent:none=0,same=0", NULL) == XP_OK);
    const double *prior = xp__states_prior_weights(at.prior);
    double weight[8 + 25], sum = 0;
    size_t likely = 0;
    EXPECT(xp__agent_belief(at.agent, NULL) == 8 + 25);
    EXPECT(xp__agent_belief(at.agent, weight) == 8 + 25);
    for (size_t policy = 0; policy < 8 + 25; policy++) {
        sum += weight[policy];
        likely += weight[policy] > 0.01;
        EXPECT_NEAR(weight[policy], policy < 8 ? prior[policy] : 0, 0.08);
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT(likely > 3);
    double again[8 + 25];
    (void)xp__agent_belief(at.agent, again);
    EXPECT(memcmp(weight, again, sizeof weight) == 0);
    (void)xp__agent_policies(at.agent, weight);
    size_t settled = 0;
    for (size_t policy = 0; policy < 8 + 25; policy++) {
        settled += weight[policy] == 1;
    }
    EXPECT(settled == 1);
    scene_deinit(&at);
}

CLAIM(heads_alone_act_if_so_told) {
    scene at;
    EXPECT(scene_init(&at, "5", "experior_maxent:act=uniform,members=7", NULL) == XP_OK);
    EXPECT(xp__agent_policies(at.agent, NULL) == 7);
    scene_deinit(&at);
}

CLAIM(probabilities_beyond_one_are_refused) {
    scene at;
    xp_error error;
    EXPECT(scene_init(&at, "5", "experior_maxent:none=0.7,same=0.4", &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "none = 0.7 and same = 0.4 are more than 1 together");
    scene_deinit(&at);
}

CLAIM(it_survives_any_allocation_that_fails_and_acts_without_one) {
    const scene_setting settings[] = {{"size", "4"}, {"goal", "any"}, {NULL, NULL}};
    scene_survives("deep_sea", settings, 300,
                   "experior_maxent:members=3,warmup=8,batch=16,fit_steps=5", 10, 21);
}

/* What an agent does in 60 episodes whose rewards are multiplied by `unit`, while its heads learn
 * and act; returns the sum of rewards in the task's own unit. */
static double play_in_unit(scene *at, double unit, size_t *actions) {
    xp_rng rng;
    double state[2], next[2], sum = 0;
    start(at, 4, &rng);
    for (size_t t = 0; t < 60; t++) {
        xp_step step = {.end = XP_CONTINUES};
        xp_task_reset(at->task, &rng, state);
        while (step.end == XP_CONTINUES) {
            const size_t action = xp__agent_act(at->agent, &rng, state);
            step = xp_task_step(at->task, &rng, action, next);
            const xp_transition seen = {.state = state,
                                        .action = action,
                                        .reward = unit * step.reward,
                                        .next_state = next,
                                        .end = step.end};
            xp__agent_observe(at->agent, &rng, &seen);
            *actions++ = action;
            sum += step.reward;
            memcpy(state, next, sizeof state);
        }
    }
    return sum;
}

CLAIM(with_relative_evidence_no_decision_depends_on_the_unit_of_reward) {
    enum { SIZE = 6, STEPS = 60 * SIZE };
    static const char *const agents[] = {
        "experior_maxent:members=5,warmup=20",
        "experior_maxent:prior=modes,evidence=relative,members=5,warmup=20,none=0.5,same=0.3"};
    size_t plain[STEPS], other[STEPS], differ = 0;
    for (size_t i = 0; i < 2; i++) {
        scene at;
        EXPECT(scene_init(&at, "6", agents[i], NULL) == XP_OK);
        (void)play_in_unit(&at, 1, plain);
        for (int k = -10; k <= 10; k++) {
            (void)play_in_unit(&at, ldexp(1, k), other);
            EXPECT(memcmp(plain, other, sizeof plain) == 0);
        }
        scene_deinit(&at);
        /* So that the claim is about something: the absolute ones do depend on it. */
        scene absolute;
        EXPECT(scene_init(&absolute, "6",
                          i == 0
                              ? "experior_maxent:prior=modes,members=5,warmup=20"
                              : "experior_maxent:prior=modes,members=5,warmup=20,none=0.5,same=0.3",
                          NULL) == XP_OK);
        (void)play_in_unit(&absolute, 1, plain);
        (void)play_in_unit(&absolute, 0x1p-10, other);
        differ += memcmp(plain, other, sizeof plain) != 0;
        scene_deinit(&absolute);
    }
    EXPECT(differ > 0);
}
