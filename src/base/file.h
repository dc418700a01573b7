/* file.h: whole-file writes that either happen or do not, and reads that name what failed. */
#ifndef XP_BASE_FILE_H
#define XP_BASE_FILE_H

#include "experior/base.h"

#include <stdio.h>

/* A file being written: a temporary neighbour of `path` that replaces it on commit. */
typedef struct xp__file_writer {
    FILE *stream; /* write here with stdio; errors are collected at commit */
    char *path, *temporary;
} xp__file_writer;

xp_status xp__file_writer_open(xp__file_writer *writer, const char *path, xp_error *error);
/* The same for a file among others in a directory: a link, a pipe or a device in its place is
 * refused. */
xp_status xp__file_writer_open_regular(xp__file_writer *writer, const char *path, xp_error *error);
/* Flushes, syncs, renames into place and syncs the folder; on any error (a full disk) removes the
 * temporary. */
xp_status xp__file_writer_commit(xp__file_writer *writer, xp_error *error);
void xp__file_writer_abandon(xp__file_writer *writer);

/* Writes `bytes` bytes to `path`, whole or not at all. */
xp_status xp__file_write(const char *path, const void *data, size_t bytes, xp_error *error);
/* The same for a file among others in a directory, as xp__file_writer_open_regular does. */
xp_status xp__file_write_regular(const char *path, const void *data, size_t bytes, xp_error *error);
/* The same by the only writer of that file: whoever holds a lock on it. A pipe or a device is
 * refused. */
xp_status xp__file_write_alone(const char *path, const void *data, size_t bytes, xp_error *error);
/* Reads a whole file of at most `limit` bytes into a zero-terminated block for xp__free. */
xp_status xp__file_read(const char *path, size_t limit, char **data, size_t *bytes,
                        xp_error *error);
/* The same for a file that anybody may have put there: a link, a pipe or a device is refused. */
xp_status xp__file_read_regular(const char *path, size_t limit, char **data, size_t *bytes,
                                xp_error *error);
/* Makes a directory and its parents; fine if it is there already. */
xp_status xp__directory_create(const char *path, xp_error *error);
/* Removes temporary files that killed writers left in a directory; those of running ones stay. */
void xp__directory_clean(const char *path);

/* Shortest decimal text that reads back as the same double ("inf", "-inf", "nan" for those), with a
 * point whatever the locale. `buffer` has room for 32 bytes. Returns its length. */
size_t xp__format_double(char *buffer, double value);
/* Reads a whole token as a double, whatever the locale: a decimal number of fewer than 64
 * characters that a double can hold, "inf", "-inf" or "nan". False, with `value` untouched, for
 * anything else: white space, leftovers, hexadecimals, 1e999. */
bool xp__parse_double(const char *text, double *value);

#endif
