/* softmax.c: see softmax.h. */
#include "math/softmax.h"

#include "math/argmax.h"

#include <string.h>

double xp__log_sum_exp(const double *x, size_t n) {
    double largest = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) {
            return x[i];
        }
        largest = fmax(largest, x[i]);
    }
    if (isinf(largest)) {
        return largest; /* nothing but zeros, or an infinite term */
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += exp(x[i] - largest);
    }
    return largest + log(sum);
}

double xp__exponentiate(double *weight, size_t n, double *largest) {
    double top = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        top = fmax(top, weight[i]); /* passes over NAN */
    }
    if (largest != NULL) {
        *largest = top;
    }
    if (top == -INFINITY) {
        memset(weight, 0, n * sizeof *weight);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        weight[i] = exp(weight[i] - top);
        sum += weight[i];
    }
    return sum;
}

void xp__softmax(const double *x, size_t n, double beta, double *p) {
    const double top = x[xp__argmax(x, n)];
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        p[i] = exp(beta * (x[i] - top));
        total += p[i];
    }
    for (size_t i = 0; i < n; i++) {
        p[i] /= total;
    }
}
