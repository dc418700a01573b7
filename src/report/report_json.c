/* report_json.c: a result as JSON. One row and one series a line, so that two results can be
 * compared with line tools. Keys keep their order; reals have 17 digits and read back as the same
 * doubles; what does not apply, and what JSON cannot say (NaN, infinities), is null. Only `seconds`
 * differs between two runs of the same study. */
#include "report/report_parts.h"

#include "base/memory.h"
#include "base/text/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Appends `value` and takes it over. NULL means that jansson had no memory for it, or that a label
 * is not UTF-8: the callers' strings are checked first, so here it is the memory. */
static void dump(xp__text *text, json_t *value) {
    char *line = value != NULL
                     ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17))
                     : NULL;
    json_decref(value);
    if (line == NULL) {
        text->failed = true;
        return;
    }
    xp__text_append(text, line);
    free(line);
}

static json_t *real(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

/* JSON integers are read as 64 bits with a sign; larger ones are strings. */
static json_t *whole(uint64_t value) {
    return value <= INT64_MAX ? json_integer((json_int_t)value)
                              : json_sprintf("%llu", (unsigned long long)value);
}

static json_t *reals(const double *values, size_t count) {
    if (values == NULL) {
        return json_null();
    }
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        if (json_array_append_new(array, real(values[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *row_object(const xp_study_row *row) {
    double low, high;
    (void)xp__row_interval(row, &low, &high);
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "agent",
                  row->agent, "spec", row->spec, "group", row->group, "measure", row->measure,
                  "priors", whole(row->problems), "mean", real(row->mean), "se", real(row->se),
                  "difference", real(row->difference), "difference_se", real(row->difference_se),
                  "degrees", real(row->degrees), "difference_low", real(low), "difference_high",
                  real(high), "paper_mean", real(row->paper_mean), "paper_se", real(row->paper_se));
    if (object != NULL && row->runs > 0 &&
        (json_object_set_new(object, "runs", whole(row->runs)) != 0 ||
         json_object_set_new(object, "sd_priors", real(row->sd_problems)) != 0 ||
         json_object_set_new(object, "sd_runs", real(row->sd_runs)) != 0)) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *series_object(const xp_series *series) {
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "agent",
                     series->agent, "panel", series->panel, "x_label", series->x_label, "y_label",
                     series->y_label, "scatter", series->scatter, "x", reals(series->x, series->n),
                     "y", reals(series->y, series->n), "se", reals(series->se, series->n),
                     "paper_x", reals(series->paper_x, series->paper_n), "paper_y",
                     reals(series->paper_y, series->paper_n), "paper_se",
                     reals(series->paper_se, series->paper_n));
}

static void member(xp__text *text, const char *key, json_t *value) {
    xp__text_format(text, "%s\"%s\":", text->length > 2 ? ",\n" : "", key);
    dump(text, value);
}

static void sentences(xp__text *text, const char *key, char *const *lines, size_t count) {
    xp__text_format(text, ",\n\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        xp__text_append(text, i != 0 ? ",\n" : "\n");
        dump(text, json_string(lines[i]));
    }
    xp__text_append(text, "]");
}

static void pictures(xp__text *text, const xp_study_result *result) {
    xp__text_append(text, ",\n\"pictures\":[");
    for (size_t i = 0; i < result->picture_count; i++) {
        xp__text name = {.data = NULL};
        xp__report_picture_name(result->study, i, &name);
        xp__text_append(text, i != 0 ? ",\n" : "\n");
        dump(text, name.failed ? NULL
                               : json_pack("{s:s, s:s}", "title", result->pictures[i].title, "file",
                                           name.data));
        xp__text_deinit(&name);
    }
    xp__text_append(text, "]");
}

/* A label that is not UTF-8 cannot be written as JSON; the message shows where it is. */
static xp_status check_utf8(const xp_study_result *result, const char *label, xp_error *error) {
    char study[XP__SHOWN], shown[XP__SHOWN];
    const size_t length = strlen(label);
    return xp__scan_utf8(label, length)
               ? XP_OK
               : xp_error_set(error, XP_ERR_INPUT, "a label of study '%s' is not UTF-8: '%s'",
                              xp__show(study, result->study, strlen(result->study)),
                              xp__show(shown, label, length));
}

static xp_status check_labels(const xp_study_result *result, xp_error *error) {
    const char *const names[] = {result->study, result->title, result->scale};
    xp_status status =
        result->reference != NULL ? check_utf8(result, result->reference, error) : XP_OK;
    for (size_t i = 0; status == XP_OK && i < 3; i++) {
        status = check_utf8(result, names[i], error);
    }
    for (size_t i = 0; status == XP_OK && i < result->row_count; i++) {
        const xp_study_row *row = &result->rows[i];
        const char *const labels[] = {row->agent, row->spec, row->group, row->measure};
        for (size_t j = 0; status == XP_OK && j < 4; j++) {
            status = check_utf8(result, labels[j], error);
        }
    }
    for (size_t i = 0; status == XP_OK && i < result->series_count; i++) {
        const xp_series *series = &result->series[i];
        const char *const labels[] = {series->agent, series->panel, series->x_label,
                                      series->y_label};
        for (size_t j = 0; status == XP_OK && j < 4; j++) {
            status = check_utf8(result, labels[j], error);
        }
    }
    for (size_t i = 0; status == XP_OK && i < result->note_count; i++) {
        status = check_utf8(result, result->notes[i], error);
    }
    for (size_t i = 0; status == XP_OK && i < result->finding_count; i++) {
        status = check_utf8(result, result->findings[i], error);
    }
    for (size_t i = 0; status == XP_OK && i < result->picture_count; i++) {
        status = check_utf8(result, result->pictures[i].title, error);
    }
    return status;
}

xp_status xp__report_json(const xp_study_result *result, xp__text *text, xp_error *error) {
    const xp_status status = check_labels(result, error);
    if (status != XP_OK) {
        return status;
    }
    xp__text_append(text, "{\n");
    member(text, "study", json_string(result->study));
    member(text, "title", json_string(result->title));
    member(text, "scale", json_string(result->scale));
    if (result->reference != NULL) {
        member(text, "reference", json_string(result->reference));
    }
    xp__text_append(text, ",\n\"rows\":[");
    for (size_t i = 0; i < result->row_count; i++) {
        xp__text_append(text, i != 0 ? ",\n" : "\n");
        dump(text, row_object(&result->rows[i]));
    }
    xp__text_append(text, "],\n\"series\":[");
    for (size_t i = 0; i < result->series_count; i++) {
        xp__text_append(text, i != 0 ? ",\n" : "\n");
        dump(text, series_object(&result->series[i]));
    }
    xp__text_append(text, "]");
    sentences(text, "notes", result->notes, result->note_count);
    sentences(text, "findings", result->findings, result->finding_count);
    pictures(text, result);
    member(text, "seconds", real(result->seconds));
    member(text, "agent_steps", whole(result->agent_steps));
    member(text, "units_done", whole(result->units_done));
    member(text, "units_total", whole(result->units_total));
    member(text, "seed", whole(result->seed));
    member(text, "version", json_string(xp_version()));
    xp__text_append(text, "\n}\n");
    return text->failed ? xp__no_memory(error) : XP_OK;
}
