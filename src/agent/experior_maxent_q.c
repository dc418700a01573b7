/* experior_maxent_q.c: ExPerior-MaxEnt where there are states (Proposition 1): Bootstrapped DQN
 * whose heads are drawn from the maximum-entropy expert prior over Q-functions. */
#include "agent/boot_dqn.h"

static const xp_param params[] = {XP__BOOT_DQN_PARAMS};

static const char *prior_method(const xp_params *values) {
    (void)values;
    return "max_entropy";
}

const xp_agent_type xp__agent_experior_maxent_q = {
    .name = "experior_maxent",
    .summary = "bootstrapped DQN whose heads are drawn from the maximum-entropy expert prior",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .prior_method = prior_method,
    .needs_demos = true,
    XP__BOOT_DQN_FUNCTIONS,
};
