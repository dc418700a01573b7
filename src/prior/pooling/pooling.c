/* pooling.c: see the header.
 *
 * The likelihood of the counts given κ and q is a Dirichlet-multinomial per segment. Its logarithm
 * is separable in q, because Σ_a κ q_a = κ:
 *
 *     Σ_s [log Γ(κ) − log Γ(κ + N_s)] + Σ_a Σ_s [log Γ(κ q_a + n_sa) − log Γ(κ q_a)].
 *
 * With the hyperprior Π q_a^(α − 1), in the coordinates x of q = softmax(x) (MacKay 1998, "Choice
 * of basis for Laplace approximation"), the posterior of q has its mode where
 *
 *     q_a = (α + m_a) / (Kα + Σ m),    m_a = κ q_a Σ_s [ψ(κ q_a + n_sa) − ψ(κ q_a)];
 *
 * m_a is the expected number of tables of arm a in the Chinese restaurant (Antoniak 1974): what the
 * choices of all segments count as independent choices of q. For κ → ∞ it is n_a, for κ → 0 the
 * number of segments that chose a. There minus the Hessian is Jᵀ diag(c) J with J = I − 1qᵀ and
 *
 *     c_a = α + (κ q_a)² Σ_s [ψ'(κ q_a) − ψ'(κ q_a + n_sa)] > 0,
 *
 * whose determinant is Π c_a · Σ q_a² / c_a: Laplace's approximation of the evidence is in closed
 * form. For κ = ∞ it is that of a Dirichlet distribution, to Stirling's accuracy.
 *
 * Zero counts contribute nothing and equal counts contribute equally, so that each arm keeps its
 * distinct positive counts with their multiplicities. */
#include "prior/pooling/pooling.h"

#include "base/memory.h"
#include "math/special.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 24,
    ALPHAS = 2,
    GRID = ALPHAS * (STEPS + 1),
    RUNGS = GRID + 1,
    MAX_ITERATIONS = 100
};
static const double alphas[ALPHAS] = {0.5, 1};
static const double least_strength = 0.3, largest_strength = 3e5;
/* κ / (κ + usual) ~ Beta(½, ½) a priori; on a grid that is even in log κ. */
static const double usual_strength = 20;
/* Probability a priori that segments have nothing in common. */
static const double chance_of_none = 0.05;

/* Distinct positive numbers and how often each occurs. */
typedef struct tally {
    const double *value, *times;
    size_t count;
} tally;

typedef struct solver {
    size_t segments, arms;
    double *numbers;              /* values, then times, of all tallies */
    tally *arm;                   /* K: of the counts of each arm */
    tally total;                  /* of the N_s */
    double *q, *m, *c, *residual; /* K each */
} solver;

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts n values and keeps the distinct ones that are positive. */
static tally make_tally(double *value, double *times, size_t n) {
    size_t kept = 0;
    qsort(value, n, sizeof *value, by_size);
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && value[kept - 1] == value[i]) {
            times[kept - 1] += 1;
        } else if (value[i] > 0) {
            value[kept] = value[i];
            times[kept++] = 1;
        }
    }
    return (tally){.value = value, .times = times, .count = kept};
}

static double sum_of(const double *n, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += n[i];
    }
    return sum;
}

static void solver_deinit(solver *self) {
    xp__free(self->numbers);
    xp__free(self->arm);
    xp__free(self->q);
}

static xp_status solver_init(solver *self, const xp__segment_counts *counts, xp_error *error) {
    const size_t segments = counts->segments, arms = counts->arms, all = segments * (arms + 1);
    *self = (solver){.segments = segments, .arms = arms};
    self->numbers = xp__alloc(all > 0 ? all : 1, 2 * sizeof *self->numbers);
    self->arm = xp__alloc(arms, sizeof *self->arm);
    self->q = xp__alloc(arms, 4 * sizeof *self->q);
    if (self->numbers == NULL || self->arm == NULL || self->q == NULL) {
        solver_deinit(self);
        return xp__no_memory(error);
    }
    self->m = self->q + arms;
    self->c = self->q + 2 * arms;
    self->residual = self->q + 3 * arms;
    double *value = self->numbers, *times = self->numbers + all;
    for (size_t arm = 0; arm < arms; arm++, value += segments, times += segments) {
        for (size_t s = 0; s < segments; s++) {
            value[s] = counts->n[s * arms + arm];
        }
        self->arm[arm] = make_tally(value, times, segments);
    }
    for (size_t s = 0; s < segments; s++) {
        value[s] = sum_of(counts->n + s * arms, arms);
    }
    self->total = make_tally(value, times, segments);
    return XP_OK;
}

