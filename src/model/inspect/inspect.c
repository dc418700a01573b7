/* inspect.c: an inspection from its parts. */
#include "model/inspect/inspect_parts.h"

#include "base/check.h"
#include "base/memory.h"
#include "model/model_type.h"

enum { BINS = 25, POINTS = 120, ROWS = 4 + BINS + XP_INSPECT_QUANTILES + POINTS };

void xp_inspect_options_init(xp_inspect_options *options, size_t size) {
    const xp_inspect_options own = {.size = sizeof own,
                                    .seed = 1,
                                    .draws = 10000,
                                    .tasks = 1000,
                                    .episodes = 1000,
                                    .sensitivity_draws = 4000,
                                    .sensitivity_arms = 128,
                                    .folds = 5};
    xp__options_give(options, size, &own, sizeof own);
}

xp_status xp__inspect_tell(const xp__inspector *self, size_t tasks_done, xp_error *error) {
    const xp_inspect_options *options = self->options;
    if (options->progress != NULL &&
        options->progress(options->progress_context, tasks_done, options->tasks) != 0) {
        return xp_error_set(error, XP_ERR_INTERRUPTED, "the inspection was interrupted");
    }
    return XP_OK;
}

xp_status xp__inspect_draw(xp__inspector *self, xp_sampler *sampler, xp_rng *rng, xp_error *error) {
    if (!xp_sampler_draw(sampler, rng, self->theta)) {
        return xp_error_set(error, XP_ERR_NUMERIC,
                            "the sampler '%s' gave up on this prior; try another",
                            sampler->type->name);
    }
    return XP_OK;
}

/* How often each arm was demonstrated, and how likely it is the best. */
static void ask_law(xp__inspector *self, xp_rng *rng) {
    xp_inspection *result = self->result;
    const uint64_t *counts = xp_prior_action_counts(self->prior);
    for (size_t k = 0; k < result->arms; k++) {
        result->demonstrations += counts[k];
    }
    xp_sampler_reset(self->sampler, rng);
    xp_sampler_action_law(self->sampler, rng, result->draws, result->probability,
                          &result->law_draws);
    for (size_t k = 0; k < result->arms; k++) {
        const double p = result->probability[k];
        ((uint64_t *)result->counts)[k] = counts[k];
        result->share[k] =
            result->demonstrations > 0 ? (double)counts[k] / (double)result->demonstrations : NAN;
        result->entropy -= p > 0 ? p * log2(p) : 0;
    }
    result->effective_arms = exp2(result->entropy);
    result->effective = xp__prior_effective(self->prior);
}

static xp_inspection *create(size_t arms, const xp_inspect_options *options) {
    xp_inspection *made = xp__alloc(1, sizeof *made);
    double *numbers = xp__alloc(arms, ROWS * sizeof *numbers);
    uint64_t *counts = xp__alloc(arms, sizeof *counts);
    if (made == NULL || numbers == NULL || counts == NULL) {
        xp__free(counts);
        xp__free(numbers);
        xp__free(made);
        return NULL;
    }
    *made = (xp_inspection){.arms = arms,
                            .bins = BINS,
                            .share = numbers,
                            .probability = numbers + arms,
                            .mean = numbers + 2 * arms,
                            .sd = numbers + 3 * arms,
                            .density = numbers + 4 * arms,
                            .quantiles = numbers + (4 + BINS) * arms,
                            .curve = numbers + (4 + BINS + XP_INSPECT_QUANTILES) * arms,
                            .curve_points = POINTS,
                            .curve_high = 1,
                            .counts = counts,
                            .draws = options->draws,
                            .tasks = options->tasks,
                            .episodes = options->episodes,
                            .held_out = NAN,
                            .held_out_se = NAN,
                            .held_out_guess = NAN,
                            .sensitivity_distance = NAN};
    return made;
}

void xp_inspection_destroy(xp_inspection *inspection) {
    if (inspection != NULL) {
        for (size_t i = 0; i < inspection->warning_count; i++) {
            xp__free(inspection->warnings[i].sentence);
        }
        xp__free(inspection->warnings);
        xp__free(inspection->answer);
        xp__free(inspection->scale);
        xp_sensitivity_destroy(inspection->sensitivity);
        xp__free((uint64_t *)inspection->counts);
        xp__free(inspection->share); /* the first of the numbers */
        xp__free(inspection);
    }
}

