/* Exact posterior sampling over listed contexts, against brute force: tasks whose context is set by
 * hand play the same actions, and what they show is compared. */
#include "claim.h"

#include "env/context.h"
#include "env/contexts.h"
#include "env/env_type.h"
#include "env/frozen_lake.h"
#include "agent/agent.h"
#include "env/create.h"
#include "expert/expert_type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_CONTEXTS = 126, MAX_STEPS = 100 };

static xp_env *make_env(const char *name, const char *key, double value, const char *choice_key,
                        const char *choice) {
    xp__params params;
    xp_rng rng = xp_rng_seed(1);
    xp_env *env = NULL;
    EXPECT(xp__env_params_default(name, &params, NULL) == XP_OK &&
           xp__params_set(&params, key, value, NULL) == XP_OK &&
           xp__params_set_text(&params, choice_key, choice, NULL) == XP_OK &&
           xp__env_create(name, &params, &rng, &env, NULL) == XP_OK);
    return env;
}

static xp_env *make_sea(double size, const char *goal) {
    return make_env("deep_sea", "size", size, "goal", goal);
}

static xp_env *make_lake(double hazards, const char *observation) {
    return make_env("frozen_lake", "hazards", hazards, "observation", observation);
}

static xp_demos *draw_demos(const xp_env *env, const char *expert, double beta, uint64_t count) {
    xp__params params;
    xp_rng rng = xp_rng_seed(7);
    xp_expert *made = NULL;
    xp_demos *demos = NULL;
    EXPECT(xp__expert_params_default(expert, &params, NULL) == XP_OK);
    if (beta < INFINITY) {
        EXPECT(xp__params_set(&params, "beta", beta, NULL) == XP_OK);
    }
    EXPECT(xp__expert_create(expert, &params, &made, NULL) == XP_OK &&
           xp_demos_draw(env, made, count, &rng, &demos, NULL) == XP_OK);
    xp_expert_destroy(made);
    return demos;
}

static xp__agent *make_agent(const char *text, const xp_env *env, const xp_demos *demos,
                             xp_error *error) {
    xp__agent_spec spec;
    xp__agent *agent = NULL;
    const xp_env_info info = xp_env_describe(env);
    const xp__agent_setup setup = {
        .actions = info.actions, .episodes = 100, .demos = demos, .env = info, .model = env};
    EXPECT(xp__agent_spec_parse(text, &info, &spec, NULL) == XP_OK);
    (void)xp__agent_create(&spec, &setup, &agent, error);
    return agent;
}

/* An episode: what was done and what it showed. */
typedef struct episode {
    size_t length, actions[MAX_STEPS];
    double states[MAX_STEPS + 1][2], rewards[MAX_STEPS];
    bool done[MAX_STEPS];
} episode;

/* Plays given actions, or random ones, to the end. */
static void play(xp_task *task, xp_rng *rng, const size_t *actions, size_t choices, episode *out) {
    bool done = false;
    memset(out, 0, sizeof *out);
    xp_task_reset(task, rng, out->states[0]);
    for (size_t t = 0; t < MAX_STEPS && !done; t++) {
        out->actions[t] = actions != NULL ? actions[t] : (size_t)xp_rng_below(rng, choices);
        const xp_step step = xp_task_step(task, rng, out->actions[t], out->states[t + 1]);
        out->rewards[t] = step.reward;
        out->done[t] = done = step.end != XP_CONTINUES;
        out->length = t + 1;
    }
}

static bool looks_the_same(const episode *a, const episode *b) {
    return a->length == b->length && memcmp(a->states, b->states, sizeof a->states) == 0 &&
           memcmp(a->rewards, b->rewards, sizeof a->rewards) == 0;
}

/* Adds the episode's log-likelihood by the model under test. */
static void learn(xp__contexts *contexts, const episode *shown, double *log_likelihood) {
    xp__contexts_begin(contexts);
    for (size_t t = 0; t < shown->length; t++) {
        const xp__seen seen = {.state = shown->states[t],
                               .action = shown->actions[t],
                               .reward = shown->rewards[t],
                               .next_state = shown->states[t + 1],
                               .done = shown->done[t]};
        xp__contexts_observe(contexts, &seen, 1e-9, log_likelihood);
    }
}

