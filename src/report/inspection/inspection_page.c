/* inspection_page.c: the page about a model: is this expert data worth anything? One HTML file with
 * its style and pictures inside, no scripts, nothing to fetch, and a policy that has the browser
 * see to it. The answer comes first, then warnings, then pictures. */
#include "report/inspection/inspection_parts.h"

#include "base/check.h"
#include "base/file.h"
#include "base/memory.h"
#include "experior/segments.h"
#include "report/report_parts.h"

#include <math.h>

enum { SEGMENTS_DRAWN = 8 };

static void head(xp__text *text) {
    xp__text_append(text,
                    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n"
                    "<title>ExPerior: what expert data is worth</title>\n<style>\n");
    xp__text_append(text, xp__page_style);
    xp__text_append(text, xp__inspection_style);
    xp__text_append(text, "</style>\n</head>\n<body>\n");
}

static void tile(xp__text *text, const char *label) {
    xp__text_format(text, "</b><span>%s</span></li>\n", label);
}

static void tiles(const xp_inspection *seen, xp__text *text) {
    const xp_inspect_horizon *at = xp__page_horizon(seen);
    xp__text_append(text, "<ul class=\"tiles\">\n");
    if (at != NULL && seen->demonstrations > 0) {
        xp__text_append(text, "<li><b>");
        xp__page_percent(text, fabs(at->share));
        xp__text_format(text, "</b><span>%s regret over the first %zu decisions</span></li>\n",
                        at->share >= 0 ? "less" : "more", at->decisions);
        xp__text_append(text, seen->head_start >= 1 ? "<li><b>about " : "<li><b>");
        xp__page_number(text, floor(seen->head_start + 0.5));
        tile(text, "decisions of learning saved");
    }
    xp__text_append(text, "<li><b>");
    xp__text_fixed(text, seen->effective_arms, 1, "−");
    xp__text_format(text, " of %zu", seen->arms);
    tile(text, "arms still in the running, in effect");
    if (seen->demonstrations > 0) {
        xp__text_append(text, "<li><b>");
        xp__page_count(text, seen->demonstrations);
        tile(text, "choices of experts");
    }
    xp__text_append(text, "</ul>\n");
}

static void warnings(const xp_inspection *seen, xp__text *text) {
    if (seen->warning_count == 0) {
        return;
    }
    xp__text_append(text, "<ul class=\"warnings\" aria-label=\"warnings\">\n");
    for (size_t i = 0; i < seen->warning_count; i++) {
        xp__text_format(text, "<li id=\"%s\"><b>Note:</b> ", seen->warnings[i].code);
        xp__text_html(text, seen->warnings[i].sentence);
        xp__text_append(text, "</li>\n");
    }
    xp__text_append(text, "</ul>\n");
}

static void sections(const xp__inspection_view *view, int level, xp__text *text) {
    static void (*const parts[])(const xp__inspection_view *, int, xp__text *) = {
        xp__page_chosen, xp__page_believed, xp__page_saved, xp__page_sure};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const size_t before = text->length;
        xp__text_append(text, level == 2 ? "<section>\n" : "<div>\n");
        const size_t opened = text->length;
        parts[i](view, level, text);
        if (text->length == opened) { /* it has nothing to say */
            text->length = before;
        } else {
            xp__text_append(text, level == 2 ? "</section>\n" : "</div>\n");
        }
    }
    xp__page_numbers(view, text);
}

static void segment_line(const xp__inspection_view *view, size_t index, bool drawn,
                         xp__text *text) {
    const xp_inspection *seen = view->seen;
    const xp_inspect_horizon *at = xp__page_horizon(seen);
    xp__text_append(text, "<tr><th scope=\"row\" class=\"words\">");
    if (drawn) {
        xp__text_format(text, "<a href=\"#segment-%zu\">", index);
    }
    xp__page_segment(view->segment, text);
    xp__text_append(text, drawn ? "</a></th><td>" : "</th><td>");
    xp__page_count(text, seen->demonstrations);
    xp__text_append(text, "</td><td class=\"words\">");
    xp__page_name(view, view->order[0], text);
    xp__text_append(text, "</td><td>");
    xp__page_percent(text, seen->probability[view->order[0]]);
    xp__text_append(text, "</td><td>");
    xp__text_fixed(text, seen->effective_arms, 1, "−");
    xp__text_append(text, "</td><td>");
    xp__page_percent(text, at != NULL ? at->share : NAN);
    xp__text_append(text, "</td><td>");
    xp__page_percent(text, exp(seen->held_out));
    xp__text_format(text, "</td><td>%zu</td></tr>\n", seen->warning_count);
}

