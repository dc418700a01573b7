/* grow.h: room for arrays that grow by doubling. */
#ifndef XP_BASE_GROW_H
#define XP_BASE_GROW_H

#include "base/memory.h"

/* Makes room for `need` items of `size` bytes; `*room` is how many fit now. Returns the block,
 * moved or not, or NULL: then the old block and its room are as they were. */
static inline void *xp__reserve(void *block, size_t *room, size_t need, size_t size) {
    if (need <= *room && block != NULL) {
        return block;
    }
    size_t larger = *room >= 8 ? *room : 8;
    while (larger < need) {
        if (larger > SIZE_MAX / 2) {
            return NULL;
        }
        larger *= 2;
    }
    void *moved = xp__realloc(block, larger, size);
    if (moved != NULL) {
        *room = larger;
    }
    return moved;
}

#endif
