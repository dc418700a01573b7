/* max_entropy.c: the maximum-entropy expert prior over Q-functions (Proposition 1), sampled by
 * Langevin dynamics on the parameters of a network.
 *
 * The weights alpha_τ solve the dual over networks drawn from the initialiser, the reference mu0
 * (trajectory_weights.h). Then one chain, theta += step_i ∇log mu + sqrt(2 step_i) normal, step_i =
 * step / i, the gradient's components cut to ± clip, on one of the two densities of density.h. The
 * alphas are of the order of 1 / m_τ; under the authors' density nearly every component is cut, so
 * that only its sign counts (fit.clipped). Networks are kept at even distances over the last part
 * of the chain. */
#include "prior/states/states_prior_type.h"

#include "base/memory.h"
#include "prior/states/density.h"
#include "prior/states/likelihood.h"
#include "prior/states/trajectory_weights.h"

#include <math.h>
#include <string.h>

enum { DENSITY_AUTHORS, DENSITY_PAPER };
enum { STREAM_REFERENCES, STREAM_START, STREAM_NOISE };

static const xp_param params[] = {
    {.name = "density",
     .summary = "what the chain samples: a sum of log-likelihoods, as the authors' program does, "
                "or the sum of likelihoods of Proposition 1",
     .kind = XP_PARAM_CHOICE,
     .low = DENSITY_AUTHORS,
     .high = DENSITY_PAPER,
     .standard = DENSITY_AUTHORS,
     .choices = "authors|paper"},
    XP__INTEGER("networks", "networks kept from the chain", 1, 1500, 50),
    XP__STATES_PRIOR_HIDDEN,
    XP__STATES_PRIOR_BETA,
    XP__INTEGER("references", "networks drawn from the reference distribution for the dual", 2,
                100000, 1500),
    XP__REAL("lambda", "weight of the demonstrations in the dual", 1e-6, 1e6, 10),
    XP__REAL("epsilon",
             "solve for lambda so that the divergence from the demonstrations is this, in nats; "
             "inf: lambda as given",
             0, INFINITY, INFINITY),
    XP__REAL("regulariser", "weight r of |theta| and the mean of Q squared", 0, 1e6, 0.1),
    XP__INTEGER("chain_steps",
                "steps of the chain; 0: networks drawn from the reference distribution", 0, 1e7,
                10000),
    XP__INTEGER("chain_last", "how many last steps of the chain networks are kept from", 1, 1e7,
                3000),
    XP__REAL("chain_rate", "size of the first step; the i-th is i times smaller", 0, 1, 1e-2),
    XP__REAL("clip", "components of the gradient are clipped to plus or minus this; 0: not clipped",
             0, 1e30, 50),
};

/* What is kept beside the networks: all that the density is made of. */
typedef struct max_entropy {
    xp__states_prior prior;
    xp__encoded_demos demos;
    double *alpha; /* a distinct trajectory each */
    xp__density density;
} max_entropy;

static size_t whole(const xp__states_prior *prior, const char *name) {
    return (size_t)xp__params_get(&prior->params, name);
}

static xp__net_options shape(const xp__states_prior *prior, const xp__encoded_demos *demos,
                             size_t members) {
    xp__net_options options =
        xp__net_options_default(demos->input.inputs, demos->actions, demos->input.hot);
    options.members = members;
    options.hidden = whole(prior, "hidden");
    options.rows = demos->rows.count;
    return options;
}

/* The chain's state: one network, and what moves it. */
typedef struct chain {
    xp__net *net;
    xp__density density;
    xp_rng noise;
} chain;

static void advance(const xp__states_prior *prior, chain *at, size_t i) {
    const double step = xp__params_get(&prior->params, "chain_rate") / (double)i;
    const double decay = xp__density_decay(&at->density, at->net, 0);
    const xp__net_descent descent = {.step = step,
                                     .noise = sqrt(2 * step),
                                     .clip = xp__params_get(&prior->params, "clip"),
                                     .decay = &decay};
    const xp_rng own = xp_rng_fork(&at->noise, i);
    xp__net_descend(at->net, &at->density.rows, xp__density_loss, &at->density, &descent, &own,
                    NULL);
}

