/* gaussian.c: real rewards with normal noise that all arms share.
 *
 * Given the ratio ρ of the spread of the means to the noise σ (the component of the reference) and
 * a location m,
 *     θ_a ~ N(m, ρ²σ²)   independently,     reward of arm a ~ N(θ_a, σ²).
 * What is not given is learned: ρ on a grid of powers of 2, with the weights of a half-Cauchy law
 * (Gelman, "Prior distributions for variance parameters in hierarchical models", 2006), m ~ N(0,
 * (Wσ)²) with a W so large that it does not matter, 1/σ² ~ Gamma(a₀, b₀) with parameters so small
 * that they do not matter. For each ρ location and noise are conjugate. If the spread τ is given
 * but not the noise, the components are values of σ and ρ = τ/σ.
 *
 * With v_a = n_a / (1 + n_a ρ²), d_a = mean_a − m₀, Λ = Σ v_a + 1/W² (docs/method/reward.md):
 *     R = Σ (deviations_a + v_a d_a²) − (Σ v_a d_a)² / Λ
 *     1/σ² | rewards ~ Gamma(a₀ + N/2, b₀ + R/2),   m | σ, rewards ~ N(m₀ + Σ v_a d_a / Λ, σ²/Λ)
 *     θ_a | m, σ, rewards ~ N((n_a mean_a + m/ρ²) / (n_a + 1/ρ²), σ² / (n_a + 1/ρ²)). */
#include "reward/reward_type.h"

#include "base/params.h"
#include "math/special.h"
#include "math/variates_inline.h"

static const double shape0 = 0.1, rate0 = 1e-20; /* a₀, b₀ */
static const double width0 = 1e4;                /* W */

enum {
    RATIOS = 13, /* ρ = 2^-6 … 2^6 */
    NOISES = 65  /* with a given spread: ρ = 2^-8 … 2^8 in quarter powers */
};

enum { COUNT, DETERMINANT, WEIGHT, FIRST, SECOND }; /* the terms; sums over the arms */

static const xp_param params[] = {
    XP__REAL("location", "mean of the arms' means; learned if not given", -1e30, 1e30, NAN),
    XP__REAL("scale", "standard deviation of the arms' means; learned if not given", 1e-30, 1e30,
             NAN),
    XP__REAL("noise", "standard deviation of a reward given its arm; learned if not given", 1e-30,
             1e30, NAN),
};

/* A component: ρ; σ, or NAN where it is integrated out; and the width of the prior of m in units of
 * σ, 0 if m is given. */
typedef struct component {
    double ratio, noise, width, location;
} component;

static bool noise_is_listed(const xp__reward *reward) {
    return !isnan(reward->scale) && isnan(reward->noise);
}

static component get(const xp__reward *reward, size_t h) {
    component made = {.noise = reward->noise,
                      .width = isnan(reward->location) ? width0 : 0,
                      .location = isnan(reward->location) ? 0 : reward->location};
    if (noise_is_listed(reward)) {
        made.ratio = exp2(0.25 * ((double)h - NOISES / 2));
        made.noise = reward->scale / made.ratio;
        made.width *= made.ratio; /* W times the spread, which does not depend on h */
    } else if (!isnan(reward->scale)) {
        made.ratio = reward->scale / reward->noise;
    } else {
        made.ratio = exp2((double)h - RATIOS / 2);
    }
    return made;
}

static size_t components(const xp__reward *reward) {
    return noise_is_listed(reward) ? NOISES : isnan(reward->scale) ? RATIOS : 1;
}

static xp_status check(const xp__reward *reward, xp_error *error) {
    const double ratio = reward->scale / reward->noise;
    if (!isnan(ratio) && !(ratio >= 1e-6 && ratio <= 1e6)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "gaussian.scale = %g and gaussian.noise = %g differ by more than a "
                            "factor of a million; leave out the one that is less certain",
                            reward->scale, reward->noise);
    }
    return XP_OK;
}

