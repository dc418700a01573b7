/* Bad arguments (arguments.h) of what is learned and what acts: prior.h, sampler.h, model.h,
 * session.h, inspect.h, sensitivity.h, calibrate.h; and of options made for another version. */
#include "house/arguments.h"

CLAIM(nothing_can_be_destroyed) {
    xp_env_destroy(NULL);
    xp_task_destroy(NULL);
    xp_expert_destroy(NULL);
    xp_demos_destroy(NULL);
    xp_history_destroy(NULL);
    xp_prior_destroy(NULL);
    xp_sampler_destroy(NULL);
    xp_model_destroy(NULL);
    xp_session_destroy(NULL);
    xp_calibrate_result_destroy(NULL);
    xp_inspection_destroy(NULL);
    xp_sensitivity_destroy(NULL);
    xp_study_result_destroy(NULL);
    xp_release(NULL);
}

CLAIM(priors_need_demonstrations_and_answer_for_points) {
    scene all = open_scene();
    xp_prior *prior;
    const double good[] = {1, 1}, bad[] = {-1, NAN}, nowhere[] = {NAN, 0.5, 2};
    double theta[] = {0.2, 0.3, 0.4}, gradient[3] = {7, 7, 7};
    EXPECT_REFUSED(xp_prior_fit(NULL, all.demos, NULL, &prior, NULL, error), "spec is NULL");
    EXPECT_REFUSED(xp_prior_fit("beta", NULL, NULL, &prior, NULL, error), "demos is NULL");
    EXPECT_REFUSED(xp_prior_fit("beta", all.demos, NULL, NULL, NULL, error), "prior is NULL");
    EXPECT_REFUSED(xp_prior_create_beta(2, NULL, good, &prior, error), "a is NULL");
    EXPECT_REFUSED(xp_prior_create_beta(2, good, NULL, &prior, error), "b is NULL");
    EXPECT_REFUSED(xp_prior_create_beta(2, good, bad, &prior, error), "positive");
    EXPECT_REFUSED(xp_prior_create_beta(2, good, good, NULL, error), "prior is NULL");
    EXPECT_REFUSED(xp_prior_create_uniform(2, NULL, error), "prior is NULL");
    EXPECT_REFUSED(xp_prior_create_uniform(SIZE_MAX, &prior, error), "at most");
    EXPECT(xp_prior_method(NULL) == NULL && xp_prior_arms(NULL) == 0);
    EXPECT(xp_prior_action_name(NULL, 0) == NULL && xp_prior_action_name(all.prior, 3) == NULL);
    EXPECT(xp_prior_action_counts(NULL) == NULL && isnan(xp_prior_fit_result(NULL).lambda));
    EXPECT(isnan(xp_prior_log_density(NULL, theta)) &&
           isnan(xp_prior_log_density(all.prior, NULL)));
    EXPECT(xp_prior_log_density(all.prior, nowhere) == -INFINITY);
    xp_prior_gradient(NULL, theta, gradient);
    xp_prior_gradient(all.prior, NULL, gradient);
    xp_prior_gradient(all.prior, theta, NULL);
    EXPECT(gradient[0] == 7 && isnan(xp_prior_log_density_bound(NULL)));
    close_scene(&all);
}

