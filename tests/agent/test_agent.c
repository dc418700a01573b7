/* Agents: a contract over every registered one, the laws of the baselines, and specs. */
#include "claim.h"

#include "agent/agent_type.h"
#include "agent/agent.h"
#include "env/create.h"
#include "experior/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARMS = 4, EPISODES = 60 };

static xp_demos *demonstrations(void) {
    xp_demos *demos;
    if (xp_demos_create(0, ARMS, &demos, NULL) != XP_OK) {
        return NULL;
    }
    const uint64_t counts[ARMS] = {60, 30, 10, 0};
    for (uint32_t arm = 0; arm < ARMS; arm++) {
        if (counts[arm] > 0) {
            (void)xp_demos_add(demos, NULL, &arm, 1, counts[arm], NULL);
        }
    }
    return demos;
}

static xp_env *environment(void) {
    const double a[ARMS] = {2, 1, 1, 0.5}, b[ARMS] = {1, 1, 2, 1};
    xp_env *env;
    return xp_env_create_bernoulli_bandit(ARMS, a, b, &env, NULL) == XP_OK ? env : NULL;
}

static xp__agent *make(const char *text, const xp_demos *demos, xp_prior **prior, xp_error *error) {
    xp__agent_spec spec;
    xp_rng rng = xp_rng_seed(5);
    xp_env *env = environment();
    xp__agent *agent = NULL;
    *prior = NULL;
    if (xp__agent_spec_parse(text, NULL, &spec, error) == XP_OK &&
        xp__agent_prior_fit(&spec, env, demos, &rng, prior, error) == XP_OK) {
        const xp__agent_setup setup = {
            .actions = ARMS, .episodes = EPISODES, .demos = demos, .prior = *prior};
        (void)xp__agent_create(&spec, &setup, &agent, error);
    }
    xp_env_destroy(env);
    return agent;
}

/* Plays and writes down the actions; rewards alternate so that every arm both pays and fails. */
static void play(xp__agent *agent, uint64_t seed, size_t *actions) {
    xp_rng rng = xp_rng_seed(seed);
    xp__agent_reset(agent, &rng);
    for (size_t t = 0; t < EPISODES; t++) {
        actions[t] = xp__agent_act(agent, &rng, NULL);
        const xp_transition transition = {
            .action = actions[t], .reward = (double)((t + actions[t]) % 2), .end = XP_TERMINATED};
        xp__agent_observe(agent, &rng, &transition);
    }
}

/* Agents that need a prior over Q-functions are looked at where there are states. */
static bool acts_in_bandits(const char *name) {
    const xp_env_info bandit = {.actions = ARMS, .horizon = 1};
    xp__agent_spec spec;
    EXPECT(xp__agent_spec_parse(name, NULL, &spec, NULL) == XP_OK);
    return xp__agent_check_env(xp__agent_find(name, false), &bandit, NULL) == XP_OK &&
           !(spec.states && spec.prior_method != NULL);
}

CLAIM(every_agent_forgets_on_reset_and_repeats_itself_on_the_same_stream) {
    xp_demos *demos = demonstrations();
    for (size_t i = 0; i < xp_catalogue_count(XP_AGENTS); i++) {
        if (!acts_in_bandits(xp_catalogue_get(XP_AGENTS, i).name)) {
            continue;
        }
        xp_prior *prior;
        xp_error error = {0};
        xp__agent *agent = make(xp_catalogue_get(XP_AGENTS, i).name, demos, &prior, &error);
        EXPECT(agent != NULL);
        if (agent == NULL) {
            printf("  %s: %s\n", xp_catalogue_get(XP_AGENTS, i).name, error.message);
            continue;
        }
        size_t first[EPISODES], other[EPISODES], again[EPISODES];
        play(agent, 11, first);
        play(agent, 12, other);
        play(agent, 11, again);
        EXPECT(memcmp(first, again, sizeof first) == 0);
        for (size_t t = 0; t < EPISODES; t++) {
            EXPECT(first[t] < ARMS);
        }
        xp__agent_destroy(agent);
        xp_prior_destroy(prior);
    }
    xp_demos_destroy(demos);
}

