/* ensemble.c: the parametric expert prior over Q-functions (Proposition 2): networks that choose
 * as the experts did. Each minimises, from its own random start, the mean over demonstrated steps
 * (s, a) of
 *
 *     (1/beta) log Σ_b exp(beta Q(s, b)) - Q(s, a)
 *
 * by Adam on batches of steps drawn with replacement, the same for all networks. */
#include "prior/states/states_prior_type.h"

#include "base/memory.h"
#include "prior/states/likelihood.h"

#include <string.h>

enum { STREAM_NETWORKS, STREAM_BATCHES };

static const xp_param params[] = {
    XP__INTEGER("networks", "networks that are trained", 1, 4096, 25),
    XP__STATES_PRIOR_HIDDEN,
    XP__STATES_PRIOR_BETA,
    XP__INTEGER("pretrain_steps", "steps of training", 0, 1e6, 1000),
    XP__INTEGER("pretrain_batch", "demonstrated steps per training step", 1, 4096, 64),
    XP__REAL("pretrain_rate", "step size of Adam in training", 0, 1, 1e-3),
};

/* A batch: its distinct states, and how often each action was taken in them. */
typedef struct batch {
    size_t draws;
    xp__row_set rows;
    float *counts; /* [rows][actions] */
} batch;

static void draw_batch(batch *drawn, const xp__encoded_demos *demos, xp_rng *rng) {
    const size_t row_bytes = demos->input.row_bytes;
    xp__row_set_clear(&drawn->rows);
    memset(drawn->counts, 0, drawn->draws * demos->actions * sizeof drawn->counts[0]);
    for (size_t i = 0; i < drawn->draws; i++) {
        const size_t step = xp__encoded_demos_draw_step(demos, rng);
        bool is_new;
        const size_t row =
            xp__row_set_add(&drawn->rows, demos->rows.rows + demos->row[step] * row_bytes, &is_new);
        drawn->counts[row * demos->actions + demos->action[step]] += 1;
    }
}

static void train(xp__states_prior *prior, const xp__encoded_demos *demos, batch *drawn,
                  xp_rng *rng) {
    const size_t steps = (size_t)xp__params_get(&prior->params, "pretrain_steps");
    xp__net_imitation imitation = {
        .td = {.draws = (double)drawn->draws,
               .members = xp__net_get_options(prior->networks)->members,
               .actions = demos->actions,
               .counts = drawn->counts},
        .beta = xp__params_get(&prior->params, "beta"),
    };
    for (size_t step = 0; step < steps; step++) {
        if (xp__watch_tell(&prior->watch, (double)step / (double)steps)) {
            break;
        }
        draw_batch(drawn, demos, rng);
        const xp__net_rows rows =
            xp__state_input_rows(&demos->input, drawn->rows.count, drawn->rows.rows);
        xp__net_train(prior->networks, &rows, xp__net_imitation_loss, &imitation, NULL);
    }
    prior->fit.steps = steps;
}

static xp_status fit(xp__states_prior *prior, xp__encoded_demos *demos, xp_rng *rng,
                     xp_error *error) {
    const xp_rng networks = xp_rng_fork(rng, STREAM_NETWORKS);
    xp_rng batches = xp_rng_fork(rng, STREAM_BATCHES);
    batch drawn = {.draws = (size_t)xp__params_get(&prior->params, "pretrain_batch")};
    xp__net_options options =
        xp__net_options_default(demos->input.inputs, demos->actions, demos->input.hot);
    options.members = (size_t)xp__params_get(&prior->params, "networks");
    options.hidden = (size_t)xp__params_get(&prior->params, "hidden");
    options.rows = drawn.draws;
    options.learning_rate = xp__params_get(&prior->params, "pretrain_rate");
    xp_status status = xp__net_create(&options, &networks, &prior->networks, error);
    if (status == XP_OK) {
        status = xp__row_set_init(&drawn.rows, demos->input.row_bytes, drawn.draws, error);
    }
    if (status == XP_OK) {
        drawn.counts = xp__alloc(drawn.draws * demos->actions, sizeof drawn.counts[0]);
        status = drawn.counts != NULL ? XP_OK : xp__no_memory(error);
    }
    if (status == XP_OK) {
        train(prior, demos, &drawn, &batches);
        status = xp__network_mean_log_likelihood(prior->networks, demos,
                                                 xp__params_get(&prior->params, "beta"),
                                                 &prior->watch, &prior->fit.log_likelihood, error);
    }
    xp__row_set_deinit(&drawn.rows);
    xp__free(drawn.counts);
    return status;
}

const xp__states_prior_type xp__states_prior_ensemble = {
    .name = "ensemble",
    .summary = "networks trained to choose as the experts did (Proposition 2)",
    .steadier = "a smaller pretrain_rate",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = sizeof(xp__states_prior),
    .fit = fit,
};