CLAIM(samplers_take_arms_that_exist) {
    scene all = open_scene();
    xp_sampler *sampler;
    double theta[3], law[3] = {7, 7, 7};
    EXPECT_REFUSED(xp_sampler_create("mcmc", NULL, &sampler, error), "prior is NULL");
    EXPECT_REFUSED(xp_sampler_create("mcmc", all.prior, NULL, error), "sampler is NULL");
    EXPECT(!xp_sampler_supports(NULL, all.prior) && !xp_sampler_supports("mcmc", NULL));
    EXPECT(xp_sampler_default(NULL) == NULL);
    EXPECT(xp_sampler_kind_name((xp_sampler_kind)-1) == NULL);
    EXPECT(xp_sampler_kind_name((xp_sampler_kind)99) == NULL);
    EXPECT(xp_sampler_kind_name((xp_sampler_kind)1000) == NULL);
    xp_sampler_reset(NULL, &all.rng);
    xp_sampler_reset(all.sampler, NULL);
    EXPECT(xp_sampler_observe(NULL, &all.rng, 0, true) == XP_ERR_INPUT);
    EXPECT_REFUSED(xp_sampler_observe_reward(NULL, &all.rng, 0, 1, error), "sampler is NULL");
    EXPECT_REFUSED(xp_sampler_observe_reward(all.sampler, NULL, 0, 1, error), "rng is NULL");
    EXPECT_REFUSED(xp_sampler_observe_reward(all.sampler, &all.rng, 3, 1, error), "arm 3");
    EXPECT_REFUSED(xp_sampler_observe_reward(all.sampler, &all.rng, 0, NAN, error), "nan");
    EXPECT(xp_sampler_observe(all.sampler, NULL, 0, true) == XP_ERR_INPUT);
    EXPECT(xp_sampler_observe(all.sampler, &all.rng, 3, true) == XP_ERR_INPUT);
    EXPECT(xp_sampler_observe(all.sampler, &all.rng, SIZE_MAX, true) == XP_ERR_INPUT);
    EXPECT(!xp_sampler_draw(NULL, &all.rng, theta) && !xp_sampler_draw(all.sampler, NULL, theta));
    EXPECT(!xp_sampler_draw(all.sampler, &all.rng, NULL));
    EXPECT(xp_sampler_act(NULL, &all.rng) == SIZE_MAX);
    EXPECT(xp_sampler_act(all.sampler, NULL) == SIZE_MAX);
    xp_sampler_action_law(NULL, &all.rng, 10, law, NULL);
    xp_sampler_action_law(all.sampler, &all.rng, 10, NULL, NULL);
    EXPECT(law[0] == 7);
    xp_sampler_action_law(all.sampler, NULL, 10, law, NULL); /* a chain needs random numbers */
    EXPECT(isnan(law[0]) && isnan(law[2]));
    close_scene(&all);
}

CLAIM(models_need_something_to_learn_from) {
    scene all = open_scene();
    xp_model *model;
    void *data;
    size_t bytes, action;
    uint64_t counts[3] = {9, 9, 9};
    xp_model_options options = xp_model_options_default();
    EXPECT_REFUSED(xp_model_fit(NULL, NULL, NULL, NULL, &model, error), "demonstrations");
    EXPECT_REFUSED(xp_model_fit(NULL, NULL, all.demos, NULL, NULL, error), "model is NULL");
    EXPECT_REFUSED(xp_model_fit("moon", NULL, all.demos, NULL, &model, error), "moon");
    const xp_space nowhere = {.actions = 0};
    EXPECT_REFUSED(xp_model_fit("naive_ucb", &nowhere, NULL, NULL, &model, error), "space");
    options.size++;
    EXPECT_REFUSED(xp_model_fit(NULL, NULL, all.demos, &options, &model, error),
                   "xp_model_options.size");
    xp_model_options_init(NULL, sizeof options);
    EXPECT_REFUSED(xp_model_fit_env("oracle_ts", NULL, NULL, NULL, &model, error), "env is NULL");
    EXPECT_REFUSED(xp_model_fit_env("oracle_ts", all.env, NULL, NULL, NULL, error), "model");
    EXPECT_REFUSED(xp_model_save(NULL, "x", error), "model is NULL");
    EXPECT_REFUSED(xp_model_save(all.model, NULL, error), "path is NULL");
    EXPECT_REFUSED(xp_model_load(NULL, &model, error), "path");
    EXPECT_REFUSED(xp_model_load("x", NULL, error), "model is NULL");
    EXPECT_REFUSED(xp_model_to_bytes(NULL, &data, &bytes, error), "model is NULL");
    EXPECT_REFUSED(xp_model_to_bytes(all.model, NULL, &bytes, error), "data is NULL");
    EXPECT_REFUSED(xp_model_to_bytes(all.model, &data, NULL, error), "bytes is NULL");
    EXPECT_REFUSED(xp_model_parse(NULL, 1, "x", &model, error), "data is NULL");
    EXPECT_REFUSED(xp_model_parse("{}", 2, NULL, &model, error), "name is NULL");
    EXPECT_REFUSED(xp_model_parse("{}", 2, "x", NULL, error), "model is NULL");
    EXPECT_REFUSED(xp_model_parse("", 0, "x", &model, error), "x");
    EXPECT(xp_model_describe(NULL).agent == NULL && xp_model_prior(NULL) == NULL);
    EXPECT(isnan(xp_model_diagnose(NULL).lambda) && xp_model_warning(NULL) == NULL);
    EXPECT(xp_model_action_name(NULL, 0) == NULL && xp_model_action_name(all.model, 3) == NULL);
    EXPECT_REFUSED(xp_model_action_find(NULL, "a", &action, error), "model is NULL");
    EXPECT_REFUSED(xp_model_action_find(all.model, NULL, &action, error), "text is NULL");
    EXPECT_REFUSED(xp_model_action_find(all.model, "a", NULL, error), "action is NULL");
    xp_model_action_counts(NULL, counts);
    xp_model_action_counts(all.model, NULL);
    EXPECT(counts[0] == 9);
    close_scene(&all);
}

