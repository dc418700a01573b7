/* mcmc.c: a Markov chain whose law is the posterior, for any prior that has a density.
 *
 * One persistent chain. A draw makes `sweeps` passes of single-site Metropolis, each proposing an
 * arm's mean from its own Beta(1+s, 1+f) (so that only the prior enters the acceptance), and
 * `swaps` exchanges of the means of two random arms, without which the chain misses modes: a prior
 * that says "one of these is good" makes islands that no single-site move connects.
 *
 * Such proposals cannot leave a mean that the prior loves and new rewards have ruled out. Slice
 * sampling (Neal 2003) of an arm's whole conditional can: every eighth draw the arm pulled last
 * gets one such move; rewards that arrive without a draw in between (a replayed history) are
 * answered by as many slice passes over all arms, at most `start`; and a reset makes `start` of
 * them.
 *
 * What a prior's structure gives is an O(1) density along one coordinate, from running totals
 * before and after the arm in the pass (sums or maxima: nothing is ever subtracted, so nothing
 * cancels). Softmax: log μ = Σ w_b e_b / Σ e_b with e = exp(beta (θ - 1)). Best arm: log μ =
 * w[argmax θ]. Independent arms: log μ_a(θ_a), by slice moves of the log odds throughout; Beta arms
 * are drawn from their posterior. Anything else: the density itself, O(K). */
#include "sampler/sampler_type.h"

#include "math/argmax.h"
#include "math/variates_inline.h"

#include <math.h>
#include <string.h>

/* Above this exp(beta (θ - 1)) could underflow; the general density is used instead. */
#define SOFTMAX_BETA_MAX 600.0

typedef struct mcmc mcmc;

/* A structure of priors. */
typedef struct structure {
    void (*metropolis)(mcmc *self, xp_rng *rng);
    void (*slice)(mcmc *self, xp_rng *rng, size_t first, size_t end); /* of these arms */
    double (*image)(const mcmc *self, size_t arm, double x);          /* NULL: it keeps none */
    /* Change of the log prior if the means of two arms are exchanged; NULL: arms are independent
     * and an exchange brings nothing. */
    double (*exchange)(mcmc *self, size_t i, size_t j);
} structure;

struct mcmc {
    xp_sampler sampler;
    const structure *target;
    size_t sweeps, swaps, start;
    size_t unanswered; /* rewards since the last draw */
    size_t pulled;     /* the arm of the last reward */
    size_t draws;      /* since the reset */
    double level;      /* log prior at the chain's state, up to a constant */
    double before[2];  /* totals over the arms already passed in this sweep */
    double *theta;     /* K: the chain's state */
    double
        *images;   /* K: what the target keeps of each mean; its log odds if arms are independent */
    double *after; /* 2 (K+1): totals over the arms from a on */
    double *proposal; /* 2 K: proposed means and their images */
    double *power;    /* K: of x in the density at 0, if arms are independent */
    double numbers[];
};

static const xp_param params[] = {
    XP__INTEGER("sweeps", "Metropolis passes over the arms per draw", 1, 1e6, 2),
    XP__INTEGER("swaps", "exchanges of two arms' means per draw", 0, 1e6, 2),
    XP__INTEGER("start", "slice-sampling passes at the start of a chain", 0, 1e6, 30),
};

#define INLINE static inline __attribute__((always_inline))

INLINE double propose(const mcmc *self, xp_rng *rng, size_t arm) {
    return xp__rng_beta_ge1(rng, 1 + self->sampler.successes[arm], 1 + self->sampler.failures[arm]);
}

/* One Metropolis pass, and one slice pass; both are inlined with the functions of a target:
 * begin(self) computes `after`, image(self, arm, x) is what it keeps of a mean, density(self, arm,
 * x, image) is the log prior with θ_arm = x, pass(self, arm) adds the arm to `before`. Proposals do
 * not depend on the chain, so they are made first, where one need not wait for the other. */
