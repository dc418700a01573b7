/* report_parts.h: the parts of a report, each of which turns a result into one kind of text.
 *
 * A part appends to an xp__text and knows nothing of files; report.c alone decides what is written
 * where. Pages and pictures are made from the JSON that was written, read back: what a person sees
 * is what the file holds. */
#ifndef XP_REPORT_REPORT_PARTS_H
#define XP_REPORT_REPORT_PARTS_H

#include "experior/report.h"
#include "base/text/labels.h"
#include "base/text/text.h"
#include "picture/chart.h"
#include "picture/svg.h"

#include <jansson.h>

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
/* The agent that differences are from, for a heading. */
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

/* What the study's picture is made from; `rows` has room for result->row_count. */
xp__chart xp__report_chart(const xp_study_result *result, xp__chart_row *rows);

/* DIR/NAMEending, for xp__free; NULL if there is no memory. */
char *xp__report_path(const char *directory, const char *name, const char *ending);
/* Writes DIR/NAMEending, whole or not at all. */
xp_status xp__report_file_write(const char *directory, const char *name, const char *ending,
                                const void *data, size_t bytes, xp_error *error);
/* Removes a file of an earlier report; *there (may be NULL) says whether there was one. */
xp_status xp__report_file_remove(const char *directory, const char *name, const char *ending,
                                 bool *there, xp_error *error);
/* The study's own pictures as files, DIR/STUDY-picture-1.svg and so on; those that an earlier
 * result had beyond them are removed. */
xp_status xp__report_pictures_write(const xp_study_result *result, const char *directory,
                                    xp_error *error);
/* Reads them back; `svg` of one that is missing or not as it was written is NULL. */
xp_status xp__report_pictures_read(xp_study_result *result, const char *directory, xp_error *error);
/* File name of the picture with that index. */
void xp__report_picture_name(const char *study, size_t index, xp__text *name);

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

#endif
