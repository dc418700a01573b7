/* Arguments that nobody should pass: NULL, indices out of range, numbers that are not. Every public
 * function answers them as base.h says, in every build, and never with a crash; test_symbols.sh
 * sees to it that none is left out. */
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

static scene open_scene(void) {
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

static void close_scene(scene *all) {
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

CLAIM(statuses_and_errors_take_anything) {
    EXPECT_TEXT(xp_status_summary((xp_status)-1), "unknown");
    EXPECT_TEXT(xp_status_summary((xp_status)1000), "unknown");
    EXPECT(xp_error_set(NULL, XP_ERR_FILE, "%d", 1) == XP_ERR_FILE);
    EXPECT(strlen(xp_version()) >= 5);
}

CLAIM(random_numbers_need_a_generator_and_laws_that_exist) {
    static const double bad[] = {NAN, 0, -1, INFINITY, -INFINITY};
    xp_rng rng = xp_rng_seed(1);
    const xp_rng before = rng;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const double weight[] = {1, bad[i] == 0 ? NAN : bad[i], 1};
        EXPECT(isnan(xp_rng_gamma(&rng, bad[i])));
        EXPECT(isnan(xp_rng_beta(&rng, bad[i], 1)) && isnan(xp_rng_beta(&rng, 2, bad[i])));
        EXPECT(xp_rng_categorical(&rng, weight, 3) == 3);
    }
    EXPECT(xp_rng_categorical(&rng, (const double[]){0, 0}, 2) == 2);
    EXPECT(xp_rng_categorical(&rng, NULL, 2) == 2 && xp_rng_categorical(&rng, NULL, 0) == 0);
    EXPECT(xp_rng_below(&rng, 0) == 0);
    EXPECT(memcmp(&rng, &before, sizeof rng) == 0); /* nothing was drawn */
    EXPECT(!xp_rng_bernoulli(&rng, NAN) && !xp_rng_bernoulli(NULL, 1));
    EXPECT(xp_rng_bits(NULL) == 0 && xp_rng_below(NULL, 3) == 0);
    EXPECT(isnan(xp_rng_uniform(NULL)) && isnan(xp_rng_normal(NULL)));
    EXPECT(isnan(xp_rng_exponential(NULL)) && isnan(xp_rng_gumbel(NULL)));
    EXPECT(isnan(xp_rng_gamma(NULL, 1)) && isnan(xp_rng_beta(NULL, 1, 1)));
    EXPECT(xp_rng_categorical(NULL, (const double[]){1}, 1) == 1);
    const xp_rng forked = xp_rng_fork(NULL, 7), seeded = xp_rng_seed(7);
    EXPECT(memcmp(&forked, &seeded, sizeof forked) == 0);
}

CLAIM(the_catalogue_ends_where_it_ends) {
    EXPECT(xp_catalogue_count((xp_kind)-1) == 0 && xp_catalogue_count(XP_KINDS) == 0);
    for (int kind = 0; kind < XP_KINDS; kind++) {
        EXPECT(xp_catalogue_count((xp_kind)kind) > 0);
        EXPECT(xp_catalogue_get((xp_kind)kind, 0).name != NULL);
        EXPECT(xp_catalogue_get((xp_kind)kind, xp_catalogue_count((xp_kind)kind)).name == NULL);
        EXPECT(xp_catalogue_get((xp_kind)kind, SIZE_MAX).params == NULL);
        EXPECT_REFUSED(xp_catalogue_check((xp_kind)kind, NULL, error), "spec is NULL");
        EXPECT_REFUSED(xp_catalogue_check((xp_kind)kind, "moon", error), "moon");
        EXPECT_REFUSED(xp_catalogue_check((xp_kind)kind, "", error), "");
    }
    EXPECT_REFUSED(xp_catalogue_check(XP_KINDS, "deep_sea", error), "there is no kind");
    EXPECT_REFUSED(xp_catalogue_check(XP_ENVIRONMENTS, "deep_sea:size=1", error), "is outside");
    EXPECT_REFUSED(xp_catalogue_check(XP_SAMPLERS, "mcmc:thinning", error), "is not key=value");
    EXPECT(xp_catalogue_check(XP_ENVIRONMENTS, "deep_sea:size=9,goal=any", NULL) == XP_OK);
    EXPECT(xp_catalogue_check(XP_AGENTS, "experior_maxent:beta=2,sampler=mcmc", NULL) == XP_OK);
    EXPECT(xp_catalogue_check(XP_AGENTS, "boot_dqn:members=3", NULL) == XP_OK);
}

CLAIM(environments_and_tasks_need_what_they_are_made_of) {
    scene all = open_scene();
    xp_env *env = all.env;
    xp_task *task;
    EXPECT_REFUSED(xp_env_create(NULL, &all.rng, &env, error), "spec is NULL");
    EXPECT(env == NULL);
    EXPECT_REFUSED(xp_env_create("deep_sea", NULL, &env, error), "rng is NULL");
    EXPECT_REFUSED(xp_env_create("deep_sea", &all.rng, NULL, error), "env is NULL");
    const double good[] = {1, 1}, bad[] = {1, NAN};
    EXPECT_REFUSED(xp_env_create_bernoulli_bandit(2, NULL, good, &env, error), "a is NULL");
    EXPECT_REFUSED(xp_env_create_bernoulli_bandit(2, good, NULL, &env, error), "b is NULL");
    EXPECT_REFUSED(xp_env_create_bernoulli_bandit(2, good, bad, &env, error), "positive");
    EXPECT_REFUSED(xp_env_create_bernoulli_bandit(0, good, good, &env, error), "outside");
    EXPECT_REFUSED(xp_env_create_bernoulli_bandit(2, good, good, NULL, error), "env is NULL");
    EXPECT(xp_env_describe(NULL).actions == 0);
    EXPECT_REFUSED(xp_task_create(NULL, &task, error), "env is NULL");
    EXPECT_REFUSED(xp_task_create(all.env, NULL, error), "task is NULL");
    double state[8] = {0};
    xp_task_draw(NULL, &all.rng);
    xp_task_draw(all.task, NULL);
    xp_task_reset(NULL, &all.rng, state);
    xp_task_reset(all.task, NULL, state);
    xp_task_reset(all.lake_task, &all.rng, NULL);
    const xp_step steps[] = {xp_task_step(NULL, &all.rng, 0, state),
                             xp_task_step(all.task, NULL, 0, state),
                             xp_task_step(all.task, &all.rng, 3, state),
                             xp_task_step(all.task, &all.rng, SIZE_MAX, state),
                             xp_task_step(all.lake_task, &all.rng, 0, NULL)};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        EXPECT(isnan(steps[i].reward) && isnan(steps[i].regret));
        EXPECT(steps[i].end == XP_TERMINATED);
    }
    EXPECT(xp_task_custom(NULL) == NULL && xp_task_custom(all.task) == NULL);
    close_scene(&all);
}

