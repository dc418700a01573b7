/* mixture_chain.c: a Markov chain over (component, means) for a prior with a reference: experts of
 * finite competence on a scale of rewards that is learned. Also for optimal ones, as a check of
 * mixture.c.
 *
 * Given the component h the posterior is the density with respect to the reference, exp(w · s),
 * times independent Beta(a_h + s, b_h + f) arms. The moves are those of mcmc.c with the component's
 * Beta in place of the uniform one: Metropolis passes that propose from it, exchanges of two means,
 * slice moves of single arms, slice passes where rewards came without a draw.
 *
 * To change the component, h' is proposed from what rewards alone say of it, u_h = pi_h Π_b
 * B(a_h + s_b, b_h + f_b) / B(a_h, b_h), and each mean keeps its quantile in the arm's Beta. In
 * these coordinates the posterior is u_h exp(w · s), so that the density alone enters the
 * acceptance; where competence is relative to the component's spread it hardly changes on the way,
 * and nearly every proposal is accepted.
 *
 * e_b = exp(beta_h (theta_b − origin)) of each arm makes w · s an O(1) function of one mean, by
 * totals before and after the arm in the pass. Where these leave the range of a double they are
 * computed anew. */
#include "sampler/sampler_type.h"

#include "math/argmax.h"
#include "math/special.h"
#include "math/variates_inline.h"

#include <math.h>
#include <string.h>

typedef struct chain {
    xp_sampler sampler;
    size_t sweeps, swaps, start;
    size_t unanswered;                  /* rewards since the last draw */
    size_t pulled;                      /* the arm of the last reward */
    size_t draws;                       /* since the reset */
    size_t component;                   /* h */
    double evidence[XP__REFERENCE_MAX]; /* u */
    bool current;                       /* the evidence is that of the counts */
    double origin, before[2];           /* Σ e and Σ w e of the arms already passed */
    double *theta;                      /* K: the means */
    double *image;                      /* K: e */
    double *after;                      /* 2 (K + 1): the totals of the arms from a on */
    double *other;                      /* K: proposed means */
    double numbers[];
} chain;

static const xp_param params[] = {
    XP__INTEGER("sweeps", "Metropolis passes over the arms per draw", 1, 1e6, 2),
    XP__INTEGER("swaps", "exchanges of two arms' means per draw", 0, 1e6, 2),
    XP__INTEGER("start", "slice-sampling passes at the start of a chain", 0, 1e6, 30),
};

static size_t size(size_t arms, const xp__params *values) {
    (void)values;
    return sizeof(chain) + (3 * arms + 2 * (arms + 1)) * sizeof(double);
}

static bool supports(const xp_prior *prior) {
    return prior->reference != NULL &&
           (prior->softmax_weight != NULL || prior->best_arm_log_weight != NULL);
}

static void init(xp_sampler *sampler, const xp__params *values) {
    chain *self = (chain *)sampler;
    self->sweeps = (size_t)xp__params_get(values, "sweeps");
    self->swaps = (size_t)xp__params_get(values, "swaps");
    self->start = (size_t)xp__params_get(values, "start");
    self->theta = self->numbers;
    self->image = self->theta + sampler->arms;
    self->other = self->image + sampler->arms;
    self->after = self->other + sampler->arms;
}

/* Parameters of an arm's Beta under a component, rewards included. */
static double arm_a(const chain *self, size_t h, size_t arm) {
    return self->sampler.prior->reference->a[h] + self->sampler.successes[arm];
}

static double arm_b(const chain *self, size_t h, size_t arm) {
    return self->sampler.prior->reference->b[h] + self->sampler.failures[arm];
}

static bool is_soft(const chain *self) {
    return self->sampler.prior->softmax_weight != NULL;
}

static double image_of(const chain *self, double x) {
    const xp_prior *prior = self->sampler.prior;
    const double beta = prior->softmax_beta * prior->reference->sharpness[self->component];
    return exp(fmin(600, beta * (x - self->origin)));
}

/* Images from the means, and the totals around an arm that is about to be moved. */
static void rebase(chain *self, size_t arm) {
    if (!is_soft(self)) {
        return;
    }
    const double *w = self->sampler.prior->softmax_weight;
    self->origin = self->theta[xp__argmax(self->theta, self->sampler.arms)];
    double sum = 0, weighted = 0;
    for (size_t b = self->sampler.arms; b > 0; b--) {
        self->after[2 * b] = sum;
        self->after[2 * b + 1] = weighted;
        self->image[b - 1] = image_of(self, self->theta[b - 1]);
        sum += self->image[b - 1];
        weighted += w[b - 1] * self->image[b - 1];
    }
    self->before[0] = self->before[1] = 0;
    for (size_t b = 0; b < arm; b++) {
        self->before[0] += self->image[b];
        self->before[1] += w[b] * self->image[b];
    }
}

