/* agent.c: the registry of agents, and the calls that pass through to the implementation. */
#include "agent/agent_type.h"

#include "base/memory.h"
#include "prior/bandit/prior_type.h"

#include <assert.h>
#include <string.h>

const xp__agent_type *xp__agent_find(const char *name, bool states) {
    const xp__agent_type *other = NULL;
    for (size_t i = 0; i < xp__agent_type_count; i++) {
        const xp__agent_type *type = xp__agent_types[i];
        if (strcmp(type->name, name) == 0) {
            if (type->has_states == states) {
                return type;
            }
            other = type;
        }
    }
    return other;
}

xp_status xp__agent_check_env(const xp__agent_type *type, const xp_env_info *env, xp_error *error) {
    if (type->needs_contexts && env->contexts == 0) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "agent %s acts where the contexts can be listed; those of %.80s cannot",
                            type->name, env->name != NULL ? env->name : "the environment");
    }
    if (type->has_states || (env->state_size == 0 && env->horizon <= 1)) {
        return XP_OK;
    }
    return xp_error_set(error, XP_ERR_INPUT, "agent %s acts in bandits only; %.80s has %s",
                        type->name, env->name != NULL ? env->name : "the environment",
                        env->state_size > 0 ? "states" : "episodes of several steps");
}

xp_status xp__agent_create(const xp__agent_spec *spec, const xp__agent_setup *setup,
                           xp__agent **agent, xp_error *error) {
    *agent = NULL;
    const xp__agent_type *type = xp__agent_find(spec->name, spec->states);
    assert(type != NULL);
    assert(setup->env.name == NULL || setup->env.actions == setup->actions);
    xp_status status = xp__agent_check_env(type, &setup->env, error);
    if (status != XP_OK) {
        return status;
    }
    if (type->needs_contexts && setup->model == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "agent %s needs the environment as a model",
                            type->name);
    }
    if (type->needs_demos && setup->demos == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "agent %s needs demonstrations", type->name);
    }
    if (type->needs_demos && xp_demos_actions(setup->demos) > setup->actions) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "demonstrations have %zu actions but the environment has %zu",
                            xp_demos_actions(setup->demos), setup->actions);
    }
    if (spec->prior_method != NULL &&
        (spec->states ? setup->states_prior == NULL : setup->prior == NULL)) {
        return xp_error_set(error, XP_ERR_INPUT, "agent %s needs a prior", type->name);
    }
    if (setup->prior != NULL && xp_prior_arms(setup->prior) != setup->actions) {
        return xp_error_set(error, XP_ERR_INPUT, "the prior has %zu arms but there are %zu actions",
                            xp_prior_arms(setup->prior), setup->actions);
    }
    if (setup->env.rewards != NULL && setup->prior != NULL &&
        strcmp(setup->env.rewards, setup->prior->reward.type->name) != 0) {
        const bool may_differ = xp__params_has(&spec->prior_params, "rewards");
        return xp_error_set(
            error, XP_ERR_INPUT, "%s pays %s rewards but agent %s takes %s ones%s%s",
            setup->env.name, setup->env.rewards, type->name, setup->prior->reward.type->name,
            may_differ ? "; give it rewards=" : " only", may_differ ? setup->env.rewards : "");
    }
    xp__agent *made = xp__alloc(1, type->size(setup));
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->type = type;
    made->setup = *setup;
    made->params = spec->agent_params;
    status = type->init(made, spec, error);
    if (status != XP_OK) {
        xp__agent_destroy(made);
        return status;
    }
    *agent = made;
    return XP_OK;
}

void xp__agent_destroy(xp__agent *agent) {
    if (agent != NULL) {
        if (agent->type->deinit != NULL) {
            agent->type->deinit(agent);
        }
        xp__free(agent);
    }
}

void xp__agent_reset(xp__agent *agent, xp_rng *rng) {
    agent->type->reset(agent, rng);
}

size_t xp__agent_act(xp__agent *agent, xp_rng *rng, const double *state) {
    return agent->type->act(agent, rng, state);
}

void xp__agent_begin(xp__agent *agent, xp_rng *rng, const double *state) {
    if (agent->type->begin != NULL) {
        agent->type->begin(agent, rng, state);
    }
}

void xp__agent_observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    assert(transition->action < agent->setup.actions);
    agent->type->observe(agent, rng, transition);
}

size_t xp__agent_action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                            double *probability) {
    /* A stream of its own for where `rng` stands: it does not move, and what is drawn here says
     * nothing of what will be. */
    const xp_rng asking = xp_rng_fork(rng, UINT64_MAX);
    xp_rng own = xp_rng_fork(&asking, 2 * rng->block + rng->has_spare);
    if (agent->type->action_law != NULL) {
        return agent->type->action_law(agent, &own, state, draws, probability);
    }
    memset(probability, 0, agent->setup.actions * sizeof *probability);
    probability[agent->type->act(agent, &own, state)] = 1;
    return 0;
}

void xp__agent_archive(xp__agent *agent, xp__archive *archive) {
    if (agent->type->archive != NULL) {
        agent->type->archive(agent, archive);
    }
}

bool xp__agent_observe_rewards(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                               double sum, double squares) {
    assert(action < agent->setup.actions && agent->setup.env.state_size == 0);
    const bool bulk = agent->type->observe_rewards != NULL;
    if (trials > (bulk ? XP__REWARDS_AT_ONCE : XP__REWARDS_ONE_BY_ONE)) {
        return false;
    }
    if (bulk && trials > 0 && agent->type->observe_squares != NULL) {
        agent->type->observe_squares(agent, rng, action, trials, sum, squares);
    } else if (bulk && trials > 0) {
        agent->type->observe_rewards(agent, rng, action, trials, sum);
    }
    for (uint64_t i = 0; !bulk && i < trials; i++) {
        const xp_transition one = {
            .action = action, .reward = sum / (double)trials, .end = XP_TERMINATED};
        agent->type->observe(agent, rng, &one);
    }
    return true;
}

size_t xp__agent_policies(xp__agent *agent, double *weight) {
    return agent->type->policies != NULL ? agent->type->policies(agent, weight) : 0;
}

size_t xp__agent_belief(xp__agent *agent, double *weight) {
    return agent->type->belief != NULL ? agent->type->belief(agent, weight)
                                       : xp__agent_policies(agent, weight);
}

size_t xp__agent_policy_action(xp__agent *agent, size_t policy, const double *state) {
    return agent->type->policy_action(agent, policy, state);
}

size_t xp__agent_acted(const xp__agent *agent) {
    return agent->type->acted != NULL ? agent->type->acted(agent) : 0;
}

xp_status xp__agent_expert_policy(const xp__agent *agent, double *p, xp_error *error) {
    const xp_demos *demos = agent->setup.demos;
    const size_t seen = xp_demos_actions(demos);
    uint64_t *counts = xp__alloc(seen, sizeof *counts);
    if (counts == NULL) {
        return xp__no_memory(error);
    }
    xp_demos_action_counts(demos, counts);
    double total = 0;
    for (size_t action = 0; action < seen; action++) {
        total += (double)counts[action];
    }
    for (size_t action = 0; action < agent->setup.actions; action++) {
        p[action] = action < seen && total > 0 ? (double)counts[action] / total : 0;
    }
    xp__free(counts);
    return total > 0 ? XP_OK
                     : xp_error_set(error, XP_ERR_INPUT,
                                    "agent %s needs at least one demonstration", agent->type->name);
}
