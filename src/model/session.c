/* session.c: one learner in one task: checks around an agent, and its stream. */
#include "model/session_type.h"

#include "base/check.h"
#include "base/memory.h"
#include "model/model_type.h"
#include "prior/bandit/prior_type.h"
#include "prior/states/states_prior_type.h"
#include "sampler/sampler_type.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { USUAL_DRAWS = 10000, USUAL_EPISODES = 1500 };

void xp_session_options_init(xp_session_options *options, size_t size) {
    const xp_session_options own = {.size = sizeof own, .seed = 1, .episodes = USUAL_EPISODES};
    xp__options_give(options, size, &own, sizeof own);
}

/* What an agent without a model is given. */
static xp_status take_space(xp_session *session, const xp_space *space, xp_error *error) {
    if (space == NULL || space->actions < 1 ||
        (space->state_size > 0 && space->categories == NULL)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "a session without a model needs a space with at least one action and "
                            "categories for its state numbers");
    }
    session->info = (xp_env_info){.actions = space->actions,
                                  .state_size = space->state_size,
                                  .horizon = space->horizon > 0 ? space->horizon : 1,
                                  .categories = space->categories};
    const xp_status status = xp__space_check(&session->info, error);
    if (status != XP_OK) {
        return status;
    }
    if (space->state_size > 0) {
        session->categories = xp__alloc(space->state_size, sizeof session->categories[0]);
        if (session->categories == NULL) {
            return xp__no_memory(error);
        }
        memcpy(session->categories, space->categories,
               space->state_size * sizeof session->categories[0]);
        session->info.categories = session->categories;
    }
    return XP_OK;
}

/* A parameter of the prior that the session's spec gives must be the one the model was fitted with:
 * a session cannot fit. */
static xp_status check_params(const xp__params *wanted, const xp__params *fitted, xp_error *error) {
    for (size_t i = 0; i < wanted->count; i++) {
        const double a = wanted->value[i], b = fitted->value[i];
        if (wanted->given[i] && !(a == b || (isnan(a) && isnan(b)))) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "the session asks for a prior with %s = %g, but the model was "
                                "fitted with %g; fit a model with that value",
                                wanted->table[i].name, a, b);
        }
    }
    return XP_OK;
}

/* Whether the model's prior is the one that the spec acts on. */
static xp_status check_prior(const xp_model *model, uint32_t segment, const xp__agent_spec *spec,
                             xp__agent_setup *setup, xp_error *error) {
    const xp_model_info info = xp_model_describe(model);
    const bool oracle = xp__agent_find(spec->name, spec->states)->is_oracle;
    const bool known = xp__agent_find(model->spec.name, model->spec.states)->is_oracle;
    if (spec->prior_method == NULL) {
        return XP_OK;
    }
    /* An oracle acts on whatever the true distribution is. */
    const bool other =
        info.method == NULL || (!oracle && strcmp(info.method, spec->prior_method) != 0);
    const bool over_networks = model->states_prior != NULL;
    if (other || oracle != known || spec->states != over_networks) {
        const char *const which = info.method == NULL             ? ""
                                  : oracle && !known              ? " inferred from demonstrations"
                                  : spec->states == over_networks ? ""
                                  : over_networks                 ? " over Q-functions"
                                                                  : " over arm means";
        return xp_error_set(error, XP_ERR_INPUT,
                            "agent '%s' acts on a prior '%s', but the model, fitted for '%.80s', "
                            "holds %s%s; fit a model for that agent",
                            spec->name, spec->prior_method, model->agent,
                            info.method != NULL ? info.method : "none", which);
    }
    setup->prior = segment > 0 ? model->segments[segment - 1].prior : model->prior;
    setup->states_prior = model->states_prior;
    if (oracle) {
        return XP_OK;
    }
    return check_params(&spec->prior_params,
                        spec->states ? &model->states_prior->params : &model->prior->params, error);
}

static xp_status make_agent(xp_session *session, xp_error *error) {
    const xp_model *model = session->model;
    xp__agent_setup setup = {.actions = session->info.actions,
                             .episodes = session->episodes,
                             .env = session->info,
                             .demos = model != NULL ? model->demos : NULL,
                             .model = model != NULL ? model->env : NULL};
    if (setup.demos != NULL && xp_demos_count(setup.demos) == 0) {
        setup.demos = NULL;
    }
    xp__agent_spec spec;
    xp_status status = xp__agent_spec_parse(session->spec, &session->info, &spec, error);
    if (status == XP_OK && model != NULL) {
        status = check_prior(model, session->segment, &spec, &setup, error);
    }
    return status == XP_OK ? xp__agent_create(&spec, &setup, &session->agent, error) : status;
}

