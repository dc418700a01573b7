/* tie_policies.c: see tie_policies.h.
 *
 * A state in which all demonstrations act alike tells no components apart; it is left out. Sets T
 * are subsets of the actions that were taken there, the SUPPORT most frequent ones. Of several
 * actions in one state of a demonstration the last one counts. The search goes uphill in
 *
 *     J = Σ_components Σ_states log f(n) + log CRP(sizes)
 *
 * from several starts: by the last step, and by assigning demonstrations one by one in random
 * order with few and with many ties. From each: rounds of assigning every demonstration to its best
 * component, merging components and splitting them, and estimating ρ and η. */
#include "prior/mixture/tie_policies.h"

#include "base/budget.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SUPPORT = 6,
    MASKS = 1 << SUPPORT,
    COUNTS = SUPPORT + 1,
    STARTS = 3,
    ROUNDS = 6,
    SWEEPS = 4
};

#define NOWHERE SIZE_MAX

/* A component is worth so much beside J: two contexts that differ in one state could otherwise be
 * taken for one whose experts are indifferent there. */
static const double merge_gain = 4;

/* A state where demonstrations differ. */
typedef struct cell {
    size_t row, support;
    uint32_t action[SUPPORT];
    double log_set[MASKS]; /* log Π b / Σ_{|T'| = |T|} Π b, by bits of T */
} cell;

/* A demonstration's step in a cell; which == SUPPORT: an action beyond the support. */
typedef struct step {
    uint32_t cell, which;
} step;

typedef struct search {
    const xp__encoded_demos *demos;
    size_t actions, cells, most;
    cell *cell;
    size_t *cell_of; /* [rows]: 1 + cell, or 0 */
    size_t *begin;   /* [trajectories + 1] into steps */
    step *steps;
    double tie, error_rate;
    double log_size[SUPPORT + 1][SUPPORT + 1]; /* log ρ of a size, by support */
    double log_in[SUPPORT + 1], log_out;
    size_t *member, *best_member; /* [trajectories] */
    size_t *order;                /* [trajectories]: scratch */
    double *counts;               /* [most + 1][cells][COUNTS] */
    double *log_f;                /* [most + 1][cells] */
    double *size;                 /* [most + 1]: demonstrations */
    double best;                  /* J of best_member and merge_gain for each component */
} search;

static void set_rates(search *self, double tie, double error_rate) {
    self->tie = fmin(fmax(tie, 1e-3), 0.9);
    self->error_rate = fmin(fmax(error_rate, 1e-3), 0.5);
    const double slip = self->error_rate / (double)self->actions;
    self->log_out = log(slip);
    for (size_t size = 1; size <= SUPPORT; size++) {
        self->log_in[size] = log((1 - self->error_rate) / (double)size + slip);
        for (size_t support = size; support <= SUPPORT; support++) {
            self->log_size[support][size] = support == 1 ? 0
                                            : size == 1  ? log(1 - self->tie)
                                                         : log(self->tie / (double)(support - 1));
        }
    }
}

static size_t bits_of(size_t mask) {
    size_t count = 0;
    for (; mask > 0; mask &= mask - 1) {
        count++;
    }
    return count;
}

static void fill_sets(cell *c, const double *b) {
    double total[SUPPORT + 1] = {0};
    for (size_t mask = 1; mask < (size_t)1 << c->support; mask++) {
        double product = 1;
        for (size_t i = 0; i < c->support; i++) {
            product *= mask >> i & 1 ? b[i] : 1;
        }
        c->log_set[mask] = product;
        total[bits_of(mask)] += product;
    }
    for (size_t mask = 1; mask < (size_t)1 << c->support; mask++) {
        c->log_set[mask] = log(c->log_set[mask] / total[bits_of(mask)]);
    }
}

