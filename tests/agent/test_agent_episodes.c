/* How agents take episodes: where they begin and end, what a cut-off step is worth; and rewards of
 * a bandit that come in bulk. */
#include "agent_scene.h"
#include "claim.h"

#include "agent/agent_type.h"

#include <math.h>
#include <string.h>

static xp_transition step_of(const double *state, size_t action, double reward, const double *next,
                             xp_end end) {
    return (xp_transition){
        .state = state, .action = action, .reward = reward, .next_state = next, .end = end};
}

static size_t saved_bytes(xp__agent *agent, unsigned char *to, size_t room) {
    xp__archive out = xp__archive_write(to, room);
    xp__agent_archive(agent, &out);
    EXPECT(out.fault == NULL);
    return out.bytes;
}

/* More actions than the horizon has steps: the head that was drawn stays until the end is told, and
 * then another may come. 16 heads, each equally likely: that 20 episodes draw fewer than three of
 * them has a probability below 1e-15. */
CLAIM(an_episode_lasts_until_a_transition_ends_it) {
    static const char *const specs[] = {"boot_dqn:members=16,hidden=8,warmup=1000000",
                                        "lmc_dqn:prior=none,members=16,hidden=8,warmup=1000000"};
    static const scene_setting small[] = {{"size", "3"}, {NULL, NULL}};
    static const xp_end ends[] = {XP_TERMINATED, XP_TRUNCATED};
    for (size_t s = 0; s < 4; s++) {
        scene at;
        xp_rng rng;
        EXPECT(scene_make(&at, "deep_sea", small, 5, specs[s / 2], NULL) == XP_OK);
        start(&at, 3, &rng);
        size_t changes = 0;
        double last[2] = {-1, -1};
        for (size_t episode = 0; episode < 20; episode++) {
            double first[2], law[2];
            const double corner = 0, below = 3;
            xp__agent_begin(at.agent, &rng, &corner);
            xp__agent_action_law(at.agent, &rng, &corner, 1, first);
            EXPECT(first[0] == 1 || first[1] == 1); /* one head, given what was drawn */
            for (size_t h = 0; h < 10; h++) {
                const size_t action = xp__agent_act(at.agent, &rng, &corner);
                EXPECT(first[action] == 1);
                const xp_transition seen =
                    step_of(&corner, action, 0, &below, h < 9 ? XP_CONTINUES : ends[s % 2]);
                xp__agent_observe(at.agent, &rng, &seen);
                xp__agent_action_law(at.agent, &rng, &corner, 1, law);
                EXPECT(h == 9 || memcmp(law, first, sizeof law) == 0);
            }
            EXPECT(law[0] > 0 && law[1] > 0); /* between episodes: of all heads */
            changes += memcmp(first, last, sizeof first) != 0;
            memcpy(last, first, sizeof last);
        }
        EXPECT(changes > 2);
        scene_deinit(&at);
    }
}

/* In state 0 action 0 pays 1 and leads to state 1, where 3 are to be had; action 1 pays 2 and that
 * is all. If the first ends the episode the second action is better, and if it only is cut off the
 * first is. */
CLAIM(a_step_that_is_cut_off_is_worth_what_follows) {
    static const char *const specs[] = {
        "boot_dqn:members=2,hidden=16,batch=16,warmup=16,learning_rate=0.01",
        "lmc_dqn:prior=none,hidden=16,batch=16,warmup=16,learning_rate=0.01,rate=0",
        "explore:hidden=16,batch=16,warmup=16,critic_rate=0.01,policy_rate=0.01,novelty=0"};
    static const scene_setting small[] = {{"size", "2"}, {NULL, NULL}};
    static const double here = 0, there = 2;
    for (size_t s = 0; s < 6; s++) {
        scene at;
        xp_rng rng;
        EXPECT(scene_make(&at, "deep_sea", small, 5, specs[s / 2], NULL) == XP_OK);
        start(&at, 4, &rng);
        for (size_t t = 0; t < 600; t++) {
            const xp_end end = s % 2 == 0 ? XP_TERMINATED : XP_TRUNCATED;
            const xp_transition seen[] = {step_of(&here, 0, 1, &there, end),
                                          step_of(&here, 1, 2, NULL, XP_TERMINATED),
                                          step_of(&there, t % 2, 3, NULL, XP_TERMINATED)};
            for (size_t i = 0; i < 3; i++) {
                xp__agent_observe(at.agent, &rng, &seen[i]);
            }
        }
        double law[2];
        xp__agent_action_law(at.agent, &rng, &here, 1, law);
        EXPECT(law[s % 2 == 0 ? 1 : 0] > 0.6); /* explore draws its actions */
        scene_deinit(&at);
    }
}

