/* cells.c: an open-addressing hash table, at most half full. The numbers count what appears, so no
 * secret is needed to spread them. */
#include "demos/choices/cells.h"

#include "base/grow.h"

void xp__choice_cells_deinit(xp__choice_cells *cells) {
    xp__free(cells->cells);
    xp__free(cells->slots);
    *cells = (xp__choice_cells){.count = 0};
}

static size_t slot_of(const xp__choice_cells *cells, uint32_t segment, uint32_t arm,
                      uint32_t expert) {
    uint64_t hash = (uint64_t)segment * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ arm) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ expert) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(hash ^ hash >> 31) & (cells->slot_count - 1);
}

/* The slot of the triple: its own, or the empty one where it belongs. */
static size_t find(const xp__choice_cells *cells, uint32_t segment, uint32_t arm, uint32_t expert) {
    size_t slot = slot_of(cells, segment, arm, expert);
    for (; cells->slots[slot] != 0; slot = (slot + 1) & (cells->slot_count - 1)) {
        const xp__choice_cell *cell = &cells->cells[cells->slots[slot] - 1];
        if (cell->arm == arm && cell->segment == segment && cell->expert == expert) {
            break;
        }
    }
    return slot;
}

enum { FEWEST_SLOTS = 64 }; /* of a table that holds something */

static bool make_room(xp__choice_cells *cells) {
    xp__choice_cell *moved =
        xp__reserve(cells->cells, &cells->room, cells->count + 1, sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    cells->cells = moved;
    if (2 * (cells->count + 1) > cells->slot_count) {
        const size_t larger = cells->slot_count != 0 ? 2 * cells->slot_count : FEWEST_SLOTS;
        uint32_t *slots = xp__alloc(larger, sizeof *slots);
        if (slots == NULL) {
            return false;
        }
        xp__free(cells->slots);
        cells->slots = slots;
        cells->slot_count = larger;
        for (size_t i = 0; larger > FEWEST_SLOTS && i < cells->count; i++) {
            const xp__choice_cell *cell = &cells->cells[i];
            /* All below `count` are set. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
            cells->slots[find(cells, cell->segment, cell->arm, cell->expert)] = (uint32_t)(i + 1);
        }
    }
    return true;
}

xp__choice_cell *xp__choice_cells_at(xp__choice_cells *cells, uint32_t segment, uint32_t arm,
                                     uint32_t expert) {
    if (cells->slot_count != 0) {
        const size_t slot = find(cells, segment, arm, expert);
        if (cells->slots[slot] != 0) {
            return &cells->cells[cells->slots[slot] - 1];
        }
    }
    if (!make_room(cells)) {
        return NULL;
    }
    cells->cells[cells->count] =
        (xp__choice_cell){.segment = segment, .arm = arm, .expert = expert};
    cells->slots[find(cells, segment, arm, expert)] = (uint32_t)(cells->count + 1);
    return &cells->cells[cells->count++];
}