/* log f; what share of it has more than one action, and how many errors it expects, if wanted. */
static double log_f_of(const search *self, const cell *c, const double *counts, double *ties,
                       double *errors) {
    double term[MASKS], inside[MASKS], largest = -INFINITY, all = counts[SUPPORT];
    const size_t masks = (size_t)1 << c->support;
    for (size_t i = 0; i < c->support; i++) {
        all += counts[i];
    }
    for (size_t mask = 1; mask < masks; mask++) {
        double in = 0;
        for (size_t i = 0; i < c->support; i++) {
            in += mask >> i & 1 ? counts[i] : 0;
        }
        const size_t size = bits_of(mask);
        inside[mask] = in;
        term[mask] = self->log_size[c->support][size] + c->log_set[mask] + in * self->log_in[size] +
                     (all - in) * self->log_out;
        largest = fmax(largest, term[mask]);
    }
    double sum = 0, tied = 0, wrong = 0;
    for (size_t mask = 1; mask < masks; mask++) {
        const double weight = exp(term[mask] - largest);
        sum += weight;
        tied += bits_of(mask) > 1 ? weight : 0;
        wrong += weight * (all - inside[mask]);
    }
    if (ties != NULL) {
        *ties = tied / sum;
        *errors = wrong / sum;
    }
    return largest + log(sum);
}

double xp__tie_policies_log_f(size_t support, const double *b, const double *counts, double others,
                              size_t actions, double tie, double error_rate) {
    search self = {.actions = actions};
    cell c = {.support = support};
    double own[COUNTS] = {0};
    set_rates(&self, tie, error_rate);
    fill_sets(&c, b);
    memcpy(own, counts, support * sizeof *own);
    own[SUPPORT] = others;
    return log_f_of(&self, &c, own, NULL, NULL);
}

static double total(const double *counts) {
    double sum = 0;
    for (size_t i = 0; i < COUNTS; i++) {
        sum += counts[i];
    }
    return sum;
}

static double *counts_at(const search *self, size_t k, size_t at) {
    return self->counts + (k * self->cells + at) * COUNTS;
}

/* Adds a demonstration to a component, or takes it away (sign -1). */
static void move(search *self, size_t t, size_t k, double sign) {
    const double by = sign * (double)self->demos->count[t];
    for (size_t i = self->begin[t]; i < self->begin[t + 1]; i++) {
        const size_t at = self->steps[i].cell;
        double *counts = counts_at(self, k, at);
        counts[self->steps[i].which] += by;
        self->log_f[k * self->cells + at] = log_f_of(self, &self->cell[at], counts, NULL, NULL);
    }
    self->size[k] += by;
}

static void clear(search *self, size_t k) {
    memset(counts_at(self, k, 0), 0, self->cells * COUNTS * sizeof(double));
    memset(self->log_f + k * self->cells, 0, self->cells * sizeof(double));
    self->size[k] = 0;
}

/* What J gains if a demonstration joins a component, which may be empty. No step gains anything, so
 * it stops where the sum is below `least`. */
static double gain(const search *self, size_t t, size_t k, double least) {
    const double by = (double)self->demos->count[t], size = self->size[k];
    double sum = size > 0 ? lgamma(size + by) - lgamma(size) : lgamma(by);
    for (size_t i = self->begin[t]; i < self->begin[t + 1] && sum > least; i++) {
        const size_t at = self->steps[i].cell;
        double counts[COUNTS];
        memcpy(counts, counts_at(self, k, at), sizeof counts);
        counts[self->steps[i].which] += by;
        sum +=
            log_f_of(self, &self->cell[at], counts, NULL, NULL) - self->log_f[k * self->cells + at];
    }
    return sum;
}

/* The best component for a demonstration that is in none: one of the others, or an empty one. */
static size_t best_for(const search *self, size_t t) {
    size_t best = NOWHERE;
    double most = -INFINITY;
    bool empty_seen = false;
    for (size_t k = 0; k < self->most; k++) {
        if (self->size[k] == 0 && empty_seen) {
            continue;
        }
        empty_seen = empty_seen || self->size[k] == 0;
        const double value = gain(self, t, k, most);
        if (value > most) {
            most = value;
            best = k;
        }
    }
    return best;
}

static double joint(const search *self) {
    double sum = 0;
    for (size_t k = 0; k < self->most; k++) {
        if (self->size[k] > 0) {
            sum += lgamma(self->size[k]);
            for (size_t at = 0; at < self->cells; at++) {
                sum += self->log_f[k * self->cells + at];
            }
        }
    }
    return sum;
}

static size_t components(const search *self) {
    size_t count = 0;
    for (size_t k = 0; k < self->most; k++) {
        count += self->size[k] > 0;
    }
    return count;
}

