/* component.h: which arm is the best under one component of a reference, brought up to date only
 * when it is asked.
 *
 * Arms are Beta(a + s, b + f). Leaves, tree and total are functions of the nodes and the record of
 * rewards; when they were brought up to date makes no difference to any bit. The nodes are decided
 * when the component is first drawn, and afterwards by rewards alone. */
#ifndef XP_SAMPLER_INTEGRAL_COMPONENT_H
#define XP_SAMPLER_INTEGRAL_COMPONENT_H

#include "sampler/integral/integral.h"
#include "sampler/integral/rewards.h"

typedef struct xp__component {
    xp__integral integral;
    double a, b;
    double *density, *distribution; /* G each: of an arm without rewards, on even nodes */
    double *pulls;                  /* 2 K: scratch, successes and failures with a - 1 and b - 1 */
    uint32_t *epoch, *steps;        /* K each: of the record, that the leaves stand for */
    uint64_t read;                  /* entries of the ring that they stand for */
    bool laid;                      /* the leaf without rewards is known */
    bool drawn;                     /* since the reset: the nodes are decided */
    bool filled;                    /* the leaves stand for something */
    double total;                   /* Z = Σ_a c_a P(a is best), of the tree */
} xp__component;

/* Bytes of memory that a component needs, alignment included. */
size_t xp__component_bytes(size_t arms, size_t nodes);
/* Uses `block` of that many bytes. `scale` has the arms' weights, at most 1. Nothing is computed
 * yet. */
void xp__component_init(xp__component *component, size_t arms, size_t nodes, double a, double b,
                        const double *scale, void *block);
/* Forgets all rewards. */
void xp__component_reset(xp__component *component);
/* Brings leaves, tree and total up to the record. The first time since the reset it decides the
 * nodes as well: true if so. */
bool xp__component_update(xp__component *component, const xp__rewards *rewards,
                          const double *successes, const double *failures);
/* After a reward of the arm: decides the nodes anew if they are too coarse. `moved`: where the
 * arm's mean is may have changed much. */
void xp__component_watch(xp__component *component, const xp__rewards *rewards,
                         const double *successes, const double *failures, size_t arm, bool moved);
/* Rewards of the arm at which the nodes become too coarse. */
double xp__component_limit(const xp__component *component, size_t arm);
/* Successes and failures with a - 1 and b - 1 added, K numbers each; valid until the next call. */
void xp__component_pulls(xp__component *component, const double *successes, const double *failures,
                         const double **up, const double **down);
/* Walks the nodes; the rest follows from the record. */
void xp__component_archive(xp__component *component, xp__archive *archive);

#endif
