/* state_input.h: an environment's state as a row of network inputs.
 *
 * A number that takes n values becomes n inputs of which one is 1, or none when it is hidden (-1).
 * If there are only such numbers, and few of them, a row lists the inputs that are 1; otherwise it
 * is a dense vector, in which a real number is an input of its own, in the environment's unit or in
 * that of demonstrations (state_units.h). A bandit's one state is a single input that is always 1.
 */
#ifndef XP_ENCODE_STATE_INPUT_H
#define XP_ENCODE_STATE_INPUT_H

#include "base/archive.h"
#include "encode/state_units.h"
#include "experior/env.h"
#include "net/net.h"

typedef struct xp__state_input {
    size_t state_size;
    const size_t *categories; /* [state_size]: the environment's */
    size_t inputs;
    size_t hot;                   /* entries of a row that lists inputs; 0: rows are dense */
    size_t row_bytes;             /* a row is uint32_t[hot] or float[inputs] */
    const xp__state_units *units; /* of real numbers; NULL: the environment's */
} xp__state_input;

/* Fails when the inputs are more than a network can have. */
xp_status xp__state_input_init(xp__state_input *input, const xp_env_info *env, xp_error *error);
/* The first number of `state` that is not a value of its kind, or state_size if all are. */
size_t xp__state_input_fault(const xp__state_input *input, const double *state);
/* Writes the row of a valid state; rows of equal states are equal byte by byte. */
void xp__state_input_row(const xp__state_input *input, const double *state, void *row);
/* Walks a row (base/archive.h); one that no state has fails the archive if a network could not take
 * it. */
void xp__state_input_archive(const xp__state_input *input, void *row, xp__archive *archive);
/* `count` rows, one after the other, as a network takes them. */
xp__net_rows xp__state_input_rows(const xp__state_input *input, size_t count, const void *rows);

#endif
