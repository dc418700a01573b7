/* Environments and experts of the caller's: they run like the library's own, and what goes wrong in
 * their functions ends the run with their own sentence. */
#include "claim.h"

#include "experior/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A corridor of five cells whose hidden exit is at one end; a step costs 1, the exit pays 5. */
enum { CELLS = 5, HORIZON = 6 };

typedef struct corridor {
    size_t exit, cell, steps;
    int fail_at; /* of the steps of a task; -1: never */
    double odd;  /* a number that the state is set to at that step; 0: the step fails */
} corridor;

static void *create(void *context) {
    corridor *made = calloc(1, sizeof *made);
    if (made != NULL) {
        *made = *(const corridor *)context;
    }
    return made;
}

static xp_status draw(void *task, xp_rng *rng, xp_error *error) {
    (void)error;
    ((corridor *)task)->exit = xp_rng_below(rng, 2) * (CELLS - 1);
    return XP_OK;
}

static xp_status reset(void *task, xp_rng *rng, double *state, xp_error *error) {
    (void)rng;
    (void)error;
    ((corridor *)task)->cell = CELLS / 2;
    state[0] = CELLS / 2;
    return XP_OK;
}

static xp_status step(void *task, xp_rng *rng, size_t action, double *state, xp_outcome *outcome,
                      xp_error *error) {
    (void)rng;
    corridor *self = task;
    if (self->fail_at >= 0 && self->steps++ == (size_t)self->fail_at) {
        if (self->odd == 0) {
            return xp_error_set(error, XP_ERR_PROGRAM, "the simulator ran out of road");
        }
        state[0] = self->odd;
        return XP_OK;
    }
    if (action == 1 && self->cell + 1 < CELLS) {
        self->cell++;
    } else if (action == 0 && self->cell > 0) {
        self->cell--;
    }
    state[0] = (double)self->cell;
    const bool out = self->cell == self->exit;
    *outcome = (xp_outcome){.reward = out ? 5 : -1, .end = out ? XP_TERMINATED : XP_CONTINUES};
    return XP_OK;
}

/* Q of walking straight to the exit: two free steps away at the middle. */
static void optimal_q(void *task, const double *state, double *q) {
    const corridor *self = task;
    for (size_t action = 0; action < 2; action++) {
        const double next = fmin(fmax(state[0] + (action == 1 ? 1 : -1), 0), CELLS - 1);
        const double distance = fabs(next - (double)self->exit);
        q[action] = distance == 0 ? 5 : -1 - (distance - 1) + 5;
    }
}

static xp_status walk(void *context, xp_rng *rng, const xp_task *task, const double *state,
                      size_t *action, xp_error *error) {
    (void)context;
    (void)rng;
    (void)error;
    *action = (double)((const corridor *)xp_task_custom(task))->exit > state[0] ? 1 : 0;
    return XP_OK;
}

static xp_status get_lost(void *context, xp_rng *rng, const xp_task *task, const double *state,
                          size_t *action, xp_error *error) {
    (void)context;
    (void)rng;
    (void)task;
    (void)state;
    (void)error;
    *action = 7;
    return XP_OK;
}

static xp_env *corridor_env(const corridor *shape, bool with_values, bool parallel) {
    static const size_t cells[] = {CELLS};
    xp_env_custom custom = xp_env_custom_default();
    custom.name = "corridor";
    custom.actions = 2;
    custom.state_size = 1;
    custom.categories = cells;
    custom.horizon = HORIZON;
    custom.context = (void *)shape;
    custom.task_create = create;
    custom.task_destroy = free;
    custom.task_draw = draw;
    custom.task_reset = reset;
    custom.task_step = step;
    custom.task_optimal_q = with_values ? optimal_q : NULL;
    custom.parallel = parallel;
    xp_env *env = NULL;
    EXPECT(xp_env_create_custom(&custom, &env, NULL) == XP_OK);
    return env;
}

enum { EPISODES = 30 };

