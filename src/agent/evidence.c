/* evidence.c: see evidence.h. */
#include "agent/evidence.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { SCALES = XP__EVIDENCE_SCALES };
#define SHARED 4.0

xp_status xp__evidence_init(xp__evidence *evidence, size_t policies, double resolution,
                            const double *prior, xp_error *error) {
    *evidence =
        (xp__evidence){.policies = policies, .resolution = resolution, .prior = prior};
    evidence->count = xp__alloc(policies, sizeof(double));
    evidence->mean = xp__alloc(policies, sizeof(double));
    evidence->square = xp__alloc(policies, sizeof(double));
    evidence->tried = xp__alloc(policies, sizeof(size_t));
    evidence->term = xp__alloc((policies + 1) * SCALES * SCALES, sizeof(double));
    if (evidence->count == NULL || evidence->mean == NULL || evidence->square == NULL ||
        evidence->tried == NULL || evidence->term == NULL) {
        xp__evidence_deinit(evidence);
        return xp__no_memory(error);
    }
    xp__evidence_clear(evidence);
    return XP_OK;
}

void xp__evidence_deinit(xp__evidence *evidence) {
    xp__free(evidence->count);
    xp__free(evidence->mean);
    xp__free(evidence->square);
    xp__free(evidence->tried);
    xp__free(evidence->term);
    *evidence = (xp__evidence){.count = NULL};
}

void xp__evidence_clear(xp__evidence *evidence) {
    memset(evidence->count, 0, evidence->policies * sizeof(double));
    memset(evidence->mean, 0, evidence->policies * sizeof(double));
    memset(evidence->square, 0, evidence->policies * sizeof(double));
    evidence->tried_count = 0;
    evidence->low = evidence->high = 0;
}

void xp__evidence_record(xp__evidence *evidence, size_t policy, double value) {
    const bool first = evidence->tried_count == 0;
    if (evidence->count[policy] == 0) {
        evidence->tried[evidence->tried_count++] = policy;
    }
    evidence->low = first || value < evidence->low ? value : evidence->low;
    evidence->high = first || value > evidence->high ? value : evidence->high;
    const double away = value - evidence->mean[policy];
    evidence->count[policy] += 1;
    evidence->mean[policy] += away / evidence->count[policy];
    evidence->square[policy] += away * (value - evidence->mean[policy]);
}

void xp__evidence_fade(xp__evidence *evidence, size_t policy, double factor) {
    evidence->count[policy] *= factor;
    evidence->square[policy] *= factor;
}

/* What is the same for all hypotheses. */
typedef struct setting {
    double unit2, pooled;
    double scale[SCALES];
    double centre; /* means are taken from here, against cancellation */
} setting;

static setting settle(const xp__evidence *evidence) {
    double squares = 0, freedom = 0, sum = 0;
    for (size_t t = 0; t < evidence->tried_count; t++) {
        const size_t k = evidence->tried[t];
        if (evidence->count[k] > 1) {
            squares += evidence->square[k];
            freedom += evidence->count[k] - 1;
        }
        sum += evidence->mean[k];
    }
    const double least = fmax(evidence->resolution, 1e-4 * (evidence->high - evidence->low));
    const double unit = least > 0 ? least : 1;
    setting now = {.unit2 = unit * unit, .pooled = freedom > 0 ? squares / fmax(freedom, 1) : 0,
                   .centre = sum / fmax(1, (double)evidence->tried_count)};
    for (size_t j = 0; j < SCALES; j++) {
        now.scale[j] = unit * ldexp(1, 2 * (int)j); /* 1, 4, 16, … 65536 */
    }
    return now;
}

/* Sums over tried policies with weight 1 / (τ² + noise / n): of 1, x, x², log of 1 / weight. */
typedef struct sums {
    double one, x, xx, log;
} sums;

static double tried_mean(const xp__evidence *evidence, const setting *now, size_t k) {
    return evidence->mean[k] - now->centre;
}

static double tried_variance(const xp__evidence *evidence, const setting *now, size_t k) {
    const double freedom = fmax(0, evidence->count[k] - 1);
    const double noise = now->unit2 + (SHARED * now->pooled + evidence->square[k]) / (SHARED + freedom);
    return noise / evidence->count[k];
}

