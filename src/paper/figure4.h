/* figure4.h: what the plan of Figure 4 (figure4.c) and its sentences (figure4_findings.c) share. */
#ifndef XP_PAPER_FIGURE4_H
#define XP_PAPER_FIGURE4_H

#include "study/runs.h"

/* Where the goal may be. */
enum { XP__SEA_LAST, XP__SEA_QUARTER, XP__SEA_HALF, XP__SEA_ANY, XP__SEA_GOALS };
extern const char *const xp__sea_goal_name[XP__SEA_GOALS];

enum {
    XP__SEA_NAIVE,
    XP__SEA_PARAM,
    XP__SEA_MAXENT_AUTHORS,
    XP__SEA_MAXENT,
    XP__SEA_POSTERIOR,
    XP__SEA_EXPLORE,
    XP__SEA_AGENTS
};

/* The block of an agent with a goal distribution, and what the agent is called. */
size_t xp__sea_block(const xp__grid *grid, size_t goal, size_t agent);
const char *xp__sea_label(size_t agent);

/* The authors' mean return over a window and its standard error over their 30 seeds; false if they
 * have none, or if this grid's Deep Sea is not the paper's. */
bool xp__sea_paper(const xp__grid *grid, size_t goal, size_t agent, xp__window window, double *mean,
                   double *se);

/* Mean return of an agent over a window, less that of agent `minus` (XP__SEA_AGENTS: of none). */
xp__spread xp__sea_return(const xp__grid *grid, size_t goal, size_t agent, size_t minus,
                          xp__window window);

/* Adds the sentences. */
void xp__sea_findings(const xp__grid *grid, xp__builder *builder);

#endif
