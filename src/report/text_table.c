/* text_table.c: the rows of a result for a terminal: a block for each measure and group, an agent a
 * line, columns aligned by code points across all blocks. */
#include "report/report_parts.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 4 };

/* Puts one cell into `cell`, which keeps its memory from call to call. */
static void fill_cell(xp__text *cell, const xp_study_row *row, size_t column) {
    cell->length = 0;
    xp__text_append(cell, "");
    if (column == 0) {
        xp__text_mean(cell, row->mean, row->se);
    } else if (column == 1 && isfinite(row->paper_mean)) {
        xp__text_append(cell, "[");
        xp__text_paper(cell, row->paper_mean, row->paper_se);
        xp__text_append(cell, "]");
    } else if (column == 2 && isfinite(row->difference)) {
        xp__text_difference(cell, row->difference);
        if (isfinite(row->difference_se)) {
            xp__text_append(cell, " ± ");
            xp__text_fixed(cell, row->difference_se, 2, "−");
        }
        xp__text_append(cell, xp__row_side(row) != 0 ? " *" : "  ");
    } else if (column == 3 && row->runs > 0) {
        xp__text_mean(cell, row->sd_problems, NAN);
        xp__text_append(cell, " / ");
        xp__text_mean(cell, row->sd_runs, NAN);
    }
}

static size_t width_of(const xp__text *cell) {
    return cell->data != NULL ? xp__text_width(cell->data) : 0;
}

static void rule(xp__text *text, const char *const cells[COLUMNS], const size_t widths[COLUMNS]) {
    for (size_t j = 0; j < COLUMNS; j++) {
        if (widths[j] > 0) {
            xp__text_fill(text, ' ', 2 + widths[j] - xp__text_width(cells[j]));
            xp__text_append(text, cells[j]);
        }
    }
}

/* A column in which no row has anything gets no width and is left out. */
static size_t measure_columns(const xp_study_result *result, const char *const headings[COLUMNS],
                              xp__text *cell, size_t widths[COLUMNS]) {
    size_t label = strlen("agent");
    for (size_t i = 0; i < result->row_count; i++) {
        const size_t width = xp__text_width(result->rows[i].agent);
        label = width > label ? width : label;
        for (size_t j = 0; j < COLUMNS; j++) {
            fill_cell(cell, &result->rows[i], j);
            widths[j] = width_of(cell) > widths[j] ? width_of(cell) : widths[j];
        }
    }
    for (size_t j = 0; j < COLUMNS; j++) {
        const size_t heading = xp__text_width(headings[j]);
        widths[j] = widths[j] > 0 && widths[j] < heading ? heading : widths[j];
    }
    return label;
}

static void line(xp__text *text, const xp_study_row *row, size_t label, xp__text *cell,
                 const size_t widths[COLUMNS]) {
    xp__text_append(text, "  ");
    xp__text_line(text, row->agent, SIZE_MAX, '\0');
    xp__text_fill(text, ' ', label - xp__text_width(row->agent));
    const size_t start = text->length;
    for (size_t j = 0; j < COLUMNS; j++) {
        fill_cell(cell, row, j);
        if (widths[j] > 0 && cell->data != NULL) {
            xp__text_fill(text, ' ', 2 + widths[j] - width_of(cell));
            xp__text_append(text, cell->data);
        }
    }
    while (text->length > start && text->data[text->length - 1] == ' ') {
        text->length--; /* no blanks at a line's end */
    }
    xp__text_append(text, "\n");
}

static void blocks(const xp_study_result *result, const xp__labels *measures,
                   const xp__labels *groups, const char *minus, xp__text *cell, xp__text *text) {
    const char *const headings[COLUMNS] = {"mean ± SE", "[paper]", minus, "SD problems / runs"};
    size_t widths[COLUMNS] = {0};
    const size_t label = measure_columns(result, headings, cell, widths);
    for (size_t m = 0; m < measures->count; m++) {
        for (size_t g = 0; g < groups->count; g++) {
            bool begun = false;
            for (size_t i = 0; i < result->row_count; i++) {
                const xp_study_row *row = &result->rows[i];
                if (strcmp(row->measure, measures->name[m]) != 0 ||
                    strcmp(row->group, groups->name[g]) != 0) {
                    continue;
                }
                if (!begun) {
                    xp__text_append(text, "\n");
                    xp__text_line(text, row->measure, SIZE_MAX, '\0');
                    xp__text_append(text, ", ");
                    xp__text_line(text, row->group, SIZE_MAX, '\0');
                    if (row->problems > 0) {
                        xp__text_format(text, " (%zu problem%s)", row->problems,
                                        row->problems == 1 ? "" : "s");
                    }
                    xp__text_append(text, "\n  agent");
                    xp__text_fill(text, ' ', label - strlen("agent"));
                    rule(text, headings, widths);
                    xp__text_append(text, "\n");
                    begun = true;
                }
                line(text, row, label, cell, widths);
            }
        }
    }
    if (widths[2] > 0) {
        xp__text_append(text, "\n* the 95 % interval of the paired difference excludes 0\n");
    }
}

xp_status xp__report_text(const xp_study_result *result, xp__text *text, xp_error *error) {
    xp__labels measures = {.name = NULL}, groups = {.name = NULL};
    xp__text cell = {.data = NULL}, minus = {.data = NULL};
    xp__text_append(&minus, "minus ");
    xp__text_line(&minus, xp__reference(result), SIZE_MAX, '\0');
    bool good = !minus.failed && xp__labels_measures(&measures, result) &&
                xp__labels_groups(&groups, result, NULL);
    if (good) {
        xp__text_line(text, result->title, SIZE_MAX, '\0');
        xp__text_append(text, "\n");
        if (result->units_done < result->units_total) {
            xp__text_format(text, "so far: %zu of %zu units; incomplete rows are left out\n",
                            result->units_done, result->units_total);
        }
        blocks(result, &measures, &groups, minus.data, &cell, text);
        good = !cell.failed && !text->failed;
    }
    xp__text_deinit(&cell);
    xp__text_deinit(&minus);
    xp__labels_deinit(&measures);
    xp__labels_deinit(&groups);
    return good ? XP_OK : xp__no_memory(error);
}
