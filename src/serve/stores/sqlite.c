/* sqlite.c: the store in one SQLite file: connection, tables and their versions, transactions.
 *
 * WAL with synchronous=FULL: a commit returns after the log is on the disk. One process writes at a
 * time (BEGIN IMMEDIATE); others may read and, between groups, write (experior token). */
#include "serve/stores/sqlite.h"

#include "serve/stores/rows.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A log of so many pages is brought home by the connection that writes, and written from its start
 * again: to sync a log that grows takes longer, as its new length is written too. With a connection
 * that tidies, little is left to bring home by then, so the log may be longer. */
#define APPLICATION_TEXT "2020635510"
enum { APPLICATION = 2020635510, BUSY_MS = 5000, CHECKPOINT_PAGES = 4000, MOST_PAGES = 8192 };

static const char *const migrations[SERVE_SCHEMA] = {
    "CREATE TABLE experiments(key INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
    " name TEXT NOT NULL, seed INTEGER NOT NULL, state INTEGER NOT NULL, shadow INTEGER NOT NULL,"
    " created INTEGER NOT NULL, decisions INTEGER NOT NULL, rewards INTEGER NOT NULL,"
    " reward_sum REAL NOT NULL, expert_sum REAL NOT NULL, model INTEGER NOT NULL,"
    " retain INTEGER NOT NULL, base INTEGER NOT NULL, first INTEGER NOT NULL) STRICT;"
    "CREATE TABLE models(experiment INTEGER NOT NULL, version INTEGER NOT NULL,"
    " document TEXT NOT NULL, retired TEXT NOT NULL, created INTEGER NOT NULL,"
    " PRIMARY KEY(experiment, version)) STRICT;"
    "CREATE TABLE counts(experiment INTEGER NOT NULL, segment TEXT NOT NULL,"
    " action INTEGER NOT NULL, decisions INTEGER NOT NULL, rewards INTEGER NOT NULL,"
    " reward_sum REAL NOT NULL, reward_squares REAL NOT NULL, base_rewards INTEGER NOT NULL,"
    " base_sum REAL NOT NULL, base_squares REAL NOT NULL,"
    " PRIMARY KEY(experiment, segment, action)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE decisions(experiment INTEGER NOT NULL, number INTEGER NOT NULL,"
    " time INTEGER NOT NULL, segment TEXT NOT NULL, model INTEGER NOT NULL,"
    " version INTEGER NOT NULL, action INTEGER NOT NULL, probability REAL NOT NULL,"
    " candidates TEXT, chosen INTEGER NOT NULL, PRIMARY KEY(experiment, number)) STRICT,"
    " WITHOUT ROWID;"
    "CREATE TABLE rewards(experiment INTEGER NOT NULL, number INTEGER NOT NULL,"
    " sequence INTEGER NOT NULL, time INTEGER NOT NULL, segment TEXT NOT NULL,"
    " action INTEGER NOT NULL, reward REAL NOT NULL, PRIMARY KEY(experiment, number)) STRICT,"
    " WITHOUT ROWID;"
    "CREATE UNIQUE INDEX rewards_in_order ON rewards(experiment, sequence);"
    "CREATE TABLE requests(experiment INTEGER NOT NULL, request TEXT NOT NULL,"
    " number INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY(experiment, request)) STRICT,"
    " WITHOUT ROWID;"
    "CREATE TABLE points(experiment INTEGER NOT NULL, rewards INTEGER NOT NULL,"
    " reward_sum REAL NOT NULL, expert_sum REAL NOT NULL, time INTEGER NOT NULL,"
    " PRIMARY KEY(experiment, rewards)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE tokens(id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, scope INTEGER NOT NULL,"
    " hash BLOB NOT NULL, created INTEGER NOT NULL, revoked INTEGER NOT NULL) STRICT;",
};

#define DECISIONS_WITH_REWARDS                                                                     \
    "decisions d LEFT JOIN rewards r ON r.experiment = d.experiment AND r.number = d.number"

