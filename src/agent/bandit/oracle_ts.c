/* oracle_ts.c: Thompson sampling with the true problem as its prior: the reference that
 * no learner from demonstrations is given. */
#include "agent/bandit/thompson.h"

static const char *prior_method(const xp__params *params) {
    (void)params;
    return "beta";
}

const xp__agent_type xp__agent_oracle_ts = {
    .name = "oracle_ts",
    .summary = "Thompson sampling with the true problem as prior",
    .prior_method = prior_method,
    .is_oracle = true,
    XP__THOMPSON_FUNCTIONS,
};
