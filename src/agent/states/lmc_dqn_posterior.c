/* lmc_dqn_posterior.c: see lmc_dqn_posterior.h. */
#include "agent/states/lmc_dqn_posterior.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

xp_status xp__lmc_posterior_init(xp__lmc_posterior *posterior,
                                 const xp__lmc_posterior_options *options,
                                 const xp__state_input *input, xp_error *error) {
    *posterior = (xp__lmc_posterior){.options = *options, .input = *input};
    if (options->density != NULL && options->prior_weight > 0) {
        posterior->density = *options->density;
    }
    posterior->rows = xp__alloc(options->batch + posterior->density.rows.count, input->row_bytes);
    posterior->decay = xp__alloc(options->members, sizeof posterior->decay[0]);
    if (posterior->rows == NULL || posterior->decay == NULL) {
        xp__lmc_posterior_deinit(posterior);
        return xp__no_memory(error);
    }
    return XP_OK;
}

void xp__lmc_posterior_deinit(xp__lmc_posterior *posterior) {
    xp__free(posterior->rows);
    xp__free(posterior->decay);
    *posterior = (xp__lmc_posterior){.rows = NULL};
}

/* L but for what is a multiple of theta. */
static double loss(void *context, size_t member, size_t rows, const float *q, float *slope) {
    xp__lmc_posterior *self = context;
    const size_t actions = self->options.actions, first = self->batch_rows * actions;
    double sum = self->td(self->td_context, member, self->batch_rows, q, slope);
    if (rows > self->batch_rows) {
        const double weight = self->temperature * self->options.prior_weight;
        sum += weight * xp__density_loss(&self->density, member, rows - self->batch_rows, q + first,
                                         slope + first);
        for (size_t i = first; i < rows * actions; i++) {
            slope[i] = (float)(weight * (double)slope[i]);
        }
    }
    return sum;
}

static const void *row_bytes_of(const xp__state_input *input, const xp__net_rows *rows) {
    return input->hot > 0 ? (const void *)rows->hot : (const void *)rows->dense;
}

static void descend(xp__lmc_posterior *self, xp__net *net, const xp__net_rows *rows,
                    const xp_rng *rng) {
    const xp__lmc_posterior_options *o = &self->options;
    for (size_t m = 0; m < o->members; m++) {
        double decay = o->precision;
        if (self->density.rows.count > 0) {
            decay += o->prior_weight * xp__density_decay(&self->density, net, m);
        }
        self->decay[m] = self->temperature * decay;
    }
    const double step = o->rate * (double)o->noise_every;
    const xp__net_descent descent = {.step = step,
                                     .noise = sqrt(2 * step * self->temperature),
                                     .clip = o->clip,
                                     .decay = self->decay};
    const xp_rng own = xp_rng_fork(rng, self->updates);
    xp__net_descend(net, rows, loss, self, &descent, &own, NULL);
}

void xp__lmc_posterior_move(xp__lmc_posterior *posterior, xp__net *net, const xp__net_rows *batch,
                            xp__net_loss *td, void *td_context, uint64_t seen, const xp_rng *rng) {
    const xp__lmc_posterior_options *o = &posterior->options;
    const size_t row_bytes = posterior->input.row_bytes, shown = posterior->density.rows.count;
    assert(batch->count <= o->batch && seen > 0);
    posterior->temperature = 2 * o->deviation * o->deviation / (double)seen;
    posterior->td = td;
    posterior->td_context = td_context;
    posterior->batch_rows = batch->count;
    memcpy(posterior->rows, row_bytes_of(&posterior->input, batch), batch->count * row_bytes);
    if (shown > 0) {
        memcpy(posterior->rows + batch->count * row_bytes,
               row_bytes_of(&posterior->input, &posterior->density.rows), shown * row_bytes);
    }
    const xp__net_rows rows =
        xp__state_input_rows(&posterior->input, batch->count + shown, posterior->rows);
    if (o->adam) {
        xp__net_train(net, &rows, loss, posterior, NULL);
    }
    if (++posterior->updates % o->noise_every == 0 && o->rate > 0) {
        descend(posterior, net, &rows, rng);
    }
}
