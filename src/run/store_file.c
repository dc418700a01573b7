/* store_file.c: opens the SQLite file behind a study, and says what is wrong with it.
 *
 * Invariants: application_id and user_version name the format, so that another program's database
 * is refused and not written to. One process writes, any number may read. The writer holds a lock
 * on study.lock from open to close, which the kernel frees if it is killed; the database itself is
 * locked only while units are filed, and a reader sees it as it was between two filings. */
#include "run/store_file.h"

#include "base/file.h"
#include "base/memory.h"
#include "run/store_lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT_VERSION = 2, APPLICATION_ID = 0x58505354 /* "XPST" */ };
/* Milliseconds to wait for a lock: at the start, where a killed process may still be dying, and
 * later, for a reader who is about to be through. */
enum { WAIT_AT_START = 2000, WAIT_LATER = 30000 };

/* Whether another file, or none, has the name of the store's. One that cannot be looked at (a
 * ticket for a network file system has run out) may be there still. */
static bool is_gone(const xp__store *store) {
    struct stat now;
    return stat(store->path, &now) == 0
               ? now.st_ino != store->place.st_ino || now.st_dev != store->place.st_dev
               : errno == ENOENT || errno == ENOTDIR;
}

xp_status xp__store_check(const xp__store *store, xp_error *error) {
    if (store->place.st_nlink > 0 && is_gone(store)) {
        return xp_error_set(error, XP_ERR_FILE,
                            "'%s' was removed or replaced while the study ran; its units are lost, "
                            "and the same command starts from the beginning",
                            store->path);
    }
    return XP_OK;
}

/* Whether a write failed for want of room. */
static bool is_full(int code, int reason) {
    return (code & 0xff) == SQLITE_FULL || reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
}

xp_status xp__store_explain(const xp__store *store, int code, xp_error *error) {
    const int kind = code & 0xff, last = errno; /* which SQLite does not always remember itself */
    const bool of_system = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN;
    const int reason =
        of_system && store->database != NULL ? sqlite3_system_errno(store->database) : 0;
    if (kind == SQLITE_NOMEM) {
        return xp__no_memory(error);
    }
    const xp_status gone = xp__store_check(store, error);
    if (gone != XP_OK) {
        return gone;
    }
    if (is_full(code, reason != 0 ? reason : of_system ? last : 0)) {
        return xp_error_set(error, XP_ERR_FILE,
                            "cannot write '%s': no space left on the disk%s; make room and run the "
                            "same command: finished units are kept",
                            store->path,
                            last == EDQUOT  ? " for this user"
                            : last == EFBIG ? " for a file of this size"
                                            : "");
    }
    switch (kind) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return xp_error_set(error, XP_ERR_FILE,
                            "'%s' is in use by another program; wait for it or choose another "
                            "directory",
                            store->path);
    case SQLITE_NOTADB:
        return xp_error_set(error, XP_ERR_FILE,
                            "'%s' is not a file of finished study units; move it away",
                            store->path);
    case SQLITE_CORRUPT:
        return xp_error_set(error, XP_ERR_FILE, "'%s' is damaged; remove it to start afresh",
                            store->path);
    default:
        return xp_error_set(error, XP_ERR_FILE, "cannot use '%s': %s", store->path,
                            reason != 0               ? strerror(reason)
                            : store->database != NULL ? sqlite3_errmsg(store->database)
                                                      : sqlite3_errstr(code));
    }
}

