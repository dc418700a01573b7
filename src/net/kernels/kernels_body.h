/* kernels_body.h: the kernels, in terms of vec and half (vector_….h). Included once by each of
 * kernels_….c, which give KERNELS its name.
 *
 * Columns are worked in panels that stay in registers: up to SPARSE_PANEL floats for one output at
 * a time, or DENSE_PANEL floats of DENSE_ROWS outputs that share the loads of the matrix. A panel's
 * size is a constant to the compiler: `eights`, the number of 8 floats, is 1 .. 8 and switched over
 * once for a whole panel. */
#include "net/kernels/kernels.h"

#ifndef TURN
#define TURN 8
/* A square of TURN × TURN floats transposed. */
static inline void turn_square(const float *in, size_t in_stride, float *out, size_t out_stride) {
    for (size_t i = 0; i < TURN; i++) {
        for (size_t j = 0; j < TURN; j++) {
            out[j * out_stride + i] = in[i * in_stride + j];
        }
    }
}
#endif

#define INLINE static inline __attribute__((always_inline))

/* Loops over the vectors of a panel and the rows of a block vanish, so that these are registers. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#ifdef NO_HALF
typedef vec half;
#define half_load     vec_load
#define half_store    vec_store
#define half_all      vec_all
#define half_add      vec_add
#define half_fma      vec_fma
#define half_fnma     vec_fnma
#define half_gate     vec_gate
#define half_positive vec_positive
#define half_sum      vec_sum
#define half_sum_two  vec_sum_two
#define half_sum_four vec_sum_four
#define vec_fold(x)   (x)
#define vec_half(x)   (x)
#else
#define LANE(name) half_##name
#define LANE_TYPE  half
#include "net/kernels/kernels_lane.h"
#undef LANE
#undef LANE_TYPE
#endif

#define LANE(name) vec_##name
#define LANE_TYPE  vec
#include "net/kernels/kernels_lane.h"

enum { PANEL_VECS = SPARSE_PANEL / LANES };

typedef struct panel {
    vec full[PANEL_VECS];
    half rest;
} panel;

#define VECS(eights) ((eights)*8 / LANES)
#define REST(eights) (HALF && (eights) % 2 == 1)

INLINE panel panel_load(const int eights, const float *p) {
    panel x;
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        x.full[v] = vec_load(p + v * LANES);
    }
    if (REST(eights)) {
        x.rest = half_load(p + VECS(eights) * LANES);
    }
    return x;
}

INLINE panel panel_zero(const int eights) {
    panel x;
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        x.full[v] = vec_all(0);
    }
    if (REST(eights)) {
        x.rest = half_all(0);
    }
    return x;
}

/* x += c · p */
INLINE void panel_add(const int eights, panel *x, float c, const float *p) {
    const vec factor = vec_all(c);
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        x->full[v] = vec_fma(factor, vec_load(p + v * LANES), x->full[v]);
    }
    if (REST(eights)) {
        x->rest = half_fma(vec_half(factor), half_load(p + VECS(eights) * LANES), x->rest);
    }
}

/* x += p - c · q */
INLINE void panel_add_late(const int eights, panel *x, const float *p, float c, const float *q) {
    const vec factor = vec_all(c);
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        const int at = v * LANES;
        x->full[v] = vec_add(x->full[v], vec_fnma(factor, vec_load(q + at), vec_load(p + at)));
    }
    if (REST(eights)) {
        const int at = VECS(eights) * LANES;
        x->rest =
            half_add(x->rest, half_fnma(vec_half(factor), half_load(q + at), half_load(p + at)));
    }
}

INLINE void panel_store(const int eights, float *out, const panel *x) {
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        vec_store(out + v * LANES, x->full[v]);
    }
    if (REST(eights)) {
        half_store(out + VECS(eights) * LANES, x->rest);
    }
}

/* Makes x max(0, x), stores it and returns the bits of what is positive. */
INLINE uint64_t panel_rectify(const int eights, float *out, panel *x) {
    uint64_t open = 0;
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        open |= vec_positive(x->full[v]) << v * LANES;
        x->full[v] = vec_gate(x->full[v], x->full[v]);
        vec_store(out + v * LANES, x->full[v]);
    }
    if (REST(eights)) {
        open |= half_positive(x->rest) << VECS(eights) * LANES;
        x->rest = half_gate(x->rest, x->rest);
        half_store(out + VECS(eights) * LANES, x->rest);
    }
    return open;
}

