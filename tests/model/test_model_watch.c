/* Fits of models with states for somebody who watches: bandits' are in prior/test_many_arms.c. */
#include "claim.h"
#include "model_scene.h"
#include "watcher.h"

#include "experior/model.h"

/* Every way in which a prior over Q-functions is fitted: mode by mode, by a chain with lambda given
 * and solved for, and by training. */
static const char *const specs[] = {
    "experior_maxent:hidden=8,draws=4,fit_steps=60",
    "experior_maxent:prior=max_entropy,hidden=8,references=60,chain_steps=60,networks=4",
    "lmc_dqn:hidden=8,references=60,chain_steps=20,networks=4,epsilon=3",
    "experior_param:hidden=8,networks=4,pretrain_steps=60",
};
enum { SPECS = sizeof specs / sizeof specs[0] };

static xp_status fit(const model_scene *at, const char *spec, watcher *watch, xp_model **model,
                     xp_error *error) {
    xp_model_options options = xp_model_options_default();
    options.progress = watch != NULL ? watcher_look : NULL;
    options.progress_context = watch;
    return xp_model_fit(spec, NULL, at->demos, &options, model, error);
}

CLAIM(a_watched_fit_with_states_is_told_what_is_done_and_ends_the_same) {
    model_scene at;
    EXPECT(model_scene_open(&at, "deep_sea", "size", 5, 12));
    for (size_t i = 0; i < SPECS; i++) {
        watcher self = {.stop_at = 0};
        xp_model *both[2] = {NULL, NULL};
        void *data[2] = {NULL, NULL};
        size_t bytes[2] = {0, 0};
        EXPECT(fit(&at, specs[i], &self, &both[0], NULL) == XP_OK);
        EXPECT(fit(&at, specs[i], NULL, &both[1], NULL) == XP_OK);
        EXPECT(self.calls > 20 && !self.fell && self.total > 0 && self.done > self.total / 2);
        for (size_t j = 0; j < 2; j++) {
            EXPECT(xp_model_to_bytes(both[j], &data[j], &bytes[j], NULL) == XP_OK);
            xp_model_destroy(both[j]);
        }
        EXPECT(bytes[0] == bytes[1] && memcmp(data[0], data[1], bytes[0]) == 0);
        xp_release(data[0]);
        xp_release(data[1]);
    }
    model_scene_close(&at);
}

CLAIM(a_fit_with_states_can_be_stopped_at_every_call) {
    model_scene at;
    EXPECT(model_scene_open(&at, "deep_sea", "size", 5, 12));
    for (size_t i = 0; i < SPECS; i++) {
        watcher whole = {.stop_at = 0};
        xp_model *model = NULL;
        EXPECT(fit(&at, specs[i], &whole, &model, NULL) == XP_OK);
        xp_model_destroy(model);
        for (size_t k = 0; k <= 30; k++) { /* the first call, the last, and between them */
            const size_t stop = 1 + k * (whole.calls - 1) / 30;
            watcher self = {.stop_at = stop};
            xp_error error;
            EXPECT(fit(&at, specs[i], &self, &model, &error) == XP_ERR_INTERRUPTED);
            EXPECT(self.calls == stop && model == NULL); /* it is not asked again */
            EXPECT_TEXT(error.message, "the fit was interrupted");
        }
    }
    model_scene_close(&at);
}
