/* Finished units on disk: they come back bit for bit, to those who asked for the very same, and
 * what is not a store of ours is left alone. */
#include "claim.h"

#include "base/file.h"
#include "base/memory.h"
#include "experior/study.h"
#include "run/store.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static xp__unit_result odd_numbers(void) {
    xp__unit_result result = {.regret = 1.0 / 3, .regret_se = NAN, .over_t = -0.0, .steps = 1e15};
    result.seconds = 0x1p-1074;
    result.at[17] = INFINITY;
    return result;
}

static const char *fresh_directory(const char *name, char *path) {
    (void)snprintf(path, 256, "%s/%s", claim_directory(), name);
    return path;
}

/* Runs SQL on the file of a directory. */
static void alter(const char *directory, const char *sql) {
    char path[300];
    (void)snprintf(path, sizeof path, "%s/study.sqlite", directory);
    sqlite3 *database;
    EXPECT(sqlite3_open(path, &database) == SQLITE_OK);
    EXPECT(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK);
    (void)sqlite3_close(database);
}

/* Files a unit under a revision. */
static void file_unit(xp__store *store, const char *key, const char *revision) {
    const xp__unit_result kept = odd_numbers();
    EXPECT(xp__store_begin(store, NULL) == XP_OK);
    EXPECT(xp__store_put(store, key, revision, &kept, NULL, 0, NULL) == XP_OK);
    EXPECT(xp__store_commit(store, NULL) == XP_OK);
}

/* A store with one unit, "key" of seed 1 and revision "0.0". */
static void make_store(const char *path) {
    xp__store *store;
    EXPECT(xp__store_open(path, 1, true, &store, NULL) == XP_OK);
    file_unit(store, "key", "0.0");
    xp__store_close(store);
}

/* What is filed under "key" for a seed and a revision; `status` is of the reading. */
static xp__filed look_up(const char *path, uint64_t seed, const char *revision, xp_status *status,
                         xp_error *error) {
    xp__store *store;
    xp__filed filed;
    xp__unit_result back;
    EXPECT(xp__store_open(path, seed, false, &store, NULL) == XP_OK);
    *status = xp__store_get(store, "key", revision, &filed, &back, NULL, 0, error);
    xp__store_close(store);
    return filed;
}

CLAIM(numbers_come_back_from_the_store_bit_for_bit) {
    char path[256];
    xp__store *store;
    const xp__unit_result kept = odd_numbers();
    xp__unit_result back;
    xp__filed filed;
    const uint64_t seed = UINT64_MAX - 3;
    EXPECT(xp__store_open(fresh_directory("bits/deep", path), seed, true, &store, NULL) == XP_OK);
    file_unit(store, "a unit", "0.0");
    EXPECT(xp__store_begin(store, NULL) == XP_OK);
    EXPECT(xp__store_put(store, "never committed", "0.0", &kept, NULL, 0, NULL) == XP_OK);
    xp__store_close(store);
    EXPECT(xp__store_open(path, seed, true, &store, NULL) == XP_OK);
    EXPECT(xp__store_get(store, "a unit", "0.0", &filed, &back, NULL, 0, NULL) == XP_OK);
    EXPECT(filed == XP__FILED && memcmp(&kept, &back, sizeof kept) == 0);
    EXPECT(xp__store_get(store, "never committed", "0.0", &filed, &back, NULL, 0, NULL) == XP_OK);
    EXPECT(filed == XP__FILED_NONE);
    xp__store_close(store);
    EXPECT(xp__store_open(path, seed + 1, true, &store, NULL) == XP_OK);
    EXPECT(xp__store_get(store, "a unit", "0.0", &filed, &back, NULL, 0, NULL) == XP_OK);
    EXPECT(filed == XP__FILED_NONE);
    xp__store_close(store);
}