xp_status xp__store_execute(xp__store *store, const char *sql, xp_error *error) {
    errno = 0;
    const int code = sqlite3_exec(store->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? XP_OK : xp__store_explain(store, code, error);
}

xp_status xp__store_query_number(xp__store *store, const char *sql, sqlite3_int64 *value,
                                 xp_error *error) {
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
    if (code != SQLITE_OK) {
        return xp__store_explain(store, code, error);
    }
    code = sqlite3_step(statement);
    *value = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW ? XP_OK : xp__store_explain(store, code, error);
}

static xp_status make_table(xp__store *store, xp_error *error) {
    char sql[768];
    (void)snprintf(sql, sizeof sql,
                   "BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d;"
                   "CREATE TABLE unit (key TEXT NOT NULL, seed INTEGER NOT NULL,"
                   " revision TEXT NOT NULL, version TEXT NOT NULL, regret REAL,"
                   " numbers BLOB NOT NULL,"
                   " PRIMARY KEY (key, seed, revision, version)) WITHOUT ROWID;"
                   "CREATE TABLE study (name TEXT NOT NULL, scale TEXT NOT NULL,"
                   " seed INTEGER NOT NULL, PRIMARY KEY (name, scale, seed)) WITHOUT ROWID;"
                   "COMMIT;",
                   (int)APPLICATION_ID, (int)FORMAT_VERSION);
    return xp__store_execute(store, sql, error);
}

/* Makes the table in an empty file or checks that the file is ours. *empty: there is no table. */
static xp_status adopt(xp__store *store, bool *empty, xp_error *error) {
    sqlite3_int64 tables = 0, application = 0, version = 0;
    xp_status status =
        xp__store_query_number(store, "SELECT count(*) FROM sqlite_schema", &tables, error);
    if (status == XP_OK) {
        status = xp__store_query_number(store, "PRAGMA application_id", &application, error);
    }
    if (status == XP_OK) {
        status = xp__store_query_number(store, "PRAGMA user_version", &version, error);
    }
    if (status != XP_OK) {
        return status;
    }
    *empty = tables == 0 && application == 0;
    if (*empty) {
        *empty = store->lock < 0;
        return *empty ? XP_OK : make_table(store, error);
    }
    if (application != APPLICATION_ID) {
        return xp_error_set(error, XP_ERR_FILE, "'%s' is another program's database; move it away",
                            store->path);
    }
    if (version == 1) {
        return xp_error_set(error, XP_ERR_FILE,
                            "'%s' is of an earlier version, which did not record what its units "
                            "depend on; move it away, and its units will be computed again",
                            store->path);
    }
    if (version != FORMAT_VERSION) {
        return xp_error_set(error, XP_ERR_FILE,
                            "'%s' has format %lld; this library reads format %d", store->path,
                            (long long)version, (int)FORMAT_VERSION);
    }
    return XP_OK;
}

static xp_status prepare(xp__store *store, xp_error *error) {
    static const char get[] =
        "SELECT revision, version, numbers FROM unit WHERE key = ?1 AND seed = ?2";
    static const char put[] =
        "INSERT OR REPLACE INTO unit (key, seed, revision, version, regret, numbers)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    static const char remove[] = "DELETE FROM unit WHERE key = ?1 AND seed = ?2";
    int code = sqlite3_prepare_v2(store->database, get, -1, &store->get, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(store->database, put, -1, &store->put, NULL);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(store->database, remove, -1, &store->remove, NULL);
    }
    return code == SQLITE_OK ? XP_OK : xp__store_explain(store, code, error);
}

/* Opens the database's file, which exists or is to be made. */
static xp_status open_database(xp__store *store, xp_error *error) {
    const int create = store->lock >= 0 ? SQLITE_OPEN_CREATE : 0;
    /* A reader too may have to write: what a killed writer left half done is rolled back. */
    const int code =
        sqlite3_open_v2(store->path, &store->database, SQLITE_OPEN_READWRITE | create, NULL);
    if (code != SQLITE_OK) {
        return xp__store_explain(store, code, error);
    }
    (void)sqlite3_busy_timeout(store->database, WAIT_AT_START);
    bool empty = false;
    xp_status status = adopt(store, &empty, error);
    if (status == XP_OK && empty) { /* the writer has only just begun */
        (void)sqlite3_close(store->database);
        store->database = NULL;
        return XP_OK;
    }
    if (status == XP_OK) {
        status = prepare(store, error);
    }
    if (status == XP_OK && stat(store->path, &store->place) != 0) {
        status =
            xp_error_set(error, XP_ERR_FILE, "cannot use '%s': %s", store->path, strerror(errno));
    }
    (void)sqlite3_busy_timeout(store->database, WAIT_LATER);
    return status;
}

/* DIR/NAME, for xp__free. "./" goes before "file:", which SQLite would take for the start of a URI.
 */
static char *path_in(const char *directory, const char *name) {
    const size_t bytes = strlen(directory) + strlen(name) + sizeof ".//";
    char *path = xp__alloc(bytes, 1);
    if (path != NULL) {
        (void)snprintf(path, bytes, "%s%s/%s", strncmp(directory, "file:", 5) == 0 ? "./" : "",
                       directory, name);
    }
    return path;
}

static xp_status open_parts(xp__store *store, const char *directory, bool writable,
                            xp_error *error) {
    store->path = path_in(directory, "study.sqlite");
    store->lock_path = path_in(directory, "study.lock");
    if (store->path == NULL || store->lock_path == NULL) {
        return xp__no_memory(error);
    }
    xp_status status = XP_OK;
    if (writable) {
        status = xp__directory_create(directory, error);
        if (status == XP_OK) {
            status = xp__store_lock(store->lock_path, store->path, &store->lock, error);
        }
    }
    if (status != XP_OK) {
        return status;
    }
    struct stat info;
    const bool exists = lstat(store->path, &info) == 0; /* a link may lead anywhere */
    if (exists && !S_ISREG(info.st_mode)) {
        return xp_error_set(error, XP_ERR_FILE, "'%s' is not a regular file; move it away",
                            store->path);
    }
    return exists || writable ? open_database(store, error) : XP_OK;
}

xp_status xp__store_open(const char *directory, uint64_t seed, bool writable, xp__store **store,
                         xp_error *error) {
    *store = NULL;
    xp__store *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->seed = seed;
    made->lock = -1;
    const xp_status status = open_parts(made, directory, writable, error);
    if (status != XP_OK) {
        xp__store_close(made);
        return status;
    }
    *store = made;
    return XP_OK;
}

void xp__store_close(xp__store *store) {
    if (store != NULL) {
        (void)sqlite3_finalize(store->get);
        (void)sqlite3_finalize(store->put);
        (void)sqlite3_finalize(store->remove);
        (void)sqlite3_close(store->database);
        xp__store_unlock(store->lock, store->lock_path);
        xp__free(store->path);
        xp__free(store->lock_path);
        xp__free(store->blob);
        xp__free(store);
    }
}