CLAIM(in_deep_sea_an_episode_rules_out_exactly_the_goals_that_would_have_looked_different) {
    xp_env *env = make_sea(6, "any");
    xp_task *task, *other;
    xp__contexts *contexts;
    xp_rng rng = xp_rng_seed(3);
    EXPECT(xp_env_describe(env).contexts == 6);
    EXPECT(xp_task_create(env, &task, NULL) == XP_OK && xp_task_create(env, &other, NULL) == XP_OK);
    EXPECT(xp__contexts_create(env, &contexts, NULL) == XP_OK);
    size_t ruled_out = 0;
    for (size_t trial = 0; trial < 200; trial++) {
        const size_t goal = trial % 6;
        static episode shown, replay;
        double log_likelihood[6] = {0};
        xp__task_set_context(task, goal);
        play(task, &rng, NULL, 2, &shown);
        learn(contexts, &shown, log_likelihood);
        for (size_t c = 0; c < 6; c++) {
            xp__task_set_context(other, c);
            play(other, &rng, shown.actions, 2, &replay);
            EXPECT(log_likelihood[c] == (looks_the_same(&shown, &replay) ? 0 : -INFINITY));
            ruled_out += log_likelihood[c] != 0;
        }
        EXPECT(log_likelihood[goal] == 0);
    }
    EXPECT(ruled_out > 200); /* so that both answers were met */
    xp__contexts_destroy(contexts);
    xp_task_destroy(task);
    xp_task_destroy(other);
    xp_env_destroy(env);
}

/* P(episode | set) is the share of the set's squares that, as the hazard, show the same episode. A
 * lake of one hazard, whose contexts are the squares in ascending order, plays each. */
static void expect_lake_likelihood(double hazards, const char *observation) {
    xp_env *env = make_lake(hazards, observation), *single = make_lake(1, observation);
    const xp__lake *lake = (const xp__lake *)env;
    const size_t sets = xp_env_describe(env).contexts;
    xp_task *task, *other;
    xp__contexts *contexts;
    xp_rng rng = xp_rng_seed(4);
    EXPECT(xp_task_create(env, &task, NULL) == XP_OK &&
           xp_task_create(single, &other, NULL) == XP_OK);
    EXPECT(xp__contexts_create(env, &contexts, NULL) == XP_OK);
    size_t fell = 0;
    for (size_t trial = 0; trial < 100; trial++) {
        static episode shown, replay;
        double log_likelihood[MAX_CONTEXTS] = {0};
        bool same[XP__LAKE_SQUARES];
        xp__task_set_context(task, trial % sets);
        play(task, &rng, NULL, XP__LAKE_ACTIONS, &shown);
        fell += shown.rewards[shown.length - 1] == XP__LAKE_HAZARD_REWARD;
        learn(contexts, &shown, log_likelihood);
        for (size_t square = 0; square < XP__LAKE_SQUARES; square++) {
            xp__task_set_context(other, square);
            play(other, &rng, shown.actions, XP__LAKE_ACTIONS, &replay);
            same[square] = looks_the_same(&shown, &replay);
        }
        for (size_t c = 0; c < sets; c++) {
            double count = 0;
            for (size_t square = 0; square < XP__LAKE_SQUARES; square++) {
                count += (lake->sets[c] >> square & 1) != 0 && same[square];
            }
            EXPECT_NEAR(exp(log_likelihood[c]), count / hazards, 1e-12);
        }
    }
    EXPECT(fell > 20 && fell < 100);
    xp__contexts_destroy(contexts);
    xp_task_destroy(task);
    xp_task_destroy(other);
    xp_env_destroy(env);
    xp_env_destroy(single);
}