/* m_a and c_a at q. Returns the sum of α + m_a. */
static double look(solver *self, double strength, double alpha) {
    double sum = 0;
    for (size_t arm = 0; arm < self->arms; arm++) {
        const tally *counts = &self->arm[arm];
        const double x = strength * self->q[arm];
        const double psi = counts->count > 0 ? xp__digamma(x) : 0;
        const double slope = counts->count > 0 ? xp__trigamma(x) : 0;
        double m = 0, c = 0;
        for (size_t i = 0; i < counts->count; i++) {
            const double n = counts->value[i], times = counts->times[i];
            m += times * (isinf(strength) ? n : x * (xp__digamma(x + n) - psi));
            c += times * (isinf(strength) ? n : x * x * (slope - xp__trigamma(x + n)));
        }
        self->m[arm] = m;
        self->c[arm] = alpha + fmax(c, 0);
        sum += alpha + m;
    }
    return sum;
}

/* Newton's step along the simplex, at most e-fold per arm. */
static void step(solver *self) {
    double above = 0, below = 0, sum = 0;
    for (size_t arm = 0; arm < self->arms; arm++) {
        const double q = self->q[arm];
        above += q * self->residual[arm] / self->c[arm];
        below += q * q / self->c[arm];
    }
    for (size_t arm = 0; arm < self->arms; arm++) {
        const double change = (self->residual[arm] - above / below * self->q[arm]) / self->c[arm];
        self->q[arm] *= exp(fmax(-1, fmin(1, change)));
        sum += self->q[arm];
    }
    for (size_t arm = 0; arm < self->arms; arm++) {
        self->q[arm] /= sum;
    }
}

/* The mode of q, from where q is. Where Newton's step does not come nearer, the fixed point's does:
 * it is a step of the EM algorithm, whose likelihood never falls. */
static void find_mode(solver *self, double strength, double alpha) {
    double before = INFINITY;
    for (size_t i = 0; i < MAX_ITERATIONS; i++) {
        const double sum = look(self, strength, alpha);
        double worst = 0;
        for (size_t arm = 0; arm < self->arms; arm++) {
            self->residual[arm] = alpha + self->m[arm] - sum * self->q[arm];
            worst = fmax(worst, fabs(self->residual[arm]));
        }
        if (worst <= 1e-9 * sum) {
            return;
        }
        if (worst < before && !isinf(strength)) {
            step(self);
        } else {
            for (size_t arm = 0; arm < self->arms; arm++) {
                self->q[arm] = (alpha + self->m[arm]) / sum;
            }
        }
        before = worst;
    }
}

/* log Γ(x + n) − log Γ(x), x > 0. */
static double rise(double x, double n) {
    return xp__log_gamma(x + n) - xp__log_gamma(x);
}

static double log_evidence(const solver *self, double strength, double alpha) {
    const double arms = (double)self->arms;
    double sum = xp__log_gamma(arms * alpha) - arms * xp__log_gamma(alpha);
    double log_c = 0, spread = 0;
    for (size_t arm = 0; arm < self->arms; arm++) {
        const double q = self->q[arm];
        const tally *counts = &self->arm[arm];
        sum += alpha * log(q);
        for (size_t i = 0; i < counts->count; i++) {
            const double n = counts->value[i];
            sum += counts->times[i] * (isinf(strength) ? n * log(q) : rise(strength * q, n));
        }
        log_c += log(self->c[arm]);
        spread += q * q / self->c[arm];
    }
    for (size_t i = 0; !isinf(strength) && i < self->total.count; i++) {
        sum -= self->total.times[i] * rise(strength, self->total.value[i]);
    }
    return sum + 0.5 * (arms - 1) * log(6.283185307179586) - 0.5 * (log_c + log(spread));
}

/* log prior density of log κ, up to a constant; ∞ is one rung more. */
static double log_prior(double strength) {
    const double k = isinf(strength) ? largest_strength : strength;
    const double share = k / (k + usual_strength);
    return 0.5 * log(share * (1 - share));
}

