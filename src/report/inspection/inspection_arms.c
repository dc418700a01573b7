/* inspection_arms.c: what the experts chose, and what the prior believes of each arm. */
#include "report/inspection/inspection_parts.h"

#include <math.h>

/* What the arms that are not shown have in common. */
static void others(const xp__inspection_view *view, xp__text *text) {
    const xp_inspection *seen = view->seen;
    double share = 0, probability = 0;
    for (size_t i = view->shown; i < seen->arms; i++) {
        share += seen->share[view->order[i]];
        probability += seen->probability[view->order[i]];
    }
    if (view->shown == seen->arms) {
        return;
    }
    xp__text_append(text, "<p class=\"note\">");
    xp__page_count(text, seen->arms - view->shown);
    xp__text_append(text, " more arms are not shown. Together ");
    if (isfinite(share)) {
        xp__text_append(text, "they have ");
        xp__page_percent(text, share);
        xp__text_append(text, " of the choices and ");
    } else {
        xp__text_append(text, "they have ");
    }
    xp__page_percent(text, probability);
    xp__text_append(text, " of the chance of being best.</p>\n");
}

/* The end of an axis of shares: a round number at or above all of them. */
static double round_up(double top) {
    static const double ends[] = {0.05, 0.1, 0.2, 0.4, 0.6, 0.8};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (top <= ends[i]) {
            return ends[i];
        }
    }
    return 1;
}

static void name_cell(const xp__inspection_view *view, size_t arm, xp__text *text) {
    xp__text_append(text, "<span class=\"name\" title=\"");
    xp__page_name_whole(view, arm, text);
    xp__text_append(text, "\">");
    xp__page_name(view, arm, text);
    xp__text_append(text, "</span>");
}

/* ` style="left:12.3%"` and so on, of a place in [0, high]. */
static void place(xp__text *text, const char *class, double from, double to, double high) {
    const double left = fmin(1, fmax(0, from / high)), right = fmin(1, fmax(0, to / high));
    xp__text_format(text, "<span class=\"%s\" style=\"left:%.2f%%;width:%.2f%%\"></span>", class,
                    100 * left, 100 * (right - left));
}

void xp__page_chosen(const xp__inspection_view *view, int level, xp__text *text) {
    const xp_inspection *seen = view->seen;
    if (seen->demonstrations == 0) {
        return;
    }
    const double guess = 1 / (double)seen->arms;
    double top = guess;
    for (size_t i = 0; i < view->shown; i++) {
        top = fmax(top, seen->share[view->order[i]]);
    }
    const double high = round_up(top);
    xp__page_heading(text, level, "What the experts chose");
    xp__text_append(text, "<p>Each bar is the share of the ");
    xp__page_count(text, seen->demonstrations);
    xp__text_append(text,
                    " choices that went to an arm. The dashed line is where all bars would "
                    "end if the experts had guessed.</p>\n<div class=\"rows\" role=\"list\">\n");
    for (size_t i = 0; i < view->shown; i++) {
        const size_t arm = view->order[i];
        xp__text_append(text, "<div class=\"row\" role=\"listitem\">");
        name_cell(view, arm, text);
        xp__text_append(text, "<span class=\"cell\" aria-hidden=\"true\">");
        place(text, "bar", 0, seen->share[arm], high);
        place(text, "guess", guess, guess, high);
        xp__text_append(text, "</span><span class=\"value\"><b>");
        xp__page_percent(text, seen->share[arm]);
        xp__text_append(text, "</b> <small>");
        xp__page_count(text, seen->counts[arm]);
        xp__text_append(text, "</small></span></div>\n");
    }
    xp__page_axis(text, high, 4, "share of the experts’ choices");
    xp__text_append(text, "</div>\n");
    others(view, text);
}

/* The density as an area that stretches to its box. */
static void ridge(const xp__inspection_view *view, size_t arm, double top, xp__text *text) {
    const xp_inspection *seen = view->seen;
    const size_t points = seen->curve_points;
    const double *curve = seen->curve + arm * points;
    xp__text_format(text,
                    "<svg class=\"ridge\" viewBox=\"0 0 %zu 40\" preserveAspectRatio=\"none\" "
                    "aria-hidden=\"true\"><path d=\"M0 40",
                    points);
    for (size_t i = 0; i < points; i++) {
        const double height = 38 * fmin(1, curve[i] / top);
        if (i == 0) {
            xp__text_format(text, "V%.2f", 40 - height);
        }
        xp__text_format(text, "L%.1f %.2f", (double)i + 0.5, 40 - height);
    }
    xp__text_format(text, "H%zuV40Z\"/></svg>", points);
}

static void belief_row(const xp__inspection_view *view, size_t arm, double top, xp__text *text) {
    const xp_inspection *seen = view->seen;
    const double *q = seen->quantiles + arm * XP_INSPECT_QUANTILES, high = seen->curve_high;
    xp__text_append(text, "<div class=\"row\" role=\"listitem\">");
    name_cell(view, arm, text);
    xp__text_append(text, "<span class=\"cell tall\" role=\"img\" aria-label=\"mean reward ");
    xp__page_percent(text, seen->mean[arm]);
    xp__text_append(text, ", with 90 % probability between ");
    xp__page_percent(text, q[0]);
    xp__text_append(text, " and ");
    xp__page_percent(text, q[4]);
    xp__text_append(text, "\">");
    ridge(view, arm, top, text);
    place(text, "band", q[0], q[4], high);
    place(text, "core", q[1], q[3], high);
    place(text, "dot", seen->mean[arm], seen->mean[arm], high);
    xp__text_append(text, "</span><span class=\"value\"><b>");
    xp__page_percent(text, seen->probability[arm]);
    xp__text_append(text, "</b> <small>mean ");
    xp__page_percent(text, seen->mean[arm]);
    xp__text_append(text, "</small></span></div>\n");
}

void xp__page_believed(const xp__inspection_view *view, int level, xp__text *text) {
    const xp_inspection *seen = view->seen;
    double top = 0;
    for (size_t i = 0; i < view->shown; i++) {
        for (size_t j = 0; j < seen->curve_points; j++) {
            top = fmax(top, seen->curve[view->order[i] * seen->curve_points + j]);
        }
    }
    xp__page_heading(text, level, "What the prior believes");
    xp__text_append(
        text,
        "<p>Before any reward is seen: how often each arm may pay off. The higher the hill, "
        "the likelier the rate below it. The thick line holds half of the probability, the "
        "thin one 90&nbsp;%, the dot is the mean. On the right: the chance that the arm is the "
        "best one. ");
    xp__text_html(text, seen->scale_stated ? "" : seen->scale);
    xp__text_append(text, "</p>\n<div class=\"rows\" role=\"list\">\n");
    for (size_t i = 0; i < view->shown; i++) {
        belief_row(view, view->order[i], top, text);
    }
    xp__page_axis(text, seen->curve_high, 5, "mean reward: how often the arm pays off");
    xp__text_append(text, "</div>\n");
    others(view, text);
}
