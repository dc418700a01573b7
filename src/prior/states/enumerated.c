/* enumerated.c: see the header.
 *
 * Newton's method in relative coordinates mu_c (1 + x_c), in which the Hessian is
 * Σ_j w_j r_j r_jᵀ + diag(s + mu / lambda) with r_j the posterior of the contexts given trajectory
 * j: bounded, and positive definite by the smoothing. The step keeps Σ mu_c x_c = 0 and is
 * shortened until the objective falls. It starts from one step of expectation maximisation, which
 * is already the answer for lambda = inf where every trajectory belongs to one context.
 *
 * Weights w_j = n_j / (N + C s) and s' = s / (N + C s) add up to one. The gap is that of Frank and
 * Wolfe: F is convex, so F(mu) − min F ≤ max_c (−∇F)_c − Σ_c mu_c (−∇F)_c. F here is the objective
 * divided by lambda. */
#include "prior/states/enumerated.h"

#include "base/memory.h"
#include "math/cholesky.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 100, MAX_HALVINGS = 50 };
static const double wanted_gap = 1e-12, accepted_gap = 1e-8;
/* Near the minimum F is flat within its rounding, and steps are taken on trust until they promise
 * less than least_descent: F falls by half of what a Newton step promises, and the gap is of the
 * order of its root. */
static const double rounding = 4e-15, least_descent = 1e-26;

typedef struct solver {
    const xp__enumerated *problem;
    double total; /* N + C s */
    double per;   /* 1 / lambda */
    double *mu, *trial;
    double *ascent;        /* −∇F, C */
    double *share;         /* Σ_c mu_c m_j(c), trajectories */
    double *posterior;     /* r_j, C */
    double *hessian;       /* C × C, lower triangle; then its Cholesky factor */
    double *step, *normal; /* C: x, and the solution for the constraint */
} solver;

/* F(mu); fills `share`. */
static double objective(solver *self, const double *mu) {
    const xp__enumerated *problem = self->problem;
    double sum = 0;
    for (size_t j = 0; j < problem->trajectories; j++) {
        const double *m = problem->likelihood + j * problem->contexts;
        double share = 0;
        for (size_t c = 0; c < problem->contexts; c++) {
            share += mu[c] * m[c];
        }
        self->share[j] = share;
        sum -= problem->count[j] / self->total * log(share);
    }
    for (size_t c = 0; c < problem->contexts; c++) {
        const double level = log(mu[c]);
        sum -= problem->smoothing / self->total * level;
        sum += self->per > 0 ? self->per * mu[c] * level : 0;
    }
    return sum;
}

/* −∇F from `share`, and the gap. */
static double differentiate(solver *self) {
    const xp__enumerated *problem = self->problem;
    double largest = -INFINITY, mean = 0;
    for (size_t c = 0; c < problem->contexts; c++) {
        self->ascent[c] = problem->smoothing / self->total / self->mu[c];
        self->ascent[c] -= self->per > 0 ? self->per * log(self->mu[c]) : 0;
    }
    for (size_t j = 0; j < problem->trajectories; j++) {
        const double *m = problem->likelihood + j * problem->contexts;
        const double weight = problem->count[j] / self->total / self->share[j];
        for (size_t c = 0; c < problem->contexts; c++) {
            self->ascent[c] += weight * m[c];
        }
    }
    for (size_t c = 0; c < problem->contexts; c++) {
        largest = fmax(largest, self->ascent[c]);
        mean += self->mu[c] * self->ascent[c];
    }
    return fmax(largest - mean, 0) / (1 + self->per);
}

static void fill_hessian(solver *self) {
    const xp__enumerated *problem = self->problem;
    const size_t n = problem->contexts;
    memset(self->hessian, 0, n * n * sizeof *self->hessian);
    for (size_t j = 0; j < problem->trajectories; j++) {
        const double *m = problem->likelihood + j * n;
        for (size_t c = 0; c < n; c++) {
            self->posterior[c] = self->mu[c] * m[c] / self->share[j];
        }
        for (size_t c = 0; c < n; c++) {
            const double weight = problem->count[j] / self->total * self->posterior[c];
            for (size_t d = 0; weight > 0 && d <= c; d++) {
                self->hessian[c * n + d] += weight * self->posterior[d];
            }
        }
    }
    for (size_t c = 0; c < n; c++) {
        self->hessian[c * n + c] += problem->smoothing / self->total + self->per * self->mu[c];
    }
}

