/* experts.c: do the experts choose alike, and what are their choices worth together?
 *
 * In each segment experts (rows, n_i choices each of N) and arms (K that were chosen) make a table
 * of counts. Pearson's statistic X² = Σ (n_ia − n_i p_a)² / (n_i p_a) compares each expert with
 * all. Given the margins, its mean and variance are known exactly (Dawson, The American
 * Statistician, 1954): a gamma distribution with these gives the p-value, however sparse the table
 * is. Statistics, means and variances of segments add.
 *
 * If an expert's choices are correlated, with intra-class correlation ρ (a Dirichlet-multinomial,
 * Brier, Biometrika, 1980), the expectation of X² is (K−1) [(I−1) + ρ Σ_i (n_i−1)(1 − n_i/N)] for I
 * experts; its solution for ρ, cut to [0, 1], is the estimate. The variance of a frequency is then
 * 1 + ρ (Σ_i n_i²/N − 1) times that of N independent choices: the design effect. */
#include "demos/choices/choices_type.h"

#include "base/memory.h"
#include "math/special.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Choices of one expert in one segment: its cells are [first, end). */
typedef struct cluster {
    size_t first, end;
    double size;
} cluster;

typedef struct moments {
    double statistic, mean, variance;
} moments;

/* Exact mean and variance of X² given the margins: `inverse_rows` is Σ 1/n_i, and so on. */
static moments table_moments(double statistic, double total, double rows, double columns,
                             double inverse_rows, double inverse_columns) {
    moments made = {.statistic = statistic};
    if (total < 4 || rows < 2 || columns < 2) {
        return (moments){.statistic = 0};
    }
    made.mean = total / (total - 1) * (rows - 1) * (columns - 1);
    const double v1 = (rows - 1) * (total - rows) / (total - 1);
    const double v2 = (columns - 1) * (total - columns) / (total - 1);
    const double w1 = (total * inverse_rows - rows * rows) / (total - 2);
    const double w2 = (total * inverse_columns - columns * columns) / (total - 2);
    made.variance =
        2 * total / (total - 3) * (v1 - w1) * (v2 - w2) + total * total / (total - 1) * w1 * w2;
    return made;
}

static double tail(const moments *own) {
    const double certain = 1e-10 * own->mean * own->mean; /* margins that leave X² no choice */
    if (!(own->mean > 0) || !(own->variance > certain)) {
        return 1;
    }
    const double scale = own->variance / own->mean, shape = own->mean / scale;
    if (shape > 1e5) {
        return xp__normal_cdf((own->mean - own->statistic) / sqrt(own->variance));
    }
    return fmin(1, fmax(0, xp__chi_square_survival(2 * own->statistic / scale, 2 * shape)));
}

static int by_segment(const void *a, const void *b) {
    const xp__choice_cell *x = a, *y = b;
    return x->segment != y->segment ? (x->segment < y->segment ? -1 : 1)
           : x->expert != y->expert ? (x->expert < y->expert ? -1 : 1)
                                    : (x->arm > y->arm) - (x->arm < y->arm);
}

typedef struct comparison {
    xp_choices *choices;
    xp__choice_cell *cells; /* by segment, expert and arm, with a count */
    size_t cell_count;
    double *share;     /* arms: of the segment at hand */
    double *deviation; /* arms: an expert's choices beyond the expected, scratch */
    moments *own;      /* experts: each against the others */
    double *total;     /* experts: choices */
    double *largest;   /* experts: the largest deviation of an arm */
    size_t *favourite; /* experts: that arm */
    moments all;
    double excess, scale; /* of X² over its mean; per unit of correlation */
    double *squares;      /* segments + 1: Σ n_i² / N */
} comparison;

static void deinit(comparison *self) {
    xp__free(self->cells);
    xp__free(self->share);
    xp__free(self->deviation);
    xp__free(self->own);
    xp__free(self->total);
    xp__free(self->largest);
    xp__free(self->favourite);
    xp__free(self->squares);
}

