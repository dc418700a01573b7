/* naive_ts.c: Thompson sampling with the uniform prior: ignores the demonstrations. */
#include "agent/bandit/thompson.h"

static const char *prior_method(const xp__params *params) {
    (void)params;
    return "uniform";
}

const xp__agent_type xp__agent_naive_ts = {
    .name = "naive_ts",
    .summary = "Thompson sampling with a uniform prior; ignores the demonstrations",
    .prior_method = prior_method,
    XP__THOMPSON_FUNCTIONS,
};
