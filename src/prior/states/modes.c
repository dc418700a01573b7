/* modes.c: the maximum-entropy expert prior over Q-functions (Proposition 1), sampled mode by
 * mode (mode_sets.h; docs/modes.md).
 *
 * Each mode gets a network of its own random start, a draw from the reference mu0, moved by Adam
 * just far enough to follow the mode: until every action of the mode has probability at least
 * 0.9^(1/H) under Assumption 1, so that a demonstration of H steps has likelihood 0.9 or more. On
 * other demonstrated states it is held where it started: a draw of mu0 projected on the mode.
 *
 * That network stands for the mode when it acts. Learners start from draws of the prior instead,
 * each projected from a start of its own: copies of a likely mode's one network would all learn the
 * same. */
#include "prior/states/states_prior_type.h"

#include "base/memory.h"
#include "math/softmax.h"
#include "prior/states/mode_sets.h"
#include "prior/states/dynamics.h"
#include "prior/states/likelihood.h"

#include <math.h>
#include <string.h>

enum { STREAM_MODES, STREAM_NETWORKS, STREAM_HELD, STREAM_DRAWS, STREAM_DRAWS_HELD };

static const xp_param params[] = {
    XP__INTEGER("modes", "most modes, one network each", 1, 4096, 64),
    XP__INTEGER("draws", "networks drawn from the prior, for heads to start from", 1, 4096, 25),
    XP__STATES_PRIOR_HIDDEN,
    XP__STATES_PRIOR_BETA,
    XP__REAL("followed", "likelihood of a demonstration from which on a network follows it", 0.01,
             0.999, 0.9),
    XP__REAL("hold", "weight with which networks are held where they started on other states", 0,
             1e6, 1),
    XP__INTEGER("fit_steps", "most steps of training a network", 0, 1e6, 1000),
    XP__REAL("fit_rate", "step size of Adam in training", 0, 1, 1e-3),
};

/* The fit of one network: states of the mode first, then some that are held. */
typedef struct projection {
    size_t actions, kept, held;
    unsigned char *rows; /* [kept + held] inputs */
    uint32_t *action;    /* [kept] */
    float *start;        /* [kept + held][actions]: Q at the start */
    size_t *other;       /* scratch: demonstrated states in random order */
    double *likelihood;  /* scratch: three numbers per trajectory */
    double beta, hold;
    double least; /* least log-probability of an action of the mode, at the last step */
} projection;

