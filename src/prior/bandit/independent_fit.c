/* independent_fit.c: the two rules by which a parametric fit ends.
 *
 * rule=penalty: to the maximum of the penalised likelihood, by limited-memory BFGS (Liu & Nocedal,
 * Math. Programming 1989) projected to the box of allowed coordinates. rule=steps: a given number
 * of Adam steps (Kingma & Ba 2015) from the uniform distribution, as the authors do; the number of
 * steps then is the regulariser. */
#include "prior/bandit/independent_fit.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MEMORY = 10, MAX_ITERATIONS = 1000 };
static const double gradient_goal = 1e-7;

typedef struct fitter {
    xp__choice_objective objective;
    size_t n; /* 2K */
    double *x, *low, *high, *g;
    double *x_new, *g_new, *d;
    double *s, *y;      /* MEMORY × n each: steps, and changes of the gradient */
    double rho[MEMORY]; /* 1 / s · y */
    size_t pairs;
} fitter;

static double inner(const double *a, const double *b, size_t n) {
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        total += a[i] * b[i];
    }
    return total;
}

static xp_status fitter_init(fitter *f, const xp_prior *prior, const xp__family *family,
                             double penalty, xp_error *error) {
    const size_t n = 2 * prior->arms;
    *f = (fitter){.n = n};
    const xp_status status = xp__choice_objective_init(
        &f->objective, family, prior->arms, prior->counts, (double)prior->demonstrations,
        xp__params_get(&prior->params, "beta"), penalty, error);
    if (status != XP_OK) {
        return status;
    }
    f->x = xp__alloc((7 + 2 * MEMORY) * n, sizeof(double));
    if (f->x == NULL) {
        return xp__no_memory(error);
    }
    f->low = f->x + n;
    f->high = f->low + n;
    f->g = f->high + n;
    f->x_new = f->g + n;
    f->g_new = f->x_new + n;
    f->d = f->g_new + n;
    f->s = f->d + n;
    f->y = f->s + MEMORY * n;
    for (size_t i = 0; i < n; i++) {
        f->x[i] = family->start[i % 2];
        f->low[i] = family->low[i % 2];
        f->high[i] = family->high[i % 2];
    }
    return XP_OK;
}

static void fitter_deinit(fitter *f) {
    xp__choice_objective_deinit(&f->objective);
    xp__free(f->x);
}

/* True when coordinate i is at a bound and the ascent direction `g` points out of the box. */
static bool blocked(const fitter *f, size_t i, double g) {
    return (f->x[i] <= f->low[i] && g < 0) || (f->x[i] >= f->high[i] && g > 0);
}

/* x <- metric^-1 x, arm by arm, with a ridge against arms that are close to uniform, where the two
 * coordinates of a family may do the same. The likelihood then looks alike in every family. */
static void precondition(const fitter *f, double *x) {
    for (size_t arm = 0; 2 * arm < f->n; arm++) {
        const size_t i = 2 * arm, j = i + 1;
        const bool both = !blocked(f, i, f->g[i]) && !blocked(f, j, f->g[j]);
        const double *m = f->objective.metric + 3 * arm, m01 = both ? m[1] : 0;
        const double ridge = 1e-4 * (m[0] + m[2]) + 1e-12;
        const double m00 = m[0] + ridge, m11 = m[2] + ridge, x0 = x[i], x1 = x[j];
        const double scale = 1 / (m00 * m11 - m01 * m01);
        x[i] = scale * (m11 * x0 - m01 * x1);
        x[j] = scale * (m00 * x1 - m01 * x0);
    }
}