/* Deep Sea of 4 × 4 with goals anywhere, and optimal dives to them. */
static xp_env *small_sea(xp_demos **demos) {
    xp_rng rng = xp_rng_seed(2);
    xp__params params;
    xp_env *env = NULL;
    xp_expert *expert = NULL;
    EXPECT(xp__env_params_default("deep_sea", &params, NULL) == XP_OK &&
           xp__params_set(&params, "size", 4, NULL) == XP_OK &&
           xp__params_set_text(&params, "goal", "any", NULL) == XP_OK &&
           xp__env_create("deep_sea", &params, &rng, &env, NULL) == XP_OK &&
           xp_expert_create("optimal", &expert, NULL) == XP_OK &&
           xp_demos_draw(env, expert, 50, &rng, demos, NULL) == XP_OK);
    xp_expert_destroy(expert);
    return env;
}

static void dive(xp__agent *agent, xp_task *task, uint64_t seed, size_t *actions) {
    xp_rng rng = xp_rng_seed(seed);
    double state[2] = {0, 0};
    xp__agent_reset(agent, &rng);
    xp_task_draw(task, &rng);
    for (size_t t = 0; t < EPISODES; t++) {
        double *here = &state[t % 2], *next = &state[(t + 1) % 2];
        if (t % 4 == 0) {
            xp_task_reset(task, &rng, here);
        }
        actions[t] = xp__agent_act(agent, &rng, here);
        const xp_step step = xp_task_step(task, &rng, actions[t], next);
        const xp_transition seen = {.state = here,
                                    .action = actions[t],
                                    .reward = step.reward,
                                    .next_state = next,
                                    .end = step.end};
        xp__agent_observe(agent, &rng, &seen);
    }
}

/* Between episodes an agent's action law in the first state is that of its policies, as it believes
 * in them, unless it has none to tell. One policy alone may be the most likely actions of one that
 * draws them, or the one on which an agent would settle. */
static void expect_law_of(size_t (*ask)(xp__agent *, double *), xp__agent *agent) {
    enum { MOST = 4096 };
    static double weight[MOST];
    const double start = 0;
    double law[2], told[2] = {0, 0}, sum = 0, most = 0;
    xp_rng rng = xp_rng_seed(1);
    const size_t count = ask(agent, NULL);
    EXPECT(count <= MOST && ask(agent, weight) == count);
    if (count == 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        sum += weight[i];
        most = fmax(most, weight[i]);
        told[xp__agent_policy_action(agent, i, &start)] += weight[i];
    }
    xp__agent_action_law(agent, &rng, &start, 1000, law);
    EXPECT_NEAR(sum, 1, 1e-9);
    if (most == 1) {
        const size_t action = told[1] > told[0];
        EXPECT(law[action] >= law[1 - action]);
    } else {
        EXPECT_NEAR(told[0], law[0], 1e-9);
    }
}

CLAIM(every_agent_with_states_forgets_on_reset_and_repeats_itself_on_the_same_stream) {
    xp_demos *demos = NULL;
    xp_env *env = small_sea(&demos);
    xp_task *task;
    EXPECT(xp_task_create(env, &task, NULL) == XP_OK);
    const xp_env_info info = xp_env_describe(env);
    for (size_t i = 0; i < xp_catalogue_count(XP_AGENTS); i++) {
        if (xp__agent_check_env(xp__agent_find(xp_catalogue_get(XP_AGENTS, i).name, true), &info,
                                NULL) != XP_OK) {
            continue;
        }
        xp_rng rng = xp_rng_seed(5);
        xp__agent_spec spec;
        xp_prior *prior = NULL;
        xp__states_prior *states_prior = NULL;
        xp__agent *agent = NULL;
        EXPECT(xp__agent_spec_parse(xp_catalogue_get(XP_AGENTS, i).name, &info, &spec, NULL) ==
               XP_OK);
        EXPECT(xp__agent_prior_fit(&spec, env, demos, &rng, &prior, NULL) == XP_OK);
        EXPECT(xp__agent_q_prior_fit(&spec, env, demos, &rng, &states_prior, NULL) == XP_OK);
        const xp__agent_setup setup = {.actions = info.actions,
                                       .episodes = EPISODES,
                                       .demos = demos,
                                       .prior = prior,
                                       .states_prior = states_prior,
                                       .env = info,
                                       .model = env};
        EXPECT(xp__agent_create(&spec, &setup, &agent, NULL) == XP_OK);
        size_t first[EPISODES], other[EPISODES], again[EPISODES];
        dive(agent, task, 11, first);
        dive(agent, task, 12, other);
        dive(agent, task, 11, again);
        EXPECT(memcmp(first, again, sizeof first) == 0);
        for (size_t t = 0; t < EPISODES; t++) {
            EXPECT(first[t] < info.actions);
        }
        expect_law_of(xp__agent_policies, agent);
        expect_law_of(xp__agent_belief, agent);
        xp__agent_destroy(agent);
        xp_prior_destroy(prior);
        xp__states_prior_destroy(states_prior);
    }
    xp_task_destroy(task);
    xp_demos_destroy(demos);
    xp_env_destroy(env);
}

