/* page_table.c: the numbers of a study as HTML tables.
 *
 * Few groups: one table a measure, a block of lines a group. Many groups, as in the paper's Table
 * 1: a matrix of agents by groups with ours and the paper's in each cell, and all numbers folded
 * below it. A paired difference is shaded by the side of 0 on which its interval lies. */
#include "report/report_parts.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Groups that still read well as blocks of lines. */
enum { MANY_GROUPS = 6 };

static const char *side_class(const xp_study_row *row) {
    double low, high;
    if (!xp__row_interval(row, &low, &high)) {
        return "";
    }
    return low > 0 ? " class=\"above\"" : high < 0 ? " class=\"below\"" : " class=\"same\"";
}

static void cell(xp__text *text, const char *attributes) {
    xp__text_format(text, "<td%s>", attributes);
}

/* "+0.12 ± 0.15" and its interval, in two cells. */
static void difference_cells(xp__text *text, const xp_study_row *row) {
    cell(text, side_class(row));
    if (isfinite(row->difference)) {
        xp__text_difference(text, row->difference);
        if (isfinite(row->difference_se)) {
            xp__text_append(text, " ± ");
            xp__text_fixed(text, row->difference_se, 2, "−");
        }
    }
    xp__text_append(text, "</td>");
    cell(text, "");
    double low, high;
    if (xp__row_interval(row, &low, &high)) {
        xp__text_append(text, "[");
        xp__text_fixed(text, low, 2, "−");
        xp__text_append(text, ", ");
        xp__text_fixed(text, high, 2, "−");
        xp__text_append(text, "]");
    }
    xp__text_append(text, "</td>");
}

/* Which columns a measure's table has besides the agent and the mean. */
typedef struct columns {
    bool paper, difference, problems, runs;
} columns;

static columns columns_of(const xp_study_result *result, const char *measure) {
    columns shown = {.paper = false};
    for (size_t i = 0; i < result->row_count; i++) {
        const xp_study_row *row = &result->rows[i];
        if (strcmp(row->measure, measure) == 0) {
            shown.paper |= isfinite(row->paper_mean);
            shown.difference |= isfinite(row->difference);
            shown.problems |= row->problems > 0;
            shown.runs |= row->runs > 0;
        }
    }
    return shown;
}

static void heading_cell(xp__text *text, const char *scope, const char *label, const char *tip) {
    xp__text_format(text, "<th scope=\"%s\"", scope);
    if (tip != NULL && tip[0] != '\0') {
        xp__text_append(text, " title=\"");
        xp__text_html(text, tip);
        xp__text_append(text, "\"");
    }
    xp__text_append(text, ">");
    /* A narrow column may break a name after its underscores. */
    for (const char *p = label; *p != '\0'; p++) {
        xp__text_html(text, (const char[]){*p, '\0'});
        xp__text_append(text, *p == '_' ? "<wbr>" : "");
    }
    xp__text_append(text, "</th>");
}

static void caption(xp__text *text, const char *measure, const char *remark) {
    xp__text_append(text, "<caption>");
    xp__text_html(text, measure);
    xp__text_append(text, " <small>");
    xp__text_html(text, remark);
    xp__text_append(text, "</small></caption>\n");
}

static void row_line(xp__text *text, const xp_study_row *row, const char *label, columns shown) {
    xp__text_append(text, "<tr>");
    heading_cell(text, "row", label, row->spec);
    cell(text, "");
    xp__text_mean(text, row->mean, row->se);
    xp__text_append(text, "</td>");
    if (shown.paper) {
        cell(text, " class=\"paper\"");
        if (isfinite(row->paper_mean)) {
            xp__text_paper(text, row->paper_mean, row->paper_se);
        }
        xp__text_append(text, "</td>");
    }
    if (shown.difference) {
        difference_cells(text, row);
    }
    if (shown.problems) {
        cell(text, "");
        xp__text_format(text, "%zu</td>", row->problems);
    }
    if (shown.runs) {
        const double spreads[] = {row->sd_problems, row->sd_runs};
        for (size_t i = 0; i < 2; i++) {
            cell(text, "");
            xp__text_mean(text, row->runs > 0 ? spreads[i] : NAN, NAN);
            xp__text_append(text, "</td>");
        }
    }
    xp__text_append(text, "</tr>\n");
}

static void column_headings(xp__text *text, const char *first, const char *reference,
                            columns shown) {
    xp__text_append(text, "<thead><tr>");
    heading_cell(text, "col", first, NULL);
    heading_cell(text, "col", "Mean ± SE", NULL);
    if (shown.paper) {
        heading_cell(text, "col", "Paper", NULL);
    }
    if (shown.difference) {
        xp__text_append(text, "<th scope=\"col\">Difference<br>from ");
        xp__text_html(text, reference);
        xp__text_append(text, "</th>");
        heading_cell(text, "col", "95 % interval", NULL);
    }
    if (shown.problems) {
        heading_cell(text, "col", "Problems", NULL);
    }
    if (shown.runs) {
        heading_cell(text, "col", "SD between problems", NULL);
        heading_cell(text, "col", "SD between runs", NULL);
    }
    xp__text_append(text, "</tr></thead>\n");
}