CLAIM(segments_are_those_that_the_table_has) {
    scene all = open_scene();
    static const uint64_t counts[] = {1, 2};
    xp_model *model;
    xp_choices *whole;
    xp_session *session;
    size_t segment;
    xp_error made;
    EXPECT(xp_choices_create(1, NULL, 2, NULL, counts, &whole, &made) == XP_OK);
    EXPECT_REFUSED(xp_model_fit_segments(NULL, NULL, NULL, &model, error), "choices is NULL");
    EXPECT_REFUSED(xp_model_fit_segments(NULL, whole, NULL, NULL, error), "model is NULL");
    EXPECT_REFUSED(xp_model_fit_segments(NULL, whole, NULL, &model, error), "segments");
    xp_choices_destroy(whole);
    EXPECT(xp_model_segments(NULL) == 0 && xp_model_segments(all.model) == 0);
    EXPECT(xp_model_pooling(NULL).segments == 0 && xp_model_segment(NULL, 0).name == NULL);
    EXPECT(xp_model_segment_name(NULL, 0) == NULL && xp_model_segment_name(all.model, 0) == NULL);
    EXPECT_REFUSED(xp_model_segment_find(NULL, "a", &segment, error), "model is NULL");
    EXPECT_REFUSED(xp_model_segment_find(all.model, NULL, &segment, error), "name is NULL");
    EXPECT_REFUSED(xp_model_segment_find(all.model, "a", NULL, error), "segment is NULL");
    EXPECT_REFUSED(xp_model_segment_find(all.model, "a", &segment, error), "no segments");
    EXPECT_REFUSED(xp_model_segment_create(all.model, "a", NULL, error), "NULL");
    EXPECT_REFUSED(xp_model_segment_create(NULL, "a", &model, error), "model is NULL");
    EXPECT_REFUSED(xp_model_segment_create(all.model, NULL, &model, error), "name is NULL");
    xp_session_options options = xp_session_options_default();
    options.segment = "a";
    EXPECT_REFUSED(xp_session_create(all.model, &options, &session, error), "no segments");
    close_scene(&all);
}

