/* frozen_lake.h: the map of Frozen Lake, its rewards and its exact values.
 *
 * Cells are numbered row by row from the top left: cell = 5 row + column. The nine interior squares
 * are where the hazard may be; square i is bit i of a set of squares. Nothing here knows a task's
 * context. */
#ifndef XP_ENV_FROZEN_LAKE_H
#define XP_ENV_FROZEN_LAKE_H

#include "env/env_type.h"

enum {
    XP__LAKE_SIDE = 5,
    XP__LAKE_CELLS = XP__LAKE_SIDE * XP__LAKE_SIDE,
    XP__LAKE_START = 2 * XP__LAKE_SIDE,    /* (2, 0) */
    XP__LAKE_GOAL = 2 * XP__LAKE_SIDE + 4, /* (2, 4) */
    XP__LAKE_SQUARES = 9,
    XP__LAKE_SETS = 1 << XP__LAKE_SQUARES, /* sets of squares, the empty one among them */
    XP__LAKE_MAX_CONTEXTS = 126,           /* sets of four or five squares */
    XP__LAKE_HORIZON = 100
};
enum { XP__LAKE_UP, XP__LAKE_RIGHT, XP__LAKE_DOWN, XP__LAKE_LEFT, XP__LAKE_ACTIONS };

/* Rewards of a move that ends on ice, on the goal, on the hazard; the last two end the episode. */
#define XP__LAKE_MOVE_REWARD   (-2.0)
#define XP__LAKE_GOAL_REWARD   20.0
#define XP__LAKE_HAZARD_REWARD (-100.0)

/* The environment. */
typedef struct xp__lake {
    xp_env env;
    size_t hazards;
    bool shown; /* the learner sees the hazard */
    size_t categories[2];
    double q[XP__LAKE_SQUARES][XP__LAKE_CELLS][XP__LAKE_ACTIONS]; /* Q* of each hazard, seen */
    size_t sets[XP__LAKE_MAX_CONTEXTS]; /* the contexts: sets of `hazards` squares, ascending */
    double blind[XP__LAKE_SETS][XP__LAKE_CELLS]; /* xp__lake_blind_values, unless `shown` */
} xp__lake;

/* Cell of an interior square, 0 .. 8, row by row. */
size_t xp__lake_square_cell(size_t square);
/* The square of a cell; XP__LAKE_SQUARES for a cell at the border. */
size_t xp__lake_cell_square(size_t cell);
/* Cell after a move; a move off the map stays put. */
size_t xp__lake_move(size_t cell, size_t action);

/* Q* for a hazard on the cell `hazard`, for who sees it; 0 where the episode is over. */
void xp__lake_optimal_q(size_t hazard, double q[XP__LAKE_CELLS][XP__LAKE_ACTIONS]);

/* The model of the contexts (contexts.h). */
extern const xp__contexts_type xp__lake_contexts;

/* The best that a learner who does not see the hazard can do: value[set][cell] is its expected
 * return from `cell` if the hazard is on a square of `set`, each equally likely, and it knows the
 * set. It is NAN where there is no such belief: for the empty set, and on a square of the set,
 * which it would have survived. The best expected return of a task is value[set][XP__LAKE_START].
 */
void xp__lake_blind_values(double value[XP__LAKE_SETS][XP__LAKE_CELLS]);
/* Its action values in a cell, from those. `set` is what is left of the set: the squares on which
 * it has not walked in this episode. NAN where there is no such belief. */
void xp__lake_blind_q(const double value[XP__LAKE_SETS][XP__LAKE_CELLS], size_t set, size_t cell,
                      double q[XP__LAKE_ACTIONS]);
/* Squares in a set. */
size_t xp__lake_set_size(size_t set);

#endif
