/* What ExPLORe is made of: labels for demonstrated steps, and soft actor-critic. Expected numbers
 * come from plain recomputation in double, finite differences, or closed forms named where they are
 * used. */
#include "claim.h"

#include "agent/states/explore_labels.h"
#include "agent/states/explore_sac.h"
#include "net/net.h"

#include <math.h>
#include <string.h>

enum { STATES = 6, HIDDEN = 12, FEATURES = 3, ACTIONS = 2, ROOM = 8192 };

static float parameters[ROOM];

/* Outputs of one member in the state whose one input `hot` is 1, layer after layer in double. */
static void plain_forward(const xp__net *net, size_t member, size_t hot, double *out) {
    const xp__net_options *o = xp__net_get_options(net);
    double one[HIDDEN], two[HIDDEN];
    xp__net_get(net, member, parameters);
    const float *weight = parameters, *bias = weight + o->hidden * o->inputs;
    for (size_t h = 0; h < o->hidden; h++) {
        one[h] = fmax(0, (double)weight[h * o->inputs + hot] + bias[h]);
    }
    weight = bias + o->hidden;
    bias = weight + o->hidden * o->hidden;
    for (size_t h = 0; h < o->hidden; h++) {
        double sum = bias[h];
        for (size_t i = 0; i < o->hidden; i++) {
            sum += weight[h * o->hidden + i] * one[i];
        }
        two[h] = fmax(0, sum);
    }
    weight = bias + o->hidden;
    bias = weight + o->actions * o->hidden;
    for (size_t a = 0; a < o->actions; a++) {
        out[a] = bias[a];
        for (size_t i = 0; i < o->hidden; i++) {
            out[a] += weight[a * o->hidden + i] * two[i];
        }
    }
}

/* Mean over an action's features of the squared difference between predictor and frozen network. */
static double plain_novelty(const xp__explore_labels *labels, size_t state, size_t action) {
    double guess[ACTIONS * FEATURES], truth[ACTIONS * FEATURES], sum = 0;
    plain_forward(labels->predictor, 0, state, guess);
    plain_forward(labels->frozen, 0, state, truth);
    for (size_t i = action * FEATURES; i < (action + 1) * FEATURES; i++) {
        sum += (guess[i] - truth[i]) * (guess[i] - truth[i]) / FEATURES;
    }
    return sum;
}

static const size_t state_values = STATES;
static const xp_env_info few_states = {.name = "few_states",
                                       .actions = ACTIONS,
                                       .state_size = 1,
                                       .horizon = 3,
                                       .categories = &state_values};

typedef struct labelling {
    xp__encoded_demos demos;
    xp__explore_labels labels;
} labelling;

/* Demonstrations pass through states 0, 1, 2 and 0, 3. */
static void labelling_init(labelling *self, double scale, uint64_t seed) {
    static const double states[] = {0, 1, 2};
    static const double others[] = {0, 3};
    static const uint32_t actions[] = {1, 0, 1};
    const xp__explore_labels_options options = {.hidden = HIDDEN,
                                                .actions = ACTIONS,
                                                .features = FEATURES,
                                                .rows = 3,
                                                .reward_rate = 1e-2,
                                                .novelty_rate = 1e-2,
                                                .scale = scale};
    xp_demos *demos;
    EXPECT(xp_demos_create(1, ACTIONS, &demos, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, states, actions, 3, 5, NULL) == XP_OK);
    EXPECT(xp_demos_add(demos, others, actions, 2, 1, NULL) == XP_OK);
    EXPECT(xp__encoded_demos_init(&self->demos, &few_states, demos, NULL, NULL) == XP_OK);
    xp_demos_destroy(demos);
    EXPECT(xp__explore_labels_init(&self->labels, &options, &self->demos.input, NULL) == XP_OK);
    EXPECT(xp__net_parameter_count(self->labels.reward) <= ROOM);
    const xp_rng rng = xp_rng_seed(seed);
    xp__explore_labels_reset(&self->labels, &rng, &self->demos);
}

static void labelling_deinit(labelling *self) {
    xp__explore_labels_deinit(&self->labels);
    xp__encoded_demos_deinit(&self->demos);
}

