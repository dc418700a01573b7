/* prior_file.c: priors as versioned JSON.
 *
 * What every prior has is written and checked here; a method's own fields by its type. A loaded
 * prior has the same numbers as the saved one, so its density is equal bit for bit and saving it
 * again gives the same bytes. A loaded file is not trusted: every field is checked before use. */
#include "prior/bandit/prior_check.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char format_name[] = "experior-prior";
/* The largest prior has 1,024 arms with names of 1,024 bytes, some 6 MB as JSON. */
enum { VERSION = 1, MAX_MEMORY = 64 << 20 };

/* Adds `value` (taken over) to `object`; a NULL value or a failed insertion is lack of memory. */
static void add(json_t *object, const char *field, json_t *value, bool *complete) {
    *complete = json_object_set_new(object, field, value) == 0 && *complete;
}

/* The names of the actions; NULL, with the error set, if they cannot be written. */
static json_t *actions_to_json(const xp_prior *prior, xp_error *error) {
    if (prior->action_names == NULL) {
        return json_null();
    }
    (void)xp__no_memory(error); /* what went wrong if NULL is returned, unless said below */
    json_t *array = json_array();
    for (size_t arm = 0; array != NULL && arm < prior->arms; arm++) {
        const char *name = prior->action_names[arm];
        json_t *text = json_string(name);
        if (text == NULL && (text = json_string_nocheck(name)) != NULL) {
            json_decref(text);
            json_decref(array);
            (void)xp_error_set(error, XP_ERR_INPUT,
                               "the name of action %zu is not UTF-8 and cannot be saved", arm);
            return NULL;
        }
        if (json_array_append_new(array, text) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

/* A parameter that was not given and has no fixed default is null. */
static json_t *parameters_to_json(const xp__params *params) {
    json_t *object = json_object();
    bool complete = object != NULL;
    for (size_t i = 0; complete && i < params->count; i++) {
        const xp_param *param = &params->table[i];
        if (xp__params_unsaid(params, i)) {
            continue;
        }
        char word[64];
        json_t *value = param->kind == XP_PARAM_CHOICE
                            ? json_string(xp__params_choice(params, param->name, word, sizeof word))
                        : isnan(params->value[i]) ? json_null()
                                                  : xp__json_number(params->value[i]);
        add(object, param->name, value, &complete);
    }
    if (!complete) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *demonstrations_to_json(const xp_prior *prior) {
    json_t *object = json_object(), *counts = json_array();
    bool complete = object != NULL && counts != NULL;
    for (size_t arm = 0; complete && arm < prior->arms; arm++) {
        complete = json_array_append_new(counts, json_integer((json_int_t)prior->counts[arm])) == 0;
    }
    if (complete) {
        add(object, "count", json_integer((json_int_t)prior->demonstrations), &complete);
    }
    add(object, "per_arm", counts, &complete);
    if (!complete) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *fit_to_json(const xp_fit *fit) {
    json_t *object = json_object();
    bool complete = object != NULL;
    add(object, "iterations", json_integer((json_int_t)fit->iterations), &complete);
    add(object, "converged", json_boolean(fit->converged), &complete);
    add(object, "lambda", xp__json_number(fit->lambda), &complete);
    add(object, "divergence", xp__json_number(fit->divergence), &complete);
    add(object, "duality_gap", xp__json_number(fit->duality_gap), &complete);
    add(object, "log_likelihood", xp__json_number(fit->log_likelihood), &complete);
    if (!complete) {
        json_decref(object);
        return NULL;
    }
    return object;
}

xp_status xp__prior_to_object(const xp_prior *prior, json_t *root, xp_error *error) {
    xp_error problem;
    json_t *actions = actions_to_json(prior, &problem);
    if (actions == NULL) {
        return xp_error_set(error, problem.status, "%s", problem.message);
    }
    bool complete = true;
    add(root, "method", json_string(prior->type->name), &complete);
    add(root, "arms", json_integer((json_int_t)prior->arms), &complete);
    add(root, "actions", actions, &complete);
    add(root, "demonstrations", demonstrations_to_json(prior), &complete);
    if (prior->target != NULL) {
        add(root, "target", xp__json_numbers(prior->target, prior->arms), &complete);
        add(root, "effective", xp__json_number(prior->effective), &complete);
    }
    add(root, "parameters", parameters_to_json(&prior->params), &complete);
    add(root, "fit", fit_to_json(&prior->fit), &complete);
    if (!complete) {
        return xp__no_memory(error);
    }
    return prior->type->to_json != NULL ? prior->type->to_json(prior, root, error) : XP_OK;
}

xp_status xp__prior_to_json(const xp_prior *prior, char **text, xp_error *error) {
    *text = NULL;
    json_t *root = json_object();
    bool complete = root != NULL;
    add(root, "format", json_string(format_name), &complete);
    add(root, "version", json_integer(VERSION), &complete);
    xp_status status = complete ? xp__prior_to_object(prior, root, error) : xp__no_memory(error);
    if (status == XP_OK) {
        status = xp__json_text(root, text, error);
    }
    json_decref(root);
    return status;
}

static xp_status read_parameters(xp__params *params, const json_t *root, xp_error *error) {
    const json_t *object;
    xp_status status = xp__json_read_field(root, "parameters", &object, error);
    if (status == XP_OK && !json_is_object(object)) {
        return xp_error_set(error, XP_ERR_INPUT, "field 'parameters' must be an object");
    }
    for (void *entry = status == XP_OK ? json_object_iter((json_t *)object) : NULL;
         status == XP_OK && entry != NULL; entry = json_object_iter_next((json_t *)object, entry)) {
        const char *name = json_object_iter_key(entry);
        const json_t *value = json_object_iter_value(entry);
        if (json_is_null(value) && xp__params_has(params, name) &&
            isnan(xp__params_get(params, name))) {
            continue;
        }
        if (json_is_number(value)) {
            status = xp__params_set(params, name, json_number_value(value), error);
        } else if (json_is_string(value)) {
            status = xp__params_set_text(params, name, json_string_value(value), error);
        } else {
            char found[80];
            status =
                xp_error_set(error, XP_ERR_INPUT, "%s.%.40s is %s; it must be a number",
                             params->owner, name, xp__json_describe(value, found, sizeof found));
        }
    }
    return status;
}

static xp_status read_demonstrations(xp_prior *prior, const json_t *root, xp_error *error) {
    const json_t *object, *counts;
    const uint64_t limit = (uint64_t)1 << 53;
    xp_status status = xp__json_read_field(root, "demonstrations", &object, error);
    if (status == XP_OK) {
        status = xp__json_read_whole(object, "count", 0, limit, &prior->demonstrations, error);
    }
    if (status == XP_OK) {
        status = xp__json_read_field(object, "per_arm", &counts, error);
    }
    if (status != XP_OK) {
        return status;
    }
    if (!json_is_array(counts) || json_array_size(counts) != prior->arms) {
        return xp_error_set(error, XP_ERR_INPUT, "field 'per_arm' must be an array of %zu counts",
                            prior->arms);
    }
    uint64_t sum = 0;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        const json_t *value = json_array_get(counts, arm);
        char found[80];
        if (!json_is_integer(value) || json_integer_value(value) < 0 ||
            (uint64_t)json_integer_value(value) > limit) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "field 'per_arm', entry %zu is %s; it must be a count", arm,
                                xp__json_describe(value, found, sizeof found));
        }
        prior->counts[arm] = (uint64_t)json_integer_value(value);
        sum += prior->counts[arm];
    }
    if (sum != prior->demonstrations) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "field 'per_arm' adds up to %llu and 'count' is "
                            "%llu",
                            (unsigned long long)sum, (unsigned long long)prior->demonstrations);
    }
    return XP_OK;
}

