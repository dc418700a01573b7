/* kernels.h: the inner loops of the ensemble, once for each instruction set.
 *
 * They are written once, in kernels_body.h, over some 15 functions on short vectors
 * (vector_….h), and compiled by kernels_portable.c, kernels_avx2.c and kernels_avx512.c. Sums have
 * a written order for each instruction set, so results depend on the set and on nothing else; sets
 * agree to rounding.
 *
 * Rows of floats are padded to a stride that is a multiple of 16 and aligned to 64 bytes. `width`
 * is what is computed of a row, a multiple of 8: for 50 units, 56 floats of 64. */
#ifndef XP_NET_KERNELS_KERNELS_H
#define XP_NET_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What happens to a sum before it is stored. */
typedef enum xp__net_finish {
    XP__NET_PLAIN,
    XP__NET_RECTIFY, /* max(0, sum); the bits of positive outputs go to `open` */
    XP__NET_GATE,    /* sum where the same place of `gate` is positive, else 0 */
} xp__net_finish;

/* out[o] = init + Σ_i coefficient[o · out_step + i · term_step] · matrix[i], for rows of `width`
 * floats; the sum is over all i < terms, or over the set bits of sets[o][words]. Every product of
 * forward and backward passes is one of these. */
typedef struct xp__net_product {
    size_t outs, terms, width;
    const float *coefficient;
    size_t out_step, term_step;
    const float *matrix;
    size_t matrix_step;
    const float *init;    /* NULL: 0 */
    bool add;             /* start from what `out` holds, instead of `init` */
    const uint64_t *sets; /* NULL: all terms */
    size_t words;         /* of a set, and of an element of `open` */
    xp__net_finish finish;
    const float *gate; /* rows like out's */
    uint64_t *open;
    float *out;
    size_t out_stride;
} xp__net_product;

/* The first layer of few-hot rows: out[r] = max(0, bias + Σ_h parameter row hot[r][h]). A record is
 * parameter | direction | scale (see net_type.h); parameters are brought up to date on the way:
 * p - late · d. */
typedef struct xp__net_gather {
    size_t rows, hot, width, stride, words;
    const uint32_t *input; /* [rows][hot] */
    const float *late;     /* [rows][hot] */
    const float *bias, *records;
    uint64_t *open; /* [rows][words] */
    float *out;     /* [rows][stride] */
} xp__net_gather;

/* A hint: records of the member that follows, which are fetched from far memory while this one's
 * rows are computed. */
typedef struct xp__net_soon {
    const float *records;
    const uint32_t *input; /* whose records */
    size_t count;          /* 0: none */
} xp__net_soon;

/* All layers of few-hot rows in one loop, where a hidden layer fits a panel and a word of a set. */
typedef struct xp__net_forward_rows {
    size_t rows, hot, actions, width, stride;
    const uint32_t *input; /* [rows][hot] */
    const float *late;     /* [rows][hot] */
    const float *records, *bias1, *weight2, *bias2, *weight3, *bias3;
    float *hidden1, *hidden2, *q;
    uint64_t *open1, *open2;
    uint32_t *order; /* [rows]: rows by number of open units */
    xp__net_soon soon;
} xp__net_forward_rows;

/* Adam's numbers for one step: p -= rate · m / (sqrt(v) + floor), with the bias corrections of m
 * and v folded into rate and floor. */
typedef struct xp__net_adam {
    float beta1, rest1, beta2, rest2; /* rest = 1 - beta */
    float rate, floor;
} xp__net_adam;

/* One first-layer row to update: the gradient is the sum of the rows list[first .. last) of a
 * matrix; the record was last brought up to date some steps ago. */
typedef struct xp__net_update {
    uint32_t input, first, last;
    float late;           /* pending steps: p -= late · d */
    float floor;          /* Adam's floor when d was computed */
    float decay1, decay2; /* what became of the moments: beta1^k and beta2^k up to this step */
} xp__net_update;

typedef struct xp__net_backward_rows {
    size_t rows, hidden, actions, width, stride;
    const float *slope; /* [rows][actions] */
    const float *weight2, *weight3, *hidden1, *hidden2;
    const uint64_t *open1;
    const uint32_t *order;        /* [rows]: the order in which rows are added up */
    float *slope1;                /* [rows][stride] */
    float *gradient2;             /* added to */
    float *bias1, *bias2;         /* set; bias2 is the row after gradient2's last */
    const xp__net_update *update; /* [rows]: Adam moves each row's own record; NULL: it does not */
    xp__net_adam adam;
    float *records;
} xp__net_backward_rows;

typedef struct xp__net_kernels {
    const char *name;
    void (*product)(const xp__net_product *product);
    void (*gather)(const xp__net_gather *gather);
    size_t panel; /* floats that forward_rows and backward_rows can take as `width` */
    void (*forward_rows)(const xp__net_forward_rows *forward);
    void (*backward_rows)(const xp__net_backward_rows *backward);
    /* out[j][i] = in[i][j] for i < rows, j < columns, both rounded up to multiples of 8. */
    void (*turn)(size_t rows, size_t columns, const float *in, size_t in_stride, float *out,
                 size_t out_stride);
    /* The sets of positive numbers of rows of `width` floats, a multiple of 8. */
    void (*positive)(size_t rows, size_t width, const float *in, size_t stride, size_t words,
                     uint64_t *sets);
    /* out[r][a] = bias[a] + hidden[r] · weight[a], padding of both rows zero. */
    void (*dot)(size_t rows, size_t actions, size_t width, size_t stride, const float *hidden,
                const float *weight, const float *bias, float *out);
    /* Adam on first-layer records. */
    void (*adam_records)(const xp__net_adam *adam, const xp__net_update *update, size_t count,
                         const uint32_t *list, const float *gradient, size_t width, size_t stride,
                         float *records);
    /* Adam on rows of plain parameters, moments and gradients. */
    void (*adam_rows)(const xp__net_adam *adam, size_t rows, size_t width, size_t stride,
                      float *parameter, float *first, float *second, const float *gradient);
} xp__net_kernels;

extern const xp__net_kernels xp__net_kernels_portable, xp__net_kernels_avx2, xp__net_kernels_avx512;

/* The kernels of that name, or the best for NULL; NULL if unknown or if the processor cannot. */
const xp__net_kernels *xp__net_kernels_named(const char *name);

/* Subnormal numbers count as zero between begin and end, in this thread: moments of closed units
 * decay into them, where arithmetic is a hundred times slower. */
unsigned xp__net_flush_begin(void);
void xp__net_flush_end(unsigned saved);

#endif
