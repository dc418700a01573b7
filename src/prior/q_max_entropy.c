/* q_max_entropy.c: the maximum-entropy expert prior over Q-functions (Proposition 1), sampled by
 * Langevin dynamics on the parameters of a network.
 *
 * The weights alpha_τ solve the dual over networks drawn from the initialiser, the reference mu0
 * (q_dual.h). Then one chain, theta += step_i ∇log mu + sqrt(2 step_i) normal, step_i = step / i,
 * the gradient's components cut to ± clip, on one of two densities:
 *
 *   paper    log mu = Σ_τ alpha_τ m_τ(theta) − r P(theta)           (the sum of Proposition 1)
 *   authors  log mu = Σ_τ alpha_τ (log m_τ(theta) − r P(theta))     (what their program samples)
 *
 * with P(theta) = |theta|_2 + the mean of Q² over the demonstrated states, which stands for mu0.
 * The alphas are of the order of 1 / m_τ; under the authors' density nearly every component is cut,
 * so that only its sign counts (fit.clipped). Networks are kept at even distances over the last
 * part of the chain. */
#include "prior/q_prior_type.h"

#include "base/memory.h"
#include "prior/q_dual.h"
#include "prior/q_likelihood.h"

#include <math.h>
#include <string.h>

enum { DENSITY_AUTHORS, DENSITY_PAPER };
enum { STREAM_REFERENCES, STREAM_START, STREAM_NOISE };
enum { CHUNK = 50, MAX_SOLVES = 60 };

static const xp_param params[] = {
    {.name = "density",
     .summary = "what the chain samples: a sum of log-likelihoods, as the authors' program does, "
                "or the sum of likelihoods of Proposition 1",
     .kind = XP_PARAM_CHOICE,
     .low = DENSITY_AUTHORS,
     .high = DENSITY_PAPER,
     .standard = DENSITY_AUTHORS,
     .choices = "authors|paper"},
    {.name = "networks",
     .summary = "networks kept from the chain",
     .kind = XP_PARAM_INTEGER,
     .low = 1,
     .high = 1500,
     .standard = 50},
    {.name = "hidden",
     .summary = "units in each of the two hidden layers",
     .kind = XP_PARAM_INTEGER,
     .low = 1,
     .high = 256,
     .standard = 50},
    {.name = "beta",
     .summary = "competence of the experts",
     .kind = XP_PARAM_REAL,
     .low = 1e-6,
     .high = 1e6,
     .standard = 5},
    {.name = "references",
     .summary = "networks drawn from the reference distribution for the dual",
     .kind = XP_PARAM_INTEGER,
     .low = 2,
     .high = 100000,
     .standard = 1500},
    {.name = "lambda",
     .summary = "weight of the demonstrations in the dual",
     .kind = XP_PARAM_REAL,
     .low = 1e-6,
     .high = 1e6,
     .standard = 10},
    {.name = "epsilon",
     .summary = "solve for lambda so that the divergence from the demonstrations is this, in nats; "
                "inf: lambda as given",
     .kind = XP_PARAM_REAL,
     .low = 0,
     .high = INFINITY,
     .standard = INFINITY},
    {.name = "regulariser",
     .summary = "weight r of |theta| and the mean of Q squared",
     .kind = XP_PARAM_REAL,
     .low = 0,
     .high = 1e6,
     .standard = 0.1},
    {.name = "chain_steps",
     .summary = "steps of the chain",
     .kind = XP_PARAM_INTEGER,
     .low = 1,
     .high = 1e7,
     .standard = 10000},
    {.name = "chain_last",
     .summary = "last steps of the chain from which networks are kept",
     .kind = XP_PARAM_INTEGER,
     .low = 1,
     .high = 1e7,
     .standard = 3000},
    {.name = "chain_rate",
     .summary = "size of the first step; the i-th is i times smaller",
     .kind = XP_PARAM_REAL,
     .low = 0,
     .high = 1,
     .standard = 1e-2},
    {.name = "clip",
     .summary = "components of the gradient are cut to plus or minus this; 0: not cut",
     .kind = XP_PARAM_REAL,
     .low = 0,
     .high = 1e30,
     .standard = 50},
};

