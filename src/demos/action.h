/* action.h: an action as it is written: a name, or a whole number from 0. */
#ifndef XP_DEMOS_ACTION_H
#define XP_DEMOS_ACTION_H

#include "base/text/tokens.h"

/* The number of the action so written, one of `actions`; `names` is empty when actions are plain
 * numbers. The error names the text, and the known actions if they are few. */
xp_status xp__action_find(const xp__tokens *names, size_t actions, const char *text, size_t length,
                          size_t *action, xp_error *error);

#endif
