/* mover.h: what the tasks share in which something moves along a line and is pushed.
 *
 * The learner sees position and velocity, two real numbers, and pushes left, not at all or right.
 * Optimal action values are not known: the action of an expert's rule counts 1 and all others 0 in
 * their place, so that regret is the number of steps that the expert would have done otherwise. */
#ifndef XP_ELSEWHERE_MOVER_H
#define XP_ELSEWHERE_MOVER_H

#include "elsewhere/elsewhere_type.h"

typedef struct xp__mover {
    const xp__place *place;
    double x, v;
} xp__mover;

/* Writes the state that a learner sees. */
static inline void xp__mover_show(const xp__mover *self, double *state) {
    state[0] = self->x;
    state[1] = self->v;
}

/* What stands for optimal action values, if the expert pushes by `push`: -1, 0 or 1. */
static inline void xp__mover_values(const xp__mover *self, double push, double *q) {
    for (size_t a = 0; a < 3; a++) {
        q[a] = (double)a - 1 == push ? xp__reward_scale[self->place->scale] : 0;
    }
}

/* Actions, states and horizon; the functions are the task's. */
static inline void xp__mover_describe(const xp__place *place, xp_env_custom *custom,
                                      size_t *categories) {
    categories[0] = categories[1] = 0;
    custom->actions = 3;
    custom->state_size = 2;
    custom->horizon = xp__place_form(place)->size;
}

#endif
