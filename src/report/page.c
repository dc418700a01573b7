/* page.c: the page of a directory's studies: one HTML file with its style and pictures inside, no
 * scripts, nothing to fetch, and a policy that has the browser see to it. Everything that comes
 * from a result is escaped; pictures are images, never part of the document. */
#include "report/report_parts.h"

#include "base/memory.h"
#include "study/study_type.h"

#include <math.h>
#include <string.h>

static const char about[] =
    "<p>ExPerior infers, from what experts did, a prior over what they knew, and acts on it by "
    "posterior sampling. This page shows how well that works";
static const char beside[] =
    ", beside the results of <cite>Sequential Decision Making with Expert Demonstrations under "
    "Unobserved Heterogeneity</cite> (Balazadeh et al., NeurIPS 2024)";

/* Whether there is a figure or table of the paper: a page of sweeps alone has none. */
static bool has_paper(const xp__page *page) {
    bool found = false;
    for (size_t i = 0; i < page->count; i++) {
        const xp__study_type *type = xp__study_find(page->studies[i].result.study);
        found = found || (type != NULL && type->in_paper);
    }
    return found;
}

static void head(xp__text *text, const xp__page *page) {
    xp__text_append(text,
                    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "img-src data:; style-src 'unsafe-inline'\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n"
                    "<title>ExPerior: studies</title>\n<style>\n");
    xp__text_append(text, xp__page_style);
    xp__text_append(text, "</style>\n</head>\n<body>\n<header>\n<h1>ExPerior: studies</h1>\n");
    xp__text_append(text, about);
    xp__text_append(text, has_paper(page) ? beside : "");
    xp__text_append(text, ".</p>\n");
}

static void contents(xp__text *text, const xp__page *page) {
    if (page->count > 1) {
        xp__text_append(text, "<nav><ul>\n");
        for (size_t i = 0; i < page->count; i++) {
            xp__text_append(text, "<li><a href=\"#");
            xp__text_html(text, page->studies[i].result.study);
            xp__text_append(text, "\">");
            xp__text_html(text, page->studies[i].result.title);
            xp__text_append(text, "</a></li>\n");
        }
        xp__text_append(text, "</ul></nav>\n");
    }
    xp__text_append(text, "</header>\n<main>\n");
}

static void sentences(xp__text *text, const char *kind, char *const *lines, size_t count) {
    if (count == 0) {
        return;
    }
    xp__text_format(text, "<ul class=\"%s\">\n", kind);
    for (size_t i = 0; i < count; i++) {
        xp__text_append(text, "<li>");
        xp__text_html(text, lines[i]);
        xp__text_append(text, "</li>\n");
    }
    xp__text_append(text, "</ul>\n");
}

/* The question of the study and its first finding, which answers it. */
static void lead(xp__text *text, const xp_study_result *result, const xp__study_type *type) {
    const char *question = type != NULL ? type->question : NULL;
    if (question == NULL && result->finding_count == 0) {
        return;
    }
    xp__text_append(text, "<p class=\"lead\">");
    if (question != NULL) {
        xp__text_append(text, "<b>");
        xp__text_html(text, question);
        xp__text_append(text, "</b> ");
    }
    if (result->finding_count > 0) {
        xp__text_html(text, result->findings[0]);
    }
    xp__text_append(text, "</p>\n");
}

/* What the axes are: the pairs of labels in the order of the panels, each once. */
static void axes(xp__text *text, const xp_study_result *result) {
    if (result->series_count == 0) {
        xp__text_append(text, result->row_count > 0
                                  ? "Each panel is a group and each line an agent; the measure is "
                                    "named below the axis. "
                                  : "");
        return;
    }
    bool begun = false;
    for (size_t i = 0; i < result->series_count; i++) {
        const xp_series *series = &result->series[i];
        bool told = false;
        for (size_t j = 0; j < i; j++) {
            told |= strcmp(result->series[j].x_label, series->x_label) == 0 &&
                    strcmp(result->series[j].y_label, series->y_label) == 0;
        }
        if (!told) {
            xp__text_append(text, begun ? "; " : "Curves and points show ");
            xp__text_html(text, series->y_label);
            xp__text_append(text, " (upwards) against ");
            xp__text_html(text, series->x_label);
            begun = true;
        }
    }
    xp__text_append(text, ". ");
}