INLINE void panel_gate(const int eights, float *out, const panel *x, const float *gate) {
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        vec_store(out + v * LANES, vec_gate(x->full[v], vec_load(gate + v * LANES)));
    }
    if (REST(eights)) {
        const int at = VECS(eights) * LANES;
        half_store(out + at, half_gate(x->rest, half_load(gate + at)));
    }
}

/* x where `gate` is positive, else 0. */
INLINE void panel_close(const int eights, panel *x, const float *gate) {
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        x->full[v] = vec_gate(x->full[v], vec_load(gate + v * LANES));
    }
    if (REST(eights)) {
        x->rest = half_gate(x->rest, half_load(gate + VECS(eights) * LANES));
    }
}

/* x += y */
INLINE void panel_add_panel(const int eights, panel *x, const panel *y) {
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        x->full[v] = vec_add(x->full[v], y->full[v]);
    }
    if (REST(eights)) {
        x->rest = half_add(x->rest, y->rest);
    }
}

/* out += c · x */
INLINE void panel_add_to(const int eights, float *out, float c, const panel *x) {
    const vec factor = vec_all(c);
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        vec_store(out + v * LANES, vec_fma(factor, x->full[v], vec_load(out + v * LANES)));
    }
    if (REST(eights)) {
        float *rest = out + VECS(eights) * LANES;
        half_store(rest, half_fma(vec_half(factor), x->rest, half_load(rest)));
    }
}

/* A vector whose lanes add up to the product of x and q. */
INLINE half panel_dot_lanes(const int eights, const panel *x, const float *q) {
    if (VECS(eights) == 0) {
        return half_fma(x->rest, half_load(q), half_all(0));
    }
    vec sum = vec_mul(x->full[0], vec_load(q));
    UNROLL for (int v = 1; v < VECS(eights); v++) {
        sum = vec_fma(x->full[v], vec_load(q + v * LANES), sum);
    }
    if (REST(eights)) {
        return half_fma(x->rest, half_load(q + VECS(eights) * LANES), vec_fold(sum));
    }
    return vec_fold(sum);
}

/* out[a] = bias[a] + x · weight[a], two at a time. */
INLINE void panel_heads(const int eights, const panel *x, size_t actions, const float *weight,
                        size_t stride, const float *bias, float *out) {
    size_t a = 0;
    for (; a + 2 <= actions; a += 2) {
        const float *w = weight + a * stride;
        float two[2];
        half_sum_two(panel_dot_lanes(eights, x, w), panel_dot_lanes(eights, x, w + stride), two);
        out[a] = bias[a] + two[0];
        out[a + 1] = bias[a + 1] + two[1];
    }
    if (a < actions) {
        out[a] = bias[a] + half_sum(panel_dot_lanes(eights, x, weight + a * stride));
    }
}

INLINE void dot_panel(const int eights, float *out, const float *p, const float *q) {
    const panel x = panel_load(eights, p);
    *out = half_sum(panel_dot_lanes(eights, &x, q));
}

INLINE void finish(const int eights, const xp__net_product *p, size_t o, size_t column,
                   panel *sum) {
    float *out = p->out + o * p->out_stride + column;
    if (p->finish == XP__NET_RECTIFY) {
        p->open[o * p->words + column / 64] |= panel_rectify(eights, out, sum) << column % 64;
    } else if (p->finish == XP__NET_GATE) {
        panel_gate(eights, out, sum, p->gate + o * p->out_stride + column);
    } else {
        panel_store(eights, out, sum);
    }
}

INLINE panel start(const int eights, const xp__net_product *p, size_t o, size_t column) {
    const float *from = p->add ? p->out + o * p->out_stride : p->init;
    return from != NULL ? panel_load(eights, from + column) : panel_zero(eights);
}

/* Every output is the sum over its own set of terms. */
INLINE void sparse_panel(const int eights, const xp__net_product *p, size_t column) {
    for (size_t o = 0; o < p->outs; o++) {
        panel sum = start(eights, p, o, column);
        for (size_t w = 0; w < p->words; w++) {
            const float *coefficient = p->coefficient + o * p->out_step + 64 * w * p->term_step;
            const float *matrix = p->matrix + 64 * w * p->matrix_step + column;
            for (uint64_t set = p->sets[o * p->words + w]; set != 0; set &= set - 1) {
                const size_t i = (size_t)__builtin_ctzll(set);
                panel_add(eights, &sum, coefficient[i * p->term_step], matrix + i * p->matrix_step);
            }
        }
        finish(eights, p, o, column, &sum);
    }
}

