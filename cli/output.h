/* output.h: what the program says: data on standard output, sentences on standard error.
 *
 * Bytes that could steer a terminal (they may come from a file) are never printed: messages and
 * table cells pass through cli_plain. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "experior/experior.h"

#include <stdio.h>

/* Ignores SIGPIPE (a closed pipe is then a write error that cli_finish understands) and remembers
 * which streams may be coloured: terminals, unless NO_COLOR is set. */
void cli_output_start(void);
/* The name in front of later messages: "fit" gives "experior fit: ". */
void cli_output_name(const char *subcommand);
/* From now on nothing is printed: another process speaks. */
void cli_output_silence(void);
/* The first sentence that was not printed because of that; "" if there is none. */
const char *cli_first_complaint(void);
/* "experior fit: sentence" on standard error. */
void cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for what the library tells of: an xp_notice, whose context is not looked at. */
void cli_notice(void *context, const char *sentence);
/* Prints a library's error; returns the exit code that it means. */
int cli_failed(const xp_error *error);
/* The same for an error about what a file holds: "file: sentence". */
int cli_failed_on(const char *file, const xp_error *error);
/* Bytes to standard output; false after a failure, whose reason cli_finish then knows. */
bool cli_print_bytes(const void *bytes, size_t count);
/* Flushes standard output; a failure turns `code` into CLI_BAD with a sentence, except that a
 * reader who has closed the pipe ends the program quietly. */
int cli_finish(int code);

bool cli_is_terminal(FILE *stream);
/* True for "-", and for /dev/stdout, which must not be replaced by a file. */
bool cli_means_standard_output(const char *path);
/* Escape sequences, or "" where colours are off. */
const char *cli_bold(FILE *stream);
const char *cli_dim(FILE *stream);
const char *cli_plain_style(FILE *stream);

/* Zeroed memory; runs out of it by saying so and exiting. */
void *cli_alloc(size_t count, size_t size);
/* At most `length` bytes of `text` into a zero-terminated buffer. */
void cli_copy(char *buffer, size_t size, const char *text, size_t length);
/* Replaces control characters by '?', in place; returns `text`. */
char *cli_plain(char *text);
/* Columns that UTF-8 text takes on a terminal, at one a character. */
size_t cli_columns(const char *text);
/* Takes the next word of *text, which moves on behind it; false at the end. A number and its per
 * cent sign are one word. */
bool cli_next_word(const char **text, char *word, size_t size);
/* Words of `text` wrapped at 80 columns, every line but the first indented by `indent`, which the
 * caller has already reached. */
void cli_wrap(FILE *stream, size_t indent, const char *text);
/* A bar of `width` columns filled to `share` (0 to 1) in eighths of a column; `buffer` has room for
 * 3 * width + 1 bytes. */
const char *cli_bar(char *buffer, size_t width, double share);
/* Heights of n values as one character each; `buffer` has room for 3 * n + 1 bytes. */
const char *cli_sparkline(char *buffer, const double *value, size_t n);
/* A number for people: 4 significant digits, "-" for one that does not apply. */
const char *cli_number(char buffer[32], double value);
/* A line "name   number unit" on standard output; nothing for a number that does not apply. */
void cli_field(const char *name, double value, const char *unit);

/* A table: a line of headings and rows, columns as wide as their widest cell. */
typedef struct cli_table {
    const char *alignment; /* "lrr": one letter a column */
    char **rows;           /* cells separated by tabs */
    size_t row_count, row_room;
} cli_table;

/* Headings separated by tabs, like rows. */
cli_table cli_table_start(const char *alignment, const char *headings);
void cli_table_add(cli_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints to standard output and frees; or frees alone. */
void cli_table_print(cli_table *table);
void cli_table_free(cli_table *table);

#endif
