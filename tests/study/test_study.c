/* xp_study_run: results that do not depend on threads, interruption or being killed. The study used
 * is the quick one of Figure 3b, which takes a fraction of a second. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "experior/study.h"
#include "experior/catalogue.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char study[] = "figure3b";

static xp_study_options quick(const char *name, char *path) {
    (void)snprintf(path, 256, "%s/%s", claim_directory(), name);
    xp_study_options options = xp_study_options_default();
    options.scale = "quick";
    options.directory = path;
    options.threads = 2;
    options.seed = 3;
    return options;
}

static bool same_numbers(const double *a, const double *b, size_t n) {
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, n * sizeof *a) == 0);
}

/* Every number and sentence, bit for bit; not the seconds. */
static bool same(const xp_study_result *a, const xp_study_result *b) {
    bool equal = a->row_count == b->row_count && a->series_count == b->series_count &&
                 a->note_count == b->note_count && a->finding_count == b->finding_count &&
                 a->agent_steps == b->agent_steps && a->units_total == b->units_total;
    for (size_t i = 0; equal && i < a->row_count; i++) {
        const xp_study_row *x = &a->rows[i], *y = &b->rows[i];
        equal = strcmp(x->agent, y->agent) == 0 && strcmp(x->group, y->group) == 0 &&
                x->priors == y->priors && same_numbers(&x->mean, &y->mean, 1) &&
                same_numbers(&x->se, &y->se, 1) &&
                same_numbers(&x->difference, &y->difference, 1) && x->runs == y->runs &&
                same_numbers(&x->sd_priors, &y->sd_priors, 1) &&
                same_numbers(&x->sd_runs, &y->sd_runs, 1);
    }
    for (size_t i = 0; equal && i < a->series_count; i++) {
        const xp_series *x = &a->series[i], *y = &b->series[i];
        equal = x->n == y->n && same_numbers(x->x, y->x, x->n) && same_numbers(x->y, y->y, x->n) &&
                same_numbers(x->se, y->se, x->n);
    }
    for (size_t i = 0; equal && i < a->finding_count; i++) {
        equal = strcmp(a->findings[i], b->findings[i]) == 0;
    }
    for (size_t i = 0; equal && i < a->note_count; i++) {
        equal = strcmp(a->notes[i], b->notes[i]) == 0;
    }
    return equal;
}

/* The uninterrupted run, made once. */
static xp_study_result *reference(void) {
    static char path[256];
    const xp_study_options options = quick("reference", path);
    xp_study_result *result = NULL;
    xp_error error = {.message = ""};
    EXPECT(xp_study_run(study, &options, &result, &error) == XP_OK);
    EXPECT_TEXT(error.message, "");
    return result;
}

CLAIM(a_study_gives_the_same_bits_for_one_two_and_three_threads) {
    xp_study_result *first = reference();
    for (size_t threads = 1; threads <= 3; threads += 2) {
        char path[256], name[32];
        (void)snprintf(name, sizeof name, "threads%zu", threads);
        xp_study_options options = quick(name, path);
        options.threads = threads;
        xp_study_result *result;
        EXPECT(xp_study_run(study, &options, &result, NULL) == XP_OK);
        EXPECT(same(first, result));
        xp_study_result_destroy(result);
    }
    EXPECT(first->units_done == 32 && first->units_total == 32);
    EXPECT(first->agent_steps == 32 * 128 * 100); /* 16 priors, 2 agents, 128 tasks, T = 100 */
    xp_study_result_destroy(first);
}

CLAIM(another_seed_gives_other_numbers_in_the_same_file) {
    char path[256];
    xp_study_options options = quick("reference", path);
    xp_study_result *first = reference(), *result;
    options.seed = 4;
    EXPECT(xp_study_run(study, &options, &result, NULL) == XP_OK);
    EXPECT(!same(first, result));
    xp_study_result_destroy(result);
    options.seed = 3;
    EXPECT(xp_study_run(study, &options, &result, NULL) == XP_OK);
    EXPECT(same(first, result));
    xp_study_result_destroy(result);
    xp_study_result_destroy(first);
}