INLINE void metropolis_pass(mcmc *self, xp_rng *rng, void (*begin)(mcmc *),
                            double (*image)(const mcmc *, size_t, double),
                            double (*density)(mcmc *, size_t, double, double),
                            void (*pass)(mcmc *, size_t)) {
    const size_t arms = self->sampler.arms;
    double *x = self->proposal, *y = self->proposal + arms;
    for (size_t arm = 0; arm < arms; arm++) {
        x[arm] = propose(self, rng, arm);
    }
    for (size_t arm = 0; arm < arms; arm++) {
        y[arm] = image(self, arm, x[arm]);
    }
    begin(self);
    for (size_t arm = 0; arm < arms; arm++) {
        const double proposed = density(self, arm, x[arm], y[arm]);
        if (proposed >= self->level || self->level - proposed < xp__rng_exponential(rng)) {
            self->theta[arm] = x[arm];
            self->images[arm] = y[arm];
            self->level = proposed;
        }
        pass(self, arm);
    }
}

INLINE double log_likelihood(const mcmc *self, size_t arm, double x) {
    const double s = self->sampler.successes[arm], f = self->sampler.failures[arm];
    return (s > 0 ? s * log(x) : 0) + (f > 0 ? f * log1p(-x) : 0);
}

INLINE void slice_pass(mcmc *self, xp_rng *rng, size_t first, size_t end, void (*begin)(mcmc *),
                       double (*image)(const mcmc *, size_t, double),
                       double (*density)(mcmc *, size_t, double, double),
                       void (*pass)(mcmc *, size_t)) {
    begin(self);
    for (size_t arm = 0; arm < first; arm++) {
        pass(self, arm);
    }
    for (size_t arm = first; arm < end; arm++) {
        const double old = self->theta[arm];
        const double height =
            density(self, arm, old, self->images[arm]) + log_likelihood(self, arm, old);
        const double floor = height - xp__rng_exponential(rng);
        double low = 0, high = 1;
        for (;;) {
            const double x = low + (high - low) * xp__rng_uniform(rng);
            const double y = image(self, arm, x), prior = density(self, arm, x, y);
            /* An interval that has shrunk to rounding is the old value itself. */
            if (prior + log_likelihood(self, arm, x) >= floor || !(high - low > 1e-15)) {
                self->theta[arm] = x;
                self->images[arm] = y;
                self->level = prior;
                break;
            }
            *(x < old ? &low : &high) = x;
        }
        pass(self, arm);
    }
    for (size_t arm = end; arm < self->sampler.arms; arm++) {
        pass(self, arm);
    }
}

#define TARGET(name, image)                                                                        \
    static void name##_slice(mcmc *self, xp_rng *rng, size_t first, size_t end) {                  \
        slice_pass(self, rng, first, end, name##_begin, image, name##_density, name##_pass);       \
    }                                                                                              \
    static void name##_metropolis(mcmc *self, xp_rng *rng) {                                       \
        metropolis_pass(self, rng, name##_begin, image, name##_density, name##_pass);              \
    }                                                                                              \
    static const structure name##_target = {name##_metropolis, name##_slice, image,                \
                                            name##_exchange};

INLINE double softmax_image(const mcmc *self, size_t arm, double x) {
    (void)arm;
    return exp(self->sampler.prior->softmax_beta * (x - 1));
}

INLINE void softmax_begin(mcmc *self) {
    const double *weight = self->sampler.prior->softmax_weight;
    double sum = 0, weighted = 0;
    for (size_t arm = self->sampler.arms; arm > 0; arm--) {
        self->after[2 * arm] = sum;
        self->after[2 * arm + 1] = weighted;
        sum += self->images[arm - 1];
        weighted += weight[arm - 1] * self->images[arm - 1];
    }
    self->before[0] = self->before[1] = 0;
}

INLINE double softmax_density(mcmc *self, size_t arm, double x, double e) {
    (void)x;
    const double *after = self->after + 2 * (arm + 1);
    return (self->before[1] + after[1] + self->sampler.prior->softmax_weight[arm] * e) /
           (self->before[0] + after[0] + e);
}

INLINE void softmax_pass(mcmc *self, size_t arm) {
    self->before[0] += self->images[arm];
    self->before[1] += self->sampler.prior->softmax_weight[arm] * self->images[arm];
}