/* What the dual leaves: a weight for each distinct trajectory. */
typedef struct weights {
    double *share;          /* p_τ */
    double *log_likelihood; /* [references][trajectories], then scaled likelihoods */
    double *log_most;       /* the largest log m_τ of the references */
    double *w, *expected;   /* of the scaled likelihoods */
    double *alpha;
} weights;

static size_t whole(const xp_q_prior *prior, const char *name) {
    return (size_t)xp_params_get(&prior->params, name);
}

static xp_net_options shape(const xp_q_prior *prior, const xp__q_demos *demos, size_t members) {
    xp_net_options options =
        xp_net_options_default(demos->input.inputs, demos->actions, demos->input.hot);
    options.members = members;
    options.hidden = whole(prior, "hidden");
    options.rows = demos->rows.count;
    return options;
}

/* log m_τ of every reference network, drawn in chunks to bound the memory. */
static xp_status draw_references(const xp_q_prior *prior, const xp__q_demos *demos,
                                 const xp_rng *rng, double *log_likelihood, xp_error *error) {
    const size_t references = whole(prior, "references");
    float *q = xp__alloc(demos->rows.count * demos->actions, sizeof *q);
    xp_status status = q != NULL ? XP_OK : xp__no_memory(error);
    for (size_t first = 0; status == XP_OK && first < references; first += CHUNK) {
        const size_t count = references - first < CHUNK ? references - first : CHUNK;
        const xp_net_options options = shape(prior, demos, count);
        const xp_rng own = xp_rng_fork(rng, first / CHUNK);
        xp_net *net = NULL;
        status = xp_net_create(&options, &own, &net, error);
        if (status == XP_OK) {
            xp__q_log_likelihoods(net, 0, count, demos, xp_params_get(&prior->params, "beta"), q,
                                  log_likelihood + first * demos->trajectories);
        }
        xp_net_destroy(net);
    }
    xp__free(q);
    return status;
}

/* Makes likelihoods of log-likelihoods, the largest of each trajectory 1. */
static void scale(size_t references, size_t trajectories, double *likelihood, double *log_most) {
    for (size_t j = 0; j < trajectories; j++) {
        log_most[j] = -INFINITY;
        for (size_t c = 0; c < references; c++) {
            log_most[j] = fmax(log_most[j], likelihood[c * trajectories + j]);
        }
        for (size_t c = 0; c < references; c++) {
            double *m = &likelihood[c * trajectories + j];
            *m = exp(*m - log_most[j]);
        }
    }
}

/* KL(p̂ || P_E(.; mu)) over the demonstrated trajectories, with P_E(τ) = E_mu[m_τ]. */
static double divergence(const weights *at, size_t trajectories) {
    double sum = 0;
    for (size_t j = 0; j < trajectories; j++) {
        sum += at->share[j] * (log(at->share[j] / at->expected[j]) - at->log_most[j]);
    }
    return sum;
}

static xp_status solve_at(xp_q_prior *prior, weights *at, xp__q_dual *dual, double lambda,
                          xp_error *error) {
    xp__q_dual_result result;
    dual->lambda = lambda;
    const xp_status status = xp__q_dual_solve(dual, at->w, at->expected, &result, error);
    prior->fit.lambda = lambda;
    prior->fit.duality_gap = result.gap;
    prior->fit.effective = result.effective;
    prior->fit.divergence = divergence(at, dual->trajectories);
    return status;
}

