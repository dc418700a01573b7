/* study_type.h: what a study provides: one file src/paper/<name>.c, or src/beyond/<name>.c for what
 * the paper does not ask, with a `const xp__study_type xp__study_<name>`.
 *
 * A study declares a grid (problems, experts and agents) and later turns the grid's finished units
 * into rows, series and sentences. Running, storing and resuming are not its business. */
#ifndef XP_STUDY_STUDY_TYPE_H
#define XP_STUDY_STUDY_TYPE_H

#include "study/grid.h"
#include "study/result.h"

typedef struct xp__study_type {
    const char *name;
    const char *summary;
    const char *title;
    const char *question; /* that it answers; its first finding is the answer */
    const char *reading;  /* what its groups, measures and axes mean, for who sees them first */
    unsigned order;       /* its place in a report, from 1; 0: after those, by name */
    bool in_paper;        /* a figure or table of the paper */
    bool has_states;      /* of environments with states */
    /* Raised by hand whenever the study comes to compute its units differently, in ways that their
     * keys do not say: units of an earlier revision are then computed again. */
    unsigned revision;
    const char *reference; /* label of the agent that differences are from; NULL: there are none */
    /* Declares what is to be computed; grid->scale says how much. */
    xp_status (*plan)(xp__grid *grid, xp_error *error);
    /* Says what came out. */
    void (*report)(const xp__grid *grid, xp__builder *builder);
} xp__study_type;

extern const xp__study_type *const xp__study_types[];
extern const size_t xp__study_type_count;
/* NULL if there is none of that name. */
const xp__study_type *xp__study_find(const char *name);

#endif
