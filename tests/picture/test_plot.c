/* Pictures: labels stay text, any numbers can be drawn, and a gnuplot that is missing or fails is
 * said.
 */
#include "report/report_sample.h"

#define HOSTILE "<script>alert(1)</script>' \"x\" & `touch hit` $(touch hit) @x, y"

CLAIM(labels_are_text_and_nothing_else_in_every_file) {
    with_gnuplot();
    const char *directory = place("hostile");
    char hostile[] = HOSTILE;
    xp_study_row row = {hostile, hostile, hostile, hostile, 3, 1,   0.1, 0.5,
                        0.1,     2,       0.1,     2,       0, NAN, NAN};
    xp_series series = sample_series[1];
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
    xp_study_row rows[8];
    memcpy(rows, sample_rows, sizeof sample_rows);
    rows[6] = rows[0];
    rows[6].group = "all"; /* no panel of curves: in the tables, not in the picture */
    xp_study_result result = figure2();
    result.rows = rows;
    result.row_count = 7;
    xp_error error = {.message = ""};
    EXPECT(xp_report_write(&result, directory, &error) == XP_OK);
    const char *svg = contents(directory, "figure2.svg"), *page = contents(directory, "index.html");
    EXPECT(svg != NULL && strncmp(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39) == 0);
    EXPECT_TEXT(svg, "viewBox=\"0 0 920 ");
    EXPECT_TEXT(svg, "<title>Figure 2: Bayesian regret</title>");
    /* Two panels of bars and two of series, two groups being titles of both. */
    EXPECT(occurrences(svg, ">low entropy<") == 2 && occurrences(svg, ">high entropy<") == 2);
    EXPECT(!has(svg, ">all<") && has(page, ">all<"));
    EXPECT(has(svg, "regret averaged over t") && has(svg, "cumulative regret"));
    EXPECT(occurrences(svg, "<title>") == 1);
    EXPECT(occurrences(svg, " id=") + occurrences(svg, " id='") > 0);
    EXPECT(!has(svg, "#gpPt") && has(svg, "#figure2-gpPt"));
    EXPECT(!has(page, "<svg") && has(page, "<img alt=\"Figure 2: Bayesian regret\" src="));
    const char *shown = picture_in(page, 0);
    EXPECT_TEXT(shown, " viewBox=\"0 34 920 "); /* without the heading */
    /* Both follow the reader's setting; alone it has a ground of its own, in the page the page's.
     */
    EXPECT_TEXT(shown, "@media (prefers-color-scheme:dark)");
    EXPECT_TEXT(shown, "rect[fill='#ffffff']{fill:none}");
    EXPECT_TEXT(svg, "@media (prefers-color-scheme:dark)");
    EXPECT_TEXT(svg, "rect[fill='#ffffff']{fill:#14171c}");
    EXPECT(shown != NULL && svg != NULL &&
           strcmp(strstr(shown, "<title>"), strstr(svg, "<title>")) == 0);
    EXPECT(!has(page, "gnuplot was not found"));
}

