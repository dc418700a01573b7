/* lambert.c: the principal branch of Lambert's W, w e^w = x.
 *
 * Near the branch point -1/e the series in sqrt(2 (e x + 1)) (Corless et al., "On the Lambert W
 * function", 1996, eq. 4.22); up to e by Halley's iteration on w e^w - x; above by Newton's on
 * w + log w = log x, which cannot overflow. */
#include "math/special.h"

#include <math.h>

static const double e_high = 2.718281828459045, e_low = 1.4456468917292502e-16;

double xp__lambert_w_exp(double log_x) {
    if (log_x < 1) {
        return xp__lambert_w(exp(log_x));
    }
    if (isinf(log_x)) {
        return log_x;
    }
    double w = log_x - log(log_x) * (1 - 1 / log_x);
    w = fmax(w, 1);
    for (int step = 0; step < 8; step++) {
        const double next = w / (1 + w) * (1 + log_x - log(w));
        const double moved = fabs(next - w);
        w = next;
        if (moved <= 1e-9 * w) { /* quadratic: the step after this one would be below rounding */
            break;
        }
    }
    return w;
}

double xp__lambert_w(double x) {
    if (x > e_high) {
        return xp__lambert_w_exp(log(x));
    }
    /* e x + 1 without the cancellation: the product's rounding error and e's own are kept. */
    const double above = fma(e_high, x, 1) + e_low * x;
    if (!(above >= -0x1p-52)) { /* below the branch point by more than the rounding of 1/e */
        return NAN;
    }
    const double p = sqrt(2 * fmax(above, 0));
    if (p < 0.02) {
        static const double term[] = {-1,
                                      1,
                                      -1.0 / 3,
                                      11.0 / 72,
                                      -43.0 / 540,
                                      769.0 / 17280,
                                      -221.0 / 8505,
                                      680863.0 / 43545600};
        double sum = 0;
        for (int k = 7; k >= 0; k--) {
            sum = sum * p + term[k];
        }
        return sum;
    }
    if (fabs(x) < 1e-8) {
        return x * (1 - x);
    }
    double w = x < 0 ? p * (1 - p / 3 * (1 - 11.0 / 24 * p)) - 1 : log1p(x) * (1 - 0.2 * log1p(x));
    for (int step = 0; step < 12; step++) {
        const double power = exp(w), miss = w * power - x;
        const double change = miss / (power * (w + 1) - (w + 2) * miss / (2 * w + 2));
        w -= change;
        if (fabs(change) <= 1e-6 * fabs(w)) { /* cubic */
            break;
        }
    }
    return w;
}
