/* reward_params.c: see reward_params.h. */
#include "reward/reward_params.h"

#include <string.h>

static bool was_given(const xp__params *params, const char *name) {
    return xp__params_has(params, name) && !isnan(xp__params_get(params, name));
}

/* The references of Beta distributions are for means from 0 to 1; "learned" suits all. */
static xp_status check_reference(const xp__params *params, const char *family, xp_error *error) {
    char word[64];
    const bool named = xp__params_has(params, "reference");
    if ((named && strcmp(xp__params_choice(params, "reference", word, sizeof word), "beta") == 0) ||
        was_given(params, "mean") || was_given(params, "shape")) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "reference = beta, mean and shape are for rewards from 0 to 1; with %s "
                            "rewards give location and scale",
                            family);
    }
    return XP_OK;
}

xp_status xp__reward_read(const xp__params *params, xp__reward *reward, xp_error *error) {
    char name[64];
    *reward = (xp__reward){
        .type = xp__reward_find(xp__params_choice(params, "rewards", name, sizeof name)),
        .location = xp__params_get(params, "location"),
        .scale = xp__params_get(params, "scale"),
        .noise = xp__params_get(params, "noise")};
    const double beta = xp__params_has(params, "beta") ? xp__params_get(params, "beta") : INFINITY;
    if (!xp__reward_binary(reward) && !isinf(beta)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s.beta = %g with %s rewards: only optimal experts, beta = inf, are "
                            "supported for rewards outside [0, 1]",
                            params->owner, beta, reward->type->name);
    }
    if (!xp__reward_binary(reward)) {
        const xp_status status = check_reference(params, reward->type->name, error);
        if (status != XP_OK) {
            return status;
        }
    }
    return xp__reward_check(reward, error);
}
