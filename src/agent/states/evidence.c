/* evidence.c: see evidence.h.
 *
 * x_k is the mean of n_k returns of fixed policy k and v_k = noise_k / n_k its variance. Given τ,
 * integrating B over the policies K that do not stand out leaves
 *
 *     R(K) = ∫ Π_k N(x_k | B, τ² + v_k) dB,   B | x ~ N(b, 1/w),   w = Σ_k 1 / (τ² + v_k)
 *
 * and a tried policy i that stands out adds N(d | 0, ω² + q) 2 Φ(d ω / sqrt(q (ω² + q))) with d =
 * x_i - b and q = v_i + 1/w; the last factor is the half-normal's. One that was not tried adds
 * nothing. */
#include "agent/states/evidence.h"

#include "base/memory.h"
#include "math/softmax.h"
#include "math/special.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCALES = 9, /* resolution times 1, 4, 16, …, 65536 */
    APART = 2,  /* places on that grid by which ω is beyond τ */
    PAIRS = (SCALES - APART) * (SCALES - APART + 1) / 2,
};

/* Instead of a policy that stands out. */
static const size_t NONE = SIZE_MAX, SAME = SIZE_MAX - 1;

/* As many returns as the noise common to all policies counts for, beside a policy's own. */
static const double shared_returns = 4;

static size_t policies_of(const xp__evidence *evidence) {
    return evidence->options.fixed + evidence->options.changing;
}

xp_status xp__evidence_init(xp__evidence *evidence, const xp__evidence_options *options,
                            xp_error *error) {
    *evidence = (xp__evidence){.options = *options};
    const size_t policies = policies_of(evidence), fixed = options->fixed;
    evidence->prior = xp__alloc(fixed, sizeof(double));
    evidence->count = xp__alloc(policies, sizeof(double));
    evidence->mean = xp__alloc(policies, sizeof(double));
    evidence->square = xp__alloc(policies, sizeof(double));
    evidence->strange = xp__alloc(fixed, sizeof(double));
    evidence->tried = xp__alloc(fixed, sizeof(size_t));
    evidence->known = xp__alloc(fixed, sizeof(double));
    evidence->term = xp__alloc((fixed + 1) * PAIRS, sizeof(double));
    if (evidence->prior == NULL || evidence->count == NULL || evidence->mean == NULL ||
        evidence->square == NULL || evidence->strange == NULL || evidence->tried == NULL ||
        evidence->known == NULL || evidence->term == NULL) {
        xp__evidence_deinit(evidence);
        return xp__no_memory(error);
    }
    xp__evidence_clear(evidence);
    return XP_OK;
}

void xp__evidence_deinit(xp__evidence *evidence) {
    xp__free(evidence->prior);
    xp__free(evidence->count);
    xp__free(evidence->mean);
    xp__free(evidence->square);
    xp__free(evidence->strange);
    xp__free(evidence->tried);
    xp__free(evidence->known);
    xp__free(evidence->term);
    *evidence = (xp__evidence){.count = NULL};
}

void xp__evidence_clear(xp__evidence *evidence) {
    const size_t bytes = policies_of(evidence) * sizeof(double);
    memset(evidence->count, 0, bytes);
    memset(evidence->mean, 0, bytes);
    memset(evidence->square, 0, bytes);
    memset(evidence->strange, 0, evidence->options.fixed * sizeof(double));
    evidence->tried_count = 0;
    evidence->before = 1;
    evidence->low = INFINITY;
    evidence->high = -INFINITY;
}

static void add_return(xp__evidence *evidence, size_t at, double value, double keep) {
    double *count = &evidence->count[at], *mean = &evidence->mean[at];
    const double away = value - *mean;
    *count = keep * *count + 1;
    *mean += away / *count;
    evidence->square[at] = keep * evidence->square[at] + away * (value - *mean);
}

void xp__evidence_record(xp__evidence *evidence, size_t policy, double value, bool strange) {
    const xp__evidence_options *o = &evidence->options;
    assert(policy < policies_of(evidence));
    evidence->low = fmin(evidence->low, value);
    evidence->high = fmax(evidence->high, value);
    /* What changes does so in the others' episodes too. */
    const double slowly = 1 - 1 / (o->memory * (double)o->changing);
    evidence->before *= slowly;
    for (size_t k = o->fixed; k < policies_of(evidence); k++) {
        evidence->count[k] *= slowly;
        evidence->square[k] *= slowly;
    }
    if (policy >= o->fixed) {
        add_return(evidence, policy, value, 1 - 1 / o->memory);
        return;
    }
    if (evidence->count[policy] == 0) {
        evidence->tried[evidence->tried_count++] = policy;
    }
    add_return(evidence, policy, value, 1);
    evidence->strange[policy] += strange;
}

