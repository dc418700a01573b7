/* metrics.c: counters that any thread may move. */
#include "serve/protocol/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST_ROUTES = 32, BOUNDS = 12 };

static const int codes[] = {200, 201, 400, 401, 403, 404, 405, 409, 413, 429, 500, 503, 0};
enum { CODES = sizeof codes / sizeof codes[0] }; /* the last stands for all others */
static const double bounds[BOUNDS] = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.015,
                                      0.025,  0.05,  0.1,   0.25,  1,    5}; /* seconds */

struct serve_metrics {
    int64_t started;
    atomic_ullong answered[MOST_ROUTES][CODES]; /* the last route stands for none */
    atomic_ullong within[BOUNDS + 1];
    atomic_ullong total_us;
};

serve_metrics *serve_metrics_create(void) {
    serve_metrics *metrics = calloc(1, sizeof *metrics);
    if (metrics != NULL) {
        metrics->started = serve_now();
    }
    return metrics;
}

void serve_metrics_destroy(serve_metrics *metrics) {
    free(metrics);
}

void serve_metrics_count(serve_metrics *metrics, const serve_route *route, int code,
                         int64_t microseconds) {
    const size_t place = route != NULL ? (size_t)(route - serve_routes) : MOST_ROUTES - 1;
    size_t i = 0;
    while (codes[i] != code && codes[i] != 0) {
        i++;
    }
    atomic_fetch_add_explicit(&metrics->answered[place][i], 1, memory_order_relaxed);
    size_t b = 0;
    while (b < BOUNDS && (double)microseconds * 1e-6 > bounds[b]) {
        b++;
    }
    atomic_fetch_add_explicit(&metrics->within[b], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&metrics->total_us, (unsigned long long)microseconds,
                              memory_order_relaxed);
}

static void write_one(serve_text *text, const char *name, const char *kind, const char *help,
                      double value) {
    serve_text_format(text, "# HELP experior_%s %s\n# TYPE experior_%s %s\nexperior_%s ", name,
                      help, name, kind, name);
    serve_text_number(text, value);
    serve_text_add(text, "\n");
}

static void write_requests(serve_metrics *metrics, serve_text *text) {
    serve_text_add(text, "# HELP experior_requests_total Requests answered.\n"
                         "# TYPE experior_requests_total counter\n");
    for (size_t r = 0; r < MOST_ROUTES; r++) {
        for (size_t c = 0; c < CODES; c++) {
            const unsigned long long count = atomic_load(&metrics->answered[r][c]);
            if (count > 0) {
                char code[16] = "other";
                if (codes[c] > 0) {
                    (void)snprintf(code, sizeof code, "%d", codes[c]);
                }
                const bool known = r < serve_route_count;
                serve_text_format(
                    text, "experior_requests_total{method=\"%s\",route=\"%s\",code=\"%s\"} %llu\n",
                    known ? serve_routes[r].method : "", known ? serve_routes[r].path : "", code,
                    count);
            }
        }
    }
    serve_text_add(text, "# HELP experior_request_seconds Time from request to answer.\n"
                         "# TYPE experior_request_seconds histogram\n");
    unsigned long long sum = 0;
    for (size_t b = 0; b <= BOUNDS; b++) {
        sum += atomic_load(&metrics->within[b]);
        if (b < BOUNDS) {
            serve_text_format(text, "experior_request_seconds_bucket{le=\"%g\"} %llu\n", bounds[b],
                              sum);
        } else {
            serve_text_format(text, "experior_request_seconds_bucket{le=\"+Inf\"} %llu\n", sum);
        }
    }
    serve_text_format(text,
                      "experior_request_seconds_sum %g\nexperior_request_seconds_count %llu\n",
                      (double)atomic_load(&metrics->total_us) * 1e-6, sum);
}

/* Bytes of memory in use. */
static double resident(void) {
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long all = 0, used = 0;
    if (file != NULL) {
        if (fscanf(file, "%lu %lu", &all, &used) != 2) {
            used = 0;
        }
        (void)fclose(file);
    }
    return (double)used * (double)sysconf(_SC_PAGESIZE);
}

void serve_metrics_write(serve_metrics *metrics, serve_figures *figures, size_t connections,
                         serve_text *text) {
    write_requests(metrics, text);
    write_one(text, "decisions_total", "counter", "Decisions acknowledged.",
              (double)atomic_load(&figures->decisions));
    write_one(text, "rewards_total", "counter", "Rewards acknowledged.",
              (double)atomic_load(&figures->rewards));
    write_one(text, "groups_total", "counter", "Transactions committed.",
              (double)atomic_load(&figures->groups));
    write_one(text, "jobs_total", "counter", "Requests that the writer ran.",
              (double)atomic_load(&figures->jobs));
    write_one(text, "commit_seconds_total", "counter", "Time spent in commits.",
              (double)atomic_load(&figures->commit_us) * 1e-6);
    write_one(text, "store_failures_total", "counter", "Groups that the store did not take.",
              (double)atomic_load(&figures->failures));
    write_one(text, "ready", "gauge", "1 if the last group was written.",
              atomic_load(&figures->ready) ? 1 : 0);
    write_one(text, "connections", "gauge", "Open connections.", (double)connections);
    write_one(text, "resident_memory_bytes", "gauge", "Memory in use.", resident());
    write_one(text, "start_time_seconds", "gauge", "When the process started.",
              (double)metrics->started / 1000);
}
