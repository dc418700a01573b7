/* prior_check.h: whether a prior that was read agrees with itself. */
#ifndef XP_PRIOR_BANDIT_PRIOR_CHECK_H
#define XP_PRIOR_BANDIT_PRIOR_CHECK_H

#include "prior/bandit/prior_type.h"

/* Names of actions: none is empty, no two are the same. */
xp_status xp__prior_check_names(const char *const *name, size_t arms, xp_error *error);
/* Weights, parameters and the result of the fit against the demonstrations; each field is valid by
 * itself. */
xp_status xp__prior_check(const xp_prior *prior, xp_error *error);

#endif