static sums add_up(const xp__evidence *evidence, const setting *now, double tau) {
    sums total = {.one = 0};
    for (size_t t = 0; t < evidence->tried_count; t++) {
        const size_t k = evidence->tried[t];
        const double x = tried_mean(evidence, now, k);
        const double variance = tau * tau + tried_variance(evidence, now, k);
        total.one += 1 / variance;
        total.x += x / variance;
        total.xx += x * x / variance;
        total.log += log(variance);
    }
    return total;
}

static sums without(const xp__evidence *evidence, const setting *now, double tau, const sums *all,
                    size_t k) {
    const double x = tried_mean(evidence, now, k);
    const double variance = tau * tau + tried_variance(evidence, now, k);
    return (sums){.one = fmax(0, all->one - 1 / variance),
                  .x = all->x - x / variance,
                  .xx = all->xx - x * x / variance,
                  .log = all->log - log(variance)};
}

/* log ∫ Π_k N(x_k | B, τ² + v_k) dB, without the factors 2π. */
static double log_regular(const sums *s) {
    return -0.5 * (s->log + log(s->one) + s->xx - s->x * s->x / s->one);
}

/* What returns say of the gap g of a tried special policy: x - B ~ N(g, spread²). */
typedef struct gap {
    double away, spread2;
    bool known; /* false: no other policy was tried, and B is unknown */
} gap;

static gap gap_of(const xp__evidence *evidence, const setting *now, const sums *rest, size_t k) {
    if (evidence->tried_count < 2) {
        return (gap){.known = false};
    }
    return (gap){.away = tried_mean(evidence, now, k) - rest->x / rest->one,
                 .spread2 = tried_variance(evidence, now, k) + 1 / rest->one,
                 .known = true};
}

static double log_special(const gap *g, double omega) {
    if (!g->known) {
        return 0;
    }
    const double variance = omega * omega + g->spread2;
    const double z = g->away * omega / sqrt(g->spread2 * variance);
    /* erfc(-z/√2) = 2 Φ(z); it underflows where the hypothesis is out of the question anyway. */
    return -0.5 * (log(variance) + g->away * g->away / variance) +
           log(fmax(erfc(-z * 0.70710678118654752), 1e-300));
}

/* Fills term[τ][ω][1 + tried]: log-weights of "no tried policy stands out" and of each tried one.
 * Returns the largest. */
static double fill(const xp__evidence *evidence, const setting *now) {
    const size_t tried = evidence->tried_count;
    double untried = 1;
    for (size_t t = 0; t < tried; t++) {
        untried -= evidence->tried[t] >= evidence->changing ? 0 : evidence->prior[evidence->tried[t]];
    }
    double largest = -INFINITY;
    for (size_t a = 0; a < SCALES; a++) {
        const sums all = add_up(evidence, now, now->scale[a]);
        double *at = evidence->term + a * SCALES * (tried + 1);
        for (size_t b = 0; b < SCALES; b++) {
            at[b * (tried + 1)] = b < a + evidence->apart ? -INFINITY : log(fmax(untried, 1e-300)) + log_regular(&all);
            largest = fmax(largest, at[b * (tried + 1)]);
        }
        for (size_t t = 0; t < tried; t++) {
            const size_t k = evidence->tried[t];
            const sums rest = without(evidence, now, now->scale[a], &all, k);
            const gap g = gap_of(evidence, now, &rest, k);
            const double base =
                log(evidence->prior[k]) + (g.known ? log_regular(&rest) : 0);
            for (size_t b = 0; b < SCALES; b++) {
                double *term = at + b * (tried + 1) + 1 + t;
                *term = b < a + evidence->apart || k >= evidence->changing ? -INFINITY : base + log_special(&g, now->scale[b]);
                largest = fmax(largest, *term);
            }
        }
    }
    return largest;
}

