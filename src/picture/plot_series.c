/* plot_series.c: the panels of a picture that show series: curves with bands of ± one standard
 * error, scatters with their least-squares lines, and the paper's dashed. */
#include "picture/plot_parts.h"

#include <math.h>
#include <string.h>

/* Points of one curve in a picture; more than a panel has pixels would only make it heavy. */
enum { POINTS = 180 };

static size_t kept(size_t n) {
    return n < POINTS ? n : POINTS;
}

/* Index of the i-th of `kept(n)` points, evenly spread, first and last among them. */
static size_t spread(size_t i, size_t n) {
    return n <= POINTS ? i : (i * (n - 1) + (POINTS - 1) / 2) / (POINTS - 1);
}

/* Ordinary least squares; false if the points do not determine a line. */
static bool fit_line(const double *x, const double *y, size_t n, xp__range *at, double line[2]) {
    double mean_x = 0, mean_y = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(x[i]) && isfinite(y[i])) {
            mean_x += x[i];
            mean_y += y[i];
            count += 1;
        }
    }
    if (count < 2) {
        return false;
    }
    mean_x /= count;
    mean_y /= count;
    double xx = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(x[i]) && isfinite(y[i])) {
            xx += (x[i] - mean_x) * (x[i] - mean_x);
            xy += (x[i] - mean_x) * (y[i] - mean_y);
            xp__range_include(at, x[i]);
        }
    }
    if (!(xx > 0)) {
        return false;
    }
    line[1] = xy / xx;
    line[0] = mean_y - line[1] * mean_x;
    return isfinite(line[0]) && isfinite(line[1]);
}

/* Two points of the fitted line as a data block of its own; undefined ones if there is no line. */
static void line_data(xp__text *script, const char *name, size_t index, const double *x,
                      const double *y, size_t n, xp__range *ys) {
    xp__range at = xp__range_nothing;
    double line[2];
    if (!fit_line(x, y, n, &at, line)) {
        line[0] = line[1] = NAN;
    }
    /* A line may dip below 0 where no point does; the axis does not follow it there. */
    const double least = fmin(ys->low, 0);
    xp__range_include(ys, fmax(line[0] + line[1] * at.low, least));
    xp__range_include(ys, fmax(line[0] + line[1] * at.high, least));
    xp__text_format(script, "$%s%zu << END\n%s %s\n%s %s\nEND\n", name, index, xp__num(at.low).text,
                    xp__num(line[0] + line[1] * at.low).text, xp__num(at.high).text,
                    xp__num(line[0] + line[1] * at.high).text);
}

/* Columns: x, y, lower and upper edge of the band. */
static void series_data(xp__text *script, const xp__picture *picture, size_t index, xp__range *xs,
                        xp__range *ys) {
    const xp_series *series = &picture->chart->series[index];
    const size_t count = series->scatter ? series->n : kept(series->n);
    xp__text_format(script, "$series%zu << END\n", index);
    for (size_t i = 0; i < count; i++) {
        const size_t k = series->scatter ? i : spread(i, series->n);
        const bool band = series->se != NULL && !series->scatter && isfinite(series->se[k]);
        const double se = band ? series->se[k] : 0;
        double low = series->y[k] - se;
        if (picture->log_series && !series->scatter && !(low > 0)) {
            low = 0.5 * series->y[k]; /* the band's edge has no place on a log axis */
        }
        xp__range_include(xs, series->x[k]);
        xp__range_include(ys, series->y[k]);
        xp__range_include(ys, low);
        xp__range_include(ys, series->y[k] + se);
        xp__text_format(script, "%s %s %s %s\n", xp__num(series->x[k]).text,
                        xp__num(series->y[k]).text, xp__num(low).text,
                        xp__num(series->y[k] + se).text);
    }
    xp__text_format(script, "END\n$paper%zu << END\n", index);
    for (size_t i = 0; i < kept(series->paper_n) && !series->scatter; i++) {
        const size_t k = spread(i, series->paper_n);
        xp__range_include(ys, series->paper_y[k]);
        xp__text_format(script, "%s %s\n", xp__num(series->paper_x[k]).text,
                        xp__num(series->paper_y[k]).text);
    }
    xp__text_append(script, "END\n");
}

static void clause(xp__text *script, bool *begun) {
    xp__text_append(script, *begun ? ", " : "plot ");
    *begun = true;
}

/* Bands and points lie under all lines, the paper's lines under ours; the reference's black is
 * broader and below, so that it shows on both sides of a curve that lies on it. */
