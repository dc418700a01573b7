/* mode_networks.c: see mode_networks.h. */
#include "prior/states/mode_networks.h"

#include "base/memory.h"
#include "math/softmax.h"
#include "prior/states/dynamics.h"
#include "prior/states/likelihood.h"

#include <math.h>
#include <string.h>

/* Numbers below 1 are the caller's. */
enum { STREAM_NETWORKS = 1, STREAM_HELD, STREAM_DRAWS, STREAM_DRAWS_HELD };

/* The fit of one network: states of the mode first, then some that are held. */
typedef struct projection {
    size_t actions, kept, held;
    unsigned char *rows; /* [kept + held] inputs */
    uint32_t *action;    /* [kept] */
    float *start;        /* [kept + held][actions]: Q at the start */
    size_t *other;       /* scratch: demonstrated states in random order */
    double *likelihood;  /* scratch: three numbers per trajectory */
    double beta, hold;
    size_t most_rows;    /* states of the mode in a batch; 0: all */
    size_t first, batch; /* those that are in this one */
    double least;        /* least log-probability of an action of the mode, at the last step */
} projection;

static double loss(void *context, size_t member, size_t rows, const float *q, float *slope) {
    (void)member;
    projection *self = context;
    const size_t actions = self->actions;
    double total = 0;
    self->least = 0;
    for (size_t row = 0; row < self->batch; row++) {
        const float *values = q + row * actions;
        double best;
        const double sum = xp__soft_sum(values, actions, self->beta, NULL, &best);
        const uint32_t wanted = self->action[self->first + row];
        const double chance = self->beta * ((double)values[wanted] - best) - log(sum);
        for (size_t a = 0; a < actions; a++) {
            const double p = exp(self->beta * ((double)values[a] - best)) / sum;
            slope[row * actions + a] = (float)((p - (a == wanted ? 1 : 0)) / (double)self->batch);
        }
        self->least = fmin(self->least, chance);
        total -= chance / self->beta / (double)self->batch;
    }
    for (size_t i = self->batch * actions; i < rows * actions; i++) {
        const double away = (double)q[i] - (double)self->start[i];
        slope[i] = (float)(2 * self->hold * away / (double)self->held);
        total += self->hold * away * away / (double)self->held;
    }
    return total;
}

/* The states of the mode, and as many of the others, drawn without replacement. */
static void gather(projection *self, const xp__encoded_demos *demos, const uint32_t *action,
                   xp_rng *rng) {
    const size_t bytes = demos->input.row_bytes;
    size_t others = 0;
    self->kept = 0;
    for (size_t row = 0; row < demos->rows.count; row++) {
        if (action[row] == XP__MODE_SILENT) {
            self->other[others++] = row;
            continue;
        }
        memcpy(self->rows + self->kept * bytes, demos->rows.rows + row * bytes, bytes);
        self->action[self->kept++] = action[row];
    }
    self->held = others < self->kept ? others : self->kept;
    for (size_t i = 0; i < self->held; i++) {
        const size_t j = i + (size_t)xp_rng_below(rng, others - i);
        const size_t row = self->other[j];
        self->other[j] = self->other[i];
        memcpy(self->rows + (self->kept + i) * bytes, demos->rows.rows + row * bytes, bytes);
    }
}

static size_t longest(const xp__encoded_demos *demos) {
    size_t most = 1;
    for (size_t t = 0; t < demos->trajectories; t++) {
        const size_t length = demos->start[t + 1] - demos->start[t];
        most = length > most ? length : most;
    }
    return most;
}

/* How networks are fitted, and the streams that each has its own part of. */
typedef struct fitter {
    xp__states_prior *prior;
    const xp__encoded_demos *demos;
    projection *projection;
    xp__net_options options;
    double least;
    size_t most;
    size_t fitted, networks; /* for the watch: how many networks are fitted, of how many */
} fitter;

static bool in_batches(const projection *self) {
    return self->most_rows > 0 && self->kept > self->most_rows;
}

/* States of the mode in random order, so that any that lie together are a batch. */
static void mix(projection *self, size_t bytes, xp_rng *rng) {
    unsigned char *spare = self->rows + self->kept * bytes;
    for (size_t i = 0; i + 1 < self->kept; i++) {
        const size_t j = i + (size_t)xp_rng_below(rng, self->kept - i);
        const uint32_t action = self->action[i];
        self->action[i] = self->action[j];
        self->action[j] = action;
        memcpy(spare, self->rows + i * bytes, bytes);
        memcpy(self->rows + i * bytes, self->rows + j * bytes, bytes);
        memcpy(self->rows + j * bytes, spare, bytes);
    }
    self->held = 0;
}

