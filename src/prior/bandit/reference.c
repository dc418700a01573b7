/* reference.c: see the header.
 *
 * The learned reference is the uniform one with weight 0.95 and a grid of scales that share the
 * rest: means from 0.0003 to 0.4, each with shape 1 and 4. The grid was chosen on seeds other than
 * those of any reported result (docs/method/prior.md). High rates are left out: about an arm that
 * was never tried the uniform reference is usefully pessimistic. */
#include "prior/bandit/reference.h"

#include "base/memory.h"
#include "math/softmax.h"
#include "math/special.h"

#include <math.h>

enum { UNIFORM, BETA, LEARNED };

static const double uniform_share = 0.95;
static const double grid_means[] = {0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4};
static const double grid_shapes[] = {1, 4};
enum {
    MEANS = sizeof grid_means / sizeof grid_means[0],
    SHAPES = sizeof grid_shapes / sizeof grid_shapes[0]
};

static void add(xp__reference *reference, double weight, double a, double b) {
    const size_t h = reference->count++;
    reference->weight[h] = weight;
    reference->a[h] = a;
    reference->b[h] = b;
}

static double spread(double a, double b) {
    return sqrt(a * b / (a + b + 1)) / (a + b);
}

/* What follows from the components. */
static void complete(xp__reference *reference, const xp__params *params, size_t arms) {
    const bool relative = xp__params_has(params, "unit") && xp__params_get(params, "unit") == 1;
    for (size_t h = 0; h < reference->count; h++) {
        const double a = reference->a[h], b = reference->b[h];
        reference->sharpness[h] = relative ? spread(1, 1) / spread(a, b) : 1;
        reference->constant[h] = log(reference->weight[h]) - (double)arms * xp__log_beta(a, b);
    }
}

static xp_status init_beta(xp__reference *reference, const xp__params *params, xp_error *error) {
    const double mean = xp__params_get(params, "mean");
    if (isnan(mean)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s.reference = beta needs the base rate: give mean", params->owner);
    }
    const double least = fmax(1, mean / (1 - mean)), asked = xp__params_get(params, "shape");
    const double shape = isnan(asked) ? least : asked;
    if (shape < least) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%s.shape = %g is too small for mean = %g: the reference would be "
                            "unbounded at 1; it must be at least %g",
                            params->owner, shape, mean, least);
    }
    add(reference, 1, shape, fmax(1, shape * (1 - mean) / mean));
    return XP_OK;
}

xp_status xp__reference_init(xp__reference *reference, const xp__params *params, size_t arms,
                             bool *given, xp_error *error) {
    const int kind = (int)xp__params_get(params, "reference");
    const double mean = xp__params_get(params, "mean"), shape = xp__params_get(params, "shape");
    *given = kind != UNIFORM;
    reference->count = 0;
    if (kind != BETA && !(isnan(mean) && isnan(shape))) {
        return xp_error_set(
            error, XP_ERR_INPUT, "%s.%s = %g describes reference = beta, which was not asked for",
            params->owner, isnan(mean) ? "shape" : "mean", isnan(mean) ? shape : mean);
    }
    xp_status status = XP_OK;
    if (kind == BETA) {
        status = init_beta(reference, params, error);
    } else if (kind == LEARNED) {
        add(reference, uniform_share, 1, 1);
        for (size_t i = 0; i < MEANS * SHAPES; i++) {
            const double m = grid_means[i / SHAPES], a = grid_shapes[i % SHAPES];
            add(reference, (1 - uniform_share) / (MEANS * SHAPES), a, a * (1 - m) / m);
        }
    }
    if (status == XP_OK) {
        complete(reference, params, arms);
    }
    return status;
}

static const char field[] = "reference";

xp_status xp__reference_to_json(const xp__reference *reference, json_t *object, xp_error *error) {
    json_t *own = json_object();
    const bool whole =
        own != NULL &&
        json_object_set_new(own, "components", json_integer((json_int_t)reference->count)) == 0 &&
        json_object_set_new(own, "weights",
                            xp__json_numbers(reference->weight, reference->count)) == 0 &&
        json_object_set_new(own, "a", xp__json_numbers(reference->a, reference->count)) == 0 &&
        json_object_set_new(own, "b", xp__json_numbers(reference->b, reference->count)) == 0;
    if (!whole) {
        json_decref(own);
        return xp__no_memory(error);
    }
    return json_object_set_new(object, field, own) == 0 ? XP_OK : xp__no_memory(error);
}

