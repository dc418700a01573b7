/* What an inspection says of a model, and what it refuses. */
#include "claim.h"
#include "choices.h"
#include "watcher.h"

#include "experior/inspect.h"
#include "experior/session.h"

#include <math.h>
#include <string.h>

enum { ARMS = 3 };

static const uint64_t counts[ARMS] = {6, 30, 14};

static xp_inspect_options quick(void) {
    xp_inspect_options options = xp_inspect_options_default();
    options.draws = 2000;
    options.tasks = 100;
    options.episodes = 60;
    return options;
}

static xp_inspection *inspected(const xp_model *model, const xp_inspect_options *options) {
    xp_inspection *inspection = NULL;
    xp_error error = {.message = ""};
    EXPECT(xp_inspect(model, options, &inspection, &error) == XP_OK);
    EXPECT_TEXT(error.message, "");
    return inspection;
}

CLAIM(shares_probabilities_and_densities_add_up_to_one) {
    static const char *const agents[] = {"experior_maxent", "experior_maxent:beta=5",
                                         "experior_param"};
    for (size_t i = 0; i < sizeof agents / sizeof agents[0]; i++) {
        xp_model *model = choices_model(agents[i], counts, ARMS);
        const xp_inspect_options options = quick();
        xp_inspection *seen = inspected(model, &options);
        EXPECT(seen->arms == ARMS && seen->tasks == options.tasks);
        double share = 0, probability = 0, bits = 0;
        for (size_t k = 0; k < ARMS; k++) {
            double area = 0;
            for (size_t bin = 0; bin < seen->bins; bin++) {
                area += seen->density[k * seen->bins + bin] / (double)seen->bins;
            }
            EXPECT_NEAR(area, 1, 1e-9);
            EXPECT_NEAR(seen->share[k], (double)counts[k] / 50, 1e-15);
            share += seen->share[k];
            probability += seen->probability[k];
            bits -= seen->probability[k] * log2(seen->probability[k]);
            EXPECT(seen->mean[k] > 0 && seen->mean[k] < 1 && seen->sd[k] > 0);
        }
        EXPECT_NEAR(share, 1, 1e-12);
        EXPECT_NEAR(probability, 1, 1e-6);
        EXPECT_NEAR(seen->entropy, bits, 1e-12);
        EXPECT_NEAR(seen->saved, seen->uniform_regret - seen->regret, 1e-9);
        EXPECT((seen->law_draws == 0) == (seen->kind == XP_SAMPLER_COMPUTED));
        xp_inspection_destroy(seen);
        xp_model_destroy(model);
    }
}

CLAIM(what_is_the_best_arm_is_the_law_of_a_session_before_any_reward) {
    xp_model *model = choices_model("experior_maxent", counts, ARMS);
    xp_session *session = NULL;
    double law[ARMS];
    EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
    EXPECT(xp_session_law(session, NULL, 0, law, NULL, NULL) == XP_OK);
    const xp_inspect_options options = quick();
    xp_inspection *seen = inspected(model, &options);
    EXPECT(seen->law_draws == 0 && strcmp(seen->sampler, "quadrature") == 0);
    EXPECT(memcmp(seen->probability, law, sizeof law) == 0);
    xp_inspection_destroy(seen);
    xp_session_destroy(session);
    xp_model_destroy(model);
}

CLAIM(an_informative_prior_saves_regret_and_a_vague_one_does_not) {
    const uint64_t sure[] = {990, 8, 1, 1, 0}, vague[] = {200, 200, 200, 200, 200};
    xp_inspect_options options = quick();
    options.tasks = 400;
    xp_model *model = choices_model("experior_maxent", sure, 5);
    xp_inspection *seen = inspected(model, &options);
    EXPECT(seen->saved > 10 * seen->saved_se && seen->saved_se > 0);
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
    model = choices_model("experior_maxent", vague, 5); /* the uniform prior itself */
    seen = inspected(model, &options);
    EXPECT(fabs(seen->saved) < 5 * seen->saved_se);
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
}

CLAIM(an_inspection_is_a_function_of_its_seed) {
    xp_model *model = choices_model("experior_maxent:beta=5", counts, ARMS);
    xp_inspect_options options = quick();
    xp_inspection *one = inspected(model, &options), *again = inspected(model, &options);
    EXPECT(memcmp(one->mean, again->mean, ARMS * sizeof(double)) == 0);
    EXPECT(one->regret == again->regret && one->saved_se == again->saved_se);
    options.seed = 2;
    xp_inspection *other = inspected(model, &options);
    EXPECT(one->regret != other->regret && one->mean[0] != other->mean[0]);
    xp_inspection_destroy(other);
    xp_inspection_destroy(again);
    xp_inspection_destroy(one);
    xp_model_destroy(model);
}

CLAIM(one_task_has_no_standard_error) {
    xp_model *model = choices_model("experior_maxent", counts, ARMS);
    xp_inspect_options options = quick();
    options.tasks = options.draws = 1;
    xp_inspection *seen = inspected(model, &options);
    EXPECT(isfinite(seen->regret) && isnan(seen->regret_se) && isnan(seen->sd[0]));
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
}

CLAIM(a_model_without_arms_is_refused_with_a_sentence) {
    const size_t categories[] = {3};
    const xp_space bandit = {.actions = 4};
    const xp_space states = {.actions = 2, .state_size = 1, .categories = categories, .horizon = 4};
    const struct {
        const xp_space *space;
        const char *agent, *sentence;
    } models[] = {{&bandit, "naive_ucb", "no prior over arm means: its agent is 'naive_ucb'"},
                  {&states, "boot_dqn", "no prior over arm means: its agent is 'boot_dqn'"}};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        xp_model *model = NULL;
        xp_inspection *seen;
        xp_error error;
        EXPECT(xp_model_fit(models[i].agent, models[i].space, NULL, NULL, &model, NULL) == XP_OK);
        EXPECT(xp_inspect(model, NULL, &seen, &error) == XP_ERR_INPUT && seen == NULL);
        EXPECT_TEXT(error.message, models[i].sentence);
        xp_model_destroy(model);
    }
}

CLAIM(an_inspection_stops_when_it_is_asked_to) {
    xp_model *model = choices_model("experior_maxent", counts, ARMS);
    xp_inspect_options options = quick();
    watcher watch = {.calls = 0};
    options.progress = watcher_look;
    options.progress_context = &watch;
    xp_inspection_destroy(inspected(model, &options));
    EXPECT(watch.calls > options.tasks && watch.total == options.tasks);
    EXPECT(watch.done == options.tasks - 1);
    const size_t places[] = {1, 3, watch.calls}; /* while drawing, and in the last task */
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        xp_inspection *seen;
        xp_error error;
        watch = (watcher){.stop_at = places[i]};
        EXPECT(xp_inspect(model, &options, &seen, &error) == XP_ERR_INTERRUPTED && seen == NULL);
        EXPECT_TEXT(error.message, "interrupted");
        EXPECT(watch.calls == places[i]);
    }
    xp_model_destroy(model);
}

CLAIM(a_sampler_that_gives_up_is_not_believed) {
    const uint64_t one_sided[] = {100000, 0, 0, 0, 0, 0, 0, 0};
    xp_model *model = choices_model("experior_maxent", one_sided, 8);
    xp_inspect_options options = quick();
    options.sampler = "rejection:tries=1";
    xp_inspection *seen;
    xp_error error;
    EXPECT(xp_inspect(model, &options, &seen, &error) == XP_ERR_NUMERIC && seen == NULL);
    EXPECT_TEXT(error.message, "the sampler 'rejection' gave up");
    xp_model_destroy(model);
}
