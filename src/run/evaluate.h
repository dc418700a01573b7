/* evaluate.h: what an agent's policy is worth once it has stopped learning (the paper, Table 3). */
#ifndef XP_RUN_EVALUATE_H
#define XP_RUN_EVALUATE_H

#include "agent/agent_type.h"
#include "run/settle.h"

/* Doubles only: the store keeps them as such. What cannot be told is NAN. */
typedef struct xp__evaluation {
    double exact;    /* expected return of an episode, mean over the agent's policies by weight */
    double vote;     /* the same of the one policy that takes, in each state, the action with most
                        weight; the first of equals */
    double optimal;  /* the best expected return that a learner can have in the task */
    double estimate; /* mean return of the episodes that ended within the steps of the evaluation */
    double episodes; /* how many ended */
    double settled;  /* expected return of the one policy on which it would settle by returns, the
                        same rule for every agent (settle.h) */
    double acting;   /* mean return of the last tenth of the run, as it acted and learned */
} xp__evaluation;

enum { XP__EVALUATION_NUMBERS = sizeof(xp__evaluation) / sizeof(double) };

/* Evaluates the agent on the task in which it has learned: exactly, and over `steps` steps in which
 * a policy drawn by its weight acts for each episode. The agent observes nothing. `record` is what
 * its episodes returned; `state` is scratch for one state. An agent that cannot tell its policies
 * has NAN for what needs them. */
xp_status xp__evaluate(xp__agent *agent, xp_task *task, xp_rng *rng, size_t steps, size_t horizon,
                       const xp__settle *record, double *state, double *evaluation,
                       xp_error *error);

#endif
