/* special.c: the short ones: the normal distribution function and Student's quantile. */
#include "math/special.h"

#include <math.h>

double xp__normal_cdf(double x) {
    return 0.5 * erfc(-0.7071067811865476 * x);
}

double xp__student_95(double degrees) {
    /* If T has Student's law, n / (n + T²) is Beta(n/2, 1/2). */
    const double x = xp__beta_quantile(0.05, degrees / 2, 0.5);
    return sqrt(degrees * (1 - x) / x);
}