/* The frequencies of a segment, which most priors do not have. */
static xp_status read_target(xp_prior *prior, const json_t *root, xp_error *error) {
    if (json_object_get(root, "target") == NULL) {
        return XP_OK;
    }
    double target[1024], effective;
    if (!prior->type->takes_target) {
        return xp_error_set(error, XP_ERR_INPUT, "a prior '%s' has no field 'target'",
                            prior->type->name);
    }
    xp_status status = xp__json_read_numbers(root, "target", prior->arms, target, error);
    if (status == XP_OK) {
        status = xp__json_read_number(root, "effective", &effective, error);
    }
    return status == XP_OK ? xp__prior_set_target(prior, target, effective, error) : status;
}

static xp_status read_actions(xp_prior *prior, const json_t *root, xp_error *error) {
    const json_t *array;
    const xp_status status = xp__json_read_field(root, "actions", &array, error);
    if (status != XP_OK || json_is_null(array)) {
        return status;
    }
    if (!json_is_array(array) || json_array_size(array) != prior->arms) {
        return xp_error_set(error, XP_ERR_INPUT, "field 'actions' must be null or %zu names",
                            prior->arms);
    }
    const char *name[1024];
    for (size_t arm = 0; arm < prior->arms; arm++) {
        name[arm] = json_string_value(json_array_get(array, arm));
        if (name[arm] == NULL) {
            return xp_error_set(error, XP_ERR_INPUT, "field 'actions', entry %zu must be a string",
                                arm);
        }
    }
    const xp_status names = xp__prior_check_names(name, prior->arms, error);
    return names == XP_OK ? xp__prior_name_actions(prior, name, error) : names;
}

