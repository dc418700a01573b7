/* report_sample.h: a result in the shape of Figure 2, places to write it to, and a gnuplot that is
 * there, missing or false. Shared by the tests of reports and of pictures. */
#ifndef XP_TESTS_REPORT_REPORT_SAMPLE_H
#define XP_TESTS_REPORT_REPORT_SAMPLE_H

#include "claim.h"

#include "experior/report.h"
#include "report/report_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char usual_path[4096];

__attribute__((constructor)) static void remember_path(void) {
    const char *path = getenv("PATH");
    (void)snprintf(usual_path, sizeof usual_path, "%s", path != NULL ? path : "/usr/bin:/bin");
}

/* A fresh directory for one claim; the string is valid until the next call. */
static inline const char *place(const char *name) {
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", claim_directory(), name);
    return path;
}

/* The contents of DIR/NAME, or NULL; valid until the third next call. */
static inline const char *contents(const char *directory, const char *name) {
    static char *kept[3];
    static size_t turn;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return NULL;
    }
    turn = (turn + 1) % 3;
    free(kept[turn]);
    (void)fseek(stream, 0, SEEK_END);
    const long size = ftell(stream);
    rewind(stream);
    kept[turn] = calloc((size_t)size + 1, 1);
    const size_t got = fread(kept[turn], 1, (size_t)size, stream);
    (void)fclose(stream);
    return got == (size_t)size ? kept[turn] : NULL;
}

static inline bool has(const char *text, const char *part) {
    return text != NULL && strstr(text, part) != NULL;
}

static inline size_t occurrences(const char *text, const char *part) {
    size_t count = 0;
    for (const char *p = text; p != NULL && (p = strstr(p, part)) != NULL; p++) {
        count++;
    }
    return count;
}

/* The index-th picture of a page, decoded, or NULL; valid until the next call. */
static inline const char *picture_in(const char *page, size_t index) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char start[] = "src=\"data:image/svg+xml;base64,";
    static char *kept;
    const char *at = page;
    for (size_t i = 0; at != NULL && i <= index; i++) {
        at = strstr(at + (i > 0), start);
    }
    if (at == NULL) {
        return NULL;
    }
    at += strlen(start);
    free(kept);
    kept = calloc(strcspn(at, "\"") + 1, 1);
    size_t used = 0, bits = 0;
    unsigned word = 0;
    for (; *at != '"' && *at != '='; at++) {
        word = word << 6 | (unsigned)(strchr(digits, *at) - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            kept[used++] = (char)(word >> bits & 0xff);
        }
    }
    return kept;
}

static inline bool gnuplot_is_there(void) {
    const bool there = system("gnuplot --version >/dev/null 2>&1") == 0;
    if (!there) {
        printf("  gnuplot is not installed: pictures are not checked here\n");
    }
    return there;
}

/* Puts an executable named gnuplot, with this text, alone on the path. */
static inline void pretend_gnuplot(const char *directory, const char *script) {
    char path[512];
    (void)mkdir(directory, 0777);
    (void)snprintf(path, sizeof path, "%s/gnuplot", directory);
    FILE *stream = fopen(path, "w");
    (void)fprintf(stream, "#!/bin/sh\n%s\n", script);
    (void)fclose(stream);
    (void)chmod(path, 0755);
    (void)setenv("PATH", directory, 1);
}

static double curve_x[] = {1, 2, 3, 4}, curve_y[] = {0.5, 0.9, 1.2, 1.4},
              curve_se[] = {0.1, 0.1, 0.2, 0.2}, cloud_y[] = {3, 1, 2, 5};

/* In the shape of Figure 2: rows by group, and curves of the same groups. */
static xp_study_row sample_rows[] = {
    {"Oracle-TS", "oracle_ts", "low", "regret averaged over t", 10, 3.57, 0.48, NAN, NAN, 1.681,
     NAN, 9, 0, NAN, NAN},
    {"ExPerior-MaxEnt (β = ∞)", "experior_maxent", "low", "regret averaged over t", 10, 3.48, 0.47,
     -0.09, 0.15, 10.663, NAN, 9, 0, NAN, NAN},
    {"Naive-TS", "naive_ts", "low", "regret averaged over t", 10, 15.2, 0.9, 11.63, 0.8, 29.6, 3.0,
     9, 0, NAN, NAN},
    {"Oracle-TS", "oracle_ts", "high", "regret averaged over t", 10, 18.4, 1.8, NAN, NAN, 14.167,
     NAN, 9, 0, NAN, NAN},
    {"ExPerior-MaxEnt (β = ∞)", "experior_maxent", "high", "regret averaged over t", 10, 12.5, 1.7,
     -5.9, 0.2, 30.766, NAN, 9, 0, NAN, NAN},
    {"Naive-TS", "naive_ts", "high", "final regret", 10, 27.3, 2, 8.9, 0.9, NAN, NAN, 9, 0, NAN,
     NAN},
};
static xp_series sample_series[] = {
    {"Oracle-TS", "low entropy", "t", "cumulative regret", false, 4, curve_x, curve_y, curve_se, 0,
     NULL, NULL, NULL},
    {"Naive-TS", "low entropy", "t", "cumulative regret", false, 4, curve_x, cloud_y, NULL, 4,
     curve_x, curve_y, NULL},
    {"Oracle-TS", "high entropy", "bits", "final regret", true, 4, curve_x, cloud_y, NULL, 4,
     curve_x, curve_y, NULL},
};
static char note[] = "± is the standard error over 10 problems.",
            finding[] = "ExPerior-MaxEnt equals the Oracle.";
static char *notes[] = {note}, *findings[] = {finding};

static inline xp_study_result sample(char *study, char *title) {
    static char scale[] = "quick";
    return (xp_study_result){.study = study,
                             .title = title,
                             .scale = scale,
                             .reference = "Oracle-TS",
                             .seed = 7,
                             .seconds = 12.5,
                             .agent_steps = 1234567,
                             .units_done = 20,
                             .units_total = 20,
                             .rows = sample_rows,
                             .row_count = sizeof sample_rows / sizeof sample_rows[0],
                             .series = sample_series,
                             .series_count = sizeof sample_series / sizeof sample_series[0],
                             .notes = notes,
                             .note_count = 1,
                             .findings = findings,
                             .finding_count = 1};
}

static inline xp_study_result figure2(void) {
    static char study[] = "figure2", title[] = "Figure 2: Bayesian regret";
    return sample(study, title);
}

static inline void without_gnuplot(void) {
    (void)setenv("PATH", "/nonexistent", 1);
}

static inline void with_gnuplot(void) {
    (void)setenv("PATH", usual_path, 1);
}

static inline void expect_order(const char *page, const char *const *texts, size_t count) {
    const char *at = page;
    for (size_t i = 0; i < count; i++) {
        const char *found = at != NULL ? strstr(at, texts[i]) : NULL;
        EXPECT(found != NULL);
        at = found;
    }
}

#endif
