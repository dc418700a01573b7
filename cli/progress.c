/* progress.c: the signal flag and the bar. */
#include "progress.h"

#include "output.h"

#include <signal.h>
#include <time.h>

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

double cli_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_progress cli_progress_start(const char *label) {
    struct sigaction action = {.sa_handler = interrupt};
    (void)sigemptyset(&action.sa_mask);
    if (!interrupted) {
        (void)sigaction(SIGINT, &action, NULL);
        (void)sigaction(SIGTERM, &action, NULL);
    }
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

int cli_progress_update(void *context, size_t done, size_t total) {
    cli_progress *progress = context;
    const double now = cli_seconds();
    if (!progress->running) {
        progress->running = true;
        progress->first = done;
        progress->started = now;
    }
    if (cli_is_terminal(stderr) && total > 0 && (now - progress->drawn > 0.1 || done == total)) {
        enum { WIDTH = 24 };
        char bar[3 * WIDTH + 1];
        (void)cli_bar(bar, WIDTH, (double)done / (double)total);
        (void)fprintf(stderr, "\r\033[K%s %s%*s %zu/%zu", progress->label, bar,
                      (int)(WIDTH - cli_columns(bar)), "", done, total);
        if (done > progress->first && done < total) {
            const double rate = (double)(done - progress->first) / (now - progress->started);
            (void)fprintf(stderr, ", ");
            print_duration((double)(total - done) / rate);
            (void)fprintf(stderr, " left");
        }
        (void)fflush(stderr);
        progress->drawn = now;
        progress->shown = true;
    }
    return interrupted != 0;
}

void cli_progress_end(cli_progress *progress) {
    if (progress->shown) {
        (void)fprintf(stderr, "\r\033[K");
        progress->shown = false;
    }
}
