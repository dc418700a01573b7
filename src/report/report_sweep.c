/* report_sweep.c: a sweep as files: what asked for it, the report of a study, and every number once
 * as tidy CSV (one value per line, RFC 4180) and once as a table of an SQLite database. */
#include "report/report_parts.h"

#include "base/check.h"
#include "base/file.h"
#include "base/memory.h"

#include <sqlite3.h>
#include <string.h>

static void write_csv(const xp_sweep_result *result, xp__text *text) {
    xp__text_append(text,
                    "environment,expert,demonstrations,agent,measure,seed,problem,run,value\r\n");
    for (size_t i = 0; i < result->value_count; i++) {
        const xp_sweep_value *value = &result->values[i];
        const char *const labels[] = {value->environment, value->expert, value->demonstrations,
                                      value->agent, value->measure};
        for (size_t j = 0; j < sizeof labels / sizeof labels[0]; j++) {
            xp__text_csv(text, labels[j]);
            xp__text_append(text, ",");
        }
        xp__text_format(text, "%llu,%zu,", (unsigned long long)value->seed, value->problem);
        if (value->run > 0) {
            xp__text_format(text, "%zu", value->run);
        }
        xp__text_append(text, ",");
        xp__text_double(text, value->value, "");
        xp__text_append(text, "\r\n");
    }
}

/* The rows of the table, in one transaction. The file is thrown away if that fails: no journal is
 * needed. */
static int fill(sqlite3 *database, const xp_sweep_result *result) {
    sqlite3_stmt *insert = NULL;
    int code = sqlite3_exec(database,
                            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                            "BEGIN; CREATE TABLE value (environment TEXT NOT NULL, expert TEXT NOT "
                            "NULL, demonstrations TEXT NOT NULL, agent TEXT NOT NULL, measure TEXT "
                            "NOT NULL, seed INTEGER NOT NULL, problem INTEGER NOT NULL, run "
                            "INTEGER, value REAL NOT NULL);",
                            NULL, NULL, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(database, "INSERT INTO value VALUES (?,?,?,?,?,?,?,?,?)", -1,
                                  &insert, NULL);
    }
    for (size_t i = 0; code == SQLITE_OK && i < result->value_count; i++) {
        const xp_sweep_value *value = &result->values[i];
        const char *const labels[] = {value->environment, value->expert, value->demonstrations,
                                      value->agent, value->measure};
        int column = 1;
        for (size_t j = 0; code == SQLITE_OK && j < sizeof labels / sizeof labels[0]; j++) {
            code = sqlite3_bind_text(insert, column++, labels[j], -1, SQLITE_STATIC);
        }
        if (code == SQLITE_OK) {
            code = sqlite3_bind_int64(insert, column++, (sqlite3_int64)value->seed);
        }
        if (code == SQLITE_OK) {
            code = sqlite3_bind_int64(insert, column++, (sqlite3_int64)value->problem);
        }
        if (code == SQLITE_OK) {
            code = value->run > 0 ? sqlite3_bind_int64(insert, column, (sqlite3_int64)value->run)
                                  : sqlite3_bind_null(insert, column);
        }
        if (code == SQLITE_OK) {
            code = sqlite3_bind_double(insert, column + 1, value->value);
        }
        if (code == SQLITE_OK) {
            code = sqlite3_step(insert) == SQLITE_DONE ? sqlite3_reset(insert)
                                                       : sqlite3_errcode(database);
        }
    }
    (void)sqlite3_finalize(insert);
    return code == SQLITE_OK ? sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) : code;
}

/* DIR/NAME-values.sqlite, for xp__free. "./" goes before "file:", which SQLite would take for the
 * start of a URI. */
static char *path_of(const char *directory, const char *name) {
    char *path = xp__report_path(directory, name, "-values.sqlite");
    if (path == NULL || strncmp(path, "file:", 5) != 0) {
        return path;
    }
    char *relative = xp__report_path(".", path, "");
    xp__free(path);
    return relative;
}

/* Whole or not at all. */
static xp_status write_sqlite(const xp_sweep_result *result, const char *directory,
                              const char *name, xp_error *error) {
    char *path = path_of(directory, name);
    if (path == NULL) {
        return xp__no_memory(error);
    }
    xp__file_writer writer;
    xp_status status = xp__file_writer_open_regular(&writer, path, error);
    if (status != XP_OK) {
        xp__free(path);
        return status;
    }
    sqlite3 *database = NULL;
    int code = sqlite3_open(writer.temporary, &database);
    if (code == SQLITE_OK) {
        code = fill(database, result);
    }
    if (code != SQLITE_OK) {
        status = xp_error_set(error, XP_ERR_FILE, "cannot write '%s': %s", path,
                              sqlite3_errmsg(database));
    }
    (void)sqlite3_close(database);
    if (status == XP_OK) {
        status = xp__file_writer_commit(&writer, error);
    } else {
        xp__file_writer_abandon(&writer);
    }
    xp__free(path);
    return status;
}

xp_status xp_report_sweep(const xp_sweep *sweep, const xp_sweep_result *result,
                          const char *directory, xp_error *error) {
    XP__NOT_NULL(sweep, error);
    XP__NOT_NULL(result, error);
    XP__NOT_NULL(directory, error);
    const xp_sweep_info info = xp_sweep_describe(sweep);
    xp_status status = xp__directory_create(directory, error);
    if (status == XP_OK) { /* before the page, which shows the sweeps whose files are there */
        status = xp__report_file_write(directory, info.name, ".sweep", info.text, strlen(info.text),
                                       error);
    }
    if (status != XP_OK) {
        return status;
    }
    const xp_status reported = xp_report_write(result->study, directory, error);
    if (reported != XP_OK && reported != XP_ERR_PROGRAM) {
        return reported;
    }
    xp__text text = {.data = NULL};
    write_csv(result, &text);
    status = text.failed ? xp__no_memory(error)
                         : xp__report_file_write(directory, info.name, "-values.csv", text.data,
                                                 text.length, error);
    xp__text_deinit(&text);
    if (status == XP_OK) {
        status = write_sqlite(result, directory, info.name, error);
    }
    return status == XP_OK ? reported : status;
}
