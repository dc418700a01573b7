/* softmax_covariance.c: the loops once, compiled for the baseline, AVX2 and AVX-512 (see
 * sampler/integral/kernels.c for why by function pointers).
 *
 * A block of ROWS × COLUMNS sums is kept in registers, so that a number that is loaded takes part
 * in several of them; and the columns are taken SPAN at a time, so that they stay in the cache
 * while all rows pass. */
#include "prior/softmax/softmax_covariance.h"

#include <string.h>

enum { LANES = XP__COVARIANCE_LANES, TILE = XP__COVARIANCE_TILE, SPAN = 32 };

#define INLINE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* Through memory, which compilers see through: vectors are not passed where the ABI would depend on
 * the processor. */
#define LOAD(vector, from) memcpy(&(vector), (from), sizeof(lanes))

/* Sums for `rows` rows of left and `columns` of right, constants that unroll. */
INLINE void block(const double *left, const double *right, size_t rows, size_t columns, size_t arms,
                  double *spread) {
    lanes sum[4][4] = {{{0}}};
    for (size_t i = 0; i < TILE; i += LANES) {
        lanes x[4], y;
        for (size_t r = 0; r < rows; r++) {
            LOAD(x[r], left + r * TILE + i);
        }
        for (size_t c = 0; c < columns; c++) {
            LOAD(y, right + c * TILE + i);
            for (size_t r = 0; r < rows; r++) {
                sum[r][c] += x[r] * y;
            }
        }
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < columns; c++) {
            double lane[LANES];
            memcpy(lane, &sum[r][c], sizeof lane);
            spread[r * arms + c] += xp__lane_total(lane);
        }
    }
}

/* Blocks of size × size where b + size <= a, and one sum at a time along the diagonal. */
INLINE void add_tile(size_t arms, const double *left, const double *right, double *spread,
                     size_t size) {
    for (size_t first = 0; first < arms; first += SPAN) {
        const size_t end = first + SPAN < arms ? first + SPAN : arms;
        size_t a = first;
        while (a < arms) {
            const size_t rows = a % size == 0 && a + size <= arms ? size : 1;
            const size_t last = a + 1 < end ? a + 1 : end; /* b <= a */
            size_t b = first;
            for (; rows == size && b + size <= last; b += size) {
                block(left + a * TILE, right + b * TILE, size, size, arms, spread + a * arms + b);
            }
            for (size_t r = 0; r < rows; r++) {
                const size_t stop = a + r + 1 < end ? a + r + 1 : end;
                for (size_t c = b; c < stop; c++) {
                    block(left + (a + r) * TILE, right + c * TILE, 1, 1, arms,
                          spread + (a + r) * arms + c);
                }
            }
            a += rows;
        }
    }
}

#define WIDTH(suffix, attribute, size)                                                             \
    attribute static void add_##suffix(size_t arms, const double *left, const double *right,       \
                                       double *spread) {                                           \
        add_tile(arms, left, right, spread, size);                                                 \
    }

WIDTH(baseline, , 1)

#if defined(__x86_64__)

WIDTH(avx2, __attribute__((target("avx2"))), 2)
WIDTH(avx512, __attribute__((target("avx512f,avx512vl,avx512dq"))), 4)

xp__covariance_add *xp__covariance_at(size_t index) {
    switch (index) {
    case 0:
        return add_baseline;
    case 1:
        return __builtin_cpu_supports("avx2") ? add_avx2 : NULL;
    case 2:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                       __builtin_cpu_supports("avx512dq")
                   ? add_avx512
                   : NULL;
    default:
        return NULL;
    }
}

#else

xp__covariance_add *xp__covariance_at(size_t index) {
    return index == 0 ? add_baseline : NULL;
}

#endif

xp__covariance_add *xp__covariance_best(void) {
    xp__covariance_add *best = NULL;
    for (size_t i = 0; i < 3; i++) {
        xp__covariance_add *next = xp__covariance_at(i);
        best = next != NULL ? next : best;
    }
    return best;
}