CLAIM(in_frozen_lake_an_episode_has_the_share_of_the_sets_hazards_that_would_look_the_same) {
    expect_lake_likelihood(2, "pomdp");
    expect_lake_likelihood(5, "pomdp");
    expect_lake_likelihood(9, "pomdp");
    expect_lake_likelihood(3, "mdp");
}

/* Noisily rational with beta = 0.5, written out. */
static double rule(const void *expert, const double *q, size_t actions, size_t action) {
    (void)expert;
    double sum = 0;
    for (size_t i = 0; i < actions; i++) {
        sum += exp(0.5 * (q[i] - q[action]));
    }
    return -log(sum);
}

/* Replays a demonstration in a task whose context is set: the product of the expert's
 * probabilities, or 0 if the task shows something else. */
static double replayed(xp_task *task, const xp_trajectory *shown, size_t state_size,
                       bool compare_all) {
    xp_rng rng = xp_rng_seed(1);
    double state[2], q[4], product = 1;
    bool done = false;
    xp_task_reset(task, &rng, state);
    for (size_t t = 0; t < shown->length; t++) {
        for (size_t i = 0; i < state_size; i++) {
            const double there = shown->states[t * state_size + i];
            product *= done || ((compare_all || i == 0) && there != state[i]) ? 0 : 1;
        }
        if (product == 0) {
            return 0;
        }
        xp__task_optimal_q(task, state, q);
        product *= exp(rule(NULL, q, xp__task_actions(task), shown->actions[t]));
        done = xp_task_step(task, &rng, shown->actions[t], state).end != XP_CONTINUES;
    }
    return done ? product : 0;
}

static void expect_demonstrations(xp_env *env, xp_env *single, double hazards) {
    xp_demos *demos = draw_demos(env, "noisily_rational", 0.5, 60);
    const xp_env_info info = xp_env_describe(env);
    xp_task *task;
    xp__contexts *contexts;
    EXPECT(xp_task_create(single != NULL ? single : env, &task, NULL) == XP_OK);
    EXPECT(xp__contexts_create(env, &contexts, NULL) == XP_OK);
    size_t possible = 0;
    for (size_t i = 0; i < xp_demos_distinct(demos); i++) {
        const xp_trajectory each = xp_demos_trajectory(demos, i);
        const xp__shown shown = {each.states, each.actions, each.length};
        double log_m[MAX_CONTEXTS];
        xp__contexts_likelihood(contexts, &shown, 1, rule, NULL, log_m);
        for (size_t c = 0; c < info.contexts; c++) {
            double wanted = 0;
            for (size_t square = 0; single != NULL && square < XP__LAKE_SQUARES; square++) {
                if ((((const xp__lake *)env)->sets[c] >> square & 1) != 0) {
                    xp__task_set_context(task, square);
                    wanted += replayed(task, &each, info.state_size, true) / hazards;
                }
            }
            if (single == NULL) {
                xp__task_set_context(task, c);
                wanted = replayed(task, &each, info.state_size, true);
            }
            EXPECT(fabs(exp(log_m[c]) - wanted) <= 1e-12 * wanted);
            possible += wanted > 0;
        }
    }
    EXPECT(possible > 0);
    xp__contexts_destroy(contexts);
    xp_task_destroy(task);
    xp_demos_destroy(demos);
}

CLAIM(the_likelihood_of_a_demonstration_is_that_of_replaying_it_in_every_context) {
    xp_env *sea = make_sea(5, "any"), *blind = make_lake(4, "pomdp"), *seeing = make_lake(2, "mdp");
    xp_env *one_blind = make_lake(1, "pomdp"), *one_seeing = make_lake(1, "mdp");
    expect_demonstrations(sea, NULL, 1);
    expect_demonstrations(blind, one_blind, 4);
    expect_demonstrations(seeing, one_seeing, 2);
    xp_env_destroy(sea);
    xp_env_destroy(blind);
    xp_env_destroy(seeing);
    xp_env_destroy(one_blind);
    xp_env_destroy(one_seeing);
}

