/* softmax_policy.c: see softmax_policy.h. */
#include "prior/mixture/softmax_policy.h"

#include "base/memory.h"
#include "math/cholesky.h"

#include <math.h>
#include <string.h>

enum {
    MOST_INPUTS = 32,
    MOST_WEIGHTS = 256, /* actions × features */
    MOST_CURVED = 64,   /* with more features than the inputs and a constant */
    MOST_FEATURES = MOST_INPUTS + MOST_CURVED + 1,
    MOST_STEPS = 20000, /* of all demonstrations that are used */
};

static size_t width_of(size_t inputs, xp__bends bends) {
    const size_t squares = bends >= XP__BENDS_SQUARES ? inputs : 0;
    const size_t products = bends >= XP__BENDS_PRODUCTS ? inputs * (inputs + 1) / 2 : 0;
    return inputs + squares + products + 1;
}

bool xp__softmax_policy_fits(const xp__encoded_demos *demos) {
    const size_t inputs = demos->input.inputs;
    return inputs <= MOST_INPUTS && demos->actions * width_of(inputs, 0) <= MOST_WEIGHTS;
}

xp__bends xp__softmax_policy_most_bends(const xp__encoded_demos *demos) {
    xp__bends most = XP__BENDS_PRODUCTS;
    while (most > XP__BENDS_NONE &&
           demos->actions * width_of(demos->input.inputs, most) > MOST_CURVED) {
        most--;
    }
    return most;
}

size_t xp__softmax_policy_weights(const xp__encoded_demos *demos, xp__bends bends) {
    return demos->actions * width_of(demos->input.inputs, bends);
}

static const float *inputs_of(const xp__encoded_demos *demos, size_t row) {
    return (const float *)(const void *)(demos->rows.rows + row * demos->input.row_bytes);
}

static void features(const xp__softmax_policy *self, const float *inputs, double *x) {
    double *z = x;
    for (size_t i = 0; i < self->inputs; i++) {
        *x++ = ((double)inputs[i] - self->mean[i]) * self->scale[i];
    }
    for (size_t i = 0; i < self->inputs && self->bends >= XP__BENDS_SQUARES; i++) {
        *x++ = z[i] * fabs(z[i]);
    }
    for (size_t i = 0; i < self->inputs && self->bends >= XP__BENDS_PRODUCTS; i++) {
        for (size_t j = 0; j <= i; j++) {
            *x++ = z[i] * z[j];
        }
    }
    *x = 1;
}

static void measure(xp__softmax_policy *self) {
    const size_t rows = self->demos->rows.count;
    for (size_t i = 0; i < self->inputs; i++) {
        double sum = 0, squares = 0;
        for (size_t row = 0; row < rows; row++) {
            sum += (double)inputs_of(self->demos, row)[i];
        }
        self->mean[i] = sum / (double)rows;
        for (size_t row = 0; row < rows; row++) {
            const double away = (double)inputs_of(self->demos, row)[i] - self->mean[i];
            squares += away * away;
        }
        self->scale[i] = squares > 0 ? 1 / sqrt(squares / (double)rows) : 0;
    }
}

static size_t stride_of(const xp__encoded_demos *demos) {
    return 1 + (demos->start[demos->trajectories] - 1) / MOST_STEPS;
}

bool xp__softmax_policy_init(xp__softmax_policy *policy, const xp__encoded_demos *demos) {
    const size_t stride = stride_of(demos), trajectories = demos->trajectories;
    const size_t inputs = demos->input.inputs, steps = demos->start[trajectories];
    const xp__bends most = xp__softmax_policy_most_bends(demos);
    const size_t weights = xp__softmax_policy_weights(demos, most);
    const size_t room = steps / stride + trajectories;
    *policy = (xp__softmax_policy){.demos = demos, .actions = demos->actions, .inputs = inputs};
    policy->first = xp__alloc(trajectories + 1, sizeof policy->first[0]);
    policy->action = xp__alloc(room, sizeof policy->action[0]);
    policy->x = xp__alloc(room * width_of(inputs, most), sizeof(double));
    policy->mean = xp__alloc(2 * inputs, sizeof(double));
    policy->gradient = xp__alloc((2 + weights) * weights, sizeof(double));
    if (policy->first == NULL || policy->action == NULL || policy->x == NULL ||
        policy->mean == NULL || policy->gradient == NULL) {
        return false;
    }
    policy->scale = policy->mean + inputs;
    policy->trial = policy->gradient + weights;
    policy->hessian = policy->trial + weights;
    size_t used = 0;
    for (size_t t = 0; t < trajectories; t++) {
        policy->first[t] = used;
        for (size_t step = demos->start[t]; step < demos->start[t + 1]; step += stride) {
            policy->action[used++] = demos->action[step];
        }
    }
    policy->first[trajectories] = used;
    measure(policy);
    xp__softmax_policy_use(policy, XP__BENDS_NONE, 1);
    return true;
}

void xp__softmax_policy_deinit(xp__softmax_policy *policy) {
    xp__free(policy->first);
    xp__free(policy->action);
    xp__free(policy->x);
    xp__free(policy->mean);
    xp__free(policy->gradient);
    *policy = (xp__softmax_policy){.demos = NULL};
}

