/* agents.h: the agents of the paper's studies, so that all studies name them alike and share their
 * units. */
#ifndef XP_PAPER_AGENTS_H
#define XP_PAPER_AGENTS_H

#include "run/unit.h"

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

#endif
