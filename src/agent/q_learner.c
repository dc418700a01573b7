/* q_learner.c: see q_learner.h. */
#include "agent/q_learner.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { STREAM_NETWORKS, STREAM_NOISE, STREAM_BATCHES };

static xp_rng stream(const xp__q_learner *learner, uint64_t which) {
    const xp_rng root = xp_rng_seed(learner->run);
    return xp_rng_fork(&root, which);
}

static xp_status allocate(xp__q_learner *learner, xp_error *error) {
    const xp__q_learner_options *o = &learner->options;
    const size_t period = o->target_every * o->batch, cells = o->batch * o->actions;
    const size_t heads = o->members * sizeof(float);
    learner->drawn = xp__alloc(period, sizeof learner->drawn[0]);
    learner->next = xp__alloc(period, sizeof learner->next[0]);
    learner->value = xp__alloc(period, heads);
    learner->counts = xp__alloc(cells, o->mask < 1 ? heads : sizeof(float));
    learner->targets = xp__alloc(cells, heads);
    if (learner->drawn == NULL || learner->next == NULL || learner->value == NULL ||
        learner->counts == NULL || learner->targets == NULL) {
        return xp__no_memory(error);
    }
    const size_t row_bytes = learner->input.row_bytes;
    xp_status status = xp__row_set_init(&learner->ahead, row_bytes, period, error);
    if (status == XP_OK) {
        status = xp__row_set_init(&learner->rows, row_bytes, o->batch, error);
    }
    return status;
}

xp_status xp__q_learner_init(xp__q_learner *learner, const xp__q_learner_options *options,
                             const xp__state_input *input, xp_error *error) {
    *learner = (xp__q_learner){.options = *options, .input = *input};
    if (options->buffer < options->target_every) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "buffer = %zu is less than target_every = %zu: batches are drawn that "
                            "many updates ahead",
                            options->buffer, options->target_every);
    }
    xp_net_options net = xp_net_options_default(input->inputs, options->actions, input->hot);
    net.members = options->members;
    net.hidden = options->hidden;
    net.rows = options->batch + options->extra_rows;
    net.learning_rate = options->learning_rate;
    xp_status status = xp_net_create(&net, NULL, &learner->net, error);
    if (status == XP_OK) {
        const xp__replay_options replay = {.capacity = options->buffer,
                                           .members = options->members,
                                           .row_bytes = input->row_bytes,
                                           .noise = options->noise,
                                           .mask = options->mask};
        status = xp__replay_init(&learner->replay, &replay, error);
    }
    if (status == XP_OK) {
        status = allocate(learner, error);
    }
    if (status != XP_OK) {
        xp__q_learner_deinit(learner);
    }
    return status;
}

void xp__q_learner_deinit(xp__q_learner *learner) {
    xp_net_destroy(learner->net);
    xp__replay_deinit(&learner->replay);
    xp__row_set_deinit(&learner->ahead);
    xp__row_set_deinit(&learner->rows);
    xp__free(learner->drawn);
    xp__free(learner->next);
    xp__free(learner->value);
    xp__free(learner->counts);
    xp__free(learner->targets);
    *learner = (xp__q_learner){.net = NULL};
}

void xp__q_learner_reset(xp__q_learner *learner, uint64_t run) {
    xp__replay_clear(&learner->replay);
    learner->run = run;
    learner->updates = 0;
}

xp_rng xp__q_learner_networks(const xp__q_learner *learner) {
    return stream(learner, STREAM_NETWORKS);
}

/* Draws the batches of the period that begins, and evaluates their next states. */
static void look_ahead(xp__q_learner *learner) {
    const xp__q_learner_options *o = &learner->options;
    const xp__replay *replay = &learner->replay;
    const xp_rng batches = stream(learner, STREAM_BATCHES);
    xp__row_set_clear(&learner->ahead);
    for (size_t k = 0; k < o->target_every; k++) {
        xp_rng rng = xp_rng_fork(&batches, learner->updates + k);
        for (size_t i = k * o->batch; i < (k + 1) * o->batch; i++) {
            learner->drawn[i] = xp__replay_draw(replay, &rng, k);
            const size_t slot = xp__replay_slot(replay, learner->drawn[i]);
            const void *row = replay->next_states + slot * learner->input.row_bytes;
            bool is_new;
            learner->next[i] = replay->ends[slot]
                                   ? UINT32_MAX
                                   : (uint32_t)xp__row_set_add(&learner->ahead, row, &is_new);
        }
    }
    const xp_net_rows rows =
        xp__state_input_rows(&learner->input, learner->ahead.count, learner->ahead.rows);
    xp_net_max(learner->net, 0, o->members, &rows, learner->value);
}

/* Adds draw number i of the period to the batch. Draws of the same state share a row; those of the
 * same state and action add up: the gradient of a squared loss needs only their number and the sum
 * of their targets, whatever their outcomes. */
