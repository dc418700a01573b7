/* The suite of tasks: a contract over every registered one. */
#include "claim.h"
#include "expert_action.h"

#include "elsewhere/elsewhere_type.h"
#include "elsewhere/finite.h"
#include "env/context.h"
#include "experior/expert.h"

#include <stdio.h>
#include <string.h>

/* Calls `check` with every place of a scale. */
static void for_each_place(size_t scale, void (*check)(const xp__place *place)) {
    for (size_t i = 0; i < xp__elsewhere_type_count; i++) {
        for (size_t half = 0; half < XP__HALVES; half++) {
            if (xp__elsewhere_types[i]->form[half].size > 0) {
                check(&xp__elsewhere_types[i]->place[half][scale]);
            }
        }
    }
}

static void expect(bool holds, const xp__place *place, const char *what) {
    if (!holds) {
        printf("  %s, %s: %s\n", place->type->name, xp__half_name[place->half], what);
    }
    EXPECT(holds);
}

typedef struct visit {
    xp_env *env;
    xp_task *task;
    xp_env_info info;
} visit;

static visit enter(const xp__place *place) {
    visit at = {.env = NULL};
    xp_error error = {0};
    if (xp__elsewhere_create(place, &at.env, &error) != XP_OK) {
        printf("  %s: %s\n", place->type->name, error.message);
    }
    EXPECT(at.env != NULL && xp_task_create(at.env, &at.task, NULL) == XP_OK);
    at.info = xp_env_describe(at.env);
    return at;
}

static void leave(visit *at) {
    xp_task_destroy(at->task);
    xp_env_destroy(at->env);
}

/* What came of an episode. */
typedef struct outcome {
    double value, best, regret, squares; /* best: V* of the first state */
    size_t steps;
} outcome;

static double best_value(const visit *at, const double *state) {
    double q[8], best = -INFINITY;
    xp__task_optimal_q(at->task, state, q);
    for (size_t a = 0; a < at->info.actions; a++) {
        best = fmax(best, q[a]);
    }
    return best;
}

/* Acts as `expert`, or at random if it is NULL. */
static outcome play(visit *at, const xp_expert *expert, xp_rng *rng, size_t *actions) {
    double state[XP__ELSEWHERE_NUMBERS];
    outcome sum = {.steps = 0};
    xp_step step = {.end = XP_CONTINUES};
    xp_task_reset(at->task, rng, state);
    sum.best = best_value(at, state);
    while (step.end == XP_CONTINUES) {
        const size_t action = expert != NULL ? expert_action(expert, rng, at->task, state)
                                             : (size_t)xp_rng_below(rng, at->info.actions);
        if (actions != NULL) {
            actions[sum.steps] = action;
        }
        step = xp_task_step(at->task, rng, action, state);
        sum.value += step.reward;
        sum.regret += step.regret;
        sum.steps++;
    }
    return sum;
}

CLAIM(at_least_eight_tasks_are_in_the_selection_half_and_some_in_the_other_alone) {
    size_t selection = 0, alone = 0;
    for (size_t i = 0; i < xp__elsewhere_type_count; i++) {
        const xp__elsewhere_type *type = xp__elsewhere_types[i];
        const xp__form *a = &type->form[XP__SELECTION], *b = &type->form[XP__REPORTING];
        selection += a->size > 0;
        alone += a->size == 0 && b->size > 0;
        EXPECT(type->summary[0] != '\0' && b->size > 0 && a->size != b->size);
        EXPECT(strcmp(type->name, "deep_sea") != 0 && strcmp(type->name, "frozen_lake") != 0);
        for (size_t half = 0; half < XP__HALVES; half++) {
            for (size_t scale = 0; scale < XP__REWARD_SCALES; scale++) {
                const xp__place *place = &type->place[half][scale];
                EXPECT(place->type == type && place->half == half && place->scale == scale);
            }
        }
    }
    EXPECT(selection >= 8 && alone >= 2);
}

static void mean_of(const double *values, size_t n, double *mean, double *se) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        squares += (values[i] - *mean) * (values[i] - *mean);
    }
    *se = sqrt(squares / (double)(n - 1) / (double)n);
}

