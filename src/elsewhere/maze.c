/* maze.c: an open board with several gates in its walls, of which one, hidden, is the exit.
 *
 * From the middle there are many shortest ways to each gate, and experts take each of them: paths
 * differ more than contexts do. `size` is the side of the board, `contexts` the number of gates;
 * `slip` is the share of cells that are pillars, the same in all contexts. A step costs 0.01, the
 * exit pays 1. */
#include "elsewhere/finite.h"

/* Gates lie evenly on the border, clockwise from the corner. */
static size_t gate(size_t side, size_t number, size_t gates) {
    const size_t border = 4 * (side - 1), at = number * border / gates;
    const size_t edge = at / (side - 1), along = at % (side - 1);
    switch (edge) {
    case 0:
        return along;
    case 1:
        return along * side + side - 1;
    case 2:
        return (side - 1) * side + (side - 1 - along);
    default:
        return (side - 1 - along) * side;
    }
}

/* Pillars never touch each other or the border, so that every cell can be reached. */
static bool is_pillar(const xp__form *form, size_t cell) {
    assert(form->size > 0);
    const size_t row = cell / form->size, column = cell % form->size;
    const bool inside = row > 0 && column > 0 && row + 1 < form->size && column + 1 < form->size;
    return form->slip > 0 && inside && row % 2 == 1 && column % 2 == 1 && (row + column) % 4 == 0;
}

static void shape(const xp__form *form, xp__finite_shape *shape) {
    *shape = (xp__finite_shape){.state_size = 1,
                                .categories = {form->size * form->size},
                                .actions = 4,
                                .horizon = 4 * form->size};
}

static void draw(const xp__form *form, xp_rng *rng, xp__finite_model *model) {
    const size_t side = form->size;
    const size_t exit = gate(side, (size_t)xp_rng_below(rng, form->contexts), form->contexts);
    model->start[side * side / 2] = 1;
    for (size_t cell = 0; cell < side * side; cell++) {
        for (size_t a = 0; a < 4; a++) {
            size_t next = xp__finite_move(side, side, cell, a);
            next = is_pillar(form, next) ? cell : next;
            const bool out = next == exit;
            xp__finite_add(model, cell, a, (xp__way){1, (out ? 1 : 0) - 0.01, next, out});
        }
    }
}

static const xp__finite_type rules = {.shape = shape, .draw = draw};

const xp__elsewhere_type xp__elsewhere_maze = {
    .name = "maze",
    .summary = "an open board with a hidden exit and many shortest ways to it",
    .form = {{.size = 7, .contexts = 8, .beta = INFINITY},
             {.size = 9, .contexts = 6, .slip = 0.1, .beta = INFINITY}},
    XP__FINITE_TASK(xp__elsewhere_maze, rules),
};
