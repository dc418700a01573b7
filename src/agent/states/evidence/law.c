/* law.c: the posterior of evidence.h, and draws from it.
 *
 * x_k is the mean of n_k returns of fixed policy k and v_k = noise_k / n_k its variance. Given τ,
 * integrating B over the policies K that do not stand out leaves
 *
 *     R(K) = ∫ Π_k N(x_k | B, τ² + v_k) dB,   B | x ~ N(b, 1/w),   w = Σ_k 1 / (τ² + v_k)
 *
 * and a tried policy i that stands out adds N(d | 0, ω² + q) 2 Φ(d ω / sqrt(q (ω² + q))) with d =
 * x_i - b and q = v_i + 1/w; the last factor is the half-normal's. One that was not tried adds
 * nothing. */
#include "agent/states/evidence/law.h"

#include "agent/states/evidence/heads.h"

#include "math/softmax.h"
#include "math/special.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCALES = 9, /* resolution times 1, 4, 16, …, 65536 */
    APART = 2,  /* places on that grid by which ω is beyond τ */
    PLACES = SCALES - APART,
    PAIRS = PLACES * (PLACES + 1) / 2, /* of τ and ω */
};

/* Instead of a policy that stands out. */
static const size_t NONE = SIZE_MAX, SAME = SIZE_MAX - 1;

/* With `relative`: probability that a policy that does not stand out is an outlier all the same;
 * that one that does not stand out pays what no other one did; and that one that stands out does
 * not. */
static const double outlying = 0.1, unheard = 0.001, usual_pay = 0.05;
/* The same as `unheard` where all others paid the same at all times, so that any more is unheard.
 */
static const double unclear = 0.1;
/* With `relative`: nats by which what was strange has to speak for `none` before changing policies
 * act whatever they return. */
static const double beyond_doubt = 10;

static size_t policies_of(const xp__evidence *evidence) {
    return evidence->options.fixed + evidence->options.changing;
}