void xp__softmax_policy_use(xp__softmax_policy *policy, xp__bends bends, double ridge) {
    const xp__encoded_demos *demos = policy->demos;
    const xp__bends most = xp__softmax_policy_most_bends(demos);
    policy->bends = bends < most ? bends : most;
    policy->width = width_of(policy->inputs, policy->bends);
    policy->weights = policy->actions * policy->width;
    policy->ridge = ridge;
    const size_t stride = stride_of(demos);
    for (size_t t = 0; t < demos->trajectories; t++) {
        const size_t first = policy->first[t];
        for (size_t i = 0; first + i < policy->first[t + 1]; i++) {
            features(policy, inputs_of(demos, demos->row[demos->start[t] + i * stride]),
                     policy->x + (first + i) * policy->width);
        }
    }
}

/* Probabilities of actions at x; returns the log-probability of one. */
static double prefer(const xp__softmax_policy *self, const double *w, const double *x,
                     size_t action, double *p) {
    double most = -INFINITY, sum = 0;
    for (size_t a = 0; a < self->actions; a++) {
        p[a] = 0;
        for (size_t i = 0; i < self->width; i++) {
            p[a] += w[a * self->width + i] * x[i];
        }
        most = fmax(most, p[a]);
    }
    const double own = p[action] - most;
    for (size_t a = 0; a < self->actions; a++) {
        p[a] = exp(p[a] - most);
        sum += p[a];
    }
    for (size_t a = 0; a < self->actions; a++) {
        p[a] /= sum;
    }
    return own - log(sum);
}

uint32_t xp__softmax_policy_best(const xp__softmax_policy *policy, const double *w, size_t row) {
    double x[MOST_FEATURES], p[MOST_WEIGHTS];
    size_t best = 0;
    features(policy, inputs_of(policy->demos, row), x);
    (void)prefer(policy, w, x, 0, p);
    for (size_t a = 1; a < policy->actions; a++) {
        best = p[a] > p[best] ? a : best;
    }
    return (uint32_t)best;
}

double xp__softmax_policy_log_likelihood(const xp__softmax_policy *policy, const double *w,
                                         size_t t) {
    double p[MOST_WEIGHTS], sum = 0;
    for (size_t i = policy->first[t]; i < policy->first[t + 1]; i++) {
        sum += prefer(policy, w, policy->x + i * policy->width, policy->action[i], p);
    }
    return sum;
}

size_t xp__softmax_policy_steps(const xp__softmax_policy *policy, size_t t) {
    return policy->first[t + 1] - policy->first[t];
}

/* What the ridge takes off. */
static double penalty(const xp__softmax_policy *self, const double *w, const double *centre) {
    double sum = 0;
    for (size_t i = 0; i < self->weights; i++) {
        const double away = w[i] - (centre != NULL ? centre[i] : 0);
        sum += 0.5 * self->ridge * away * away;
    }
    return sum;
}

/* What counts for no more than this is left out. */
static const double negligible = 1e-9;

static double penalised(const xp__softmax_policy *self, const double *w, const double *centre,
                        const double *by) {
    double sum = -penalty(self, w, centre);
    for (size_t t = 0; t < self->demos->trajectories; t++) {
        sum += by[t] > negligible ? by[t] * xp__softmax_policy_log_likelihood(self, w, t) : 0;
    }
    return sum;
}

static void add_step(xp__softmax_policy *self, const double *x, const double *p, size_t action,
                     double by) {
    const size_t width = self->width, n = self->weights;
    for (size_t a = 0; a < self->actions; a++) {
        const double slope = by * ((a == action ? 1 : 0) - p[a]);
        for (size_t i = 0; i < width; i++) {
            self->gradient[a * width + i] += slope * x[i];
        }
        for (size_t b = 0; b <= a; b++) {
            const double curve = by * p[a] * ((a == b ? 1 : 0) - p[b]);
            for (size_t i = 0; i < width && curve != 0; i++) {
                double *row = self->hessian + (a * width + i) * n + b * width;
                for (size_t j = 0; j < width; j++) {
                    row[j] += curve * x[i] * x[j];
                }
            }
        }
    }
}

/* Fills gradient and hessian; returns the penalised log-likelihood. */
static double differentiate(xp__softmax_policy *self, const double *w, const double *centre,
                            const double *by) {
    const size_t n = self->weights;
    double p[MOST_WEIGHTS], sum = -penalty(self, w, centre);
    memset(self->hessian, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        self->gradient[i] = -self->ridge * (w[i] - (centre != NULL ? centre[i] : 0));
        self->hessian[i * n + i] = self->ridge;
    }
    for (size_t t = 0; t < self->demos->trajectories; t++) {
        double own = 0;
        for (size_t i = self->first[t]; by[t] > negligible && i < self->first[t + 1]; i++) {
            const double *x = self->x + i * self->width;
            own += prefer(self, w, x, self->action[i], p);
            add_step(self, x, p, self->action[i], by[t]);
        }
        sum += by[t] > negligible ? by[t] * own : 0;
    }
    return sum;
}

void xp__softmax_policy_newton(xp__softmax_policy *policy, double *w, const double *centre,
                               const double *by) {
    const size_t n = policy->weights;
    const double before = differentiate(policy, w, centre, by);
    if (!xp__cholesky(policy->hessian, n)) {
        return;
    }
    xp__cholesky_solve(policy->hessian, n, policy->gradient);
    for (double step = 1; step > 1e-3; step *= 0.5) {
        for (size_t i = 0; i < n; i++) {
            policy->trial[i] = w[i] + step * policy->gradient[i];
        }
        if (penalised(policy, policy->trial, centre, by) >= before) {
            memcpy(w, policy->trial, n * sizeof *w);
            return;
        }
    }
}
