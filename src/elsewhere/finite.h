/* finite.h: tasks with finitely many states, as a table of what every action may lead to.
 *
 * The hidden context is the table. Episodes are played from it, and optimal action values are
 * computed from it by backward induction over the steps that are left: exactly, with the end of the
 * episode taken into account. States are numbered; a learner is shown the digits of that number
 * in the bases `categories`, the last one fastest. */
#ifndef XP_ELSEWHERE_FINITE_H
#define XP_ELSEWHERE_FINITE_H

#include "elsewhere/elsewhere_type.h"

#include <assert.h>

typedef struct xp__finite_shape {
    size_t state_size, categories[XP__ELSEWHERE_NUMBERS];
    size_t actions, horizon;
} xp__finite_shape;

/* What an action may lead to. */
typedef struct xp__way {
    double probability, reward;
    size_t next;
    bool ends;
} xp__way;

enum { XP__WAYS = 4 };
typedef struct xp__finite_model {
    xp__finite_shape shape;
    size_t states;
    double *start; /* [states]: weights of first states */
    xp__way *ways; /* [states][actions][XP__WAYS]; probability 0: there are no more */
} xp__finite_model;

typedef struct xp__finite_type {
    void (*shape)(const xp__form *form, xp__finite_shape *shape);
    /* Draws a hidden context and writes the table, which is empty. */
    void (*draw)(const xp__form *form, xp_rng *rng, xp__finite_model *model);
} xp__finite_type;

void xp__finite_describe(const xp__place *place, xp_env_custom *custom, size_t *categories);

/* Adds a way; those of an action have probabilities that add up to 1. */
void xp__finite_add(xp__finite_model *model, size_t state, size_t action, xp__way way);

/* Where a move leads on a board of cells, row by row: 0 up, 1 right, 2 down, 3 left. One that would
 * leave the board stays. */
static inline size_t xp__finite_move(size_t rows, size_t columns, size_t cell, size_t direction) {
    assert(columns > 0);
    const size_t row = cell / columns, column = cell % columns;
    switch (direction) {
    case 0:
        return row > 0 ? cell - columns : cell;
    case 1:
        return column + 1 < columns ? cell + 1 : cell;
    case 2:
        return row + 1 < rows ? cell + columns : cell;
    default:
        return column > 0 ? cell - 1 : cell;
    }
}

#define XP__FINITE_TASK(type, how)                                                                 \
    .place = XP__PLACES(type), .describe = xp__finite_describe, .finite = &(how)

#endif
