/* hash.h: a 64-bit hash for tables. It decides where things lie, never in which order they are
 * listed, so no result depends on it. */
#ifndef XP_BASE_HASH_H
#define XP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t xp__hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Goes on from `hash`, so that several arrays can be hashed as one. */
static inline uint64_t xp__hash(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    hash = xp__hash_word(hash, size);
    for (; size >= sizeof hash; size -= sizeof hash, at += sizeof hash) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = xp__hash_word(hash, word);
    }
    uint64_t tail = 0;
    for (size_t i = 0; i < size; i++) {
        tail = tail << 8 | at[i];
    }
    return xp__hash_word(hash, tail);
}

#endif
