/* beta.c: the beta function, its incomplete version and the inverse of that.
 *
 * Below the mean a/(a+b), I_x(a, b) is the even part of the continued fraction of DLMF 8.17.22
 * (DiDonato and Morris, "Algorithm 708", 1992, eq. 9) by Lentz's algorithm, times
 * x^a (1-x)^b / B(a, b) in the saddle-point form of stirling.h; above it the symmetry
 * I_x(a, b) = 1 - I_{1-x}(b, a) is used. The even part needs a (1-x) - b x where the fraction
 * itself needs 1 - (a+b) x / (a+1), which cancels for large a. The number of terms grows as the
 * square root of max(a, b).
 *
 * The quantile is found by Newton steps on log probability against log x (or log(1-x), whichever is
 * smaller). There F/(x f) has only positive Taylor coefficients, so log F is concave in log x and
 * the steps settle from one side; a bracket guards against rounding. */
#include "math/special.h"

#include "math/stirling.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double xp__log_beta(double a, double b) {
    const double small = fmin(a, b), large = fmax(a, b), sum = a + b;
    if (large < 10) {
        return xp__log_gamma(small) + (xp__log_gamma(large) - xp__log_gamma(sum));
    }
    const double correction = xp__stirling_error(large) - xp__stirling_error(sum);
    if (small < 10) {
        return xp__log_gamma(small) + correction - (large - 0.5) * log1p(small / large) -
               small * (log(sum) - 1);
    }
    return XP__HALF_LOG_TWO_PI - 0.5 * log(large) + correction + xp__stirling_error(small) -
           (small - 0.5) * log1p(large / small) - large * log1p(small / large);
}

/* x^a y^b / B(a, b) with y = 1 - x. */
static double density_factor(double x, double y, double a, double b) {
    const double n = a + b;
    const double exponent = xp__deviance(a, n * x) + xp__deviance(b, n * y) +
                            xp__stirling_error(a) + xp__stirling_error(b) - xp__stirling_error(n);
    return sqrt(a * (b / n) / XP__TWO_PI) * exp(-exponent);
}

/* I_x(a, b) / [x^a y^b / B(a, b)] with y = 1 - x and a y >= b x. The fraction is
 * 1 / (beta_0 + alpha_1 / (beta_1 + alpha_2 / ...)). */
static double fraction(double x, double y, double a, double b) {
    const double lead = a * y - b * x + 1;
    double value = a / (a + 1) * lead, c = value, d = 0, factor = 0;
    for (double n = 1; fabs(factor - 1) > 0x1p-52; n += 1) {
        const double odd = a + 2 * n - 1, drift = n * (b - n) * x / odd;
        const double alpha = (a + n - 1) * (a + b + n - 1) / odd * (drift * x);
        const double beta = n + drift + (a + n) * (lead + n * (1 + y)) / (odd + 2);
        d = 1 / (beta + alpha * d);
        c = beta + alpha / c;
        factor = c * d;
        value *= factor;
    }
    return 1 / value;
}

typedef struct beta_point {
    double lower, upper; /* I_x(a, b) and 1 - I_x(a, b) */
    double weight;       /* x (1-x) times the density */
} beta_point;

/* At x = 1 - y strictly inside (0, 1); both are given so that neither end loses digits. */
static beta_point evaluate(double x, double y, double a, double b) {
    beta_point point = {.weight = density_factor(x, y, a, b)};
    if (a * y >= b * x) {
        point.lower = fmin(1, point.weight * fraction(x, y, a, b));
        point.upper = 1 - point.lower;
    } else {
        point.upper = fmin(1, point.weight * fraction(y, x, b, a));
        point.lower = 1 - point.upper;
    }
    return point;
}

double xp__beta_cdf(double x, double a, double b) {
    if (!(x > 0 && x < 1)) {
        return isnan(x) ? x : x > 0 ? 1 : 0;
    }
    return evaluate(x, 1 - x, a, b).lower;
}

/* The z in (0, 1/2] at which Beta(a, b) has probability `below` under it and `above` over it (they
 * add up to one; both are given so that neither tail loses digits). 0 when it is below DBL_MIN. */
static double quantile_small(double below, double above, double a, double b) {
    const double smallest = log(DBL_MIN);
    double low = smallest, high = log(0.5);
    double t = (log(below) + log(a) + xp__log_beta(a, b)) / a; /* exact as z -> 0 */
    if (t < smallest) {
        return 0;
    }
    t = fmin(t, high);
    for (int step = 0; step < 200; step++) {
        const double z = exp(t);
        const beta_point point = evaluate(z, 1 - z, a, b);
        /* The gap and its slope, from the smaller tail. */
        const bool lower_tail = below <= above;
        const double gap = lower_tail ? log(point.lower / below) : -log(point.upper / above);
        const double slope = point.weight / (1 - z) / (lower_tail ? point.lower : point.upper);
        if (gap > 0) {
            high = t;
        } else {
            low = t;
        }
        double next = t - gap / slope;
        if (!(next >= low && next <= high)) {
            next = 0.5 * (low + high);
        }
        const double moved = fabs(next - t);
        t = next;
        if (moved <= 0x1p-52 * (1 + fabs(t)) || gap == 0) {
            break;
        }
    }
    return exp(t);
}

double xp__beta_quantile(double p, double a, double b) {
    if (!(p > 0 && p < 1)) {
        return isnan(p) ? p : p > 0 ? 1 : 0;
    }
    if (p <= evaluate(0.5, 0.5, a, b).lower) {
        return quantile_small(p, 1 - p, a, b);
    }
    return 1 - quantile_small(1 - p, p, b, a);
}
