/* sqlite_rows.c: the rows of the SQLite store: one function per statement. */
#include "serve/stores/rows.h"
#include "serve/stores/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static serve_sqlite *sqlite_of(serve_store *store) {
    return (serve_sqlite *)store;
}

typedef struct columns {
    serve_columns base;
    sqlite3_stmt *statement;
} columns;

static sqlite3_stmt *statement_of(const serve_columns *self) {
    return ((const columns *)self)->statement;
}

static bool is_null(const serve_columns *self, int column) {
    return sqlite3_column_type(statement_of(self), column) == SQLITE_NULL;
}

static int64_t integer(const serve_columns *self, int column) {
    return sqlite3_column_int64(statement_of(self), column);
}

static double real(const serve_columns *self, int column) {
    return sqlite3_column_double(statement_of(self), column);
}

static const char *bytes(const serve_columns *self, int column, size_t *count) {
    sqlite3_stmt *statement = statement_of(self);
    const char *found = sqlite3_column_type(statement, column) == SQLITE_BLOB
                            ? sqlite3_column_blob(statement, column)
                            : (const char *)sqlite3_column_text(statement, column);
    *count = (size_t)sqlite3_column_bytes(statement, column);
    return found;
}

static columns columns_of(sqlite3_stmt *statement) {
    return (columns){{is_null, integer, real, bytes}, statement};
}

static bool lack_memory(serve_store *store) {
    (void)snprintf(store->message, sizeof store->message, "out of memory");
    return false;
}

static void close_store(serve_store *store) {
    serve_sqlite *self = sqlite_of(store);
    for (size_t i = 0; i < SQL_COUNT; i++) {
        (void)sqlite3_finalize(self->statement[i]);
    }
    (void)sqlite3_close(self->db);
    free(self);
}

static bool begin(serve_store *store, bool writes) {
    serve_sqlite *self = sqlite_of(store);
    return serve_sqlite_run(self,
                            serve_sqlite_bind(self, writes ? SQL_BEGIN_WRITE : SQL_BEGIN_READ, ""));
}

static bool commit(serve_store *store) {
    return serve_sqlite_run(sqlite_of(store), serve_sqlite_bind(sqlite_of(store), SQL_COMMIT, ""));
}

static void rollback(serve_store *store) {
    serve_sqlite *self = sqlite_of(store);
    for (size_t i = 0; i < SQL_COUNT; i++) { /* a statement that failed may still hold the lock */
        if (self->statement[i] != NULL) {
            (void)sqlite3_reset(self->statement[i]);
        }
    }
    if (sqlite3_get_autocommit(self->db) == 0) {
        char kept[sizeof store->message];
        memcpy(kept, store->message, sizeof kept);
        (void)serve_sqlite_run(self, serve_sqlite_bind(self, SQL_ROLLBACK, ""));
        memcpy(store->message, kept, sizeof kept);
    }
}

static bool unchanged(serve_store *store) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement = serve_sqlite_bind(self, SQL_DATA_VERSION, "");
    const bool found = serve_sqlite_step(self, statement) > 0;
    const int64_t before = self->data_version;
    self->data_version = found ? sqlite3_column_int64(statement, 0) : 0;
    if (found) {
        (void)sqlite3_reset(statement);
    }
    return found && self->data_version == before;
}

static bool experiment_add(serve_store *store, serve_experiment *row) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement = serve_sqlite_bind(
        self, SQL_EXPERIMENT_ADD, "ttiiiiiiddiiii", row->id, row->name, (int64_t)row->seed,
        (int64_t)row->state, (int64_t)row->shadow, row->created, (int64_t)row->decisions,
        (int64_t)row->rewards, row->reward_sum, row->expert_sum, (int64_t)row->model,
        (int64_t)row->retain, (int64_t)row->base, (int64_t)row->first);
    if (!serve_sqlite_run(self, statement)) {
        return false;
    }
    row->key = sqlite3_last_insert_rowid(self->db);
    return true;
}

static bool experiment_find(serve_store *store, const char *id, serve_experiment *row,
                            bool *found) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement = serve_sqlite_bind(self, SQL_EXPERIMENT_FIND, "t", id);
    const int step = serve_sqlite_step(self, statement);
    *found = step > 0;
    if (*found) {
        const columns from = columns_of(statement);
        serve_row_experiment(&from.base, row);
        (void)sqlite3_reset(statement);
    }
    return step >= 0;
}

