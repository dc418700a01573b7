/* kernels_avx512.c: the kernels for x86 processors with AVX-512. */
#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#ifdef __clang__
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx2,bmi,bmi2,popcnt,fma,avx512f,avx512vl,avx512dq"))),                 \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,fma,avx512f,avx512vl,avx512dq")
#endif

#include "net/kernels/vector_avx512.h"

#include "net/kernels/kernels_body.h"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const xp__net_kernels xp__net_kernels_avx512 = KERNELS("avx512");

#else
typedef int xp__net_no_avx512; /* a file must not be empty */
#endif
