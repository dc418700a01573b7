/* result.c: memory of a study's result: growing arrays, and an arena of blocks for the strings
 * and points. Invariant: a block of the arena is never moved, so pointers into it stay. */
#include "study/result.h"

#include "base/memory.h"
#include "base/text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_BYTES = 16384 };

typedef struct arena_block {
    struct arena_block *next;
    size_t used, room;
    double memory[]; /* doubles: aligned for all that is kept here */
} arena_block;

static void *arena_alloc(xp__builder *builder, size_t bytes) {
    if (builder->failed) {
        return NULL;
    }
    const size_t rounded = (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    arena_block *block = builder->result->arena;
    if (block == NULL || block->room - block->used < rounded) {
        const size_t room = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;
        arena_block *made = xp__alloc(1, sizeof *made + room);
        if (made == NULL) {
            builder->failed = true;
            return NULL;
        }
        made->next = block;
        made->room = room;
        builder->result->arena = made;
        block = made;
    }
    void *place = (char *)block->memory + block->used;
    block->used += rounded;
    return place;
}

static char *keep(xp__builder *builder, const char *text) {
    text = text != NULL ? text : "";
    const size_t bytes = strlen(text) + 1;
    char *copy = arena_alloc(builder, bytes);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

/* The array grown to hold one more of `size` bytes; its room is the next power of two. */
static void *grown(xp__builder *builder, void *array, size_t count, size_t size) {
    if (builder->failed || (count & (count - 1)) != 0) {
        return array;
    }
    void *moved = xp__realloc(array, count == 0 ? 1 : 2 * count, size);
    builder->failed = moved == NULL;
    return moved != NULL ? moved : array;
}

xp_status xp__builder_init(xp__builder *builder, const char *study, const char *title,
                           const char *scale, uint64_t seed, xp_error *error) {
    *builder = (xp__builder){.result = xp__alloc(1, sizeof *builder->result)};
    if (builder->result == NULL) {
        return xp__no_memory(error);
    }
    builder->result->study = keep(builder, study);
    builder->result->title = keep(builder, title);
    builder->result->scale = keep(builder, scale);
    builder->result->seed = seed;
    return XP_OK;
}

static bool has_gaps(const xp_series *series) {
    for (size_t i = 0; i < series->n; i++) {
        if (isnan(series->y[i])) {
            return true;
        }
    }
    return false;
}

static void drop_series_with_gaps(xp_study_result *result) {
    size_t whole = 0;
    for (size_t i = 0; i < result->series_count; i++) {
        if (!has_gaps(&result->series[i])) {
            result->series[whole++] = result->series[i];
        }
    }
    result->series_count = whole;
}

xp_status xp__builder_finish(xp__builder *builder, xp_study_result **result, xp_error *error) {
    if (builder->failed) {
        xp_study_result_destroy(builder->result);
        *result = NULL;
        return xp__no_memory(error);
    }
    if (builder->partial) {
        drop_series_with_gaps(builder->result);
    }
    *result = builder->result;
    return XP_OK;
}

void xp_study_result_destroy(xp_study_result *result) {
    if (result == NULL) {
        return;
    }
    for (arena_block *block = result->arena; block != NULL;) {
        arena_block *next = block->next;
        xp__free(block);
        block = next;
    }
    xp__free(result->rows);
    xp__free(result->series);
    xp__free(result->notes);
    xp__free(result->findings);
    xp__free(result->times);
    xp__free(result->values);
    xp__free(result->pictures);
    xp__free(result);
}

void xp__builder_row(xp__builder *builder, const xp_study_row *row) {
    if (builder->partial && isnan(row->mean)) {
        return;
    }
    xp_study_result *result = builder->result;
    result->rows = grown(builder, result->rows, result->row_count, sizeof *row);
    xp_study_row copy = *row;
    copy.agent = keep(builder, row->agent);
    copy.spec = keep(builder, row->spec);
    copy.group = keep(builder, row->group);
    copy.measure = keep(builder, row->measure);
    if (!builder->failed) {
        result->rows[result->row_count++] = copy;
    }
}

xp_series *xp__builder_series(xp__builder *builder, const xp_series *labels, bool with_se) {
    xp_study_result *result = builder->result;
    result->series = grown(builder, result->series, result->series_count, sizeof *labels);
    xp_series copy = *labels;
    copy.agent = keep(builder, labels->agent);
    copy.panel = keep(builder, labels->panel);
    copy.x_label = keep(builder, labels->x_label);
    copy.y_label = keep(builder, labels->y_label);
    copy.x = arena_alloc(builder, copy.n * sizeof(double));
    copy.y = arena_alloc(builder, copy.n * sizeof(double));
    copy.se = with_se ? arena_alloc(builder, copy.n * sizeof(double)) : NULL;
    copy.paper_x = copy.paper_y = copy.paper_se = NULL;
    if (copy.paper_n > 0) {
        copy.paper_x = arena_alloc(builder, copy.paper_n * sizeof(double));
        copy.paper_y = arena_alloc(builder, copy.paper_n * sizeof(double));
        copy.paper_se = arena_alloc(builder, copy.paper_n * sizeof(double));
        for (size_t i = 0; copy.paper_se != NULL && i < copy.paper_n; i++) {
            copy.paper_se[i] = NAN;
        }
    }
    if (builder->failed) {
        return NULL;
    }
    result->series[result->series_count] = copy;
    return &result->series[result->series_count++];
}

void xp__builder_value(xp__builder *builder, const xp_study_value *value) {
    if (!builder->wants_values || isnan(value->value)) {
        return;
    }
    xp_study_result *result = builder->result;
    result->values = grown(builder, result->values, result->value_count, sizeof *value);
    xp_study_value copy = *value;
    copy.key = keep(builder, value->key);
    copy.agent = keep(builder, value->agent);
    copy.group = keep(builder, value->group);
    copy.measure = keep(builder, value->measure);
    if (!builder->failed) {
        result->values[result->value_count++] = copy;
    }
}

void xp__builder_time(xp__builder *builder, const char *agent, double fit_seconds, double seconds) {
    xp_study_result *result = builder->result;
    size_t i = 0;
    while (i < result->time_count && strcmp(result->times[i].agent, agent) != 0) {
        i++;
    }
    if (i == result->time_count) {
        result->times = grown(builder, result->times, i, sizeof *result->times);
        const xp_study_time none = {.agent = keep(builder, agent)};
        if (builder->failed) {
            return;
        }
        result->times[result->time_count++] = none;
    }
    result->times[i].units++;
    result->times[i].fit_seconds += fit_seconds;
    result->times[i].seconds += seconds;
}

void xp__builder_picture(xp__builder *builder, const char *title, const char *svg) {
    xp_study_result *result = builder->result;
    result->pictures =
        grown(builder, result->pictures, result->picture_count, sizeof *result->pictures);
    const xp_study_picture copy = {.title = keep(builder, title), .svg = keep(builder, svg)};
    if (!builder->failed) {
        result->pictures[result->picture_count++] = copy;
    }
}

static char *sentence(xp__builder *builder, const char *format, va_list arguments) {
    char text[2048];
    (void)xp__vformat(text, sizeof text, format, arguments);
    return keep(builder, text);
}

void xp__builder_note(xp__builder *builder, const char *format, ...) {
    xp_study_result *result = builder->result;
    result->notes = grown(builder, result->notes, result->note_count, sizeof *result->notes);
    va_list arguments;
    va_start(arguments, format);
    char *text = sentence(builder, format, arguments);
    va_end(arguments);
    if (!builder->failed) {
        result->notes[result->note_count++] = text;
    }
}

void xp__builder_finding(xp__builder *builder, const char *format, ...) {
    if (builder->partial) {
        return;
    }
    xp_study_result *result = builder->result;
    result->findings =
        grown(builder, result->findings, result->finding_count, sizeof *result->findings);
    va_list arguments;
    va_start(arguments, format);
    char *text = sentence(builder, format, arguments);
    va_end(arguments);
    if (!builder->failed) {
        result->findings[result->finding_count++] = text;
    }
}