static xp_status read_fit(xp_fit *fit, const json_t *root, xp_error *error) {
    const json_t *object, *converged;
    uint64_t iterations;
    xp_status status = xp__json_read_field(root, "fit", &object, error);
    if (status == XP_OK) {
        status =
            xp__json_read_whole(object, "iterations", 0, (uint64_t)1 << 32, &iterations, error);
    }
    if (status == XP_OK) {
        status = xp__json_read_field(object, "converged", &converged, error);
    }
    if (status == XP_OK && !json_is_boolean(converged)) {
        status = xp_error_set(error, XP_ERR_INPUT, "field 'converged' must be true or false");
    }
    if (status == XP_OK) {
        status = xp__json_read_number(object, "lambda", &fit->lambda, error);
    }
    if (status == XP_OK) {
        status = xp__json_read_number(object, "divergence", &fit->divergence, error);
    }
    if (status == XP_OK) {
        status = xp__json_read_number(object, "duality_gap", &fit->duality_gap, error);
    }
    if (status == XP_OK) {
        status = xp__json_read_number(object, "log_likelihood", &fit->log_likelihood, error);
    }
    if (status == XP_OK) {
        fit->iterations = (size_t)iterations;
        fit->converged = json_is_true(converged);
    }
    return status;
}

/* Method and arms: what must be known before a prior can be made. */
static xp_status read_head(const json_t *root, const xp__prior_type **type, size_t *arms,
                           xp_error *error) {
    const char *text;
    uint64_t number;
    xp_status status = xp__json_read_text(root, "method", &text, error);
    if (status == XP_OK && (*type = xp__prior_type_find(text)) == NULL) {
        status = xp_error_set(error, XP_ERR_INPUT, "there is no prior '%.80s'", text);
    }
    if (status == XP_OK) {
        status = xp__json_read_whole(root, "arms", 2, 1024, &number, error);
        *arms = (size_t)number;
    }
    return status;
}

/* Format and version of a file that holds a prior alone. */
xp_status xp__prior_from_object(const json_t *root, xp_prior **prior, xp_error *error) {
    *prior = NULL;
    const xp__prior_type *type;
    size_t arms;
    xp_status status = read_head(root, &type, &arms, error);
    if (status == XP_OK) {
        status = xp__prior_create(type, arms, prior, error);
    }
    if (status == XP_OK) {
        status = read_actions(*prior, root, error);
    }
    if (status == XP_OK) {
        status = read_demonstrations(*prior, root, error);
    }
    if (status == XP_OK) {
        status = read_target(*prior, root, error);
    }
    if (status == XP_OK) {
        status = read_parameters(&(*prior)->params, root, error);
    }
    if (status == XP_OK) {
        status = read_fit(&(*prior)->fit, root, error);
    }
    if (status == XP_OK) {
        status = type->from_json(*prior, root, error);
    }
    if (status == XP_OK) {
        status = xp__prior_check(*prior, error);
    }
    if (status != XP_OK) {
        xp_prior_destroy(*prior);
        *prior = NULL;
    }
    return status;
}

static xp_status read_file(const json_t *root, void *prior, xp_error *error) {
    const xp_status status = xp__json_check_format(root, format_name, NULL, VERSION, error);
    return status == XP_OK ? xp__prior_from_object(root, prior, error) : status;
}

xp_status xp__prior_from_json(const char *text, size_t bytes, const char *name, xp_prior **prior,
                              xp_error *error) {
    *prior = NULL;
    return xp__json_read(text, bytes, name, MAX_MEMORY, read_file, prior, error);
}
