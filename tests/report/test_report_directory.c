/* The directory of a report: what is written there, removed, shown and left alone. */
#include "report/report_sample.h"
#include "base/memory.h"
#include "study/study_type.h"

CLAIM(a_directory_of_studies_gives_one_page_in_the_papers_order) {
    without_gnuplot();
    const char *directory = place("all");
    char table1[] = "table1", other[] = "table3", figure3a[] = "figure3a";
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
    (void)snprintf(path, sizeof path, "%s/figure4.json", directory);
    stream = fopen(path, "w");
    (void)fputs("{\"study\": ", stream);
    (void)fclose(stream);
    EXPECT(xp_report_write(&results[0], directory, NULL) == XP_OK);
    const char *page = contents(directory, "index.html");
    const char *const order[] = {"<section id=\"figure2\">", "<section id=\"figure3a\">",
                                 "<section id=\"table1\">", "<section id=\"table3\">"};
    const char *at = page;
    for (size_t i = 0; i < 4; i++) {
        at = at != NULL ? strstr(at, order[i]) : NULL;
        EXPECT(at != NULL);
    }
    EXPECT(occurrences(page, "<section") == 4);
    EXPECT_TEXT(page, "model.json&#39; is named after neither a study");
    EXPECT_TEXT(page, "figure4.json&#39; line 1");
}

CLAIM(files_beside_the_page_that_are_not_ours_are_not_taken_over) {
    without_gnuplot();
    const char *directory = place("foreign");
    const xp_study_result result = figure2();
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    char path[300];
    (void)snprintf(path, sizeof path, "%s/table1.json", directory);
    FILE *stream = fopen(path, "w");
    (void)fputs("{\"study\":\"table1\",\"title\":\"t\",\"scale\":\"s\",\"rows\":[],\"series\":[{"
                "\"agent\":\"a\",\"panel\":\"p\",\"x_label\":\"x\",\"y_label\":\"y\","
                "\"x\":[1,2],\"y\":[1]}],\"version\":\"0\"}",
                stream);
    (void)fclose(stream);
    static char study[] = "table2", title[] = "Other";
    const xp_study_result other = sample(study, title);
    (void)snprintf(path, sizeof path, "%s/figure2.svg", directory);
    stream = fopen(path, "w");
    (void)fputs("<?xml version=\"1.0\"?><svg onload=\"alert(1)\"></svg>", stream);
    (void)fclose(stream);
    EXPECT(xp_report_write(&other, directory, NULL) == XP_OK);
    const char *page = contents(directory, "index.html");
    EXPECT(!has(page, "onload"));
    EXPECT_TEXT(page, "is not one that ExPerior wrote");
    EXPECT_TEXT(page, "table1.json&#39; is not the result of study &#39;table1&#39;");
    EXPECT(occurrences(page, "<section") == 2);
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

CLAIM(a_link_in_the_place_of_a_file_is_refused_and_what_it_leads_to_is_left_alone) {
    without_gnuplot();
    const char *const files[] = {"figure2.json", "figure2.csv", "index.html"};
    char target[300];
    (void)snprintf(target, sizeof target, "%s", place("linked"));
    FILE *stream = fopen(target, "w");
    EXPECT(fputs("another's", stream) >= 0 && fclose(stream) == 0);
    for (size_t i = 0; i < 3; i++) {
        const char *directory = place(files[i]);
        (void)mkdir(directory, 0777);
        char path[300];
        (void)snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        EXPECT(symlink(target, path) == 0);
        const xp_study_result result = figure2();
        xp_error error;
        EXPECT(xp_report_write(&result, directory, &error) == XP_ERR_FILE);
        EXPECT_TEXT(error.message, path);
        EXPECT_TEXT(error.message, "it is not a regular file");
    }
    EXPECT_TEXT(contents(claim_directory(), "linked"), "another's");
}

/* A file of the directory, with a word in it. */
static void put_file(const char *directory, const char *name) {
    char path[300];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *stream = fopen(path, "w");
    EXPECT(stream != NULL && fputs("old", stream) >= 0 && fclose(stream) == 0);
}

CLAIM(files_of_earlier_numbers_do_not_stay_beside_later_ones) {
    without_gnuplot();
    const char *directory = place("stale");
    const xp_study_value value = {
        .key = "k", .agent = "a", .group = "g", .measure = "m", .problem = 1, .value = 2};
    xp_study_result result = figure2();
    result.values = (xp_study_value *)&value;
    result.value_count = 1;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    EXPECT_TEXT(contents(directory, "figure2-runs.csv"), "k,a,g,m,1,,2\r\n");
    put_file(directory, "figure2-aggregates.csv");
    put_file(directory, "table1-runs.csv"); /* another study's */
    put_file(directory, "figure2.svg");
    result.value_count = 0;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    const char *const gone[] = {"figure2-runs.csv", "figure2-aggregates.csv", "figure2.svg"};
    for (size_t i = 0; i < 3; i++) {
        EXPECT(contents(directory, gone[i]) == NULL);
    }
    EXPECT(contents(directory, "table1-runs.csv") != NULL);
}

CLAIM(the_page_shows_sweeps_whose_files_are_beside_their_results_and_how_they_were_made) {
    without_gnuplot();
    const char *directory = place("sweeps");
    static char one[] = "one", two[] = "two", odd[] = "odd", scale[] = "sweep";
    static char title[] = "Sweep: one";
    xp_study_result result = sample(odd, title);
    result.scale = scale;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    result.study = one;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    put_file(directory, "one.sweep");
    put_file(directory, "two.sweep");
    result.study = two;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    const xp_study_result study = figure2();
    EXPECT(xp_report_write(&study, directory, NULL) == XP_OK);
    const char *page = contents(directory, "index.html");
    const char *const order[] = {
        "<section id=\"figure2\">", "<section id=\"one\">",
        "<h2>Sweep: one</h2>",      "<code>experior sweep DIR/one.sweep -o DIR</code>",
        "<section id=\"two\">",     "odd.json&#39; is named after neither a study"};
    expect_order(page, order, sizeof order / sizeof order[0]);
    EXPECT(occurrences(page, "<section") == 3 && occurrences(page, "<p>Not shown: ") == 1);
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
        EXPECT_TEXT(error.message, "cannot be the name of a study");
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
