/* Reports: numbers survive every format bit for bit, what the page says, and what goes wrong is
 * said. */
#include "report/report_sample.h"
#include "base/memory.h"
#include "study/study_type.h"

#include <gsl/gsl_cdf.h>

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
    xp_series series = sample_series[0];
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
    const char *const keys[] = {"study",       "title",      "scale",       "reference", "rows",
                                "series",      "notes",      "findings",    "pictures",  "seconds",
                                "agent_steps", "units_done", "units_total", "seed",      "version"};
    expect_keys(document, keys, sizeof keys / sizeof keys[0]);
    const char *const row_keys[] = {
        "agent",      "spec",       "group",         "measure", "priors",         "mean",
        "se",         "difference", "difference_se", "degrees", "difference_low", "difference_high",
        "paper_mean", "paper_se"};
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
    const size_t problems[] = {2, 3, 10, 64, 1000};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        const xp_study_row row = {
            .difference = 1.5, .difference_se = 0.25, .degrees = (double)(problems[i] - 1)};
        const double half = 0.25 * gsl_cdf_tdist_Pinv(0.975, (double)(problems[i] - 1));
        double low, high;
        EXPECT(xp__row_interval(&row, &low, &high));
        EXPECT_NEAR(low, 1.5 - half, 1e-9);
        EXPECT_NEAR(high, 1.5 + half, 1e-9);
        EXPECT(xp__row_side(&row) == (1.5 > half));
    }
    const xp_study_row single = {.difference = 1, .difference_se = 1, .degrees = 0};
    double low, high;
    EXPECT(!xp__row_interval(&single, &low, &high) && isnan(low) && isnan(high));
    EXPECT(xp__row_side(&single) == 0);
}

