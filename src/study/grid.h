/* grid.h: what a study computes: blocks of units, one unit a problem. */
#ifndef XP_STUDY_GRID_H
#define XP_STUDY_GRID_H

#include "run/store.h"
#include "run/unit.h"

/* An agent entry made for a grid, with its text. */
enum { XP__AGENT_TEXT = 256 };
typedef struct xp__made_agent {
    xp__agent_entry entry;
    char label[XP__AGENT_TEXT], spec[XP__AGENT_TEXT];
} xp__made_agent;

/* One agent, taught by one expert, on all problems of a set. */
typedef struct xp__block {
    size_t set;
    const xp__expert_entry *expert;
    const xp__agent_entry *agent;
    size_t first;    /* its first unit */
    size_t episodes; /* if not 0: instead of the shape's; not where numbers of tasks are kept */
    uint64_t demonstrations;      /* if not 0: instead of the shape's */
    const xp__given_demos *given; /* if not NULL: instead of any that are drawn */
} xp__block;

/* How much is computed: to see that it runs, to see the picture, or as much as the paper. */
typedef enum xp__scale { XP__SMOKE, XP__QUICK, XP__PAPER, XP__SCALES } xp__scale;
extern const char *const xp__scale_name[XP__SCALES];

typedef struct xp__grid {
    uint64_t seed;
    xp__scale scale;
    size_t most; /* problems of a list or of a caller's, if not 0 */
    xp__shape shape;
    xp__problem_set *sets;
    size_t set_count, set_room;
    xp__block *blocks;
    size_t block_count, block_room;
    bool failed; /* memory ran out; xp__grid_complete says so */
    /* Made by xp__grid_complete. */
    xp__unit *units;          /* all units, block by block */
    size_t unit_count;        /* of all blocks */
    size_t *slot;             /* a unit's place among the distinct ones */
    size_t *distinct;         /* the unit that stands for each place */
    size_t distinct_count;    /* units that differ: what is computed */
    xp__unit_result *results; /* distinct_count */
    double *numbers; /* distinct_count × tasks × xp__shape_numbers; NULL if none are kept */
    xp__made_agent **made;
    size_t made_count, made_room;
    xp__expert_entry **experts;
    size_t expert_count, expert_room;
} xp__grid;

/* Adds a set of problems; *set is its number. */
xp_status xp__grid_select(xp__grid *grid, const xp__selection *selection, size_t *set,
                          xp_error *error);
/* Adds problems first .. first + count - 1 of an environment, grid->most of them at most. */
xp_status xp__grid_list(xp__grid *grid, const char *env, const xp__params *params, size_t first,
                        size_t count, size_t *set, xp_error *error);
/* The same of environments that `create` makes from `context` (run/problem.h). */
xp_status xp__grid_make(xp__grid *grid, const char *setting, xp__env_maker *create,
                        const void *context, size_t first, size_t count, size_t *set,
                        xp_error *error);
/* Copies an expert entry; the copy lives as long as the grid. NULL when memory ran out. */
const xp__expert_entry *xp__grid_expert(xp__grid *grid, const xp__expert_entry *expert);
/* Copies an agent entry with its label and spec; the copy lives as long as the grid. NULL when
 * memory ran out. */
const xp__agent_entry *xp__grid_agent(xp__grid *grid, const xp__agent_entry *agent);
/* Adds options, "key=value,…", to a spec; "" and NULL add nothing. */
void xp__spec_extend(char spec[XP__AGENT_TEXT], const char *options);
/* Adds a block; entries must outlive the grid. Returns its number; if memory ran out, the last
 * one's.
 */
size_t xp__grid_block(xp__grid *grid, size_t set, const xp__expert_entry *expert,
                      const xp__agent_entry *agent);
/* Lays out the units. Units with the same key are computed once. */
xp_status xp__grid_complete(xp__grid *grid, xp_error *error);
void xp__grid_deinit(xp__grid *grid);

/* The result of a block on the i-th problem of its set. */
const xp__unit_result *xp__grid_result(const xp__grid *grid, size_t block, size_t i);
/* The numbers kept of its tasks: tasks × xp__shape_numbers. */
const double *xp__grid_numbers(const xp__grid *grid, size_t block, size_t i);
/* The set of a block. */
const xp__problem_set *xp__grid_set(const xp__grid *grid, size_t block);
/* The first block of that entry; one must exist. */
size_t xp__grid_find(const xp__grid *grid, const xp__agent_entry *agent);

extern const xp__expert_entry xp__expert_optimal_entry;

#endif
