/* same_numbers.c: what test_equality.py does in Python, in C: the same calls must give the same
 * actions.
 *
 *     same_numbers bandit N          N actions of a session, from a model of counted choices
 *     same_numbers deep_sea N        N actions in Deep Sea, learned with states
 *     same_numbers save MODEL SESSION N    acts N times, then writes both
 *     same_numbers go_on MODEL SESSION N   reads both and acts N times more */
#include "experior/experior.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(xp_status status, const xp_error *error) {
    if (status != XP_OK) {
        (void)fprintf(stderr, "%s\n", error->message);
        exit(1);
    }
}

static xp_model *bandit(void) {
    const uint64_t counts[] = {6, 30, 14, 2};
    xp_choices *choices;
    xp_demos *demos;
    xp_model *model;
    xp_error error;
    must(xp_choices_create(1, NULL, 4, NULL, counts, &choices, &error), &error);
    must(xp_choices_demos(choices, XP_ALL_SEGMENTS, &demos, &error), &error);
    xp_model_options options = xp_model_options_default();
    options.source = choices;
    must(xp_model_fit("experior_maxent:reference=learned", NULL, demos, &options, &model, &error),
         &error);
    xp_demos_destroy(demos);
    xp_choices_destroy(choices);
    return model;
}

/* A rule that both languages follow: the reward is a function of the time and the action. */
static void play(xp_session *session, size_t from, size_t count) {
    xp_error error;
    for (size_t t = from; t < from + count; t++) {
        size_t action;
        must(xp_session_act(session, NULL, &action, &error), &error);
        const xp_transition seen = {
            .action = action, .reward = (t * 7 + action * 3) % 5 < 2, .end = XP_TERMINATED};
        must(xp_session_observe(session, &seen, &error), &error);
        printf("%zu\n", action);
    }
}

static xp_session *session_of(const xp_model *model, uint64_t seed) {
    xp_session *session;
    xp_error error;
    xp_session_options options = xp_session_options_default();
    options.seed = seed;
    must(xp_session_create(model, &options, &session, &error), &error);
    return session;
}

static void deep_sea(size_t count) {
    xp_env *env;
    xp_expert *expert;
    xp_demos *demos;
    xp_model *model;
    xp_task *task;
    xp_error error;
    xp_rng problem = xp_rng_seed(1), show = xp_rng_seed(3), luck = xp_rng_seed(9);
    must(xp_env_create("deep_sea:size=6", &problem, &env, &error), &error);
    must(xp_expert_create("optimal", &expert, &error), &error);
    must(xp_demos_draw(env, expert, 40, &show, &demos, &error), &error);
    const xp_env_info info = xp_env_describe(env);
    const xp_space space = {.actions = info.actions,
                            .state_size = info.state_size,
                            .categories = info.categories,
                            .horizon = info.horizon,
                            .discount = 1};
    xp_model_options options = xp_model_options_default();
    options.seed = 5;
    must(xp_model_fit("experior_maxent:members=3,hidden=16,warmup=16,batch=16", &space, demos,
                      &options, &model, &error),
         &error);
    xp_session *session = session_of(model, 5);
    must(xp_task_create(env, &task, &error), &error);
    xp_task_draw(task, &luck);
    double state[8] = {0}, next[8];
    bool within = false;
    for (size_t t = 0; t < count; t++) {
        if (!within) {
            xp_task_reset(task, &luck, state);
            must(xp_session_begin(session, state, &error), &error);
        }
        size_t action;
        must(xp_session_act(session, state, &action, &error), &error);
        memcpy(next, state, sizeof next);
        const xp_step step = xp_task_step(task, &luck, action, next);
        const xp_transition seen = {state, action, step.reward, next, step.end};
        must(xp_session_observe(session, &seen, &error), &error);
        memcpy(state, next, sizeof state);
        within = step.end == XP_CONTINUES;
        printf("%zu\n", action);
    }
    xp_task_destroy(task);
    xp_session_destroy(session);
    xp_model_destroy(model);
    xp_demos_destroy(demos);
    xp_expert_destroy(expert);
    xp_env_destroy(env);
}

int main(int count, char **words) {
    xp_error error;
    if (count == 3 && strcmp(words[1], "deep_sea") == 0) {
        deep_sea(strtoul(words[2], NULL, 10));
        return 0;
    }
    if (count == 5 && strcmp(words[1], "go_on") == 0) {
        xp_model *model;
        xp_session *session;
        must(xp_model_load(words[2], &model, &error), &error);
        must(xp_session_load(words[3], model, &session, &error), &error);
        play(session, 100, strtoul(words[4], NULL, 10));
        xp_session_destroy(session);
        xp_model_destroy(model);
        return 0;
    }
    if (count != 3 && count != 5) {
        return 2;
    }
    xp_model *model = bandit();
    xp_session *session = session_of(model, 7);
    play(session, 0, strtoul(words[count - 1], NULL, 10));
    if (count == 5) {
        must(xp_model_save(model, words[2], &error), &error);
        must(xp_session_save(session, words[3], &error), &error);
    }
    xp_session_destroy(session);
    xp_model_destroy(model);
    return 0;
}
