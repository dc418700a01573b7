/* csv.h: comma-separated records over lines.h (RFC 4180).
 *
 * A field may be quoted, and then hold commas, line breaks and doubled quotes. Blanks around a
 * field are dropped unless they are inside quotes. There are no comments. */
#ifndef XP_BASE_TEXT_CSV_H
#define XP_BASE_TEXT_CSV_H

#include "base/text/lines.h"

typedef struct xp__csv_field {
    size_t offset, length;
} xp__csv_field;

typedef struct xp__csv {
    xp__lines *lines; /* not owned */
    size_t count;     /* fields of the current record; 0 at the end */
    xp__csv_field *fields;
    size_t room;
} xp__csv;

static inline xp__csv xp__csv_over(xp__lines *lines) {
    return (xp__csv){.lines = lines};
}
void xp__csv_deinit(xp__csv *csv);

/* Reads the next record; csv->count is 0 at the end. */
xp_status xp__csv_next(xp__csv *csv, xp_error *error);
/* A field of the current record, zero-terminated, valid until the next record is read. */
static inline const char *xp__csv_text(const xp__csv *csv, size_t index) {
    return csv->lines->text + csv->fields[index].offset;
}
static inline size_t xp__csv_length(const xp__csv *csv, size_t index) {
    return csv->fields[index].length;
}
/* Checks that the current record has `wanted` fields. */
xp_status xp__csv_expect(const xp__csv *csv, size_t wanted, xp_error *error);

/* Whether a field must be quoted to be read back as it is. */
bool xp__csv_needs_quotes(const char *text);

#endif