static xp_status simulate(const xp_env *env, const char *agent, size_t threads,
                          xp_simulate_result *result, double *returns, xp_error *error) {
    xp_expert *walker = NULL;
    EXPECT(xp_expert_create_custom("walker", walk, NULL, &walker, NULL) == XP_OK);
    const char *const agents[] = {agent};
    xp_simulate_options options = xp_simulate_options_default();
    options.custom_env = env;
    options.custom_expert = walker;
    options.agents = agents;
    options.agent_count = 1;
    options.problems = 2;
    options.tasks = 6;
    options.episodes = EPISODES;
    options.demonstrations = 20;
    options.threads = threads;
    options.returns = returns;
    const xp_status status = xp_simulate(&options, result, error);
    xp_expert_destroy(walker);
    return status;
}

static const corridor sound = {.fail_at = -1};
static const char maxent[] = "experior_maxent:members=3,hidden=8,draws=4";

CLAIM(an_agent_learns_in_an_environment_of_the_callers_as_experts_showed) {
    xp_env *env = corridor_env(&sound, false, false);
    xp_simulate_result result;
    double returns[EPISODES];
    EXPECT(simulate(env, maxent, 0, &result, returns, NULL) == XP_OK);
    EXPECT(isnan(result.regret));                 /* optimal values are not known */
    EXPECT_NEAR(returns[EPISODES - 1], 4, 1e-12); /* -1 and then 5: the optimum */
    xp_env_destroy(env);
}

CLAIM(regret_is_reported_where_optimal_values_are_given_and_threads_do_not_show) {
    xp_env *env = corridor_env(&sound, true, true);
    xp_simulate_result one, two;
    double left[EPISODES], right[EPISODES];
    EXPECT(simulate(env, maxent, 1, &one, left, NULL) == XP_OK);
    EXPECT(simulate(env, maxent, 2, &two, right, NULL) == XP_OK);
    EXPECT(one.regret == two.regret && memcmp(left, right, sizeof left) == 0);
    /* An episode the wrong way loses 2 in each of two steps and then 1 in each of four at the wall:
     * a regret of 8, where the return, cut off at -6, misses the optimum of 4 by 10. */
    double missing = 0;
    for (size_t t = 0; t < EPISODES; t++) {
        missing += 4 - left[t];
    }
    EXPECT(missing > 0);
    EXPECT_NEAR(one.regret, 0.8 * missing, 1e-9);
    xp_env_destroy(env);
}

CLAIM(what_fails_in_a_function_of_the_callers_ends_the_run_with_its_sentence) {
    static const corridor breaks = {.fail_at = 9}, outside = {.fail_at = 9, .odd = 17};
    xp_simulate_result result;
    xp_error error = {.message = ""};
    xp_env *env = corridor_env(&breaks, false, false);
    EXPECT(simulate(env, maxent, 1, &result, NULL, &error) == XP_ERR_PROGRAM);
    EXPECT_TEXT(error.message, "the simulator ran out of road");
    xp_env_destroy(env);
    env = corridor_env(&outside, false, false);
    EXPECT(simulate(env, maxent, 1, &result, NULL, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "state number 0 is 17, which is none of its categories");
    xp_env_destroy(env);
}

CLAIM(experts_that_need_values_or_take_actions_that_do_not_exist_are_refused) {
    xp_env *env = corridor_env(&sound, false, false);
    xp_expert *optimal = NULL, *lost = NULL;
    xp_demos *demos = NULL;
    xp_error error;
    xp_rng rng = xp_rng_seed(1);
    EXPECT(xp_expert_create("optimal", &optimal, NULL) == XP_OK);
    EXPECT(xp_demos_draw(env, optimal, 5, &rng, &demos, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message,
                "goes by optimal action values, which the environment does not give");
    EXPECT(xp_expert_create_custom("lost", get_lost, NULL, &lost, NULL) == XP_OK);
    EXPECT(xp_demos_draw(env, lost, 5, &rng, &demos, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "expert lost took action 7; the environment has 2");
    xp_expert_destroy(optimal);
    xp_expert_destroy(lost);
    xp_env_destroy(env);
}

CLAIM(an_environment_without_what_it_needs_is_refused) {
    xp_env_custom custom = xp_env_custom_default();
    xp_env *env = NULL;
    xp_error error;
    EXPECT(xp_env_create_custom(&custom, &env, &error) == XP_ERR_INPUT && env == NULL);
    EXPECT_TEXT(error.message, "an environment needs a name");
}
