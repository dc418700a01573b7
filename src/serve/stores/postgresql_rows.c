/* postgresql_rows.c: the rows of the PostgreSQL store. */
#include "serve/stores/postgresql.h"
#include "serve/stores/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 2000 };

static serve_postgresql *postgresql_of(serve_store *store) {
    return (serve_postgresql *)store;
}

typedef struct columns {
    serve_columns base;
    const PGresult *result;
    int row;
} columns;

static bool is_null(const serve_columns *self, int column) {
    const columns *at = (const columns *)self;
    return PQgetisnull(at->result, at->row, column) != 0;
}

static int64_t integer(const serve_columns *self, int column) {
    const columns *at = (const columns *)self;
    return serve_pg_integer(at->result, at->row, column);
}

static double real(const serve_columns *self, int column) {
    const columns *at = (const columns *)self;
    return serve_pg_real(at->result, at->row, column);
}

static const char *bytes(const serve_columns *self, int column, size_t *count) {
    const columns *at = (const columns *)self;
    *count = (size_t)PQgetlength(at->result, at->row, column);
    return is_null(self, column) ? NULL : PQgetvalue(at->result, at->row, column);
}

static columns columns_of(const PGresult *result, int row) {
    return (columns){{is_null, integer, real, bytes}, result, row};
}

static void close_store(serve_store *store) {
    serve_postgresql *self = postgresql_of(store);
    serve_pg_ahead_destroy(self->ahead);
    serve_pg_free_collected(self);
    PQfinish(self->connection);
    free(self);
}

/* Whether a statement went well whose result does not matter. */
static bool done(PGresult *result) {
    const bool good = result != NULL;
    PQclear(result);
    return good;
}

static void end_group(serve_postgresql *self) {
    self->open = self->writing = self->decided = false;
    serve_pg_ahead_clear(self->ahead);
    serve_pg_forget_collected(self);
}

static bool begin(serve_store *store, bool writes) {
    serve_postgresql *self = postgresql_of(store);
    end_group(self);
    self->open = true;
    self->writing = writes;
    return serve_pg_send(self, writes ? PG_BEGIN_WRITE : PG_BEGIN_READ, "") &&
           (writes || serve_pg_send(self, PG_PATIENCE, ""));
}

static bool commit(serve_store *store) {
    serve_postgresql *self = postgresql_of(store);
    bool good = serve_pg_send_collected(self) && serve_pg_send(self, PG_COMMIT, "");
    if (good) {
        PGresult *result = serve_pg_wait(self);
        good = result != NULL && (strcmp(PQcmdStatus(result), "COMMIT") == 0 ||
                                  serve_pg_fail(self, "the server rolled back"));
        /* It was on its way when the connection ended: the server may have done it. */
        store->uncertain = result == NULL && store->lost;
        PQclear(result);
    }
    if (good) {
        end_group(self);
    }
    return good;
}

static void rollback(serve_store *store) {
    serve_postgresql *self = postgresql_of(store);
    char kept[sizeof store->message];
    memcpy(kept, store->message, sizeof kept);
    serve_pg_forget_collected(self);
    if (self->sent > 0 && PQstatus(self->connection) == CONNECTION_OK) {
        (void)done(serve_pg_wait(self));
    }
    if (self->open && PQstatus(self->connection) == CONNECTION_OK) {
        (void)done(serve_pg_ask(self, PG_ROLLBACK, ""));
    }
    end_group(self);
    memcpy(store->message, kept, sizeof kept);
}

static bool experiment_add(serve_store *store, serve_experiment *row) {
    PGresult *result = serve_pg_ask(
        postgresql_of(store), PG_EXPERIMENT_ADD, "ttiiiiiiddiiii", row->id, row->name,
        (int64_t)row->seed, (int64_t)row->state, (int64_t)row->shadow, row->created,
        (int64_t)row->decisions, (int64_t)row->rewards, row->reward_sum, row->expert_sum,
        (int64_t)row->model, (int64_t)row->retain, (int64_t)row->base, (int64_t)row->first);
    if (result != NULL) {
        row->key = serve_pg_integer(result, 0, 0);
    }
    return done(result);
}

static void read_experiment(const PGresult *result, int at, serve_experiment *row) {
    const columns from = columns_of(result, at);
    serve_row_experiment(&from.base, row);
}

