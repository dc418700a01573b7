/* experior_maxent.c: ExPerior-MaxEnt (Algorithm 1): Thompson sampling with the maximum-entropy
 * expert prior of Proposition 1, or with the prior that the authors' program amounts to. */
#include "agent/bandit/thompson.h"

static const xp_param params[] = {
    {.name = "prior",
     .summary = "Proposition 1 solved exactly, or the authors' effective prior",
     .kind = XP_PARAM_CHOICE,
     .low = 0,
     .high = 1,
     .standard = 0,
     .choices = "exact|authors"},
};

static const char *prior_method(const xp__params *values) {
    return xp__params_get(values, "prior") == 0 ? "max_entropy" : "max_entropy_authors";
}

const xp__agent_type xp__agent_experior_maxent = {
    .name = "experior_maxent",
    .summary = "Thompson sampling with the maximum-entropy expert prior",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .prior_method = prior_method,
    .needs_demos = true,
    XP__THOMPSON_FUNCTIONS,
};