CLAIM(sessions_take_actions_rewards_and_states_that_exist) {
    scene all = open_scene();
    xp_session *session;
    void *data;
    size_t bytes, action;
    double law[3];
    xp_session_options options = xp_session_options_default();
    EXPECT_REFUSED(xp_session_create(all.model, NULL, NULL, error), "session is NULL");
    EXPECT_REFUSED(xp_session_create(NULL, NULL, &session, error), "agent");
    options.size = 3;
    EXPECT_REFUSED(xp_session_create(all.model, &options, &session, error),
                   "xp_session_options.size = 3");
    xp_session_options_init(NULL, sizeof options);
    EXPECT_REFUSED(xp_session_reset(NULL, 1, error), "session is NULL");
    EXPECT_REFUSED(xp_session_begin(NULL, NULL, error), "session is NULL");
    EXPECT_REFUSED(xp_session_act(NULL, NULL, &action, error), "session is NULL");
    EXPECT_REFUSED(xp_session_act(all.session, NULL, NULL, error), "action is NULL");
    EXPECT_REFUSED(xp_session_law(NULL, NULL, 10, law, NULL, error), "session is NULL");
    EXPECT_REFUSED(xp_session_law(all.session, NULL, 10, NULL, NULL, error), "probability");
    EXPECT_REFUSED(xp_session_advise(NULL, NULL, &action, error), "session");
    EXPECT_REFUSED(xp_session_advise(all.session, NULL, NULL, error), "action is NULL");
    EXPECT_REFUSED(xp_session_act_batch(NULL, 1, &action, error), "session is NULL");
    EXPECT_REFUSED(xp_session_act_batch(all.session, 1, NULL, error), "actions is NULL");
    EXPECT_REFUSED(xp_session_observe_batch(NULL, &(size_t){0}, law, 1, error), "session is NULL");
    EXPECT_REFUSED(xp_session_observe_batch(all.session, NULL, law, 1, error), "is NULL");
    EXPECT_REFUSED(xp_session_observe_batch(all.session, &(size_t){0}, NULL, 1, error), "is NULL");
    EXPECT_REFUSED(xp_session_observe_batch(all.session, &(size_t){3}, law, 1, error), "action 3");
    EXPECT_REFUSED(xp_session_law(all.session, NULL, SIZE_MAX, law, NULL, error), "is outside");
    xp_rng rng = xp_rng_seed(1);
    EXPECT_REFUSED(xp_session_draw_means(NULL, &rng, law, error), "session");
    EXPECT_REFUSED(xp_session_draw_means(all.session, NULL, law, error), "rng");
    EXPECT_REFUSED(xp_session_draw_means(all.session, &rng, NULL, error), "means");
    const xp_transition bad[] = {{.action = 3, .reward = 1, .end = XP_TERMINATED},
                                 {.action = 0, .reward = NAN, .end = XP_TERMINATED},
                                 {.action = 0, .reward = 0.45, .end = XP_TERMINATED},
                                 {.action = 0, .reward = 1, .end = (xp_end)9}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        EXPECT_REFUSED(xp_session_observe(all.session, &bad[i], error), "");
    }
    EXPECT_REFUSED(xp_session_observe(all.session, NULL, error), "transition");
    EXPECT_REFUSED(xp_session_observe(NULL, &bad[0], error), "session is NULL");
    EXPECT_REFUSED(xp_session_observe_squares(NULL, 0, 1, 1, 1, error), "session is NULL");
    EXPECT_REFUSED(xp_session_observe_squares(all.session, 3, 1, 1, 1, error), "action 3");
    EXPECT_REFUSED(xp_session_observe_squares(all.session, 0, 1, 1, INFINITY, error), "squares");
    EXPECT_REFUSED(xp_session_observe_squares(all.session, 0, 1, 1, -1, error), "squares");
    EXPECT_REFUSED(xp_session_observe_rewards(NULL, 0, 1, 1, error), "session is NULL");
    EXPECT_REFUSED(xp_session_observe_rewards(all.session, 3, 1, 1, error), "action 3");
    EXPECT_REFUSED(xp_session_observe_rewards(all.session, 0, 1, NAN, error), "nan");
    EXPECT_REFUSED(xp_session_observe_rewards(all.session, 0, 1, 2, error),
                   "the reward 2 is not 0 or 1");
    EXPECT_REFUSED(xp_session_save(NULL, "x", error), "session");
    EXPECT_REFUSED(xp_session_save(all.session, NULL, error), "path is NULL");
    EXPECT_REFUSED(xp_session_load(NULL, all.model, &session, error), "path");
    EXPECT_REFUSED(xp_session_load("x", all.model, NULL, error), "session is NULL");
    EXPECT_REFUSED(xp_session_to_bytes(NULL, &data, &bytes, error), "session");
    EXPECT_REFUSED(xp_session_to_bytes(all.session, NULL, &bytes, error), "data");
    EXPECT_REFUSED(xp_session_parse(NULL, 1, "x", all.model, &session, error), "data");
    EXPECT_REFUSED(xp_session_parse("", 0, "x", all.model, &session, error), "too few");
    EXPECT_REFUSED(xp_session_parse("", 0, NULL, all.model, &session, error), "name");
    EXPECT(xp_session_describe(NULL).agent == NULL && xp_session_policies(NULL, law) == 0);
    EXPECT(xp_session_describe(all.session).observations == 0); /* nothing refused was counted */
    close_scene(&all);
}

