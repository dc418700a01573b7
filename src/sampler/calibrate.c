/* calibrate.c: simulation-based calibration of samplers, on threads. See calibrate.h.
 *
 * Simulation i draws from the fork i of the seed's stream and writes its own row of ranks; the
 * histograms are counted afterwards, so the result does not depend on threads or order. */
#include "experior/calibrate.h"

#include "base/check.h"
#include "base/memory.h"
#include "math/special.h"
#include "sampler/prior_draw.h"
#include "sampler/sampler_type.h"
#include "base/pool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void xp_calibrate_options_init(xp_calibrate_options *options, size_t size) {
    const xp_calibrate_options own = {.size = sizeof own,
                                      .simulations = 1000,
                                      .history = 40,
                                      .thompson = true,
                                      .draws = 63,
                                      .bins = 16,
                                      .seed = 1};
    xp__options_give(options, size, &own, sizeof own);
}

enum { BLOCK = 16 }; /* simulations a unit of work: they share one sampler */

/* What all threads read; each unit writes only its own rows. */
typedef struct run {
    const xp_prior *prior;
    const xp_calibrate_options *options;
    const char *sampler; /* registered name */
    xp__params params;
    size_t thinning, statistics;
    xp_rng root;
    uint32_t *ranks;   /* simulations × statistics */
    uint64_t *gave_up; /* units */
} run;

/* One unit's own. */
typedef struct worker {
    const run *run;
    xp_sampler *sampler;
    double *theta, *draw, *coefficient; /* K each */
    double *truth, *value;              /* statistics each */
    uint32_t *below, *equal;            /* statistics each */
} worker;

/* The numbers that are ranked: every mean, the largest, and a linear combination. */
static void compute(const double *theta, const double *coefficient, size_t arms, double *value) {
    double largest = theta[0], linear = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        value[arm] = theta[arm];
        largest = fmax(largest, theta[arm]);
        linear += coefficient[arm] * theta[arm];
    }
    value[arms] = largest;
    value[arms + 1] = linear;
}

/* θ and a history of rewards; false if the prior cannot be drawn from. */
static bool live(worker *self, xp_rng *rng) {
    const xp_calibrate_options *options = self->run->options;
    const size_t arms = self->run->prior->arms;
    const xp__reward_type *type = self->run->prior->reward.type;
    double noise;
    if (!xp__prior_draw_with(self->run->prior, rng, self->theta, &noise)) {
        return false;
    }
    xp_sampler_reset(self->sampler, rng);
    for (size_t t = 0; t < options->history; t++) {
        const size_t arm = options->thompson ? xp_sampler_act(self->sampler, rng) : t % arms;
        if (type == NULL) {
            xp__sampler_observe(self->sampler, rng, arm, xp_rng_uniform(rng) < self->theta[arm]);
        } else {
            xp__sampler_observe_reward(self->sampler, rng, arm,
                                       type->draw_reward(rng, self->theta[arm], noise));
        }
    }
    return true;
}

static bool simulate(worker *self, size_t index, uint64_t *gave_up) {
    const run *shared = self->run;
    const size_t arms = shared->prior->arms, statistics = shared->statistics;
    xp_rng rng = xp_rng_fork(&shared->root, index);
    if (!live(self, &rng)) {
        return false;
    }
    for (size_t arm = 0; arm < arms; arm++) {
        self->coefficient[arm] = xp_rng_normal(&rng);
    }
    compute(self->theta, self->coefficient, arms, self->truth);
    memset(self->below, 0, statistics * sizeof *self->below);
    memset(self->equal, 0, statistics * sizeof *self->equal);
    for (size_t i = 0; i < shared->options->draws; i++) {
        for (size_t skip = 0; skip < shared->thinning; skip++) {
            *gave_up += xp_sampler_draw(self->sampler, &rng, self->draw) ? 0 : 1;
        }
        compute(self->draw, self->coefficient, arms, self->value);
        for (size_t s = 0; s < statistics; s++) {
            self->below[s] += self->value[s] < self->truth[s] ? 1 : 0;
            self->equal[s] += self->value[s] == self->truth[s] ? 1 : 0;
        }
    }
    /* Means can be equal only by rounding (Beta parameters near zero); ties are broken fairly. */
    for (size_t s = 0; s < statistics; s++) {
        shared->ranks[index * statistics + s] =
            self->below[s] + (uint32_t)xp_rng_below(&rng, (uint64_t)self->equal[s] + 1);
    }
    return true;
}

