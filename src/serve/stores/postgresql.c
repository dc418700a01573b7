/* postgresql.c: the store in a PostgreSQL database: connection, tables and their versions, and the
 * statements. The tables are those of the SQLite store, in a schema named experior. */
#include "serve/stores/postgresql.h"

#include "serve/stores/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APPLICATION "2020635510" /* the number of the lock that a migration holds */

static const char *const migrations[SERVE_SCHEMA] = {
    /* Rows that are written again and again keep room beside them, so that the new version of a
     * row is on the same page and no index changes. */
    "CREATE TABLE experiments(key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    " id text COLLATE \"C\" NOT NULL UNIQUE, name text NOT NULL, seed bigint NOT NULL,"
    " state bigint NOT NULL, shadow bigint NOT NULL, created bigint NOT NULL,"
    " decisions bigint NOT NULL, rewards bigint NOT NULL, reward_sum double precision NOT NULL,"
    " expert_sum double precision NOT NULL, model bigint NOT NULL, retain bigint NOT NULL,"
    " base bigint NOT NULL, first bigint NOT NULL) WITH (fillfactor = 25);"
    "CREATE TABLE models(experiment bigint NOT NULL, version bigint NOT NULL,"
    " document text NOT NULL, retired text NOT NULL, created bigint NOT NULL,"
    " PRIMARY KEY(experiment, version));"
    "CREATE TABLE counts(experiment bigint NOT NULL, segment text COLLATE \"C\" NOT NULL,"
    " action bigint NOT NULL, decisions bigint NOT NULL, rewards bigint NOT NULL,"
    " reward_sum double precision NOT NULL, reward_squares double precision NOT NULL,"
    " base_rewards bigint NOT NULL, base_sum double precision NOT NULL,"
    " base_squares double precision NOT NULL, PRIMARY KEY(experiment, segment, action))"
    " WITH (fillfactor = 50);"
    "CREATE TABLE decisions(experiment bigint NOT NULL, number bigint NOT NULL,"
    " time bigint NOT NULL, segment text COLLATE \"C\" NOT NULL, model bigint NOT NULL,"
    " version bigint NOT NULL, action bigint NOT NULL, probability double precision NOT NULL,"
    " candidates text, chosen bigint NOT NULL, PRIMARY KEY(experiment, number));"
    "CREATE TABLE rewards(experiment bigint NOT NULL, number bigint NOT NULL,"
    " sequence bigint NOT NULL, time bigint NOT NULL, segment text COLLATE \"C\" NOT NULL,"
    " action bigint NOT NULL, reward double precision NOT NULL, PRIMARY KEY(experiment, number));"
    "CREATE UNIQUE INDEX rewards_in_order ON rewards(experiment, sequence);"
    "CREATE TABLE requests(experiment bigint NOT NULL, request text COLLATE \"C\" NOT NULL,"
    " number bigint NOT NULL, count bigint NOT NULL, PRIMARY KEY(experiment, request));"
    "CREATE TABLE points(experiment bigint NOT NULL, rewards bigint NOT NULL,"
    " reward_sum double precision NOT NULL, expert_sum double precision NOT NULL,"
    " time bigint NOT NULL, PRIMARY KEY(experiment, rewards));"
    "CREATE TABLE tokens(id text COLLATE \"C\" PRIMARY KEY, name text NOT NULL,"
    " scope bigint NOT NULL, hash bytea NOT NULL, created bigint NOT NULL,"
    " revoked bigint NOT NULL);",
};

#define WITH_REWARDS " LEFT JOIN rewards r ON r.experiment = d.experiment AND r.number = d.number"

