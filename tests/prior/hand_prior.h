/* hand_prior.h: priors filled in by hand, one of each structure that samplers know, independent of
 * the fitting code. Densities are straight from their formulas. */
#ifndef XP_TESTS_PRIOR_HAND_PRIOR_H
#define XP_TESTS_PRIOR_HAND_PRIOR_H

#include "math/softmax.h"
#include "math/special.h"
#include "prior/bandit/prior_type.h"

#include <math.h>

enum { HAND_ARMS_MAX = 64 };

typedef struct hand_prior {
    xp_prior prior;
    double u[HAND_ARMS_MAX], v[HAND_ARMS_MAX]; /* weights, or shapes, or mean and sd */
} hand_prior;

static inline double hand__best_density(const xp_prior *prior, const double *theta) {
    size_t best = 0;
    for (size_t arm = 1; arm < prior->arms; arm++) {
        best = theta[arm] > theta[best] ? arm : best;
    }
    return ((const hand_prior *)prior)->u[best];
}

static inline void hand__zero_gradient(const xp_prior *prior, const double *theta,
                                       double *gradient) {
    (void)theta;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        gradient[arm] = 0;
    }
}

static inline double hand__softmax_mean(const hand_prior *self, double beta, const double *theta) {
    double sum = 0, weighted = 0;
    for (size_t arm = 0; arm < self->prior.arms; arm++) {
        const double e = exp(beta * theta[arm]);
        sum += e;
        weighted += self->u[arm] * e;
    }
    return weighted / sum;
}

static inline double hand__softmax_density(const xp_prior *prior, const double *theta) {
    const hand_prior *self = (const hand_prior *)prior;
    return hand__softmax_mean(self, self->v[0], theta);
}

static inline void hand__softmax_gradient(const xp_prior *prior, const double *theta,
                                          double *gradient) {
    const hand_prior *self = (const hand_prior *)prior;
    const double beta = self->v[0], mean = hand__softmax_mean(self, beta, theta);
    double sum = 0;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        sum += exp(beta * theta[arm]);
    }
    for (size_t arm = 0; arm < prior->arms; arm++) {
        gradient[arm] = beta * exp(beta * theta[arm]) / sum * (self->u[arm] - mean);
    }
}

static inline double hand__beta_arm(const xp_prior *prior, size_t arm, double x) {
    const double a = prior->beta_a[arm], b = prior->beta_b[arm];
    return (a - 1) * log(x) + (b - 1) * log1p(-x) - xp__log_beta(a, b);
}

static inline double hand__beta_arm_gradient(const xp_prior *prior, size_t arm, double x) {
    return (prior->beta_a[arm] - 1) / x - (prior->beta_b[arm] - 1) / (1 - x);
}

static inline double hand__normal_arm(const xp_prior *prior, size_t arm, double x) {
    const hand_prior *self = (const hand_prior *)prior;
    const double z = (x - self->u[arm]) / self->v[arm];
    return -0.5 * z * z;
}

static inline double hand__normal_arm_gradient(const xp_prior *prior, size_t arm, double x) {
    const hand_prior *self = (const hand_prior *)prior;
    return -(x - self->u[arm]) / (self->v[arm] * self->v[arm]);
}

static inline double hand__arms_density(const xp_prior *prior, const double *theta) {
    double sum = 0;
    for (size_t arm = 0; arm < prior->arms; arm++) {
        sum += prior->type->arm_log_density(prior, arm, theta[arm]);
    }
    return sum;
}

static inline void hand__arms_gradient(const xp_prior *prior, const double *theta,
                                       double *gradient) {
    for (size_t arm = 0; arm < prior->arms; arm++) {
        gradient[arm] = prior->type->arm_gradient(prior, arm, theta[arm]);
    }
}

static const xp__prior_type hand__best_type = {
    .name = "hand_best", .log_density = hand__best_density, .gradient = hand__zero_gradient};
static const xp__prior_type hand__softmax_type = {.name = "hand_softmax",
                                                  .log_density = hand__softmax_density,
                                                  .gradient = hand__softmax_gradient};
static const xp__prior_type hand__beta_type = {.name = "hand_beta",
                                               .log_density = hand__arms_density,
                                               .gradient = hand__arms_gradient,
                                               .arm_log_density = hand__beta_arm,
                                               .arm_gradient = hand__beta_arm_gradient};
static const xp__prior_type hand__normal_type = {.name = "hand_normal",
                                                 .log_density = hand__arms_density,
                                                 .gradient = hand__arms_gradient,
                                                 .arm_log_density = hand__normal_arm,
                                                 .arm_gradient = hand__normal_arm_gradient};

static inline void hand__start(hand_prior *self, const xp__prior_type *type, size_t arms,
                               const double *u, const double *v) {
    *self = (hand_prior){.prior = {.type = type, .arms = arms, .log_density_bound = INFINITY}};
    for (size_t arm = 0; arm < arms; arm++) {
        self->u[arm] = u[arm];
        self->v[arm] = v != NULL ? v[arm] : 0;
    }
}

static inline double hand__largest(const double *value, size_t n) {
    double top = value[0];
    for (size_t i = 1; i < n; i++) {
        top = fmax(top, value[i]);
    }
    return top;
}

/* log μ = w[argmax θ], normalised. */
static inline const xp_prior *hand_best(hand_prior *self, size_t arms, const double *weight) {
    hand__start(self, &hand__best_type, arms, weight, NULL);
    const double log_mean = xp__log_sum_exp(self->u, arms) - log((double)arms);
    for (size_t arm = 0; arm < arms; arm++) {
        self->u[arm] -= log_mean;
    }
    self->prior.best_arm_log_weight = self->u;
    self->prior.log_density_bound = hand__largest(self->u, arms);
    return &self->prior;
}

/* log μ = Σ w_a softmax_a(β θ) + constant: not normalised, which no sampler may need. */
static inline const xp_prior *hand_softmax(hand_prior *self, size_t arms, const double *weight,
                                           double beta) {
    hand__start(self, &hand__softmax_type, arms, weight, NULL);
    self->v[0] = beta;
    self->prior.softmax_weight = self->u;
    self->prior.softmax_beta = beta;
    self->prior.log_density_bound = hand__largest(self->u, arms);
    return &self->prior;
}

/* The softmax prior again, with its structure hidden: samplers see a density and no more. */
static inline const xp_prior *hand_opaque(hand_prior *self, size_t arms, const double *weight,
                                          double beta) {
    (void)hand_softmax(self, arms, weight, beta);
    self->prior.softmax_weight = NULL;
    return &self->prior;
}

/* Independent Beta(a, b) arms. */
static inline const xp_prior *hand_beta(hand_prior *self, size_t arms, const double *a,
                                        const double *b) {
    hand__start(self, &hand__beta_type, arms, a, b);
    self->prior.beta_a = self->u;
    self->prior.beta_b = self->v;
    return &self->prior;
}

/* Independent arms, Normal(mean, sd) cut to [0, 1]; only its density is known to samplers. */
static inline const xp_prior *hand_normal(hand_prior *self, size_t arms, const double *mean,
                                          const double *sd) {
    hand__start(self, &hand__normal_type, arms, mean, sd);
    self->prior.log_density_bound = 0;
    return &self->prior;
}

#endif
