/* inspection_worth.c: what the prior saves, and how sure that is. */
#include "report/inspection/inspection_parts.h"

#include <math.h>

static const double z = 1.96; /* of a 95 % interval */

static void bar(xp__text *text, const char *class, const char *label, double value, double se,
                double scale) {
    const double low = fmax(0, (value - z * se) / scale), end = value / scale;
    const double high = (value + z * se) / scale;
    xp__text_format(text,
                    "<div class=\"row\"><span class=\"name\">%s</span><span class=\"cell\" "
                    "aria-hidden=\"true\"><span class=\"bar %s\" "
                    "style=\"left:0;width:%.2f%%\"></span>",
                    label, class, 100 * end);
    if (isfinite(high)) {
        xp__text_format(text, "<span class=\"whisker\" style=\"left:%.2f%%;width:%.2f%%\"></span>",
                        100 * low, 100 * (fmin(1, high) - low));
    }
    xp__text_append(text, "</span><span class=\"value\"><b>");
    xp__page_interval(text, value, z * se);
    xp__text_append(text, "</span></div>\n");
}

void xp__page_saved(const xp__inspection_view *view, int level, xp__text *text) {
    const xp_inspection *seen = view->seen;
    xp__page_heading(text, level, "What it saves");
    xp__text_append(text, "<p>Regret is what is lost by not always choosing the best arm: a regret "
                          "of 5 is five successes fewer. Both learners act in the same ");
    xp__page_count(text, seen->tasks);
    xp__text_append(text, " made-up tasks, drawn from the prior; one knows what the experts chose, "
                          "the other does not. ");
    xp__text_html(text, seen->scale_stated ? seen->scale : "");
    xp__text_append(text, " Short bars are good.</p>\n");
    for (size_t i = 0; i < seen->horizon_count; i++) {
        const xp_inspect_horizon *at = &seen->horizons[i];
        const double scale = fmax(at->without + (at->without_se > 0 ? z * at->without_se : 0),
                                  at->regret + (at->regret_se > 0 ? z * at->regret_se : 0));
        xp__text_append(text, "<div class=\"horizon\"><p class=\"first\">First ");
        xp__page_count(text, at->decisions);
        xp__text_append(text, " decisions <span class=\"gain\">");
        xp__text_append(text, at->share >= 0 ? "saves " : "costs ");
        xp__page_percent(text, fabs(at->share));
        if (isfinite(at->share_se)) {
            xp__text_format(text, " ± %.0f\xc2\xa0%%", 100 * z * at->share_se);
        }
        xp__text_append(text, "</span></p>\n<div class=\"rows\">\n");
        bar(text, "plain", "without experts", at->without, at->without_se, scale);
        bar(text, "", "with experts", at->regret, at->regret_se, scale);
        xp__text_append(text, "</div></div>\n");
    }
    xp__text_append(text,
                    "<p class=\"note\">Bars are regret; each pair has its own scale. ± and "
                    "whiskers: 95&nbsp;% intervals over tasks, paired for what is saved. It is "
                    "what the prior promises if it is right, not a test of it.</p>\n");
}

static void held_out(const xp_inspection *seen, xp__text *text) {
    if (!isfinite(seen->held_out)) {
        return;
    }
    const double guess = exp(seen->held_out_guess), found = exp(seen->held_out);
    xp__text_append(text, "<p><b>Does it predict the experts?</b> Choices that were held out ");
    if (seen->held_out_folds == 0) {
        xp__text_append(text, "(one at a time) ");
    } else {
        xp__text_format(text, "(in %zu parts) ", seen->held_out_folds);
    }
    xp__text_append(text, found > guess ? "are predicted better than by guessing:"
                                        : "are not predicted better than by guessing:");
    xp__text_append(text, "</p>\n<div class=\"rows\">\n");
    const struct {
        const char *name, *class;
        double value;
    } bars[] = {{"guessing", "plain", guess}, {"the model", "", found}};
    for (size_t i = 0; i < 2; i++) {
        xp__text_format(text,
                        "<div class=\"row\"><span class=\"name\">%s</span><span class=\"cell\" "
                        "aria-hidden=\"true\"><span class=\"bar %s\" "
                        "style=\"left:0;width:%.2f%%\"></span></span><span class=\"value\"><b>",
                        bars[i].name, bars[i].class, 100 * bars[i].value);
        xp__page_percent(text, bars[i].value);
        xp__text_append(text, "</b></span></div>\n");
    }
    xp__page_axis(text, 1, 4, "probability given to the choice, geometric mean");
    xp__text_append(text, "</div>\n");
}