static void check_experts(const xp__place *place) {
    enum { CONTEXTS = 200 };
    double gap[CONTEXTS], mean, se;
    visit at = enter(place);
    xp_rng rng = xp_rng_seed(1);
    xp_expert *expert;
    EXPECT(xp_expert_create("optimal:ties=uniform", &expert, NULL) == XP_OK);
    for (size_t i = 0; i < CONTEXTS; i++) {
        xp_task_draw(at.task, &rng);
        const double own = play(&at, expert, &rng, NULL).value;
        gap[i] = own - play(&at, NULL, &rng, NULL).value;
    }
    mean_of(gap, CONTEXTS, &mean, &se);
    expect(mean > 5 * se && mean > 0.1, place, "experts are far better than random actions");
    xp_expert_destroy(expert);
    leave(&at);
}

CLAIM(experts_return_far_more_than_random_actions) {
    for_each_place(0, check_experts);
}

/* Return plus regret less V* is a sum of what chance adds in each step: its mean is 0 whatever the
 * actions, but only if Q* is right in every state that is met. */
static void check_values(const xp__place *place) {
    enum { EPISODES = 2000 };
    static double gap[EPISODES];
    double mean, se;
    if (place->type->finite == NULL && strcmp(place->type->name, "features") != 0) {
        return;
    }
    visit at = enter(place);
    xp_rng rng = xp_rng_seed(2);
    for (size_t i = 0; i < EPISODES; i++) {
        if (i % 20 == 0) {
            xp_task_draw(at.task, &rng);
        }
        const outcome end = play(&at, NULL, &rng, NULL);
        gap[i] = end.value + end.regret - end.best;
    }
    mean_of(gap, EPISODES, &mean, &se);
    expect(fabs(mean) <= 4.5 * se + 1e-9, place, "returns and regrets add up to V*");
    leave(&at);
}

CLAIM(returns_and_regrets_of_random_actions_add_up_to_the_optimum) {
    for_each_place(0, check_values);
}

static void check_scales(const xp__place *place) {
    visit plain = enter(place);
    for (size_t scale = 1; scale < XP__REWARD_SCALES; scale++) {
        visit other = enter(&place->type->place[place->half][scale]);
        xp_rng a = xp_rng_seed(3), b = a;
        bool same = true;
        for (size_t i = 0; i < 50; i++) {
            xp_task_draw(plain.task, &a);
            xp_task_draw(other.task, &b);
            const outcome x = play(&plain, NULL, &a, NULL), y = play(&other, NULL, &b, NULL);
            const double factor = xp__reward_scale[scale];
            same = same && x.steps == y.steps &&
                   fabs(x.value * factor - y.value) <= 1e-12 * factor * (double)x.steps &&
                   fabs(x.best * factor - y.best) <= 1e-12 * factor * (double)x.steps;
        }
        expect(same, place, "the same at another scale");
        leave(&other);
    }
    leave(&plain);
}

CLAIM(a_scale_multiplies_rewards_and_values_and_changes_nothing_else) {
    for_each_place(0, check_scales);
}

/* From the same first state with the same chances an expert acts in another way in other contexts.
 */
static void check_contexts(const xp__place *place) {
    size_t first[256], actions[256], differ = 0;
    visit at = enter(place);
    xp_rng contexts = xp_rng_seed(4);
    xp_expert *expert;
    EXPECT(xp_expert_create("optimal", &expert, NULL) == XP_OK);
    const size_t draws = 60;
    size_t steps = 0;
    for (size_t i = 0; i < draws; i++) {
        xp_task_draw(at.task, &contexts);
        xp_rng chance = xp_rng_seed(5);
        const size_t own = play(&at, expert, &chance, actions).steps;
        if (i == 0) {
            memcpy(first, actions, sizeof first);
            steps = own;
        }
        differ += own != steps || memcmp(first, actions, steps * sizeof first[0]) != 0;
    }
    expect(differ > draws / 5, place, "the context makes a difference");
    xp_expert_destroy(expert);
    leave(&at);
}

CLAIM(what_experts_do_depends_on_the_hidden_context) {
    for_each_place(0, check_contexts);
}