size_t xp__evidence_terms(size_t fixed) {
    return (2 * fixed + 1) * PAIRS;
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

static double scale(const xp__evidence_scale *now, size_t place) {
    return ldexp(now->unit, 2 * (int)place);
}

/* Σ_k of 1, x and x² times 1 / (τ² + v), and of log(τ² + v). */
typedef struct sums {
    double w, x, xx, log;
} sums;

static sums add_up(const xp__evidence *evidence, const xp__evidence_scale *now, double tau) {
    sums all = {.w = 0};
    for (size_t t = 0; t < evidence->tried_count; t++) {
        const size_t k = evidence->tried[t];
        const double x = xp__evidence_x(evidence, now, k);
        const double variance = tau * tau + xp__evidence_variance(evidence, now, k);
        all.w += 1 / variance;
        all.x += x / variance;
        all.xx += x * x / variance;
        all.log += log(variance);
    }
    return all;
}

static sums without(const xp__evidence *evidence, const xp__evidence_scale *now, double tau,
                    const sums *all, size_t k) {
    const double x = xp__evidence_x(evidence, now, k);
    const double variance = tau * tau + xp__evidence_variance(evidence, now, k);
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

static gap gap_of(const xp__evidence *evidence, const xp__evidence_scale *now, const sums *others,
                  size_t k) {
    return (gap){xp__evidence_x(evidence, now, k) - others->x / others->w,
                 xp__evidence_variance(evidence, now, k) + 1 / others->w};
}

/* log N(d | 0, ω² + q), without its factor of 2π: an outlier on either side. */
static double log_outlier(gap g, double omega) {
    const double variance = omega * omega + g.q;
    return -0.5 * (log(variance) + g.d * g.d / variance);
}

/* log of 2 Φ(z), by which a gap that is above 0 differs from an outlier. Where erfc underflows, the
 * hypothesis is out of the question. */
static double log_above(gap g, double omega) {
    const double variance = omega * omega + g.q, z = g.d * omega / sqrt(g.q * variance);
    return log(fmax(erfc(-z * 0.70710678118654752), 1e-300));
}

/* What was strange, if tried policy k is in its own context. */
static double log_strange(const xp__evidence *evidence, oddity all, size_t k) {
    const oddity own = oddity_of(evidence, k);
    return own.usual + log_either((oddity){all.usual - own.usual, all.any - own.any});
}

/* Of the hypotheses about returns, how many there are for each (τ, ω): no tried policy stands out;
 * each tried one does; and with `relative`, no tried policy stands out and one is an outlier. */
static size_t width_of(const xp__evidence *evidence) {
    const size_t tried = evidence->tried_count;
    return 1 + tried + (evidence->options.relative && tried > 1 ? tried : 0);
}

/* Whether tried policy k alone has paid at once what exceeds all that others did by more than their
 * whole range; *range is that. */
static bool pays_alone(const xp__evidence *evidence, size_t k, double *range) {
    double least = INFINITY, most = -INFINITY;
    for (size_t t = 0; t < evidence->tried_count; t++) {
        const size_t other = evidence->tried[t];
        if (other != k) {
            least = fmin(least, evidence->least[other]);
            most = fmax(most, evidence->most[other]);
        }
    }
    *range = most - least;
    return most >= least && evidence->most[k] - most > *range;
}

/* The tried policy that pays so, or NONE; and the log-probability of that if it does not stand
 * out. */
static size_t lone_payer(const xp__evidence *evidence, double *log_lone) {
    *log_lone = 0;
    for (size_t t = 0; evidence->options.relative && t < evidence->tried_count; t++) {
        double range;
        if (pays_alone(evidence, evidence->tried[t], &range)) {
            *log_lone = log(range > 0 ? unheard : unclear);
            return evidence->tried[t];
        }
    }
    return NONE;
}

/* What tried policies have paid at once: the most and the least of all, and of those that never
 * paid the most. */
typedef struct payments {
    double top, bottom, most, least;
} payments;

static payments payments_of(const xp__evidence *evidence) {
    payments all = {.top = -INFINITY, .bottom = INFINITY, .most = -INFINITY, .least = INFINITY};
    for (size_t t = 0; t < evidence->tried_count; t++) {
        all.top = fmax(all.top, evidence->most[evidence->tried[t]]);
        all.bottom = fmin(all.bottom, evidence->least[evidence->tried[t]]);
    }
    for (size_t t = 0; t < evidence->tried_count; t++) {
        const size_t other = evidence->tried[t];
        if (evidence->most[other] < all.top) {
            all.least = fmin(all.least, evidence->least[other]);
            all.most = fmax(all.most, evidence->most[other]);
        }
    }
    return all;
}

/* Probability of what tried policy k has paid at once, if it stands out: the most that any paid,
 * alone or with some others, by more than the whole range of the rest. Where every reward was the
 * same, pay tells nothing. */
static double fitting_pay(const xp__evidence *evidence, const payments *all, size_t k) {
    const bool pays = evidence->most[k] == all->top && all->most >= all->least &&
                      all->top - all->most > all->most - all->least;
    return !(all->top > all->bottom) ? 0.5 : pays ? 1 - usual_pay : usual_pay;
}

/* Log-weights of one tried policy for all ω of a τ: that it stands out at `at`, and that it is an
 * outlier at `outlier` (NULL: not asked for), `width` apart; `left` is the log-weight of all that
 * is left. */
static void fill_tried(const xp__evidence *evidence, const xp__evidence_scale *now, size_t place,
                       const sums *all, const payments *paid, size_t t, double left, size_t width,
                       double *at, double *outlier) {
    const size_t k = evidence->tried[t], pairs = PLACES - place;
    const bool alone = evidence->tried_count == 1;
    const sums others = without(evidence, now, scale(now, place), all, k);
    const double others_r = alone ? 0 : log_r(&others), base = evidence->known[t] + others_r;
    const gap g = alone ? (gap){0, 1} : gap_of(evidence, now, &others, k);
    const double odd = outlier != NULL ? log(outlying) : 0;
    const double fit = outlier != NULL ? log(fitting_pay(evidence, paid, k)) : 0;
    for (size_t b = 0; b < pairs; b++) {
        const double omega = scale(now, place + APART + b);
        const double apart = log_outlier(g, omega);
        at[b * width] = base + fit + (alone ? 0 : apart + log_above(g, omega));
        if (outlier != NULL) {
            outlier[b * width] = left + odd + others_r + apart;
        }
    }
}

/* Writes term[pair (τ, ω)][width_of]: log-weights of the hypotheses. With one policy tried there is
 * nothing to compare: all weights are the prior's. */
static void fill(const xp__evidence *evidence, const xp__evidence_scale *now) {
    const size_t tried = evidence->tried_count, width = width_of(evidence);
    const rest left = weigh_rest(evidence);
    const payments paid = payments_of(evidence);
    double log_lone;
    const size_t payer = lone_payer(evidence, &log_lone);
    const double log_rest = log(fmax(left.sum, 1e-300)) + left.log + log_lone;
    for (size_t t = 0; t < tried; t++) {
        const size_t k = evidence->tried[t];
        evidence->known[t] = log(evidence->prior[k]) + log_strange(evidence, left.all, k) +
                             (k == payer ? 0 : log_lone);
    }
    double *at = evidence->term;
    for (size_t a = 0; a < PLACES; a++) {
        const sums all = add_up(evidence, now, scale(now, a));
        const size_t pairs = PLACES - a;
        for (size_t b = 0; b < pairs; b++) {
            at[b * width] = log_rest + (tried > 1 ? log_r(&all) : 0);
        }
        for (size_t t = 0; t < tried; t++) {
            fill_tried(evidence, now, a, &all, &paid, t, log_rest, width, at + 1 + t,
                       width > 1 + tried ? at + 1 + tried + t : NULL);
        }
        at += pairs * width;
    }
}

void xp__evidence_posterior(const xp__evidence *evidence, double *probability) {
    const size_t fixed = evidence->options.fixed, width = width_of(evidence);
    const xp__evidence_scale now = xp__evidence_scale_of(evidence);
    fill(evidence, &now);
    const size_t terms = PAIRS * width;
    const double total = xp__exponentiate(evidence->term, terms, NULL);
    const rest left = weigh_rest(evidence);
    const double unit = left.sum > 0 ? 1 / left.sum : 0;
    double untried = 0;
    memset(probability, 0, (fixed + 2) * sizeof *probability);
    for (size_t i = 0; i < terms; i++) {
        if (i % width == 0 || i % width > evidence->tried_count) {
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
    size_t outlier;         /* a tried policy that does not stand out, or NONE */
    double tau, base, best; /* τ, B, B + g */
} drawn;

static drawn draw_hypothesis(const xp__evidence *evidence, const xp__evidence_scale *now,
                             xp_rng *rng) {
    const size_t width = width_of(evidence), tried = evidence->tried_count;
    if (tried == 0) { /* all that is known is the prior */
        const size_t special = draw_untried(evidence, rng);
        return (drawn){.special = special,
                       .outlier = NONE,
                       .tau = now->unit,
                       .best = special < evidence->options.fixed ? INFINITY : -INFINITY};
    }
    fill(evidence, now);
    const size_t terms = PAIRS * width;
    double left = xp_rng_uniform(rng) * xp__exponentiate(evidence->term, terms, NULL);
    size_t at = 0, place = 0;
    while (at + 1 < terms && (left -= evidence->term[at]) >= 0) {
        at++;
    }
    size_t pair = at / width;
    while (pair >= PLACES - place) {
        pair -= PLACES - place++;
    }
    drawn d = {.tau = scale(now, place), .outlier = NONE};
    const double omega = scale(now, place + APART + pair);
    const size_t which = at % width;
    const sums all = add_up(evidence, now, d.tau);
    if (which == 1 && tried == 1 && evidence->options.relative) {
        /* The only one that was tried stands out: what it returns is known, B is not. */
        d.special = evidence->tried[0];
        d.best = all.x / all.w +
                 sqrt(xp__evidence_variance(evidence, now, d.special)) * xp_rng_normal(rng);
        d.base = d.best - omega * fabs(xp_rng_normal(rng));
        return d;
    }
    if (which == 0 || tried == 1 || which > tried) {
        d.special = which == 1 ? evidence->tried[0] : draw_untried(evidence, rng);
        d.outlier = which > tried ? evidence->tried[which - tried - 1] : NONE;
        const sums others = which > tried ? without(evidence, now, d.tau, &all, d.outlier) : all;
        d.base = others.x / others.w + xp_rng_normal(rng) / sqrt(others.w);
        d.best = d.special == SAME ? -INFINITY : d.base + omega * fabs(xp_rng_normal(rng));
        if (evidence->options.relative && d.special == NONE) {
            d.best = -INFINITY;
        }
        return d;
    }
    d.special = evidence->tried[which - 1];
    const sums others = without(evidence, now, d.tau, &all, d.special);
    const gap g = gap_of(evidence, now, &others, d.special);
    const double share = omega * omega / (omega * omega + g.q);
    const double more = positive_normal(rng, share * g.d, sqrt(share * g.q));
    const double own = 1 / xp__evidence_variance(evidence, now, d.special), w = others.w + own;
    d.base = (others.x + own * (xp__evidence_x(evidence, now, d.special) - more)) / w +
             xp_rng_normal(rng) / sqrt(w);
    d.best = d.base + more;
    return d;
}

/* The mean of a fixed policy that does not stand out. */
static double draw_regular(const xp__evidence *evidence, const xp__evidence_scale *now,
                           const drawn *d, size_t k, xp_rng *rng) {
    double mean = d->base, variance = d->tau * d->tau;
    if (evidence->count[k] > 0) {
        const double own = xp__evidence_variance(evidence, now, k);
        const double share = k == d->outlier ? 1 : variance / (variance + own);
        mean += share * (xp__evidence_x(evidence, now, k) - d->base);
        variance = share * own;
    }
    return mean + sqrt(variance) * xp_rng_normal(rng);
}

/* The mean of a changing policy. One that was not tried began as the fixed ones that do not stand
 * out; how far it has come since is as unknown as that of one which was last tried then. */
static double draw_changing(const xp__evidence *evidence, const xp__evidence_scale *now,
                            const drawn *d, size_t k, xp_rng *rng) {
    if (evidence->options.relative) {
        return xp__evidence_draw_head(evidence, now, k, d->base, fmax(now->start, d->tau), rng);
    }
    const bool tried = evidence->count[k] > 0;
    const double mean = tried ? xp__evidence_x(evidence, now, k) : d->base;
    const double variance = tried ? xp__evidence_variance(evidence, now, k)
                                  : now->start * now->start / evidence->before;
    return mean + sqrt(variance) * xp_rng_normal(rng);
}

/* One of the policies that were not tried, by prior probability; NONE: there is none. */
static size_t draw_fresh(const xp__evidence *evidence, xp_rng *rng) {
    double all = 0;
    for (size_t k = 0; k < evidence->options.fixed; k++) {
        all += evidence->count[k] > 0 ? 0 : evidence->prior[k];
    }
    double left = all * xp_rng_uniform(rng);
    for (size_t k = 0; k < evidence->options.fixed; k++) {
        left -= evidence->count[k] > 0 ? 0 : evidence->prior[k];
        if (left < 0) {
            return k;
        }
    }
    return NONE;
}

/* The best fixed policy, whose mean becomes d->best. With `relative` only one of those that were
 * not tried takes part, beside the one that stands out: the best of many draws would nearly always
 * win. */
static size_t best_fixed(const xp__evidence *evidence, const xp__evidence_scale *now, drawn *d,
                         xp_rng *rng) {
    size_t best = d->special;
    const bool few = evidence->options.relative;
    const size_t fresh = few ? draw_fresh(evidence, rng) : NONE;
    for (size_t k = 0; k < evidence->options.fixed && d->best < INFINITY; k++) {
        const bool takes_part =
            evidence->count[k] > 0 || (few ? k == fresh : evidence->prior[k] > 0);
        if (k != d->special && takes_part) {
            const double value = draw_regular(evidence, now, d, k, rng);
            best = value > d->best ? k : best;
            d->best = fmax(d->best, value);
        }
    }
    return best;
}

/* Two standard errors below a policy's mean. A changing policy is as noisy as it looks: its change
 * can go either way. */
static double lower_bound(const xp__evidence *evidence, const xp__evidence_scale *now, size_t k) {
    return xp__evidence_x(evidence, now, k) -
           2 * sqrt(xp__evidence_variance_with(evidence, now, k, INFINITY));
}

/* The changing policy that competes with the fixed ones. Only one does: the best of many draws
 * would nearly always win. With `relative` it is every other time the one with the best lower
 * bound, so that one that learned what no other did is not left to a draw among all. */
static size_t challenger(const xp__evidence *evidence, const xp__evidence_scale *now, xp_rng *rng) {
    const size_t fixed = evidence->options.fixed;
    const size_t any = fixed + (size_t)xp_rng_below(rng, evidence->options.changing);
    if (!evidence->options.relative || xp_rng_bernoulli(rng, 0.5)) {
        return any;
    }
    size_t best = NONE;
    for (size_t k = fixed; k < policies_of(evidence); k++) {
        if (evidence->count[k] > 0 &&
            (best == NONE || lower_bound(evidence, now, k) > lower_bound(evidence, now, best))) {
            best = k;
        }
    }
    return best == NONE ? any : best;
}

size_t xp__evidence_draw(const xp__evidence *evidence, xp_rng *rng) {
    const size_t fixed = evidence->options.fixed;
    const xp__evidence_scale now = xp__evidence_scale_of(evidence);
    drawn d = draw_hypothesis(evidence, &now, rng);
    const bool relative = evidence->options.relative;
    const oddity all = all_oddity(evidence);
    if (d.special == NONE && (!relative || xp__evidence_heads_tried(evidence) == 0 ||
                              all.any > all.usual + beyond_doubt)) {
        return fixed + (size_t)xp_rng_below(rng, evidence->options.changing);
    }
    const size_t best = best_fixed(evidence, &now, &d, rng);
    const size_t learner = challenger(evidence, &now, rng);
    /* Where returns are too large for their squares no fixed one may have been better than none. */
    double value = draw_changing(evidence, &now, &d, learner, rng);
    if (d.special == NONE) { /* they have to learn, and may be better by now than they were */
        value += sqrt(now.unit * now.unit + now.pooled) * xp_rng_normal(rng);
    }
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

size_t xp__evidence_settled(const xp__evidence *evidence) {
    xp__evidence_scale now = xp__evidence_scale_of(evidence);
    now.pooled = usual_variance(evidence) * now.down * now.down;
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