static bool experiment_find(serve_store *store, const char *id, serve_experiment *row,
                            bool *found) {
    serve_postgresql *self = postgresql_of(store);
    serve_pg_found ahead;
    if (serve_pg_ahead_experiment(self->ahead, id, &ahead)) {
        *found = ahead.row >= 0;
        if (*found) {
            read_experiment(ahead.result, ahead.row, row);
        }
        return true;
    }
    PGresult *result =
        serve_pg_ask(self, self->writing ? PG_EXPERIMENT_LOCK : PG_EXPERIMENT_FIND, "t", id);
    *found = result != NULL && PQntuples(result) == 1;
    if (*found) {
        read_experiment(result, 0, row);
    }
    return done(result);
}

static bool experiment_update(serve_store *store, const serve_experiment *row) {
    serve_postgresql *self = postgresql_of(store);
    /* A row is written once per statement: what was collected for it before is sent first. */
    if (serve_pg_ahead_change_experiment(self->ahead, row->id) && !serve_pg_send_collected(self)) {
        return false;
    }
    return serve_pg_collect(self, PG_WRITE_EXPERIMENTS, row->key, (int64_t)row->state,
                            (int64_t)row->decisions, (int64_t)row->rewards, row->reward_sum,
                            row->expert_sum, (int64_t)row->model, (int64_t)row->base,
                            (int64_t)row->first);
}

static bool experiment_each(serve_store *store, bool (*see)(void *, const serve_experiment *),
                            void *context) {
    PGresult *result = serve_pg_ask(postgresql_of(store), PG_EXPERIMENT_EACH, "");
    serve_experiment row;
    for (int i = 0; result != NULL && i < PQntuples(result); i++) {
        read_experiment(result, i, &row);
        if (!see(context, &row)) {
            break;
        }
    }
    return done(result);
}

static bool model_add(serve_store *store, int64_t experiment, uint32_t version,
                      const serve_model_row *row, int64_t time) {
    return serve_pg_send(postgresql_of(store), PG_MODEL_ADD, "iitti", experiment, (int64_t)version,
                         row->document, row->retired, time);
}

static bool model_find(serve_store *store, int64_t experiment, uint32_t version,
                       serve_model_row *row, bool *found) {
    PGresult *result =
        serve_pg_ask(postgresql_of(store), PG_MODEL_FIND, "ii", experiment, (int64_t)version);
    *found = result != NULL && PQntuples(result) == 1;
    *row = (serve_model_row){.bytes = 0};
    const columns from = columns_of(result, 0);
    if (*found && !serve_row_model(&from.base, row)) {
        PQclear(result);
        return serve_pg_fail(postgresql_of(store), "out of memory");
    }
    return done(result);
}

static bool count_each(serve_store *store, int64_t experiment,
                       bool (*see)(void *, const serve_count *), void *context) {
    PGresult *result = serve_pg_ask(postgresql_of(store), PG_COUNT_EACH, "i", experiment);
    for (int i = 0; result != NULL && i < PQntuples(result); i++) {
        const columns from = columns_of(result, i);
        serve_count row;
        serve_row_count(&from.base, &row);
        if (!see(context, &row)) {
            break;
        }
    }
    return done(result);
}

static bool count_set(serve_store *store, int64_t experiment, const serve_count *row) {
    return serve_pg_collect(postgresql_of(store), PG_WRITE_COUNTS, experiment, row->segment,
                            (int64_t)row->action, (int64_t)row->decisions, (int64_t)row->rewards,
                            row->sum, row->squares, (int64_t)row->base_rewards, row->base_sum,
                            row->base_squares);
}

static bool decision_add(serve_store *store, int64_t experiment, const serve_decision *row) {
    serve_postgresql *self = postgresql_of(store);
    self->decided = true;
    return serve_pg_collect(self, PG_WRITE_DECISIONS, experiment, (int64_t)row->number, row->time,
                            row->segment, (int64_t)row->model, (int64_t)row->version,
                            (int64_t)row->action, row->probability, row->candidates, row->chosen);
}

/* False if memory ran out. */
static bool read_decision(const PGresult *result, int at, serve_decision *row) {
    const columns from = columns_of(result, at);
    return serve_row_decision(&from.base, row);
}

