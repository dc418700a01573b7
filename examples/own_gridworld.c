/* own_gridworld.c: an environment that the library does not have, its experts, and an agent that
 * survives a save, a new process and a load.
 *
 * A robot looks for a charger in a 5 × 5 hall. The charger stands in one of the four corners; which
 * one differs from building to building and is the hidden context. Experts knew it; their walks
 * were recorded. */
#include <experior/experior.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIDE = 5, CELLS = SIDE * SIDE, STEPS = 8, WALKS = 60, EPISODES = 30 };

typedef struct hall {
    size_t charger, cell; /* hidden, and seen */
} hall;

static void *hall_create(void *context) {
    (void)context;
    return calloc(1, sizeof(hall));
}

static xp_status hall_draw(void *task, xp_rng *rng, xp_error *error) {
    static const size_t corners[] = {0, SIDE - 1, CELLS - SIDE, CELLS - 1};
    (void)error;
    ((hall *)task)->charger = corners[xp_rng_below(rng, 4)];
    return XP_OK;
}

static xp_status hall_reset(void *task, xp_rng *rng, double *state, xp_error *error) {
    (void)rng;
    (void)error;
    ((hall *)task)->cell = CELLS / 2;
    state[0] = CELLS / 2;
    return XP_OK;
}

/* Left, right, up, down; a wall stops the robot. A step costs 1, the charger pays 10. */
static xp_status hall_step(void *task, xp_rng *rng, size_t action, double *state,
                           xp_outcome *outcome, xp_error *error) {
    (void)rng;
    (void)error;
    hall *self = task;
    const size_t row = self->cell / SIDE, column = self->cell % SIDE;
    const bool open[] = {column > 0, column + 1 < SIDE, row > 0, row + 1 < SIDE};
    static const int way[] = {-1, 1, -SIDE, SIDE};
    self->cell = open[action] ? (size_t)((int)self->cell + way[action]) : self->cell;
    state[0] = (double)self->cell;
    const bool found = self->cell == self->charger;
    *outcome = (xp_outcome){.reward = found ? 10 : -1, .end = found ? XP_TERMINATED : XP_CONTINUES};
    return XP_OK;
}

/* Walks along the row to the charger's column, then along the column. */
static xp_status expert(void *context, xp_rng *rng, const xp_task *task, const double *state,
                        size_t *action, xp_error *error) {
    (void)context;
    (void)rng;
    (void)error;
    const size_t goal = ((const hall *)xp_task_custom(task))->charger, cell = (size_t)state[0];
    *action = goal % SIDE < cell % SIDE ? 0 : goal % SIDE > cell % SIDE ? 1 : goal < cell ? 2 : 3;
    return XP_OK;
}

/* Plays episodes in one building and prints the return of each. */
static xp_status play(xp_session *session, xp_task *task, xp_error *error) {
    xp_rng luck = xp_rng_seed(5);
    for (size_t t = 0; t < EPISODES; t++) {
        double before[1], after[1], total = 0;
        xp_step step = {.end = XP_CONTINUES};
        xp_task_reset(task, &luck, after);
        while (step.end == XP_CONTINUES) {
            size_t action;
            before[0] = after[0];
            xp_status status = xp_session_act(session, before, &action, error);
            if (status == XP_OK) {
                step = xp_task_step(task, &luck, action, after);
                const xp_transition seen = {before, action, step.reward, after, step.end};
                status = xp_session_observe(session, &seen, error);
            }
            if (status != XP_OK) {
                return status;
            }
            total += step.reward;
        }
        (void)printf("%g%s", total, t + 1 < EPISODES ? " " : "\n");
    }
    return XP_OK;
}

int main(int count, char **words) {
    static const size_t cells[] = {CELLS};
    xp_env_custom custom = xp_env_custom_default();
    custom.name = "hall", custom.actions = 4, custom.horizon = STEPS;
    custom.state_size = 1, custom.categories = cells;
    custom.task_create = hall_create, custom.task_destroy = free;
    custom.task_draw = hall_draw, custom.task_reset = hall_reset, custom.task_step = hall_step;
    xp_error error = {.status = XP_OK};
    xp_env *env = NULL;
    xp_task *task = NULL;
    xp_expert *walker = NULL;
    xp_demos *demos = NULL;
    xp_model *model = NULL;
    xp_session *session = NULL;
    xp_rng rng = xp_rng_seed(1), building = xp_rng_seed(2);
    const bool resumed = count > 1 && strcmp(words[1], "resume") == 0;
    xp_status status = xp_env_create_custom(&custom, &env, &error);
    status = status ? status : xp_task_create(env, &task, &error);
    if (status == XP_OK) {
        xp_task_draw(task, &building);
    }
    if (!resumed) { /* learn from walks, act for a while, save */
        const xp_space space = {
            .actions = 4, .state_size = 1, .categories = cells, .horizon = STEPS};
        status = status ? status : xp_expert_create_custom("walker", expert, NULL, &walker, &error);
        status = status ? status : xp_demos_draw(env, walker, WALKS, &rng, &demos, &error);
        status = status ? status : xp_model_fit(NULL, &space, demos, NULL, &model, &error);
        status = status ? status : xp_session_create(model, NULL, &session, &error);
        status = status ? status : play(session, task, &error);
        status = status ? status : xp_model_save(model, "hall.model", &error);
        status = status ? status : xp_session_save(session, "hall.session", &error);
    } else { /* a second process continues from the files */
        status = status ? status : xp_model_load("hall.model", &model, &error);
        status = status ? status : xp_session_load("hall.session", model, &session, &error);
    }
    (void)printf(resumed ? "loaded:     " : "went on:    ");
    status = status ? status : play(session, task, &error);
    (void)fflush(stdout);
    if (status == XP_OK && !resumed && fork() == 0) {
        return execl(words[0], words[0], "resume", (char *)NULL);
    }
    (void)wait(NULL);
    if (status != XP_OK) {
        (void)fprintf(stderr, "own_gridworld: %s\n", error.message);
    }
    xp_session_destroy(session), xp_model_destroy(model), xp_demos_destroy(demos);
    xp_expert_destroy(walker), xp_task_destroy(task), xp_env_destroy(env);
    return status == XP_OK ? 0 : 1;
}
