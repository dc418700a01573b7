/* archive.c: see archive.h. */
#include "base/archive.h"

#include <math.h>
#include <string.h>

xp__archive xp__archive_measure(void) {
    return (xp__archive){.mode = XP__ARCHIVE_MEASURE};
}

xp__archive xp__archive_write(void *to, size_t bytes) {
    return (xp__archive){.mode = XP__ARCHIVE_WRITE, .to = to, .room = bytes};
}

xp__archive xp__archive_read(const void *from, size_t bytes) {
    return (xp__archive){.mode = XP__ARCHIVE_READ, .from = from, .room = bytes};
}

void xp__archive_bytes(xp__archive *archive, void *data, size_t bytes) {
    archive->bytes += bytes;
    if (bytes == 0 || archive->mode == XP__ARCHIVE_MEASURE) {
        return;
    }
    if (archive->fault == NULL && bytes > archive->room) {
        archive->fault = "it is cut short";
    }
    if (archive->fault != NULL) {
        if (archive->mode == XP__ARCHIVE_READ) {
            memset(data, 0, bytes);
        }
        return;
    }
    if (archive->mode == XP__ARCHIVE_WRITE) {
        memcpy(archive->to, data, bytes);
        archive->to += bytes;
    } else {
        memcpy(data, archive->from, bytes);
        archive->from += bytes;
    }
    archive->room -= bytes;
}

void xp__archive_check(xp__archive *archive, bool holds, const char *fault) {
    if (archive->mode == XP__ARCHIVE_READ && !holds && archive->fault == NULL) {
        archive->fault = fault;
    }
}

void xp__archive_size(xp__archive *archive, size_t *value, size_t most) {
    uint64_t stored = *value;
    XP__ARCHIVE(archive, stored);
    if (archive->mode == XP__ARCHIVE_READ) {
        xp__archive_check(archive, stored <= most, "a count or index is out of range");
        *value = stored <= most ? (size_t)stored : 0;
    }
}

void xp__archive_bool(xp__archive *archive, bool *value) {
    unsigned char stored = *value ? 1 : 0;
    XP__ARCHIVE(archive, stored);
    if (archive->mode == XP__ARCHIVE_READ) {
        xp__archive_check(archive, stored <= 1, "a truth value is neither 0 nor 1");
        *value = stored == 1;
    }
}

void xp__archive_finite(xp__archive *archive, double *values, size_t count) {
    XP__ARCHIVE_ARRAY(archive, values, count);
    for (size_t i = 0; archive->mode == XP__ARCHIVE_READ && i < count; i++) {
        xp__archive_check(archive, isfinite(values[i]), "a number is not finite");
    }
}
