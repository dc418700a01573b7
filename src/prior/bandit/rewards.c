/* rewards.c: see rewards.h. */
#include "prior/bandit/rewards.h"

xp_status xp__prior_set_rewards(xp_prior *prior, xp_error *error) {
    char name[64];
    const xp__params *params = &prior->params;
    prior->reward = (xp__reward){
        .type = xp__reward_find(xp__params_choice(params, "rewards", name, sizeof name)),
        .location = xp__params_get(params, "location"),
        .scale = xp__params_get(params, "scale"),
        .noise = xp__params_get(params, "noise")};
    const double beta = xp__params_get(params, "beta");
    if (!xp__reward_binary(&prior->reward) && !isinf(beta)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "max_entropy.beta = %g with %s rewards: only optimal experts, beta = "
                            "inf, are supported for rewards outside [0, 1]",
                            beta, prior->reward.type->name);
    }
    return xp__reward_check(&prior->reward, error);
}
