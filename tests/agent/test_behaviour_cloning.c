/* Behaviour cloning where there are states: it has the experts' frequencies, it does what follows
 * from them in Frozen Lake, and nothing that happens changes it. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "agent/agent.h"
#include "env/create.h"
#include "expert/expert_type.h"

#include <math.h>
#include <string.h>

static const size_t categories[1] = {2};
static const xp_env_info room = {
    .name = "room", .actions = 3, .state_size = 1, .categories = categories, .horizon = 1};

/* State 0: actions 0, 1, 2 in 60, 30 and 10 of 100 demonstrations; state 1: always action 2. */
static xp_status room_init(const char *text, xp_demos **demos, xp__states_prior **prior,
                           xp__agent **agent, xp_error *error) {
    static const uint64_t counts[4] = {60, 30, 10, 100};
    xp__agent_spec spec;
    xp_rng rng = xp_rng_seed(1);
    *prior = NULL;
    *agent = NULL;
    xp_status status = xp_demos_create(1, 3, demos, error);
    if (status != XP_OK) {
        *demos = NULL;
    }
    for (uint32_t i = 0; status == XP_OK && i < 4; i++) {
        const double state = i < 3 ? 0 : 1;
        const uint32_t action = i < 3 ? i : 2;
        status = xp_demos_add(*demos, &state, &action, 1, counts[i], error);
    }
    if (status == XP_OK) {
        status = xp__agent_spec_parse(text, &room, &spec, error);
    }
    if (status == XP_OK) {
        status = xp__states_prior_fit(spec.prior_method, &spec.prior_params, &room, *demos, &rng,
                                      prior, error);
    }
    if (status == XP_OK) {
        const xp__agent_setup setup = {
            .actions = 3, .episodes = 10, .demos = *demos, .states_prior = *prior, .env = room};
        status = xp__agent_create(&spec, &setup, agent, error);
    }
    return status;
}

static void room_deinit(xp_demos *demos, xp__states_prior *prior, xp__agent *agent) {
    xp__agent_destroy(agent);
    xp__states_prior_destroy(prior);
    xp_demos_destroy(demos);
}

/* Frequencies in a batch of 1,024 have a standard deviation of at most 0.016; steps of 1e-3 average
 * over some of them. */
CLAIM(its_law_has_the_frequencies_of_the_demonstrations_whatever_beta) {
    static const char *const specs[] = {"behaviour_cloning:beta=1,pretrain_batch=1024",
                                        "behaviour_cloning:networks=1,pretrain_batch=1024"};
    for (size_t i = 0; i < 2; i++) {
        xp_demos *demos;
        xp__states_prior *prior;
        xp__agent *agent;
        xp_rng rng = xp_rng_seed(2);
        const double states[2] = {0, 1};
        double law[3];
        EXPECT(room_init(specs[i], &demos, &prior, &agent, NULL) == XP_OK);
        xp__agent_reset(agent, &rng);
        xp__agent_action_law(agent, &rng, &states[0], 1, law);
        EXPECT_NEAR(law[0], 0.6, 0.05);
        EXPECT_NEAR(law[1], 0.3, 0.05);
        EXPECT_NEAR(law[2], 0.1, 0.05);
        EXPECT_NEAR(law[0] + law[1] + law[2], 1, 1e-12);
        size_t drawn[3] = {0};
        for (size_t t = 0; t < 10000; t++) {
            drawn[xp__agent_act(agent, &rng, &states[0])]++;
        }
        for (size_t a = 0; a < 3; a++) { /* standard deviation at most 0.005 */
            EXPECT_NEAR((double)drawn[a] / 10000, law[a], 0.025);
        }
        xp__agent_action_law(agent, &rng, &states[1], 1, law);
        EXPECT(law[2] > 0.95);
        EXPECT(xp__agent_policies(agent, NULL) == 0);
        room_deinit(demos, prior, agent);
    }
}

CLAIM(greedy_it_takes_the_likeliest_action_and_does_not_learn) {
    xp_demos *demos;
    xp__states_prior *prior;
    xp__agent *agent;
    xp_rng rng = xp_rng_seed(3);
    const double states[2] = {0, 1};
    double law[3], again[3], weight;
    EXPECT(room_init("behaviour_cloning:act=greedy", &demos, &prior, &agent, NULL) == XP_OK);
    xp__agent_action_law(agent, &rng, &states[0], 1, law);
    EXPECT(law[0] == 1 && law[1] == 0 && law[2] == 0);
    for (int t = 0; t < 500; t++) {
        const xp_transition bad = {
            .state = &states[0], .reward = -1, .next_state = &states[1], .end = XP_TERMINATED};
        EXPECT(xp__agent_act(agent, &rng, &states[0]) == 0);
        xp__agent_observe(agent, &rng, &bad);
    }
    xp__agent_action_law(agent, &rng, &states[0], 1, again);
    EXPECT(memcmp(law, again, sizeof law) == 0);
    EXPECT(xp__agent_policies(agent, &weight) == 1 && weight == 1);
    EXPECT(xp__agent_policy_action(agent, 0, &states[1]) == 2);
    room_deinit(demos, prior, agent);
}

/* Plays greedily in Frozen Lake with nine hazards; counts returns of each kind. */
typedef struct tally {
    size_t straight, around, fell, other;
} tally;