CLAIM(every_agents_action_law_is_a_probability_and_matches_how_it_acts) {
    xp_demos *demos = demonstrations();
    for (size_t i = 0; i < xp_catalogue_count(XP_AGENTS); i++) {
        if (!acts_in_bandits(xp_catalogue_get(XP_AGENTS, i).name)) {
            continue;
        }
        xp_prior *prior;
        xp__agent *agent = make(xp_catalogue_get(XP_AGENTS, i).name, demos, &prior, NULL);
        size_t actions[EPISODES];
        play(agent, 3, actions);
        xp_rng rng = xp_rng_seed(9);
        double law[ARMS], sum = 0, distance = 0;
        xp__agent_action_law(agent, &rng, NULL, 40000, law);
        double frequency[ARMS] = {0};
        const int draws = 40000;
        for (int draw = 0; draw < draws; draw++) {
            frequency[xp__agent_act(agent, &rng, NULL)] += 1.0 / draws;
        }
        for (size_t arm = 0; arm < ARMS; arm++) {
            EXPECT(law[arm] >= 0);
            sum += law[arm];
            distance += 0.5 * fabs(law[arm] - frequency[arm]);
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        /* Two multinomial estimates of 40,000 draws over 4 arms differ by about 0.005 in total
         * variation; a chain's draws are correlated, so allow ten times that. */
        EXPECT(distance < 0.05);
        xp__agent_destroy(agent);
        xp_prior_destroy(prior);
    }
    xp_demos_destroy(demos);
}

CLAIM(behaviour_cloning_has_the_frequencies_of_the_demonstrations) {
    xp_demos *demos = demonstrations();
    xp_prior *prior;
    xp__agent *agent = make("behaviour_cloning", demos, &prior, NULL);
    xp_rng rng = xp_rng_seed(1);
    double law[ARMS];
    xp__agent_action_law(agent, &rng, NULL, 1, law);
    EXPECT_NEAR(law[0], 0.6, 1e-15);
    EXPECT_NEAR(law[1], 0.3, 1e-15);
    EXPECT_NEAR(law[2], 0.1, 1e-15);
    EXPECT(law[3] == 0);
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
}

/* Frequencies 6 : 3 : 1 from p̂ = .6, .3, .1; ten steps hold each arm exactly that often. */
CLAIM(successive_elimination_interleaves_arms_by_expert_frequency_and_skips_unseen_arms) {
    xp_demos *demos = demonstrations();
    xp_prior *prior;
    xp__agent *agent = make("successive_elimination", demos, &prior, NULL);
    size_t actions[EPISODES], counts[ARMS] = {0};
    play(agent, 1, actions);
    for (size_t t = 0; t < 10; t++) {
        counts[actions[t]]++;
    }
    EXPECT(counts[0] == 6 && counts[1] == 3 && counts[2] == 1 && counts[3] == 0);
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
}

CLAIM(successive_elimination_drops_an_arm_whose_interval_lies_below_anothers) {
    xp_demos *demos = demonstrations();
    xp_prior *prior;
    xp__agent *agent = make("successive_elimination:delta=1", demos, &prior, NULL);
    xp_rng rng = xp_rng_seed(1);
    xp__agent_reset(agent, &rng);
    size_t last_hundred_of_arm_1 = 0;
    for (size_t t = 0; t < 1000; t++) {
        const size_t arm = xp__agent_act(agent, &rng, NULL);
        const xp_transition transition = {
            .action = arm, .reward = arm == 0 ? 1 : 0, .end = XP_TERMINATED};
        xp__agent_observe(agent, &rng, &transition);
        last_hundred_of_arm_1 += t >= 900 && arm == 1;
    }
    EXPECT(last_hundred_of_arm_1 == 0);
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
}

CLAIM(ucb_tries_every_arm_once_and_then_follows_the_largest_index) {
    xp_demos *demos = demonstrations();
    xp_prior *prior;
    xp__agent *agent = make("naive_ucb", demos, &prior, NULL);
    xp_rng rng = xp_rng_seed(1);
    xp__agent_reset(agent, &rng);
    for (size_t t = 0; t < ARMS; t++) {
        EXPECT(xp__agent_act(agent, &rng, NULL) == t);
        const xp_transition transition = {.action = t, .reward = t == 2, .end = XP_TERMINATED};
        xp__agent_observe(agent, &rng, &transition);
    }
    EXPECT(xp__agent_act(agent, &rng, NULL) == 2);
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
}

/* Figure 3b plots 60.70 at one bit of entropy for K = 2, T = 100; closed form 2 sqrt(2 T ln T). */
CLAIM(the_bound_of_theorem_1_has_its_closed_form_for_two_equal_arms) {
    const double equal[2] = {0.5, 0.5}, certain[2] = {1, 0};
    EXPECT_NEAR(xp__successive_elimination_bound(equal, 2, 100), 2 * sqrt(2 * 100 * log(100.0)),
                1e-12);
    EXPECT_NEAR(xp__successive_elimination_bound(equal, 2, 100), 60.70, 1e-4);
    EXPECT(xp__successive_elimination_bound(certain, 2, 100) == 0);
}

CLAIM(specs_send_each_key_to_its_owner_and_name_what_is_wrong) {
    xp__agent_spec spec;
    xp_error error = {0};
    EXPECT(xp__agent_spec_parse("experior_maxent:beta=10,prior=authors,sampler=sgld,jacobian=yes",
                                NULL, &spec, &error) == XP_OK);
    EXPECT(strcmp(spec.prior_method, "max_entropy_authors") == 0);
    EXPECT(strcmp(spec.sampler, "sgld") == 0);
    EXPECT(xp__params_get(&spec.prior_params, "beta") == 10);
    EXPECT(xp__agent_spec_parse("nobody", NULL, &spec, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "there is no agent 'nobody'");
    EXPECT(xp__agent_spec_parse("naive_ucb:rho", NULL, &spec, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "'rho' is not key=value");
    EXPECT(xp__agent_spec_parse("naive_ucb:size=3", NULL, &spec, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "parameter 'size'");
    EXPECT(xp__agent_spec_parse("experior_maxent:beta=-1", NULL, &spec, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "beta = -1 is outside [0, inf]");
    EXPECT(xp__agent_spec_parse("experior_maxent:sampler=psychic", NULL, &spec, &error) ==
           XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "psychic");
}

/* A state that an agent does not look at would make its results nonsense. */
CLAIM(agents_of_bandits_refuse_environments_with_states) {
    xp_env *env;
    xp_rng rng = xp_rng_seed(1);
    xp_demos *demos = demonstrations();
    EXPECT(xp_env_create("deep_sea", &rng, &env, NULL) == XP_OK);
    const xp_env_info info = xp_env_describe(env), long_bandit = {.actions = 2, .horizon = 9};
    for (size_t i = 0; i < xp_catalogue_count(XP_AGENTS); i++) {
        xp__agent_spec spec;
        xp_prior *prior;
        xp__agent *agent;
        xp_error error;
        char wanted[128];
        EXPECT(xp__agent_spec_parse(xp_catalogue_get(XP_AGENTS, i).name, NULL, &spec, NULL) ==
               XP_OK);
        if (spec.states) {
            continue;
        }
        (void)snprintf(wanted, sizeof wanted, "agent %s acts in bandits only; deep_sea has states",
                       spec.name);
        EXPECT(xp__agent_prior_fit(&spec, env, demos, &rng, &prior, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, wanted);
        xp__agent_setup setup = {.actions = 2, .episodes = 5, .demos = demos, .env = info};
        EXPECT(xp__agent_create(&spec, &setup, &agent, &error) == XP_ERR_INPUT && agent == NULL);
        EXPECT_TEXT(error.message, wanted);
        setup.env = long_bandit;
        EXPECT(xp__agent_create(&spec, &setup, &agent, &error) == XP_ERR_INPUT && agent == NULL);
        EXPECT_TEXT(error.message, "the environment has episodes of several steps");
    }
    xp_demos_destroy(demos);
    xp_env_destroy(env);
}
