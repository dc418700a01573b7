/* experior_param.c: ExPerior-Param where there are states (Proposition 2): Bootstrapped DQN whose
 * heads are drawn from networks trained to choose as the experts did. */
#include "agent/states/boot_dqn.h"

static const xp_param params[] = {XP__BOOT_DQN_PARAMS};

static const char *prior_method(const xp__params *values) {
    (void)values;
    return "ensemble";
}

const xp__agent_type xp__agent_states_experior_param = {
    .name = "experior_param",
    .summary = "bootstrapped DQN whose heads start as networks trained on the demonstrations",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .prior_method = prior_method,
    .needs_demos = true,
    XP__BOOT_DQN_FUNCTIONS,
};
