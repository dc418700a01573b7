/* demos.c: demonstrations as a multiset of trajectories.
 *
 * Distinct trajectories lie one after another in two arrays (actions, states) and are found through
 * a hash table over their bytes. A new one is first written behind the last; if it turns out to be
 * known, only a count changes. */
#include "demos/action.h"
#include "demos/demos_type.h"

#include "base/check.h"
#include "base/grow.h"
#include "base/hash.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

xp_status xp_demos_create(size_t state_size, size_t actions, xp_demos **demos, xp_error *error) {
    XP__NOT_NULL(demos, error);
    *demos = NULL;
    const xp_status status = xp__count_check("state_size", state_size, 0, XP__MOST_THINGS, error);
    if (status != XP_OK) {
        return status;
    }
    if (actions > XP__ACTION_MAX) {
        return xp_error_set(error, XP_ERR_INPUT, "%zu actions are more than %d", actions,
                            XP__ACTION_MAX);
    }
    xp_demos *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->state_size = state_size;
    made->actions = actions;
    made->fixed = actions != 0;
    *demos = made;
    return XP_OK;
}

void xp_demos_destroy(xp_demos *demos) {
    if (demos != NULL) {
        xp__free(demos->entries);
        xp__free(demos->action);
        xp__free(demos->state);
        xp__free(demos->slots);
        xp__tokens_deinit(&demos->names);
        xp__free(demos);
    }
}

static uint64_t hash_of(const xp_demos *demos, size_t start, size_t length) {
    const uint64_t hash = xp__hash(0, demos->action + start, length * sizeof *demos->action);
    return demos->state_size == 0 ? hash
                                  : xp__hash(hash, demos->state + start * demos->state_size,
                                             length * demos->state_size * sizeof *demos->state);
}

static void place(xp_demos *demos, size_t index) {
    const size_t mask = demos->slot_count - 1;
    size_t slot = demos->entries[index].hash & mask;
    while (demos->slots[slot] != 0) {
        slot = (slot + 1) & mask;
    }
    demos->slots[slot] = (uint32_t)(index + 1);
}

static bool same_steps(const xp_demos *a, size_t a_start, const xp_demos *b, size_t b_start,
                       size_t length) {
    const size_t size = a->state_size;
    return memcmp(a->action + a_start, b->action + b_start, length * sizeof *a->action) == 0 &&
           (size == 0 || memcmp(a->state + a_start * size, b->state + b_start * size,
                                length * size * sizeof *a->state) == 0);
}

/* The entry of `demos` that equals the steps of `other` from `start`, or NULL. */
static xp__demos_entry *find(const xp_demos *demos, const xp_demos *other, size_t start,
                             size_t length, uint64_t hash) {
    if (demos->slot_count == 0) {
        return NULL;
    }
    const size_t mask = demos->slot_count - 1;
    for (size_t slot = hash & mask; demos->slots[slot] != 0; slot = (slot + 1) & mask) {
        xp__demos_entry *entry = &demos->entries[demos->slots[slot] - 1];
        if (entry->hash == hash && entry->length == length &&
            same_steps(demos, entry->start, other, start, length)) {
            return entry;
        }
    }
    return NULL;
}

/* Room for one more trajectory of `length` steps. */
static bool make_room(xp_demos *demos, size_t length) {
    const size_t steps = demos->used + length, size = demos->state_size;
    if (steps < length || (size != 0 && steps > SIZE_MAX / size) ||
        demos->distinct >= UINT32_MAX / 2) {
        return false;
    }
    uint32_t *action =
        xp__reserve(demos->action, &demos->action_room, steps, sizeof *demos->action);
    if (action == NULL) {
        return false;
    }
    demos->action = action;
    if (size != 0) {
        double *state =
            xp__reserve(demos->state, &demos->state_room, steps * size, sizeof *demos->state);
        if (state == NULL) {
            return false;
        }
        demos->state = state;
    }
    xp__demos_entry *entries = xp__reserve(demos->entries, &demos->entry_room, demos->distinct + 1,
                                           sizeof *demos->entries);
    if (entries == NULL) {
        return false;
    }
    demos->entries = entries;
    if (2 * (demos->distinct + 1) > demos->slot_count) {
        const size_t larger = demos->slot_count != 0 ? 2 * demos->slot_count : 16;
        uint32_t *slots = xp__alloc(larger, sizeof *slots);
        if (slots == NULL) {
            return false;
        }
        xp__free(demos->slots);
        demos->slots = slots;
        demos->slot_count = larger;
        for (size_t i = 0; i < demos->distinct; i++) {
            place(demos, i);
        }
    }
    return true;
}

/* Checks a trajectory and tells its largest action. */
static xp_status check(const xp_demos *demos, const double *states, const uint32_t *actions,
                       size_t length, uint64_t count, uint32_t *largest, xp_error *error) {
    if (length == 0) {
        return xp_error_set(error, XP_ERR_INPUT, "a demonstration has no steps");
    }
    if (count > XP__COUNT_MAX || length > XP__COUNT_MAX ||
        (count != 0 && length > (XP__COUNT_MAX - demos->steps) / count)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "count = %" PRIu64 " makes more than 2^53 steps in all", count);
    }
    for (size_t i = 0; i < length; i++) {
        *largest = actions[i] > *largest ? actions[i] : *largest;
    }
    const size_t end = demos->fixed || demos->names.count != 0 ? demos->actions : XP__ACTION_MAX;
    if (*largest >= end) {
        return xp_error_set(error, XP_ERR_INPUT, "action %" PRIu32 " is outside 0 .. %zu", *largest,
                            end - 1);
    }
    for (size_t i = 0; i < length * demos->state_size; i++) {
        if (!isfinite(states[i])) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "state %zu of step %zu = %g is not a finite number",
                                i % demos->state_size, i / demos->state_size, states[i]);
        }
    }
    return XP_OK;
}

