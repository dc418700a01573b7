/* record.h: an episode as it was played, and what the agent believed before it.
 *
 * What an agent believes is told by its policies (xp__agent_belief): it draws one of them for the
 * episode, so the share of a cell is the probability that the plan it draws passes there. Plans are
 * followed by the rules that the learner knows (board.h); what is hidden does not cut them short.
 * For posterior sampling in Deep Sea the shares of the last row are the posterior of the goal. */
#ifndef XP_RUN_RECORD_H
#define XP_RUN_RECORD_H

#include "env/board.h"
#include "run/unit.h"

typedef struct xp__record {
    const char *agent; /* its spec */
    size_t episode;    /* from 1 */
    xp__board board;   /* with what was true in that episode */
    size_t length;     /* steps */
    size_t *cells;     /* length + 1: where it was before each step, and at the end */
    double total;      /* the return */
    size_t policies;   /* that the agent could have drawn; 0: it tells none */
    double effective;  /* as many equally likely ones are as uncertain: 1 / Σ weight² */
    double *shares;    /* rows × columns */
} xp__record;

/* A larger board is refused: a picture could not show its cells. */
enum { XP__RECORD_CELLS = 128 * 128 };

/* What to record: chosen episodes of one task, with a fitted agent. */
typedef struct xp__recording {
    const xp__problem *problem;
    const xp__fitted *fitted;
    const char *spec;
    size_t task;     /* its number, as in xp__episodes_run: it is met as every agent meets it */
    size_t episodes; /* that the agent expects to act for, T */
    const size_t *chosen; /* at least one, ascending, of 1 .. T; the run ends with the last */
    size_t count;
    /* Takes a record, which is its own only during the call. What it returns ends the run if it is
     * not XP_OK. */
    xp_status (*take)(void *context, const xp__record *record, xp_error *error);
    /* Before every episode; NULL: not wanted. */
    xp_status (*tick)(void *context, size_t episode, xp_error *error);
    void *context;
} xp__recording;

/* Refuses an environment that cannot be drawn. */
xp_status xp__record_check(const xp_env *env, xp_error *error);
xp_status xp__record_run(const xp__recording *what, xp_error *error);

#endif
