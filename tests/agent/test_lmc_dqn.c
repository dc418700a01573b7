/* Langevin dynamics on the posterior over Q-networks: its steps against the gradient and the noise
 * they should have, its law where that is known, and the agent made of it. */
#include "agent/agent_scene.h"
#include "claim.h"

#include "agent/states/lmc_dqn_posterior.h"
#include "agent/agent.h"

#include <math.h>
#include <string.h>

enum {
    CELLS = 9,
    HIDDEN = 8,
    PARAMETERS = CELLS * HIDDEN + HIDDEN + HIDDEN * HIDDEN + HIDDEN + 18
};
static const size_t cells[1] = {CELLS};
static const xp_env_info grid = {
    .name = "grid", .actions = 2, .state_size = 1, .categories = cells, .horizon = 3};

/* One demonstration of three steps, and the density of its weight. */
typedef struct shown {
    xp__encoded_demos read;
    double alpha;
    xp__density density;
} shown;

static void shown_init(shown *self) {
    static const double states[3] = {0, 4, 8};
    static const uint32_t actions[3] = {1, 1, 0};
    xp_demos *demos;
    EXPECT(xp_demos_create(1, 2, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, states, actions, 3, 1, NULL) == XP_OK);
    EXPECT(xp__encoded_demos_init(&self->read, &grid, demos, NULL, NULL) == XP_OK);
    xp_demos_destroy(demos);
    self->alpha = 40;
    self->density = xp__density_of(&self->read, &self->alpha, 2, false, 0.5);
}

static const uint32_t batch_states[2] = {0, 3};
static const float batch_counts[4] = {1, 2, 0, 1}, batch_targets[4] = {0.5F, -1, 0, 2};

/* The parameters after one update of the network of a fixed stream. */
static void moved(const xp__density *density, double weight, double deviation, float *before,
                  float *after) {
    xp__state_input input;
    xp__net *net;
    xp__net_options shape = xp__net_options_default(CELLS, 2, 1);
    shape.members = 1;
    shape.hidden = HIDDEN;
    const xp__lmc_posterior_options options = {.density = density,
                                               .prior_weight = weight,
                                               .deviation = deviation,
                                               .precision = 3,
                                               .rate = 0.25,
                                               .noise_every = 1,
                                               .members = 1,
                                               .actions = 2,
                                               .batch = 4};
    xp__lmc_posterior posterior;
    xp__net_td td = {
        .draws = 4, .members = 1, .actions = 2, .counts = batch_counts, .targets = batch_targets};
    const xp__net_rows rows = {.count = 2, .hot = batch_states};
    const xp_rng start = xp_rng_seed(1), noise = xp_rng_seed(2);
    EXPECT(xp__state_input_init(&input, &grid, NULL) == XP_OK);
    EXPECT(xp__net_create(&shape, &start, &net, NULL) == XP_OK);
    EXPECT(xp__net_parameter_count(net) == PARAMETERS);
    EXPECT(xp__lmc_posterior_init(&posterior, &options, &input, NULL) == XP_OK);
    xp__net_get(net, 0, before);
    xp__lmc_posterior_move(&posterior, net, &rows, xp__net_td_loss, &td, 50, &noise);
    xp__net_get(net, 0, after);
    xp__lmc_posterior_deinit(&posterior);
    xp__net_destroy(net);
}

/* Two updates with the same noise differ by the prior's part of the gradient alone; T = 2 · 0.25 /
 * 50. Float rounding of a step is about 1e-7. */
CLAIM(the_prior_enters_the_step_with_the_temperature_times_its_gradient) {
    static float before[PARAMETERS], with[PARAMETERS], without[PARAMETERS], gradient[PARAMETERS];
    shown at;
    xp__net *net;
    xp__net_options shape = xp__net_options_default(CELLS, 2, 1);
    const double temperature = 0.01, rate = 0.25, weight = 1.5;
    shown_init(&at);
    moved(NULL, 1, 0.5, before, without);
    moved(&at.density, weight, 0.5, before, with);
    shape.members = 1;
    shape.hidden = HIDDEN;
    EXPECT(xp__net_create(&shape, NULL, &net, NULL) == XP_OK);
    xp__net_set(net, 0, before);
    xp__net_gradient(net, 0, &at.density.rows, xp__density_loss, &at.density, gradient);
    const double decay = xp__density_decay(&at.density, net, 0);
    EXPECT_NEAR(decay, 0.5 / xp__net_norm(net, 0), 1e-12);
    double largest = 0;
    for (size_t i = 0; i < PARAMETERS; i++) {
        const double slope = weight * ((double)gradient[i] + decay * (double)before[i]);
        EXPECT_NEAR((double)with[i] - (double)without[i], -rate * temperature * slope, 1e-6);
        largest = fmax(largest, rate * temperature * fabs(slope));
    }
    EXPECT(largest > 1e-4); /* there was something to see */
    xp__net_destroy(net);
    xp__encoded_demos_deinit(&at.read);
}