static void worker_deinit(worker *self) {
    xp_sampler_destroy(self->sampler);
    xp__free(self->theta);
    xp__free(self->below);
}

static xp_status worker_init(worker *self, const run *shared, xp_error *error) {
    const size_t arms = shared->prior->arms;
    *self = (worker){.run = shared};
    self->theta = xp__alloc(3 * arms + 2 * shared->statistics, sizeof(double));
    self->below = xp__alloc(2 * shared->statistics, sizeof *self->below);
    if (self->theta == NULL || self->below == NULL) {
        return xp__no_memory(error);
    }
    self->draw = self->theta + arms;
    self->coefficient = self->theta + 2 * arms;
    self->truth = self->theta + 3 * arms;
    self->value = self->truth + shared->statistics;
    self->equal = self->below + shared->statistics;
    return xp__sampler_create(shared->sampler, &shared->params, shared->prior, &self->sampler,
                              error);
}

static xp_status run_unit(void *context, size_t unit, const xp__pool *pool, xp_error *error) {
    const run *shared = context;
    const size_t simulations = shared->options->simulations, first = unit * BLOCK;
    const size_t end = simulations - first < BLOCK ? simulations : first + BLOCK;
    worker self;
    xp_status status = worker_init(&self, shared, error);
    for (size_t i = first; status == XP_OK && i < end; i++) {
        if (xp__pool_cancelled(pool)) {
            status = xp_error_set(error, XP_ERR_INTERRUPTED, "calibration was interrupted");
        } else if (!simulate(&self, i, &shared->gave_up[unit])) {
            status = xp_error_set(error, XP_ERR_INPUT,
                                  "calibration needs exact draws from the prior '%s', which it "
                                  "does not allow",
                                  shared->prior->type->name);
        }
    }
    worker_deinit(&self);
    return status;
}

static xp_status tell(void *context, const size_t *finished, size_t done, xp_error *error) {
    (void)finished;
    const xp_calibrate_options *options = ((const run *)context)->options;
    const size_t told = done * BLOCK < options->simulations ? done * BLOCK : options->simulations;
    if (options->progress != NULL &&
        options->progress(options->progress_context, told, options->simulations) != 0) {
        return xp_error_set(error, XP_ERR_INTERRUPTED, "calibration was interrupted");
    }
    return XP_OK;
}

static xp_status check(const xp_calibrate_options *options, xp_error *error) {
    const struct {
        const char *name;
        size_t value, least;
    } counts[] = {{"simulations", options->simulations, 1},
                  {"draws", options->draws, 1},
                  {"history", options->history, 0},
                  {"thinning", options->thinning, 0}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const xp_status status = xp__count_check(counts[i].name, counts[i].value, counts[i].least,
                                                 XP__MOST_THINGS, error);
        if (status != XP_OK) {
            return status;
        }
    }
    if (options->bins < 2 || (options->draws + 1) % options->bins != 0) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "calibration of %zu draws has %zu ranks, which %zu bins do not divide",
                            options->draws, options->draws + 1, options->bins);
    }
    return xp__pool_threads_check(options->threads, error);
}

static void count_ranks(const run *shared, xp_calibrate_result *result) {
    const size_t bins = shared->options->bins, simulations = shared->options->simulations;
    const size_t width = (shared->options->draws + 1) / bins;
    const double expected = (double)simulations / (double)bins;
    for (size_t s = 0; s < result->statistic_count; s++) {
        xp_calibrate_statistic *statistic = &result->statistics[s];
        for (size_t i = 0; i < simulations; i++) {
            statistic->counts[shared->ranks[i * result->statistic_count + s] / width]++;
        }
        for (size_t bin = 0; bin < bins; bin++) {
            const double excess = (double)statistic->counts[bin] - expected;
            statistic->chi_square += excess * excess / expected;
        }
        statistic->p = xp__chi_square_survival(statistic->chi_square, (double)(bins - 1));
    }
}

