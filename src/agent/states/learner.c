/* learner.c: see learner.h. */
#include "agent/states/learner.h"

#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <string.h>

enum { STREAM_NETWORKS, STREAM_NOISE, STREAM_BATCHES, STREAM_ASKING };

static xp_rng stream(const xp__learner *learner, uint64_t which) {
    const xp_rng root = xp_rng_seed(learner->run);
    return xp_rng_fork(&root, which);
}

static xp_status update_init(xp__learner_update *update, const xp__learner *learner,
                             xp_error *error) {
    const xp__learner_options *o = &learner->options;
    update->cell = xp__alloc(o->batch, sizeof update->cell[0]);
    update->next = xp__alloc(o->batch, sizeof update->next[0]);
    update->reward = xp__alloc(o->batch, o->members * sizeof update->reward[0]);
    update->counts = xp__alloc(o->batch, o->actions * sizeof update->counts[0]);
    if (o->mask < 1) {
        update->keep = xp__alloc(o->batch, o->members * sizeof update->keep[0]);
    }
    if (update->cell == NULL || update->next == NULL || update->reward == NULL ||
        update->counts == NULL || (o->mask < 1 && update->keep == NULL)) {
        return xp__no_memory(error);
    }
    return xp__row_set_init(&update->rows, learner->input.row_bytes, o->batch, error);
}

static void update_deinit(xp__learner_update *update) {
    xp__row_set_deinit(&update->rows);
    xp__free(update->cell);
    xp__free(update->next);
    xp__free(update->reward);
    xp__free(update->keep);
    xp__free(update->counts);
}

/* Updates that wait at most: more do not make better use of a cache. */
enum { MOST_WAITING = 8 };

static size_t waiting_room(const xp__learner *learner) {
    const size_t every = learner->options.target_every;
    return every < MOST_WAITING ? every : MOST_WAITING;
}

static xp_status allocate(xp__learner *learner, xp_error *error) {
    const xp__learner_options *o = &learner->options;
    const size_t period = o->target_every * o->batch, cells = o->batch * o->actions;
    learner->drawn = xp__alloc(period, sizeof learner->drawn[0]);
    learner->next = xp__alloc(period, sizeof learner->next[0]);
    learner->value = xp__alloc(period + 1, o->members * sizeof learner->value[0]);
    learner->target = xp__alloc(cells, sizeof learner->target[0]);
    learner->count = xp__alloc(cells, sizeof learner->count[0]);
    learner->waiting = xp__alloc(waiting_room(learner), sizeof learner->waiting[0]);
    if (learner->drawn == NULL || learner->next == NULL || learner->value == NULL ||
        learner->target == NULL || learner->count == NULL || learner->waiting == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = xp__row_set_init(&learner->ahead, learner->input.row_bytes, period, error);
    for (size_t i = 0; status == XP_OK && i < waiting_room(learner); i++) {
        status = update_init(&learner->waiting[i], learner, error);
    }
    return status == XP_OK ? xp__net_deferred_init(&learner->deferred, learner->heads,
                                                   waiting_room(learner), period, error)
                           : status;
}

xp_status xp__learner_init(xp__learner *learner, const xp__learner_options *options,
                           const xp__state_input *input, xp_error *error) {
    *learner = (xp__learner){.options = *options, .input = *input, .unit = 1};
    if (options->buffer < options->target_every) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "buffer = %zu is less than target_every = %zu: batches are drawn that "
                            "many updates ahead",
                            options->buffer, options->target_every);
    }
    xp__net_options net = xp__net_options_default(input->inputs, options->actions, input->hot);
    net.members = options->members;
    net.hidden = options->hidden;
    net.rows = options->batch + options->extra_rows;
    net.learning_rate = options->learning_rate;
    xp_status status = xp__net_create(&net, NULL, &learner->heads, error);
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
        xp__learner_deinit(learner);
    }
    return status;
}

void xp__learner_deinit(xp__learner *learner) {
    for (size_t i = 0; learner->waiting != NULL && i < waiting_room(learner); i++) {
        update_deinit(&learner->waiting[i]);
    }
    xp__net_deferred_deinit(&learner->deferred);
    xp__net_destroy(learner->heads);
    xp__replay_deinit(&learner->replay);
    xp__row_set_deinit(&learner->ahead);
    xp__free(learner->drawn);
    xp__free(learner->next);
    xp__free(learner->value);
    xp__free(learner->target);
    xp__free(learner->count);
    xp__free(learner->waiting);
    *learner = (xp__learner){.heads = NULL};
}

