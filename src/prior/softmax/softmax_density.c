/* softmax_density.c: see the header. Invariant: `weight` and log_normaliser are finite. */
#include "prior/softmax/softmax_density.h"

#include "base/memory.h"
#include "math/argmax.h"
#include "math/softmax.h"

#include <math.h>
#include <string.h>

/* In one coordinate, w · softmax(beta theta) is (B + w_j e) / (C + e) with e = exp(beta theta_j):
 * monotone. So the largest value is at a corner of the cube, and for a given number of ones at the
 * corner whose ones are the largest weights: K corners to compare. */
double xp__softmax_support(const double *w, size_t arms, double beta, double *s, size_t *order) {
    for (size_t i = 0; i < arms; i++) { /* insertion: weights come almost sorted or are few */
        size_t place = i;
        for (; place > 0 && w[order[place - 1]] < w[i]; place--) {
            order[place] = order[place - 1];
        }
        order[place] = i;
    }
    const double low = exp(-beta); /* a zero against a one */
    double total = 0, ones = 0, best = -INFINITY;
    size_t best_count = 1;
    for (size_t i = 0; i < arms; i++) {
        total += w[i];
    }
    for (size_t count = 1; count <= arms; count++) {
        ones += w[order[count - 1]];
        const double value =
            (ones + low * (total - ones)) / ((double)count + low * (double)(arms - count));
        if (value > best) {
            best = value;
            best_count = count;
        }
    }
    const double scale = 1 / ((double)best_count + low * (double)(arms - best_count));
    for (size_t i = 0; i < arms; i++) {
        s[order[i]] = i < best_count ? scale : low * scale;
    }
    return best;
}

static void set_tilt_bound(xp_prior *prior, double bound) {
    prior->log_tilt_bound = bound;
    prior->log_density_bound = bound;
    if (prior->reference != NULL) {
        prior->log_density_bound += xp__reference_bound(prior->reference, prior->arms);
    }
}

static xp_status set_bound(xp_prior *prior, xp_error *error) {
    double *s = xp__alloc(prior->arms, sizeof *s);
    size_t *order = xp__alloc(prior->arms, sizeof *order);
    xp_status status = XP_OK;
    /* What an expert can show grows with his competence: the sharpest component decides. */
    double beta = prior->softmax_beta;
    for (size_t h = 0; prior->reference != NULL && h < prior->reference->count; h++) {
        const double own = prior->softmax_beta * prior->reference->sharpness[h];
        beta = h == 0 || own > beta ? own : beta;
    }
    if (s == NULL || order == NULL) {
        status = xp__no_memory(error);
    } else {
        set_tilt_bound(prior,
                       xp__softmax_support(prior->softmax_weight, prior->arms, beta, s, order) -
                           prior->log_normaliser);
    }
    xp__free(s);
    xp__free(order);
    return status;
}

/* Families of rewards that are not binary have references of their own. */
static bool has_reference(const xp_prior *prior) {
    return xp__params_has(&prior->params, "reference") && xp__reward_binary(&prior->reward);
}

xp_status xp__softmax_prior_refer(xp_prior *prior, xp_error *error) {
    xp__softmax_prior *self = (xp__softmax_prior *)prior;
    bool given = false;
    xp_status status = XP_OK;
    if (has_reference(prior)) {
        status = xp__reference_init(&self->reference, &prior->params, prior->arms, &given, error);
    }
    prior->reference = given ? &self->reference : NULL;
    return status;
}

static xp_status copy_weights(xp_prior *prior, const double *w, xp_error *error) {
    xp__softmax_prior *self = (xp__softmax_prior *)prior;
    self->weight = xp__alloc(prior->arms, sizeof *self->weight);
    if (self->weight == NULL) {
        return xp__no_memory(error);
    }
    memcpy(self->weight, w, prior->arms * sizeof *w);
    return XP_OK;
}