CLAIM(a_label_is_the_modelled_reward_and_the_scaled_novelty) {
    labelling at;
    labelling_init(&at, 0.7, 1);
    double unit = 0;
    for (size_t state = 0; state < 4; state++) {
        unit += (plain_novelty(&at.labels, state, 0) + plain_novelty(&at.labels, state, 1)) / 8;
    }
    EXPECT_NEAR(at.labels.unit / unit, 1, 1e-4);

    const uint32_t rows[3] = {0, 2, 5};
    const float counts[6] = {1, 0, 0, 2, 1, 1}, sums[6] = {1, 0, 0, -3, 0, 2};
    for (int i = 0; i < 20; i++) {
        xp__net_td td = {
            .draws = 5, .members = 1, .actions = ACTIONS, .counts = counts, .targets = sums};
        xp__explore_labels_fit(&at.labels, rows, 3, &td);
        xp__explore_labels_visit(&at.labels, &rows[i % 3], (size_t)i % 2);
    }
    float label[3 * ACTIONS];
    xp__explore_labels_of(&at.labels, rows, 3, label);
    for (size_t i = 0; i < 3; i++) {
        double reward[ACTIONS];
        plain_forward(at.labels.reward, 0, rows[i], reward);
        for (size_t a = 0; a < ACTIONS; a++) {
            const double wanted =
                reward[a] + 0.7 * plain_novelty(&at.labels, rows[i], a) / at.labels.unit;
            EXPECT_NEAR(label[i * ACTIONS + a], wanted, 1e-4);
        }
    }
    labelling_deinit(&at);
}

CLAIM(a_visit_is_one_step_and_makes_its_pair_less_new_and_no_other_much) {
    double other = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        labelling at;
        labelling_init(&at, 1, seed);
        const uint32_t visited = 1, other_state = 4;
        const double before = plain_novelty(&at.labels, visited, 0);
        const double other_before = plain_novelty(&at.labels, other_state, 1);
        for (uint64_t i = 1; i <= 200; i++) {
            xp__explore_labels_visit(&at.labels, &visited, 0);
            EXPECT(xp__net_steps(at.labels.predictor) == i);
        }
        EXPECT(xp__net_steps(at.labels.frozen) == 0);
        EXPECT(plain_novelty(&at.labels, visited, 0) < 0.05 * before);
        other += plain_novelty(&at.labels, other_state, 1) / other_before / 10;
        labelling_deinit(&at);
    }
    EXPECT(other > 0.5);
}

/* Rewards 1 and 0 on the same pair: the squared error is least at their mean. */
CLAIM(the_reward_model_finds_the_mean_reward_of_a_pair) {
    labelling at;
    labelling_init(&at, 0, 3);
    const uint32_t rows[2] = {1, 3};
    const float counts[4] = {4, 0, 0, 2}, sums[4] = {1, 0, 0, -4};
    for (int i = 0; i < 2000; i++) {
        xp__net_td td = {
            .draws = 6, .members = 1, .actions = ACTIONS, .counts = counts, .targets = sums};
        xp__explore_labels_fit(&at.labels, rows, 2, &td);
    }
    float label[2 * ACTIONS];
    xp__explore_labels_of(&at.labels, rows, 2, label);
    EXPECT_NEAR(label[0], 0.25, 1e-2);
    EXPECT_NEAR(label[3], -2, 1e-2);
    labelling_deinit(&at);
}

/* Central differences with a step that is exact in float: an error of order step². */
static void check_slopes(bool reverse) {
    enum { ROWS = 4, WIDE = 3 };
    xp_rng rng = xp_rng_seed(5);
    const float step = 0x1p-9F, weights[ROWS] = {1, 3, 2, 1};
    float logits[ROWS * WIDE], slope[ROWS * WIDE], unused[ROWS * WIDE], q[2 * ROWS * WIDE];
    for (size_t i = 0; i < ROWS * WIDE; i++) {
        logits[i] = (float)(round(xp_rng_normal(&rng) * 64) / 64);
        q[i] = (float)xp_rng_normal(&rng);
        q[ROWS * WIDE + i] = (float)xp_rng_normal(&rng);
    }
    xp__sac_actor actor = {.critics = 2,
                           .actions = WIDE,
                           .draws = 7,
                           .temperature = 0.3,
                           .weights = weights,
                           .q = q,
                           .reverse = reverse};
    (void)xp__sac_actor_loss(&actor, 0, ROWS, logits, slope);
    for (size_t i = 0; i < ROWS * WIDE; i++) {
        const float at = logits[i];
        logits[i] = at + step;
        const double above = xp__sac_actor_loss(&actor, 0, ROWS, logits, unused);
        logits[i] = at - step;
        const double below = xp__sac_actor_loss(&actor, 0, ROWS, logits, unused);
        logits[i] = at;
        EXPECT_NEAR(slope[i], (above - below) / (2 * (double)step), 1e-6);
    }
}

