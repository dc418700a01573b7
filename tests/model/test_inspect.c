/* What an inspection says of a model, and what it refuses. */
#include "claim.h"
#include "choices.h"
#include "watcher.h"

#include "experior/inspect.h"
#include "experior/session.h"

#include <math.h>
#include <stdio.h>
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

static const xp_inspect_warning *warned(const xp_inspection *seen, const char *code) {
    for (size_t i = 0; i < seen->warning_count; i++) {
        if (strcmp(seen->warnings[i].code, code) == 0) {
            return &seen->warnings[i];
        }
    }
    return NULL;
}

CLAIM(horizons_are_parts_of_the_same_tasks) {
    xp_model *model = choices_model("experior_maxent", counts, ARMS);
    xp_inspect_options options = quick();
    options.episodes = 100;
    xp_inspection *seen = inspected(model, &options);
    EXPECT(seen->horizon_count == 2);
    for (size_t i = 0; i < seen->horizon_count; i++) {
        const xp_inspect_horizon *at = &seen->horizons[i];
        EXPECT_NEAR(at->saved, at->without - at->regret, 1e-9);
        EXPECT_NEAR(at->share, at->saved / at->without, 1e-12);
        EXPECT(at->saved_se > 0 && at->share_se > 0 && at->share_se < 1);
    }
    EXPECT(seen->horizons[0].decisions == 10 && seen->horizons[1].decisions == 100);
    EXPECT(seen->horizons[1].regret == seen->regret &&
           seen->horizons[1].saved_se == seen->saved_se);
    options.episodes = 10; /* the first decisions of a task do not know how many follow */
    xp_inspection *shorter = inspected(model, &options);
    EXPECT(shorter->horizon_count == 1);
    EXPECT(shorter->regret == seen->horizons[0].regret);
    xp_inspection_destroy(shorter);
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
}

CLAIM(a_head_start_is_long_if_experts_agree_and_none_if_they_do_not_care) {
    const uint64_t sure[] = {960, 20, 10, 10, 0}, vague[] = {200, 200, 200, 200, 200};
    xp_inspect_options options = quick();
    options.tasks = 300;
    options.episodes = 300;
    xp_model *model = choices_model("experior_maxent", sure, 5);
    xp_inspection *seen = inspected(model, &options);
    EXPECT(seen->head_start > 30 && seen->head_start < 300);
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
    model = choices_model("experior_maxent", vague, 5);
    seen = inspected(model, &options);
    EXPECT(seen->head_start < 10);
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
}

/* Quantiles and areas of draws that the sampler makes, an independent way to the same law. */
static void expect_draws(const xp_model *model, const xp_inspection *seen) {
    enum { DRAWS = 20000 };
    const double levels[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    xp_sampler *sampler = NULL;
    EXPECT(xp_sampler_create(NULL, xp_model_prior(model), &sampler, NULL) == XP_OK);
    xp_rng rng = xp_rng_seed(77);
    xp_sampler_reset(sampler, &rng);
    double below[ARMS][5] = {{0}}, lower_half[ARMS] = {0};
    for (size_t i = 0; i < DRAWS; i++) {
        double theta[ARMS];
        EXPECT(xp_sampler_draw(sampler, &rng, theta));
        for (size_t k = 0; k < ARMS; k++) {
            lower_half[k] += theta[k] < 0.5 ? 1.0 / DRAWS : 0;
            for (size_t q = 0; q < 5; q++) {
                below[k][q] += theta[k] < seen->quantiles[k * 5 + q] ? 1.0 / DRAWS : 0;
            }
        }
    }
    EXPECT(seen->curve_low == 0 && seen->curve_high == 1);
    for (size_t k = 0; k < ARMS; k++) {
        const double width = 1 / (double)seen->curve_points;
        double area = 0, half = 0;
        for (size_t i = 0; i < seen->curve_points; i++) {
            const double height = seen->curve[k * seen->curve_points + i];
            EXPECT(height >= 0);
            area += height * width;
            half += i < seen->curve_points / 2 ? height * width : 0;
        }
        EXPECT_NEAR(area, 1, 0.005);
        EXPECT_NEAR(half, lower_half[k], 0.03);
        for (size_t q = 0; q < 5; q++) {
            EXPECT_NEAR(below[k][q], levels[q], seen->curve_computed ? 0.02 : 0.05);
        }
    }
    xp_sampler_destroy(sampler);
}

CLAIM(bands_and_curves_are_those_of_the_priors_draws) {
    const struct {
        const char *agent;
        bool computed;
    } models[] = {
        {"experior_maxent", true}, {"experior_param", true}, {"experior_maxent:beta=5", false}};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        xp_model *model = choices_model(models[i].agent, counts, ARMS);
        xp_inspect_options options = quick();
        options.tasks = 1;
        xp_inspection *seen = inspected(model, &options);
        EXPECT(seen->curve_computed == models[i].computed);
        expect_draws(model, seen);
        xp_inspection_destroy(seen);
        xp_model_destroy(model);
    }
}

