/* cells.h: sums by a triple of small numbers (segment, arm, expert): a hash table of what occurs.
 */
#ifndef XP_DEMOS_CHOICES_CELLS_H
#define XP_DEMOS_CHOICES_CELLS_H

#include "experior/base.h"

typedef struct xp__choice_cell {
    uint32_t segment, arm, expert;
    uint64_t count;
    double weight, square; /* sums of weights and of their squares */
    double place;          /* sum of the places of its rows among those of the segment, from 1 */
} xp__choice_cell;

typedef struct xp__choice_cells {
    size_t count;
    xp__choice_cell *cells; /* in the order of first appearance */
    /* The rest is private. */
    size_t room;
    uint32_t *slots; /* open addressing: cell + 1, or 0; a power of two of them */
    size_t slot_count;
} xp__choice_cells;

/* An empty table is all zeros. */
void xp__choice_cells_deinit(xp__choice_cells *cells);
/* The cell of a triple, made if there is none; NULL: out of memory. */
xp__choice_cell *xp__choice_cells_at(xp__choice_cells *cells, uint32_t segment, uint32_t arm,
                                     uint32_t expert);

#endif
