/* evidence.h: which of several policies is the best, told from the returns of whole episodes: the
 * explicit discrete posterior that Algorithm 1 of the paper asks for, over the modes of a prior on
 * Q-functions (docs/modes.md).
 *
 * What demonstrations say of a context is its best policy, not what that policy returns: the
 * likelihood of Proposition 1 does not change when Q(s, ·) is shifted. So "policy i is the
 * context's" means that policy i stands out, by an unknown amount. Given i, the mean returns are
 *
 *     of policy i:       B + g,   g > 0 half-normal of scale ω
 *     of every other k:  B + τ z_k,   z_k standard normal
 *
 * with B flat, τ and ω log-uniform, ω >= τ, and an episode returns its policy's mean plus noise.
 * Everything but (i, τ, ω) integrates in closed form. Scales are learned; the only unit is the
 * resolution: differences that are small beside it are ties. */
#ifndef XP_AGENT_EVIDENCE_H
#define XP_AGENT_EVIDENCE_H

#include "experior/rng.h"

enum { XP__EVIDENCE_SCALES = 9 };

typedef struct xp__evidence {
    size_t policies;
    size_t changing, apart;
    double resolution;   /* least standard deviation of a return about its policy's mean */
    const double *prior; /* [policies]: probability that it is the one that stands out */
    double *count;       /* [policies]: episodes; fractional where they are forgotten */
    double *mean;        /* [policies]: of their returns */
    double *square;      /* [policies]: sum of squares about the mean */
    double low, high;    /* returns seen */
    size_t *tried;       /* [policies]: those with count > 0, in order */
    size_t tried_count;
    double *term; /* scratch: log-weights of (τ, ω, special) */
} xp__evidence;

/* `prior` must outlive it. */
xp_status xp__evidence_init(xp__evidence *evidence, size_t policies, double resolution,
                            const double *prior, xp_error *error);
void xp__evidence_deinit(xp__evidence *evidence); /* also one that is all zero */
void xp__evidence_clear(xp__evidence *evidence);

/* An episode of that policy returned that much. */
void xp__evidence_record(xp__evidence *evidence, size_t policy, double value);
/* Multiplies what is known of a policy that changes. */
void xp__evidence_fade(xp__evidence *evidence, size_t policy, double factor);

/* Draws mean returns from the posterior; the best policy among them. */
size_t xp__evidence_draw(const xp__evidence *evidence, xp_rng *rng);

#endif