/* The divergence falls as lambda grows: bisection on log lambda. */
static xp_status solve_for(xp_q_prior *prior, weights *at, xp__q_dual *dual, double epsilon,
                           xp_error *error) {
    double low = log(1e-6), high = log(1e6);
    xp_status status = solve_at(prior, at, dual, exp(high), error);
    if (status == XP_OK && prior->fit.divergence > epsilon) {
        return xp_error_set(
            error, XP_ERR_NUMERIC,
            "no weights over the %zu reference networks bring the divergence from the "
            "demonstrations to epsilon = %g nats: the least is about %g",
            dual->references, epsilon, prior->fit.divergence);
    }
    for (int i = 0; status == XP_OK && i < MAX_SOLVES && high - low > 1e-9; i++) {
        const double middle = (low + high) / 2;
        status = solve_at(prior, at, dual, exp(middle), error);
        if (prior->fit.divergence > epsilon) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return status == XP_OK ? solve_at(prior, at, dual, exp(high), error) : status;
}

static xp_status solve_dual(xp_q_prior *prior, const xp__q_demos *demos, const xp_rng *rng,
                            weights *at, xp_error *error) {
    const size_t references = whole(prior, "references"), n = demos->trajectories;
    xp_status status = draw_references(prior, demos, rng, at->log_likelihood, error);
    if (status != XP_OK) {
        return status;
    }
    scale(references, n, at->log_likelihood, at->log_most);
    for (size_t j = 0; j < n; j++) {
        at->share[j] = (double)demos->count[j] / (double)demos->total;
    }
    xp__q_dual dual = {.references = references,
                       .trajectories = n,
                       .scaled = at->log_likelihood,
                       .share = at->share};
    const double epsilon = xp_params_get(&prior->params, "epsilon");
    status = isinf(epsilon)
                 ? solve_at(prior, at, &dual, xp_params_get(&prior->params, "lambda"), error)
                 : solve_for(prior, at, &dual, epsilon, error);
    for (size_t j = 0; j < n; j++) {
        at->alpha[j] = at->w[j] * exp(-at->log_most[j]);
    }
    return status;
}

static xp_status weights_init(weights *at, size_t references, size_t trajectories,
                              xp_error *error) {
    *at = (weights){.share = xp__alloc(trajectories, sizeof(double)),
                    .log_likelihood = xp__alloc(references, trajectories * sizeof(double)),
                    .log_most = xp__alloc(trajectories, sizeof(double)),
                    .w = xp__alloc(trajectories, sizeof(double)),
                    .expected = xp__alloc(trajectories, sizeof(double)),
                    .alpha = xp__alloc(trajectories, sizeof(double))};
    return at->share != NULL && at->log_likelihood != NULL && at->log_most != NULL &&
                   at->w != NULL && at->expected != NULL && at->alpha != NULL
               ? XP_OK
               : xp__no_memory(error);
}

static void weights_deinit(weights *at) {
    xp__free(at->share);
    xp__free(at->log_likelihood);
    xp__free(at->log_most);
    xp__free(at->w);
    xp__free(at->expected);
    xp__free(at->alpha);
}

/* Minus the log-density in Q; |theta| is the descent's decay. */
typedef struct density {
    xp_net_trajectories trajectories;
    double penalty; /* of the mean of Q² */
} density;

static double density_loss(void *context, size_t member, size_t rows, const float *q,
                           float *slope) {
    density *at = context;
    const size_t cells = rows * at->trajectories.actions;
    double loss = xp_net_trajectories_loss(&at->trajectories, member, rows, q, slope);
    double squares = 0;
    for (size_t i = 0; i < cells; i++) {
        squares += (double)q[i] * (double)q[i];
        slope[i] += (float)(2 * at->penalty / (double)cells * (double)q[i]);
    }
    loss += at->penalty * squares / (double)cells;
    return loss;
}

/* The chain's state: one network, and what moves it. */
typedef struct chain {
    xp_net *net;
    density density;
    double regulariser; /* of |theta| */
    xp_rng noise;
} chain;

static void advance(const xp_q_prior *prior, const xp__q_demos *demos, chain *at, size_t i) {
    const double step = xp_params_get(&prior->params, "chain_rate") / (double)i;
    const double norm = xp_net_norm(at->net, 0);
    const double decay = norm > 0 ? at->regulariser / norm : 0;
    const xp_net_descent descent = {.step = step,
                                    .noise = sqrt(2 * step),
                                    .clip = xp_params_get(&prior->params, "clip"),
                                    .decay = &decay};
    const xp_net_rows rows = xp__q_demos_rows(demos);
    const xp_rng own = xp_rng_fork(&at->noise, i);
    xp_net_descend(at->net, &rows, density_loss, &at->density, &descent, &own, NULL);
}

/* The share of the gradient's components that are cut where the chain ended. */
static xp_status measure_clipping(xp_q_prior *prior, const xp__q_demos *demos, chain *at,
                                  xp_error *error) {
    const double clip = xp_params_get(&prior->params, "clip");
    const size_t count = xp_net_parameter_count(at->net);
    const double decay = at->regulariser / fmax(xp_net_norm(at->net, 0), 1e-30);
    float *gradient = xp__alloc(count, sizeof *gradient);
    float *parameters = xp__alloc(count, sizeof *parameters);
    if (gradient != NULL && parameters != NULL) {
        const xp_net_rows rows = xp__q_demos_rows(demos);
        size_t cut = 0;
        xp_net_gradient(at->net, 0, &rows, density_loss, &at->density, gradient);
        xp_net_get(at->net, 0, parameters);
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

/* Runs the chain; networks are kept at even distances over its last part, the last step included.
 */
static void run_chain(xp_q_prior *prior, const xp__q_demos *demos, chain *at) {
    const size_t steps = whole(prior, "chain_steps"), keep = whole(prior, "networks");
    const size_t wanted = whole(prior, "chain_last"), last = wanted < steps ? wanted : steps;
    size_t kept = 0;
    for (size_t i = 1; i <= steps; i++) {
        advance(prior, demos, at, i);
        const size_t into = i + last - steps; /* steps into the last part, once i reaches it */
        while (i + last > steps && kept < keep && (kept + 1) * last <= into * keep) {
            xp_net_copy_member(prior->networks, kept++, at->net, 0);
        }
    }
    prior->fit.steps = steps;
}

static xp_status sample(xp_q_prior *prior, const xp__q_demos *demos, const weights *dual,
                        xp_rng *rng, xp_error *error) {
    const bool authors = whole(prior, "density") == DENSITY_AUTHORS;
    const double r = xp_params_get(&prior->params, "regulariser");
    const xp_net_options kept = shape(prior, demos, whole(prior, "networks"));
    const xp_net_options one = shape(prior, demos, 1);
    const xp_rng start = xp_rng_fork(rng, STREAM_START);
    double total = 0;
    for (size_t j = 0; j < demos->trajectories; j++) {
        total += dual->alpha[j];
    }
    const double penalty = authors ? r * total : r;
    chain at = {.density = {.trajectories = {.count = demos->trajectories,
                                             .actions = demos->actions,
                                             .start = demos->start,
                                             .row = demos->row,
                                             .action = demos->action,
                                             .alpha = dual->alpha,
                                             .beta = xp_params_get(&prior->params, "beta"),
                                             .logarithm = authors},
                            .penalty = penalty},
                .regulariser = penalty,
                .noise = xp_rng_fork(rng, STREAM_NOISE)};
    xp_status status = xp_net_create(&kept, NULL, &prior->networks, error);
    if (status == XP_OK) {
        status = xp_net_create(&one, &start, &at.net, error);
    }
    if (status == XP_OK) {
        run_chain(prior, demos, &at);
        status = measure_clipping(prior, demos, &at, error);
    }
    xp_net_destroy(at.net);
    return status;
}

static xp_status fit(xp_q_prior *prior, const xp__q_demos *demos, xp_rng *rng, xp_error *error) {
    const xp_rng references = xp_rng_fork(rng, STREAM_REFERENCES);
    weights dual;
    xp_status status = weights_init(&dual, whole(prior, "references"), demos->trajectories, error);
    if (status == XP_OK) {
        status = solve_dual(prior, demos, &references, &dual, error);
    }
    if (status == XP_OK) {
        status = sample(prior, demos, &dual, rng, error);
    }
    if (status == XP_OK) {
        status =
            xp__q_mean_log_likelihood(prior->networks, demos, xp_params_get(&prior->params, "beta"),
                                      &prior->fit.log_likelihood, error);
    }
    weights_deinit(&dual);
    return status;
}

const xp_q_prior_type xp__q_prior_max_entropy = {
    .name = "max_entropy",
    .summary = "maximum-entropy expert prior over networks, sampled by Langevin dynamics "
               "(Proposition 1)",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = sizeof(xp_q_prior),
    .fit = fit,
};
