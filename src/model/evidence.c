/* evidence.c: what a model remembers of the table of choices that it was fitted to. */
#include "model/model_type.h"

#include "base/memory.h"

#include <math.h>

static const char field[] = "evidence";

xp_model_evidence xp__evidence_none(void) {
    return (xp_model_evidence){
        .choices = NAN, .agreement = xp_choices_agreement(NULL), .drift = xp_choices_drift(NULL)};
}

xp_model_evidence xp__evidence_of(const xp_choices *choices) {
    if (choices == NULL) {
        return xp__evidence_none();
    }
    const xp_choices_info info = xp_choices_describe(choices);
    return (xp_model_evidence){.rows = info.rows,
                               .dropped = info.dropped,
                               .choices = (double)info.choices,
                               .agreement = xp_choices_agreement(choices),
                               .drift = xp_choices_drift(choices)};
}

xp_model_evidence xp_model_recall(const xp_model *model) {
    return model != NULL ? model->evidence : xp__evidence_none();
}

static void add(json_t *object, const char *name, json_t *value, bool *complete) {
    *complete = json_object_set_new(object, name, value) == 0 && *complete;
}

static json_t *agreement_to_json(const xp_agreement *own) {
    json_t *object = json_object();
    bool complete = object != NULL;
    add(object, "experts", json_integer((json_int_t)own->experts), &complete);
    add(object, "statistic", xp__json_number(own->statistic), &complete);
    add(object, "p_value", xp__json_number(own->p_value), &complete);
    add(object, "correlation", xp__json_number(own->correlation), &complete);
    add(object, "design_effect", xp__json_number(own->design_effect), &complete);
    add(object, "differing", json_integer((json_int_t)own->differing), &complete);
    if (!complete) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *drift_to_json(const xp_drift *own) {
    json_t *object = json_object();
    bool complete = object != NULL;
    add(object, "statistic", xp__json_number(own->statistic), &complete);
    add(object, "degrees", xp__json_number(own->degrees), &complete);
    add(object, "p_value", xp__json_number(own->p_value), &complete);
    add(object, "stickiness", xp__json_number(own->stickiness), &complete);
    add(object, "arm", json_integer((json_int_t)own->arm), &complete);
    add(object, "position", xp__json_number(own->position), &complete);
    if (!complete) {
        json_decref(object);
        return NULL;
    }
    return object;
}

xp_status xp__evidence_to_json(const xp_model_evidence *evidence, json_t *root, xp_error *error) {
    if (evidence->rows == 0) {
        return XP_OK;
    }
    json_t *object = json_object();
    bool complete = object != NULL;
    add(object, "rows", json_integer((json_int_t)evidence->rows), &complete);
    add(object, "dropped", json_integer((json_int_t)evidence->dropped), &complete);
    add(object, "choices", xp__json_number(evidence->choices), &complete);
    if (evidence->agreement.experts > 0) {
        add(object, "agreement", agreement_to_json(&evidence->agreement), &complete);
    }
    if (!isnan(evidence->drift.p_value)) {
        add(object, "drift", drift_to_json(&evidence->drift), &complete);
    }
    if (!complete) {
        json_decref(object);
        return xp__no_memory(error);
    }
    return json_object_set_new(root, field, object) == 0 ? XP_OK : xp__no_memory(error);
}

/* Numbers of an object by name, in order. */
typedef struct wanted {
    const char *name;
    double *value;
} wanted;

static xp_status read_numbers(const json_t *object, const wanted *list, size_t count,
                              xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        status = xp__json_read_number(object, list[i].name, list[i].value, error);
    }
    return status;
}

static xp_status read_agreement(const json_t *object, xp_agreement *own, xp_error *error) {
    const wanted list[] = {{"statistic", &own->statistic},
                           {"p_value", &own->p_value},
                           {"correlation", &own->correlation},
                           {"design_effect", &own->design_effect}};
    uint64_t experts, differing;
    xp_status status = xp__json_read_whole(object, "experts", 1, UINT32_MAX, &experts, error);
    if (status == XP_OK) {
        status = xp__json_read_whole(object, "differing", 0, experts, &differing, error);
    }
    if (status == XP_OK) {
        own->experts = (size_t)experts;
        own->differing = (size_t)differing;
        status = read_numbers(object, list, sizeof list / sizeof list[0], error);
    }
    return status;
}

static xp_status read_drift(const json_t *object, size_t arms, xp_drift *own, xp_error *error) {
    const wanted list[] = {{"statistic", &own->statistic},
                           {"degrees", &own->degrees},
                           {"p_value", &own->p_value},
                           {"stickiness", &own->stickiness},
                           {"position", &own->position}};
    uint64_t arm;
    const xp_status status = xp__json_read_whole(object, "arm", 0, arms - 1, &arm, error);
    if (status != XP_OK) {
        return status;
    }
    own->arm = (size_t)arm;
    return read_numbers(object, list, sizeof list / sizeof list[0], error);
}

xp_status xp__evidence_from_json(const json_t *root, size_t arms, xp_model_evidence *evidence,
                                 xp_error *error) {
    const json_t *object = json_object_get(root, field);
    if (object == NULL) {
        return XP_OK;
    }
    const uint64_t most = UINT64_C(1) << 53;
    const json_t *agreement = json_object_get(object, "agreement");
    const json_t *drift = json_object_get(object, "drift");
    xp_status status = xp__json_read_whole(object, "rows", 1, most, &evidence->rows, error);
    if (status == XP_OK) {
        status =
            xp__json_read_whole(object, "dropped", 0, evidence->rows, &evidence->dropped, error);
    }
    if (status == XP_OK) {
        status = xp__json_read_number(object, "choices", &evidence->choices, error);
    }
    if (status == XP_OK && agreement != NULL) {
        status = read_agreement(agreement, &evidence->agreement, error);
    }
    if (status == XP_OK && drift != NULL) {
        status = read_drift(drift, arms, &evidence->drift, error);
    }
    return status;
}
