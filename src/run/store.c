/* store.c: the SQLite file behind a study.
 *
 * Invariants: application_id and user_version name the format, so that another program's database
 * is refused and not written to. Numbers are a BLOB of little-endian doubles, those of the result
 * and then those kept of its tasks, closed by a hash of them and of all that they are filed under:
 * they come back bit for bit, or the damage is noticed. The regret is repeated as a plain column
 * for those who look with sqlite3.
 *
 * One process writes, any number may read. The writer holds a lock on study.lock from open to
 * close, which the kernel frees if it is killed; the database itself is locked only while units are
 * filed, and a reader sees it as it was between two filings. */
#include "run/store.h"

#include "base/file.h"
#include "base/grow.h"
#include "run/store_lock.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FORMAT_VERSION = 2, APPLICATION_ID = 0x58505354 /* "XPST" */ };
/* Milliseconds to wait for a lock: at the start, where a killed process may still be dying, and
 * later, for a reader who is about to be through. */
enum { WAIT_AT_START = 2000, WAIT_LATER = 30000 };

struct xp__store {
    sqlite3 *database; /* NULL: a reader found no file */
    sqlite3_stmt *get, *put, *remove;
    uint64_t seed;
    char *path, *lock_path;
    int lock;            /* the writer's; -1 for a reader */
    struct stat place;   /* of the database's file */
    unsigned char *blob; /* what is being written */
    size_t room;         /* bytes of it */
};

xp_status xp__store_check(const xp__store *store, xp_error *error) {
    struct stat now;
    if (store->place.st_nlink > 0 &&
        (stat(store->path, &now) != 0 || now.st_ino != store->place.st_ino ||
         now.st_dev != store->place.st_dev)) {
        return xp_error_set(
            error, XP_ERR_FILE,
            "'%s' was removed or replaced while the study ran; what it had computed "
            "is lost, and the same command starts anew",
            store->path);
    }
    return XP_OK;
}

/* Whether a write failed for want of room. */
static bool is_full(int code, int reason) {
    return (code & 0xff) == SQLITE_FULL || reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
}

