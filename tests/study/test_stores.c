/* Stores and sweeps when memory runs out at any allocation: what reads them, runs them and reports
 * on them. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "experior/aggregate.h"
#include "experior/report.h"
#include "experior/sweep.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* A path in the test's own directory. */
static const char *place(const char *name) {
    static char path[8][512];
    static int next;
    char *made = path[next++ % 8];
    (void)snprintf(made, sizeof path[0], "%s/%s", claim_directory(), name);
    return made;
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(place(name), "w");
    EXPECT(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static const char grid[] = "{\"name\": \"small\", \"environments\": [\"bernoulli_bandit:arms=3\", "
                           "\"bernoulli_bandit:arms=2\"], \"experts\": \"optimal\", "
                           "\"demonstrations\": [5, 9], \"agents\": [{\"name\": \"naive_ucb\", "
                           "\"rho\": [0.5, 1]}, \"behaviour_cloning\"], \"seeds\": [1, 2], "
                           "\"problems\": 2, \"tasks\": 2, \"episodes\": 5, "
                           "\"search\": {\"rounds\": 1, \"problems\": 1}}";
static const char with_file[] =
    "{\"name\": \"shown\", \"environments\": \"deep_sea:size=3\", \"experts\": \"optimal\", "
    "\"demonstrations\": \"shown.csv\", \"agents\": [\"behaviour_cloning\", "
    "\"boot_dqn:members=2,hidden=4,batch=4\"], "
    "\"problems\": 2, \"tasks\": 2, \"episodes\": 4}";

static void write_sweeps(void) {
    write_file("small.json", grid);
    write_file("shown.json", with_file);
    write_file("shown.csv", "demonstration,step,state_position,action\n0,0,0,1\n0,1,4,1\n0,2,8,1\n"
                            "1,0,0,0\n1,1,3,0\n1,2,6,0\n");
}

static xp_status read_sweep(void *context) {
    xp_sweep *sweep = NULL;
    const xp_status status = xp_sweep_load(context, NULL, NULL, &sweep, NULL);
    xp_sweep_destroy(sweep);
    return status;
}

CLAIM(reading_a_sweep_survives_memory_that_runs_out) {
    char path[512];
    write_sweeps();
    (void)strcpy(path, place("small.json"));
    EXPECT(failing_allocator_try(read_sweep, path) > 20);
    (void)strcpy(path, place("shown.json"));
    EXPECT(failing_allocator_try(read_sweep, path) > 20);
}

/* Reads, runs and reports; a report that lacks only its plots is one. */
static xp_status run_sweep(void *context) {
    xp_sweep *sweep = NULL;
    xp_sweep_result *result = NULL;
    xp_study_options options = xp_study_options_default();
    char directory[512];
    (void)snprintf(directory, sizeof directory, "%s/memory", claim_directory());
    options.directory = directory;
    options.threads = 1;
    options.fresh = true;
    xp_status status = xp_sweep_load(context, NULL, NULL, &sweep, NULL);
    if (status == XP_OK) {
        status = xp_sweep_run(sweep, &options, &result, NULL);
    }
    if (status == XP_OK) {
        status = xp_report_sweep(sweep, result, directory, NULL);
        status = status == XP_ERR_PROGRAM ? XP_OK : status;
    }
    xp_sweep_result_destroy(result);
    xp_sweep_destroy(sweep);
    return status;
}

CLAIM(a_sweep_and_its_report_survive_memory_that_runs_out) {
    char path[512];
    write_sweeps();
    EXPECT(setenv("PATH", "", 1) == 0); /* no plots, which take longer than all else */
    (void)strcpy(path, place("small.json"));
    EXPECT(failing_allocator_try(run_sweep, path) > 100);
}

static void fill_store(const char *name, const char *study, uint64_t seed, bool values) {
    xp_study_options options = xp_study_options_default();
    xp_study_result *result = NULL;
    options.scale = "smoke";
    options.directory = place(name);
    options.seed = seed;
    options.runs = values;
    EXPECT(xp_study_run(study, &options, &result, NULL) == XP_OK);
    xp_study_result_destroy(result);
}

static xp_status compare(void *context) {
    char other[512];
    (void)snprintf(other, sizeof other, "%s/after", claim_directory());
    xp_comparison *comparison = NULL;
    const xp_status status = xp_comparison_create(context, other, &comparison, NULL);
    xp_comparison_destroy(comparison);
    return status;
}

CLAIM(a_comparison_survives_memory_that_runs_out) {
    char before[512];
    fill_store("before", "figure3b", 1, false);
    fill_store("after", "figure3b", 1, false);
    (void)strcpy(before, place("before"));
    EXPECT(failing_allocator_try(compare, before) > 20);
}

static xp_status look_into(void *context) {
    xp_store_study found[32];
    xp_store_work work;
    size_t count = 0;
    xp_status status = xp_store_studies(context, found, 32, &count, NULL);
    if (status == XP_OK) {
        status = xp_store_sum(context, found, count, &work, NULL);
    }
    xp_store_contents held;
    return status == XP_OK ? xp_store_describe(context, &held, NULL) : status;
}

CLAIM(looking_into_a_store_survives_memory_that_runs_out) {
    char path[512];
    fill_store("looked", "figure3b", 1, false);
    (void)strcpy(path, place("looked"));
    EXPECT(failing_allocator_try(look_into, path) > 20);
}

static size_t list_of(const char *name, xp_store_study *found) {
    size_t count = 0;
    EXPECT(xp_store_studies(place(name), found, 32, &count, NULL) == XP_OK);
    return count;
}

CLAIM(a_store_that_does_not_know_its_studies_lists_the_same) {
    xp_store_study known[32], found[32];
    char path[600];
    if (claim_instrumented()) {
        return; /* all studies are planned, which takes minutes then and shows nothing new */
    }
    fill_store("forgetful", "figure3b", 1, false);
    fill_store("forgetful", "figure4", 1, false);
    EXPECT(list_of("forgetful", known) == 2);
    sqlite3 *database = NULL;
    (void)snprintf(path, sizeof path, "%s/study.sqlite", place("forgetful"));
    EXPECT(sqlite3_open(path, &database) == SQLITE_OK);
    EXPECT(sqlite3_exec(database, "DROP TABLE study", NULL, NULL, NULL) == SQLITE_OK);
    (void)sqlite3_close(database);
    EXPECT(list_of("forgetful", found) == 2);
    for (size_t i = 0; i < 2; i++) {
        EXPECT(strcmp(known[i].study, found[i].study) == 0 && known[i].seed == found[i].seed);
        EXPECT(strcmp(known[i].scale, found[i].scale) == 0 && strcmp(found[i].scale, "smoke") == 0);
        EXPECT(known[i].units_done == known[i].units_total && found[i].units_done > 0);
    }
    fill_store("forgetful", "figure3b", 1, false); /* such a store is written to as before */
}

/* A result of two agents in two groups, three problems of two runs each. */
static size_t fill(xp_study_value *values) {
    static const char *const agents[] = {"a", "b"}, *const groups[] = {"left", "right"};
    size_t count = 0;
    for (size_t i = 0; i < 24; i++) {
        values[count++] = (xp_study_value){.key = "",
                                           .agent = agents[i / 12],
                                           .group = groups[i / 6 % 2],
                                           .measure = "return",
                                           .problem = i / 2 % 3,
                                           .run = i % 2 + 1,
                                           .value = (double)(i * i % 7)};
    }
    return count;
}

static xp_status aggregate(void *context) {
    const xp_study_result *result = context;
    xp_aggregate_options options = xp_aggregate_options_default();
    xp_aggregates *made = NULL;
    options.resamples = 100;
    xp_status status = xp_aggregates_create(result, &options, &made, NULL);
    if (status == XP_OK) {
        status = xp_report_aggregates(made, "study", claim_directory(), NULL);
    }
    xp_aggregates_destroy(made);
    return status;
}

CLAIM(aggregates_and_their_report_survive_memory_that_runs_out) {
    xp_study_value values[24];
    xp_study_result result = {.reference = "a", .values = values, .value_count = fill(values)};
    EXPECT(failing_allocator_try(aggregate, &result) > 10);
}

CLAIM(a_sum_counts_a_unit_that_two_studies_need_once) {
    xp_store_study found[32];
    xp_store_work one, both, none;
    size_t count = 0;
    xp_error error;
    fill_store("shared", "table1", 1, false);
    fill_store("shared", "table2", 1, false);
    EXPECT(xp_store_studies(place("shared"), found, 32, &count, NULL) == XP_OK && count >= 2);
    size_t separately = 0;
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        EXPECT(xp_store_sum(place("shared"), &found[i], 1, &one, NULL) == XP_OK);
        EXPECT(one.units == found[i].units_done && one.seconds > 0);
        EXPECT(one.fit_seconds >= 0 && one.fit_seconds <= one.seconds);
        separately += one.units;
        seconds += one.seconds;
    }
    EXPECT(xp_store_sum(place("shared"), found, count, &both, NULL) == XP_OK);
    EXPECT(both.units <= separately && both.seconds <= seconds * (1 + 1e-12));
    /* Twice the same study is that study. */
    const xp_store_study twice[] = {found[0], found[0]};
    EXPECT(xp_store_sum(place("shared"), twice, 2, &both, NULL) == XP_OK);
    EXPECT(xp_store_sum(place("shared"), twice, 1, &one, NULL) == XP_OK);
    EXPECT(both.units == one.units && both.seconds == one.seconds);
    EXPECT(xp_store_sum(place("shared"), NULL, 0, &none, NULL) == XP_OK && none.units == 0);
    const xp_store_study unknown = {.study = "figure9", .scale = "smoke"};
    EXPECT(xp_store_sum(place("shared"), &unknown, 1, &none, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "there is no study 'figure9'");
}

static xp_store_contents described(const char *name) {
    xp_store_contents held;
    EXPECT(xp_store_describe(place(name), &held, NULL) == XP_OK);
    return held;
}

static void alter(const char *name, const char *sql) {
    char path[600];
    sqlite3 *database = NULL;
    (void)snprintf(path, sizeof path, "%s/study.sqlite", place(name));
    EXPECT(sqlite3_open(path, &database) == SQLITE_OK);
    EXPECT(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK);
    (void)sqlite3_close(database);
}

CLAIM(what_a_store_holds_is_the_sum_of_its_units_and_what_is_wrong_with_them) {
    xp_store_study found[32];
    xp_store_work sum;
    size_t count = 0;
    EXPECT(described("none").work.units == 0);
    fill_store("held", "figure3b", 1, false);
    fill_store("held", "table2", 1, false);
    EXPECT(xp_store_studies(place("held"), found, 32, &count, NULL) == XP_OK && count == 2);
    EXPECT(xp_store_sum(place("held"), found, count, &sum, NULL) == XP_OK);
    const xp_store_contents all = described("held");
    EXPECT(all.work.units == sum.units && all.outdated == 0 && all.damaged == 0);
    EXPECT(fabs(all.work.seconds - sum.seconds) <= 1e-12 * sum.seconds);
    EXPECT(fabs(all.work.fit_seconds - sum.fit_seconds) <= 1e-12 * sum.seconds);
    alter("held", "UPDATE unit SET numbers = x'00' WHERE key IN (SELECT key FROM unit LIMIT 5)");
    const xp_store_contents fewer = described("held");
    EXPECT(fewer.work.units == sum.units - 5 && fewer.damaged == 5);
}
