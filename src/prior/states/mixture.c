/* mixture.c: demonstrated contexts as a mixture of policies (docs/mixture.md): Definition 1 with
 * finite mixtures as the family, fitted by marginal likelihood where states come again. Each
 * component gets a network (mode_networks.h). */
#include "prior/states/mode_networks.h"
#include "prior/states/tie_policies.h"

enum { STREAM_PARTITION };

/* States of a network's batch. */
enum { BATCH = 128 };

static const xp_param params[] = {
    XP__INTEGER("modes", "most components, one network each", 1, 4096, 64),
    XP__MODE_NETWORKS_PARAMS,
};

static xp_status fit(xp__states_prior *prior, xp__encoded_demos *demos, xp_rng *rng,
                     xp_error *error) {
    const xp_rng partition = xp_rng_fork(rng, STREAM_PARTITION);
    const size_t most = (size_t)xp__params_get(&prior->params, "modes");
    xp__mode_sets sets;
    xp_status status =
        xp__tie_policies_init(&sets, demos, most, &prior->watch, &partition, NULL, error);
    if (status == XP_OK && !prior->watch.stopped) {
        status = xp__mode_networks_fit(prior, demos, &sets, demos->rows.count > 4096 ? BATCH : 0,
                                       rng, error);
    }
    xp__mode_sets_deinit(&sets);
    return status;
}

const xp__states_prior_type xp__states_prior_mixture = {
    .name = "mixture",
    .summary = "demonstrated contexts as a mixture of policies, one network each (Definition 1)",
    .steadier = "a smaller fit_rate",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = sizeof(xp__states_prior),
    .fit = fit,
    .deinit = xp__mode_networks_deinit,
    .restore = xp__mode_networks_restore,
};
