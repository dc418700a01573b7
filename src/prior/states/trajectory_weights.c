/* trajectory_weights.c: see trajectory_weights.h. */
#include "prior/states/trajectory_weights.h"

#include "base/budget.h"
#include "base/memory.h"
#include "prior/states/trajectory_dual.h"
#include "prior/states/dynamics.h"
#include "prior/states/likelihood.h"

#include <math.h>
#include <stdio.h>

enum { CHUNK = 50, MAX_SOLVES = 60 };

typedef struct solver {
    const xp__trajectory_weights_options *options;
    const xp__encoded_demos *demos;
    double *share;        /* p_τ */
    double *likelihood;   /* [references][trajectories]: log m_τ, then m_τ with largest value 1 */
    double *log_most;     /* the largest log m_τ of the references */
    double *log_dynamics; /* log T_τ */
    double *w, *expected; /* of the scaled likelihoods */
    xp__states_fit *fit;
} solver;

/* The networks are taken to be the first half of the work and the weights the second. */
static bool tell(const solver *at, double networks, double weights) {
    return xp__watch_tell(at->options->watch, at->options->part * (networks + weights) / 2);
}

/* log m_τ of every reference network, drawn in chunks to bound the memory. */
static xp_status draw_references(solver *at, const xp_rng *rng, xp_error *error) {
    const xp__encoded_demos *demos = at->demos;
    const size_t references = at->options->references;
    float *q = xp__alloc(demos->rows.count * demos->actions, sizeof *q);
    xp_status status = q != NULL ? XP_OK : xp__no_memory(error);
    xp__net_options options =
        xp__net_options_default(demos->input.inputs, demos->actions, demos->input.hot);
    options.hidden = at->options->hidden;
    for (size_t first = 0; status == XP_OK && first < references; first += CHUNK) {
        if (tell(at, (double)first / (double)references, 0)) {
            break;
        }
        const xp_rng own = xp_rng_fork(rng, first / CHUNK);
        xp__net *net = NULL;
        options.members = references - first < CHUNK ? references - first : CHUNK;
        status = xp__net_create(&options, &own, &net, error);
        if (status == XP_OK) {
            xp__network_log_likelihoods(net, 0, options.members, demos, at->options->beta, q,
                                        at->likelihood + first * demos->trajectories);
        }
        xp__net_destroy(net);
    }
    xp__free(q);
    return status;
}

/* Makes likelihoods of log-likelihoods, the largest of each trajectory 1. */
static xp_status scale(solver *at, xp_error *error) {
    const size_t references = at->options->references, trajectories = at->demos->trajectories;
    for (size_t j = 0; j < trajectories; j++) {
        at->log_most[j] = -INFINITY;
        for (size_t c = 0; c < references; c++) {
            at->log_most[j] = fmax(at->log_most[j], at->likelihood[c * trajectories + j]);
        }
        double sum = 0;
        for (size_t c = 0; c < references; c++) {
            double *m = &at->likelihood[c * trajectories + j];
            *m = exp(*m - at->log_most[j]);
            sum += *m;
        }
        if (!isfinite(sum)) {
            return xp_error_set(error, XP_ERR_NUMERIC,
                                "distinct demonstration %zu has no finite likelihood under some "
                                "reference networks: scale the numbers of its states to about 1",
                                j + 1);
        }
    }
    return XP_OK;
}

/* KL(p̂ || P_E(.; mu)) over the demonstrated trajectories, with P_E(τ) = T_τ E_mu[m_τ]
 * (dynamics.h). */
static double divergence(const solver *at) {
    double sum = 0;
    for (size_t j = 0; j < at->demos->trajectories; j++) {
        sum += at->share[j] *
               (log(at->share[j] / at->expected[j]) - at->log_most[j] - at->log_dynamics[j]);
    }
    return fmax(sum, 0); /* it is not less, but for rounding */
}

static xp_status solve_at(solver *at, double lambda, xp_error *error) {
    const xp__trajectory_dual dual = {.references = at->options->references,
                                      .trajectories = at->demos->trajectories,
                                      .scaled = at->likelihood,
                                      .share = at->share,
                                      .lambda = lambda,
                                      .watch = at->options->watch};
    xp__trajectory_dual_result result = {.gap = NAN};
    const xp_status status = xp__trajectory_dual_solve(&dual, at->w, at->expected, &result, error);
    at->fit->lambda = lambda;
    at->fit->duality_gap = result.gap;
    at->fit->effective = result.effective;
    at->fit->effective_of = "reference networks";
    at->fit->divergence = status == XP_OK ? divergence(at) : NAN;
    return status;
}

