/* progress.h: long runs: how far they are, and a clean stop on Ctrl-C.
 *
 * The first SIGINT or SIGTERM sets a flag that the progress callback hands to the library; the
 * second ends the program at once. On a terminal standard error shows a bar with the time left;
 * elsewhere a line is printed now and then, and none for a run of a few seconds. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "experior/study.h"
#include "options.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_progress {
    const char *label;
    double started, drawn; /* seconds on the monotonic clock */
    double next_line;      /* when to print a line, likewise */
    size_t first;          /* units that were done when the run began */
    bool running, shown;
    bool in_rounds;     /* a forecast is of one round only */
    bool long_only;     /* forecasts are printed of what takes longer than a few seconds */
    size_t round_left;  /* units, by the last forecast */
    bool forecast_told; /* one was made, and printed if it was of all that is left */
    bool has_forecast;  /* the last one was */
    double left;        /* seconds, by the last forecast, which was made at `left_at` */
    double left_at;
} cli_progress;

/* Catches the signals; a command that has to wait for something first does so before. */
void cli_progress_listen(void);
/* Catches the signals and starts the clock. */
cli_progress cli_progress_start(const char *label);
/* The xp_progress callback; its context is the cli_progress. */
int cli_progress_update(void *context, size_t done, size_t total);
/* The xp_study_forecaster callback; its context is the cli_progress. The first forecast is a line
 * of its own; later ones are the time left. One that rests on other agents' times is not told. */
void cli_progress_forecast(void *context, const xp_study_forecast *forecast);
/* Wipes the bar. */
void cli_progress_end(cli_progress *progress);
bool cli_interrupted(void);
/* Says that the finished units in --output are kept, and how to go on; returns the exit code. */
int cli_stopped(const cli_arguments *arguments);

double cli_seconds(void); /* monotonic clock */

#endif
