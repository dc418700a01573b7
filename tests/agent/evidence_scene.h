/* evidence_scene.h: evidence over policies that are alike a priori, for tests.
 */
#ifndef XP_TESTS_AGENT_EVIDENCE_SCENE_H
#define XP_TESTS_AGENT_EVIDENCE_SCENE_H

#include "claim.h"

#include "agent/states/evidence/evidence.h"

static inline xp__evidence make_evidence(size_t fixed, size_t changing, double resolution,
                                         double none) {
    const xp__evidence_options options = {.fixed = fixed,
                                          .changing = changing,
                                          .resolution = resolution,
                                          .memory = 50,
                                          .none = none / 2,
                                          .same = none / 2};
    xp__evidence evidence;
    EXPECT(xp__evidence_init(&evidence, &options, NULL) == XP_OK);
    for (size_t k = 0; k < fixed; k++) {
        evidence.prior[k] = (1 - none) / (double)fixed;
    }
    return evidence;
}

#endif