static bool decision_find(serve_store *store, int64_t experiment, uint64_t number,
                          serve_decision *row, bool *found) {
    serve_postgresql *self = postgresql_of(store);
    serve_pg_found ahead;
    if (serve_pg_ahead_decision(self->ahead, experiment, number, &ahead) &&
        (ahead.row >= 0 || !self->decided)) {
        *found = ahead.row >= 0;
        return !*found || read_decision(ahead.result, ahead.row, row) ||
               serve_pg_fail(self, "out of memory");
    }
    PGresult *result = serve_pg_ask(self, PG_DECISION_FIND, "ii", experiment, (int64_t)number);
    *found = result != NULL && PQntuples(result) == 1;
    if (*found && !read_decision(result, 0, row)) {
        PQclear(result);
        return serve_pg_fail(self, "out of memory");
    }
    return done(result);
}

/* Pages, so that no result is large. */
static bool decision_each(serve_store *store, int64_t experiment, uint64_t after, size_t limit,
                          bool (*see)(void *, const serve_decision *), void *context) {
    bool more = true, good = true;
    while (more && good && limit > 0) {
        const int page = limit < PAGE ? (int)limit : PAGE;
        PGresult *result = serve_pg_ask(postgresql_of(store), PG_DECISION_EACH, "iii", experiment,
                                        (int64_t)after, (int64_t)page);
        const int rows = result != NULL ? PQntuples(result) : 0;
        good = result != NULL;
        more = rows == page;
        limit -= (size_t)rows;
        for (int i = 0; good && i < rows; i++) {
            serve_decision row;
            good = read_decision(result, i, &row) ||
                   serve_pg_fail(postgresql_of(store), "out of memory");
            after = row.number;
            const bool on = good && see(context, &row);
            free(row.candidates);
            if (!on) {
                more = false;
                break;
            }
        }
        PQclear(result);
    }
    return good;
}

static bool request_add(serve_store *store, int64_t experiment, const char *request,
                        uint64_t number, uint64_t count) {
    serve_postgresql *self = postgresql_of(store);
    serve_pg_ahead_change_request(self->ahead, experiment, request);
    return serve_pg_collect(self, PG_WRITE_REQUESTS, experiment, request, (int64_t)number,
                            (int64_t)count);
}

static bool request_find(serve_store *store, int64_t experiment, const char *request,
                         uint64_t *number, uint64_t *count, bool *found) {
    serve_postgresql *self = postgresql_of(store);
    serve_pg_found ahead = {.row = -1};
    PGresult *result = NULL;
    if (!serve_pg_ahead_request(self->ahead, experiment, request, &ahead)) {
        result = serve_pg_ask(self, PG_REQUEST_FIND, "it", experiment, request);
        if (result == NULL) {
            return false;
        }
        ahead = (serve_pg_found){.result = result, .row = PQntuples(result) - 1};
    }
    *found = ahead.row >= 0;
    if (*found) {
        *number = (uint64_t)serve_pg_integer(ahead.result, ahead.row, 0);
        *count = (uint64_t)serve_pg_integer(ahead.result, ahead.row, 1);
    }
    PQclear(result);
    return true;
}

static bool reward_add(serve_store *store, int64_t experiment, const serve_reward *row) {
    serve_postgresql *self = postgresql_of(store);
    serve_pg_ahead_change_decision(self->ahead, experiment, row->number);
    return serve_pg_collect(self, PG_WRITE_REWARDS, experiment, (int64_t)row->number,
                            (int64_t)row->sequence, row->time, row->segment, (int64_t)row->action,
                            row->reward);
}

static bool reward_each(serve_store *store, int64_t experiment, uint64_t after, size_t limit,
                        bool (*see)(void *, const serve_reward *), void *context) {
    bool more = true, good = true;
    while (more && good && limit > 0) {
        const int page = limit < PAGE ? (int)limit : PAGE;
        PGresult *result = serve_pg_ask(postgresql_of(store), PG_REWARD_EACH, "iii", experiment,
                                        (int64_t)after, (int64_t)page);
        const int rows = result != NULL ? PQntuples(result) : 0;
        good = result != NULL;
        more = rows == page;
        limit -= (size_t)rows;
        for (int i = 0; i < rows; i++) {
            const columns from = columns_of(result, i);
            serve_reward row;
            serve_row_reward(&from.base, &row);
            after = row.sequence;
            if (!see(context, &row)) {
                more = false;
                break;
            }
        }
        PQclear(result);
    }
    return good;
}

