/* noisily_rational.c: the expert of Assumption 1: P(a | s; c) ∝ exp(beta Q*_c(s, a)).
 *
 * Drawn as argmax of beta Q + Gumbel noise, which has exactly that law and cannot overflow. */
#include "expert/expert_type.h"

#include "math/argmax.h"

#include <math.h>

static const xp_param params[] = {
    XP__REAL("beta", "competence; inf is the optimal expert", 0, INFINITY, 1),
};

static size_t act(const xp__params *values, xp_rng *rng, const double *q, size_t actions) {
    const double beta = xp__params_get(values, "beta");
    if (isinf(beta)) {
        return xp__argmax(q, actions);
    }
    size_t best = 0;
    double best_score = -INFINITY;
    for (size_t action = 0; action < actions; action++) {
        const double score = beta * q[action] + xp_rng_gumbel(rng);
        if (score > best_score) {
            best_score = score;
            best = action;
        }
    }
    return best;
}

const xp__expert_type xp__expert_noisily_rational = {
    .name = "noisily_rational",
    .summary = "takes an action with probability proportional to exp(beta Q)",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .act = act,
};
