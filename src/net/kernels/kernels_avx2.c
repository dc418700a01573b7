/* kernels_avx2.c: the kernels for x86 processors with AVX2 and FMA. */
#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,fma"))),                  \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,fma")
#endif

#define VECTOR(name) vec_##name
#include "net/kernels/vector_avx2.h"

enum { LANES = 8, HALF = 0, SPARSE_PANEL = 64, DENSE_PANEL = 16, DENSE_ROWS = 6 };
typedef __m256 vec;

#define NO_HALF
#include "net/kernels/kernels_body.h"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const xp__net_kernels xp__net_kernels_avx2 = KERNELS("avx2");

#else
typedef int xp__net_no_avx2; /* a file must not be empty */
#endif