/* The cells with arms for labels, those that are the same arm added up. */
static void arrange(comparison *self, const xp__choices_reader *reader, const uint32_t *map,
                    const uint32_t *segment) {
    for (size_t i = 0; i < reader->expert_cells.count; i++) {
        xp__choice_cell cell = reader->expert_cells.cells[i];
        if (cell.count > 0) {
            cell.arm = map[cell.arm];
            cell.segment = segment[cell.segment];
            self->cells[self->cell_count++] = cell;
        }
    }
    qsort(self->cells, self->cell_count, sizeof *self->cells, by_segment);
    size_t used = 0;
    for (size_t i = 0; i < self->cell_count; i++) {
        if (used > 0 && by_segment(&self->cells[used - 1], &self->cells[i]) == 0) {
            self->cells[used - 1].count += self->cells[i].count;
        } else {
            self->cells[used++] = self->cells[i];
        }
    }
    self->cell_count = used;
}

/* One expert of a segment of `total` choices: its share of X², and how it differs from the rest. */
static double compare_one(comparison *self, const cluster *own, double total, double arms,
                          double inverse_arms, const size_t arm_count) {
    const uint32_t expert = self->cells[own->first].expert;
    double statistic = 0;
    for (size_t a = 0; a < arm_count; a++) {
        self->deviation[a] = -own->size * self->share[a];
    }
    for (size_t i = own->first; i < own->end; i++) {
        self->deviation[self->cells[i].arm] += (double)self->cells[i].count;
    }
    for (size_t a = 0; a < arm_count; a++) {
        if (self->share[a] > 0) {
            statistic += self->deviation[a] * self->deviation[a] / (own->size * self->share[a]);
            if (self->deviation[a] > self->largest[expert]) {
                self->largest[expert] = self->deviation[a];
                self->favourite[expert] = a;
            }
        }
    }
    const double rest = total - own->size;
    if (rest > 0) {
        const moments two = table_moments(statistic * total / rest, total, 2, arms,
                                          1 / own->size + 1 / rest, inverse_arms);
        self->own[expert].statistic += two.statistic;
        self->own[expert].mean += two.mean;
        self->own[expert].variance += two.variance;
    }
    self->total[expert] += own->size;
    return statistic;
}

static cluster cluster_at(const comparison *self, size_t first, size_t end) {
    cluster made = {.first = first, .end = first};
    while (made.end < end && self->cells[made.end].expert == self->cells[first].expert) {
        made.size += (double)self->cells[made.end++].count;
    }
    return made;
}

/* The cells [first, end) are one segment. */
static void compare_segment(comparison *self, size_t first, size_t end) {
    const size_t arm_count = self->choices->arms;
    double total = 0, arms = 0, inverse_arms = 0, experts = 0, inverse_experts = 0, statistic = 0;
    double squares = 0, spread = 0;
    memset(self->share, 0, arm_count * sizeof *self->share);
    for (size_t i = first; i < end; i++) {
        self->share[self->cells[i].arm] += (double)self->cells[i].count;
        total += (double)self->cells[i].count;
    }
    for (size_t a = 0; a < arm_count; a++) {
        if (self->share[a] > 0) {
            arms++;
            inverse_arms += 1 / self->share[a];
            self->share[a] /= total;
        }
    }
    for (size_t i = first; i < end;) {
        const cluster own = cluster_at(self, i, end);
        statistic += compare_one(self, &own, total, arms, inverse_arms, arm_count);
        experts++;
        inverse_experts += 1 / own.size;
        squares += own.size * own.size;
        spread += (own.size - 1) * (1 - own.size / total);
        i = own.end;
    }
    const moments made =
        table_moments(statistic, total, experts, arms, inverse_experts, inverse_arms);
    self->all.statistic += made.statistic;
    self->all.mean += made.mean;
    self->all.variance += made.variance;
    self->excess += made.statistic - made.mean;
    self->scale += made.mean > 0 ? (arms - 1) * spread : 0;
    self->squares[self->cells[first].segment] = squares / total;
}

