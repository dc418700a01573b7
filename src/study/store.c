/* store.c: the SQLite file behind a study.
 *
 * Invariants: application_id and user_version name the format, so that another program's database
 * is refused and not written to. Numbers are a BLOB of little-endian doubles, those of the result
 * and then those kept of its tasks, closed by a hash of key and numbers: they come back bit for
 * bit, or the damage is noticed. The regret is repeated as a plain column for those who look with
 * sqlite3. The lock is exclusive and held while the store is open: a second study on the same
 * directory is refused at once, and the kernel frees the lock of a killed one. */
#include "study/store.h"

#include "base/file.h"
#include "base/grow.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT_VERSION = 1, APPLICATION_ID = 0x58505354 /* "XPST" */ };

struct xp__store {
    sqlite3 *database;
    sqlite3_stmt *get, *put, *remove;
    uint64_t seed;
    char *path;
    unsigned char *blob; /* what is being written */
    size_t room;         /* bytes of it */
};

/* A sentence for whatever SQLite has to say. */
static xp_status explain(xp__store *store, int code, xp_error *error) {
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return xp__no_memory(error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return xp_error_set(error, XP_ERR_FILE,
                            "'%s' is in use by another running study; wait for it or choose "
                            "another directory",
                            store->path);
    case SQLITE_FULL:
        return xp_error_set(error, XP_ERR_FILE, "cannot write '%s': no space left on the disk",
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
                            store->database != NULL ? sqlite3_errmsg(store->database)
                                                    : sqlite3_errstr(code));
    }
}

static xp_status execute(xp__store *store, const char *sql, xp_error *error) {
    const int code = sqlite3_exec(store->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? XP_OK : explain(store, code, error);
}

static xp_status query_number(xp__store *store, const char *sql, sqlite3_int64 *value,
                              xp_error *error) {
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
    if (code != SQLITE_OK) {
        return explain(store, code, error);
    }
    code = sqlite3_step(statement);
    *value = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW ? XP_OK : explain(store, code, error);
}

/* Takes the lock, then makes the table in an empty file or checks that the file is ours. */
static xp_status adopt(xp__store *store, xp_error *error) {
    sqlite3_int64 tables = 0, application = 0, version = 0;
    (void)sqlite3_busy_timeout(store->database, 500); /* a killed process may still be dying */
    xp_status status = execute(store,
                               "PRAGMA locking_mode = EXCLUSIVE;"
                               "PRAGMA journal_mode = DELETE;"
                               "BEGIN EXCLUSIVE; COMMIT;",
                               error);
    if (status == XP_OK) {
        status = query_number(store, "SELECT count(*) FROM sqlite_schema", &tables, error);
    }
    if (status == XP_OK) {
        status = query_number(store, "PRAGMA application_id", &application, error);
    }
    if (status == XP_OK) {
        status = query_number(store, "PRAGMA user_version", &version, error);
    }
    if (status != XP_OK) {
        return status;
    }
    if (tables == 0 && application == 0) {
        char sql[512];
        (void)snprintf(sql, sizeof sql,
                       "BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d;"
                       "CREATE TABLE unit (version TEXT NOT NULL, seed INTEGER NOT NULL,"
                       " key TEXT NOT NULL, regret REAL, numbers BLOB NOT NULL,"
                       " PRIMARY KEY (version, seed, key)) WITHOUT ROWID; COMMIT;",
                       (int)APPLICATION_ID, (int)FORMAT_VERSION);
        return execute(store, sql, error);
    }
    if (application != APPLICATION_ID) {
        return xp_error_set(error, XP_ERR_FILE, "'%s' is another program's database; move it away",
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
        "SELECT numbers FROM unit WHERE version = ?1 AND seed = ?2 AND key = ?3";
    static const char put[] = "INSERT OR REPLACE INTO unit (version, seed, key, regret, numbers)"
                              " VALUES (?1, ?2, ?3, ?4, ?5)";
    static const char remove[] = "DELETE FROM unit WHERE version = ?1 AND seed = ?2 AND key = ?3";
    int code = sqlite3_prepare_v2(store->database, get, -1, &store->get, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(store->database, put, -1, &store->put, NULL);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(store->database, remove, -1, &store->remove, NULL);
    }
    return code == SQLITE_OK ? XP_OK : explain(store, code, error);
}

xp_status xp__store_open(const char *directory, uint64_t seed, xp__store **store, xp_error *error) {
    *store = NULL;
    xp_status status = xp__directory_create(directory, error);
    if (status != XP_OK) {
        return status;
    }
    xp__store *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->seed = seed;
    const size_t bytes = strlen(directory) + sizeof "/study.sqlite";
    made->path = xp__alloc(bytes, 1);
    if (made->path == NULL) {
        xp__store_close(made);
        return xp__no_memory(error);
    }
    (void)snprintf(made->path, bytes, "%s/study.sqlite", directory);
    const int code = sqlite3_open_v2(made->path, &made->database,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    status = code == SQLITE_OK ? adopt(made, error) : explain(made, code, error);
    if (status == XP_OK) {
        status = prepare(made, error);
    }
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
        xp__free(store->path);
        xp__free(store->blob);
        xp__free(store);
    }
}

static void encode(unsigned char *bytes, uint64_t word) {
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(word >> (8 * i));
    }
}

static uint64_t decode(const unsigned char *bytes) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) {
        word |= (uint64_t)bytes[i] << (8 * i);
    }
    return word;
}

