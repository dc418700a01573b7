/* held_out.c: how well a prior predicts choices that it was not fitted to.
 *
 * Of a prior on the best arm that matches the smoothed frequencies (max_entropy at beta = inf and
 * lambda = inf) the choice that is left out has the probability
 *     (n_a − 1 + s) / (N − 1 + K s),
 * so leaving out one at a time is a sum over arms. Other priors are fitted anew to all but one of
 * a few folds. Choice i, in the order of the arms, belongs to fold i mod folds. */
#include "model/inspect/inspect_parts.h"

#include "base/memory.h"
#include "math/softmax.h"

#include <string.h>

enum { CHOICE_DRAWS = 2000 };

/* Log scores of choices: their number, sum and sum of squares. */
typedef struct scores {
    double n, sum, squares;
} scores;

static void add(scores *self, double times, double value) {
    self->n += times;
    self->sum += times * value;
    self->squares += times * value * value;
}

static void leave_one_out(const xp_inspection *result, double smoothing, scores *total) {
    const double arms = (double)result->arms;
    const double rest = (double)result->demonstrations - 1 + arms * smoothing;
    for (size_t k = 0; k < result->arms; k++) {
        const double n = (double)result->counts[k];
        if (n > 0) {
            add(total, n, log((n - 1 + smoothing) / rest));
        }
    }
}

/* The same for a segment: what it borrows is its target, as so many choices, less its own. */
static void leave_one_out_of_segment(const xp_inspection *result, const xp_prior *prior,
                                     scores *total) {
    const double own = (double)result->demonstrations, all = fmax(prior->effective, own);
    for (size_t k = 0; k < result->arms; k++) {
        const double n = (double)result->counts[k];
        const double borrowed = fmax(1e-3, prior->target[k] * all - n);
        if (n > 0) {
            add(total, n, log(fmin(1, (n - 1 + borrowed) / fmax(all - 1, 1e-3))));
        }
    }
}

/* Adds an expert's choice in a context to `choice`. With scales the context is (scale, theta), and
 * theta tells of the scale by Bayes' rule. */
static void add_choice(const xp_prior *prior, double beta, const double *theta, double *scratch,
                       double *choice) {
    const xp__reference *reference = prior->reference;
    double share[XP__REFERENCE_MAX] = {1};
    if (reference != NULL) {
        xp__reference_terms(reference, prior->arms, theta, share);
        for (size_t h = 0; h < reference->count; h++) {
            share[h] += xp__prior_tilt(prior, h, theta);
        }
        (void)xp__reference_shares(reference, share);
    }
    for (size_t h = 0; h < (reference != NULL ? reference->count : 1); h++) {
        const double sharpness = reference != NULL ? reference->sharpness[h] : 1;
        if (share[h] > 1e-6) {
            xp__softmax(theta, prior->arms, beta * sharpness, scratch);
            for (size_t k = 0; k < prior->arms; k++) {
                choice[k] += share[h] * scratch[k] / CHOICE_DRAWS;
            }
        }
    }
}

/* How often an expert chooses each arm: the mean of softmax(beta theta) over draws. `scratch` has
 * room for K numbers. */
static xp_status predict(const xp_prior *prior, xp_rng *rng, double *theta, double *choice,
                         double *scratch, xp_error *error) {
    xp_sampler *sampler;
    const xp_status status = xp_sampler_create(NULL, prior, &sampler, error);
    if (status != XP_OK) {
        return status;
    }
    const double beta =
        xp__params_has(&prior->params, "beta") ? xp__params_get(&prior->params, "beta") : INFINITY;
    xp_sampler_reset(sampler, rng);
    if (isinf(beta)) {
        xp_sampler_action_law(sampler, rng, CHOICE_DRAWS, choice, NULL);
    } else {
        memset(choice, 0, prior->arms * sizeof *choice);
        for (size_t i = 0; i < CHOICE_DRAWS; i++) {
            (void)xp_sampler_draw(sampler, rng, theta);
            add_choice(prior, beta, theta, scratch, choice);
        }
    }
    xp_sampler_destroy(sampler);
    return XP_OK;
}

/* Choices start .. start + n − 1 that are in the fold. */
static uint64_t in_fold(uint64_t start, uint64_t n, size_t fold, size_t folds) {
    const uint64_t until = start + n;
    return (until + folds - 1 - fold) / folds - (start + folds - 1 - fold) / folds;
}

