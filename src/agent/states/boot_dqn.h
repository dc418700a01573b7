/* boot_dqn.h: Bootstrapped DQN, the body of boot_dqn and, where there are states, of experior_param
 * and experior_maxent, which differ only in where the first heads come from. */
#ifndef XP_AGENT_STATES_BOOT_DQN_H
#define XP_AGENT_STATES_BOOT_DQN_H

#include "agent/agent_type.h"

enum { XP__ACT_AUTO, XP__ACT_POSTERIOR, XP__ACT_UNIFORM }; /* values of a parameter `act` */

/* Values of a parameter `evidence`, and of a parameter `prior` beside it. auto: relative with the
 * last two, absolute with the first two. */
enum { XP__EVIDENCE_AUTO, XP__EVIDENCE_ABSOLUTE, XP__EVIDENCE_RELATIVE };
enum { XP__PRIOR_MODES, XP__PRIOR_MAX_ENTROPY, XP__PRIOR_MIXTURE, XP__PRIOR_UNION };

/* Parameters of the learner, for an agent's table. An agent may have `act`, `none` and `memory`
 * beside them: how the network that acts is chosen (mode_choice.h); and `evidence`: whether scales
 * of returns are given or learned. */
#define XP__BOOT_DQN_PARAMS                                                                        \
    XP__INTEGER("members", "heads of the ensemble", 1, 4096, 25),                                  \
        XP__INTEGER("hidden", "units in each of the two hidden layers", 1, 256, 50),               \
        XP__REAL("learning_rate", "step size of Adam online", 0, 1, 1e-3),                         \
        XP__INTEGER("batch", "transitions in an update", 1, 4096, 128),                            \
        XP__INTEGER("buffer", "transitions kept", 1, 1e7, 10000),                                  \
        XP__INTEGER("warmup", "steps before the first update", 1, 1e9, 128),                       \
        XP__INTEGER("target_every", "updates between copies of the networks to their targets", 1,  \
                    1024, 4),                                                                      \
        XP__REAL("noise", "standard deviation of each head's reward noise", 0, 1e6, 0.01),         \
        XP__REAL("mask", "probability with which a head learns from a transition", 0, 1, 1),       \
        XP__REAL("epsilon", "probability of a random action", 0, 1, 0)

size_t xp__boot_dqn_size(const xp__agent_setup *setup);
xp_status xp__boot_dqn_init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error);
void xp__boot_dqn_deinit(xp__agent *agent);
void xp__boot_dqn_reset(xp__agent *agent, xp_rng *rng);
void xp__boot_dqn_begin(xp__agent *agent, xp_rng *rng, const double *state);
size_t xp__boot_dqn_act(xp__agent *agent, xp_rng *rng, const double *state);
void xp__boot_dqn_observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition);
size_t xp__boot_dqn_action_law(xp__agent *agent, xp_rng *rng, const double *state, size_t draws,
                               double *probability);
size_t xp__boot_dqn_policies(xp__agent *agent, double *weight);
size_t xp__boot_dqn_belief(xp__agent *agent, double *weight);
size_t xp__boot_dqn_policy_action(xp__agent *agent, size_t policy, const double *state);
size_t xp__boot_dqn_acted(const xp__agent *agent);
void xp__boot_dqn_archive(xp__agent *agent, xp__archive *archive);

/* The functions of such an agent, for its const type. */
#define XP__BOOT_DQN_FUNCTIONS                                                                     \
    .has_states = true, .size = xp__boot_dqn_size, .init = xp__boot_dqn_init,                      \
    .deinit = xp__boot_dqn_deinit, .reset = xp__boot_dqn_reset, .begin = xp__boot_dqn_begin,       \
    .act = xp__boot_dqn_act, .observe = xp__boot_dqn_observe,                                      \
    .action_law = xp__boot_dqn_action_law, .policies = xp__boot_dqn_policies,                      \
    .belief = xp__boot_dqn_belief, .policy_action = xp__boot_dqn_policy_action,                    \
    .acted = xp__boot_dqn_acted, .archive = xp__boot_dqn_archive

#endif
