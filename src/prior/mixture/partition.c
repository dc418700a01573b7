/* partition.c: see partition.h.
 *
 * The search starts from the last step, and from assigning demonstrations one by one in random
 * order with few and with many ties. From each: rounds of assigning every demonstration to its best
 * component, merging components and splitting them, and estimating ρ and η. */
#include "prior/mixture/partition.h"

#include "base/memory.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

enum { STARTS = 3, ROUNDS = 6, SWEEPS = 4 };

#define NOWHERE SIZE_MAX

/* A component is worth so much beside J: two contexts that differ in one state could otherwise be
 * taken for one whose experts are indifferent there. */
static const double merge_gain = 4;

double *xp__partition_counts(const xp__partition *self, size_t k, size_t at) {
    return self->counts + (k * self->cells + at) * XP__TIED_COUNTS;
}

static double log_f_of(const xp__partition *self, size_t at, const double *counts) {
    return xp__tied_log_f(&self->rates, &self->cell[at], counts, NULL, NULL);
}

/* Adds a demonstration to a component, or takes it away (sign -1). */
static void move(xp__partition *self, size_t t, size_t k, double sign) {
    const double by = sign * (double)self->demos->count[t];
    for (size_t i = self->begin[t]; i < self->begin[t + 1]; i++) {
        const size_t at = self->steps[i].cell;
        double *counts = xp__partition_counts(self, k, at);
        counts[self->steps[i].which] += by;
        self->log_f[k * self->cells + at] = log_f_of(self, at, counts);
    }
    self->size[k] += by;
}

static void clear(xp__partition *self, size_t k) {
    memset(xp__partition_counts(self, k, 0), 0, self->cells * XP__TIED_COUNTS * sizeof(double));
    memset(self->log_f + k * self->cells, 0, self->cells * sizeof(double));
    self->size[k] = 0;
}

/* What J gains if a demonstration joins a component, which may be empty. No step gains anything, so
 * it stops where the sum is below `least`. */
static double gain(const xp__partition *self, size_t t, size_t k, double least) {
    const double by = (double)self->demos->count[t], size = self->size[k];
    double sum = size > 0 ? xp__log_gamma(size + by) - xp__log_gamma(size) : xp__log_gamma(by);
    for (size_t i = self->begin[t]; i < self->begin[t + 1] && sum > least; i++) {
        const size_t at = self->steps[i].cell;
        double counts[XP__TIED_COUNTS];
        memcpy(counts, xp__partition_counts(self, k, at), sizeof counts);
        counts[self->steps[i].which] += by;
        sum += log_f_of(self, at, counts) - self->log_f[k * self->cells + at];
    }
    return sum;
}