static xp_status allocate(xp__pooling *self, size_t arms, xp_error *error) {
    *self = (xp__pooling){.arms = arms, .rungs = RUNGS};
    self->strength = xp__alloc(RUNGS, (4 + 2 * arms) * sizeof *self->strength);
    if (self->strength == NULL) {
        return xp__no_memory(error);
    }
    self->alpha = self->strength + RUNGS;
    self->weight = self->alpha + RUNGS;
    self->evidence = self->weight + RUNGS;
    self->overall = self->evidence + RUNGS;
    self->tables = self->overall + RUNGS * arms;
    return XP_OK;
}

static void weigh(xp__pooling *self) {
    double largest = -INFINITY, sum = 0, prior = 0;
    for (size_t g = 0; g < GRID; g++) {
        prior += exp(log_prior(self->strength[g]));
    }
    for (size_t g = 0; g < self->rungs; g++) {
        self->weight[g] =
            self->evidence[g] + (g < GRID ? log_prior(self->strength[g]) - log(prior)
                                          : log(chance_of_none / (1 - chance_of_none)));
        largest = fmax(largest, self->weight[g]);
    }
    for (size_t g = 0; g < self->rungs; g++) {
        self->weight[g] = exp(self->weight[g] - largest);
        sum += self->weight[g];
    }
    for (size_t g = 0; g < self->rungs; g++) {
        self->weight[g] /= sum;
    }
}

/* The last rung: segments have nothing in common, each has a Dirichlet(½, ..., ½) of its own. That
 * is κ = K/2 with overall frequencies that are known to be even, α = ∞. */
static void set_none(const solver *self, xp__pooling *pooling) {
    const double arms = (double)self->arms, share = 0.5;
    double sum = 0;
    for (size_t arm = 0; arm < self->arms; arm++) {
        const tally *counts = &self->arm[arm];
        for (size_t i = 0; i < counts->count; i++) {
            sum += counts->times[i] * rise(share, counts->value[i]);
        }
        pooling->overall[GRID * self->arms + arm] = 1 / arms;
        pooling->tables[GRID * self->arms + arm] = 0;
    }
    for (size_t i = 0; i < self->total.count; i++) {
        sum -= self->total.times[i] * rise(share * arms, self->total.value[i]);
    }
    pooling->strength[GRID] = share * arms;
    pooling->alpha[GRID] = INFINITY;
    pooling->evidence[GRID] = sum;
}

xp_status xp__pooling_init(xp__pooling *pooling, const xp__segment_counts *counts,
                           xp_error *error) {
    solver self;
    xp_status status = allocate(pooling, counts->arms, error);
    if (status == XP_OK) {
        status = solver_init(&self, counts, error);
    }
    if (status != XP_OK) {
        xp__pooling_deinit(pooling);
        return status;
    }
    const size_t arms = counts->arms;
    const double factor = log(largest_strength / least_strength) / (STEPS - 1);
    for (size_t g = 0; g < GRID; g++) {
        const size_t i = g % (STEPS + 1);
        const double alpha = alphas[g / (STEPS + 1)];
        const double strength = i < STEPS ? least_strength * exp(factor * (double)i) : INFINITY;
        for (size_t arm = 0; i == 0 && arm < arms; arm++) {
            self.q[arm] = 1 / (double)arms;
        }
        find_mode(&self, strength, alpha);
        pooling->strength[g] = strength;
        pooling->alpha[g] = alpha;
        pooling->evidence[g] = log_evidence(&self, strength, alpha);
        memcpy(pooling->overall + g * arms, self.q, arms * sizeof *self.q);
        memcpy(pooling->tables + g * arms, self.m, arms * sizeof *self.m);
    }
    set_none(&self, pooling);
    solver_deinit(&self);
    weigh(pooling);
    return XP_OK;
}

void xp__pooling_deinit(xp__pooling *pooling) {
    xp__free(pooling->strength); /* the first of the numbers */
    *pooling = (xp__pooling){.rungs = 0};
}

double xp__pooling_segment(const xp__pooling *pooling, const double *n, double *p) {
    const size_t arms = pooling->arms;
    const double total = sum_of(n, arms);
    double own = 0;
    memset(p, 0, arms * sizeof *p);
    for (size_t g = 0; g < pooling->rungs; g++) {
        const double strength = pooling->strength[g], weight = pooling->weight[g];
        const double share = total / (total + strength); /* 0 if it is infinite */
        own += weight * share;
        for (size_t arm = 0; arm < arms; arm++) {
            p[arm] += weight * ((total > 0 ? share * n[arm] / total : 0) +
                                (1 - share) * pooling->overall[g * arms + arm]);
        }
    }
    return own;
}