/* A sentence for whatever SQLite has to say. */
static xp_status explain(const xp__store *store, int code, xp_error *error) {
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

static xp_status execute(xp__store *store, const char *sql, xp_error *error) {
    errno = 0;
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
    return execute(store, sql, error);
}

/* Makes the table in an empty file or checks that the file is ours. *empty: there is no table. */
static xp_status adopt(xp__store *store, bool *empty, xp_error *error) {
    sqlite3_int64 tables = 0, application = 0, version = 0;
    xp_status status = query_number(store, "SELECT count(*) FROM sqlite_schema", &tables, error);
    if (status == XP_OK) {
        status = query_number(store, "PRAGMA application_id", &application, error);
    }
    if (status == XP_OK) {
        status = query_number(store, "PRAGMA user_version", &version, error);
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
                            "depend on; move it away and they are computed again",
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
    return code == SQLITE_OK ? XP_OK : explain(store, code, error);
}

/* Opens the database's file, which exists or is to be made. */
static xp_status open_database(xp__store *store, xp_error *error) {
    const int create = store->lock >= 0 ? SQLITE_OPEN_CREATE : 0;
    /* A reader too may have to write: what a killed writer left half done is rolled back. */
    const int code =
        sqlite3_open_v2(store->path, &store->database, SQLITE_OPEN_READWRITE | create, NULL);
    if (code != SQLITE_OK) {
        return explain(store, code, error);
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
    const bool exists = stat(store->path, &info) == 0;
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

void xp__store_choose_seed(xp__store *store, uint64_t seed) {
    store->seed = seed;
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

static uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Hash of the encoded numbers and of all that they are filed under; texts with the zero that ends
 * them, so that no two of them run together. */
static uint64_t seal(const xp__store *store, const char *key, const char *revision,
                     const char *version, const unsigned char *numbers, size_t length) {
    unsigned char seed[8];
    encode(seed, store->seed);
    const char *const texts[] = {key, revision, version};
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), seed, sizeof seed);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hash = hash_bytes(hash, (const unsigned char *)texts[i], strlen(texts[i]) + 1);
    }
    return hash_bytes(hash, numbers, length);
}

static int bind_key(xp__store *store, sqlite3_stmt *statement, const char *key) {
    (void)sqlite3_reset(statement);
    const int code = sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    return code == SQLITE_OK ? sqlite3_bind_int64(statement, 2, (sqlite3_int64)store->seed) : code;
}

/* Whether results of one version hold in another: the same up to the first number that is not 0.
 * Before 1.0 that is the second ("0.1.3" and "0.1.0" agree, "0.2.0" does not), later the first. */
static bool agree(const char *one, const char *other) {
    bool counted = false;
    for (; *one == *other && *one != '\0' && !(counted && *one == '.'); one++, other++) {
        counted = counted || (*one >= '1' && *one <= '9');
    }
    return (*one == '\0' || *one == '.') && (*other == '\0' || *other == '.');
}

/* Takes the numbers of the row at which `get` stands. */
static xp_status take_row(xp__store *store, const char *key, const char *revision,
                          const char *version, xp__unit_result *result, double *numbers,
                          size_t count, xp_error *error) {
    const size_t length = 8 * (XP__UNIT_NUMBERS + count);
    const unsigned char *bytes = sqlite3_column_blob(store->get, 2);
    if (bytes == NULL || (size_t)sqlite3_column_bytes(store->get, 2) != length + 8 ||
        decode(bytes + length) != seal(store, key, revision, version, bytes, length)) {
        return xp_error_set(error, XP_ERR_FILE,
                            "'%s' is damaged at '%.200s'; remove it to start afresh", store->path,
                            key);
    }
    double head[XP__UNIT_NUMBERS];
    decode_all(bytes, head, XP__UNIT_NUMBERS);
    memcpy(result, head, sizeof head);
    decode_all(bytes + sizeof head, numbers, count);
    return XP_OK;
}

xp_status xp__store_get(xp__store *store, const char *key, const char *revision, xp__filed *filed,
                        xp__unit_result *result, double *numbers, size_t count, xp_error *error) {
    *filed = XP__FILED_NONE;
    if (store->database == NULL) {
        return XP_OK;
    }
    int code = bind_key(store, store->get, key);
    if (code == SQLITE_OK) {
        code = sqlite3_step(store->get);
    }
    xp_status status = XP_OK;
    while (code == SQLITE_ROW && status == XP_OK && *filed != XP__FILED) {
        const char *of = (const char *)sqlite3_column_text(store->get, 0);
        const char *by = (const char *)sqlite3_column_text(store->get, 1);
        if (of == NULL || by == NULL) {
            status = xp__no_memory(error);
        } else if (strcmp(of, revision) == 0 && agree(by, xp_version())) {
            status = take_row(store, key, of, by, result, numbers, count, error);
            *filed = status == XP_OK ? XP__FILED : XP__FILED_NONE;
        } else {
            *filed = XP__FILED_OTHER;
            code = sqlite3_step(store->get);
        }
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        status = explain(store, code, error);
    }
    (void)sqlite3_reset(store->get);
    return status;
}

xp_status xp__store_has(xp__store *store, const char *key, const char *revision, bool *has,
                        xp_error *error) {
    *has = false;
    if (store->database == NULL) {
        return XP_OK;
    }
    int code = bind_key(store, store->get, key);
    if (code == SQLITE_OK) {
        code = sqlite3_step(store->get);
    }
    while (code == SQLITE_ROW && !*has) {
        const char *of = (const char *)sqlite3_column_text(store->get, 0);
        const char *by = (const char *)sqlite3_column_text(store->get, 1);
        *has = of != NULL && by != NULL && strcmp(of, revision) == 0 && agree(by, xp_version());
        code = *has ? code : sqlite3_step(store->get);
    }
    const xp_status status =
        code == SQLITE_ROW || code == SQLITE_DONE ? XP_OK : explain(store, code, error);
    (void)sqlite3_reset(store->get);
    return status;
}

/* The unit of the row at which a statement stands, with its numbers decoded into the store's block.
 */
static xp_status read_stored(xp__store *store, sqlite3_stmt *row, xp__stored *stored,
                             xp_error *error) {
    *stored = (xp__stored){.key = (const char *)sqlite3_column_text(row, 0),
                           .seed = (uint64_t)sqlite3_column_int64(row, 1),
                           .revision = (const char *)sqlite3_column_text(row, 2),
                           .version = (const char *)sqlite3_column_text(row, 3)};
    const unsigned char *bytes = sqlite3_column_blob(row, 4);
    const size_t length = (size_t)sqlite3_column_bytes(row, 4), least = 8 * XP__UNIT_NUMBERS;
    if (stored->key == NULL || stored->revision == NULL || stored->version == NULL) {
        return xp__no_memory(error);
    }
    stored->agrees = agree(stored->version, xp_version());
    store->seed = stored->seed;
    if (bytes == NULL || length < least + 8 || length % 8 != 0 ||
        decode(bytes + length - 8) !=
            seal(store, stored->key, stored->revision, stored->version, bytes, length - 8)) {
        return xp_error_set(error, XP_ERR_FILE,
                            "'%s' is damaged at '%.200s'; remove it to start afresh", store->path,
                            stored->key);
    }
    unsigned char *block = xp__reserve(store->blob, &store->room, length, 1);
    if (block == NULL) {
        return xp__no_memory(error);
    }
    store->blob = block;
    double *numbers = (double *)(void *)block; /* as aligned as any memory that was allocated */
    decode_all(bytes, numbers, (length - 8) / 8);
    memcpy(&stored->result, numbers, sizeof stored->result);
    stored->numbers = numbers + XP__UNIT_NUMBERS;
    stored->count = (length - 8 - least) / 8;
    return XP_OK;
}

xp_status xp__store_each(xp__store *store,
                         xp_status (*visit)(void *context, const xp__stored *stored,
                                            xp_error *error),
                         void *context, xp_error *error) {
    sqlite3_stmt *rows = NULL;
    if (store->database == NULL) {
        return XP_OK;
    }
    int code = sqlite3_prepare_v2(store->database,
                                  "SELECT key, seed, revision, version, numbers FROM unit"
                                  " ORDER BY key, seed, version, revision",
                                  -1, &rows, NULL);
    xp_status status = XP_OK;
    while (code == SQLITE_OK && status == XP_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        xp__stored stored;
        code = SQLITE_OK;
        status = read_stored(store, rows, &stored, error);
        if (status == XP_OK) {
            status = visit(context, &stored, error);
        }
    }
    if (status == XP_OK && code != SQLITE_DONE && code != SQLITE_OK) {
        status = explain(store, code, error);
    }
    (void)sqlite3_finalize(rows);
    return status;
}

static xp_status knows_studies(xp__store *store, bool *known, xp_error *error) {
    sqlite3_int64 tables = 0;
    const xp_status status =
        store->database == NULL
            ? XP_OK
            : query_number(store, "SELECT count(*) FROM sqlite_schema WHERE name = 'study'",
                           &tables, error);
    *known = tables > 0;
    return status;
}

static xp_status finish(xp__store *store, sqlite3_stmt *statement, int code, xp_error *error) {
    errno = 0;
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
    }
    const xp_status status = code == SQLITE_DONE ? XP_OK : explain(store, code, error);
    (void)sqlite3_reset(statement);
    return status;
}

xp_status xp__store_note_study(xp__store *store, const char *study, const char *scale,
                               uint64_t seed, xp_error *error) {
    bool known;
    xp_status status = knows_studies(store, &known, error);
    if (status != XP_OK || !known) {
        return status;
    }
    sqlite3_stmt *insert = NULL;
    int code = sqlite3_prepare_v2(
        store->database, "INSERT OR IGNORE INTO study (name, scale, seed) VALUES (?1, ?2, ?3)", -1,
        &insert, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_bind_text(insert, 1, study, -1, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_bind_text(insert, 2, scale, -1, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_bind_int64(insert, 3, (sqlite3_int64)seed);
    }
    status = finish(store, insert, code, error);
    (void)sqlite3_finalize(insert);
    return status;
}

xp_status xp__store_each_study(xp__store *store, bool *known,
                               xp_status (*visit)(void *context, const char *study,
                                                  const char *scale, uint64_t seed,
                                                  xp_error *error),
                               void *context, xp_error *error) {
    xp_status status = knows_studies(store, known, error);
    if (status != XP_OK || !*known) {
        return status;
    }
    sqlite3_stmt *rows = NULL;
    int code = sqlite3_prepare_v2(store->database,
                                  "SELECT name, scale, seed FROM study ORDER BY name, scale, seed",
                                  -1, &rows, NULL);
    while (code == SQLITE_OK && status == XP_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        const char *scale = (const char *)sqlite3_column_text(rows, 1);
        code = SQLITE_OK;
        status = name == NULL || scale == NULL
                     ? xp__no_memory(error)
                     : visit(context, name, scale, (uint64_t)sqlite3_column_int64(rows, 2), error);
    }
    if (status == XP_OK && code != SQLITE_DONE && code != SQLITE_OK) {
        status = explain(store, code, error);
    }
    (void)sqlite3_finalize(rows);
    return status;
}

xp_status xp__store_put(xp__store *store, const char *key, const char *revision,
                        const xp__unit_result *result, const double *numbers, size_t count,
                        xp_error *error) {
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
    encode(bytes + length, seal(store, key, revision, xp_version(), bytes, length));
    int code = bind_key(store, store->put, key);
    if (code == SQLITE_OK) {
        code = sqlite3_bind_text(store->put, 3, revision, -1, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_bind_text(store->put, 4, xp_version(), -1, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_bind_double(store->put, 5, result->regret);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_bind_blob64(store->put, 6, bytes, length + 8, SQLITE_STATIC);
    }
    return finish(store, store->put, code, error);
}

xp_status xp__store_remove(xp__store *store, const char *key, xp_error *error) {
    return finish(store, store->remove, bind_key(store, store->remove, key), error);
}

xp_status xp__store_begin(xp__store *store, xp_error *error) {
    return store->database != NULL ? execute(store, "BEGIN", error) : XP_OK;
}

xp_status xp__store_commit(xp__store *store, xp_error *error) {
    return store->database != NULL ? execute(store, "COMMIT", error) : XP_OK;
}

void xp__store_drop(xp__store *store) {
    if (store->database != NULL && sqlite3_get_autocommit(store->database) == 0) {
        (void)sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    }
}
