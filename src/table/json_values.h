/* json_values.h: the values of a JSON array, or JSON values one after another (JSON lines), one at
 * a time: however long the file is, one value is held. A value has at most 1 MiB of text. */
#ifndef XP_TABLE_JSON_VALUES_H
#define XP_TABLE_JSON_VALUES_H

#include "table/source.h"

#include <jansson.h>

typedef struct xp__json_values {
    xp__source *source; /* not owned */
    bool array;
    uint64_t line; /* where the current value begins, from 1 */
    /* The rest is private. */
    char *buffer;
    size_t room, next, filled;
    bool exhausted, opened, closed, any;
    uint64_t passed;
} xp__json_values;

xp_status xp__json_values_open(xp__json_values *values, xp__source *source, bool array,
                               xp_error *error);
void xp__json_values_close(xp__json_values *values);
/* The next value, for json_decref; NULL at the end. */
xp_status xp__json_values_next(xp__json_values *values, json_t **value, xp_error *error);

#endif
