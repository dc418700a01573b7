/* postgresql_batch.c: rows that are collected, one array per column, and written by one statement
 * per table.
 *
 * A batch holds no row twice: a group adds every decision, request, reward and point once, and
 * before an experiment (and with it its counts) is written a second time, what was collected is
 * sent. */
#include "serve/stores/postgresql.h"

#include <stdarg.h>

enum { MOST_ROWS = 10000 };

/* Kinds of the columns: i integer, d real, t text. */
static const char *const kinds[PG_TABLES] = {
    [0] = /* PG_WRITE_EXPERIMENTS */ "iiiiddiii",
    [PG_WRITE_COUNTS - PG_WRITE_EXPERIMENTS] = "itiiiddidd",
    [PG_WRITE_DECISIONS - PG_WRITE_EXPERIMENTS] = "iiitiiidti",
    [PG_WRITE_REQUESTS - PG_WRITE_EXPERIMENTS] = "itii",
    [PG_WRITE_REWARDS - PG_WRITE_EXPERIMENTS] = "iiiitid",
    [PG_WRITE_POINTS - PG_WRITE_EXPERIMENTS] = "iiddi",
};

static void clear_batch(serve_pg_batch *batch) {
    for (size_t i = 0; i < PG_COLUMNS; i++) {
        serve_pg_array_clear(&batch->column[i]);
    }
}

static bool send_batch(serve_postgresql *self, size_t table) {
    serve_pg_batch *batch = &self->batch[table];
    serve_pg_array *c = batch->column;
    if (c[0].count == 0) {
        return true;
    }
    static const char all[] = "aaaaaaaaaa";
    size_t columns = 0;
    while (kinds[table][columns] != '\0') {
        columns++;
    }
    const bool good =
        serve_pg_send(self, PG_WRITE_EXPERIMENTS + (serve_pg_sql)table, all + PG_COLUMNS - columns,
                      &c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6], &c[7], &c[8], &c[9]);
    clear_batch(batch);
    return good;
}

bool serve_pg_collect(serve_postgresql *self, serve_pg_sql which, ...) {
    const size_t table = which - PG_WRITE_EXPERIMENTS;
    serve_pg_batch *batch = &self->batch[table];
    va_list given;
    va_start(given, which);
    for (size_t i = 0; kinds[table][i] != '\0'; i++) {
        switch (kinds[table][i]) {
        case 'i':
            serve_pg_array_integer(&batch->column[i], va_arg(given, int64_t));
            break;
        case 'd':
            serve_pg_array_real(&batch->column[i], va_arg(given, double));
            break;
        default:
            serve_pg_array_text(&batch->column[i], va_arg(given, const char *));
        }
    }
    va_end(given);
    return batch->column[0].count < MOST_ROWS || send_batch(self, table);
}

bool serve_pg_send_collected(serve_postgresql *self) {
    bool good = true;
    for (size_t table = 0; good && table < PG_TABLES; table++) {
        good = send_batch(self, table);
    }
    return good;
}

void serve_pg_forget_collected(serve_postgresql *self) {
    for (size_t table = 0; table < PG_TABLES; table++) {
        clear_batch(&self->batch[table]);
    }
}

void serve_pg_free_collected(serve_postgresql *self) {
    for (size_t table = 0; table < PG_TABLES; table++) {
        for (size_t i = 0; i < PG_COLUMNS; i++) {
            serve_pg_array_free(&self->batch[table].column[i]);
        }
    }
}