/* Segments are drawn from the largest on; the table has all, in their own order. */
static size_t rank(const xp__inspection_view *views, size_t count, size_t index) {
    size_t larger = 0;
    for (size_t i = 1; i < count; i++) {
        larger += views[i].seen->demonstrations > views[index].seen->demonstrations ||
                  (views[i].seen->demonstrations == views[index].seen->demonstrations && i < index);
    }
    return larger;
}

/* What segments have in common, by how well held-out choices are predicted. */
static void pooling(const xp_model *model, xp__text *text) {
    const xp_pooling own = xp_model_pooling(model);
    xp__text_append(text,
                    "<p>Each segment has a prior of its own, which borrows from the others as "
                    "much as the data suggests.");
    if (own.segments > 0) {
        xp__text_append(text, " A choice that was held out gets a probability of ");
        xp__page_percent(text, exp(own.estimated));
        xp__text_append(text, "; with each segment alone it would be ");
        xp__page_percent(text, exp(own.none));
        xp__text_append(text, ", with one prior for all ");
        xp__page_percent(text, exp(own.full));
        xp__text_append(text, " (geometric means).");
    }
    xp__text_append(text, "</p>\n");
}

static void segments(const xp__inspection_view *views, size_t count, xp__text *text) {
    const xp_inspect_horizon *at = xp__page_horizon(views[0].seen);
    xp__text_append(text, "<section id=\"segments\">\n");
    xp__page_heading(text, 2, "Segment by segment");
    pooling(views[0].model, text);
    xp__text_append(text,
                    "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\" "
                    "class=\"words\">Segment</th><th scope=\"col\">Choices</th><th "
                    "scope=\"col\" class=\"words\">Likeliest best arm</th><th "
                    "scope=\"col\">Chance</th><th scope=\"col\">Arms in<br>effect</th><th "
                    "scope=\"col\">Saved");
    if (at != NULL) {
        xp__text_format(text, "<br>in %zu", at->decisions);
    }
    xp__text_append(text, "</th><th scope=\"col\">Held-out<br>choice</th><th scope=\"col\">"
                          "Warnings</th></tr></thead>\n<tbody>\n");
    for (size_t i = 1; i < count; i++) {
        segment_line(&views[i], i, rank(views, count, i) < SEGMENTS_DRAWN, text);
    }
    xp__text_append(text, "</tbody></table></div>\n</section>\n");
    for (size_t place = 0; place < SEGMENTS_DRAWN && place + 1 < count; place++) {
        for (size_t i = 1; i < count; i++) {
            if (rank(views, count, i) == place) {
                xp__text_format(text, "<section id=\"segment-%zu\" class=\"segment\">\n<h2>", i);
                xp__page_segment(views[i].segment, text);
                xp__text_append(text, "</h2>\n<p class=\"lead\">");
                xp__text_html(text, views[i].seen->answer);
                xp__text_append(text, "</p>\n");
                warnings(views[i].seen, text);
                sections(&views[i], 3, text);
                xp__text_append(text, "</section>\n");
            }
        }
    }
    if (count > SEGMENTS_DRAWN + 1) {
        xp__text_format(text,
                        "<p class=\"note\">The %d largest of %zu segments are shown; the table has "
                        "them all.</p>\n",
                        (int)SEGMENTS_DRAWN, count - 1);
    }
}