CLAIM(environments_and_experts_of_the_caller_are_checked) {
    xp_env_custom custom = xp_env_custom_default();
    xp_env *env;
    xp_expert *expert;
    EXPECT_REFUSED(xp_env_create_custom(NULL, &env, error), "custom is NULL");
    EXPECT_REFUSED(xp_env_create_custom(&custom, NULL, error), "env is NULL");
    EXPECT_REFUSED(xp_env_create_custom(&custom, &env, error), "an environment needs");
    custom.size = 0;
    EXPECT_REFUSED(xp_env_create_custom(&custom, &env, error), "xp_env_custom.size = 0");
    custom.size = sizeof custom + 8;
    EXPECT_REFUSED(xp_env_create_custom(&custom, &env, error), "xp_env_custom_default()");
    xp_env_custom_init(NULL, sizeof custom);
    EXPECT_REFUSED(xp_expert_create_custom("mine", NULL, NULL, &expert, error), "function");
    EXPECT_REFUSED(xp_expert_create_custom(NULL, NULL, NULL, &expert, error), "name");
    EXPECT_REFUSED(xp_expert_create_custom("mine", NULL, NULL, NULL, error), "expert is NULL");
}

CLAIM(experts_need_a_task_and_a_generator) {
    scene all = open_scene();
    xp_expert *expert;
    size_t action;
    EXPECT_REFUSED(xp_expert_create(NULL, &expert, error), "spec is NULL");
    EXPECT_REFUSED(xp_expert_create("optimal", NULL, error), "expert is NULL");
    xp_task_draw(all.task, &all.rng);
    EXPECT_REFUSED(xp_expert_act(NULL, &all.rng, all.task, NULL, &action, error), "expert");
    EXPECT_REFUSED(xp_expert_act(all.expert, NULL, all.task, NULL, &action, error), "rng");
    EXPECT_REFUSED(xp_expert_act(all.expert, &all.rng, NULL, NULL, &action, error), "task");
    EXPECT_REFUSED(xp_expert_act(all.expert, &all.rng, all.task, NULL, NULL, error), "action");
    EXPECT_REFUSED(xp_expert_act(all.expert, &all.rng, all.lake_task, NULL, &action, error),
                   "state is NULL");
    close_scene(&all);
}

