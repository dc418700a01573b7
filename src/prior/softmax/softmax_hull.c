/* softmax_hull.c: the nearest reachable frequencies, by conditional gradients (Frank & Wolfe, Nav.
 * Res. Logist. Q. 1956).
 *
 * The gradient of KL(p || m) is −p / m, and its best corner of the cube is found by sorting
 * (xp__softmax_support). Every iterate gives a lower bound as well: for any m' in the hull, Σ p log
 * (m' / m) <= log Σ p m' / m <= log max_s Σ p s / m, by Jensen. So "there is none" is a proof. */
#include "prior/softmax/softmax_hull.h"

#include "base/memory.h"
#include "prior/bandit/prior_type.h"
#include "prior/softmax/softmax_density.h"

#include <math.h>

enum { MAX_STEPS = 20000 };

/* The t in [0, 1] with the largest Σ p log(m + t d): its derivative falls, so bisection finds it.
 */
static double best_share(const double *p, const double *m, const double *d, size_t arms) {
    double low = 0, high = 1;
    for (int halving = 0; halving < 48; halving++) {
        const double t = 0.5 * (low + high);
        double slope = 0;
        for (size_t a = 0; a < arms; a++) {
            slope += p[a] * d[a] / (m[a] + t * d[a]);
        }
        *(slope > 0 ? &low : &high) = t;
    }
    return 0.5 * (low + high);
}

xp_status xp__softmax_hull_nearest(const double *p, size_t arms, double beta, double enough,
                                   double tolerance, double *m, double *divergence, double *bound,
                                   xp_error *error) {
    double *w = xp__alloc(2 * arms, sizeof *w), *s = w != NULL ? w + arms : NULL;
    size_t *order = xp__alloc(arms, sizeof *order);
    if (w == NULL || order == NULL) {
        xp__free(w);
        xp__free(order);
        return xp__no_memory(error);
    }
    for (size_t a = 0; a < arms; a++) {
        m[a] = 1 / (double)arms; /* the corner theta = 1 */
    }
    *bound = 0;
    for (int step = 0; step < MAX_STEPS; step++) {
        *divergence = xp__divergence(p, m, arms);
        for (size_t a = 0; a < arms; a++) {
            w[a] = p[a] / m[a];
        }
        const double excess = log(xp__softmax_support(w, arms, beta, s, order));
        *bound = fmax(*bound, *divergence - excess);
        if (*divergence <= enough || excess <= tolerance * *divergence) {
            break;
        }
        for (size_t a = 0; a < arms; a++) {
            s[a] -= m[a];
        }
        const double share = best_share(p, m, s, arms);
        for (size_t a = 0; a < arms; a++) {
            m[a] += share * s[a];
        }
    }
    xp__free(w);
    xp__free(order);
    return XP_OK;
}

xp_status xp__softmax_hull_check(const double *p, size_t arms, double beta, double epsilon,
                                 xp_error *error) {
    double *m = xp__alloc(arms, sizeof *m);
    if (m == NULL) {
        return xp__no_memory(error);
    }
    double divergence, bound;
    const double enough = fmax(epsilon, 1e-10);
    xp_status status =
        xp__softmax_hull_nearest(p, arms, beta, enough, 1e-3, m, &divergence, &bound, error);
    if (status == XP_OK && bound > enough) {
        status = xp_error_set(error, XP_ERR_NUMERIC,
                              "max_entropy.beta = %g is too small for these demonstrations: no "
                              "prior comes closer to their frequencies than KL = %.4g nats, and "
                              "%.4g is asked for",
                              beta, divergence, epsilon);
    }
    xp__free(m);
    return status;
}
