/* checksum.h: FNV-1a, 64 bits: tells whether bytes are the ones that were written, and names
 * streams after texts. It guards against accidents, not against an adversary. */
#ifndef XP_BASE_BYTES_CHECKSUM_H
#define XP_BASE_BYTES_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define XP__CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* Goes on from `sum`, so that several arrays can be taken as one. */
static inline uint64_t xp__checksum(uint64_t sum, const void *data, size_t bytes) {
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) {
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return sum;
}

#endif
