/* optimal.c: the expert who always takes the best action (Assumption 1 with beta → ∞).
 *
 * In the limit every one of several best actions is as likely as the others (ties=uniform). The
 * default takes the first of them, as the library always did. */
#include "expert/expert_type.h"

#include "math/argmax.h"

#include <math.h>

enum { TIES_FIRST, TIES_UNIFORM };

static const xp_param params[] = {
    {.name = "ties",
     .summary = "which of several best actions is taken: the first, or one at random",
     .kind = XP_PARAM_CHOICE,
     .low = TIES_FIRST,
     .high = TIES_UNIFORM,
     .standard = TIES_FIRST,
     .choices = "first|uniform"},
};

/* Values that differ by rounding alone are equal. */
static bool is_best(const double *q, size_t action, double best) {
    return q[action] >= best - 1e-9 * fabs(best);
}

static size_t act(const xp__params *values, xp_rng *rng, const double *q, size_t actions) {
    const size_t first = xp__argmax(q, actions);
    if (xp__params_get(values, "ties") == TIES_FIRST) {
        return first;
    }
    size_t tied = 0, action = 0;
    for (size_t i = 0; i < actions; i++) {
        tied += is_best(q, i, q[first]);
    }
    uint64_t left = xp_rng_below(rng, tied);
    while (!is_best(q, action, q[first]) || left-- > 0) {
        action++;
    }
    return action;
}

const xp__expert_type xp__expert_optimal = {
    .name = "optimal",
    .summary = "takes the best action for the context it sees",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .act = act,
};
