/* text.h: a string that grows, and numbers as text in any locale.
 *
 * A failed allocation is remembered and later appends do nothing, so that a writer appends freely
 * and asks once, at the end. The text is always zero-terminated while it has data. */
#ifndef XP_BASE_TEXT_TEXT_H
#define XP_BASE_TEXT_TEXT_H

#include "experior/base.h"

#include <stdarg.h>

/* snprintf, vsnprintf and strtod with a point before decimals, whatever locale the host program has
 * set: what goes to files, keys and messages is the same everywhere. Safe with threads. */
int xp__format(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int xp__vformat(char *buffer, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
double xp__read_number(const char *text, char **end);

typedef struct xp__text {
    char *data; /* NULL while nothing was appended */
    size_t length, room;
    bool failed;
} xp__text;

void xp__text_append(xp__text *text, const char *piece);
void xp__text_bytes(xp__text *text, const char *bytes, size_t count);
void xp__text_format(xp__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `count` copies of a byte. */
void xp__text_fill(xp__text *text, char byte, size_t count);

/* Shortest decimal that reads back as the same double; `absent` for NaN and infinities. */
void xp__text_double(xp__text *text, double value, const char *absent);
/* `decimals` places, and `minus` as the sign. */
void xp__text_fixed(xp__text *text, double value, int decimals, const char *minus);

/* Escaped for HTML and XML, in text and in quoted attributes; control characters become spaces. */
void xp__text_html(xp__text *text, const char *piece);
/* One field of RFC 4180, quoted if it must be. */
void xp__text_csv(xp__text *text, const char *piece);
/* Valid UTF-8 of one line: control characters become spaces, stray bytes U+FFFD. Stops before the
 * code point `limit` and puts an ellipsis in its place. `quote` is doubled, for quoted strings. */
void xp__text_line(xp__text *text, const char *piece, size_t limit, char quote);

/* Code points, which for the labels of a report is also the width on a terminal. */
size_t xp__text_width(const char *piece);

/* Hands the string over ("" if nothing was appended), or frees it and reports the lack of memory.
 * Either way `text` is empty afterwards. */
xp_status xp__text_take(xp__text *text, char **data, size_t *length, xp_error *error);
void xp__text_deinit(xp__text *text);

#endif
