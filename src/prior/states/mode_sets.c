/* mode_sets.c: see mode_sets.h. */
#include "prior/states/mode_sets.h"

#include "base/budget.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A demonstration and its place in a random order. */
typedef struct place {
    double key;
    size_t trajectory;
} place;

static int by_key(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->trajectory < y->trajectory ? -1 : x->trajectory > y->trajectory;
}

/* The order of first appearance among all demonstrations in random order: the one that occurs n
 * times comes first with probability proportional to n, and so on. */
static void shuffle(const xp__encoded_demos *demos, xp_rng *rng, place *order) {
    for (size_t t = 0; t < demos->trajectories; t++) {
        order[t] = (place){xp_rng_exponential(rng) / (double)demos->count[t], t};
    }
    qsort(order, demos->trajectories, sizeof *order, by_key);
}

/* Makes `action` follow trajectory t; the last action in a state counts. */
static void follow(const xp__encoded_demos *demos, size_t t, uint32_t *action) {
    for (size_t step = demos->start[t]; step < demos->start[t + 1]; step++) {
        action[demos->row[step]] = demos->action[step];
    }
}

static bool agrees(const xp__encoded_demos *demos, size_t t, const uint32_t *action,
                   const uint32_t *own) {
    for (size_t step = demos->start[t]; step < demos->start[t + 1]; step++) {
        const uint32_t row = demos->row[step];
        if (action[row] != XP__MODE_SILENT && action[row] != own[row]) {
            return false;
        }
    }
    return true;
}

static void build(const xp__encoded_demos *demos, size_t first, const place *order, uint32_t *own,
                  uint32_t *action) {
    const size_t rows = demos->rows.count;
    for (size_t row = 0; row < rows; row++) {
        action[row] = XP__MODE_SILENT;
    }
    follow(demos, first, action);
    for (size_t i = 0; i < demos->trajectories; i++) {
        const size_t t = order[i].trajectory;
        follow(demos, t, own);
        if (agrees(demos, t, action, own)) {
            follow(demos, t, action);
        }
    }
}

/* Adds the mode that lies after the last one, unless it is there already. */
static void add(xp__mode_sets *sets, double weight) {
    const size_t bytes = sets->rows * sizeof sets->action[0];
    const uint32_t *made = sets->action + sets->count * sets->rows;
    for (size_t k = 0; k < sets->count; k++) {
        if (memcmp(sets->action + k * sets->rows, made, bytes) == 0) {
            sets->weight[k] += weight;
            return;
        }
    }
    sets->weight[sets->count++] = weight;
}

static size_t draw_first(const xp__encoded_demos *demos, double place_of) {
    double left = place_of * (double)demos->total;
    size_t t = 0;
    while (t + 1 < demos->trajectories && left >= (double)demos->count[t]) {
        left -= (double)demos->count[t++];
    }
    return t;
}

static void collect(xp__mode_sets *sets, const xp__encoded_demos *demos, size_t most,
                    xp__watch *watch, const xp_rng *rng, place *order, uint32_t *own) {
    const bool each = demos->trajectories <= most;
    const size_t draws = each ? demos->trajectories : most;
    xp_rng start = xp_rng_fork(rng, draws);
    const double offset = xp_rng_uniform(&start);
    for (size_t i = 0; i < draws && !xp__watch_stopped(watch); i++) {
        const size_t first = each ? i : draw_first(demos, ((double)i + offset) / (double)draws);
        xp_rng own_rng = xp_rng_fork(rng, i);
        shuffle(demos, &own_rng, order);
        build(demos, first, order, own, sets->action + sets->count * sets->rows);
        add(sets, each ? ((double)demos->count[first] + 0.5) /
                             ((double)demos->total + 0.5 * (double)draws)
                       : 1 / (double)draws);
    }
}

xp_status xp__mode_sets_init(xp__mode_sets *sets, const xp__encoded_demos *demos, size_t most,
                             xp__watch *watch, const xp_rng *rng, xp_error *error) {
    const size_t draws = demos->trajectories < most ? demos->trajectories : most;
    *sets = (xp__mode_sets){.rows = demos->rows.count};
    char what[96];
    (void)snprintf(what, sizeof what, "%zu modes over %zu demonstrated states", draws, sets->rows);
    const xp_status status = xp__budget_check(draws, sets->rows * sizeof sets->action[0], what,
                                              "use fewer modes or fewer demonstrations", error);
    if (status != XP_OK) {
        return status;
    }
    place *order = xp__alloc(demos->trajectories, sizeof *order);
    uint32_t *own = xp__alloc(sets->rows, sizeof *own);
    sets->action = xp__alloc(draws * sets->rows, sizeof sets->action[0]);
    sets->weight = xp__alloc(draws, sizeof sets->weight[0]);
    const bool made = order != NULL && own != NULL && sets->action != NULL && sets->weight != NULL;
    if (made) {
        collect(sets, demos, most, watch, rng, order, own);
    }
    xp__free(order);
    xp__free(own);
    if (!made) {
        xp__mode_sets_deinit(sets);
    }
    return made ? XP_OK : xp__no_memory(error);
}

void xp__mode_sets_deinit(xp__mode_sets *sets) {
    xp__free(sets->action);
    xp__free(sets->own);
    xp__free(sets->weight);
    *sets = (xp__mode_sets){.count = 0};
}
