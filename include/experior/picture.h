/* picture.h: pictures as self-contained SVG files: curves over x, and episodes on a board. */
#ifndef EXPERIOR_PICTURE_H
#define EXPERIOR_PICTURE_H

#include "experior/simulate.h"

/* A curve or a scatter: `n` points, with standard errors and the paper's values where it has them.
 */
typedef struct xp_series {
    const char *agent;
    const char *panel; /* which picture of the figure it belongs to: "low entropy", "arms", … */
    const char *x_label, *y_label;
    bool scatter;
    size_t n;
    double *x, *y, *se; /* n each; se may be NULL */
    size_t paper_n;
    double *paper_x, *paper_y, *paper_se; /* paper_n each; NULL if the paper has none */
} xp_series;

/* Writes series as one SVG file, with a panel for each `panel` that they name. Needs gnuplot:
 * without it, XP_ERR_PROGRAM. */
XP_API xp_status xp_picture_series(const xp_series *series, size_t count, const char *title,
                                   const char *path, xp_error *error);

/* Writes episodes as SVG files DIR/<env>-<agent>-episode-0001.svg: the path taken, what was true,
 * and what the agent believed before. They are `count` episodes, from 1 in any order, of the first
 * task of the first problem of the simulation, for each of its agents; a count of 0
 * chooses 1, 2, 4, 8, … and the last. The agents act once more for this, as long as the pictures
 * need, with the same luck. *written (may be NULL) is the number of files. Environments without
 * cells, bandits among them, are refused. options->progress is told of the episodes. */
XP_API xp_status xp_picture_episodes(const xp_simulate_options *options, const size_t *episodes,
                                     size_t count, const char *directory, size_t *written,
                                     xp_error *error);

#endif