xp_status xp_session_create(const xp_model *model, const xp_session_options *options,
                            xp_session **session, xp_error *error) {
    if (session == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "session is NULL");
    }
    *session = NULL;
    xp_session_options chosen = xp_session_options_default();
    xp_status status = XP_OK;
    if (options != NULL) {
        status = xp__options_take(&chosen, sizeof chosen, options, "xp_session_options", error);
    }
    if (status != XP_OK) {
        return status;
    }
    const char *spec = chosen.agent != NULL ? chosen.agent : model != NULL ? model->agent : NULL;
    if (spec == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "a session without a model must be told which agent acts");
    }
    xp_session *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->model = model;
    made->episodes = chosen.episodes > 0 ? chosen.episodes : USUAL_EPISODES;
    made->spec = xp__strdup(spec);
    status = made->spec != NULL ? XP_OK : xp__no_memory(error);
    if (status == XP_OK && model != NULL) {
        made->info = model->info;
    } else if (status == XP_OK) {
        status = take_space(made, chosen.space, error);
    }
    if (status == XP_OK && chosen.segment != NULL) {
        size_t segment;
        status = xp_model_segment_find(model, chosen.segment, &segment, error);
        made->segment = status == XP_OK ? (uint32_t)segment + 1 : 0;
    }
    if (status == XP_OK) {
        status = make_agent(made, error);
    }
    if (status != XP_OK) {
        xp_session_destroy(made);
        return status;
    }
    const xp_rng own = xp_rng_seed(chosen.seed);
    xp__session_restart(made, chosen.rng != NULL ? chosen.rng : &own);
    *session = made;
    return XP_OK;
}

void xp_session_destroy(xp_session *session) {
    if (session != NULL) {
        xp__agent_destroy(session->agent);
        xp__free(session->spec);
        xp__free(session->categories);
        xp__free(session);
    }
}

void xp__session_restart(xp_session *session, const xp_rng *rng) {
    session->rng = *rng;
    session->observations = 0;
    session->begun = 0;
    session->within = false;
    xp__agent_reset(session->agent, &session->rng);
}

xp_status xp_session_reset(xp_session *session, uint64_t seed, xp_error *error) {
    if (session == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "session is NULL");
    }
    const xp_rng rng = xp_rng_seed(seed);
    xp__session_restart(session, &rng);
    return XP_OK;
}

void xp__session_begin(xp_session *session, const double *state) {
    session->begun++;
    session->within = true;
    xp__agent_begin(session->agent, &session->rng, state);
}

size_t xp__session_act(xp_session *session, const double *state) {
    if (!session->within) {
        xp__session_begin(session, state);
    }
    return xp__agent_act(session->agent, &session->rng, state);
}

void xp__session_observe(xp_session *session, const xp_transition *transition) {
    session->observations++;
    session->within = transition->end == XP_CONTINUES && session->info.state_size > 0;
    xp__agent_observe(session->agent, &session->rng, transition);
}

static xp_status check_session(const xp_session *session, xp_error *error) {
    return session != NULL ? XP_OK : xp_error_set(error, XP_ERR_INPUT, "session is NULL");
}

xp_status xp__session_check_state(const xp_session *session, const double *state, const char *what,
                                  xp_error *error) {
    const xp_env_info *info = &session->info;
    if (info->state_size == 0) {
        return XP_OK;
    }
    if (state == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "%s is NULL, but states have %zu numbers", what,
                            info->state_size);
    }
    for (size_t j = 0; j < info->state_size; j++) {
        const size_t values = info->categories[j];
        const double x = state[j];
        if (values == 0 ? !(fabs(x) <= (double)FLT_MAX)
                        : !(x >= -1 && x < (double)values && x == floor(x))) {
            return values == 0
                       ? xp_error_set(error, XP_ERR_INPUT,
                                      "%s: number %zu is %g, not a finite number, or too large",
                                      what, j, x)
                       : xp_error_set(error, XP_ERR_INPUT,
                                      "%s: number %zu is %.10g, not a whole number from 0 "
                                      "to %zu, or -1 where it is hidden",
                                      what, j, x, values - 1);
        }
    }
    return XP_OK;
}