CLAIM(numbers_that_cannot_be_drawn_do_not_stop_the_report) {
    with_gnuplot();
    const char *directory = place("awkward");
    double none[] = {NAN, NAN}, same[] = {2, 2}, huge[] = {-1e300, 1e300}, one[] = {INFINITY, 3};
    xp_series series[] = {sample_series[0], sample_series[0], sample_series[2],
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
        {"x", "", "all", "m", 2, NAN, NAN, NAN, NAN, NAN, NAN, 1, 0, NAN, NAN},
        {"y", "", "all", "m", 0, -5, INFINITY, 1, NAN, 0, 0, 1, 0, NAN, NAN},
        {"z", "", "zero", "m", 2, 0, 0, 0, 0, NAN, NAN, 1, 0, NAN, NAN},
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

static xp_status script_of(const xp_study_result *result, xp__text *script) {
    xp__chart_row rows[8];
    const xp__chart chart = xp__report_chart(result, rows);
    return xp__plot_script(&chart, script, NULL);
}

/* The paper's Table 2 spans 0.7 to 546.5, of which a linear axis shows only the last. */
CLAIM(numbers_far_apart_are_drawn_on_a_log_axis) {
    xp_study_row rows[] = {
        {"ExPerior-Param", "", "low", "final regret", 64, 0.7, 0.3, NAN, NAN, 0.7, 1.3, 1, 0, NAN,
         NAN},
        {"Normal prior", "", "low", "final regret", 64, 546.5, 153.4, NAN, NAN, NAN, NAN, 1, 0, NAN,
         NAN},
        {"Gamma prior", "", "mid", "final regret", 64, 30, 5, NAN, NAN, 2, 3, 1, 0, NAN, NAN},
    };
    double steep[] = {0.1, 1, 10, 100};
    xp_series series[] = {sample_series[0], sample_series[0]};
    series[1].y = steep;
    xp_study_result result = figure2();
    result.rows = rows;
    result.row_count = 3;
    result.series_count = 0;
    xp__text script = {.data = NULL};
    EXPECT(script_of(&result, &script) == XP_OK);
    EXPECT_TEXT(script.data, "\nset logscale x\nset xtics (");
    EXPECT_TEXT(script.data, ", 1, '' 2 1, ");
    script.length = 0;
    rows[1].mean = 20;
    EXPECT(script_of(&result, &script) == XP_OK);
    EXPECT(has(script.data, "\nset logscale x"));
    rows[0].mean = rows[0].paper_mean = 2;
    script.length = 0;
    EXPECT(script_of(&result, &script) == XP_OK);
    EXPECT(!has(script.data, "\nset logscale x"));
    script.length = 0;
    result.row_count = 0;
    result.series = series;
    result.series_count = 2;
    EXPECT(script_of(&result, &script) == XP_OK);
    EXPECT_TEXT(script.data, "\nset logscale y");
    EXPECT_TEXT(script.data, "cumulative regret (log scale)");
    xp__text_deinit(&script);
    with_gnuplot();
    xp_error error = {.message = ""};
    EXPECT(xp_report_write(&result, place("log"), &error) == XP_OK);
    result.row_count = 3;
    result.series_count = 0;
    EXPECT(xp_report_write(&result, place("log"), &error) == XP_OK);
    EXPECT(strcmp(error.message, "") == 0);
}

/* Settings of sweeps, three abreast. */
CLAIM(a_title_too_long_for_its_panel_is_broken_after_commas_and_labels_are_whole) {
    static const char agent[] = "experior_maxent:beta=100,lambda=0.1"; /* 35 characters */
    xp_study_row rows[3] = {sample_rows[0], sample_rows[0], sample_rows[0]};
    const char *const groups[] = {"bernoulli_bandit:arms=10, noisily_rational:beta=2, 1000",
                                  "deep_sea, optimal, 10",
                                  "one_word_that_is_longer_than_the_panel"};
    for (size_t i = 0; i < 3; i++) {
        rows[i].agent = agent;
        rows[i].group = groups[i];
    }
    xp_study_result result = figure2();
    result.rows = rows;
    result.row_count = 3;
    result.series_count = 0;
    xp__text script = {.data = NULL};
    EXPECT(script_of(&result, &script) == XP_OK);
    EXPECT_TEXT(script.data, "set title 'bernoulli_bandit:arms=10,'.\"\\n\"."
                             "'noisily_rational:beta=2, 1000' offset");
    EXPECT_TEXT(script.data, "set title 'deep_sea, optimal, 10' offset");
    EXPECT_TEXT(script.data, "set title 'one_word_that_is_longer_than_…' offset");
    /* 7 pixels a character and 20 beside them, of 920. */
    EXPECT_TEXT(script.data, "set lmargin at screen 0.28804\n");
    xp__text_deinit(&script);
    with_gnuplot();
    xp_error error = {.message = ""};
    EXPECT(xp_report_write(&result, place("long"), &error) == XP_OK);
    if (gnuplot_is_there()) {
        EXPECT_TEXT(contents(place("long"), "figure2.svg"), "noisily_rational:beta=2, 1000");
    }
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

CLAIM(series_alone_can_be_drawn_to_a_file) {
    char path[300];
    (void)snprintf(path, sizeof path, "%s", place("alone.svg"));
    xp_error error;
    EXPECT(xp_picture_series(NULL, 0, "nothing", path, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "nothing to draw");
    without_gnuplot();
    EXPECT(xp_picture_series(sample_series, 3, "three", path, &error) == XP_ERR_PROGRAM);
    EXPECT_TEXT(error.message, "gnuplot was not found");
    EXPECT(access(path, F_OK) != 0);
    with_gnuplot();
    if (gnuplot_is_there()) {
        EXPECT(xp_picture_series(sample_series, 3, "three < four", path, &error) == XP_OK);
        EXPECT_TEXT(contents(claim_directory(), "alone.svg"), "<title>three &lt; four</title>");
        EXPECT(xp_picture_series(sample_series, 3, "t", "/nonexistent/x.svg", &error) ==
               XP_ERR_FILE);
    }
}
