/* The page about a model: what it says, that names cannot become markup, and segments. */
#include "report/report_sample.h"

#include "experior/report.h"

static const char *const hostile[] = {"<script>alert(1)</script>", "\"><img src=x onerror=y>",
                                      "a & b 'c'",
                                      "a very long name that goes on and on and on, "
                                      "far beyond what any row of a page has room for"};

static xp_model *model_of(const char *const *names, const uint64_t *counts, size_t arms) {
    xp_demos *demos = NULL;
    xp_model *model = NULL;
    EXPECT(xp_demos_create(0, arms, &demos, NULL) == XP_OK);
    for (size_t arm = 0; arm < arms; arm++) {
        const uint32_t action = (uint32_t)arm;
        if (counts[arm] > 0) {
            EXPECT(xp_demos_add(demos, NULL, &action, 1, counts[arm], NULL) == XP_OK);
        }
    }
    if (names != NULL) {
        EXPECT(xp_demos_name_actions(demos, names, NULL) == XP_OK);
    }
    EXPECT(xp_model_fit(NULL, NULL, demos, NULL, &model, NULL) == XP_OK);
    xp_demos_destroy(demos);
    return model;
}

static xp_inspection *quick(const xp_model *model) {
    xp_inspect_options options = xp_inspect_options_default();
    options.draws = 200;
    options.tasks = 40;
    options.episodes = 100;
    options.sensitivity_draws = 200;
    options.sensitivity_arms = 8;
    xp_inspection *seen = NULL;
    EXPECT(xp_inspect(model, &options, &seen, NULL) == XP_OK);
    return seen;
}

static const char *page_of(const xp_model *model, const xp_inspection *const *seen,
                           const char *const *names, size_t count) {
    char path[300];
    const char *directory = claim_directory();
    (void)snprintf(path, sizeof path, "%s/page.html", directory);
    xp_error error = {.message = ""};
    EXPECT(xp_report_inspections(model, seen, names, count, path, &error) == XP_OK);
    EXPECT_TEXT(error.message, "");
    return contents(directory, "page.html");
}

CLAIM(a_page_says_all_that_was_found_and_needs_no_other_file) {
    const uint64_t counts[] = {60, 25, 15, 0};
    xp_model *model = model_of(NULL, counts, 4);
    xp_inspection *seen = quick(model);
    const xp_inspection *const one = seen;
    const char *page = page_of(model, &one, NULL, 1);
    const char *const parts[] = {"What the experts chose",
                                 "What the prior believes",
                                 "What it saves",
                                 "How sure is this?",
                                 "What if the experts err",
                                 "First 100 decisions",
                                 "arm 3",
                                 "id=\"never_chosen\"",
                                 "default-src 'none'",
                                 "prefers-color-scheme:dark"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        EXPECT(has(page, parts[i]));
    }
    EXPECT(occurrences(page, "<svg") == 4 && !has(page, "http://") && !has(page, "https://"));
    EXPECT(!has(page, "<script") && !has(page, ">nan") && !has(page, "nan%") && !has(page, "inf%"));
    EXPECT(occurrences(page, "<section") == occurrences(page, "</section>"));
    EXPECT(occurrences(page, "<div") == occurrences(page, "</div>"));
    EXPECT(occurrences(page, "<span") == occurrences(page, "</span>"));
    /* The likeliest arm comes first. */
    EXPECT(strstr(page, "arm 0") < strstr(page, "arm 1"));
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
}

CLAIM(names_are_text_whatever_they_hold) {
    const uint64_t counts[] = {10, 20, 30, 0};
    xp_model *model = model_of(hostile, counts, 4);
    xp_inspection *seen = quick(model);
    const xp_inspection *const both[] = {seen, seen};
    const char *const names[] = {NULL, "</table><script>"};
    const char *page = page_of(model, both, names, 2);
    EXPECT(!has(page, "<script") && !has(page, "<img") && !has(page, "</table><s"));
    EXPECT(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;") && has(page, "a &amp; b"));
    EXPECT(has(page, "far be…") || has(page, "…</bdi>"));
    EXPECT(has(page, "title=\"a very long name that goes on and on and on, far beyond what any row "
                     "of a page has room for\""));
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
}

CLAIM(every_segment_has_a_line_and_the_largest_have_pictures) {
    enum { SEGMENTS = 12 };
    const xp_inspection *seen[SEGMENTS + 1];
    char names[SEGMENTS + 1][16];
    const char *name[SEGMENTS + 1];
    xp_model *model = NULL;
    for (size_t i = 0; i <= SEGMENTS; i++) {
        const uint64_t counts[] = {10 * i + 1, 5};
        xp_model_destroy(model);
        model = model_of(NULL, counts, 2);
        seen[i] = quick(model);
        (void)snprintf(names[i], sizeof names[i], "shop %zu", i);
        name[i] = names[i];
    }
    const char *page = page_of(model, seen, name, SEGMENTS + 1);
    EXPECT(has(page, "Segment by segment") && has(page, "All segments together"));
    for (size_t i = 1; i <= SEGMENTS; i++) {
        char id[32], line[32];
        (void)snprintf(id, sizeof id, "id=\"segment-%zu\"", i);
        (void)snprintf(line, sizeof line, "shop %zu</bdi>", i);
        EXPECT(has(page, id) == (i > SEGMENTS - 8) && has(page, line));
    }
    EXPECT(has(page, "The 8 largest of 12 segments are shown"));
    for (size_t i = 0; i <= SEGMENTS; i++) {
        xp_inspection_destroy((xp_inspection *)seen[i]);
    }
    xp_model_destroy(model);
}

CLAIM(many_arms_are_drawn_in_part_and_listed_in_full) {
    uint64_t counts[200];
    for (size_t k = 0; k < 200; k++) {
        counts[k] = k < 50 ? 200 - k : 0;
    }
    xp_model *model = model_of(NULL, counts, 200);
    xp_inspection *seen = quick(model);
    const xp_inspection *const one = seen;
    EXPECT(seen->sensitivity == NULL);
    const char *page = page_of(model, &one, NULL, 1);
    EXPECT(occurrences(page, "<svg") == 24 && has(page, "176 more arms are not shown"));
    EXPECT(has(page, "arm 199"));
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
}

CLAIM(a_page_that_cannot_be_written_is_an_error_and_leaves_nothing) {
    const uint64_t counts[] = {3, 2};
    xp_model *model = model_of(NULL, counts, 2);
    xp_inspection *seen = quick(model);
    const xp_inspection *const one = seen;
    xp_error error;
    EXPECT(xp_report_inspections(model, &one, NULL, 1, "/nonexistent/page.html", &error) ==
           XP_ERR_FILE);
    EXPECT_TEXT(error.message, "/nonexistent/page.html");
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
}