/* By hand: one fit for each arm of which a choice can be left out. */
CLAIM(what_is_held_out_is_scored_by_a_prior_that_did_not_see_it) {
    double sum = 0;
    for (size_t arm = 0; arm < ARMS; arm++) {
        uint64_t rest[ARMS];
        memcpy(rest, counts, sizeof rest);
        rest[arm]--;
        xp_model *model = choices_model("experior_maxent", rest, ARMS);
        xp_session *session = NULL;
        double law[ARMS];
        EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
        EXPECT(xp_session_law(session, NULL, 0, law, NULL, NULL) == XP_OK);
        sum += (double)counts[arm] * log(law[arm]);
        xp_session_destroy(session);
        xp_model_destroy(model);
    }
    const char *const agents[] = {"experior_maxent", "experior_maxent:lambda=1e8",
                                  "experior_maxent:beta=20", "experior_param"};
    for (size_t i = 0; i < sizeof agents / sizeof agents[0]; i++) {
        xp_model *model = choices_model(agents[i], counts, ARMS);
        xp_inspect_options options = quick();
        options.tasks = 1;
        xp_inspection *seen = inspected(model, &options);
        EXPECT(seen->held_out_folds == (i == 0 ? 0 : 5));
        EXPECT_NEAR(seen->held_out, sum / 50, i == 0 ? 1e-6 : 0.06);
        EXPECT_NEAR(seen->held_out_guess, -log(3), 1e-15);
        EXPECT(seen->held_out > seen->held_out_guess && seen->held_out_se > 0);
        xp_inspection_destroy(seen);
        xp_model_destroy(model);
    }
}

CLAIM(data_that_says_little_is_warned_of_and_good_data_is_not) {
    const uint64_t good[] = {900, 80, 20}, few[] = {9, 1, 0}, even[] = {34, 33, 33};
    const uint64_t unchosen[] = {600, 400, 0, 0, 0, 0, 0, 0};
    xp_inspect_options options = quick();
    options.tasks = 400;
    options.episodes = 100;
    options.sensitivity_draws = 0;
    xp_model *model = choices_model("experior_maxent", good, ARMS);
    xp_inspection *seen = inspected(model, &options);
    EXPECT(seen->warning_count == 0);
    xp_inspection_destroy(seen);
    xp_model_destroy(model);

    model = choices_model("experior_maxent", few, ARMS);
    seen = inspected(model, &options);
    EXPECT(warned(seen, "few_rows") != NULL && warned(seen, "never_chosen") != NULL);
    xp_inspection_destroy(seen);
    xp_model_destroy(model);

    model = choices_model("experior_maxent", even, ARMS);
    seen = inspected(model, &options);
    EXPECT(warned(seen, "no_preference") != NULL && warned(seen, "few_rows") == NULL);
    EXPECT(warned(seen, "saves_nothing") != NULL);
    xp_inspection_destroy(seen);
    xp_model_destroy(model);

    model = choices_model("experior_maxent", unchosen, 8);
    seen = inspected(model, &options);
    EXPECT(warned(seen, "never_chosen") != NULL);
    EXPECT_TEXT(warned(seen, "never_chosen")->sentence,
                "6 of 8 arms were never chosen: 2, 3, 4, 5, 6 and 1 more.");
    EXPECT(warned(seen, "few_rows") == NULL);
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
}

CLAIM(competences_are_compared_unless_that_is_not_wanted) {
    xp_model *model = choices_model("experior_maxent", counts, ARMS);
    xp_inspect_options options = quick();
    options.tasks = 1;
    xp_inspection *seen = inspected(model, &options);
    EXPECT(seen->sensitivity != NULL && seen->sensitivity->arms == ARMS);
    EXPECT(seen->sensitivity_distance > 0 && seen->sensitivity_distance < 1);
    EXPECT((warned(seen, "depends_on_competence") != NULL) == (seen->sensitivity_distance > 0.1));
    xp_inspection_destroy(seen);
    options.sensitivity_arms = ARMS - 1;
    seen = inspected(model, &options);
    EXPECT(seen->sensitivity == NULL && isnan(seen->sensitivity_distance));
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
}

CLAIM(low_rates_have_an_axis_of_their_own_and_regret_at_their_scale) {
    xp_model *model = choices_model("experior_maxent:reference=beta,mean=0.01", counts, ARMS);
    xp_inspect_options options = quick();
    xp_inspection *seen = inspected(model, &options);
    EXPECT(seen->curve_high <= 0.1 && seen->quantiles[4] < seen->curve_high);
    EXPECT_TEXT(seen->scale, "1 % of the time");
    /* 60 decisions cannot lose more than 60 times the gap between rates of a few percent. */
    EXPECT(seen->regret < 60 * 0.03 && seen->uniform_regret < 60 * 0.03);
    xp_inspection_destroy(seen);
    xp_model_destroy(model);
}