/* d <- the quasi-Newton ascent direction on the coordinates that are free to move. */
static void direction(fitter *f) {
    const size_t n = f->n, kept = f->pairs < MEMORY ? f->pairs : MEMORY;
    double alpha[MEMORY];
    for (size_t i = 0; i < n; i++) {
        f->d[i] = blocked(f, i, f->g[i]) ? 0 : f->g[i];
    }
    for (size_t back = 1; back <= kept; back++) {
        const size_t k = (f->pairs - back) % MEMORY;
        alpha[k] = f->rho[k] * inner(f->s + k * n, f->d, n);
        for (size_t i = 0; i < n; i++) {
            f->d[i] -= alpha[k] * f->y[k * n + i];
        }
    }
    precondition(f, f->d);
    if (kept > 0) { /* the scale at which the metric agrees with the last change of the gradient */
        const size_t k = (f->pairs - 1) % MEMORY;
        memcpy(f->g_new, f->y + k * n, n * sizeof *f->g_new);
        precondition(f, f->g_new);
        const double scale = 1 / (f->rho[k] * inner(f->y + k * n, f->g_new, n));
        for (size_t i = 0; i < n; i++) {
            f->d[i] *= scale;
        }
    }
    for (size_t back = kept; back >= 1; back--) {
        const size_t k = (f->pairs - back) % MEMORY;
        const double beta = f->rho[k] * inner(f->y + k * n, f->d, n);
        for (size_t i = 0; i < n; i++) {
            f->d[i] += f->s[k * n + i] * (alpha[k] - beta);
        }
    }
    for (size_t i = 0; i < n; i++) {
        f->d[i] = blocked(f, i, f->g[i]) ? 0 : f->d[i];
    }
}

/* The longest step that changes no arm much: at most about half a nat between old and new. */
static double longest_step(const fitter *f) {
    double largest = 1;
    for (size_t arm = 0; 2 * arm < f->n; arm++) {
        const double *m = f->objective.metric + 3 * arm, d0 = f->d[2 * arm], d1 = f->d[2 * arm + 1];
        largest = fmax(largest, m[0] * d0 * d0 + 2 * m[1] * d0 * d1 + m[2] * d1 * d1);
    }
    return 1 / sqrt(largest);
}

/* Goes along d, projected to the box, until the value rises enough. */
static bool ascend(fitter *f, double *value) {
    const size_t n = f->n;
    double length = longest_step(f);
    for (int attempt = 0; attempt < 40; attempt++, length *= 0.5) {
        double gain = 0;
        for (size_t i = 0; i < n; i++) {
            f->x_new[i] = fmin(fmax(f->x[i] + length * f->d[i], f->low[i]), f->high[i]);
            gain += f->g[i] * (f->x_new[i] - f->x[i]);
        }
        const double found = xp__choice_objective_value(&f->objective, f->x_new, f->g_new);
        if (found >= *value + 1e-4 * gain && found > *value - 1e-15 * fabs(*value)) {
            *value = found;
            return true;
        }
    }
    return false;
}

/* Remembers the step just taken, and takes it. */
static void accept(fitter *f) {
    const size_t n = f->n, k = f->pairs % MEMORY;
    double *s = f->s + k * n, *y = f->y + k * n;
    for (size_t i = 0; i < n; i++) {
        s[i] = f->x_new[i] - f->x[i];
        y[i] = f->g[i] - f->g_new[i];
    }
    const double curvature = inner(s, y, n);
    if (curvature > 1e-10 * inner(y, y, n)) {
        f->rho[k] = 1 / curvature;
        f->pairs++;
    }
    memcpy(f->x, f->x_new, n * sizeof *f->x);
    memcpy(f->g, f->g_new, n * sizeof *f->g);
}

static void fit_penalised(fitter *f, xp__watch *watch, xp_fit *fit) {
    double first = 0, value = xp__choice_objective_value(&f->objective, f->x, f->g);
    fit->converged = false;
    for (fit->iterations = 0; fit->iterations < MAX_ITERATIONS; fit->iterations++) {
        double largest = 0;
        for (size_t i = 0; i < f->n; i++) {
            largest = blocked(f, i, f->g[i]) ? largest : fmax(largest, fabs(f->g[i]));
        }
        if (largest <= gradient_goal) {
            fit->converged = true;
            return;
        }
        first = first > 0 ? first : largest;
        if (xp__watch_tell(watch, log(first / largest) / log(first / gradient_goal))) {
            return;
        }
        direction(f);
        if (!(inner(f->d, f->g, f->n) > 0) || !ascend(f, &value)) {
            if (f->pairs == 0) {
                fit->converged = largest <= 1e-5; /* no step is large enough to show */
                return;
            }
            f->pairs = 0; /* forget the curvature and try the gradient itself */
            continue;
        }
        accept(f);
    }
}

