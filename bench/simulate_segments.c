/* simulate_segments.c: how well segments are pooled, on simulated tables of choices.
 *
 *     simulate_segments [REPLICATIONS [SEED [ARMS [FAMILY]]]]    200, 1, 10, dirichlet if not given
 *
 * A replication draws overall frequencies q ~ Dirichlet(1, ..., 1) and frequencies p_s for each
 * segment, then a table of optimal experts' choices. κ goes from 1 (segments have little in common)
 * to inf (they do not differ). Families:
 *
 *     dirichlet   p_s ~ Dirichlet(κ q)
 *     skewed      the same with q ~ Dirichlet(0.3, ..., 0.3)
 *     even        the same with q = 1/K
 *     two kinds   two draws of Dirichlet(κ q); segments are the one and the other in turn
 *     one apart   one segment is a draw of Dirichlet(κ q), all others are q
 *     lognormal   p_sa ∝ q_a exp(3 z / √κ), z ~ N(0, 1)
 * Three priors are made for each segment: of its
 * own choices (none), of all (full), and with the pooling estimated from the table.
 *
 * Two things are measured, and averaged over segments. The held-out loss of a choice is the
 * cross-entropy − Σ_a p_sa log p̂_sa, in nats: the expectation, not a sample of choices. Regret is
 * that of Thompson sampling over 300 decisions, on one task per replication in each of at most four
 * segments; a task's best arm is drawn from p_s and its means are uniform given that arm, which is
 * the prior of an oracle that knows p_s. All four meet the same tasks and the same noise.
 *
 * Prints one line per cell: means over replications, standard errors, and paired differences. */
#include "experior/sampler.h"
#include "prior/bandit/prior_type.h"
#include "prior/pooling/pooling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECISIONS = 300, TASK_SEGMENTS = 4, ARMS_MAX = 64, SEGMENTS_MAX = 200 };
enum { DIRICHLET, SKEWED, EVEN, TWO_KINDS, ONE_APART, LOGNORMAL, FAMILIES };
static const char *const family_name[FAMILIES] = {"dirichlet", "skewed",    "even",
                                                  "two kinds", "one apart", "lognormal"};
enum { NONE, FULL, ESTIMATED, ORACLE, METHODS };
static const char *const method_name[METHODS] = {"none", "full", "estimated", "oracle"};
static const size_t segments_of[] = {2, 5, 20, 200};
static const size_t rows_of[] = {5, 50, 500, 5000, 0}; /* 0: from 5 to 5,000, log-uniform */
static const double strength_of[] = {1, 10, 100, 1000, INFINITY};
enum {
    SEGMENTS = sizeof segments_of / sizeof segments_of[0],
    ROWS = sizeof rows_of / sizeof rows_of[0],
    STRENGTHS = sizeof strength_of / sizeof strength_of[0]
};

typedef struct scene {
    size_t segments, rows, arms, family;
    double strength;
    double truth[SEGMENTS_MAX * ARMS_MAX], n[SEGMENTS_MAX * ARMS_MAX];
    double p[METHODS][SEGMENTS_MAX * ARMS_MAX];
} scene;

typedef struct moments {
    double n, mean, squares;
} moments;

static void add(moments *sum, double value) {
    sum->n += 1;
    const double from = value - sum->mean;
    sum->mean += from / sum->n;
    sum->squares += from * (value - sum->mean);
}

static double error_of(const moments *sum) {
    return sqrt(sum->squares / (sum->n - 1) / sum->n);
}

static void check(xp_status status, const xp_error *error) {
    if (status != XP_OK) {
        (void)fprintf(stderr, "simulate_segments: %s\n", error->message);
        exit(1);
    }
}

static void draw_frequencies(xp_rng *rng, const double *shape, size_t arms, double *p) {
    double sum = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        p[arm] = shape[arm] > 0 ? xp_rng_gamma(rng, shape[arm]) : 0;
        sum += p[arm];
    }
    for (size_t arm = 0; arm < arms; arm++) {
        p[arm] /= sum;
    }
}

/* The frequencies of a segment, given the overall ones and what its family has drawn for two. */
static void draw_segment(const scene *self, size_t segment, const double *q,
                         const double two[2][ARMS_MAX], xp_rng *rng, double *p) {
    const size_t arms = self->arms;
    double shape[ARMS_MAX], sum = 0;
    const double *given = self->family == TWO_KINDS   ? two[segment % 2]
                          : self->family == ONE_APART ? (segment == 0 ? two[0] : q)
                          : isinf(self->strength)     ? q
                                                      : NULL;
    if (given != NULL) {
        memcpy(p, given, arms * sizeof *p);
        return;
    }
    for (size_t arm = 0; arm < arms; arm++) {
        shape[arm] = self->family == LOGNORMAL
                         ? q[arm] * exp(3 * xp_rng_normal(rng) / sqrt(self->strength))
                         : self->strength * q[arm];
        sum += shape[arm];
    }
    if (self->family != LOGNORMAL) {
        draw_frequencies(rng, shape, arms, p);
        return;
    }
    for (size_t arm = 0; arm < arms; arm++) {
        p[arm] = shape[arm] / sum;
    }
}

