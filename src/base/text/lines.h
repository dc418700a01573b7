/* lines.h: a file, standard input or memory, one line at a time through one buffer.
 *
 * Memory does not grow with the file: the buffer holds the current line, and a line has at most
 * 1 MiB. Lines end in LF or CRLF, the last may end in nothing; a UTF-8 byte order mark is skipped.
 * Blank lines may stand before and after the data, not inside it (there they would be a missing
 * value). Zero bytes are refused, so every line is also a C string. */
#ifndef XP_BASE_TEXT_LINES_H
#define XP_BASE_TEXT_LINES_H

#include "experior/base.h"

#include <stdio.h>

enum { XP__LINE_MAX = 1 << 20 };

/* Reads at most `most` bytes of a text from anywhere; `*got` is 0 at its end only. */
typedef xp_status xp__lines_read(void *context, char *to, size_t most, size_t *got,
                                 xp_error *error);

typedef struct xp__lines {
    const char *name; /* the file in messages */
    uint64_t line;    /* number of the current line, from 1; of its first one if it was extended */
    char *text;       /* the current line, which may be written on; NULL at the end */
    size_t length;    /* without its LF, but with the CR of a CRLF */
    /* The rest is private. */
    FILE *stream; /* NULL: memory */
    const char *memory;
    size_t memory_left;
    xp__lines_read *read; /* NULL: stream or memory */
    void *context;
    char *buffer;
    size_t room, start, next, end; /* the current line is [start, next), read are [0, end) */
    uint64_t passed;               /* lines before `next` */
    bool exhausted, has_zero;
    bool looked, begun; /* for a byte order mark; at data */
} xp__lines;

/* "-" is standard input. `path` must outlive the reader. Close after success only. */
xp_status xp__lines_open(xp__lines *lines, const char *path, xp_error *error);
xp_status xp__lines_open_memory(xp__lines *lines, const char *text, size_t bytes, const char *name,
                                xp_error *error);
/* Lines of what `read` gives; `context` must outlive the reader. */
xp_status xp__lines_open_over(xp__lines *lines, xp__lines_read *read, void *context,
                              const char *name, xp_error *error);
void xp__lines_close(xp__lines *lines);

/* Goes to the next line that is not blank; lines->text is NULL at the end. */
xp_status xp__lines_next(xp__lines *lines, xp_error *error);
/* Lets the next call of xp__lines_next give the current line again, if it was not written on. */
void xp__lines_unread(xp__lines *lines);
/* Joins the following line to the current one (a line break inside quotes). lines->text may move;
 * `*extended` is false when there is no following line. */
xp_status xp__lines_extend(xp__lines *lines, bool *extended, xp_error *error);

/* Fails with XP_ERR_INPUT and "<name>:<line>: <sentence>". */
xp_status xp__lines_fail(const xp__lines *lines, xp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails with XP_ERR_INPUT and "<name>: <sentence>". */
xp_status xp__lines_fail_file(const xp__lines *lines, xp_error *error, const char *sentence);

#endif
