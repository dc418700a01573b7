/* records.h: records of a text table: fields between delimiters, over source.h.
 *
 * As RFC 4180 has it, with any delimiter of one byte: a field may be quoted, and then hold
 * delimiters, line breaks and doubled quotes; a quote that does not begin a field is an ordinary
 * character. Blanks around a field, no-break spaces included, are dropped unless they are inside
 * quotes. Lines end in LF or CRLF, or all in CR. Blank lines are passed over and counted. A record
 * has at most 1 MiB. */
#ifndef XP_TABLE_RECORDS_H
#define XP_TABLE_RECORDS_H

#include "table/source.h"

enum { XP__RECORD_MAX = 1 << 20 };

typedef struct xp__field {
    size_t offset, length;
    bool quoted;
} xp__field;

typedef struct xp__records {
    xp__source *source; /* not owned */
    size_t count;       /* fields of the current record; 0 at the end */
    uint64_t line;      /* where it begins, from 1 */
    uint64_t blanks;    /* blank lines between records so far */
    /* The rest is private. */
    char delimiter; /* 0: none, one field per record */
    char end;       /* '\n', or '\r' */
    char *buffer;
    size_t room, start, next, filled; /* the current record is [start, next) */
    bool exhausted;
    uint64_t passed; /* lines before `next` */
    xp__field *fields;
    size_t field_room;
} xp__records;

xp_status xp__records_open(xp__records *records, xp__source *source, char delimiter, char end,
                           xp_error *error);
void xp__records_close(xp__records *records);
/* Reads the next record that is not blank; records->count is 0 at the end. */
xp_status xp__records_next(xp__records *records, xp_error *error);
/* A field of the current record, zero-terminated, valid until the next is read. */
static inline const char *xp__records_text(const xp__records *records, size_t index) {
    return records->buffer + records->start + records->fields[index].offset;
}

/* Fails with XP_ERR_INPUT and "<name>:<line>: <sentence>". */
xp_status xp__records_fail(const xp__records *records, xp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
