/* kernels.c: each loop written once and compiled for the baseline, AVX2 and AVX-512.
 *
 * The bodies are plain C; the wrappers only change what instructions the compiler may use. A
 * function pointer chosen at creation is used rather than target_clones, whose resolvers run
 * before sanitizers are set up. */
#include "sampler/integral/kernels.h"

#define BODY static inline __attribute__((always_inline)) void

BODY combine_body(size_t n, double *restrict product, double *restrict sum,
                  const double *restrict pl, const double *restrict sl, const double *restrict pr,
                  const double *restrict sr) {
    for (size_t g = 0; g < n; g++) {
        const double both = pl[g] * pr[g];
        const double one = sl[g] * pr[g] + pl[g] * sr[g];
        product[g] = both < XP__TINY_PRODUCT ? 0 : both;
        sum[g] = one < XP__TINY_PRODUCT ? 0 : one;
    }
}

BODY beta_step_body(size_t n, double *restrict distribution, double *restrict density,
                    double *restrict sum, const double *restrict slope, const double *restrict side,
                    double shift, double factor, double scale) {
    for (size_t g = 0; g < n; g++) {
        const double moved = distribution[g] + shift * (slope[g] * density[g]);
        const double grown = density[g] * (factor * side[g]);
        const double scaled = scale * grown;
        distribution[g] = moved < XP__TINY_PROBABILITY ? 0 : moved;
        density[g] = grown < XP__TINY_DENSITY ? 0 : grown;
        sum[g] = scaled < XP__TINY_PRODUCT ? 0 : scaled;
    }
}

BODY lane_sums_body(size_t n, const double *restrict value, double lane[XP__LANES]) {
    double sum[XP__LANES] = {0};
    for (size_t i = 0; i < n; i += XP__LANES) {
        for (size_t l = 0; l < XP__LANES; l++) {
            sum[l] += value[i + l];
        }
    }
    for (size_t l = 0; l < XP__LANES; l++) {
        lane[l] = sum[l];
    }
}

#define KERNELS(suffix, attribute)                                                                 \
    attribute static void combine_##suffix(                                                        \
        size_t n, double *restrict product, double *restrict sum, const double *restrict pl,       \
        const double *restrict sl, const double *restrict pr, const double *restrict sr) {         \
        combine_body(n, product, sum, pl, sl, pr, sr);                                             \
    }                                                                                              \
    attribute static void beta_step_##suffix(                                                      \
        size_t n, double *restrict distribution, double *restrict density, double *restrict sum,   \
        const double *restrict slope, const double *restrict side, double shift, double factor,    \
        double scale) {                                                                            \
        beta_step_body(n, distribution, density, sum, slope, side, shift, factor, scale);          \
    }                                                                                              \
    attribute static void lane_sums_##suffix(size_t n, const double *restrict value,               \
                                             double lane[XP__LANES]) {                             \
        lane_sums_body(n, value, lane);                                                            \
    }                                                                                              \
    static const xp__kernels kernels_##suffix = {                                                  \
        .name = #suffix,                                                                           \
        .combine = combine_##suffix,                                                               \
        .beta_step = beta_step_##suffix,                                                           \
        .lane_sums = lane_sums_##suffix,                                                           \
    };

KERNELS(baseline, )

#if defined(__x86_64__)

KERNELS(avx2, __attribute__((target("avx2"))))
KERNELS(avx512, __attribute__((target("avx512f,avx512vl,avx512dq"))))

const xp__kernels *xp__kernels_at(size_t index) {
    switch (index) {
    case 0:
        return &kernels_baseline;
    case 1:
        return __builtin_cpu_supports("avx2") ? &kernels_avx2 : NULL;
    case 2:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                       __builtin_cpu_supports("avx512dq")
                   ? &kernels_avx512
                   : NULL;
    default:
        return NULL;
    }
}

#else

const xp__kernels *xp__kernels_at(size_t index) {
    return index == 0 ? &kernels_baseline : NULL;
}

#endif

const xp__kernels *xp__kernels_best(void) {
    const xp__kernels *best = NULL;
    for (size_t i = 0; i < 3; i++) {
        const xp__kernels *next = xp__kernels_at(i);
        best = next != NULL ? next : best;
    }
    return best;
}
