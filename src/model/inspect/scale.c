/* scale.c: on what scale rewards are taken to be: by the learner that starts without the experts,
 * whose prior is the model's reference alone, and in the tasks, which are drawn from the model's
 * prior unless a scale was stated. */
#include "model/inspect/inspect_parts.h"

#include "base/text/text.h"
#include "model/model_type.h"

#include <string.h>

/* The parameters of the prior that name its reference, for one without the experts. */
static xp_status reference_params(const xp_prior *prior, xp__params *params, xp_error *error) {
    static const char *const names[] = {"reference", "mean", "shape"};
    xp_status status = xp__prior_params_default("uniform", params, error);
    for (size_t i = 0; status == XP_OK && i < sizeof names / sizeof names[0]; i++) {
        if (xp__params_has(&prior->params, names[i]) && xp__params_has(params, names[i])) {
            const double value = xp__params_get(&prior->params, names[i]);
            status = isnan(value) ? XP_OK : xp__params_set(params, names[i], value, error);
        }
    }
    return status;
}

/* A parameter of the prior as if it had not been given. */
static void forget(xp__params *params, const char *name) {
    for (size_t i = 0; i < params->count; i++) {
        if (strcmp(params->table[i].name, name) == 0) {
            params->value[i] = params->table[i].standard;
            params->given[i] = false;
        }
    }
}

/* The same prior with a base rate: fitted anew to the same choices. */
static xp_status state_scale(xp__inspector *self, xp_error *error) {
    const xp_inspect_options *options = self->options;
    xp__params params = self->prior->params;
    if (!xp__params_has(&params, "reference") || self->model->demos == NULL ||
        !(self->result->effective > 0)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "mean = %g: a scale can be stated for a max_entropy prior that was "
                            "fitted to choices, not for '%s'",
                            options->mean, xp_prior_method(self->prior));
    }
    xp_status status = xp__params_set_text(&params, "reference", "beta", error);
    if (status == XP_OK) {
        status = xp__params_set(&params, "mean", options->mean, error);
    }
    forget(&params, "shape");
    if (status == XP_OK && options->shape > 0) {
        status = xp__params_set(&params, "shape", options->shape, error);
    }
    if (status == XP_OK) {
        const xp__prior_fit_options fitting = {
            .params = &params, .target = self->prior->target, .effective = self->prior->effective};
        status = xp__prior_fit_with(xp_prior_method(self->prior), &fitting, self->model->demos,
                                    &self->stated, NULL, error);
    }
    return status == XP_OK ? xp_sampler_create(NULL, self->stated, &self->tasks, error) : status;
}

static xp_status describe(xp__inspector *self, xp_error *error) {
    char word[32] = "";
    self->result->scale_stated = self->stated != NULL;
    xp__text text = {.data = NULL};
    size_t length;
    if (xp__params_has(&self->prior->params, "reference")) {
        (void)xp__params_choice(&self->prior->params, "reference", word, sizeof word);
    }
    if (self->stated != NULL) {
        xp__text_format(&text,
                        "In the tasks arms pay off %.2g %% of the time on average, as was "
                        "stated.",
                        100 * self->options->mean);
    } else if (strcmp(word, "learned") == 0) {
        xp__text_append(&text, "How often arms pay off is learned from rewards: at first any rate "
                               "from 0 to 100 % is about as likely as any other, with a small "
                               "chance that rewards are rare. If the rate is known, state it "
                               "(mean).");
    } else if (strcmp(word, "beta") == 0) {
        xp__text_format(&text,
                        "Arms pay off %.2g %% of the time on average, as the model was told.",
                        100 * xp__params_get(&self->prior->params, "mean"));
    } else if (strcmp(word, "uniform") == 0) {
        xp__text_append(&text, "Any rate of paying off from 0 to 100 % is as likely as any other "
                               "before the experts are heard.");
    } else {
        xp__text_append(&text, "The rates at which arms pay off were inferred from the experts' "
                               "choices.");
    }
    return xp__text_take(&text, &self->result->scale, &length, error);
}

xp_status xp__inspect_scale(xp__inspector *self, xp_error *error) {
    xp__params params;
    xp_status status = reference_params(self->prior, &params, error);
    if (status == XP_OK) {
        status =
            xp__prior_create_alone(&params, xp_prior_arms(self->prior), &self->reference, error);
    }
    if (status == XP_OK) {
        status = xp_sampler_create(NULL, self->reference, &self->without, error);
    }
    self->tasks = self->sampler;
    if (status == XP_OK && self->options->mean > 0) {
        self->tasks = NULL;
        status = state_scale(self, error);
    }
    return status == XP_OK ? describe(self, error) : status;
}
