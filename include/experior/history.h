/* history.h: what a learner has done and received so far in one task: actions with their rewards.
 *
 * Files are tables of any dialect that choices.h reads, with a header, or JSON with these keys:
 *
 *     action,reward              one decision per row; a row without its reward is pending
 *     action,trials,successes    `trials` decisions, of which `successes` paid 1 and the others 0
 *     action,trials,sum          `trials` decisions, and the sum of their rewards
 *
 * Other columns are ignored. An empty file, or one with only a header, is the history before the
 * first decision. A history never changes and may be shared by threads. */
#ifndef EXPERIOR_HISTORY_H
#define EXPERIOR_HISTORY_H

#include "experior/base.h"

typedef struct xp_history xp_history;

/* Reads a file; its format is told from its content, "-" is standard input. There are `actions`
 * actions, written as `names` has them, or as numbers from 0 if `names` is NULL. Errors name file,
 * line and value. */
XP_API xp_status xp_history_load(const char *path, size_t actions, const char *const *names,
                                 xp_history **history, xp_error *error);
/* Reads from memory (`name` stands for the file in messages). */
XP_API xp_status xp_history_parse(const char *text, size_t bytes, const char *name, size_t actions,
                                  const char *const *names, xp_history **history, xp_error *error);
/* Frees the history; NULL is fine. */
XP_API void xp_history_destroy(xp_history *history);

XP_API size_t xp_history_count(const xp_history *history); /* decisions so far */
/* Number of the action of a decision; SIZE_MAX if there is none such. */
XP_API size_t xp_history_action(const xp_history *history, size_t index);
/* Reward of a decision; NAN if there is none such. */
XP_API double xp_history_reward(const xp_history *history, size_t index);
/* Rows whose reward is still to come; they are no decisions yet. */
XP_API uint64_t xp_history_pending(const xp_history *history);
/* Whether some rewards are known by their sum only. They are given as rewards that are as equal as
 * whole numbers can be, zeros and ones in [0, 1]: the sum is right, the spread is not. */
XP_API bool xp_history_summed(const xp_history *history);
/* Checks that every reward is 0 or 1; the error names file, line and value of the first that is
 * not. */
XP_API xp_status xp_history_require_binary(const xp_history *history, xp_error *error);

#endif
