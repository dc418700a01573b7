/* rng.c: Philox4x32-10 from Random123 as a stream of 64-bit words.
 *
 * The stream's name fills the key and the upper half of the counter; the position is the lower
 * half. Forking encrypts the index under the parent's name with a reserved position (all ones),
 * which a stream of fewer than 2^64 - 1 blocks never reaches, so children never repeat the parent's
 * output. */
#include "base/rng_inline.h"

#include <math.h>

static const uint64_t fork_position = UINT64_MAX;

static xp_rng named(const uint32_t stream[4]) {
    xp_rng rng = {.block = 0, .spare = 0, .has_spare = 0, .reserved = 0};
    for (int i = 0; i < 4; i++) {
        rng.stream[i] = stream[i];
    }
    return rng;
}

xp_rng xp_rng_seed(uint64_t seed) {
    const uint32_t stream[4] = {(uint32_t)seed, (uint32_t)(seed >> 32), 0, 0};
    const xp_rng raw = named(stream);
    return xp_rng_fork(&raw, 0); /* so that neighbouring seeds share no part of their names */
}

xp_rng xp_rng_fork(const xp_rng *parent, uint64_t index) {
    if (parent == NULL) {
        return xp_rng_seed(index);
    }
    /* Two encryptions: the index first, then the parent's upper name, under the parent's key. */
    philox4x32_key_t key = {{parent->stream[0], parent->stream[1]}};
    philox4x32_ctr_t counter = {
        {(uint32_t)index, (uint32_t)(index >> 32), parent->stream[2], parent->stream[3]}};
    const philox4x32_ctr_t first = philox4x32(counter, key);
    key.v[0] = first.v[0];
    key.v[1] = first.v[1];
    counter.v[0] = (uint32_t)fork_position;
    counter.v[1] = (uint32_t)(fork_position >> 32);
    counter.v[2] = first.v[2];
    counter.v[3] = first.v[3];
    const philox4x32_ctr_t name = philox4x32(counter, key);
    return named(name.v);
}

uint64_t xp_rng_bits(xp_rng *rng) {
    return rng != NULL ? xp__rng_bits(rng) : 0;
}

double xp_rng_uniform(xp_rng *rng) {
    return rng != NULL ? xp__rng_uniform(rng) : NAN;
}