const xp__net *xp__learner_head(xp__learner *learner, size_t head) {
    xp__net_deferred_catch_up(&learner->deferred, head);
    return learner->heads;
}

static float *values_of(const xp__learner *learner, size_t member) {
    const size_t period = learner->options.target_every * learner->options.batch;
    return learner->value + member * (period + 1);
}

xp_rng xp__learner_asking(const xp__learner *learner) {
    const xp_rng asking = stream(learner, STREAM_ASKING);
    return xp_rng_fork(&asking, learner->replay.written);
}

/* Draws the batches of the period that begins, all before any is looked at: what lies far away in a
 * large replay is asked for first. */
static void draw_ahead(xp__learner *learner) {
    const xp__learner_options *o = &learner->options;
    const xp__replay *replay = &learner->replay;
    const xp_rng batches = stream(learner, STREAM_BATCHES);
    for (size_t k = 0; k < o->target_every; k++) {
        xp_rng rng = xp_rng_fork(&batches, learner->updates + k);
        for (size_t i = k * o->batch; i < (k + 1) * o->batch; i++) {
            learner->drawn[i] = xp__replay_draw(replay, &rng, k);
            xp__replay_fetch_next(replay, learner->drawn[i]);
        }
    }
    xp__row_set_clear(&learner->ahead);
    for (size_t i = 0; i < o->target_every * o->batch; i++) {
        const size_t slot = xp__replay_slot(replay, learner->drawn[i]);
        const void *row = replay->next_states + slot * learner->input.row_bytes;
        bool is_new;
        learner->next[i] =
            replay->ends[slot] ? 0 : (uint32_t)xp__row_set_add(&learner->ahead, row, &is_new) + 1;
    }
}

/* Every head takes the updates that wait for it and evaluates the next states of `rows`, if any. */
static void catch_up(xp__learner *learner, const xp__net_rows *rows) {
    const size_t period = learner->options.target_every * learner->options.batch;
    xp__net_deferred_finish(&learner->deferred, rows, learner->value + 1, period + 1);
}

void xp__learner_reset(xp__learner *learner, uint64_t run) {
    xp__replay_clear(&learner->replay);
    catch_up(learner, &(xp__net_rows){.count = 0});
    learner->run = run;
    learner->updates = 0;
    learner->unit = 1;
}

xp_rng xp__learner_networks(const xp__learner *learner) {
    return stream(learner, STREAM_NETWORKS);
}

/* Draws that are asked for before they are used. */
enum { FETCH_AHEAD = 16 };

/* Adds draw number i of the batch that `drawn` begins with. Draws of the same state share a row. */
static void add_draw(xp__learner *learner, xp__learner_update *update, size_t i,
                     const uint64_t *drawn) {
    const xp__replay *replay = &learner->replay;
    const size_t members = learner->options.members, actions = learner->options.actions;
    const size_t slot = xp__replay_slot(replay, drawn[i]), batch = learner->options.batch;
    bool is_new;
    const size_t row =
        xp__row_set_add(&update->rows, replay->states + slot * learner->input.row_bytes, &is_new);
    if (is_new) {
        memset(update->counts + row * actions, 0, actions * sizeof update->counts[0]);
    }
    update->cell[i] = (uint32_t)(row * actions + replay->actions[slot]);
    update->counts[update->cell[i]] += 1;
    const float reward = (float)((double)replay->rewards[slot] / learner->unit);
    const float *noise = replay->noises + slot * members;
    for (size_t m = 0; m < members; m++) {
        update->reward[m * batch + i] = reward + noise[m];
    }
    for (size_t m = 0; update->keep != NULL && m < members; m++) {
        update->keep[m * batch + i] = replay->keeps[slot * members + m];
    }
}

/* Draws of the same state and action add up: the gradient of a squared loss needs only their number
 * and the sum of their targets, whatever their outcomes. */
