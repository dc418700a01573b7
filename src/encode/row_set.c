/* row_set.c: a hash table with linear probing, at most half full. */
#include "encode/row_set.h"

#include "base/budget.h"
#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

xp_status xp__row_set_init(xp__row_set *set, size_t row_bytes, size_t room, xp_error *error) {
    char what[96];
    (void)snprintf(what, sizeof what, "a table of %zu states of %zu bytes each", room, row_bytes);
    *set = (xp__row_set){.rows = NULL};
    const xp_status status = xp__budget_check(
        room, row_bytes, what, "use fewer steps, or states with fewer values", error);
    if (status != XP_OK) {
        return status;
    }
    assert(room > 0 && room < UINT32_MAX / 4);
    *set = (xp__row_set){.row_bytes = row_bytes, .room = room, .slot_count = 4};
    while (set->slot_count < 2 * room) {
        set->slot_count *= 2;
    }
    set->rows = xp__alloc(room, row_bytes);
    set->slots = xp__alloc(set->slot_count, sizeof set->slots[0]);
    if (set->rows == NULL || set->slots == NULL) {
        xp__row_set_deinit(set);
        return xp__no_memory(error);
    }
    return XP_OK;
}

void xp__row_set_deinit(xp__row_set *set) {
    xp__free(set->rows);
    xp__free(set->slots);
    *set = (xp__row_set){.rows = NULL};
}

void xp__row_set_clear(xp__row_set *set) {
    memset(set->slots, 0, set->slot_count * sizeof set->slots[0]);
    set->count = 0;
}

/* The slot of the row, or the empty one where it would be. */
static size_t slot_of(const xp__row_set *set, const void *row) {
    const size_t bytes = set->row_bytes;
    size_t slot = (size_t)xp__hash(0, row, bytes) & (set->slot_count - 1);
    while (set->slots[slot] != 0 &&
           memcmp(set->rows + (size_t)(set->slots[slot] - 1) * bytes, row, bytes) != 0) {
        slot = (slot + 1) & (set->slot_count - 1);
    }
    return slot;
}

size_t xp__row_set_add(xp__row_set *set, const void *row, bool *is_new) {
    const size_t slot = slot_of(set, row);
    *is_new = set->slots[slot] == 0;
    if (*is_new) {
        assert(set->count < set->room);
        memcpy(set->rows + set->count * set->row_bytes, row, set->row_bytes);
        set->slots[slot] = (uint32_t)++set->count;
    }
    return set->slots[slot] - 1;
}

size_t xp__row_set_find(const xp__row_set *set, const void *row) {
    const size_t slot = slot_of(set, row);
    return set->slots[slot] == 0 ? set->count : set->slots[slot] - 1;
}
