/* watcher.h: somebody who watches a long call (xp_progress) and may ask it to stop. */
#ifndef XP_TESTS_WATCHER_H
#define XP_TESTS_WATCHER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct watcher {
    size_t calls, stop_at; /* the call that asks to stop; 0: none does */
    size_t done, total;    /* what was told last */
    bool fell;             /* it was once told less than before, or more than there is */
} watcher;

static inline int watcher_look(void *context, size_t done, size_t total) {
    watcher *self = context;
    self->fell = self->fell || done < self->done || done > total;
    self->done = done;
    self->total = total;
    return ++self->calls == self->stop_at;
}

#endif
