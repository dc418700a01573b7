/* score_estimator.c: ∇ log P(a) = E[s_a(theta) ∇ log f(theta)] / E[s_a(theta)], both expectations
 * over the same draws of theta from the current prior. The ratio has a bias of order 1 / samples.
 */
#include "prior/bandit/score_estimator.h"

#include "base/memory.h"
#include "math/argmax.h"
#include "math/softmax.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

xp_status xp__score_estimator_init(xp__score_estimator *estimator, size_t arms, size_t samples,
                                   xp_error *error) {
    estimator->arms = arms;
    estimator->samples = samples;
    estimator->theta = xp__alloc(2 * samples * arms + 3 * arms, sizeof(double));
    if (estimator->theta == NULL) {
        return xp__no_memory(error);
    }
    estimator->s = estimator->theta + samples * arms;
    estimator->probability = estimator->s + samples * arms;
    estimator->mean = estimator->probability + arms;
    return XP_OK;
}

void xp__score_estimator_deinit(xp__score_estimator *estimator) {
    xp__free(estimator->theta);
}

/* s <- softmax(beta theta); at beta = inf the indicator of the best arm. */
static void choice(const double *theta, size_t arms, double beta, double *s) {
    if (isinf(beta)) {
        memset(s, 0, arms * sizeof *s);
        s[xp__argmax(theta, arms)] = 1;
    } else {
        xp__softmax(theta, arms, beta, s);
    }
}

void xp__score_gradient(void *context, const double *coordinate, double *gradient) {
    xp__score_estimator *e = context;
    const size_t arms = e->arms;
    memset(e->probability, 0, arms * sizeof *e->probability);
    for (size_t i = 0; i < e->samples; i++) {
        double *theta = e->theta + i * arms, *s = e->s + i * arms;
        for (size_t a = 0; a < arms; a++) {
            const double x =
                xp_rng_beta(e->rng, exp(coordinate[2 * a]), exp(coordinate[2 * a + 1]));
            theta[a] = fmin(fmax(x, 1e-300), 1 - 0x1p-53); /* a draw may round to an end */
        }
        choice(theta, arms, e->beta, s);
        for (size_t a = 0; a < arms; a++) {
            e->probability[a] += s[a] / (double)e->samples;
        }
    }
    for (size_t a = 0; a < arms; a++) {
        const double first = exp(coordinate[2 * a]), second = exp(coordinate[2 * a + 1]);
        e->mean[2 * a] = xp__digamma(first) - xp__digamma(first + second);
        e->mean[2 * a + 1] = xp__digamma(second) - xp__digamma(first + second);
    }
    memset(gradient, 0, 2 * arms * sizeof *gradient);
    for (size_t i = 0; i < e->samples; i++) {
        const double *theta = e->theta + i * arms, *s = e->s + i * arms;
        double weight = 0;
        for (size_t a = 0; a < arms; a++) {
            weight += s[a] > 0 ? (double)e->counts[a] / e->demonstrations * s[a] /
                                     ((double)e->samples * e->probability[a])
                               : 0;
        }
        for (size_t a = 0; a < arms; a++) {
            gradient[2 * a] += weight * (log(theta[a]) - e->mean[2 * a]);
            gradient[2 * a + 1] += weight * (log1p(-theta[a]) - e->mean[2 * a + 1]);
        }
    }
    for (size_t i = 0; i < 2 * arms; i++) {
        gradient[i] *= exp(coordinate[i]);
    }
}
