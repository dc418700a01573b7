/* The pooling of segments: against quadrature over the overall frequencies and over κ, against fits
 * that leave a choice out, and in its limits. */
#include "claim.h"

#include "experior/rng.h"
#include "math/special.h"
#include "prior/pooling/pooling.h"

#include <math.h>
#include <string.h>

static xp__pooling fitted(const xp__segment_counts *counts) {
    xp__pooling pooling;
    xp_error error;
    EXPECT(xp__pooling_init(&pooling, counts, &error) == XP_OK);
    return pooling;
}

/* Dirichlet-multinomial log likelihood of two-armed segments at (κ, q), up to binomials. */
static double likelihood(const xp__segment_counts *counts, double strength, double q) {
    double sum = 0;
    for (size_t s = 0; s < counts->segments; s++) {
        const double a = counts->n[2 * s], b = counts->n[2 * s + 1];
        sum += isinf(strength) ? a * log(q) + b * log1p(-q)
                               : xp__log_beta(strength * q + a, strength * (1 - q) + b) -
                                     xp__log_beta(strength * q, strength * (1 - q));
    }
    return sum;
}

/* log ∫ Beta(q; α, α) L(q) dq and the mean of q, by the trapezoidal rule over the logit of q, which
 * is accurate to rounding for such integrands. */
static double integrate(const xp__segment_counts *counts, double strength, double alpha,
                        double *mean) {
    enum { POINTS = 4000 };
    if (isinf(alpha)) { /* the frequencies are known to be even */
        *mean = 0.5;
        return likelihood(counts, strength, 0.5);
    }
    double sum = 0, first = 0;
    for (int i = 0; i < POINTS; i++) {
        const double x = -30 + 60 * (i + 0.5) / POINTS, q = 1 / (1 + exp(-x));
        const double term = exp(likelihood(counts, strength, q) + alpha * (log(q) - log1p(exp(x))) -
                                xp__log_beta(alpha, alpha)) *
                            60 / POINTS;
        sum += term;
        first += term * q;
    }
    *mean = first / sum;
    return log(sum);
}

static const double two_armed[] = {7, 3, 2, 9, 5, 6, 11, 2};
static const xp__segment_counts small = {.segments = 4, .arms = 2, .n = two_armed};

CLAIM(the_evidence_and_the_overall_frequencies_are_those_of_quadrature) {
    xp__pooling pooling = fitted(&small);
    for (size_t g = 0; g < pooling.rungs; g++) {
        double mean;
        const double exact = integrate(&small, pooling.strength[g], pooling.alpha[g], &mean);
        EXPECT_NEAR(pooling.evidence[g] - exact, 0, 0.06); /* Laplace */
        EXPECT_NEAR(pooling.overall[g * 2], mean, 0.01);
        EXPECT_NEAR(pooling.overall[g * 2] + pooling.overall[g * 2 + 1], 1, 1e-12);
    }
    xp__pooling_deinit(&pooling);
}

/* The prior of κ on an even grid of log κ, with a rung more for ∞. */
static double prior_of(double strength) {
    const double share = isinf(strength) ? 3e5 / (3e5 + 20) : strength / (strength + 20);
    return sqrt(share * (1 - share));
}

CLAIM(expected_frequencies_are_those_of_quadrature_over_all_that_is_unknown) {
    xp__pooling pooling = fitted(&small);
    double weights = 0, mean[4] = {0}, prior = 0;
    for (size_t g = 0; g < pooling.rungs; g++) {
        prior += isinf(pooling.alpha[g]) ? 0 : prior_of(pooling.strength[g]);
    }
    for (size_t g = 0; g < pooling.rungs; g++) {
        double q;
        const double strength = pooling.strength[g];
        const double alpha = pooling.alpha[g]; /* which is infinite with a chance of 0.05 */
        const double weight = exp(integrate(&small, strength, alpha, &q)) *
                              (isinf(alpha) ? 0.05 : 0.95 * prior_of(strength) / prior);
        weights += weight;
        for (size_t s = 0; s < 4; s++) {
            const double n = small.n[2 * s], total = n + small.n[2 * s + 1];
            mean[s] += weight * (isinf(strength) ? q : (n + strength * q) / (total + strength));
        }
    }
    for (size_t s = 0; s < 4; s++) {
        double p[2];
        (void)xp__pooling_segment(&pooling, small.n + 2 * s, p);
        EXPECT_NEAR(p[0], mean[s] / weights, 0.005);
    }
    xp__pooling_deinit(&pooling);
}