/* The best component for a demonstration that is in none: one of the others, or an empty one. */
static size_t best_for(const xp__partition *self, size_t t) {
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

static double joint(const xp__partition *self) {
    double sum = 0;
    for (size_t k = 0; k < self->most; k++) {
        if (self->size[k] > 0) {
            sum += xp__log_gamma(self->size[k]);
            for (size_t at = 0; at < self->cells; at++) {
                sum += self->log_f[k * self->cells + at];
            }
        }
    }
    return sum;
}

static size_t components(const xp__partition *self) {
    size_t count = 0;
    for (size_t k = 0; k < self->most; k++) {
        count += self->size[k] > 0;
    }
    return count;
}

/* Everything anew from self->member; after rates have changed too. */
static void rebuild(xp__partition *self) {
    for (size_t k = 0; k < self->most; k++) {
        clear(self, k);
    }
    for (size_t t = 0; t < self->demos->trajectories; t++) {
        const size_t k = self->member[t];
        for (size_t i = self->begin[t]; i < self->begin[t + 1]; i++) {
            xp__partition_counts(self, k, self->steps[i].cell)[self->steps[i].which] +=
                (double)self->demos->count[t];
        }
        self->size[k] += (double)self->demos->count[t];
    }
    for (size_t k = 0; k < self->most; k++) {
        for (size_t at = 0; self->size[k] > 0 && at < self->cells; at++) {
            self->log_f[k * self->cells + at] =
                log_f_of(self, at, xp__partition_counts(self, k, at));
        }
    }
}

/* ρ and η from what the components expect. */
static void estimate_rates(xp__partition *self) {
    double ties = 0.5, places = 1, errors = 0.5, steps = 1;
    for (size_t k = 0; k < self->most; k++) {
        for (size_t at = 0; self->size[k] > 0 && at < self->cells; at++) {
            const double *counts = xp__partition_counts(self, k, at);
            const double all = xp__tied_total(counts);
            double tied, wrong;
            if (all > 1) {
                (void)xp__tied_log_f(&self->rates, &self->cell[at], counts, &tied, &wrong);
                ties += tied;
                places += 1;
                errors += wrong;
                steps += all;
            }
        }
    }
    const double actions = (double)self->demos->actions;
    xp__tied_rates_set(&self->rates, self->demos->actions, ties / places,
                       errors / steps * actions / fmax(1, actions - 1));
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
static void sweep(xp__partition *self, xp__watch *watch, xp_rng *rng) {
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
static double merge_value(const xp__partition *self, size_t a, size_t b) {
    double sum = xp__log_gamma(self->size[a] + self->size[b]) - xp__log_gamma(self->size[a]) -
                 xp__log_gamma(self->size[b]);
    for (size_t at = 0; at < self->cells; at++) {
        const double *one = xp__partition_counts(self, a, at),
                     *other = xp__partition_counts(self, b, at);
        if (xp__tied_total(one) == 0 || xp__tied_total(other) == 0) {
            continue;
        }
        double counts[XP__TIED_COUNTS];
        for (size_t i = 0; i < XP__TIED_COUNTS; i++) {
            counts[i] = one[i] + other[i];
        }
        sum += log_f_of(self, at, counts) - self->log_f[a * self->cells + at] -
               self->log_f[b * self->cells + at];
    }
    return sum;
}

static void merge(xp__partition *self, size_t a, size_t b) {
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
static void merge_all(xp__partition *self, xp__watch *watch) {
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

static size_t empty_component(const xp__partition *self) {
    for (size_t k = 0; k < self->most; k++) {
        if (self->size[k] == 0) {
            return k;
        }
    }
    return NOWHERE;
}

/* Splits component k about one of its demonstrations, if that gains. */
static void split(xp__partition *self, size_t k, xp_rng *rng) {
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
static void start_by_last(xp__partition *self) {
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

static void start_one_by_one(xp__partition *self, xp__watch *watch, xp_rng *rng) {
    const size_t count = self->demos->trajectories;
    shuffle(self->order, count, rng);
    for (size_t i = 0; i < count; i++) {
        const size_t t = self->order[i];
        self->member[t] = xp__watch_stopped(watch) ? 0 : best_for(self, t);
        move(self, t, self->member[t], 1);
    }
}

static void climb(xp__partition *self, size_t start, xp__watch *watch, const xp_rng *rng) {
    xp_rng own = xp_rng_fork(rng, start);
    xp__tied_rates_set(&self->rates, self->demos->actions, start == 1 ? 1e-3 : 0.6, 0.01);
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

void xp__partition_search(xp__partition *self, xp__watch *watch, const xp_rng *rng) {
    self->best = -INFINITY;
    for (size_t start = 0; start < STARTS && !xp__watch_stopped(watch); start++) {
        climb(self, start, watch, rng);
    }
    memcpy(self->member, self->best_member, self->demos->trajectories * sizeof self->member[0]);
    rebuild(self);
}

xp_status xp__partition_init(xp__partition *self, const xp__encoded_demos *demos, size_t most,
                             xp_error *error) {
    const size_t rows = demos->rows.count, count = demos->trajectories;
    *self = (xp__partition){.demos = demos, .most = most};
    self->cell = xp__alloc(rows, sizeof self->cell[0]);
    self->begin = xp__alloc(count + 1, sizeof self->begin[0]);
    self->steps = xp__alloc(demos->start[count], sizeof self->steps[0]);
    self->member = xp__alloc(3 * count, sizeof self->member[0]);
    self->counts = xp__alloc(most * rows * XP__TIED_COUNTS, sizeof(double));
    self->log_f = xp__alloc(most * rows, sizeof(double));
    self->size = xp__alloc(most, sizeof(double));
    if (self->cell == NULL || self->begin == NULL || self->steps == NULL || self->member == NULL ||
        self->counts == NULL || self->log_f == NULL || self->size == NULL) {
        xp__partition_deinit(self);
        return xp__no_memory(error);
    }
    self->best_member = self->member + count;
    self->order = self->member + 2 * count;
    return XP_OK;
}

void xp__partition_deinit(xp__partition *self) {
    xp__free(self->cell);
    xp__free(self->begin);
    xp__free(self->steps);
    xp__free(self->member);
    xp__free(self->counts);
    xp__free(self->log_f);
    xp__free(self->size);
    *self = (xp__partition){0};
}
