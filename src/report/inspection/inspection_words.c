/* inspection_words.c: names, numbers, axes and tables of the page about a model. */
#include "report/inspection/inspection_parts.h"

#include <math.h>

enum { NAME_WIDTH = 60 };

void xp__page_percent(xp__text *text, double share) {
    if (!isfinite(share)) {
        xp__text_append(text, "–");
        return;
    }
    const double percent = 100 * share, size = fabs(percent);
    const bool tiny = size > 0 && size < 0.01;
    xp__text_append(text, tiny ? "&lt;\xc2\xa0" : "");
    xp__text_fixed(text, tiny ? 0.01 : percent,
                   tiny || (size > 0 && size < 0.1) ? 2
                   : size < 9.95 && size > 0        ? 1
                                                    : 0,
                   "−");
    xp__text_append(text, "\xc2\xa0%");
}

void xp__page_number(xp__text *text, double value) {
    if (!isfinite(value)) {
        xp__text_append(text, isnan(value) ? "–" : value > 0 ? "∞" : "−∞");
        return;
    }
    const double size = fabs(value);
    if (size >= 100 || size == floor(size)) {
        xp__text_fixed(text, value, 0, "−");
    } else {
        const double digits = size >= 0.001 ? 2 - floor(log10(size)) : 5;
        xp__text_fixed(text, value, (int)fmin(6, digits), "−");
    }
}

void xp__page_interval(xp__text *text, double value, double half) {
    if (!isfinite(value) || !(half > 0) || !isfinite(half)) {
        xp__page_number(text, value);
        xp__text_append(text, "</b>");
        return;
    }
    const int places = (int)fmin(6, fmax(0, (half < 1 ? 1 : 0) - floor(log10(half))));
    xp__text_fixed(text, value, places, "−");
    xp__text_append(text, "</b> <small>±\xc2\xa0");
    xp__text_fixed(text, half, places, "−");
    xp__text_append(text, "</small>");
}

void xp__page_count(xp__text *text, uint64_t value) {
    if (value >= 1000) {
        xp__page_count(text, value / 1000);
        xp__text_format(text, ",%03u", (unsigned)(value % 1000));
    } else {
        xp__text_format(text, "%u", (unsigned)value);
    }
}

/* Cut to a line of so many characters, then escaped. */
static void cut(const char *name, xp__text *text) {
    xp__text line = {.data = NULL};
    xp__text_line(&line, name, NAME_WIDTH, '\0');
    xp__text_append(text, "<bdi>");
    xp__text_html(text, line.data != NULL ? line.data : "");
    xp__text_append(text, "</bdi>");
    text->failed |= line.failed;
    xp__text_deinit(&line);
}

void xp__page_name(const xp__inspection_view *view, size_t arm, xp__text *text) {
    const char *name = xp_model_action_name(view->model, arm);
    if (name != NULL) {
        cut(name, text);
    } else {
        xp__text_format(text, "arm %zu", arm);
    }
}

void xp__page_name_whole(const xp__inspection_view *view, size_t arm, xp__text *text) {
    const char *name = xp_model_action_name(view->model, arm);
    if (name != NULL) {
        xp__text_html(text, name);
    } else {
        xp__text_format(text, "arm %zu", arm);
    }
}

void xp__page_segment(const char *name, xp__text *text) {
    cut(name, text);
}

const xp_inspect_horizon *xp__page_horizon(const xp_inspection *seen) {
    const xp_inspect_horizon *chosen = NULL;
    for (size_t i = 0; i < seen->horizon_count; i++) {
        if (chosen == NULL || seen->horizons[i].decisions <= 100) {
            chosen = &seen->horizons[i];
        }
    }
    return chosen;
}

void xp__page_heading(xp__text *text, int level, const char *words) {
    xp__text_format(text, "<h%d>%s</h%d>\n", level, words, level);
}

void xp__page_axis(xp__text *text, double high, size_t ticks, const char *title) {
    xp__text_append(text, "<div class=\"row axis\" aria-hidden=\"true\"><span "
                          "class=\"name\"></span><span class=\"ticks\">");
    for (size_t i = 0; i <= ticks; i++) {
        const double share = (double)i / (double)ticks;
        xp__text_format(text, "<i style=\"left:%.2f%%\">", 100 * share);
        xp__page_percent(text, share * high);
        xp__text_append(text, "</i>");
    }
    xp__text_format(
        text, "</span><span class=\"value\"></span><span class=\"what\">%s</span></div>\n", title);
}

static void cell(xp__text *text, double value, bool percent) {
    xp__text_append(text, "<td>");
    if (percent) {
        xp__page_percent(text, value);
    } else {
        xp__page_number(text, value);
    }
    xp__text_append(text, "</td>");
}

void xp__page_numbers(const xp__inspection_view *view, xp__text *text) {
    const xp_inspection *seen = view->seen;
    xp__text_append(text, "<details><summary>The numbers behind the pictures</summary>\n<div "
                          "class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\" "
                          "class=\"words\">Arm</th><th scope=\"col\">Choices</th><th "
                          "scope=\"col\">Share</th><th scope=\"col\">Best with</th><th "
                          "scope=\"col\">Mean</th><th scope=\"col\">SD</th>");
    const char *const levels[XP_INSPECT_QUANTILES] = {"5", "25", "50", "75", "95"};
    for (size_t q = 0; q < XP_INSPECT_QUANTILES; q++) {
        xp__text_format(text, "<th scope=\"col\">%s&nbsp;%%</th>", levels[q]);
    }
    xp__text_append(text, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < seen->arms; i++) {
        const size_t arm = view->order[i];
        xp__text_append(text, "<tr><th scope=\"row\" class=\"words\">");
        xp__page_name(view, arm, text);
        xp__text_append(text, "</th><td>");
        xp__page_count(text, seen->counts[arm]);
        xp__text_append(text, "</td>");
        cell(text, seen->share[arm], true);
        cell(text, seen->probability[arm], true);
        cell(text, seen->mean[arm], false);
        cell(text, seen->sd[arm], false);
        for (size_t q = 0; q < XP_INSPECT_QUANTILES; q++) {
            cell(text, seen->quantiles[arm * XP_INSPECT_QUANTILES + q], false);
        }
        xp__text_append(text, "</tr>\n");
    }
    xp__text_append(text,
                    "</tbody></table></div>\n<p class=\"note\">Percentages in the heading are "
                    "quantiles of the arm’s mean reward.</p></details>\n");
}
