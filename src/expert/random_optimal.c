/* random_optimal.c: optimal with probability gamma, uniformly random otherwise (paper, Table 1). */
#include "expert/expert_type.h"

#include "math/argmax.h"

static const xp_param params[] = {
    XP__REAL("gamma", "probability of taking the best action; otherwise any action, at random", 0,
             1, 0.5),
};

static size_t act(const xp__params *values, xp_rng *rng, const double *q, size_t actions) {
    if (xp_rng_bernoulli(rng, xp__params_get(values, "gamma"))) {
        return xp__argmax(q, actions);
    }
    return (size_t)xp_rng_below(rng, actions);
}

const xp__expert_type xp__expert_random_optimal = {
    .name = "random_optimal",
    .summary = "optimal with probability gamma, otherwise a uniformly random action",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .act = act,
};