static bool needs_squares(const xp__reward *reward) {
    return isnan(reward->noise);
}

static bool legal(double reward) {
    return fabs(reward) <= 1e38;
}

static bool legal_sum(double count, double sum, double squares) {
    return fabs(sum) <= 1e38 * count &&
           (isnan(squares) ||
            (squares <= 1e76 * count && squares * count >= sum * sum * (1 - 1e-9)));
}

static double draw_reward(xp_rng *rng, double mean, double noise) {
    return mean + noise * xp__rng_normal(rng);
}

static void terms(const xp__reward *reward, size_t h, const xp__reward_seen *seen,
                  double term[XP__REWARD_TERMS]) {
    const component at = get(reward, h);
    const double n = seen->count, spread = n * at.ratio * at.ratio;
    const double v = n / (1 + spread), d = n > 0 ? seen->sum / n - at.location : 0;
    term[COUNT] = n;
    term[DETERMINANT] = log1p(spread);
    term[WEIGHT] = v;
    term[FIRST] = v * d;
    term[SECOND] = v * d * d + seen->deviations;
}

/* Location and noise given a component and the rewards. */
typedef struct posterior {
    double center, precision; /* of m, in units of 1/σ²; INFINITY if m is given */
    double residual;          /* R */
    double shape, rate;       /* of 1/σ² */
} posterior;

static posterior update(const component *at, const double sum[XP__REWARD_TERMS]) {
    posterior made = {.center = at->location, .precision = INFINITY, .residual = sum[SECOND]};
    if (at->width > 0) {
        made.precision = sum[WEIGHT] + 1 / (at->width * at->width);
        made.center += sum[FIRST] / made.precision;
        made.residual -= sum[FIRST] * (sum[FIRST] / made.precision);
    }
    made.residual = fmax(0, made.residual);
    made.shape = shape0 + 0.5 * sum[COUNT];
    made.rate = rate0 + 0.5 * made.residual;
    return made;
}

static double log_evidence(const xp__reward *reward, size_t h, const double sum[XP__REWARD_TERMS]) {
    const component at = get(reward, h);
    const posterior seen = update(&at, sum);
    const double determinant = 0.5 * (sum[DETERMINANT] + log1p(at.width * at.width * sum[WEIGHT]));
    const double prior = log(at.ratio) - log1p(at.ratio * at.ratio); /* a half-Cauchy law of ρ */
    if (!isnan(at.noise)) {
        return prior - sum[COUNT] * log(at.noise) - 0.5 * seen.residual / (at.noise * at.noise) -
               determinant;
    }
    return prior + xp__log_gamma(seen.shape) - seen.shape * log(seen.rate) - determinant;
}

static xp__reward_shared draw_shared(const xp__reward *reward, size_t h,
                                     const double sum[XP__REWARD_TERMS], xp_rng *rng) {
    const component at = get(reward, h);
    const posterior seen = update(&at, sum);
    xp__reward_shared made = {.noise = at.noise, .location = seen.center};
    if (isnan(at.noise)) {
        made.noise = sqrt(seen.rate / xp_rng_gamma(rng, seen.shape));
    }
    if (at.width > 0) {
        made.location += made.noise / sqrt(seen.precision) * xp__rng_normal(rng);
    }
    return made;
}

enum { LOCATIONS = 9 }; /* nodes over m, one standard deviation apart */

/* Adds the nodes over m for a noise of that weight. */
static size_t add_locations(const component *at, const posterior *seen, double noise,
                            double log_weight, xp__reward_shared *node) {
    if (!(at->width > 0)) {
        *node = (xp__reward_shared){seen->center, noise, log_weight};
        return 1;
    }
    const double sd = noise / sqrt(seen->precision), half_log_two_pi = 0.91893853320467274;
    for (size_t i = 0; i < LOCATIONS; i++) {
        const double z = (double)i - LOCATIONS / 2;
        node[i] = (xp__reward_shared){seen->center + sd * z, noise,
                                      log_weight - 0.5 * z * z - half_log_two_pi};
    }
    return LOCATIONS;
}