CLAIM(a_second_writer_is_refused_and_a_reader_is_not) {
    char path[256], lock[300];
    xp__store *store, *second, *reader;
    xp__filed filed;
    xp__unit_result back;
    xp_error error;
    EXPECT(xp__store_open(fresh_directory("busy", path), 1, true, &store, NULL) == XP_OK);
    EXPECT(xp__store_open(path, 1, true, &second, &error) == XP_ERR_FILE && second == NULL);
    EXPECT_TEXT(error.message, "in use by another running study");
    file_unit(store, "first", "0.0");
    EXPECT(xp__store_open(path, 1, false, &reader, &error) == XP_OK);
    EXPECT(xp__store_get(reader, "first", "0.0", &filed, &back, NULL, 0, NULL) == XP_OK);
    EXPECT(filed == XP__FILED);
    /* What is not committed is not seen; what is committed later is. */
    EXPECT(xp__store_begin(store, NULL) == XP_OK);
    EXPECT(xp__store_put(store, "second", "0.0", &back, NULL, 0, NULL) == XP_OK);
    EXPECT(xp__store_get(reader, "second", "0.0", &filed, &back, NULL, 0, NULL) == XP_OK);
    EXPECT(filed == XP__FILED_NONE);
    EXPECT(xp__store_commit(store, NULL) == XP_OK);
    EXPECT(xp__store_get(reader, "second", "0.0", &filed, &back, NULL, 0, NULL) == XP_OK);
    EXPECT(filed == XP__FILED);
    xp__store_close(reader);
    xp__store_close(store);
    (void)snprintf(lock, sizeof lock, "%s/study.lock", path);
    EXPECT(access(lock, F_OK) != 0);
    EXPECT(xp__store_open(path, 1, true, &second, &error) == XP_OK);
    xp__store_close(second);
}

CLAIM(a_lock_file_that_a_killed_study_left_locks_nothing) {
    char path[256], lock[300];
    xp__store *store;
    (void)xp__directory_create(fresh_directory("left", path), NULL);
    (void)snprintf(lock, sizeof lock, "%s/study.lock", path);
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        (void)xp__store_open(path, 1, true, &store, NULL);
        _exit(access(lock, F_OK) == 0 ? 0 : 1); /* as if killed: nothing is closed */
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT(access(lock, F_OK) == 0);
    EXPECT(xp__store_open(path, 1, true, &store, NULL) == XP_OK);
    xp__store_close(store);
}

CLAIM(reading_where_there_is_no_store_finds_nothing_and_makes_nothing) {
    char path[256];
    xp__store *store;
    xp__filed filed;
    xp__unit_result back;
    EXPECT(xp__store_open(fresh_directory("absent", path), 1, false, &store, NULL) == XP_OK);
    EXPECT(xp__store_begin(store, NULL) == XP_OK);
    EXPECT(xp__store_get(store, "key", "0.0", &filed, &back, NULL, 0, NULL) == XP_OK);
    EXPECT(filed == XP__FILED_NONE && xp__store_commit(store, NULL) == XP_OK);
    xp__store_close(store);
    EXPECT(access(path, F_OK) != 0);
    /* A file without a table is what a writer has for a moment at its start. */
    (void)xp__directory_create(path, NULL);
    alter(path, "VACUUM");
    EXPECT(xp__store_open(path, 1, false, &store, NULL) == XP_OK);
    EXPECT(xp__store_get(store, "key", "0.0", &filed, &back, NULL, 0, NULL) == XP_OK);
    EXPECT(filed == XP__FILED_NONE);
    xp__store_close(store);
}

