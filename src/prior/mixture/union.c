/* union.c: one prior over several accounts of the same demonstrations (docs/method/mixture.md):
 * components of a mixture (mixture.h), modes of demonstrations that never contradict each other
 * (mode_sets.h), and all experts as one. No account is best everywhere, so none is chosen: each
 * group has a share of the prior, and returns decide. Policies that do the same in all demonstrated
 * states are one. Where a mode has no demonstration it does as all experts did. */
#include "prior/mixture/mixture.h"
#include "prior/states/mode_networks.h"
#include "prior/mixture/softmax_mixture.h"
#include "prior/mixture/tie_policies.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { STREAM_PARTS };
enum { PART_MIXTURE, PART_MODES, PARTS };

/* Of the weight that components give away; the rest is for all experts as one. */
static const double modes_share = 2.0 / 3;

static const xp_param params[] = {
    XP__INTEGER("modes", "largest number of policies in a group; each is a network", 1, 4096, 64),
    XP__REAL("doubt",
             "a component of n demonstrations gives up doubt / (n + doubt) of its weight to the "
             "other accounts",
             0, 1e6, 1),
    XP__MODE_NETWORKS_PARAMS(XP__MIXTURE_BETA),
};

/* Adds a policy of that weight, or the weight to one that does the same. */
static void add(xp__mode_sets *sets, const uint32_t *action, const uint32_t *own, double weight) {
    const size_t rows = sets->rows, bytes = rows * sizeof *action;
    for (size_t k = 0; k < sets->count; k++) {
        if (memcmp(sets->action + k * rows, action, bytes) == 0) {
            sets->weight[k] += weight;
            return;
        }
    }
    if (weight > 0) {
        memcpy(sets->action + sets->count * rows, action, bytes);
        memcpy(sets->own + sets->count * rows, own, bytes);
        sets->weight[sets->count++] = weight;
    }
}

/* All policies of a part, silent nowhere: `full` is scratch. Each keeps weight / (weight + doubt)
 * of its weight times `share`; returns the weights that were kept. */
static double add_part(xp__mode_sets *sets, const xp__mode_sets *part, const uint32_t *pooled,
                       uint32_t *full, double share, double doubt) {
    double kept = 0;
    for (size_t k = 0; k < part->count; k++) {
        const uint32_t *action = part->action + k * part->rows;
        const uint32_t *own = part->own != NULL ? part->own + k * part->rows : action;
        for (size_t row = 0; row < part->rows; row++) {
            full[row] = action[row] == XP__MODE_SILENT ? pooled[row] : action[row];
        }
        const double weight = part->weight[k];
        const double own_share = doubt > 0 ? weight / (weight + doubt) : 1;
        add(sets, full, own, share * own_share * weight);
        kept += own_share * weight;
    }
    return kept;
}

static double demonstrations(const xp__encoded_demos *demos) {
    double all = 0;
    for (size_t i = 0; i < demos->trajectories; i++) {
        all += (double)demos->count[i];
    }
    return all;
}

static xp_status unite(xp__mode_sets *sets, const xp__states_prior *prior,
                       const xp__encoded_demos *demos, const xp__mode_sets *part, xp_error *error) {
    const size_t rows = demos->rows.count, most = part[0].count + part[1].count + 1;
    const double doubt = xp__params_get(&prior->params, "doubt") / demonstrations(demos);
    *sets = (xp__mode_sets){.rows = rows};
    uint32_t *pooled = xp__alloc(rows, 2 * sizeof *pooled);
    sets->action = xp__alloc(most * rows, sizeof sets->action[0]);
    sets->own = xp__alloc(most * rows, sizeof sets->own[0]);
    sets->weight = xp__alloc(most, sizeof sets->weight[0]);
    const bool made =
        pooled != NULL && sets->action != NULL && sets->own != NULL && sets->weight != NULL;
    xp_status status = made ? xp__pooled_actions(demos, pooled, error) : xp__no_memory(error);
    if (status == XP_OK) {
        double left = 1 - add_part(sets, &part[PART_MIXTURE], pooled, pooled + rows, 1, doubt);
        left = fmax(left, 0);
        const double modes = part[PART_MODES].count > 0 ? left * modes_share : 0;
        (void)add_part(sets, &part[PART_MODES], pooled, pooled + rows, modes, 0);
        add(sets, pooled, pooled, left - modes);
    }
    xp__free(pooled);
    return status;
}

static xp_status fit(xp__states_prior *prior, xp__encoded_demos *demos, xp_rng *rng,
                     xp_error *error) {
    const xp_rng parts = xp_rng_fork(rng, STREAM_PARTS);
    const xp_rng own[PARTS] = {xp_rng_fork(&parts, PART_MIXTURE), xp_rng_fork(&parts, PART_MODES)};
    const size_t most = (size_t)xp__params_get(&prior->params, "modes");
    xp__mode_sets part[PARTS] = {{.count = 0}}, sets = {.count = 0};
    xp_status status =
        xp__mixture_init(&part[PART_MIXTURE], demos, most, &prior->watch, &own[0], error);
    /* Real numbers that hardly come again contradict nothing: the one mode is all experts. */
    if (status == XP_OK && !xp__softmax_mixture_fits(demos)) {
        status = xp__mode_sets_init(&part[PART_MODES], demos, most, &prior->watch, &own[1], error);
    }
    if (status == XP_OK && !prior->watch.stopped) {
        status = unite(&sets, prior, demos, part, error);
    }
    if (status == XP_OK && !prior->watch.stopped) {
        status = xp__mode_networks_fit(prior, demos, &sets, xp__mixture_batch(demos), rng, error);
    }
    prior->fit.effective_of = "policies";
    for (size_t i = 0; i < PARTS; i++) {
        xp__mode_sets_deinit(&part[i]);
    }
    xp__mode_sets_deinit(&sets);
    return status;
}

const xp__states_prior_type xp__states_prior_union = {
    .name = "union",
    .summary =
        "a mixture of policies, modes, and one policy for all experts together, each with a share",
    .steadier = "a smaller fit_rate",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = sizeof(xp__states_prior),
    .fit = fit,
    .deinit = xp__mode_networks_deinit,
    .restore = xp__mode_networks_restore,
};