double xp__pooling_worth(const xp__pooling *pooling, double total, double most) {
    double inverse = 0;
    for (size_t g = 0; g < pooling->rungs; g++) {
        inverse += pooling->weight[g] / (total + pooling->strength[g]);
    }
    return inverse * most > 1 ? 1 / inverse : most;
}

double xp__pooling_quantile(const xp__pooling *pooling, double share) {
    double below = pooling->weight[GRID]; /* whatever its κ, nothing is shared */
    if (below >= share) {
        return 0;
    }
    for (size_t i = 0; i <= STEPS; i++) { /* rungs of equal κ lie STEPS + 1 apart */
        for (size_t a = 0; a < ALPHAS; a++) {
            below += pooling->weight[a * (STEPS + 1) + i];
        }
        if (below >= share) {
            return pooling->strength[i];
        }
    }
    return INFINITY;
}

void xp__pooling_none(const double *n, size_t arms, double *p) {
    const double total = sum_of(n, arms) + 0.5 * (double)arms;
    for (size_t arm = 0; arm < arms; arm++) {
        p[arm] = (n[arm] + 0.5) / total;
    }
}

void xp__pooling_full(const xp__segment_counts *counts, double *p) {
    const size_t arms = counts->arms;
    memset(p, 0, arms * sizeof *p);
    for (size_t s = 0; s < counts->segments; s++) {
        for (size_t arm = 0; arm < arms; arm++) {
            p[arm] += counts->n[s * arms + arm];
        }
    }
    xp__pooling_none(p, arms, p);
}

/* The probability of a choice of `arm` given all choices but that one, of which the segment has n
 * in N. Removing it changes the posterior of the rungs, to w / f where f is the probability in a
 * rung, and takes its expected table from the overall frequencies. */
static double left_out(const xp__pooling *self, const double *table_sum, size_t arm, double n,
                       double total) {
    const double one = fmin(n, 1); /* an effective count may be below 1 */
    double inverse = 0;
    for (size_t g = 0; g < self->rungs; g++) {
        const double strength = self->strength[g], alpha = self->alpha[g];
        const double q = self->overall[g * self->arms + arm];
        const double x = strength * q;
        const double table = isinf(strength) ? one : one * x / (x + n - one);
        const double rest = isinf(alpha) ? q
                                         : (alpha + self->tables[g * self->arms + arm] - table) /
                                               ((double)self->arms * alpha + table_sum[g] - table);
        const double share = isinf(strength) ? 0 : (total - one) / (total - one + strength);
        const double mine = total > one ? (n - one) / (total - one) : 0;
        inverse += self->weight[g] / (share * mine + (1 - share) * rest);
    }
    return 1 / inverse;
}

/* xp__pooling_none without one choice. */
static double without_one(double n, double total, size_t arms) {
    const double one = fmin(n, 1);
    return (n - one + 0.5) / (total - one + 0.5 * (double)arms);
}

xp__left_out xp__pooling_left_out(const xp__pooling *pooling, const xp__segment_counts *counts) {
    const size_t arms = counts->arms;
    double table_sum[RUNGS], all = 0;
    xp__left_out sum = {0};
    for (size_t g = 0; g < pooling->rungs; g++) {
        table_sum[g] = sum_of(pooling->tables + g * arms, arms);
    }
    all = sum_of(counts->n, counts->segments * arms);
    for (size_t arm = 0; arm < arms; arm++) {
        double column = 0;
        for (size_t s = 0; s < counts->segments; s++) {
            column += counts->n[s * arms + arm];
        }
        sum.full += column > 0 ? column * log(without_one(column, all, arms)) : 0;
    }
    for (size_t s = 0; s < counts->segments; s++) {
        const double *n = counts->n + s * arms, total = sum_of(n, arms);
        for (size_t arm = 0; arm < arms; arm++) {
            if (n[arm] > 0) {
                sum.none += n[arm] * log(without_one(n[arm], total, arms));
                sum.estimated += n[arm] * log(left_out(pooling, table_sum, arm, n[arm], total));
            }
        }
    }
    return (xp__left_out){
        .none = sum.none / all, .full = sum.full / all, .estimated = sum.estimated / all};
}