CLAIM(files_that_are_not_a_store_are_refused_with_a_sentence) {
    char path[256], file[300];
    xp__store *store;
    xp_error error;
    (void)xp__directory_create(fresh_directory("garbage", path), NULL);
    (void)snprintf(file, sizeof file, "%s/study.sqlite", path);
    char garbage[4096];
    memset(garbage, 'x', sizeof garbage);
    (void)xp__file_write(file, garbage, sizeof garbage, NULL);
    EXPECT(xp__store_open(path, 1, true, &store, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "is not a file of finished study units");

    (void)xp__directory_create(fresh_directory("other", path), NULL);
    alter(path, "CREATE TABLE books (title TEXT)");
    EXPECT(xp__store_open(path, 1, true, &store, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "another program's database");

    make_store(fresh_directory("future", path));
    alter(path, "PRAGMA user_version = 7");
    EXPECT(xp__store_open(path, 1, true, &store, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "has format 7");

    (void)xp__directory_create(fresh_directory("pipe", path), NULL);
    (void)snprintf(file, sizeof file, "%s/study.sqlite", path);
    EXPECT(mkfifo(file, 0666) == 0);
    EXPECT(xp__store_open(path, 1, true, &store, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "is not a regular file");

    char behind[300];
    make_store(fresh_directory("behind", path));
    (void)snprintf(behind, sizeof behind, "%s/study.sqlite", path);
    (void)xp__directory_create(fresh_directory("link", path), NULL);
    (void)snprintf(file, sizeof file, "%s/study.sqlite", path);
    EXPECT(symlink(behind, file) == 0);
    for (size_t writable = 0; writable < 2; writable++) {
        EXPECT(xp__store_open(path, 1, writable == 1, &store, &error) == XP_ERR_FILE);
        EXPECT_TEXT(error.message, "is not a regular file");
    }

    (void)snprintf(file, sizeof file, "%s/plain", claim_directory());
    (void)xp__file_write(file, "x", 1, NULL);
    EXPECT(xp__store_open(file, 1, true, &store, &error) == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "plain");
}

/* A page of the table that is overwritten, as by a bad disk. */
CLAIM(a_damaged_store_is_refused_with_the_way_out) {
    char path[256], file[300], *text;
    size_t bytes;
    xp_error error = {.message = ""};
    make_store(fresh_directory("damaged", path));
    (void)snprintf(file, sizeof file, "%s/study.sqlite", path);
    EXPECT(xp__file_read(file, 1 << 24, &text, &bytes, NULL) == XP_OK);
    enum { PAGE = 4096 };
    EXPECT(bytes >= 2 * PAGE);
    memset(text + PAGE, 'x', bytes - PAGE);
    EXPECT(xp__file_write(file, text, bytes, NULL) == XP_OK);
    xp__free(text);
    xp__store *store = NULL;
    xp__filed filed;
    xp__unit_result back;
    xp_status status = xp__store_open(path, 1, false, &store, &error);
    if (status == XP_OK) {
        status = xp__store_get(store, "key", "0.0", &filed, &back, NULL, 0, &error);
        xp__store_close(store);
    }
    EXPECT(status == XP_ERR_FILE);
    EXPECT_TEXT(error.message, "study.sqlite' is damaged; remove it to start afresh");
}

static xp_status count_visit(void *context, const xp__stored *stored, xp_error *error) {
    (void)error;
    *(size_t *)context += strcmp(stored->key, "key") == 0;
    return XP_OK;
}

/* How many units a round through the store visits, and passes over as damaged. */
static void expect_round(const char *path, size_t visited, size_t damaged) {
    xp__store *store;
    size_t seen = 0;
    EXPECT(xp__store_open(path, 1, false, &store, NULL) == XP_OK);
    EXPECT(xp__store_each(store, count_visit, &seen, NULL) == XP_OK);
    EXPECT(seen == visited && xp__store_damaged(store) == damaged);
    xp__store_close(store);
}

CLAIM(a_damaged_number_is_noticed_and_costs_only_its_unit) {
    char path[256];
    xp_status status;
    xp__store *store;
    bool has = true;
    make_store(fresh_directory("damage", path));
    EXPECT(look_up(path, 1, "0.0", &status, NULL) == XP__FILED && status == XP_OK);
    alter(path, "INSERT INTO unit SELECT 'other', seed, revision, version, regret, numbers "
                "FROM unit; UPDATE unit SET numbers = x'00' || substr(numbers, 2)");
    EXPECT(look_up(path, 1, "0.0", &status, NULL) == XP__FILED_DAMAGED && status == XP_OK);
    expect_round(path, 0, 2);
    EXPECT(xp__store_open(path, 1, true, &store, NULL) == XP_OK);
    EXPECT(xp__store_has(store, "key", "0.0", 0, &has, NULL) == XP_OK && !has);
    file_unit(store, "key", "0.0"); /* takes the place of the damaged one */
    EXPECT(xp__store_has(store, "key", "0.0", 0, &has, NULL) == XP_OK && has);
    xp__store_close(store);
    EXPECT(look_up(path, 1, "0.0", &status, NULL) == XP__FILED && status == XP_OK);
    expect_round(path, 1, 1);
    /* Neither a damaged row nor one of another revision hides a good one of the same unit. */
    alter(path, "INSERT INTO unit SELECT key, seed, revision, '0.2', regret, x'00' FROM unit WHERE "
                "key = 'key'; INSERT INTO unit SELECT key, seed, '9.9', version, regret, x'00' "
                "FROM unit WHERE key = 'key'");
    EXPECT(look_up(path, 1, "0.0", &status, NULL) == XP__FILED && status == XP_OK);
    alter(path, "UPDATE unit SET numbers = 'text'");
    EXPECT(look_up(path, 1, "0.0", &status, NULL) == XP__FILED_DAMAGED && status == XP_OK);
}

CLAIM(a_unit_put_under_another_seed_key_revision_or_version_is_not_taken_for_it) {
    static const char *const changes[] = {
        "UPDATE unit SET seed = 2", "UPDATE unit SET key = 'other'",
        "UPDATE unit SET revision = '0.1'", "UPDATE unit SET version = version || '9'"};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char path[256], name[16];
        xp__store *store;
        xp__filed filed;
        xp__unit_result back;
        (void)snprintf(name, sizeof name, "moved%zu", i);
        make_store(fresh_directory(name, path));
        alter(path, changes[i]);
        EXPECT(xp__store_open(path, i == 0 ? 2 : 1, false, &store, NULL) == XP_OK);
        EXPECT(xp__store_get(store, i == 1 ? "other" : "key", i == 2 ? "0.1" : "0.0", &filed, &back,
                             NULL, 0, NULL) == XP_OK);
        EXPECT(filed == XP__FILED_DAMAGED);
        xp__store_close(store);
    }
}

CLAIM(a_unit_of_another_revision_or_version_is_seen_and_not_used) {
    char path[256];
    xp_status status;
    make_store(fresh_directory("revised", path));
    EXPECT(look_up(path, 1, "0.1", &status, NULL) == XP__FILED_OTHER && status == XP_OK);
    EXPECT(look_up(path, 1, "1.0", &status, NULL) == XP__FILED_OTHER && status == XP_OK);
    EXPECT(look_up(path, 2, "0.1", &status, NULL) == XP__FILED_NONE && status == XP_OK);
    /* Both are kept, so that an earlier program finds its own again. */
    xp__store *store;
    EXPECT(xp__store_open(path, 1, true, &store, NULL) == XP_OK);
    file_unit(store, "key", "0.1");
    xp__store_close(store);
    EXPECT(look_up(path, 1, "0.1", &status, NULL) == XP__FILED && status == XP_OK);
    EXPECT(look_up(path, 1, "0.0", &status, NULL) == XP__FILED && status == XP_OK);
    EXPECT(xp__store_open(path, 1, true, &store, NULL) == XP_OK);
    EXPECT(xp__store_remove(store, "key", NULL) == XP_OK);
    xp__store_close(store);
    EXPECT(look_up(path, 1, "0.0", &status, NULL) == XP__FILED_NONE && status == XP_OK);
    /* Which versions agree: the seal tells that a row was taken for its own. */
    static const struct {
        const char *version;
        bool agrees;
    } versions[] = {{"0.2.7", true},  {"0.2", true},    {"0.20.0", false}, {"0.1.0", false},
                    {"1.2.0", false}, {"0.0.2", false}, {"", false}};
    EXPECT(XP_VERSION_MAJOR == 0 && XP_VERSION_MINOR == 2); /* else the table above is another */
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        char sql[128];
        make_store(fresh_directory("versions", path));
        (void)snprintf(sql, sizeof sql, "UPDATE unit SET version = '%s'", versions[i].version);
        alter(path, sql);
        const xp__filed filed = look_up(path, 1, "0.0", &status, NULL);
        EXPECT(status == XP_OK &&
               filed == (versions[i].agrees ? XP__FILED_DAMAGED : XP__FILED_OTHER));
        alter(path, "DELETE FROM unit");
    }
}

/* The file as version 0.1.0 first wrote it: units are bound to nothing but their keys. */
CLAIM(a_store_of_the_first_format_is_refused_and_left_as_it_is) {
    char path[256];
    xp__store *store;
    xp_error error;
    (void)xp__directory_create(fresh_directory("first", path), NULL);
    alter(path, "PRAGMA application_id = 1481659220; PRAGMA user_version = 1;"
                "CREATE TABLE unit (version TEXT NOT NULL, seed INTEGER NOT NULL,"
                " key TEXT NOT NULL, regret REAL, numbers BLOB NOT NULL,"
                " PRIMARY KEY (version, seed, key)) WITHOUT ROWID;"
                "INSERT INTO unit VALUES ('0.1.0', 1, 'key', 1, x'00')");
    for (size_t writable = 0; writable < 2; writable++) {
        EXPECT(xp__store_open(path, 1, writable == 1, &store, &error) == XP_ERR_FILE);
        EXPECT_TEXT(error.message, "is of an earlier version");
        EXPECT_TEXT(error.message, "move it away");
    }
    alter(path, "INSERT INTO unit SELECT version, seed + numbers, key, regret, numbers FROM unit "
                "WHERE seed = 9"); /* the table is as it was */
}

typedef struct heard {
    char sentence[256];
    size_t count, first_done;
    bool begun;
} heard;

static void hear(void *context, const char *sentence) {
    heard *self = context;
    self->count++;
    (void)snprintf(self->sentence, sizeof self->sentence, "%s", sentence);
}

static int look(void *context, size_t done, size_t total) {
    (void)total;
    heard *self = context;
    self->first_done = self->begun ? self->first_done : done;
    self->begun = true;
    return 0;
}

/* In a process of its own, which gives up its right to look into the directory. */
CLAIM(a_store_that_cannot_be_looked_at_is_not_said_to_be_lost) {
    char path[256], inside[300];
    (void)snprintf(inside, sizeof inside, "%s/locked", fresh_directory("behind", path));
    make_store(inside);
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        xp__store *store;
        xp_error error = {.message = ""};
        bool good = xp__store_open(inside, 1, true, &store, NULL) == XP_OK && chmod(path, 0) == 0;
        good = good && (geteuid() != 0 || setuid(65534) == 0);
        good = good && access(inside, F_OK) != 0 && xp__store_check(store, &error) == XP_OK;
        good = good && xp__store_begin(store, NULL) == XP_OK;
        xp_status status = xp__store_remove(store, "key", &error);
        status = status == XP_OK ? xp__store_commit(store, &error) : status;
        good = good && status == XP_ERR_FILE && strstr(error.message, "cannot use") != NULL;
        _exit(good ? 0 : 1);
    }
    int ended = 0;
    EXPECT(waitpid(child, &ended, 0) == child && ended == 0);
    EXPECT(chmod(path, 0700) == 0);
}

CLAIM(units_of_another_revision_are_computed_again_and_it_is_said) {
    char path[256], file[300];
    xp_study_options options = xp_study_options_default();
    options.scale = "quick";
    options.directory = fresh_directory("again", path);
    options.notice = hear;
    options.progress = look;
    heard first = {.count = 0}, second = {.count = 0}, third = {.count = 0};
    options.notice_context = options.progress_context = &first;
    xp_study_result *whole, *again;
    EXPECT(xp_study_run("figure3b", &options, &whole, NULL) == XP_OK);
    EXPECT(first.count == 0 && whole->units_total == 32);
    /* Three units as another revision would have filed them, with other numbers. */
    sqlite3 *database;
    sqlite3_stmt *statement;
    char keys[3][XP__UNIT_KEY] = {""};
    (void)snprintf(file, sizeof file, "%s/study.sqlite", path);
    EXPECT(sqlite3_open(file, &database) == SQLITE_OK);
    EXPECT(sqlite3_prepare_v2(database, "SELECT key FROM unit LIMIT 3", -1, &statement, NULL) ==
           SQLITE_OK);
    for (size_t i = 0; i < 3 && sqlite3_step(statement) == SQLITE_ROW; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "%s",
                       (const char *)sqlite3_column_text(statement, 0));
    }
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(database);
    xp__store *store;
    EXPECT(xp__store_open(path, options.seed, true, &store, NULL) == XP_OK);
    for (size_t i = 0; i < 3; i++) {
        EXPECT(xp__store_remove(store, keys[i], NULL) == XP_OK);
        file_unit(store, keys[i], "0.4711");
    }
    xp__store_close(store);
    options.notice_context = options.progress_context = &second;
    options.so_far = true;
    EXPECT(xp_study_run("figure3b", &options, &again, NULL) == XP_OK);
    EXPECT(second.count == 1 && again->units_done == 29);
    EXPECT_TEXT(second.sentence, "3 finished units are of another version or revision and are left "
                                 "out");
    xp_study_result_destroy(again);
    options.notice_context = options.progress_context = &third;
    options.so_far = false;
    EXPECT(xp_study_run("figure3b", &options, &again, NULL) == XP_OK);
    EXPECT(third.count == 1 && third.first_done == 29);
    EXPECT_TEXT(third.sentence, "3 finished units are of another version or revision and are "
                                "computed again");
    EXPECT(whole->row_count == again->row_count);
    for (size_t i = 0; i < whole->row_count && i < again->row_count; i++) {
        EXPECT(memcmp(&whole->rows[i].mean, &again->rows[i].mean, sizeof(double)) == 0);
    }
    xp_study_result_destroy(whole);
    xp_study_result_destroy(again);
}

