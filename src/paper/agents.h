/* agents.h: the agents of the paper's studies, so that all studies name them alike and share their
 * units, and what such studies plan alike. */
#ifndef XP_PAPER_AGENTS_H
#define XP_PAPER_AGENTS_H

#include "study/grid.h"

enum {
    XP__ORACLE,
    XP__ORACLE_SGLD,
    XP__ORACLE_SGLD_JACOBIAN,
    XP__MAXENT,
    XP__MAXENT_10,
    XP__MAXENT_AUTHORS,
    XP__MAXENT_AUTHORS_SGLD,
    XP__PARAM,
    XP__PARAM_SGLD,
    XP__GAMMA,
    XP__GAMMA_SGLD,
    XP__NORMAL,
    XP__NORMAL_SGLD,
    XP__NAIVE,
    XP__NAIVE_SGLD,
    XP__UCB,
    XP__UCB_EXPLORE,
    XP__CLONING,
    XP__ELIMINATION,
    XP__AGENTS
};

extern const xp__agent_entry xp__agents[XP__AGENTS];

/* The first block of an agent, a place in xp__agents; one must exist. */
size_t xp__agents_block(const xp__grid *grid, size_t agent);
/* Plans what Figures 2 and 3a and Table 2 share: these agents (places in xp__agents) on problems of
 * ten arms, as many of each entropy group as the scale asks for, taught by optimal experts. */
xp_status xp__agents_compare(xp__grid *grid, const size_t *agents, size_t count, xp_error *error);

#endif
