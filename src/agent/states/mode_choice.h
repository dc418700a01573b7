/* mode_choice.h: which network acts in an episode: one of the fixed networks of a prior over
 * Q-functions, its modes, or one of the heads that learn; by posterior sampling on the returns of
 * the episodes so far (evidence.h; docs/method/modes.md).
 *
 * Modes that have not been told apart are one hypothesis: one that was not tried belongs to the
 * first tried one with which it agrees in every state of all that one's episodes. It would have
 * returned the same, so it shares the evidence and lends its prior probability, until an episode
 * tells them apart.
 *
 * An episode of a mode is strange if it has a step that no demonstration shows. */
#ifndef XP_AGENT_STATES_MODE_CHOICE_H
#define XP_AGENT_STATES_MODE_CHOICE_H

#include "agent/states/evidence/evidence.h"
#include "prior/states/states_prior.h"
#include "prior/states/shown_steps.h"

typedef struct xp__mode_choice_options {
    size_t heads;
    double none, same;         /* as in evidence.h */
    double resolution, memory; /* as in evidence.h */
    bool relative;             /* as in evidence.h */
} xp__mode_choice_options;

typedef struct xp__mode_choice {
    const xp__net *modes;
    size_t count; /* of modes */
    double *prior;
    bool *alike; /* [count][count]: the second did as the first in all states of its episodes */
    const xp__shown_steps *shown; /* NULL: not known */
    unsigned char *scratch;       /* for a step */
    bool strange;                 /* this episode so far */
    xp__evidence evidence;
} xp__mode_choice;

/* `prior` must outlive it. */
xp_status xp__mode_choice_init(xp__mode_choice *choice, const xp__mode_choice_options *options,
                               const xp__states_prior *prior, xp_error *error);
void xp__mode_choice_deinit(xp__mode_choice *choice); /* also one that is all zero */
void xp__mode_choice_clear(xp__mode_choice *choice);

/* Walks what was seen so far (base/archive.h). */
void xp__mode_choice_archive(xp__mode_choice *choice, xp__archive *archive);

/* The policy for the next episode: a mode, or `count` + a head. */
size_t xp__mode_choice_draw(const xp__mode_choice *choice, xp_rng *rng);
/* The one with which an agent that learns no more stays. */
size_t xp__mode_choice_settled(const xp__mode_choice *choice);
/* The probability of each policy in the next episode, estimated from so many draws. */
void xp__mode_choice_law(const xp__mode_choice *choice, xp_rng *rng, size_t draws,
                         double *probability);
/* What a mode does in rows[0] in its episode; takes note of the modes that do otherwise. */
size_t xp__mode_choice_act(xp__mode_choice *choice, size_t mode, const xp__net_rows *rows);
/* What came of an action, in rows of network inputs; `next` NULL: the episode ended. */
void xp__mode_choice_see(xp__mode_choice *choice, const void *state, size_t action,
                         const void *next);
/* The episode of that policy is over: its return, and between what its rewards lay. */
void xp__mode_choice_end(xp__mode_choice *choice, size_t policy, double value, double least,
                         double most);

#endif
