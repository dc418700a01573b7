/* explore_sac.c: see explore_sac.h. */
#include "agent/states/explore_sac.h"

#include "agent/states/learner.h"
#include "base/memory.h"
#include "math/softmax.h"
#include "net/net_type.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { STREAM_CRITIC, STREAM_POLICY };
enum { MAX_ACTIONS = 256 }; /* of a network */

static xp_status create(const xp__sac *sac, size_t members, double rate, xp__net **net,
                        xp_error *error) {
    xp__net_options options =
        xp__net_options_default(sac->input.inputs, sac->options.actions, sac->input.hot);
    options.members = members;
    options.hidden = sac->options.hidden;
    options.rows = sac->options.batch;
    options.learning_rate = rate;
    return xp__net_create(&options, NULL, net, error);
}

static xp_status create_networks(xp__sac *sac, xp_error *error) {
    const xp__sac_options *o = &sac->options;
    xp_status status = create(sac, o->critics, o->critic_rate, &sac->critic, error);
    if (status == XP_OK) {
        status = create(sac, o->critics, 0, &sac->target, error);
    }
    if (status == XP_OK) {
        status = create(sac, 1, o->policy_rate, &sac->policy, error);
    }
    return status;
}

static xp_status create_batch(xp__sac *sac, xp_error *error) {
    const xp__sac_options *o = &sac->options;
    const size_t cells = o->batch * o->actions;
    sac->row = xp__alloc(o->batch, sizeof sac->row[0]);
    sac->next = xp__alloc(o->batch, sizeof sac->next[0]);
    sac->action = xp__alloc(o->batch, sizeof sac->action[0]);
    sac->reward = xp__alloc(o->batch, sizeof sac->reward[0]);
    sac->weights = xp__alloc(o->batch, sizeof sac->weights[0]);
    sac->counts = xp__alloc(cells, sizeof sac->counts[0]);
    sac->targets = xp__alloc(cells, o->critics * sizeof sac->targets[0]);
    sac->q = xp__alloc(cells, o->critics * sizeof sac->q[0]);
    sac->logits = xp__alloc(cells, sizeof sac->logits[0]);
    sac->values = xp__alloc(o->batch, sizeof sac->values[0]);
    if (sac->row == NULL || sac->next == NULL || sac->action == NULL || sac->reward == NULL ||
        sac->weights == NULL || sac->counts == NULL || sac->targets == NULL || sac->q == NULL ||
        sac->logits == NULL || sac->values == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = xp__row_set_init(&sac->rows, sac->input.row_bytes, o->batch, error);
    if (status == XP_OK) {
        status = xp__row_set_init(&sac->nexts, sac->input.row_bytes, o->batch, error);
    }
    return status;
}

xp_status xp__sac_init(xp__sac *sac, const xp__sac_options *options, const xp__state_input *input,
                       xp_error *error) {
    *sac = (xp__sac){.options = *options, .input = *input};
    sac->target_share = (float)(1 - pow(1 - options->tau, (double)options->target_every));
    xp_status status = create_networks(sac, error);
    if (status == XP_OK) {
        status = create_batch(sac, error);
    }
    if (status != XP_OK) {
        xp__sac_deinit(sac);
    }
    return status;
}

void xp__sac_deinit(xp__sac *sac) {
    xp__net_destroy(sac->critic);
    xp__net_destroy(sac->target);
    xp__net_destroy(sac->policy);
    xp__row_set_deinit(&sac->rows);
    xp__row_set_deinit(&sac->nexts);
    xp__free(sac->row);
    xp__free(sac->next);
    xp__free(sac->action);
    xp__free(sac->reward);
    xp__free(sac->weights);
    xp__free(sac->counts);
    xp__free(sac->targets);
    xp__free(sac->q);
    xp__free(sac->logits);
    xp__free(sac->values);
    *sac = (xp__sac){.critic = NULL};
}

static void clear(xp__sac *sac) {
    sac->draws = 0;
    xp__row_set_clear(&sac->rows);
    xp__row_set_clear(&sac->nexts);
}

void xp__sac_reset(xp__sac *sac, const xp_rng *rng) {
    const xp_rng critic = xp_rng_fork(rng, STREAM_CRITIC), policy = xp_rng_fork(rng, STREAM_POLICY);
    xp__net_draw(sac->policy, &policy);
    xp__net_draw(sac->critic, &critic);
    for (size_t i = 0; i < sac->options.critics; i++) {
        xp__net_copy_member(sac->target, i, sac->critic, i);
    }
    sac->log_temperature = log(sac->options.temperature);
    sac->first_moment = sac->second_moment = 0;
    sac->updates = 0;
    sac->entropy = 0;
    clear(sac);
}

void xp__sac_archive(xp__sac *sac, xp__archive *archive) {
    const double most = log(XP__SAC_TEMPERATURE_MAX);
    assert(sac->draws == 0);
    xp__net_archive(sac->critic, archive);
    xp__net_archive(sac->target, archive);
    xp__net_archive(sac->policy, archive);
    xp__archive_within(archive, &sac->log_temperature, 1, -most, most);
    xp__archive_finite(archive, &sac->first_moment, 1);
    xp__archive_within(archive, &sac->second_moment, 1, 0, DBL_MAX);
    xp__archive_finite(archive, &sac->entropy, 1);
    xp__archive_number(archive, &sac->updates, UINT64_MAX / 4);
}

void xp__sac_add(xp__sac *sac, const void *row, size_t action, float reward, const void *next) {
    const size_t actions = sac->options.actions, i = sac->draws++;
    assert(i < sac->options.batch && action < actions);
    bool is_new;
    const size_t at = xp__row_set_add(&sac->rows, row, &is_new);
    if (is_new) {
        sac->weights[at] = 0;
        memset(sac->counts + at * actions, 0, actions * sizeof sac->counts[0]);
    }
    sac->weights[at] += 1;
    sac->counts[at * actions + action] += 1;
    sac->row[i] = (uint32_t)at;
    sac->action[i] = (uint32_t)action;
    sac->reward[i] = reward;
    sac->next[i] =
        next == NULL ? UINT32_MAX : (uint32_t)xp__row_set_add(&sac->nexts, next, &is_new);
}

/* π and log π of one row of logits; uniform where learning rates too large have left no numbers, so
 * that acting stays defined. */
static void soft_max(size_t actions, const float *logits, double *p, double *log_p) {
    double top;
    const double sum = xp__soft_sum(logits, actions, 1, p, &top);
    const bool valid = isfinite(sum);
    const double log_sum = log(sum);
    for (size_t a = 0; a < actions; a++) {
        p[a] = valid ? p[a] / sum : 1 / (double)actions;
        log_p[a] = valid ? logits[a] - top - log_sum : -log((double)actions);
    }
}

/* min_i Q_i of one cell in q[critics][cells]. */
static double least(size_t critics, size_t cells, const float *q, size_t cell) {
    float low = q[cell];
    for (size_t i = 1; i < critics; i++) {
        const float other = q[i * cells + cell];
        low = other < low ? other : low;
    }
    return low;
}

/* The values of the batch's next states. */
static void evaluate_next(xp__sac *sac) {
    const xp__sac_options *o = &sac->options;
    const size_t actions = o->actions, count = sac->nexts.count;
    const xp__net_rows rows = xp__state_input_rows(&sac->input, count, sac->nexts.rows);
    const double nat = o->entropy_backup * xp__sac_temperature(sac); /* what one is worth */
    xp__net_q(sac->policy, 0, 1, &rows, sac->logits);
    xp__net_q(sac->target, 0, o->critics, &rows, sac->q);
    for (size_t r = 0; r < count; r++) {
        double p[MAX_ACTIONS], log_p[MAX_ACTIONS], sum = 0;
        soft_max(actions, sac->logits + r * actions, p, log_p);
        for (size_t a = 0; a < actions; a++) {
            const double q = least(o->critics, count * actions, sac->q, r * actions + a);
            sum += p[a] * (q - nat * log_p[a]);
        }
        sac->values[r] = (float)sum;
    }
}

static void update_critics(xp__sac *sac, const xp__net_rows *rows) {
    const xp__sac_options *o = &sac->options;
    memset(sac->targets, 0, rows->count * o->actions * o->critics * sizeof sac->targets[0]);
    for (size_t i = 0; i < sac->draws; i++) {
        const double later = sac->next[i] == UINT32_MAX ? 0 : sac->values[sac->next[i]];
        const float y = (float)(sac->reward[i] + o->discount * later);
        const size_t cell = sac->row[i] * o->actions + sac->action[i];
        for (size_t c = 0; c < o->critics; c++) {
            sac->targets[cell * o->critics + c] += y;
        }
    }
    xp__net_td td = {.draws = (double)sac->draws,
                     .members = o->critics,
                     .actions = o->actions,
                     .counts = sac->counts,
                     .targets = sac->targets};
    xp__net_train(sac->critic, rows, xp__net_td_loss, &td, NULL);
}

/* KL(t, π) of a row and its slopes, times `share`. */
static double fit_forward(size_t actions, double share, const double *p, const double *log_p,
                          const double *wanted, const double *log_wanted, float *slope) {
    double loss = 0;
    for (size_t a = 0; a < actions; a++) {
        loss += wanted[a] * (log_wanted[a] - log_p[a]);
        slope[a] = (float)(share * (p[a] - wanted[a]));
    }
    return loss;
}

/* The same for KL(π, t): the slope at an action is π there times how far it is above the mean. */
static double fit_reverse(size_t actions, double share, const double *p, const double *log_p,
                          const double *log_wanted, float *slope) {
    double loss = 0;
    for (size_t a = 0; a < actions; a++) {
        loss += p[a] * (log_p[a] - log_wanted[a]);
    }
    for (size_t a = 0; a < actions; a++) {
        slope[a] = (float)(share * p[a] * (log_p[a] - log_wanted[a] - loss));
    }
    return loss;
}

double xp__sac_actor_loss(void *context, size_t member, size_t rows, const float *logits,
                          float *slope) {
    xp__sac_actor *actor = context;
    const size_t actions = actor->actions;
    assert(actions <= MAX_ACTIONS && actor->draws > 0);
    (void)member;
    double loss = 0, entropy = 0;
    for (size_t r = 0; r < rows; r++) {
        float worth[MAX_ACTIONS]; /* in units of the temperature */
        double p[MAX_ACTIONS], log_p[MAX_ACTIONS], wanted[MAX_ACTIONS], log_wanted[MAX_ACTIONS];
        for (size_t a = 0; a < actions; a++) {
            const double q = least(actor->critics, rows * actions, actor->q, r * actions + a);
            worth[a] = (float)(q / actor->temperature);
        }
        soft_max(actions, logits + r * actions, p, log_p);
        soft_max(actions, worth, wanted, log_wanted);
        const double share = actor->weights[r] / actor->draws;
        for (size_t a = 0; a < actions; a++) {
            entropy -= share * p[a] * log_p[a];
        }
        loss +=
            share *
            (actor->reverse
                 ? fit_reverse(actions, share, p, log_p, log_wanted, slope + r * actions)
                 : fit_forward(actions, share, p, log_p, wanted, log_wanted, slope + r * actions));
    }
    actor->entropy = entropy;
    return loss;
}

static void update_policy(xp__sac *sac, const xp__net_rows *rows) {
    const xp__sac_options *o = &sac->options;
    xp__net_q(sac->critic, 0, o->critics, rows, sac->q);
    xp__sac_actor actor = {.critics = o->critics,
                           .actions = o->actions,
                           .draws = (double)sac->draws,
                           .temperature = xp__sac_temperature(sac),
                           .reverse = o->reverse,
                           .weights = sac->weights,
                           .q = sac->q};
    xp__net_train(sac->policy, rows, xp__sac_actor_loss, &actor, NULL);
    sac->entropy = actor.entropy;
}

/* One step of Adam on log α, whose loss log α · (entropy - wanted) has that slope. Bounded, for an
 * entropy that no policy can have would move it for ever. */
static void update_temperature(xp__sac *sac) {
    const double slope = sac->entropy - sac->options.entropy, time = (double)sac->updates;
    sac->first_moment += 0.1 * (slope - sac->first_moment);
    sac->second_moment += 0.001 * (slope * slope - sac->second_moment);
    const double first = sac->first_moment / (1 - pow(0.9, time));
    const double second = sac->second_moment / (1 - pow(0.999, time));
    const double step = sac->options.temperature_rate * first / (sqrt(second) + 1e-8);
    const double most = log(XP__SAC_TEMPERATURE_MAX);
    sac->log_temperature = fmin(most, fmax(-most, sac->log_temperature - step));
}

static void update_target(xp__sac *sac) {
    for (size_t c = 0; c < sac->options.critics; c++) {
        xp__net_blend_member(sac->target, c, sac->critic, c, sac->target_share);
    }
}

void xp__sac_update(xp__sac *sac) {
    assert(sac->draws > 0);
    const xp__net_rows rows = xp__state_input_rows(&sac->input, sac->rows.count, sac->rows.rows);
    sac->updates++;
    evaluate_next(sac);
    update_critics(sac, &rows);
    update_policy(sac, &rows);
    update_temperature(sac);
    if (sac->updates % sac->options.target_every == 0) {
        update_target(sac);
    }
    clear(sac);
}

double xp__sac_temperature(const xp__sac *sac) {
    return exp(sac->log_temperature);
}

void xp__sac_policy(const xp__sac *sac, const void *row, double *probability) {
    const xp__net_rows rows = xp__state_input_rows(&sac->input, 1, row);
    float logits[MAX_ACTIONS];
    double log_p[MAX_ACTIONS];
    xp__net_q(sac->policy, 0, 1, &rows, logits);
    soft_max(sac->options.actions, logits, probability, log_p);
}

size_t xp__sac_greedy(const xp__sac *sac, const void *row) {
    const xp__net_rows rows = xp__state_input_rows(&sac->input, 1, row);
    return xp__net_greedy(sac->policy, 0, &rows);
}
