/* sgld.c: Langevin dynamics as in the paper (section 4; Welling and Teh 2011), an approximation.
 *
 * The chain lives on logits z, θ = sigmoid(z). A draw makes `updates` moves
 *     z += h ∇ + sqrt(2h) N(0, 1),  h = eta (1 - t/episodes),  ∇ clipped to ±clip coordinatewise,
 * where t counts the rewards since the reset and
 *     ∇_a = θ_a (1-θ_a) ∂log μ/∂θ_a + s_a - n_a θ_a  [+ 1 - 2θ_a  with jacobian=yes] .
 * The likelihood is that of the full history: n_a and s_a are sufficient. Without the Jacobian of
 * the logit map, as in the authors' code and by default here, the chain aims at a posterior that is
 * too heavy at 0 and 1; with it the target is right and what remains is the error of the discrete
 * steps and of a chain too short to mix. The start is the authors' μ0 sample: z uniform on
 * [0, start). After `episodes` rewards the step stays at its last positive value.
 *
 * A prior that depends on the best arm alone has gradient zero almost everywhere: the chain cannot
 * see it, and acts as it would under the uniform prior. */
#include "sampler/sampler_type.h"

#include "math/argmax.h"
#include "math/variates_inline.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct sgld {
    xp_sampler sampler;
    double eta, episodes, clip, start;
    size_t updates;
    bool jacobian;
    double rewards; /* t */
    double *logit;  /* K */
    double *mean;   /* K: θ */
    double *prior_gradient;
    double numbers[]; /* 3 K */
} sgld;

static const xp_param params[] = {
    XP__REAL("eta", "step size at the first episode", 1e-9, 1e3, 0.05),
    XP__INTEGER("episodes", "episodes over which the step falls to zero, T", 1, 1e9, 1500),
    XP__INTEGER("updates", "moves of the chain per draw", 1, 1e6, 5),
    XP__REAL("clip", "largest absolute gradient of a coordinate", 1e-9, INFINITY, 50),
    {.name = "jacobian",
     .summary = "whether the gradient has the Jacobian of the logit map (the authors': no)",
     .kind = XP_PARAM_CHOICE,
     .low = 0,
     .high = 1,
     .standard = 0,
     .choices = "no|yes"},
    XP__REAL("start", "logits start uniformly on [0, start)", 0, 100, 0.01),
};

static size_t size(size_t arms, const xp__params *values) {
    (void)values;
    return sizeof(sgld) + 3 * arms * sizeof(double);
}

static bool supports(const xp_prior *prior) {
    return prior->type->gradient != NULL;
}

static void init(xp_sampler *sampler, const xp__params *values) {
    sgld *self = (sgld *)sampler;
    self->eta = xp__params_get(values, "eta");
    self->episodes = xp__params_get(values, "episodes");
    self->updates = (size_t)xp__params_get(values, "updates");
    self->clip = xp__params_get(values, "clip");
    self->jacobian = xp__params_get(values, "jacobian") != 0;
    self->start = xp__params_get(values, "start");
    self->logit = self->numbers;
    self->mean = self->numbers + sampler->arms;
    self->prior_gradient = self->numbers + 2 * sampler->arms;
}

static void reset(xp_sampler *sampler, xp_rng *rng) {
    sgld *self = (sgld *)sampler;
    self->rewards = 0;
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        self->logit[arm] = self->start * xp__rng_uniform(rng);
    }
}

static void observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    (void)rng;
    (void)arm;
    (void)success;
    ((sgld *)sampler)->rewards += 1;
}

static inline double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* θ from z, kept off 0 and 1 so that the prior's gradient times θ (1 - θ) keeps its finite limit.
 */
static void set_means(sgld *self) {
    for (size_t arm = 0; arm < self->sampler.arms; arm++) {
        self->mean[arm] = clamp(1 / (1 + exp(-self->logit[arm])), 0x1p-40, 1 - 0x1p-40);
    }
}

static void move(sgld *self, xp_rng *rng, double step) {
    const xp_sampler *sampler = &self->sampler;
    set_means(self);
    sampler->prior->type->gradient(sampler->prior, self->mean, self->prior_gradient);
    const double noise = sqrt(2 * step);
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        const double mean = self->mean[arm], s = sampler->successes[arm];
        double gradient =
            mean * (1 - mean) * self->prior_gradient[arm] + s - (s + sampler->failures[arm]) * mean;
        if (self->jacobian) {
            gradient += 1 - 2 * mean;
        }
        self->logit[arm] +=
            step * clamp(gradient, -self->clip, self->clip) + noise * xp__rng_normal(rng);
    }
}

static void advance(sgld *self, xp_rng *rng) {
    const double time = fmin(self->rewards, self->episodes - 1);
    const double step = self->eta * (1 - time / self->episodes);
    for (size_t i = 0; i < self->updates; i++) {
        move(self, rng, step);
    }
}

/* Had the rewards come one by one the chain would have moved after each; this often is enough. */
enum { MOST_ANSWERS = 100 };

static void observe_many(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t rewards) {
    (void)arm;
    sgld *self = (sgld *)sampler;
    self->rewards += (double)rewards;
    for (uint64_t i = 0; i < rewards && i < MOST_ANSWERS; i++) {
        advance(self, rng);
    }
}

static void archive(xp_sampler *sampler, xp__archive *archive) {
    sgld *self = (sgld *)sampler;
    xp__archive_within(archive, &self->rewards, 1, 0, DBL_MAX);
    xp__archive_finite(archive, self->logit, sampler->arms);
}

static bool draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    sgld *self = (sgld *)sampler;
    advance(self, rng);
    set_means(self);
    memcpy(theta, self->mean, sampler->arms * sizeof(double));
    return true;
}

/* By logits, which tell apart means that round to the same number. */
static size_t act(xp_sampler *sampler, xp_rng *rng) {
    sgld *self = (sgld *)sampler;
    advance(self, rng);
    return xp__argmax(self->logit, sampler->arms);
}

const xp__sampler_type xp__sampler_sgld = {
    .name = "sgld",
    .summary = "approximate chain: Langevin dynamics on logits, the paper's method",
    .kind = XP_SAMPLER_APPROXIMATE,
    .preference = 0,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = size,
    .supports = supports,
    .init = init,
    .reset = reset,
    .observe = observe,
    .observe_many = observe_many,
    .draw = draw,
    .act = act,
    .archive = archive,
};