/* Everything anew from self->member; after rates have changed too. */
static void rebuild(search *self) {
    for (size_t k = 0; k < self->most; k++) {
        clear(self, k);
    }
    for (size_t t = 0; t < self->demos->trajectories; t++) {
        const size_t k = self->member[t];
        for (size_t i = self->begin[t]; i < self->begin[t + 1]; i++) {
            counts_at(self, k, self->steps[i].cell)[self->steps[i].which] +=
                (double)self->demos->count[t];
        }
        self->size[k] += (double)self->demos->count[t];
    }
    for (size_t k = 0; k < self->most; k++) {
        for (size_t at = 0; self->size[k] > 0 && at < self->cells; at++) {
            self->log_f[k * self->cells + at] =
                log_f_of(self, &self->cell[at], counts_at(self, k, at), NULL, NULL);
        }
    }
}

/* ρ and η from what the components expect. */
static void estimate_rates(search *self) {
    double ties = 0.5, places = 1, errors = 0.5, steps = 1;
    for (size_t k = 0; k < self->most; k++) {
        for (size_t at = 0; self->size[k] > 0 && at < self->cells; at++) {
            const double *counts = counts_at(self, k, at);
            const double all = total(counts);
            double tied, wrong;
            if (all > 1) {
                (void)log_f_of(self, &self->cell[at], counts, &tied, &wrong);
                ties += tied;
                places += 1;
                errors += wrong;
                steps += all;
            }
        }
    }
    const double actions = (double)self->actions;
    set_rates(self, ties / places, errors / steps * actions / fmax(1, actions - 1));
    rebuild(self);
}

static void shuffle(size_t *order, size_t count, xp_rng *rng) {
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        const size_t j = i + (size_t)xp_rng_below(rng, count - i);
        const size_t other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
}

/* Every demonstration to its best component, until none moves. */
static void sweep(search *self, xp__watch *watch, xp_rng *rng) {
    const size_t count = self->demos->trajectories;
    size_t moved = 1;
    for (size_t pass = 0; pass < SWEEPS && moved > 0; pass++) {
        moved = 0;
        shuffle(self->order, count, rng);
        for (size_t i = 0; i < count && !xp__watch_stopped(watch); i++) {
            const size_t t = self->order[i], from = self->member[t];
            move(self, t, from, -1);
            const size_t to = best_for(self, t);
            move(self, t, to, 1);
            self->member[t] = to;
            moved += to != from;
        }
    }
}

/* What J gains if two components become one. */
static double merge_value(const search *self, size_t a, size_t b) {
    double sum =
        lgamma(self->size[a] + self->size[b]) - lgamma(self->size[a]) - lgamma(self->size[b]);
    for (size_t at = 0; at < self->cells; at++) {
        const double *one = counts_at(self, a, at), *other = counts_at(self, b, at);
        if (total(one) == 0 || total(other) == 0) {
            continue;
        }
        double counts[COUNTS];
        for (size_t i = 0; i < COUNTS; i++) {
            counts[i] = one[i] + other[i];
        }
        sum += log_f_of(self, &self->cell[at], counts, NULL, NULL) -
               self->log_f[a * self->cells + at] - self->log_f[b * self->cells + at];
    }
    return sum;
}

static void merge(search *self, size_t a, size_t b) {
    for (size_t t = 0; t < self->demos->trajectories; t++) {
        if (self->member[t] == b) {
            move(self, t, b, -1);
            move(self, t, a, 1);
            self->member[t] = a;
        }
    }
    clear(self, b);
}

/* Merges what gains, each component with its best partner. */
static void merge_all(search *self, xp__watch *watch) {
    for (size_t a = 0; a < self->most && !xp__watch_stopped(watch); a++) {
        size_t partner = a;
        double most = merge_gain;
        for (size_t b = 0; b < self->most && self->size[a] > 0; b++) {
            if (b != a && self->size[b] > 0) {
                const double value = merge_value(self, a, b);
                partner = value > most ? b : partner;
                most = fmax(most, value);
            }
        }
        if (partner != a) {
            merge(self, a, partner);
            a--; /* the same one again, with more demonstrations */
        }
    }
}

static size_t empty_component(const search *self) {
    for (size_t k = 0; k < self->most; k++) {
        if (self->size[k] == 0) {
            return k;
        }
    }
    return NOWHERE;
}

