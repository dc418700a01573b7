/* Reports: numbers survive every format bit for bit, labels stay text everywhere, the page holds
 * all studies of its directory, and what goes wrong is said. */
#include "claim.h"

#include "experior/report.h"
#include "report/report_parts.h"

#include <gsl/gsl_cdf.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOSTILE "<script>alert(1)</script>' \"x\" & `touch hit` $(touch hit) @x, y"

static char usual_path[4096];

__attribute__((constructor)) static void remember_path(void) {
    const char *path = getenv("PATH");
    (void)snprintf(usual_path, sizeof usual_path, "%s", path != NULL ? path : "/usr/bin:/bin");
}

/* A fresh directory for one claim; the string is valid until the next call. */
static const char *place(const char *name) {
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", claim_directory(), name);
    return path;
}

/* The contents of DIR/NAME, or NULL; valid until the third next call. */
static const char *contents(const char *directory, const char *name) {
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

static bool has(const char *text, const char *part) {
    return text != NULL && strstr(text, part) != NULL;
}

static size_t occurrences(const char *text, const char *part) {
    size_t count = 0;
    for (const char *p = text; p != NULL && (p = strstr(p, part)) != NULL; p++) {
        count++;
    }
    return count;
}

static bool gnuplot_is_there(void) {
    const bool there = system("gnuplot --version >/dev/null 2>&1") == 0;
    if (!there) {
        printf("  gnuplot is not installed: pictures are not checked here\n");
    }
    return there;
}

/* Puts an executable named gnuplot, with this text, alone on the path. */
static void pretend_gnuplot(const char *directory, const char *script) {
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
     NAN},
    {"ExPerior-MaxEnt (β = ∞)", "experior_maxent", "low", "regret averaged over t", 10, 3.48, 0.47,
     -0.09, 0.15, 10.663, NAN},
    {"Naive-TS", "naive_ts", "low", "regret averaged over t", 10, 15.2, 0.9, 11.63, 0.8, 29.6, 3.0},
    {"Oracle-TS", "oracle_ts", "high", "regret averaged over t", 10, 18.4, 1.8, NAN, NAN, 14.167,
     NAN},
    {"ExPerior-MaxEnt (β = ∞)", "experior_maxent", "high", "regret averaged over t", 10, 12.5, 1.7,
     -5.9, 0.2, 30.766, NAN},
    {"Naive-TS", "naive_ts", "high", "final regret", 10, 27.3, 2, 8.9, 0.9, NAN, NAN},
};
static xp_study_series sample_series[] = {
    {"Oracle-TS", "low entropy", "t", "cumulative regret", false, 4, curve_x, curve_y, curve_se, 0,
     NULL, NULL, NULL},
    {"Naive-TS", "low entropy", "t", "cumulative regret", false, 4, curve_x, cloud_y, NULL, 4,
     curve_x, curve_y, NULL},
    {"Oracle-TS", "high entropy", "bits", "final regret", true, 4, curve_x, cloud_y, NULL, 4,
     curve_x, curve_y, NULL},
};
static char note[] = "± is the standard error over 10 priors.",
            finding[] = "ExPerior-MaxEnt equals the Oracle.";
static char *notes[] = {note}, *findings[] = {finding};

