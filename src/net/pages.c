/* pages.c: see pages.h. */
#define _DEFAULT_SOURCE /* madvise, which is not in POSIX */
#include "net/pages.h"

#if defined(__linux__)

#include <stdint.h>
#include <sys/mman.h>

void xp__net_large_pages(void *block, size_t bytes) {
    enum { PAGE = 4096 };
    const uintptr_t first = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = ((uintptr_t)block + bytes) / PAGE * PAGE;
    if (end > first) {
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
    }
}

#else

void xp__net_large_pages(void *block, size_t bytes) {
    (void)block;
    (void)bytes;
}

#endif
