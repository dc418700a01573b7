/* report_sweep.c: a sweep as files: the report of a study, and every number once as tidy CSV (one
 * value per line, RFC 4180) and once as a table of an SQLite database. */
#include "report/report_parts.h"

#include "base/check.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* The rows of the table, in one transaction. */
static int fill(sqlite3 *database, const xp_sweep_result *result) {
    sqlite3_stmt *insert = NULL;
    int code = sqlite3_exec(database,
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

/* Beside its place, then into it: whole or not at all. */
static xp_status write_sqlite(const xp_sweep_result *result, const char *path, xp_error *error) {
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s%s.%ld.tmp",
                 strncmp(path, "file:", 5) == 0 ? "./" : "", path,
                 (long)getpid()) >= (int)sizeof temporary) {
        return xp_error_set(error, XP_ERR_FILE, "cannot write '%.200s...': the path is too long",
                            path);
    }
    (void)unlink(temporary);
    sqlite3 *database = NULL;
    int code = sqlite3_open(temporary, &database);
    if (code == SQLITE_OK) {
        code = fill(database, result);
    }
    xp_status status = code == SQLITE_OK ? XP_OK
                                         : xp_error_set(error, XP_ERR_FILE, "cannot write '%s': %s",
                                                        path, sqlite3_errmsg(database));
    (void)sqlite3_close(database);
    if (status == XP_OK && rename(temporary, path) != 0) {
        status = xp_error_set(error, XP_ERR_FILE, "cannot write '%s': %s", path, strerror(errno));
    }
    if (status != XP_OK) {
        (void)unlink(temporary);
    }
    return status;
}

static xp_status write_part(const xp_sweep_result *result, const char *directory, const char *name,
                            const char *ending, const xp__text *text, xp_error *error) {
    char *path = xp__report_path(directory, name, ending);
    xp_status status = path != NULL ? XP_OK : xp__no_memory(error);
    if (status == XP_OK && text != NULL) {
        status = text->failed ? xp__no_memory(error)
                              : xp__file_write_regular(path, text->data, text->length, error);
    } else if (status == XP_OK) {
        status = write_sqlite(result, path, error);
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
    const xp_status reported = xp_report_write(result->study, directory, error);
    if (reported != XP_OK && reported != XP_ERR_PROGRAM) {
        return reported;
    }
    xp__text text = {.data = NULL};
    write_csv(result, &text);
    xp_status status = write_part(result, directory, info.name, "-values.csv", &text, error);
    xp__text_deinit(&text);
    if (status == XP_OK) {
        status = write_part(result, directory, info.name, "-values.sqlite", NULL, error);
    }
    return status == XP_OK ? reported : status;
}