/* What a callback saw, and when it is to ask for an end. */
typedef struct watch {
    size_t calls, first_done, last_done, stop_from;
} watch;

static int look(void *context, size_t done, size_t total) {
    watch *seen = context;
    seen->first_done = seen->calls == 0 ? done : seen->first_done;
    seen->last_done = done;
    seen->calls++;
    return done >= seen->stop_from && done <= total;
}

/* Sum of hashes over the stored rows: the same rows, the same number. */
static size_t stored_rows(const char *directory, sqlite3_int64 *fingerprint) {
    char path[300];
    (void)snprintf(path, sizeof path, "%s/study.sqlite", directory);
    sqlite3 *database;
    sqlite3_stmt *statement;
    size_t rows = 0;
    *fingerprint = 0;
    EXPECT(sqlite3_open(path, &database) == SQLITE_OK);
    if (sqlite3_prepare_v2(database, "SELECT numbers FROM unit", -1, &statement, NULL) ==
        SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW) {
            const unsigned char *bytes = sqlite3_column_blob(statement, 0);
            uint64_t hash = 0;
            for (int i = 0; i < sqlite3_column_bytes(statement, 0); i++) {
                hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
            }
            *fingerprint = (sqlite3_int64)((uint64_t)*fingerprint + hash);
            rows++;
        }
        (void)sqlite3_finalize(statement);
    }
    (void)sqlite3_close(database);
    return rows;
}

/* Stops a run of the study in the middle and returns the number of units kept. The run takes a few
 * hundredths of a second, so a stop may come too late: then another run, in another folder. */
static size_t stop_in_the_middle(xp_study_options *options, char *path) {
    size_t kept = 32;
    for (int turn = 0; turn < 100 && kept == 32; turn++) {
        char name[32];
        (void)snprintf(name, sizeof name, "interrupted-%d", turn);
        *options = quick(name, path);
        watch seen = {.stop_from = 1};
        options->threads = 1;
        options->progress = look;
        options->progress_context = &seen;
        xp_study_result *result;
        xp_error error;
        EXPECT(xp_study_run(study, options, &result, &error) == XP_ERR_INTERRUPTED);
        EXPECT(result == NULL);
        EXPECT_TEXT(error.message, "goes on from here");
        sqlite3_int64 fingerprint;
        kept = stored_rows(path, &fingerprint);
        EXPECT(kept >= seen.last_done && seen.last_done >= 1);
    }
    return kept;
}

CLAIM(an_interrupted_study_resumes_and_repeats_nothing) {
    char path[256];
    xp_study_options options;
    const size_t kept = stop_in_the_middle(&options, path);
    EXPECT(kept < 32);

    xp_study_result *result, *whole = reference();
    xp_error error;
    sqlite3_int64 before, after;
    watch again = {.stop_from = 1000};
    options.progress_context = &again;
    EXPECT(xp_study_run(study, &options, &result, &error) == XP_OK);
    EXPECT(again.first_done == kept && again.last_done == 32);
    EXPECT(same(whole, result));
    xp_study_result_destroy(result);
    EXPECT(stored_rows(path, &after) == 32);

    /* All is there now: a third run computes nothing. Seconds of a computed unit would differ. */
    before = after;
    watch third = {.stop_from = 1000};
    options.progress_context = &third;
    EXPECT(xp_study_run(study, &options, &result, &error) == XP_OK);
    EXPECT(third.first_done == 32 && third.calls == 1);
    EXPECT(stored_rows(path, &after) == 32 && after == before);
    xp_study_result_destroy(result);

    options.fresh = true;
    watch fresh = {.stop_from = 1000};
    options.progress_context = &fresh;
    EXPECT(xp_study_run(study, &options, &result, &error) == XP_OK);
    EXPECT(fresh.first_done == 0 && fresh.last_done == 32);
    EXPECT(same(whole, result));
    xp_study_result_destroy(result);
    xp_study_result_destroy(whole);
}

