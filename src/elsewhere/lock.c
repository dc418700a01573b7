/* lock.c: a combination lock; which of several codes opens it is hidden.
 *
 * `size` dials with three positions each; the code is one of `contexts`, the same list in all
 * tasks. Each right position moves on to the next dial and pays 0.05; with probability `slip` the
 * dial jams and nothing moves. A wrong position costs 0.15 and springs back by two dials. The last
 * dial pays 1 and ends the episode. A reward along the way says at once which code it is not. */
#include "elsewhere/finite.h"

static void shape(const xp__form *form, xp__finite_shape *shape) {
    *shape = (xp__finite_shape){
        .state_size = 1, .categories = {form->size}, .actions = 3, .horizon = 2 * form->size};
}

/* Position of a dial in a code: any fixed rule by which codes differ early and often. */
static size_t position(size_t code, size_t dial) {
    return (code * (dial + 1) + code / 3 + dial * dial) % 3;
}

static void draw(const xp__form *form, xp_rng *rng, xp__finite_model *model) {
    const size_t code = (size_t)xp_rng_below(rng, form->contexts), last = form->size - 1;
    model->start[0] = 1;
    for (size_t dial = 0; dial <= last; dial++) {
        for (size_t a = 0; a < 3; a++) {
            if (a != position(code, dial)) {
                const size_t back = dial > 2 ? dial - 2 : 0;
                xp__finite_add(model, dial, a, (xp__way){1, -0.15, back, false});
                continue;
            }
            const bool open = dial == last;
            xp__finite_add(
                model, dial, a,
                (xp__way){1 - form->slip, open ? 1 : 0.05, open ? dial : dial + 1, open});
            xp__finite_add(model, dial, a, (xp__way){form->slip, 0, dial, false});
        }
    }
}

static const xp__finite_type rules = {.shape = shape, .draw = draw};

const xp__elsewhere_type xp__elsewhere_lock = {
    .name = "lock",
    .summary = "a combination lock with a hidden code and rewards along the way",
    .form = {[XP__REPORTING] = {.size = 10, .contexts = 9, .slip = 0.1, .beta = 15}},
    XP__FINITE_TASK(xp__elsewhere_lock, rules),
};
