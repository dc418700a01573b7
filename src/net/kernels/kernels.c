/* kernels.c: which kernels this processor runs, and how it treats subnormal numbers. */
#include "net/kernels/kernels.h"

#include <string.h>

#if defined(__x86_64__)

#include <immintrin.h>

static const xp__net_kernels *supported(const xp__net_kernels *kernels) {
    if (kernels == &xp__net_kernels_avx512) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma")
                   ? kernels
                   : NULL;
    }
    if (kernels == &xp__net_kernels_avx2) {
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? kernels : NULL;
    }
    return kernels;
}

static const xp__net_kernels *const all[] = {&xp__net_kernels_avx512, &xp__net_kernels_avx2,
                                             &xp__net_kernels_portable};

unsigned xp__net_flush_begin(void) {
    enum { FLUSH_RESULTS = 1 << 15, FLUSH_OPERANDS = 1 << 6 };
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | FLUSH_RESULTS | FLUSH_OPERANDS);
    return saved;
}

void xp__net_flush_end(unsigned saved) {
    _mm_setcsr(saved);
}

#else

static const xp__net_kernels *supported(const xp__net_kernels *kernels) {
    return kernels;
}

static const xp__net_kernels *const all[] = {&xp__net_kernels_portable};

unsigned xp__net_flush_begin(void) {
    return 0;
}

void xp__net_flush_end(unsigned saved) {
    (void)saved;
}

#endif

const xp__net_kernels *xp__net_kernels_named(const char *name) {
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (name == NULL || strcmp(name, all[i]->name) == 0) {
            const xp__net_kernels *found = supported(all[i]);
            if (found != NULL || name != NULL) {
                return found;
            }
        }
    }
    return NULL;
}