/* The totals are those of the last pass, before[0] = Σ e; an exchange leaves that sum alone. */
static double softmax_exchange(mcmc *self, size_t i, size_t j) {
    const double *weight = self->sampler.prior->softmax_weight;
    return (weight[i] - weight[j]) * (self->images[j] - self->images[i]) / self->before[0];
}

TARGET(softmax, softmax_image)

INLINE double unused_image(const mcmc *self, size_t arm, double x) {
    (void)self;
    (void)arm;
    return x; /* not used */
}

/* Running maxima and the arm that has them; -1 before the first. */
INLINE void best_begin(mcmc *self) {
    double top = -1, best = 0;
    for (size_t arm = self->sampler.arms; arm > 0; arm--) {
        self->after[2 * arm] = top;
        self->after[2 * arm + 1] = best;
        if (self->theta[arm - 1] >= top) {
            top = self->theta[arm - 1];
            best = (double)(arm - 1);
        }
    }
    self->before[0] = -1;
    self->before[1] = 0;
}

INLINE double best_density(mcmc *self, size_t arm, double x, double image) {
    (void)image;
    const double *after = self->after + 2 * (arm + 1);
    size_t best = arm;
    double top = x;
    if (self->before[0] >= top) {
        top = self->before[0];
        best = (size_t)self->before[1];
    }
    if (after[0] > top) {
        best = (size_t)after[1];
    }
    return self->sampler.prior->best_arm_log_weight[best];
}

INLINE void best_pass(mcmc *self, size_t arm) {
    if (self->theta[arm] > self->before[0]) {
        self->before[0] = self->theta[arm];
        self->before[1] = (double)arm;
    }
}

static double best_exchange(mcmc *self, size_t i, size_t j) {
    const double *weight = self->sampler.prior->best_arm_log_weight;
    const size_t best = xp__argmax(self->theta, self->sampler.arms);
    const size_t next = best == i ? j : best == j ? i : best;
    return weight[next] - weight[best];
}

TARGET(best, unused_image)

/* Independent arms move on the scale of the log odds u = log(x / (1 - x)), each by itself. A
 * density like x^(a-1) with a near 0 spreads over x = 1e-20 and 1e-200 as much as over 0.1: there a
 * slice on the scale of x is lost in rounding, and steps that keep x on its order of magnitude
 * would take hundreds of passes to cross. On the log odds it is a gentle slope, and one slice spans
 * it all. A family whose density grows without bound at 1 would need 1 - x to be kept, which
 * nothing here does: Beta arms are drawn directly. */
static const double odds_deepest = -700; /* exp of it is a normal number */
static const double odds_top = 36;       /* beyond it x is 1 to every digit */

INLINE double odds_value(double u) {
    return 1 / (1 + exp(-u));
}

/* log x; log (1 - x) is that of -u. */
INLINE double odds_log(double u) {
    return u < 0 ? u - log1p(exp(u)) : -log1p(exp(-u));
}

static double arms_image(const mcmc *self, size_t arm, double x) {
    (void)self;
    (void)arm;
    return log(x) - log1p(-x);
}

/* The power of x in an arm's density at 0, from two points so near to it that nothing else counts.
 */
static double arms_power(const xp_prior *prior, size_t arm) {
    const double inner = prior->type->arm_log_density(prior, arm, exp(odds_deepest + 100));
    const double outer = prior->type->arm_log_density(prior, arm, exp(odds_deepest));
    return (inner - outer) / 100;
}

/* Log density of an arm's log odds under the posterior. Where x has no double the prior goes on as
 * the power that it is. */
static double arms_level(const mcmc *self, size_t arm, double u) {
    const xp_prior *prior = self->sampler.prior;
    const double inside = u > odds_deepest ? u : odds_deepest;
    return prior->type->arm_log_density(prior, arm, odds_value(inside)) +
           self->power[arm] * (u - inside) + (1 + self->sampler.successes[arm]) * odds_log(u) +
           (1 + self->sampler.failures[arm]) * odds_log(-u);
}

