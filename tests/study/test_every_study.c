/* Every registered study at the smallest scale: numbers, not their size, are what can be wrong. All
 * claims share one store, so that each study is computed once; and values of single runs, of which
 * the rows are made. */
#include "claim.h"
#include "report/report_sample.h"
#include "study/same_study.h"

#include "experior/report.h"
#include "experior/catalogue.h"

#include <sqlite3.h>

static xp_study_options smoke(const char *name, char *path) {
    (void)snprintf(path, 256, "%s/%s", claim_directory(), name);
    xp_study_options options = xp_study_options_default();
    options.scale = "smoke";
    options.directory = path;
    options.threads = 2;
    options.seed = 3;
    return options;
}

/* Takes every third unit out of a store, the first among them. */
static void thin(const char *directory) {
    static const char statement[] =
        "DELETE FROM unit WHERE key IN (SELECT key FROM (SELECT key, row_number() OVER "
        "(ORDER BY key) AS place FROM unit) WHERE place % 3 = 1)";
    char path[300];
    (void)snprintf(path, sizeof path, "%s/study.sqlite", directory);
    sqlite3 *database;
    EXPECT(sqlite3_open(path, &database) == SQLITE_OK);
    EXPECT(sqlite3_exec(database, statement, NULL, NULL, NULL) == SQLITE_OK);
    (void)sqlite3_close(database);
}

/* In every study, of which some units are finished: what is reported so far is in the report of the
 * whole too, and nothing is made of what is missing. */
