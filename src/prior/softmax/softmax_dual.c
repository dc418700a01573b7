/* softmax_dual.c: Newton's method on D(v), and the search for lambda.
 *
 * D is concave with gradient p_a / (1 + k v_a) − E_v[s_a] and Hessian −Cov_v[s] − diag(k p_a /
 * (1 + k v_a)²), where k = 1 / lambda (k = 0 is exact matching). Steps keep 1 + k v positive, raise
 * D, and are shortened while fewer than a quarter of the points would carry the weight; then the
 * points are refreshed, which changes the discrete problem slightly, and Newton goes on. */
#include "prior/softmax/softmax_dual.h"

#include "base/memory.h"
#include "math/cholesky.h"
#include "prior/bandit/prior_type.h"
#include "prior/softmax/softmax_hull.h"

#include <math.h>
#include <string.h>

static const double gap_goal = 1e-11;     /* relative */
static const double least_inverse = 1e-9; /* 1 / lambda beyond which no lambda is looked for */
enum { MAX_NEWTON = 200, MAX_REFRESHES = 200, MAX_LAMBDA_STEPS = 60 };

typedef struct dual {
    xp__softmax_points *points;
    const double *p;
    size_t arms;
    double k;                                     /* 1 / lambda */
    double *v, *gradient, *step, *trial, *factor; /* K, K, K, K, K × K */
    double *panel;                                /* XP__CHOLESKY_PANEL × K: scratch */
    size_t iterations;
    double gap;
    double epsilon, first; /* for the watch: the divergence asked for (0: lambda is given), and the
                              divergence or the gap at the start */
} dual;

static xp_status dual_init(dual *d, xp__softmax_points *points, const double *p, double *v,
                           xp_error *error) {
    const size_t arms = points->arms;
    *d = (dual){.points = points, .p = p, .arms = arms, .v = v};
    points->sweeps = arms > XP__MANY_ARMS ? 1 : XP__SWEEPS;
    d->gradient = xp__alloc(3 * arms + arms * arms + XP__CHOLESKY_PANEL * arms, sizeof(double));
    if (d->gradient == NULL) {
        return xp__no_memory(error);
    }
    d->step = d->gradient + arms;
    d->trial = d->step + arms;
    d->factor = d->trial + arms;
    d->panel = d->factor + arms * arms;
    return XP_OK;
}

/* D at v, for which the points are weighed. */
static double dual_value(const dual *d, const double *v) {
    double value = -d->points->log_normaliser;
    for (size_t a = 0; a < d->arms; a++) {
        value += d->p[a] * (d->k > 0 ? log1p(d->k * v[a]) / d->k : v[a]);
    }
    return value;
}

/* Primal minus dual value at d->v. In exact matching the primal is finite only where E[s] = p; what
 * is left over is v · (E[s] − p). */
static double duality_gap(const dual *d) {
    double gap = 0;
    for (size_t a = 0; a < d->arms; a++) {
        const double mean = d->points->mean[a], p = d->p[a];
        if (d->k > 0) {
            const double excess = (mean - p + d->k * d->v[a] * mean) / p; /* t − 1 */
            gap += p * (excess - log1p(excess)) / d->k;
        } else {
            gap += d->v[a] * (mean - p);
        }
    }
    return fabs(gap);
}

/* Cholesky factor of Cov + diag + ridge; false if it is not positive definite. */
static bool factorise(dual *d, double ridge) {
    const size_t n = d->arms;
    for (size_t i = 0; i < n; i++) {
        const double scale = 1 + d->k * d->v[i];
        for (size_t j = 0; j <= i; j++) {
            double value = d->points->spread[i * n + j];
            if (i == j) {
                value += d->k * d->p[i] / (scale * scale) + ridge;
            }
            if (d->k == 0) { /* the direction 1 changes nothing: any curvature will do */
                value += 1 / (double)(n * n);
            }
            d->factor[i * n + j] = value;
        }
    }
    return xp__cholesky_panels(d->factor, n, d->panel);
}

/* Gradient and factor at d->v; grows a ridge until the factor exists. */
static void differentiate(dual *d) {
    xp__softmax_points_covariance(d->points);
    double trace = 0;
    for (size_t a = 0; a < d->arms; a++) {
        d->gradient[a] = d->p[a] / (1 + d->k * d->v[a]) - d->points->mean[a];
        trace += d->points->spread[a * d->arms + a];
    }
    double ridge = 0;
    while (!factorise(d, ridge) && !xp__watch_stopped(d->points->watch)) {
        ridge = ridge > 0 ? 10 * ridge : 1e-14 * (trace + 1e-300) + 1e-300;
    }
}

