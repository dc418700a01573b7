/* rng_inline.h: the generator's inner step, for loops in which a call would show. */
#ifndef XP_BASE_RNG_INLINE_H
#define XP_BASE_RNG_INLINE_H

#include "experior/rng.h"

#include <Random123/philox.h>

static inline uint64_t xp__rng_bits(xp_rng *rng) {
    if (rng->has_spare) {
        rng->has_spare = 0;
        return rng->spare;
    }
    const philox4x32_key_t key = {{rng->stream[0], rng->stream[1]}};
    const philox4x32_ctr_t counter = {
        {(uint32_t)rng->block, (uint32_t)(rng->block >> 32), rng->stream[2], rng->stream[3]}};
    const philox4x32_ctr_t out = philox4x32(counter, key);
    rng->block++;
    rng->spare = (uint64_t)out.v[3] << 32 | out.v[2];
    rng->has_spare = 1;
    return (uint64_t)out.v[1] << 32 | out.v[0];
}

/* Uniform on (0, 1): 52 bits, centred in their cells, so that neither end can occur. */
static inline double xp__rng_uniform(xp_rng *rng) {
    return ((double)(xp__rng_bits(rng) >> 12) + 0.5) * 0x1p-52;
}

#endif
