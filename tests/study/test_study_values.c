/* Values of single runs: of them the rows of every study are made. */
#include "claim.h"
#include "report/report_sample.h"

#include "experior/report.h"
#include "experior/catalogue.h"

/* The mean over task distributions of the means over their runs; NAN if there are no values.
 * `group` NULL: of all groups. */
static double mean_of(const xp_study_result *result, const xp_study_row *row, const char *group) {
    double sum = 0;
    size_t priors = 0;
    for (size_t i = 0; i < result->value_count;) {
        const xp_study_value *first = &result->values[i];
        double own = 0;
        size_t runs = 0;
        /* Runs of a task distribution follow each other. */
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
            priors++;
        }
    }
    EXPECT(priors == 0 || priors == row->priors);
    return priors > 0 ? sum / (double)priors : NAN;
}

CLAIM(the_mean_of_a_row_is_that_of_its_runs_in_every_study) {
    for (size_t i = 0; i < xp_catalogue_count(XP_STUDIES); i++) {
        const char *name = xp_catalogue_get(XP_STUDIES, i).name;
        if (strcmp(name, "table3") == 0) {
            continue; /* it takes as long as all the others; test_cli_study.py looks at it */
        }
        char directory[256];
        (void)snprintf(directory, sizeof directory, "%s/smoke", claim_directory());
        xp_study_options options = xp_study_options_default();
        options.scale = "smoke";
        options.directory = directory;
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