static int by_p_value(const void *a, const void *b) {
    const struct xp__differing *x = a, *y = b;
    return x->p_value != y->p_value ? (x->p_value < y->p_value ? -1 : 1)
                                    : (x->expert > y->expert) - (x->expert < y->expert);
}

/* The experts who differ by themselves, the clearest first. */
static xp_status list_differing(const comparison *self, size_t experts, size_t taking_part,
                                xp_error *error) {
    struct xp__differing *all = xp__alloc(experts + 1, sizeof *all);
    if (all == NULL) {
        return xp__no_memory(error);
    }
    enum { FEW = 10 }; /* fewer choices tell nothing of one expert */
    size_t count = 0;
    for (size_t i = 0; i < experts; i++) {
        const double p = tail(&self->own[i]) * (double)taking_part;
        if (self->total[i] >= FEW && p < 0.01) {
            all[count++] = (struct xp__differing){(uint32_t)i, (uint64_t)self->total[i],
                                                  self->favourite[i], p};
        }
    }
    qsort(all, count, sizeof *all, by_p_value);
    const size_t kept = count < XP__DIFFERING ? count : XP__DIFFERING;
    memcpy(self->choices->differing, all, kept * sizeof *all);
    self->choices->agreement.differing = count;
    xp__free(all);
    return XP_OK;
}

static bool prepare(comparison *self, const xp__choices_reader *reader) {
    const size_t experts = reader->experts.count + 1, arms = self->choices->arms;
    self->cells = xp__alloc(reader->expert_cells.count + 1, sizeof *self->cells);
    self->share = xp__alloc(arms, sizeof *self->share);
    self->deviation = xp__alloc(arms, sizeof *self->deviation);
    self->own = xp__alloc(experts, sizeof *self->own);
    self->total = xp__alloc(experts, sizeof *self->total);
    self->largest = xp__alloc(experts, sizeof *self->largest);
    self->favourite = xp__alloc(experts, sizeof *self->favourite);
    self->squares = xp__alloc(self->choices->segments + 1, sizeof *self->squares);
    return self->cells != NULL && self->share != NULL && self->deviation != NULL &&
           self->own != NULL && self->total != NULL && self->largest != NULL &&
           self->favourite != NULL && self->squares != NULL;
}

xp_status xp__choices_compare_experts(const xp__choices_reader *reader, const uint32_t *map,
                                      const uint32_t *segment, xp_choices *choices, double *effect,
                                      xp_error *error) {
    comparison self = {.choices = choices};
    if (!prepare(&self, reader)) {
        deinit(&self);
        return xp__no_memory(error);
    }
    arrange(&self, reader, map, segment);
    for (size_t i = 0; i < self.cell_count;) {
        size_t end = i;
        while (end < self.cell_count && self.cells[end].segment == self.cells[i].segment) {
            end++;
        }
        compare_segment(&self, i, end);
        i = end;
    }
    size_t experts = 0;
    double total = 0, squares = 0;
    for (size_t i = 0; i < reader->experts.count; i++) {
        experts += self.total[i] > 0;
        total += self.total[i];
        squares += self.total[i] * self.total[i];
    }
    self.squares[choices->segments] = squares / total;
    const double correlation = self.scale > 0 ? fmin(1, fmax(0, self.excess / self.scale)) : 0;
    for (size_t s = 0; s <= choices->segments; s++) {
        effect[s] = fmax(1, 1 + correlation * (self.squares[s] - 1));
    }
    choices->agreement = (xp_agreement){.experts = experts,
                                        .statistic = self.all.statistic,
                                        .p_value = tail(&self.all),
                                        .correlation = correlation,
                                        .design_effect = effect[choices->segments]};
    const xp_status status = list_differing(&self, reader->experts.count, experts, error);
    deinit(&self);
    return status;
}
