/* failing_allocator.h: an allocator whose n-th call fails, and which knows what is still alive; for
 * several threads. */
#ifndef XP_TESTS_HOUSE_FAILING_ALLOCATOR_H
#define XP_TESTS_HOUSE_FAILING_ALLOCATOR_H

#include "base/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct failing_allocator {
    atomic_size_t calls;
    size_t fail_at; /* the call with this number, from 0, and all later ones return NULL */
    bool once;      /* only that call */
    atomic_long alive;
} failing_allocator;

static void *failing_reallocate(void *context, void *block, size_t bytes) {
    failing_allocator *self = context;
    const size_t call = self->calls++;
    if (self->once ? call == self->fail_at : call >= self->fail_at) {
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
    self->once = false;
    atomic_init(&self->calls, 0);
    atomic_init(&self->alive, 0);
    const xp__allocator allocator = {failing_reallocate, failing_release, self};
    xp__allocator_install(&allocator);
}

/* Runs a flow, which makes things and destroys them all, with memory that runs out at its n-th
 * allocation, once or from there on, for n = 0, 1, 2… (256 of them, then ever larger steps) until
 * it gets through. Returns how often it failed; 0 if it did anything else than fail with
 * XP_ERR_MEMORY and leave nothing behind. */
static inline size_t failing_allocator_try(xp_status (*flow)(void *context), void *context) {
    size_t failures = 0;
    for (int once = 0; once < 2; once++) {
        xp_status status = XP_ERR_MEMORY;
        for (size_t n = 0; status != XP_OK; n += n < 256 ? 1 : n / 16) {
            failing_allocator allocator;
            failing_allocator_install(&allocator, n);
            allocator.once = once == 1;
            status = flow(context);
            xp__allocator_install(NULL);
            const bool failed = allocator.calls > n;
            if (status != (failed ? XP_ERR_MEMORY : XP_OK) || allocator.alive != 0) {
                (void)printf("  allocation %zu of %zu: status %d, %ld blocks left\n", n,
                             (size_t)allocator.calls, (int)status, (long)allocator.alive);
                return 0;
            }
            failures += failed;
        }
    }
    return failures;
}

#endif
