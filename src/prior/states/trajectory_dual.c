/* trajectory_dual.c: see trajectory_dual.h. Newton's method with a shortened step: minus the dual
 * is convex and self-concordant but for the logarithm of a sum, and its Hessian Cov_mu(m) +
 * diag(lambda p / w²) is positive definite. The start w_j = lambda p_j / E_mu0[m_j] is where mu0
 * itself would be the answer. */
#include "prior/states/trajectory_dual.h"

#include "base/memory.h"
#include "math/cholesky.h"
#include "math/softmax.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 200, MAX_HALVINGS = 60 };
static const double wanted_gap = 1e-12, accepted_gap = 1e-6;

typedef struct solver {
    const xp__trajectory_dual *dual;
    double *w, *expected, *trial, *step; /* J each */
    double *mu;                          /* C */
    double *hessian;                     /* J × J, lower triangle; then its Cholesky factor */
} solver;

/* log (1/C) Σ_c exp(w · m(c)); mu becomes the distribution that belongs to w. */
static double normalise(const solver *self, const double *w) {
    const xp__trajectory_dual *dual = self->dual;
    for (size_t c = 0; c < dual->references; c++) {
        const double *m = dual->scaled + c * dual->trajectories;
        double exponent = 0;
        for (size_t j = 0; j < dual->trajectories; j++) {
            exponent += w[j] * m[j];
        }
        self->mu[c] = exponent;
    }
    double largest;
    const double sum = xp__exponentiate(self->mu, dual->references, &largest);
    for (size_t c = 0; c < dual->references; c++) {
        self->mu[c] /= sum;
    }
    return largest + log(sum / (double)dual->references);
}

/* Minus the dual, which is to fall; INFINITY outside w > 0. */
static double objective(const solver *self, const double *w) {
    double sum = 0;
    for (size_t j = 0; j < self->dual->trajectories; j++) {
        if (!(w[j] > 0)) {
            return INFINITY;
        }
        sum += self->dual->share[j] * log(w[j]);
    }
    return normalise(self, w) - self->dual->lambda * sum;
}

static void expect(const solver *self) {
    const xp__trajectory_dual *dual = self->dual;
    memset(self->expected, 0, dual->trajectories * sizeof *self->expected);
    for (size_t c = 0; c < dual->references; c++) {
        for (size_t j = 0; j < dual->trajectories; j++) {
            self->expected[j] += self->mu[c] * dual->scaled[c * dual->trajectories + j];
        }
    }
}

/* With u_j = w_j E[m_j] / (lambda p_j), primal minus dual is lambda Σ p_j (u_j − 1 − log u_j). */
static double gap(const solver *self) {
    const xp__trajectory_dual *dual = self->dual;
    double sum = 0;
    for (size_t j = 0; j < dual->trajectories; j++) {
        const double excess = self->w[j] * self->expected[j] / (dual->lambda * dual->share[j]) - 1;
        sum += dual->share[j] * (excess - log1p(excess));
    }
    return dual->lambda * sum;
}

static void fill_hessian(const solver *self) {
    const xp__trajectory_dual *dual = self->dual;
    const size_t n = dual->trajectories;
    memset(self->hessian, 0, n * n * sizeof *self->hessian);
    for (size_t c = 0; c < dual->references && !xp__watch_stopped(dual->watch); c++) {
        const double *m = dual->scaled + c * n;
        for (size_t i = 0; i < n; i++) {
            const double weight = self->mu[c] * (m[i] - self->expected[i]);
            for (size_t j = 0; j <= i; j++) {
                self->hessian[i * n + j] += weight * (m[j] - self->expected[j]);
            }
        }
    }
    for (size_t j = 0; j < n; j++) {
        self->hessian[j * n + j] += dual->lambda * dual->share[j] / (self->w[j] * self->w[j]);
    }
}

/* Solves hessian · step = −gradient; the factor takes the Hessian's place. False if rounding made
 * it indefinite, or if it was stopped. */
static bool newton_step(const solver *self) {
    const size_t n = self->dual->trajectories;
    for (size_t i = 0; i < n; i++) {
        if (xp__watch_stopped(self->dual->watch) || !xp__cholesky_row(self->hessian, n, i)) {
            return false;
        }
    }
    for (size_t i = 0; i < n; i++) {
        self->step[i] = self->dual->lambda * self->dual->share[i] / self->w[i] - self->expected[i];
    }
    xp__cholesky_solve(self->hessian, n, self->step);
    return true;
}

/* Goes along the step as far as the objective falls; false if it does not. */
static bool advance(const solver *self, double *value) {
    const size_t n = self->dual->trajectories;
    double length = 1;
    for (int i = 0; i < MAX_HALVINGS && !xp__watch_stopped(self->dual->watch); i++, length /= 2) {
        for (size_t j = 0; j < n; j++) {
            self->trial[j] = self->w[j] + length * self->step[j];
        }
        const double tried = objective(self, self->trial);
        if (tried < *value) {
            memcpy(self->w, self->trial, n * sizeof *self->w);
            *value = tried;
            return true;
        }
    }
    (void)normalise(self, self->w);
    return false;
}

static void iterate(solver *self, xp__trajectory_dual_result *result) {
    const xp__trajectory_dual *dual = self->dual;
    for (size_t c = 0; c < dual->references; c++) {
        self->mu[c] = 1 / (double)dual->references;
    }
    expect(self);
    for (size_t j = 0; j < dual->trajectories; j++) {
        self->w[j] = dual->lambda * dual->share[j] / self->expected[j];
    }
    double value = objective(self, self->w);
    for (result->iterations = 0;; result->iterations++) {
        expect(self);
        result->gap = gap(self) / (1 + fabs(value));
        if (result->gap < wanted_gap || result->iterations == MAX_STEPS) {
            break;
        }
        fill_hessian(self);
        if (!newton_step(self) || !advance(self, &value)) {
            break;
        }
    }
    double squares = 0;
    for (size_t c = 0; c < dual->references; c++) {
        squares += self->mu[c] * self->mu[c];
    }
    result->effective = 1 / squares;
}

xp_status xp__trajectory_dual_solve(const xp__trajectory_dual *dual, double *w, double *expected,
                                    xp__trajectory_dual_result *result, xp_error *error) {
    const size_t n = dual->trajectories;
    solver self = {.dual = dual, .w = w, .expected = expected};
    self.trial = xp__alloc(n, sizeof(double));
    self.step = xp__alloc(n, sizeof(double));
    self.mu = xp__alloc(dual->references, sizeof(double));
    self.hessian = xp__alloc(n, n * sizeof(double));
    xp_status status = XP_OK;
    if (self.trial == NULL || self.step == NULL || self.mu == NULL || self.hessian == NULL) {
        status = xp__no_memory(error);
    } else {
        iterate(&self, result);
        if (!(result->gap < accepted_gap)) {
            status = xp_error_set(error, XP_ERR_NUMERIC,
                                  "the dual over %zu trajectories and %zu reference networks did "
                                  "not converge for lambda = %g: duality gap %g",
                                  n, dual->references, dual->lambda, result->gap);
        }
    }
    xp__free(self.trial);
    xp__free(self.step);
    xp__free(self.mu);
    xp__free(self.hessian);
    return status;
}