static tally play_lake(const char *observation, size_t episodes) {
    xp_env *env;
    xp_task *task;
    xp_expert *expert;
    xp_demos *demos;
    xp__states_prior *prior;
    xp__agent *agent;
    xp__agent_spec spec;
    xp__params params;
    xp_rng rng = xp_rng_seed(4);
    tally seen = {0};
    EXPECT(xp__env_params_default("frozen_lake", &params, NULL) == XP_OK);
    EXPECT(xp__params_set_text(&params, "observation", observation, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "hazards", 9, NULL) == XP_OK);
    EXPECT(xp__env_create("frozen_lake", &params, &rng, &env, NULL) == XP_OK);
    EXPECT(xp_task_create(env, &task, NULL) == XP_OK);
    EXPECT(xp__expert_params_default("noisily_rational", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "beta", 2.5, NULL) == XP_OK);
    EXPECT(xp__expert_create("noisily_rational", &params, &expert, NULL) == XP_OK);
    EXPECT(xp_demos_draw(env, expert, 1000, &rng, &demos, NULL) == XP_OK);
    const xp_env_info info = xp_env_describe(env);
    EXPECT(xp__agent_spec_parse("behaviour_cloning:act=greedy,networks=5", &info, &spec, NULL) ==
           XP_OK);
    EXPECT(xp__agent_q_prior_fit(&spec, env, demos, &rng, &prior, NULL) == XP_OK);
    const xp__agent_setup setup = {.actions = info.actions,
                                   .episodes = episodes,
                                   .demos = demos,
                                   .states_prior = prior,
                                   .env = info};
    EXPECT(xp__agent_create(&spec, &setup, &agent, NULL) == XP_OK);
    xp_task_draw(task, &rng);
    xp__agent_reset(agent, &rng);
    for (size_t t = 0; t < episodes; t++) {
        double state[2], sum = 0;
        xp_step step = {.end = XP_CONTINUES};
        xp_task_reset(task, &rng, state);
        while (step.end == XP_CONTINUES) {
            step = xp_task_step(task, &rng, xp__agent_act(agent, &rng, state), state);
            sum += step.reward;
        }
        seen.straight += sum == 14;
        seen.around += sum == 10;
        seen.fell += sum <= -100 && sum >= -104;
        seen.other += sum != 14 && sum != 10 && !(sum <= -100 && sum >= -104);
    }
    xp__agent_destroy(agent);
    xp__states_prior_destroy(prior);
    xp_demos_destroy(demos);
    xp_expert_destroy(expert);
    xp_task_destroy(task);
    xp_env_destroy(env);
    return seen;
}

/* Without sight of the hazard the likeliest move is always straight on, which three of nine hazards
 * punish: 2/3 · 14 − 102 / 3 = −24.67 in expectation. Over 600 episodes the share of falls has a
 * standard deviation of 0.019. */
CLAIM(blind_to_the_hazard_it_walks_the_straight_line) {
    const tally seen = play_lake("pomdp", 600);
    EXPECT(seen.straight + seen.fell == 600);
    EXPECT_NEAR((double)seen.fell / 600, 1.0 / 3, 0.1);
}

/* With sight of it the best returns are 14, and 10 where the hazard is on the line: 12.67. */
CLAIM(seeing_the_hazard_it_walks_around) {
    const tally seen = play_lake("mdp", 300);
    EXPECT(seen.straight + seen.around == 300);
    EXPECT(seen.around > 50);
}

CLAIM(a_prior_for_another_environment_is_refused) {
    xp_demos *demos;
    xp__states_prior *prior;
    xp__agent *agent, *wrong;
    xp__agent_spec spec;
    xp_error error;
    static const size_t more[1] = {5};
    xp_env_info other = room;
    other.categories = more;
    EXPECT(room_init("behaviour_cloning", &demos, &prior, &agent, NULL) == XP_OK);
    EXPECT(xp__agent_spec_parse("behaviour_cloning", &other, &spec, NULL) == XP_OK);
    xp__agent_setup setup = {
        .actions = 3, .episodes = 1, .demos = demos, .states_prior = prior, .env = other};
    EXPECT(xp__agent_create(&spec, &setup, &wrong, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "2 inputs and 3 actions but the environment has 5 and 3");
    setup.demos = NULL;
    EXPECT(xp__agent_create(&spec, &setup, &wrong, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "needs demonstrations");
    room_deinit(demos, prior, agent);
}

CLAIM(it_survives_any_allocation_that_fails_and_acts_without_one) {
    failing_allocator count;
    for (size_t n = 0;; n++) {
        xp_demos *demos;
        xp__states_prior *prior;
        xp__agent *agent;
        failing_allocator_install(&count, n);
        const xp_status status = room_init("behaviour_cloning:networks=2,pretrain_steps=2", &demos,
                                           &prior, &agent, NULL);
        if (status == XP_OK) {
            const size_t before = count.calls;
            const double state = 1;
            xp_rng rng = xp_rng_seed(5);
            xp__agent_reset(agent, &rng);
            (void)xp__agent_act(agent, &rng, &state);
            EXPECT(count.calls == before);
        } else {
            EXPECT(status == XP_ERR_MEMORY);
        }
        room_deinit(demos, prior, agent);
        EXPECT(count.alive == 0);
        xp__allocator_install(NULL);
        if (status == XP_OK) {
            EXPECT(n > 10);
            break;
        }
    }
}
