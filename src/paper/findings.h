/* findings.h: sentences about what came out, made from the numbers of a grid and of the paper. */
#ifndef XP_PAPER_FINDINGS_H
#define XP_PAPER_FINDINGS_H

#include "paper/agents.h"
#include "study/summary.h"

/* What a reader has to know of a picture or table of bandits (xp__study_type.reading). */
#define XP__READ_REGRET                                                                            \
    "Regret is the reward lost by not always choosing the best arm; less is better. An axis with " \
    "ticks at 1, 10 and 100 is logarithmic. Oracle-TS is Thompson sampling with the true "         \
    "problem as prior, Naive-TS with the uniform prior. A difference is followed by its 95 % "     \
    "interval. "
#define XP__READ_GROUPS                                                                            \
    "Problems are grouped by the entropy of optimal experts' choices, which says how widely "      \
    "these are spread over the arms: low is below 0.8 bits, high above 1.6, mid in between. "      \
    "The group all is the plain mean over the selected problems; in the natural mix, groups "      \
    "are weighted by how often they occur."

/* The paper: one agent has less regret than another. Numbers are places in xp__agents. */
typedef struct xp__ordering {
    size_t lower, upper;             /* run as the paper's program did */
    size_t exact_lower, exact_upper; /* with exact inference; both the same: no such pair */
    const char *why;                 /* said if it does not hold; or NULL */
    bool why_exact;                  /* `why` is why exact inference overturns it: said only then */
} xp__ordering;

/* Adds a note on the agents that are run with more than their spec says (xp__agent_entry.settings).
 */
void xp__note_settings(xp__builder *builder, const xp__grid *grid);

/* Adds a finding on each ordering, from the numbers of the grid and of the paper. */
void xp__findings_on_orderings(xp__builder *builder, const xp__grid *grid,
                               const xp__ordering *orderings, size_t count, xp__measure measure,
                               xp__paper_lookup lookup);
/* Adds the finding that answers a study's question: what some agents (n of them) have over all
 * problems. */
void xp__finding_on_levels(xp__builder *builder, const xp__grid *grid, const size_t *agents,
                           size_t n, xp__measure measure);
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
