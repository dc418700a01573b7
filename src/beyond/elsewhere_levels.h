/* elsewhere_levels.h: what experts and random actions return in the tasks of the suite: the 1 and
 * the 0 of its scores. */
#ifndef XP_BEYOND_ELSEWHERE_LEVELS_H
#define XP_BEYOND_ELSEWHERE_LEVELS_H

#include "run/unit.h"

/* Mean returns in one task. */
typedef struct xp__levels {
    double expert, random;
} xp__levels;

/* Plays XP__LEVEL_EPISODES episodes of each in task `run` of the unit's problem, whose context is
 * drawn as it is for the agents. */
enum { XP__LEVEL_EPISODES = 100 };
xp_status xp__levels_measure(const xp__unit *unit, size_t run, xp__levels *levels, xp_error *error);

#endif
