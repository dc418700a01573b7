/* model_json.c: a bandit's model as JSON that people can read.
 *
 * The fields of the prior, which also carries the names of the actions and how often each was
 * demonstrated, and those of the model around them. The checksum is taken over the other fields, so
 * that the layout of the text may be changed but no value. A prior file of version 0.1 is read as a
 * model whose agent is the one that acts on such a prior. */
#include "model/model_type.h"

#include "base/check.h"
#include "base/bytes/checksum.h"
#include "base/memory.h"
#include "base/text/json.h"
#include "prior/bandit/prior_type.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char format_name[] = "experior-model", old_format_name[] = "experior-prior";
static const char checksum_field[] = "checksum";
enum { VERSION = 1, SUM_DIGITS = 16, MAX_MEMORY = 512 << 20 };

/* The checksum of all fields but its own. */
static xp_status sum_of(const json_t *root, char digits[SUM_DIGITS + 1], xp_error *error) {
    json_t *bare = json_copy((json_t *)root);
    if (bare == NULL) {
        return xp__no_memory(error);
    }
    (void)json_object_del(bare, checksum_field);
    char *text;
    const xp_status status = xp__json_text(bare, &text, error); /* one way to write each number */
    json_decref(bare);
    if (status == XP_OK) {
        (void)snprintf(digits, SUM_DIGITS + 1, "%016" PRIx64,
                       xp__checksum(XP__CHECKSUM_START, text, strlen(text)));
        xp__free(text);
    }
    return status;
}

/* Where an agent needs no prior, a uniform one carries counts and names. */
static xp_status carrier(const xp_model *model, xp_prior **made, xp_error *error) {
    *made = NULL;
    if (model->prior != NULL) {
        return XP_OK;
    }
    return model->demos != NULL && xp_demos_count(model->demos) > 0
               ? xp_prior_fit("uniform", model->demos, NULL, made, NULL, error)
               : xp_prior_create_uniform(model->info.actions, made, error);
}

static xp_status fill(const xp_model *model, json_t *root, xp_error *error) {
    xp_prior *made;
    xp_status status = carrier(model, &made, error);
    if (status != XP_OK) {
        return status;
    }
    char seed[24];
    (void)snprintf(seed, sizeof seed, "%" PRIu64, model->seed); /* JSON's numbers are doubles */
    const bool complete =
        json_object_set_new(root, "format", json_string(format_name)) == 0 &&
        json_object_set_new(root, "version", json_integer(VERSION)) == 0 &&
        json_object_set_new(root, "agent", json_string(model->agent)) == 0 &&
        json_object_set_new(root, "seed", json_string(seed)) == 0 &&
        json_object_set_new(root, "library", json_string(model->version)) == 0 &&
        json_object_set_new(root, "machine", json_string(model->machine)) == 0 &&
        json_object_set_new(root, "environment",
                            model->environment != NULL ? json_string(model->environment)
                                                       : json_null()) == 0;
    status = complete ? xp__prior_to_object(made != NULL ? made : model->prior, root, error)
                      : xp__no_memory(error);
    xp_prior_destroy(made);
    if (status == XP_OK) {
        status = xp__segments_to_json(model, root, error);
    }
    return status == XP_OK ? xp__evidence_to_json(&model->evidence, root, error) : status;
}

xp_status xp__model_to_json(const xp_model *model, char **text, xp_error *error) {
    *text = NULL;
    json_t *root = json_object();
    xp_status status = root != NULL ? fill(model, root, error) : xp__no_memory(error);
    char digits[SUM_DIGITS + 1];
    if (status == XP_OK) {
        status = sum_of(root, digits, error);
    }
    if (status == XP_OK && json_object_set_new(root, checksum_field, json_string(digits)) != 0) {
        status = xp__no_memory(error);
    }
    if (status == XP_OK) {
        status = xp__json_text(root, text, error);
    }
    json_decref(root);
    return status;
}

static xp_status check_sum(const json_t *root, xp_error *error) {
    const json_t *stored = json_object_get(root, checksum_field);
    if (stored == NULL) {
        return XP_OK;
    }
    char digits[SUM_DIGITS + 1];
    const xp_status status = sum_of(root, digits, error);
    if (status == XP_OK &&
        (!json_is_string(stored) || strcmp(json_string_value(stored), digits) != 0)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "a value was changed after the file was written (its checksum is not "
                            "%s); remove the field 'checksum' to use it as it is",
                            digits);
    }
    return status;
}

/* The agent that acts on a prior which does not say. */
static const char *agent_of(const char *method) {
    static const struct {
        const char *method, *agent;
    } agents[] = {{"max_entropy", "experior_maxent"},
                  {"max_entropy_authors", "experior_maxent:prior=authors"},
                  {"beta", "experior_param"},
                  {"gamma", "experior_param:family=gamma"},
                  {"normal", "experior_param:family=normal"}};
    for (size_t i = 0; i < sizeof agents / sizeof agents[0]; i++) {
        if (strcmp(agents[i].method, method) == 0) {
            return agents[i].agent;
        }
    }
    return "naive_ts";
}

