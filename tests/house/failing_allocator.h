/* failing_allocator.h: an allocator whose n-th call fails, and which knows what is still alive; for
 * several threads. */
#ifndef XP_TESTS_HOUSE_FAILING_ALLOCATOR_H
#define XP_TESTS_HOUSE_FAILING_ALLOCATOR_H

#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct failing_allocator {
    atomic_size_t calls;
    size_t fail_at; /* the call with this number, from 0, and all later ones return NULL */
    atomic_long alive;
} failing_allocator;

static void *failing_reallocate(void *context, void *block, size_t bytes) {
    failing_allocator *self = context;
    if (self->calls++ >= self->fail_at) {
        return NULL;
    }
    self->alive += block == NULL ? 1 : 0;
    return realloc(block, bytes);
}

static void failing_release(void *context, void *block) {
    failing_allocator *self = context;
    self->alive -= block != NULL ? 1 : 0;
    free(block);
}

static inline void failing_allocator_install(failing_allocator *self, size_t fail_at) {
    self->fail_at = fail_at;
    atomic_init(&self->calls, 0);
    atomic_init(&self->alive, 0);
    const xp__allocator allocator = {failing_reallocate, failing_release, self};
    xp__allocator_install(&allocator);
}

#endif