/* Those that were tried are listed once each, and are those that have returns. */
static void archive_tried(xp__evidence *evidence, xp__archive *archive) {
    const size_t fixed = evidence->options.fixed;
    size_t with_returns = 0;
    for (size_t k = 0; k < fixed; k++) {
        with_returns += evidence->count[k] > 0;
    }
    xp__archive_size(archive, &evidence->tried_count, fixed);
    for (size_t t = 0; t < evidence->tried_count; t++) {
        xp__archive_size(archive, &evidence->tried[t], fixed - 1);
        bool is_new = evidence->count[evidence->tried[t]] > 0;
        for (size_t u = 0; u < t; u++) {
            is_new = is_new && evidence->tried[u] != evidence->tried[t];
        }
        xp__archive_check(archive, is_new, "a policy is listed as tried that was not, or twice");
    }
    xp__archive_check(archive, with_returns == evidence->tried_count,
                      "a policy has returns that was not tried");
}

void xp__evidence_archive(xp__evidence *evidence, xp__archive *archive) {
    const size_t policies = policies_of(evidence), fixed = evidence->options.fixed;
    xp__archive_within(archive, evidence->prior, fixed, 0, 1 + 1e-9);
    xp__archive_within(archive, evidence->count, policies, 0, 0x1p52);
    xp__archive_finite(archive, evidence->mean, policies);
    xp__archive_within(archive, evidence->square, policies, 0, DBL_MAX);
    xp__archive_whole(archive, evidence->strange, fixed, 0x1p52);
    for (size_t k = 0; k < fixed; k++) {
        xp__archive_check(archive, evidence->strange[k] <= evidence->count[k],
                          "a policy has more strange episodes than episodes");
    }
    xp__archive_within(archive, &evidence->before, 1, 0, 1);
    xp__archive_within(archive, &evidence->low, 1, -DBL_MAX, INFINITY);
    xp__archive_within(archive, &evidence->high, 1, -INFINITY, DBL_MAX);
    archive_tried(evidence, archive);
}

/* Log-probability of which episodes of a fixed policy were strange, with a rate of law Beta(1, b):
 * b = 1 where it is unknown; and so that the law's mode is 0 and its mean about that of
 * demonstrations where the policy is in its own context. */
static double log_rate(const xp__evidence *evidence, size_t k, double b) {
    const double strange = evidence->strange[k];
    return log(b) + xp__log_beta(strange + 1, evidence->count[k] - strange + b);
}

/* Log-probabilities of what was strange: all policies in their own context, or all with rates of
 * their own that are unknown; or one or the other. */
typedef struct oddity {
    double usual, any;
} oddity;

static oddity oddity_of(const xp__evidence *evidence, size_t k) {
    const double strange = evidence->options.strange;
    return strange > 0 ? (oddity){log_rate(evidence, k, 1 / strange), log_rate(evidence, k, 1)}
                       : (oddity){0, 0};
}

static oddity all_oddity(const xp__evidence *evidence) {
    oddity all = {0, 0};
    for (size_t t = 0; t < evidence->tried_count; t++) {
        const oddity one = oddity_of(evidence, evidence->tried[t]);
        all.usual += one.usual;
        all.any += one.any;
    }
    return all;
}

static double log_either(oddity o) {
    return fmax(o.usual, o.any) + log(0.5 * (1 + exp(-fabs(o.usual - o.any))));
}

/* Weights of all that is left when no tried policy stands out, by what was strange: one that was
 * not tried, for each unit of its prior probability, and the other two. */
typedef struct rest {
    double untried, none, same;
    double sum, log; /* of all of them, over exp(log) */
    oddity all;
} rest;

static rest weigh_rest(const xp__evidence *evidence) {
    const oddity all = all_oddity(evidence);
    rest left = {.log = fmax(all.usual, all.any), .all = all};
    left.untried = exp(log_either(all) - left.log);
    left.none = evidence->options.none * exp(all.any - left.log);
    left.same = evidence->options.same * exp(all.usual - left.log);
    left.sum = left.none + left.same;
    for (size_t k = 0; k < evidence->options.fixed; k++) {
        left.sum += evidence->count[k] > 0 ? 0 : left.untried * evidence->prior[k];
    }
    return left;
}

/* What all hypotheses share. */
typedef struct setting {
    double unit;   /* the resolution, but never nothing beside the returns seen */
    double pooled; /* variance of returns about their fixed policy's mean, common to all */
    double centre; /* means are taken from here, against cancellation */
} setting;