/* The key of the first unit that is damaged in the tests below. */
static void first_key(const char *path, char key[XP__UNIT_KEY]) {
    char file[300];
    sqlite3 *database;
    sqlite3_stmt *statement;
    (void)snprintf(file, sizeof file, "%s/study.sqlite", path);
    EXPECT(sqlite3_open(file, &database) == SQLITE_OK);
    EXPECT(sqlite3_prepare_v2(database, "SELECT key FROM unit", -1, &statement, NULL) == SQLITE_OK);
    EXPECT(sqlite3_step(statement) == SQLITE_ROW);
    (void)snprintf(key, XP__UNIT_KEY, "%s", (const char *)sqlite3_column_text(statement, 0));
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(database);
}

/* Runs a study that must say so many sentences, the last with `part` in it. */
static void expect_to_say(xp_study_options *options, size_t count, const char *part, size_t done) {
    heard told = {.count = 0};
    xp_study_result *result = NULL;
    options->notice_context = &told;
    EXPECT(xp_study_run("figure3b", options, &result, NULL) == XP_OK);
    EXPECT(told.count == count && result != NULL && result->units_done == done);
    EXPECT_TEXT(told.sentence, part);
    options->notice_context = NULL;
    xp_study_result_destroy(result);
}

CLAIM(damaged_units_alone_are_computed_again_and_it_is_said) {
    static const char damage[] = "UPDATE unit SET numbers = zeroblob(length(numbers)) WHERE key IN "
                                 "(SELECT key FROM unit LIMIT 3)";
    char path[256], key[XP__UNIT_KEY];
    xp_study_options options = xp_study_options_default();
    options.scale = "quick";
    options.directory = fresh_directory("mended", path);
    options.notice = hear;
    expect_to_say(&options, 0, "", 32);
    alter(path, damage);
    options.so_far = true;
    expect_to_say(&options, 1, "3 units are damaged and are left out", 29);
    options.so_far = false;
    first_key(path, key);
    options.only = key;
    expect_to_say(&options, 2, "2 units are damaged and are left out", 30);
    alter(path, damage);
    heard told = {.count = 0};
    options.notice_context = &told;
    options.only = NULL;
    const char *const twice[] = {"figure3b", "figure3b"}; /* they share all units */
    EXPECT(xp_study_compute(twice, 2, &options, NULL) == XP_OK && told.count == 1);
    EXPECT_TEXT(told.sentence, "3 units are damaged and are computed again");
    expect_to_say(&options, 0, "", 32);
    alter(path, "UPDATE unit SET numbers = x'00'");
    options.so_far = true;
    options.notice_context = &told;
    xp_study_result *none;
    xp_error error;
    EXPECT(xp_study_run("figure3b", &options, &none, &error) == XP_ERR_INPUT && none == NULL);
    EXPECT_TEXT(error.message, "none of 32 units is finished");
}

