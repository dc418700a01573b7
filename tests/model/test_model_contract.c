/* Models and sessions of every registered agent: a loaded model acts bit for bit like the one that
 * was saved, and a loaded session goes on bit for bit like the one that was saved. */
#include "claim.h"
#include "model_scene.h"

enum { STEPS = 260 };

static xp_session *open_session(const xp_model *model, uint64_t seed) {
    xp_session_options options = xp_session_options_default();
    options.seed = seed;
    options.episodes = 100;
    xp_session *session = NULL;
    xp_error error = {.message = ""};
    const bool made = xp_session_create(model, &options, &session, &error) == XP_OK;
    claim_expect(made, error.message, __FILE__, __LINE__);
    return session;
}

static model_player player_of(const model_scene *scene, uint64_t seed) {
    model_player player = {.luck = xp_rng_seed(seed)};
    xp_rng context = xp_rng_seed(3);
    EXPECT(xp_task_create(scene->env, &player.task, NULL) == XP_OK);
    xp_task_draw(player.task, &context);
    return player;
}

/* One session plays on where the player is; the other one does the same in every step of its. */
static void expect_same_actions(const char *what, model_player *player, xp_session *one,
                                xp_session *other, size_t steps) {
    for (size_t t = 0; t < steps; t++) {
        size_t action = 0;
        if (!model_player_step(player, one, &action) ||
            !model_player_follow(player, other, action)) {
            char text[160];
            (void)snprintf(text, sizeof text, "%s: step %zu: not action %zu", what, t, action);
            claim_expect(false, text, __FILE__, __LINE__);
            break;
        }
    }
}

/* The bytes of both are the same. */
static void expect_same_session(const char *what, const xp_session *one, const xp_session *other) {
    void *left = NULL, *right = NULL;
    size_t left_bytes = 0, right_bytes = 1;
    const bool same = xp_session_to_bytes(one, &left, &left_bytes, NULL) == XP_OK &&
                      xp_session_to_bytes(other, &right, &right_bytes, NULL) == XP_OK &&
                      left_bytes == right_bytes && memcmp(left, right, left_bytes) == 0;
    claim_expect(same, what, __FILE__, __LINE__);
    xp_release(left);
    xp_release(right);
}

/* Plays t steps, which may end within an episode, saves, loads, goes on with both. */
static void check_session(const char *spec, const model_scene *scene, const xp_model *model,
                          size_t t) {
    xp_session *session = open_session(model, 7);
    model_player player = player_of(scene, 5);
    for (size_t i = 0; session != NULL && i < t; i++) {
        size_t action;
        EXPECT(model_player_step(&player, session, &action));
    }
    void *data = NULL;
    size_t bytes = 0;
    xp_session *loaded = NULL;
    xp_error error = {.message = ""};
    const bool made = session != NULL &&
                      xp_session_to_bytes(session, &data, &bytes, &error) == XP_OK &&
                      xp_session_parse(data, bytes, "bytes", model, &loaded, &error) == XP_OK;
    claim_expect(made, error.message[0] != '\0' ? error.message : spec, __FILE__, __LINE__);
    if (made) {
        expect_same_session(spec, session, loaded);
        EXPECT(xp_session_describe(loaded).within_episode == player.within);
        expect_same_actions(spec, &player, session, loaded, STEPS);
        expect_same_session(spec, session, loaded);
    }
    xp_release(data);
    xp_session_destroy(loaded);
    xp_session_destroy(session);
    xp_task_destroy(player.task);
}

static void check_agent(const char *spec, const model_scene *scene) {
    xp_model *model = NULL, *loaded = NULL;
    xp_error error = {.message = ""};
    void *data = NULL, *again = NULL;
    size_t bytes = 0, again_bytes = 1;
    const bool made =
        xp_model_fit_env(spec, scene->env, scene->demos, NULL, &model, &error) == XP_OK &&
        xp_model_to_bytes(model, &data, &bytes, &error) == XP_OK &&
        xp_model_parse(data, bytes, "bytes", &loaded, &error) == XP_OK &&
        xp_model_to_bytes(loaded, &again, &again_bytes, &error) == XP_OK;
    if (!made) {
        (void)printf("%s: %s\n", spec, error.message);
    }
    EXPECT(made);
    EXPECT(!made || (bytes == again_bytes && memcmp(data, again, bytes) == 0));
    if (made) {
        EXPECT(xp_model_warning(loaded) == NULL);
        xp_session *one = open_session(model, 7), *other = open_session(loaded, 7);
        model_player player = player_of(scene, 5);
        if (one != NULL && other != NULL) {
            expect_same_actions(spec, &player, one, other, STEPS);
        }
        xp_task_destroy(player.task);
        xp_session_destroy(one);
        xp_session_destroy(other);
        const size_t times[] = {0, 1, 7, 120, 123}; /* episodes of five steps, or of one */
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
            check_session(spec, scene, i % 2 == 0 ? model : loaded, times[i]);
        }
    }
    xp_release(data);
    xp_release(again);
    xp_model_destroy(loaded);
    xp_model_destroy(model);
}

CLAIM(models_and_sessions_of_every_bandit_agent_survive_their_files) {
    model_scene scene;
    EXPECT(model_scene_open(&scene, "bernoulli_bandit", "arms", 4, 50));
    for (size_t i = 0; i < xp__agent_type_count; i++) {
        const xp__agent_type *type = xp__agent_types[i];
        if (!type->has_states) {
            check_agent(type->name, &scene);
        }
    }
    static const char *const more[] = {
        "experior_maxent:beta=5",
        "experior_maxent:prior=authors,sampler=mcmc",
        "experior_maxent:reference=learned",
        "naive_ts:reference=learned",
        "experior_maxent:reference=beta,mean=0.01,beta=5,unit=relative",
        "experior_maxent:sampler=sgld",
        "experior_param:family=normal",
        "naive_ts:sampler=conjugate",
        "experior_maxent:sampler=rejection",
    };
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        check_agent(more[i], &scene);
    }
    model_scene_close(&scene);
}

CLAIM(models_and_sessions_of_every_agent_with_states_survive_their_files) {
    model_scene scene;
    EXPECT(model_scene_open(&scene, "deep_sea", "size", 5, 20));
    for (size_t i = 0; i < xp__agent_type_count; i++) {
        const xp__agent_type *type = xp__agent_types[i];
        if (type->has_states) {
            check_agent(model_scene_spec(type), &scene);
        }
    }
    check_agent("experior_maxent:members=3,hidden=8,batch=16,warmup=16,prior=max_entropy,"
                "references=20,chain_steps=20,networks=4",
                &scene);
    model_scene_close(&scene);
}
