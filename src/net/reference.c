/* reference.c: multilayer perceptron, backpropagation and Adam as in any textbook; see reference.h.
 * Clarity is its only aim. */
#include "net/reference.h"

#include <math.h>
#include <string.h>

typedef struct layers {
    size_t weight1, bias1, weight2, bias2, weight3, bias3, end;
} layers;

static layers layers_of(const xp__reference *net) {
    layers at;
    at.weight1 = 0;
    at.bias1 = at.weight1 + net->hidden * net->inputs;
    at.weight2 = at.bias1 + net->hidden;
    at.bias2 = at.weight2 + net->hidden * net->hidden;
    at.weight3 = at.bias2 + net->hidden;
    at.bias3 = at.weight3 + net->actions * net->hidden;
    at.end = at.bias3 + net->actions;
    return at;
}

size_t xp__reference_count(const xp__reference *net) {
    return layers_of(net).end;
}

/* y[j] = bias[j] + Σ_i weight[j][i] x[i] */
static void affine(size_t outputs, size_t inputs, const double *weight, const double *bias,
                   const double *x, double *y) {
    for (size_t j = 0; j < outputs; j++) {
        y[j] = bias[j];
        for (size_t i = 0; i < inputs; i++) {
            y[j] += weight[j * inputs + i] * x[i];
        }
    }
}

static void rectify(size_t n, double *x) {
    for (size_t i = 0; i < n; i++) {
        x[i] = x[i] > 0 ? x[i] : 0;
    }
}

void xp__reference_forward(const xp__reference *net, size_t rows, const double *x, double *unit,
                           double *q) {
    const layers at = layers_of(net);
    const double *p = net->parameter;
    for (size_t r = 0; r < rows; r++) {
        double *h1 = unit + r * 2 * net->hidden, *h2 = h1 + net->hidden;
        affine(net->hidden, net->inputs, p + at.weight1, p + at.bias1, x + r * net->inputs, h1);
        rectify(net->hidden, h1);
        affine(net->hidden, net->hidden, p + at.weight2, p + at.bias2, h1, h2);
        rectify(net->hidden, h2);
        affine(net->actions, net->hidden, p + at.weight3, p + at.bias3, h2, q + r * net->actions);
    }
}

/* Adds the gradients of an affine layer whose outputs have derivatives dy, and turns them into
 * those of its inputs, if wanted; an input that is a closed unit has none. */
static void affine_backward(size_t outputs, size_t inputs, const double *weight, const double *x,
                            const double *dy, double *dweight, double *dbias, double *dx) {
    if (dx != NULL) {
        memset(dx, 0, inputs * sizeof *dx);
    }
    for (size_t j = 0; j < outputs; j++) {
        dbias[j] += dy[j];
        for (size_t i = 0; i < inputs; i++) {
            dweight[j * inputs + i] += dy[j] * x[i];
            if (dx != NULL && x[i] > 0) {
                dx[i] += dy[j] * weight[j * inputs + i];
            }
        }
    }
}

void xp__reference_backward(xp__reference *net, size_t rows, const double *x, const double *unit,
                            const double *slope) {
    enum { MAX_HIDDEN = 256 };
    const layers at = layers_of(net);
    const double *p = net->parameter;
    double *g = net->gradient, dz1[MAX_HIDDEN], dz2[MAX_HIDDEN];
    memset(g, 0, at.end * sizeof *g);
    for (size_t r = 0; r < rows; r++) {
        const double *h1 = unit + r * 2 * net->hidden, *h2 = h1 + net->hidden;
        affine_backward(net->actions, net->hidden, p + at.weight3, h2, slope + r * net->actions,
                        g + at.weight3, g + at.bias3, dz2);
        affine_backward(net->hidden, net->hidden, p + at.weight2, h1, dz2, g + at.weight2,
                        g + at.bias2, dz1);
        affine_backward(net->hidden, net->inputs, p + at.weight1, x + r * net->inputs, dz1,
                        g + at.weight1, g + at.bias1, NULL);
    }
}

void xp__reference_adam(xp__reference *net) {
    const double t = (double)++net->step;
    const double correction1 = 1 - pow(net->beta1, t), correction2 = 1 - pow(net->beta2, t);
    const size_t count = xp__reference_count(net);
    for (size_t i = 0; i < count; i++) {
        const double g = net->gradient[i];
        net->first[i] = net->beta1 * net->first[i] + (1 - net->beta1) * g;
        net->second[i] = net->beta2 * net->second[i] + (1 - net->beta2) * g * g;
        net->parameter[i] -= net->learning_rate * (net->first[i] / correction1) /
                             (sqrt(net->second[i] / correction2) + net->epsilon);
    }
}
