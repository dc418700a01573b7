/* expert_action.h: what an expert does, for tests in which it cannot fail. */
#ifndef XP_TESTS_EXPERT_ACTION_H
#define XP_TESTS_EXPERT_ACTION_H

#include "claim.h"
#include "experior/expert.h"

static inline size_t expert_action(const xp_expert *expert, xp_rng *rng, const xp_task *task,
                                   const double *state) {
    size_t action;
    EXPECT(xp_expert_act(expert, rng, task, state, &action, NULL) == XP_OK);
    return action;
}

#endif
