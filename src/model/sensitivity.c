/* sensitivity.c: one maximum-entropy prior per competence, all by one rule, and what each would do.
 * As in `fit`, the scale of rewards is learned, and competence is relative to it.
 *
 * Every outcome uses the whole stream of the seed anew, so that none depends on which others were
 * asked for. */
#include "experior/sensitivity.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/text/text.h"
#include "base/watch.h"
#include "experior/model.h"
#include "sampler/sampler_type.h"

#include <math.h>
#include <string.h>

static const double usual_betas[] = {0.5, 1, 2.5, 5, 10, 25, INFINITY};

void xp_sensitivity_options_init(xp_sensitivity_options *options, size_t size) {
    const xp_sensitivity_options own = {.size = sizeof own, .seed = 1, .draws = 20000};
    xp__options_give(options, size, &own, sizeof own);
}

/* What is at work. */
typedef struct comparison {
    const xp_demos *demos;
    const xp_history *history; /* NULL: none */
    const xp_sensitivity_options *options;
    xp_sensitivity *result;
    size_t column; /* the one that is being worked on; the last is fit's default */
    xp__watch watch;
} comparison;

/* The columns are alike in the caller's progress. */
static int tell(void *context, size_t done, size_t total) {
    comparison *self = context;
    const double columns = (double)self->result->beta_count + 1;
    const double share = total > 0 ? (double)done / (double)total : 0;
    return xp__watch_tell(&self->watch, ((double)self->column + share) / columns);
}

static xp_status fit(comparison *self, double beta, bool by_rule, xp_model **model,
                     xp_error *error) {
    char spec[512];
    const char *settings = self->options->settings;
    const int used = xp__format(spec, sizeof spec, "experior_maxent:beta=%.17g,%.300s", beta,
                                settings != NULL ? settings : "reference=learned,unit=relative");
    if (by_rule) {
        (void)xp__format(spec + used, sizeof spec - (size_t)used, ",epsilon=%.17g",
                         self->result->epsilon);
    }
    xp_model_options options = xp_model_options_default();
    options.progress = tell;
    options.progress_context = self;
    return xp_model_fit(spec, NULL, self->demos, &options, model, error);
}

/* What the model would do after the history. */
static xp_status ask(const comparison *self, const xp_model *model, xp_sensitivity_outcome *out,
                     xp_error *error) {
    const xp_prior *prior = xp_model_prior(model);
    xp_sampler *sampler;
    const xp_status status = xp_sampler_create(NULL, prior, &sampler, error);
    if (status != XP_OK) {
        return status;
    }
    xp_rng rng = xp_rng_seed(self->options->seed);
    xp_sampler_reset(sampler, &rng);
    for (size_t i = 0; i < xp_history_count(self->history); i++) {
        xp__sampler_observe(sampler, &rng, xp_history_action(self->history, i),
                            xp_history_reward(self->history, i) == 1);
    }
    xp_sampler_action_law(sampler, &rng, self->options->draws, out->probability, &out->draws);
    out->feasible = true;
    out->lambda = xp_prior_fit_result(prior).lambda;
    xp_sampler_destroy(sampler);
    return XP_OK;
}

/* Fits, replays and asks. An infeasible β is an outcome; anything else that fails ends it. */
static xp_status find_outcome(comparison *self, xp_sensitivity_outcome *out, bool by_rule,
                              xp_error *error) {
    xp_model *model = NULL;
    xp_status status = fit(self, out->beta, by_rule, &model, error);
    if (status == XP_OK) {
        status = ask(self, model, out, error);
    } else if (status == XP_ERR_NUMERIC) {
        status = XP_OK;
    }
    xp_model_destroy(model);
    if (status == XP_OK && tell(self, 1, 1) != 0) {
        status = xp_error_set(error, XP_ERR_INTERRUPTED, "the comparison was interrupted");
    }
    self->column++;
    return status;
}

