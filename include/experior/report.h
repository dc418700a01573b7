/* report.h: writes results as files for people and programs: those of a study, and those of
 * inspecting a model. */
#ifndef EXPERIOR_REPORT_H
#define EXPERIOR_REPORT_H

#include "experior/inspect.h"
#include "experior/study.h"
#include "experior/aggregate.h"
#include "experior/sweep.h"

/* Writes DIR/<study>.json, DIR/<study>.csv, DIR/<study>.svg, the values of single runs as
 * DIR/<study>-runs.csv if there are any, the study's own pictures as DIR/<study>-picture-1.svg and
 * so on, and DIR/index.html, each whole or not at all; files of an earlier result that this one
 * does not have are removed, and so is DIR/<study>-aggregates.csv. index.html holds every study and
 * sweep whose JSON is in DIR and needs no other file. Plots are made by gnuplot;
 * without it the tables are written and the page says what is missing. If gnuplot is there but
 * fails, all else is written and XP_ERR_PROGRAM carries its message. */
XP_API xp_status xp_report_write(const xp_study_result *result, const char *directory,
                                 xp_error *error);

/* The same for a sweep, and also DIR/<name>-values.csv and DIR/<name>-values.sqlite (table
 * "value"), which hold every number, and DIR/<name>.sweep, the file that asked for them. */
XP_API xp_status xp_report_sweep(const xp_sweep *sweep, const xp_sweep_result *result,
                                 const char *directory, xp_error *error);

/* Writes DIR/<study>-aggregates.csv, whole or not at all. */
XP_API xp_status xp_report_aggregates(const xp_aggregates *aggregates, const char *study,
                                      const char *directory, xp_error *error);

/* The rows as an aligned table for a terminal, in UTF-8: mean ± standard error, the paper's in
 * brackets, the paired difference. *text is freed with xp_release. */
XP_API xp_status xp_report_table_text(const xp_study_result *result, char **text, xp_error *error);

/* Writes one HTML page about a model, whole or not at all: is this expert data worth anything? It
 * needs no other file, no script and no network, and fits phones and dark screens. `inspections`
 * has the whole model first and then `count` - 1 segments; names[i] is what inspections[i] is
 * about (names[0] is not looked at, and `names` may be NULL if count is 1). Nothing is kept. Fails
 * with XP_ERR_INPUT for arguments that do not fit together, XP_ERR_FILE, XP_ERR_MEMORY. */
XP_API xp_status xp_report_inspections(const xp_model *model,
                                       const xp_inspection *const *inspections,
                                       const char *const *names, size_t count, const char *path,
                                       xp_error *error);

#endif
