/* findings.h: sentences about what came out, made from the numbers of a grid and of the paper. */
#ifndef XP_PAPER_FINDINGS_H
#define XP_PAPER_FINDINGS_H

#include "paper/agents.h"
#include "study/summary.h"

/* The paper: one agent has less regret than another. Numbers are places in xp__agents. */
typedef struct xp__ordering {
    size_t lower, upper;             /* run as the paper's program did */
    size_t exact_lower, exact_upper; /* with exact inference; both the same: no such pair */
    const char *why;                 /* why it may fail to hold, said if it does; or NULL */
} xp__ordering;

/* Adds a finding on the ordering, from the numbers of the grid and of the paper. */
void xp__finding_on_ordering(xp__builder *builder, const xp__grid *grid,
                             const xp__ordering *ordering, xp__measure measure,
                             xp__paper_lookup lookup);
/* Adds a finding that says how an agent stands to the reference over all problems. */
void xp__finding_on_gap(xp__builder *builder, const xp__grid *grid, size_t agent, size_t reference,
                        xp__measure measure);
/* Adds a finding that splits the gap between the first agent and the reference into what goes away
 * at each step along `agents` (n of them). */
void xp__finding_on_causes(xp__builder *builder, const xp__grid *grid, const size_t *agents,
                           size_t n, size_t reference, xp__measure measure);

/* Adds a finding that counts, for each of the first `count` blocks with values in the paper, the
 * groups in which it agrees with the paper within two standard errors of the difference. */
void xp__finding_on_agreement(xp__builder *builder, const xp__grid *grid, size_t count,
                              xp__measure measure, xp__paper_lookup lookup);

#endif
