/* hidden_walls.c: a slippery board with walls that only experts see.
 *
 * From the left edge of a board of `size` × `size` cells to the right one. Every other column is a
 * wall with one gap, in one of `contexts` rows; the rows of the gaps are the hidden context, and
 * the first row of the start is random. With probability `slip` a step goes up or down instead. A
 * step costs 0.02, arriving pays 1. */
#include "elsewhere/finite.h"

static void shape(const xp__form *form, xp__finite_shape *shape) {
    *shape = (xp__finite_shape){.state_size = 1,
                                .categories = {form->size * form->size},
                                .actions = 4,
                                .horizon = 6 * form->size};
}

static void draw(const xp__form *form, xp_rng *rng, xp__finite_model *model) {
    const size_t side = form->size;
    /* The gap of one wall says where the others are, so that contexts are few. */
    const size_t first = (size_t)xp_rng_below(rng, form->contexts);
    for (size_t row = 0; row < side; row++) {
        model->start[row * side] = 1;
    }
    for (size_t cell = 0; cell < side * side; cell++) {
        for (size_t a = 0; a < 4; a++) {
            const size_t went[3] = {a, 0, 2};
            const double p[3] = {1 - form->slip, form->slip / 2, form->slip / 2};
            for (size_t i = 0; i < 3; i++) {
                size_t next = xp__finite_move(side, side, cell, went[i]);
                const size_t row = next / side, column = next % side;
                const size_t gap =
                    (first + column / 2 * 2) % form->contexts * (side - 1) / (form->contexts - 1);
                const bool wall = column % 2 == 1 && column + 1 < side && row != gap;
                next = wall ? cell : next;
                const bool there = next % side == side - 1;
                xp__finite_add(model, cell, a,
                               (xp__way){p[i], (there ? 1 : 0) - 0.02, next, there});
            }
        }
    }
}

static const xp__finite_type rules = {.shape = shape, .draw = draw};

const xp__elsewhere_type xp__elsewhere_hidden_walls = {
    .name = "hidden_walls",
    .summary = "a slippery board with hidden walls and random starts",
    .form = {{.size = 6, .contexts = 4, .slip = 0.1, .beta = 30},
             {.size = 7, .contexts = 5, .slip = 0.2, .beta = INFINITY}},
    XP__FINITE_TASK(xp__elsewhere_hidden_walls, rules),
};