CLAIM(the_actors_slopes_are_the_derivatives_of_its_loss) {
    check_slopes(false);
    check_slopes(true);
}

/* KL(π, t) of two actions by hand: t = (1/4, 3/4) at temperature 1 from Q = (0, log 3). */
CLAIM(the_textbooks_divergence_is_weighted_by_the_policy) {
    const float logits[2] = {0, 0}, q[2] = {0, logf(3)}, weight = 1;
    float slope[2];
    xp__sac_actor actor = {.critics = 1,
                           .actions = 2,
                           .draws = 1,
                           .temperature = 1,
                           .weights = &weight,
                           .q = q,
                           .reverse = true};
    EXPECT_NEAR(xp__sac_actor_loss(&actor, 0, 1, logits, slope), 0.5 * log(2) + 0.5 * log(2.0 / 3),
                1e-6);
    EXPECT_NEAR(slope[0], 0.25 * log(3), 1e-6);
    EXPECT_NEAR(slope[1], -0.25 * log(3), 1e-6);
}

/* π - t, where the KL the other way round would have a slope of e^-40. */
CLAIM(a_policy_that_has_hardened_still_turns) {
    const float logits[2] = {20, -20}, q[2] = {0, 1}, weight = 1;
    float slope[2];
    xp__sac_actor actor = {
        .critics = 1, .actions = 2, .draws = 1, .temperature = 1, .weights = &weight, .q = q};
    const double wanted = 1 / (1 + exp(-1.0));
    const double loss = xp__sac_actor_loss(&actor, 0, 1, logits, slope);
    EXPECT_NEAR(slope[0], wanted, 1e-6);
    EXPECT_NEAR(slope[1], -wanted, 1e-6);
    const double entropy = -wanted * log(wanted) - (1 - wanted) * log(1 - wanted);
    EXPECT_NEAR(loss, 40 * wanted - entropy, 1e-5);
}

CLAIM(a_state_drawn_three_times_weighs_as_three_rows) {
    enum { WIDE = 3 };
    const float one[WIDE] = {0.5F, -1, 0.25F}, weight = 3, each[3] = {1, 1, 1};
    const float q[2 * WIDE] = {1, 2, 0, 0.5F, 3, 1};
    float logits[3 * WIDE], many_q[2 * 3 * WIDE], slope[WIDE], slopes[3 * WIDE];
    for (size_t i = 0; i < 3; i++) {
        memcpy(logits + i * WIDE, one, sizeof one);
        memcpy(many_q + i * WIDE, q, WIDE * sizeof *q);
        memcpy(many_q + (3 + i) * WIDE, q + WIDE, WIDE * sizeof *q);
    }
    xp__sac_actor actor = {
        .critics = 2, .actions = WIDE, .draws = 3, .temperature = 0.5, .weights = &weight, .q = q};
    const double loss = xp__sac_actor_loss(&actor, 0, 1, one, slope);
    const double entropy = actor.entropy;
    actor.weights = each;
    actor.q = many_q;
    EXPECT_NEAR(xp__sac_actor_loss(&actor, 0, 3, logits, slopes), loss, 1e-12);
    EXPECT_NEAR(actor.entropy, entropy, 1e-12);
    for (size_t a = 0; a < WIDE; a++) {
        EXPECT_NEAR(slopes[a] + slopes[WIDE + a] + slopes[2 * WIDE + a], slope[a], 1e-6);
    }
}

static xp__sac_options sac_options(void) {
    return (xp__sac_options){.critics = 2,
                             .hidden = HIDDEN,
                             .actions = ACTIONS,
                             .batch = 8,
                             .critic_rate = 1e-2,
                             .policy_rate = 1e-2,
                             .temperature_rate = 1e-2,
                             .temperature = 0.2,
                             .entropy = 0.5 * log(2.0),
                             .entropy_backup = 0.75,
                             .discount = 0.9,
                             .tau = 0.1,
                             .target_every = 1};
}

