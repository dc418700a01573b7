/* vector_avx2.h: vectors of 8 floats with AVX2 and FMA. VECTOR(name) says how they are called: they
 * are the vectors of the AVX2 kernels and the half vectors of the AVX-512 ones. */
#ifndef XP_NET_KERNELS_VECTOR_AVX2_H
#define XP_NET_KERNELS_VECTOR_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

static inline __m256 VECTOR(load)(const float *p) {
    return _mm256_loadu_ps(p);
}
static inline void VECTOR(store)(float *p, __m256 x) {
    _mm256_storeu_ps(p, x);
}
static inline __m256 VECTOR(all)(float x) {
    return _mm256_set1_ps(x);
}
static inline __m256 VECTOR(add)(__m256 x, __m256 y) {
    return _mm256_add_ps(x, y);
}
static inline __m256 VECTOR(mul)(__m256 x, __m256 y) {
    return _mm256_mul_ps(x, y);
}
static inline __m256 VECTOR(div)(__m256 x, __m256 y) {
    return _mm256_div_ps(x, y);
}
/* x · y + z */
static inline __m256 VECTOR(fma)(__m256 x, __m256 y, __m256 z) {
    return _mm256_fmadd_ps(x, y, z);
}
/* z - x · y */
static inline __m256 VECTOR(fnma)(__m256 x, __m256 y, __m256 z) {
    return _mm256_fnmadd_ps(x, y, z);
}
static inline __m256 VECTOR(sqrt)(__m256 x) {
    return _mm256_sqrt_ps(x);
}
/* x where y > 0, else 0 */
static inline __m256 VECTOR(gate)(__m256 x, __m256 y) {
    return _mm256_and_ps(x, _mm256_cmp_ps(y, _mm256_setzero_ps(), _CMP_GT_OQ));
}
/* Bit l is set where lane l is > 0. */
static inline uint64_t VECTOR(positive)(__m256 x) {
    return (uint64_t)_mm256_movemask_ps(_mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_GT_OQ));
}
static inline float VECTOR(sum)(__m256 x) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

/* The sums of two vectors, at the price of little more than one. */
static inline void VECTOR(sum_two)(__m256 x, __m256 y, float out[2]) {
    const __m256 t = _mm256_add_ps(_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(t), _mm256_extractf128_ps(t, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    _mm_storel_pi((__m64 *)out, s);
}

/* The sums of four vectors. */
static inline void VECTOR(sum_four)(const __m256 *x, float out[4]) {
    const __m256 s = _mm256_add_ps(_mm256_unpacklo_ps(x[0], x[1]), _mm256_unpackhi_ps(x[0], x[1]));
    const __m256 t = _mm256_add_ps(_mm256_unpacklo_ps(x[2], x[3]), _mm256_unpackhi_ps(x[2], x[3]));
    const __m256 u = _mm256_add_ps(_mm256_shuffle_ps(s, t, 0x44), _mm256_shuffle_ps(s, t, 0xee));
    _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(u), _mm256_extractf128_ps(u, 1)));
}

/* A square of TURN × TURN floats transposed. */
#define TURN 8
static inline void turn_square(const float *in, size_t in_stride, float *out, size_t out_stride) {
    __m256 a[8], b[8];
    for (size_t i = 0; i < 4; i++) { /* rows i and i + 4 side by side, in halves */
        const __m256 low = _mm256_loadu_ps(in + i * in_stride);
        const __m256 high = _mm256_loadu_ps(in + (i + 4) * in_stride);
        a[i] = _mm256_permute2f128_ps(low, high, 0x20);
        a[i + 4] = _mm256_permute2f128_ps(low, high, 0x31);
    }
    for (size_t i = 0; i < 8; i += 4) { /* four 4 × 4 squares, each within its half */
        const __m256 x = _mm256_unpacklo_ps(a[i], a[i + 1]), y = _mm256_unpackhi_ps(a[i], a[i + 1]);
        const __m256 z = _mm256_unpacklo_ps(a[i + 2], a[i + 3]);
        const __m256 w = _mm256_unpackhi_ps(a[i + 2], a[i + 3]);
        b[i] = _mm256_shuffle_ps(x, z, 0x44);
        b[i + 1] = _mm256_shuffle_ps(x, z, 0xee);
        b[i + 2] = _mm256_shuffle_ps(y, w, 0x44);
        b[i + 3] = _mm256_shuffle_ps(y, w, 0xee);
    }
    for (size_t i = 0; i < 8; i++) {
        _mm256_storeu_ps(out + i * out_stride, b[i]);
    }
}

#endif
