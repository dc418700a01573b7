/* postgresql_wire.c: statements and results in PostgreSQL's binary form, through libpq's pipeline.
 *
 * A statement is sent without waiting for those before it. After one that failed, the server skips
 * the rest up to the next wait, so nothing that follows a failure is done. */
#include "serve/stores/postgresql.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 16, HEADER = 20, INTEGER_TYPE = 20, REAL_TYPE = 701, TEXT_TYPE = 25 };

bool serve_pg_fail(serve_postgresql *self, const char *message) {
    const size_t line = strcspn(message, "\n");
    (void)snprintf(self->store.message, sizeof self->store.message, "%.*s",
                   (int)(line < sizeof self->store.message ? line : sizeof self->store.message - 1),
                   message);
    self->store.lost = self->store.lost || PQstatus(self->connection) != CONNECTION_OK;
    return false;
}

static void put_32(char *to, uint32_t value) {
    const uint32_t ordered = htonl(value);
    memcpy(to, &ordered, sizeof ordered);
}

static void put_64(char *to, uint64_t value) {
    put_32(to, (uint32_t)(value >> 32));
    put_32(to + 4, (uint32_t)value);
}

static uint64_t take_64(const char *from) {
    uint32_t high, low;
    memcpy(&high, from, sizeof high);
    memcpy(&low, from + 4, sizeof low);
    return (uint64_t)ntohl(high) << 32 | ntohl(low);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Room for one more value of so many bytes; NULL if memory ran out. */
static char *extend(serve_pg_array *array, size_t bytes) {
    const size_t used = array->bytes > 0 ? array->bytes : HEADER;
    if (used + 4 + bytes > array->room && !array->failed) {
        const size_t room = 2 * (used + 4 + bytes);
        char *more = realloc(array->data, room);
        array->failed = more == NULL;
        if (more != NULL) {
            array->data = more;
            array->room = room;
        }
    }
    if (array->failed) {
        return NULL;
    }
    array->bytes = used + 4 + bytes;
    array->count++;
    return array->data + used;
}

static void begin_array(serve_pg_array *array, uint32_t type) {
    if (array->data != NULL) {
        put_32(array->data, 1); /* dimension */
        put_32(array->data + 4, array->nulls);
        put_32(array->data + 8, type);
        put_32(array->data + 12, array->count);
        put_32(array->data + 16, 1); /* index of the first */
    }
}

static void add_64(serve_pg_array *array, uint64_t value, uint32_t type) {
    char *to = extend(array, 8);
    if (to != NULL) {
        put_32(to, 8);
        put_64(to + 4, value);
        begin_array(array, type);
    }
}

void serve_pg_array_integer(serve_pg_array *array, int64_t value) {
    add_64(array, (uint64_t)value, INTEGER_TYPE);
}

void serve_pg_array_real(serve_pg_array *array, double value) {
    add_64(array, bits_of(value), REAL_TYPE);
}

void serve_pg_array_text(serve_pg_array *array, const char *value) {
    const size_t bytes = value != NULL ? strlen(value) : 0;
    char *to = extend(array, bytes);
    if (to != NULL) {
        put_32(to, value != NULL ? (uint32_t)bytes : UINT32_MAX);
        memcpy(to + 4, value != NULL ? value : "", bytes);
        array->nulls = array->nulls || value == NULL;
        begin_array(array, TEXT_TYPE);
    }
}

void serve_pg_array_clear(serve_pg_array *array) {
    array->bytes = array->count = 0;
    array->nulls = array->failed = false;
}

void serve_pg_array_free(serve_pg_array *array) {
    free(array->data);
    *array = (serve_pg_array){.data = NULL};
}

static const char *statement_name(serve_pg_sql which, char *room, size_t bytes) {
    (void)snprintf(room, bytes, "s%d", (int)which);
    return room;
}

/* The values of a statement, as libpq takes them. */
typedef struct values {
    const char *at[MOST_VALUES];
    int bytes[MOST_VALUES], formats[MOST_VALUES], count;
    char numbers[MOST_VALUES][8];
    bool failed;
} values;

static void gather(values *self, const char *kinds, va_list given) {
    for (; kinds[self->count] != '\0'; self->count++) {
        const int i = self->count;
        const serve_pg_array *array;
        self->formats[i] = 1;
        self->at[i] = self->numbers[i];
        self->bytes[i] = 8;
        switch (kinds[i]) {
        case 'i':
            put_64(self->numbers[i], (uint64_t)va_arg(given, int64_t));
            break;
        case 'd':
            put_64(self->numbers[i], bits_of(va_arg(given, double)));
            break;
        case 'b':
            self->at[i] = va_arg(given, const char *);
            self->bytes[i] = SERVE_HASH_SIZE;
            break;
        case 'a':
            array = va_arg(given, const serve_pg_array *);
            self->failed = self->failed || array->failed;
            self->at[i] = array->data;
            self->bytes[i] = (int)array->bytes;
            break;
        default: /* a text */
            self->at[i] = va_arg(given, const char *);
            self->bytes[i] = self->at[i] != NULL ? (int)strlen(self->at[i]) : 0;
        }
    }
}

static bool send_values(serve_postgresql *self, serve_pg_sql which, const values *given) {
    char name[16];
    (void)statement_name(which, name, sizeof name);
    if (given->failed) {
        return serve_pg_fail(self, "out of memory");
    }
    if (!self->prepared[which]) {
        if (PQsendPrepare(self->connection, name, serve_pg_texts[which], 0, NULL) != 1) {
            return serve_pg_fail(self, PQerrorMessage(self->connection));
        }
        self->prepared[which] = true;
        self->sent++;
    }
    if (PQsendQueryPrepared(self->connection, name, given->count, given->at, given->bytes,
                            given->formats, 1) != 1) {
        return serve_pg_fail(self, PQerrorMessage(self->connection));
    }
    self->sent++;
    return true;
}

bool serve_pg_send(serve_postgresql *self, serve_pg_sql which, const char *kinds, ...) {
    values all = {.count = 0};
    va_list given;
    va_start(given, kinds);
    gather(&all, kinds, given);
    va_end(given);
    return send_values(self, which, &all);
}

PGresult *serve_pg_ask(serve_postgresql *self, serve_pg_sql which, const char *kinds, ...) {
    values all = {.count = 0};
    va_list given;
    va_start(given, kinds);
    gather(&all, kinds, given);
    va_end(given);
    return serve_pg_send_collected(self) && send_values(self, which, &all) ? serve_pg_wait(self)
                                                                           : NULL;
}

/* Whether a statement went well; the first that did not says why. */
static bool is_good(serve_postgresql *self, const PGresult *result, bool good) {
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
        return true;
    }
    if (good) {
        const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        if (state != NULL && strncmp(state, "57P", 3) == 0) { /* the server ends the connection */
            self->store.lost = true;
        }
        (void)serve_pg_fail(self, primary != NULL ? primary : PQerrorMessage(self->connection));
    }
    return false;
}

PGresult *serve_pg_wait(serve_postgresql *self) {
    PGresult *last = NULL;
    const bool synced = PQpipelineSync(self->connection) == 1;
    bool good = synced || serve_pg_fail(self, PQerrorMessage(self->connection));
    while (synced && PQstatus(self->connection) == CONNECTION_OK) {
        PGresult *result = PQgetResult(self->connection);
        if (result == NULL) {
            continue; /* between the results of two statements */
        }
        const bool end = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        if (end) {
            PQclear(result);
            break;
        }
        good = is_good(self, result, good) && good;
        PQclear(last);
        last = result;
    }
    self->sent = 0;
    if (good && PQstatus(self->connection) != CONNECTION_OK) {
        good = serve_pg_fail(self, PQerrorMessage(self->connection));
    }
    if (!good) {
        PQclear(last);
        last = NULL;
    }
    return last;
}

int64_t serve_pg_integer(const PGresult *result, int row, int column) {
    return PQgetlength(result, row, column) == 8 ? (int64_t)take_64(PQgetvalue(result, row, column))
                                                 : 0; /* NULL */
}

double serve_pg_real(const PGresult *result, int row, int column) {
    const uint64_t bits = (uint64_t)serve_pg_integer(result, row, column);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
