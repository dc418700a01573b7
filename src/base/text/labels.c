/* labels.c: see labels.h. They are few: every search is linear. */
#include "base/text/labels.h"

#include "base/grow.h"

#include <string.h>

bool xp__labels_add(xp__labels *labels, const char *name) {
    if (xp__labels_find(labels, name) < labels->count) {
        return true;
    }
    const char **name_list =
        xp__reserve(labels->name, &labels->room, labels->count + 1, sizeof *name_list);
    if (name_list == NULL) {
        return false;
    }
    labels->name = name_list;
    labels->name[labels->count++] = name;
    return true;
}

size_t xp__labels_find(const xp__labels *labels, const char *name) {
    size_t i = 0;
    while (i < labels->count && strcmp(labels->name[i], name) != 0) {
        i++;
    }
    return i;
}

void xp__labels_deinit(xp__labels *labels) {
    xp__free(labels->name);
    *labels = (xp__labels){.name = NULL};
}