CLAIM(words_that_no_unit_has_are_refused_before_anything_is_made) {
    char path[256];
    xp_study_options options = xp_study_options_default();
    options.scale = "smoke";
    options.directory = fresh_directory("unasked", path);
    options.only = "xyz";
    xp_study_result *result;
    xp_error error;
    EXPECT(xp_study_run("figure3b", &options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "no unit of the study has all of 'xyz'");
    EXPECT(access(path, F_OK) != 0);
}

CLAIM(what_an_agent_took_is_the_sum_over_its_units) {
    char path[256];
    xp_study_options options = xp_study_options_default();
    options.scale = "quick";
    options.directory = fresh_directory("times", path);
    xp_study_result *result, *stored;
    EXPECT(xp_study_run("figure3b", &options, &result, NULL) == XP_OK);
    EXPECT(result->time_count == 2); /* agents */
    double sum = 0;
    for (size_t i = 0; i < result->time_count; i++) {
        EXPECT(result->times[i].units == 16 && result->times[i].seconds > 0);
        EXPECT(result->times[i].fit_seconds <= result->times[i].seconds);
        sum += result->times[i].seconds;
    }
    EXPECT_NEAR(sum, result->seconds, 1e-12);
    EXPECT(xp_study_run("figure3b", &options, &stored, NULL) == XP_OK);
    for (size_t i = 0; i < result->time_count; i++) { /* from the store: not a unit ran */
        EXPECT(stored->times[i].seconds == result->times[i].seconds);
    }
    EXPECT(result->value_count == 0); /* not asked for */
    xp_study_result_destroy(result);
    xp_study_result_destroy(stored);
}
