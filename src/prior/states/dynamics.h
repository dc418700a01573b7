/* dynamics.h: what the environment did in demonstrations, as a probability.
 *
 * The likelihood m_τ of a trajectory is of its actions alone. The trajectory has probability T_τ
 * m_τ, where T_τ is that of its first state and of every next state, or end, given state and
 * action. T is the same under every prior, so that no fit depends on it; but without it Σ_τ E[m_τ]
 * can be more than 1 where the environment is random, and a divergence from it negative. T is
 * estimated by the frequencies in the demonstrations, which of all T make the divergence least. */
#ifndef XP_PRIOR_STATES_DYNAMICS_H
#define XP_PRIOR_STATES_DYNAMICS_H

#include "encode/encoded_demos.h"

/* log T_τ of each distinct trajectory; exactly 0 where the environment leaves nothing to chance. */
xp_status xp__log_dynamics(const xp__encoded_demos *demos, double *log_probability,
                           xp_error *error);

#endif
