/* The learner of bootstrapped DQN against the plain algorithm: a target network that is stored and
 * copied, every draw a row of its own, Adam on every row. */
#include "claim.h"

#include "agent/states/learner.h"
#include "net/net.h"

#include <math.h>
#include <string.h>

enum { ACTIONS = 3, MEMBERS = 4, HIDDEN = 20, BATCH = 32, BUFFER = 60, WARMUP = 25, EVERY = 4 };
enum { STEPS = 130, MAX_CELLS = 16, STATE = 2 };

/* A row of inputs of either kind. */
typedef union cells {
    uint32_t hot[MAX_CELLS];
    float dense[MAX_CELLS];
} cells;

/* A transition as it came, with what the learner drew for it. */
typedef struct seen {
    cells row, next;
    size_t action;
    float reward, noise[MEMBERS], keep[MEMBERS];
    bool end;
} seen;

typedef struct plain {
    xp__net *online, *target;
    seen history[STEPS];
    float y[BATCH][MEMBERS];
    const seen *draw[BATCH];
} plain;

static double plain_loss(void *context, size_t member, size_t rows, const float *q, float *slope) {
    const plain *self = context;
    memset(slope, 0, rows * ACTIONS * sizeof *slope);
    for (size_t i = 0; i < rows; i++) {
        const size_t a = self->draw[i]->action;
        slope[i * ACTIONS + a] = self->draw[i]->keep[member] * 2 *
                                 (q[i * ACTIONS + a] - self->y[i][member]) / (float)rows;
    }
    return 0;
}

static void copy(xp__net *to, const xp__net *from) {
    for (size_t member = 0; member < MEMBERS; member++) {
        xp__net_copy_member(to, member, from, member);
    }
}

static void plain_update(plain *self, const xp__state_input *input, const uint64_t *drawn) {
    union {
        unsigned char bytes[BATCH * sizeof(cells)];
        cells typed[BATCH];
    } rows;
    for (size_t i = 0; i < BATCH; i++) {
        const seen *draw = self->draw[i] = &self->history[drawn[i]];
        const xp__net_rows next = xp__state_input_rows(input, 1, &draw->next);
        memcpy(rows.bytes + i * input->row_bytes, &draw->row, input->row_bytes);
        for (size_t m = 0; m < MEMBERS; m++) {
            float q[ACTIONS], best = 0;
            if (!draw->end) {
                xp__net_q(self->target, m, 1, &next, q);
                best = fmaxf(q[0], fmaxf(q[1], q[2]));
            }
            self->y[i][m] = draw->reward + draw->noise[m] + best;
        }
    }
    const xp__net_rows batch = xp__state_input_rows(input, BATCH, &rows.typed);
    xp__net_train(self->online, &batch, plain_loss, self, NULL);
}

/* A walk in which the same state and action have several outcomes. */
static void walk(xp_rng *rng, const size_t *categories, double *state) {
    for (size_t j = 0; j < STATE; j++) {
        state[j] = categories[j] == 0 ? xp_rng_normal(rng)
                                      : (double)xp_rng_below(rng, categories[j] + 1) - 1;
    }
}

static double difference(const xp__net *a, const xp__net *b, const xp__state_input *input,
                         const size_t *categories) {
    xp_rng rng = xp_rng_seed(99);
    double most = 0;
    for (int i = 0; i < 200; i++) {
        double state[STATE];
        cells row;
        float qa[MEMBERS * ACTIONS], qb[MEMBERS * ACTIONS];
        walk(&rng, categories, state);
        xp__state_input_row(input, state, &row);
        const xp__net_rows rows = xp__state_input_rows(input, 1, &row);
        xp__net_q(a, 0, MEMBERS, &rows, qa);
        xp__net_q(b, 0, MEMBERS, &rows, qb);
        for (size_t k = 0; k < MEMBERS * ACTIONS; k++) {
            most = fmax(most, fabs((double)qa[k] - (double)qb[k]));
        }
    }
    return most;
}

