/* source.h: the text of a file that a stranger brings: plain or gzip, UTF-8 or UTF-16.
 *
 * Bytes are read once, in order, through buffers of fixed size, so a pipe will do and memory does
 * not grow with the file. What is given out is UTF-8 without its mark, as far as the file is text
 * at all: other kinds of file (workbooks, Parquet, HTML, …) are told by their first bytes and
 * refused by name, with the way out. UTF-16 is told by its mark. Whether UTF-8 is valid is for the
 * reader to ask where it matters. Zero bytes are refused. */
#ifndef XP_TABLE_SOURCE_H
#define XP_TABLE_SOURCE_H

#include "experior/base.h"

#include <stdio.h>

struct z_stream_s;

enum { XP__SOURCE_HEAD = 512, XP__SOURCE_SAMPLE = 1 << 16 };

/* Bytes that were looked at and are still to be read. */
typedef struct xp__source_head {
    char bytes[XP__SOURCE_HEAD];
    size_t at, length;
} xp__source_head;

typedef enum xp__encoding { XP__UTF8, XP__UTF16_LE, XP__UTF16_BE } xp__encoding;

typedef struct xp__source {
    const char *name; /* the file in messages */
    bool gzip;
    xp__encoding encoding;
    uint64_t taken, total; /* bytes of the file: read so far, and in all; 0: not known */
    /* The rest is private. */
    FILE *stream; /* NULL: memory */
    const char *memory;
    size_t memory_left;
    xp__source_head raw, plain;
    struct z_stream_s *inflater;
    unsigned char *packed; /* what the inflater reads */
    bool member_ended;
    unsigned char unit[4]; /* of UTF-16, not yet whole */
    size_t unit_length;
    char *sample;
    size_t sample_at, sample_length;
    bool beyond; /* more than the sample was read */
} xp__source;

/* "-" is standard input. `path` must outlive the source. Close after success only. */
xp_status xp__source_open(xp__source *source, const char *path, xp_error *error);
xp_status xp__source_open_memory(xp__source *source, const char *text, size_t bytes,
                                 const char *name, xp_error *error);
void xp__source_close(xp__source *source);

/* The first bytes of the text, at most XP__SOURCE_SAMPLE, without taking them; fewer if that is
 * all (`*all`). To be called before the first read. */
xp_status xp__source_sample(xp__source *source, const char **text, size_t *bytes, bool *all,
                            xp_error *error);
/* Reads some of the text, at most `most` (at least 16) bytes; `*got` is 0 at the end only. */
xp_status xp__source_read(xp__source *source, char *to, size_t most, size_t *got, xp_error *error);

/* Lets the text be read from its beginning once more; false if more than the sample was read. */
bool xp__source_rewind(xp__source *source);

/* Refuses, by its name, a kind of file that is no text; `gzip` is no error. */
xp_status xp__magic_check(const char *head, size_t bytes, const char *name, xp_error *error);

#endif
