/* text.h: a text that grows, with what JSON and CSV need. A failed allocation is remembered: check
 * `failed` once, at the end. */
#ifndef XP_SERVE_TEXT_H
#define XP_SERVE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct serve_text {
    char *data; /* for free(); NULL while empty */
    size_t length, room;
    bool failed;
} serve_text;

void serve_text_add(serve_text *text, const char *words);
void serve_text_add_bytes(serve_text *text, const char *bytes, size_t count);
void serve_text_format(serve_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A JSON string, in quotes. '<', '>' and '&' are escaped too, so that it is harmless in a page.
 * What is not UTF-8 (a path that a client sent, a label that a message cut) becomes U+FFFD. */
void serve_text_json(serve_text *text, const char *words);
/* A JSON number that reads back as the same bits; null if it is not finite. */
void serve_text_number(serve_text *text, double number);
/* A field of a CSV line, in quotes where needed. A leading '=', '+', '-' or '@', which spreadsheets
 * would take for a formula, gets an apostrophe in front. */
void serve_text_csv(serve_text *text, const char *words);
/* "2026-01-31T12:00:00.000Z", in quotes if `quoted`. */
void serve_text_time(serve_text *text, int64_t milliseconds, bool quoted);
void serve_text_free(serve_text *text);

#endif