static void series_plots(xp__text *script, const xp__picture *picture, const xp__panel *panel) {
    const xp__chart *chart = picture->chart;
    bool begun = false;
    for (int layer = 0; layer < 4; layer++) {
        for (size_t k = 0; k < chart->series_count; k++) {
            const xp_series *series = &chart->series[k];
            if (series->n == 0 || strcmp(series->panel, panel->name) != 0) {
                continue;
            }
            const char *colour = xp__picture_colour(picture, series->agent);
            const bool reference = strcmp(colour, "#000000") == 0;
            if (layer == 0 && series->scatter) {
                clause(script, &begun);
                xp__text_format(script,
                                "$series%zu using 1:2 with points pt 7 ps 0.35 lc rgb '#a0%s'", k,
                                colour + 1);
            } else if (layer == 0 && series->se != NULL) {
                clause(script, &begun);
                xp__text_format(script,
                                "$series%zu using 1:3:4 with filledcurves fs transparent solid "
                                "0.18 noborder lc rgb '%s'",
                                k, colour);
            } else if (layer == 1 && series->paper_n > 0) {
                clause(script, &begun);
                xp__text_format(script, "$%s%zu using 1:2 with lines lw 1.4 dt (6,4) lc rgb '%s'",
                                series->scatter ? "paperline" : "paper", k, colour);
            } else if (layer == (reference ? 2 : 3)) {
                clause(script, &begun);
                xp__text_format(script, "$%s%zu using 1:2 with %s lw %s pt 7 ps 0.5 lc rgb '%s'",
                                series->scatter ? "line" : "series", k,
                                !series->scatter && series->n <= 12 ? "linespoints" : "lines",
                                reference ? "3.2" : "1.8", colour);
            }
        }
    }
    xp__text_append(script, "\n");
}

static const xp_series *first_of(const xp__chart *chart, const xp__panel *panel) {
    size_t i = 0;
    while (chart->series[i].n == 0 || strcmp(chart->series[i].panel, panel->name) != 0) {
        i++;
    }
    return &chart->series[i];
}

void xp__script_series(xp__text *script, const xp__picture *picture, size_t index) {
    const xp__chart *chart = picture->chart;
    const xp__panel *panel = &picture->panels[index];
    const xp_series *first = first_of(chart, panel);
    xp__range xs = xp__range_nothing, ys = xp__range_nothing;
    bool scatter = false;
    for (size_t k = 0; k < chart->series_count; k++) {
        const xp_series *series = &chart->series[k];
        if (series->n > 0 && strcmp(series->panel, panel->name) == 0) {
            series_data(script, picture, k, &xs, &ys);
            scatter |= series->scatter;
            if (series->scatter) {
                line_data(script, "line", k, series->x, series->y, series->n, &ys);
                line_data(script, "paperline", k, series->paper_x, series->paper_y, series->paper_n,
                          &ys);
            }
        }
    }
    xp__range_settle(&xs);
    xp__range_settle(&ys);
    xp__script_place(script, picture, panel);
    const double margin = scatter ? 0.03 * (xs.high - xs.low) : 0;
    xp__script_axis(script, 'x', xs.low - margin, xs.high + margin, false,
                    fmin((panel->right - panel->left) / 48, 10));
    const bool logarithmic = picture->log_series && !scatter && isfinite(ys.least_positive);
    if (logarithmic) {
        /* The first steps of a curve start near 0: a tenth of the lowest end is early enough. */
        const double low = fmax(ys.least_positive, 0.1 * picture->least_end);
        xp__script_axis(script, 'y', low, 1.15 * ys.high, true, 0);
    } else {
        const double low = fmin(ys.low, 0);
        xp__script_axis(script, 'y', low, ys.high + 0.04 * (ys.high - low), false,
                        (panel->bottom - panel->top) / 42);
    }
    xp__text_append(script, "set grid xtics ytics\n");
    const bool same =
        !panel->first_column && strcmp(first_of(chart, panel - 1)->y_label, first->y_label) == 0;
    xp__text label = {.data = NULL};
    xp__text_format(&label, "%s%s", same ? "" : first->y_label,
                    !same && logarithmic ? " (log scale)" : "");
    xp__script_axis_labels(script, picture, panel, first->x_label,
                           label.data != NULL ? label.data : "");
    script->failed |= label.failed;
    xp__text_deinit(&label);
    series_plots(script, picture, panel);
}