/* Runs one episode of the agent; returns its return and the column of the last state. */
static double dive(xp__agent *agent, xp_task *task, xp_rng *rng, size_t size, size_t *column) {
    double state = 0, next = 0, sum = 0;
    bool done = false;
    xp_task_reset(task, rng, &state);
    while (!done) {
        const size_t action = xp__agent_act(agent, rng, &state);
        const xp_step step = xp_task_step(task, rng, action, &next);
        const xp_transition seen = {.state = &state,
                                    .action = action,
                                    .reward = step.reward,
                                    .next_state = &next,
                                    .end = step.end};
        xp__agent_observe(agent, rng, &seen);
        *column = (size_t)state % size;
        sum += step.reward;
        done = step.end != XP_CONTINUES;
        state = next;
    }
    return sum;
}

CLAIM(an_excluded_goal_is_never_tried_again_and_every_goal_is_found_within_the_list) {
    enum { SIZE = 9 };
    xp_env *env = make_sea(SIZE, "any");
    xp_demos *demos = draw_demos(env, "optimal", INFINITY, 100);
    xp_task *task;
    EXPECT(xp_task_create(env, &task, NULL) == XP_OK);
    /* With tolerance above 0.01/M only the goal's own reward tells: one goal an episode. With the
     * penalties seen one miss leaves at most two goals. */
    const char *const specs[] = {"posterior_sampling:tolerance=0.01", "posterior_sampling"};
    const size_t most[] = {SIZE, 3};
    for (size_t i = 0; i < 2; i++) {
        xp__agent *agent = make_agent(specs[i], env, demos, NULL);
        for (size_t trial = 0; trial < 20 * SIZE; trial++) {
            xp_rng rng = xp_rng_seed(trial);
            bool tried[SIZE] = {false};
            size_t episodes = 0, column = SIZE;
            xp__task_set_context(task, trial % SIZE);
            xp__agent_reset(agent, &rng);
            while (dive(agent, task, &rng, SIZE, &column) < 0.5 && episodes <= SIZE) {
                EXPECT(!tried[column] && column != trial % SIZE);
                tried[column] = true;
                episodes++;
            }
            EXPECT(episodes < most[i]);
            for (size_t more = 0; more < 5; more++) {
                EXPECT_NEAR(dive(agent, task, &rng, SIZE, &column), 0.99, 1e-12);
            }
        }
        xp__agent_destroy(agent);
    }
    xp_task_destroy(task);
    xp_demos_destroy(demos);
    xp_env_destroy(env);
}

CLAIM(the_action_law_is_the_posterior_mass_of_the_goals_that_an_action_heads_for) {
    /* Before the first action in the corner only the last column wants to go right at once; its
     * prior is the smoothed frequency (n + 1/2) / (N + M/2) of the dives to it. */
    enum { SIZE = 5 };
    xp_env *env = make_sea(SIZE, "any");
    xp_demos *demos = draw_demos(env, "optimal", INFINITY, 40);
    xp__agent *agent = make_agent("posterior_sampling", env, demos, NULL);
    xp_rng rng = xp_rng_seed(1);
    double count = 0, law[2];
    for (size_t i = 0; i < xp_demos_distinct(demos); i++) {
        const xp_trajectory shown = xp_demos_trajectory(demos, i);
        count += shown.actions[0] == 1 ? (double)shown.count : 0;
    }
    xp__agent_reset(agent, &rng);
    const double corner = 0;
    xp__agent_action_law(agent, &rng, &corner, 1, law);
    EXPECT(count > 0);
    EXPECT_NEAR(law[1], (count + 0.5) / (40 + SIZE / 2.0), 1e-12);
    EXPECT_NEAR(law[0] + law[1], 1, 1e-12);
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
    xp_env_destroy(env);
}