/* Splits component k about one of its demonstrations, if that gains. */
static void split(search *self, size_t k, xp_rng *rng) {
    const size_t fresh = empty_component(self), count = self->demos->trajectories;
    size_t own = 0;
    for (size_t t = 0; t < count; t++) {
        own += self->member[t] == k;
    }
    if (fresh == NOWHERE || own < 2) {
        return;
    }
    const double before = joint(self);
    size_t left = (size_t)xp_rng_below(rng, own), seed = 0;
    while (self->member[seed] != k || left-- > 0) {
        seed++;
    }
    for (size_t t = 0; t < count; t++) {
        self->order[t] = self->member[t];
    }
    move(self, seed, k, -1);
    move(self, seed, fresh, 1);
    self->member[seed] = fresh;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t t = 0; t < count; t++) {
            if (self->order[t] == k && t != seed) {
                move(self, t, self->member[t], -1);
                const size_t to =
                    gain(self, t, fresh, -INFINITY) > gain(self, t, k, -INFINITY) ? fresh : k;
                move(self, t, to, 1);
                self->member[t] = to;
            }
        }
    }
    if (joint(self) <= before + 1e-9) {
        for (size_t t = 0; t < count; t++) {
            if (self->order[t] == k && self->member[t] != k) {
                move(self, t, fresh, -1);
                move(self, t, k, 1);
                self->member[t] = k;
            }
        }
        clear(self, fresh);
    }
}

/* One component for each last step, the most frequent ones; the rest joins the best. */
static void start_by_last(search *self) {
    const xp__encoded_demos *demos = self->demos;
    size_t used = 0;
    for (size_t t = 0; t < demos->trajectories; t++) {
        const size_t last = demos->start[t + 1] - 1;
        size_t k = NOWHERE;
        for (size_t u = 0; u < t && k == NOWHERE; u++) {
            const size_t other = demos->start[u + 1] - 1;
            if (demos->row[other] == demos->row[last] &&
                demos->action[other] == demos->action[last]) {
                k = self->member[u];
            }
        }
        if (k == NOWHERE) {
            k = used < self->most ? used++ : best_for(self, t);
        }
        self->member[t] = k;
        move(self, t, k, 1);
    }
}

static void start_one_by_one(search *self, xp__watch *watch, xp_rng *rng) {
    const size_t count = self->demos->trajectories;
    shuffle(self->order, count, rng);
    for (size_t i = 0; i < count; i++) {
        const size_t t = self->order[i];
        self->member[t] = xp__watch_stopped(watch) ? 0 : best_for(self, t);
        move(self, t, self->member[t], 1);
    }
}

static void climb(search *self, size_t start, xp__watch *watch, const xp_rng *rng) {
    xp_rng own = xp_rng_fork(rng, start);
    set_rates(self, start == 1 ? 1e-3 : 0.6, 0.01);
    for (size_t k = 0; k < self->most; k++) {
        clear(self, k);
    }
    if (start == 0) {
        start_by_last(self);
    } else {
        start_one_by_one(self, watch, &own);
    }
    double before = -INFINITY, now = joint(self);
    for (size_t round = 0; round < ROUNDS && !xp__watch_stopped(watch) && now > before + 1e-6;
         round++) {
        before = now;
        estimate_rates(self);
        sweep(self, watch, &own);
        merge_all(self, watch);
        for (size_t k = 0; k < self->most && !xp__watch_stopped(watch); k++) {
            split(self, k, &own);
        }
        sweep(self, watch, &own);
        now = joint(self);
        const double worth = now + merge_gain * (double)components(self);
        if (worth > self->best) {
            self->best = worth;
            memcpy(self->best_member, self->member,
                   self->demos->trajectories * sizeof self->member[0]);
        }
    }
}

/* How often each action was taken in each state, every demonstration's last one there. */
static void pool(const xp__encoded_demos *demos, size_t *last_step, double *pooled) {
    memset(pooled, 0, demos->rows.count * demos->actions * sizeof *pooled);
    for (size_t t = 0; t < demos->trajectories; t++) {
        for (size_t at = demos->start[t]; at < demos->start[t + 1]; at++) {
            last_step[demos->row[at]] = at;
        }
        for (size_t at = demos->start[t]; at < demos->start[t + 1]; at++) {
            if (last_step[demos->row[at]] == at) {
                pooled[demos->row[at] * demos->actions + demos->action[at]] +=
                    (double)demos->count[t];
            }
        }
    }
}