/* What the marks of the picture mean; it depends on the kinds of panels (plot_layout.c). */
static void picture_caption(xp__text *text, const xp_study_result *result) {
    bool paper = false, bands = false, scatter = false;
    for (size_t i = 0; i < result->series_count; i++) {
        paper |= result->series[i].paper_n > 0;
        bands |= result->series[i].se != NULL && !result->series[i].scatter;
        scatter |= result->series[i].scatter;
    }
    for (size_t i = 0; i < result->row_count; i++) {
        paper |= isfinite(result->rows[i].paper_mean);
    }
    xp__text_append(text, "<figcaption>");
    axes(text, result);
    xp__text_append(text, paper
                              ? "Filled marks and solid lines are this run; open marks and dashed "
                                "lines are the paper’s. "
                              : "");
    xp__text_append(text, bands ? "Bands and whiskers: ± one standard error. "
                          : result->row_count > 0 && result->series_count == 0
                              ? "Whiskers: ± one standard error. "
                              : "");
    xp__text_append(text, scatter ? "Lines through points are least-squares fits. " : "");
    xp__text_append(text, "</figcaption>");
}

static void picture(xp__text *text, const xp_study_result *result, const char *svg,
                    const char *absent) {
    if (svg != NULL) {
        const size_t before = text->length;
        xp__text_append(text, "<figure>\n<div class=\"plot\" tabindex=\"0\">\n");
        if (xp__svg_embed_plot(svg, result->title, text)) {
            xp__text_append(text, "</div>\n");
            picture_caption(text, result);
            xp__text_append(text, "\n</figure>\n");
            return;
        }
        text->length = before;
        absent = "The SVG file beside this page is not one that ExPerior wrote; it is not shown.";
    }
    if (absent != NULL) {
        xp__text_append(text, "<p class=\"absent\">");
        xp__text_html(text, absent);
        xp__text_append(text, "</p>\n");
    }
}

/* The pictures that the study drew, one beside the other like a film. */
static void pictures(xp__text *text, const xp_study_result *result) {
    if (result->picture_count == 0) {
        return;
    }
    xp__text_append(text, "<div class=\"film\" tabindex=\"0\">\n");
    for (size_t i = 0; i < result->picture_count; i++) {
        const xp_study_picture *one = &result->pictures[i];
        xp__text_append(text, "<figure>\n");
        if (one->svg != NULL) {
            xp__svg_embed(one->svg, one->title, text);
        } else {
            xp__text_append(text, "<p class=\"absent\">The file of this picture is missing, or not "
                                  "one that ExPerior wrote.</p>\n");
        }
        xp__text_append(text, "<figcaption>");
        xp__text_html(text, one->title);
        xp__text_append(text, "</figcaption>\n</figure>\n");
    }
    xp__text_append(text, "</div>\n");
}

/* 1234567 as "1,234,567". */
static void grouped(xp__text *text, uint64_t value) {
    if (value >= 1000) {
        grouped(text, value / 1000);
        xp__text_format(text, ",%03u", (unsigned)(value % 1000));
    } else {
        xp__text_format(text, "%u", (unsigned)value);
    }
}

static void duration(xp__text *text, double seconds) {
    if (seconds < 120) {
        xp__text_fixed(text, seconds, seconds < 10 ? 1 : 0, "−");
        xp__text_append(text, " s");
    } else {
        xp__text_fixed(text, seconds / (seconds < 7200 ? 60 : 3600), 1, "−");
        xp__text_append(text, seconds < 7200 ? " min" : " h");
    }
}

static bool is_sweep(const xp_study_result *result) {
    return strcmp(result->scale, "sweep") == 0;
}

/* The command that makes this part of the page. */
static void command(xp__text *text, const xp_study_result *result) {
    if (is_sweep(result)) { /* its seeds are in its file */
        xp__text_append(text, "experior sweep DIR/");
        xp__text_html(text, result->study);
        xp__text_append(text, ".sweep -o DIR");
        return;
    }
    xp__text_append(text, "experior study ");
    xp__text_html(text, result->study);
    xp__text_append(text, " --scale ");
    xp__text_html(text, result->scale);
    xp__text_format(text, " --seed %llu -o DIR", (unsigned long long)result->seed);
}