static setting settle(const xp__evidence *evidence) {
    double squares = 0, freedom = 0, sum = 0;
    for (size_t t = 0; t < evidence->tried_count; t++) {
        const size_t k = evidence->tried[t];
        squares += evidence->square[k];
        freedom += evidence->count[k] - 1;
        sum += evidence->mean[k];
    }
    const double range = evidence->high > evidence->low ? evidence->high - evidence->low : 0;
    const double unit = fmax(evidence->options.resolution, 1e-4 * range);
    return (setting){.unit = unit > 0 ? unit : 1,
                     .pooled = freedom > 0 ? squares / freedom : 0,
                     .centre = evidence->tried_count > 0 ? sum / (double)evidence->tried_count : 0};
}

static double scale(const setting *now, size_t place) {
    return ldexp(now->unit, 2 * (int)place);
}

static double x_of(const xp__evidence *evidence, const setting *now, size_t k) {
    return evidence->mean[k] - now->centre;
}

/* Of a policy's mean, with at most that much noise in a return. */
static double variance_with(const xp__evidence *evidence, const setting *now, size_t k,
                            double most) {
    const double own = fmax(0, evidence->count[k] - 1);
    const double noise =
        (shared_returns * now->pooled + evidence->square[k]) / (shared_returns + own);
    return (now->unit * now->unit + fmin(noise, most)) / evidence->count[k];
}

/* The same, where what the returns of a changing policy vary more than those of fixed ones is its
 * change, not chance. */
static double variance_of(const xp__evidence *evidence, const setting *now, size_t k) {
    return variance_with(evidence, now, k, k < evidence->options.fixed ? INFINITY : now->pooled);
}

/* Σ_k of 1, x and x² times 1 / (τ² + v), and of log(τ² + v). */
typedef struct sums {
    double w, x, xx, log;
} sums;

static sums add_up(const xp__evidence *evidence, const setting *now, double tau) {
    sums all = {.w = 0};
    for (size_t t = 0; t < evidence->tried_count; t++) {
        const size_t k = evidence->tried[t];
        const double x = x_of(evidence, now, k);
        const double variance = tau * tau + variance_of(evidence, now, k);
        all.w += 1 / variance;
        all.x += x / variance;
        all.xx += x * x / variance;
        all.log += log(variance);
    }
    return all;
}

static sums without(const xp__evidence *evidence, const setting *now, double tau, const sums *all,
                    size_t k) {
    const double x = x_of(evidence, now, k);
    const double variance = tau * tau + variance_of(evidence, now, k);
    return (sums){.w = all->w - 1 / variance,
                  .x = all->x - x / variance,
                  .xx = all->xx - x * x / variance,
                  .log = all->log - log(variance)};
}

/* log R, without its factors of 2π. */
static double log_r(const sums *s) {
    return -0.5 * (s->log + log(s->w) + s->xx - s->x * s->x / s->w);
}

/* d and q of a tried policy, from the sums over the others. */
typedef struct gap {
    double d, q;
} gap;

static gap gap_of(const xp__evidence *evidence, const setting *now, const sums *others, size_t k) {
    return (gap){x_of(evidence, now, k) - others->x / others->w,
                 variance_of(evidence, now, k) + 1 / others->w};
}

static double log_gap(gap g, double omega) {
    const double variance = omega * omega + g.q, z = g.d * omega / sqrt(g.q * variance);
    /* erfc(-z/√2) is 2 Φ(z); where it underflows the hypothesis is out of the question. */
    return -0.5 * (log(variance) + g.d * g.d / variance) +
           log(fmax(erfc(-z * 0.70710678118654752), 1e-300));
}

/* What was strange, if tried policy k is in its own context. */
static double log_strange(const xp__evidence *evidence, oddity all, size_t k) {
    const oddity own = oddity_of(evidence, k);
    return own.usual + log_either((oddity){all.usual - own.usual, all.any - own.any});
}

/* Writes term[pair (τ, ω)][1 + tried]: log-weights of "no tried policy stands out" and of each
 * tried one. With one policy tried there is nothing to compare: all weights are the prior's. */