/* A text field, or NULL where it is missing or null. */
static const char *text_of(const json_t *root, const char *field) {
    return json_string_value(json_object_get(root, field));
}

/* Demonstrations with the prior's counts and names. */
static xp_status restore_demos(xp_model *model, const xp_prior *prior, xp_error *error) {
    xp_status status = xp_demos_create(0, prior->arms, &model->own_demos, error);
    model->demos = model->own_demos;
    for (size_t arm = 0; status == XP_OK && arm < prior->arms; arm++) {
        const uint32_t action = (uint32_t)arm;
        if (prior->counts[arm] > 0) {
            status = xp_demos_add(model->own_demos, NULL, &action, 1, prior->counts[arm], error);
        }
    }
    return status == XP_OK && prior->action_names != NULL
               ? xp_demos_name_actions(model->own_demos, (const char *const *)prior->action_names,
                                       error)
               : status;
}

static xp_status set_text(char **text, const char *value, xp_error *error) {
    if (value == NULL) {
        return XP_OK;
    }
    xp__free(*text);
    *text = xp__strdup(value);
    return *text != NULL ? XP_OK : xp__no_memory(error);
}

/* Takes the prior over. */
static xp_status build(const json_t *root, xp_prior *prior, xp_model **model, xp_error *error) {
    const char *agent = text_of(root, "agent");
    const xp_env_info info = {.actions = prior->arms, .horizon = 1};
    xp_status status = xp__model_create(agent != NULL ? agent : agent_of(xp_prior_method(prior)),
                                        &info, model, error);
    if (status != XP_OK) {
        xp_prior_destroy(prior);
        return status;
    }
    xp_model *made = *model;
    made->prior = prior;
    if (made->spec.prior_method == NULL && strcmp(xp_prior_method(prior), "uniform") != 0) {
        return xp_error_set(error, XP_ERR_INPUT, "agent '%.80s' does not act on a prior '%s'",
                            made->agent, xp_prior_method(prior));
    }
    const char *seed = text_of(root, "seed");
    made->seed = seed != NULL ? strtoull(seed, NULL, 10) : 0;
    status = set_text(&made->version, text_of(root, "library"), error);
    if (status == XP_OK) {
        status = set_text(&made->machine, text_of(root, "machine"), error);
    }
    if (status == XP_OK) {
        status = set_text(&made->environment, text_of(root, "environment"), error);
    }
    if (status == XP_OK) {
        status = xp__evidence_from_json(root, prior->arms, &made->evidence, error);
    }
    if (status == XP_OK) {
        status = restore_demos(made, prior, error);
    }
    if (status == XP_OK) {
        status = xp__model_finish(made, error);
    }
    if (status == XP_OK && made->spec.prior_method == NULL) {
        xp_prior_destroy(made->prior); /* it carried counts and names only */
        made->prior = NULL;
    }
    return status == XP_OK ? xp__segments_from_json(made, root, error) : status;
}

/* `made` is an xp_model **, which is NULL after a failure. */
static xp_status read_root(const json_t *root, void *made, xp_error *error) {
    xp_model **model = made;
    xp_prior *prior = NULL;
    xp_status status = xp__json_check_format(root, format_name, old_format_name, VERSION, error);
    if (status == XP_OK) {
        status = check_sum(root, error);
    }
    if (status == XP_OK) {
        status = xp__prior_from_object(root, &prior, error);
    }
    if (status == XP_OK) {
        status = build(root, prior, model, error);
    }
    if (status != XP_OK) {
        xp_model_destroy(*model);
        *model = NULL;
    }
    return status;
}

xp_status xp_model_segment_create(const xp_model *model, const char *segment, xp_model **made,
                                  xp_error *error) {
    XP__NOT_NULL(made, error);
    *made = NULL;
    size_t index;
    xp_status status = xp_model_segment_find(model, segment, &index, error);
    if (status != XP_OK) {
        return status;
    }
    json_t *root = json_object();
    status = root != NULL ? fill(model, root, error) : xp__no_memory(error);
    json_t *names = json_incref(json_object_get(root, "actions"));
    if (status == XP_OK) {
        status = xp__prior_to_object(model->segments[index].prior, root, error);
    }
    if (status == XP_OK) { /* which the segment's prior leaves to the model */
        (void)json_object_del(root, "segments");
        status = json_object_set(root, "actions", names) == 0 ? read_root(root, made, error)
                                                              : xp__no_memory(error);
    }
    json_decref(names);
    json_decref(root);
    return status;
}

xp_status xp__model_from_json(const char *text, size_t bytes, const char *name, xp_model **model,
                              xp_error *error) {
    *model = NULL;
    return xp__json_read(text, bytes, name, MAX_MEMORY, read_root, model, error);
}
