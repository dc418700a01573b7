/* choices.h: demonstrations of a bandit from a count per arm, and a model fitted to them. */
#ifndef XP_TESTS_MODEL_CHOICES_H
#define XP_TESTS_MODEL_CHOICES_H

#include "claim.h"
#include "experior/model.h"

static inline xp_demos *choices_demos(const uint64_t *counts, size_t arms) {
    xp_demos *demos = NULL;
    EXPECT(xp_demos_create(0, arms, &demos, NULL) == XP_OK);
    for (size_t arm = 0; arm < arms; arm++) {
        const uint32_t action = (uint32_t)arm;
        EXPECT(xp_demos_add(demos, NULL, &action, 1, counts[arm], NULL) == XP_OK);
    }
    return demos;
}

static inline xp_model *choices_model(const char *agent, const uint64_t *counts, size_t arms) {
    xp_demos *demos = choices_demos(counts, arms);
    xp_model *model = NULL;
    EXPECT(xp_model_fit(agent, NULL, demos, NULL, &model, NULL) == XP_OK);
    xp_demos_destroy(demos);
    return model;
}

#endif
