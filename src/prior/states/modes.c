/* modes.c: the maximum-entropy expert prior over Q-functions (Proposition 1), sampled mode by
 * mode (mode_sets.h; docs/method/modes.md). Each mode gets a network (mode_networks.h). */
#include "prior/states/mode_networks.h"

enum { STREAM_MODES };

static const xp_param params[] = {
    XP__INTEGER("modes", "largest number of modes; each is a network", 1, 4096, 64),
    XP__MODE_NETWORKS_PARAMS(5),
};

static xp_status fit(xp__states_prior *prior, xp__encoded_demos *demos, xp_rng *rng,
                     xp_error *error) {
    const xp_rng modes = xp_rng_fork(rng, STREAM_MODES);
    xp__mode_sets sets;
    xp_status status =
        xp__mode_sets_init(&sets, demos, (size_t)xp__params_get(&prior->params, "modes"),
                           &prior->watch, &modes, error);
    if (status == XP_OK && !prior->watch.stopped) {
        status = xp__mode_networks_fit(prior, demos, &sets, 0, rng, error);
    }
    xp__mode_sets_deinit(&sets);
    return status;
}

const xp__states_prior_type xp__states_prior_modes = {
    .name = "modes",
    .summary = "maximum entropy, mode by mode: each network follows a set of demonstrations that "
               "one policy can follow (Proposition 1)",
    .steadier = "a smaller fit_rate or hold",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = sizeof(xp__states_prior),
    .fit = fit,
    .deinit = xp__mode_networks_deinit,
    .restore = xp__mode_networks_restore,
};