static uint32_t most_frequent(const double *pooled, size_t actions) {
    size_t best = 0;
    for (size_t a = 1; a < actions; a++) {
        best = pooled[a] > pooled[best] ? a : best;
    }
    return (uint32_t)best;
}

xp_status xp__pooled_actions(const xp__encoded_demos *demos, uint32_t *action, xp_error *error) {
    double *pooled = xp__alloc(demos->rows.count * demos->actions, sizeof *pooled);
    size_t *last_step = xp__alloc(demos->rows.count, sizeof *last_step);
    const bool made = pooled != NULL && last_step != NULL;
    if (made) {
        pool(demos, last_step, pooled);
        for (size_t row = 0; row < demos->rows.count; row++) {
            action[row] = most_frequent(pooled + row * demos->actions, demos->actions);
        }
    }
    xp__free(pooled);
    xp__free(last_step);
    return made ? XP_OK : xp__no_memory(error);
}

/* The state as a cell, if demonstrations differ there. */
static void add_cell(search *self, size_t row, const double *pooled) {
    cell *c = &self->cell[self->cells];
    double b[SUPPORT] = {0};
    *c = (cell){.row = row};
    for (size_t a = 0; a < self->actions; a++) {
        size_t place = c->support;
        while (place > 0 && b[place - 1] < pooled[a]) {
            place--;
        }
        if (pooled[a] == 0 || place == SUPPORT) {
            continue;
        }
        const size_t end = c->support < SUPPORT ? c->support++ : SUPPORT - 1;
        for (size_t i = end; i > place; i--) {
            b[i] = b[i - 1];
            c->action[i] = c->action[i - 1];
        }
        b[place] = pooled[a];
        c->action[place] = (uint32_t)a;
    }
    if (c->support > 1) {
        for (size_t i = 0; i < c->support; i++) {
            b[i] += 1 / (double)self->actions;
        }
        fill_sets(c, b);
        self->cell_of[row] = ++self->cells;
    }
}

static void list_steps(search *self, size_t *last_step) {
    const xp__encoded_demos *demos = self->demos;
    size_t count = 0;
    for (size_t t = 0; t < demos->trajectories; t++) {
        self->begin[t] = count;
        for (size_t at = demos->start[t]; at < demos->start[t + 1]; at++) {
            last_step[demos->row[at]] = at;
        }
        for (size_t at = demos->start[t]; at < demos->start[t + 1]; at++) {
            const size_t row = demos->row[at];
            if (last_step[row] != at || self->cell_of[row] == 0) {
                continue;
            }
            const cell *c = &self->cell[self->cell_of[row] - 1];
            uint32_t which = 0;
            while (which < c->support && c->action[which] != demos->action[at]) {
                which++;
            }
            self->steps[count++] =
                (step){(uint32_t)(self->cell_of[row] - 1), which < c->support ? which : SUPPORT};
        }
    }
    self->begin[demos->trajectories] = count;
}

/* What a component did most often in a state, or else all experts; *own tells which. */
static uint32_t action_of(const search *self, size_t k, size_t row, const double *pooled,
                          bool *own) {
    const size_t at = self->cell_of[row];
    size_t best = 0;
    *own = at > 0 && total(counts_at(self, k, at - 1)) > 0;
    if (at == 0) {
        return most_frequent(pooled, self->actions);
    }
    const double *counts = counts_at(self, k, at - 1); /* in the order of all experts' habits */
    for (size_t i = 1; i < self->cell[at - 1].support; i++) {
        best = counts[i] > counts[best] ? i : best;
    }
    return self->cell[at - 1].action[best];
}

/* States in which all act alike are a component's own too if its demonstrations were there. */
static void own_rows(const search *self, size_t t, xp__mode_sets *sets) {
    for (size_t at = self->demos->start[t]; at < self->demos->start[t + 1]; at++) {
        const size_t place = sets->count * sets->rows + self->demos->row[at];
        sets->own[place] = sets->action[place];
    }
}

