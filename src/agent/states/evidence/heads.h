/* heads.h: what a changing policy may return, told with `relative` by its own latest returns and
 * those of its like.
 *
 * The mean of changing policy k is M + s z_k, z_k standard normal: M by the latest returns of all
 * of them together, s by the analysis of variance. Where all do alike, M says it all, and that they
 * have become better than the fixed ones is found out in a few tens of episodes, however many they
 * are; where they differ, each counts by its own returns. */
#ifndef XP_AGENT_STATES_EVIDENCE_HEADS_H
#define XP_AGENT_STATES_EVIDENCE_HEADS_H

#include "agent/states/evidence/scale.h"

/* How many changing policies were tried. */
size_t xp__evidence_heads_tried(const xp__evidence *evidence);

/* A draw of the mean of changing policy k. One that is new is about `base`, by `start`; as such
 * count all until one was tried, and then an untried one with probability 1 / (tried + 1), the urn
 * of a Dirichlet process. */
double xp__evidence_draw_head(const xp__evidence *evidence, const xp__evidence_scale *now, size_t k,
                              double base, double start, xp_rng *rng);

#endif