static void fit_steps(fitter *f, const xp__params *params, const xp__estimator *estimator,
                      xp__watch *watch, xp_fit *fit) {
    const double beta = xp__params_get(params, "beta"),
                 rate = xp__params_get(params, "learning_rate");
    const double given = xp__params_get(params, "steps");
    const size_t steps = !isnan(given) ? (size_t)given : beta <= 2.5 ? 50 : 300;
    double *m = f->s, *v = f->y, power1 = 1, power2 = 1;
    memset(m, 0, f->n * sizeof *m);
    memset(v, 0, f->n * sizeof *v);
    for (size_t step = 0; step < steps; step++) {
        if (xp__watch_tell(watch, (double)step / (double)steps)) {
            return;
        }
        if (estimator != NULL) {
            estimator->gradient(estimator->context, f->x, f->g);
        } else {
            (void)xp__choice_objective_value(&f->objective, f->x, f->g);
        }
        power1 *= 0.9;
        power2 *= 0.999;
        for (size_t i = 0; i < f->n; i++) {
            m[i] = 0.9 * m[i] + 0.1 * f->g[i];
            v[i] = 0.999 * v[i] + 0.001 * f->g[i] * f->g[i];
            const double move = rate * m[i] / (1 - power1) / (sqrt(v[i] / (1 - power2)) + 1e-8);
            f->x[i] = fmin(fmax(f->x[i] + move, f->low[i]), f->high[i]);
        }
    }
    fit->iterations = steps;
    fit->converged = true; /* it did what was asked */
}

/* How far the frequencies are from P in units of sampling noise: their expected divergence from the
 * truth is (K − 1) / (2N), so 1 is a perfect model. */
static double dispersion(const xp_prior *prior, fitter *f) {
    double *frequency = f->x_new;
    xp__prior_frequencies(prior, 0, frequency);
    (void)xp__choice_objective_value(&f->objective, f->x, NULL);
    const double divergence = xp__divergence(frequency, f->objective.probability, prior->arms);
    return 2 * (double)prior->demonstrations * divergence / (double)(prior->arms - 1);
}

/* The likelihood of a model that cannot explain the data (a competence too small for them) is too
 * sure of itself; quasi-likelihood divides it by the dispersion (Wedderburn, Biometrika 1974),
 * which multiplies the penalty. */
static void fit_by_dispersion(const xp_prior *prior, fitter *f, xp__watch *watch, xp_fit *fit) {
    fit_penalised(f, watch, fit);
    const double excess = dispersion(prior, f);
    if (excess > 1) {
        const size_t before = fit->iterations;
        f->objective.penalty *= excess;
        f->pairs = 0;
        fit_penalised(f, watch, fit);
        fit->iterations += before;
    }
}

/* Parameters and the fit's report from the coordinates found. */
static xp_status finish(xp_prior *prior, fitter *f, xp_error *error) {
    const size_t arms = prior->arms;
    (void)xp__choice_objective_value(&f->objective, f->x, NULL);
    prior->fit.log_likelihood = xp__prior_log_likelihood(prior, f->objective.probability);
    double *frequency = f->g, *first = f->x_new, *second = f->x_new + arms;
    xp__prior_frequencies(prior, 0, frequency);
    prior->fit.divergence = xp__divergence(frequency, f->objective.probability, arms);
    for (size_t arm = 0; arm < arms; arm++) {
        double parameter[2], by[2][2];
        f->objective.family->chart(f->x + 2 * arm, parameter, by);
        first[arm] = parameter[0];
        second[arm] = parameter[1];
    }
    return xp__independent_set(prior, f->objective.family, first, second, error);
}

xp_status xp__independent_fit(xp_prior *prior, const xp__family *family,
                              const xp__estimator *estimator, xp_error *error) {
    const bool steps = estimator != NULL || xp__params_get(&prior->params, "rule") != 0;
    const double given = xp__params_get(&prior->params, "penalty");
    fitter f;
    xp_status status = fitter_init(&f, prior, family, !isnan(given) ? given : steps ? 0 : 1, error);
    if (status == XP_OK) {
        if (steps) {
            fit_steps(&f, &prior->params, estimator, &prior->watch, &prior->fit);
        } else if (isnan(given)) {
            fit_by_dispersion(prior, &f, &prior->watch, &prior->fit);
        } else {
            fit_penalised(&f, &prior->watch, &prior->fit);
        }
        status = finish(prior, &f, error);
    }
    fitter_deinit(&f);
    return status;
}