/* Moves a network for so many steps on batches of the mode's states. */
static void project_batches(const fitter *at, xp__net *net) {
    projection *self = at->projection;
    const size_t bytes = at->demos->input.row_bytes;
    size_t step = 0;
    self->batch = self->most_rows;
    for (; step < at->most; step++) {
        const double done = (double)at->fitted + (double)step / (double)at->most;
        if (xp__watch_tell(&at->prior->watch, done / (double)at->networks)) {
            break;
        }
        self->first = step * self->batch % (self->kept - self->batch + 1);
        const xp__net_rows rows =
            xp__state_input_rows(&at->demos->input, self->batch, self->rows + self->first * bytes);
        xp__net_train(net, &rows, loss, self, NULL);
    }
    at->prior->fit.steps += step;
}

/* Moves a network until it follows the mode, for at most so many steps; adds them to the fit's. */
static void project(const fitter *at, xp__net *net) {
    projection *self = at->projection;
    const xp__encoded_demos *demos = at->demos;
    const xp__net_rows rows =
        xp__state_input_rows(&demos->input, self->kept + self->held, self->rows);
    xp__net_q(net, 0, 1, &rows, self->start);
    self->first = 0;
    self->batch = self->kept;
    size_t step = 0;
    self->least = -INFINITY;
    while (self->least < at->least && step < at->most) {
        const double done = (double)at->fitted + (double)step / (double)at->most;
        if (xp__watch_tell(&at->prior->watch, done / (double)at->networks)) {
            break;
        }
        xp__net_train(net, &rows, loss, self, NULL);
        step++;
    }
    at->prior->fit.steps += step;
}

/* Makes network `index` of `to` a draw of mu0 that does this. */
static xp_status fit_network(fitter *self, const uint32_t *action, const xp_rng *starts,
                             const xp_rng *held, xp__net *to, size_t index, xp_error *error) {
    if (xp__watch_tell(&self->prior->watch, (double)self->fitted / (double)self->networks)) {
        return XP_OK;
    }
    const xp_rng own = xp_rng_fork(starts, index);
    xp_rng own_held = xp_rng_fork(held, index);
    xp__net *net = NULL;
    const xp_status status = xp__net_create(&self->options, &own, &net, error);
    if (status == XP_OK) {
        gather(self->projection, self->demos, action, &own_held);
        if (in_batches(self->projection)) {
            mix(self->projection, self->demos->input.row_bytes, &own_held);
            project_batches(self, net);
        } else {
            project(self, net);
        }
        xp__net_copy_member(to, index, net, 0);
        self->fitted++;
    }
    xp__net_destroy(net);
    return status;
}

/* One network for each mode; then draws, as many of a mode as its probability says, up to one. */
static xp_status fit_networks(xp__states_prior *prior, const xp__encoded_demos *demos,
                              const xp__mode_sets *sets, projection *scratch, const xp_rng *rng,
                              xp_error *error) {
    const size_t draws = xp__net_get_options(prior->draws)->members;
    fitter self = {
        .prior = prior,
        .demos = demos,
        .projection = scratch,
        .options = xp__net_options_default(demos->input.inputs, demos->actions, demos->input.hot),
        .least = log(xp__params_get(&prior->params, "followed")) / (double)longest(demos),
        .most = (size_t)xp__params_get(&prior->params, "fit_steps"),
        .networks = sets->count + draws};
    self.options.members = 1;
    self.options.hidden = (size_t)xp__params_get(&prior->params, "hidden");
    self.options.rows = 2 * demos->rows.count;
    self.options.learning_rate = xp__params_get(&prior->params, "fit_rate");
    const xp_rng networks = xp_rng_fork(rng, STREAM_NETWORKS), held = xp_rng_fork(rng, STREAM_HELD);
    xp_status status = XP_OK;
    for (size_t k = 0; status == XP_OK && k < sets->count; k++) {
        status = fit_network(&self, sets->action + k * sets->rows, &networks, &held,
                             prior->networks, k, error);
    }
    const xp_rng drawn = xp_rng_fork(rng, STREAM_DRAWS),
                 drawn_held = xp_rng_fork(rng, STREAM_DRAWS_HELD);
    const uint32_t *draws_from = sets->own != NULL ? sets->own : sets->action;
    double up_to = sets->weight[0];
    for (size_t i = 0, mode = 0; status == XP_OK && i < draws; i++) {
        while (up_to < ((double)i + 0.5) / (double)draws && mode + 1 < sets->count) {
            up_to += sets->weight[++mode];
        }
        status = fit_network(&self, draws_from + mode * sets->rows, &drawn, &drawn_held,
                             prior->draws, i, error);
    }
    return status;
}