CLAIM(demonstrations_are_made_of_something) {
    scene all = open_scene();
    xp_demos *demos;
    const uint32_t actions[] = {0, 1};
    const double states[] = {0, NAN};
    EXPECT_REFUSED(xp_demos_create(0, 2, NULL, error), "demos is NULL");
    EXPECT(xp_demos_create(1, 2, &demos, NULL) == XP_OK);
    EXPECT_REFUSED(xp_demos_add(NULL, states, actions, 2, 1, error), "demos is NULL");
    EXPECT_REFUSED(xp_demos_add(demos, NULL, actions, 2, 1, error), "states is NULL");
    EXPECT_REFUSED(xp_demos_add(demos, states, NULL, 2, 1, error), "actions is NULL");
    EXPECT_REFUSED(xp_demos_add(demos, states, actions, 2, 1, error), "finite");
    EXPECT_REFUSED(xp_demos_add(demos, states, actions, 0, 1, error), "no steps");
    xp_demos_destroy(demos);
    EXPECT_REFUSED(xp_demos_draw(NULL, all.expert, 1, &all.rng, &demos, error), "env is NULL");
    EXPECT_REFUSED(xp_demos_draw(all.env, NULL, 1, &all.rng, &demos, error), "expert is NULL");
    EXPECT_REFUSED(xp_demos_draw(all.env, all.expert, 1, NULL, &demos, error), "rng is NULL");
    EXPECT_REFUSED(xp_demos_draw(all.env, all.expert, 1, &all.rng, NULL, error), "demos");
    EXPECT_REFUSED(xp_demos_parse(NULL, 1, "x", &demos, error), "text is NULL");
    EXPECT_REFUSED(xp_demos_parse("0\n", 2, NULL, &demos, error), "name is NULL");
    EXPECT_REFUSED(xp_demos_parse("0\n", 2, "x", NULL, error), "demos is NULL");
    EXPECT_REFUSED(xp_demos_load(NULL, &demos, error), "path is NULL");
    EXPECT_REFUSED(xp_demos_load("x", NULL, error), "demos is NULL");
    EXPECT_REFUSED(xp_demos_load_for(NULL, NULL, &demos, error), "path is NULL");
    EXPECT_REFUSED(xp_demos_save(NULL, "x", XP_DEMOS_CSV, error), "demos is NULL");
    EXPECT_REFUSED(xp_demos_save(all.demos, NULL, XP_DEMOS_CSV, error), "path is NULL");
    EXPECT_REFUSED(xp_demos_save(all.demos, "x", (xp_demos_format)7, error), "format = 7");
    close_scene(&all);
}