xp_status xp_session_begin(xp_session *session, const double *state, xp_error *error) {
    xp_status status = check_session(session, error);
    if (status == XP_OK) {
        status = xp__session_check_state(session, state, "state", error);
    }
    if (status == XP_OK) {
        xp__session_begin(session, session->info.state_size > 0 ? state : NULL);
    }
    return status;
}

xp_status xp_session_act(xp_session *session, const double *state, size_t *action,
                         xp_error *error) {
    xp_status status = check_session(session, error);
    if (status == XP_OK && action == NULL) {
        status = xp_error_set(error, XP_ERR_INPUT, "action is NULL");
    }
    if (status == XP_OK) {
        status = xp__session_check_state(session, state, "state", error);
    }
    if (status == XP_OK) {
        *action = xp__session_act(session, session->info.state_size > 0 ? state : NULL);
    }
    return status;
}

xp_status xp_session_law(xp_session *session, const double *state, size_t draws,
                         double *probability, size_t *draws_used, xp_error *error) {
    xp_status status = check_session(session, error);
    if (status == XP_OK && probability == NULL) {
        status = xp_error_set(error, XP_ERR_INPUT, "probability is NULL");
    }
    if (status == XP_OK) {
        status = xp__session_check_state(session, state, "state", error);
    }
    if (status == XP_OK) {
        status = xp__count_check("draws", draws, 0, XP__MOST_DRAWS, error);
    }
    if (status != XP_OK) {
        return status;
    }
    xp_rng copy = session->rng; /* asking moves nothing */
    const size_t used =
        xp__agent_action_law(session->agent, &copy, session->info.state_size > 0 ? state : NULL,
                             draws > 0 ? draws : USUAL_DRAWS, probability);
    if (used == XP__LAW_FAILED) {
        return xp_error_set(error, XP_ERR_NUMERIC,
                            "the sampler '%s' gives up on this posterior, so its probabilities "
                            "would be wrong; try another",
                            xp_session_describe(session).sampler);
    }
    for (size_t action = 0; action < session->info.actions; action++) {
        if (!isfinite(probability[action])) {
            return xp_error_set(error, XP_ERR_NUMERIC,
                                "the values of the actions are not finite in this state: the "
                                "networks or the state have numbers that are too large");
        }
    }
    if (draws_used != NULL) {
        *draws_used = used;
    }
    return XP_OK;
}

/* The rewards that the agent takes; NULL: any finite ones. */
static const xp__reward_type *family_of(const xp_session *session) {
    const xp__agent *agent = session->agent;
    return agent->type->rewards != NULL ? agent->type->rewards(agent)->type : NULL;
}

xp_status xp__session_check_reward(const xp_session *session, size_t action, double reward,
                                   xp_error *error) {
    if (action >= session->info.actions) {
        return xp_error_set(error, XP_ERR_INPUT, "action %zu is not one of 0 to %zu", action,
                            session->info.actions - 1);
    }
    if (!(fabs(reward) <= (double)FLT_MAX)) { /* networks learn in single precision */
        return xp_error_set(error, XP_ERR_INPUT,
                            "the reward %g is not a finite number, or too large to learn from",
                            reward);
    }
    const xp__reward_type *family = family_of(session);
    if (family == &xp__reward_bernoulli && !family->legal(reward)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the reward %g is neither 0 nor 1; agent '%s' counts successes and "
                            "failures",
                            reward, session->agent->type->name);
    }
    if (family != NULL && !family->legal(reward)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the reward %g is not %s, as the model's %s rewards are", reward,
                            family->takes, family->name);
    }
    return XP_OK;
}

xp_status xp_session_observe(xp_session *session, const xp_transition *transition,
                             xp_error *error) {
    xp_status status = check_session(session, error);
    if (status == XP_OK && (transition == NULL || (unsigned)transition->end > XP_TRUNCATED)) {
        status = xp_error_set(error, XP_ERR_INPUT, "transition is NULL or its end is unknown");
    }
    if (status == XP_OK) {
        status = xp__session_check_reward(session, transition->action, transition->reward, error);
    }
    if (status == XP_OK) {
        status = xp__session_check_state(session, transition->state, "state", error);
    }
    const bool over =
        status == XP_OK && transition->end == XP_TERMINATED && transition->next_state == NULL;
    if (status == XP_OK && !over) {
        status = xp__session_check_state(session, transition->next_state, "next_state", error);
    }
    if (status == XP_OK) {
        xp_transition seen = *transition;
        seen.next_state = over ? seen.state : seen.next_state; /* any state: it is not looked at */
        if (session->info.state_size == 0) {
            seen.state = seen.next_state = NULL;
        }
        xp__session_observe(session, &seen);
    }
    return status;
}