xp_status xp__softmax_prior_set(xp_prior *prior, double beta, const double *w,
                                double log_normaliser, xp_error *error) {
    const xp_status status = copy_weights(prior, w, error);
    if (status != XP_OK) {
        return status;
    }
    prior->softmax_weight = ((xp__softmax_prior *)prior)->weight;
    prior->softmax_beta = beta;
    prior->log_normaliser = log_normaliser;
    return set_bound(prior, error);
}

xp_status xp__best_arm_prior_set(xp_prior *prior, const double *log_weight, xp_error *error) {
    const xp_status status = copy_weights(prior, log_weight, error);
    if (status != XP_OK) {
        return status;
    }
    prior->best_arm_log_weight = ((xp__softmax_prior *)prior)->weight;
    set_tilt_bound(prior, log_weight[xp__argmax(log_weight, prior->arms)]);
    return XP_OK;
}

void xp__softmax_prior_deinit(xp_prior *prior) {
    xp__free(((xp__softmax_prior *)prior)->weight);
}

xp_status xp__softmax_prior_to_json(const xp_prior *prior, json_t *object, xp_error *error) {
    const double *w = ((const xp__softmax_prior *)prior)->weight;
    const bool best = prior->best_arm_log_weight != NULL;
    bool complete = json_object_set_new(object, best ? "best_arm_log_weights" : "softmax_weights",
                                        xp__json_numbers(w, prior->arms)) == 0;
    if (!best) {
        complete = json_object_set_new(object, "log_normaliser",
                                       xp__json_number(prior->log_normaliser)) == 0 &&
                   complete;
    }
    if (complete && prior->reference != NULL) {
        return xp__reference_to_json(prior->reference, object, error);
    }
    return complete ? XP_OK : xp__no_memory(error);
}

static xp_status check_finite(const char *field, const double *w, size_t n, xp_error *error) {
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(w[i]) <= 1e300)) { /* so that sums over arms are finite as well */
            return xp_error_set(error, XP_ERR_INPUT,
                                "field '%s', entry %zu is %g; it must be finite", field, i, w[i]);
        }
    }
    return XP_OK;
}

static xp_status best_arm_from_json(xp_prior *prior, const json_t *object, double *w,
                                    xp_error *error) {
    static const char field[] = "best_arm_log_weights";
    xp_status status = xp__json_read_numbers(object, field, prior->arms, w, error);
    if (status == XP_OK) {
        status = check_finite(field, w, prior->arms, error);
    }
    /* Each arm is best on 1/K of the cube, so the mean of the weights is one. */
    double total = 0;
    for (size_t arm = 0; status == XP_OK && arm < prior->arms; arm++) {
        total += exp(w[arm]) / (double)prior->arms;
    }
    if (status == XP_OK && !(fabs(total - 1) < 1e-6)) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              "field '%s': the density adds up to %g instead of 1", field, total);
    }
    return status == XP_OK ? xp__best_arm_prior_set(prior, w, error) : status;
}

static xp_status softmax_from_json(xp_prior *prior, const json_t *object, double *w,
                                   xp_error *error) {
    double log_normaliser, low = INFINITY, high = -INFINITY;
    xp_status status = xp__json_read_numbers(object, "softmax_weights", prior->arms, w, error);
    if (status == XP_OK) {
        status = check_finite("softmax_weights", w, prior->arms, error);
    }
    if (status == XP_OK) {
        status = xp__json_read_number(object, "log_normaliser", &log_normaliser, error);
    }
    for (size_t arm = 0; status == XP_OK && arm < prior->arms; arm++) {
        low = fmin(low, w[arm]);
        high = fmax(high, w[arm]);
    }
    /* log E exp(w · s) lies between the least and the largest weight. */
    const double slack = 1e-9 * (1 + fabs(low) + fabs(high));
    if (status == XP_OK && !(log_normaliser >= low - slack && log_normaliser <= high + slack)) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              "field 'log_normaliser' is %g; with these weights it must be in "
                              "[%g, %g]",
                              log_normaliser, low, high);
    }
    return status == XP_OK ? xp__softmax_prior_set(prior, xp__params_get(&prior->params, "beta"), w,
                                                   log_normaliser, error)
                           : status;
}