/* The share of the gradient's components that are cut where the chain ended. */
static xp_status measure_clipping(xp__states_prior *prior, chain *at, xp_error *error) {
    const double clip = xp__params_get(&prior->params, "clip");
    const size_t count = xp__net_parameter_count(at->net);
    const double decay = xp__density_decay(&at->density, at->net, 0);
    float *gradient = xp__alloc(count, sizeof *gradient);
    float *parameters = xp__alloc(count, sizeof *parameters);
    if (gradient != NULL && parameters != NULL) {
        size_t cut = 0;
        xp__net_gradient(at->net, 0, &at->density.rows, xp__density_loss, &at->density, gradient);
        xp__net_get(at->net, 0, parameters);
        for (size_t i = 0; i < count; i++) {
            cut += fabs((double)gradient[i] + decay * (double)parameters[i]) > clip;
        }
        prior->fit.clipped = clip > 0 ? (double)cut / (double)count : 0;
    }
    const bool made = gradient != NULL && parameters != NULL;
    xp__free(gradient);
    xp__free(parameters);
    return made ? XP_OK : xp__no_memory(error);
}

/* For the watch: the share of the work that is done before the chain starts. A step of the chain
 * takes about three times as long as the likelihood of a reference network. */
static double weights_part(const xp__states_prior *prior) {
    const double references = (double)whole(prior, "references");
    return references / (references + 3 * (double)whole(prior, "chain_steps"));
}

/* Runs the chain; networks are kept at even distances over its last part, the last step included.
 */
static void run_chain(xp__states_prior *prior, chain *at) {
    const size_t steps = whole(prior, "chain_steps"), keep = whole(prior, "networks");
    const size_t wanted = whole(prior, "chain_last"), last = wanted < steps ? wanted : steps;
    const double before = weights_part(prior);
    size_t kept = 0;
    for (size_t i = 1; i <= steps; i++) {
        const double done = (double)(i - 1) / (double)steps;
        if (xp__watch_tell(&prior->watch, before + (1 - before) * done)) {
            break;
        }
        advance(prior, at, i);
        const size_t into = i + last - steps; /* steps into the last part, once i reaches it */
        while (i + last > steps && kept < keep && (kept + 1) * last <= into * keep) {
            xp__net_copy_member(prior->networks, kept++, at->net, 0);
        }
    }
    prior->fit.steps = steps;
}

static xp_status sample(max_entropy *self, xp_rng *rng, xp_error *error) {
    xp__states_prior *prior = &self->prior;
    const bool still = whole(prior, "chain_steps") == 0;
    const xp__net_options kept = shape(prior, &self->demos, whole(prior, "networks"));
    const xp__net_options one = shape(prior, &self->demos, 1);
    const xp_rng start = xp_rng_fork(rng, STREAM_START);
    chain at = {.density = self->density, .noise = xp_rng_fork(rng, STREAM_NOISE)};
    xp_status status = xp__net_create(&kept, still ? &start : NULL, &prior->networks, error);
    if (status != XP_OK || still) {
        return status;
    }
    status = xp__net_create(&one, &start, &at.net, error);
    if (status == XP_OK) {
        run_chain(prior, &at);
        status = measure_clipping(prior, &at, error);
    }
    xp__net_destroy(at.net);
    return status;
}

/* The density that belongs to the weights. */
static void lay_density(max_entropy *self) {
    const xp__states_prior *prior = &self->prior;
    self->density = xp__density_of(
        &self->demos, self->alpha, xp__params_get(&prior->params, "beta"),
        whole(prior, "density") == DENSITY_AUTHORS, xp__params_get(&prior->params, "regulariser"));
}