CLAIM(inspection_checks_its_options) {
    scene all = open_scene();
    xp_inspection *inspection;
    xp_inspect_options options = xp_inspect_options_default();
    EXPECT_REFUSED(xp_inspect(NULL, &options, &inspection, error), "model is NULL");
    EXPECT_REFUSED(xp_inspect(all.model, &options, NULL, error), "inspection is NULL");
    options.sampler = "moon";
    EXPECT_REFUSED(xp_inspect(all.model, &options, &inspection, error), "moon");
    options.sampler = "conjugate";
    EXPECT_REFUSED(xp_inspect(all.model, &options, &inspection, error), "cannot draw");
    size_t *const numbers[] = {&options.draws, &options.tasks, &options.episodes};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        options = xp_inspect_options_default();
        *numbers[i] = 0;
        EXPECT_REFUSED(xp_inspect(all.model, &options, &inspection, error), "= 0 is outside [1, ");
        *numbers[i] = SIZE_MAX; /* endless, and more marks of regret than there is room for */
        EXPECT_REFUSED(xp_inspect(all.model, &options, &inspection, error), " is outside [1, ");
    }
    EXPECT(inspection == NULL);
    options.size = 1;
    EXPECT_REFUSED(xp_inspect(all.model, &options, &inspection, error), "size = 1");
    EXPECT(xp_model_recall(NULL).rows == 0);
    options = xp_inspect_options_default();
    options.mean = 2;
    EXPECT_REFUSED(xp_inspect(all.model, &options, &inspection, error), "a mean is below 1");
    xp_inspect_options_init(NULL, sizeof options);
    close_scene(&all);
}

CLAIM(sensitivity_checks_its_options_and_its_history) {
    scene all = open_scene();
    xp_sensitivity *found;
    xp_sensitivity_options options = xp_sensitivity_options_default();
    EXPECT_REFUSED(xp_sensitivity_fit(NULL, NULL, &options, &found, error), "demos is NULL");
    EXPECT_REFUSED(xp_sensitivity_fit(all.demos, NULL, &options, NULL, error),
                   "sensitivity is NULL");
    options.draws = 0;
    EXPECT_REFUSED(xp_sensitivity_fit(all.demos, NULL, &options, &found, error), "draws = 0");
    options.draws = SIZE_MAX;
    EXPECT_REFUSED(xp_sensitivity_fit(all.demos, NULL, &options, &found, error), "is outside");
    options = xp_sensitivity_options_default();
    options.betas = (const double[]){1, NAN};
    EXPECT_REFUSED(xp_sensitivity_fit(all.demos, NULL, &options, &found, error), "beta_count = 0");
    options.beta_count = 2;
    EXPECT_REFUSED(xp_sensitivity_fit(all.demos, NULL, &options, &found, error),
                   "betas[1] = nan is not positive");
    options.size = 1;
    EXPECT_REFUSED(xp_sensitivity_fit(all.demos, NULL, &options, &found, error), "size = 1");
    xp_sensitivity_options_init(NULL, sizeof options);
    static const char *const histories[] = {"action,reward\n3,1\n", "action,reward\n0,0.5\n"};
    static const char *const sentences[] = {"action 3, which is not one of 0 to 2",
                                            "reward = 0.5 is not 0 or 1"};
    for (size_t i = 0; i < 2; i++) {
        xp_history *history;
        EXPECT(xp_history_parse(histories[i], strlen(histories[i]), "told", 4, NULL, &history,
                                NULL) == XP_OK);
        EXPECT_REFUSED(xp_sensitivity_fit(all.demos, history, NULL, &found, error), sentences[i]);
        EXPECT(found == NULL);
        xp_history_destroy(history);
    }
    xp_demos *none;
    EXPECT(xp_demos_create(0, 3, &none, NULL) == XP_OK);
    EXPECT_REFUSED(xp_sensitivity_fit(none, NULL, NULL, &found, error), "no demonstrations");
    xp_demos_destroy(none);
    EXPECT(xp_demos_create(1, 3, &none, NULL) == XP_OK);
    EXPECT_REFUSED(xp_sensitivity_fit(none, NULL, NULL, &found, error), "have states");
    xp_demos_destroy(none);
    close_scene(&all);
}

