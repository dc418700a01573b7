/* rng.h: random numbers as a small value.
 *
 * Counter-based (Philox4x32-10; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC
 * 2011): a generator is a 128-bit stream name and a position. Forking names a new stream from the
 * parent's name and an index without moving the parent, so results do not depend on threads or
 * order. A generator belongs to one thread at a time; copy the value to continue twice from the
 * same position.
 *
 * If a generator is NULL or a distribution does not exist, results are NAN, 0 or false and nothing
 * is drawn. */
#ifndef EXPERIOR_RNG_H
#define EXPERIOR_RNG_H

#include "experior/base.h"

typedef struct xp_rng {
    uint32_t stream[4]; /* the stream's name: Philox key and upper half of its counter */
    uint64_t block;     /* position: the next block of 128 bits */
    uint64_t spare;     /* the unused half of the last block, valid if has_spare */
    uint32_t has_spare;
    uint32_t reserved; /* zero; keeps the value free of padding, so that it can be hashed */
} xp_rng;

/* The root generator of a seed; seeds may be any numbers. */
XP_API xp_rng xp_rng_seed(uint64_t seed);
/* An independent stream named by the parent's stream and `index`; the parent does not move. The
 * fork of NULL is the root generator of the index. */
XP_API xp_rng xp_rng_fork(const xp_rng *parent, uint64_t index);

XP_API uint64_t xp_rng_bits(xp_rng *rng);      /* 64 random bits */
XP_API double xp_rng_uniform(xp_rng *rng);     /* uniform on the open interval (0, 1) */
XP_API double xp_rng_normal(xp_rng *rng);      /* standard normal */
XP_API double xp_rng_exponential(xp_rng *rng); /* rate 1 */
XP_API double xp_rng_gumbel(xp_rng *rng);      /* standard Gumbel: -log(-log(u)) */
XP_API bool xp_rng_bernoulli(xp_rng *rng, double probability); /* true with that probability */
XP_API uint64_t xp_rng_below(xp_rng *rng, uint64_t bound);     /* uniform on 0 .. bound-1 */
XP_API double xp_rng_gamma(xp_rng *rng, double shape);         /* scale 1; 0 < shape < inf */
XP_API double xp_rng_beta(xp_rng *rng, double a, double b);    /* 0 < a, b < inf */
/* Index drawn with probability weight[i] / sum. Returns n if a weight is negative or NAN, or if the
 * sum is not positive and finite. */
XP_API size_t xp_rng_categorical(xp_rng *rng, const double *weight, size_t n);

#endif
