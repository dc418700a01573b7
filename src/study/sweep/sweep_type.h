/* sweep_type.h: a sweep as it was read. All that it holds has been checked. */
#ifndef XP_STUDY_SWEEP_SWEEP_TYPE_H
#define XP_STUDY_SWEEP_SWEEP_TYPE_H

#include "base/params.h"
#include "experior/sweep.h"
#include "study/grid.h"

#include <sys/types.h>

enum { XP__SWEEP_SPEC = 200, XP__SWEEP_NAME = 64 };
/* Problems that select begin here; those that report end before. */
enum { XP__SWEEP_SELECTING = 1000000 };

typedef struct xp__sweep_env {
    char spec[XP__SWEEP_SPEC];
    xp__params params;
    uint64_t meaning; /* checksums of what specs say: equal if they say the same in other words */
    uint64_t kind;    /* likewise of what agents are tried in */
    size_t actions;
} xp__sweep_env;

typedef struct xp__sweep_expert {
    char spec[XP__SWEEP_SPEC];
    uint64_t meaning;
    xp__expert_entry entry;
} xp__sweep_expert;

/* A file that was read, by what stays the same under another name; zeroes: it was no file. */
typedef struct xp__sweep_input {
    dev_t device;
    ino_t inode;
} xp__sweep_input;
xp__sweep_input xp__sweep_input_at(const char *path);

/* A number of demonstrations, or a file, which is read once. Environments with different numbers of
 * actions have different demonstrations then: the same trajectories, and that number of actions. */
typedef struct xp__sweep_demos {
    char text[XP__SWEEP_SPEC];
    uint64_t count;
    xp__given_demos *given; /* the first as the file has it; NULL: they are drawn */
    size_t given_count, given_room;
    xp__sweep_input input;
} xp__sweep_demos;
void xp__sweep_demos_deinit(xp__sweep_demos *demos);
/* Those of the file for an environment with so many actions; NULL if they are drawn. */
const xp__given_demos *xp__sweep_given(const xp__sweep_demos *demos, size_t actions);

typedef struct xp__sweep_agent {
    char spec[XP__SWEEP_SPEC];
    uint64_t meaning;
    xp__agent_entry entry;
} xp__sweep_agent;

/* Successive halving. */
typedef struct xp__sweep_search {
    size_t rounds;   /* 0: no search */
    size_t problems; /* of the first round; each later one has twice as many */
    double keep;     /* share of the agents that goes on */
    bool by_return;  /* or by final regret */
} xp__sweep_search;

struct xp_sweep {
    char name[XP__SWEEP_NAME];
    char *text;
    xp__sweep_input input;
    xp__sweep_env *envs;
    size_t env_count, env_room;
    xp__sweep_expert *experts;
    size_t expert_count, expert_room;
    xp__sweep_demos *demos;
    size_t demos_count, demos_room;
    xp__sweep_agent *agents;
    size_t agent_count, agent_room;
    uint64_t *seeds;
    size_t seed_count, seed_room;
    size_t problems, tasks, episodes;
    bool has_states;
    xp__sweep_search search;
};

/* Refuses a directory whose report would be written over a file that the sweep was read from. */
xp_status xp__sweep_check_inputs(const xp_sweep *sweep, const char *directory, xp_error *error);

/* A setting is one of environments × experts × demonstrations. */
typedef struct xp__sweep_setting {
    size_t env, expert, demos;
} xp__sweep_setting;
size_t xp__sweep_settings(const xp_sweep *sweep);
xp__sweep_setting xp__sweep_setting_at(const xp_sweep *sweep, size_t index);

/* The grid of problems first .. first + count - 1 with all agents. Blocks come setting by setting,
 * agent by agent, seed by seed. */
xp_status xp__sweep_plan(const xp_sweep *sweep, size_t first, size_t count, xp__grid *grid,
                         xp_error *error);
size_t xp__sweep_block(const xp_sweep *sweep, size_t setting, size_t agent, size_t seed);
size_t xp__sweep_agent_of(const xp_sweep *sweep, size_t block);

/* The mean of what an agent is judged by in a setting, over problems and seeds: smaller is better.
 */
double xp__sweep_score(const xp_sweep *sweep, const xp__grid *grid, size_t setting, size_t agent);
/* Makes the result of a finished grid; `kept` says which agents are reported. */
xp_status xp__sweep_report(const xp_sweep *sweep, const xp__grid *grid, const bool *kept,
                           bool partial, xp_sweep_result *result, xp_error *error);

#endif
