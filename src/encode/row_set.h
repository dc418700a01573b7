/* row_set.h: the distinct ones among rows of network inputs, numbered in order of first appearance,
 * so that no result depends on the hash that finds them. */
#ifndef XP_ENCODE_ROW_SET_H
#define XP_ENCODE_ROW_SET_H

#include "experior/base.h"

typedef struct xp__row_set {
    size_t row_bytes, room; /* room: rows that fit */
    size_t count;
    unsigned char *rows; /* [count][row_bytes] */
    uint32_t *slots;     /* 1 + number of a row; 0 is empty */
    size_t slot_count;   /* a power of two */
} xp__row_set;

xp_status xp__row_set_init(xp__row_set *set, size_t row_bytes, size_t room, xp_error *error);
void xp__row_set_deinit(xp__row_set *set); /* also one that is all zero */
void xp__row_set_clear(xp__row_set *set);
/* The number of the row; *is_new tells whether it was not there before. */
size_t xp__row_set_add(xp__row_set *set, const void *row, bool *is_new);
/* The number of the row, or `count` if it is not there. */
size_t xp__row_set_find(const xp__row_set *set, const void *row);

#endif
