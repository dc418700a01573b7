/* Fits of priors with many arms: the vector loops, the points that are saved on, and who watches.
 */
#include "claim.h"
#include "prior/counted_demos.h"
#include "watcher.h"

#include "experior/sampler.h"
#include "prior/bandit/prior_type.h"
#include "prior/softmax/softmax_covariance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Σ_i x_i y_i over a tile in the written order. */
static double lane_dot(const double *x, const double *y) {
    double lane[XP__COVARIANCE_LANES] = {0};
    for (size_t i = 0; i < XP__COVARIANCE_TILE; i++) {
        lane[i % XP__COVARIANCE_LANES] += x[i] * y[i];
    }
    return xp__lane_total(lane);
}

CLAIM(every_width_gives_the_covariance_to_the_last_bit) {
    static const size_t sizes[] = {2, 3, 4, 7, 10, 31, 32, 33, 70};
    enum { MOST = 70 };
    static double left[MOST * XP__COVARIANCE_TILE], right[MOST * XP__COVARIANCE_TILE];
    static double spread[MOST * MOST];
    xp_rng rng = xp_rng_seed(2);
    for (size_t i = 0; i < MOST * XP__COVARIANCE_TILE; i++) {
        left[i] = xp_rng_normal(&rng);
        right[i] = xp_rng_normal(&rng);
    }
    for (size_t index = 0; index < 3; index++) {
        xp__covariance_add *add = xp__covariance_at(index);
        for (size_t n = 0; add != NULL && n < sizeof sizes / sizeof sizes[0]; n++) {
            const size_t arms = sizes[n];
            bool same = true;
            for (size_t i = 0; i < arms * arms; i++) {
                spread[i] = 0.25;
            }
            add(arms, left, right, spread);
            for (size_t a = 0; a < arms; a++) {
                for (size_t b = 0; b < arms; b++) {
                    const double sum =
                        lane_dot(left + a * XP__COVARIANCE_TILE, right + b * XP__COVARIANCE_TILE);
                    same = same && spread[a * arms + b] == 0.25 + (b <= a ? sum : 0);
                }
            }
            EXPECT(same);
        }
    }
    EXPECT(xp__covariance_best() != NULL && xp__covariance_at(3) == NULL);
}

static xp_status fit(const char *method, size_t arms, const uint64_t *counts, double beta,
                     xp_progress progress, void *context, xp_prior **prior, xp_error *error) {
    xp__params params;
    xp_demos *demos = counted_demos(arms, counts);
    EXPECT(xp__prior_params_default(method, &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "beta", beta, NULL) == XP_OK);
    const xp__prior_fit_options options = {
        .params = &params, .progress = progress, .progress_context = context};
    const xp_status status = xp__prior_fit_with(method, &options, demos, prior, NULL, error);
    xp_demos_destroy(demos);
    return status;
}

/* KL(p || E_mu[softmax(beta theta)]) by a chain, which knows nothing of the points of the fit. */
static double divergence_of(const xp_prior *prior, double beta, size_t draws) {
    const size_t arms = prior->arms;
    double *theta = malloc(3 * arms * sizeof *theta), *mean = theta + arms, *p = mean + arms;
    xp_sampler *sampler = NULL;
    EXPECT(xp_sampler_create("mcmc", prior, &sampler, NULL) == XP_OK);
    xp_rng rng = xp_rng_seed(4);
    xp_sampler_reset(sampler, &rng);
    memset(mean, 0, arms * sizeof *mean);
    for (size_t i = 0; i < draws; i++) {
        double total = 0;
        EXPECT(xp_sampler_draw(sampler, &rng, theta));
        for (size_t a = 0; a < arms; a++) {
            theta[a] = exp(beta * (theta[a] - 1));
            total += theta[a];
        }
        for (size_t a = 0; a < arms; a++) {
            mean[a] += theta[a] / total / (double)draws;
        }
    }
    xp__prior_smoothed(prior, p);
    const double divergence = xp__divergence(p, mean, arms);
    xp_sampler_destroy(sampler);
    free(theta);
    return divergence;
}

/* The limitation that the README states, a few per cent, is of single rare arms; the constraint is
 * a mean over all. Noise of the chain: below 0.5 % at this number of draws (two halves differ by
 * that), and it only adds. */
CLAIM(a_prior_over_many_arms_is_as_far_from_the_demonstrations_as_was_asked_for) {
    enum { ARMS = 80 };
    uint64_t counts[ARMS], total = 0;
    for (size_t a = 0; a < ARMS; a++) {
        counts[a] = a * a % 37 * (a % 3) + (a % 11 == 0 ? 60 : 0);
        total += counts[a];
    }
    const double epsilon = (ARMS - 1) / (2 * (double)total);
    static const double betas[] = {5, 20};
    for (size_t i = 0; i < 2; i++) {
        xp_prior *prior = NULL;
        EXPECT(fit("max_entropy", ARMS, counts, betas[i], NULL, NULL, &prior, NULL) == XP_OK);
        EXPECT_NEAR(prior->fit.divergence / epsilon, 1, 1e-6);
        EXPECT_NEAR(divergence_of(prior, betas[i], 100000) / epsilon, 1, 0.08);
        xp_prior_destroy(prior);
    }
}

static const uint64_t twelve[12] = {40, 3, 0, 17, 9, 1, 22, 0, 5, 8, 2, 30};

CLAIM(a_watched_fit_is_told_what_is_done_and_ends_the_same) {
    static const char *const methods[] = {"max_entropy", "gamma", "beta"};
    for (size_t i = 0; i < 3; i++) {
        watcher self = {.stop_at = 0};
        xp_prior *watched = NULL, *alone = NULL;
        char *one, *two;
        EXPECT(fit(methods[i], 12, twelve, 10, watcher_look, &self, &watched, NULL) == XP_OK);
        EXPECT(fit(methods[i], 12, twelve, 10, NULL, NULL, &alone, NULL) == XP_OK);
        EXPECT(self.calls > 3 && !self.fell && self.total > 0 && self.done > self.total / 2);
        EXPECT(xp__prior_to_json(watched, &one, NULL) == XP_OK);
        EXPECT(xp__prior_to_json(alone, &two, NULL) == XP_OK);
        EXPECT(strcmp(one, two) == 0);
        xp_release(one);
        xp_release(two);
        xp_prior_destroy(watched);
        xp_prior_destroy(alone);
    }
}

CLAIM(a_fit_can_be_stopped_at_every_call) {
    static const char *const methods[] = {"max_entropy", "gamma", "beta"};
    for (size_t i = 0; i < 3; i++) {
        watcher whole = {.stop_at = 0};
        xp_prior *prior = NULL;
        EXPECT(fit(methods[i], 12, twelve, 10, watcher_look, &whole, &prior, NULL) == XP_OK);
        xp_prior_destroy(prior);
        const size_t turns = claim_instrumented() ? 8 : 40;
        for (size_t stop = 1; stop <= whole.calls; stop += 1 + whole.calls / turns) {
            watcher self = {.stop_at = stop};
            xp_error error;
            EXPECT(fit(methods[i], 12, twelve, 10, watcher_look, &self, &prior, &error) ==
                   XP_ERR_INTERRUPTED);
            EXPECT(self.calls == stop && prior == NULL);
            EXPECT_TEXT(error.message, "the fit was interrupted");
        }
    }
}
