/* archived.h: objects as the bytes of their archive (base/archive.h), for the tests of each kind.
 *
 *     ARCHIVED(xp__net, xp__net_archive)
 *
 * defines save(), whose bytes the caller frees, load() and same() for that type. */
#ifndef XP_TESTS_ARCHIVED_H
#define XP_TESTS_ARCHIVED_H

#include "base/archive.h"
#include "claim.h"

#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    unsigned char *data;
    size_t count;
} bytes;

static inline bool equal_bytes(bytes a, bytes b) {
    return a.count == b.count && memcmp(a.data, b.data, a.count) == 0;
}

#define ARCHIVED(type, walk)                                                                       \
    static bytes save(type *object) {                                                              \
        xp__archive size = xp__archive_measure();                                                  \
        walk(object, &size);                                                                       \
        bytes saved = {.data = malloc(size.bytes + 1), .count = size.bytes};                       \
        xp__archive out = xp__archive_write(saved.data, saved.count);                              \
        walk(object, &out);                                                                        \
        EXPECT(out.fault == NULL && out.room == 0 && out.bytes == size.bytes);                     \
        return saved;                                                                              \
    }                                                                                              \
    static bool load(type *object, bytes from) {                                                   \
        xp__archive in = xp__archive_read(from.data, from.count);                                  \
        walk(object, &in);                                                                         \
        return in.fault == NULL && in.room == 0;                                                   \
    }                                                                                              \
    static bool same(type *a, type *b) {                                                           \
        const bytes of_a = save(a), of_b = save(b);                                                \
        const bool equal = equal_bytes(of_a, of_b);                                                \
        free(of_a.data);                                                                           \
        free(of_b.data);                                                                           \
        return equal;                                                                              \
    }

#endif