CLAIM(leaving_a_choice_out_is_as_fitting_without_it) {
    double n[] = {7, 3, 0, 2, 9, 1, 5, 6, 0, 11, 2, 4};
    const xp__segment_counts all = {.segments = 4, .arms = 3, .n = n};
    xp__pooling pooling = fitted(&all);
    const xp__left_out got = xp__pooling_left_out(&pooling, &all);
    xp__left_out wanted = {0};
    double total = 0;
    for (size_t i = 0; i < 12; i++) {
        if (n[i] > 0) {
            double p[3];
            n[i] -= 1;
            xp__pooling other = fitted(&all);
            (void)xp__pooling_segment(&other, n + i / 3 * 3, p);
            wanted.estimated += (n[i] + 1) * log(p[i % 3]);
            xp__pooling_none(n + i / 3 * 3, 3, p);
            wanted.none += (n[i] + 1) * log(p[i % 3]);
            xp__pooling_full(&all, p);
            wanted.full += (n[i] + 1) * log(p[i % 3]);
            xp__pooling_deinit(&other);
            n[i] += 1;
            total += n[i];
        }
    }
    EXPECT_NEAR(got.none, wanted.none / total, 1e-12);
    EXPECT_NEAR(got.full, wanted.full / total, 1e-12);
    EXPECT_NEAR(got.estimated, wanted.estimated / total, 0.005);
    xp__pooling_deinit(&pooling);
}

CLAIM(segments_that_agree_are_pooled_and_segments_that_differ_are_not) {
    double alike[40], apart[40], p[2];
    for (size_t s = 0; s < 20; s++) {
        alike[2 * s] = 300;
        alike[2 * s + 1] = 100;
        apart[2 * s] = s % 2 == 0 ? 390 : 10;
        apart[2 * s + 1] = 400 - apart[2 * s];
    }
    xp__pooling one = fitted(&(xp__segment_counts){.segments = 20, .arms = 2, .n = alike});
    xp__pooling many = fitted(&(xp__segment_counts){.segments = 20, .arms = 2, .n = apart});
    EXPECT(xp__pooling_segment(&one, alike, p) < 0.1);
    EXPECT(xp__pooling_quantile(&one, 0.5) > 10000);
    EXPECT(xp__pooling_segment(&many, apart, p) > 0.98);
    EXPECT(xp__pooling_quantile(&many, 0.5) < 5);
    EXPECT_NEAR(p[0], 390 / 400.0, 0.005);
    const double nothing[] = {0, 0}; /* a segment without choices has the overall frequencies */
    EXPECT(xp__pooling_segment(&one, nothing, p) == 0);
    EXPECT_NEAR(p[0], 0.75, 0.001);
    xp__pooling_deinit(&one);
    xp__pooling_deinit(&many);
}

CLAIM(frequencies_are_positive_and_add_up_to_one_whatever_the_counts) {
    enum { SEGMENTS = 30, ARMS = 7 };
    double n[SEGMENTS * ARMS], p[ARMS];
    xp_rng rng = xp_rng_seed(5);
    for (size_t trial = 0; trial < 6; trial++) {
        for (size_t i = 0; i < SEGMENTS * ARMS; i++) {
            const double u = xp_rng_uniform(&rng);
            n[i] = u < 0.5 ? 0 : exp(30 * (u - 0.6)); /* to 160,000; also below 1 */
        }
        memset(n, 0, trial * ARMS * sizeof *n);
        const xp__segment_counts counts = {.segments = SEGMENTS, .arms = ARMS, .n = n};
        xp__pooling pooling = fitted(&counts);
        for (size_t s = 0; s < SEGMENTS; s++) {
            double sum = 0;
            const double own = xp__pooling_segment(&pooling, n + s * ARMS, p);
            EXPECT(own >= 0 && own <= 1);
            for (size_t arm = 0; arm < ARMS; arm++) {
                EXPECT(p[arm] > 0);
                sum += p[arm];
            }
            EXPECT_NEAR(sum, 1, 1e-12);
        }
        const xp__left_out left = xp__pooling_left_out(&pooling, &counts);
        EXPECT(isfinite(left.none) && isfinite(left.full) && isfinite(left.estimated));
        xp__pooling_deinit(&pooling);
    }
}
