/* sqlite.h: what the parts of the SQLite store share: the connection and its prepared statements.
 */
#ifndef XP_SERVE_STORES_SQLITE_H
#define XP_SERVE_STORES_SQLITE_H

#include "serve/stores/store.h"

#include <sqlite3.h>

/* Every statement that runs often, by name. */
typedef enum serve_sql {
    SQL_BEGIN_READ,
    SQL_BEGIN_WRITE,
    SQL_COMMIT,
    SQL_ROLLBACK,
    SQL_DATA_VERSION,
    SQL_EXPERIMENT_ADD,
    SQL_EXPERIMENT_FIND,
    SQL_EXPERIMENT_UPDATE,
    SQL_EXPERIMENT_EACH,
    SQL_MODEL_ADD,
    SQL_MODEL_FIND,
    SQL_COUNT_EACH,
    SQL_COUNT_SET,
    SQL_DECISION_ADD,
    SQL_DECISION_FIND,
    SQL_DECISION_EACH,
    SQL_REQUEST_ADD,
    SQL_REQUEST_FIND,
    SQL_REWARD_ADD,
    SQL_REWARD_EACH,
    SQL_POINT_ADD,
    SQL_POINT_EACH,
    SQL_TRIM_REWARDS,
    SQL_TRIM_REQUESTS,
    SQL_TRIM_DECISIONS,
    SQL_DELETED_FIND,
    SQL_SWEEP_DECISIONS,
    SQL_SWEEP_REWARDS,
    SQL_SWEEP_REQUESTS,
    SQL_SWEEP_POINTS,
    SQL_SWEEP_COUNTS,
    SQL_SWEEP_MODELS,
    SQL_SWEEP_EXPERIMENT,
    SQL_TOUCH,
    SQL_TOKEN_ADD,
    SQL_TOKEN_REVOKE,
    SQL_TOKEN_EACH,
    SQL_COUNT
} serve_sql;

typedef struct serve_sqlite {
    serve_store store;
    sqlite3 *db;
    sqlite3_stmt *statement[SQL_COUNT]; /* prepared when first used */
    int64_t data_version;               /* moves when another connection commits; 0: not known */
} serve_sqlite;

/* Binds the values that `kinds` names, one letter each: i int64_t, d double, t text, b a hash of
 * SERVE_HASH_SIZE bytes (texts and NULL texts live until the statement ran). NULL on failure. */
sqlite3_stmt *serve_sqlite_bind(serve_sqlite *self, serve_sql which, const char *kinds, ...);
/* Runs a statement that gives no row, or whose rows do not matter. */
bool serve_sqlite_run(serve_sqlite *self, sqlite3_stmt *statement);
/* Steps to the next row: 1; 0 at the end, -1 on failure; resets in the last two cases. */
int serve_sqlite_step(serve_sqlite *self, sqlite3_stmt *statement);
bool serve_sqlite_fail(serve_sqlite *self);

extern const serve_store_type serve_sqlite_type;

#endif
