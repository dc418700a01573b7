/* Arguments that nobody should pass (test_arguments.c), for kept decisions. */
#include "arguments.h"

#include <stdio.h>

/* A state that is open, and the scene with its model. */
typedef struct kept {
    scene scene;
    xp_decisions *state;
    char path[512];
} kept;

static kept open_kept(void) {
    kept all = {.scene = open_scene()};
    (void)snprintf(all.path, sizeof all.path, "%s/kept.state", claim_directory());
    EXPECT(xp_decisions_open(all.path, all.scene.model, NULL, &all.state, NULL) == XP_OK);
    return all;
}

static void close_kept(kept *all) {
    xp_decisions_close(all->state);
    xp_decisions_close(NULL);
    close_scene(&all->scene);
}

CLAIM(opening_needs_a_path_a_bandits_model_and_options_of_this_library) {
    kept all = open_kept();
    xp_decisions *state;
    EXPECT_REFUSED(xp_decisions_open(NULL, all.scene.model, NULL, &state, error), "path is NULL");
    EXPECT_REFUSED(xp_decisions_open("x", NULL, NULL, &state, error), "model is NULL");
    EXPECT_REFUSED(xp_decisions_open("x", all.scene.model, NULL, NULL, error), "decisions is NULL");
    xp_decisions_options options = xp_decisions_options_default();
    options.size = 3;
    EXPECT_REFUSED(xp_decisions_open("x", all.scene.model, &options, &state, error),
                   "xp_decisions_options.size = 3");
    xp_decisions_options_init(NULL, sizeof options);
    options = xp_decisions_options_default();
    options.agent = "moon";
    char other[600];
    (void)snprintf(other, sizeof other, "%s.other", all.path);
    EXPECT_REFUSED(xp_decisions_open(other, all.scene.model, &options, &state, error), "moon");
    EXPECT(state == NULL);
    xp_model *lake = NULL;
    static const char steps[] = "demonstration,step,state_0,action\n0,0,1,0\n0,1,0,1\n";
    xp_demos *demos = NULL;
    if (xp_demos_parse(steps, strlen(steps), "steps", &demos, NULL) == XP_OK) {
        EXPECT(xp_model_fit("behaviour_cloning", NULL, demos, NULL, &lake, NULL) == XP_OK);
        EXPECT_REFUSED(xp_decisions_open("x", lake, NULL, &state, error), "has states");
    }
    EXPECT(lake != NULL);
    xp_model_destroy(lake);
    xp_demos_destroy(demos);
    close_kept(&all);
}

CLAIM(what_is_open_takes_laws_numbers_and_rewards_that_exist) {
    kept all = open_kept();
    double law[3];
    xp_decision drawn[2];
    const uint64_t ids[] = {1, 2};
    const double rewards[] = {1, 0};
    EXPECT_REFUSED(xp_decisions_law(NULL, 0, law, NULL, error), "decisions is NULL");
    EXPECT_REFUSED(xp_decisions_law(all.state, 0, NULL, NULL, error), "probability is NULL");
    EXPECT_REFUSED(xp_decisions_segment(NULL, NULL, error), "decisions is NULL");
    EXPECT_REFUSED(xp_decisions_segment(all.state, "moon", error), "segment");
    EXPECT_REFUSED(xp_decisions_segment(all.state, "", error), "without a name");
    EXPECT(xp_decisions_segment(all.state, NULL, NULL) == XP_OK);
    EXPECT_REFUSED(xp_decisions_draw(NULL, NULL, 0, 1, drawn, error), "decisions is NULL");
    EXPECT_REFUSED(xp_decisions_draw(all.state, NULL, 0, 1, NULL, error), "drawn is NULL");
    EXPECT_REFUSED(xp_decisions_draw(all.state, NULL, NAN, 1, drawn, error), "the time nan");
    EXPECT_REFUSED(xp_decisions_draw(all.state, NULL, -1, 1, drawn, error), "the time -1");
    EXPECT_REFUSED(xp_decisions_draw(all.state, NULL, 0, SIZE_MAX, drawn, error), "at most");
    const double bad[][3] = {{0.5, 0.5, 0.5}, {NAN, 0.5, 0.5}, {-0.5, 1, 0.5}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        EXPECT_REFUSED(xp_decisions_draw(all.state, bad[i], 0, 1, drawn, error), "probabilit");
    }
    EXPECT(xp_decisions_draw(all.state, NULL, 0, 0, drawn, NULL) == XP_OK);
    EXPECT(xp_decisions_describe(all.state).next == 1 && xp_decisions_describe(all.state).created);
    EXPECT_REFUSED(xp_decisions_observe(NULL, ids, rewards, 1, error), "decisions is NULL");
    EXPECT_REFUSED(xp_decisions_observe(all.state, NULL, rewards, 1, error), "ids is NULL");
    EXPECT_REFUSED(xp_decisions_observe(all.state, ids, NULL, 1, error), "rewards is NULL");
    EXPECT_REFUSED(xp_decisions_observe(all.state, ids, rewards, 1, error), "no decision 1");
    EXPECT(xp_decisions_observe(all.state, NULL, NULL, 0, NULL) == XP_OK);
    EXPECT_REFUSED(xp_decisions_observe_table(NULL, "", 0, "x", NULL, error), "decisions is NULL");
    EXPECT_REFUSED(xp_decisions_observe_table(all.state, NULL, 0, "x", NULL, error), "text");
    EXPECT_REFUSED(xp_decisions_observe_table(all.state, "", 0, NULL, NULL, error), "name");
    EXPECT_REFUSED(xp_decisions_forget(NULL, ids, 1, error), "decisions is NULL");
    EXPECT_REFUSED(xp_decisions_forget(all.state, NULL, 1, error), "ids is NULL");
    EXPECT_REFUSED(xp_decisions_forget(all.state, (const uint64_t[]){0}, 1, error), "decision 0");
    EXPECT(xp_decisions_forget(all.state, NULL, 0, NULL) == XP_OK);
    EXPECT_REFUSED(xp_decisions_forget_older(NULL, 0, NULL, error), "decisions is NULL");
    EXPECT_REFUSED(xp_decisions_forget_older(all.state, NAN, NULL, error), "not a number");
    EXPECT(xp_decisions_forget_older(all.state, INFINITY, NULL, NULL) == XP_OK);
    EXPECT_REFUSED(xp_decisions_save(NULL, error), "decisions is NULL");
    EXPECT(xp_decisions_describe(NULL).next == 0 && xp_decisions_pending(NULL, 0).id == 0);
    EXPECT(xp_decisions_pending(all.state, 0).id == 0);
    close_kept(&all);
}