static int stop_halfway(void *context, size_t done, size_t total) {
    (void)context;
    return 2 * done >= total;
}

static bool has_row(const xp_study_result *result, const xp_study_row *wanted) {
    for (size_t i = 0; i < result->row_count; i++) {
        const xp_study_row *row = &result->rows[i];
        if (strcmp(row->agent, wanted->agent) == 0 && strcmp(row->group, wanted->group) == 0 &&
            strcmp(row->measure, wanted->measure) == 0 &&
            memcmp(&row->mean, &wanted->mean, sizeof row->mean) == 0) {
            return true;
        }
    }
    return false;
}

/* In every study, of which some units are finished: what is reported so far is in the report of the
 * whole too, and nothing is made of what is missing. */
CLAIM(what_is_reported_so_far_is_part_of_the_whole) {
    size_t partial = 0, rows = 0; /* a short study may be through before it can be stopped */
    for (size_t i = 0; i < xp_catalogue_count(XP_STUDIES); i++) {
        const char *name = xp_catalogue_get(XP_STUDIES, i).name;
        char path[256];
        xp_study_options options = quick(name, path);
        xp_study_result *part, *whole;
        xp_error error;
        options.scale = "smoke";
        options.so_far = true;
        EXPECT(xp_study_run(name, &options, &part, &error) == XP_ERR_INPUT && part == NULL);
        EXPECT_TEXT(error.message, "there is nothing to report so far: none of");
        options.so_far = false;
        options.threads = 1;
        options.progress = stop_halfway;
        (void)xp_study_run(name, &options, &part, NULL);
        xp_study_result_destroy(part);
        options.so_far = true;
        EXPECT(xp_study_run(name, &options, &part, NULL) == XP_OK);
        options.so_far = false;
        options.progress = NULL;
        EXPECT(xp_study_run(name, &options, &whole, NULL) == XP_OK);
        EXPECT(part->units_total == whole->units_total);
        EXPECT(part->units_done >= 1);
        if (part->units_done < part->units_total) {
            EXPECT(part->finding_count == 0 && part->row_count < whole->row_count);
            EXPECT_TEXT(part->notes[0], "So far ");
            partial++;
            rows += part->row_count;
        }
        for (size_t row = 0; row < part->row_count; row++) {
            EXPECT(has_row(whole, &part->rows[row]));
        }
        for (size_t series = 0; series < part->series_count; series++) {
            for (size_t point = 0; point < part->series[series].n; point++) {
                EXPECT(!isnan(part->series[series].y[point]));
            }
        }
        options.so_far = true; /* all is finished: the same report */
        xp_study_result_destroy(part);
        EXPECT(xp_study_run(name, &options, &part, NULL) == XP_OK);
        EXPECT(same(whole, part));
        options.fresh = true;
        xp_study_result_destroy(part);
        EXPECT(xp_study_run(name, &options, &part, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, "choose one of the two");
        xp_study_result_destroy(whole);
    }
    EXPECT(partial >= 5 && rows >= 20);
}

CLAIM(one_agent_of_a_study_can_be_run_alone) {
    char path[256];
    xp_study_options options = quick("one_agent", path);
    xp_study_result *part, *other, *whole;
    xp_error error;
    options.scale = "smoke";
    options.only = "bernoulli oracle_ts no_such_agent";
    EXPECT(xp_study_run("table2", &options, &part, &error) == XP_ERR_INPUT && part == NULL);
    EXPECT_TEXT(error.message, "no unit of the study has all of 'bernoulli oracle_ts no_such_ag");
    options.only = " bernoulli  naive_ts:";
    EXPECT(xp_study_run("table2", &options, &part, NULL) == XP_OK);
    EXPECT(part->units_done > 0 && part->units_done < part->units_total && part->row_count > 0);
    EXPECT(part->finding_count == 0);
    for (size_t row = 0; row < part->row_count; row++) {
        EXPECT(strncmp(part->rows[row].spec, "naive_ts:", 9) == 0);
    }
    options.only = "oracle_ts";
    options.fresh = true; /* of these alone */
    EXPECT(xp_study_run("table2", &options, &other, NULL) == XP_OK);
    EXPECT(other->units_done > part->units_done);
    options.only = NULL;
    options.fresh = false;
    EXPECT(xp_study_run("table2", &options, &whole, NULL) == XP_OK);
    EXPECT(whole->units_done == whole->units_total && whole->finding_count > 0);
    for (size_t row = 0; row < part->row_count; row++) {
        EXPECT(has_row(whole, &part->rows[row]) && has_row(other, &part->rows[row]));
    }
    xp_study_result_destroy(part);
    xp_study_result_destroy(other);
    xp_study_result_destroy(whole);
}

CLAIM(studies_of_learning_agents_resume_too) {
    static const char *const names[] = {"figure4", "table3_tuning"};
    for (size_t i = 0; i < 2; i++) {
        char whole_path[256], path[256], name[32];
        (void)snprintf(name, sizeof name, "whole_%s", names[i]);
        xp_study_options options = quick(name, whole_path);
        options.scale = "smoke";
        xp_study_result *whole, *result;
        EXPECT(xp_study_run(names[i], &options, &whole, NULL) == XP_OK);
        /* All from the store: the same again, without a unit computed. */
        watch stored = {.stop_from = 1000};
        options.progress = look;
        options.progress_context = &stored;
        EXPECT(xp_study_run(names[i], &options, &result, NULL) == XP_OK);
        EXPECT(stored.calls == 1 && stored.first_done == whole->units_total);
        EXPECT(same(whole, result));
        xp_study_result_destroy(result);

        (void)snprintf(name, sizeof name, "cut_%s", names[i]);
        options = quick(name, path);
        options.scale = "smoke";
        options.threads = 3;
        watch seen = {.stop_from = 3};
        options.progress = look;
        options.progress_context = &seen;
        EXPECT(xp_study_run(names[i], &options, &result, NULL) == XP_ERR_INTERRUPTED);
        sqlite3_int64 fingerprint;
        const size_t kept = stored_rows(path, &fingerprint);
        EXPECT(kept >= 3 && kept < whole->units_total);
        watch again = {.stop_from = 1000};
        options.progress_context = &again;
        EXPECT(xp_study_run(names[i], &options, &result, NULL) == XP_OK);
        EXPECT(again.first_done == kept && again.last_done == whole->units_total);
        EXPECT(same(whole, result));
        xp_study_result_destroy(result);
        xp_study_result_destroy(whole);
    }
}

static void sleep_milliseconds(long milliseconds) {
    const struct timespec time = {.tv_nsec = milliseconds * 1000000};
    (void)nanosleep(&time, NULL);
}

static int kill_self(void *context, size_t done, size_t total) {
    (void)total;
    if (done >= *(const size_t *)context) {
        (void)kill(getpid(), SIGKILL);
    }
    return 0;
}

CLAIM(a_killed_study_resumes_and_gives_the_same_result) {
    char path[256];
    xp_study_options options = quick("killed", path);
    options.threads = 1;
    size_t enough = 1;
    for (long delay = 0; delay <= 90; delay += 45) { /* 0: it kills itself after its first report */
        (void)fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            options.progress = delay == 0 ? kill_self : NULL;
            options.progress_context = &enough;
            xp_study_result *result;
            (void)xp_study_run(study, &options, &result, NULL);
            _exit(0);
        }
        if (delay > 0) {
            sleep_milliseconds(delay);
            (void)kill(child, SIGKILL);
        }
        int status;
        EXPECT(waitpid(child, &status, 0) == child);
        EXPECT(delay > 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    }
    watch seen = {.stop_from = 1000};
    options.progress = look;
    options.progress_context = &seen;
    xp_study_result *result, *whole = reference();
    EXPECT(xp_study_run(study, &options, &result, NULL) == XP_OK);
    EXPECT(seen.first_done >= 1);
    EXPECT(same(whole, result));
    xp_study_result_destroy(result);
    xp_study_result_destroy(whole);
}

CLAIM(a_disk_that_takes_no_more_is_an_error) {
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        char path[256];
        const xp_study_options options = quick("full", path);
        const struct rlimit limit = {8192, 8192}; /* bytes a file may have */
        (void)signal(SIGXFSZ, SIG_IGN);
        (void)setrlimit(RLIMIT_FSIZE, &limit);
        xp_study_result *result;
        xp_error error = {.message = ""};
        const xp_status status = xp_study_run(study, &options, &result, &error);
        _exit(status == XP_ERR_FILE && result == NULL &&
                      strstr(error.message, "study.sqlite': no space left") != NULL
                  ? 0
                  : 1);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

CLAIM(bad_options_are_sentences) {
    char path[256];
    xp_study_options options = quick("bad", path);
    xp_study_result *result;
    xp_error error;
    EXPECT(xp_study_run("figure9", &options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "there is no study 'figure9'");
    options.scale = "huge";
    EXPECT(xp_study_run(study, &options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "scale 'huge'");
    options.scale = "quick";
    options.directory = "";
    EXPECT(xp_study_run(study, &options, &result, &error) == XP_ERR_INPUT);
    options.directory = "/proc/nowhere";
    EXPECT(xp_study_run(study, &options, &result, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "/proc/nowhere");
}

CLAIM(every_study_has_a_name_and_a_summary) {
    EXPECT(xp_catalogue_count(XP_STUDIES) >= 5);
    for (size_t i = 0; i < xp_catalogue_count(XP_STUDIES); i++) {
        EXPECT(xp_catalogue_get(XP_STUDIES, i).name[0] != '\0' &&
               xp_catalogue_get(XP_STUDIES, i).summary[0] != '\0');
    }
}

CLAIM(the_bound_agrees_with_the_papers_points) {
    xp_study_result *result = reference();
    const double wanted[] = {10.76, 34.25, 60.70}; /* the paper's plot at entropy 0.1, 0.5, 1 */
    for (size_t i = 0; i < 3; i++) {
        EXPECT(strcmp(result->rows[i].measure, "bound") == 0);
        EXPECT_NEAR(result->rows[i].mean, wanted[i], 1e-3);
    }
    xp_study_result_destroy(result);
}

CLAIM(a_study_survives_any_allocation_that_fails) {
    char path[256];
    xp_study_options options = quick("memory", path);
    options.threads = 1; /* the failing allocator counts without a lock */
    options.fresh = true;
    xp_status status = XP_ERR_MEMORY;
    size_t failures = 0;
    for (size_t n = 0; status != XP_OK && n < 100000; n += 1 + n / 16) {
        failing_allocator allocator;
        failing_allocator_install(&allocator, n);
        xp_study_result *result;
        status = xp_study_run(study, &options, &result, NULL);
        xp_study_result_destroy(result);
        xp__allocator_install(NULL);
        EXPECT(status == XP_OK || (status == XP_ERR_MEMORY && result == NULL));
        EXPECT(allocator.alive == 0);
        failures += status != XP_OK;
    }
    EXPECT(status == XP_OK && failures > 20);
}

/* Every registered study at the smallest scale: numbers, not their size, are what can be wrong. */
CLAIM(every_study_reports_finite_numbers_sentences_and_the_papers_values) {
    for (size_t i = 0; i < xp_catalogue_count(XP_STUDIES); i++) {
        char directory[160];
        (void)snprintf(directory, sizeof directory, "%s/smoke", claim_directory());
        xp_study_options options = xp_study_options_default();
        options.scale = "smoke";
        options.directory = directory;
        options.seed = 5;
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
            const bool can_be_negative = strstr(result->rows[row].measure, "return") != NULL;
            EXPECT(isfinite(result->rows[row].mean));
            EXPECT(can_be_negative || result->rows[row].mean >= 0);
            from_paper += isfinite(result->rows[row].paper_mean);
        }
        /* A small Deep Sea is not the paper's. */
        const bool comparable = strcmp(xp_catalogue_get(XP_STUDIES, i).name, "figure4") != 0;
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