static void legend(const xp__inspection_view *view, size_t coloured, xp__text *text) {
    xp__text_append(text, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < coloured; i++) {
        xp__text_format(text, "<li><span class=\"swatch c%zu\"></span>", i);
        xp__page_name(view, view->order[i], text);
        xp__text_append(text, "</li>\n");
    }
    if (coloured < view->seen->arms) {
        xp__text_append(text, "<li><span class=\"swatch c5\"></span>all others</li>\n");
    }
    xp__text_append(text, "</ul>\n");
}

static void piece(xp__text *text, size_t colour, double from, double share) {
    xp__text_format(text, "<span class=\"piece c%zu\" style=\"left:%.2f%%;width:%.2f%%\">", colour,
                    100 * from, 100 * share);
    if (share >= 0.12) {
        xp__page_percent(text, share);
    }
    xp__text_append(text, "</span>");
}

static void competence_row(const xp__inspection_view *view, const xp_sensitivity_outcome *out,
                           size_t coloured, xp__text *text) {
    xp__text_append(text, "<div class=\"row\" role=\"listitem\"><span class=\"name\">β = ");
    if (isinf(out->beta)) {
        xp__text_append(text, "∞ <small>never wrong</small>");
    } else {
        xp__text_format(text, "%g", out->beta);
    }
    xp__text_append(text, "</span>");
    if (!out->feasible) {
        xp__text_append(text, "<span class=\"cell none\">no experts of this β would choose like "
                              "these</span><span class=\"value\"></span></div>\n");
        return;
    }
    xp__text_append(text, "<span class=\"cell stack\">");
    double from = 0;
    for (size_t i = 0; i < coloured; i++) {
        const double share = out->probability[view->order[i]];
        piece(text, i, from, share);
        from += share;
    }
    if (coloured < view->seen->arms) {
        piece(text, XP__COLOURS, from, fmax(0, 1 - from));
    }
    xp__text_append(text, "</span><span class=\"value\"></span></div>\n");
}

static void competences(const xp__inspection_view *view, xp__text *text) {
    const xp_sensitivity *found = view->seen->sensitivity;
    if (found == NULL) {
        return;
    }
    const size_t coloured = view->seen->arms < XP__COLOURS ? view->seen->arms : XP__COLOURS;
    xp__text_append(text,
                    "<p><b>What if the experts err?</b> The chance that each arm is best, by how "
                    "competent the experts are assumed to be. A small β means that they "
                    "often err, ∞ that they never do. Choices alone cannot tell which is true; "
                    "rows that look alike mean that it does not matter much.</p>\n");
    legend(view, coloured, text);
    xp__text_append(text, "<div class=\"rows\" role=\"list\">\n");
    for (size_t i = 0; i < found->beta_count; i++) {
        competence_row(view, &found->outcomes[i], coloured, text);
    }
    xp__page_axis(text, 1, 4, "chance of being best");
    xp__text_append(text, "</div>\n<p class=\"note\">At most ");
    xp__page_percent(text, view->seen->sensitivity_distance);
    xp__text_append(text, " of the probability moves to other arms. For every β the prior is at "
                          "the same distance from the experts’ choices (");
    xp__text_format(text, "%.2g", found->epsilon);
    xp__text_append(text, " nats); the model itself follows them exactly unless it was fitted "
                          "otherwise.</p>\n");
}

void xp__page_sure(const xp__inspection_view *view, int level, xp__text *text) {
    if (!isfinite(view->seen->held_out) && view->seen->sensitivity == NULL) {
        return;
    }
    xp__page_heading(text, level, "How sure is this?");
    held_out(view->seen, text);
    competences(view, text);
}