/* Compares P_E(τ) = T_τ E_mu[m_τ] (dynamics.h) with how often τ was demonstrated; `scratch` has
 * room for three numbers per trajectory, all zero. */
static xp_status compare(xp__states_prior *prior, const xp__encoded_demos *demos,
                         const double *weight, float *q, double *scratch, xp_error *error) {
    double *expected = scratch, *likelihood = expected + demos->trajectories;
    double *dynamics = likelihood + demos->trajectories;
    const xp_status status = xp__log_dynamics(demos, dynamics, error);
    if (status != XP_OK) {
        return status;
    }
    const size_t modes = xp__net_get_options(prior->networks)->members;
    const double beta = xp__params_get(&prior->params, "beta");
    double sum = 0, squares = 0, divergence = 0;
    for (size_t k = 0; k < modes && !xp__watch_stopped(&prior->watch); k++) {
        xp__network_log_likelihoods(prior->networks, k, 1, demos, beta, q, likelihood);
        for (size_t t = 0; t < demos->trajectories; t++) {
            expected[t] += weight[k] * exp(likelihood[t]);
            sum += weight[k] * likelihood[t] * (double)demos->count[t];
        }
        squares += weight[k] * weight[k];
    }
    for (size_t t = 0; t < demos->trajectories; t++) {
        const double share = (double)demos->count[t] / (double)demos->total;
        divergence += share * (log(share / expected[t]) - dynamics[t]);
    }
    const size_t steps = demos->start[demos->trajectories];
    prior->fit.log_likelihood = sum / (double)demos->steps_up_to[steps - 1];
    /* It is not less than 0, but for rounding; and not told where a likelihood is 0 by rounding. */
    prior->fit.divergence = isfinite(divergence) ? fmax(divergence, 0) : NAN;
    prior->fit.effective = 1 / squares;
    prior->fit.effective_of = "modes";
    return XP_OK;
}

xp_status xp__mode_networks_fit(xp__states_prior *prior, const xp__encoded_demos *demos,
                                xp__mode_sets *sets, size_t most_rows, const xp_rng *rng,
                                xp_error *error) {
    const size_t rows = demos->rows.count;
    xp__net_options options =
        xp__net_options_default(demos->input.inputs, demos->actions, demos->input.hot);
    options.members = sets->count;
    options.hidden = (size_t)xp__params_get(&prior->params, "hidden");
    options.rows = 1;
    xp_status status = xp__net_create(&options, NULL, &prior->networks, error);
    options.members = (size_t)xp__params_get(&prior->params, "draws");
    if (status == XP_OK) {
        status = xp__net_create(&options, NULL, &prior->draws, error);
    }
    projection self = {.actions = demos->actions,
                       .most_rows = most_rows,
                       .rows = xp__alloc(2 * rows, demos->input.row_bytes),
                       .action = xp__alloc(rows, sizeof self.action[0]),
                       .start = xp__alloc(2 * rows * demos->actions, sizeof self.start[0]),
                       .other = xp__alloc(rows, sizeof self.other[0]),
                       .likelihood = xp__alloc(3 * demos->trajectories, sizeof(double)),
                       .beta = xp__params_get(&prior->params, "beta"),
                       .hold = xp__params_get(&prior->params, "hold")};
    if (status == XP_OK && (self.rows == NULL || self.action == NULL || self.start == NULL ||
                            self.other == NULL || self.likelihood == NULL)) {
        status = xp__no_memory(error);
    }
    if (status == XP_OK) {
        status = fit_networks(prior, demos, sets, &self, rng, error);
    }
    if (status == XP_OK) {
        status = compare(prior, demos, sets->weight, self.start, self.likelihood, error);
        prior->weights = sets->weight;
        sets->weight = NULL;
    }
    if (status == XP_OK && demos->input.hot > 0) { /* real numbers hardly ever come again */
        status = xp__shown_steps_init(&prior->shown, demos, error);
    }
    xp__free(self.rows);
    xp__free(self.action);
    xp__free(self.start);
    xp__free(self.other);
    xp__free(self.likelihood);
    return status;
}

xp_status xp__mode_networks_restore(xp__states_prior *prior, const xp__tensor_file *file,
                                    xp__encoded_demos *demos, xp_error *error) {
    if (prior->weights == NULL || prior->draws == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: modes have weights and draws", file->name);
    }
    return demos->input.hot > 0 ? xp__shown_steps_init(&prior->shown, demos, error) : XP_OK;
}

void xp__mode_networks_deinit(xp__states_prior *prior) {
    xp__shown_steps_deinit(&prior->shown);
}
