/* dialect.h: how a text table is written, told from its first bytes.
 *
 * A delimiter is one of comma, semicolon, tab and bar that gives every record of the sample the
 * same number of fields, more than one. If several do, the one whose header has the wanted columns;
 * if that does not decide either, nobody can tell, and the file is refused. None does: then the
 * file has one column, or its header tells the delimiter and a later record will be refused. */
#ifndef XP_TABLE_DIALECT_H
#define XP_TABLE_DIALECT_H

#include "experior/base.h"

typedef enum xp__table_format { XP__DELIMITED, XP__JSON_LINES, XP__JSON_ARRAY } xp__table_format;

typedef struct xp__dialect {
    xp__table_format format;
    char delimiter;  /* 0: one column */
    char end;        /* of lines: '\n', or '\r' */
    size_t skipped;  /* records before the first of the table: Excel's "sep=;", comments */
    size_t comments; /* of these, comments */
} xp__dialect;

typedef struct xp__dialect_wish {
    char delimiter;           /* 0: to be found out */
    const char *const *names; /* of columns that the header must have */
    size_t name_count;
} xp__dialect_wish;

/* Looks at the sample; `all`: there is nothing behind it. `name` stands for the file in messages.
 */
xp_status xp__dialect_find(const char *text, size_t bytes, bool all, const xp__dialect_wish *wish,
                           const char *name, xp__dialect *dialect, xp_error *error);
/* A delimiter in words, for messages. */
const char *xp__delimiter_name(char delimiter);

#endif
