/* vector_portable.h: vectors of 4 floats in the compiler's own notation, for any processor. */
#ifndef XP_NET_KERNELS_VECTOR_PORTABLE_H
#define XP_NET_KERNELS_VECTOR_PORTABLE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 4, HALF = 0, SPARSE_PANEL = 32, DENSE_PANEL = 8, DENSE_ROWS = 4 };
typedef float vec __attribute__((vector_size(16)));
typedef int32_t vec_bits __attribute__((vector_size(16)));

static inline vec vec_load(const float *p) {
    vec x;
    memcpy(&x, p, sizeof x);
    return x;
}
static inline void vec_store(float *p, vec x) {
    memcpy(p, &x, sizeof x);
}
static inline vec vec_all(float x) {
    return (vec){x, x, x, x};
}
static inline vec vec_add(vec x, vec y) {
    return x + y;
}
static inline vec vec_mul(vec x, vec y) {
    return x * y;
}
static inline vec vec_div(vec x, vec y) {
    return x / y;
}
/* x · y + z */
static inline vec vec_fma(vec x, vec y, vec z) {
    return x * y + z;
}
/* z - x · y */
static inline vec vec_fnma(vec x, vec y, vec z) {
    return z - x * y;
}
static inline vec vec_sqrt(vec x) {
    return (vec){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])};
}
/* x where y > 0, else 0 */
static inline vec vec_gate(vec x, vec y) {
    return (vec)((vec_bits)x & (vec_bits)(y > vec_all(0)));
}
/* Bit l is set where lane l is > 0. */
static inline uint64_t vec_positive(vec x) {
    return (uint64_t)(x[0] > 0) | (uint64_t)(x[1] > 0) << 1 | (uint64_t)(x[2] > 0) << 2 |
           (uint64_t)(x[3] > 0) << 3;
}
static inline float vec_sum(vec x) {
    return (x[0] + x[2]) + (x[1] + x[3]);
}
static inline void vec_sum_two(vec x, vec y, float out[2]) {
    out[0] = vec_sum(x);
    out[1] = vec_sum(y);
}
static inline void vec_sum_four(const vec *x, float out[4]) {
    for (int i = 0; i < 4; i++) {
        out[i] = vec_sum(x[i]);
    }
}

#endif
