/* segments_json.c: the segments of a bandit's model in its file.
 *
 * One object per segment, with the fields of its prior. A file is not trusted: every number is
 * checked, and a segment must be of the same kind as the overall prior. */
#include "model/model_type.h"

#include "base/memory.h"
#include "base/text/tokens.h"
#include "prior/bandit/prior_type.h"

#include <math.h>
#include <string.h>

static json_t *pooling_to_json(const xp_pooling *pooling) {
    json_t *object = json_object();
    const bool complete =
        object != NULL &&
        json_object_set_new(object, "strength", xp__json_number(pooling->strength)) == 0 &&
        json_object_set_new(object, "strength_low", xp__json_number(pooling->strength_low)) == 0 &&
        json_object_set_new(object, "strength_high", xp__json_number(pooling->strength_high)) ==
            0 &&
        json_object_set_new(object, "held_out_none", xp__json_number(pooling->none)) == 0 &&
        json_object_set_new(object, "held_out_full", xp__json_number(pooling->full)) == 0 &&
        json_object_set_new(object, "held_out_estimated", xp__json_number(pooling->estimated)) == 0;
    if (!complete) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static xp_status add_segment(const xp__model_segment *segment, json_t *list, xp_error *error) {
    json_t *object = json_object();
    json_t *name = json_string(segment->name), *bytes = json_string_nocheck(segment->name);
    xp_status status = object != NULL && bytes != NULL ? XP_OK : xp__no_memory(error);
    if (status == XP_OK && name == NULL) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              "the name of a segment is not UTF-8 and cannot be saved");
    }
    json_decref(bytes);
    if (status == XP_OK &&
        (json_object_set(object, "segment", name) != 0 ||
         json_object_set_new(object, "own", xp__json_number(segment->own)) != 0)) {
        status = xp__no_memory(error);
    }
    json_decref(name);
    if (status == XP_OK) {
        status = xp__prior_to_object(segment->prior, object, error);
    }
    if (status != XP_OK) {
        json_decref(object);
        return status;
    }
    return json_array_append_new(list, object) == 0 ? XP_OK : xp__no_memory(error);
}

xp_status xp__segments_to_json(const xp_model *model, json_t *root, xp_error *error) {
    if (model->segments == NULL) {
        return XP_OK;
    }
    json_t *list = json_array();
    xp_status status = list != NULL ? XP_OK : xp__no_memory(error);
    for (size_t s = 0; status == XP_OK && s < model->pooling.segments; s++) {
        status = add_segment(&model->segments[s], list, error);
    }
    if (status == XP_OK &&
        (json_object_set_new(root, "pooling", pooling_to_json(&model->pooling)) != 0 ||
         json_object_set(root, "segments", list) != 0)) {
        status = xp__no_memory(error);
    }
    json_decref(list);
    return status;
}

static xp_status read_pooling(xp_pooling *pooling, const json_t *root, xp_error *error) {
    const struct {
        const char *field;
        double *number;
    } fields[] = {
        {"strength", &pooling->strength},           {"strength_low", &pooling->strength_low},
        {"strength_high", &pooling->strength_high}, {"held_out_none", &pooling->none},
        {"held_out_full", &pooling->full},          {"held_out_estimated", &pooling->estimated}};
    const json_t *object;
    xp_status status = xp__json_read_field(root, "pooling", &object, error);
    if (status == XP_OK && !json_is_object(object)) {
        return xp_error_set(error, XP_ERR_INPUT, "field 'pooling' must be an object");
    }
    for (size_t i = 0; status == XP_OK && i < sizeof fields / sizeof fields[0]; i++) {
        status = xp__json_read_number(object, fields[i].field, fields[i].number, error);
    }
    if (status == XP_OK &&
        !(pooling->strength_low >= 0 && pooling->strength_low <= pooling->strength &&
          pooling->strength <= pooling->strength_high)) {
        return xp_error_set(
            error, XP_ERR_INPUT,
            "field 'pooling': strengths are in order and not negative; they are %g, "
            "%g and %g",
            pooling->strength_low, pooling->strength, pooling->strength_high);
    }
    return status;
}

/* A prior of the model's own kind. */
static xp_status check_kind(const xp_model *model, const xp_prior *prior, xp_error *error) {
    if (model->prior == NULL || prior->type != model->prior->type ||
        prior->arms != model->prior->arms || prior->target == NULL || prior->action_names != NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "it must have a prior of the same method and as many arms as the "
                            "overall one, a 'target', and no names of actions");
    }
    for (size_t i = 0; i < prior->params.count; i++) {
        const double a = prior->params.value[i], b = model->prior->params.value[i];
        if (!(a == b || (isnan(a) && isnan(b)))) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "its prior has %s = %g, the overall one has %g",
                                prior->params.table[i].name, a, b);
        }
    }
    return XP_OK;
}

static xp_status read_segment(const xp_model *model, xp__model_segment *segment,
                              const json_t *object, xp__tokens *seen, xp_error *error) {
    const char *name;
    size_t twin;
    xp_status status = xp__json_read_text(object, "segment", &name, error);
    if (status == XP_OK && (name[0] == '\0' || xp__tokens_find(seen, name, strlen(name), &twin))) {
        status = xp_error_set(error, XP_ERR_INPUT, "its name '%.80s' is %s", name,
                              name[0] == '\0' ? "empty" : "another one's, too");
    }
    if (status == XP_OK) {
        status = xp__tokens_add(seen, name, strlen(name), error);
    }
    if (status == XP_OK) {
        status = xp__json_read_number(object, "own", &segment->own, error);
    }
    if (status == XP_OK && !(segment->own >= 0 && segment->own <= 1)) {
        status = xp_error_set(error, XP_ERR_INPUT, "field 'own' is %g; it is a share, 0 to 1",
                              segment->own);
    }
    if (status == XP_OK) {
        segment->name = xp__strdup(name);
        status = segment->name != NULL ? XP_OK : xp__no_memory(error);
    }
    if (status == XP_OK) {
        status = xp__prior_from_object(object, &segment->prior, error);
    }
    return status == XP_OK ? check_kind(model, segment->prior, error) : status;
}

xp_status xp__segments_from_json(xp_model *model, const json_t *root, xp_error *error) {
    const json_t *list = json_object_get(root, "segments");
    if (list == NULL) {
        return XP_OK;
    }
    const size_t count = json_array_size(list);
    if (count < 1 || count > XP_SEGMENTS_MAX) {
        return xp_error_set(error, XP_ERR_INPUT, "field 'segments' must be 1 to %d objects",
                            (int)XP_SEGMENTS_MAX);
    }
    xp_status status = read_pooling(&model->pooling, root, error);
    if (status != XP_OK) {
        return status;
    }
    model->segments = xp__alloc(count, sizeof *model->segments);
    if (model->segments == NULL) {
        return xp__no_memory(error);
    }
    model->pooling.segments = count;
    xp__tokens seen = {.count = 0};
    for (size_t s = 0; status == XP_OK && s < count; s++) {
        xp_error inner;
        status = read_segment(model, &model->segments[s], json_array_get(list, s), &seen, &inner);
        if (status != XP_OK) {
            (void)xp_error_set(error, status, "segment %zu: %s", s + 1, inner.message);
        }
    }
    xp__tokens_deinit(&seen);
    return status;
}