static void fill(const xp__evidence *evidence, const setting *now) {
    const size_t tried = evidence->tried_count;
    const rest left = weigh_rest(evidence);
    const double log_rest = log(fmax(left.sum, 1e-300)) + left.log;
    for (size_t t = 0; t < tried; t++) {
        const size_t k = evidence->tried[t];
        evidence->known[t] = log(evidence->prior[k]) + log_strange(evidence, left.all, k);
    }
    double *at = evidence->term;
    for (size_t a = 0; a + APART < SCALES; a++) {
        const double tau = scale(now, a);
        const sums all = add_up(evidence, now, tau);
        const size_t pairs = SCALES - APART - a;
        for (size_t b = 0; b < pairs; b++) {
            at[b * (tried + 1)] = log_rest + (tried > 1 ? log_r(&all) : 0);
        }
        for (size_t t = 0; t < tried; t++) {
            const size_t k = evidence->tried[t];
            const sums others = without(evidence, now, tau, &all, k);
            const double base = evidence->known[t] + (tried > 1 ? log_r(&others) : 0);
            for (size_t b = 0; b < pairs; b++) {
                at[b * (tried + 1) + 1 + t] =
                    base + (tried > 1 ? log_gap(gap_of(evidence, now, &others, k),
                                                scale(now, a + APART + b))
                                      : 0);
            }
        }
        at += pairs * (tried + 1);
    }
}

void xp__evidence_posterior(const xp__evidence *evidence, double *probability) {
    const size_t fixed = evidence->options.fixed, width = evidence->tried_count + 1;
    const setting now = settle(evidence);
    fill(evidence, &now);
    const double total = xp__exponentiate(evidence->term, PAIRS * width, NULL);
    const rest left = weigh_rest(evidence);
    const double unit = left.sum > 0 ? 1 / left.sum : 0;
    double untried = 0;
    memset(probability, 0, (fixed + 2) * sizeof *probability);
    for (size_t i = 0; i < PAIRS * width; i++) {
        if (i % width == 0) {
            untried += evidence->term[i] / total;
        } else {
            probability[evidence->tried[i % width - 1]] += evidence->term[i] / total;
        }
    }
    for (size_t k = 0; k < fixed; k++) {
        if (evidence->count[k] == 0) {
            probability[k] = untried * unit * left.untried * evidence->prior[k];
        }
    }
    probability[fixed] = untried * unit * left.none;
    probability[fixed + 1] = untried * unit * left.same;
}

/* A normal variate that is positive. */
static double positive_normal(xp_rng *rng, double mean, double deviation) {
    const double low = -mean / deviation;
    double z;
    if (low < 0.5) {
        do {
            z = xp_rng_normal(rng);
        } while (z < low);
        return deviation * (z - low);
    }
    /* Robert, "Simulation of truncated normal variables", 1995. */
    const double rate = low < 1e100 ? 0.5 * (low + sqrt(low * low + 4)) : low;
    do {
        z = low + xp_rng_exponential(rng) / rate;
    } while (xp_rng_uniform(rng) > exp(-0.5 * (z - rate) * (z - rate)));
    return deviation * (z - low);
}

/* A fixed policy that was not tried, NONE, or SAME. */
static size_t draw_untried(const xp__evidence *evidence, xp_rng *rng) {
    const size_t fixed = evidence->options.fixed;
    const rest weights = weigh_rest(evidence);
    double left = weights.sum * xp_rng_uniform(rng);
    for (size_t k = 0; k < fixed; k++) {
        left -= evidence->count[k] > 0 ? 0 : weights.untried * evidence->prior[k];
        if (left < 0) {
            return k;
        }
    }
    return left < weights.none ? NONE : SAME;
}

/* A draw of everything but the means of those that do not stand out. */
typedef struct drawn {
    size_t special;         /* a fixed policy, NONE or SAME */
    double tau, base, best; /* τ, B, B + g */
} drawn;

static drawn draw_hypothesis(const xp__evidence *evidence, const setting *now, xp_rng *rng) {
    const size_t width = evidence->tried_count + 1;
    if (evidence->tried_count == 0) { /* all that is known is the prior */
        const size_t special = draw_untried(evidence, rng);
        return (drawn){.special = special,
                       .tau = now->unit,
                       .best = special < evidence->options.fixed ? INFINITY : -INFINITY};
    }
    fill(evidence, now);
    double left = xp_rng_uniform(rng) * xp__exponentiate(evidence->term, PAIRS * width, NULL);
    size_t at = 0, place = 0;
    while (at + 1 < PAIRS * width && (left -= evidence->term[at]) >= 0) {
        at++;
    }
    size_t pair = at / width;
    while (pair >= SCALES - APART - place) {
        pair -= SCALES - APART - place++;
    }
    drawn d = {.tau = scale(now, place)};
    const double omega = scale(now, place + APART + pair);
    const sums all = add_up(evidence, now, d.tau);
    if (at % width == 0 || width == 2) {
        d.special = at % width == 0 ? draw_untried(evidence, rng) : evidence->tried[0];
        d.base = all.x / all.w + xp_rng_normal(rng) / sqrt(all.w);
        d.best = d.special == SAME ? -INFINITY : d.base + omega * fabs(xp_rng_normal(rng));
        return d;
    }
    d.special = evidence->tried[at % width - 1];
    const sums others = without(evidence, now, d.tau, &all, d.special);
    const gap g = gap_of(evidence, now, &others, d.special);
    const double share = omega * omega / (omega * omega + g.q);
    const double more = positive_normal(rng, share * g.d, sqrt(share * g.q));
    const double own = 1 / variance_of(evidence, now, d.special), w = others.w + own;
    d.base = (others.x + own * (x_of(evidence, now, d.special) - more)) / w +
             xp_rng_normal(rng) / sqrt(w);
    d.best = d.base + more;
    return d;
}