/* Whether rewards can add up so, and the agent can learn from their sum. */
static xp_status check_sum(const xp_session *session, uint64_t trials, double sum, double squares,
                           xp_error *error) {
    const xp__reward_type *family = family_of(session);
    if (!isfinite(sum) || isinf(squares) || squares < 0 ||
        (trials == 0 && (sum != 0 || squares > 0))) {
        return xp_error_set(error, XP_ERR_INPUT, "%llu rewards cannot add up to %g%s",
                            (unsigned long long)trials, sum,
                            isnan(squares) ? "" : " with such squares");
    }
    if (family == NULL || trials == 0) {
        return XP_OK;
    }
    if (trials == 1 && !family->legal(sum)) {
        return xp_error_set(error, XP_ERR_INPUT, "the reward %g is not %s", sum, family->takes);
    }
    if (family == &xp__reward_bernoulli &&
        (!family->legal_sum((double)trials, sum, squares) || trials > UINT64_C(1) << 53)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%g is no number of successes among %llu rewards of 0 or 1", sum,
                            (unsigned long long)trials);
    }
    if (!family->legal_sum((double)trials, sum, squares)) {
        return xp_error_set(error, XP_ERR_INPUT, "%llu %s rewards, each %s, cannot add up to %g%s",
                            (unsigned long long)trials, family->name, family->takes, sum,
                            isnan(squares) ? "" : " with such squares");
    }
    if (isnan(squares) && trials > 1 && family->needs_squares != NULL &&
        family->needs_squares(session->agent->type->rewards(session->agent))) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the noise of the model's %s rewards is learned, which the sum of %llu "
                            "rewards does not tell of: give the sum of their squares as well, give "
                            "them one by one, or fit a model with a known noise",
                            family->name, (unsigned long long)trials);
    }
    return XP_OK;
}

xp_status xp_session_observe_rewards(xp_session *session, size_t action, uint64_t trials,
                                     double sum, xp_error *error) {
    return xp_session_observe_squares(session, action, trials, sum, NAN, error);
}

xp_status xp_session_observe_squares(xp_session *session, size_t action, uint64_t trials,
                                     double sum, double squares, xp_error *error) {
    xp_status status = check_session(session, error);
    if (status == XP_OK && session->info.state_size > 0) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              "rewards in bulk are for bandits; a task with states is observed "
                              "step by step");
    }
    if (status == XP_OK) {
        status = xp__session_check_reward(session, action, 0, error);
    }
    if (status == XP_OK) {
        status = check_sum(session, trials, sum, squares, error);
    }
    if (status == XP_OK &&
        !xp__agent_observe_rewards(session->agent, &session->rng, action, trials, sum, squares)) {
        status = xp_error_set(error, XP_ERR_INPUT, "%llu rewards are too many at once for agent %s",
                              (unsigned long long)trials, session->agent->type->name);
    }
    if (status == XP_OK && trials > 0) {
        session->observations += trials;
        session->within = false;
    }
    return status;
}

xp_session_info xp_session_describe(const xp_session *session) {
    if (session == NULL) {
        return (xp_session_info){.agent = NULL};
    }
    const xp__agent *agent = session->agent;
    const xp_sampler *sampler = agent->type->sampler != NULL ? agent->type->sampler(agent) : NULL;
    return (xp_session_info){
        .agent = session->spec,
        .sampler = sampler != NULL ? sampler->type->name : NULL,
        .rewards = family_of(session) != NULL ? family_of(session)->name : NULL,
        .kind = sampler != NULL ? xp_sampler_kind_name(sampler->type->kind) : NULL,
        .episodes = session->episodes,
        .observations = session->observations,
        .episodes_begun = session->begun,
        .within_episode = session->within,
        .segment =
            session->segment > 0 ? session->model->segments[session->segment - 1].name : NULL};
}

size_t xp_session_policies(xp_session *session, double *weight) {
    return session != NULL ? xp__agent_belief(session->agent, weight) : 0;
}
