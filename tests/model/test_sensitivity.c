/* One rule for every competence, and what the default of fit would do beside it. */
#include "claim.h"
#include "choices.h"
#include "watcher.h"

#include "experior/sensitivity.h"
#include "experior/session.h"

#include <math.h>
#include <string.h>

enum { ARMS = 3 };

static const uint64_t counts[ARMS] = {95, 4, 1};

static xp_sensitivity *compared(const xp_demos *demos, const xp_history *history,
                                const xp_sensitivity_options *options) {
    xp_sensitivity *found = NULL;
    EXPECT(xp_sensitivity_fit(demos, history, options, &found, NULL) == XP_OK);
    return found;
}

CLAIM(every_competence_leaves_the_same_divergence_and_some_are_impossible) {
    xp_demos *demos = choices_demos(counts, ARMS);
    xp_sensitivity *found = compared(demos, NULL, NULL);
    EXPECT(found->arms == ARMS && found->beta_count == 7);
    EXPECT_NEAR(found->epsilon, 2 / (2 * 100.0), 1e-15);
    for (size_t i = 0; i < found->beta_count; i++) {
        const xp_sensitivity_outcome *out = &found->outcomes[i];
        double sum = 0;
        for (size_t arm = 0; arm < ARMS; arm++) {
            sum += out->probability[arm];
        }
        EXPECT(i == 0 || out->beta > found->outcomes[i - 1].beta);
        if (out->feasible) {
            EXPECT_NEAR(sum, 1, 1e-6);
            EXPECT(out->lambda > 0 && isfinite(out->lambda));
            EXPECT((out->draws == 0) == isinf(out->beta));
        } else {
            EXPECT(isnan(sum) && isnan(out->lambda) && out->draws == 0);
        }
    }
    /* Experts of competence 0.5 choose an arm at most e^0.5 times as often as another. */
    EXPECT(!found->outcomes[0].feasible && found->outcomes[6].feasible);
    xp_sensitivity_destroy(found);
    xp_demos_destroy(demos);
}

CLAIM(the_default_is_what_a_session_of_a_fitted_model_would_do) {
    static const char told[] = "action,reward\n0,0\n1,1\n0,1\n2,0\n";
    xp_demos *demos = choices_demos(counts, ARMS);
    xp_model *model = choices_model("experior_maxent:reference=learned", counts, ARMS);
    xp_history *history = NULL;
    xp_session *session = NULL;
    double law[ARMS];
    EXPECT(xp_history_parse(told, strlen(told), "told", ARMS, NULL, &history, NULL) == XP_OK);
    EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
    for (size_t i = 0; i < xp_history_count(history); i++) {
        const xp_transition seen = {.action = xp_history_action(history, i),
                                    .reward = xp_history_reward(history, i),
                                    .end = XP_TERMINATED};
        EXPECT(xp_session_observe(session, &seen, NULL) == XP_OK);
    }
    EXPECT(xp_session_law(session, NULL, 0, law, NULL, NULL) == XP_OK);
    xp_sensitivity *found = compared(demos, history, NULL);
    EXPECT(found->fit_default.feasible && isinf(found->fit_default.lambda));
    EXPECT(isinf(found->fit_default.beta) && found->fit_default.draws == 0);
    EXPECT(memcmp(found->fit_default.probability, law, sizeof law) == 0);
    EXPECT(memcmp(found->outcomes[6].probability, law, sizeof law) != 0); /* another rule */
    xp_sensitivity_destroy(found);
    xp_session_destroy(session);
    xp_history_destroy(history);
    xp_model_destroy(model);
    xp_demos_destroy(demos);
}

CLAIM(an_outcome_does_not_depend_on_which_others_are_asked_for) {
    xp_demos *demos = choices_demos(counts, ARMS);
    xp_sensitivity_options options = xp_sensitivity_options_default();
    options.draws = 500;
    xp_sensitivity *all = compared(demos, NULL, &options);
    options.betas = (const double[]){25};
    options.beta_count = 1;
    xp_sensitivity *one = compared(demos, NULL, &options);
    const xp_sensitivity_outcome *a = &all->outcomes[5], *b = &one->outcomes[0];
    EXPECT(one->beta_count == 1 && b->beta == 25 && b->feasible && b->draws == 500);
    EXPECT(a->lambda == b->lambda);
    EXPECT(memcmp(a->probability, b->probability, ARMS * sizeof(double)) == 0);
    xp_sensitivity_destroy(one);
    xp_sensitivity_destroy(all);
    xp_demos_destroy(demos);
}

CLAIM(a_comparison_stops_when_it_is_asked_to) {
    xp_demos *demos = choices_demos(counts, ARMS);
    xp_sensitivity_options options = xp_sensitivity_options_default();
    watcher watch = {.calls = 0};
    options.draws = 10;
    options.progress = watcher_look;
    options.progress_context = &watch;
    xp_sensitivity_destroy(compared(demos, NULL, &options));
    EXPECT(watch.calls >= 8 && watch.done == watch.total);
    const size_t places[] = {1, watch.calls / 2, watch.calls};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        xp_sensitivity *found;
        xp_error error;
        watch = (watcher){.stop_at = places[i]};
        EXPECT(xp_sensitivity_fit(demos, NULL, &options, &found, &error) == XP_ERR_INTERRUPTED);
        EXPECT_TEXT(error.message, "interrupted");
        EXPECT(found == NULL && watch.calls == places[i]);
    }
    xp_demos_destroy(demos);
}

CLAIM(settings_choose_another_reference_for_every_competence) {
    xp_demos *demos = choices_demos(counts, ARMS);
    const double betas[] = {10, INFINITY};
    xp_sensitivity_options options = xp_sensitivity_options_default();
    options.betas = betas;
    options.beta_count = 2;
    options.draws = 2000;
    xp_sensitivity *learned = compared(demos, NULL, &options);
    options.settings = "reference=uniform";
    xp_sensitivity *uniform = compared(demos, NULL, &options);
    EXPECT(learned->outcomes[0].lambda != uniform->outcomes[0].lambda);
    EXPECT(learned->outcomes[1].lambda == uniform->outcomes[1].lambda); /* a closed form in both */
    xp_sensitivity_destroy(uniform);
    xp_sensitivity_destroy(learned);
    xp_sensitivity *found;
    xp_error error;
    options.settings = "moon=1";
    EXPECT(xp_sensitivity_fit(demos, NULL, &options, &found, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "moon");
    xp_demos_destroy(demos);
}