CLAIM(demonstrations_answer_within_their_range) {
    scene all = open_scene();
    uint64_t counts[3] = {9, 9, 9};
    size_t action;
    EXPECT(xp_demos_actions(NULL) == 0 && xp_demos_state_size(NULL) == 0);
    EXPECT(xp_demos_count(NULL) == 0 && xp_demos_distinct(NULL) == 0);
    EXPECT(xp_demos_trajectory(NULL, 0).length == 0);
    EXPECT(xp_demos_trajectory(all.demos, 3).actions == NULL);
    EXPECT(xp_demos_action_name(NULL, 0) == NULL);
    EXPECT(xp_demos_action_name(all.demos, 2) != NULL);
    EXPECT(xp_demos_action_name(all.demos, 3) == NULL);
    EXPECT(xp_demos_action_name(all.demos, SIZE_MAX) == NULL);
    xp_demos_action_counts(NULL, counts);
    xp_demos_action_counts(all.demos, NULL);
    EXPECT(counts[0] == 9);
    EXPECT_REFUSED(xp_demos_action_find(NULL, "a", &action, error), "demos is NULL");
    EXPECT_REFUSED(xp_demos_action_find(all.demos, NULL, &action, error), "text is NULL");
    EXPECT_REFUSED(xp_demos_action_find(all.demos, "a", NULL, error), "action is NULL");
    EXPECT_REFUSED(xp_demos_name_actions(NULL, NULL, error), "demos is NULL");
    EXPECT_REFUSED(xp_demos_name_actions(all.demos, NULL, error), "names is NULL");
    EXPECT_REFUSED(xp_demos_name_actions(all.demos, (const char *[]){"x", NULL, "z"}, error),
                   "missing");
    EXPECT_REFUSED(xp_demos_declare_actions(NULL, 3, error), "demos is NULL");
    EXPECT_REFUSED(xp_demos_declare_actions(all.demos, SIZE_MAX, error), "actions");
    EXPECT(xp_demos_environment(NULL, NULL).actions == 0);
    xp_demos *walks;
    EXPECT(xp_demos_create(2, 2, &walks, NULL) == XP_OK);
    EXPECT(xp_demos_environment(walks, NULL).actions == 0);
    xp_demos_destroy(walks);
    close_scene(&all);
}

CLAIM(histories_answer_within_their_range) {
    xp_history *history;
    static const char text[] = "action,reward\n1,0\n";
    const char *const names[] = {"a", NULL};
    EXPECT_REFUSED(xp_history_load(NULL, 2, NULL, &history, error), "path is NULL");
    EXPECT_REFUSED(xp_history_load("x", 2, NULL, NULL, error), "history is NULL");
    EXPECT_REFUSED(xp_history_parse(NULL, 1, "x", 2, NULL, &history, error), "text is NULL");
    EXPECT_REFUSED(xp_history_parse(text, 4, NULL, 2, NULL, &history, error), "name is NULL");
    EXPECT_REFUSED(xp_history_parse(text, 4, "x", 2, NULL, NULL, error), "history is NULL");
    EXPECT_REFUSED(xp_history_parse(text, sizeof text - 1, "x", 0, NULL, &history, error), "one");
    EXPECT_REFUSED(xp_history_parse(text, sizeof text - 1, "x", 2, names, &history, error),
                   "name of action 1 is NULL");
    EXPECT(xp_history_parse(text, sizeof text - 1, "x", 2, NULL, &history, NULL) == XP_OK);
    EXPECT(xp_history_count(history) == 1 && xp_history_count(NULL) == 0);
    EXPECT(xp_history_action(history, 1) == SIZE_MAX && xp_history_action(NULL, 0) == SIZE_MAX);
    EXPECT(isnan(xp_history_reward(history, 1)) && isnan(xp_history_reward(NULL, 0)));
    EXPECT_REFUSED(xp_history_require_binary(NULL, error), "history is NULL");
    xp_history_destroy(history);
}

