/* agent_type.h: what an implementation of an agent provides: one file src/agent/<name>.c with a
 * `const xp__agent_type xp__agent_<name>`. */
#ifndef XP_AGENT_AGENT_TYPE_H
#define XP_AGENT_AGENT_TYPE_H

#include "base/archive.h"
#include "agent/agent.h"
#include "reward/reward_type.h"

#define XP__LAW_FAILED SIZE_MAX

typedef struct xp__agent_type {
    const char *name;
    const char *summary;
    /* Raised by hand whenever the agent, or the prior or sampler that it uses, comes to act
     * differently: units of studies that an earlier revision computed are then computed again. */
    unsigned revision;
    const xp_param *params;
    size_t param_count;
    /* Prior it acts from, for these parameters, or NULL; NULL function: it needs none. With
     * has_states it is a prior over Q-functions. */
    const char *(*prior_method)(const xp__params *params);
    bool has_sampler; /* takes sampler= and the sampler's parameters */
    bool is_oracle;   /* its prior is the environment's own */
    bool needs_demos;
    bool has_states;     /* acts in environments with states; the others act in bandits only */
    bool needs_contexts; /* acts where the contexts can be listed, planning in setup.model */
    size_t (*size)(const xp__agent_setup *setup); /* bytes of the whole struct */
    xp_status (*init)(xp__agent *agent, const xp__agent_spec *spec, xp_error *error);
    void (*deinit)(xp__agent *agent); /* may be NULL */
    void (*reset)(xp__agent *agent, xp_rng *rng);
    /* An episode starts: draws what is held on to for all of it. NULL: nothing is. */
    void (*begin)(xp__agent *agent, xp_rng *rng, const double *state);
    size_t (*act)(xp__agent *agent, xp_rng *rng, const double *state);
    void (*observe)(xp__agent *agent, xp_rng *rng, const xp_transition *transition);
    /* Bandits: `trials` rewards of an action that add up to `sum`; NULL: only one by one. */
    void (*observe_rewards)(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                            double sum);
    /* The same with Σ reward², NAN if it is not known; NULL: the agent has no use for it. */
    void (*observe_squares)(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                            double sum, double squares);
    /* The family of rewards that it takes (reward/reward_type.h), which must have a type; NULL: it
     * takes any finite ones. */
    const xp__reward *(*rewards)(const xp__agent *agent);
    /* How many draws it is estimated from, 0: it is computed; XP__LAW_FAILED: its sampler gave up.
     * May use `rng`, and must leave all else as it is. NULL: deterministic act() that changes
     * nothing, so the law is a point mass. */
    size_t (*action_law)(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                         double *probability);
    /* As xp__agent_policies and xp__agent_policy_action; NULL: none. */
    size_t (*policies)(xp__agent *agent, double *weight);
    /* As xp__agent_belief; NULL: it would go on as it is. */
    size_t (*belief)(xp__agent *agent, double *weight);
    size_t (*policy_action)(xp__agent *agent, size_t policy, const double *state);
    /* As xp__agent_acted; NULL: it has one policy, or none to tell. */
    size_t (*acted)(const xp__agent *agent);
    const xp_sampler *(*sampler)(const xp__agent *agent); /* NULL: it has none */
    /* Mutable state, walked (base/archive.h); NULL: it never changes. */
    void (*archive)(xp__agent *agent, xp__archive *archive);
} xp__agent_type;

struct xp__agent {
    const xp__agent_type *type;
    xp__agent_setup setup;
    xp__params params;
};

extern const xp__agent_type *const xp__agent_types[];
extern const size_t xp__agent_type_count;

/* The agent of that name for environments with or without states; if there is none, the other one,
 * or NULL. */
const xp__agent_type *xp__agent_find(const char *name, bool states);

/* Refuses an environment in which agents of that type cannot act. */
xp_status xp__agent_check_env(const xp__agent_type *type, const xp_env_info *env, xp_error *error);

/* Walks all that the agent has learned online and holds for its episode (base/archive.h). One that
 * is read into was created from the same spec and setup; it need not have been reset. If the
 * archive fails the agent is good for xp__agent_destroy alone. */
void xp__agent_archive(xp__agent *agent, xp__archive *archive);

/* Bandits: `trials` rewards of an action that add up to `sum`, their squares to `squares`, NAN if
 * that is not known. Agents with no bulk form are told of
 * their mean so many times, if that is no more than XP__REWARDS_ONE_BY_ONE. False: too many at once
 * for this agent, or more than XP__REWARDS_AT_ONCE; nothing has changed. */
enum { XP__REWARDS_ONE_BY_ONE = 1000000 };
#define XP__REWARDS_AT_ONCE (UINT64_C(1) << 40)
bool xp__agent_observe_rewards(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                               double sum, double squares);

/* The empirical expert policy p̂ of a bandit, K probabilities: how often the demonstrations of the
 * agent's setup chose each action. Fails when there are no demonstrations. */
xp_status xp__agent_expert_policy(const xp__agent *agent, double *p, xp_error *error);

#endif
