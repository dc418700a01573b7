/* lake.h: what Table 3 and the study that tunes its agents share: settings of Frozen Lake, and rows
 * on what policies are worth in the end. */
#ifndef XP_PAPER_LAKE_H
#define XP_PAPER_LAKE_H

#include "study/runs.h"

/* A cell of Table 3: what the learner sees, how many hazard squares, how competent the experts. */
typedef struct xp__lake_setting {
    bool shown; /* mdp: the learner sees the hazard */
    size_t hazards;
    double beta;
    bool own; /* experts show the learner's own set of squares, instead of one each */
} xp__lake_setting;

/* "pomdp, n = 9, β = 2.5". `text` has room for XP__LAKE_TEXT bytes; returns it. */
enum { XP__LAKE_TEXT = 64 };
const char *xp__lake_text(const xp__lake_setting *setting, char *text);
/* Its expert; beta must be one of the paper's. */
const xp__expert_entry *xp__lake_expert(const xp__lake_setting *setting);
/* Adds problems first .. first + count - 1 with its environment, unless the grid has them: then
 * *set is the number of those. */
xp_status xp__lake_problems(xp__grid *grid, const xp__lake_setting *setting, size_t first,
                            size_t count, size_t *set, xp_error *error);
/* The number of the paper's table; NAN if it has none. */
double xp__lake_paper(const char *agent, const xp__lake_setting *setting, const char *column);

/* What is asked of a run's end. */
enum {
    XP__LAKE_EXACT,
    XP__LAKE_ESTIMATE,
    XP__LAKE_VOTE,
    XP__LAKE_NEAR,
    XP__LAKE_SHORTFALL,
    XP__LAKE_OPTIMAL,
    XP__LAKE_SETTLED,
    XP__LAKE_NEAR_SETTLED,
    XP__LAKE_ACTING,
    XP__LAKE_QUESTIONS
};
extern const xp__question xp__lake_question[XP__LAKE_QUESTIONS];
extern const char *const xp__lake_measure[XP__LAKE_QUESTIONS]; /* of those that have rows */

/* An agent's row; `reference` is the block of the agent that differences are from, or XP__NO_BLOCK.
 * Nothing is added if the agent cannot tell (its mean is NAN). */
void xp__lake_row(const xp__grid *grid, xp__builder *builder, size_t block, size_t reference,
                  size_t question, const xp__lake_setting *setting, const char *paper_agent);
/* Adds the sentences on the protocol. */
void xp__lake_notes(const xp__grid *grid, xp__builder *builder);

#endif
