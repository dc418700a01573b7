/* What holds for every prior over Q-functions: networks are finite or the fit fails, and an agent's
 * prior can be fitted without an environment. */
#include "claim.h"

#include "experior/experior.h"
#include "agent/agent.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool finite(const xp__net *net) {
    bool all = true;
    for (size_t member = 0; member < xp__net_get_options(net)->members; member++) {
        all = all && isfinite(xp__net_norm(net, member));
    }
    return all;
}

static xp_demos *read_demos(const char *text) {
    xp_demos *demos = NULL;
    EXPECT(xp_demos_parse(text, strlen(text), "f", &demos, NULL) == XP_OK);
    return demos;
}

static const char *const large[] = {
    "{\"states\":[[1e10],[0.5]],\"actions\":[0,1]}\n",
    "{\"states\":[[1e25],[0.5]],\"actions\":[0,1]}\n",
    "{\"states\":[[1e38],[0.5]],\"actions\":[0,1]}\n",
};

CLAIM(networks_of_a_prior_are_finite_however_large_states_are) {
    for (size_t i = 0; i < xp_catalogue_count(XP_STATES_PRIORS) * 3; i++) {
        const char *name = xp_catalogue_get(XP_STATES_PRIORS, i / 3).name;
        xp_demos *demos = read_demos(large[i % 3]);
        size_t categories[1];
        const xp_env_info env = xp_demos_environment(demos, categories);
        xp_rng rng = xp_rng_seed(1);
        xp__states_prior *prior = NULL;
        xp_error error = {.message = ""};
        const xp_status status =
            xp__states_prior_fit(name, NULL, &env, demos, &rng, &prior, &error);
        EXPECT(status == XP_OK);
        EXPECT(prior != NULL && finite(xp__states_prior_networks(prior)) &&
               finite(xp__states_prior_draws(prior)));
        EXPECT(prior != NULL && isfinite(xp__states_prior_fit_result(prior).log_likelihood));
        xp__states_prior_destroy(prior);
        xp_demos_destroy(demos);
    }
}

CLAIM(a_chain_that_diverges_on_small_states_names_its_step_size) {
    xp_demos *demos = read_demos("{\"states\":[[0],[1],[2]],\"actions\":[1,1,0],\"count\":3}\n");
    size_t categories[1];
    const xp_env_info env = xp_demos_environment(demos, categories);
    xp__params params;
    EXPECT(xp__states_prior_params_default("max_entropy", &params, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "clip", 0, NULL) == XP_OK);
    EXPECT(xp__params_set(&params, "regulariser", 1e4, NULL) == XP_OK);
    xp_rng rng = xp_rng_seed(1);
    xp__states_prior *prior = NULL;
    xp_error error = {.message = ""};
    EXPECT(xp__states_prior_fit("max_entropy", &params, &env, demos, &rng, &prior, &error) ==
           XP_ERR_NUMERIC);
    EXPECT(prior == NULL);
    EXPECT_TEXT(error.message,
                "the fit of max_entropy diverged: its networks are not finite. Use a "
                "smaller chain_rate or regulariser, or a clip above 0");
    xp_demos_destroy(demos);
}

/* As agent.h allows: it is what the demonstrations suggest that the prior is fitted for. */
CLAIM(an_agents_prior_over_networks_needs_no_environment) {
    static const char *const agents[] = {"experior_maxent:fit_steps=5", "boot_dqn:prior=ensemble",
                                         "experior_param"};
    xp_demos *demos = read_demos("{\"states\":[[0,0.5],[3,0.25]],\"actions\":[1,2],\"count\":3}\n");
    const xp_env_info like = {.actions = 3, .state_size = 2};
    for (size_t i = 0; i < sizeof agents / sizeof agents[0]; i++) {
        xp__agent_spec spec;
        xp_rng rng = xp_rng_seed(1);
        xp__states_prior *prior = NULL;
        xp_error error = {.message = ""};
        EXPECT(xp__agent_spec_parse(agents[i], &like, &spec, &error) == XP_OK);
        EXPECT(xp__agent_q_prior_fit(&spec, NULL, demos, &rng, &prior, &error) == XP_OK);
        EXPECT_TEXT(error.message, "");
        if (prior != NULL) { /* 0 .. 3 and a real number; actions 0 .. 2 */
            EXPECT(xp__net_get_options(xp__states_prior_networks(prior))->inputs == 5);
            EXPECT(xp__net_get_options(xp__states_prior_networks(prior))->actions == 3);
        }
        xp__states_prior_destroy(prior);
        EXPECT(xp__agent_q_prior_fit(&spec, NULL, NULL, &rng, &prior, &error) == XP_ERR_INPUT);
        EXPECT_TEXT(error.message, "needs demonstrations");
    }
    xp_demos_destroy(demos);
}