/* The components of the best partition as sets. */
static void conclude(search *self, xp__mode_sets *sets, const double *pooled, size_t *member) {
    const size_t count = self->demos->trajectories;
    memcpy(self->member, self->best_member, count * sizeof self->member[0]);
    rebuild(self);
    for (size_t k = 0; k < self->most; k++) {
        if (self->size[k] == 0) {
            continue;
        }
        for (size_t row = 0; row < sets->rows; row++) {
            const size_t place = sets->count * sets->rows + row;
            bool own;
            sets->action[place] = action_of(self, k, row, pooled + row * self->actions, &own);
            sets->own[place] = own ? sets->action[place] : XP__MODE_SILENT;
        }
        for (size_t t = 0; t < count; t++) {
            if (self->best_member[t] == k) {
                own_rows(self, t, sets);
                if (member != NULL) {
                    member[t] = sets->count;
                }
            }
        }
        sets->weight[sets->count++] = self->size[k] + 0.5;
    }
    for (size_t k = 0; k < sets->count; k++) {
        sets->weight[k] /= (double)self->demos->total + 0.5 * (double)sets->count;
    }
}

static void run_search(search *self, double *pooled, size_t *last_step, xp__watch *watch,
                       const xp_rng *rng) {
    const xp__encoded_demos *demos = self->demos;
    pool(demos, last_step, pooled);
    for (size_t row = 0; row < demos->rows.count; row++) {
        add_cell(self, row, pooled + row * self->actions);
    }
    list_steps(self, last_step);
    self->best = -INFINITY;
    for (size_t start = 0; start < STARTS && !xp__watch_stopped(watch); start++) {
        climb(self, start, watch, rng);
    }
}

xp_status xp__tie_policies_init(xp__mode_sets *sets, const xp__encoded_demos *demos, size_t most,
                                xp__watch *watch, const xp_rng *rng, size_t *member,
                                xp_error *error) {
    const size_t rows = demos->rows.count, count = demos->trajectories;
    const size_t kept = count < most ? count : most;
    *sets = (xp__mode_sets){.rows = rows};
    char what[96];
    (void)snprintf(what, sizeof what, "%zu components over %zu demonstrated states", kept, rows);
    xp_status status = xp__budget_check(kept, rows * (COUNTS + 2) * sizeof(double), what,
                                        "use fewer modes or fewer demonstrations", error);
    if (status != XP_OK) {
        return status;
    }
    search self = {.demos = demos, .actions = demos->actions, .most = kept};
    double *pooled = xp__alloc(rows * demos->actions, sizeof *pooled);
    size_t *last_step = xp__alloc(rows, sizeof *last_step);
    self.cell = xp__alloc(rows, sizeof self.cell[0]);
    self.cell_of = xp__alloc(rows, sizeof self.cell_of[0]);
    self.begin = xp__alloc(count + 1, sizeof self.begin[0]);
    self.steps = xp__alloc(demos->start[count], sizeof self.steps[0]);
    self.member = xp__alloc(3 * count, sizeof self.member[0]);
    self.counts = xp__alloc(kept * rows * COUNTS, sizeof(double));
    self.log_f = xp__alloc(kept * rows, sizeof(double));
    self.size = xp__alloc(kept, sizeof(double));
    sets->action = xp__alloc(kept * rows, sizeof sets->action[0]);
    sets->own = xp__alloc(kept * rows, sizeof sets->own[0]);
    sets->weight = xp__alloc(kept, sizeof sets->weight[0]);
    if (pooled != NULL && last_step != NULL && self.cell != NULL && self.cell_of != NULL &&
        self.begin != NULL && self.steps != NULL && self.member != NULL && self.counts != NULL &&
        self.log_f != NULL && self.size != NULL && sets->action != NULL && sets->own != NULL &&
        sets->weight != NULL) {
        self.best_member = self.member + count;
        self.order = self.member + 2 * count;
        run_search(&self, pooled, last_step, watch, rng);
        conclude(&self, sets, pooled, member);
    } else {
        status = xp__no_memory(error);
        xp__mode_sets_deinit(sets);
    }
    xp__free(pooled);
    xp__free(last_step);
    xp__free(self.cell);
    xp__free(self.cell_of);
    xp__free(self.begin);
    xp__free(self.steps);
    xp__free(self.member);
    xp__free(self.counts);
    xp__free(self.log_f);
    xp__free(self.size);
    return status;
}
