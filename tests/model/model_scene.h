/* model_scene.h: tasks, demonstrations and models of every registered agent, for the tests of
 * models and sessions. */
#ifndef XP_TESTS_MODEL_MODEL_SCENE_H
#define XP_TESTS_MODEL_MODEL_SCENE_H

#include "agent/agent_type.h"
#include "experior/session.h"
#include "env/create.h"

#include <stdio.h>
#include <string.h>

typedef struct model_scene {
    xp_env *env;
    xp_expert *expert;
    xp_demos *demos;
    xp_env_info info;
} model_scene;

static inline bool model_scene_open(model_scene *scene, const char *env, const char *key,
                                    double value, uint64_t demonstrations) {
    *scene = (model_scene){.env = NULL};
    xp__params params;
    xp_rng rng = xp_rng_seed(11);
    if (xp__env_params_default(env, &params, NULL) != XP_OK ||
        xp__params_set(&params, key, value, NULL) != XP_OK ||
        xp__env_create(env, &params, &rng, &scene->env, NULL) != XP_OK ||
        xp_expert_create("optimal", &scene->expert, NULL) != XP_OK ||
        xp_demos_draw(scene->env, scene->expert, demonstrations, &rng, &scene->demos, NULL) !=
            XP_OK) {
        return false;
    }
    scene->info = xp_env_describe(scene->env);
    return true;
}

static inline void model_scene_close(model_scene *scene) {
    xp_demos_destroy(scene->demos);
    xp_expert_destroy(scene->expert);
    xp_env_destroy(scene->env);
}

/* The spec of a registered agent that is quick enough for a test. */
static inline const char *model_scene_spec(const xp__agent_type *type) {
    static const struct {
        const char *name, *spec;
    } quick[] = {
        {"boot_dqn", "boot_dqn:members=3,hidden=8,batch=16,warmup=16"},
        {"experior_param", "experior_param:members=3,hidden=8,batch=16,warmup=16,networks=4,"
                           "pretrain_steps=20"},
        {"experior_maxent", "experior_maxent:members=3,hidden=8,batch=16,warmup=16,draws=4"},
        {"explore", "explore:hidden=8,batch=16,warmup=16"},
        {"lmc_dqn", "lmc_dqn:members=3,hidden=8,batch=16,warmup=16,references=20,chain_steps=20,"
                    "networks=4"},
    };
    for (size_t i = 0; type->has_states && i < sizeof quick / sizeof quick[0]; i++) {
        if (strcmp(quick[i].name, type->name) == 0) {
            return quick[i].spec;
        }
    }
    return type->name;
}

/* Plays steps of a task with a session; the last step is kept, to be shown to another session. */
typedef struct model_player {
    xp_task *task;
    xp_rng luck;
    double before[8], state[8]; /* of the last step, and now */
    xp_step last;
    bool within;
} model_player;

static inline bool model_player_step(model_player *player, xp_session *session, size_t *action) {
    if (!player->within) {
        xp_task_reset(player->task, &player->luck, player->state);
        player->within = true;
    }
    if (xp_session_act(session, player->state, action, NULL) != XP_OK) {
        return false;
    }
    memcpy(player->before, player->state, sizeof player->before);
    player->last = xp_task_step(player->task, &player->luck, *action, player->state);
    const xp_transition seen = {player->before, *action, player->last.reward, player->state,
                                player->last.end};
    if (xp_session_observe(session, &seen, NULL) != XP_OK) {
        return false;
    }
    player->within = player->last.end == XP_CONTINUES;
    return true;
}

/* Whether another session takes the player's last action there, and takes in what came of it. */
static inline bool model_player_follow(const model_player *player, xp_session *session,
                                       size_t action) {
    size_t taken;
    const xp_transition seen = {player->before, action, player->last.reward, player->state,
                                player->last.end};
    return xp_session_act(session, player->before, &taken, NULL) == XP_OK && taken == action &&
           xp_session_observe(session, &seen, NULL) == XP_OK;
}

#endif