static const char *const texts[SQL_COUNT] = {
    [SQL_BEGIN_READ] = "BEGIN",
    [SQL_BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [SQL_COMMIT] = "COMMIT",
    [SQL_ROLLBACK] = "ROLLBACK",
    [SQL_DATA_VERSION] = "PRAGMA data_version",
    [SQL_EXPERIMENT_ADD] =
        "INSERT INTO experiments(id, name, seed, state, shadow, created, decisions, rewards, "
        "reward_sum, expert_sum, model, retain, base, first) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [SQL_EXPERIMENT_FIND] =
        "SELECT " SERVE_EXPERIMENT_COLUMNS " FROM experiments WHERE id = ? AND state <> 2",
    [SQL_EXPERIMENT_UPDATE] =
        "UPDATE experiments SET state = ?2, decisions = ?3, rewards = ?4, reward_sum = ?5, "
        "expert_sum = ?6, model = ?7, base = ?8, first = ?9 WHERE key = ?1",
    [SQL_EXPERIMENT_EACH] =
        "SELECT " SERVE_EXPERIMENT_COLUMNS " FROM experiments WHERE state <> 2 ORDER BY key",
    [SQL_MODEL_ADD] = "INSERT INTO models VALUES(?,?,?,?,?)",
    [SQL_MODEL_FIND] =
        "SELECT " SERVE_MODEL_COLUMNS " FROM models WHERE experiment = ? AND version = ?",
    [SQL_COUNT_EACH] = "SELECT " SERVE_COUNT_COLUMNS " FROM counts WHERE experiment = ? "
                       "ORDER BY segment, action",
    [SQL_COUNT_SET] = "INSERT OR REPLACE INTO counts VALUES(?,?,?,?,?,?,?,?,?,?)",
    [SQL_DECISION_ADD] = "INSERT INTO decisions VALUES(?,?,?,?,?,?,?,?,?,?)",
    [SQL_DECISION_FIND] = "SELECT " SERVE_DECISION_COLUMNS " FROM " DECISIONS_WITH_REWARDS
                          " WHERE d.experiment = ? AND d.number = ?",
    [SQL_DECISION_EACH] = "SELECT " SERVE_DECISION_COLUMNS " FROM " DECISIONS_WITH_REWARDS
                          " WHERE d.experiment = ? AND d.number > ? ORDER BY d.number LIMIT ?",
    [SQL_REQUEST_ADD] = "INSERT INTO requests VALUES(?,?,?,?)",
    [SQL_REQUEST_FIND] = "SELECT number, count FROM requests WHERE experiment = ? AND request = ?",
    [SQL_REWARD_ADD] = "INSERT INTO rewards VALUES(?,?,?,?,?,?,?)",
    [SQL_REWARD_EACH] = "SELECT " SERVE_REWARD_COLUMNS " FROM rewards "
                        "WHERE experiment = ? AND sequence > ? ORDER BY sequence LIMIT ?",
    [SQL_POINT_ADD] = "INSERT OR REPLACE INTO points VALUES(?,?,?,?,?)",
    [SQL_POINT_EACH] = "SELECT " SERVE_POINT_COLUMNS " FROM points "
                       "WHERE experiment = ? ORDER BY rewards",
    [SQL_TRIM_REWARDS] =
        "DELETE FROM rewards WHERE experiment = ? AND number < ? AND sequence <= ?",
    [SQL_TRIM_REQUESTS] = "DELETE FROM requests WHERE experiment = ? AND number < ?",
    [SQL_TRIM_DECISIONS] = "DELETE FROM decisions WHERE experiment = ? AND number < ?",
    [SQL_DELETED_FIND] = "SELECT key FROM experiments WHERE state = 2 LIMIT 1",
    [SQL_SWEEP_DECISIONS] =
        "DELETE FROM decisions WHERE experiment = ?1 AND number <= (SELECT max(number) FROM "
        "(SELECT number FROM decisions WHERE experiment = ?1 ORDER BY number LIMIT ?2))",
    [SQL_SWEEP_REWARDS] =
        "DELETE FROM rewards WHERE experiment = ?1 AND number <= (SELECT max(number) FROM "
        "(SELECT number FROM rewards WHERE experiment = ?1 ORDER BY number LIMIT ?2))",
    [SQL_SWEEP_REQUESTS] =
        "DELETE FROM requests WHERE experiment = ?1 AND request <= (SELECT max(request) FROM "
        "(SELECT request FROM requests WHERE experiment = ?1 ORDER BY request LIMIT ?2))",
    [SQL_SWEEP_POINTS] = "DELETE FROM points WHERE experiment = ?",
    [SQL_SWEEP_COUNTS] = "DELETE FROM counts WHERE experiment = ?",
    [SQL_SWEEP_MODELS] = "DELETE FROM models WHERE experiment = ?",
    [SQL_SWEEP_EXPERIMENT] = "DELETE FROM experiments WHERE key = ?",
    [SQL_TOUCH] = "PRAGMA application_id = " APPLICATION_TEXT,
    [SQL_TOKEN_ADD] = "INSERT INTO tokens VALUES(?,?,?,?,?,?)",
    [SQL_TOKEN_REVOKE] = "UPDATE tokens SET revoked = 1 WHERE id = ? AND revoked = 0",
    [SQL_TOKEN_EACH] = "SELECT " SERVE_TOKEN_COLUMNS " FROM tokens ORDER BY created, id",
};

bool serve_sqlite_fail(serve_sqlite *self) {
    (void)snprintf(self->store.message, sizeof self->store.message, "%s", sqlite3_errmsg(self->db));
    return false;
}

sqlite3_stmt *serve_sqlite_bind(serve_sqlite *self, serve_sql which, const char *kinds, ...) {
    sqlite3_stmt **kept = &self->statement[which];
    if (*kept == NULL && sqlite3_prepare_v3(self->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                                            kept, NULL) != SQLITE_OK) {
        (void)serve_sqlite_fail(self);
        return NULL;
    }
    va_list values;
    va_start(values, kinds);
    int code = SQLITE_OK;
    for (int i = 1; kinds[i - 1] != '\0' && code == SQLITE_OK; i++) {
        switch (kinds[i - 1]) {
        case 'i':
            code = sqlite3_bind_int64(*kept, i, va_arg(values, int64_t));
            break;
        case 'd':
            code = sqlite3_bind_double(*kept, i, va_arg(values, double));
            break;
        case 'b':
            code =
                sqlite3_bind_blob(*kept, i, va_arg(values, void *), SERVE_HASH_SIZE, SQLITE_STATIC);
            break;
        default: /* a text; NULL is bound as NULL */
            code = sqlite3_bind_text(*kept, i, va_arg(values, char *), -1, SQLITE_STATIC);
        }
    }
    va_end(values);
    if (code != SQLITE_OK) {
        (void)serve_sqlite_fail(self);
        return NULL;
    }
    return *kept;
}

int serve_sqlite_step(serve_sqlite *self, sqlite3_stmt *statement) {
    const int code = statement != NULL ? sqlite3_step(statement) : SQLITE_MISUSE;
    if (code == SQLITE_ROW) {
        return 1;
    }
    if (code != SQLITE_DONE && statement != NULL) {
        (void)serve_sqlite_fail(self);
    }
    if (statement != NULL) {
        (void)sqlite3_reset(statement);
    }
    return code == SQLITE_DONE ? 0 : -1;
}

bool serve_sqlite_run(serve_sqlite *self, sqlite3_stmt *statement) {
    int code;
    do {
        code = serve_sqlite_step(self, statement);
    } while (code > 0);
    return code == 0;
}

static bool execute(sqlite3 *db, const char *text, char *message, size_t room) {
    if (sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK) {
        return true;
    }
    (void)snprintf(message, room, "%s", sqlite3_errmsg(db));
    return false;
}

static bool read_pragma(sqlite3 *db, const char *text, int *value) {
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_prepare_v2(db, text, -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    if (good) {
        *value = sqlite3_column_int(statement, 0);
    }
    (void)sqlite3_finalize(statement);
    return good;
}

/* Whether the file is a store of ours; an empty file becomes one. */
static bool migrate(sqlite3 *db, const char *place, char *message, size_t room) {
    int version = 0, application = 0, tables = 0;
    if (!read_pragma(db, "PRAGMA user_version", &version) ||
        !read_pragma(db, "PRAGMA application_id", &application) ||
        !read_pragma(db, "SELECT count(*) FROM sqlite_schema", &tables)) {
        (void)snprintf(message, room, "%s", sqlite3_errmsg(db));
        return false;
    }
    if (application != APPLICATION && (tables > 0 || version > 0)) {
        (void)snprintf(message, room, "'%.120s' is an SQLite file, but no store of experiments",
                       place);
        return false;
    }
    if (version > SERVE_SCHEMA) {
        (void)snprintf(message, room,
                       "the store '%.120s' has version %d, but this program knows versions up to "
                       "%d; use the newer program that wrote it",
                       place, version, SERVE_SCHEMA);
        return false;
    }
    if (version == SERVE_SCHEMA) {
        return true;
    }
    bool good = execute(db, "BEGIN IMMEDIATE", message, room) &&
                read_pragma(db, "PRAGMA user_version", &version); /* another may have been faster */
    char mark[96];
    for (; good && version < SERVE_SCHEMA; version++) {
        (void)snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                       APPLICATION, version + 1);
        good = execute(db, migrations[version], message, room) && execute(db, mark, message, room);
    }
    return good && execute(db, "COMMIT", message, room);
}

static bool prepare(serve_sqlite *self, const serve_store_options *options, char *message,
                    size_t room) {
    static const char *const syncs[] = {"FULL", "NORMAL", "OFF"};
    char text[256];
    (void)snprintf(text, sizeof text,
                   "PRAGMA synchronous = %s; PRAGMA wal_autocheckpoint = %d; "
                   "PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;"
                   "PRAGMA cache_size = -16384;",
                   syncs[options->sync], options->tidied ? MOST_PAGES : CHECKPOINT_PAGES);
    /* A file system that cannot be written to is no reason not to read. */
    const bool writable = sqlite3_db_readonly(self->db, "main") == 0;
    return sqlite3_busy_timeout(self->db, BUSY_MS) == SQLITE_OK &&
           (!writable || execute(self->db, "PRAGMA journal_mode = WAL", message, room)) &&
           execute(self->db, text, message, room) &&
           migrate(self->db, options->place, message, room);
}

serve_store *serve_sqlite_open(const serve_store_options *options, char *message, size_t room) {
    serve_sqlite *self = calloc(1, sizeof *self);
    if (self == NULL) {
        (void)snprintf(message, room, "out of memory");
        return NULL;
    }
    self->store.type = &serve_sqlite_type;
    if (options->create) { /* decisions are nobody else's to read */
        const int file = open(options->place, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file >= 0) {
            (void)close(file);
        }
    }
    char reason[400] = "out of memory";
    const int code = sqlite3_open_v2(options->place, &self->db,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK && self->db != NULL) {
        (void)snprintf(reason, sizeof reason, "%s", sqlite3_errmsg(self->db));
    }
    if (code != SQLITE_OK || !prepare(self, options, reason, sizeof reason)) {
        if (strncmp(reason, "the store", 9) == 0 || strstr(reason, "but no store") != NULL) {
            (void)snprintf(message, room, "%s", reason);
        } else {
            (void)snprintf(message, room, "the store '%.120s' cannot be opened: %s", options->place,
                           reason);
        }
        self->store.type->close(&self->store);
        return NULL;
    }
    return &self->store;
}
