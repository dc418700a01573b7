/* kernels_rows.h: networks whose hidden layer is one panel and one word of a set: all layers of a
 * row of the batch while it is in registers and the nearest cache, forward for few-hot rows,
 * backward for all. Included by kernels_body.h. */

/* The sum over a set of terms for one panel. */
INLINE void add_terms(const int eights, panel *sum, uint64_t set, const float *coefficient,
                      const float *matrix, size_t stride) {
    for (; set != 0; set &= set - 1) {
        const size_t i = (size_t)__builtin_ctzll(set);
        panel_add(eights, sum, coefficient[i], matrix + i * stride);
    }
}

/* The same for two sums that have nothing to do with each other: the products of one run while
 * those of the other wait for their sum. Each is added up in its own order, as by add_terms. */
INLINE void add_terms_two(const int eights, panel *sum, const uint64_t *set,
                          const float *const *coefficient, const float *matrix, size_t stride) {
    uint64_t a = set[0], b = set[1];
    for (; a != 0 && b != 0; a &= a - 1, b &= b - 1) {
        const size_t i = (size_t)__builtin_ctzll(a), j = (size_t)__builtin_ctzll(b);
        panel_add(eights, &sum[0], coefficient[0][i], matrix + i * stride);
        panel_add(eights, &sum[1], coefficient[1][j], matrix + j * stride);
    }
    add_terms(eights, &sum[0], a, coefficient[0], matrix, stride);
    add_terms(eights, &sum[1], b, coefficient[1], matrix, stride);
}

enum { GROUP = 4 };

/* in[0], in[1], … at the places of a set, else 0. */
INLINE panel panel_spread(const int eights, uint64_t set, const float *in) {
#ifdef HAS_EXPAND
    panel x;
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        const uint64_t part = set >> v * LANES & ((UINT64_C(1) << LANES) - 1);
        x.full[v] = vec_expand(part, in);
        in += __builtin_popcountll(part);
    }
    if (REST(eights)) {
        x.rest = half_expand(set >> VECS(eights) * LANES, in);
    }
    return x;
#else
    float out[SPARSE_PANEL] = {0};
    for (; set != 0; set &= set - 1) {
        out[__builtin_ctzll(set)] = *in++;
    }
    return panel_load(eights, out);
#endif
}

INLINE void forward_first(const int eights, const xp__net_forward_rows *f, size_t r) {
    panel sum = panel_load(eights, f->bias1);
    for (size_t h = 0; h < f->hot; h++) {
        const uint32_t input = f->input[r * f->hot + h];
        if (input != UINT32_MAX) {
            const float *p = f->records + (size_t)input * 3 * f->stride;
            panel_add_late(eights, &sum, p, f->late[r * f->hot + h], p + f->stride);
        }
    }
    f->open1[r] = panel_rectify(eights, f->hidden1 + r * f->stride, &sum);
}

/* Asks for the first `count` records of those wanted soon. */
INLINE void fetch_records(xp__net_soon *soon, size_t count, size_t stride) {
    for (; count > 0 && soon->count > 0; count--, soon->count--) {
        const uint32_t input = *soon->input++;
        const float *record =
            soon->records + (size_t)(input == UINT32_MAX ? 0 : input) * 3 * stride;
        for (size_t at = 0; at < 3 * stride; at += 16) {
            __builtin_prefetch(record + at, 0, 2);
        }
    }
}

/* The rows by number of open units, so that the ends of the loops over units can be foreseen. */
INLINE void order_rows(size_t rows, const uint64_t *open, uint32_t *order) {
    uint32_t start[66] = {0};
    for (size_t r = 0; r < rows; r++) {
        start[__builtin_popcountll(open[r]) + 1]++;
    }
    for (size_t i = 1; i < 65; i++) {
        start[i] += start[i - 1];
    }
    for (size_t r = 0; r < rows; r++) {
        order[start[__builtin_popcountll(open[r])]++] = (uint32_t)r;
    }
}

/* What follows the sums of the second hidden layer. */
INLINE void forward_last(const int eights, const xp__net_forward_rows *f, size_t r, panel *sum) {
    f->open2[r] = panel_rectify(eights, f->hidden2 + r * f->stride, sum);
    panel_heads(eights, sum, f->actions, f->weight3, f->stride, f->bias3, f->q + r * f->actions);
}

INLINE void forward_panel(const int eights, const xp__net_forward_rows *given) {
    const xp__net_forward_rows copy = *given, *f = &copy; /* which no store can change */
    for (size_t r = 0; r < f->rows; r++) {
        forward_first(eights, f, r);
    }
    order_rows(f->rows, f->open1, f->order);
    xp__net_soon soon = f->soon;
    const size_t share = f->rows > 0 ? (soon.count + f->rows - 1) / f->rows : 0;
    size_t i = 0;
    for (; i + 2 <= f->rows; i += 2) {
        const size_t r[2] = {f->order[i], f->order[i + 1]};
        const uint64_t open[2] = {f->open1[r[0]], f->open1[r[1]]};
        const float *hidden[2] = {f->hidden1 + r[0] * f->stride, f->hidden1 + r[1] * f->stride};
        panel sum[2] = {panel_load(eights, f->bias2), panel_load(eights, f->bias2)};
        fetch_records(&soon, 2 * share, f->stride);
        add_terms_two(eights, sum, open, hidden, f->weight2, f->stride);
        forward_last(eights, f, r[0], &sum[0]);
        forward_last(eights, f, r[1], &sum[1]);
    }
    if (i < f->rows) {
        const size_t r = f->order[i];
        panel sum = panel_load(eights, f->bias2);
        fetch_records(&soon, share, f->stride);
        add_terms(eights, &sum, f->open1[r], f->hidden1 + r * f->stride, f->weight2, f->stride);
        forward_last(eights, f, r, &sum);
    }
}