/* `rows` outputs from o on, which is a constant to the compiler as well. */
INLINE void dense_block(const int eights, const int rows, const xp__net_product *p, size_t o,
                        size_t column) {
    panel sum[DENSE_ROWS];
    UNROLL for (int r = 0; r < rows; r++) {
        sum[r] = start(eights, p, o + (size_t)r, column);
    }
    const float *coefficient = p->coefficient + o * p->out_step;
    const float *matrix = p->matrix + column;
    for (size_t i = 0; i < p->terms; i++) {
        UNROLL for (int r = 0; r < rows; r++) {
            panel_add(eights, &sum[r], coefficient[(size_t)r * p->out_step], matrix);
        }
        coefficient += p->term_step;
        matrix += p->matrix_step;
    }
    UNROLL for (int r = 0; r < rows; r++) {
        finish(eights, p, o + (size_t)r, column, &sum[r]);
    }
}

INLINE void dense_panel(const int eights, const xp__net_product *p, size_t column) {
    size_t o = 0;
    for (; o + DENSE_ROWS <= p->outs; o += DENSE_ROWS) {
        dense_block(eights, DENSE_ROWS, p, o, column);
    }
    for (; o < p->outs; o++) {
        dense_block(eights, 1, p, o, column);
    }
}

INLINE void gather_panel(const int eights, const xp__net_gather *g, size_t column) {
    for (size_t r = 0; r < g->rows; r++) {
        panel sum = panel_load(eights, g->bias + column);
        for (size_t h = 0; h < g->hot; h++) {
            const uint32_t input = g->input[r * g->hot + h];
            if (input == UINT32_MAX) {
                continue;
            }
            const float *p = g->records + (size_t)input * 3 * g->stride + column;
            panel_add_late(eights, &sum, p, g->late[r * g->hot + h], p + g->stride);
        }
        g->open[r * g->words + column / 64] |=
            panel_rectify(eights, g->out + r * g->stride + column, &sum) << column % 64;
    }
}

/* Calls body(eights, …) with `eights` constant. Panels narrower than 64 leave cases unused. */
#define SWITCH_PANEL(limit, eights, body, ...)                                                     \
    switch (eights) {                                                                              \
    case 1:                                                                                        \
        body(1, __VA_ARGS__);                                                                      \
        break;                                                                                     \
        CASE_PANEL(limit, 2, body, __VA_ARGS__)                                                    \
        CASE_PANEL(limit, 3, body, __VA_ARGS__)                                                    \
        CASE_PANEL(limit, 4, body, __VA_ARGS__)                                                    \
        CASE_PANEL(limit, 5, body, __VA_ARGS__)                                                    \
        CASE_PANEL(limit, 6, body, __VA_ARGS__)                                                    \
        CASE_PANEL(limit, 7, body, __VA_ARGS__)                                                    \
        CASE_PANEL(limit, 8, body, __VA_ARGS__)                                                    \
    default:                                                                                       \
        __builtin_unreachable();                                                                   \
    }
#define CASE_PANEL(limit, number, body, ...)                                                       \
    case number:                                                                                   \
        body((number)*8 <= (limit) ? (number) : 1, __VA_ARGS__);                                   \
        break;

static size_t eights_left(size_t width, size_t column, size_t panel_width) {
    const size_t left = width - column;
    return (left < panel_width ? left : panel_width) / 8;
}

static void product(const xp__net_product *p) {
    if (p->finish == XP__NET_RECTIFY) {
        memset(p->open, 0, p->outs * p->words * sizeof p->open[0]);
    }
    if (p->sets != NULL) {
        for (size_t column = 0; column < p->width; column += SPARSE_PANEL) {
            SWITCH_PANEL(SPARSE_PANEL, eights_left(p->width, column, SPARSE_PANEL), sparse_panel, p,
                         column)
        }
    } else {
        for (size_t column = 0; column < p->width; column += DENSE_PANEL) {
            SWITCH_PANEL(DENSE_PANEL, eights_left(p->width, column, DENSE_PANEL), dense_panel, p,
                         column)
        }
    }
}

