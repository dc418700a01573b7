/* progress.c: the signal flag, the bar and the lines. */
#include "progress.h"

#include "output.h"

#include <math.h>
#include <signal.h>
#include <time.h>

/* Seconds until the first line where there is no terminal, and from one to the next. */
enum { FIRST_LINE = 10, BETWEEN_LINES = 60 };

static volatile sig_atomic_t interrupted;

/* The next signal finds the default action, which kills. */
static void interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
}

bool cli_interrupted(void) {
    return interrupted != 0;
}

int cli_stopped(const cli_arguments *arguments) {
    /* --fresh would throw away what was kept. */
    cli_complain("interrupted; finished units are kept in '%s': run the same command%s to resume",
                 cli_text(arguments, "output"),
                 cli_flag(arguments, "fresh") ? " without --fresh" : "");
    return CLI_AGAIN;
}

double cli_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_listen(void) {
    struct sigaction action = {.sa_handler = interrupt};
    (void)sigemptyset(&action.sa_mask);
    if (!interrupted) {
        (void)sigaction(SIGINT, &action, NULL);
        (void)sigaction(SIGTERM, &action, NULL);
    }
}

cli_progress cli_progress_start(const char *label) {
    cli_progress_listen();
    return (cli_progress){.label = label, .started = cli_seconds()};
}

static void print_duration(double seconds) {
    if (seconds < 90) {
        (void)fprintf(stderr, "%.0f s", seconds);
    } else if (seconds < 5400) {
        (void)fprintf(stderr, "%.0f min", seconds / 60);
    } else {
        (void)fprintf(stderr, "%.1f h", seconds / 3600);
    }
}

/* ", 3 min left", once there is something to estimate it from. */
static void print_left(const cli_progress *progress, double now, size_t done, size_t total) {
    if (progress->has_forecast && done < total) {
        const double left = progress->left - (now - progress->left_at);
        (void)fprintf(stderr, ", ");
        print_duration(left > 0 ? left : 0);
        (void)fprintf(stderr, " left");
    } else if (!progress->forecast_told && done > progress->first && done < total) {
        const double rate = (double)(done - progress->first) / (now - progress->started);
        (void)fprintf(stderr, ", ");
        print_duration((double)(total - done) / rate);
        (void)fprintf(stderr, " left");
    }
}

void cli_progress_forecast(void *context, const xp_study_forecast *forecast) {
    cli_progress *progress = context;
    /* The time of one agent says nothing about another, which may take a thousand times as long. */
    const size_t known = forecast->from_units + forecast->from_pilot;
    progress->has_forecast = known == forecast->units && !isnan(forecast->seconds);
    progress->left = forecast->seconds;
    progress->left_at = cli_seconds();
    if (progress->in_rounds && forecast->units > progress->round_left) { /* another round */
        progress->forecast_told = false;
    }
    progress->round_left = forecast->units;
    if (progress->long_only && forecast->seconds < FIRST_LINE) {
        progress->forecast_told = true;
    }
    if (progress->forecast_told || forecast->units == 0 || !progress->has_forecast) {
        progress->forecast_told = true;
        return;
    }
    progress->forecast_told = true;
    cli_progress_end(progress);
    (void)fprintf(stderr, "%s: %zu unit%s%s left, about ", progress->label, forecast->units,
                  forecast->units == 1 ? "" : "s", progress->in_rounds ? " of this round" : "");
    print_duration(forecast->work);
    (void)fprintf(stderr, " of work, ");
    print_duration(forecast->seconds);
    (void)fprintf(
        stderr,
        " on %zu worker%s (estimated from finished units for %zu, from a pilot run for %zu)\n",
        forecast->workers, forecast->workers == 1 ? "" : "s", forecast->from_units,
        forecast->from_pilot);
    (void)fflush(stderr);
}

static void draw_bar(cli_progress *progress, double now, size_t done, size_t total) {
    enum { WIDTH = 24 };
    char bar[3 * WIDTH + 1];
    (void)cli_bar(bar, WIDTH, (double)done / (double)total);
    (void)fprintf(stderr, "\r\033[K%s %s%*s %zu/%zu", progress->label, bar,
                  (int)(WIDTH - cli_columns(bar)), "", done, total);
    print_left(progress, now, done, total);
    (void)fflush(stderr);
    progress->drawn = now;
    progress->shown = true;
}

static void print_line(cli_progress *progress, double now, size_t done, size_t total) {
    (void)fprintf(stderr, "%s: %zu of %zu done (%.0f %%) after ", progress->label, done, total,
                  100 * (double)done / (double)total);
    print_duration(now - progress->started);
    print_left(progress, now, done, total);
    (void)fprintf(stderr, "\n");
    (void)fflush(stderr);
    progress->next_line = now + BETWEEN_LINES;
}

int cli_progress_update(void *context, size_t done, size_t total) {
    cli_progress *progress = context;
    const double now = cli_seconds();
    if (!progress->running) {
        progress->running = true;
        progress->first = done;
        progress->started = now;
        progress->next_line = now + FIRST_LINE;
    }
    if (total == 0) {
        if (cli_is_terminal(stderr) && now - progress->drawn > 0.1) {
            (void)fprintf(stderr, "\r\033[K%s: %zu so far", progress->label, done);
            (void)fflush(stderr);
            progress->drawn = now;
            progress->shown = true;
        }
        return interrupted != 0;
    }
    if (!cli_is_terminal(stderr)) {
        if (now >= progress->next_line && done < total) {
            print_line(progress, now, done, total);
        }
    } else if (now - progress->drawn > 0.1 || done == total) {
        draw_bar(progress, now, done, total);
    }
    return interrupted != 0;
}

void cli_progress_end(cli_progress *progress) {
    if (progress->shown) {
        (void)fprintf(stderr, "\r\033[K");
        progress->shown = false;
    }
}
