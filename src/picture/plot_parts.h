/* plot_parts.h: a picture between its layout (plot_layout.c) and its script (plot_script.c).
 *
 * Lengths are pixels from the top left; the script turns them into gnuplot's screen units. */
#ifndef XP_PICTURE_PLOT_PARTS_H
#define XP_PICTURE_PLOT_PARTS_H

#include "base/text/labels.h"
#include "picture/chart.h"

typedef enum xp__panel_kind {
    XP__PANEL_BARS,  /* agents down the side, a bar each: beside curves of the same groups */
    XP__PANEL_DOTS,  /* agents down the side, a dot each: tables, which may need a log axis */
    XP__PANEL_SERIES /* curves and scatters over x */
} xp__panel_kind;

typedef struct xp__panel {
    xp__panel_kind kind;
    const char *title;
    const char *group; /* of bars and dots */
    const char *name;  /* of series: their `panel` */
    double left, right, top, bottom;
    size_t title_limit; /* code points of a line of the title */
    bool first_column, last_row;
} xp__panel;

/* What one line of the legend explains. */
typedef enum xp__mark {
    XP__MARK_LINE,
    XP__MARK_DASH,
    XP__MARK_BOX,
    XP__MARK_FRAME,
    XP__MARK_DOT,
    XP__MARK_RING
} xp__mark;

typedef struct xp__legend_entry {
    xp__mark mark;
    const char *colour, *label;
    double x, y; /* where its text begins, at half its height */
} xp__legend_entry;

/* Longest label that is drawn whole, in code points. */
enum { XP__LABEL_LIMIT = 50, XP__LEGEND_MARKS = 4 };

typedef struct xp__picture {
    const xp__chart *chart;
    const char *measure; /* that bars and dots show; NULL if there are none */
    bool rows_have_paper;
    xp__labels agents;    /* of rows, then of series; fixes the colours */
    xp__labels down_side; /* agents of the rows that are drawn */
    const char **colours; /* one an agent */
    xp__panel *panels;
    size_t panel_count;
    xp__legend_entry *legend;
    size_t legend_count;
    double height;
    bool log_rows, log_series;
    double least_end; /* of the curves; where a log axis may begin is set by it */
} xp__picture;

/* Decides what is drawn where; no panels if there is nothing to draw. */
xp_status xp__picture_init(xp__picture *picture, const xp__chart *chart, xp_error *error);
void xp__picture_deinit(xp__picture *picture);
/* Bytes of the first line of a title: it is broken after commas where it would be too long. */
size_t xp__title_line(const char *title, size_t limit);
const char *xp__picture_colour(const xp__picture *picture, const char *agent);

/* A number as the script has it: with a point whatever the locale, NaN if not finite. */
typedef struct xp__number {
    char text[32];
} xp__number;
xp__number xp__num(double value);

/* What an axis must show. */
typedef struct xp__range {
    double low, high, least_positive;
} xp__range;
extern const xp__range xp__range_nothing;
void xp__range_include(xp__range *r, double value); /* passes over NAN and infinities */
void xp__range_settle(xp__range *r);                /* one that can be drawn: not a point */

/* A quoted string of at most `limit` code points. */
void xp__script_label(xp__text *script, const char *label, size_t limit);
/* Where the next plot goes, and its title. */
void xp__script_place(xp__text *script, const xp__picture *picture, const xp__panel *panel);
/* Range and tics of axis 'x' or 'y', in about `parts` parts if it is linear. */
void xp__script_axis(xp__text *script, char name, double low, double high, bool logarithmic,
                     double parts);
/* The axes' labels: below the tics, and upright at the left; "" for none. */
void xp__script_axis_labels(xp__text *script, const xp__picture *picture, const xp__panel *panel,
                            const char *x_label, const char *y_label);
/* One panel: its data and its plot command. */
void xp__script_rows(xp__text *script, const xp__picture *picture, size_t index);
void xp__script_series(xp__text *script, const xp__picture *picture, size_t index);

#endif