static bool experiment_update(serve_store *store, const serve_experiment *row) {
    serve_sqlite *self = sqlite_of(store);
    return serve_sqlite_run(
        self, serve_sqlite_bind(self, SQL_EXPERIMENT_UPDATE, "iiiiddiii", row->key,
                                (int64_t)row->state, (int64_t)row->decisions, (int64_t)row->rewards,
                                row->reward_sum, row->expert_sum, (int64_t)row->model,
                                (int64_t)row->base, (int64_t)row->first));
}

static bool experiment_each(serve_store *store, bool (*see)(void *, const serve_experiment *),
                            void *context) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement = serve_sqlite_bind(self, SQL_EXPERIMENT_EACH, "");
    const columns from = columns_of(statement);
    serve_experiment row;
    int step;
    while ((step = serve_sqlite_step(self, statement)) > 0) {
        serve_row_experiment(&from.base, &row);
        if (!see(context, &row)) {
            (void)sqlite3_reset(statement);
            return true;
        }
    }
    return step == 0;
}

static bool model_add(serve_store *store, int64_t experiment, uint32_t version,
                      const serve_model_row *row, int64_t time) {
    serve_sqlite *self = sqlite_of(store);
    return serve_sqlite_run(self,
                            serve_sqlite_bind(self, SQL_MODEL_ADD, "iitti", experiment,
                                              (int64_t)version, row->document, row->retired, time));
}

static bool model_find(serve_store *store, int64_t experiment, uint32_t version,
                       serve_model_row *row, bool *found) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement =
        serve_sqlite_bind(self, SQL_MODEL_FIND, "ii", experiment, (int64_t)version);
    const int step = serve_sqlite_step(self, statement);
    *found = step > 0;
    *row = (serve_model_row){.bytes = 0};
    if (*found) {
        const columns from = columns_of(statement);
        const bool good = serve_row_model(&from.base, row);
        (void)sqlite3_reset(statement);
        return good || lack_memory(store);
    }
    return step >= 0;
}

static bool count_each(serve_store *store, int64_t experiment,
                       bool (*see)(void *, const serve_count *), void *context) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement = serve_sqlite_bind(self, SQL_COUNT_EACH, "i", experiment);
    const columns from = columns_of(statement);
    serve_count row;
    int step;
    while ((step = serve_sqlite_step(self, statement)) > 0) {
        serve_row_count(&from.base, &row);
        if (!see(context, &row)) {
            (void)sqlite3_reset(statement);
            return true;
        }
    }
    return step == 0;
}

static bool count_set(serve_store *store, int64_t experiment, const serve_count *row) {
    serve_sqlite *self = sqlite_of(store);
    return serve_sqlite_run(
        self, serve_sqlite_bind(self, SQL_COUNT_SET, "itiiiddidd", experiment, row->segment,
                                (int64_t)row->action, (int64_t)row->decisions,
                                (int64_t)row->rewards, row->sum, row->squares,
                                (int64_t)row->base_rewards, row->base_sum, row->base_squares));
}

static bool decision_add(serve_store *store, int64_t experiment, const serve_decision *row) {
    serve_sqlite *self = sqlite_of(store);
    return serve_sqlite_run(
        self,
        serve_sqlite_bind(self, SQL_DECISION_ADD, "iiitiiidti", experiment, (int64_t)row->number,
                          row->time, row->segment, (int64_t)row->model, (int64_t)row->version,
                          (int64_t)row->action, row->probability, row->candidates, row->chosen));
}

static bool decision_find(serve_store *store, int64_t experiment, uint64_t number,
                          serve_decision *row, bool *found) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement =
        serve_sqlite_bind(self, SQL_DECISION_FIND, "ii", experiment, (int64_t)number);
    const int step = serve_sqlite_step(self, statement);
    *found = step > 0;
    if (*found) {
        const columns from = columns_of(statement);
        const bool good = serve_row_decision(&from.base, row);
        (void)sqlite3_reset(statement);
        return good || lack_memory(store);
    }
    return step >= 0;
}

