/* mode_networks.h: a network for each of several policies over demonstrated states, and draws.
 *
 * Each policy (mode_sets.h) gets a network of its own random start, a draw from the reference mu0,
 * moved by Adam just far enough to follow the policy: until every action of it has probability at
 * least 0.9^(1/H) under Assumption 1, so that a demonstration of H steps has likelihood 0.9 or
 * more. On demonstrated states where the policy is silent it is held where it started: a draw of
 * mu0 projected on the policy.
 *
 * That network stands for the policy when it acts. Learners start from draws of the prior instead,
 * each projected from a start of its own: copies of a likely policy's one network would all learn
 * the same. */
#ifndef XP_PRIOR_STATES_MODE_NETWORKS_H
#define XP_PRIOR_STATES_MODE_NETWORKS_H

#include "prior/states/mode_sets.h"
#include "prior/states/states_prior_type.h"

/* Parameters of the fit, for a prior's table. */
#define XP__MODE_NETWORKS_PARAMS(beta)                                                             \
    XP__INTEGER("draws", "networks drawn from the prior, for heads to start from", 1, 4096, 25),   \
        XP__STATES_PRIOR_HIDDEN, XP__STATES_PRIOR_BETA_OF(beta),                                   \
        XP__REAL("followed",                                                                       \
                 "a network follows a demonstration if its likelihood is at least this", 0.01,     \
                 0.999, 0.9),                                                                      \
        XP__REAL(                                                                                  \
            "hold",                                                                                \
            "how strongly networks are held at their initial values in other demonstrated states", \
            0, 1e6, 1),                                                                            \
        XP__INTEGER("fit_steps", "largest number of training steps per network", 0, 1e6, 1000),    \
        XP__REAL("fit_rate", "step size of Adam in training", 0, 1, 1e-3)

/* Fills in networks, draws, weights, the fit's result and, where states come again, the steps that
 * were shown. Takes sets->weight over. With more than `most_rows` states in a policy, each step of
 * training takes that many of them in turn; 0: always all. */
xp_status xp__mode_networks_fit(xp__states_prior *prior, const xp__encoded_demos *demos,
                                xp__mode_sets *sets, size_t most_rows, const xp_rng *rng,
                                xp_error *error);

/* The same parts of a prior type. */
xp_status xp__mode_networks_restore(xp__states_prior *prior, const xp__tensor_file *file,
                                    xp__encoded_demos *demos, xp_error *error);
void xp__mode_networks_deinit(xp__states_prior *prior);

#endif
