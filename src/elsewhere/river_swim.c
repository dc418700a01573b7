/* river_swim.c: RiverSwim (Strehl and Littman 2008) with a hidden current.
 *
 * A chain of `size` cells; a swimmer starts in the middle and goes left or right. Each step in the
 * last cell on the right pays 1 and each in the last one on the left 0.2, or, in a third of the
 * contexts, the other way round. The current runs left: with it a swimmer always gets on, against
 * it only with probability 0.9 (a weak current) or `slip` (a strong one; he is carried back as
 * often as he stays). Experts know the current: against a strong one they do not swim. `contexts`
 * is 3: weak, strong, and turned round. */
#include "elsewhere/finite.h"

enum { WEAK, STRONG, TURNED };

static void shape(const xp__form *form, xp__finite_shape *shape) {
    *shape = (xp__finite_shape){
        .state_size = 1, .categories = {form->size}, .actions = 2, .horizon = 4 * form->size};
}

static void draw(const xp__form *form, xp_rng *rng, xp__finite_model *model) {
    const size_t context = (size_t)xp_rng_below(rng, form->contexts), last = form->size - 1;
    const double on = context == STRONG ? form->slip : 0.9;
    model->start[form->size / 2] = 1;
    for (size_t cell = 0; cell <= last; cell++) {
        for (size_t a = 0; a < 2; a++) {
            /* In a river that is turned round all is mirrored. */
            const bool against = (a == 1) != (context == TURNED);
            const size_t x = context == TURNED ? last - cell : cell; /* downstream is 0 */
            const double reward = x == last ? 1 : x == 0 ? 0.2 : 0;
            const size_t up = x < last ? x + 1 : x, down = x > 0 ? x - 1 : x;
            const size_t to[3] = {against ? up : down, x, down};
            const double p[3] = {against ? on : 1, against ? (1 - on) / 2 : 0,
                                 against ? (1 - on) / 2 : 0};
            for (size_t i = 0; i < 3; i++) {
                const size_t next = context == TURNED ? last - to[i] : to[i];
                xp__finite_add(model, cell, a, (xp__way){p[i], reward, next, false});
            }
        }
    }
}

static const xp__finite_type rules = {.shape = shape, .draw = draw};

const xp__elsewhere_type xp__elsewhere_river_swim = {
    .name = "river_swim",
    .summary = "RiverSwim with a hidden current: pay along the way, no end but the horizon",
    .form = {{.size = 8, .contexts = 3, .slip = 0.2, .beta = INFINITY},
             {.size = 11, .contexts = 3, .slip = 0.3, .beta = 2}},
    XP__FINITE_TASK(xp__elsewhere_river_swim, rules),
};