const char *const serve_pg_texts[PG_COUNT] = {
    [PG_BEGIN_READ] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    [PG_PATIENCE] = "SET LOCAL idle_in_transaction_session_timeout = 0",
    [PG_BEGIN_WRITE] = "BEGIN ISOLATION LEVEL READ COMMITTED",
    [PG_COMMIT] = "COMMIT",
    [PG_ROLLBACK] = "ROLLBACK",
    [PG_EXPERIMENT_ADD] =
        "INSERT INTO experiments(id, name, seed, state, shadow, created, decisions, rewards, "
        "reward_sum, expert_sum, model, retain, base, first) "
        "VALUES($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14) RETURNING key",
    [PG_EXPERIMENT_FIND] =
        "SELECT " SERVE_EXPERIMENT_COLUMNS " FROM experiments WHERE id = $1 AND state <> 2",
    [PG_EXPERIMENT_LOCK] = "SELECT " SERVE_EXPERIMENT_COLUMNS
                           " FROM experiments WHERE id = $1 AND state <> 2 FOR UPDATE",
    [PG_EXPERIMENTS_LOCK] = "SELECT " SERVE_EXPERIMENT_COLUMNS
                            " FROM experiments WHERE id = ANY($1::text[]) AND state <> 2 "
                            "ORDER BY key FOR UPDATE",
    [PG_EXPERIMENT_EACH] =
        "SELECT " SERVE_EXPERIMENT_COLUMNS " FROM experiments WHERE state <> 2 ORDER BY key",
    [PG_MODEL_ADD] = "INSERT INTO models VALUES($1,$2,$3,$4,$5)",
    [PG_MODEL_FIND] =
        "SELECT " SERVE_MODEL_COLUMNS " FROM models WHERE experiment = $1 AND version = $2",
    [PG_COUNT_EACH] = "SELECT " SERVE_COUNT_COLUMNS " FROM counts WHERE experiment = $1 "
                      "ORDER BY segment, action",
    [PG_DECISION_FIND] = "SELECT " SERVE_DECISION_COLUMNS " FROM decisions d" WITH_REWARDS
                         " WHERE d.experiment = $1 AND d.number = $2",
    [PG_DECISION_EACH] = "SELECT " SERVE_DECISION_COLUMNS " FROM decisions d" WITH_REWARDS
                         " WHERE d.experiment = $1 AND d.number > $2 ORDER BY d.number LIMIT $3",
    [PG_DECISIONS_FIND] =
        "SELECT " SERVE_DECISION_COLUMNS ", w.place FROM unnest($1::bigint[], $2::bigint[]) WITH "
        "ORDINALITY w(experiment, number, place) JOIN decisions d ON d.experiment = w.experiment "
        "AND d.number = w.number" WITH_REWARDS,
    [PG_REQUEST_FIND] = "SELECT number, count FROM requests WHERE experiment = $1 AND request = $2",
    [PG_REQUESTS_FIND] =
        "SELECT r.number, r.count, w.place FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY "
        "w(experiment, request, place) JOIN requests r ON r.experiment = w.experiment AND "
        "r.request = w.request COLLATE \"C\"",
    [PG_REWARD_EACH] = "SELECT " SERVE_REWARD_COLUMNS " FROM rewards "
                       "WHERE experiment = $1 AND sequence > $2 ORDER BY sequence LIMIT $3",
    [PG_POINT_EACH] = "SELECT " SERVE_POINT_COLUMNS " FROM points "
                      "WHERE experiment = $1 ORDER BY rewards",
    [PG_TRIM_REWARDS] =
        "DELETE FROM rewards WHERE experiment = $1 AND number < $2 AND sequence <= $3",
    [PG_TRIM_REQUESTS] = "DELETE FROM requests WHERE experiment = $1 AND number < $2",
    [PG_TRIM_DECISIONS] = "DELETE FROM decisions WHERE experiment = $1 AND number < $2",
    /* One that another process sweeps now is left to it. */
    [PG_DELETED_FIND] =
        "SELECT key FROM experiments WHERE state = 2 ORDER BY key LIMIT 1 FOR UPDATE SKIP LOCKED",
    [PG_SWEEP_DECISIONS] =
        "DELETE FROM decisions WHERE experiment = $1 AND number <= (SELECT max(number) FROM "
        "(SELECT number FROM decisions WHERE experiment = $1 ORDER BY number LIMIT $2) s)",
    [PG_SWEEP_REWARDS] =
        "DELETE FROM rewards WHERE experiment = $1 AND number <= (SELECT max(number) FROM "
        "(SELECT number FROM rewards WHERE experiment = $1 ORDER BY number LIMIT $2) s)",
    [PG_SWEEP_REQUESTS] =
        "DELETE FROM requests WHERE experiment = $1 AND request <= (SELECT max(request) FROM "
        "(SELECT request FROM requests WHERE experiment = $1 ORDER BY request LIMIT $2) s)",
    [PG_SWEEP_POINTS] = "DELETE FROM points WHERE experiment = $1",
    [PG_SWEEP_COUNTS] = "DELETE FROM counts WHERE experiment = $1",
    [PG_SWEEP_MODELS] = "DELETE FROM models WHERE experiment = $1",
    [PG_SWEEP_EXPERIMENT] = "DELETE FROM experiments WHERE key = $1",
    [PG_TOUCH] = "UPDATE version SET version = version",
    [PG_TOKEN_ADD] = "INSERT INTO tokens VALUES($1,$2,$3,$4,$5,$6)",
    [PG_TOKEN_REVOKE] = "UPDATE tokens SET revoked = 1 WHERE id = $1 AND revoked = 0 RETURNING id",
    [PG_TOKEN_EACH] = "SELECT " SERVE_TOKEN_COLUMNS " FROM tokens ORDER BY created, id",
    [PG_WRITE_EXPERIMENTS] =
        "UPDATE experiments e SET state = w.state, decisions = w.decisions, rewards = w.rewards, "
        "reward_sum = w.reward_sum, expert_sum = w.expert_sum, model = w.model, base = w.base, "
        "first = w.first FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], "
        "$5::float8[], $6::float8[], $7::bigint[], $8::bigint[], $9::bigint[]) w(key, state, "
        "decisions, rewards, reward_sum, expert_sum, model, base, first) WHERE e.key = w.key",
    [PG_WRITE_COUNTS] =
        "INSERT INTO counts SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], "
        "$4::bigint[], $5::bigint[], $6::float8[], $7::float8[], $8::bigint[], $9::float8[], "
        "$10::float8[]) ON CONFLICT (experiment, segment, action) DO UPDATE SET "
        "decisions = excluded.decisions, rewards = excluded.rewards, "
        "reward_sum = excluded.reward_sum, reward_squares = excluded.reward_squares, "
        "base_rewards = excluded.base_rewards, base_sum = excluded.base_sum, "
        "base_squares = excluded.base_squares",
    [PG_WRITE_DECISIONS] =
        "INSERT INTO decisions SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], "
        "$4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::float8[], $9::text[], "
        "$10::bigint[])",
    [PG_WRITE_REQUESTS] = "INSERT INTO requests SELECT * FROM unnest($1::bigint[], $2::text[], "
                          "$3::bigint[], $4::bigint[])",
    [PG_WRITE_REWARDS] =
        "INSERT INTO rewards SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], "
        "$4::bigint[], $5::text[], $6::bigint[], $7::float8[])",
    [PG_WRITE_POINTS] =
        "INSERT INTO points SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::float8[], "
        "$4::float8[], $5::bigint[]) ON CONFLICT (experiment, rewards) DO UPDATE SET "
        "reward_sum = excluded.reward_sum, expert_sum = excluded.expert_sum, "
        "time = excluded.time",
};

