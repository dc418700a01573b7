/* agreement.h: how our numbers stand to the paper's, cell by cell.
 *
 * A cell is equivalent if the 90 % interval of the difference lies within ± a margin (two one-sided
 * tests at 5 %, Schuirmann 1987); different if it is not and the 95 % interval leaves 0 out;
 * otherwise it is not decided. The standard error of the difference is √(ours² + theirs²), its law
 * taken as normal, since not all of the paper's numbers of problems are known; half a unit of the
 * last digit that the paper prints is taken off the difference for "different" and added for
 * "equivalent". A number that several cells share is to be added once. */
#ifndef XP_PAPER_AGREEMENT_H
#define XP_PAPER_AGREEMENT_H

#include "study/summary.h"

typedef enum xp__verdict { XP__EQUIVALENT, XP__DIFFERENT, XP__UNDECIDED, XP__VERDICTS } xp__verdict;

typedef struct xp__agreement {
    double margin, digit; /* the caller's: half a unit of the last printed digit */
    size_t count[XP__VERDICTS];
    char list[XP__VERDICTS][XP__LIST_TEXT]; /* of those that are not equivalent */
} xp__agreement;

xp__verdict xp__verdict_of(double ours, double ours_se, double theirs, double theirs_se,
                           double margin, double digit);
/* Adds a cell unless a number is not known. A standard error that is not known counts as 0. */
void xp__agreement_add(xp__agreement *all, const char *cell, const xp__mean *ours, double theirs,
                       double theirs_se);
/* A finding, if there is any cell: "Naive Boot-DQN against the paper, 8 distinct cells: …". */
void xp__agreement_report(const xp__agreement *all, const char *agent, const char *whom,
                          xp__builder *builder);

#endif
