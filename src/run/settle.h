/* settle.h: on which of its policies an agent would settle if whole returns alone decided: one rule
 * for every agent, and what it returned at last as it acted. The runner keeps the record; the agent
 * only says which policy acted.
 *
 * The rule: of the policies that acted, the one whose mean return is best by its lower bound, two
 * standard errors below. Episodes count as recent: each episode of a policy forgets 1/MEMORY of the
 * policy's earlier ones, and each of all forgets 1/(MEMORY × policies) of everybody's, since a
 * policy that learns changes in others' episodes too. The variance of a policy's returns is its
 * own, with one episode's worth of that of all, so that two equal returns are no certainty. */
#ifndef XP_RUN_SETTLE_H
#define XP_RUN_SETTLE_H

#include "experior/base.h"

#include <stdbool.h>

typedef struct xp__settle {
    size_t policies;
    double *count, *mean, *square; /* of recent returns: their weight, mean, squares about it */
    double late, late_episodes;    /* sum and number of the last tenth's returns */
    double last;                   /* return of the last episode; NAN: there is none */
} xp__settle;

xp_status xp__settle_init(xp__settle *settle, size_t policies, xp_error *error);
void xp__settle_deinit(xp__settle *settle); /* also one that is all zero */
void xp__settle_clear(xp__settle *settle);

/* An episode of that policy came to its end and returned that much; `late`: it began in the last
 * tenth of the run. An agent without policies has the latter alone. */
void xp__settle_record(xp__settle *settle, size_t policy, double value, bool late);
/* The policy; `policies` if none acted. */
size_t xp__settle_choose(const xp__settle *settle);
/* Mean return of the last tenth; where it has no whole episode, that of the last one. NAN if there
 * is none at all. */
double xp__settle_late(const xp__settle *settle);

#endif