typedef struct opening { /* a sentence on the way out, and whether it is one by itself */
    char *message;
    size_t room;
    bool whole;
} opening;

static bool say(opening *self, bool whole, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool say(opening *self, bool whole, const char *format, ...) {
    va_list values;
    va_start(values, format);
    (void)vsnprintf(self->message, self->room, format, values);
    va_end(values);
    self->message[strcspn(self->message, "\n")] = '\0';
    self->whole = whole;
    return false;
}

static bool execute(PGconn *connection, const char *text, opening *told) {
    PGresult *result = PQexec(connection, text);
    const ExecStatusType status = PQresultStatus(result);
    const bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (!good) {
        const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        (void)say(told, false, "%s", primary != NULL ? primary : PQerrorMessage(connection));
    }
    PQclear(result);
    return good;
}

/* The one number that a query gives. */
static bool ask_number(PGconn *connection, const char *text, long *value, opening *told) {
    PGresult *result = PQexec(connection, text);
    const bool good = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1;
    if (good) {
        *value = strtol(PQgetvalue(result, 0, 0), NULL, 10);
    } else {
        (void)say(told, false, "%s", PQerrorMessage(connection));
    }
    PQclear(result);
    return good;
}

static const char *const count_tables = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON "
                                        "n.oid = c.relnamespace WHERE n.nspname = 'experior'";
static const char *const has_version = "SELECT (to_regclass('experior.version') IS NOT NULL)::int";

/* Several processes may start at once: the first makes the tables. */
static bool make_tables(PGconn *connection, opening *told) {
    long version = 0, tables = 0;
    bool good =
        execute(connection,
                "BEGIN; SELECT pg_advisory_xact_lock(" APPLICATION
                "); CREATE SCHEMA IF NOT EXISTS experior",
                told) &&
        ask_number(connection, has_version, &tables, told) &&
        (tables > 0 || execute(connection,
                               "CREATE TABLE version(version bigint NOT NULL); INSERT INTO version "
                               "VALUES(0)",
                               told)) &&
        ask_number(connection, "SELECT version FROM version", &version, told);
    char mark[64];
    for (; good && version < SERVE_SCHEMA; version++) {
        (void)snprintf(mark, sizeof mark, "UPDATE version SET version = %ld", version + 1);
        good = execute(connection, migrations[version], told) && execute(connection, mark, told);
    }
    return good && execute(connection, "COMMIT", told);
}

static bool migrate(PGconn *connection, bool create, opening *told) {
    long version = 0, tables = 0, ours = 0;
    /* In this order: tables that another process makes between the two questions are its store. */
    if (!ask_number(connection, count_tables, &tables, told) ||
        !ask_number(connection, has_version, &ours, told)) {
        return false;
    }
    if (ours == 0 && tables > 0) {
        return say(told, true,
                   "the schema experior of the database '%.60s' is no store of "
                   "experiments",
                   PQdb(connection));
    }
    if (ours == 0 && !create) {
        return say(told, true, "the database '%.60s' has no store of experiments",
                   PQdb(connection));
    }
    if (ours > 0 && !ask_number(connection, "SELECT version FROM version", &version, told)) {
        return false;
    }
    if (version > SERVE_SCHEMA) {
        return say(told, true,
                   "the store in the database '%.60s' has version %ld, but this program knows "
                   "versions up to %d; use the newer program that wrote it",
                   PQdb(connection), version, SERVE_SCHEMA);
    }
    return version == SERVE_SCHEMA || make_tables(connection, told);
}

/* Rows are found by their keys: plans that read whole tables are never right, also not while the
 * tables are small, because a plan is kept. Another process that stops in the middle of a group
 * does not hold others up for ever. */
static bool prepare(serve_postgresql *self, const serve_store_options *options, opening *told) {
    static const char *const syncs[] = {"on", "off", "off"};
    char text[512];
    const char *encoding = PQparameterStatus(self->connection, "server_encoding");
    if (encoding == NULL || strcmp(encoding, "UTF8") != 0) {
        return say(told, true, "the database '%.60s' has the encoding %.20s; the store needs UTF8",
                   PQdb(self->connection), encoding != NULL ? encoding : "?");
    }
    (void)snprintf(text, sizeof text,
                   "SET client_min_messages = error; SET search_path = experior; "
                   "SET synchronous_commit = %s; SET lock_timeout = '5s'; "
                   "SET idle_in_transaction_session_timeout = '60s'; SET jit = off; "
                   "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; "
                   "SET enable_hashjoin = off; SET enable_mergejoin = off",
                   syncs[options->sync]);
    long unsafe = 0;
    if (!execute(self->connection, text, told) ||
        !migrate(self->connection, options->create, told) ||
        !ask_number(self->connection,
                    "SELECT (current_setting('fsync') = 'off' OR "
                    "current_setting('full_page_writes') = 'off')::int",
                    &unsafe, told)) {
        return false;
    }
    if (unsafe > 0 && options->sync == SERVE_SYNC_FULL) {
        return say(told, true,
                   "the PostgreSQL server does not sync (fsync or full_page_writes is off), so "
                   "what is acknowledged could be lost; turn them on, or use --sync off");
    }
    return PQenterPipelineMode(self->connection) == 1 ||
           say(told, false, "%s", PQerrorMessage(self->connection));
}

static void be_silent(void *context, const PGresult *result) {
    (void)context, (void)result;
}

static PGconn *connect_to(const char *place, opening *told) {
    PQconninfoOption *parsed = PQconninfoParse(place, NULL);
    if (parsed == NULL) { /* libpq's own sentence repeats the place, with the password */
        (void)say(told, true,
                  "the store is not a connection URI, as in "
                  "postgresql://USER@HOST:PORT/DATABASE");
        return NULL;
    }
    PQconninfoFree(parsed);
    /* What the place says comes later and is stronger. */
    static const char *const names[] = {"application_name",
                                        "connect_timeout",
                                        "keepalives_idle",
                                        "keepalives_interval",
                                        "keepalives_count",
                                        "tcp_user_timeout",
                                        "dbname",
                                        "client_encoding",
                                        NULL};
    const char *const values[] = {"experior-serve", "5",   "10",   "5", "3",
                                  "15000",          place, "UTF8", NULL};
    PGconn *connection = PQconnectdbParams(names, values, 1);
    if (PQstatus(connection) != CONNECTION_OK) {
        (void)say(told, false, "%s",
                  connection != NULL ? PQerrorMessage(connection) : "out of memory");
        PQfinish(connection);
        return NULL;
    }
    (void)PQsetNoticeReceiver(connection, be_silent, NULL);
    return connection;
}

serve_store *serve_postgresql_open(const serve_store_options *options, char *message, size_t room) {
    char reason[400] = "out of memory";
    opening told = {.message = reason, .room = sizeof reason};
    serve_postgresql *self = calloc(1, sizeof *self);
    if (self != NULL) {
        self->store.type = &serve_postgresql_type;
        self->ahead = serve_pg_ahead_create();
        self->connection = connect_to(options->place, &told);
    }
    if (self == NULL || self->ahead == NULL || self->connection == NULL ||
        !prepare(self, options, &told)) {
        (void)snprintf(message, room, "%s%s",
                       told.whole ? "" : "the store in PostgreSQL cannot be opened: ", reason);
        if (self != NULL) {
            self->store.type->close(&self->store);
        }
        return NULL;
    }
    return &self->store;
}
