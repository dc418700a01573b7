/* Tasks drawn from a model: the family that its prior describes, with an oracle that knows it. */
#include "claim.h"

#include "experior/experior.h"

#include <math.h>
#include <string.h>

enum { ARMS = 3, EPISODES = 60 };

static xp_simulate_options small(const char *const *agents, size_t count) {
    xp_simulate_options options = xp_simulate_options_default();
    options.agents = agents;
    options.agent_count = count;
    options.problems = 1;
    options.tasks = 200;
    options.episodes = EPISODES;
    options.demonstrations = 300;
    options.threads = 1;
    return options;
}

static xp_model *fit(const char *agent) {
    static const char choices[] = "action,count\na,40\nb,25\nc,5\n";
    xp_demos *demos = NULL;
    xp_model *model = NULL;
    EXPECT(xp_demos_parse(choices, strlen(choices), "choices", &demos, NULL) == XP_OK);
    EXPECT(xp_model_fit(agent, NULL, demos, NULL, &model, NULL) == XP_OK);
    xp_demos_destroy(demos);
    return model;
}

/* A family of known Beta laws, once as the library's environment and once as a model that was told
 * these laws: the same tasks, rewards and oracle, to the last bit. */
CLAIM(tasks_of_a_model_that_knows_an_environment_are_the_environments) {
    const double a[ARMS] = {2, 0.7, 3}, b[ARMS] = {1, 1.3, 4};
    static const char *const agents[] = {"oracle_ts", "naive_ts", "experior_maxent",
                                         "behaviour_cloning"};
    enum { AGENTS = 4 };
    xp_env *env = NULL;
    xp_model *model = NULL;
    EXPECT(xp_env_create_bernoulli_bandit(ARMS, a, b, &env, NULL) == XP_OK);
    EXPECT(xp_model_fit_env("oracle_ts", env, NULL, NULL, &model, NULL) == XP_OK);
    xp_simulate_result by_env[AGENTS], by_model[AGENTS];
    xp_simulate_options options = small(agents, AGENTS);
    options.custom_env = env;
    EXPECT(xp_simulate(&options, by_env, NULL) == XP_OK);
    options.custom_env = NULL;
    options.tasks_from = model;
    EXPECT(xp_simulate(&options, by_model, NULL) == XP_OK);
    for (size_t i = 0; i < AGENTS; i++) {
        EXPECT(by_env[i].regret == by_model[i].regret && by_env[i].regret > 0);
        EXPECT(by_env[i].regret_se == by_model[i].regret_se);
    }
    xp_model_destroy(model);
    xp_env_destroy(env);
}

/* The mean of what arms pay is the prior's, whose best arm is each one with the probability that
 * the first decision gives it. */
CLAIM(an_arm_is_best_as_often_as_the_model_says) {
    enum { TASKS = 4000 };
    xp_model *model = fit("experior_maxent");
    xp_session *session = NULL;
    xp_env *env = NULL;
    xp_expert *expert = NULL;
    xp_demos *demos = NULL;
    double law[ARMS];
    uint64_t count[ARMS];
    xp_rng rng = xp_rng_seed(3);
    EXPECT(xp_session_create(model, NULL, &session, NULL) == XP_OK);
    EXPECT(xp_session_law(session, NULL, 0, law, NULL, NULL) == XP_OK);
    EXPECT(xp_env_create_from_model(model, &env, NULL) == XP_OK);
    EXPECT(xp_expert_create("optimal", &expert, NULL) == XP_OK);
    EXPECT(xp_demos_draw(env, expert, TASKS, &rng, &demos, NULL) == XP_OK);
    xp_demos_action_counts(demos, count);
    for (size_t arm = 0; arm < ARMS; arm++) { /* five standard deviations */
        const double sd = sqrt(law[arm] * (1 - law[arm]) / TASKS);
        EXPECT(fabs((double)count[arm] / TASKS - law[arm]) < 5 * sd);
    }
    xp_demos_destroy(demos);
    xp_expert_destroy(expert);
    xp_env_destroy(env);
    xp_session_destroy(session);
    xp_model_destroy(model);
}

CLAIM(the_oracle_acts_from_the_models_own_prior_with_its_settings) {
    static const char *const agents[] = {"oracle_ts", "oracle_ts:sampler=rejection", "naive_ts"};
    xp_model *model = fit("experior_maxent");
    xp_simulate_result results[3];
    xp_simulate_options options = small(agents, 3);
    options.tasks = 800;
    options.tasks_from = model;
    EXPECT(xp_simulate(&options, results, NULL) == XP_OK);
    EXPECT(results[0].fit_seconds == 0); /* nothing was fitted */
    EXPECT(results[0].regret < results[2].regret);
    const double se = hypot(results[0].regret_se, results[1].regret_se);
    EXPECT(fabs(results[0].regret - results[1].regret) < 5 * se);
    EXPECT(results[0].regret != results[1].regret);
    xp_model_destroy(model);
}

CLAIM(arms_pay_rewards_of_the_models_family_and_agents_must_take_them) {
    static const char *const agents[] = {"oracle_ts", "naive_ucb"};
    static const char *const wrong[] = {"oracle_ts", "naive_ts"};
    xp_model *model = fit("experior_maxent:rewards=poisson,location=2,scale=1");
    xp_simulate_result results[2];
    xp_error error;
    xp_simulate_options options = small(agents, 2);
    options.tasks = 20;
    options.tasks_from = model;
    EXPECT(xp_simulate(&options, results, &error) == XP_OK);
    EXPECT(results[0].regret > 0 && isfinite(results[1].regret));
    options.agents = wrong;
    EXPECT(xp_simulate(&options, results, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "model_tasks pays poisson rewards but agent naive_ts takes "
                               "bernoulli ones; give it rewards=poisson");
    xp_model_destroy(model);
}

CLAIM(models_without_tasks_to_draw_are_refused_with_a_sentence) {
    static const char *const agents[] = {"naive_ts"};
    xp_simulate_result result;
    xp_error error;
    xp_simulate_options options = small(agents, 1);
    xp_model *model = fit("naive_ucb");
    options.tasks_from = model;
    EXPECT(xp_simulate(&options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "holds no prior to draw tasks from");
    xp_model_destroy(model);
    model = fit("experior_maxent:rewards=poisson"); /* its scale is learned, not known */
    options.tasks_from = model;
    EXPECT(xp_simulate(&options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "fit one with a known location, scale");
    xp_model_destroy(model);
    xp_rng rng = xp_rng_seed(1);
    xp_env *lake = NULL;
    xp_model *states = NULL;
    EXPECT(xp_env_create("frozen_lake", &rng, &lake, NULL) == XP_OK);
    EXPECT(xp_model_fit_env("posterior_sampling", lake, NULL, NULL, &states, &error) == XP_OK);
    options.tasks_from = states;
    EXPECT(xp_simulate(&options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "the model has states");
    model = fit("experior_maxent");
    options.tasks_from = model;
    options.custom_env = lake;
    EXPECT(xp_simulate(&options, &result, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "two sources of tasks");
    xp_model_destroy(model);
    xp_model_destroy(states);
    xp_env_destroy(lake);
}