static void encode_all(unsigned char *bytes, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &numbers[i], sizeof word);
        encode(bytes + 8 * i, word);
    }
}

static void decode_all(const unsigned char *bytes, double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = decode(bytes + 8 * i);
        memcpy(&numbers[i], &word, sizeof word);
    }
}

/* Hash of a key and of the encoded numbers. */
static uint64_t seal(const char *key, const unsigned char *bytes, size_t length) {
    uint64_t hash = xp__text_hash(key);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static int bind_key(xp__store *store, sqlite3_stmt *statement, const char *key) {
    (void)sqlite3_reset(statement);
    int code = sqlite3_bind_text(statement, 1, xp_version(), -1, SQLITE_STATIC);
    if (code == SQLITE_OK) {
        code = sqlite3_bind_int64(statement, 2, (sqlite3_int64)store->seed);
    }
    return code == SQLITE_OK ? sqlite3_bind_text(statement, 3, key, -1, SQLITE_STATIC) : code;
}

xp_status xp__store_get(xp__store *store, const char *key, bool *found, xp__unit_result *result,
                        double *numbers, size_t count, xp_error *error) {
    *found = false;
    const size_t length = 8 * (XP__UNIT_NUMBERS + count);
    int code = bind_key(store, store->get, key);
    if (code == SQLITE_OK) {
        code = sqlite3_step(store->get);
    }
    xp_status status = XP_OK;
    if (code == SQLITE_ROW) {
        const unsigned char *bytes = sqlite3_column_blob(store->get, 0);
        if (bytes == NULL || (size_t)sqlite3_column_bytes(store->get, 0) != length + 8 ||
            decode(bytes + length) != seal(key, bytes, length)) {
            status = xp_error_set(error, XP_ERR_FILE,
                                  "'%s' is damaged at '%.200s'; remove it to start afresh",
                                  store->path, key);
        } else {
            double head[XP__UNIT_NUMBERS];
            decode_all(bytes, head, XP__UNIT_NUMBERS);
            memcpy(result, head, sizeof head);
            decode_all(bytes + sizeof head, numbers, count);
            *found = true;
        }
    } else if (code != SQLITE_DONE) {
        status = explain(store, code, error);
    }
    (void)sqlite3_reset(store->get);
    return status;
}

static xp_status finish(xp__store *store, sqlite3_stmt *statement, int code, xp_error *error) {
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
    }
    const xp_status status = code == SQLITE_DONE ? XP_OK : explain(store, code, error);
    (void)sqlite3_reset(statement);
    return status;
}

xp_status xp__store_put(xp__store *store, const char *key, const xp__unit_result *result,
                        const double *numbers, size_t count, xp_error *error) {
    double head[XP__UNIT_NUMBERS];
    memcpy(head, result, sizeof head);
    const size_t length = 8 * (XP__UNIT_NUMBERS + count);
    unsigned char *bytes = xp__reserve(store->blob, &store->room, length + 8, 1);
    if (bytes == NULL) {
        return xp__no_memory(error);
    }
    store->blob = bytes;
    encode_all(bytes, head, XP__UNIT_NUMBERS);
    encode_all(bytes + sizeof head, numbers, count);
    encode(bytes + length, seal(key, bytes, length));
    int code = bind_key(store, store->put, key);
    if (code == SQLITE_OK) {
        code = sqlite3_bind_double(store->put, 4, result->regret);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_bind_blob64(store->put, 5, bytes, length + 8, SQLITE_STATIC);
    }
    return finish(store, store->put, code, error);
}

xp_status xp__store_remove(xp__store *store, const char *key, xp_error *error) {
    return finish(store, store->remove, bind_key(store, store->remove, key), error);
}

xp_status xp__store_begin(xp__store *store, xp_error *error) {
    return execute(store, "BEGIN", error);
}

xp_status xp__store_commit(xp__store *store, xp_error *error) {
    const xp_status status = execute(store, "COMMIT", error);
    if (status != XP_OK && sqlite3_get_autocommit(store->database) == 0) {
        (void)sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    }
    return status;
}