static xp_calibrate_result *result_create(const xp_prior *prior, size_t bins) {
    const size_t statistics = prior->arms + 2;
    xp_calibrate_result *made = xp__alloc(1, sizeof *made);
    xp_calibrate_statistic *statistic = xp__alloc(statistics, sizeof *statistic);
    uint64_t *counts = xp__alloc(statistics * bins, sizeof *counts);
    if (made == NULL || statistic == NULL || counts == NULL) {
        xp__free(counts);
        xp__free(statistic);
        xp__free(made);
        return NULL;
    }
    made->statistic_count = statistics;
    made->statistics = statistic;
    for (size_t s = 0; s < statistics; s++) {
        statistic[s].bins = bins;
        statistic[s].counts = counts + s * bins;
        if (s < prior->arms) {
            (void)snprintf(statistic[s].name, sizeof statistic[s].name, "theta %zu", s);
        } else {
            strcpy(statistic[s].name, s == prior->arms ? "maximum" : "linear");
        }
    }
    return made;
}

void xp_calibrate_result_destroy(xp_calibrate_result *result) {
    if (result != NULL) {
        xp__free(result->statistics[0].counts);
        xp__free(result->statistics);
        xp__free(result);
    }
}

/* The options that hold, and the sampler to be tried. */
static xp_status read_options(const xp_prior *prior, const xp_calibrate_options *options,
                              xp_calibrate_options *chosen, xp__params *params, xp_error *error) {
    *chosen = xp_calibrate_options_default();
    xp_status status = XP_OK;
    if (options != NULL) {
        status = xp__options_take(chosen, sizeof *chosen, options, "xp_calibrate_options", error);
    }
    if (status == XP_OK) {
        status = check(chosen, error);
    }
    if (status == XP_OK) {
        status = xp__sampler_params_read(
            chosen->sampler != NULL ? chosen->sampler : xp_sampler_default(prior), params, error);
    }
    return status;
}

xp_status xp_calibrate(const xp_prior *prior, const xp_calibrate_options *options,
                       xp_calibrate_result **result, xp_error *error) {
    XP__NOT_NULL(result, error);
    *result = NULL;
    XP__NOT_NULL(prior, error);
    xp_calibrate_options chosen;
    xp__params params;
    xp_status status = read_options(prior, options, &chosen, &params, error);
    options = &chosen;
    if (status != XP_OK) {
        return status;
    }
    const xp__sampler_type *type = xp__sampler_find(params.owner);
    const size_t units = (options->simulations + BLOCK - 1) / BLOCK;
    run shared = {.prior = prior,
                  .options = options,
                  .sampler = type->name,
                  .params = params,
                  .thinning = options->thinning != 0           ? options->thinning
                              : type->kind >= XP_SAMPLER_CHAIN ? 10
                                                               : 1,
                  .statistics = prior->arms + 2,
                  .root = xp_rng_seed(options->seed)};
    xp_calibrate_result *made = result_create(prior, options->bins);
    shared.ranks = xp__alloc(options->simulations, shared.statistics * sizeof *shared.ranks);
    shared.gave_up = xp__alloc(units, sizeof *shared.gave_up);
    if (made == NULL || shared.ranks == NULL || shared.gave_up == NULL) {
        status = xp__no_memory(error);
    } else {
        status = xp__pool_run(&(xp__pool_job){.units = units,
                                              .threads = options->threads,
                                              .run = run_unit,
                                              .tick = tell,
                                              .context = &shared},
                              error);
    }
    if (status == XP_OK) {
        made->sampler = type->name;
        made->prior = prior->type->name;
        made->simulations = options->simulations;
        made->thinning = shared.thinning;
        for (size_t unit = 0; unit < units; unit++) {
            made->gave_up += shared.gave_up[unit];
        }
        count_ranks(&shared, made);
        *result = made;
    } else {
        xp_calibrate_result_destroy(made);
    }
    xp__free(shared.gave_up);
    xp__free(shared.ranks);
    return status;
}
