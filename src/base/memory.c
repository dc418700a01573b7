/* memory.c: allocation through the installed allocator, which is the C library's but in tests. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void *system_reallocate(void *context, void *block, size_t bytes) {
    (void)context;
    return realloc(block, bytes);
}

static void system_release(void *context, void *block) {
    (void)context;
    free(block);
}

static const xp__allocator system_allocator = {system_reallocate, system_release, NULL};
static xp__allocator installed = {system_reallocate, system_release, NULL};

void xp__allocator_install(const xp__allocator *allocator) {
    installed = allocator != NULL ? *allocator : system_allocator;
}

void *xp__realloc(void *block, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    const size_t bytes = count * size;
    return installed.reallocate(installed.context, block, bytes != 0 ? bytes : 1);
}

void *xp__alloc(size_t count, size_t size) {
    if (installed.reallocate == system_reallocate) {
        /* Zeros that are never touched cost nothing. */
        return calloc(count != 0 && size != 0 ? count : 1, count != 0 && size != 0 ? size : 1);
    }
    void *block = xp__realloc(NULL, count, size);
    if (block != NULL) {
        memset(block, 0, count * size);
    }
    return block;
}

void xp__free(void *block) {
    if (block != NULL) {
        installed.release(installed.context, block);
    }
}

void xp_release(void *block) {
    xp__free(block);
}

char *xp__strdup(const char *text) {
    const size_t bytes = strlen(text) + 1;
    char *copy = xp__realloc(NULL, bytes, 1);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

xp_status xp__no_memory(xp_error *error) {
    return xp_error_set(error, XP_ERR_MEMORY, "out of memory");
}