/* The Newton step x; returns how fast F falls along it. */
static double newton_step(solver *self) {
    const size_t n = self->problem->contexts;
    fill_hessian(self);
    if (!xp__cholesky(self->hessian, n)) { /* rounding, if ever: the smoothing is on the diagonal */
        memset(self->step, 0, n * sizeof *self->step);
        return 0;
    }
    for (size_t c = 0; c < n; c++) {
        self->step[c] = self->mu[c] * self->ascent[c];
        self->normal[c] = self->mu[c];
    }
    xp__cholesky_solve(self->hessian, n, self->step);
    xp__cholesky_solve(self->hessian, n, self->normal);
    double along = 0, across = 0, descent = 0;
    for (size_t c = 0; c < n; c++) {
        along += self->mu[c] * self->step[c];
        across += self->mu[c] * self->normal[c];
    }
    for (size_t c = 0; c < n; c++) {
        self->step[c] -= along / across * self->normal[c];
        descent += self->mu[c] * self->ascent[c] * self->step[c];
    }
    return descent;
}

/* Goes along the step as far as F falls; false if it does not. `value` is F at mu. */
static bool advance(solver *self, double descent, double *value) {
    const size_t n = self->problem->contexts;
    double length = 1;
    for (size_t c = 0; c < n; c++) { /* stay positive */
        length = self->step[c] < 0 ? fmin(length, -0.9 / self->step[c]) : length;
    }
    for (int halving = 0; halving < MAX_HALVINGS; halving++, length /= 2) {
        double sum = 0;
        for (size_t c = 0; c < n; c++) {
            self->trial[c] = self->mu[c] * (1 + length * self->step[c]);
            sum += self->trial[c];
        }
        for (size_t c = 0; c < n; c++) {
            self->trial[c] /= sum;
        }
        const double next = objective(self, self->trial);
        if (next <= *value - 0.1 * length * descent + rounding * (1 + fabs(*value))) {
            memcpy(self->mu, self->trial, n * sizeof *self->mu);
            *value = next;
            return true;
        }
    }
    *value = objective(self, self->mu);
    return false;
}

/* One step of expectation maximisation from the uniform distribution. */
static void start(solver *self) {
    const size_t n = self->problem->contexts;
    for (size_t c = 0; c < n; c++) {
        self->mu[c] = 1 / (double)n;
    }
    if (self->problem->lambda == 0) {
        return;
    }
    (void)objective(self, self->mu);
    const double per = self->per;
    self->per = 0;
    (void)differentiate(self);
    self->per = per;
    double sum = 0;
    for (size_t c = 0; c < n; c++) {
        self->mu[c] *= self->ascent[c];
        sum += self->mu[c];
    }
    for (size_t c = 0; c < n; c++) {
        self->mu[c] /= sum;
    }
}

static void iterate(solver *self, xp__enumerated_result *result) {
    start(self);
    double value = objective(self, self->mu);
    double gap = differentiate(self);
    double descent = INFINITY;
    while (gap > wanted_gap && descent > least_descent && result->iterations < MAX_STEPS) {
        descent = newton_step(self);
        if (!advance(self, descent, &value)) {
            break;
        }
        gap = differentiate(self);
        result->iterations++;
    }
    result->gap = gap;
}

xp_status xp__enumerated_fit(const xp__enumerated *problem, double *mu,
                             xp__enumerated_result *result, xp_error *error) {
    const size_t n = problem->contexts;
    solver self = {.problem = problem, .mu = mu};
    *result = (xp__enumerated_result){.iterations = 0};
    self.total = problem->smoothing * (double)n;
    for (size_t j = 0; j < problem->trajectories; j++) {
        self.total += problem->count[j];
    }
    self.per = problem->lambda > 0 ? 1 / problem->lambda : 0;
    double *room = xp__alloc(5 * n + problem->trajectories, sizeof *room);
    self.hessian = xp__alloc(n, n * sizeof *self.hessian);
    xp_status status = XP_OK;
    if (room == NULL || self.hessian == NULL) {
        status = xp__no_memory(error);
    } else {
        self.trial = room;
        self.ascent = room + n;
        self.posterior = room + 2 * n;
        self.step = room + 3 * n;
        self.normal = room + 4 * n;
        self.share = room + 5 * n;
        if (problem->lambda > 0) {
            iterate(&self, result);
        } else {
            start(&self);
        }
        if (!(result->gap <= accepted_gap)) {
            status = xp_error_set(error, XP_ERR_NUMERIC,
                                  "the prior over %zu contexts did not converge in %zu steps: "
                                  "duality gap %.3g",
                                  n, result->iterations, result->gap);
        }
    }
    xp__free(room);
    xp__free(self.hessian);
    return status;
}