CLAIM(csv_quotes_what_rfc_4180_asks_and_leaves_absent_numbers_empty) {
    without_gnuplot();
    const char *directory = place("csv");
    xp_study_row row = {"a, \"b\"\nc", "spec",   "g",    "m", 3, 0.1, NAN, NAN,
                        NAN,           INFINITY, 1e-300, NAN, 0, NAN, NAN};
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

CLAIM(spreads_of_runs_and_the_reference_are_told_where_there_are_any) {
    without_gnuplot();
    const char *directory = place("runs");
    xp_study_row rows[2] = {sample_rows[1], sample_rows[2]};
    rows[1].runs = 2;
    rows[1].sd_problems = 0.25;
    rows[1].sd_runs = 1.75;
    xp_study_result result = figure2();
    result.rows = rows;
    result.row_count = 2;
    result.reference = "Boot <DQN>";
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    const char *csv = contents(directory, "figure2.csv");
    EXPECT(has(csv, ",paper_mean,paper_se,runs,sd_priors,sd_runs\r\n"));
    EXPECT(has(csv, ",0,,\r\n") && has(csv, ",2,0.25,1.75\r\n"));
    const char *page = contents(directory, "index.html");
    EXPECT(has(page, "Difference<br>from Boot &lt;DQN&gt;</th>") && !has(page, "from Oracle-TS"));
    EXPECT(has(page, "SD between problems") && has(page, "<td>0.25</td><td>1.75</td>"));
    xp__report_study study;
    char path[300];
    (void)snprintf(path, sizeof path, "%s/figure2.json", directory);
    EXPECT(xp__report_read(path, "figure2", &study, NULL) == XP_OK);
    EXPECT(strcmp(study.result.reference, "Boot <DQN>") == 0);
    EXPECT(study.result.rows[0].runs == 0 && study.result.rows[1].runs == 2);
    EXPECT(study.result.rows[1].sd_problems == 0.25 && study.result.rows[1].sd_runs == 1.75);
    xp__report_study_deinit(&study);
    char *table;
    EXPECT(xp_report_table_text(&result, &table, NULL) == XP_OK);
    EXPECT(has(table, "minus Boot <DQN>") && has(table, "0.25 / 1.75"));
    xp_release(table);
}

CLAIM(a_result_read_back_is_the_one_that_was_written) {
    without_gnuplot();
    const char *directory = place("back");
    const xp_study_result result = figure2();
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    char path[300];
    (void)snprintf(path, sizeof path, "%s/figure2.json", directory);
    xp__report_study study;
    EXPECT(xp__report_read(path, "figure2", &study, NULL) == XP_OK);
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
    EXPECT_TEXT(page, "± is the standard error over 10 problems.");
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

/* Where each of some texts begins in the page, in this order. */
CLAIM(a_study_opens_with_its_question_and_answer_then_the_picture_then_the_other_findings) {
    char programs[256];
    (void)snprintf(programs, sizeof programs, "%s", place("opening-program"));
    pretend_gnuplot(programs, "echo '<svg viewBox=\"0 0 920 600\"><g id=\"a\">x</g></svg>'");
    const char *directory = place("opening");
    static char answer[] = "The answer <first>.", other[] = "Another finding.";
    char *told[] = {answer, other};
    xp_study_result result = figure2();
    result.findings = told;
    result.finding_count = 2;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    with_gnuplot();
    const char *page = contents(directory, "index.html");
    const char *const order[] = {
        "<section id=\"figure2\">",
        "<p class=\"lead\"><b>How much regret",
        "?</b> The answer &lt;first&gt;.</p>",
        "<figure>",
        "<div class=\"plot\" tabindex=\"0\">",
        "<img alt=",
        "</div>",
        "<figcaption>",
        "cumulative regret (upwards) against t; final regret (upwards) against bits. ",
        "± one standard error",
        "<p class=\"reading\">",
        "low is below 0.8 bits, high above 1.6",
        "<ul class=\"findings\">\n<li>Another finding.</li>\n</ul>",
        "Shading: the 95 % interval",
        "<table>"};
    expect_order(page, order, sizeof order / sizeof order[0]);
    EXPECT(occurrences(page, "The answer") == 1 && occurrences(page, "Shading: ") == 1);
}

CLAIM(every_study_has_a_question_and_says_how_to_read_it) {
    for (size_t i = 0; i < xp__study_type_count; i++) {
        const xp__study_type *type = xp__study_types[i];
        EXPECT(type->question != NULL && type->question[strlen(type->question) - 1] == '?');
        EXPECT(type->reading != NULL && type->reading[0] != '\0');
    }
}

CLAIM(what_is_wide_scrolls_in_a_box_of_its_own) {
    without_gnuplot();
    const char *directory = place("narrow");
    const xp_study_result result = figure2();
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    const char *page = contents(directory, "index.html");
    EXPECT(occurrences(page, "<table") > 0 &&
           occurrences(page, "<table") ==
               occurrences(page, "<div class=\"wide\" tabindex=\"0\"><table"));
    EXPECT_TEXT(page, ".plot,.wide{overflow-x:auto}");
    EXPECT_TEXT(page, ".plot img{min-width:");
    EXPECT_TEXT(page, "@media (prefers-color-scheme:dark)");
    EXPECT_TEXT(page, "@media (max-width:40rem)");
}

CLAIM(many_groups_become_a_matrix_and_few_do_not) {
    without_gnuplot();
    const char *directory = place("matrix");
    static const char *const groups[] = {"a_b", "c", "d", "e", "f", "g"};
    xp_study_row rows[12];
    for (size_t i = 0; i < 12; i++) {
        rows[i] = (xp_study_row){i < 6 ? "first" : "second",
                                 "",
                                 groups[i % 6],
                                 "final regret",
                                 4,
                                 (double)i,
                                 1,
                                 NAN,
                                 NAN,
                                 50.5,
                                 2,
                                 3,
                                 0,
                                 NAN,
                                 NAN};
    }
    xp_study_result result = figure2();
    result.rows = rows;
    result.row_count = 12;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    const char *page = contents(directory, "index.html");
    EXPECT_TEXT(page, "<table class=\"matrix\">");
    EXPECT_TEXT(page, "<th scope=\"col\">a_<wbr>b</th>");
    EXPECT_TEXT(page,
                "<b>3.00</b><small> ± 1.00</small><small class=\"paper\">[50.5 ± 2.0]</small>");
    rows[5] = rows[11] = rows[0];
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    EXPECT(!has(contents(directory, "index.html"), "<table class=\"matrix\">"));
}

CLAIM(a_studys_own_pictures_are_files_and_stand_in_the_page) {
    without_gnuplot();
    const char *directory = place("film");
    xp_study_picture drawn[] = {
        {"Episode 1 & <first>", "<svg class=\"xpb\"><title>one</title></svg>\n"},
        {"Episode 2", "<svg class=\"xpb\"><title>two</title></svg>\n"},
        {"Episode 3", "<svg class=\"xpb\"><title>three</title></svg>\n"}};
    xp_study_result result = figure2();
    result.pictures = drawn;
    result.picture_count = 3;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    EXPECT_TEXT(contents(directory, "figure2-picture-1.svg"), drawn[0].svg);
    EXPECT_TEXT(contents(directory, "figure2.json"),
                "{\"title\":\"Episode 2\",\"file\":\"figure2-picture-2.svg\"}");
    const char *page = contents(directory, "index.html");
    EXPECT_TEXT(page,
                "<img alt=\"Episode 1 &amp; &lt;first&gt;\" src=\"data:image/svg+xml;base64,");
    EXPECT_TEXT(page, "<figcaption>Episode 1 &amp; &lt;first&gt;</figcaption>");
    EXPECT(!has(page, "<svg"));
    for (size_t i = 0; i < 3; i++) {
        EXPECT_TEXT(picture_in(page, i), drawn[i].svg);
    }
    /* A result with fewer leaves none behind. */
    result.picture_count = 1;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    EXPECT(contents(directory, "figure2-picture-1.svg") != NULL);
    EXPECT(contents(directory, "figure2-picture-2.svg") == NULL);
    EXPECT(contents(directory, "figure2-picture-3.svg") == NULL);
    EXPECT(occurrences(contents(directory, "index.html"), "<figcaption>Episode") == 1);
    /* One that was taken away is missed in the page and is no error. */
    char path[300];
    (void)snprintf(path, sizeof path, "%s/figure2-picture-1.svg", directory);
    EXPECT(unlink(path) == 0);
    static char other[] = "table1", title[] = "Table 1";
    const xp_study_result second = sample(other, title);
    EXPECT(xp_report_write(&second, directory, NULL) == XP_OK);
    EXPECT_TEXT(contents(directory, "index.html"), "The file of this picture is missing");
    result.picture_count = 0;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    EXPECT(!has(contents(directory, "index.html"), "class=\"film\""));
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
                        "regret averaged over t, low (10 problems)\n"
                        "  agent                       mean ± SE       [paper]  minus Oracle-TS\n"
                        "  Oracle-TS                 3.57 ± 0.48        [1.68]\n"
                        "  ExPerior-MaxEnt (β = ∞)   3.48 ± 0.47       [10.66]   −0.09 ± 0.15\n"
                        "  Naive-TS                 15.20 ± 0.90  [29.6 ± 3.0]  +11.63 ± 0.80 *\n"
                        "\n"
                        "regret averaged over t, high (10 problems)\n"
                        "  agent                       mean ± SE       [paper]  minus Oracle-TS\n"
                        "  Oracle-TS                18.40 ± 1.80       [14.17]\n"
                        "  ExPerior-MaxEnt (β = ∞)  12.50 ± 1.70       [30.77]   −5.90 ± 0.20 *\n"
                        "\n"
                        "final regret, high (10 problems)\n"
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
        const xp__allocator allocator = {limited_reallocate, limited_release, &limit};
        xp__allocator_install(&allocator);
        const xp_status status = whole_report(&result, directory);
        xp__allocator_install(NULL);
        refused = limit.refused;
        EXPECT(status == (refused ? XP_ERR_MEMORY : XP_OK));
    }
    EXPECT(allowed > 50 && allowed < 5000);
    EXPECT_TEXT(picture_in(contents(directory, "index.html"), 0), "figure2-a");
    with_gnuplot();
}