static bool decision_each(serve_store *store, int64_t experiment, uint64_t after, size_t limit,
                          bool (*see)(void *, const serve_decision *), void *context) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement = serve_sqlite_bind(self, SQL_DECISION_EACH, "iii", experiment,
                                                (int64_t)after, (int64_t)limit);
    const columns from = columns_of(statement);
    serve_decision row;
    int step;
    while ((step = serve_sqlite_step(self, statement)) > 0) {
        const bool good = serve_row_decision(&from.base, &row);
        const bool more = good && see(context, &row);
        free(row.candidates);
        if (!more) {
            (void)sqlite3_reset(statement);
            return good || lack_memory(store);
        }
    }
    return step == 0;
}

static bool request_add(serve_store *store, int64_t experiment, const char *request,
                        uint64_t number, uint64_t count) {
    serve_sqlite *self = sqlite_of(store);
    return serve_sqlite_run(self, serve_sqlite_bind(self, SQL_REQUEST_ADD, "itii", experiment,
                                                    request, (int64_t)number, (int64_t)count));
}

static bool request_find(serve_store *store, int64_t experiment, const char *request,
                         uint64_t *number, uint64_t *count, bool *found) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement = serve_sqlite_bind(self, SQL_REQUEST_FIND, "it", experiment, request);
    const int step = serve_sqlite_step(self, statement);
    *found = step > 0;
    if (*found) {
        *number = (uint64_t)sqlite3_column_int64(statement, 0);
        *count = (uint64_t)sqlite3_column_int64(statement, 1);
        (void)sqlite3_reset(statement);
    }
    return step >= 0;
}

static bool reward_add(serve_store *store, int64_t experiment, const serve_reward *row) {
    serve_sqlite *self = sqlite_of(store);
    return serve_sqlite_run(self, serve_sqlite_bind(self, SQL_REWARD_ADD, "iiiitid", experiment,
                                                    (int64_t)row->number, (int64_t)row->sequence,
                                                    row->time, row->segment, (int64_t)row->action,
                                                    row->reward));
}

static bool reward_each(serve_store *store, int64_t experiment, uint64_t after, size_t limit,
                        bool (*see)(void *, const serve_reward *), void *context) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement =
        serve_sqlite_bind(self, SQL_REWARD_EACH, "iii", experiment, (int64_t)after, (int64_t)limit);
    const columns from = columns_of(statement);
    serve_reward row;
    int step;
    while ((step = serve_sqlite_step(self, statement)) > 0) {
        serve_row_reward(&from.base, &row);
        if (!see(context, &row)) {
            (void)sqlite3_reset(statement);
            return true;
        }
    }
    return step == 0;
}

static bool point_add(serve_store *store, int64_t experiment, const serve_point *row) {
    serve_sqlite *self = sqlite_of(store);
    return serve_sqlite_run(self, serve_sqlite_bind(self, SQL_POINT_ADD, "iiddi", experiment,
                                                    (int64_t)row->rewards, row->reward_sum,
                                                    row->expert_sum, row->time));
}

static bool point_each(serve_store *store, int64_t experiment,
                       bool (*see)(void *, const serve_point *), void *context) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement = serve_sqlite_bind(self, SQL_POINT_EACH, "i", experiment);
    const columns from = columns_of(statement);
    serve_point row;
    int step;
    while ((step = serve_sqlite_step(self, statement)) > 0) {
        serve_row_point(&from.base, &row);
        if (!see(context, &row)) {
            (void)sqlite3_reset(statement);
            return true;
        }
    }
    return step == 0;
}

static bool trim(serve_store *store, int64_t experiment, uint64_t first, uint64_t base) {
    serve_sqlite *self = sqlite_of(store);
    return serve_sqlite_run(self, serve_sqlite_bind(self, SQL_TRIM_REWARDS, "iii", experiment,
                                                    (int64_t)first, (int64_t)base)) &&
           serve_sqlite_run(self, serve_sqlite_bind(self, SQL_TRIM_REQUESTS, "ii", experiment,
                                                    (int64_t)first)) &&
           serve_sqlite_run(
               self, serve_sqlite_bind(self, SQL_TRIM_DECISIONS, "ii", experiment, (int64_t)first));
}

