/* special.c: the short ones: the normal distribution function and log-sum-exp. */
#include "math/special.h"

#include <math.h>

double xp__normal_cdf(double x) {
    return 0.5 * erfc(-0.7071067811865476 * x);
}

double xp__log_sum_exp(const double *x, unsigned long n) {
    double largest = -INFINITY;
    for (unsigned long i = 0; i < n; i++) {
        if (isnan(x[i])) {
            return x[i];
        }
        largest = fmax(largest, x[i]);
    }
    if (isinf(largest)) {
        return largest; /* nothing but zeros, or an infinite term */
    }
    double sum = 0;
    for (unsigned long i = 0; i < n; i++) {
        sum += exp(x[i] - largest);
    }
    return largest + log(sum);
}

double xp__student_95(double degrees) {
    /* If T has Student's law, n / (n + T²) is Beta(n/2, 1/2). */
    const double x = xp__beta_quantile(0.05, degrees / 2, 0.5);
    return sqrt(degrees * (1 - x) / x);
}