xp_status xp__softmax_prior_from_json(xp_prior *prior, const json_t *object, xp_error *error) {
    double *w = xp__alloc(prior->arms, sizeof *w);
    if (w == NULL) {
        return xp__no_memory(error);
    }
    xp__softmax_prior *self = (xp__softmax_prior *)prior;
    bool given = false;
    xp_status status = XP_OK;
    if (has_reference(prior)) {
        status = xp__reference_from_json(&self->reference, &prior->params, prior->arms, &given,
                                         object, error);
    }
    prior->reference = given ? &self->reference : NULL;
    if (status == XP_OK) {
        status = isinf(xp__params_get(&prior->params, "beta"))
                     ? best_arm_from_json(prior, object, w, error)
                     : softmax_from_json(prior, object, w, error);
    }
    xp__free(w);
    return status;
}

/* Σ_a w_a e_a and Σ_a e_a with e_a = exp(beta (theta_a − max theta)): never overflows. */
static double mean_weight(const xp_prior *prior, double beta, const double *theta, double *sum) {
    const double top = theta[xp__argmax(theta, prior->arms)];
    double weighted = 0, total = 0;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        const double e = exp(beta * (theta[arm] - top));
        weighted += prior->softmax_weight[arm] * e;
        total += e;
    }
    *sum = total;
    return weighted / total;
}

/* log(pi_h Π_a Beta(theta_a; a_h, b_h)) + w · s of each component. */
static void tilted_terms(const xp_prior *prior, const double *theta, double *term) {
    xp__reference_terms(prior->reference, prior->arms, theta, term);
    for (size_t h = 0; h < prior->reference->count; h++) {
        term[h] += xp__prior_tilt(prior, h, theta);
    }
}

double xp__softmax_prior_log_density(const xp_prior *prior, const double *theta) {
    if (prior->reference != NULL) {
        double term[XP__REFERENCE_MAX];
        tilted_terms(prior, theta, term);
        return xp__log_sum_exp(term, prior->reference->count);
    }
    if (prior->best_arm_log_weight != NULL) {
        return prior->best_arm_log_weight[xp__argmax(theta, prior->arms)];
    }
    double sum;
    return mean_weight(prior, prior->softmax_beta, theta, &sum) - prior->log_normaliser;
}

/* Adds share times d/d theta_j of w · s = beta s_j (w_j − w · s). */
static void add_gradient(const xp_prior *prior, double beta, const double *theta, double share,
                         double *gradient) {
    double sum;
    const double mean = mean_weight(prior, beta, theta, &sum);
    const double top = theta[xp__argmax(theta, prior->arms)];
    for (size_t arm = 0; arm < prior->arms; arm++) {
        const double s = exp(beta * (theta[arm] - top)) / sum;
        gradient[arm] += share * (beta * s * (prior->softmax_weight[arm] - mean));
    }
}

static void mixture_gradient(const xp_prior *prior, const double *theta, double *gradient) {
    const xp__reference *reference = prior->reference;
    double share[XP__REFERENCE_MAX];
    tilted_terms(prior, theta, share);
    (void)xp__reference_shares(reference, share);
    xp__reference_gradient(reference, prior->arms, theta, share, gradient);
    for (size_t h = 0; prior->softmax_weight != NULL && h < reference->count; h++) {
        add_gradient(prior, prior->softmax_beta * reference->sharpness[h], theta, share[h],
                     gradient);
    }
}

void xp__softmax_prior_gradient(const xp_prior *prior, const double *theta, double *gradient) {
    if (prior->reference != NULL) {
        mixture_gradient(prior, theta, gradient);
        return;
    }
    memset(gradient, 0, prior->arms * sizeof *gradient);
    if (prior->best_arm_log_weight == NULL) {
        add_gradient(prior, prior->softmax_beta, theta, 1, gradient);
    }
}
