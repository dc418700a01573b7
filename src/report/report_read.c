/* report_read.c: a result back from its JSON. Anybody may have written the file: one that is not
 * the result of the study that its name says is refused with a sentence. Numbers that are null
 * become NAN. */
#include "report/report_parts.h"

#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Far above any study, so that a stray large file is not taken into memory. */
#define LARGEST_FILE ((size_t)1 << 26)

static char *text_of(const json_t *object, const char *key) {
    return (char *)json_string_value(json_object_get(object, key));
}

static double real_of(const json_t *value) {
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* An integer, or the decimal string that one above 2^63 − 1 is written as. */
static uint64_t whole_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value)) {
        return strtoull(json_string_value(value), NULL, 10);
    }
    const json_int_t number = json_integer_value(value);
    return number > 0 ? (uint64_t)number : 0;
}

/* Reads `count` reals (whatever the array's length, if *count is SIZE_MAX) into *values; stays NULL
 * if the key holds null. False: wrong form, or, with
 * *memory false too, no memory for it. */
static bool reals_of(const json_t *object, const char *key, size_t *count, double **values,
                     bool *memory) {
    const json_t *array = json_object_get(object, key);
    if (json_is_null(array)) {
        return true;
    }
    if (!json_is_array(array) || (*count != SIZE_MAX && json_array_size(array) != *count)) {
        return false;
    }
    *count = json_array_size(array);
    *values = xp__alloc(*count, sizeof **values);
    if (*values == NULL) {
        *memory = false;
        return false;
    }
    for (size_t i = 0; i < *count; i++) {
        (*values)[i] = real_of(json_array_get(array, i));
    }
    return true;
}

static bool row_of(const json_t *object, xp_study_row *row) {
    *row = (xp_study_row){
        .agent = text_of(object, "agent"),
        .spec = text_of(object, "spec"),
        .group = text_of(object, "group"),
        .measure = text_of(object, "measure"),
        .problems = (size_t)whole_of(object, "priors"),
        .mean = real_of(json_object_get(object, "mean")),
        .se = real_of(json_object_get(object, "se")),
        .difference = real_of(json_object_get(object, "difference")),
        .difference_se = real_of(json_object_get(object, "difference_se")),
        .degrees = real_of(json_object_get(object, "degrees")),
        .paper_mean = real_of(json_object_get(object, "paper_mean")),
        .paper_se = real_of(json_object_get(object, "paper_se")),
        .runs = (size_t)whole_of(object, "runs"),
        .sd_problems = real_of(json_object_get(object, "sd_priors")),
        .sd_runs = real_of(json_object_get(object, "sd_runs")),
    };
    return row->agent != NULL && row->spec != NULL && row->group != NULL && row->measure != NULL;
}

static bool series_of(const json_t *object, xp_series *series, bool *memory) {
    *series = (xp_series){
        .agent = text_of(object, "agent"),
        .panel = text_of(object, "panel"),
        .x_label = text_of(object, "x_label"),
        .y_label = text_of(object, "y_label"),
        .scatter = json_is_true(json_object_get(object, "scatter")),
        .n = SIZE_MAX,
        .paper_n = SIZE_MAX,
    };
    const bool good =
        series->agent != NULL && series->panel != NULL && series->x_label != NULL &&
        series->y_label != NULL && reals_of(object, "x", &series->n, &series->x, memory) &&
        reals_of(object, "y", &series->n, &series->y, memory) && series->x != NULL &&
        series->y != NULL && reals_of(object, "se", &series->n, &series->se, memory) &&
        reals_of(object, "paper_x", &series->paper_n, &series->paper_x, memory) &&
        reals_of(object, "paper_y", &series->paper_n, &series->paper_y, memory) &&
        (series->paper_x == NULL) == (series->paper_y == NULL) &&
        reals_of(object, "paper_se", &series->paper_n, &series->paper_se, memory);
    series->n = series->x != NULL ? series->n : 0;
    series->paper_n = series->paper_x != NULL ? series->paper_n : 0;
    return good;
}

static bool sentences_of(const json_t *object, const char *key, char ***lines, size_t *count,
                         bool *memory) {
    const json_t *array = json_object_get(object, key);
    if (!json_is_array(array)) {
        return false;
    }
    *lines = xp__alloc(json_array_size(array), sizeof **lines);
    bool good = *lines != NULL;
    *memory = good;
    for (size_t i = 0; good && i < json_array_size(array); i++) {
        (*lines)[i] = (char *)json_string_value(json_array_get(array, i));
        good = (*lines)[i] != NULL;
        *count = i + 1;
    }
    return good;
}

