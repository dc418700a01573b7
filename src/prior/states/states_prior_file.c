/* states_prior_file.c: a prior over Q-functions as tensors of a file, and back.
 *
 * Tensors: "member.<i>.layer1.weight" and so on for its networks, "draw.<i>.…" for its draws where
 * it has other ones, "weights" for the networks' probabilities, "units.mean" and "units.scale"
 * where states have real numbers (state_units.h), and what the method adds. Texts: method,
 * parameters and how the fit ended. Everything that follows from the demonstrations is made anew
 * when the prior is read. */
#include "prior/states/states_prior_type.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings.h"
#include "net/tensors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The numbers of a fit by name; all of them are written as texts. */
static const struct number {
    const char *key;
    size_t offset;
} numbers[] = {
    {"fit.log_likelihood", offsetof(xp__states_fit, log_likelihood)},
    {"fit.lambda", offsetof(xp__states_fit, lambda)},
    {"fit.divergence", offsetof(xp__states_fit, divergence)},
    {"fit.duality_gap", offsetof(xp__states_fit, duality_gap)},
    {"fit.effective", offsetof(xp__states_fit, effective)},
    {"fit.clipped", offsetof(xp__states_fit, clipped)},
};

void xp__states_prior_write(const xp__states_prior *prior, xp__tensors *file) {
    xp__tensors_note(file, "method", prior->type->name);
    xp__text settings = {.data = NULL};
    xp__settings_write(&prior->params, false, &settings);
    file->failed |= settings.failed;
    xp__tensors_note(file, "parameters", settings.data != NULL ? settings.data : "");
    xp__text_deinit(&settings);
    char text[32];
    (void)snprintf(text, sizeof text, "%zu", prior->fit.steps);
    xp__tensors_note(file, "fit.steps", text);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double value;
        memcpy(&value, (const char *)&prior->fit + numbers[i].offset, sizeof value);
        (void)xp__format_double(text, value);
        xp__tensors_note(file, numbers[i].key, text);
    }
    if (prior->fit.effective_of != NULL) {
        xp__tensors_note(file, "fit.effective_of", prior->fit.effective_of);
    }
    if (prior->units.mean != NULL) {
        xp__tensors_add(file, "units.mean", XP__F64, prior->units.size, 0, prior->units.mean);
        xp__tensors_add(file, "units.scale", XP__F64, prior->units.size, 0, prior->units.scale);
    }
    xp__net_write(prior->networks, "member", file);
    if (prior->draws != NULL) {
        xp__net_write(prior->draws, "draw", file);
    }
    if (prior->weights != NULL) {
        xp__tensors_add(file, "weights", XP__F64, xp__net_get_options(prior->networks)->members, 0,
                        prior->weights);
    }
    if (prior->type->write != NULL) {
        prior->type->write(prior, file);
    }
}

static xp_status read_fit(const xp__tensor_file *file, xp__states_fit *fit, xp_error *error) {
    double steps = NAN;
    const char *text = xp__tensor_file_note(file, "fit.steps");
    if (text == NULL || !xp__parse_double(text, &steps) || !(steps >= 0 && steps <= 1e15)) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: the text 'fit.steps' is not a count",
                            file->name);
    }
    fit->steps = (size_t)steps;
    static const char *const known[] = {"modes", "policies", "reference networks"};
    text = xp__tensor_file_note(file, "fit.effective_of");
    for (size_t i = 0; text != NULL && i < sizeof known / sizeof known[0]; i++) {
        fit->effective_of = strcmp(text, known[i]) == 0 ? known[i] : fit->effective_of;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double value;
        text = xp__tensor_file_note(file, numbers[i].key);
        if (text == NULL || !xp__parse_double(text, &value)) {
            return xp_error_set(error, XP_ERR_INPUT, "%s: the text '%s' is not a number",
                                file->name, numbers[i].key);
        }
        memcpy((char *)fit + numbers[i].offset, &value, sizeof value);
    }
    return XP_OK;
}

