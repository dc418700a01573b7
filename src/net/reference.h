/* reference.h: the plain algorithm that the ensemble is compared with: one network, dense inputs,
 * textbook loops in double. Parameters are one vector, ordered as in xp__net_get. */
#ifndef XP_NET_REFERENCE_H
#define XP_NET_REFERENCE_H

#include <stddef.h>

typedef struct xp__reference {
    size_t inputs, hidden, actions;
    double learning_rate, beta1, beta2, epsilon;
    size_t step;
    /* [count] each, the caller's. */
    double *parameter, *first, *second, *gradient;
} xp__reference;

/* With the constants of Adam that the library uses; arrays [4][count] are all 0 to begin with. */
static inline xp__reference xp__reference_over(double *arrays, size_t count, size_t inputs,
                                               size_t hidden, size_t actions) {
    return (xp__reference){.inputs = inputs,
                           .hidden = hidden,
                           .actions = actions,
                           .learning_rate = 1e-3,
                           .beta1 = 0.9,
                           .beta2 = 0.999,
                           .epsilon = 1e-8,
                           .parameter = arrays,
                           .first = arrays + count,
                           .second = arrays + 2 * count,
                           .gradient = arrays + 3 * count};
}

size_t xp__reference_count(const xp__reference *net);
/* q[rows][actions] for x[rows][inputs]. `unit` [rows][2][hidden] receives the hidden units. */
void xp__reference_forward(const xp__reference *net, size_t rows, const double *x, double *unit,
                           double *q);
/* The gradient for slope[rows][actions] = dLoss/dQ, after a forward pass. */
void xp__reference_backward(xp__reference *net, size_t rows, const double *x, const double *unit,
                            const double *slope);
/* One step of Adam with the gradient. */
void xp__reference_adam(xp__reference *net);

#endif
