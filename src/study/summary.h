/* summary.h: means, intervals and lines over the problems of a study. */
#ifndef XP_STUDY_SUMMARY_H
#define XP_STUDY_SUMMARY_H

#include "study/grid.h"
#include "study/result.h"

typedef enum xp__measure { XP__FINAL_REGRET, XP__REGRET_OVER_T } xp__measure;
extern const char *const xp__measure_name[];

/* What a mean is over: a group of xp__group_name, all problems alike, or all with each group
 * weighted by how common it is. */
enum { XP__ALL = XP__GROUPS, XP__NATURAL, XP__SUBSETS };
extern const char *const xp__subset_name[XP__SUBSETS];

#define XP__NO_BLOCK SIZE_MAX

/* A mean over problems. `se` is NAN for fewer than two. */
typedef struct xp__mean {
    size_t n;
    double mean, se;
    double degrees; /* of freedom, for the interval */
} xp__mean;

/* Sums of which a mean is made: Welford's update, in the order of the values. */
typedef struct xp__moments {
    size_t n;
    double mean, squares; /* squares: of the deviations from the mean, added up */
} xp__moments;
void xp__moments_add(xp__moments *sum, double value);
xp__mean xp__moments_mean(const xp__moments *sum);

xp__mean xp__mean_of(const double *value, size_t n);
/* Half the width of the 95 % interval: the t quantile times se. */
double xp__mean_margin(const xp__mean *mean);
/* +1: the interval lies above zero; -1: below; 0: it contains zero or is not known. */
int xp__mean_sign(const xp__mean *mean);
enum { XP__MEAN_TEXT = 96 };
/* "−24.67" from a number and a format for it; a minus sign is wider than a hyphen. `buffer` has
 * room for XP__MEAN_TEXT bytes; returns it. */
const char *xp__number_text(const char *format, double value, char *buffer);
/* Adds an item to a list, set apart by "; ". One that does not fit is left out whole, and "…" says
 * so: the list stays UTF-8 and below XP__LIST_TEXT bytes. */
enum { XP__LIST_TEXT = 800 };
void xp__list_add(char list[XP__LIST_TEXT], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "+0.05 [−0.20, 0.30]": the mean and its 95 % interval. `buffer` has room for XP__MEAN_TEXT bytes;
 * returns it. */
const char *xp__mean_text(const xp__mean *mean, char *buffer);

/* "3 of 30 [0.02, 0.27]": a count and the exact 95 % interval of its share, which speaks of single
 * catastrophes where a mean within so many standard errors cannot. `buffer` as above. */
const char *xp__count_text(size_t count, size_t of, char *buffer);

/* Mean of a block's measure over a subset, less that of block `minus` on the same problems unless
 * it is XP__NO_BLOCK. */
xp__mean xp__block_mean(const xp__grid *grid, size_t block, size_t minus, xp__measure measure,
                        size_t subset);
/* The same for the regret at a checkpoint. */
xp__mean xp__checkpoint_mean(const xp__grid *grid, size_t block, size_t checkpoint, size_t subset);

/* Adds a block's measure on each of its problems to the values, in `group`, or, if that is NULL, in
 * the group of the problem. */
void xp__values_add(xp__builder *builder, const xp__grid *grid, size_t block, xp__measure measure,
                    const char *group);

/* A least-squares line. */
typedef struct xp__line {
    double slope, slope_se, intercept, r2;
} xp__line;
xp__line xp__line_fit(const double *x, const double *y, size_t n);

/* A row for one mean; what it does not have is NAN. */
xp_study_row xp__study_row(const char *agent, const char *spec, const char *group,
                           const char *measure, const xp__mean *mean);
/* Adds the paired difference from the reference. */
void xp__study_row_compare(xp_study_row *row, const xp__mean *gap);

/* The paper's mean and standard error for an agent and a subset's name; NAN if it has none. */
typedef void (*xp__paper_lookup)(const xp__agent_entry *agent, const char *subset,
                                 xp__measure measure, double *mean, double *se);
/* Adds rows for the first `count` blocks and the first `subsets` subsets, with paired differences
 * from block `reference`. */
void xp__rows_by_subset(xp__builder *builder, const xp__grid *grid, size_t count, size_t subsets,
                        size_t reference, xp__measure measure, xp__paper_lookup lookup);
/* Adds the sentences on protocol and selection that every study shares. */
void xp__notes_on_protocol(xp__builder *builder, const xp__grid *grid, size_t set);

#endif