static void gather(const xp__net_gather *g) {
    memset(g->open, 0, g->rows * g->words * sizeof g->open[0]);
    for (size_t column = 0; column < g->width; column += SPARSE_PANEL) {
        SWITCH_PANEL(SPARSE_PANEL, eights_left(g->width, column, SPARSE_PANEL), gather_panel, g,
                     column)
    }
}

static void turn(size_t rows, size_t columns, const float *in, size_t in_stride, float *out,
                 size_t out_stride) {
    for (size_t i = 0; i < rows; i += TURN) {
        for (size_t j = 0; j < columns; j += TURN) {
            turn_square(in + i * in_stride + j, in_stride, out + j * out_stride + i, out_stride);
        }
    }
}

static void positive(size_t rows, size_t width, const float *in, size_t stride, size_t words,
                     uint64_t *sets) {
    for (size_t r = 0; r < rows; r++) {
        const float *row = in + r * stride;
        for (size_t w = 0; w < words; w++) {
            uint64_t set = 0;
            const size_t end = 64 * w + 64 < width ? 64 * w + 64 : width;
            size_t at = 64 * w;
            for (; at + LANES <= end; at += LANES) {
                set |= vec_positive(vec_load(row + at)) << at % 64;
            }
            if (HALF && at < end) {
                set |= half_positive(half_load(row + at)) << at % 64;
            }
            sets[r * words + w] = set;
        }
    }
}

static void dot(size_t rows, size_t actions, size_t width, size_t stride, const float *hidden,
                const float *weight, const float *bias, float *out) {
    for (size_t r = 0; r < rows; r++) {
        for (size_t a = 0; a < actions; a++) {
            float sum = bias[a];
            for (size_t column = 0; column < width; column += SPARSE_PANEL) {
                const float *h = hidden + r * stride + column, *w = weight + a * stride + column;
                float part = 0;
                SWITCH_PANEL(SPARSE_PANEL, eights_left(width, column, SPARSE_PANEL), dot_panel,
                             &part, h, w)
                sum += part;
            }
            out[r * actions + a] = sum;
        }
    }
}

static void adam_records(const xp__net_adam *adam, const xp__net_update *update, size_t count,
                         const uint32_t *list, const float *gradient, size_t width, size_t stride,
                         float *records) {
    const vec_adam whole = vec_adam_of(adam);
#ifndef NO_HALF
    const half_adam part = half_adam_of(adam);
#endif
    for (size_t u = 0; u < count; u++) {
        const xp__net_update *at = &update[u];
        float *record = records + (size_t)at->input * 3 * stride;
        size_t column = 0;
        for (; column + LANES <= width; column += LANES) {
            vec_adam_record(&whole, at,
                            vec_row_sum(list, at->first, at->last, gradient + column, stride),
                            record + column, stride);
        }
#ifndef NO_HALF
        if (column < width) {
            half_adam_record(&part, at,
                             half_row_sum(list, at->first, at->last, gradient + column, stride),
                             record + column, stride);
        }
#endif
    }
}

static void adam_rows(const xp__net_adam *adam, size_t rows, size_t width, size_t stride,
                      float *parameter, float *first, float *second, const float *gradient) {
    const vec_adam whole = vec_adam_of(adam);
#ifndef NO_HALF
    const half_adam part = half_adam_of(adam);
#endif
    for (size_t r = 0; r < rows; r++) {
        size_t at = r * stride;
        const size_t end = at + width;
        for (; at + LANES <= end; at += LANES) {
            vec_adam_plain(&whole, parameter + at, first + at, second + at, gradient + at);
        }
#ifndef NO_HALF
        if (at < end) {
            half_adam_plain(&part, parameter + at, first + at, second + at, gradient + at);
        }
#endif
    }
}

#include "net/kernels/kernels_rows.h"

/* The table of all these. */
#define KERNELS(title)                                                                             \
    {                                                                                              \
        .name = (title), .product = product, .panel = SPARSE_PANEL, .gather = gather,              \
        .forward_rows = forward_rows, .backward_rows = backward_rows, .turn = turn,                \
        .positive = positive, .dot = dot, .adam_records = adam_records, .adam_rows = adam_rows     \
    }
