/* reward_params.h: a family of rewards as parameters of a prior. */
#ifndef XP_REWARD_REWARD_PARAMS_H
#define XP_REWARD_REWARD_PARAMS_H

#include "base/params.h"
#include "reward/reward_choices.h" /* generated: the registered families, bernoulli first */
#include "reward/reward_type.h"

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

/* The family that such parameters name. XP_ERR_INPUT if they do not go together, or for families
 * that are not binary if there is a parameter "beta" that is finite, or one for a reference of
 * means from 0 to 1. */
xp_status xp__reward_read(const xp__params *params, xp__reward *reward, xp_error *error);

#endif