/* `count` open units from the lowest of a set on: what flows into them and what their weights get.
 * Where the set has fewer, the bias fills up: its value in hidden1 is 0, and its gradient is set in
 * the end. */
INLINE void backward_units(const int eights, const int count, const xp__net_backward_rows *b,
                           const float *hidden1, const panel *slope2, uint64_t *set, float *sums) {
    half lanes[GROUP];
    UNROLL for (int k = 0; k < count; k++) {
        const size_t i = (size_t)__builtin_ctzll(*set | UINT64_C(1) << b->hidden);
        *set &= *set - 1;
        lanes[k] = panel_dot_lanes(eights, slope2, b->weight2 + i * b->stride);
        panel_add_to(eights, b->gradient2 + i * b->stride, hidden1[i], slope2);
    }
    if (count == GROUP) {
        half_sum_four(lanes, sums);
    } else {
        half_sum_two(lanes[0], lanes[1], sums);
    }
}

/* A step of Adam on the record of a row whose gradient is at hand. */
INLINE void adam_panel(const int eights, const xp__net_adam *adam, const xp__net_update *update,
                       const panel *gradient, float *record, size_t stride) {
    const vec_adam whole = vec_adam_of(adam);
    UNROLL for (int v = 0; v < VECS(eights); v++) {
        vec_adam_record(&whole, update, gradient->full[v], record + v * LANES, stride);
    }
#ifndef NO_HALF
    if (REST(eights)) {
        const half_adam part = half_adam_of(adam);
        half_adam_record(&part, update, gradient->rest, record + VECS(eights) * LANES, stride);
    }
#endif
}

/* One loop over the open units of the first hidden layer does both: what flows into a unit, and
 * what its weights get. Slopes of the second layer stay in registers. Units go by fours and a last
 * pair, because sums over lanes are cheaper together. */
INLINE void backward_row(const int eights, const xp__net_backward_rows *b, size_t r, panel *bias2,
                         float *sums) {
    const float *hidden1 = b->hidden1 + r * b->stride;
    panel slope2 = panel_zero(eights);
    for (size_t a = 0; a < b->actions; a++) {
        panel_add(eights, &slope2, b->slope[r * b->actions + a], b->weight3 + a * b->stride);
    }
    panel_close(eights, &slope2, b->hidden2 + r * b->stride);
    panel_add_panel(eights, bias2, &slope2);
    uint64_t set = b->open1[r];
    int left = __builtin_popcountll(set);
    for (; left > 2; left -= GROUP, sums += GROUP) {
        backward_units(eights, GROUP, b, hidden1, &slope2, &set, sums);
    }
    if (left > 0) {
        backward_units(eights, 2, b, hidden1, &slope2, &set, sums);
    }
}

/* What becomes of the slopes of a row's open units in the first hidden layer. */
INLINE void backward_first(const int eights, const xp__net_backward_rows *b, size_t r, panel *bias1,
                           const float *sums) {
    const panel slope1 = panel_spread(eights, b->open1[r], sums);
    panel_add_panel(eights, bias1, &slope1);
    if (b->update != NULL) {
        adam_panel(eights, &b->adam, &b->update[r], &slope1,
                   b->records + (size_t)b->update[r].input * 3 * b->stride, b->stride);
    } else {
        panel_store(eights, b->slope1 + r * b->stride, &slope1);
    }
}

/* The first layer follows one row behind: by then the sums have reached the cache, and Adam's roots
 * and divisions run beside the products of the row after. */
INLINE void backward_panel(const int eights, const xp__net_backward_rows *given) {
    const xp__net_backward_rows copy = *given, *b = &copy; /* which no store can change */
    float sums[2][SPARSE_PANEL + LANES];                   /* panel_spread reads beyond the last */
    panel bias1 = panel_zero(eights), bias2 = panel_zero(eights);
    for (size_t i = 0; i < b->rows; i++) {
        backward_row(eights, b, b->order[i], &bias2, sums[i % 2]);
        if (i > 0) {
            backward_first(eights, b, b->order[i - 1], &bias1, sums[(i - 1) % 2]);
        }
    }
    if (b->rows > 0) {
        backward_first(eights, b, b->order[b->rows - 1], &bias1, sums[(b->rows - 1) % 2]);
    }
    panel_store(eights, b->bias1, &bias1);
    panel_store(eights, b->bias2, &bias2);
}

static void forward_rows(const xp__net_forward_rows *f) {
    SWITCH_PANEL(SPARSE_PANEL, f->width / 8, forward_panel, f)
}

static void backward_rows(const xp__net_backward_rows *b) {
    SWITCH_PANEL(SPARSE_PANEL, b->width / 8, backward_panel, b)
}