static void add_draw(xp__q_learner *learner, size_t i) {
    const xp__replay *replay = &learner->replay;
    const size_t members = learner->options.members, actions = learner->options.actions;
    const size_t slot = xp__replay_slot(replay, learner->drawn[i]);
    const size_t wide = replay->keeps != NULL ? members : 1;
    bool is_new;
    const size_t row =
        xp__row_set_add(&learner->rows, replay->states + slot * learner->input.row_bytes, &is_new);
    const size_t cell = row * actions + replay->actions[slot];
    if (is_new) {
        memset(learner->counts + row * actions * wide, 0, actions * wide * sizeof(float));
        memset(learner->targets + row * actions * members, 0, actions * members * sizeof(float));
    }
    float *sum = learner->targets + cell * members, *count = learner->counts + cell * wide;
    const float reward = replay->rewards[slot], *noise = replay->noises + slot * members;
    const float *value =
        learner->next[i] == UINT32_MAX ? NULL : learner->value + learner->next[i] * members;
    if (replay->keeps == NULL) {
        *count += 1;
        for (size_t m = 0; m < members; m++) {
            sum[m] += reward + noise[m] + (value != NULL ? value[m] : 0);
        }
        return;
    }
    const float *keep = replay->keeps + slot * members;
    for (size_t m = 0; m < members; m++) {
        count[m] += keep[m];
        sum[m] += keep[m] * (reward + noise[m] + (value != NULL ? value[m] : 0));
    }
}

static void update(xp__q_learner *learner) {
    const xp__q_learner_options *o = &learner->options;
    const size_t turn = (size_t)(learner->updates % o->target_every);
    if (turn == 0) {
        look_ahead(learner);
    }
    xp__row_set_clear(&learner->rows);
    for (size_t i = turn * o->batch; i < (turn + 1) * o->batch; i++) {
        add_draw(learner, i);
    }
    xp_net_td td = {.draws = (double)o->batch,
                    .members = o->members,
                    .actions = o->actions,
                    .counts = learner->counts,
                    .targets = learner->targets,
                    .counts_by_member = learner->replay.keeps != NULL};
    const xp_net_rows rows =
        xp__state_input_rows(&learner->input, learner->rows.count, learner->rows.rows);
    if (o->move != NULL) {
        o->move(o->context, &rows, &td);
    } else {
        xp_net_train(learner->net, &rows, xp_net_td_loss, &td, NULL);
    }
    learner->updates++;
}

void xp__q_learner_observe(xp__q_learner *learner, const double *state, size_t action,
                           double reward, const double *next_state, bool end) {
    assert(action < learner->options.actions);
    xp__replay *replay = &learner->replay;
    const size_t row_bytes = learner->input.row_bytes;
    const xp_rng noise = stream(learner, STREAM_NOISE);
    const size_t slot = xp__replay_add(replay, &noise);
    xp__state_input_row(&learner->input, state, replay->states + slot * row_bytes);
    if (!end) {
        xp__state_input_row(&learner->input, next_state, replay->next_states + slot * row_bytes);
    }
    replay->actions[slot] = (uint32_t)action;
    replay->rewards[slot] = (float)reward;
    replay->ends[slot] = end;
    if (replay->written > learner->options.warmup) {
        update(learner);
    }
}

/* A normal cut at two standard deviations, scaled to variance 1. */
static double cut_normal(xp_rng *rng) {
    const double deviation = 0.87962566103423978; /* of a standard normal cut at ±2 */
    double x;
    do {
        x = xp_rng_normal(rng);
    } while (fabs(x) > 2);
    return x / deviation;
}

/* weight[out][in] of variance 1 / in, drawn input by input; returns what follows its biases, which
 * are zero. */
static float *draw_layer(xp_rng *rng, size_t in, size_t out, bool by_input, float *weight) {
    const double scale = 1 / sqrt((double)in);
    for (size_t i = 0; i < in * out; i++) {
        const size_t at = by_input ? i % out * in + i / out : i;
        weight[at] = (float)(scale * cut_normal(rng));
    }
    memset(weight + in * out, 0, out * sizeof *weight);
    return weight + (in + 1) * out;
}

void xp__q_networks_draw(xp_net *net, const xp_rng *rng, float *parameters) {
    const xp_net_options *o = xp_net_get_options(net);
    xp_net_reset_optimiser(net);
    for (size_t member = 0; member < o->members; member++) {
        xp_rng own = xp_rng_fork(rng, member);
        float *at = draw_layer(&own, o->inputs, o->hidden, true, parameters);
        at = draw_layer(&own, o->hidden, o->hidden, true, at);
        (void)draw_layer(&own, o->hidden, o->actions, false, at);
        xp_net_set(net, member, parameters);
    }
}
