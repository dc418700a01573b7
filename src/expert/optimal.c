/* optimal.c: the expert who always takes the best action (Assumption 1 with beta → ∞). */
#include "expert/expert_type.h"

#include "math/argmax.h"

static size_t act(const xp__params *params, xp_rng *rng, const double *q, size_t actions) {
    (void)params;
    (void)rng;
    return xp__argmax(q, actions);
}

const xp__expert_type xp__expert_optimal = {
    .name = "optimal",
    .summary = "takes the best action for the context it sees",
    .act = act,
};