static xp_status check(const xp__reference *reference, xp_error *error) {
    double total = 0;
    for (size_t h = 0; h < reference->count; h++) {
        const double weight = reference->weight[h], a = reference->a[h], b = reference->b[h];
        if (!(weight > 0) || !(a >= 1 && a <= 1e12) || !(b >= 1 && b <= 1e12)) {
            return xp_error_set(
                error, XP_ERR_INPUT,
                "field 'reference', component %zu has weight %g, a = %g and b = %g; "
                "weights are positive, a and b at least 1",
                h, weight, a, b);
        }
        total += weight;
    }
    if (!(fabs(total - 1) < 1e-9)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "field 'reference' has weights that add up to %g, not 1", total);
    }
    return XP_OK;
}

/* A base rate is known twice: as parameters and as components. */
static xp_status check_beta(const xp__reference *reference, const xp__reference *named,
                            xp_error *error) {
    if (reference->count != 1 || fabs(reference->a[0] - named->a[0]) > 1e-9 * named->a[0] ||
        fabs(reference->b[0] - named->b[0]) > 1e-9 * named->b[0]) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "field 'reference' is not the Beta(%g, %g) that parameters 'mean' and "
                            "'shape' name",
                            named->a[0], named->b[0]);
    }
    return XP_OK;
}

xp_status xp__reference_from_json(xp__reference *reference, const xp__params *params, size_t arms,
                                  bool *given, const json_t *object, xp_error *error) {
    xp__reference named = {.count = 0};
    const json_t *own;
    uint64_t count = 0;
    xp_status status = xp__reference_init(&named, params, arms, given, error);
    if (status != XP_OK || !*given) {
        return status;
    }
    status = xp__json_read_field(object, field, &own, error);
    if (status == XP_OK) {
        status = xp__json_read_whole(own, "components", 1, XP__REFERENCE_MAX, &count, error);
    }
    reference->count = (size_t)count;
    if (status == XP_OK) {
        status = xp__json_read_numbers(own, "weights", count, reference->weight, error);
    }
    if (status == XP_OK) {
        status = xp__json_read_numbers(own, "a", count, reference->a, error);
    }
    if (status == XP_OK) {
        status = xp__json_read_numbers(own, "b", count, reference->b, error);
    }
    if (status == XP_OK) {
        status = check(reference, error);
    }
    if (status == XP_OK && xp__params_get(params, "reference") == BETA) {
        status = check_beta(reference, &named, error);
    }
    if (status == XP_OK) {
        complete(reference, params, arms);
    }
    return status;
}

/* (power) log x, also where x and the power are both zero. */
static double log_power(double power, double log_x) {
    return power > 0 ? power * log_x : 0;
}

void xp__reference_terms(const xp__reference *reference, size_t arms, const double *theta,
                         double *term) {
    double log_x = 0, log_y = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        log_x += log(theta[arm]);
        log_y += log1p(-theta[arm]);
    }
    for (size_t h = 0; h < reference->count; h++) {
        term[h] = reference->constant[h] + log_power(reference->a[h] - 1, log_x) +
                  log_power(reference->b[h] - 1, log_y);
    }
}

double xp__reference_shares(const xp__reference *reference, double *term) {
    const double total = xp__log_sum_exp(term, reference->count);
    for (size_t h = 0; h < reference->count; h++) {
        term[h] = total > -INFINITY ? exp(term[h] - total) : reference->weight[h];
    }
    return total;
}

void xp__reference_gradient(const xp__reference *reference, size_t arms, const double *theta,
                            const double *share, double *gradient) {
    double up = 0, down = 0;
    for (size_t h = 0; h < reference->count; h++) {
        up += share[h] * (reference->a[h] - 1);
        down += share[h] * (reference->b[h] - 1);
    }
    for (size_t arm = 0; arm < arms; arm++) {
        gradient[arm] = (up > 0 ? up / theta[arm] : 0) - (down > 0 ? down / (1 - theta[arm]) : 0);
    }
}

double xp__reference_bound(const xp__reference *reference, size_t arms) {
    double bound[XP__REFERENCE_MAX];
    for (size_t h = 0; h < reference->count; h++) {
        const double a = reference->a[h] - 1, b = reference->b[h] - 1;
        const double mode = a + b > 0 ? a / (a + b) : 0.5;
        bound[h] = reference->constant[h] +
                   (double)arms * (log_power(a, log(mode)) + log_power(b, log1p(-mode)));
    }
    return xp__log_sum_exp(bound, reference->count);
}

void xp__reference_evidence(const xp__reference *reference, size_t arms, const double *successes,
                            const double *failures, double *weight) {
    for (size_t h = 0; h < reference->count; h++) {
        const double a = reference->a[h], b = reference->b[h], none = xp__log_beta(a, b);
        weight[h] = log(reference->weight[h]);
        for (size_t arm = 0; arm < arms; arm++) {
            if (successes[arm] + failures[arm] > 0) {
                weight[h] += xp__log_beta(a + successes[arm], b + failures[arm]) - none;
            }
        }
    }
    (void)xp__reference_shares(reference, weight);
}