static void footer(const xp__inspection_view *view, xp__text *text) {
    const xp_model_info info = xp_model_describe(view->model);
    xp__text_append(text, "<footer>\n<p>Prior <code>");
    xp__text_html(text, info.method);
    xp__text_append(text, "</code> with <code>");
    xp__text_html(text, info.params != NULL ? info.params : "");
    xp__text_append(text, "</code>, fitted by version ");
    xp__text_html(text, info.version);
    xp__text_format(text, " with seed %llu. ", (unsigned long long)info.seed);
    xp__page_count(text, view->seen->tasks);
    xp__text_append(text, " tasks of ");
    xp__page_count(text, view->seen->episodes);
    xp__text_append(text, " decisions; sampler ");
    xp__text_html(text, view->seen->sampler);
    xp__text_format(text, ".</p>\n<p>Written by ExPerior %s.</p>\n</footer>\n", xp_version());
}

static void write_page(const xp__inspection_view *views, size_t count, xp__text *text) {
    const xp_inspection *seen = views[0].seen;
    head(text);
    xp__text_append(text, "<header>\n<p class=\"kicker\">ExPerior · an inspection of expert "
                          "data</p>\n<h1>Is this expert data worth anything?</h1>\n"
                          "<p class=\"lead\">");
    xp__text_html(text, seen->answer);
    xp__text_append(text, "</p>\n");
    tiles(seen, text);
    warnings(seen, text);
    xp__text_append(text, "</header>\n<main>\n");
    if (count > 1) {
        segments(views, count, text);
        xp__text_append(text, "<section id=\"all\">\n<h2>All segments together</h2>\n");
        sections(&views[0], 3, text);
        xp__text_append(text, "</section>\n");
    } else {
        sections(&views[0], 2, text);
    }
    xp__text_append(text, "</main>\n");
    footer(&views[0], text);
    xp__text_append(text, "</body>\n</html>\n");
}

/* Larger probability first, lower number first among equals. */
static void sort(xp__inspection_view *view) {
    const double *p = view->seen->probability;
    const size_t arms = view->seen->arms;
    for (size_t i = 0; i < arms; i++) {
        size_t at = i;
        while (at > 0 && p[view->order[at - 1]] < p[i]) {
            view->order[at] = view->order[at - 1];
            at--;
        }
        view->order[at] = i;
    }
    view->shown = arms <= XP__ARMS_SHOWN ? arms : XP__ARMS_SHOWN;
}

static xp_status check(const xp_model *model, const xp_inspection *const *inspections,
                       const char *const *names, size_t count, xp_error *error) {
    if (count < 1 || (count > 1 && names == NULL)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "a page needs at least 1 inspection, and names if there are more; "
                            "count = %zu",
                            count);
    }
    for (size_t i = 0; i < count; i++) {
        XP__NOT_NULL(inspections[i], error);
        if (i > 0) {
            XP__NOT_NULL(names[i], error);
        }
        if (inspections[i]->arms != xp_model_describe(model).space.actions) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "inspections[%zu] has %zu arms and the model %zu", i,
                                inspections[i]->arms, xp_model_describe(model).space.actions);
        }
    }
    return XP_OK;
}

xp_status xp_report_inspections(const xp_model *model, const xp_inspection *const *inspections,
                                const char *const *names, size_t count, const char *path,
                                xp_error *error) {
    XP__NOT_NULL(model, error);
    XP__NOT_NULL(inspections, error);
    XP__NOT_NULL(path, error);
    xp_status status = check(model, inspections, names, count, error);
    if (status != XP_OK) {
        return status;
    }
    const size_t arms = inspections[0]->arms;
    xp__inspection_view *views = xp__alloc(count, sizeof *views);
    size_t *orders = xp__alloc(count, arms * sizeof *orders);
    xp__text text = {.data = NULL};
    char *page = NULL;
    size_t length = 0;
    if (views == NULL || orders == NULL) {
        status = xp__no_memory(error);
    }
    for (size_t i = 0; status == XP_OK && i < count; i++) {
        views[i] = (xp__inspection_view){.model = model,
                                         .seen = inspections[i],
                                         .segment = count > 1 ? names[i] : NULL,
                                         .order = orders + i * arms};
        sort(&views[i]);
    }
    if (status == XP_OK) {
        write_page(views, count, &text);
        status = xp__text_take(&text, &page, &length, error);
    }
    if (status == XP_OK) {
        status = xp__file_write(path, page, length, error);
    }
    xp__free(page);
    xp__free(orders);
    xp__free(views);
    return status;
}
