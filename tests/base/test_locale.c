/* A host program may have a locale with a decimal comma. Nothing that the library writes, reads or
 * keys its results by changes with it. */
#include "claim.h"

#include "base/file.h"
#include "base/text/text.h"
#include "experior/experior.h"
#include "prior/bandit/prior_type.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes a German locale in a temporary directory (package locales has what it is made of) and
 * enters it. False, and the claims fail, if that cannot be done: they would say nothing. */
static bool enter_comma_locale(void) {
    static bool made = false;
    if (!made) {
        char command[512];
        (void)snprintf(command, sizeof command,
                       "localedef -c -f UTF-8 -i de_DE '%s/de_DE.UTF-8' >/dev/null 2>&1",
                       claim_directory());
        (void)!system(command); /* a warning is an exit status of 1 */
        (void)setenv("LOCPATH", claim_directory(), 1);
        made = true;
    }
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL &&
           strcmp(localeconv()->decimal_point, ",") == 0;
}

static void leave(void) {
    (void)setlocale(LC_ALL, "C");
}

CLAIM(numbers_are_written_and_read_with_a_point) {
    EXPECT(enter_comma_locale());
    char buffer[64];
    (void)snprintf(buffer, sizeof buffer, "%g", 0.5);
    EXPECT_TEXT(buffer, "0,5"); /* else the rest says nothing */
    (void)xp__format(buffer, sizeof buffer, "%g %.2f", 0.5, 1.25);
    EXPECT_TEXT(buffer, "0.5 1.25");
    (void)xp__format_double(buffer, 0.1);
    EXPECT(strcmp(buffer, "0.1") == 0);
    double value = 0;
    EXPECT(xp__parse_double("-2.5e-1", &value) && value == -0.25);
    EXPECT(!xp__parse_double("0,5", &value));
    xp__text text = {.data = NULL};
    xp__text_format(&text, "%g|", 0.5);
    xp__text_fixed(&text, -1.25, 2, "-");
    EXPECT_TEXT(text.data, "0.5|-1.25");
    xp__text_deinit(&text);
    (void)snprintf(buffer, sizeof buffer, "%g", 0.5);
    EXPECT_TEXT(buffer, "0,5"); /* the host's locale is as it was */
    leave();
}

CLAIM(messages_and_parameters_have_a_point) {
    EXPECT(enter_comma_locale());
    xp__params params;
    xp_error error = {.message = ""};
    EXPECT(xp__prior_params_default("max_entropy", &params, &error) == XP_OK);
    EXPECT(xp__params_set_text(&params, "beta", "2.5", &error) == XP_OK);
    EXPECT(xp__params_get(&params, "beta") == 2.5);
    EXPECT(xp__params_set_text(&params, "smoothing", "-0.5", &error) != XP_OK);
    EXPECT_TEXT(error.message, "-0.5");
    EXPECT(xp_error_set(&error, XP_ERR_INPUT, "%g", 0.25) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "0.25");
    leave();
}

static bool same_text(const char *a, const char *b) {
    return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static bool same_words(const xp_study_result *a, const xp_study_result *b) {
    bool same = a->row_count == b->row_count && a->series_count == b->series_count &&
                a->note_count == b->note_count && a->finding_count == b->finding_count &&
                a->picture_count == b->picture_count;
    for (size_t i = 0; same && i < a->row_count; i++) {
        same = same_text(a->rows[i].agent, b->rows[i].agent) &&
               same_text(a->rows[i].spec, b->rows[i].spec) &&
               same_text(a->rows[i].group, b->rows[i].group) &&
               same_text(a->rows[i].measure, b->rows[i].measure);
    }
    for (size_t i = 0; same && i < a->series_count; i++) {
        same = same_text(a->series[i].agent, b->series[i].agent) &&
               same_text(a->series[i].panel, b->series[i].panel);
    }
    for (size_t i = 0; same && i < a->note_count; i++) {
        same = same_text(a->notes[i], b->notes[i]);
    }
    for (size_t i = 0; same && i < a->finding_count; i++) {
        same = same_text(a->findings[i], b->findings[i]);
    }
    for (size_t i = 0; same && i < a->picture_count; i++) {
        same = same_text(a->pictures[i].svg, b->pictures[i].svg);
    }
    return same;
}

static int note_first(void *context, size_t done, size_t total) {
    size_t *first = context;
    *first = *first == SIZE_MAX ? done : *first;
    (void)total;
    return 0;
}

/* The second run finds every unit that the first kept only if its keys are the same. */
CLAIM(studies_have_the_same_keys_rows_and_sentences) {
    static const char *const studies[] = {"figure3a", "figure3b", "table1", "table3"};
    for (size_t i = 0; i < sizeof studies / sizeof studies[0]; i++) {
        char directory[256];
        (void)snprintf(directory, sizeof directory, "%s/%s", claim_directory(), studies[i]);
        size_t first = SIZE_MAX;
        xp_study_options options = xp_study_options_default();
        options.scale = "smoke";
        options.directory = directory;
        xp_study_result *plain = NULL, *comma = NULL;
        EXPECT(xp_study_run(studies[i], &options, &plain, NULL) == XP_OK);
        options.progress = note_first;
        options.progress_context = &first;
        EXPECT(enter_comma_locale());
        EXPECT(xp_study_run(studies[i], &options, &comma, NULL) == XP_OK);
        EXPECT(comma != NULL && plain != NULL && first == plain->units_total);
        EXPECT(comma != NULL && plain != NULL && same_words(plain, comma));
        leave();
        xp_study_result_destroy(plain);
        xp_study_result_destroy(comma);
    }
}

static char *report_of(const xp_study_result *result, const char *name, const char *ending) {
    char directory[256], path[320];
    char *text = NULL;
    size_t bytes;
    (void)snprintf(directory, sizeof directory, "%s/%s", claim_directory(), name);
    (void)snprintf(path, sizeof path, "%s/figure3b.%s", directory, ending);
    (void)xp_report_write(result, directory, NULL);
    EXPECT(xp__file_read(path, 1 << 24, &text, &bytes, NULL) == XP_OK);
    return text;
}

CLAIM(reports_have_the_same_bytes) {
    static const char *const endings[] = {"csv", "json"};
    char directory[256];
    (void)snprintf(directory, sizeof directory, "%s/figure3b", claim_directory());
    xp_study_options options = xp_study_options_default();
    options.scale = "smoke";
    options.directory = directory;
    xp_study_result *result = NULL;
    EXPECT(enter_comma_locale());
    EXPECT(xp_study_run("figure3b", &options, &result, NULL) == XP_OK);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        EXPECT(enter_comma_locale());
        char *comma = report_of(result, "comma", endings[i]);
        leave();
        char *plain = report_of(result, "plain", endings[i]);
        EXPECT(same_text(comma, plain));
        EXPECT_TEXT(plain != NULL ? plain : "", "entropy 0.1");
        xp_release(comma);
        xp_release(plain);
    }
    xp_study_result_destroy(result);
}
