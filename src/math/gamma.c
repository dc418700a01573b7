/* gamma.c: log Gamma, digamma and the incomplete gamma function.
 *
 * P(a, x) comes from its power series below x = a + 1 and from Legendre's continued fraction above
 * (Abramowitz and Stegun 6.5.29 and 6.5.31), both times x^a e^-x / Gamma(a+1) in the saddle-point
 * form of stirling.h. */
#define _DEFAULT_SOURCE /* lgamma_r, which keeps the sign out of a global */
#include "math/special.h"

#include "math/stirling.h"

#include <float.h>
#include <math.h>

double xp__log_gamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

double xp__stirling_error(double x) {
    if (x < 10) {
        return xp__log_gamma(x) - (x - 0.5) * log(x) + x - XP__HALF_LOG_TWO_PI;
    }
    /* Bernoulli numbers B_2k / (2k (2k-1)); the first term left out is below 2e-18 at x = 10. */
    static const double term[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                  1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
    const double square = 1 / (x * x);
    double sum = 0;
    for (int k = 7; k >= 0; k--) {
        sum = sum * square + term[k];
    }
    return sum / x;
}

double xp__deviance(double x, double mean) {
    const double difference = x - mean;
    if (fabs(difference) > 0.1 * (x + mean)) {
        const double ratio = x / mean;
        return x * (isinf(ratio) ? log(x) - log(mean) : log(ratio)) - difference;
    }
    /* log(x / mean) = 2 artanh(v); its first term cancels against mean - x by hand. */
    const double v = difference / (x + mean), square = v * v;
    double power = 2 * x * v * square, sum = difference * v, before;
    for (int odd = 3;; odd += 2) {
        before = sum;
        sum += power / odd;
        if (!(sum != before)) {
            return sum;
        }
        power *= square;
    }
}

double xp__digamma(double x) {
    double shift = 0;
    for (; x < 10; x += 1) {
        shift += 1 / x;
    }
    static const double term[] = {-1.0 / 12,  1.0 / 120,     -1.0 / 252, 1.0 / 240,
                                  -5.0 / 660, 691.0 / 32760, -1.0 / 12,  3617.0 / 8160};
    const double square = 1 / (x * x);
    double sum = 0;
    for (int k = 7; k >= 0; k--) {
        sum = (sum + term[k]) * square;
    }
    return log(x) - 0.5 / x + sum - shift;
}

double xp__trigamma(double x) {
    double shift = 0;
    for (; x < 10; x += 1) {
        shift += 1 / (x * x);
    }
    /* Bernoulli numbers B_2k, as in the derivative of the series above. */
    static const double term[] = {1.0 / 6,  -1.0 / 30,       1.0 / 42, -1.0 / 30,
                                  5.0 / 66, -691.0 / 2730.0, 7.0 / 6,  -3617.0 / 510};
    const double square = 1 / (x * x);
    double sum = 0;
    for (int k = 7; k >= 0; k--) {
        sum = (sum + term[k]) * square;
    }
    return 1 / x + 0.5 * square + sum / x + shift;
}

/* P(a, x) / [x^a e^-x / Gamma(a+1)] = 1 + x/(a+1) + x^2/((a+1)(a+2)) + ... */
static double lower_series(double x, double a) {
    double term = 1, sum = 1;
    for (double k = a + 1; term > 0x1p-54 * sum; k += 1) {
        term *= x / k;
        sum += term;
    }
    return sum;
}

/* [1 - P(a, x)] / [x^a e^-x / Gamma(a)] by the modified Lentz algorithm. */
static double upper_fraction(double x, double a) {
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, value = d, factor = 0;
    for (double k = 1; fabs(factor - 1) > 0x1p-52; k += 1) {
        const double numerator = k * (a - k);
        b += 2;
        d = numerator * d + b;
        d = 1 / (d != 0 ? d : DBL_MIN);
        c = b + numerator / c;
        c = c != 0 ? c : DBL_MIN;
        factor = c * d;
        value *= factor;
    }
    return value;
}

/* P(a, x) and 1 - P(a, x); the smaller one is accurate relative to itself. */
static void gamma_tails(double x, double a, double *lower, double *upper) {
    if (!(x > 0)) {
        *lower = isnan(x) ? x : 0;
        *upper = 1 - *lower;
        return;
    }
    if (isinf(x)) {
        *lower = 1;
        *upper = 0;
        return;
    }
    const double density = sqrt(a / XP__TWO_PI) * exp(-xp__deviance(a, x) - xp__stirling_error(a));
    if (x < a + 1) {
        *lower = fmin(1, density / a * lower_series(x, a));
        *upper = 1 - *lower;
    } else {
        *upper = fmin(1, density * upper_fraction(x, a));
        *lower = 1 - *upper;
    }
}

double xp__gamma_cdf(double x, double shape) {
    double lower, upper;
    gamma_tails(x, shape, &lower, &upper);
    return lower;
}

double xp__chi_square_survival(double statistic, double degrees) {
    double lower, upper;
    gamma_tails(0.5 * statistic, 0.5 * degrees, &lower, &upper);
    return upper;
}
