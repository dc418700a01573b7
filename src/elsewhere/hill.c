/* hill.c: get out of a valley on the side that is right, with an engine that may be reversed.
 *
 * After the mountain car of Moore (1990), with real-valued states: position x and velocity v on the
 * slope of x²/2, between walls at −1 and 1. The engine gives `slip`, too little to climb at once:
 * one has to swing. The hidden context is the side on which there is a goal at the wall, and
 * whether the engine is reversed (`contexts` 2: the side alone; 4: both). A step of 0.25 costs
 * 1/`size`, at most `size` of them; the goal pays 1 and ends the episode.
 *
 * Experts push the way they move, and at rest away from the goal, which gains energy in every step.
 */
#include "elsewhere/mover.h"

#include "base/memory.h"

typedef struct hill {
    xp__mover mover;
    double side, engine; /* ±1 */
} hill;

static void *task_create(void *context) {
    return xp__place_task(sizeof(hill), context);
}

static xp_status task_draw(void *task, xp_rng *rng, xp_error *error) {
    (void)error;
    hill *self = task;
    const size_t context = (size_t)xp_rng_below(rng, xp__place_form(self->mover.place)->contexts);
    self->side = context % 2 == 0 ? -1 : 1;
    self->engine = context / 2 == 0 ? 1 : -1;
    return XP_OK;
}

static xp_status task_reset(void *task, xp_rng *rng, double *state, xp_error *error) {
    (void)error;
    xp__mover *mover = &((hill *)task)->mover;
    mover->x = 0.2 * xp_rng_uniform(rng) - 0.1;
    mover->v = 0;
    xp__mover_show(mover, state);
    return XP_OK;
}

static xp_status task_step(void *task, xp_rng *rng, size_t action, double *state,
                           xp_outcome *outcome, xp_error *error) {
    (void)rng;
    (void)error;
    hill *self = task;
    xp__mover *mover = &self->mover;
    const xp__form *form = xp__place_form(mover->place);
    const double step = 0.25;
    mover->v += step * (((double)action - 1) * self->engine * form->slip - mover->x);
    mover->x += step * mover->v;
    const bool at_wall = fabs(mover->x) >= 1;
    const bool there = at_wall && mover->x * self->side > 0;
    if (at_wall) {
        mover->x = mover->x > 0 ? 1 : -1;
        mover->v = 0;
    }
    outcome->reward =
        xp__reward_scale[mover->place->scale] * ((there ? 1 : 0) - 1 / (double)form->size);
    outcome->end = there ? XP_TERMINATED : XP_CONTINUES;
    xp__mover_show(mover, state);
    return XP_OK;
}

static void task_optimal_q(void *task, const double *state, double *q) {
    const hill *self = task;
    const double way = fabs(state[1]) > 1e-6 ? state[1] : -self->side;
    xp__mover_values(&self->mover, (way > 0 ? 1 : -1) * self->engine, q);
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

const xp__elsewhere_type xp__elsewhere_hill = {
    .name = "hill",
    .summary = "out of a valley on a hidden side, with controls that may be reversed; real-valued",
    .form = {[XP__REPORTING] = {.size = 40, .contexts = 4, .slip = 0.25, .beta = INFINITY}},
    .place = XP__PLACES(xp__elsewhere_hill),
    .describe = describe,
};
