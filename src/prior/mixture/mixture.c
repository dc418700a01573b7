/* mixture.c: demonstrated contexts as a mixture of policies (docs/method/mixture.md): Definition 1
 * with finite mixtures as the family, fitted by marginal likelihood where states come again and by
 * expectation-maximisation where they are real numbers. Each component gets a network
 * (mode_networks.h). */
#include "prior/mixture/mixture.h"

#include "prior/states/mode_networks.h"
#include "prior/mixture/softmax_mixture.h"
#include "prior/mixture/tie_policies.h"

enum { STREAM_PARTITION };

/* With more demonstrated states than LARGE, networks are fitted by batches. */
enum { LARGE = 1024, BATCH = 128 };

static const xp_param params[] = {
    XP__INTEGER("modes", "largest number of components; each is a network", 1, 4096, 64),
    XP__MODE_NETWORKS_PARAMS(XP__MIXTURE_BETA),
};

xp_status xp__mixture_init(xp__mode_sets *sets, const xp__encoded_demos *demos, size_t most,
                           xp__watch *watch, const xp_rng *rng, xp_error *error) {
    return xp__softmax_mixture_fits(demos)
               ? xp__softmax_mixture_init(sets, demos, most, watch, rng, NULL, error)
               : xp__tie_policies_init(sets, demos, most, watch, rng, NULL, error);
}

size_t xp__mixture_batch(const xp__encoded_demos *demos) {
    return demos->rows.count > LARGE ? BATCH : 0;
}

static xp_status fit(xp__states_prior *prior, xp__encoded_demos *demos, xp_rng *rng,
                     xp_error *error) {
    const xp_rng partition = xp_rng_fork(rng, STREAM_PARTITION);
    const size_t most = (size_t)xp__params_get(&prior->params, "modes");
    xp__mode_sets sets;
    xp_status status = xp__mixture_init(&sets, demos, most, &prior->watch, &partition, error);
    if (status == XP_OK && !prior->watch.stopped) {
        status = xp__mode_networks_fit(prior, demos, &sets, xp__mixture_batch(demos), rng, error);
    }
    prior->fit.effective_of = "policies";
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
