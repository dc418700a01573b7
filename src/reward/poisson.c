/* poisson.c: counts.
 *
 *     θ_a ~ Gamma(α, α/M) independently, so that the means have mean M and standard deviation
 *     M/√α;     reward of arm a ~ Poisson(θ_a).
 * M and α, the component of the reference, are given or on a grid: M = 2^-14 … 2^20 and α = 1, 4,
 * 16, all pairs alike. After n rewards that add up to S an arm's mean is Gamma(α + S, α/M + n). */
#include "reward/reward_type.h"

#include "base/params.h"
#include "math/special.h"
#include "math/variates_inline.h"

enum {
    MEANS = 35,   /* M = 2^-14 … 2^20 */
    SHAPES = 3,   /* α = 1, 4, 16 */
    SPREADS = 18, /* with a given spread: α = 2^-1 … 2^16 and M = √α times the spread */
};

static const double least_shape = 0.5; /* below, the density of √θ is infinite at 0 */

static const xp_param params[] = {
    XP__REAL("location", "mean of the arms' means; learned if not given", 1e-9, 1e9, NAN),
    XP__REAL("scale", "standard deviation of the arms' means; learned if not given", 1e-9, 1e9,
             NAN),
};

/* A Gamma law: a is the shape and b the rate. */
static xp__arm_law reference(const xp__reward *reward, size_t h) {
    double shape = exp2(2 * (double)(h % SHAPES)), mean = exp2((double)(h / SHAPES) - 14);
    if (!isnan(reward->location)) {
        mean = reward->location;
    }
    if (!isnan(reward->scale)) {
        shape = isnan(reward->location) ? exp2((double)h - 1)
                                        : (mean / reward->scale) * (mean / reward->scale);
        mean = isnan(reward->location) ? sqrt(shape) * reward->scale : mean;
    }
    return (xp__arm_law){shape, shape / mean};
}

static size_t components(const xp__reward *reward) {
    const bool location = !isnan(reward->location);
    return isnan(reward->scale) ? (location ? SHAPES : MEANS * SHAPES) : location ? 1 : SPREADS;
}

static xp_status check(const xp__reward *reward, xp_error *error) {
    const double most = reward->location / sqrt(least_shape);
    if (reward->scale > most) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "poisson.scale = %g is more than %g, sqrt(2) times poisson.location = "
                            "%g; leave out one of them",
                            reward->scale, most, reward->location);
    }
    if (reward->location / reward->scale > 1e4) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "poisson.scale = %g is less than a ten-thousandth of poisson.location "
                            "= %g; leave out one of them",
                            reward->scale, reward->location);
    }
    return XP_OK;
}

static bool needs_squares(const xp__reward *reward) {
    (void)reward;
    return false;
}

static bool legal(double reward) {
    return reward >= 0 && reward <= 0x1p50 && reward == floor(reward);
}

static bool legal_sum(double count, double sum, double squares) {
    (void)count;
    return legal(sum) && (isnan(squares) || squares >= sum);
}

static double draw_reward(xp_rng *rng, double mean, double noise) {
    (void)noise;
    return xp__rng_poisson(rng, mean);
}

/* The logarithm of the arm's negative binomial, but for what does not depend on h. */
static void terms(const xp__reward *reward, size_t h, const xp__reward_seen *seen,
                  double term[XP__REWARD_TERMS]) {
    const xp__arm_law at = reference(reward, h);
    const double shape = at.a + seen->sum, rate = at.b + seen->count;
    term[0] = seen->count > 0 ? at.a * log(at.b) - xp__log_gamma(at.a) + xp__log_gamma(shape) -
                                    shape * log(rate)
                              : 0;
    for (size_t i = 1; i < XP__REWARD_TERMS; i++) {
        term[i] = 0;
    }
}

static double log_evidence(const xp__reward *reward, size_t h, const double sum[XP__REWARD_TERMS]) {
    (void)reward;
    (void)h;
    return sum[0];
}

