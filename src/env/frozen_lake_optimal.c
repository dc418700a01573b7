/* frozen_lake_optimal.c: exact values of Frozen Lake, with and without sight of the hazard.
 *
 * Seen: the moves are deterministic and every one costs, so this is a longest-path problem without
 * gainful cycles; value iteration from -infinity is exact once a sweep changes nothing, at most as
 * many sweeps as cells.
 *
 * Not seen: the learner finds out about the hazard only by walking on a square and surviving, so
 * its belief is uniform on the squares of the set that it has not walked on. The pair (cell, what
 * is left of the set) is a Markov state: a step on a square of the set fails with probability
 * 1/|set| and otherwise removes the square. Sets are solved in ascending order, each by value
 * iteration over its cells, for a step that shrinks the set leads to a smaller number.
 *
 * Both leave the limit of 100 steps out: the best paths have at most 8 moves. */
#include "env/frozen_lake.h"

#include <math.h>

size_t xp__lake_square_cell(size_t square) {
    return (1 + square / 3) * XP__LAKE_SIDE + 1 + square % 3;
}

size_t xp__lake_cell_square(size_t cell) {
    const size_t row = cell / XP__LAKE_SIDE, column = cell % XP__LAKE_SIDE;
    const size_t last = XP__LAKE_SIDE - 1;
    const bool inside = row > 0 && row < last && column > 0 && column < last;
    return inside ? (row - 1) * 3 + column - 1 : XP__LAKE_SQUARES;
}

size_t xp__lake_move(size_t cell, size_t action) {
    const size_t row = cell / XP__LAKE_SIDE, column = cell % XP__LAKE_SIDE;
    const size_t last = XP__LAKE_SIDE - 1;
    switch (action) {
    case XP__LAKE_UP:
        return row > 0 ? cell - XP__LAKE_SIDE : cell;
    case XP__LAKE_RIGHT:
        return column < last ? cell + 1 : cell;
    case XP__LAKE_DOWN:
        return row < last ? cell + XP__LAKE_SIDE : cell;
    default:
        return column > 0 ? cell - 1 : cell;
    }
}

static double seen_q(const double *value, size_t hazard, size_t cell, size_t action) {
    const size_t next = xp__lake_move(cell, action);
    return next == XP__LAKE_GOAL ? XP__LAKE_GOAL_REWARD
           : next == hazard      ? XP__LAKE_HAZARD_REWARD
                                 : XP__LAKE_MOVE_REWARD + value[next];
}

void xp__lake_optimal_q(size_t hazard, double q[XP__LAKE_CELLS][XP__LAKE_ACTIONS]) {
    double value[XP__LAKE_CELLS];
    for (size_t cell = 0; cell < XP__LAKE_CELLS; cell++) {
        value[cell] = -INFINITY;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t cell = 0; cell < XP__LAKE_CELLS; cell++) {
            const bool over = cell == XP__LAKE_GOAL || cell == hazard;
            double best = over ? 0 : -INFINITY;
            for (size_t action = 0; action < XP__LAKE_ACTIONS; action++) {
                q[cell][action] = over ? 0 : seen_q(value, hazard, cell, action);
                best = fmax(best, q[cell][action]);
            }
            changed = changed || best != value[cell];
            value[cell] = best;
        }
    }
}

static double blind_q(const double value[XP__LAKE_SETS][XP__LAKE_CELLS], size_t set, double hazards,
                      size_t cell, size_t action) {
    const size_t next = xp__lake_move(cell, action), square = xp__lake_cell_square(next);
    if (next == XP__LAKE_GOAL) {
        return XP__LAKE_GOAL_REWARD;
    }
    if ((set >> square & 1) == 0) {
        return XP__LAKE_MOVE_REWARD + value[set][next];
    }
    if (hazards == 1) {
        return XP__LAKE_HAZARD_REWARD;
    }
    const double survived = XP__LAKE_MOVE_REWARD + value[set ^ (size_t)1 << square][next];
    return (XP__LAKE_HAZARD_REWARD + (hazards - 1) * survived) / hazards;
}

size_t xp__lake_set_size(size_t set) {
    size_t size = 0;
    for (size_t square = 0; square < XP__LAKE_SQUARES; square++) {
        size += set >> square & 1;
    }
    return size;
}

static void solve_set(double value[XP__LAKE_SETS][XP__LAKE_CELLS], size_t set) {
    const double hazards = (double)xp__lake_set_size(set);
    for (size_t cell = 0; cell < XP__LAKE_CELLS; cell++) {
        const bool nowhere = hazards == 0 || (set >> xp__lake_cell_square(cell) & 1) != 0;
        value[set][cell] = nowhere ? NAN : cell == XP__LAKE_GOAL ? 0 : -INFINITY;
    }
    for (bool changed = hazards > 0; changed;) {
        changed = false;
        for (size_t cell = 0; cell < XP__LAKE_CELLS; cell++) {
            if (isnan(value[set][cell]) || cell == XP__LAKE_GOAL) {
                continue;
            }
            double best = -INFINITY;
            for (size_t action = 0; action < XP__LAKE_ACTIONS; action++) {
                best = fmax(best, blind_q(value, set, hazards, cell, action));
            }
            changed = changed || best != value[set][cell];
            value[set][cell] = best;
        }
    }
}

void xp__lake_blind_values(double value[XP__LAKE_SETS][XP__LAKE_CELLS]) {
    for (size_t set = 0; set < XP__LAKE_SETS; set++) {
        solve_set(value, set);
    }
}

void xp__lake_blind_q(const double value[XP__LAKE_SETS][XP__LAKE_CELLS], size_t set, size_t cell,
                      double q[XP__LAKE_ACTIONS]) {
    const double hazards = (double)xp__lake_set_size(set);
    const bool nowhere = isnan(value[set][cell]);
    for (size_t action = 0; action < XP__LAKE_ACTIONS; action++) {
        q[action] = nowhere ? NAN : blind_q(value, set, hazards, cell, action);
    }
}