/* The mean of a fixed policy that does not stand out. */
static double draw_regular(const xp__evidence *evidence, const setting *now, const drawn *d,
                           size_t k, xp_rng *rng) {
    double mean = d->base, variance = d->tau * d->tau;
    if (evidence->count[k] > 0) {
        const double own = variance_of(evidence, now, k), share = variance / (variance + own);
        mean += share * (x_of(evidence, now, k) - d->base);
        variance = share * own;
    }
    return mean + sqrt(variance) * xp_rng_normal(rng);
}

/* The mean of a changing policy. One that was not tried began as the fixed ones that do not stand
 * out; how far it has come since is as unknown as that of one which was last tried then. */
static double draw_changing(const xp__evidence *evidence, const setting *now, const drawn *d,
                            size_t k, xp_rng *rng) {
    const bool tried = evidence->count[k] > 0;
    const double mean = tried ? x_of(evidence, now, k) : d->base;
    const double variance =
        tried ? variance_of(evidence, now, k) : now->unit * now->unit / evidence->before;
    return mean + sqrt(variance) * xp_rng_normal(rng);
}

/* The best fixed policy, whose mean becomes d->best. */
static size_t best_fixed(const xp__evidence *evidence, const setting *now, drawn *d, xp_rng *rng) {
    size_t best = d->special;
    for (size_t k = 0; k < evidence->options.fixed && d->best < INFINITY; k++) {
        if (k != d->special && (evidence->count[k] > 0 || evidence->prior[k] > 0)) {
            const double value = draw_regular(evidence, now, d, k, rng);
            best = value > d->best ? k : best;
            d->best = fmax(d->best, value);
        }
    }
    return best;
}

size_t xp__evidence_draw(const xp__evidence *evidence, xp_rng *rng) {
    const size_t fixed = evidence->options.fixed;
    const setting now = settle(evidence);
    drawn d = draw_hypothesis(evidence, &now, rng);
    if (d.special == NONE) {
        return fixed + (size_t)xp_rng_below(rng, evidence->options.changing);
    }
    const size_t best = best_fixed(evidence, &now, &d, rng);
    const size_t learner = fixed + (size_t)xp_rng_below(rng, evidence->options.changing);
    /* Where returns are too large for their squares no fixed one may have been better than none. */
    const double value = draw_changing(evidence, &now, &d, learner, rng);
    return value > d.best || best >= fixed ? learner : best;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Variance of returns about their policy's mean, of the median fixed policy that was tried more
 * than once: a few wild ones do not make all others look so. */
static double usual_variance(const xp__evidence *evidence) {
    size_t count = 0;
    for (size_t t = 0; t < evidence->tried_count; t++) {
        const size_t k = evidence->tried[t];
        if (evidence->count[k] > 1) {
            evidence->known[count++] = evidence->square[k] / (evidence->count[k] - 1);
        }
    }
    qsort(evidence->known, count, sizeof *evidence->known, by_size);
    return count > 0 ? evidence->known[count / 2] : 0;
}

/* Two standard errors below a policy's mean. A changing policy is as noisy as it looks: its change
 * can go either way. */
static double lower_bound(const xp__evidence *evidence, const setting *now, size_t k) {
    return x_of(evidence, now, k) - 2 * sqrt(variance_with(evidence, now, k, INFINITY));
}

size_t xp__evidence_settled(const xp__evidence *evidence) {
    setting now = settle(evidence);
    now.pooled = usual_variance(evidence);
    size_t best = NONE, likely = 0;
    for (size_t k = 0; k < policies_of(evidence); k++) {
        if (evidence->count[k] > 0 &&
            (best == NONE || lower_bound(evidence, &now, k) > lower_bound(evidence, &now, best))) {
            best = k;
        }
        if (k < evidence->options.fixed && evidence->prior[k] > evidence->prior[likely]) {
            likely = k;
        }
    }
    return best == NONE ? likely : best;
}
