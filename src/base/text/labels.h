/* labels.h: distinct labels in order of appearance; the strings are borrowed. */
#ifndef XP_BASE_TEXT_LABELS_H
#define XP_BASE_TEXT_LABELS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct xp__labels {
    const char **name;
    size_t count, room;
} xp__labels;

bool xp__labels_add(xp__labels *labels, const char *name);          /* false: out of memory */
size_t xp__labels_find(const xp__labels *labels, const char *name); /* count if not there */
void xp__labels_deinit(xp__labels *labels);

#endif
