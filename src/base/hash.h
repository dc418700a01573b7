/* hash.h: a 64-bit hash for tables. It decides where things lie, never in which order they are
 * listed, so no result depends on it.
 *
 * Labels and states come from outside. The hash has a secret key, drawn once per process, so that
 * nobody can choose them to fall into one place. */
#ifndef XP_BASE_HASH_H
#define XP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from `hash`, 0 at first, so that several arrays can be hashed as one. */
uint64_t xp__hash(uint64_t hash, const void *bytes, size_t size);

/* The function behind it: SipHash-1-3. */
uint64_t xp__siphash(const uint64_t key[2], const void *bytes, size_t size);

#endif