/* Without noise, T = 0, the step is gradient descent on the squared error alone. With it, what
 * remains beyond the gradient is normal of variance 2 rate T: over PARAMETERS numbers the mean
 * square has a relative standard deviation of sqrt(2 / PARAMETERS). */
CLAIM(the_noise_of_a_step_has_the_variance_of_langevin_dynamics) {
    static float before[PARAMETERS], cold[PARAMETERS], warm[PARAMETERS];
    moved(NULL, 1, 0, before, cold);
    moved(NULL, 1, 0.5, before, warm);
    double squares = 0, moves = 0;
    for (size_t i = 0; i < PARAMETERS; i++) {
        const double pull = 0.25 * 0.01 * 3 * (double)before[i]; /* of the precision, where T > 0 */
        const double noise = (double)warm[i] - (double)cold[i] + pull;
        squares += noise * noise;
        moves += fabs((double)cold[i] - (double)before[i]);
    }
    EXPECT(moves > 0.1);
    EXPECT_NEAR(squares / PARAMETERS / (2 * 0.25 * 0.01), 1, 5 * sqrt(2.0 / PARAMETERS));
}

/* Hidden units that never open leave Q = b3, one number, whose posterior after n rewards of mean r
 * is normal. With steps of size `rate` its chain is autoregressive: b' = a b + c + sqrt(2 rate T) z
 * with a = 1 − rate (2 + T precision), of mean 2 r / (2 + T precision) and variance
 * 2 rate T / (1 − a²), which tends to 1 / (n / sigma² + precision) for small steps. */
CLAIM(many_chains_have_the_law_of_the_posterior_where_it_is_known) {
    enum { CHAINS = 4000, STEPS = 60 };
    xp__state_input input;
    const xp_env_info bandit = {.actions = 1};
    xp__net *net;
    xp__net_options shape = xp__net_options_default(1, 1, 1);
    shape.members = CHAINS;
    shape.hidden = 1;
    const double rate = 0.1, precision = 10, temperature = 2 * 0.3 * 0.3 / 2, mean_reward = 0.7;
    const xp__lmc_posterior_options options = {.deviation = 0.3,
                                               .precision = precision,
                                               .rate = rate,
                                               .noise_every = 1,
                                               .members = CHAINS,
                                               .actions = 1,
                                               .batch = 1};
    xp__lmc_posterior posterior;
    static float counts[1] = {1}, targets[CHAINS], q[CHAINS];
    const uint32_t state = 0;
    const xp__net_rows rows = {.count = 1, .hot = &state};
    xp__net_td td = {
        .draws = 1, .members = CHAINS, .actions = 1, .counts = counts, .targets = targets};
    const xp_rng noise = xp_rng_seed(3);
    const float closed[6] = {0, -1e6F, 0, -1e6F, 0, 0};
    EXPECT(xp__state_input_init(&input, &bandit, NULL) == XP_OK);
    EXPECT(xp__net_create(&shape, NULL, &net, NULL) == XP_OK);
    EXPECT(xp__net_parameter_count(net) == 6);
    EXPECT(xp__lmc_posterior_init(&posterior, &options, &input, NULL) == XP_OK);
    for (size_t c = 0; c < CHAINS; c++) {
        xp__net_set(net, c, closed);
        targets[c] = (float)mean_reward;
    }
    for (size_t i = 0; i < STEPS; i++) {
        xp__lmc_posterior_move(&posterior, net, &rows, xp__net_td_loss, &td, 2, &noise);
    }
    xp__net_q(net, 0, CHAINS, &rows, q);
    double sum = 0, squares = 0;
    for (size_t c = 0; c < CHAINS; c++) {
        sum += (double)q[c];
        squares += (double)q[c] * (double)q[c];
    }
    const double mean = sum / CHAINS, variance = squares / CHAINS - mean * mean;
    const double a = 1 - rate * (2 + temperature * precision);
    const double wanted = 2 * rate * temperature / (1 - a * a);
    EXPECT_NEAR(mean, 2 * mean_reward / (2 + temperature * precision), 5 * sqrt(wanted / CHAINS));
    EXPECT_NEAR(variance / wanted, 1, 5 * sqrt(2.0 / CHAINS));
    xp__lmc_posterior_deinit(&posterior);
    xp__net_destroy(net);
}

/* A Deep Sea, 50 demonstrations of its optimal expert, and an agent. */
static xp_status scene_init(scene *self, const char *size, const char *agent, xp_error *error) {
    const scene_setting settings[] = {{"size", size}, {NULL, NULL}};
    return scene_make(self, "deep_sea", settings, 50, agent, error);
}

#define SMALL "hidden=16,references=60,chain_steps=600,chain_last=100,networks=5,warmup=20,batch=32"

/* Every optimal dive goes right at each step, so chains that start from the prior do; an episode of
 * a random network of this size finds the goal with probability 1/64. */
CLAIM(chains_start_from_the_prior_and_stay_where_it_pays) {
    scene at;
    xp_rng rng;
    EXPECT(scene_init(&at, "6", "lmc_dqn:members=3," SMALL, NULL) == XP_OK);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        start(&at, seed, &rng);
        for (int t = 0; t < 60; t++) {
            EXPECT_NEAR(episode(&at, &rng, NULL), 0.99, 1e-9);
        }
    }
    scene_deinit(&at);
}

