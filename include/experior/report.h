/* report.h: a study's result as files that people and programs read. */
#ifndef EXPERIOR_REPORT_H
#define EXPERIOR_REPORT_H

#include "experior/study.h"

/* Writes DIR/<study>.json, DIR/<study>.csv, DIR/<study>.svg and DIR/index.html, each whole or not
 * at all. index.html holds every study whose JSON is in DIR and needs no other file. Plots are
 * drawn by gnuplot; without it the tables are written and the page says what is missing. */
XP_API xp_status xp_report_write(const xp_study_result *result, const char *directory,
                                 xp_error *error);

#endif
