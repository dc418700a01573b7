/* features.c: a contextual bandit: episodes of one step, real-valued features, and experts who see
 * what the features do not show.
 *
 * `size` features are standard normal. Action a of the four pays ½ + ½ tanh(w(a) · x) plus noise,
 * uniform on ±0.1; the weights w are those of one of `contexts` kinds of people, the hidden
 * context, and the same list in all tasks. Optimal action values are exact. */
#include "elsewhere/elsewhere_type.h"

#include "base/memory.h"

enum { ACTIONS = 4, MOST_FEATURES = 8 };

typedef struct features {
    const xp__place *place;
    double weight[ACTIONS][MOST_FEATURES];
    double x[MOST_FEATURES];
} features;

static void *task_create(void *context) {
    return xp__place_task(sizeof(features), context);
}

/* The list of kinds of people is drawn once for all, from a stream of its own. */
static xp_status task_draw(void *task, xp_rng *rng, xp_error *error) {
    (void)error;
    features *self = task;
    const xp__form *form = xp__place_form(self->place);
    const xp_rng kinds = xp_rng_seed(20 + form->size);
    xp_rng own = xp_rng_fork(&kinds, xp_rng_below(rng, form->contexts));
    for (size_t a = 0; a < ACTIONS; a++) {
        for (size_t j = 0; j < form->size; j++) {
            self->weight[a][j] = xp_rng_normal(&own);
        }
    }
    return XP_OK;
}

static xp_status task_reset(void *task, xp_rng *rng, double *state, xp_error *error) {
    (void)error;
    features *self = task;
    for (size_t j = 0; j < xp__place_form(self->place)->size; j++) {
        state[j] = self->x[j] = xp_rng_normal(rng);
    }
    return XP_OK;
}

static double mean(const features *self, const double *x, size_t action) {
    double product = 0;
    for (size_t j = 0; j < xp__place_form(self->place)->size; j++) {
        product += self->weight[action][j] * x[j];
    }
    return (1 + tanh(product)) / 2;
}

static xp_status task_step(void *task, xp_rng *rng, size_t action, double *state,
                           xp_outcome *outcome, xp_error *error) {
    (void)state;
    (void)error;
    features *self = task;
    const double noise = 0.2 * xp_rng_uniform(rng) - 0.1;
    outcome->reward = xp__reward_scale[self->place->scale] * (mean(self, self->x, action) + noise);
    outcome->end = XP_TERMINATED;
    return XP_OK;
}

static void task_optimal_q(void *task, const double *state, double *q) {
    const features *self = task;
    for (size_t a = 0; a < ACTIONS; a++) {
        q[a] = xp__reward_scale[self->place->scale] * mean(self, state, a);
    }
}

static void describe(const xp__place *place, xp_env_custom *custom, size_t *categories) {
    for (size_t j = 0; j < xp__place_form(place)->size; j++) {
        categories[j] = 0;
    }
    custom->actions = ACTIONS;
    custom->state_size = xp__place_form(place)->size;
    custom->horizon = 1;
    custom->task_create = task_create;
    custom->task_destroy = xp__free;
    custom->task_draw = task_draw;
    custom->task_reset = task_reset;
    custom->task_step = task_step;
    custom->task_optimal_q = task_optimal_q;
}

const xp__elsewhere_type xp__elsewhere_features = {
    .name = "features",
    .summary = "a contextual bandit with real-valued features that do not show all experts see",
    .form = {{.size = 3, .contexts = 3, .beta = INFINITY}, {.size = 4, .contexts = 4, .beta = 10}},
    .place = XP__PLACES(xp__elsewhere_features),
    .describe = describe,
};