/* Deletes up to `limit` rows with one statement; `left` goes down by their number. */
static bool sweep_some(serve_sqlite *self, serve_sql which, int64_t key, size_t *left) {
    if (*left == 0) {
        return true;
    }
    const bool good =
        serve_sqlite_run(self, serve_sqlite_bind(self, which, "ii", key, (int64_t)*left));
    const size_t gone = good ? (size_t)sqlite3_changes(self->db) : 0;
    *left -= gone < *left ? gone : *left;
    return good;
}

static bool sweep(serve_store *store, size_t limit, bool *more) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement = serve_sqlite_bind(self, SQL_DELETED_FIND, "");
    const int step = serve_sqlite_step(self, statement);
    *more = step > 0;
    if (step <= 0) {
        return step == 0;
    }
    const int64_t key = sqlite3_column_int64(statement, 0);
    (void)sqlite3_reset(statement);
    size_t left = limit;
    if (!sweep_some(self, SQL_SWEEP_DECISIONS, key, &left) ||
        !sweep_some(self, SQL_SWEEP_REWARDS, key, &left) ||
        !sweep_some(self, SQL_SWEEP_REQUESTS, key, &left)) {
        return false;
    }
    if (left == 0) {
        return true;
    }
    static const serve_sql rest[] = {SQL_SWEEP_POINTS, SQL_SWEEP_COUNTS, SQL_SWEEP_MODELS,
                                     SQL_SWEEP_EXPERIMENT};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        if (!serve_sqlite_run(self, serve_sqlite_bind(self, rest[i], "i", key))) {
            return false;
        }
    }
    return true;
}

static bool touch(serve_store *store) {
    serve_sqlite *self = sqlite_of(store);
    return serve_sqlite_run(self, serve_sqlite_bind(self, SQL_TOUCH, ""));
}

static bool tidy(serve_store *store) {
    serve_sqlite *self = sqlite_of(store);
    const int code =
        sqlite3_wal_checkpoint_v2(self->db, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    return code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED ||
           serve_sqlite_fail(self);
}

static bool token_add(serve_store *store, const serve_token *row) {
    serve_sqlite *self = sqlite_of(store);
    return serve_sqlite_run(self, serve_sqlite_bind(self, SQL_TOKEN_ADD, "ttibii", row->id,
                                                    row->name, (int64_t)row->scope, row->hash,
                                                    row->created, (int64_t)row->revoked));
}

static bool token_revoke(serve_store *store, const char *id, bool *found) {
    serve_sqlite *self = sqlite_of(store);
    const bool good = serve_sqlite_run(self, serve_sqlite_bind(self, SQL_TOKEN_REVOKE, "t", id));
    *found = good && sqlite3_changes(self->db) > 0;
    return good;
}

static bool token_each(serve_store *store, bool (*see)(void *, const serve_token *),
                       void *context) {
    serve_sqlite *self = sqlite_of(store);
    sqlite3_stmt *statement = serve_sqlite_bind(self, SQL_TOKEN_EACH, "");
    const columns from = columns_of(statement);
    serve_token row;
    int step;
    while ((step = serve_sqlite_step(self, statement)) > 0) {
        serve_row_token(&from.base, &row);
        if (!see(context, &row)) {
            (void)sqlite3_reset(statement);
            return true;
        }
    }
    return step == 0;
}

const serve_store_type serve_sqlite_type = {
    .close = close_store,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .unchanged = unchanged,
    .experiment_add = experiment_add,
    .experiment_find = experiment_find,
    .experiment_update = experiment_update,
    .experiment_each = experiment_each,
    .model_add = model_add,
    .model_find = model_find,
    .count_each = count_each,
    .count_set = count_set,
    .decision_add = decision_add,
    .decision_find = decision_find,
    .decision_each = decision_each,
    .request_add = request_add,
    .request_find = request_find,
    .reward_add = reward_add,
    .reward_each = reward_each,
    .point_add = point_add,
    .point_each = point_each,
    .trim = trim,
    .sweep = sweep,
    .touch = touch,
    .tidy = tidy,
    .token_add = token_add,
    .token_revoke = token_revoke,
    .token_each = token_each,
};
