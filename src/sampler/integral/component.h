/* component.h: which arm is the best under one component of a reference, brought up to date only
 * when it is asked.
 *
 * Arms are Beta(a + s, b + f) with the rewards s and f that the component has been told of. Its
 * leaves stand for counts of its own, which lag behind the sampler's: a component that is never
 * drawn costs nothing. What it answers is a function of these counts up to rounding. */
#ifndef XP_SAMPLER_INTEGRAL_COMPONENT_H
#define XP_SAMPLER_INTEGRAL_COMPONENT_H

#include "sampler/integral/integral.h"

/* The arms that were rewarded lately, so that few of many need be looked at. */
enum { XP__JOURNAL = 64 };
typedef struct xp__journal {
    uint64_t written; /* entries since the reset */
    uint64_t first;   /* of those, the first that is in the ring if it has not been overwritten */
    uint32_t arm[XP__JOURNAL];
} xp__journal;

static inline void xp__journal_add(xp__journal *journal, size_t arm) {
    journal->arm[journal->written++ % XP__JOURNAL] = (uint32_t)arm;
}

typedef struct xp__component {
    xp__integral integral;
    double a, b;
    double *successes, *failures;   /* K each: that the leaves stand for */
    double *density, *distribution; /* G each: of an arm without rewards, on even nodes */
    double *scratch;                /* 2 K */
    uint64_t read;                  /* entries of the journal that the leaves stand for */
    bool laid;    /* the nodes are laid out and the leaf without rewards is known */
    bool filled;  /* the leaves are filled since the reset */
    double total; /* Z = Σ_a c_a P(a is best): the root's, for these counts */
} xp__component;

/* Bytes of memory that a component needs, alignment included. */
size_t xp__component_bytes(size_t arms, size_t nodes);
/* Uses `block` of that many bytes. `scale` has the arms' weights, at most 1; it is kept. Nothing is
 * computed yet. */
void xp__component_init(xp__component *component, size_t arms, size_t nodes, double a, double b,
                        const double *scale, void *block);
/* Forgets all rewards. */
void xp__component_reset(xp__component *component);
/* Brings leaves, tree and total up to the counts. */
void xp__component_update(xp__component *component, const double *successes, const double *failures,
                          const xp__journal *journal);
/* Successes and failures with a - 1 and b - 1 added, K and K numbers in `scratch`. */
void xp__component_pulls(xp__component *component, const double **successes,
                         const double **failures);
/* Walks all that rewards have changed. */
void xp__component_archive(xp__component *component, xp__archive *archive);

#endif
