/* inspect.c: what a prior over arm means believes, and the regret it promises to save.
 *
 * Streams of the seed's: 0 for P(best), 1 for the moments, 2 for the tasks. Task i uses fork i of
 * the last: 0 its context, 1 its rewards, 2 and 3 the two learners. */
#include "experior/inspect.h"

#include "base/check.h"
#include "base/memory.h"
#include "sampler/sampler_type.h"

#include <math.h>

enum { BINS = 25, DRAWS_PER_LOOK = 256 };

void xp_inspect_options_init(xp_inspect_options *options, size_t size) {
    const xp_inspect_options own = {
        .size = sizeof own, .seed = 1, .draws = 10000, .tasks = 500, .episodes = 300};
    xp__options_give(options, size, &own, sizeof own);
}

/* What is at work: the samplers of the prior and of the uniform one, and one context. */
typedef struct inspector {
    const xp_inspect_options *options;
    xp_inspection *result;
    xp_sampler *sampler, *uniform;
    xp_prior *flat; /* of `uniform` */
    double *theta;  /* K */
} inspector;

/* Mean and sum of squared deviations, one value at a time (Welford). */
typedef struct moments {
    double n, mean, squares;
} moments;

static void add(moments *self, double value) {
    self->n += 1;
    const double before = value - self->mean;
    self->mean += before / self->n;
    self->squares += before * (value - self->mean);
}

static double deviation(const moments *self) {
    return self->n > 1 ? sqrt(self->squares / (self->n - 1)) : NAN;
}

static xp_status tell(const inspector *self, size_t tasks_done, xp_error *error) {
    const xp_inspect_options *options = self->options;
    if (options->progress != NULL &&
        options->progress(options->progress_context, tasks_done, options->tasks) != 0) {
        return xp_error_set(error, XP_ERR_INTERRUPTED, "the inspection was interrupted");
    }
    return XP_OK;
}

static xp_status draw(inspector *self, xp_rng *rng, xp_error *error) {
    if (!xp_sampler_draw(self->sampler, rng, self->theta)) {
        return xp_error_set(error, XP_ERR_NUMERIC,
                            "the sampler '%s' gave up on this prior; try another",
                            self->result->sampler);
    }
    return XP_OK;
}

/* How often each arm was demonstrated, and how likely it is the best. */
static void ask_law(inspector *self, const xp_prior *prior, xp_rng *rng) {
    xp_inspection *result = self->result;
    const uint64_t *counts = xp_prior_action_counts(prior);
    double total = 0;
    for (size_t k = 0; k < result->arms; k++) {
        total += (double)counts[k];
    }
    xp_sampler_reset(self->sampler, rng);
    xp_sampler_action_law(self->sampler, rng, result->draws, result->probability,
                          &result->law_draws);
    for (size_t k = 0; k < result->arms; k++) {
        const double p = result->probability[k];
        result->share[k] = total > 0 ? (double)counts[k] / total : NAN;
        result->entropy -= p > 0 ? p * log2(p) : 0;
    }
}

/* Moments and density of each arm's mean reward under the prior. */
static xp_status draw_moments(inspector *self, moments *arm, xp_rng *rng, xp_error *error) {
    xp_inspection *result = self->result;
    xp_status status = XP_OK;
    xp_sampler_reset(self->sampler, rng);
    for (size_t i = 0; status == XP_OK && i < result->draws; i++) {
        if (i % DRAWS_PER_LOOK == 0) {
            status = tell(self, 0, error);
        }
        if (status == XP_OK) {
            status = draw(self, rng, error);
        }
        for (size_t k = 0; status == XP_OK && k < result->arms; k++) {
            add(&arm[k], self->theta[k]);
            const size_t bin = (size_t)(self->theta[k] * BINS);
            result->density[k * BINS + (bin < BINS ? bin : BINS - 1)] += (double)BINS;
        }
    }
    for (size_t k = 0; k < result->arms; k++) {
        result->mean[k] = arm[k].mean;
        result->sd[k] = deviation(&arm[k]);
        for (size_t bin = 0; bin < BINS; bin++) {
            result->density[k * BINS + bin] /= (double)result->draws;
        }
    }
    return status;
}

/* Regret of Thompson sampling on the task theta; every step uses one number of `rewards`. */
static double act(const inspector *self, xp_sampler *sampler, xp_rng rewards, xp_rng own) {
    const double *theta = self->theta;
    double best = 0, regret = 0;
    for (size_t k = 0; k < self->result->arms; k++) {
        best = fmax(best, theta[k]);
    }
    xp_sampler_reset(sampler, &own);
    for (size_t t = 0; t < self->result->episodes; t++) {
        const size_t arm = xp_sampler_act(sampler, &own);
        regret += best - theta[arm];
        xp__sampler_observe(sampler, &own, arm, xp_rng_uniform(&rewards) < theta[arm]);
    }
    return regret;
}