static void draw_table(scene *self, xp_rng *rng) {
    const size_t arms = self->arms;
    double shape[ARMS_MAX], q[ARMS_MAX], two[2][ARMS_MAX];
    for (size_t arm = 0; arm < arms; arm++) {
        shape[arm] = self->family == SKEWED ? 0.3 : 1;
    }
    draw_frequencies(rng, shape, arms, q);
    for (size_t arm = 0; arm < arms; arm++) {
        q[arm] = self->family == EVEN ? 1 / (double)arms : q[arm];
        shape[arm] = isinf(self->strength) ? q[arm] : self->strength * q[arm];
    }
    const bool drawn = self->family == TWO_KINDS || self->family == ONE_APART;
    for (size_t i = 0; drawn && i < 2; i++) {
        draw_frequencies(rng, shape, arms, two[i]);
        if (isinf(self->strength)) {
            memcpy(two[i], q, sizeof q);
        }
    }
    memset(self->n, 0, sizeof self->n);
    for (size_t s = 0; s < self->segments; s++) {
        double *p = self->truth + s * arms;
        draw_segment(self, s, q, two, rng, p);
        const size_t rows =
            self->rows > 0 ? self->rows : (size_t)(5 * pow(1000, xp_rng_uniform(rng)));
        for (size_t i = 0; i < rows; i++) {
            self->n[s * arms + xp_rng_categorical(rng, p, arms)] += 1;
        }
    }
}

static void estimate(scene *self) {
    const size_t arms = self->arms;
    const xp__segment_counts counts = {.segments = self->segments, .arms = arms, .n = self->n};
    xp__pooling pooling;
    xp_error error;
    check(xp__pooling_init(&pooling, &counts, &error), &error);
    for (size_t s = 0; s < self->segments; s++) {
        xp__pooling_none(self->n + s * arms, arms, self->p[NONE] + s * arms);
        xp__pooling_full(&counts, self->p[FULL] + s * arms);
        (void)xp__pooling_segment(&pooling, self->n + s * arms, self->p[ESTIMATED] + s * arms);
        for (size_t arm = 0; arm < arms; arm++) { /* a prior gives every arm some chance */
            self->p[ORACLE][s * arms + arm] =
                (1 - 1e-9) * self->truth[s * arms + arm] + 1e-9 / (double)arms;
        }
    }
    xp__pooling_deinit(&pooling);
}

static double loss(const scene *self, size_t method) {
    double sum = 0;
    for (size_t i = 0; i < self->segments * self->arms; i++) {
        sum -= self->truth[i] > 0 ? self->truth[i] * log(self->p[method][i]) : 0;
    }
    return sum / (double)self->segments;
}

static double act(const scene *self, size_t method, size_t segment, const double *theta,
                  double best, xp_rng noise, xp_rng own) {
    const double *target = self->p[method] + segment * self->arms;
    const xp__prior_fit_options options = {.target = target, .effective = 1};
    xp_demos *demos;
    xp_prior *prior;
    xp_sampler *sampler;
    xp_error error;
    check(xp_demos_create(0, self->arms, &demos, &error), &error);
    check(xp__prior_fit_with("max_entropy", &options, demos, &prior, NULL, &error), &error);
    check(xp_sampler_create(NULL, prior, &sampler, &error), &error);
    double regret = 0;
    xp_sampler_reset(sampler, &own);
    for (size_t t = 0; t < DECISIONS; t++) {
        const size_t arm = xp_sampler_act(sampler, &own);
        regret += best - theta[arm];
        xp_sampler_observe(sampler, &own, arm, xp_rng_uniform(&noise) < theta[arm]);
    }
    xp_sampler_destroy(sampler);
    xp_prior_destroy(prior);
    xp_demos_destroy(demos);
    return regret;
}