static void note(seen *one, const xp__learner *learner, size_t slot, size_t action, float reward,
                 bool end) {
    const xp__replay *replay = &learner->replay;
    const size_t bytes = learner->input.row_bytes;
    memcpy(&one->row, replay->states + slot * bytes, bytes);
    memcpy(&one->next, replay->next_states + slot * bytes, bytes);
    one->action = action;
    one->reward = reward;
    one->end = end;
    for (size_t m = 0; m < MEMBERS; m++) {
        one->noise[m] = replay->noises[slot * MEMBERS + m];
        one->keep[m] = replay->keeps != NULL ? replay->keeps[slot * MEMBERS + m] : 1;
    }
}

/* A learner with its first networks. */
static void begin_learner(xp__learner *learner, xp__state_input *input, const size_t *categories,
                          size_t every, double mask) {
    const xp_env_info env = {.actions = ACTIONS, .state_size = STATE, .categories = categories};
    const xp__learner_options options = {.members = MEMBERS,
                                         .hidden = HIDDEN,
                                         .actions = ACTIONS,
                                         .learning_rate = 1e-3,
                                         .batch = BATCH,
                                         .buffer = BUFFER,
                                         .warmup = WARMUP,
                                         .target_every = every,
                                         .noise = 0.1,
                                         .mask = mask};
    EXPECT(xp__state_input_init(input, &env, NULL) == XP_OK);
    EXPECT(xp__learner_init(learner, &options, input, NULL) == XP_OK);
    xp__learner_reset(learner, 5);
    const xp_rng networks = xp__learner_networks(learner);
    xp__net_draw(learner->heads, &networks);
}

/* Runs both side by side; returns the largest difference in Q after about a hundred updates. */
static double compare(const size_t *categories, double mask, double *moved) {
    xp__state_input input;
    xp__learner learner;
    static plain self;
    begin_learner(&learner, &input, categories, EVERY, mask);
    xp__net_options plainly = *xp__net_get_options(learner.heads);
    plainly.savings = 0;
    EXPECT(xp__net_create(&plainly, NULL, &self.online, NULL) == XP_OK);
    EXPECT(xp__net_create(&plainly, NULL, &self.target, NULL) == XP_OK);
    copy(self.online, learner.heads);
    const xp_rng networks = xp__learner_networks(&learner);
    xp__net *first;
    EXPECT(xp__net_create(&plainly, &networks, &first, NULL) == XP_OK);
    xp_rng rng = xp_rng_seed(6);
    double state[STATE], next[STATE];
    walk(&rng, categories, state);
    for (uint64_t serial = 0; serial < STEPS; serial++) {
        const size_t action = (size_t)xp_rng_below(&rng, ACTIONS);
        const double reward = xp_rng_normal(&rng);
        const bool end = xp_rng_bernoulli(&rng, 0.2);
        const uint64_t before = learner.updates;
        walk(&rng, categories, next);
        xp__learner_observe(&learner, state, action, reward, next, end);
        note(&self.history[serial], &learner, (size_t)(serial % BUFFER), action, (float)reward,
             end);
        EXPECT(learner.updates == (serial < WARMUP ? 0 : serial + 1 - WARMUP));
        if (learner.updates > before) {
            const uint64_t turn = before % EVERY;
            if (turn == 0) {
                copy(self.target, self.online);
            }
            for (size_t i = 0; i < BATCH; i++) {
                const uint64_t drawn = learner.drawn[turn * BATCH + i];
                EXPECT(drawn + turn <= serial && drawn + BUFFER > serial);
            }
            plain_update(&self, &input, learner.drawn + turn * BATCH);
        }
        memcpy(state, next, sizeof state);
    }
    for (size_t head = 0; head < MEMBERS; head++) {
        (void)xp__learner_head(&learner, head);
    }
    const double gap = difference(learner.heads, self.online, &input, categories);
    *moved = difference(learner.heads, first, &input, categories);
    xp__net_destroy(first);
    xp__net_destroy(self.online);
    xp__net_destroy(self.target);
    xp__learner_deinit(&learner);
    return gap;
}

