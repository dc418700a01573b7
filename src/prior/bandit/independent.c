/* independent.c: densities and files of priors with independent arms; see the header. */
#include "prior/bandit/independent.h"

#include "base/memory.h"

#include <math.h>

/* c · T, where a zero c takes no part: T may be infinite at the ends. */
static double exponent(const double c[2], const double t[2]) {
    return (c[0] != 0 ? c[0] * t[0] : 0) + (c[1] != 0 ? c[1] * t[1] : 0);
}

double xp__independent_arm_log_density(const xp_prior *prior, size_t arm, double x) {
    const xp__independent_prior *self = (const xp__independent_prior *)prior;
    if (!(x >= 0 && x <= 1)) {
        return -INFINITY;
    }
    double t[2];
    self->family->statistics(x, log(x), log1p(-x), t);
    return exponent((double[2]){self->c[0][arm], self->c[1][arm]}, t) - self->log_normaliser[arm];
}

double xp__independent_arm_gradient(const xp_prior *prior, size_t arm, double x) {
    const xp__independent_prior *self = (const xp__independent_prior *)prior;
    double t[2];
    self->family->slopes(x, t);
    return exponent((double[2]){self->c[0][arm], self->c[1][arm]}, t);
}

double xp__independent_log_density(const xp_prior *prior, const double *theta) {
    double sum = 0;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        sum += xp__independent_arm_log_density(prior, arm, theta[arm]);
    }
    return sum;
}

void xp__independent_gradient(const xp_prior *prior, const double *theta, double *gradient) {
    for (size_t arm = 0; arm < prior->arms; arm++) {
        gradient[arm] = xp__independent_arm_gradient(prior, arm, theta[arm]);
    }
}

xp_status xp__independent_set(xp_prior *prior, const xp__family *family, const double *first,
                              const double *second, xp_error *error) {
    xp__independent_prior *self = (xp__independent_prior *)prior;
    const size_t arms = prior->arms;
    self->family = family;
    self->parameter[0] = xp__alloc(5 * arms, sizeof(double));
    if (self->parameter[0] == NULL) {
        return xp__no_memory(error);
    }
    self->parameter[1] = self->parameter[0] + arms;
    self->c[0] = self->parameter[1] + arms;
    self->c[1] = self->c[0] + arms;
    self->log_normaliser = self->c[1] + arms;
    prior->log_density_bound = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        const double parameter[2] = {first[arm], second[arm]};
        double c[2];
        family->natural(parameter, c);
        for (size_t i = 0; i < 2; i++) {
            self->parameter[i][arm] = parameter[i];
            self->c[i][arm] = c[i];
        }
        self->log_normaliser[arm] = family->log_normaliser(parameter);
        const double mode = family->mode(parameter);
        prior->log_density_bound +=
            isnan(mode) ? INFINITY : xp__independent_arm_log_density(prior, arm, mode);
    }
    return XP_OK;
}

void xp__independent_deinit(xp_prior *prior) {
    xp__free(((xp__independent_prior *)prior)->parameter[0]);
}

xp_status xp__independent_to_json(const xp_prior *prior, json_t *object, xp_error *error) {
    const xp__independent_prior *self = (const xp__independent_prior *)prior;
    bool complete = true;
    for (size_t i = 0; i < 2; i++) {
        complete = json_object_set_new(object, self->family->name[i],
                                       xp__json_numbers(self->parameter[i], prior->arms)) == 0 &&
                   complete;
    }
    return complete ? XP_OK : xp__no_memory(error);
}

xp_status xp__independent_from_json(xp_prior *prior, const xp__family *family, const json_t *object,
                                    xp_error *error) {
    const size_t arms = prior->arms;
    double *value = xp__alloc(2 * arms, sizeof *value);
    xp_status status = value != NULL ? XP_OK : xp__no_memory(error);
    for (size_t i = 0; i < 2 && status == XP_OK; i++) {
        status = xp__json_read_numbers(object, family->name[i], arms, value + i * arms, error);
        for (size_t arm = 0; status == XP_OK && arm < arms; arm++) {
            const double x = value[i * arms + arm];
            if (!(fabs(x) <= 1e6) || (family->positive[i] && !(x > 0))) {
                status =
                    xp_error_set(error, XP_ERR_INPUT, "field '%s', entry %zu is %g; it must be %s",
                                 family->name[i], arm, x,
                                 family->positive[i] ? "in (0, 1e6]" : "in [-1e6, 1e6]");
            }
        }
    }
    if (status == XP_OK) {
        status = xp__independent_set(prior, family, value, value + arms, error);
    }
    for (size_t arm = 0; status == XP_OK && arm < arms; arm++) {
        const xp__independent_prior *self = (const xp__independent_prior *)prior;
        if (!isfinite(self->log_normaliser[arm]) || !isfinite(self->c[0][arm]) ||
            !isfinite(self->c[1][arm])) {
            status =
                xp_error_set(error, XP_ERR_INPUT,
                             "fields '%s' and '%s', entry %zu are %g and %g; no density on "
                             "[0, 1] can be computed from these",
                             family->name[0], family->name[1], arm, value[arm], value[arms + arm]);
        }
    }
    xp__free(value);
    return status;
}
