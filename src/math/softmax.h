/* softmax.h: exponentials of differences from the largest number, which cannot overflow. Sums run
 * in the order of the indices. */
#ifndef XP_MATH_SOFTMAX_H
#define XP_MATH_SOFTMAX_H

#include <math.h>
#include <stddef.h>

double xp__log_sum_exp(const double *x, size_t n); /* -inf if n is 0 */

/* Turns log-weights into weights of which the largest is 1, and returns their sum. If all are
 * -INFINITY, all weights and the sum are 0. *largest (may be NULL) is the largest log-weight. */
double xp__exponentiate(double *weight, size_t n, double *largest);

/* p becomes softmax(beta x); beta is finite. */
void xp__softmax(const double *x, size_t n, double beta, double *p);

/* Σ_a exp(beta (q_a − top)) with *top the largest q, over the n ≥ 1 action values of a network. The
 * terms go to `term` unless it is NULL. */
static inline double xp__soft_sum(const float *q, size_t n, double beta, double *term,
                                  double *top) {
    double largest = (double)q[0], sum = 0;
    for (size_t a = 1; a < n; a++) {
        largest = (double)q[a] > largest ? (double)q[a] : largest;
    }
    for (size_t a = 0; a < n; a++) {
        const double e = exp(beta * ((double)q[a] - largest));
        if (term != NULL) {
            term[a] = e;
        }
        sum += e;
    }
    *top = largest;
    return sum;
}

#endif
