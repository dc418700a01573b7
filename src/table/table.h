/* table.h: a stranger's table, row by row, whatever it is written in: text with any delimiter, JSON
 * lines, or a JSON array of objects or of plain values. */
#ifndef XP_TABLE_TABLE_H
#define XP_TABLE_TABLE_H

#include "base/text/tokens.h"
#include "table/dialect.h"
#include "table/json_values.h"
#include "table/records.h"

typedef struct xp__cell {
    const char *text; /* zero-terminated; "" where there is nothing */
    size_t length;
    bool nested; /* a list or an object, which has no text */
    bool absent; /* an object without the key */
} xp__cell;

enum { XP__COLUMNS_MAX = 65536, XP__CELL_NUMBER = 32 };

typedef struct xp__table {
    xp__source source;
    xp__dialect dialect;
    bool spare;      /* the last column is "count", though the first object has only "action" */
    bool objects;    /* rows are JSON objects: their keys are the columns */
    size_t columns;  /* of the first row */
    xp__cell *cells; /* of the current row, as many; NULL at the end */
    uint64_t line;   /* of the current row */
    uint64_t rows;   /* read so far, without the header */
    uint64_t blanks; /* blank lines between them */
    /* The rest is private. */
    xp__records records;
    xp__json_values values;
    json_t *value;
    xp__cell *cell_block;
    char (*digits)[XP__CELL_NUMBER];
    char *names; /* of the columns, each with its final zero */
    size_t *name_at;
    size_t names_used, names_room;
    bool again; /* the first row is given once more */
    bool sure;  /* the delimiter was given: other ones are ordinary characters */
} xp__table;

/* Takes a source that is open (and closes it on failure), finds out its dialect and reads the first
 * row, which is the header or data; for objects the columns are its keys. table->cells is NULL if
 * there is nothing. */
xp_status xp__table_open(xp__table *table, xp__source *source, const xp__dialect_wish *wish,
                         xp_error *error);
void xp__table_close(xp__table *table);
/* The first row is data: lets xp__table_next give it. */
void xp__table_keep_first(xp__table *table);
/* Reads the next row; table->cells is NULL at the end. */
xp_status xp__table_next(xp__table *table, xp_error *error);
/* A key of the current object that the first one does not have; NULL if there is none. */
const char *xp__table_new_key(const xp__table *table);
/* Text of the first row, which for most tables is the name of a column. */
const char *xp__table_name(const xp__table *table, size_t column);

/* Fails with XP_ERR_INPUT and "<name>:<line>: <sentence>", or without the line. */
xp_status xp__table_fail(const xp__table *table, xp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
xp_status xp__table_fail_file(const xp__table *table, xp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
