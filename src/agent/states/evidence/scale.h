/* scale.h: in which units returns are compared, and how noisy they are. */
#ifndef XP_AGENT_STATES_EVIDENCE_SCALE_H
#define XP_AGENT_STATES_EVIDENCE_SCALE_H

#include "agent/states/evidence/evidence.h"

/* What all hypotheses share. Numbers are in units of 1 / down. */
typedef struct xp__evidence_scale {
    double down;   /* a power of two, 1 unless `relative`: returns are multiplied by it, so that
                      what follows is the same to the bit for returns of any such unit */
    double unit;   /* the resolution, but never nothing beside the returns seen */
    double start;  /* how far an untried changing policy may be from B */
    double pooled; /* variance of returns about their fixed policy's mean, common to all */
    double centre; /* means are taken from here, against cancellation; in returns */
} xp__evidence_scale;

xp__evidence_scale xp__evidence_scale_of(const xp__evidence *evidence);

/* The mean return of a tried policy. */
double xp__evidence_x(const xp__evidence *evidence, const xp__evidence_scale *now, size_t k);
/* Of that mean, with at most so much noise in a return. */
double xp__evidence_variance_with(const xp__evidence *evidence, const xp__evidence_scale *now,
                                  size_t k, double most);
/* The same, where what the returns of a changing policy vary more than those of fixed ones is its
 * change, not chance. */
double xp__evidence_variance(const xp__evidence *evidence, const xp__evidence_scale *now, size_t k);

#endif
