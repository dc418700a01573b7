/* replay.h: the last transitions that an agent saw, shared by all heads of its ensemble.
 *
 * A ring indexed by serial number: transition n lies in slot n mod capacity until transition n +
 * capacity takes its place. What bootstrapping adds to a transition is drawn when it comes in and
 * kept with it: a reward noise for each head, and which heads learn from it. */
#ifndef XP_AGENT_STATES_REPLAY_H
#define XP_AGENT_STATES_REPLAY_H

#include "encode/state_input.h"
#include "experior/rng.h"

typedef struct xp__replay_options {
    size_t capacity, members, row_bytes;
    double noise; /* standard deviation of the reward noise */
    double mask;  /* probability with which a head learns from a transition */
} xp__replay_options;

typedef struct xp__replay {
    xp__replay_options options;
    uint64_t written;                    /* transitions ever added: the next serial number */
    unsigned char *states, *next_states; /* [capacity][row_bytes] */
    uint32_t *actions;                   /* [capacity] */
    float *rewards;                      /* [capacity] */
    bool *ends;                          /* [capacity]: the next state is terminal */
    float *noises;                       /* [capacity][members] */
    float *keeps; /* [capacity][members]: 1 where the head learns, else 0; NULL if mask is 1 */
} xp__replay;

xp_status xp__replay_init(xp__replay *replay, const xp__replay_options *options, xp_error *error);
void xp__replay_deinit(xp__replay *replay); /* also one that is all zero */
void xp__replay_clear(xp__replay *replay);

/* Makes room for the next transition and draws its noise and mask, which are a function of
 * (stream, serial number, head). Returns its slot; the caller fills in the rest. */
size_t xp__replay_add(xp__replay *replay, const xp_rng *stream);

/* Walks the transitions that are here (base/archive.h): rows of `input`, and fewer than `actions`
 * actions. Noise and masks are drawn again from the stream. */
void xp__replay_archive(xp__replay *replay, const xp_rng *stream, const xp__state_input *input,
                        size_t actions, xp__archive *archive);

/* A serial number, uniform on those that are here now and still will be after `later` more
 * additions; there must be one. */
uint64_t xp__replay_draw(const xp__replay *replay, xp_rng *rng, size_t later);

static inline size_t xp__replay_slot(const xp__replay *replay, uint64_t serial) {
    return (size_t)(serial % replay->options.capacity);
}

/* Asks the memory for a transition that is used soon: all but its next state, or what of its next
 * state there is. */
void xp__replay_fetch(const xp__replay *replay, uint64_t serial);
void xp__replay_fetch_next(const xp__replay *replay, uint64_t serial);

#endif
