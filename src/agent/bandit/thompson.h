/* thompson.h: Thompson sampling with a prior and a posterior sampler: the body of oracle_ts,
 * naive_ts, experior_maxent and experior_param, which differ only in where the prior comes from. */
#ifndef XP_AGENT_BANDIT_THOMPSON_H
#define XP_AGENT_BANDIT_THOMPSON_H

#include "agent/agent_type.h"

size_t xp__thompson_size(const xp__agent_setup *setup);
xp_status xp__thompson_init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error);
void xp__thompson_deinit(xp__agent *agent);
void xp__thompson_reset(xp__agent *agent, xp_rng *rng);
size_t xp__thompson_act(xp__agent *agent, xp_rng *rng, const double *state);
void xp__thompson_observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition);
void xp__thompson_observe_rewards(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                                  double sum);
void xp__thompson_observe_squares(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                                  double sum, double squares);
const xp__reward *xp__thompson_rewards(const xp__agent *agent);
void xp__thompson_archive(xp__agent *agent, xp__archive *archive);
size_t xp__thompson_action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                               double *probability);

const xp_sampler *xp__thompson_sampler(const xp__agent *agent);

/* The functions of a Thompson agent, for its const type. */
#define XP__THOMPSON_FUNCTIONS                                                                     \
    .has_sampler = true, .rewards = xp__thompson_rewards, .size = xp__thompson_size,               \
    .init = xp__thompson_init, .deinit = xp__thompson_deinit, .reset = xp__thompson_reset,         \
    .act = xp__thompson_act, .observe = xp__thompson_observe,                                      \
    .observe_rewards = xp__thompson_observe_rewards,                                               \
    .observe_squares = xp__thompson_observe_squares, .sampler = xp__thompson_sampler,              \
    .action_law = xp__thompson_action_law, .archive = xp__thompson_archive

#endif