/* `only` is the agent if there is a single one: then its groups are the lines. Otherwise NULL. */
static void long_table(xp__text *text, const xp_study_result *result, const char *measure,
                       const xp__labels *groups, const char *only) {
    const columns shown = columns_of(result, measure);
    xp__text_append(text, "<div class=\"wide\" tabindex=\"0\"><table>\n");
    /* A single group needs no heading in the table, but it is named. */
    caption(text, measure, groups->count == 1 ? groups->name[0] : "");
    column_headings(text, only != NULL ? only : "Agent", xp__reference(result), shown);
    for (size_t g = 0; g < groups->count; g++) {
        xp__text_append(text, "<tbody>\n");
        if (groups->count > 1 && only == NULL) {
            xp__text_format(text, "<tr class=\"group\"><th colspan=\"%d\" scope=\"rowgroup\">",
                            2 + shown.paper + 2 * shown.difference + shown.problems +
                                2 * shown.runs);
            xp__text_html(text, groups->name[g]);
            xp__text_append(text, "</th></tr>\n");
        }
        for (size_t i = 0; i < result->row_count; i++) {
            const xp_study_row *row = &result->rows[i];
            if (strcmp(row->measure, measure) == 0 && strcmp(row->group, groups->name[g]) == 0) {
                row_line(text, row, only != NULL ? row->group : row->agent, shown);
            }
        }
        xp__text_append(text, "</tbody>\n");
    }
    xp__text_append(text, "</table></div>\n");
}

static void matrix_cell(xp__text *text, const xp_study_row *row) {
    if (row == NULL) {
        cell(text, "");
        xp__text_append(text, "</td>");
        return;
    }
    cell(text, side_class(row));
    xp__text_append(text, "<b>");
    xp__text_mean(text, row->mean, NAN);
    xp__text_append(text, "</b>");
    if (isfinite(row->mean) && isfinite(row->se)) {
        xp__text_append(text, "<small> ± ");
        xp__text_fixed(text, row->se, 2, "−");
        xp__text_append(text, "</small>");
    }
    if (isfinite(row->paper_mean)) {
        xp__text_append(text, "<small class=\"paper\">[");
        xp__text_paper(text, row->paper_mean, row->paper_se);
        xp__text_append(text, "]</small>");
    }
    xp__text_append(text, "</td>");
}

static void matrix(xp__text *text, const xp_study_result *result, const char *measure,
                   const xp__labels *groups, const xp__labels *agents) {
    xp__text_append(text, "<div class=\"wide\" tabindex=\"0\"><table class=\"matrix\">\n");
    caption(text, measure,
            columns_of(result, measure).paper ? "mean ± SE, the paper’s in brackets" : "mean ± SE");
    xp__text_append(text, "<thead><tr><th scope=\"col\">Agent</th>");
    for (size_t g = 0; g < groups->count; g++) {
        heading_cell(text, "col", groups->name[g], NULL);
    }
    xp__text_append(text, "</tr></thead>\n<tbody>\n");
    for (size_t a = 0; a < agents->count; a++) {
        xp__text_append(text, "<tr>");
        heading_cell(text, "row", agents->name[a], NULL);
        for (size_t g = 0; g < groups->count; g++) {
            matrix_cell(text, xp__row_find(result, agents->name[a], groups->name[g], measure));
        }
        xp__text_append(text, "</tr>\n");
    }
    xp__text_append(text, "</tbody></table></div>\n<details><summary>All numbers with differences "
                          "and intervals</summary>\n");
    long_table(text, result, measure, groups, NULL);
    xp__text_append(text, "</details>\n");
}

static bool measure_table(xp__text *text, const xp_study_result *result, const char *measure) {
    xp__labels groups = {.name = NULL}, agents = {.name = NULL};
    const bool good =
        xp__labels_groups(&groups, result, measure) && xp__labels_agents(&agents, result, measure);
    if (good && groups.count >= MANY_GROUPS && agents.count > 1) {
        matrix(text, result, measure, &groups, &agents);
    } else if (good) {
        const bool single = agents.count == 1 && groups.count > 1;
        long_table(text, result, measure, &groups, single ? agents.name[0] : NULL);
    }
    xp__labels_deinit(&groups);
    xp__labels_deinit(&agents);
    return good;
}

/* Said before the first table that has it. */
static void shading(xp__text *text, const xp_study_result *result) {
    xp__text_append(text, "<p class=\"shades\">Shading: the 95 % interval of the paired "
                          "difference from ");
    xp__text_html(text, xp__reference(result));
    xp__text_append(text, " lies <span class=\"above\">above 0</span>, <span "
                          "class=\"below\">below 0</span>, or <span class=\"same\">contains "
                          "0</span>.</p>\n");
}

xp_status xp__page_tables(const xp_study_result *result, xp__text *text, xp_error *error) {
    xp__labels measures = {.name = NULL};
    bool good = xp__labels_measures(&measures, result), explained = false;
    for (size_t i = 0; good && i < measures.count; i++) {
        if (!explained && columns_of(result, measures.name[i]).difference) {
            shading(text, result);
            explained = true;
        }
        good = measure_table(text, result, measures.name[i]);
    }
    xp__labels_deinit(&measures);
    return good ? XP_OK : xp__no_memory(error);
}
