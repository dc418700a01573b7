/* archive.c: see archive.h. */
#include "base/archive.h"

#include <float.h>
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

void xp__archive_number(xp__archive *archive, uint64_t *value, uint64_t most) {
    XP__ARCHIVE(archive, *value);
    if (xp__archive_reading(archive) && *value > most) {
        xp__archive_check(archive, false, "a count or index is out of range");
        *value = 0;
    }
}

void xp__archive_size(xp__archive *archive, size_t *value, size_t most) {
    uint64_t stored = *value;
    xp__archive_number(archive, &stored, most);
    *value = (size_t)stored;
}

void xp__archive_bool(xp__archive *archive, bool *value) {
    unsigned char stored = *value ? 1 : 0;
    XP__ARCHIVE(archive, stored);
    xp__archive_check(archive, stored <= 1, "a truth value is neither 0 nor 1");
    *value = stored == 1;
}

void xp__archive_finite(xp__archive *archive, double *values, size_t count) {
    xp__archive_within(archive, values, count, -DBL_MAX, DBL_MAX);
}

void xp__archive_within(xp__archive *archive, double *values, size_t count, double low,
                        double high) {
    XP__ARCHIVE_ARRAY(archive, values, count);
    for (size_t i = 0; xp__archive_reading(archive) && i < count; i++) {
        xp__archive_check(archive, values[i] >= low && values[i] <= high,
                          "a number is out of range or not finite");
    }
}

void xp__archive_whole(xp__archive *archive, double *values, size_t count, double most) {
    xp__archive_within(archive, values, count, 0, most);
    for (size_t i = 0; xp__archive_reading(archive) && i < count; i++) {
        xp__archive_check(archive, values[i] == floor(values[i]), "a count is not whole");
    }
}

void xp__archive_floats(xp__archive *archive, float *values, size_t count, float low) {
    XP__ARCHIVE_ARRAY(archive, values, count);
    for (size_t i = 0; xp__archive_reading(archive) && i < count; i++) {
        xp__archive_check(archive, values[i] >= low && values[i] <= FLT_MAX,
                          "a number is out of range or not finite");
    }
}