static void provenance(xp__text *text, const xp__report_study *study) {
    const xp_study_result *result = &study->result;
    xp__text_append(text, "<p class=\"provenance\"><code>");
    command(text, result);
    xp__text_append(text, "</code> · version ");
    xp__text_html(text, study->version);
    if (result->agent_steps > 0) {
        xp__text_append(text, " · ");
        grouped(text, result->agent_steps);
        xp__text_append(text, " agent-steps");
    }
    if (isfinite(result->seconds)) {
        xp__text_append(text, " · ");
        duration(text, result->seconds);
    }
    xp__text_append(text, " · <a href=\"");
    xp__text_html(text, result->study);
    xp__text_append(text, ".json\">JSON</a> · <a href=\"");
    xp__text_html(text, result->study);
    xp__text_append(text, ".csv\">CSV</a></p>\n");
}

/* Labels with the specs that make these agents on the command line. */
static bool specs(xp__text *text, const xp_study_result *result) {
    xp__labels agents = {.name = NULL};
    bool begun = false, good = true;
    for (size_t i = 0; good && i < result->row_count; i++) {
        const xp_study_row *row = &result->rows[i];
        if (row->spec[0] == '\0' || xp__labels_find(&agents, row->agent) < agents.count) {
            continue;
        }
        good = xp__labels_add(&agents, row->agent);
        xp__text_append(text, begun ? ""
                                    : "<details><summary>Agents, as the command line names "
                                      "them</summary>\n<dl>\n");
        begun = true;
        xp__text_append(text, "<dt>");
        xp__text_html(text, row->agent);
        xp__text_append(text, "</dt><dd><code>");
        xp__text_html(text, row->spec);
        xp__text_append(text, "</code></dd>\n");
    }
    xp__text_append(text, begun ? "</dl></details>\n" : "");
    xp__labels_deinit(&agents);
    return good;
}

static xp_status section(xp__text *text, const xp__report_study *study, const char *svg,
                         const char *absent, xp_error *error) {
    const xp_study_result *result = &study->result;
    xp__text_append(text, "<section id=\"");
    xp__text_html(text, result->study);
    xp__text_append(text, "\">\n<h2>");
    xp__text_html(text, result->title);
    if (!is_sweep(result)) {
        xp__text_append(text, " <span class=\"scale\">");
        xp__text_html(text, result->scale);
        xp__text_append(text, " scale</span>");
    }
    xp__text_append(text, "</h2>\n");
    if (result->units_done < result->units_total) {
        xp__text_format(text,
                        "<p class=\"absent\">Unfinished: %zu of %zu units are done; the same "
                        "command computes the rest.</p>\n",
                        result->units_done, result->units_total);
    }
    const xp__study_type *type = xp__study_find(result->study);
    lead(text, result, type);
    picture(text, result, svg, absent);
    if (type != NULL && type->reading != NULL) {
        xp__text_append(text, "<p class=\"reading\">");
        xp__text_html(text, type->reading);
        xp__text_append(text, "</p>\n");
    }
    if (result->finding_count > 1) {
        sentences(text, "findings", result->findings + 1, result->finding_count - 1);
    }
    pictures(text, result);
    const xp_status status = xp__page_tables(result, text, error);
    if (status != XP_OK) {
        return status;
    }
    sentences(text, "notes", result->notes, result->note_count);
    if (!specs(text, result)) {
        return xp__no_memory(error);
    }
    provenance(text, study);
    xp__text_append(text, "</section>\n");
    return XP_OK;
}

xp_status xp__page_write(const xp__page *page, xp__text *text, xp_error *error) {
    head(text, page);
    contents(text, page);
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < page->count; i++) {
        status = section(text, &page->studies[i], page->pictures[i], page->absent[i], error);
    }
    xp__text_append(text, "</main>\n<footer>\n");
    for (size_t i = 0; i < page->skipped_count; i++) {
        xp__text_append(text, "<p>Not shown: ");
        xp__text_html(text, page->skipped[i]);
        xp__text_append(text, "</p>\n");
    }
    xp__text_format(text,
                    "<p>Written by ExPerior %s. “±” and “SE” mean the standard error of the "
                    "mean over problems unless a note says otherwise.</p>\n",
                    xp_version());
    xp__text_append(text, "</footer>\n</body>\n</html>\n");
    return status != XP_OK ? status : text->failed ? xp__no_memory(error) : XP_OK;
}
