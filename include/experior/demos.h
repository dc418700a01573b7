/* demos.h: demonstrations: what experts did. States and actions; no rewards, no contexts.
 *
 * They are held as a multiset: distinct trajectories with their counts. Every prior of the paper
 * depends on the demonstrations only through that (identical trajectories share one dual variable),
 * and millions of demonstrations of a bandit take no more memory than a few.
 *
 * Files are read in one pass:
 *
 *     CSV     demonstration,step,state…,action   one step per line; the names of state columns
 *                                                begin with "state"; the rows of a demonstration
 *                                                stand together, steps count up from 0 (or 1)
 *             action                             one action per line; the header may be left out
 *             action,count                       the same, counted
 *     JSONL   {"actions": […], "states": [[…], …], "count": n}      one trajectory per line; states
 *             {"action": …, "count": n}                             and count may be left out
 *     HDF5    episode_<n>/observations, episode_<n>/actions         as Minari writes them; nothing
 *                                                                   else in the file is read
 *
 * Actions are whole numbers, at least 0 and below a million, or names: if any is not such a number,
 * all are names, numbered in order of first appearance. A count of 0 declares an action that nobody
 * took. A line has at most 1 MiB, a name 1024 bytes, a file 65,536 names; all steps together are at
 * most 2^53.
 *
 * While they are added to, named or declared, demonstrations belong to one thread; otherwise any
 * number of threads may read them. */
#ifndef EXPERIOR_DEMOS_H
#define EXPERIOR_DEMOS_H

#include "experior/expert.h"

typedef struct xp_demos xp_demos;

typedef enum xp_demos_format { XP_DEMOS_CSV, XP_DEMOS_JSONL } xp_demos_format;

/* One distinct trajectory; the arrays belong to the xp_demos and are valid until it is added to. */
typedef struct xp_trajectory {
    const double *states;    /* length × state_size */
    const uint32_t *actions; /* length */
    size_t length;
    uint64_t count; /* how many demonstrations are this one */
} xp_trajectory;

/* Empty demonstrations of `state_size` numbers per state, at most 2^24; `actions` is the number of
 * actions, or 0 to take it from the largest seen. */
XP_API xp_status xp_demos_create(size_t state_size, size_t actions, xp_demos **demos,
                                 xp_error *error);
/* Frees the demonstrations and the trajectories that they handed out; NULL is fine. */
XP_API void xp_demos_destroy(xp_demos *demos);

/* Adds `count` demonstrations of one trajectory: `length` actions and the states they were taken in
 * (length × state_size finite numbers; NULL if state_size is 0). On failure nothing changes. */
XP_API xp_status xp_demos_add(xp_demos *demos, const double *states, const uint32_t *actions,
                              size_t length, uint64_t count, xp_error *error);

XP_API size_t xp_demos_actions(const xp_demos *demos);    /* number of actions */
XP_API size_t xp_demos_state_size(const xp_demos *demos); /* numbers in a state */
XP_API uint64_t xp_demos_count(const xp_demos *demos);    /* demonstrations, with repetitions */
XP_API size_t xp_demos_distinct(const xp_demos *demos);   /* distinct trajectories */
/* One of the distinct trajectories; all zero if the index is out of range. */
XP_API xp_trajectory xp_demos_trajectory(const xp_demos *demos, size_t index);
/* Name of an action, or NULL when actions are plain numbers or there is none such. */
XP_API const char *xp_demos_action_name(const xp_demos *demos, size_t action);
/* Number of the action so written (a name, or a number), checked against the range. */
XP_API xp_status xp_demos_action_find(const xp_demos *demos, const char *text, size_t *action,
                                      xp_error *error);
/* Names the actions, one per action, copied. Refuses a name that is missing, empty, too long or
 * given twice; then nothing changes. */
XP_API xp_status xp_demos_name_actions(xp_demos *demos, const char *const *names, xp_error *error);
/* How often each action was taken over all steps; `counts` has xp_demos_actions() entries. */
XP_API void xp_demos_action_counts(const xp_demos *demos, uint64_t *counts);
/* Declares that there are at least `actions` actions (arms that no demonstration chose). */
XP_API xp_status xp_demos_declare_actions(xp_demos *demos, size_t actions, xp_error *error);

/* What the demonstrations say about the environment in which they were given: its actions, its
 * states and the longest episode. A state number that is always a whole number from -1 to 65,535 is
 * taken to be categorical, any other to be real; `categories` (state_size entries, the caller's)
 * says which and is pointed to by the result. */
XP_API xp_env_info xp_demos_environment(const xp_demos *demos, size_t *categories);

/* Draws `count` demonstrations: each a fresh task of `env`, shown by `expert` for one episode. Each
 * has its own stream: a smaller `count` gives the first of the same demonstrations. */
XP_API xp_status xp_demos_draw(const xp_env *env, const xp_expert *expert, uint64_t count,
                               xp_rng *rng, xp_demos **demos, xp_error *error);

/* Reads a file; its format is told from its content. "-" is standard input (of text); a directory
 * is a Minari dataset. Errors name file, line (or episode) and value. HDF5 is read by a process of
 * its own (the program experior-hdf5), started and waited for here. Threads may load at once. */
XP_API xp_status xp_demos_load(const char *path, xp_demos **demos, xp_error *error);
/* The same for demonstrations of a known environment: an action that it does not have, a state of
 * another size and a state that it cannot be in are errors of the file, at their line or episode,
 * and there are as many actions as the environment has. */
XP_API xp_status xp_demos_load_for(const char *path, const xp_env_info *env, xp_demos **demos,
                                   xp_error *error);
/* Reads from memory (`name` stands for the file in messages). */
XP_API xp_status xp_demos_parse(const char *text, size_t bytes, const char *name, xp_demos **demos,
                                xp_error *error);
/* Writes a file whole or not at all; loading it gives the same multiset. CSV has every step of
 * every demonstration (at most 10^9), JSONL each trajectory once, with its count; only JSONL keeps
 * actions that nobody took. */
XP_API xp_status xp_demos_save(const xp_demos *demos, const char *path, xp_demos_format format,
                               xp_error *error);

#endif
