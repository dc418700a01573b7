/* tie_policies.c: see tie_policies.h.
 *
 * A state in which all demonstrations act alike tells no components apart; it is left out. Of
 * several actions in one state of a demonstration the last one counts. */
#include "prior/mixture/tie_policies.h"

#include "base/budget.h"
#include "base/memory.h"
#include "math/argmax.h"
#include "prior/mixture/partition.h"

#include <stdio.h>
#include <string.h>

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

xp_status xp__pooled_actions(const xp__encoded_demos *demos, uint32_t *action, xp_error *error) {
    double *pooled = xp__alloc(demos->rows.count * demos->actions, sizeof *pooled);
    size_t *last_step = xp__alloc(demos->rows.count, sizeof *last_step);
    const bool made = pooled != NULL && last_step != NULL;
    if (made) {
        pool(demos, last_step, pooled);
        for (size_t row = 0; row < demos->rows.count; row++) {
            action[row] = (uint32_t)xp__argmax(pooled + row * demos->actions, demos->actions);
        }
    }
    xp__free(pooled);
    xp__free(last_step);
    return made ? XP_OK : xp__no_memory(error);
}

/* The states in which demonstrations differ, and cell_of [rows]: 1 + the cell of a state, or 0. */
static void list_cells(xp__partition *self, const double *pooled, size_t *cell_of) {
    const size_t actions = self->demos->actions;
    for (size_t row = 0; row < self->demos->rows.count; row++) {
        xp__tied_cell *cell = &self->cell[self->cells];
        xp__tied_cell_make(cell, pooled + row * actions, actions);
        cell_of[row] = cell->support > 1 ? ++self->cells : 0;
    }
}

static void list_steps(xp__partition *self, const size_t *cell_of, size_t *last_step) {
    const xp__encoded_demos *demos = self->demos;
    size_t count = 0;
    for (size_t t = 0; t < demos->trajectories; t++) {
        self->begin[t] = count;
        for (size_t at = demos->start[t]; at < demos->start[t + 1]; at++) {
            last_step[demos->row[at]] = at;
        }
        for (size_t at = demos->start[t]; at < demos->start[t + 1]; at++) {
            const size_t row = demos->row[at];
            if (last_step[row] != at || cell_of[row] == 0) {
                continue;
            }
            const xp__tied_cell *cell = &self->cell[cell_of[row] - 1];
            uint32_t which = 0;
            while (which < cell->support && cell->action[which] != demos->action[at]) {
                which++;
            }
            self->steps[count++] = (xp__tied_step){
                (uint32_t)(cell_of[row] - 1), which < cell->support ? which : XP__TIED_SUPPORT};
        }
    }
    self->begin[demos->trajectories] = count;
}

/* What a component did most often in a state, or else all experts; *own tells which. `at` is 1 +
 * the state's cell, or 0. */
static uint32_t action_of(const xp__partition *self, size_t k, size_t at, const double *pooled,
                          bool *own) {
    *own = false;
    if (at == 0) {
        return (uint32_t)xp__argmax(pooled, self->demos->actions);
    }
    const xp__tied_cell *cell = &self->cell[at - 1];
    const double *counts = xp__partition_counts(self, k, at - 1);
    *own = xp__tied_total(counts) > 0;
    return cell
        ->action[xp__argmax(counts, cell->support)]; /* in the order of all experts' habits */
}

/* States in which all act alike are a component's own too if its demonstrations were there. */
static void own_rows(const xp__encoded_demos *demos, size_t t, xp__mode_sets *sets) {
    for (size_t at = demos->start[t]; at < demos->start[t + 1]; at++) {
        const size_t place = sets->count * sets->rows + demos->row[at];
        sets->own[place] = sets->action[place];
    }
}

/* The components of the partition as sets. */
static void conclude(const xp__partition *self, const size_t *cell_of, const double *pooled,
                     xp__mode_sets *sets, size_t *member) {
    const xp__encoded_demos *demos = self->demos;
    for (size_t k = 0; k < self->most; k++) {
        if (self->size[k] == 0) {
            continue;
        }
        for (size_t row = 0; row < sets->rows; row++) {
            const size_t place = sets->count * sets->rows + row;
            bool own;
            sets->action[place] =
                action_of(self, k, cell_of[row], pooled + row * demos->actions, &own);
            sets->own[place] = own ? sets->action[place] : XP__MODE_SILENT;
        }
        for (size_t t = 0; t < demos->trajectories; t++) {
            if (self->member[t] == k) {
                own_rows(demos, t, sets);
                if (member != NULL) {
                    member[t] = sets->count;
                }
            }
        }
        sets->weight[sets->count++] = self->size[k] + 0.5;
    }
    for (size_t k = 0; k < sets->count; k++) {
        sets->weight[k] /= (double)demos->total + 0.5 * (double)sets->count;
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
    xp_status status = xp__budget_check(kept, rows * (XP__TIED_COUNTS + 2) * sizeof(double), what,
                                        "use fewer modes or fewer demonstrations", error);
    if (status != XP_OK) {
        return status;
    }
    double *pooled = xp__alloc(rows * demos->actions, sizeof *pooled);
    size_t *last_step = xp__alloc(rows, sizeof *last_step);
    size_t *cell_of = xp__alloc(rows, sizeof *cell_of);
    xp__partition found;
    status = xp__partition_init(&found, demos, kept, error);
    sets->action = xp__alloc(kept * rows, sizeof sets->action[0]);
    sets->own = xp__alloc(kept * rows, sizeof sets->own[0]);
    sets->weight = xp__alloc(kept, sizeof sets->weight[0]);
    if (status == XP_OK && pooled != NULL && last_step != NULL && cell_of != NULL &&
        sets->action != NULL && sets->own != NULL && sets->weight != NULL) {
        pool(demos, last_step, pooled);
        list_cells(&found, pooled, cell_of);
        list_steps(&found, cell_of, last_step);
        xp__partition_search(&found, watch, rng);
        conclude(&found, cell_of, pooled, sets, member);
    } else {
        status = xp__no_memory(error);
        xp__mode_sets_deinit(sets);
    }
    xp__partition_deinit(&found);
    xp__free(pooled);
    xp__free(last_step);
    xp__free(cell_of);
    return status;
}
