/* report_parts.h: the parts of a report, each of which turns a result into one kind of text.
 *
 * A part appends to an xp__text and knows nothing of files; report.c alone decides what is written
 * where. Pages and pictures are made from the JSON that was written, read back: what a person sees
 * is what the file holds. */
#ifndef XP_REPORT_REPORT_PARTS_H
#define XP_REPORT_REPORT_PARTS_H

#include "experior/report.h"
#include "base/text/text.h"

#include <jansson.h>

/* Distinct labels in order of appearance; the strings are borrowed. */
typedef struct xp__labels {
    const char **name;
    size_t count, room;
} xp__labels;

bool xp__labels_add(xp__labels *labels, const char *name);          /* false: out of memory */
size_t xp__labels_find(const xp__labels *labels, const char *name); /* count if not there */
void xp__labels_deinit(xp__labels *labels);
/* The measures of the rows; the groups or the agents of those rows that have `measure` (any if
 * NULL). */
bool xp__labels_measures(xp__labels *labels, const xp_study_result *result);
bool xp__labels_groups(xp__labels *labels, const xp_study_result *result, const char *measure);
bool xp__labels_agents(xp__labels *labels, const xp_study_result *result, const char *measure);

/* The first row of that agent, group and measure, or NULL. */
const xp_study_row *xp__row_find(const xp_study_result *result, const char *agent,
                                 const char *group, const char *measure);
/* Whether runs are told apart in a row of `measure` (any if NULL). */
bool xp__rows_have_runs(const xp_study_result *result, const char *measure);
/* The agent that differences are from. */
const char *xp__reference(const xp_study_result *result);
bool xp__measure_has_paper(const xp_study_result *result, const char *measure);

/* The 95 % interval of the paired difference: Student's t with row->degrees. Both
 * are NAN, and the result false, if there is no difference or no standard error. */
bool xp__row_interval(const xp_study_row *row, double *low, double *high);
/* Where the interval lies: +1 above 0, −1 below, 0 if it contains 0 or there is none. */
int xp__row_side(const xp_study_row *row);

/* Numbers for people: "3.57 ± 0.48"; the paper's with the places it gives; "–" for NAN. */
void xp__text_mean(xp__text *text, double mean, double se);
void xp__text_paper(xp__text *text, double mean, double se);
void xp__text_difference(xp__text *text, double difference); /* always signed */

xp_status xp__report_json(const xp_study_result *result, xp__text *text, xp_error *error);
void xp__report_csv(const xp_study_result *result, xp__text *text);
void xp__report_runs(const xp_study_result *result, xp__text *text);
xp_status xp__report_text(const xp_study_result *result, xp__text *text, xp_error *error);

/* A result read back. Strings belong to the JSON document, arrays and the pictures' SVG to the
 * result. */
typedef struct xp__report_study {
    json_t *document;
    const char *version;
    xp_study_result result;
} xp__report_study;

/* Reads the result of a study of that name; another's is refused. */
xp_status xp__report_read(const char *path, const char *name, xp__report_study *study,
                          xp_error *error);
void xp__report_study_deinit(xp__report_study *study);

/* The gnuplot script of the study's picture, or of `count` series alone; empty if there is nothing
 * to draw. */
xp_status xp__plot_script(const xp_study_result *result, xp__text *script, xp_error *error);

/* Runs gnuplot on the script; the SVG, made self-contained, is freed with xp__free. `prefix` makes
 * the ids unique among pictures of one page. If gnuplot is not installed, *missing is true and *svg
 * NULL, which is no error. */
xp_status xp__plot_draw(const char *script, size_t bytes, const char *prefix, const char *title,
                        char **svg, size_t *svg_bytes, bool *missing, xp_error *error);
/* Appends gnuplot's SVG as a file that stands alone. False if it is not a whole SVG. */
bool xp__svg_tidy(const char *svg, const char *prefix, const char *title, xp__text *text);
/* Ends a file with a seal, a comment that holds a hash of all before it. */
void xp__svg_seal(xp__text *svg);
/* Whether a file is whole and as it was sealed. */
bool xp__svg_is_sealed(const char *svg, size_t bytes);
/* Appends an image element with the file inside. In an image a browser runs no scripts and fetches
 * nothing, whatever the file holds. */
void xp__svg_embed(const char *svg, const char *title, xp__text *text);
/* The same for a plot, in the page's colours and without the heading that the page has already.
 * False if it is none. */
bool xp__svg_embed_plot(const char *svg, const char *title, xp__text *text);

/* DIR/NAMEending, for xp__free; NULL if there is no memory. */
char *xp__report_path(const char *directory, const char *name, const char *ending);
/* The study's own pictures as files, DIR/STUDY-picture-1.svg and so on; those that an earlier
 * result had beyond them are removed. */
xp_status xp__report_pictures_write(const xp_study_result *result, const char *directory,
                                    xp_error *error);
/* Reads them back; `svg` of one that is missing or not as it was written is NULL. */
xp_status xp__report_pictures_read(xp_study_result *result, const char *directory, xp_error *error);
/* File name of the picture with that index. */
void xp__report_picture_name(const char *study, size_t index, xp__text *name);

/* Pixels of a picture's width, and of its heading at the top. */
enum { XP__PLOT_WIDTH = 920, XP__PLOT_HEADING = 34 };

/* The whole page. `pictures[i]` is the SVG of studies[i], or NULL with the reason in `absent[i]`
 * (may be NULL: nothing to draw); `skipped` are sentences about files that could not be shown. */
typedef struct xp__page {
    const xp__report_study *studies;
    char *const *pictures;
    const char *const *absent;
    size_t count;
    char *const *skipped;
    size_t skipped_count;
} xp__page;

xp_status xp__page_write(const xp__page *page, xp__text *text, xp_error *error);
xp_status xp__page_tables(const xp_study_result *result, xp__text *text, xp_error *error);
extern const char xp__page_style[];
extern const char xp__plot_style[]; /* a <style> element */

#endif