/* The longest step that keeps 1 + k v above a tenth of what it is. */
static double longest_step(const dual *d) {
    double longest = 1;
    for (size_t a = 0; a < d->arms; a++) {
        const double room = 0.9 * (1 + d->k * d->v[a]), change = -d->k * d->step[a];
        if (change * longest > room) {
            longest = room / change;
        }
    }
    return longest;
}

/* Goes from d->v along d->step. False if no step raises D: rounding is all that is left. */
static bool line_search(dual *d, double slope) {
    const double start = dual_value(d, d->v);
    const double noise = 1e-14 * (1 + fabs(start));
    bool crowded = false;
    double length = longest_step(d);
    for (int attempt = 0; attempt < 60; attempt++) {
        for (size_t a = 0; a < d->arms; a++) {
            d->trial[a] = d->v[a] + length * d->step[a];
        }
        xp__softmax_points_weigh(d->points, d->trial);
        if (!xp__softmax_points_effective(d->points)) {
            crowded = true;
            length *= 0.7;
        } else if (!(dual_value(d, d->trial) >= start + 1e-4 * length * slope - noise)) {
            length *= 0.5;
        } else {
            memcpy(d->v, d->trial, d->arms * sizeof *d->v);
            if (crowded) {
                xp__softmax_points_refresh(d->points, d->v);
            }
            return true;
        }
    }
    xp__softmax_points_weigh(d->points, d->v);
    return false;
}

/* Tells how much is done, on the logarithmic scale on which both rules go down about evenly. */
static bool told_to_stop(dual *d) {
    const double now =
        d->epsilon > 0 ? xp__divergence(d->p, d->points->mean, d->arms) : fmax(d->gap, gap_goal);
    d->first = d->first > 0 ? d->first : now;
    return xp__watch_tell(d->points->watch,
                          log(d->first / now) /
                              log(d->first / (d->epsilon > 0 ? d->epsilon : gap_goal)));
}

/* Newton for d->k from d->v, at which the points must be weighed and effective. */
static bool newton(dual *d) {
    for (int step = 0; step < MAX_NEWTON && d->points->refreshes < MAX_REFRESHES; step++) {
        differentiate(d);
        d->gap = duality_gap(d) / (1 + fabs(dual_value(d, d->v)));
        if (told_to_stop(d)) {
            return false;
        }
        memcpy(d->step, d->gradient, d->arms * sizeof *d->step);
        xp__cholesky_solve(d->factor, d->arms, d->step);
        double slope = 0;
        for (size_t a = 0; a < d->arms; a++) {
            slope += d->gradient[a] * d->step[a];
        }
        if (d->gap <= gap_goal && slope <= gap_goal * (1 + fabs(dual_value(d, d->v)))) {
            return true;
        }
        d->iterations++;
        if (!line_search(d, slope)) {
            return d->gap <= 1e-8;
        }
    }
    return false;
}

/* True if the points at hand are as good as they get; otherwise makes them so, and what was solved
 * must be solved again. */
static bool settled(dual *d) {
    if (d->points->sweeps == XP__SWEEPS) {
        return true;
    }
    d->points->sweeps = XP__SWEEPS;
    xp__softmax_points_refresh(d->points, d->v);
    return false;
}

static void report(const dual *d, bool converged, xp__dual_result *result) {
    *result = (xp__dual_result){.iterations = d->iterations,
                                .converged = converged,
                                .lambda = 1 / d->k,
                                .divergence = xp__divergence(d->p, d->points->mean, d->arms),
                                .gap = d->gap};
}

static xp_status not_solved(const dual *d, xp_error *error) {
    return xp_error_set(error, XP_ERR_NUMERIC,
                        "the maximum-entropy problem was not solved: beta = %g, lambda = %g, KL = "
                        "%g reached in %zu steps",
                        d->points->beta, 1 / d->k, xp__divergence(d->p, d->points->mean, d->arms),
                        d->iterations);
}

