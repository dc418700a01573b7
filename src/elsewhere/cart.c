/* cart.c: a cart with hidden physics, to be brought to rest at the origin. States are real.
 *
 * The learner sees position and velocity and pushes left, not at all or right. The hidden context
 * is what a push does: it is a light cart, a heavy one (`slip` times the acceleration) or one with
 * its controls reversed. A step of 0.2 s costs x² + v²/10, at most 1, divided by the `size` steps
 * of an episode. The start is at rest, half a unit to one unit from the origin on either side.
 *
 * The optimum has no closed form here. Experts use the time-optimal rule for a double integrator:
 * push against s = x + v |v| / (2 acceleration), and not at all near the origin. */
#include "elsewhere/mover.h"

#include "base/memory.h"

enum { LIGHT, HEAVY, REVERSED };

typedef struct cart {
    xp__mover mover;
    size_t context;
} cart;

static void *task_create(void *context) {
    return xp__place_task(sizeof(cart), context);
}

static xp_status task_draw(void *task, xp_rng *rng, xp_error *error) {
    (void)error;
    cart *self = task;
    self->context = (size_t)xp_rng_below(rng, xp__place_form(self->mover.place)->contexts);
    return XP_OK;
}

static double push(const cart *self) {
    return self->context == REVERSED ? -1
           : self->context == HEAVY  ? xp__place_form(self->mover.place)->slip
                                     : 1;
}

static xp_status task_reset(void *task, xp_rng *rng, double *state, xp_error *error) {
    (void)error;
    xp__mover *mover = &((cart *)task)->mover;
    const double u = 2 * xp_rng_uniform(rng) - 1;
    mover->x = u / 2 + (u > 0 ? 0.5 : -0.5);
    mover->v = 0;
    xp__mover_show(mover, state);
    return XP_OK;
}

static xp_status task_step(void *task, xp_rng *rng, size_t action, double *state,
                           xp_outcome *outcome, xp_error *error) {
    (void)rng;
    (void)error;
    xp__mover *mover = &((cart *)task)->mover;
    const double step = 0.2;
    mover->v += step * (((double)action - 1) * push(task) - 0.1 * mover->v);
    mover->x += step * mover->v;
    const double cost = fmin(1, mover->x * mover->x + mover->v * mover->v / 10);
    outcome->reward =
        -xp__reward_scale[mover->place->scale] * cost / (double)xp__place_form(mover->place)->size;
    outcome->end = XP_CONTINUES;
    xp__mover_show(mover, state);
    return XP_OK;
}

static void task_optimal_q(void *task, const double *state, double *q) {
    const cart *self = task;
    const double x = state[0], v = state[1];
    const double s = x + v * fabs(v) / (2 * fabs(push(self)));
    const double wanted = fabs(s) < 0.03 && fabs(v) < 0.15 ? 0 : s > 0 ? -1 : 1;
    xp__mover_values(&self->mover, push(self) < 0 ? -wanted : wanted, q);
}

static void describe(const xp__place *place, xp_env_custom *custom, size_t *categories) {
    xp__mover_describe(place, custom, categories);
    custom->task_create = task_create;
    custom->task_destroy = xp__free;
    custom->task_draw = task_draw;
    custom->task_reset = task_reset;
    custom->task_step = task_step;
    custom->task_optimal_q = task_optimal_q;
}

const xp__elsewhere_type xp__elsewhere_cart = {
    .name = "cart",
    .summary = "a cart with hidden mass and controls; real-valued states",
    .form = {{.size = 30, .contexts = 3, .slip = 0.4, .beta = INFINITY},
             {.size = 40, .contexts = 3, .slip = 0.3, .beta = 4}},
    .place = XP__PLACES(xp__elsewhere_cart),
    .describe = describe,
};