static void sac_init(xp__sac *sac, const xp__sac_options *options, uint64_t seed) {
    xp__state_input input;
    EXPECT(xp__state_input_init(&input, &few_states, NULL) == XP_OK);
    EXPECT(xp__sac_init(sac, options, &input, NULL) == XP_OK);
    const xp_rng rng = xp_rng_seed(seed);
    xp__sac_reset(sac, &rng);
}

/* π(· | state) and its entropy, plainly. */
static double plain_policy(const xp__sac *sac, size_t state, double *p) {
    double z[ACTIONS];
    plain_forward(sac->policy, 0, state, z);
    p[1] = 1 / (1 + exp(z[0] - z[1]));
    p[0] = 1 - p[1];
    return -p[0] * log(p[0]) - p[1] * log(p[1]);
}

/* Σ_b π(b) min_i Q̄_i(state, b) + backup · α entropy. */
static double plain_value(const xp__sac *sac, size_t state) {
    double p[ACTIONS], one[ACTIONS], two[ACTIONS];
    const double entropy = plain_policy(sac, state, p);
    plain_forward(sac->target, 0, state, one);
    plain_forward(sac->target, 1, state, two);
    return p[0] * fmin(one[0], two[0]) + p[1] * fmin(one[1], two[1]) +
           sac->options.entropy_backup * xp__sac_temperature(sac) * entropy;
}

static const struct {
    uint32_t state, action, next; /* next UINT32_MAX: the end */
    float reward;
} plain_batch[] = {{0, 1, 2, 1},     {2, 0, UINT32_MAX, 5}, {0, 1, 3, -1}, {0, 0, 2, 0.5F},
                   {4, 1, 4, 0.25F}, {2, 0, 0, 2},          {0, 1, 2, 1},  {5, 0, UINT32_MAX, 1}};
enum { DRAWS = sizeof plain_batch / sizeof plain_batch[0] };

static void add_plain_batch(xp__sac *sac) {
    for (size_t i = 0; i < DRAWS; i++) {
        xp__sac_add(sac, &plain_batch[i].state, plain_batch[i].action, plain_batch[i].reward,
                    plain_batch[i].next == UINT32_MAX ? NULL : &plain_batch[i].next);
    }
}

/* States 0, 2, 4, 5 in order of appearance. */
CLAIM(critics_are_drawn_to_the_soft_value_of_what_follows) {
    xp__sac sac;
    const xp__sac_options options = sac_options();
    const size_t row_of[STATES] = {0, 9, 1, 9, 2, 3};
    sac_init(&sac, &options, 4);
    for (int round = 0; round < 30; round++) {
        double sum[4 * ACTIONS] = {0}, count[4 * ACTIONS] = {0};
        for (size_t i = 0; i < DRAWS; i++) {
            const double later =
                plain_batch[i].next == UINT32_MAX ? 0 : plain_value(&sac, plain_batch[i].next);
            const size_t cell = row_of[plain_batch[i].state] * ACTIONS + plain_batch[i].action;
            sum[cell] += plain_batch[i].reward + 0.9 * later;
            count[cell] += 1;
        }
        add_plain_batch(&sac);
        xp__sac_update(&sac); /* leaves what it was drawn to */
        for (size_t cell = 0; cell < 4 * ACTIONS; cell++) {
            EXPECT_NEAR(sac.counts[cell], count[cell], 0);
            EXPECT_NEAR(sac.targets[cell * 2], sum[cell], 1e-5);
            EXPECT_NEAR(sac.targets[cell * 2 + 1], sum[cell], 1e-5);
        }
    }
    EXPECT(sac.draws == 0 && sac.updates == 30);
    xp__sac_deinit(&sac);
}

/* With Adam's first step the size of the gradient does not matter: log α moves by its rate. No
 * policy has less entropy than none or, of two actions, more than log 2. */
CLAIM(temperature_falls_above_the_wanted_entropy_and_rises_below) {
    for (int below = 0; below < 2; below++) {
        xp__sac sac;
        xp__sac_options options = sac_options();
        options.entropy = below ? 2 : 0;
        sac_init(&sac, &options, 4);
        add_plain_batch(&sac);
        double wanted = 0, p[ACTIONS];
        for (size_t i = 0; i < DRAWS; i++) {
            wanted += plain_policy(&sac, plain_batch[i].state, p) / DRAWS;
        }
        xp__sac_update(&sac);
        EXPECT_NEAR(sac.entropy, wanted, 1e-5);
        EXPECT_NEAR(log(xp__sac_temperature(&sac) / 0.2), below ? 1e-2 : -1e-2, 1e-6);
        xp__sac_deinit(&sac);
    }
}