static xp_sensitivity *create(const xp_demos *demos, const double *betas, size_t count) {
    const size_t arms = xp_demos_actions(demos);
    xp_sensitivity *made = xp__alloc(1, sizeof *made);
    xp_sensitivity_outcome *outcomes = xp__alloc(count, sizeof *outcomes);
    double *numbers = xp__alloc(count + 1, arms * sizeof *numbers);
    if (made == NULL || outcomes == NULL || numbers == NULL) {
        xp__free(numbers);
        xp__free(outcomes);
        xp__free(made);
        return NULL;
    }
    for (size_t i = 0; i < (count + 1) * arms; i++) {
        numbers[i] = NAN;
    }
    made->arms = arms;
    made->epsilon = (double)(arms - 1) / (2 * (double)xp_demos_count(demos));
    made->beta_count = count;
    made->outcomes = outcomes;
    for (size_t i = 0; i < count; i++) {
        outcomes[i] = (xp_sensitivity_outcome){
            .beta = betas[i], .lambda = NAN, .probability = numbers + (i + 1) * arms};
    }
    made->fit_default =
        (xp_sensitivity_outcome){.beta = INFINITY, .lambda = NAN, .probability = numbers};
    return made;
}

void xp_sensitivity_destroy(xp_sensitivity *sensitivity) {
    if (sensitivity != NULL) {
        xp__free(sensitivity->fit_default.probability); /* the first of the numbers */
        xp__free(sensitivity->outcomes);
        xp__free(sensitivity);
    }
}

static xp_status check_options(const xp_sensitivity_options *options, xp_error *error) {
    if (options->settings != NULL && strlen(options->settings) > 300) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "settings has %zu characters; at most 300 are read",
                            strlen(options->settings));
    }
    xp_status status = xp__count_check("draws", options->draws, 1, XP__MOST_DRAWS, error);
    status = status ? status
                    : xp__count_check("beta_count", options->beta_count, 1, XP__MOST_THINGS, error);
    if (status != XP_OK) {
        return status;
    }
    for (size_t i = 0; i < options->beta_count; i++) {
        if (!(options->betas[i] > 0)) {
            return xp_error_set(error, XP_ERR_INPUT, "betas[%zu] = %g is not positive", i,
                                options->betas[i]);
        }
    }
    return XP_OK;
}

static xp_status check_data(const xp_demos *demos, const xp_history *history, xp_error *error) {
    if (xp_demos_state_size(demos) > 0) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the demonstrations have states; competences are compared on choices "
                            "among the arms of a bandit");
    }
    if (xp_demos_count(demos) == 0) {
        return xp_error_set(error, XP_ERR_INPUT, "there are no demonstrations to fit");
    }
    const size_t arms = xp_demos_actions(demos);
    for (size_t i = 0; i < xp_history_count(history); i++) {
        if (xp_history_action(history, i) >= arms) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "the history has action %zu, which is not one of 0 to %zu",
                                xp_history_action(history, i), arms - 1);
        }
    }
    return history != NULL ? xp_history_require_binary(history, error) : XP_OK;
}

xp_status xp_sensitivity_fit(const xp_demos *demos, const xp_history *history,
                             const xp_sensitivity_options *options, xp_sensitivity **sensitivity,
                             xp_error *error) {
    XP__NOT_NULL(sensitivity, error);
    *sensitivity = NULL;
    XP__NOT_NULL(demos, error);
    xp_sensitivity_options chosen = xp_sensitivity_options_default();
    xp_status status = XP_OK;
    if (options != NULL) {
        status = xp__options_take(&chosen, sizeof chosen, options, "xp_sensitivity_options", error);
    }
    if (chosen.betas == NULL) {
        chosen.betas = usual_betas;
        chosen.beta_count = sizeof usual_betas / sizeof usual_betas[0];
    }
    if (status == XP_OK) {
        status = check_options(&chosen, error);
    }
    if (status == XP_OK) {
        status = check_data(demos, history, error);
    }
    if (status != XP_OK) {
        return status;
    }
    xp_sensitivity *made = create(demos, chosen.betas, chosen.beta_count);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    comparison self = {.demos = demos,
                       .history = history,
                       .options = &chosen,
                       .result = made,
                       .watch = {.progress = chosen.progress, .context = chosen.progress_context}};
    for (size_t i = 0; status == XP_OK && i < made->beta_count; i++) {
        status = find_outcome(&self, &made->outcomes[i], true, error);
    }
    if (status == XP_OK) {
        status = find_outcome(&self, &made->fit_default, false, error);
    }
    if (status != XP_OK) {
        xp_sensitivity_destroy(made);
        return status;
    }
    *sensitivity = made;
    return XP_OK;
}