/* Fits to the other folds and scores this one. */
static xp_status score_fold(xp__inspector *self, size_t fold, size_t folds, xp_rng *rng,
                            double *choice, scores *total, xp_error *error) {
    const xp_inspection *result = self->result;
    xp_demos *rest = NULL;
    xp_prior *prior = NULL;
    xp_status status = xp_demos_create(0, result->arms, &rest, error);
    uint64_t start = 0;
    for (size_t k = 0; status == XP_OK && k < result->arms; k++) {
        const uint32_t action = (uint32_t)k;
        const uint64_t n = result->counts[k] - in_fold(start, result->counts[k], fold, folds);
        status = n > 0 ? xp_demos_add(rest, NULL, &action, 1, n, error) : XP_OK;
        start += result->counts[k];
    }
    if (status == XP_OK) {
        status = xp__prior_fit(xp_prior_method(self->prior), &self->prior->params, rest, rng,
                               &prior, NULL, error);
    }
    if (status == XP_OK) {
        status = predict(prior, rng, self->theta, choice, choice + result->arms, error);
    }
    start = 0;
    for (size_t k = 0; status == XP_OK && k < result->arms; k++) {
        const uint64_t n = in_fold(start, result->counts[k], fold, folds);
        if (n > 0) { /* a choice that no draw made is less likely than one in all of them */
            add(total, (double)n, log(fmax(choice[k], 0.5 / CHOICE_DRAWS)));
        }
        start += result->counts[k];
    }
    xp_prior_destroy(prior);
    xp_demos_destroy(rest);
    return status;
}

static xp_status fold_out(xp__inspector *self, size_t folds, xp_rng *rng, scores *total,
                          xp_error *error) {
    double *choice = xp__alloc(2 * self->result->arms, sizeof *choice);
    xp_status status = choice != NULL ? XP_OK : xp__no_memory(error);
    for (size_t fold = 0; status == XP_OK && fold < folds; fold++) {
        status = xp__inspect_tell(self, 0, error);
        if (status == XP_OK) {
            status = score_fold(self, fold, folds, rng, choice, total, error);
        }
    }
    xp__free(choice);
    return status;
}

/* Whether the prior is the smoothed frequencies, by which it is then known. */
static bool is_frequencies(const xp_prior *prior, double *smoothing) {
    if (prior->best_arm_log_weight == NULL || !isinf(prior->fit.lambda) ||
        !xp__params_has(&prior->params, "smoothing")) {
        return false;
    }
    *smoothing = xp__params_get(&prior->params, "smoothing");
    return *smoothing > 0;
}

xp_status xp__inspect_held_out(xp__inspector *self, xp_rng *rng, xp_error *error) {
    xp_inspection *result = self->result;
    const double guess = -log((double)result->arms);
    scores total = {.n = 0};
    double smoothing;
    if (result->demonstrations < 2) {
        return XP_OK;
    }
    if (self->prior->target != NULL) {
        if (!isinf(self->prior->fit.lambda) || self->prior->best_arm_log_weight == NULL) {
            return XP_OK;
        }
        leave_one_out_of_segment(result, self->prior, &total);
    } else if (is_frequencies(self->prior, &smoothing)) {
        leave_one_out(result, smoothing, &total);
    } else if (strcmp(xp_prior_method(self->prior), "uniform") == 0) {
        add(&total, (double)result->demonstrations, guess);
    } else if (self->options->folds > 1) {
        const uint64_t n = result->demonstrations;
        const size_t folds = n < self->options->folds ? (size_t)n : self->options->folds;
        const xp_status status = fold_out(self, folds, rng, &total, error);
        if (status == XP_ERR_NUMERIC) { /* no such prior fits a part: there is nothing to say */
            return XP_OK;
        }
        if (status != XP_OK) {
            return status;
        }
        result->held_out_folds = folds;
    } else {
        return XP_OK;
    }
    result->held_out = total.sum / total.n;
    result->held_out_se = sqrt(
        fmax(0, total.squares / total.n - result->held_out * result->held_out) / (total.n - 1));
    result->held_out_guess = guess;
    return XP_OK;
}