/* 1/σ² = e^t / rate, where t has the density e^{shape t − e^t} / Γ(shape): the trapezoidal rule,
 * whose error is |Γ(shape + 2πi/step)| / Γ(shape), from where to where the density is e^-14 of its
 * largest. */
static size_t noise_nodes(const component *at, const posterior *seen, xp__reward_shared *node) {
    const double a = seen->shape, mode = log(a), step = 1.25 / sqrt(fmax(a, 1));
    const double normaliser = xp__log_gamma(a) - log(step), top = a * mode - a;
    size_t count = 0;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = side < 0 ? 1 : 0;; i++) {
            const double t = mode + side * i * step, log_density = a * t - exp(t);
            if (log_density < top - 14 || count + LOCATIONS > XP__REWARD_NODES) {
                break;
            }
            count += add_locations(at, seen, sqrt(seen->rate / exp(t)), log_density - normaliser,
                                   node + count);
        }
    }
    return count;
}

static size_t shared_nodes(const xp__reward *reward, size_t h, const double sum[XP__REWARD_TERMS],
                           xp__reward_shared *node) {
    const component at = get(reward, h);
    const posterior seen = update(&at, sum);
    if (!(sum[COUNT] > 0)) { /* what is best does not depend on location and noise */
        *node = (xp__reward_shared){at.location, isnan(at.noise) ? 1 : at.noise, 0};
        return 1;
    }
    return isnan(at.noise) ? noise_nodes(&at, &seen, node)
                           : add_locations(&at, &seen, at.noise, 0, node);
}

/* a is the mean and b the standard deviation. */
static xp__arm_law arm_law(const xp__reward *reward, size_t h, const xp__reward_shared *shared,
                           const xp__reward_seen *seen) {
    const double ratio = get(reward, h).ratio, own = 1 / (ratio * ratio);
    const double precision = seen->count + own;
    return (xp__arm_law){(seen->sum + own * shared->location) / precision,
                         shared->noise / sqrt(precision)};
}

static double value(double u) {
    return u;
}

static void spot(xp__arm_law law, double *center, double *width) {
    *center = law.a;
    *width = law.b;
}

static void tabulate(xp__arm_law law, size_t n, const double *u, double *density,
                     double *distribution) {
    const double inverse = 1 / law.b, height = 0.3989422804014327 * inverse;
    for (size_t i = 0; i < n; i++) {
        const double z = (u[i] - law.a) * inverse;
        density[i] = height * exp(-0.5 * z * z);
        distribution[i] = xp__normal_cdf(z);
    }
}

static double draw_mean(xp__arm_law law, xp_rng *rng) {
    return law.a + law.b * xp__rng_normal(rng);
}

/* A standard normal given that it is at most z; far below by an exponential proposal (Robert,
 * "Simulation of truncated normal variables", 1995). */
static double normal_below(xp_rng *rng, double z) {
    if (z > -1) {
        for (;;) {
            const double x = xp__rng_normal(rng);
            if (x <= z) {
                return x;
            }
        }
    }
    const double rate = 0.5 * (-z + sqrt(z * z + 4));
    for (;;) {
        const double x = -z + xp__rng_exponential(rng) / rate, gap = x - rate;
        if (0.5 * gap * gap <= xp__rng_exponential(rng)) {
            return -x;
        }
    }
}

static double draw_mean_below(xp__arm_law law, xp_rng *rng, double top) {
    return fmin(top, law.a + law.b * normal_below(rng, (top - law.a) / law.b));
}

const xp__reward_type xp__reward_gaussian = {
    .name = "gaussian",
    .summary = "real numbers with normal noise; location, spread and noise given or learned",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .takes = "a finite number",
    .low = -INFINITY,
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
    .low_u = -INFINITY,
    .spot = spot,
    .tabulate = tabulate,
    .draw_mean = draw_mean,
    .draw_mean_below = draw_mean_below,
};
