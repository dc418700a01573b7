/* report.h: a study's result as files that people and programs read. */
#ifndef EXPERIOR_REPORT_H
#define EXPERIOR_REPORT_H

#include "experior/study.h"

/* Writes DIR/<study>.json, DIR/<study>.csv, DIR/<study>.svg, the study's own pictures as
 * DIR/<study>-picture-1.svg and so on, and DIR/index.html, each whole or not at all. index.html
 * holds every study whose JSON is in DIR and needs no other file. Plots are drawn by gnuplot;
 * without it the tables are written and the page says what is missing. If gnuplot is there but
 * fails, all else is written and XP_ERR_PROGRAM carries its message. */
XP_API xp_status xp_report_write(const xp_study_result *result, const char *directory,
                                 xp_error *error);

/* Draws episodes as SVG files DIR/<env>-<agent>-episode-0001.svg: the path taken, what was true,
 * and what the agent believed before. They are `count` episodes, from 1 in any order, of the first
 * task of the first task distribution of the simulation, for each of its agents; a count of 0
 * chooses 1, 2, 4, 8, … and the last. The agents act once more for this, as long as the pictures
 * need, with the same luck. *written (may be NULL) is the number of files. Environments without
 * cells, bandits among them, are refused. options->progress is told of the episodes. */
XP_API xp_status xp_report_episodes(const xp_simulate_options *options, const size_t *episodes,
                                    size_t count, const char *directory, size_t *written,
                                    xp_error *error);

/* Draws series as one SVG file: a panel for each `panel` they name. Needs gnuplot: without it,
 * XP_ERR_PROGRAM. */
XP_API xp_status xp_report_picture(const xp_study_series *series, size_t count, const char *title,
                                   const char *path, xp_error *error);

/* The rows as an aligned table for a terminal, in UTF-8: mean ± standard error, the paper's in
 * brackets, the paired difference. *text is freed with xp_release. */
XP_API xp_status xp_report_table_text(const xp_study_result *result, char **text, xp_error *error);

#endif