/* Samplers and room for the result. */
static xp_status prepare(xp__inspector *self, xp_error *error) {
    const size_t arms = xp_prior_arms(self->prior);
    xp_status status =
        xp_sampler_create(self->options->sampler, self->prior, &self->sampler, error);
    if (status != XP_OK) {
        return status;
    }
    self->result = create(arms, self->options);
    self->theta = xp__alloc(arms, sizeof *self->theta);
    if (self->result == NULL || self->theta == NULL) {
        return xp__no_memory(error);
    }
    self->result->sampler = self->sampler->type->name;
    self->result->kind = self->sampler->type->kind;
    return XP_OK;
}

static xp_status inspect(xp__inspector *self, xp_error *error) {
    xp_status status = prepare(self, error);
    if (status != XP_OK) {
        return status;
    }
    const xp_rng root = xp_rng_seed(self->options->seed), tasks = xp_rng_fork(&root, 2);
    xp_rng law = xp_rng_fork(&root, 0), draws = xp_rng_fork(&root, 1);
    xp_rng choices = xp_rng_fork(&root, 3);
    ask_law(self, &law);
    status = xp__inspect_scale(self, error);
    if (status == XP_OK) {
        status = xp__inspect_belief(self, &draws, error);
    }
    if (status == XP_OK) {
        status = xp__inspect_held_out(self, &choices, error);
    }
    if (status == XP_OK) {
        status = xp__inspect_sensitivity(self, error);
    }
    if (status == XP_OK) {
        status = xp__inspect_worth(self, &tasks, error);
    }
    if (status == XP_OK) {
        status = xp__inspect_warnings(self, error);
    }
    return status == XP_OK ? xp__inspect_answer(self, error) : status;
}

static xp_status check_options(const xp_inspect_options *options, xp_error *error) {
    xp_status status = xp__count_check("draws", options->draws, 1, XP__MOST_DRAWS, error);
    status = status ? status : xp__count_check("tasks", options->tasks, 1, XP__MOST_THINGS, error);
    status =
        status ? status : xp__count_check("episodes", options->episodes, 1, XP__MOST_THINGS, error);
    status = status ? status
                    : xp__count_check("sensitivity_draws", options->sensitivity_draws, 0,
                                      XP__MOST_DRAWS, error);
    if (status != XP_OK) {
        return status;
    }
    if (!(options->mean >= 0 && options->mean < 1) || !(options->shape >= 0)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "mean = %g and shape = %g: a mean is below 1, a shape positive, and 0 "
                            "stands for none",
                            options->mean, options->shape);
    }
    return XP_OK;
}

xp_status xp_inspect(const xp_model *model, const xp_inspect_options *options,
                     xp_inspection **inspection, xp_error *error) {
    XP__NOT_NULL(inspection, error);
    *inspection = NULL;
    XP__NOT_NULL(model, error);
    xp_inspect_options chosen = xp_inspect_options_default();
    xp_status status = XP_OK;
    if (options != NULL) {
        status = xp__options_take(&chosen, sizeof chosen, options, "xp_inspect_options", error);
    }
    if (status == XP_OK) {
        status = check_options(&chosen, error);
    }
    if (status != XP_OK) {
        return status;
    }
    const xp_prior *prior = xp_model_prior(model);
    if (prior == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the model has no prior over arm means: its agent is '%.80s'",
                            xp_model_describe(model).agent);
    }
    if (!xp__reward_binary(&prior->reward)) {
        return xp_error_set(
            error, XP_ERR_INPUT,
            "the model's rewards are %s: an inspection acts in tasks drawn from "
            "the prior, and is for rewards of 0 and 1 or fractions; what the choices "
            "say is the same without --rewards, and simulate --tasks-from measures "
            "regret",
            prior->reward.type->name);
    }
    xp__inspector self = {.model = model, .prior = prior, .options = &chosen};
    status = inspect(&self, error);
    if (status == XP_OK) {
        *inspection = self.result;
    } else {
        xp_inspection_destroy(self.result);
    }
    xp__free(self.theta);
    if (self.tasks != self.sampler) {
        xp_sampler_destroy(self.tasks);
    }
    xp_prior_destroy(self.stated);
    xp_sampler_destroy(self.without);
    xp_prior_destroy(self.reference);
    xp_sampler_destroy(self.sampler);
    return status;
}