CLAIM(priors_need_demonstrations_and_answer_for_points) {
    scene all = open_scene();
    xp_prior *prior;
    char *text;
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
    EXPECT_REFUSED(xp_prior_save(NULL, "x", error), "prior is NULL");
    EXPECT_REFUSED(xp_prior_save(all.prior, NULL, error), "path is NULL");
    EXPECT_REFUSED(xp_prior_load(NULL, &prior, error), "path is NULL");
    EXPECT_REFUSED(xp_prior_load("x", NULL, error), "prior is NULL");
    EXPECT_REFUSED(xp_prior_to_json(NULL, &text, error), "prior is NULL");
    EXPECT_REFUSED(xp_prior_to_json(all.prior, NULL, error), "text is NULL");
    EXPECT_REFUSED(xp_prior_from_json(NULL, 1, "x", &prior, error), "text is NULL");
    EXPECT_REFUSED(xp_prior_from_json("{}", 2, NULL, &prior, error), "name is NULL");
    EXPECT_REFUSED(xp_prior_from_json("{}", 2, "x", NULL, error), "prior is NULL");
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
    const xp_transition bad[] = {{.action = 3, .reward = 1, .end = XP_TERMINATED},
                                 {.action = 0, .reward = NAN, .end = XP_TERMINATED},
                                 {.action = 0, .reward = 0.45, .end = XP_TERMINATED},
                                 {.action = 0, .reward = 1, .end = (xp_end)9}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        EXPECT_REFUSED(xp_session_observe(all.session, &bad[i], error), "");
    }
    EXPECT_REFUSED(xp_session_observe(all.session, NULL, error), "transition");
    EXPECT_REFUSED(xp_session_observe(NULL, &bad[0], error), "session is NULL");
    EXPECT_REFUSED(xp_session_observe_rewards(NULL, 0, 1, 1, error), "session is NULL");
    EXPECT_REFUSED(xp_session_observe_rewards(all.session, 3, 1, 1, error), "action 3");
    EXPECT_REFUSED(xp_session_observe_rewards(all.session, 0, 1, NAN, error), "nan");
    EXPECT_REFUSED(xp_session_observe_rewards(all.session, 0, 1, 2, error), "successes");
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

CLAIM(simulations_and_studies_check_their_options) {
    const char *const agent = "naive_ucb";
    xp_simulate_options options = xp_simulate_options_default();
    xp_simulate_result result;
    xp_study_result *study;
    options.agent_count = 1;
    EXPECT_REFUSED(xp_simulate(NULL, &result, error), "options is NULL");
    EXPECT_REFUSED(xp_simulate(&options, &result, error), "agents is NULL");
    options.agents = (const char *const[]){NULL};
    EXPECT_REFUSED(xp_simulate(&options, &result, error), "is NULL");
    EXPECT_REFUSED(xp_picture_episodes(&options, NULL, 0, "x", NULL, error), "");
    options.agents = &agent;
    EXPECT_REFUSED(xp_simulate(&options, NULL, error), "results is NULL");
    EXPECT_REFUSED(xp_picture_episodes(NULL, NULL, 0, "x", NULL, error), "options is NULL");
    EXPECT_REFUSED(xp_picture_episodes(&options, NULL, 0, NULL, NULL, error), "directory");
    EXPECT_REFUSED(xp_picture_episodes(&options, NULL, 1, "x", NULL, error), "episodes is NULL");
    options.env = NULL;
    EXPECT_REFUSED(xp_simulate(&options, &result, error), "spec is NULL");
    options.size = 0;
    EXPECT_REFUSED(xp_simulate(&options, &result, error), "xp_simulate_options.size = 0");
    xp_simulate_options_init(NULL, sizeof options);
    xp_study_options study_options = xp_study_options_default();
    EXPECT_REFUSED(xp_study_run(NULL, &study_options, &study, error), "name is NULL");
    EXPECT_REFUSED(xp_study_run("figure2", &study_options, NULL, error), "result is NULL");
    EXPECT_REFUSED(xp_study_run("moon", &study_options, &study, error), "moon");
    study_options.directory = NULL;
    EXPECT_REFUSED(xp_study_run("figure2", &study_options, &study, error), "directory");
    study_options = xp_study_options_default();
    study_options.scale = NULL;
    EXPECT_REFUSED(xp_study_run("figure2", &study_options, &study, error), "scale");
    study_options.size = 0;
    EXPECT_REFUSED(xp_study_run("figure2", &study_options, &study, error),
                   "xp_study_options.size = 0");
    xp_study_options_init(NULL, sizeof study_options);
    char *text;
    const xp_study_result nothing = {.study = NULL};
    EXPECT_REFUSED(xp_report_write(NULL, "x", error), "result is NULL");
    EXPECT_REFUSED(xp_report_write(&nothing, NULL, error), "directory is NULL");
    EXPECT_REFUSED(xp_picture_series(NULL, 1, "x", "x", error), "series is NULL");
    EXPECT_REFUSED(xp_picture_series(NULL, 0, NULL, "x", error), "title is NULL");
    EXPECT_REFUSED(xp_picture_series(NULL, 0, "x", NULL, error), "path is NULL");
    EXPECT_REFUSED(xp_report_table_text(NULL, &text, error), "result is NULL");
    EXPECT_REFUSED(xp_report_table_text(&nothing, NULL, error), "text is NULL");
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
        EXPECT_REFUSED(xp_inspect(all.model, &options, &inspection, error), "at least 1 draw");
    }
    EXPECT(inspection == NULL);
    options.size = 1;
    EXPECT_REFUSED(xp_inspect(all.model, &options, &inspection, error), "size = 1");
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
