/* vector_avx512.h: vectors of 16 floats, with half vectors of 8 for what is left of a row: 50 units
 * are three vectors and a half, and a half costs half on processors that split wide operations. */
#ifndef XP_NET_KERNELS_VECTOR_AVX512_H
#define XP_NET_KERNELS_VECTOR_AVX512_H

#define VECTOR(name) half_##name
#include "net/kernels/vector_avx2.h"

enum { LANES = 16, HALF = 1, SPARSE_PANEL = 64, DENSE_PANEL = 64, DENSE_ROWS = 6 };
typedef __m512 vec;
typedef __m256 half;

static inline vec vec_load(const float *p) {
    return _mm512_loadu_ps(p);
}
static inline void vec_store(float *p, vec x) {
    _mm512_storeu_ps(p, x);
}
static inline vec vec_all(float x) {
    return _mm512_set1_ps(x);
}
static inline vec vec_add(vec x, vec y) {
    return _mm512_add_ps(x, y);
}
static inline vec vec_mul(vec x, vec y) {
    return _mm512_mul_ps(x, y);
}
static inline vec vec_div(vec x, vec y) {
    return _mm512_div_ps(x, y);
}
/* x · y + z */
static inline vec vec_fma(vec x, vec y, vec z) {
    return _mm512_fmadd_ps(x, y, z);
}
/* z - x · y */
static inline vec vec_fnma(vec x, vec y, vec z) {
    return _mm512_fnmadd_ps(x, y, z);
}
static inline vec vec_sqrt(vec x) {
    return _mm512_sqrt_ps(x);
}
/* x where y > 0, else 0 */
static inline vec vec_gate(vec x, vec y) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(y, _mm512_setzero_ps(), _CMP_GT_OQ), x);
}
/* Bit l is set where lane l is > 0. */
static inline uint64_t vec_positive(vec x) {
    return (uint64_t)_mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ);
}
/* p[0], p[1], … at the places of the set bits, else 0. */
#define HAS_EXPAND
static inline vec vec_expand(uint64_t set, const float *p) {
    return _mm512_maskz_expand_ps((__mmask16)set, _mm512_loadu_ps(p));
}
static inline half half_expand(uint64_t set, const float *p) {
    return _mm256_maskz_expand_ps((__mmask8)set, _mm256_loadu_ps(p));
}
static inline half vec_half(vec x) {
    return _mm512_castps512_ps256(x);
}
/* The sum of both halves. */
static inline half vec_fold(vec x) {
    return _mm256_add_ps(_mm512_castps512_ps256(x),
                         _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1)));
}
static inline float vec_sum(vec x) {
    return half_sum(vec_fold(x));
}

#endif