static bool point_add(serve_store *store, int64_t experiment, const serve_point *row) {
    return serve_pg_collect(postgresql_of(store), PG_WRITE_POINTS, experiment,
                            (int64_t)row->rewards, row->reward_sum, row->expert_sum, row->time);
}

static bool point_each(serve_store *store, int64_t experiment,
                       bool (*see)(void *, const serve_point *), void *context) {
    PGresult *result = serve_pg_ask(postgresql_of(store), PG_POINT_EACH, "i", experiment);
    for (int i = 0; result != NULL && i < PQntuples(result); i++) {
        const columns from = columns_of(result, i);
        serve_point row;
        serve_row_point(&from.base, &row);
        if (!see(context, &row)) {
            break;
        }
    }
    return done(result);
}

static bool trim(serve_store *store, int64_t experiment, uint64_t first, uint64_t base) {
    serve_postgresql *self = postgresql_of(store);
    return serve_pg_send_collected(self) &&
           serve_pg_send(self, PG_TRIM_REWARDS, "iii", experiment, (int64_t)first, (int64_t)base) &&
           serve_pg_send(self, PG_TRIM_REQUESTS, "ii", experiment, (int64_t)first) &&
           serve_pg_send(self, PG_TRIM_DECISIONS, "ii", experiment, (int64_t)first);
}

/* Deletes up to `left` rows with one statement; it goes down by their number. */
static bool sweep_some(serve_postgresql *self, serve_pg_sql which, int64_t key, size_t *left) {
    if (*left == 0) {
        return true;
    }
    PGresult *result = serve_pg_ask(self, which, "ii", key, (int64_t)*left);
    const size_t gone = result != NULL ? strtoull(PQcmdTuples(result), NULL, 10) : 0;
    *left -= gone < *left ? gone : *left;
    return done(result);
}

static bool sweep(serve_store *store, size_t limit, bool *more) {
    serve_postgresql *self = postgresql_of(store);
    PGresult *result = serve_pg_ask(self, PG_DELETED_FIND, "");
    *more = result != NULL && PQntuples(result) == 1;
    const int64_t key = *more ? serve_pg_integer(result, 0, 0) : 0;
    const bool good = done(result);
    if (!*more) {
        return good;
    }
    size_t left = limit;
    if (!sweep_some(self, PG_SWEEP_DECISIONS, key, &left) ||
        !sweep_some(self, PG_SWEEP_REWARDS, key, &left) ||
        !sweep_some(self, PG_SWEEP_REQUESTS, key, &left)) {
        return false;
    }
    return left == 0 || (serve_pg_send(self, PG_SWEEP_POINTS, "i", key) &&
                         serve_pg_send(self, PG_SWEEP_COUNTS, "i", key) &&
                         serve_pg_send(self, PG_SWEEP_MODELS, "i", key) &&
                         serve_pg_send(self, PG_SWEEP_EXPERIMENT, "i", key));
}

static bool touch(serve_store *store) {
    return serve_pg_send(postgresql_of(store), PG_TOUCH, "");
}

static bool token_add(serve_store *store, const serve_token *row) {
    return serve_pg_send(postgresql_of(store), PG_TOKEN_ADD, "ttibii", row->id, row->name,
                         (int64_t)row->scope, row->hash, row->created, (int64_t)row->revoked);
}

static bool token_revoke(serve_store *store, const char *id, bool *found) {
    PGresult *result = serve_pg_ask(postgresql_of(store), PG_TOKEN_REVOKE, "t", id);
    *found = result != NULL && PQntuples(result) > 0;
    return done(result);
}

static bool token_each(serve_store *store, bool (*see)(void *, const serve_token *),
                       void *context) {
    PGresult *result = serve_pg_ask(postgresql_of(store), PG_TOKEN_EACH, "");
    for (int i = 0; result != NULL && i < PQntuples(result); i++) {
        const columns from = columns_of(result, i);
        serve_token row;
        serve_row_token(&from.base, &row);
        if (!see(context, &row)) {
            break;
        }
    }
    return done(result);
}

const serve_store_type serve_postgresql_type = {
    .close = close_store,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .expect = serve_pg_expect,
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
    .token_add = token_add,
    .token_revoke = token_revoke,
    .token_each = token_each,
};
