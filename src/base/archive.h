/* archive.h: the mutable state of an object as bytes, and back, by one walk.
 *
 * A struct that can be saved has one function that names its mutable parts in a fixed order. The
 * same walk measures, writes or reads, so that what is saved and what is loaded cannot differ.
 * Sizes of arrays are never stored: they belong to the object that is walked, which was created
 * from the same model and options before its state is read.
 *
 * Bytes are not trusted. Reading past the end fails the archive, and every number that is used as
 * an index or a count is checked by the walk (xp__archive_size, xp__archive_check). A failed
 * archive reads zeros from then on, so that a walk needs no checks of its own; whoever began it
 * looks at the end, and discards an object whose archive failed. Numbers are stored as the machine
 * has them. */
#ifndef XP_BASE_ARCHIVE_H
#define XP_BASE_ARCHIVE_H

#include "experior/base.h"

typedef enum xp__archive_mode {
    XP__ARCHIVE_MEASURE,
    XP__ARCHIVE_WRITE,
    XP__ARCHIVE_READ
} xp__archive_mode;

typedef struct xp__archive {
    xp__archive_mode mode;
    unsigned char *to;         /* XP__ARCHIVE_WRITE: where the next byte goes */
    const unsigned char *from; /* XP__ARCHIVE_READ: the next byte */
    size_t room;               /* bytes left to write or read */
    size_t bytes;              /* walked so far */
    const char *fault;         /* what was wrong with the bytes, or NULL */
} xp__archive;

xp__archive xp__archive_measure(void);
xp__archive xp__archive_write(void *to, size_t bytes);
xp__archive xp__archive_read(const void *from, size_t bytes);

/* `bytes` bytes at `data`: counted, written from there, or read into there. */
void xp__archive_bytes(xp__archive *archive, void *data, size_t bytes);
/* A variable, or `count` entries of an array, as they are. */
#define XP__ARCHIVE(archive, variable) xp__archive_bytes((archive), &(variable), sizeof(variable))
#define XP__ARCHIVE_ARRAY(archive, array, count)                                                   \
    xp__archive_bytes((archive), (array), (count) * sizeof((array)[0]))
/* A size that must be at most `most`; one that is not fails the archive and is read as 0. */
void xp__archive_size(xp__archive *archive, size_t *value, size_t most);
void xp__archive_number(xp__archive *archive, uint64_t *value, uint64_t most); /* the same */
/* A truth value: any byte but 0 and 1 fails the archive. */
void xp__archive_bool(xp__archive *archive, bool *value);
/* Numbers that must be finite; at least `low` and at most `high`; whole, from 0 to `most`. */
void xp__archive_finite(xp__archive *archive, double *values, size_t count);
void xp__archive_within(xp__archive *archive, double *values, size_t count, double low,
                        double high);
void xp__archive_whole(xp__archive *archive, double *values, size_t count, double most);
/* The same for floats: finite and at least `low`. */
void xp__archive_floats(xp__archive *archive, float *values, size_t count, float low);
/* While reading: fails the archive unless the condition holds. `fault` is a literal: "the number of
 * episodes is negative". */
void xp__archive_check(xp__archive *archive, bool holds, const char *fault);

static inline bool xp__archive_reading(const xp__archive *archive) {
    return archive->mode == XP__ARCHIVE_READ;
}

#endif
