/* chart.h: what a plot is made from: plain rows and series, whoever measured them. */
#ifndef XP_PICTURE_CHART_H
#define XP_PICTURE_CHART_H

#include "experior/picture.h"
#include "base/text/text.h"

/* A number beside the paper's. What it does not have is NAN. */
typedef struct xp__chart_row {
    const char *agent, *group, *measure;
    double mean, se;
    double paper_mean, paper_se;
} xp__chart_row;

typedef struct xp__chart {
    const char *title;
    const xp__chart_row *rows;
    size_t row_count;
    const xp_series *series;
    size_t series_count;
} xp__chart;

/* Pixels of a plot's width, and of its heading at the top. */
enum { XP__PLOT_WIDTH = 920, XP__PLOT_HEADING = 34 };

/* The gnuplot script of a chart; empty if there is nothing to draw. */
xp_status xp__plot_script(const xp__chart *chart, xp__text *script, xp_error *error);
/* Draws a chart with gnuplot; the SVG, which stands alone, is freed with xp__free. `prefix` makes
 * the ids unique among pictures of one page. *svg is NULL, which is no error, if there is nothing
 * to draw, or if gnuplot is not installed: then *missing is true. */
xp_status xp__plot_draw(const xp__chart *chart, const char *prefix, char **svg, size_t *svg_bytes,
                        bool *missing, xp_error *error);

#endif