CLAIM(calibration_checks_its_options) {
    scene all = open_scene();
    xp_calibrate_result *result;
    xp_bias bias;
    const size_t counts[] = {1, 1, 1};
    xp_calibrate_options options = xp_calibrate_options_default();
    EXPECT_REFUSED(xp_calibrate(NULL, &options, &result, error), "prior is NULL");
    EXPECT_REFUSED(xp_calibrate(all.prior, &options, NULL, error), "result is NULL");
    options.sampler = "moon";
    EXPECT_REFUSED(xp_calibrate(all.prior, &options, &result, error), "moon");
    options.size--;
    EXPECT(xp_calibrate_options_default().size == sizeof options);
    options.size = 1;
    EXPECT_REFUSED(xp_calibrate(all.prior, &options, &result, error), "size = 1");
    xp_calibrate_options_init(NULL, sizeof options);
    EXPECT_REFUSED(xp_calibrate_bias(NULL, NULL, counts, counts, 9, 1, &bias, error), "prior");
    EXPECT_REFUSED(xp_calibrate_bias(all.prior, NULL, NULL, counts, 9, 1, &bias, error),
                   "successes is NULL");
    EXPECT_REFUSED(xp_calibrate_bias(all.prior, NULL, counts, NULL, 9, 1, &bias, error),
                   "failures is NULL");
    EXPECT_REFUSED(xp_calibrate_bias(all.prior, NULL, counts, counts, 9, 1, NULL, error),
                   "bias is NULL");
    EXPECT_REFUSED(xp_calibrate_bias(all.prior, NULL, counts, counts, 0, 1, &bias, error), "draw");
    const size_t endless[] = {1, 1, SIZE_MAX};
    EXPECT_REFUSED(xp_calibrate_bias(all.prior, NULL, endless, counts, 9, 1, &bias, error),
                   "successes = ");
    EXPECT_REFUSED(xp_calibrate_bias(all.prior, NULL, counts, counts, SIZE_MAX, 1, &bias, error),
                   "draws = ");
    size_t *const numbers[] = {&options.simulations, &options.draws, &options.history,
                               &options.thinning};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        options = xp_calibrate_options_default();
        *numbers[i] = SIZE_MAX;
        EXPECT_REFUSED(xp_calibrate(all.prior, &options, &result, error), " is outside [");
    }
    close_scene(&all);
}

/* Programs that were built with the headers of another version: what an older header did not have
 * has its default; what a newer one has is not known here, and refused. */
CLAIM(options_of_another_size_are_understood_or_refused) {
    scene all = open_scene();
    struct {
        xp_session_options known;
        uint64_t unknown;
    } newer;
    xp_session_options_init(&newer.known, sizeof newer);
    EXPECT(newer.known.size == sizeof newer && newer.unknown == 0 && newer.known.episodes == 1500);
    xp_session *session;
    EXPECT_REFUSED(xp_session_create(all.model, &newer.known, &session, error),
                   "is not from this library's headers");
    xp_session_options older;
    memset(&older, 0xff, sizeof older); /* what lies behind an older struct is not looked at */
    xp_session_options_init(&older, offsetof(xp_session_options, episodes));
    EXPECT(older.size == offsetof(xp_session_options, episodes) && older.episodes == SIZE_MAX);
    EXPECT(xp_session_create(all.model, &older, &session, NULL) == XP_OK);
    EXPECT(xp_session_describe(session).episodes == 1500);
    xp_session_destroy(session);
    close_scene(&all);
}