CLAIM(a_stated_scale_is_that_of_the_tasks_not_of_the_prior) {
    xp_model *model = choices_model("experior_maxent:reference=learned", counts, ARMS);
    xp_inspect_options options = quick();
    xp_inspection *own = inspected(model, &options);
    options.mean = 0.01;
    xp_inspection *stated = inspected(model, &options);
    EXPECT(stated->regret < own->regret / 4 && stated->uniform_regret < own->uniform_regret / 4);
    EXPECT(memcmp(own->mean, stated->mean, ARMS * sizeof(double)) == 0);
    EXPECT_TEXT(stated->scale, "as was stated");
    EXPECT_TEXT(own->scale, "learned from rewards");
    xp_inspection_destroy(stated);
    xp_inspection_destroy(own);
    xp_model_destroy(model);
    xp_inspection *seen;
    xp_error error;
    model = choices_model("experior_param", counts, ARMS);
    EXPECT(xp_inspect(model, &options, &seen, &error) == XP_ERR_INPUT && seen == NULL);
    EXPECT_TEXT(error.message, "a scale can be stated for a max_entropy prior");
    options.mean = 1;
    EXPECT(xp_inspect(model, &options, &seen, &error) == XP_ERR_INPUT && seen == NULL);
    xp_model_destroy(model);
}

/* A model fitted to a table of 400 rows, by two experts with habits or one by one, and in which the
 * choice may change half-way. */
static xp_model *fitted_to_table(bool habits, bool change) {
    static char text[400 * 16];
    size_t used = (size_t)snprintf(text, sizeof text, "action,expert\n");
    xp_rng rng = xp_rng_seed(8);
    for (int i = 0; i < 400; i++) {
        const int expert = xp_rng_uniform(&rng) < 0.5;
        const double p = habits ? (expert ? 0.9 : 0.3) : change ? (i < 200 ? 0.9 : 0.3) : 0.6;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s,e%d\n",
                                 xp_rng_uniform(&rng) < p ? "left" : "right", expert);
    }
    xp_choices_options reading = xp_choices_options_default();
    reading.expert = "expert";
    xp_choices *choices = NULL;
    xp_demos *demos = NULL;
    xp_model *model = NULL;
    EXPECT(xp_choices_parse(text, used, "t", &reading, &choices, NULL, NULL) == XP_OK);
    EXPECT(xp_choices_demos(choices, XP_ALL_SEGMENTS, &demos, NULL) == XP_OK);
    xp_model_options options = xp_model_options_default();
    options.source = choices;
    EXPECT(xp_model_fit(NULL, NULL, demos, &options, &model, NULL) == XP_OK);
    xp_demos_destroy(demos);
    xp_choices_destroy(choices);
    return model;
}

CLAIM(experts_who_disagree_and_choices_that_drift_are_warned_of_also_from_a_file) {
    xp_inspect_options options = quick();
    options.tasks = 10;
    options.sensitivity_draws = 0;
    const struct { bool habits, change; } tables[] = {{false, false}, {true, false}, {false, true}};
    for (size_t i = 0; i < 3; i++) {
        xp_model *fitted = fitted_to_table(tables[i].habits, tables[i].change), *model = NULL;
        void *bytes = NULL;
        size_t count = 0;
        EXPECT(xp_model_to_bytes(fitted, &bytes, &count, NULL) == XP_OK);
        EXPECT(xp_model_parse(bytes, count, "m", &model, NULL) == XP_OK);
        xp_release(bytes);
        const xp_model_evidence was = xp_model_recall(fitted), is = xp_model_recall(model);
        EXPECT(is.rows == 400 && is.choices == 400 && is.agreement.experts == 2);
        EXPECT(is.agreement.p_value == was.agreement.p_value && is.drift.arm == was.drift.arm);
        EXPECT(is.drift.position == was.drift.position);
        xp_inspection *seen = inspected(model, &options);
        EXPECT((warned(seen, "experts_disagree") != NULL) == tables[i].habits);
        EXPECT((warned(seen, "drift") != NULL) == tables[i].change);
        if (tables[i].change) {
            EXPECT_TEXT(warned(seen, "drift")->sentence, "come");
        }
        xp_inspection_destroy(seen);
        xp_model_destroy(model);
        xp_model_destroy(fitted);
    }
    EXPECT(xp_model_recall(NULL).rows == 0 && isnan(xp_model_recall(NULL).drift.p_value));
}
