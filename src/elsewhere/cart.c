/* cart.c: a cart with hidden physics, to be brought to rest at the origin. States are real.
 *
 * The learner sees position and velocity and pushes left, not at all or right. The hidden context
 * is what a push does: it is a light cart, a heavy one (`slip` times the acceleration) or one with
 * its controls reversed. A step of 0.2 s costs x² + v²/10, at most 1, divided by the `size` steps
 * of an episode. The start is at rest, half a unit to one unit from the origin on either side.
 *
 * The optimum has no closed form here. Experts use the time-optimal rule for a double integrator:
 * push against s = x + v |v| / (2 acceleration), and not at all near the origin. Their action
 * counts 1 and all others 0 in place of optimal action values, so that regret is the number of
 * steps that they would have done otherwise. */
#include "elsewhere/elsewhere_type.h"

#include "base/memory.h"

enum { LIGHT, HEAVY, REVERSED };

typedef struct cart {
    const xp__place *place;
    size_t context;
    double x, v;
} cart;

static void *task_create(void *context) {
    cart *self = xp__alloc(1, sizeof *self);
    if (self != NULL) {
        self->place = context;
    }
    return self;
}

static xp_status task_draw(void *task, xp_rng *rng, xp_error *error) {
    (void)error;
    cart *self = task;
    self->context = (size_t)xp_rng_below(rng, xp__place_form(self->place)->contexts);
    return XP_OK;
}

static double push(const cart *self) {
    return self->context == REVERSED ? -1
           : self->context == HEAVY  ? xp__place_form(self->place)->slip
                                     : 1;
}

static void show(const cart *self, double *state) {
    state[0] = self->x;
    state[1] = self->v;
}

static xp_status task_reset(void *task, xp_rng *rng, double *state, xp_error *error) {
    (void)error;
    cart *self = task;
    const double u = 2 * xp_rng_uniform(rng) - 1;
    self->x = u / 2 + (u > 0 ? 0.5 : -0.5);
    self->v = 0;
    show(self, state);
    return XP_OK;
}

static xp_status task_step(void *task, xp_rng *rng, size_t action, double *state,
                           xp_outcome *outcome, xp_error *error) {
    (void)rng;
    (void)error;
    cart *self = task;
    const double step = 0.2;
    self->v += step * (((double)action - 1) * push(self) - 0.1 * self->v);
    self->x += step * self->v;
    const double cost = fmin(1, self->x * self->x + self->v * self->v / 10);
    outcome->reward =
        -xp__reward_scale[self->place->scale] * cost / (double)xp__place_form(self->place)->size;
    outcome->end = XP_CONTINUES;
    show(self, state);
    return XP_OK;
}

static void task_optimal_q(void *task, const double *state, double *q) {
    const cart *self = task;
    const double x = state[0], v = state[1];
    const double s = x + v * fabs(v) / (2 * fabs(push(self)));
    const double wanted = fabs(s) < 0.03 && fabs(v) < 0.15 ? 0 : s > 0 ? -1 : 1;
    const double signed_action = push(self) < 0 ? -wanted : wanted;
    for (size_t a = 0; a < 3; a++) {
        q[a] = (double)a - 1 == signed_action ? xp__reward_scale[self->place->scale] : 0;
    }
}

static void describe(const xp__place *place, xp_env_custom *custom, size_t *categories) {
    categories[0] = categories[1] = 0;
    custom->actions = 3;
    custom->state_size = 2;
    custom->horizon = xp__place_form(place)->size;
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
