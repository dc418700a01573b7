/* values.h: what the text of a cell stands for: nothing, a number, a date. */
#ifndef XP_TABLE_VALUES_H
#define XP_TABLE_VALUES_H

#include "experior/base.h"

/* Bytes of the blank at the start of text[0 .. length), or 0. */
size_t xp__blank_at(const char *text, size_t length);
/* Leaves out blanks at both ends of text[*offset .. *offset + *length): spaces, tabs, no-break and
 * zero-width spaces. */
void xp__trim(const char *text, size_t *offset, size_t *length);

/* Whether the cell says that there is no value: empty, NaN, NA, N/A, null, None and what pandas, R
 * and Excel write for these. "none" and "NONE" are values: no treatment is one. */
bool xp__is_missing(const char *text, size_t length);
/* Whether nobody can tell if it is a value: "?", ".", "-", "n.a.", an error of Excel's. */
bool xp__is_doubtful(const char *text, size_t length);
/* Words that are no choice, though they may name a segment: "unknown", "not recorded". */
bool xp__is_unsaid(const char *text, size_t length);
/* Whether it is no label at all: a comment, a formula, a list, part of a frame, "(3 rows)", a
 * number that a spreadsheet shortened, text with a lost character; zero-terminated. */
bool xp__is_odd(const char *text, size_t length);
/* Whether the text is one of the words of the list, which have bars between them, whatever the case
 * of ASCII letters. */
bool xp__is_listed(const char *text, const char *list);
/* "Total" and the like, in some languages. */
bool xp__is_total(const char *text);

/* A whole number from 0 to 2^53, also written as 3.0 or 1e3, but not as 3.000, which may be three
 * thousand; `text` is zero-terminated. */
bool xp__read_count(const char *text, size_t length, uint64_t *value);
/* Whether the text is a number, and which; zero-terminated. */
bool xp__read_real(const char *text, double *value);
/* "true" is 1, "false" 0. */
bool xp__read_flag(const char *text, uint64_t *value);
/* Whether digits are a code and not a number: 007, 1E5. */
bool xp__is_code(const char *text);
/* Why a number is not read: decimal comma, marks between thousands, percentage; NULL: none of
 * these. */
const char *xp__number_hint(const char *text);
/* Whether it looks like a date or a time: 2024-05-01, 1/5/2024, 5 May 2024, 2024-W05, 10:30. */
bool xp__is_date(const char *text);

/* Labels that differ only in case, blanks, hyphens, quotes, accents, look-alike letters or the
 * spelling of a number have the same key. Writes it zero-terminated to `key`, which has room for
 * length + 1 bytes, and for XP__LABEL_KEY at least; returns its length. */
enum { XP__LABEL_KEY = 32 };
size_t xp__label_key(const char *text, size_t length, char *key);

#endif