/* The divergence falls as lambda grows: bisection on log lambda. */
static xp_status solve_for(solver *at, double epsilon, xp_error *error) {
    double low = log(1e-6), high = log(1e6);
    xp_status status = solve_at(at, exp(high), error);
    if (status == XP_OK && at->fit->divergence > epsilon) {
        return xp_error_set(
            error, XP_ERR_NUMERIC,
            "no weights over the %zu reference networks bring the divergence from the "
            "demonstrations to epsilon = %g nats: the least is about %g",
            at->options->references, epsilon, at->fit->divergence);
    }
    for (int i = 0; status == XP_OK && i < MAX_SOLVES && high - low > 1e-9; i++) {
        if (tell(at, 1, (double)i / MAX_SOLVES)) {
            break;
        }
        const double middle = (low + high) / 2;
        status = solve_at(at, exp(middle), error);
        if (at->fit->divergence > epsilon) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return status == XP_OK ? solve_at(at, exp(high), error) : status;
}

/* The dual keeps a likelihood for each reference network and trajectory, and a square matrix over
 * trajectories. */
static xp_status check_memory(const xp__trajectory_weights_options *options,
                              const xp__encoded_demos *demos, xp_error *error) {
    const size_t n = demos->trajectories;
    char what[128];
    (void)snprintf(what, sizeof what,
                   "the dual over %zu distinct demonstrations and %zu reference networks", n,
                   options->references);
    return xp__budget_check(n, (n + options->references) * sizeof(double), what,
                            "use fewer demonstrations or references, or another method", error);
}

static xp_status allocate(solver *at, xp_error *error) {
    const size_t n = at->demos->trajectories;
    at->share = xp__alloc(n, sizeof(double));
    at->likelihood = xp__alloc(at->options->references, n * sizeof(double));
    at->log_most = xp__alloc(n, sizeof(double));
    at->log_dynamics = xp__alloc(n, sizeof(double));
    at->w = xp__alloc(n, sizeof(double));
    at->expected = xp__alloc(n, sizeof(double));
    return at->share != NULL && at->likelihood != NULL && at->log_most != NULL &&
                   at->log_dynamics != NULL && at->w != NULL && at->expected != NULL
               ? XP_OK
               : xp__no_memory(error);
}

xp_status xp__trajectory_weights_solve(const xp__trajectory_weights_options *options,
                                       const xp__encoded_demos *demos, const xp_rng *rng,
                                       double *alpha, xp__states_fit *fit, xp_error *error) {
    const size_t n = demos->trajectories;
    solver at = {.options = options, .demos = demos, .fit = fit};
    xp_status status = check_memory(options, demos, error);
    if (status == XP_OK) {
        status = allocate(&at, error);
    }
    if (status == XP_OK) {
        status = draw_references(&at, rng, error);
    }
    if (status == XP_OK) {
        status = xp__log_dynamics(demos, at.log_dynamics, error);
    }
    if (status == XP_OK && !tell(&at, 1, 0)) {
        status = scale(&at, error);
    }
    if (status == XP_OK && !xp__watch_stopped(options->watch)) {
        for (size_t j = 0; j < n; j++) {
            at.share[j] = (double)demos->count[j] / (double)demos->total;
        }
        status = isinf(options->epsilon) ? solve_at(&at, options->lambda, error)
                                         : solve_for(&at, options->epsilon, error);
    }
    for (size_t j = 0; status == XP_OK && j < n; j++) {
        alpha[j] = at.w[j] * exp(-at.log_most[j]);
        if (!isfinite(alpha[j])) {
            status = xp_error_set(error, XP_ERR_NUMERIC,
                                  "distinct demonstration %zu has a likelihood of at most "
                                  "exp(%g) under the reference networks: its weight is too large",
                                  j + 1, at.log_most[j]);
        }
    }
    xp__free(at.share);
    xp__free(at.likelihood);
    xp__free(at.log_most);
    xp__free(at.log_dynamics);
    xp__free(at.w);
    xp__free(at.expected);
    return status;
}