static bool in_range(double total) {
    return total > 1e-200 && total < 1e200;
}

/* w · s with theta[arm] = x, whose image is e. */
static double level_at(chain *self, size_t arm, double x, double e) {
    const xp_prior *prior = self->sampler.prior;
    if (is_soft(self)) {
        const double *after = self->after + 2 * (arm + 1);
        const double total = self->before[0] + after[0] + e;
        if (in_range(total)) {
            return (self->before[1] + after[1] + prior->softmax_weight[arm] * e) / total -
                   prior->log_normaliser;
        }
    }
    const double old = self->theta[arm];
    self->theta[arm] = x;
    const double level = xp__prior_tilt(prior, self->component, self->theta);
    self->theta[arm] = old;
    return level;
}

static void pass(chain *self, size_t arm) {
    if (is_soft(self)) {
        self->before[0] += self->image[arm];
        self->before[1] += self->sampler.prior->softmax_weight[arm] * self->image[arm];
    }
}

static void set_mean(chain *self, size_t arm, double x, double e) {
    self->theta[arm] = x;
    self->image[arm] = e;
    if (is_soft(self) && !in_range(self->before[0] + self->after[2 * (arm + 1)] + e)) {
        rebase(self, arm);
    }
}

static void metropolis(chain *self, xp_rng *rng) {
    rebase(self, 0);
    for (size_t arm = 0; arm < self->sampler.arms; arm++) {
        const double x = xp__rng_beta_ge1(rng, arm_a(self, self->component, arm),
                                          arm_b(self, self->component, arm));
        const double e = is_soft(self) ? image_of(self, x) : 0;
        const double gain =
            level_at(self, arm, x, e) - level_at(self, arm, self->theta[arm], self->image[arm]);
        if (gain >= 0 || -gain < xp__rng_exponential(rng)) {
            set_mean(self, arm, x, e);
        }
        pass(self, arm);
    }
}

static double log_beta_density(const chain *self, size_t arm, double x) {
    const double up = arm_a(self, self->component, arm) - 1;
    const double down = arm_b(self, self->component, arm) - 1;
    return (up > 0 ? up * log(x) : 0) + (down > 0 ? down * log1p(-x) : 0);
}

/* Slice sampling (Neal 2003) of each of these arms' conditionals. */
static void slice(chain *self, xp_rng *rng, size_t first, size_t end) {
    rebase(self, first);
    for (size_t arm = first; arm < end; arm++) {
        const double old = self->theta[arm];
        const double floor = level_at(self, arm, old, self->image[arm]) +
                             log_beta_density(self, arm, old) - xp__rng_exponential(rng);
        double low = 0, high = 1;
        for (;;) {
            const double x = low + (high - low) * xp__rng_uniform(rng);
            const double e = is_soft(self) ? image_of(self, x) : 0;
            /* An interval that has shrunk to rounding is the old value itself. */
            if (level_at(self, arm, x, e) + log_beta_density(self, arm, x) >= floor) {
                set_mean(self, arm, x, e);
                break;
            }
            if (!(high - low > 1e-15 * old)) {
                break;
            }
            *(x < old ? &low : &high) = x;
        }
        pass(self, arm);
    }
}

static void swap(chain *self, xp_rng *rng) {
    const size_t arms = self->sampler.arms;
    const size_t i = (size_t)xp_rng_below(rng, arms), other = (size_t)xp_rng_below(rng, arms - 1);
    const size_t j = other + (other >= i ? 1 : 0);
    const double *s = self->sampler.successes, *f = self->sampler.failures;
    const double x = self->theta[i], y = self->theta[j];
    double gain = -xp__prior_tilt(self->sampler.prior, self->component, self->theta);
    self->theta[i] = y;
    self->theta[j] = x;
    gain += xp__prior_tilt(self->sampler.prior, self->component, self->theta);
    gain += s[i] != s[j] ? (s[i] - s[j]) * log(y / x) : 0;
    gain += f[i] != f[j] ? (f[i] - f[j]) * (log1p(-y) - log1p(-x)) : 0;
    if (!(gain >= 0 || -gain < xp__rng_exponential(rng))) {
        self->theta[i] = x;
        self->theta[j] = y;
    }
}