xp_status xp_demos_add(xp_demos *demos, const double *states, const uint32_t *actions,
                       size_t length, uint64_t count, xp_error *error) {
    XP__NOT_NULL(demos, error);
    XP__NOT_NULL(actions, error);
    if (demos->state_size > 0) {
        XP__NOT_NULL(states, error);
    }
    uint32_t largest = 0;
    const xp_status status = check(demos, states, actions, length, count, &largest, error);
    if (status != XP_OK || count == 0) {
        return status;
    }
    if (!make_room(demos, length)) {
        return xp__no_memory(error);
    }
    const size_t start = demos->used;
    memcpy(demos->action + start, actions, length * sizeof *actions);
    for (size_t i = 0; i < length * demos->state_size; i++) {
        /* -0 + 0 is 0: equal states have equal bytes. */
        demos->state[start * demos->state_size + i] = states[i] + 0.0;
    }
    const uint64_t hash = hash_of(demos, start, length);
    xp__demos_entry *entry = find(demos, demos, start, length, hash);
    if (entry != NULL) {
        entry->count += count;
    } else {
        demos->entries[demos->distinct] = (xp__demos_entry){start, length, count, hash};
        demos->used += length;
        place(demos, demos->distinct++);
    }
    demos->count += count;
    demos->steps += count * length;
    demos->actions = largest >= demos->actions ? (size_t)largest + 1 : demos->actions;
    return XP_OK;
}

void xp__demos_relabel(xp_demos *demos, const uint32_t *map, size_t actions) {
    for (size_t i = 0; i < demos->used; i++) {
        demos->action[i] = map[demos->action[i]];
    }
    demos->actions = actions;
    for (size_t i = 0; i < demos->slot_count; i++) {
        demos->slots[i] = 0;
    }
    for (size_t i = 0; i < demos->distinct; i++) {
        xp__demos_entry *entry = &demos->entries[i];
        entry->hash = hash_of(demos, entry->start, entry->length);
        place(demos, i);
    }
}

bool xp__demos_equal(const xp_demos *a, const xp_demos *b) {
    if (a->state_size != b->state_size || a->count != b->count || a->distinct != b->distinct ||
        a->names.count != b->names.count) {
        return false;
    }
    for (size_t i = 0; i < a->names.count; i++) {
        if (strcmp(xp__tokens_text(&a->names, i), xp__tokens_text(&b->names, i)) != 0) {
            return false;
        }
    }
    for (size_t i = 0; i < a->distinct; i++) {
        const xp__demos_entry *entry = &a->entries[i];
        const xp__demos_entry *twin = find(b, a, entry->start, entry->length, entry->hash);
        if (twin == NULL || twin->count != entry->count) {
            return false;
        }
    }
    return true;
}

size_t xp_demos_actions(const xp_demos *demos) {
    return demos != NULL ? demos->actions : 0;
}

size_t xp_demos_state_size(const xp_demos *demos) {
    return demos != NULL ? demos->state_size : 0;
}

uint64_t xp_demos_count(const xp_demos *demos) {
    return demos != NULL ? demos->count : 0;
}

size_t xp_demos_distinct(const xp_demos *demos) {
    return demos != NULL ? demos->distinct : 0;
}

xp_trajectory xp_demos_trajectory(const xp_demos *demos, size_t index) {
    if (demos == NULL || index >= demos->distinct) {
        return (xp_trajectory){.states = NULL};
    }
    const xp__demos_entry *entry = &demos->entries[index];
    return (xp_trajectory){
        .states = demos->state_size != 0 ? demos->state + entry->start * demos->state_size : NULL,
        .actions = demos->action + entry->start,
        .length = entry->length,
        .count = entry->count,
    };
}

const char *xp_demos_action_name(const xp_demos *demos, size_t action) {
    return demos != NULL && action < demos->names.count ? xp__tokens_text(&demos->names, action)
                                                        : NULL;
}

xp_status xp_demos_action_find(const xp_demos *demos, const char *text, size_t *action,
                               xp_error *error) {
    XP__NOT_NULL(demos, error);
    XP__NOT_NULL(text, error);
    XP__NOT_NULL(action, error);
    return xp__action_find(&demos->names, demos->actions, text, strlen(text), action, error);
}

void xp_demos_action_counts(const xp_demos *demos, uint64_t *counts) {
    if (demos == NULL || counts == NULL) {
        return;
    }
    for (size_t i = 0; i < demos->actions; i++) {
        counts[i] = 0;
    }
    for (size_t i = 0; i < demos->distinct; i++) {
        const xp__demos_entry *entry = &demos->entries[i];
        for (size_t step = 0; step < entry->length; step++) {
            counts[demos->action[entry->start + step]] += entry->count;
        }
    }
}

xp_status xp_demos_declare_actions(xp_demos *demos, size_t actions, xp_error *error) {
    XP__NOT_NULL(demos, error);
    if (demos->names.count != 0 && actions > demos->names.count) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "there cannot be %zu actions: the demonstrations name %zu, and one "
                            "that they do not name has no name",
                            actions, demos->names.count);
    }
    if (actions > XP__ACTION_MAX) {
        return xp_error_set(error, XP_ERR_INPUT, "%zu actions are more than %d", actions,
                            XP__ACTION_MAX);
    }
    demos->actions = actions > demos->actions ? actions : demos->actions;
    return XP_OK;
}