static double positive_normal(xp_rng *rng, double mean, double deviation) {
    const double low = -mean / deviation; /* of a standard normal */
    double z;
    if (low < 0.5) {
        do {
            z = xp_rng_normal(rng);
        } while (z < low);
        return mean + deviation * z;
    }
    const double rate = 0.5 * (low + sqrt(low * low + 4)); /* Robert (1995) */
    do {
        z = low + xp_rng_exponential(rng) / rate;
    } while (xp_rng_uniform(rng) > exp(-0.5 * (z - rate) * (z - rate)));
    return deviation * (z - low);
}

static size_t draw_untried(const xp__evidence *evidence, xp_rng *rng) {
    double total = 0;
    for (size_t k = 0; k < evidence->policies; k++) {
        total += evidence->count[k] > 0 && k < evidence->changing ? 0 : evidence->prior[k];
    }
    double left = xp_rng_uniform(rng) * total;
    size_t chosen = 0;
    for (size_t k = 0; k < evidence->policies; k++) {
        if (evidence->count[k] > 0 && k < evidence->changing) {
            continue;
        }
        chosen = k;
        left -= evidence->prior[k];
        if (left < 0) {
            break;
        }
    }
    return chosen;
}

typedef struct drawn {
    double tau, omega, base, gap;
    size_t special;
} drawn;

static drawn draw_hypothesis(const xp__evidence *evidence, const setting *now, xp_rng *rng) {
    const size_t width = evidence->tried_count + 1, terms = SCALES * SCALES * width;
    const double largest = fill(evidence, now);
    double total = 0;
    for (size_t i = 0; i < terms; i++) {
        total += exp(evidence->term[i] - largest);
    }
    double left = xp_rng_uniform(rng) * total;
    size_t at = 0;
    for (size_t i = 0; i < terms; i++) {
        const double weight = exp(evidence->term[i] - largest);
        at = weight > 0 ? i : at;
        left -= weight;
        if (left < 0) {
            break;
        }
    }
    drawn d = {.tau = now->scale[at / (SCALES * width)],
               .omega = now->scale[at / width % SCALES]};
    const sums all = add_up(evidence, now, d.tau);
    if (at % width == 0) {
        d.special = draw_untried(evidence, rng);
        d.gap = d.omega * fabs(xp_rng_normal(rng));
        d.base = all.x / all.one + xp_rng_normal(rng) / sqrt(all.one);
        return d;
    }
    d.special = evidence->tried[at % width - 1];
    const sums rest = without(evidence, now, d.tau, &all, d.special);
    const gap g = gap_of(evidence, now, &rest, d.special);
    const double own = 1 / tried_variance(evidence, now, d.special);
    const double omega2 = d.omega * d.omega;
    d.gap = g.known ? positive_normal(rng, g.away * omega2 / (omega2 + g.spread2),
                                      sqrt(omega2 * g.spread2 / (omega2 + g.spread2)))
                    : d.omega * fabs(xp_rng_normal(rng));
    const double precision = (g.known ? rest.one : 0) + own;
    const double sum = (g.known ? rest.x : 0) +
                       own * (tried_mean(evidence, now, d.special) - d.gap);
    d.base = sum / precision + xp_rng_normal(rng) / sqrt(precision);
    return d;
}

size_t xp__evidence_draw(const xp__evidence *evidence, xp_rng *rng) {
    if (evidence->tried_count == 0) {
        return draw_untried(evidence, rng);
    }
    const setting now = settle(evidence);
    const drawn d = draw_hypothesis(evidence, &now, rng);
    size_t best = d.special;
    double most = d.base + d.gap;
    for (size_t k = 0; k < evidence->policies; k++) {
        if (k == d.special || (evidence->count[k] == 0 && evidence->prior[k] == 0)) {
            continue;
        }
        double mean = d.base, variance = d.tau * d.tau;
        if (evidence->count[k] > 0) {
            const double own = tried_variance(evidence, &now, k);
            const double share = variance / (variance + own);
            mean += share * (tried_mean(evidence, &now, k) - d.base);
            variance = share * own;
        }
        const double value = mean + sqrt(variance) * xp_rng_normal(rng);
        if (value > most) {
            most = value;
            best = k;
        }
    }
    return best;
}
