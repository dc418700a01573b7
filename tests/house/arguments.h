/* arguments.h: arguments that nobody should pass: NULL, indices out of range, numbers that are not.
 * Every public function answers them as base.h says, in every build, and never with a crash. The
 * claims are in test_arguments*.c; test_symbols.sh sees to it that no function is left out. */
#ifndef XP_TESTS_HOUSE_ARGUMENTS_H
#define XP_TESTS_HOUSE_ARGUMENTS_H

#include "claim.h"

#include "experior/experior.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Fails with XP_ERR_INPUT and a sentence, and without an xp_error just the same. */
#define EXPECT_REFUSED(call, part)                                                                 \
    do {                                                                                           \
        xp_error told = {.status = XP_OK, .message = ""};                                          \
        xp_error *error = &told;                                                                   \
        EXPECT((call) == XP_ERR_INPUT && told.status == XP_ERR_INPUT);                             \
        EXPECT_TEXT(told.message, part);                                                           \
        error = NULL;                                                                              \
        EXPECT((call) == XP_ERR_INPUT);                                                            \
    } while (0)

static const char choices[] = "action,count\na,4\nb,2\nc,1\n";

typedef struct scene {
    xp_rng rng;
    xp_env *env, *lake;
    xp_task *task, *lake_task;
    xp_expert *expert;
    xp_demos *demos;
    xp_prior *prior;
    xp_sampler *sampler;
    xp_model *model;
    xp_session *session;
} scene;

static inline scene open_scene(void) {
    scene all = {.rng = xp_rng_seed(1)};
    EXPECT(xp_env_create("bernoulli_bandit:arms=3", &all.rng, &all.env, NULL) == XP_OK);
    EXPECT(xp_env_create("frozen_lake", &all.rng, &all.lake, NULL) == XP_OK);
    EXPECT(xp_task_create(all.env, &all.task, NULL) == XP_OK);
    EXPECT(xp_task_create(all.lake, &all.lake_task, NULL) == XP_OK);
    EXPECT(xp_expert_create("noisily_rational:beta=2", &all.expert, NULL) == XP_OK);
    EXPECT(xp_demos_parse(choices, strlen(choices), "choices", &all.demos, NULL) == XP_OK);
    EXPECT(xp_prior_fit("max_entropy", all.demos, NULL, &all.prior, NULL, NULL) == XP_OK);
    EXPECT(xp_sampler_create("mcmc", all.prior, &all.sampler, NULL) == XP_OK);
    EXPECT(xp_model_fit(NULL, NULL, all.demos, NULL, &all.model, NULL) == XP_OK);
    EXPECT(xp_session_create(all.model, NULL, &all.session, NULL) == XP_OK);
    return all;
}

static inline void close_scene(scene *all) {
    xp_session_destroy(all->session);
    xp_model_destroy(all->model);
    xp_sampler_destroy(all->sampler);
    xp_prior_destroy(all->prior);
    xp_demos_destroy(all->demos);
    xp_expert_destroy(all->expert);
    xp_task_destroy(all->lake_task);
    xp_task_destroy(all->task);
    xp_env_destroy(all->lake);
    xp_env_destroy(all->env);
}

#endif
