/* replay.c: see replay.h. */
#include "agent/states/replay.h"

#include "base/budget.h"
#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>

xp_status xp__replay_init(xp__replay *replay, const xp__replay_options *options, xp_error *error) {
    assert(options->capacity > 0 && options->members > 0);
    const size_t capacity = options->capacity;
    *replay = (xp__replay){.options = *options};
    const size_t each = 2 * options->row_bytes + sizeof replay->actions[0] +
                        sizeof replay->rewards[0] + sizeof replay->ends[0] +
                        options->members * (sizeof replay->noises[0] + sizeof replay->keeps[0]);
    char what[64];
    (void)snprintf(what, sizeof what, "a buffer of %zu transitions", capacity);
    const xp_status status = xp__budget_check(capacity, each, what, "use a smaller buffer", error);
    if (status != XP_OK) {
        return status;
    }
    replay->states = xp__alloc(capacity, options->row_bytes);
    replay->next_states = xp__alloc(capacity, options->row_bytes);
    replay->actions = xp__alloc(capacity, sizeof replay->actions[0]);
    replay->rewards = xp__alloc(capacity, sizeof replay->rewards[0]);
    replay->ends = xp__alloc(capacity, sizeof replay->ends[0]);
    replay->noises = xp__alloc(capacity, options->members * sizeof replay->noises[0]);
    const bool masked = options->mask < 1;
    if (masked) {
        replay->keeps = xp__alloc(capacity, options->members * sizeof replay->keeps[0]);
    }
    if (replay->states == NULL || replay->next_states == NULL || replay->actions == NULL ||
        replay->rewards == NULL || replay->ends == NULL || replay->noises == NULL ||
        (masked && replay->keeps == NULL)) {
        xp__replay_deinit(replay);
        return xp__no_memory(error);
    }
    return XP_OK;
}

void xp__replay_deinit(xp__replay *replay) {
    xp__free(replay->states);
    xp__free(replay->next_states);
    xp__free(replay->actions);
    xp__free(replay->rewards);
    xp__free(replay->ends);
    xp__free(replay->noises);
    xp__free(replay->keeps);
    *replay = (xp__replay){.states = NULL};
}

void xp__replay_clear(xp__replay *replay) {
    replay->written = 0;
}

/* Noise and mask of a transition. */
static void draw_shares(xp__replay *replay, const xp_rng *stream, uint64_t serial) {
    const xp__replay_options *o = &replay->options;
    const size_t slot = xp__replay_slot(replay, serial);
    xp_rng rng = xp_rng_fork(stream, serial);
    float *noise = replay->noises + slot * o->members;
    for (size_t member = 0; member < o->members; member++) {
        noise[member] = (float)(o->noise * xp_rng_normal(&rng));
    }
    for (size_t member = 0; replay->keeps != NULL && member < o->members; member++) {
        replay->keeps[slot * o->members + member] = xp_rng_bernoulli(&rng, o->mask) ? 1 : 0;
    }
}

size_t xp__replay_add(xp__replay *replay, const xp_rng *stream) {
    const uint64_t serial = replay->written++;
    draw_shares(replay, stream, serial);
    return xp__replay_slot(replay, serial);
}

void xp__replay_archive(xp__replay *replay, const xp_rng *stream, const xp__state_input *input,
                        size_t actions, xp__archive *archive) {
    const size_t bytes = replay->options.row_bytes, capacity = replay->options.capacity;
    xp__archive_number(archive, &replay->written, UINT64_MAX / 4);
    const uint64_t first = replay->written > capacity ? replay->written - capacity : 0;
    for (uint64_t serial = first; serial < replay->written && archive->fault == NULL; serial++) {
        const size_t slot = xp__replay_slot(replay, serial);
        xp__state_input_archive(input, replay->states + slot * bytes, archive);
        XP__ARCHIVE(archive, replay->actions[slot]);
        xp__archive_check(archive, replay->actions[slot] < actions, "there is no such action");
        xp__archive_floats(archive, &replay->rewards[slot], 1, -FLT_MAX);
        xp__archive_bool(archive, &replay->ends[slot]);
        if (!replay->ends[slot]) {
            xp__state_input_archive(input, replay->next_states + slot * bytes, archive);
        }
        if (xp__archive_reading(archive)) {
            draw_shares(replay, stream, serial);
        }
    }
}

uint64_t xp__replay_draw(const xp__replay *replay, xp_rng *rng, size_t later) {
    const uint64_t end = replay->written + later, capacity = replay->options.capacity;
    const uint64_t oldest = end > capacity ? end - capacity : 0;
    assert(oldest < replay->written);
    return oldest + xp_rng_below(rng, replay->written - oldest);
}

enum { CACHE_LINE = 64 };

static void fetch(const void *from, size_t bytes) {
    const unsigned char *byte = from;
    for (size_t at = 0; at < bytes; at += CACHE_LINE) {
        __builtin_prefetch(byte + at);
    }
    __builtin_prefetch(byte + bytes - 1);
}

void xp__replay_fetch(const xp__replay *replay, uint64_t serial) {
    const xp__replay_options *o = &replay->options;
    const size_t slot = xp__replay_slot(replay, serial), shares = o->members * sizeof(float);
    fetch(replay->states + slot * o->row_bytes, o->row_bytes);
    fetch(replay->noises + slot * o->members, shares);
    if (replay->keeps != NULL) {
        fetch(replay->keeps + slot * o->members, shares);
    }
    __builtin_prefetch(&replay->actions[slot]);
    __builtin_prefetch(&replay->rewards[slot]);
}

void xp__replay_fetch_next(const xp__replay *replay, uint64_t serial) {
    const size_t slot = xp__replay_slot(replay, serial), bytes = replay->options.row_bytes;
    fetch(replay->next_states + slot * bytes, bytes);
    __builtin_prefetch(&replay->ends[slot]);
}