static void take_demos(max_entropy *self, xp__encoded_demos *demos) {
    self->demos = *demos;
    *demos = (xp__encoded_demos){.start = NULL};
}

static xp_status solve(max_entropy *self, const xp_rng *rng, xp_error *error) {
    xp__states_prior *prior = &self->prior;
    const xp__trajectory_weights_options options = {
        .references = whole(prior, "references"),
        .hidden = whole(prior, "hidden"),
        .beta = xp__params_get(&prior->params, "beta"),
        .lambda = xp__params_get(&prior->params, "lambda"),
        .epsilon = xp__params_get(&prior->params, "epsilon"),
        .watch = &prior->watch,
        .part = weights_part(prior),
    };
    self->alpha = xp__alloc(self->demos.trajectories, sizeof self->alpha[0]);
    if (self->alpha == NULL) {
        return xp__no_memory(error);
    }
    const xp_status status =
        xp__trajectory_weights_solve(&options, &self->demos, rng, self->alpha, &prior->fit, error);
    lay_density(self);
    return status;
}

static xp_status fit(xp__states_prior *prior, xp__encoded_demos *demos, xp_rng *rng,
                     xp_error *error) {
    max_entropy *self = (max_entropy *)prior;
    const xp_rng references = xp_rng_fork(rng, STREAM_REFERENCES);
    take_demos(self, demos);
    xp_status status = solve(self, &references, error);
    if (status == XP_OK && !prior->watch.stopped) {
        status = sample(self, rng, error);
    }
    if (status == XP_OK && !prior->watch.stopped) {
        status = xp__network_mean_log_likelihood(prior->networks, &self->demos,
                                                 xp__params_get(&prior->params, "beta"),
                                                 &prior->watch, &prior->fit.log_likelihood, error);
    }
    self->demos.input.categories = NULL; /* the environment's, which may go */
    return status;
}

static void deinit(xp__states_prior *prior) {
    max_entropy *self = (max_entropy *)prior;
    xp__encoded_demos_deinit(&self->demos);
    xp__free(self->alpha);
}

static void write(const xp__states_prior *prior, xp__tensors *file) {
    const max_entropy *self = (const max_entropy *)prior;
    xp__tensors_add(file, "alpha", XP__F64, self->demos.trajectories, 0, self->alpha);
}

static xp_status restore(xp__states_prior *prior, const xp__tensor_file *file,
                         xp__encoded_demos *demos, xp_error *error) {
    max_entropy *self = (max_entropy *)prior;
    const xp__tensor *alpha;
    xp_status status =
        xp__tensor_file_need(file, "alpha", XP__F64, demos->trajectories, 0, &alpha, error);
    if (status != XP_OK) {
        return status;
    }
    self->alpha = xp__alloc(demos->trajectories, sizeof self->alpha[0]);
    if (self->alpha == NULL) {
        return xp__no_memory(error);
    }
    memcpy(self->alpha, alpha->data, alpha->rows * sizeof self->alpha[0]);
    for (size_t t = 0; t < alpha->rows; t++) {
        if (!(self->alpha[t] >= 0 && isfinite(self->alpha[t]))) {
            return xp_error_set(error, XP_ERR_INPUT, "%s: tensor 'alpha': number %zu is %g",
                                file->name, t, self->alpha[t]);
        }
    }
    take_demos(self, demos);
    self->demos.input.categories = NULL; /* the environment's, which may go */
    lay_density(self);
    return XP_OK;
}

static const xp__density *density(const xp__states_prior *prior) {
    return &((const max_entropy *)prior)->density;
}

const xp__states_prior_type xp__states_prior_max_entropy = {
    .name = "max_entropy",
    .summary = "maximum-entropy expert prior over networks, sampled by Langevin dynamics "
               "(Proposition 1)",
    .steadier = "a smaller chain_rate or regulariser, or a clip above 0",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = sizeof(max_entropy),
    .fit = fit,
    .deinit = deinit,
    .density = density,
    .write = write,
    .restore = restore,
};
