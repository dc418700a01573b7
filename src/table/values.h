/* values.h: what the text of a cell stands for: nothing, a number, a date. */
#ifndef XP_TABLE_VALUES_H
#define XP_TABLE_VALUES_H

#include "experior/base.h"

/* Leaves out blanks at both ends of text[*offset .. *offset + *length): spaces, tabs, no-break and
 * zero-width spaces. */
void xp__trim(const char *text, size_t *offset, size_t *length);

/* Whether the cell says that there is no value: empty, NaN, NA, N/A, null, None and what pandas, R
 * and Excel write for these. "none" and "NONE" are values: no treatment is one. */
bool xp__is_missing(const char *text, size_t length);
/* Whether nobody can tell if it is a value: "?", ".", "-", an error of Excel's, a list. */
bool xp__is_doubtful(const char *text, size_t length);

/* A whole number from 0 to 2^53, also written as 3.0 or 1e3; `text` is zero-terminated. */
bool xp__read_count(const char *text, size_t length, uint64_t *value);
/* Whether the text is a number, and which; zero-terminated. */
bool xp__read_real(const char *text, double *value);
/* Whether it looks like a number with a decimal comma, or with commas between thousands. */
bool xp__has_comma_number(const char *text);
/* Whether it looks like a date or a time: 2024-05-01, 1/5/2024, 2024-05-01T10:00:00Z. */
bool xp__is_date(const char *text);

/* Labels that differ only in case, blanks, quotes, accents or the spelling of a number have the
 * same key. Writes it zero-terminated to `key`, which has room for length + 1 bytes; returns its
 * length. */
size_t xp__label_key(const char *text, size_t length, char *key);

#endif
