/* explore_labels.c: see explore_labels.h. */
#include "agent/states/explore_labels.h"

#include "agent/states/learner.h"
#include "base/memory.h"
#include "net/net_type.h"

#include <assert.h>
#include <float.h>
#include <string.h>

enum { STREAM_REWARD, STREAM_PREDICTOR, STREAM_FROZEN };
enum { MAX_OUTPUTS = 256 }; /* of a network */

static xp_status create(const xp__explore_labels *labels, size_t outputs, size_t rows, double rate,
                        xp__net **net, xp_error *error) {
    xp__net_options options =
        xp__net_options_default(labels->input.inputs, outputs, labels->input.hot);
    options.members = 1;
    options.hidden = labels->options.hidden;
    options.rows = rows;
    options.learning_rate = rate;
    return xp__net_create(&options, NULL, net, error);
}

xp_status xp__explore_labels_init(xp__explore_labels *labels,
                                  const xp__explore_labels_options *options,
                                  const xp__state_input *input, xp_error *error) {
    *labels = (xp__explore_labels){.options = *options, .input = *input};
    const size_t outputs = options->actions * options->features;
    if (outputs > MAX_OUTPUTS) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "features = %zu for each of %zu actions are more than the %d outputs "
                            "that a network has at most",
                            options->features, options->actions, MAX_OUTPUTS);
    }
    xp_status status = create(labels, options->actions, options->rows, options->reward_rate,
                              &labels->reward, error);
    if (status == XP_OK) {
        status = create(labels, outputs, 1, options->novelty_rate, &labels->predictor, error);
    }
    if (status == XP_OK) {
        status = create(labels, outputs, 1, 0, &labels->frozen, error);
    }
    if (status == XP_OK) {
        labels->reward_out = xp__alloc(options->rows * options->actions, sizeof(float));
        labels->predictor_out = xp__alloc(options->rows * outputs, sizeof(float));
        labels->frozen_out = xp__alloc(options->rows * outputs, sizeof(float));
        if (labels->reward_out == NULL || labels->predictor_out == NULL ||
            labels->frozen_out == NULL) {
            status = xp__no_memory(error);
        }
    }
    if (status != XP_OK) {
        xp__explore_labels_deinit(labels);
    }
    return status;
}

void xp__explore_labels_deinit(xp__explore_labels *labels) {
    xp__net_destroy(labels->reward);
    xp__net_destroy(labels->predictor);
    xp__net_destroy(labels->frozen);
    xp__free(labels->reward_out);
    xp__free(labels->predictor_out);
    xp__free(labels->frozen_out);
    *labels = (xp__explore_labels){.reward = NULL};
}

/* The outputs of both networks of novelty, from which `error_of` takes an action's. */
static void evaluate(xp__explore_labels *labels, const void *rows, size_t count) {
    const xp__net_rows inputs = xp__state_input_rows(&labels->input, count, rows);
    xp__net_q(labels->predictor, 0, 1, &inputs, labels->predictor_out);
    xp__net_q(labels->frozen, 0, 1, &inputs, labels->frozen_out);
}

static double error_of(const xp__explore_labels *labels, size_t row, size_t action) {
    const size_t features = labels->options.features;
    const size_t first = (row * labels->options.actions + action) * features;
    double sum = 0;
    for (size_t i = first; i < first + features; i++) {
        const double difference = (double)labels->predictor_out[i] - labels->frozen_out[i];
        sum += difference * difference;
    }
    return sum / (double)features;
}

static double mean_error(xp__explore_labels *labels, const xp__row_set *states) {
    const size_t room = labels->options.rows, actions = labels->options.actions;
    double sum = 0;
    for (size_t first = 0; first < states->count; first += room) {
        const size_t left = states->count - first, count = left < room ? left : room;
        evaluate(labels, states->rows + first * states->row_bytes, count);
        for (size_t row = 0; row < count; row++) {
            for (size_t action = 0; action < actions; action++) {
                sum += error_of(labels, row, action);
            }
        }
    }
    return sum / (double)(states->count * actions);
}

void xp__explore_labels_reset(xp__explore_labels *labels, const xp_rng *rng,
                              const xp__encoded_demos *demos) {
    const xp_rng reward = xp_rng_fork(rng, STREAM_REWARD);
    const xp_rng predictor = xp_rng_fork(rng, STREAM_PREDICTOR);
    const xp_rng frozen = xp_rng_fork(rng, STREAM_FROZEN);
    xp__net_draw(labels->reward, &reward);
    xp__net_draw(labels->predictor, &predictor);
    xp__net_draw(labels->frozen, &frozen);
    const double unit = mean_error(labels, &demos->rows);
    labels->unit = unit > 0 ? unit : 1; /* networks so small that all their units are closed */
}

void xp__explore_labels_archive(xp__explore_labels *labels, xp__archive *archive) {
    xp__net_archive(labels->reward, archive);
    xp__net_archive(labels->predictor, archive);
    xp__net_archive(labels->frozen, archive);
    xp__archive_within(archive, &labels->unit, 1, DBL_MIN, DBL_MAX);
}

typedef struct distillation {
    size_t outputs, first, features; /* of all; those of the action that was taken */
    const float *wanted;
} distillation;

/* Mean over an action's features of (prediction - wanted)², for one row. */
static double distillation_loss(void *context, size_t member, size_t rows, const float *q,
                                float *slope) {
    const distillation *d = context;
    (void)member;
    assert(rows == 1);
    (void)rows;
    memset(slope, 0, d->outputs * sizeof *slope);
    double sum = 0;
    for (size_t i = d->first; i < d->first + d->features; i++) {
        const float difference = q[i] - d->wanted[i];
        slope[i] = 2 * difference / (float)d->features;
        sum += (double)difference * difference;
    }
    return sum / (double)d->features;
}

void xp__explore_labels_visit(xp__explore_labels *labels, const void *row, size_t action) {
    const xp__explore_labels_options *o = &labels->options;
    assert(action < o->actions);
    const xp__net_rows inputs = xp__state_input_rows(&labels->input, 1, row);
    xp__net_q(labels->frozen, 0, 1, &inputs, labels->frozen_out);
    distillation context = {.outputs = o->actions * o->features,
                            .first = action * o->features,
                            .features = o->features,
                            .wanted = labels->frozen_out};
    xp__net_train(labels->predictor, &inputs, distillation_loss, &context, NULL);
}

void xp__explore_labels_fit(xp__explore_labels *labels, const void *rows, size_t count,
                            xp__net_td *rewards) {
    assert(rewards->members == 1 && rewards->actions == labels->options.actions);
    const xp__net_rows inputs = xp__state_input_rows(&labels->input, count, rows);
    xp__net_train(labels->reward, &inputs, xp__net_td_loss, rewards, NULL);
}

void xp__explore_labels_of(xp__explore_labels *labels, const void *rows, size_t count,
                           float *label) {
    const xp__explore_labels_options *o = &labels->options;
    assert(count <= o->rows);
    const xp__net_rows inputs = xp__state_input_rows(&labels->input, count, rows);
    xp__net_q(labels->reward, 0, 1, &inputs, labels->reward_out);
    evaluate(labels, rows, count);
    for (size_t row = 0; row < count; row++) {
        for (size_t action = 0; action < o->actions; action++) {
            const size_t cell = row * o->actions + action;
            const double novelty = error_of(labels, row, action) / labels->unit;
            label[cell] = (float)(labels->reward_out[cell] + o->scale * novelty);
        }
    }
}