static void measure_regret(const scene *self, const xp_rng *stream, double regret[METHODS]) {
    const size_t count = self->segments < TASK_SEGMENTS ? self->segments : TASK_SEGMENTS;
    memset(regret, 0, METHODS * sizeof *regret);
    for (size_t s = 0; s < count; s++) {
        const xp_rng task = xp_rng_fork(stream, s);
        xp_rng context = xp_rng_fork(&task, 0);
        double theta[ARMS_MAX];
        const size_t best = xp_rng_categorical(&context, self->truth + s * self->arms, self->arms);
        const double top = pow(xp_rng_uniform(&context), 1 / (double)self->arms);
        for (size_t arm = 0; arm < self->arms; arm++) {
            theta[arm] = arm == best ? top : top * xp_rng_uniform(&context);
        }
        for (size_t method = 0; method < METHODS; method++) {
            regret[method] +=
                act(self, method, s, theta, top, xp_rng_fork(&task, 1), xp_rng_fork(&task, 2)) /
                (double)count;
        }
    }
}

static void run_cell(scene *self, size_t replications, const xp_rng *root) {
    moments losses[METHODS] = {{0}}, regrets[METHODS] = {{0}}, from[2] = {{0}}, lost[2] = {{0}};
    for (size_t i = 0; i < replications; i++) {
        const xp_rng stream = xp_rng_fork(root, i), tasks = xp_rng_fork(&stream, 1);
        xp_rng table = xp_rng_fork(&stream, 0);
        double value[METHODS], regret[METHODS];
        draw_table(self, &table);
        estimate(self);
        measure_regret(self, &tasks, regret);
        for (size_t method = 0; method < METHODS; method++) {
            value[method] = loss(self, method);
            add(&losses[method], value[method]);
            add(&regrets[method], regret[method]);
        }
        for (size_t other = NONE; other <= FULL; other++) {
            add(&from[other], value[ESTIMATED] - value[other]);
            add(&lost[other], regret[ESTIMATED] - regret[other]);
        }
    }
    if (self->rows > 0) {
        (void)printf("%s,%zu,%zu,%zu,%g,%zu", family_name[self->family], self->arms, self->segments,
                     self->rows, self->strength, replications);
    } else {
        (void)printf("%s,%zu,%zu,5 to 5000,%g,%zu", family_name[self->family], self->arms,
                     self->segments, self->strength, replications);
    }
    for (size_t method = 0; method < METHODS; method++) {
        (void)printf(",%.5f,%.5f", losses[method].mean, error_of(&losses[method]));
    }
    const moments *better = losses[NONE].mean < losses[FULL].mean ? &from[NONE] : &from[FULL];
    (void)printf(",%.5f,%.5f", better->mean, error_of(better));
    for (size_t method = 0; method < METHODS; method++) {
        (void)printf(",%.3f,%.3f", regrets[method].mean, error_of(&regrets[method]));
    }
    for (size_t other = NONE; other <= FULL; other++) {
        (void)printf(",%.3f,%.3f", lost[other].mean, error_of(&lost[other]));
    }
    (void)printf("\n");
    (void)fflush(stdout);
}

static void print_heading(void) {
    (void)printf("family,arms,segments,rows,strength,replications");
    for (size_t method = 0; method < METHODS; method++) {
        (void)printf(",loss_%s,loss_%s_se", method_name[method], method_name[method]);
    }
    (void)printf(",excess,excess_se");
    for (size_t method = 0; method < METHODS; method++) {
        (void)printf(",regret_%s,regret_%s_se", method_name[method], method_name[method]);
    }
    (void)printf(",regret_from_none,regret_from_none_se,regret_from_full,regret_from_full_se\n");
}

int main(int count, char **word) {
    const size_t replications = count > 1 ? (size_t)strtoull(word[1], NULL, 10) : 200;
    const uint64_t seed = count > 2 ? strtoull(word[2], NULL, 10) : 1;
    const size_t arms = count > 3 ? (size_t)strtoull(word[3], NULL, 10) : 10;
    static scene cell;
    while (count > 4 && cell.family < FAMILIES && strcmp(word[4], family_name[cell.family]) != 0) {
        cell.family++;
    }
    if (replications < 2 || arms < 2 || arms > ARMS_MAX || cell.family == FAMILIES) {
        (void)fprintf(stderr,
                      "simulate_segments: at least 2 replications, 2 to %d arms, a known family\n",
                      (int)ARMS_MAX);
        return 2;
    }
    const xp_rng root = xp_rng_seed(seed);
    print_heading();
    for (size_t i = 0; i < SEGMENTS * ROWS * STRENGTHS; i++) {
        cell.segments = segments_of[i / (ROWS * STRENGTHS)];
        cell.rows = rows_of[i / STRENGTHS % ROWS];
        cell.strength = strength_of[i % STRENGTHS];
        cell.arms = arms;
        const xp_rng stream = xp_rng_fork(&root, i);
        run_cell(&cell, replications, &stream);
    }
    return 0;
}