CLAIM(in_frozen_lake_without_sight_it_ends_at_the_optimal_return_of_every_set) {
    xp_env *env = make_lake(2, "pomdp");
    static double value[XP__LAKE_SETS][XP__LAKE_CELLS];
    xp__lake_blind_values(value);
    xp_demos *demos = draw_demos(env, "noisily_rational", 1, 300);
    xp__agent *agent = make_agent("posterior_sampling:beta=1", env, demos, NULL);
    xp_task *task;
    EXPECT(xp_task_create(env, &task, NULL) == XP_OK);
    size_t optimal = 0;
    for (size_t c = 0; c < 36; c++) {
        xp_rng rng = xp_rng_seed(c);
        xp__task_set_context(task, c);
        xp__agent_reset(agent, &rng);
        for (size_t t = 0; t < 1100; t++) {
            double states[2][2] = {{0, 0}, {0, 0}}, sum = 0;
            bool done = false;
            xp_task_reset(task, &rng, states[0]);
            for (size_t h = 0; !done; h++) {
                double *here = states[h % 2], *next = states[(h + 1) % 2];
                const size_t action = xp__agent_act(agent, &rng, here);
                const xp_step step = xp_task_step(task, &rng, action, next);
                const xp_transition seen = {.state = here,
                                            .action = action,
                                            .reward = step.reward,
                                            .next_state = next,
                                            .end = step.end};
                xp__agent_observe(agent, &rng, &seen);
                sum += step.reward;
                done = step.end != XP_CONTINUES;
            }
            optimal += t >= 1000 && sum == value[((const xp__lake *)env)->sets[c]][XP__LAKE_START];
        }
    }
    EXPECT(optimal >= 36 * 98); /* of 3,600 episodes; what is left is exploration that dies out */
    xp_task_destroy(task);
    xp__agent_destroy(agent);
    xp_demos_destroy(demos);
    xp_env_destroy(env);
}

CLAIM(what_it_cannot_work_with_is_a_sentence) {
    xp_error error;
    xp_env *env = make_sea(5, "any"), *lake = make_lake(3, "pomdp");
    xp_rng rng = xp_rng_seed(1);
    xp_env *bandit;
    EXPECT(xp_env_create("bernoulli_bandit", &rng, &bandit, NULL) == XP_OK);
    xp_demos *noisy = draw_demos(env, "noisily_rational", 0, 20), *foreign, *wrong;
    EXPECT(make_agent("posterior_sampling", bandit, noisy, &error) == NULL);
    EXPECT_TEXT(error.message, "the contexts can be listed; those of bernoulli_bandit cannot");
    xp_demos *lost = draw_demos(lake, "noisily_rational", 0, 20);
    EXPECT(make_agent("posterior_sampling", lake, lost, &error) == NULL);
    EXPECT_TEXT(error.message, "no context of frozen_lake explains");
    EXPECT_TEXT(error.message, "give a finite beta");
    EXPECT(make_agent("posterior_sampling", lake, noisy, &error) == NULL);
    EXPECT_TEXT(error.message, "states of 1 numbers but those of frozen_lake have 2");
    EXPECT(make_agent("posterior_sampling", env, NULL, &error) == NULL);
    EXPECT_TEXT(error.message, "needs demonstrations");
    const double states[] = {0, 5.5}, far[] = {0, 25};
    const uint32_t actions[] = {0, 0};
    EXPECT(xp_demos_create(1, 2, &wrong, NULL) == XP_OK &&
           xp_demos_add(wrong, states, actions, 2, 1, NULL) == XP_OK);
    EXPECT(make_agent("posterior_sampling:beta=1", env, wrong, &error) == NULL);
    EXPECT_TEXT(error.message, "step 1: state number 0 is 5.5");
    EXPECT(xp_demos_create(1, 2, &foreign, NULL) == XP_OK &&
           xp_demos_add(foreign, far, actions, 2, 1, NULL) == XP_OK);
    EXPECT(make_agent("posterior_sampling:beta=1", env, foreign, &error) == NULL);
    EXPECT_TEXT(error.message, "is 25; in deep_sea it is a whole number from 0 to 24");
    xp_demos_destroy(noisy);
    xp_demos_destroy(lost);
    xp_demos_destroy(wrong);
    xp_demos_destroy(foreign);
    xp_env_destroy(bandit);
    xp_env_destroy(env);
    xp_env_destroy(lake);
}
