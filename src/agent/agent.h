/* agent.h: agents: what acts online.
 *
 * An agent is asked for by a spec, "name" or "name:key=value,key=value": "experior_maxent",
 * "experior_maxent:beta=10,sampler=mcmc", "oracle_ts:sampler=sgld". A key belongs to the agent, to
 * the prior that the agent uses, or to its sampler, looked up in that order.
 *
 * An agent's name may stand for two ways to do the same thing: one in bandits, with a prior over
 * arm means (prior.h), and one where there are states, with a prior over Q-functions
 * (states_prior.h).
 */
#ifndef XP_AGENT_AGENT_H
#define XP_AGENT_AGENT_H

#include "base/params.h"
#include "experior/sampler.h"
#include "prior/states/states_prior.h"

typedef struct xp__agent xp__agent;

/* A parsed spec: plain data. */
typedef struct xp__agent_spec {
    const char *name;         /* the registered agent's */
    bool states;              /* it is the one for environments with states */
    const char *prior_method; /* prior it fits, or NULL: it needs none */
    const char *sampler;      /* "auto", or a sampler's name; NULL when it has no sampler */
    xp__params agent_params, prior_params, sampler_params;
} xp__agent_spec;

/* All that an agent is made from. Pointers must outlive it. */
typedef struct xp__agent_setup {
    size_t actions;
    size_t episodes;       /* how long it will act: schedules and confidence bounds use it */
    const xp_demos *demos; /* NULL if there are none */
    const xp_prior *prior; /* from xp__agent_prior_fit; NULL if the agent needs none */
    const xp__states_prior
        *states_prior;   /* from xp__agent_q_prior_fit; NULL if the agent needs none */
    xp_env_info env;     /* where it will act; left zero: a bandit */
    const xp_env *model; /* the family of tasks, for agents that plan in it; NULL if unknown */
} xp__agent_setup;

/* Reads a spec for an agent in an environment like `env`; NULL: in a bandit. */
xp_status xp__agent_spec_parse(const char *text, const xp_env_info *env, xp__agent_spec *spec,
                               xp_error *error);
/* Who watches a long fit and may stop it. */
typedef struct xp__fit_watch {
    xp_progress progress;
    void *context;
} xp__fit_watch;

/* The prior that the spec needs, over arm means or over Q-functions: fitted to `demos`, or, for the
 * oracle, taken from `env`, which may be NULL for the others, as may `watch`. `info` says where the
 * agent will act; where it cannot is refused. Both priors are NULL if the agent needs none. */
xp_status xp__agent_fit(const xp__agent_spec *spec, const xp_env_info *info, const xp_env *env,
                        const xp_demos *demos, const xp__fit_watch *watch, xp_rng *rng,
                        xp_prior **prior, xp__states_prior **states_prior, xp_error *error);
xp_status xp__agent_prior_fit(const xp__agent_spec *spec, const xp_env *env, const xp_demos *demos,
                              xp_rng *rng, xp_prior **prior, xp_error *error);
/* The same for an agent whose prior is over Q-functions; *prior is NULL if it has none. With `env`
 * NULL, states and actions are what the demonstrations tell of them (xp_demos_environment). */
xp_status xp__agent_q_prior_fit(const xp__agent_spec *spec, const xp_env *env,
                                const xp_demos *demos, xp_rng *rng, xp__states_prior **prior,
                                xp_error *error);
xp_status xp__agent_create(const xp__agent_spec *spec, const xp__agent_setup *setup,
                           xp__agent **agent, xp_error *error);
void xp__agent_destroy(xp__agent *agent); /* NULL is fine */

/* Starts a new task: forgets everything learned online. */
void xp__agent_reset(xp__agent *agent, xp_rng *rng);
/* An episode starts: draws what is held on to for all of it. One that is under way is over, as if
 * it had been cut off. It may be left out: act begins an episode if none is under way. */
void xp__agent_begin(xp__agent *agent, xp_rng *rng, const double *state);
size_t xp__agent_act(xp__agent *agent, xp_rng *rng, const double *state);
void xp__agent_observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition);
/* The probability of each action were it to act now; estimated from `draws` if it has no closed
 * form. Asking moves neither the agent nor `rng`, which says what is drawn for the estimate.
 * Returns how many draws the estimate is from; 0: it is computed. */
size_t xp__agent_action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                            double *probability);

/* The deterministic policies among which the agent would draw one for each episode, were it to
 * learn no more: their number, and the probability of each in `weight` unless it is NULL. An agent
 * that draws every action has one, its most likely actions. 0: it has none to tell. */
size_t xp__agent_policies(xp__agent *agent, double *weight);
/* The same policies, weighted by what an agent that goes on learning believes now: the probability
 * that each acts in its next episode, where there is no closed form estimated from draws of its
 * own. Asking changes nothing. */
size_t xp__agent_belief(xp__agent *agent, double *weight);
/* What such a policy does in a state. */
size_t xp__agent_policy_action(xp__agent *agent, size_t policy, const double *state);
/* The policy that acted in the latest episode in which the agent acted. */
size_t xp__agent_acted(const xp__agent *agent);

/* The bound of Theorem 1 (eq. succ-elim-bound) for expert policy p over K arms, as the authors plot
 * it: 2 sqrt(T ln T) Σ_{a≠a'} sqrt(q(1-q)) (sqrt(p_a) + sqrt(p_a')), q = p_a / (p_a + p_a'). */
double xp__successive_elimination_bound(const double *p, size_t arms, double episodes);

#endif
