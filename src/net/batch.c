/* batch.c: draws collapsed into unique rows, found by a hash table with linear probing. Rows keep
 * the order of their first draw, so results do not depend on the hash. */
#include "net/net.h"

#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

xp_status xp__net_batch_init(xp__net_batch *batch, const xp__net *net, size_t room,
                             xp_error *error) {
    const xp__net_options *options = xp__net_get_options(net);
    assert(options->hot > 0 && room > 0);
    *batch = (xp__net_batch){
        .members = options->members,
        .hot = options->hot,
        .actions = options->actions,
        .room = room,
        .collapse = true,
        .slot_count = 4,
    };
    while (batch->slot_count < 2 * room) {
        batch->slot_count *= 2;
    }
    batch->rows = xp__alloc(room * batch->hot, sizeof batch->rows[0]);
    batch->counts = xp__alloc(room * batch->actions, sizeof batch->counts[0]);
    batch->targets = xp__alloc(room * batch->actions * batch->members, sizeof batch->targets[0]);
    batch->slots = xp__alloc(batch->slot_count, sizeof batch->slots[0]);
    if (batch->rows == NULL || batch->counts == NULL || batch->targets == NULL ||
        batch->slots == NULL) {
        xp__net_batch_deinit(batch);
        return xp__no_memory(error);
    }
    return XP_OK;
}

void xp__net_batch_deinit(xp__net_batch *batch) {
    xp__free(batch->rows);
    xp__free(batch->counts);
    xp__free(batch->targets);
    xp__free(batch->slots);
    *batch = (xp__net_batch){.rows = NULL};
}

void xp__net_batch_clear(xp__net_batch *batch) {
    const size_t cells = batch->count * batch->actions;
    memset(batch->counts, 0, cells * sizeof batch->counts[0]);
    memset(batch->targets, 0, cells * batch->members * sizeof batch->targets[0]);
    memset(batch->slots, 0, batch->slot_count * sizeof batch->slots[0]);
    batch->draws = batch->count = 0;
}

/* The row equal to `hot`, made if it is not there; 0 in a slot is empty. */
static size_t find_row(xp__net_batch *batch, const uint32_t *hot) {
    const size_t bytes = batch->hot * sizeof *hot;
    size_t slot = (size_t)xp__hash(0, hot, bytes) & (batch->slot_count - 1);
    while (batch->collapse && batch->slots[slot] != 0) {
        const size_t row = batch->slots[slot] - 1;
        if (memcmp(batch->rows + row * batch->hot, hot, bytes) == 0) {
            return row;
        }
        slot = (slot + 1) & (batch->slot_count - 1);
    }
    memcpy(batch->rows + batch->count * batch->hot, hot, bytes);
    batch->slots[slot] = (uint32_t)++batch->count;
    return batch->count - 1;
}

size_t xp__net_batch_add(xp__net_batch *batch, const uint32_t *hot, size_t action) {
    assert(batch->draws < batch->room && action < batch->actions);
    const size_t row = find_row(batch, hot);
    batch->draws++;
    batch->counts[row * batch->actions + action] += 1;
    return row;
}

xp__net_rows xp__net_batch_rows(const xp__net_batch *batch) {
    return (xp__net_rows){.count = batch->count, .hot = batch->rows};
}