static void arms_slice(mcmc *self, xp_rng *rng, size_t first, size_t end) {
    for (size_t arm = first; arm < end; arm++) {
        const double old = self->images[arm];
        const double floor = arms_level(self, arm, old) - xp__rng_exponential(rng);
        /* A share of e^-40 lies below the bottom, even of what crowds at 1e-9. */
        double low = -20 - 40 / fmax(1 + self->power[arm], 1e-12), high = odds_top;
        while (high - low > 1e-12 * (1 + fabs(old))) { /* else it is the old value itself */
            const double u = low + (high - low) * xp__rng_uniform(rng);
            if (arms_level(self, arm, u) >= floor) {
                self->images[arm] = u;
                self->theta[arm] = odds_value(u);
                break;
            }
            *(u < old ? &low : &high) = u;
        }
    }
}

static void arms_slice_all(mcmc *self, xp_rng *rng) {
    arms_slice(self, rng, 0, self->sampler.arms);
}

static const structure arms_target = {arms_slice_all, arms_slice, arms_image, NULL};

INLINE void any_begin(mcmc *self) {
    (void)self;
}

INLINE double any_density(mcmc *self, size_t arm, double x, double image) {
    (void)image;
    const double old = self->theta[arm];
    self->theta[arm] = x;
    const double value = self->sampler.prior->type->log_density(self->sampler.prior, self->theta);
    self->theta[arm] = old;
    return value;
}

INLINE void any_pass(mcmc *self, size_t arm) {
    (void)self;
    (void)arm;
}

static double any_exchange(mcmc *self, size_t i, size_t j) {
    const double x = self->theta[i];
    self->theta[i] = self->theta[j];
    self->theta[j] = x;
    const double value = self->sampler.prior->type->log_density(self->sampler.prior, self->theta);
    self->theta[j] = self->theta[i];
    self->theta[i] = x;
    return value - self->level;
}

TARGET(any, unused_image)

/* Beta arms: their posterior is drawn, not proposed. */
static void beta_slice(mcmc *self, xp_rng *rng, size_t first, size_t end) {
    const xp_prior *prior = self->sampler.prior;
    for (size_t arm = first; arm < end; arm++) {
        self->theta[arm] = xp_rng_beta(rng, prior->beta_a[arm] + self->sampler.successes[arm],
                                       prior->beta_b[arm] + self->sampler.failures[arm]);
    }
}

static void beta_all(mcmc *self, xp_rng *rng) {
    beta_slice(self, rng, 0, self->sampler.arms);
}

static const structure beta_target = {beta_all, beta_slice, unused_image, NULL};

static size_t size(size_t arms, const xp__params *values) {
    (void)values;
    return sizeof(mcmc) + (5 * arms + 2 * (arms + 1)) * sizeof(double);
}

static bool supports(const xp_prior *prior) {
    return prior->reference == NULL && prior->range_a == NULL &&
           (prior->type->log_density != NULL || prior->beta_a != NULL ||
            prior->best_arm_log_weight != NULL);
}

static const structure *target_of(const xp_prior *prior) {
    if (prior->beta_a != NULL) {
        return &beta_target;
    }
    if (prior->best_arm_log_weight != NULL) {
        return &best_target;
    }
    if (prior->softmax_weight != NULL && prior->softmax_beta <= SOFTMAX_BETA_MAX) {
        return &softmax_target;
    }
    return prior->type->arm_log_density != NULL ? &arms_target : &any_target;
}

static void init(xp_sampler *sampler, const xp__params *values) {
    mcmc *self = (mcmc *)sampler;
    self->target = target_of(sampler->prior);
    self->sweeps = (size_t)xp__params_get(values, "sweeps");
    self->swaps = (size_t)xp__params_get(values, "swaps");
    self->start = (size_t)xp__params_get(values, "start");
    self->theta = self->numbers;
    self->images = self->numbers + sampler->arms;
    self->proposal = self->numbers + 2 * sampler->arms;
    self->power = self->numbers + 4 * sampler->arms;
    self->after = self->numbers + 5 * sampler->arms;
    for (size_t arm = 0; self->target == &arms_target && arm < sampler->arms; arm++) {
        self->power[arm] = arms_power(sampler->prior, arm);
    }
}