/* Arms share nothing but the component. */
static xp__reward_shared draw_shared(const xp__reward *reward, size_t h,
                                     const double sum[XP__REWARD_TERMS], xp_rng *rng) {
    (void)reward;
    (void)h;
    (void)sum;
    (void)rng;
    return (xp__reward_shared){.location = 0};
}

static size_t shared_nodes(const xp__reward *reward, size_t h, const double sum[XP__REWARD_TERMS],
                           xp__reward_shared *node) {
    *node = draw_shared(reward, h, sum, NULL);
    return 1;
}

static xp__arm_law arm_law(const xp__reward *reward, size_t h, const xp__reward_shared *shared,
                           const xp__reward_seen *seen) {
    (void)shared;
    const xp__arm_law at = reference(reward, h);
    return (xp__arm_law){at.a + seen->sum, at.b + seen->count};
}

/* The coordinate is √θ, in which the width of a posterior depends on the number of rewards alone.
 */
static double value(double u) {
    return u * u;
}

static const double large = 1e4; /* shapes from which the law of the cube root is normal to 1e-5 */

static void spot(xp__arm_law law, double *center, double *width) {
    if (law.a > 100) { /* to the second order of 1/a */
        *center = sqrt((law.a - 0.25) / law.b);
        *width = 0.5 / sqrt(law.b);
        return;
    }
    const double mean = exp(xp__log_gamma(law.a + 0.5) - xp__log_gamma(law.a));
    *center = mean / sqrt(law.b);
    *width = sqrt((law.a - mean * mean) / law.b);
}

/* Wilson and Hilferty's normal law of the cube root, for large shapes. */
static double cube_root_cdf(double x, double shape) {
    return xp__normal_cdf(3 * sqrt(shape) * (cbrt(x / shape) - 1 + 1 / (9 * shape)));
}

static void tabulate(xp__arm_law law, size_t n, const double *u, double *density,
                     double *distribution) {
    const double constant = law.a * log(law.b) - xp__log_gamma(law.a) + 0.6931471805599453;
    for (size_t i = 0; i < n; i++) {
        const double x = law.b * u[i] * u[i];
        density[i] = u[i] > 0      ? exp(constant + (2 * law.a - 1) * log(u[i]) - x)
                     : law.a > 0.5 ? 0
                                   : 1;
        distribution[i] = law.a < large ? xp__gamma_cdf(x, law.a) : cube_root_cdf(x, law.a);
    }
}

static double draw_mean(xp__arm_law law, xp_rng *rng) {
    return xp_rng_gamma(rng, law.a) / law.b;
}

static double distribution_at(xp__arm_law law, double x) {
    return law.a < large ? xp__gamma_cdf(law.b * x, law.a) : cube_root_cdf(law.b * x, law.a);
}

static double draw_mean_below(xp__arm_law law, xp_rng *rng, double top) {
    const double room = distribution_at(law, top);
    while (room > 0.1) {
        const double drawn = draw_mean(law, rng);
        if (drawn <= top) {
            return drawn;
        }
    }
    const double u = xp__rng_uniform(rng);
    if (room < 1e-290) { /* far below its bulk the density is x^(a-1) to first order */
        return top * pow(u, 1 / law.a);
    }
    double low = 0, high = top;
    for (int i = 0; i < 100 && high > low * (1 + 1e-15); i++) {
        const double middle = 0.5 * (low + high);
        if (distribution_at(law, middle) < u * room) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

const xp__reward_type xp__reward_poisson = {
    .name = "poisson",
    .summary = "counts; their mean and its spread over the arms given or learned",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .takes = "a whole number from 0",
    .low = 0,
    .high = INFINITY,
    .legal = legal,
    .legal_sum = legal_sum,
    .draw_reward = draw_reward,
    .needs_squares = needs_squares,
    .check = check,
    .components = components,
    .terms = terms,
    .log_evidence = log_evidence,
    .draw_shared = draw_shared,
    .shared_nodes = shared_nodes,
    .arm_law = arm_law,
    .value = value,
    .low_u = 0,
    .spot = spot,
    .tabulate = tabulate,
    .draw_mean = draw_mean,
    .draw_mean_below = draw_mean_below,
};
