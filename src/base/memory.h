/* memory.h: allocation. All functions return NULL on failure.
 *
 * Tests put an allocator of their own in place of the C library's, to count and to fail. That is
 * the library's only process-wide state, and no program can reach it. */
#ifndef XP_BASE_MEMORY_H
#define XP_BASE_MEMORY_H

#include "experior/base.h"

/* Where memory comes from. `reallocate` follows realloc; both may return NULL. */
typedef struct xp__allocator {
    void *(*reallocate)(void *context, void *block, size_t bytes);
    void (*release)(void *context, void *block);
    void *context;
} xp__allocator;

/* Uses `allocator` for all later allocations; NULL restores the C library's. Not thread-safe: for
 * tests, while nothing allocated by the library is alive. */
void xp__allocator_install(const xp__allocator *allocator);

void *xp__alloc(size_t count, size_t size); /* zeroed; NULL on overflow of count × size */
void *xp__realloc(void *block, size_t count, size_t size);
void xp__free(void *block);
char *xp__strdup(const char *text);

/* Fills `error` with the one sentence for running out of memory. */
xp_status xp__no_memory(xp_error *error);

#endif
