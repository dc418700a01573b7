/* json.h: writing JSON to a stream.
 *
 * Numbers are the shortest text that reads back as the same double; a number that does not apply
 * (NaN) is null and an infinite one is the string "inf" or "-inf", as in prior files. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CLI_JSON_DEPTH = 16 };

/* Starts as {.depth = 0}, or with a stream. */
typedef struct cli_json {
    FILE *out; /* NULL: standard output */
    size_t depth;
    bool started[CLI_JSON_DEPTH]; /* something was written at this depth */
    char closing[CLI_JSON_DEPTH];
} cli_json;

/* `key` is NULL in an array and at the top. */
void cli_json_object(cli_json *json, const char *key);
void cli_json_array(cli_json *json, const char *key);
void cli_json_end(cli_json *json); /* closes the innermost; ends the line after the last */
void cli_json_number(cli_json *json, const char *key, double value);
void cli_json_integer(cli_json *json, const char *key, uint64_t value);
void cli_json_bool(cli_json *json, const char *key, bool value);
void cli_json_text(cli_json *json, const char *key, const char *value); /* NULL is null */
void cli_json_numbers(cli_json *json, const char *key, const double *value, size_t n);
void cli_json_integers(cli_json *json, const char *key, const uint64_t *value, size_t n);

#endif