/* Floats of order 1 round by 1e-7; rectifiers that flip may make more of it. */
CLAIM(it_learns_what_the_plain_algorithm_with_a_target_network_learns) {
    static const size_t few_hot[STATE] = {5, 3}, dense[STATE] = {4, 0};
    const struct {
        const size_t *categories;
        double mask;
    } cases[] = {{few_hot, 1}, {few_hot, 0.5}, {dense, 1}, {dense, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double moved;
        const double gap = compare(cases[i].categories, cases[i].mask, &moved);
        EXPECT_NEAR(gap, 0, 2e-5);
        EXPECT(moved > 0.1);
    }
}

CLAIM(networks_drawn_in_place_are_those_of_a_new_network) {
    xp__net_options options = xp__net_options_default(7, 3, 1);
    options.members = 3;
    options.hidden = 9;
    const xp_rng rng = xp_rng_seed(4);
    xp__net *made, *drawn;
    EXPECT(xp__net_create(&options, &rng, &made, NULL) == XP_OK);
    EXPECT(xp__net_create(&options, NULL, &drawn, NULL) == XP_OK);
    float a[1024], b[1024];
    const size_t count = xp__net_parameter_count(made);
    EXPECT(count <= 1024);
    xp__net_draw(drawn, &rng);
    for (size_t member = 0; member < options.members; member++) {
        xp__net_get(made, member, a);
        xp__net_get(drawn, member, b);
        EXPECT(memcmp(a, b, count * sizeof *a) == 0);
    }
    xp__net_destroy(made);
    xp__net_destroy(drawn);
}

CLAIM(a_buffer_shorter_than_a_period_is_refused) {
    const xp_env_info env = {.actions = 2};
    xp__state_input input;
    xp__learner learner;
    xp_error error;
    EXPECT(xp__state_input_init(&input, &env, NULL) == XP_OK);
    const xp__learner_options options = {.members = 2,
                                         .hidden = 4,
                                         .actions = 2,
                                         .learning_rate = 1e-3,
                                         .batch = 4,
                                         .buffer = 3,
                                         .warmup = 1,
                                         .target_every = 4,
                                         .mask = 1};
    EXPECT(xp__learner_init(&learner, &options, &input, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "buffer = 3 is less than target_every = 4");
}

/* Feeds a walk; `greedy`: one head is read after every transition. Returns member 1's parameters.
 */
static void learn(size_t every, bool greedy, float *parameters) {
    static const size_t categories[STATE] = {5, 3};
    xp__state_input input;
    xp__learner learner;
    begin_learner(&learner, &input, categories, every, 1);
    xp_rng rng = xp_rng_seed(6);
    double state[STATE], next[STATE];
    walk(&rng, categories, state);
    for (uint64_t serial = 0; serial < STEPS; serial++) {
        walk(&rng, categories, next);
        xp__learner_observe(&learner, state, (size_t)xp_rng_below(&rng, ACTIONS),
                            xp_rng_normal(&rng), next, false);
        if (greedy) {
            (void)xp__learner_head(&learner, (size_t)(serial * serial % MEMBERS));
        }
        memcpy(state, next, sizeof state);
    }
    xp__net_get(xp__learner_head(&learner, 1), 1, parameters);
    xp__learner_deinit(&learner);
}

CLAIM(a_head_learns_the_same_bits_whenever_heads_are_read) {
    static const size_t periods[] = {1, 4, 20}; /* 20 is more than the updates that can wait */
    static float at_once[4096], late[4096];
    for (size_t i = 0; i < sizeof periods / sizeof periods[0]; i++) {
        learn(periods[i], true, at_once);
        learn(periods[i], false, late);
        EXPECT(memcmp(at_once, late, sizeof late) == 0);
    }
    learn(1, false, at_once);
    EXPECT(memcmp(at_once, late, sizeof late) != 0); /* another period, another result */
}