static xp_status read_weights(const xp__tensor_file *file, xp__states_prior *prior,
                              xp_error *error) {
    if (xp__tensor_file_find(file, "weights") == NULL) {
        return XP_OK;
    }
    const size_t members = xp__net_get_options(prior->networks)->members;
    const xp__tensor *weights;
    const xp_status status =
        xp__tensor_file_need(file, "weights", XP__F64, members, 0, &weights, error);
    if (status != XP_OK) {
        return status;
    }
    prior->weights = xp__alloc(members, sizeof prior->weights[0]);
    if (prior->weights == NULL) {
        return xp__no_memory(error);
    }
    memcpy(prior->weights, weights->data, members * sizeof prior->weights[0]);
    double sum = 0;
    for (size_t i = 0; i < members; i++) {
        if (!(prior->weights[i] >= 0 && prior->weights[i] <= 1)) {
            return xp_error_set(error, XP_ERR_INPUT, "%s: tensor 'weights': number %zu is %g",
                                file->name, i, prior->weights[i]);
        }
        sum += prior->weights[i];
    }
    return fabs(sum - 1) < 1e-6
               ? XP_OK
               : xp_error_set(error, XP_ERR_INPUT,
                              "%s: tensor 'weights' adds up to %.10g, not to 1", file->name, sum);
}

/* Files of programs that had no units yet are without: their networks see the environment's. */
static xp_status read_units(const xp__tensor_file *file, size_t size, xp__state_units *units,
                            xp_error *error) {
    if (xp__tensor_file_find(file, "units.mean") == NULL) {
        return XP_OK;
    }
    const xp__tensor *mean = NULL, *scale = NULL;
    xp_status status = xp__tensor_file_need(file, "units.mean", XP__F64, size, 0, &mean, error);
    if (status == XP_OK) {
        status = xp__tensor_file_need(file, "units.scale", XP__F64, size, 0, &scale, error);
    }
    if (status == XP_OK) {
        status = xp__state_units_alloc(units, size, error);
    }
    if (status == XP_OK) {
        memcpy(units->mean, mean->data, size * sizeof *units->mean);
        memcpy(units->scale, scale->data, size * sizeof *units->scale);
    }
    for (size_t j = 0; status == XP_OK && j < size; j++) {
        if (!isfinite(units->mean[j]) || !isfinite(units->scale[j]) || units->scale[j] <= 0) {
            status =
                xp_error_set(error, XP_ERR_INPUT, "%s: the unit of state number %zu is %g about %g",
                             file->name, j + 1, units->scale[j], units->mean[j]);
        }
    }
    return status;
}

static xp_status read_parts(const xp__tensor_file *file, xp__encoded_demos *demos,
                            xp__states_prior *prior, xp_error *error) {
    const char *settings = xp__tensor_file_note(file, "parameters");
    xp_status status = xp__settings_read(&prior->params, settings != NULL ? settings : "", error);
    if (status == XP_OK) {
        status = read_fit(file, &prior->fit, error);
    }
    xp__net_options options =
        xp__net_options_default(demos->input.inputs, demos->actions, demos->input.hot);
    options.hidden = status == XP_OK ? (size_t)xp__params_get(&prior->params, "hidden") : 0;
    options.rows = 1;
    if (status == XP_OK) {
        status = xp__net_read(file, "member", &options, &prior->networks, error);
    }
    if (status == XP_OK && xp__tensor_file_find(file, "draw.0.layer1.weight") != NULL) {
        status = xp__net_read(file, "draw", &options, &prior->draws, error);
    }
    if (status == XP_OK) {
        status = read_weights(file, prior, error);
    }
    return status == XP_OK && prior->type->restore != NULL
               ? prior->type->restore(prior, file, demos, error)
               : status;
}

xp_status xp__states_prior_read(const xp__tensor_file *file, const xp_env_info *env,
                                const xp_demos *demos, xp__states_prior **prior, xp_error *error) {
    *prior = NULL;
    const char *method = xp__tensor_file_note(file, "method");
    const xp__states_prior_type *type = method != NULL ? xp__states_prior_type_find(method) : NULL;
    if (type == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "%s: there is no prior over Q-functions '%.80s'",
                            file->name, method != NULL ? method : "");
    }
    xp__encoded_demos read;
    xp__states_prior *made = NULL;
    xp_status status = xp__states_prior_create(method, &made, error);
    if (status == XP_OK) {
        status = read_units(file, env->state_size, &made->units, error);
    }
    if (status == XP_OK) {
        status = xp__encoded_demos_init(&read, env, demos, xp__states_prior_units(made), error);
    }
    if (status != XP_OK) {
        xp__states_prior_destroy(made);
        return status;
    }
    status = read_parts(file, &read, made, error);
    xp__encoded_demos_deinit(&read);
    if (status != XP_OK) {
        xp__states_prior_destroy(made);
        return status;
    }
    *prior = made;
    return XP_OK;
}
