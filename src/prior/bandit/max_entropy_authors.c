/* max_entropy_authors.c: the prior that the authors' program amounts to, kept so that their numbers
 * can be reproduced.
 *
 * Their reference sample is nearly a point mass at theta = 1/2, so their dual variables come out
 * equal, and their log-prior is divided by N: in effect log mu(theta) = K Σ_a p̂_a s_a(theta), with
 * unsmoothed frequencies. */
#include "prior/softmax/softmax_density.h"
#include "prior/softmax/softmax_points.h"

#include "base/memory.h"
#include "math/softmax.h"

#include <math.h>

static const xp_param params[] = {
    XP__REAL("beta", "assumed competence of the experts; inf is optimal", 0, INFINITY, 10),
    XP__INTEGER(
        "points",
        "points over which the normaliser is computed if beta is finite; 8192, or 16384 if K < 4",
        256, 65536, NAN),
};

static void report(xp_prior *prior, const double *chosen, double *p) {
    prior->fit.log_likelihood = xp__prior_log_likelihood(prior, chosen);
    xp__prior_frequencies(prior, 0, p);
    prior->fit.divergence = xp__divergence(p, chosen, prior->arms);
}

static xp_status fit(xp_prior *prior, xp_rng *rng, xp_error *error) {
    (void)rng;
    const double beta = xp__params_get(&prior->params, "beta");
    const size_t arms = prior->arms;
    double *w = xp__alloc(2 * arms, sizeof *w);
    if (w == NULL) {
        return xp__no_memory(error);
    }
    xp__prior_frequencies(prior, 0, w);
    for (size_t arm = 0; arm < arms; arm++) {
        w[arm] *= (double)arms;
    }
    xp_status status;
    if (isinf(beta)) {
        double *chosen = w + arms;
        const double log_normaliser = xp__log_sum_exp(w, arms) - log((double)arms);
        for (size_t arm = 0; arm < arms; arm++) {
            w[arm] -= log_normaliser;
            chosen[arm] = exp(w[arm]) / (double)arms;
        }
        status = xp__best_arm_prior_set(prior, w, error);
        report(prior, chosen, w);
    } else {
        xp__softmax_points points;
        const double count = xp__params_get(&prior->params, "points");
        status = xp__softmax_points_init(&points, arms, isnan(count) ? 0 : (size_t)count, beta,
                                         NULL, error);
        if (status == XP_OK && !xp__softmax_points_follow(&points, w)) {
            status = xp_error_set(error, XP_ERR_NUMERIC, "the normaliser was not found");
        }
        if (status == XP_OK) {
            status = xp__softmax_prior_set(prior, beta, w, points.log_normaliser, error);
            report(prior, points.mean, w);
        }
        xp__softmax_points_deinit(&points);
    }
    xp__free(w);
    return status;
}

const xp__prior_type xp__prior_max_entropy_authors = {
    .name = "max_entropy_authors",
    .summary = "what the program of the paper's authors computes instead: log density K p . "
               "softmax(beta theta)",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = sizeof(xp__softmax_prior),
    .takes_target = true,
    .fit = fit,
    .deinit = xp__softmax_prior_deinit,
    .to_json = xp__softmax_prior_to_json,
    .from_json = xp__softmax_prior_from_json,
    .log_density = xp__softmax_prior_log_density,
    .gradient = xp__softmax_prior_gradient,
};