static xp_status simulate(inspector *self, const xp_rng *root, xp_error *error) {
    xp_inspection *result = self->result;
    moments own = {0}, other = {0}, saved = {0};
    xp_status status = XP_OK;
    for (size_t task = 0; status == XP_OK && task < result->tasks; task++) {
        const xp_rng stream = xp_rng_fork(root, task), rewards = xp_rng_fork(&stream, 1);
        xp_rng context = xp_rng_fork(&stream, 0);
        xp_sampler_reset(self->sampler, &context);
        status = draw(self, &context, error);
        if (status == XP_OK) {
            status = tell(self, task, error);
        }
        if (status == XP_OK) {
            const double a = act(self, self->sampler, rewards, xp_rng_fork(&stream, 2));
            const double b = act(self, self->uniform, rewards, xp_rng_fork(&stream, 3));
            add(&own, a);
            add(&other, b);
            add(&saved, b - a);
        }
    }
    const double root_n = sqrt((double)result->tasks);
    result->regret = own.mean;
    result->regret_se = deviation(&own) / root_n;
    result->uniform_regret = other.mean;
    result->uniform_regret_se = deviation(&other) / root_n;
    result->saved = saved.mean;
    result->saved_se = deviation(&saved) / root_n;
    return status;
}

static xp_inspection *create(size_t arms, const xp_inspect_options *options) {
    xp_inspection *made = xp__alloc(1, sizeof *made);
    double *numbers = xp__alloc(arms, (4 + BINS) * sizeof *numbers);
    if (made == NULL || numbers == NULL) {
        xp__free(numbers);
        xp__free(made);
        return NULL;
    }
    made->arms = arms;
    made->bins = BINS;
    made->share = numbers;
    made->probability = numbers + arms;
    made->mean = numbers + 2 * arms;
    made->sd = numbers + 3 * arms;
    made->density = numbers + 4 * arms;
    made->draws = options->draws;
    made->tasks = options->tasks;
    made->episodes = options->episodes;
    return made;
}

void xp_inspection_destroy(xp_inspection *inspection) {
    if (inspection != NULL) {
        xp__free(inspection->share); /* the first of the numbers */
        xp__free(inspection);
    }
}

static xp_status inspect(inspector *self, const xp_prior *prior, xp_error *error) {
    xp_status status = xp_sampler_create(self->options->sampler, prior, &self->sampler, error);
    if (status == XP_OK) {
        status = xp_prior_create_uniform(xp_prior_arms(prior), &self->flat, error);
    }
    if (status == XP_OK) {
        status = xp_sampler_create(NULL, self->flat, &self->uniform, error);
    }
    if (status != XP_OK) {
        return status;
    }
    const size_t arms = xp_prior_arms(prior);
    self->result = create(arms, self->options);
    self->theta = xp__alloc(arms, sizeof *self->theta);
    moments *each = xp__alloc(arms, sizeof *each);
    if (self->result == NULL || self->theta == NULL || each == NULL) {
        xp__free(each);
        return xp__no_memory(error);
    }
    self->result->sampler = self->sampler->type->name;
    self->result->kind = self->sampler->type->kind;
    const xp_rng root = xp_rng_seed(self->options->seed), tasks = xp_rng_fork(&root, 2);
    xp_rng law = xp_rng_fork(&root, 0), draws = xp_rng_fork(&root, 1);
    ask_law(self, prior, &law);
    status = draw_moments(self, each, &draws, error);
    xp__free(each);
    return status == XP_OK ? simulate(self, &tasks, error) : status;
}

xp_status xp_inspect(const xp_model *model, const xp_inspect_options *options,
                     xp_inspection **inspection, xp_error *error) {
    XP__NOT_NULL(inspection, error);
    *inspection = NULL;
    XP__NOT_NULL(model, error);
    xp_inspect_options chosen = xp_inspect_options_default();
    if (options != NULL) {
        const xp_status status =
            xp__options_take(&chosen, sizeof chosen, options, "xp_inspect_options", error);
        if (status != XP_OK) {
            return status;
        }
    }
    if (chosen.draws < 1 || chosen.tasks < 1 || chosen.episodes < 1) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "an inspection needs at least 1 draw, 1 task and 1 episode; draws = "
                            "%zu, tasks = %zu, episodes = %zu",
                            chosen.draws, chosen.tasks, chosen.episodes);
    }
    const xp_prior *prior = xp_model_prior(model);
    if (prior == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the model has no prior over arm means: its agent is '%.80s'",
                            xp_model_describe(model).agent);
    }
    inspector self = {.options = &chosen};
    const xp_status status = inspect(&self, prior, error);
    if (status == XP_OK) {
        *inspection = self.result;
    } else {
        xp_inspection_destroy(self.result);
    }
    xp__free(self.theta);
    xp_sampler_destroy(self.uniform);
    xp_prior_destroy(self.flat);
    xp_sampler_destroy(self.sampler);
    return status;
}
