/* inspection_parts.h: the parts of the page about a model, each of which appends HTML.
 *
 * Text is HTML and shapes are boxes and inline SVG that stretch, so that words keep their size on
 * every screen. Names come from files: they are escaped, isolated (bdi) and cut, with the whole
 * name in a title. */
#ifndef XP_REPORT_INSPECTION_INSPECTION_PARTS_H
#define XP_REPORT_INSPECTION_INSPECTION_PARTS_H

#include "experior/report.h"
#include "base/text/text.h"

extern const char xp__inspection_style[];

/* One inspection, with its arms in the order in which they are shown. */
typedef struct xp__inspection_view {
    const xp_model *model;
    const xp_inspection *seen;
    const char *segment; /* NULL: the whole model */
    size_t *order;       /* K: the likeliest best arm first */
    size_t shown;        /* of them; the others are summed up */
} xp__inspection_view;

enum { XP__ARMS_SHOWN = 24, XP__COLOURS = 5 };

/* Four sections: what was chosen, believed, is saved, and how sure that is. `level` is 2 or 3, the
 * level of their headings. */
void xp__page_chosen(const xp__inspection_view *view, int level, xp__text *text);
void xp__page_believed(const xp__inspection_view *view, int level, xp__text *text);
void xp__page_saved(const xp__inspection_view *view, int level, xp__text *text);
void xp__page_sure(const xp__inspection_view *view, int level, xp__text *text);
/* All numbers, folded away. */
void xp__page_numbers(const xp__inspection_view *view, xp__text *text);

/* "43 %", with a decimal below 10 %; "–" for NAN. */
void xp__page_percent(xp__text *text, double share);
/* Three significant digits without an exponent where that is short. */
void xp__page_number(xp__text *text, double value);
/* Both with the decimals that the second deserves: "3.40</b> <small>± 0.05</small>" after "<b>". */
void xp__page_interval(xp__text *text, double value, double half);
/* 1,234,567 */
void xp__page_count(xp__text *text, uint64_t value);
/* The arm's name, or "arm 3": cut and isolated, escaped. */
void xp__page_name(const xp__inspection_view *view, size_t arm, xp__text *text);
/* The same for an attribute: whole and escaped. */
void xp__page_name_whole(const xp__inspection_view *view, size_t arm, xp__text *text);
/* A segment's name, cut, isolated and escaped. */
void xp__page_segment(const char *name, xp__text *text);
/* The horizon that headlines use: at most 100 decisions if there is one; NULL if there is none. */
const xp_inspect_horizon *xp__page_horizon(const xp_inspection *seen);
/* An axis below rows of plots: `ticks` labels from 0 to `high`, and what it measures. */
void xp__page_axis(xp__text *text, double high, size_t ticks, const char *title);
void xp__page_heading(xp__text *text, int level, const char *words);

#endif
