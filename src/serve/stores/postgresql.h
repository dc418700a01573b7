/* postgresql.h: what the parts of the PostgreSQL store share.
 *
 *     postgresql.c        connection, tables and their versions, the statements
 *     postgresql_wire.c   statements out and results in, in binary form, many per round trip
 *     postgresql_batch.c  rows that are collected and written together
 *     postgresql_ahead.c  rows that a group will look for, found together
 *     postgresql_rows.c   the functions of a store
 *
 * Several processes work on one database. A group that writes locks its experiments (FOR UPDATE, in
 * the order of their keys) before it reads anything else of them, and every statement sees what was
 * committed before it began (READ COMMITTED): so a group sees all that earlier groups wrote, on
 * whichever process, and two groups on one experiment follow each other. A group takes two round
 * trips: one that begins and locks, one that writes and commits. */
#ifndef XP_SERVE_STORES_POSTGRESQL_H
#define XP_SERVE_STORES_POSTGRESQL_H

#include "serve/stores/store.h"

#include <libpq-fe.h>

/* Every statement, by name. */
typedef enum serve_pg_sql {
    PG_BEGIN_READ,
    PG_PATIENCE,
    PG_BEGIN_WRITE,
    PG_COMMIT,
    PG_ROLLBACK,
    PG_EXPERIMENT_ADD,
    PG_EXPERIMENT_FIND,
    PG_EXPERIMENT_LOCK,
    PG_EXPERIMENTS_LOCK,
    PG_EXPERIMENT_EACH,
    PG_MODEL_ADD,
    PG_MODEL_FIND,
    PG_COUNT_EACH,
    PG_DECISION_FIND,
    PG_DECISION_EACH,
    PG_DECISIONS_FIND,
    PG_REQUEST_FIND,
    PG_REQUESTS_FIND,
    PG_REWARD_EACH,
    PG_POINT_EACH,
    PG_TRIM_REWARDS,
    PG_TRIM_REQUESTS,
    PG_TRIM_DECISIONS,
    PG_DELETED_FIND,
    PG_SWEEP_DECISIONS,
    PG_SWEEP_REWARDS,
    PG_SWEEP_REQUESTS,
    PG_SWEEP_POINTS,
    PG_SWEEP_COUNTS,
    PG_SWEEP_MODELS,
    PG_SWEEP_EXPERIMENT,
    PG_TOUCH,
    PG_TOKEN_ADD,
    PG_TOKEN_REVOKE,
    PG_TOKEN_EACH,
    PG_WRITE_EXPERIMENTS, /* these six write the rows of a batch */
    PG_WRITE_COUNTS,
    PG_WRITE_DECISIONS,
    PG_WRITE_REQUESTS,
    PG_WRITE_REWARDS,
    PG_WRITE_POINTS,
    PG_COUNT
} serve_pg_sql;

enum { PG_TABLES = PG_COUNT - PG_WRITE_EXPERIMENTS, PG_COLUMNS = 10 };

/* The values of one column, as PostgreSQL reads an array in binary form. */
typedef struct serve_pg_array {
    char *data;
    size_t bytes, room;
    uint32_t count;
    bool nulls, failed;
} serve_pg_array;

typedef struct serve_pg_batch {
    serve_pg_array column[PG_COLUMNS];
} serve_pg_batch;

typedef struct serve_pg_ahead serve_pg_ahead;

typedef struct serve_postgresql {
    serve_store store;
    PGconn *connection;
    bool prepared[PG_COUNT]; /* on the server, when first used */
    bool open, writing;      /* between begin and the end of a group; it writes */
    bool decided;            /* the group added decisions */
    size_t sent;             /* statements whose results were not looked at yet */
    serve_pg_batch batch[PG_TABLES];
    serve_pg_ahead *ahead;
} serve_postgresql;

extern const char *const serve_pg_texts[PG_COUNT];
extern const serve_store_type serve_postgresql_type;

/* postgresql_wire.c. Sends a statement with the values that `kinds` names, one letter each: i
 * int64_t, d double, t text (NULL is NULL), b a hash, a serve_pg_array *. Nothing is waited for. */
bool serve_pg_send(serve_postgresql *self, serve_pg_sql which, const char *kinds, ...);
/* Waits until all that was sent has been done. The result of the last statement, for PQclear; NULL
 * if any of them failed. */
PGresult *serve_pg_wait(serve_postgresql *self);
/* Sends what is collected, then the statement, and waits for its result. */
PGresult *serve_pg_ask(serve_postgresql *self, serve_pg_sql which, const char *kinds, ...);
bool serve_pg_fail(serve_postgresql *self, const char *message);

int64_t serve_pg_integer(const PGresult *result, int row, int column);
double serve_pg_real(const PGresult *result, int row, int column);

void serve_pg_array_integer(serve_pg_array *array, int64_t value);
void serve_pg_array_real(serve_pg_array *array, double value);
void serve_pg_array_text(serve_pg_array *array, const char *value); /* NULL is NULL */
void serve_pg_array_clear(serve_pg_array *array);                   /* keeps its memory */
void serve_pg_array_free(serve_pg_array *array);

/* postgresql_batch.c. Collects a row for one of the PG_WRITE_… statements. */
bool serve_pg_collect(serve_postgresql *self, serve_pg_sql which, ...);
/* Sends all rows that were collected. */
bool serve_pg_send_collected(serve_postgresql *self);
void serve_pg_forget_collected(serve_postgresql *self);
void serve_pg_free_collected(serve_postgresql *self);

/* postgresql_ahead.c. What was found ahead: a row of a result, no row (-1), or nothing is known, so
 * that the store has to be asked. */
typedef struct serve_pg_found {
    const PGresult *result;
    int row;
} serve_pg_found;

serve_pg_ahead *serve_pg_ahead_create(void);
void serve_pg_ahead_destroy(serve_pg_ahead *ahead);
void serve_pg_ahead_clear(serve_pg_ahead *ahead);
bool serve_pg_expect(serve_store *store, const serve_wanted *wanted, size_t count);
bool serve_pg_ahead_experiment(serve_pg_ahead *ahead, const char *id, serve_pg_found *found);
bool serve_pg_ahead_request(serve_pg_ahead *ahead, int64_t experiment, const char *request,
                            serve_pg_found *found);
bool serve_pg_ahead_decision(serve_pg_ahead *ahead, int64_t experiment, uint64_t number,
                             serve_pg_found *found);
/* The group changed it: what was found ahead holds no more. True if it was changed before. */
bool serve_pg_ahead_change_experiment(serve_pg_ahead *ahead, const char *id);
void serve_pg_ahead_change_request(serve_pg_ahead *ahead, int64_t experiment, const char *request);
void serve_pg_ahead_change_decision(serve_pg_ahead *ahead, int64_t experiment, uint64_t number);

#endif
