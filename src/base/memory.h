/* memory.h: allocation through the installed xp_allocator. All return NULL on failure. */
#ifndef XP_BASE_MEMORY_H
#define XP_BASE_MEMORY_H

#include "experior/base.h"

void *xp__alloc(size_t count, size_t size); /* zeroed; NULL on overflow of count × size */
void *xp__realloc(void *block, size_t count, size_t size);
void xp__free(void *block);
char *xp__strdup(const char *text);

/* Fills `error` with the one sentence for running out of memory. */
xp_status xp__no_memory(xp_error *error);

#endif
