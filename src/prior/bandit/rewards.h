/* rewards.h: the family of rewards (reward/reward_type.h) as parameters of a prior. */
#ifndef XP_PRIOR_BANDIT_REWARDS_H
#define XP_PRIOR_BANDIT_REWARDS_H

#include "prior/bandit/prior_type.h"

#include "reward/reward_choices.h" /* generated: the registered families, bernoulli first */

#include <math.h>

/* Rows of a table of parameters. */
#define XP__REWARD_PARAMS                                                                          \
    {.name = "rewards",                                                                            \
     .summary = "what arms pay; see 'experior list rewards'",                                      \
     .kind = XP_PARAM_CHOICE,                                                                      \
     .low = 0,                                                                                     \
     .high = XP__REWARD_CHOICES_COUNT - 1,                                                         \
     .standard = 0,                                                                                \
     .choices = XP__REWARD_CHOICES,                                                                \
     .unsaid = true},                                                                              \
        {.name = "location",                                                                       \
         .summary = "mean of the arms' means, for rewards that have no bounds; learned if not "    \
                    "given",                                                                       \
         .kind = XP_PARAM_REAL,                                                                    \
         .low = -1e30,                                                                             \
         .high = 1e30,                                                                             \
         .standard = NAN,                                                                          \
         .unsaid = true},                                                                          \
        {.name = "scale",                                                                          \
         .summary = "standard deviation of the arms' means, for rewards that have no bounds; "     \
                    "learned if not given",                                                        \
         .kind = XP_PARAM_REAL,                                                                    \
         .low = 0,                                                                                 \
         .high = 1e30,                                                                             \
         .standard = NAN,                                                                          \
         .unsaid = true},                                                                          \
    {                                                                                              \
        .name = "noise",                                                                           \
        .summary = "standard deviation of a gaussian reward given its arm; learned if not given",  \
        .kind = XP_PARAM_REAL, .low = 0, .high = 1e30, .standard = NAN, .unsaid = true             \
    }

/* Sets prior->reward from those parameters, which `prior` must have. XP_ERR_INPUT if they do not go
 * together, or for families that are not binary if "beta" is finite or the reference is one for
 * means from 0 to 1. */
xp_status xp__prior_set_rewards(xp_prior *prior, xp_error *error);

#endif
