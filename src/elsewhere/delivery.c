/* delivery.c: pick up a parcel and deliver it to a hidden address.
 *
 * A board of `size` × `size` cells; the learner starts anywhere, the parcel is in the middle. The
 * fifth action picks it up there, and delivers it at the address, one of `contexts` cells on the
 * border: that pays 1 and ends the episode. Delivering elsewhere costs 0.1. A step costs 0.01. */
#include "elsewhere/finite.h"

static void shape(const xp__form *form, xp__finite_shape *shape) {
    *shape = (xp__finite_shape){.state_size = 2,
                                .categories = {form->size * form->size, 2},
                                .actions = 5,
                                .horizon = 6 * form->size};
}

/* Addresses lie evenly on the left and the right edge, in turn. */
static size_t address(size_t side, size_t number, size_t count) {
    return number * (side - 1) / (count - 1) * side + (number % 2 == 0 ? 0 : side - 1);
}

static void draw(const xp__form *form, xp_rng *rng, xp__finite_model *model) {
    const size_t side = form->size, depot = side * side / 2;
    const size_t goal = address(side, (size_t)xp_rng_below(rng, form->contexts), form->contexts);
    for (size_t cell = 0; cell < side * side; cell++) {
        model->start[2 * cell] = 1;
        for (size_t loaded = 0; loaded < 2; loaded++) {
            const size_t here = 2 * cell + loaded;
            for (size_t a = 0; a < 4; a++) {
                const size_t next = xp__finite_move(side, side, cell, a);
                xp__finite_add(model, here, a, (xp__way){1, -0.01, 2 * next + loaded, false});
            }
            const bool there = loaded == 1 && cell == goal, taken = loaded == 0 && cell == depot;
            const double reward = (there ? 1 : loaded == 1 ? -0.1 : 0) - 0.01;
            xp__finite_add(model, here, 4, (xp__way){1, reward, here + (taken ? 1 : 0), there});
        }
    }
}

static const xp__finite_type rules = {.shape = shape, .draw = draw};

const xp__elsewhere_type xp__elsewhere_delivery = {
    .name = "delivery",
    .summary = "pick up a parcel and deliver it to a hidden address; random starts",
    .form = {{.size = 5, .contexts = 5, .beta = INFINITY}, {.size = 6, .contexts = 4, .beta = 50}},
    XP__FINITE_TASK(xp__elsewhere_delivery, rules),
};
