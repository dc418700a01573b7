/* xp_study_run: results that do not depend on threads, interruption or being killed. The study used
 * is the quick one of Figure 3b, which takes a fraction of a second. */
#include "claim.h"
#include "house/failing_allocator.h"
#include "study/same_study.h"

#include "experior/study.h"

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
        EXPECT(same_study(first, result));
        xp_study_result_destroy(result);
    }
    EXPECT(first->units_done == 32 && first->units_total == 32);
    EXPECT(first->agent_steps == 32 * 128 * 100); /* 16 problems, 2 agents, 128 tasks, T = 100 */
    xp_study_result_destroy(first);
}

CLAIM(another_seed_gives_other_numbers_in_the_same_file) {
    char path[256];
    xp_study_options options = quick("reference", path);
    xp_study_result *first = reference(), *result;
    options.seed = 4;
    EXPECT(xp_study_run(study, &options, &result, NULL) == XP_OK);
    EXPECT(!same_study(first, result));
    xp_study_result_destroy(result);
    options.seed = 3;
    EXPECT(xp_study_run(study, &options, &result, NULL) == XP_OK);
    EXPECT(same_study(first, result));
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

/* A study of about a second: the first report of progress comes after a hundredth of one, so that
 * it is stopped in the middle on any machine. */
CLAIM(an_interrupted_study_resumes_and_repeats_nothing) {
    static const char longer[] = "figure2";
    char path[256], whole_path[256];
    xp_study_options options = quick("interrupted", path), other = quick("whole", whole_path);
    xp_study_result *result, *whole = NULL;
    xp_error error;
    sqlite3_int64 before, after;
    options.scale = other.scale = "smoke";
    options.threads = 1;
    EXPECT(xp_study_run(longer, &other, &whole, NULL) == XP_OK);
    const size_t units = whole->units_total;
    watch seen = {.stop_from = 1};
    options.progress = look;
    options.progress_context = &seen;
    EXPECT(xp_study_run(longer, &options, &result, &error) == XP_ERR_INTERRUPTED);
    EXPECT(result == NULL);
    EXPECT_TEXT(error.message, "resumes from here");
    const size_t kept = stored_rows(path, &before);
    EXPECT(kept >= seen.last_done && seen.last_done >= 1 && kept < units);

    watch again = {.stop_from = 1000};
    options.progress_context = &again;
    EXPECT(xp_study_run(longer, &options, &result, &error) == XP_OK);
    EXPECT(again.first_done == kept && again.last_done == units);
    EXPECT(same_study(whole, result));
    xp_study_result_destroy(result);
    EXPECT(stored_rows(path, &before) == units);

    /* All is there now: a third run computes nothing. Seconds of a computed unit would differ. */
    watch third = {.stop_from = 1000};
    options.progress_context = &third;
    EXPECT(xp_study_run(longer, &options, &result, &error) == XP_OK);
    EXPECT(third.first_done == units && third.calls == 1);
    EXPECT(stored_rows(path, &after) == units && after == before);
    xp_study_result_destroy(result);

    options.fresh = true;
    watch fresh = {.stop_from = 1000};
    options.progress_context = &fresh;
    EXPECT(xp_study_run(longer, &options, &result, &error) == XP_OK);
    EXPECT(fresh.first_done == 0 && fresh.last_done == units);
    EXPECT(same_study(whole, result));
    xp_study_result_destroy(result);
    xp_study_result_destroy(whole);
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

CLAIM(a_study_of_fewer_problems_is_the_beginning_of_the_whole) {
    char path[256];
    xp_study_options options = quick("fewer_problems", path);
    options.scale = "smoke";
    options.problems = 1;
    xp_study_result *part, *whole;
    xp_error error;
    EXPECT(xp_study_run("table2", &options, &part, &error) == XP_ERR_INPUT && part == NULL);
    EXPECT_TEXT(error.message, "problems is only for studies with states");
    EXPECT(xp_study_run("table3_tuning", &options, &part, NULL) == XP_OK);
    EXPECT(part->units_done == part->units_total && part->row_count > 0);
    for (size_t i = 0; i < part->row_count; i++) {
        EXPECT(part->rows[i].problems == 1);
    }
    options.problems = 0;
    options.so_far = true; /* the units that are there are half of the whole study's */
    EXPECT(xp_study_run("table3_tuning", &options, &whole, NULL) == XP_OK);
    EXPECT(whole->units_done == part->units_total && whole->units_total == 2 * part->units_total);
    EXPECT(whole->row_count == 0);
    xp_study_result_destroy(part);
    xp_study_result_destroy(whole);
}

CLAIM(of_several_studies_those_without_states_are_computed_as_a_whole) {
    static const char *const names[] = {"table2", "table3_tuning"};
    char path[256];
    xp_study_options options = quick("fewer_problems_of_several", path);
    options.scale = "smoke";
    options.problems = 1;
    xp_error error;
    EXPECT(xp_study_compute(names, 1, &options, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "'table2' is a study of bandits");
    EXPECT(xp_study_compute(names, 2, &options, NULL) == XP_OK);
    options.so_far = true;
    for (size_t i = 0; i < 2; i++) {
        options.problems = i;
        xp_study_result *result;
        EXPECT(xp_study_run(names[i], &options, &result, NULL) == XP_OK);
        EXPECT(result->units_done == result->units_total && result->row_count > 0);
        xp_study_result_destroy(result);
    }
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
        EXPECT(same_study(whole, result));
        xp_study_result_destroy(result);

        (void)snprintf(name, sizeof name, "cut_%s", names[i]);
        options = quick(name, path);
        options.scale = "smoke";
        options.threads = 1;
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
        EXPECT(same_study(whole, result));
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
    EXPECT(same_study(whole, result));
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