/* Two actions worth 1 and 0, once: π(best) = 1 / (1 + exp(-1/α)). Half of the greatest entropy is
 * at π = 0.8900, where log(π / (1 - π)) = 2.0906 (bisection), so α = 0.4783. */
CLAIM(temperature_settles_where_the_policy_has_the_wanted_entropy) {
    xp__sac sac;
    xp__sac_options options = sac_options();
    options.critic_rate = options.policy_rate = options.temperature_rate = 3e-3;
    sac_init(&sac, &options, 6);
    const uint32_t state = 1;
    for (int i = 0; i < 3000; i++) {
        for (size_t draw = 0; draw < options.batch; draw++) {
            xp__sac_add(&sac, &state, draw % 2, draw % 2 == 1 ? 1 : 0, NULL);
        }
        xp__sac_update(&sac);
    }
    double p[ACTIONS];
    xp__sac_policy(&sac, &state, p);
    EXPECT_NEAR(p[1], 0.89, 0.01);
    EXPECT_NEAR(xp__sac_temperature(&sac), 0.4783, 0.02);
    EXPECT(xp__sac_greedy(&sac, &state) == 1);
    xp__sac_deinit(&sac);
}

CLAIM(temperature_stays_within_bounds_and_acting_defined_whatever_happens) {
    xp__sac sac;
    xp__sac_options options = sac_options();
    options.entropy = 2; /* no policy of two actions has it */
    options.temperature_rate = 1;
    sac_init(&sac, &options, 4);
    for (int i = 0; i < 50; i++) {
        add_plain_batch(&sac);
        xp__sac_update(&sac);
    }
    EXPECT_NEAR(xp__sac_temperature(&sac) / XP__SAC_TEMPERATURE_MAX, 1, 1e-9);
    for (size_t i = 0; i < xp__net_parameter_count(sac.policy); i++) {
        parameters[i] = NAN;
    }
    xp__net_set(sac.policy, 0, parameters);
    const uint32_t state = 3;
    double p[ACTIONS];
    xp__sac_policy(&sac, &state, p);
    EXPECT(p[0] == 0.5 && p[1] == 0.5);
    EXPECT(xp__sac_greedy(&sac, &state) < ACTIONS);
    add_plain_batch(&sac);
    xp__sac_update(&sac);
    xp__sac_deinit(&sac);
}

/* target_every updates at a time, each with weight tau, as if the critics had stood still. */
CLAIM(the_target_follows_the_critics_by_polyak_averaging) {
    static const struct {
        double tau;
        size_t every;
        double share;
    } cases[] = {{1, 1, 1}, {0, 1, 0}, {0.1, 1, 0.1}, {0.1, 3, 1 - 0.9 * 0.9 * 0.9}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        xp__sac sac;
        xp__sac_options options = sac_options();
        options.tau = cases[c].tau;
        options.target_every = cases[c].every;
        sac_init(&sac, &options, 8);
        static float first[ROOM], online[ROOM], now[ROOM];
        const size_t count = xp__net_parameter_count(sac.critic);
        EXPECT(count <= ROOM);
        xp__net_get(sac.target, 1, first);
        xp__net_get(sac.critic, 1, now);
        EXPECT(memcmp(first, now, count * sizeof *now) == 0);
        for (size_t i = 0; i < cases[c].every; i++) {
            xp__net_get(sac.target, 1, now);
            EXPECT(memcmp(first, now, count * sizeof *now) == 0);
            add_plain_batch(&sac);
            xp__sac_update(&sac);
        }
        xp__net_get(sac.target, 1, now);
        xp__net_get(sac.critic, 1, online);
        double worst = 0, moved = 0;
        for (size_t i = 0; i < count; i++) {
            const double wanted = first[i] + cases[c].share * ((double)online[i] - first[i]);
            worst = fmax(worst, fabs(now[i] - wanted));
            moved = fmax(moved, fabs((double)online[i] - first[i]));
        }
        EXPECT(worst < 1e-6);
        EXPECT(moved > 5e-3);
        xp__sac_deinit(&sac);
    }
}
