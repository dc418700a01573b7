/* experior_param.c: ExPerior-Param (Definition 1): Thompson sampling with a parametric prior fitted
 * by maximum marginal likelihood. Beta is the paper's family; gamma and normal are its misspecified
 * ones (Table 2). */
#include "agent/bandit/thompson.h"

static const xp_param params[] = {
    {.name = "family",
     .summary = "family of the prior of each arm's mean",
     .kind = XP_PARAM_CHOICE,
     .low = 0,
     .high = 2,
     .standard = 0,
     .choices = "beta|gamma|normal"},
};

static const char *prior_method(const xp__params *values) {
    static const char *const families[] = {"beta", "gamma", "normal"};
    return families[(size_t)xp__params_get(values, "family")];
}

const xp__agent_type xp__agent_experior_param = {
    .name = "experior_param",
    .summary = "Thompson sampling with a parametric expert prior",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .prior_method = prior_method,
    .needs_demos = true,
    XP__THOMPSON_FUNCTIONS,
};