static double update_loss(void *context, size_t member, size_t rows, const float *q,
                          float *restrict slope) {
    const xp__learner_update *update = context;
    const xp__learner *learner = update->learner;
    const size_t batch = learner->options.batch, cells = rows * learner->options.actions;
    const float *reward = update->reward + member * batch, *value = values_of(learner, member);
    const float *count = update->counts;
    float *restrict target = learner->target;
    memset(target, 0, cells * sizeof *target);
    if (update->keep == NULL) {
        for (size_t i = 0; i < batch; i++) {
            target[update->cell[i]] += reward[i] + value[update->next[i]];
        }
    } else {
        const float *keep = update->keep + member * batch;
        memset(learner->count, 0, cells * sizeof *learner->count);
        for (size_t i = 0; i < batch; i++) {
            learner->count[update->cell[i]] += keep[i];
            target[update->cell[i]] += keep[i] * (reward[i] + value[update->next[i]]);
        }
        count = learner->count;
    }
    const float scale = 2 / (float)batch;
    for (size_t cell = 0; cell < cells; cell++) {
        slope[cell] = scale * (count[cell] * q[cell] - target[cell]);
    }
    return 0;
}

static void update(xp__learner *learner) {
    const xp__learner_options *o = &learner->options;
    xp__net_deferred *deferred = &learner->deferred;
    const size_t turn = (size_t)(learner->updates % o->target_every);
    if (turn == 0) {
        draw_ahead(learner);
        const xp__net_rows ahead =
            xp__state_input_rows(&learner->input, learner->ahead.count, learner->ahead.rows);
        catch_up(learner, &ahead);
    } else if (deferred->count == deferred->room) {
        catch_up(learner, &(xp__net_rows){.count = 0});
    }
    xp__learner_update *update = &learner->waiting[deferred->count];
    update->learner = learner;
    xp__row_set_clear(&update->rows);
    memcpy(update->next, learner->next + turn * o->batch, o->batch * sizeof update->next[0]);
    const uint64_t *drawn = learner->drawn + turn * o->batch;
    for (size_t i = 0; i < o->batch + FETCH_AHEAD; i++) {
        if (i < o->batch) {
            xp__replay_fetch(&learner->replay, drawn[i]);
        }
        if (i >= FETCH_AHEAD) {
            add_draw(learner, update, i - FETCH_AHEAD, drawn);
        }
    }
    const xp__net_rows rows =
        xp__state_input_rows(&learner->input, update->rows.count, update->rows.rows);
    if (o->move != NULL) {
        o->move(o->context, &rows, update_loss, update);
    } else {
        xp__net_deferred_plan(deferred, &rows, update_loss, update);
    }
    learner->updates++;
}

void xp__learner_observe(xp__learner *learner, const double *state, size_t action, double reward,
                         const double *next_state, bool end) {
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

/* The batches that were drawn ahead and what their next states were worth at the synchronisation:
 * how many these are is told by the places that the draws have among them. */
static void archive_period(xp__learner *learner, xp__archive *archive) {
    const xp__learner_options *o = &learner->options;
    const size_t period = o->target_every * o->batch;
    uint32_t rows = 0;
    XP__ARCHIVE_ARRAY(archive, learner->drawn, period);
    XP__ARCHIVE_ARRAY(archive, learner->next, period);
    for (size_t i = 0; i < period; i++) {
        const bool valid =
            learner->drawn[i] < learner->replay.written && learner->next[i] <= period;
        xp__archive_check(archive, valid, "a batch has a transition that there is not");
        rows = valid && learner->next[i] > rows ? learner->next[i] : rows;
    }
    for (size_t member = 0; member < o->members; member++) {
        xp__archive_floats(archive, values_of(learner, member) + 1, rows, -FLT_MAX);
    }
}

void xp__learner_archive(xp__learner *learner, xp__archive *archive) {
    const xp__learner_options *o = &learner->options;
    catch_up(learner, &(xp__net_rows){.count = 0});
    xp__net_archive(learner->heads, archive);
    XP__ARCHIVE(archive, learner->run);
    const xp_rng noise = stream(learner, STREAM_NOISE);
    xp__replay_archive(&learner->replay, &noise, &learner->input, o->actions, archive);
    XP__ARCHIVE(archive, learner->updates);
    const uint64_t seen = learner->replay.written;
    xp__archive_check(archive, learner->updates == (seen > o->warmup ? seen - o->warmup : 0),
                      "updates and transitions do not belong together");
    if (learner->updates % o->target_every != 0 && archive->fault == NULL) {
        archive_period(learner, archive);
    }
}