static double loss(void *context, size_t member, size_t rows, const float *q, float *slope) {
    (void)member;
    projection *self = context;
    const size_t actions = self->actions;
    double total = 0;
    self->least = 0;
    for (size_t row = 0; row < self->kept; row++) {
        const float *values = q + row * actions;
        double best;
        const double sum = xp__soft_sum(values, actions, self->beta, NULL, &best);
        const uint32_t wanted = self->action[row];
        const double chance = self->beta * ((double)values[wanted] - best) - log(sum);
        for (size_t a = 0; a < actions; a++) {
            const double p = exp(self->beta * ((double)values[a] - best)) / sum;
            slope[row * actions + a] = (float)((p - (a == wanted ? 1 : 0)) / (double)self->kept);
        }
        self->least = fmin(self->least, chance);
        total -= chance / self->beta / (double)self->kept;
    }
    for (size_t i = self->kept * actions; i < rows * actions; i++) {
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
    const xp__mode_sets *sets;
    projection *projection;
    xp__net_options options;
    double least;
    size_t most;
    size_t fitted, networks; /* for the watch: how many networks are fitted, of how many */
} fitter;

/* Moves a network until it follows the mode, for at most so many steps; adds them to the fit's. */
static void project(const fitter *at, xp__net *net) {
    projection *self = at->projection;
    const xp__encoded_demos *demos = at->demos;
    const xp__net_rows rows =
        xp__state_input_rows(&demos->input, self->kept + self->held, self->rows);
    xp__net_q(net, 0, 1, &rows, self->start);
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

/* Makes network `index` of `to` a draw from a mode. */
static xp_status fit_network(fitter *self, size_t mode, const xp_rng *starts, const xp_rng *held,
                             xp__net *to, size_t index, xp_error *error) {
    if (xp__watch_tell(&self->prior->watch, (double)self->fitted / (double)self->networks)) {
        return XP_OK;
    }
    const xp_rng own = xp_rng_fork(starts, index);
    xp_rng own_held = xp_rng_fork(held, index);
    xp__net *net = NULL;
    const xp_status status = xp__net_create(&self->options, &own, &net, error);
    if (status == XP_OK) {
        gather(self->projection, self->demos, self->sets->action + mode * self->sets->rows,
               &own_held);
        project(self, net);
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
        .sets = sets,
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
        status = fit_network(&self, k, &networks, &held, prior->networks, k, error);
    }
    const xp_rng drawn = xp_rng_fork(rng, STREAM_DRAWS),
                 drawn_held = xp_rng_fork(rng, STREAM_DRAWS_HELD);
    double up_to = sets->weight[0];
    for (size_t i = 0, mode = 0; status == XP_OK && i < draws; i++) {
        while (up_to < ((double)i + 0.5) / (double)draws && mode + 1 < sets->count) {
            up_to += sets->weight[++mode];
        }
        status = fit_network(&self, mode, &drawn, &drawn_held, prior->draws, i, error);
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
    prior->fit.divergence = fmax(divergence, 0); /* it is not less, but for rounding */
    prior->fit.effective = 1 / squares;
    prior->fit.effective_of = "modes";
    return XP_OK;
}

static xp_status fit(xp__states_prior *prior, xp__encoded_demos *demos, xp_rng *rng,
                     xp_error *error) {
    const size_t rows = demos->rows.count;
    const xp_rng modes = xp_rng_fork(rng, STREAM_MODES);
    xp__mode_sets sets;
    xp_status status =
        xp__mode_sets_init(&sets, demos, (size_t)xp__params_get(&prior->params, "modes"),
                           &prior->watch, &modes, error);
    if (status != XP_OK || prior->watch.stopped) {
        xp__mode_sets_deinit(&sets);
        return status;
    }
    xp__net_options options =
        xp__net_options_default(demos->input.inputs, demos->actions, demos->input.hot);
    options.members = sets.count;
    options.hidden = (size_t)xp__params_get(&prior->params, "hidden");
    options.rows = 1;
    status = xp__net_create(&options, NULL, &prior->networks, error);
    options.members = (size_t)xp__params_get(&prior->params, "draws");
    if (status == XP_OK) {
        status = xp__net_create(&options, NULL, &prior->draws, error);
    }
    projection self = {.actions = demos->actions,
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
        status = fit_networks(prior, demos, &sets, &self, rng, error);
    }
    if (status == XP_OK) {
        status = compare(prior, demos, sets.weight, self.start, self.likelihood, error);
        prior->weights = sets.weight;
        sets.weight = NULL;
    }
    if (status == XP_OK && demos->input.hot > 0) { /* real numbers hardly ever come again */
        status = xp__shown_steps_init(&prior->shown, demos, error);
    }
    xp__mode_sets_deinit(&sets);
    xp__free(self.rows);
    xp__free(self.action);
    xp__free(self.start);
    xp__free(self.other);
    xp__free(self.likelihood);
    return status;
}

static xp_status restore(xp__states_prior *prior, const xp__tensor_file *file,
                         xp__encoded_demos *demos, xp_error *error) {
    if (prior->weights == NULL || prior->draws == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: modes have weights and draws", file->name);
    }
    return demos->input.hot > 0 ? xp__shown_steps_init(&prior->shown, demos, error) : XP_OK;
}

static void deinit(xp__states_prior *prior) {
    xp__shown_steps_deinit(&prior->shown);
}

const xp__states_prior_type xp__states_prior_modes = {
    .name = "modes",
    .summary = "maximum entropy, mode by mode: networks that each follow demonstrations which can "
               "be followed at once (Proposition 1)",
    .steadier = "a smaller fit_rate or hold",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = sizeof(xp__states_prior),
    .fit = fit,
    .deinit = deinit,
    .restore = restore,
};
