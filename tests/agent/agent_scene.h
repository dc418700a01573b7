/* agent_scene.h: an agent where there are states, with all that it stands on. */
#ifndef XP_TESTS_AGENT_AGENT_SCENE_H
#define XP_TESTS_AGENT_AGENT_SCENE_H

#include "claim.h"
#include "house/failing_allocator.h"

#include "agent/agent.h"
#include "env/create.h"

#include <string.h>

typedef struct scene {
    xp_env *env;
    xp_task *task;
    xp_demos *demos;
    xp__states_prior *prior; /* NULL if the agent needs none */
    xp__agent *agent;
} scene;

/* A parameter of the environment. */
typedef struct scene_setting {
    const char *key, *value;
} scene_setting;

static inline void scene_deinit(scene *self) {
    xp__agent_destroy(self->agent);
    xp__states_prior_destroy(self->prior);
    xp_demos_destroy(self->demos);
    xp_task_destroy(self->task);
    xp_env_destroy(self->env);
}

static inline xp_status scene_agent(scene *self, const char *text, xp_rng *rng, xp_error *error) {
    const xp_env_info info = xp_env_describe(self->env);
    xp__agent_spec spec;
    xp_status status = xp__agent_spec_parse(text, &info, &spec, error);
    if (status == XP_OK) {
        status = xp__agent_q_prior_fit(&spec, self->env, self->demos, rng, &self->prior, error);
    }
    if (status == XP_OK) {
        const xp__agent_setup setup = {.actions = info.actions,
                                       .episodes = 100,
                                       .demos = self->demos,
                                       .states_prior = self->prior,
                                       .env = info};
        status = xp__agent_create(&spec, &setup, &self->agent, error);
    }
    return status;
}

/* An environment, demonstrations of its optimal expert, and an agent. `settings` ends with a NULL
 * key. Deinit it also if it fails. */
static inline xp_status scene_make(scene *self, const char *env, const scene_setting *settings,
                                   uint64_t demonstrations, const char *agent, xp_error *error) {
    *self = (scene){.env = NULL};
    xp__params params;
    xp_expert *expert = NULL;
    xp_rng rng = xp_rng_seed(1);
    xp_status status = xp__env_params_default(env, &params, error);
    for (; status == XP_OK && settings->key != NULL; settings++) {
        status = xp__params_set_text(&params, settings->key, settings->value, error);
    }
    if (status == XP_OK) {
        status = xp__env_create(env, &params, &rng, &self->env, error);
    }
    if (status == XP_OK) {
        status = xp_task_create(self->env, &self->task, error);
    }
    if (status == XP_OK) {
        status = xp_expert_create("optimal", &expert, error);
    }
    if (status == XP_OK) {
        status = xp_demos_draw(self->env, expert, demonstrations, &rng, &self->demos, error);
    }
    if (status == XP_OK) {
        status = scene_agent(self, agent, &rng, error);
    }
    xp_expert_destroy(expert);
    return status;
}

static inline void start(scene *self, uint64_t seed, xp_rng *rng) {
    *rng = xp_rng_seed(seed);
    xp_task_draw(self->task, rng);
    xp__agent_reset(self->agent, rng);
}

/* The return of one episode; the actions taken go to `actions` if it is not NULL. */
static inline double episode(scene *self, xp_rng *rng, size_t *actions) {
    double state[2], next[2], sum = 0;
    xp_step step = {.end = XP_CONTINUES};
    xp_task_reset(self->task, rng, state);
    for (size_t h = 0; step.end == XP_CONTINUES; h++) {
        const size_t action = xp__agent_act(self->agent, rng, state);
        step = xp_task_step(self->task, rng, action, next);
        const xp_transition seen = {.state = state,
                                    .action = action,
                                    .reward = step.reward,
                                    .next_state = next,
                                    .end = step.end};
        xp__agent_observe(self->agent, rng, &seen);
        if (actions != NULL) {
            actions[h] = action;
        }
        sum += step.reward;
        memcpy(state, next, sizeof state);
    }
    return sum;
}

/* Lets the n-th allocation fail, for n = 0, 1, 2, … up to the first n with which the scene is made:
 * every failure is told and leaks nothing, and acting for so many episodes allocates nothing. At
 * least `least` allocations must have failed. */
static inline void scene_survives(const char *env, const scene_setting *settings,
                                  uint64_t demonstrations, const char *agent, int episodes,
                                  size_t least) {
    xp_status status = XP_ERR_MEMORY;
    for (size_t n = 0; status != XP_OK; n++) {
        failing_allocator count;
        scene at;
        failing_allocator_install(&count, n);
        status = scene_make(&at, env, settings, demonstrations, agent, NULL);
        EXPECT(status == XP_OK ? n >= least : status == XP_ERR_MEMORY);
        if (status == XP_OK) {
            xp_rng rng;
            const size_t before = count.calls;
            start(&at, 1, &rng);
            for (int t = 0; t < episodes; t++) {
                (void)episode(&at, &rng, NULL);
            }
            EXPECT(count.calls == before);
        }
        scene_deinit(&at);
        EXPECT(count.alive == 0);
        xp__allocator_install(NULL);
    }
}

#endif
