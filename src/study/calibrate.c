/* calibrate.c: simulation-based calibration of samplers, on threads. See calibrate.h.
 *
 * Simulation i draws from the fork i of the seed's stream and writes its own row of ranks; the
 * histograms are counted afterwards, so the result does not depend on threads or order. */
#include "experior/calibrate.h"

#include "base/memory.h"
#include "math/special.h"
#include "sampler/prior_draw.h"
#include "sampler/sampler_type.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

xp_calibrate_options xp_calibrate_options_default(void) {
    return (xp_calibrate_options){
        .simulations = 1000, .history = 40, .thompson = true, .draws = 63, .bins = 16, .seed = 1};
}

/* What all threads share. Plain fields are constant while they run; the rest is under the lock. */
typedef struct run {
    const xp_prior *prior;
    const xp_calibrate_options *options;
    size_t thinning, statistics;
    xp_rng root;
    uint32_t *ranks; /* simulations × statistics */
    pthread_mutex_t lock;
    size_t next, done;
    uint64_t gave_up;
    bool stop, undrawable;
} run;

/* One thread's own. */
typedef struct worker {
    run *run;
    xp_sampler *sampler;
    double *theta, *draw, *coefficient; /* K each */
    double *truth, *value;              /* statistics each */
    uint32_t *below, *equal;            /* statistics each */
    pthread_t thread;
    bool started;
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
    if (!xp__prior_draw(self->run->prior, rng, self->theta)) {
        return false;
    }
    xp_sampler_reset(self->sampler, rng);
    for (size_t t = 0; t < options->history; t++) {
        const size_t arm = options->thompson ? xp_sampler_act(self->sampler, rng) : t % arms;
        xp_sampler_observe(self->sampler, rng, arm, xp_rng_uniform(rng) < self->theta[arm]);
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

/* The next simulation to do, or false when there is none. */
static bool take(run *shared, size_t *index, size_t *done) {
    (void)pthread_mutex_lock(&shared->lock);
    const bool more = !shared->stop && shared->next < shared->options->simulations;
    *index = shared->next;
    *done = shared->done;
    shared->next += more ? 1 : 0;
    (void)pthread_mutex_unlock(&shared->lock);
    return more;
}

/* Takes simulations until none is left. The calling thread also reports. */
static void work(worker *self, bool reports) {
    run *shared = self->run;
    const xp_calibrate_options *options = shared->options;
    size_t index, done;
    while (take(shared, &index, &done)) {
        uint64_t gave_up = 0;
        const bool asked_to_stop =
            reports && options->progress != NULL &&
            options->progress(options->progress_context, done, options->simulations) != 0;
        const bool drawn = asked_to_stop || simulate(self, index, &gave_up);
        (void)pthread_mutex_lock(&shared->lock);
        shared->done += asked_to_stop ? 0 : 1;
        shared->gave_up += gave_up;
        shared->undrawable = shared->undrawable || !drawn;
        shared->stop = shared->stop || asked_to_stop || !drawn;
        (void)pthread_mutex_unlock(&shared->lock);
    }
}

static void *thread_main(void *argument) {
    work(argument, false);
    return NULL;
}

static void worker_deinit(worker *self) {
    xp_sampler_destroy(self->sampler);
    xp__free(self->theta);
    xp__free(self->below);
}

static xp_status worker_init(worker *self, run *shared, const char *sampler, xp_error *error) {
    const size_t arms = shared->prior->arms;
    self->run = shared;
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
    return xp_sampler_create(sampler, shared->options->sampler_params, shared->prior,
                             &self->sampler, error);
}

/* Runs `count` workers, the first on this thread. A thread that cannot be had is done without. */
static void run_workers(worker *workers, size_t count) {
    for (size_t i = 1; i < count; i++) {
        workers[i].started =
            pthread_create(&workers[i].thread, NULL, thread_main, &workers[i]) == 0;
    }
    work(&workers[0], true);
    for (size_t i = 1; i < count; i++) {
        if (workers[i].started) {
            (void)pthread_join(workers[i].thread, NULL);
        }
    }
}

static size_t thread_count(const xp_calibrate_options *options) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t wanted = options->threads != 0 ? options->threads : cores > 0 ? (size_t)cores : 1;
    return wanted < options->simulations ? wanted : options->simulations;
}

static xp_status simulate_all(run *shared, const char *sampler, xp_error *error) {
    const size_t count = thread_count(shared->options);
    worker *workers = xp__alloc(count, sizeof *workers);
    if (workers == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        status = worker_init(&workers[i], shared, sampler, error);
    }
    if (status == XP_OK) {
        run_workers(workers, count);
        if (shared->undrawable) {
            status = xp_error_set(error, XP_ERR_INPUT,
                                  "calibration needs exact draws from the prior '%s', which it "
                                  "does not allow",
                                  shared->prior->type->name);
        } else if (shared->stop) {
            status = xp_error_set(error, XP_ERR_INTERRUPTED, "interrupted after %zu simulations",
                                  shared->done);
        }
    }
    for (size_t i = 0; i < count; i++) {
        worker_deinit(&workers[i]);
    }
    xp__free(workers);
    return status;
}

static xp_status check(const xp_calibrate_options *options, xp_error *error) {
    if (options->simulations == 0 || options->draws == 0 || options->draws >= UINT32_MAX) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "calibration needs at least one simulation and one draw; got %zu and "
                            "%zu",
                            options->simulations, options->draws);
    }
    if (options->bins < 2 || (options->draws + 1) % options->bins != 0) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "calibration of %zu draws has %zu ranks, which %zu bins do not divide",
                            options->draws, options->draws + 1, options->bins);
    }
    return XP_OK;
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

static const xp_sampler_type *type_of(const char *name) {
    for (size_t i = 0; i < xp__sampler_type_count; i++) {
        if (strcmp(xp__sampler_types[i]->name, name) == 0) {
            return xp__sampler_types[i];
        }
    }
    return NULL;
}

xp_status xp_calibrate(const xp_prior *prior, const xp_calibrate_options *options,
                       xp_calibrate_result **result, xp_error *error) {
    *result = NULL;
    xp_status status = check(options, error);
    if (status != XP_OK) {
        return status;
    }
    const char *name = options->sampler != NULL ? options->sampler : xp_sampler_default(prior);
    const xp_sampler_type *type = type_of(name);
    if (type == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "there is no sampler '%.80s'", name);
    }
    run shared = {.prior = prior,
                  .options = options,
                  .thinning = options->thinning != 0 ? options->thinning
                              : type->chain          ? 10
                                                     : 1,
                  .statistics = prior->arms + 2,
                  .root = xp_rng_seed(options->seed)};
    xp_calibrate_result *made = result_create(prior, options->bins);
    shared.ranks = xp__alloc(options->simulations, shared.statistics * sizeof *shared.ranks);
    if (made == NULL || shared.ranks == NULL || pthread_mutex_init(&shared.lock, NULL) != 0) {
        xp_calibrate_result_destroy(made);
        xp__free(shared.ranks);
        return xp__no_memory(error);
    }
    status = simulate_all(&shared, name, error);
    if (status == XP_OK) {
        made->sampler = type->name;
        made->prior = prior->type->name;
        made->simulations = options->simulations;
        made->thinning = shared.thinning;
        made->gave_up = shared.gave_up;
        count_ranks(&shared, made);
        *result = made;
    } else {
        xp_calibrate_result_destroy(made);
    }
    (void)pthread_mutex_destroy(&shared.lock);
    xp__free(shared.ranks);
    return status;
}
