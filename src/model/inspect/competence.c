/* competence.c: the part of an inspection that asks what other competences of the experts would
 * change, before any reward (sensitivity.h). */
#include "model/inspect/inspect_parts.h"

#include "base/text/text.h"

/* Progress of the comparison is not progress of the tasks; stopping is the same. */
static int look(void *context, size_t done, size_t total) {
    (void)done;
    (void)total;
    return xp__inspect_tell(context, 0, NULL) != XP_OK;
}

static double distance(const double *p, const double *q, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += fabs(p[i] - q[i]) / 2;
    }
    return sum;
}

/* From the outcome at β = inf, which is always feasible. */
static double largest_distance(const xp_sensitivity *found) {
    const double *perfect = NULL;
    for (size_t i = 0; i < found->beta_count; i++) {
        perfect = isinf(found->outcomes[i].beta) ? found->outcomes[i].probability : perfect;
    }
    double largest = 0;
    for (size_t i = 0; perfect != NULL && i < found->beta_count; i++) {
        if (found->outcomes[i].feasible) {
            largest = fmax(largest, distance(found->outcomes[i].probability, perfect, found->arms));
        }
    }
    return largest;
}

/* The scale of rewards is the model's. */
static void write_settings(const xp_prior *prior, char *settings, size_t size) {
    static const char *const names[] = {"mean", "shape"};
    char word[32];
    if (!xp__params_has(&prior->params, "reference")) {
        (void)xp__format(settings, size, "reference=uniform");
        return;
    }
    int used = xp__format(settings, size, "unit=relative,reference=%s",
                          xp__params_choice(&prior->params, "reference", word, sizeof word));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const double value = xp__params_get(&prior->params, names[i]);
        if (!isnan(value)) {
            used += xp__format(settings + used, size - (size_t)used, ",%s=%.17g", names[i], value);
        }
    }
}

/* The choices that the prior was fitted to; those of a segment are its frequencies in whole
 * numbers. */
static xp_status make_demos(const xp_prior *prior, xp_demos **demos, xp_error *error) {
    xp_status status = xp_demos_create(0, prior->arms, demos, error);
    for (size_t k = 0; status == XP_OK && k < prior->arms; k++) {
        const uint32_t action = (uint32_t)k;
        const uint64_t count = prior->target != NULL
                                   ? (uint64_t)(prior->target[k] * prior->effective + 0.5)
                                   : prior->counts[k];
        status = count > 0 ? xp_demos_add(*demos, NULL, &action, 1, count, error) : XP_OK;
    }
    return status;
}

xp_status xp__inspect_sensitivity(xp__inspector *self, xp_error *error) {
    xp_inspection *result = self->result;
    const xp_inspect_options *options = self->options;
    if (options->sensitivity_draws == 0 || result->arms > options->sensitivity_arms ||
        !(result->effective >= 1)) {
        return XP_OK;
    }
    xp_demos *demos = NULL;
    xp_status status = make_demos(self->prior, &demos, error);
    xp_sensitivity_options chosen = xp_sensitivity_options_default();
    chosen.seed = options->seed;
    chosen.draws = options->sensitivity_draws;
    char settings[200];
    write_settings(self->prior, settings, sizeof settings);
    chosen.settings = settings;
    chosen.progress = look;
    chosen.progress_context = self;
    if (status == XP_OK && xp_demos_count(demos) > 0) {
        status = xp_sensitivity_fit(demos, NULL, &chosen, &result->sensitivity, error);
    }
    xp_demos_destroy(demos);
    if (status == XP_ERR_INTERRUPTED) {
        return xp__inspect_tell(self, 0, error) != XP_OK
                   ? XP_ERR_INTERRUPTED
                   : xp_error_set(error, status, "the inspection was interrupted");
    }
    if (status == XP_OK && result->sensitivity != NULL) {
        result->sensitivity_distance = largest_distance(result->sensitivity);
    }
    return status;
}