/* The first arm pays nothing, the second 1. */
CLAIM(it_learns_which_action_pays_without_a_prior) {
    const xp_env_info info = {.name = "two", .actions = 2, .horizon = 1};
    xp__agent_spec spec;
    xp__agent *agent;
    const xp__agent_setup setup = {.actions = 2, .episodes = 300, .env = info};
    EXPECT(xp__agent_spec_parse("lmc_dqn:prior=none,deviation=0.3,warmup=10", &info, &spec, NULL) ==
           XP_OK);
    EXPECT(spec.prior_method == NULL);
    EXPECT(xp__agent_create(&spec, &setup, &agent, NULL) == XP_OK);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        xp_rng rng = xp_rng_seed(seed);
        double law[2];
        xp__agent_reset(agent, &rng);
        for (uint32_t t = 0; t < 300; t++) {
            /* Whatever it chooses, both arms are shown. */
            const xp_transition seen = {.action = t % 2, .reward = t % 2, .end = XP_TERMINATED};
            (void)xp__agent_act(agent, &rng, NULL);
            xp__agent_observe(agent, &rng, &seen);
        }
        xp__agent_action_law(agent, &rng, NULL, 1, law);
        EXPECT(law[0] == 0 && law[1] == 1);
    }
    xp__agent_destroy(agent);
}

CLAIM(its_policies_are_its_chains) {
    scene at;
    xp_rng rng;
    double weight[4], law[2], sum = 0;
    EXPECT(scene_init(&at, "6", "lmc_dqn:prior=none,members=4", NULL) == XP_OK);
    start(&at, 1, &rng);
    EXPECT(xp__agent_policies(at.agent, NULL) == 4);
    EXPECT(xp__agent_policies(at.agent, weight) == 4);
    for (size_t cell = 0; cell < 36; cell++) {
        const double state = (double)cell;
        double share = 0;
        for (size_t policy = 0; policy < 4; policy++) {
            EXPECT(weight[policy] == 0.25);
            share += 0.25 * (double)xp__agent_policy_action(at.agent, policy, &state);
        }
        xp__agent_action_law(at.agent, &rng, &state, 1, law);
        EXPECT_NEAR(law[1], share, 1e-12);
        sum += share;
    }
    EXPECT(sum > 0 && sum < 36);
    scene_deinit(&at);
}

CLAIM(runs_repeat_on_the_same_stream) {
    scene at;
    double returns[2][30];
    EXPECT(scene_init(&at, "6", "lmc_dqn:prior=none,deviation=1,warmup=20,noise_every=2", NULL) ==
           XP_OK);
    for (int round = 0; round < 2; round++) {
        xp_rng rng;
        start(&at, 4, &rng);
        for (int t = 0; t < 30; t++) {
            returns[round][t] = episode(&at, &rng, NULL);
        }
    }
    EXPECT(memcmp(returns[0], returns[1], sizeof returns[0]) == 0);
    scene_deinit(&at);
}

CLAIM(priors_it_cannot_follow_are_refused) {
    scene at;
    xp_error error;
    xp__agent_spec spec;
    xp__agent *agent;
    xp__states_prior *ensemble;
    xp__params params;
    xp_rng rng = xp_rng_seed(1);
    EXPECT(scene_init(&at, "4", "lmc_dqn:" SMALL, NULL) == XP_OK);
    const xp_env_info info = xp_env_describe(at.env);
    xp__agent_setup setup = {.actions = 2, .episodes = 5, .demos = at.demos, .env = info};
    EXPECT(xp__agent_spec_parse("lmc_dqn", &info, &spec, NULL) == XP_OK);
    EXPECT(xp__agent_create(&spec, &setup, &agent, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "agent lmc_dqn needs a prior");
    setup.states_prior = at.prior;
    EXPECT(xp__agent_create(&spec, &setup, &agent, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "16 inputs, 16 hidden units and 2 actions but the agent's have 16, "
                               "50 and 2");
    EXPECT(xp__states_prior_params_default("ensemble", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "pretrain_steps", 1, NULL) == XP_OK);
    EXPECT(xp__states_prior_fit("ensemble", &params, &info, at.demos, &rng, &ensemble, NULL) ==
           XP_OK);
    setup.states_prior = ensemble;
    EXPECT(xp__agent_create(&spec, &setup, &agent, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "needs a prior with a density; ensemble has none");
    xp__states_prior_destroy(ensemble);
    scene_deinit(&at);
}

CLAIM(it_survives_any_allocation_that_fails_and_acts_without_one) {
    const scene_setting settings[] = {{"size", "4"}, {NULL, NULL}};
    scene_survives("deep_sea", settings, 50,
                   "lmc_dqn:hidden=8,references=60,chain_steps=3,networks=2,members=2,warmup=8,"
                   "batch=16",
                   10, 21);
}