CLAIM(what_is_reported_so_far_is_part_of_the_whole) {
    size_t rows = 0;
    for (size_t i = 0; i < xp_catalogue_count(XP_STUDIES); i++) {
        const char *name = xp_catalogue_get(XP_STUDIES, i).name;
        char path[256];
        xp_study_options options = smoke(name, path);
        xp_study_result *part, *whole, *again;
        xp_error error;
        options.so_far = true;
        EXPECT(xp_study_run(name, &options, &part, &error) == XP_ERR_INPUT && part == NULL);
        EXPECT_TEXT(error.message, "there is nothing to report so far: none of");
        options.so_far = false;
        EXPECT(xp_study_run(name, &options, &whole, NULL) == XP_OK);
        thin(path);
        options.so_far = true;
        EXPECT(xp_study_run(name, &options, &part, NULL) == XP_OK);
        EXPECT(part->units_total == whole->units_total);
        EXPECT(part->units_done >= 1 && part->units_done < part->units_total);
        EXPECT(part->finding_count == 0 && part->row_count < whole->row_count);
        EXPECT_TEXT(part->notes[0], "So far ");
        rows += part->row_count;
        for (size_t row = 0; row < part->row_count; row++) {
            EXPECT(has_row(whole, &part->rows[row]));
        }
        for (size_t series = 0; series < part->series_count; series++) {
            for (size_t point = 0; point < part->series[series].n; point++) {
                EXPECT(!isnan(part->series[series].y[point]));
            }
        }
        xp_study_result_destroy(part);
        options.so_far = false; /* what was missing is computed again: the same report */
        EXPECT(xp_study_run(name, &options, &again, NULL) == XP_OK && same_study(whole, again));
        xp_study_result_destroy(again);
        options.so_far = true; /* all is finished: the same report */
        EXPECT(xp_study_run(name, &options, &again, NULL) == XP_OK && same_study(whole, again));
        xp_study_result_destroy(again);
        options.fresh = true;
        EXPECT(xp_study_run(name, &options, &part, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, "choose one of the two");
        xp_study_result_destroy(whole);
    }
    EXPECT(rows >= 20);
}

CLAIM(every_study_has_a_name_and_a_summary) {
    EXPECT(xp_catalogue_count(XP_STUDIES) >= 5);
    for (size_t i = 0; i < xp_catalogue_count(XP_STUDIES); i++) {
        EXPECT(xp_catalogue_get(XP_STUDIES, i).name[0] != '\0' &&
               xp_catalogue_get(XP_STUDIES, i).summary[0] != '\0');
    }
}

CLAIM(every_study_reports_finite_numbers_sentences_and_the_papers_values) {
    for (size_t i = 0; i < xp_catalogue_count(XP_STUDIES); i++) {
        char path[256];
        const xp_study_options options = smoke(xp_catalogue_get(XP_STUDIES, i).name, path);
        xp_study_result *result = NULL;
        xp_error error = {.message = ""};
        EXPECT(xp_study_run(xp_catalogue_get(XP_STUDIES, i).name, &options, &result, &error) ==
               XP_OK);
        EXPECT_TEXT(error.message, "");
        if (result == NULL) {
            continue;
        }
        size_t from_paper = 0;
        for (size_t row = 0; row < result->row_count; row++) {
            const bool can_be_negative = strstr(result->rows[row].measure, "return") != NULL ||
                                         strstr(result->rows[row].measure, "score") != NULL;
            EXPECT(isfinite(result->rows[row].mean));
            EXPECT(can_be_negative || result->rows[row].mean >= 0);
            from_paper += isfinite(result->rows[row].paper_mean);
        }
        /* A small Deep Sea is not the paper's, and the paper has no rewards on other scales and no
         * other tasks. */
        const char *name = xp_catalogue_get(XP_STUDIES, i).name;
        const bool comparable = strcmp(name, "figure4") != 0 && strcmp(name, "reward_scale") != 0 &&
                                strcmp(name, "elsewhere") != 0;
        EXPECT((from_paper > 0) == comparable && from_paper <= result->row_count);
        EXPECT(result->units_done == result->units_total);
        EXPECT(result->finding_count > 0 && result->note_count > 0);
        for (size_t text = 0; text < result->finding_count; text++) {
            EXPECT(strstr(result->findings[text], "nan") == NULL);
            EXPECT(strchr(result->findings[text], '.') != NULL);
        }
        xp_study_result_destroy(result);
    }
}

/* The mean over problems of the means over their runs; NAN if there are no values.
 * `group` NULL: of all groups. */
static double mean_of(const xp_study_result *result, const xp_study_row *row, const char *group) {
    double sum = 0;
    size_t problems = 0;
    for (size_t i = 0; i < result->value_count;) {
        const xp_study_value *first = &result->values[i];
        double own = 0;
        size_t runs = 0;
        /* Runs of a problem follow each other. */
        for (; i < result->value_count && strcmp(result->values[i].key, first->key) == 0 &&
               strcmp(result->values[i].measure, first->measure) == 0 &&
               strcmp(result->values[i].agent, first->agent) == 0 &&
               strcmp(result->values[i].group, first->group) == 0;
             i++) {
            EXPECT(result->values[i].run == (first->run > 0 ? runs + 1 : 0));
            own += result->values[i].value;
            runs++;
        }
        if (strcmp(first->agent, row->agent) == 0 && strcmp(first->measure, row->measure) == 0 &&
            (group == NULL || strcmp(first->group, group) == 0)) {
            sum += own / (double)runs;
            problems++;
        }
    }
    EXPECT(problems == 0 || problems == row->problems);
    return problems > 0 ? sum / (double)problems : NAN;
}

CLAIM(the_mean_of_a_row_is_that_of_its_runs_in_every_study) {
    for (size_t i = 0; i < xp_catalogue_count(XP_STUDIES); i++) {
        const char *name = xp_catalogue_get(XP_STUDIES, i).name;
        char path[256];
        xp_study_options options = smoke(name, path);
        options.runs = true;
        xp_study_result *result = NULL;
        EXPECT(xp_study_run(name, &options, &result, NULL) == XP_OK);
        size_t checked = 0, acted = 0; /* rows; those of an agent, not of a bound */
        for (size_t j = 0; result != NULL && j < result->row_count; j++) {
            const xp_study_row *row = &result->rows[j];
            const bool mixed = strcmp(row->group, "all (natural mix)") == 0;
            const bool all = strcmp(row->group, "all") == 0 && strcmp(name, "figure3b") != 0;
            acted += row->spec[0] != '\0' && !mixed;
            const double mean = mixed ? NAN : mean_of(result, row, all ? NULL : row->group);
            if (!isnan(mean)) {
                EXPECT_NEAR(mean, row->mean, 1e-12);
                checked++;
            }
        }
        EXPECT(result != NULL && 2 * checked >= acted && checked > 0);
        xp_study_result_destroy(result);
    }
}

CLAIM(values_of_runs_are_a_file_of_their_own_beside_the_report) {
    without_gnuplot();
    xp_study_value values[] = {{"key,1", "a \"b\"", "g", "final regret", 7, 0, 0.1},
                               {"key,2", "a", "g", "return", 8, 2, -1e-300}};
    xp_study_result result = figure2();
    const char *directory = place("values");
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    EXPECT(contents(directory, "figure2-runs.csv") == NULL);
    result.values = values;
    result.value_count = 2;
    EXPECT(xp_report_write(&result, directory, NULL) == XP_OK);
    const char *text = contents(directory, "figure2-runs.csv");
    EXPECT(text != NULL && strcmp(text, "key,agent,group,measure,prior,run,value\r\n"
                                        "\"key,1\",\"a \"\"b\"\"\",g,final regret,7,,0.1\r\n"
                                        "\"key,2\",a,g,return,8,2,-1e-300\r\n") == 0);
}
