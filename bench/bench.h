/* bench.h: what benchmarks share: processor time, which what else runs on the machine does not
 * count towards, and what a core could reach: the rate of fused multiply-adds, and that of reading
 * what does not fit into its own caches, which does depend on what else runs. */
#ifndef XP_BENCH_BENCH_H
#define XP_BENCH_BENCH_H

#include "experior/base.h"
#include "net/kernels/kernels.h"
#include "net/pages.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Ends a benchmark whose preparation failed. */
static inline void check(xp_status status, const xp_error *error) {
    if (status != XP_OK) {
        (void)fprintf(stderr, "benchmark: %s\n", error->message);
        exit(1);
    }
}

/* GB/s of reading 16 MiB again and again, about what the records of 25 heads of Deep Sea take: the
 * mean of 100 times, 0 without the memory. */
static inline double read_rate(void) {
    enum { WORDS = 2 << 20, ROUNDS = 100 };
    const size_t bytes = WORDS * sizeof(uint64_t);
    uint64_t *words = malloc(bytes);
    if (words == NULL) {
        return 0;
    }
    xp__net_large_pages(words, bytes);
    memset(words, 1, bytes);
    volatile uint64_t sink = 0;
    const double start = now();
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < WORDS; i++) {
            sum += words[i];
        }
        sink = sink + sum;
    }
    const double spent = now() - start;
    free(words);
    return ROUNDS * (double)bytes / spent * 1e-9;
}

#if defined(__x86_64__)

#include <immintrin.h>

enum { FMA_CHAINS = 12, FMA_LOOPS = 2000000 };

/* GFLOP/s of independent fused multiply-adds in registers. */
__attribute__((target("avx512f"))) static inline double fma_rate512(void) {
    __m512 x[FMA_CHAINS];
    for (int i = 0; i < FMA_CHAINS; i++) {
        x[i] = _mm512_set1_ps(1.0F + (float)i);
    }
    const __m512 a = _mm512_set1_ps(0.999F), b = _mm512_set1_ps(0.001F);
    const double start = now();
    for (int n = 0; n < FMA_LOOPS; n++) {
        for (int i = 0; i < FMA_CHAINS; i++) {
            x[i] = _mm512_fmadd_ps(x[i], a, b);
        }
    }
    const double spent = now() - start;
    volatile float sink = 0;
    for (int i = 0; i < FMA_CHAINS; i++) {
        sink = sink + _mm512_cvtss_f32(x[i]);
    }
    return FMA_CHAINS * 32.0 * FMA_LOOPS / spent * 1e-9;
}

__attribute__((target("avx2,fma"))) static inline double fma_rate256(void) {
    __m256 x[FMA_CHAINS];
    for (int i = 0; i < FMA_CHAINS; i++) {
        x[i] = _mm256_set1_ps(1.0F + (float)i);
    }
    const __m256 a = _mm256_set1_ps(0.999F), b = _mm256_set1_ps(0.001F);
    const double start = now();
    for (int n = 0; n < FMA_LOOPS; n++) {
        for (int i = 0; i < FMA_CHAINS; i++) {
            x[i] = _mm256_fmadd_ps(x[i], a, b);
        }
    }
    const double spent = now() - start;
    volatile float sink = 0;
    for (int i = 0; i < FMA_CHAINS; i++) {
        sink = sink + _mm256_cvtss_f32(x[i]);
    }
    return FMA_CHAINS * 16.0 * FMA_LOOPS / spent * 1e-9;
}

/* The best of three; 0 where it is not known how to measure it. */
static inline double fma_peak(void) {
    double best = 0;
    for (int round = 0; round < 3; round++) {
        const double rate = xp__net_kernels_named("avx512") != NULL ? fma_rate512()
                            : xp__net_kernels_named("avx2") != NULL ? fma_rate256()
                                                                    : 0;
        best = rate > best ? rate : best;
    }
    return best;
}

#else

static inline double fma_peak(void) {
    return 0;
}

#endif

#endif