static xp_study_result sample(char *study, char *title) {
    static char scale[] = "quick";
    return (xp_study_result){.study = study,
                             .title = title,
                             .scale = scale,
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

static xp_study_result figure2(void) {
    static char study[] = "figure2", title[] = "Figure 2: Bayesian regret";
    return sample(study, title);
}

static void without_gnuplot(void) {
    (void)setenv("PATH", "/nonexistent", 1);
}

static void with_gnuplot(void) {
    (void)setenv("PATH", usual_path, 1);
}

static double real_at(const json_t *array, size_t index) {
    return json_real_value(json_array_get(array, index));
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

CLAIM(json_holds_every_number_bit_for_bit_and_null_for_what_does_not_apply) {
    without_gnuplot();
    const char *directory = place("json");
    double awkward[] = {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 123456789.123456789};
    double holes[] = {1, NAN, INFINITY, -INFINITY, 5, 6};
    xp_study_series series = sample_series[0];
    series.n = 6;
    series.x = awkward;
    series.y = awkward;
    series.se = holes;
    xp_study_result result = figure2();
    result.series = &series;
    result.series_count = 1;
    result.seed = UINT64_MAX;
    xp_error error;
    EXPECT(xp_report_write(&result, directory, &error) == XP_OK);
    json_t *document = json_loads(contents(directory, "figure2.json"), 0, NULL);
    const json_t *line = json_array_get(json_object_get(document, "series"), 0);
    for (size_t i = 0; i < 6; i++) {
        EXPECT(same_bits(real_at(json_object_get(line, "x"), i), awkward[i]));
        EXPECT(json_is_null(json_array_get(json_object_get(line, "se"), i)) == !isfinite(holes[i]));
    }
    EXPECT(json_is_null(json_object_get(line, "paper_x")));
    const json_t *rows = json_object_get(document, "rows");
    EXPECT(json_array_size(rows) == result.row_count);
    for (size_t i = 0; i < result.row_count; i++) {
        const json_t *row = json_array_get(rows, i);
        EXPECT(same_bits(json_real_value(json_object_get(row, "mean")), sample_rows[i].mean));
        EXPECT(json_is_null(json_object_get(row, "difference")) ==
               isnan(sample_rows[i].difference));
        EXPECT(json_is_null(json_object_get(row, "difference_low")) ==
               isnan(sample_rows[i].difference));
    }
    EXPECT(strcmp(json_string_value(json_object_get(document, "seed")), "18446744073709551615") ==
           0);
    EXPECT(json_integer_value(json_object_get(document, "agent_steps")) == 1234567);
    json_decref(document);
}

static void expect_keys(json_t *object, const char *const *keys, size_t count) {
    size_t i = 0;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        EXPECT(i < count && strcmp(key, keys[i]) == 0);
        i++;
    }
    EXPECT(i == count);
}

CLAIM(json_keys_stand_in_the_documented_order) {
    without_gnuplot();
    const char *directory = place("keys");
    const xp_study_result result = figure2();
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    json_t *document = json_loads(contents(directory, "figure2.json"), 0, NULL);
    const char *const keys[] = {"study",       "title",    "scale",   "rows",        "series",
                                "notes",       "findings", "seconds", "agent_steps", "units_done",
                                "units_total", "seed",     "version"};
    expect_keys(document, keys, sizeof keys / sizeof keys[0]);
    const char *const row_keys[] = {
        "agent",   "spec",       "group",         "measure",        "priors",          "mean",
        "se",      "difference", "difference_se", "difference_low", "difference_high", "paper_mean",
        "paper_se"};
    expect_keys(json_array_get(json_object_get(document, "rows"), 0), row_keys,
                sizeof row_keys / sizeof row_keys[0]);
    EXPECT(json_integer_value(json_object_get(document, "seed")) == 7);
    json_decref(document);
}

CLAIM(two_reports_of_one_result_differ_only_in_seconds) {
    with_gnuplot();
    char first[256], second[256];
    (void)snprintf(first, sizeof first, "%s", place("once"));
    (void)snprintf(second, sizeof second, "%s", place("twice"));
    xp_study_result result = figure2();
    EXPECT(xp_report_write(&result, first, NULL) == XP_OK);
    result.seconds = 99.25;
    EXPECT(xp_report_write(&result, second, NULL) == XP_OK);
    const char *const files[] = {"figure2.csv", "figure2.svg"};
    for (size_t i = 0; i < 2; i++) {
        const char *one = contents(first, files[i]), *two = contents(second, files[i]);
        EXPECT((one == NULL) == (two == NULL) && (one == NULL || strcmp(one, two) == 0));
    }
    const char *one = contents(first, "figure2.json"), *two = contents(second, "figure2.json");
    const char *seconds = strstr(one, "\"seconds\":12.5,");
    EXPECT(seconds != NULL && strncmp(one, two, (size_t)(seconds - one)) == 0);
    EXPECT(has(two, "\"seconds\":99.25,"));
    EXPECT(strcmp(strstr(one, "\"agent_steps\""), strstr(two, "\"agent_steps\"")) == 0);
}

/* Student's quantiles from GSL, an independent implementation. */
CLAIM(the_interval_of_a_difference_is_students) {
    const size_t priors[] = {2, 3, 10, 64, 1000};
    for (size_t i = 0; i < sizeof priors / sizeof priors[0]; i++) {
        const xp_study_row row = {.priors = priors[i], .difference = 1.5, .difference_se = 0.25};
        const double half = 0.25 * gsl_cdf_tdist_Pinv(0.975, (double)(priors[i] - 1));
        double low, high;
        EXPECT(xp__row_interval(&row, &low, &high));
        EXPECT_NEAR(low, 1.5 - half, 1e-9);
        EXPECT_NEAR(high, 1.5 + half, 1e-9);
        EXPECT(xp__row_side(&row) == (1.5 > half));
    }
    const xp_study_row single = {.priors = 1, .difference = 1, .difference_se = 1};
    double low, high;
    EXPECT(!xp__row_interval(&single, &low, &high) && isnan(low) && isnan(high));
    EXPECT(xp__row_side(&single) == 0);
}

CLAIM(csv_quotes_what_rfc_4180_asks_and_leaves_absent_numbers_empty) {
    without_gnuplot();
    const char *directory = place("csv");
    xp_study_row row = {"a, \"b\"\nc", "spec", "g", "m", 3, 0.1, NAN, NAN, NAN, INFINITY, 1e-300};
    xp_study_result result = figure2();
    result.rows = &row;
    result.row_count = 1;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    const char *text = contents(directory, "figure2.csv");
    EXPECT(text != NULL &&
           strcmp(text, "agent,spec,group,measure,priors,mean,se,difference,difference_se,"
                        "difference_low,difference_high,paper_mean,paper_se\r\n"
                        "\"a, \"\"b\"\"\nc\",spec,g,m,3,0.1,,,,,,,1e-300\r\n") == 0);
}

CLAIM(a_result_read_back_is_the_one_that_was_written) {
    without_gnuplot();
    const char *directory = place("back");
    const xp_study_result result = figure2();
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    char path[300];
    (void)snprintf(path, sizeof path, "%s/figure2.json", directory);
    xp__report_study study;
    EXPECT(xp__report_read(path, &study, NULL) == XP_OK);
    xp__text first = {.data = NULL}, second = {.data = NULL};
    EXPECT(xp__report_json(&result, &first, NULL) == XP_OK);
    EXPECT(xp__report_json(&study.result, &second, NULL) == XP_OK);
    EXPECT(strcmp(first.data, second.data) == 0);
    EXPECT(study.result.seed == 7 && strcmp(study.version, xp_version()) == 0);
    xp__text_deinit(&first);
    xp__text_deinit(&second);
    xp__report_study_deinit(&study);
}

CLAIM(the_page_holds_findings_numbers_notes_and_the_command) {
    without_gnuplot();
    const char *directory = place("page");
    const xp_study_result result = figure2();
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    const char *page = contents(directory, "index.html");
    EXPECT_TEXT(page, "ExPerior-MaxEnt equals the Oracle.");
    EXPECT_TEXT(page, "± is the standard error over 10 priors.");
    EXPECT_TEXT(page, "experior study figure2 --scale quick --seed 7 -o DIR");
    EXPECT_TEXT(page, "1,234,567 agent-steps");
    EXPECT_TEXT(page, "<td>3.48 ± 0.47</td><td class=\"paper\">10.66</td>");
    /* t(0.975; 9) = 2.2622 (tables): −0.09 ± 0.34 contains 0, 11.63 ± 1.81 does not. */
    EXPECT_TEXT(page, "<td class=\"same\">−0.09 ± 0.15</td><td>[−0.43, 0.25]</td>");
    EXPECT_TEXT(page, "<td class=\"above\">+11.63 ± 0.80</td><td>[9.82, 13.44]</td>");
    EXPECT_TEXT(page, "<td class=\"below\">−5.90 ± 0.20</td>");
    EXPECT(strstr(page, "findings") < strstr(page, "<table"));
    EXPECT(!has(page, "<script") && !has(page, "http://") && !has(page, ">nan"));
}

CLAIM(many_groups_become_a_matrix_and_few_do_not) {
    without_gnuplot();
    const char *directory = place("matrix");
    static const char *const groups[] = {"a_b", "c", "d", "e", "f"};
    xp_study_row rows[10];
    for (size_t i = 0; i < 10; i++) {
        rows[i] = (xp_study_row){i < 5 ? "first" : "second",
                                 "",
                                 groups[i % 5],
                                 "final regret",
                                 4,
                                 (double)i,
                                 1,
                                 NAN,
                                 NAN,
                                 50.5,
                                 2};
    }
    xp_study_result result = figure2();
    result.rows = rows;
    result.row_count = 10;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    const char *page = contents(directory, "index.html");
    EXPECT_TEXT(page, "<table class=\"matrix\">");
    EXPECT_TEXT(page, "<th scope=\"col\">a_<wbr>b</th>");
    EXPECT_TEXT(page,
                "<b>3.00</b><small> ± 1.00</small><small class=\"paper\">[50.5 ± 2.0]</small>");
    rows[4] = rows[9] = rows[0];
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    EXPECT(!has(contents(directory, "index.html"), "<table class=\"matrix\">"));
}

CLAIM(a_directory_of_studies_gives_one_page_in_the_papers_order) {
    without_gnuplot();
    const char *directory = place("all");
    char table1[] = "table1", other[] = "another", figure3a[] = "figure3a";
    char title1[] = "Table one", title2[] = "Another study", title3[] = "Figure three a";
    const xp_study_result results[] = {sample(other, title2), sample(table1, title1), figure2(),
                                       sample(figure3a, title3)};
    for (size_t i = 0; i < 4; i++) {
        EXPECT(xp_report_write(&results[i], directory, NULL) == XP_OK);
    }
    char path[300];
    (void)snprintf(path, sizeof path, "%s/model.json", directory);
    FILE *stream = fopen(path, "w");
    (void)fputs("{\"prior\": 1}", stream);
    (void)fclose(stream);
    (void)snprintf(path, sizeof path, "%s/torn.json", directory);
    stream = fopen(path, "w");
    (void)fputs("{\"study\": ", stream);
    (void)fclose(stream);
    EXPECT(xp_report_write(&results[0], directory, NULL) == XP_OK);
    const char *page = contents(directory, "index.html");
    const char *const order[] = {"<section id=\"figure2\">", "<section id=\"figure3a\">",
                                 "<section id=\"table1\">", "<section id=\"another\">"};
    const char *at = page;
    for (size_t i = 0; i < 4; i++) {
        at = at != NULL ? strstr(at, order[i]) : NULL;
        EXPECT(at != NULL);
    }
    EXPECT(occurrences(page, "<section") == 4);
    EXPECT_TEXT(page, "model.json&#39; is not a study&#39;s result");
    EXPECT_TEXT(page, "torn.json&#39; line 1");
}

CLAIM(labels_are_text_and_nothing_else_in_every_file) {
    with_gnuplot();
    const char *directory = place("hostile");
    char hostile[] = HOSTILE;
    xp_study_row row = {hostile, hostile, hostile, hostile, 3, 1, 0.1, 0.5, 0.1, 2, 0.1};
    xp_study_series series = sample_series[1];
    series.agent = series.panel = series.x_label = series.y_label = hostile;
    char *sentences[] = {hostile};
    static char study[] = "hostile";
    xp_study_result result = sample(study, hostile);
    result.scale = hostile;
    result.rows = &row;
    result.series = &series;
    result.row_count = result.series_count = 1;
    result.notes = result.findings = sentences;
    xp_error error = {.message = ""};
    EXPECT(xp_report_write(&result, directory, &error) == XP_OK);
    const char *page = contents(directory, "index.html"), *svg = contents(directory, "hostile.svg");
    EXPECT(!has(page, "<script") && !has(svg, "<script"));
    EXPECT_TEXT(page, "&lt;script&gt;alert(1)&lt;/script&gt;&#39; &quot;x&quot; &amp; `touch hit`");
    EXPECT(access("hit", F_OK) != 0);
    if (gnuplot_is_there()) {
        EXPECT_TEXT(svg, "&lt;script>alert(1)&lt;/script>' \"x\" &amp; `touch hit` $(touch hit)");
        EXPECT(occurrences(svg, "<text") == occurrences(svg, "</text>"));
    }
}

CLAIM(a_picture_stands_alone_and_in_the_page) {
    with_gnuplot();
    if (!gnuplot_is_there()) {
        return;
    }
    const char *directory = place("picture");
    const xp_study_result result = figure2();
    xp_error error = {.message = ""};
    EXPECT(xp_report_write(&result, directory, &error) == XP_OK);
    const char *svg = contents(directory, "figure2.svg"), *page = contents(directory, "index.html");
    EXPECT(svg != NULL && strncmp(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39) == 0);
    EXPECT_TEXT(svg, "viewBox=\"0 0 920 ");
    EXPECT_TEXT(svg, "<title>Figure 2: Bayesian regret</title>");
    /* Two panels of bars and two of series, two groups being titles of both. */
    EXPECT(occurrences(svg, ">low entropy<") == 2 && occurrences(svg, ">high entropy<") == 2);
    EXPECT(has(svg, "regret averaged over t") && has(svg, "cumulative regret"));
    EXPECT(occurrences(svg, "<title>") == 1);
    EXPECT(occurrences(svg, " id=") + occurrences(svg, " id='") > 0);
    EXPECT(!has(svg, "#gpPt") && has(svg, "#figure2-gpPt"));
    EXPECT_TEXT(page, "<svg viewBox=\"0 34 920 ");
    EXPECT(!has(page, "gnuplot was not found"));
}

CLAIM(numbers_that_cannot_be_drawn_do_not_stop_the_report) {
    with_gnuplot();
    const char *directory = place("awkward");
    double none[] = {NAN, NAN}, same[] = {2, 2}, huge[] = {-1e300, 1e300}, one[] = {INFINITY, 3};
    xp_study_series series[] = {sample_series[0], sample_series[0], sample_series[2],
                                sample_series[2], sample_series[0], sample_series[0]};
    double *const xs[] = {none, same, same, none, huge, one};
    static const char *const panels[] = {"a", "b", "c", "d", "e", "f"};
    for (size_t i = 0; i < 6; i++) {
        series[i].panel = panels[i];
        series[i].n = i == 5 ? 1 : 2;
        series[i].x = series[i].y = series[i].se = xs[i];
        series[i].paper_n = 0;
    }
    series[0].paper_n = 2;
    series[0].paper_x = series[0].paper_y = none;
    xp_study_row rows[] = {
        {"x", "", "all", "m", 2, NAN, NAN, NAN, NAN, NAN, NAN},
        {"y", "", "all", "m", 0, -5, INFINITY, 1, NAN, 0, 0},
        {"z", "", "zero", "m", 2, 0, 0, 0, 0, NAN, NAN},
    };
    xp_study_result result = figure2();
    result.series = series;
    result.series_count = 6;
    result.row_count = 0;
    xp_error error = {.message = ""};
    EXPECT(xp_report_write(&result, directory, &error) == XP_OK);
    result.series_count = 0;
    result.rows = rows;
    result.row_count = 3;
    EXPECT(xp_report_write(&result, directory, &error) == XP_OK);
    EXPECT_TEXT(error.message, "");
    result.row_count = 0;
    EXPECT(xp_report_write(&result, directory, &error) == XP_OK);
    EXPECT(contents(directory, "figure2.svg") == NULL);
    EXPECT(!has(contents(directory, "index.html"), "class=\"absent\""));
}

CLAIM(without_gnuplot_the_page_says_so_and_no_old_picture_stays) {
    const char *directory = place("missing");
    (void)mkdir(directory, 0777);
    char path[300];
    (void)snprintf(path, sizeof path, "%s/figure2.svg", directory);
    FILE *stream = fopen(path, "w");
    (void)fputs("<svg>of other numbers</svg>", stream);
    (void)fclose(stream);
    const xp_study_result result = figure2();
    without_gnuplot();
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    EXPECT_TEXT(contents(directory, "index.html"), "gnuplot was not found");
    EXPECT(access(path, F_OK) != 0);
    EXPECT(contents(directory, "figure2.json") != NULL &&
           contents(directory, "figure2.csv") != NULL);
}

CLAIM(a_gnuplot_that_fails_is_quoted_and_the_rest_is_written) {
    char programs[256];
    (void)snprintf(programs, sizeof programs, "%s", place("failing-program"));
    pretend_gnuplot(programs, "echo >&2; echo 'gnuplot> plot x' >&2; echo '         ^' >&2; "
                              "echo '         line 12: undefined variable: x' >&2; exit 1");
    const char *directory = place("failing");
    const xp_study_result result = figure2();
    xp_error error;
    EXPECT(xp_report_write(&result, directory, &error) == XP_ERR_PROGRAM);
    EXPECT(strcmp(error.message, "gnuplot failed: line 12: undefined variable: x") == 0);
    EXPECT_TEXT(contents(directory, "index.html"),
                "gnuplot failed: line 12: undefined variable: x");
    EXPECT(contents(directory, "figure2.csv") != NULL);
    EXPECT(contents(directory, "figure2.svg") == NULL);

    pretend_gnuplot(programs, "exit 3");
    EXPECT(xp_report_write(&result, directory, &error) == XP_ERR_PROGRAM);
    EXPECT_TEXT(error.message, "exit status 3");
    pretend_gnuplot(programs, "kill -9 $$");
    EXPECT(xp_report_write(&result, directory, &error) == XP_ERR_PROGRAM);
    EXPECT_TEXT(error.message, "signal 9");
    pretend_gnuplot(programs, "echo '<svg viewBox=\"0 0 900 600\"> and the disk is full'");
    EXPECT(xp_report_write(&result, directory, &error) == XP_ERR_PROGRAM);
    EXPECT(contents(directory, "figure2.svg") == NULL);
    with_gnuplot();
}

CLAIM(a_directory_that_cannot_be_written_is_named) {
    without_gnuplot();
    const char *file = place("a-file");
    FILE *stream = fopen(file, "w");
    (void)fclose(stream);
    char below[300];
    (void)snprintf(below, sizeof below, "%s/out", file);
    const xp_study_result result = figure2();
    xp_error error;
    EXPECT(xp_report_write(&result, below, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, below);
    EXPECT_TEXT(error.message, "Not a directory");
    EXPECT(xp_report_write(&result, file, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "is not a directory");
}

CLAIM(a_full_disk_is_reported_for_each_file) {
    if (access("/dev/full", W_OK) != 0) {
        return;
    }
    without_gnuplot();
    const char *const files[] = {"figure2.json", "figure2.csv", "index.html"};
    for (size_t i = 0; i < 3; i++) {
        const char *directory = place(files[i]);
        (void)mkdir(directory, 0777);
        char path[300];
        (void)snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        EXPECT(symlink("/dev/full", path) == 0);
        const xp_study_result result = figure2();
        xp_error error;
        EXPECT(xp_report_write(&result, directory, &error) == XP_ERR_FILE);
        EXPECT_TEXT(error.message, path);
        EXPECT_TEXT(error.message, "No space left on device");
    }
}

CLAIM(names_that_leave_the_directory_and_labels_that_are_not_utf8_are_refused) {
    without_gnuplot();
    const char *directory = place("names");
    char *const names[] = {"", "../up", ".hidden", "a b", "x'y"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        xp_study_result result = figure2();
        result.study = names[i];
        xp_error error;
        EXPECT(xp_report_write(&result, directory, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, "cannot name a study");
    }
    EXPECT(access(directory, F_OK) != 0);
    char broken[] = "caf\xe9";
    xp_study_result result = figure2();
    result.title = broken;
    xp_error error;
    EXPECT(xp_report_write(&result, directory, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "a label of study 'figure2' is not UTF-8: 'caf?'");
    EXPECT(contents(directory, "figure2.json") == NULL);
}

CLAIM(an_unfinished_study_says_how_far_it_is) {
    without_gnuplot();
    const char *directory = place("unfinished");
    xp_study_result result = figure2();
    result.units_done = 13;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    EXPECT_TEXT(contents(directory, "index.html"), "Unfinished: 13 of 20 units are done");
}

CLAIM(the_terminal_table_is_aligned_and_marks_differences) {
    const xp_study_result result = figure2();
    char *text = NULL;
    EXPECT(xp_report_table_text(&result, &text, NULL) == XP_OK);
    EXPECT(text != NULL &&
           strcmp(text, "Figure 2: Bayesian regret\n"
                        "\n"
                        "regret averaged over t, low (10 priors)\n"
                        "  agent                       mean ± SE       [paper]  minus Oracle-TS\n"
                        "  Oracle-TS                 3.57 ± 0.48        [1.68]\n"
                        "  ExPerior-MaxEnt (β = ∞)   3.48 ± 0.47       [10.66]   −0.09 ± 0.15\n"
                        "  Naive-TS                 15.20 ± 0.90  [29.6 ± 3.0]  +11.63 ± 0.80 *\n"
                        "\n"
                        "regret averaged over t, high (10 priors)\n"
                        "  agent                       mean ± SE       [paper]  minus Oracle-TS\n"
                        "  Oracle-TS                18.40 ± 1.80       [14.17]\n"
                        "  ExPerior-MaxEnt (β = ∞)  12.50 ± 1.70       [30.77]   −5.90 ± 0.20 *\n"
                        "\n"
                        "final regret, high (10 priors)\n"
                        "  agent                       mean ± SE       [paper]  minus Oracle-TS\n"
                        "  Naive-TS                 27.30 ± 2.00                 +8.90 ± 0.90 *\n"
                        "\n"
                        "* the 95 % interval of the paired difference excludes 0\n") == 0);
    xp_release(text);
    const xp_study_result empty = {.title = (char[]){'x', '\0'}};
    EXPECT(xp_report_table_text(&empty, &text, NULL) == XP_OK);
    EXPECT(strcmp(text, "x\n") == 0);
    xp_release(text);
}

CLAIM(series_alone_can_be_drawn_to_a_file) {
    char path[300];
    (void)snprintf(path, sizeof path, "%s", place("alone.svg"));
    xp_error error;
    EXPECT(xp_report_picture(NULL, 0, "nothing", path, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "nothing to draw");
    without_gnuplot();
    EXPECT(xp_report_picture(sample_series, 3, "three", path, &error) == XP_ERR_PROGRAM);
    EXPECT_TEXT(error.message, "gnuplot was not found");
    EXPECT(access(path, F_OK) != 0);
    with_gnuplot();
    if (gnuplot_is_there()) {
        EXPECT(xp_report_picture(sample_series, 3, "three < four", path, &error) == XP_OK);
        EXPECT_TEXT(contents(claim_directory(), "alone.svg"), "<title>three &lt; four</title>");
        EXPECT(xp_report_picture(sample_series, 3, "t", "/nonexistent/x.svg", &error) ==
               XP_ERR_FILE);
    }
}

typedef struct limited {
    size_t left;
    bool refused;
} limited;

static void *limited_reallocate(void *context, void *block, size_t bytes) {
    limited *limit = context;
    if (limit->left == 0) {
        limit->refused = true;
        return NULL;
    }
    limit->left--;
    return realloc(block, bytes);
}

static void limited_release(void *context, void *block) {
    (void)context;
    free(block);
}

static xp_status whole_report(const xp_study_result *result, const char *directory) {
    xp_error error;
    xp_status status = xp_report_write(result, directory, &error);
    char *text = NULL;
    if (status == XP_OK) {
        status = xp_report_table_text(result, &text, &error);
    }
    xp_release(text);
    return status;
}

/* Sanitizers see leaks and double frees on every path out. */
CLAIM(every_allocation_may_fail_and_the_report_only_says_so) {
    char programs[256];
    (void)snprintf(programs, sizeof programs, "%s", place("quick-program"));
    pretend_gnuplot(programs,
                    "echo '<svg viewBox=\"0 0 920 600\"><g id=\"a\"><title>t</title>x</g></svg>'");
    const char *directory = place("memory");
    const xp_study_result result = figure2();
    size_t allowed = 0;
    for (bool refused = true; refused && allowed < 5000; allowed++) {
        limited limit = {.left = allowed};
        const xp_allocator allocator = {limited_reallocate, limited_release, &limit};
        xp_allocator_install(&allocator);
        const xp_status status = whole_report(&result, directory);
        xp_allocator_install(NULL);
        refused = limit.refused;
        EXPECT(status == (refused ? XP_ERR_MEMORY : XP_OK));
    }
    EXPECT(allowed > 50 && allowed < 5000);
    EXPECT_TEXT(contents(directory, "index.html"), "figure2-a");
    with_gnuplot();
}
