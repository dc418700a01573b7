/* Bad arguments (arguments.h) of what experts did and where: base.h, rng.h, catalogue.h, env.h,
 * expert.h, demos.h, history.h. */
#include "house/arguments.h"

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
    EXPECT_REFUSED(xp_demos_create(SIZE_MAX, 2, &demos, error), "state_size = ");
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
    EXPECT(xp_history_pending(NULL) == 0 && !xp_history_summed(NULL));
    EXPECT_REFUSED(xp_history_require_binary(NULL, error), "history is NULL");
    xp_history_destroy(history);
}