static void swap(mcmc *self, xp_rng *rng) {
    const size_t arms = self->sampler.arms;
    /* Two different arms from the halves of one word. That some pairs come up a little more often
     * (1e-7 for a thousand arms) does no harm: a pair is proposed as often from either side. */
    const uint64_t bits = xp__rng_bits(rng);
    const size_t i = (size_t)((bits >> 32) * arms >> 32);
    const size_t other = (size_t)((bits & 0xffffffff) * (arms - 1) >> 32);
    const size_t j = other + (other >= i ? 1 : 0);
    const double *s = self->sampler.successes, *f = self->sampler.failures;
    const double x = self->theta[i], y = self->theta[j];
    const double change = self->target->exchange(self, i, j);
    double gain = change;
    if (s[i] != s[j]) {
        gain += (s[i] - s[j]) * log(y / x);
    }
    if (f[i] != f[j]) {
        gain += (f[i] - f[j]) * log((1 - y) / (1 - x));
    }
    if (!(gain >= 0 || -gain < xp__rng_exponential(rng))) {
        return;
    }
    const double image = self->images[i];
    self->theta[i] = y;
    self->theta[j] = x;
    self->images[i] = self->images[j];
    self->images[j] = image;
    self->level += change;
}

static void swap_some(mcmc *self, xp_rng *rng, size_t swaps) {
    if (self->target->exchange != NULL && self->sampler.arms > 1) {
        for (size_t i = 0; i < swaps; i++) {
            swap(self, rng);
        }
    }
}

/* Slice passes over all arms: brings the chain from anywhere to where the posterior is. */
static void approach(mcmc *self, xp_rng *rng, size_t passes) {
    for (size_t i = 0; i < passes; i++) {
        self->target->slice(self, rng, 0, self->sampler.arms);
        swap_some(self, rng, 1);
    }
}

static void reset(xp_sampler *sampler, xp_rng *rng) {
    mcmc *self = (mcmc *)sampler;
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        const double x = xp__rng_uniform(rng);
        self->theta[arm] = x;
        self->images[arm] = self->target->image(self, arm, x);
    }
    /* At least one pass: it also sets the level and the totals. */
    approach(self, rng, self->start > 0 ? self->start : 1);
    self->unanswered = self->draws = self->pulled = 0;
}

static void observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    (void)rng;
    (void)success;
    ((mcmc *)sampler)->unanswered++;
    ((mcmc *)sampler)->pulled = arm;
}

/* The draw that follows approaches the posterior in as many passes as rewards were missed. */
static void observe_many(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t rewards) {
    (void)rng;
    mcmc *self = (mcmc *)sampler;
    self->unanswered += (size_t)rewards;
    self->pulled = arm;
}

/* Images are functions of the means; totals are those of the pass at hand. The level is not
 * computed afresh: exchanges leave rounding in it. */
static void archive(xp_sampler *sampler, xp__archive *archive) {
    mcmc *self = (mcmc *)sampler;
    xp__archive_within(archive, self->theta, sampler->arms, 0, 1);
    xp__archive_within(archive, &self->level, 1, -INFINITY, INFINITY);
    xp__archive_size(archive, &self->unanswered, SIZE_MAX / 2);
    xp__archive_size(archive, &self->pulled, sampler->arms - 1);
    xp__archive_size(archive, &self->draws, SIZE_MAX / 2);
    for (size_t arm = 0; xp__archive_reading(archive) && arm < sampler->arms; arm++) {
        self->images[arm] = self->target->image(self, arm, self->theta[arm]);
    }
}

static bool draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    mcmc *self = (mcmc *)sampler;
    if (self->unanswered > 1) {
        const size_t missed = self->unanswered - 1;
        approach(self, rng, missed < self->start ? missed : self->start);
    }
    if (self->draws++ % 8 == 0) {
        self->target->slice(self, rng, self->pulled, self->pulled + 1);
    }
    for (size_t i = 0; i < self->sweeps; i++) {
        self->target->metropolis(self, rng);
    }
    swap_some(self, rng, self->swaps);
    self->unanswered = 0;
    memcpy(theta, self->theta, sampler->arms * sizeof(double));
    return true;
}

const xp__sampler_type xp__sampler_mcmc = {
    .name = "mcmc",
    .summary = "Markov chain: Metropolis with exchanges (any prior)",
    .kind = XP_SAMPLER_CHAIN,
    .preference = 10,
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