static void swap_some(chain *self, xp_rng *rng, size_t swaps) {
    for (size_t i = 0; self->sampler.arms > 1 && i < swaps; i++) {
        swap(self, rng);
    }
}

/* The mean of the same quantile under another component. Of the two tails the smaller one is used,
 * which keeps its digits. */
static double same_quantile(const chain *self, size_t arm, size_t to) {
    const double a = arm_a(self, self->component, arm), b = arm_b(self, self->component, arm);
    const double x = self->theta[arm], lower = xp__beta_cdf(x, a, b);
    const double moved = lower < 0.5
                             ? xp__beta_quantile(lower, arm_a(self, to, arm), arm_b(self, to, arm))
                             : 1 - xp__beta_quantile(xp__beta_cdf(1 - x, b, a),
                                                     arm_b(self, to, arm), arm_a(self, to, arm));
    return fmin(fmax(moved, 1e-300), 1 - 0x1p-53);
}

static void change_component(chain *self, xp_rng *rng) {
    const xp_sampler *sampler = &self->sampler;
    const xp_prior *prior = sampler->prior;
    if (!self->current) {
        xp__reference_evidence(prior->reference, sampler->arms, sampler->successes,
                               sampler->failures, self->evidence);
        self->current = true;
    }
    const size_t to = xp__rng_categorical(rng, self->evidence, prior->reference->count);
    if (to == self->component) {
        return;
    }
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        self->other[arm] = same_quantile(self, arm, to);
    }
    const double gain = xp__prior_tilt(prior, to, self->other) -
                        xp__prior_tilt(prior, self->component, self->theta);
    if (gain >= 0 || -gain < xp__rng_exponential(rng)) {
        memcpy(self->theta, self->other, sampler->arms * sizeof(double));
        self->component = to;
    }
}

/* Brings the chain from anywhere to where the posterior is. */
static void approach(chain *self, xp_rng *rng, size_t passes) {
    for (size_t i = 0; i < passes; i++) {
        change_component(self, rng);
        slice(self, rng, 0, self->sampler.arms);
        swap_some(self, rng, 1);
    }
}

static void reset(xp_sampler *sampler, xp_rng *rng) {
    chain *self = (chain *)sampler;
    const xp__reference *reference = sampler->prior->reference;
    self->current = false;
    self->component = xp__rng_categorical(rng, reference->weight, reference->count);
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        self->theta[arm] = xp__rng_beta_ge1(rng, arm_a(self, self->component, arm),
                                            arm_b(self, self->component, arm));
    }
    approach(self, rng, self->start);
    self->unanswered = self->draws = self->pulled = 0;
}

static void observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    (void)rng;
    (void)success;
    chain *self = (chain *)sampler;
    self->unanswered++;
    self->pulled = arm;
    self->current = false;
}

static void observe_many(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t rewards) {
    (void)rng;
    chain *self = (chain *)sampler;
    self->unanswered += (size_t)rewards;
    self->pulled = arm;
    self->current = false;
}

/* Everything else is a function of these and the counts. */
static void archive(xp_sampler *sampler, xp__archive *archive) {
    chain *self = (chain *)sampler;
    xp__archive_size(archive, &self->component, sampler->prior->reference->count - 1);
    xp__archive_within(archive, self->theta, sampler->arms, 0, 1);
    xp__archive_size(archive, &self->unanswered, SIZE_MAX / 2);
    xp__archive_size(archive, &self->pulled, sampler->arms - 1);
    xp__archive_size(archive, &self->draws, SIZE_MAX / 2);
    if (xp__archive_reading(archive)) {
        self->current = false;
    }
}

static bool draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    chain *self = (chain *)sampler;
    if (self->unanswered > 1) {
        const size_t missed = self->unanswered - 1;
        approach(self, rng, missed < self->start ? missed : self->start);
    }
    change_component(self, rng);
    if (self->draws++ % 8 == 0) {
        slice(self, rng, self->pulled, self->pulled + 1);
    }
    for (size_t i = 0; i < self->sweeps; i++) {
        metropolis(self, rng);
    }
    swap_some(self, rng, self->swaps);
    self->unanswered = 0;
    memcpy(theta, self->theta, sampler->arms * sizeof(double));
    return true;
}

const xp__sampler_type xp__sampler_mixture_chain = {
    .name = "mixture_chain",
    .summary = "Markov chain: Metropolis over scales and means (priors with a reference)",
    .kind = XP_SAMPLER_CHAIN,
    .preference = 12,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = size,
    .supports = supports,
    .init = init,
    .reset = reset,
    .observe = observe,
    .observe_many = observe_many,
    .draw = draw,
    .archive = archive,
};
