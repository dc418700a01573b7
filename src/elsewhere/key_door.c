/* key_door.c: fetch a key, then find the door that it opens; which door is hidden.
 *
 * A board of `size` × `size` cells, the key in a corner at the top, `contexts` doors in the wall on
 * the right. The learner starts in the cell at the bottom left and sees its cell and whether it has
 * the key. With the key, stepping right in the row of the right door ends the episode and pays 1; a
 * wrong door stays shut. A step costs 0.01. */
#include "elsewhere/finite.h"

static void shape(const xp__form *form, xp__finite_shape *shape) {
    *shape = (xp__finite_shape){.state_size = 2,
                                .categories = {form->size * form->size, 2},
                                .actions = 4,
                                .horizon = 6 * form->size};
}

static void draw(const xp__form *form, xp_rng *rng, xp__finite_model *model) {
    const size_t side = form->size, doors = form->contexts;
    const size_t door = (size_t)xp_rng_below(rng, doors) * (side - 1) / (doors - 1);
    model->start[2 * (side - 1) * side] = 1;
    for (size_t cell = 0; cell < side * side; cell++) {
        for (size_t key = 0; key < 2; key++) {
            for (size_t a = 0; a < 4; a++) {
                const bool open = key == 1 && a == 1 && cell == door * side + side - 1;
                const size_t next = xp__finite_move(side, side, cell, a);
                const size_t has = key == 1 || next == 0 ? 1 : 0;
                xp__finite_add(model, 2 * cell + key, a,
                               (xp__way){1, (open ? 1 : 0) - 0.01, 2 * next + has, open});
            }
        }
    }
}

static const xp__finite_type rules = {.shape = shape, .draw = draw};

const xp__elsewhere_type xp__elsewhere_key_door = {
    .name = "key_door",
    .summary = "fetch a key, then find the hidden door that it opens",
    .form = {{.size = 5, .contexts = 5, .beta = INFINITY}, {.size = 7, .contexts = 4, .beta = 30}},
    XP__FINITE_TASK(xp__elsewhere_key_door, rules),
};