xp_status xp__softmax_dual_solve(xp__softmax_points *points, const double *p, double lambda,
                                 double *v, xp__dual_result *result, xp_error *error) {
    dual d;
    xp_status status = dual_init(&d, points, p, v, error);
    if (status == XP_OK && isinf(lambda)) {
        status = xp__softmax_hull_check(p, points->arms, points->beta, 0, error);
    }
    if (status == XP_OK) {
        d.k = 1 / lambda;
        const bool converged =
            xp__softmax_points_follow(points, v) && newton(&d) && (settled(&d) || newton(&d));
        report(&d, converged, result);
        status = converged ? XP_OK : not_solved(&d, error);
    }
    xp__free(d.gradient);
    return status;
}

/* d log KL / d log k at the solution, by the implicit function theorem: dv/dk = −H^-1 (p v / (1 +
 * k v)²), dE[s] = Cov dv. Leaves dv/dk in d->step. */
static double divergence_slope(dual *d, double divergence) {
    double slope = 0;
    for (size_t a = 0; a < d->arms; a++) {
        const double scale = 1 + d->k * d->v[a];
        d->step[a] = -d->p[a] * d->v[a] / (scale * scale);
    }
    xp__cholesky_solve(d->factor, d->arms, d->step);
    for (size_t a = 0; a < d->arms; a++) {
        double change = 0;
        for (size_t b = 0; b < d->arms; b++) {
            change += d->points->spread[a * d->arms + b] * d->step[b];
        }
        slope -= d->p[a] / d->points->mean[a] * change;
    }
    return slope * d->k / divergence;
}

/* Takes d to 1 / lambda = k along the tangent; where that would leave 1 + k v > 0, scales v so that
 * it stays as it is. */
static bool change_lambda(dual *d, double k) {
    bool inside = true;
    for (size_t a = 0; a < d->arms; a++) {
        d->trial[a] = d->v[a] + d->step[a] * (k - d->k);
        inside = inside && 1 + k * d->trial[a] > 0.1 * (1 + d->k * d->v[a]);
    }
    for (size_t a = 0; a < d->arms; a++) {
        d->v[a] = inside ? d->trial[a] : k > d->k ? d->v[a] * (d->k / k) : d->v[a];
    }
    d->k = k;
    return xp__softmax_points_follow(d->points, d->v);
}

/* Newton on log KL against log(1 / lambda), along which it rises, kept inside a bracket. The
 * bracket holds for one set of points only. */
static bool solve_lambda(dual *d, double epsilon) {
    double low = -INFINITY, high = INFINITY;
    size_t refreshes = d->points->refreshes;
    for (int step = 0; step < MAX_LAMBDA_STEPS && d->k >= least_inverse; step++) {
        if (!newton(d)) {
            return false;
        }
        const double divergence = xp__divergence(d->p, d->points->mean, d->arms);
        const double miss = log(divergence / epsilon), place = log(d->k);
        if (fabs(miss) < 1e-8) {
            if (settled(d)) {
                return true;
            }
            continue;
        }
        if (refreshes != d->points->refreshes) {
            refreshes = d->points->refreshes;
            low = -INFINITY;
            high = INFINITY;
        }
        low = miss < 0 ? place : low;
        high = miss < 0 ? high : place;
        const double slope = divergence_slope(d, divergence);
        const double change = slope > 0 ? -miss / slope : -miss;
        double next = place + fmax(-2, fmin(2, change));
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        if (!change_lambda(d, exp(next))) {
            return false;
        }
    }
    return false;
}

xp_status xp__softmax_dual_solve_epsilon(xp__softmax_points *points, const double *p,
                                         double epsilon, double *v, xp__dual_result *result,
                                         xp_error *error) {
    dual d;
    xp_status status = dual_init(&d, points, p, v, error);
    if (status != XP_OK) {
        return status;
    }
    memset(v, 0, points->arms * sizeof *v);
    (void)xp__softmax_points_follow(points, v); /* where it starts */
    const double divergence = xp__divergence(p, points->mean, points->arms);
    if (divergence <= epsilon) {
        *result = (xp__dual_result){.converged = true, .lambda = 0, .divergence = divergence};
    } else {
        status = xp__softmax_hull_check(p, points->arms, points->beta, epsilon, error);
        if (status == XP_OK) {
            d.epsilon = epsilon;
            d.k = 0.1 * sqrt(2 * epsilon); /* near the solution, v is of order 10 */
            const bool converged = solve_lambda(&d, epsilon);
            report(&d, converged, result);
            status = converged ? XP_OK : not_solved(&d, error);
        }
    }
    xp__free(d.gradient);
    return status;
}
