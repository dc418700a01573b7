/* finite.c: see finite.h. A step takes one random number, whatever the action. */
#include "elsewhere/finite.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

typedef struct finite_task {
    const xp__place *place;
    double scale;
    xp__finite_model model;
    double *q; /* [horizon + 1][states][actions]: with so many steps left */
    size_t state, steps;
} finite_task;

static size_t count_states(const xp__finite_shape *shape) {
    size_t states = 1;
    for (size_t j = 0; j < shape->state_size; j++) {
        states *= shape->categories[j];
    }
    return states;
}

static void task_destroy(void *task) {
    finite_task *self = task;
    xp__free(self->model.start);
    xp__free(self->model.ways);
    xp__free(self->q);
    xp__free(self);
}

static void *task_create(void *context) {
    const xp__place *place = context;
    finite_task *self = xp__alloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->place = place;
    self->scale = xp__reward_scale[place->scale];
    xp__finite_model *model = &self->model;
    place->type->finite->shape(xp__place_form(place), &model->shape);
    model->states = count_states(&model->shape);
    const size_t pairs = model->states * model->shape.actions;
    model->start = xp__alloc(model->states, sizeof *model->start);
    model->ways = xp__alloc(pairs * XP__WAYS, sizeof *model->ways);
    self->q = xp__alloc((model->shape.horizon + 1) * pairs, sizeof *self->q);
    if (model->start == NULL || model->ways == NULL || self->q == NULL) {
        task_destroy(self);
        return NULL;
    }
    return self;
}

static const xp__way *ways_of(const xp__finite_model *model, size_t state, size_t action) {
    return model->ways + (state * model->shape.actions + action) * XP__WAYS;
}

void xp__finite_add(xp__finite_model *model, size_t state, size_t action, xp__way way) {
    xp__way *ways = model->ways + (state * model->shape.actions + action) * XP__WAYS;
    assert(way.next < model->states);
    if (way.probability > 0) {
        size_t i = 0;
        while (ways[i].probability > 0) {
            i++;
            assert(i < XP__WAYS);
        }
        ways[i] = way;
    }
}

static double *values_with(const finite_task *self, size_t left, size_t state) {
    const size_t actions = self->model.shape.actions;
    return self->q + (left * self->model.states + state) * actions;
}

static double best_of(const double *q, size_t actions) {
    double best = q[0];
    for (size_t a = 1; a < actions; a++) {
        best = fmax(best, q[a]);
    }
    return best;
}

/* Q with `left` steps from Q with one less. */
static void back_up(finite_task *self, size_t left) {
    const size_t actions = self->model.shape.actions;
    for (size_t state = 0; state < self->model.states; state++) {
        double *q = values_with(self, left, state);
        for (size_t a = 0; a < actions; a++) {
            const xp__way *ways = ways_of(&self->model, state, a);
            q[a] = 0;
            for (size_t i = 0; i < XP__WAYS && ways[i].probability > 0; i++) {
                const double later =
                    ways[i].ends || left == 1
                        ? 0
                        : best_of(values_with(self, left - 1, ways[i].next), actions);
                q[a] += ways[i].probability * (ways[i].reward + later);
            }
        }
    }
}

static xp_status task_draw(void *task, xp_rng *rng, xp_error *error) {
    (void)error;
    finite_task *self = task;
    xp__finite_model *model = &self->model;
    memset(model->start, 0, model->states * sizeof *model->start);
    memset(model->ways, 0, model->states * model->shape.actions * XP__WAYS * sizeof *model->ways);
    self->place->type->finite->draw(xp__place_form(self->place), rng, model);
    for (size_t left = 1; left <= model->shape.horizon; left++) {
        back_up(self, left);
    }
    return XP_OK;
}

static void show(const finite_task *self, double *state) {
    const xp__finite_shape *shape = &self->model.shape;
    size_t rest = self->state;
    for (size_t j = shape->state_size; j-- > 0;) {
        state[j] = (double)(rest % shape->categories[j]);
        rest /= shape->categories[j];
    }
}

static xp_status task_reset(void *task, xp_rng *rng, double *state, xp_error *error) {
    (void)error;
    finite_task *self = task;
    self->state = xp_rng_categorical(rng, self->model.start, self->model.states);
    self->steps = 0;
    show(self, state);
    return XP_OK;
}

static xp_status task_step(void *task, xp_rng *rng, size_t action, double *state,
                           xp_outcome *outcome, xp_error *error) {
    (void)error;
    finite_task *self = task;
    const xp__way *ways = ways_of(&self->model, self->state, action);
    double left = xp_rng_uniform(rng) - ways[0].probability;
    size_t i = 0;
    while (left > 0 && i + 1 < XP__WAYS && ways[i + 1].probability > 0) {
        left -= ways[++i].probability;
    }
    outcome->reward = self->scale * ways[i].reward;
    outcome->end = ways[i].ends ? XP_TERMINATED : XP_CONTINUES;
    self->state = ways[i].next;
    self->steps++;
    show(self, state);
    return XP_OK;
}

static void task_optimal_q(void *task, const double *state, double *q) {
    const finite_task *self = task;
    const xp__finite_shape *shape = &self->model.shape;
    size_t number = 0;
    for (size_t j = 0; j < shape->state_size; j++) {
        number = number * shape->categories[j] + (size_t)state[j];
    }
    const size_t left = self->steps < shape->horizon ? shape->horizon - self->steps : 1;
    const double *values = values_with(self, left, number);
    for (size_t a = 0; a < shape->actions; a++) {
        q[a] = self->scale * values[a];
    }
}

void xp__finite_describe(const xp__place *place, xp_env_custom *custom, size_t *categories) {
    xp__finite_shape shape = {.actions = 0};
    place->type->finite->shape(xp__place_form(place), &shape);
    memcpy(categories, shape.categories, sizeof shape.categories);
    custom->actions = shape.actions;
    custom->state_size = shape.state_size;
    custom->horizon = shape.horizon;
    custom->task_create = task_create;
    custom->task_destroy = task_destroy;
    custom->task_draw = task_draw;
    custom->task_reset = task_reset;
    custom->task_step = task_step;
    custom->task_optimal_q = task_optimal_q;
}