/* A bandit of four arms whose experts prefer the first, and an agent in it. */
static xp__agent *bandit_agent(const char *text, xp_prior **prior, xp_demos **demos) {
    const double a[] = {2, 1, 1, 1}, b[] = {1, 1, 2, 1};
    xp_env *env = NULL;
    xp__agent *agent = NULL;
    xp__agent_spec spec;
    xp_rng rng = xp_rng_seed(5);
    EXPECT(xp_env_create_bernoulli_bandit(4, a, b, &env, NULL) == XP_OK);
    EXPECT(xp_demos_create(0, 4, demos, NULL) == XP_OK);
    for (uint32_t arm = 0; arm < 3; arm++) {
        EXPECT(xp_demos_add(*demos, NULL, &arm, 1, 30 - 10 * arm, NULL) == XP_OK);
    }
    EXPECT(xp__agent_spec_parse(text, NULL, &spec, NULL) == XP_OK);
    EXPECT(xp__agent_prior_fit(&spec, env, *demos, &rng, prior, NULL) == XP_OK);
    const xp__agent_setup setup = {.actions = 4, .episodes = 60, .demos = *demos, .prior = *prior};
    EXPECT(xp__agent_create(&spec, &setup, &agent, NULL) == XP_OK);
    xp_env_destroy(env);
    return agent;
}

CLAIM(rewards_in_bulk_are_as_the_same_rewards_one_by_one) {
    static const char *const specs[] = {"naive_ucb",
                                        "ucb_explore",
                                        "successive_elimination",
                                        "behaviour_cloning",
                                        "oracle_ts",
                                        "experior_param",
                                        "boot_dqn:members=2,hidden=8,batch=8,warmup=8"};
    for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
        static unsigned char one[1 << 20], many[1 << 20];
        xp_prior *prior[2];
        xp_demos *demos[2];
        xp__agent *agent[2];
        xp_rng rng = xp_rng_seed(1), own = rng;
        for (int i = 0; i < 2; i++) {
            agent[i] = bandit_agent(specs[s], &prior[i], &demos[i]);
            xp__agent_reset(agent[i], i == 0 ? &rng : &own);
        }
        /* All of one kind, so that their mean is each of them. */
        for (size_t arm = 0; arm < 4; arm++) {
            for (size_t i = 0; i < 6; i++) {
                xp__agent_observe(agent[0], &rng,
                                  &(xp_transition){.action = arm,
                                                   .reward = (double)(arm % 2),
                                                   .end = XP_TERMINATED});
            }
            EXPECT(xp__agent_observe_rewards(agent[1], &own, arm, 6, 6 * (double)(arm % 2), NAN));
            EXPECT(xp__agent_observe_rewards(agent[1], &own, arm, 0, 0, NAN));
        }
        const size_t bytes = saved_bytes(agent[0], one, sizeof one);
        EXPECT(saved_bytes(agent[1], many, sizeof many) == bytes);
        EXPECT(memcmp(one, many, bytes) == 0);
        EXPECT(!xp__agent_observe_rewards(agent[1], &own, 0, UINT64_MAX, 0, NAN));
        EXPECT(saved_bytes(agent[1], many, sizeof many) == bytes && memcmp(one, many, bytes) == 0);
        for (int i = 0; i < 2; i++) {
            xp__agent_destroy(agent[i]);
            xp_prior_destroy(prior[i]);
            xp_demos_destroy(demos[i]);
        }
    }
}

CLAIM(agents_with_a_posterior_of_bernoulli_arms_say_that_they_take_0_and_1_alone) {
    size_t binary = 0;
    for (size_t i = 0; i < xp__agent_type_count; i++) {
        EXPECT((xp__agent_types[i]->rewards != NULL) == xp__agent_types[i]->has_sampler);
        binary += xp__agent_types[i]->rewards != NULL;
    }
    EXPECT(binary == 4);
}

/* The hidden hazard's square follows from the move: an end without a next state is as good. */
CLAIM(posterior_sampling_needs_no_next_state_where_an_episode_ends) {
    static const scene_setting settings[] = {{"hazards", "4"}, {NULL, NULL}};
    static unsigned char with[1 << 16], without[1 << 16];
    size_t bytes[2];
    for (int i = 0; i < 2; i++) {
        scene at;
        xp_rng rng = xp_rng_seed(1);
        const double state[] = {11, -1}, next[] = {12, -1};
        EXPECT(scene_make(&at, "frozen_lake", settings, 40, "boot_dqn", NULL) == XP_OK);
        const xp_env_info info = xp_env_describe(at.env);
        xp__agent_spec spec;
        xp__agent *agent = NULL;
        EXPECT(xp__agent_spec_parse("posterior_sampling", &info, &spec, NULL) == XP_OK);
        const xp__agent_setup setup = {
            .actions = 4, .episodes = 9, .demos = at.demos, .env = info, .model = at.env};
        EXPECT(xp__agent_create(&spec, &setup, &agent, NULL) == XP_OK);
        xp__agent_reset(agent, &rng);
        const xp_transition fell = step_of(state, 1, -100, i == 0 ? next : NULL, XP_TERMINATED);
        xp__agent_observe(agent, &rng, &fell);
        bytes[i] = saved_bytes(agent, i == 0 ? with : without, sizeof with);
        xp__agent_destroy(agent);
        scene_deinit(&at);
    }
    EXPECT(bytes[0] == bytes[1] && memcmp(with, without, bytes[0]) == 0);
}
