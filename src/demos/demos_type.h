/* demos_type.h: what the files of this stage share: the multiset itself, how readers fill it, and
 * how it is written to a stream.
 *
 * Invariants: trajectories are distinct, listed in the order of their first appearance, not empty;
 * states are finite and never -0; counts, and the steps of all demonstrations together, are at most
 * 2^53, so that they are exact as doubles. */
#ifndef XP_DEMOS_DEMOS_TYPE_H
#define XP_DEMOS_DEMOS_TYPE_H

#include "experior/demos.h"

#include "base/text/lines.h"
#include "base/text/tokens.h"

#include <stdio.h>

enum {
    XP__ACTION_MAX = 1000000, /* actions are numbers below this */
    XP__ACTION_NAMES = 65536, /* distinct names */
    XP__ACTION_NAME_LENGTH = 1024
};
#define XP__COUNT_MAX (UINT64_C(1) << 53)

typedef struct xp__demos_entry {
    size_t start, length; /* actions [start, start + length), states from start × state_size */
    uint64_t count, hash;
} xp__demos_entry;

struct xp_demos {
    size_t state_size;
    size_t actions; /* number of actions so far */
    bool fixed;     /* the number was given: a larger action is an error */
    uint64_t count; /* demonstrations */
    uint64_t steps; /* of all demonstrations */
    xp__demos_entry *entries;
    size_t distinct, entry_room;
    uint32_t *action;
    size_t used, action_room; /* steps stored: of distinct trajectories */
    double *state;
    size_t state_room;
    uint32_t *slots; /* open addressing: entry + 1, or 0; a power of two of them */
    size_t slot_count;
    xp__tokens names; /* empty when actions are plain numbers */
};

/* Renames action a to map[a], which must be one to one and below `actions`. */
void xp__demos_relabel(xp_demos *demos, const uint32_t *map, size_t actions);
/* Whether both hold the same trajectories as often, with the same action names. The number of
 * actions is not compared: a CSV file cannot tell of actions that nobody took. */
bool xp__demos_equal(const xp_demos *a, const xp_demos *b);
/* A copy with at least as many actions, which may be told of more: `actions` of them. */
xp_status xp__demos_copy(const xp_demos *demos, size_t actions, xp_demos **copy, xp_error *error);
/* Writes to a stream; what stdio thinks of it is for the caller to ask. */
xp_status xp__demos_write(const xp_demos *demos, FILE *stream, xp_demos_format format,
                          xp_error *error);

/* xp_demos_draw, with every context drawn from a copy of `context`: all demonstrations are of the
 * same one. NULL: each from a stream of its own, as xp_demos_draw. */
xp_status xp__demos_draw_from(const xp_env *env, const xp_expert *expert, uint64_t count,
                              const xp_rng *context, xp_rng *rng, xp_demos **demos,
                              xp_error *error);

/* A file on its way into an xp_demos: actions are tokens, numbered as they appear, until the whole
 * file is read and it is known whether they are numbers or names. */
typedef struct xp__demos_loader {
    xp__lines lines;
    const xp_env_info *env; /* whose demonstrations they must be; NULL: anybody's */
    xp_demos *demos;        /* NULL until the size of a state is known */
    xp__tokens tokens;
    bool named;       /* a token was not a number */
    uint32_t *action; /* the trajectory being read */
    size_t length, action_room;
    double *state;
    size_t state_room;
} xp__demos_loader;

/* Adds a step with that action to the trajectory being read. */
xp_status xp__demos_loader_action(xp__demos_loader *loader, const char *text, size_t length,
                                  xp_error *error);
/* Room for the states of the trajectory's first `steps` steps. */
xp_status xp__demos_loader_states(xp__demos_loader *loader, size_t state_size, size_t steps,
                                  xp_error *error);
/* Checks, if an environment is given, the size of a state, and the one that step `step` has. */
xp_status xp__demos_loader_check_size(const xp__demos_loader *loader, size_t state_size,
                                      xp_error *error);
xp_status xp__demos_loader_check_state(const xp__demos_loader *loader, size_t state_size,
                                       size_t step, xp_error *error);
/* Ends the trajectory: it was seen `count` times. No times is a way to name actions. */
xp_status xp__demos_loader_end(xp__demos_loader *loader, size_t state_size, uint64_t count,
                               xp_error *error);

xp_status xp__demos_read_csv(xp__demos_loader *loader, xp_error *error);
xp_status xp__demos_read_jsonl(xp__demos_loader *loader, xp_error *error);
/* Reads a text file, or text in memory, into new demonstrations. */
xp_status xp__demos_load_text(const char *path, const xp_env_info *env, xp_demos **demos,
                              xp_error *error);
/* Reads what is left of a source that is open (table/source.h). */
struct xp__source;
xp_status xp__demos_load_source(struct xp__source *source, const xp_env_info *env, xp_demos **demos,
                                xp_error *error);
/* Reads an HDF5 file of episodes into new demonstrations, through the program experior-hdf5; says
 * so if that is not there. */
xp_status xp__demos_load_hdf5(const char *path, const xp_env_info *env, xp_demos **demos,
                              xp_error *error);
/* The second half of it: what the program sends (demos/hdf5_stream.h), from a descriptor.
 * `*broken`: it is not a whole stream, and `error` is not filled. */
xp_status xp__demos_read_hdf5(int stream, const char *path, const xp_env_info *env, uint64_t budget,
                              xp_demos **demos, bool *broken, xp_error *error);

/* Whether a path is an HDF5 file or a directory, which are read in other ways than text. */
bool xp__demos_is_dataset(const char *path);

/* What an environment can show, in sentences that name the value; the caller adds the place. */
xp_status xp__env_check_action(const xp_env_info *env, const char *text, size_t length,
                               xp_error *error);
xp_status xp__env_check_size(const xp_env_info *env, size_t state_size, xp_error *error);
xp_status xp__env_check_state(const xp_env_info *env, const double *state, size_t step,
                              xp_error *error);

#endif