/* Titles only; a result that was written before there were pictures has none. */
static bool pictures_of(const json_t *document, xp_study_result *result, bool *memory) {
    const json_t *array = json_object_get(document, "pictures");
    if (array == NULL) {
        return true;
    }
    if (!json_is_array(array)) {
        return false;
    }
    result->pictures = xp__alloc(json_array_size(array), sizeof *result->pictures);
    bool good = result->pictures != NULL;
    *memory = good;
    for (size_t i = 0; good && i < json_array_size(array); i++) {
        result->pictures[i].title = text_of(json_array_get(array, i), "title");
        good = result->pictures[i].title != NULL;
        result->picture_count = i + 1;
    }
    return good;
}

static bool result_of(const json_t *document, xp_study_result *result, bool *memory) {
    const json_t *rows = json_object_get(document, "rows");
    const json_t *series = json_object_get(document, "series");
    result->study = text_of(document, "study");
    result->title = text_of(document, "title");
    result->scale = text_of(document, "scale");
    /* Files before 0.2.0 named it only if it was another. */
    result->reference = text_of(document, "reference");
    result->reference = result->reference != NULL ? result->reference : "Oracle-TS";
    if (result->study == NULL || result->title == NULL || result->scale == NULL ||
        !json_is_array(rows) || !json_is_array(series)) {
        return false;
    }
    result->seed = whole_of(document, "seed");
    result->seconds = real_of(json_object_get(document, "seconds"));
    result->agent_steps = whole_of(document, "agent_steps");
    result->units_done = (size_t)whole_of(document, "units_done");
    result->units_total = (size_t)whole_of(document, "units_total");
    result->rows = xp__alloc(json_array_size(rows), sizeof *result->rows);
    result->series = xp__alloc(json_array_size(series), sizeof *result->series);
    bool good = result->rows != NULL && result->series != NULL;
    *memory = good;
    for (size_t i = 0; good && i < json_array_size(rows); i++) {
        good = row_of(json_array_get(rows, i), &result->rows[i]);
        result->row_count = i + 1;
    }
    for (size_t i = 0; good && i < json_array_size(series); i++) {
        good = series_of(json_array_get(series, i), &result->series[i], memory);
        result->series_count = i + 1;
    }
    return good && sentences_of(document, "notes", &result->notes, &result->note_count, memory) &&
           sentences_of(document, "findings", &result->findings, &result->finding_count, memory) &&
           pictures_of(document, result, memory);
}

void xp__report_study_deinit(xp__report_study *study) {
    for (size_t i = 0; i < study->result.series_count; i++) {
        const xp_series *series = &study->result.series[i];
        double *const arrays[] = {series->x,       series->y,       series->se,
                                  series->paper_x, series->paper_y, series->paper_se};
        for (size_t j = 0; j < sizeof arrays / sizeof arrays[0]; j++) {
            xp__free(arrays[j]);
        }
    }
    xp__free(study->result.rows);
    xp__free(study->result.series);
    xp__free(study->result.notes);
    xp__free(study->result.findings);
    for (size_t i = 0; i < study->result.picture_count; i++) {
        xp__free((char *)study->result.pictures[i].svg);
    }
    xp__free(study->result.pictures);
    json_decref(study->document);
    *study = (xp__report_study){.document = NULL};
}

xp_status xp__report_read(const char *path, const char *name, xp__report_study *study,
                          xp_error *error) {
    *study = (xp__report_study){.document = NULL};
    char *data;
    size_t bytes;
    const xp_status status = xp__file_read_regular(path, LARGEST_FILE, &data, &bytes, error);
    if (status != XP_OK) {
        return status;
    }
    json_error_t problem;
    study->document = json_loadb(data, bytes, JSON_REJECT_DUPLICATES, &problem);
    xp__free(data);
    if (study->document == NULL) {
        return json_error_code(&problem) == json_error_out_of_memory
                   ? xp__no_memory(error)
                   : xp_error_set(error, XP_ERR_INPUT, "'%s' line %d: %s", path, problem.line,
                                  problem.text);
    }
    study->version = text_of(study->document, "version");
    bool memory = true;
    if (!result_of(study->document, &study->result, &memory) || study->version == NULL ||
        strcmp(study->result.study, name) != 0) {
        xp__report_study_deinit(study);
        return memory ? xp_error_set(error, XP_ERR_INPUT, "'%s' is not the result of study '%s'",
                                     path, name)
                      : xp__no_memory(error);
    }
    return XP_OK;
}
