/* forward.c: Q of one member, and what callers ask of it. */
#include "net/net_type.h"

#include "math/argmax.h"

#include <assert.h>

static void first_layer(const xp__net *net, const xp__net_pass *pass) {
    const xp__net_options *o = &net->options;
    const float *records = xp__net_records(net, pass->member);
    const float *bias = xp__net_small(net, pass->member) + xp__net_bias1(net);
    if (o->hot > 0) {
        net->kernels->gather(&(xp__net_gather){
            .rows = pass->rows,
            .hot = o->hot,
            .width = net->width,
            .stride = net->stride,
            .words = net->words,
            .input = pass->hot,
            .late = pass->late,
            .bias = bias,
            .records = records,
            .open = pass->open1,
            .out = pass->hidden1,
        });
        return;
    }
    net->kernels->product(&(xp__net_product){
        .outs = pass->rows,
        .terms = o->inputs,
        .width = net->width,
        .coefficient = pass->dense,
        .out_step = o->inputs,
        .term_step = 1,
        .matrix = records,
        .matrix_step = 3 * net->stride,
        .init = bias,
        .words = net->words,
        .finish = XP__NET_RECTIFY,
        .open = pass->open1,
        .out = pass->hidden1,
        .out_stride = net->stride,
    });
}

bool xp__net_by_rows(const xp__net *net) {
    return net->options.savings & XP_NET_SPARSE && net->words == 1 &&
           net->width <= net->kernels->panel;
}

static void forward_by_rows(const xp__net *net, const xp__net_pass *pass) {
    const float *small = xp__net_small(net, pass->member);
    net->kernels->forward_rows(&(xp__net_forward_rows){
        .rows = pass->rows,
        .hot = net->options.hot,
        .actions = net->options.actions,
        .width = net->width,
        .stride = net->stride,
        .input = pass->hot,
        .late = pass->late,
        .records = xp__net_records(net, pass->member),
        .bias1 = small + xp__net_bias1(net),
        .weight2 = small,
        .bias2 = small + xp__net_bias2(net),
        .weight3 = small + xp__net_weight3(net),
        .bias3 = small + xp__net_bias3(net),
        .hidden1 = pass->hidden1,
        .hidden2 = pass->hidden2,
        .q = pass->q,
        .open1 = pass->open1,
        .open2 = pass->open2,
        .order = pass->order,
        .soon = pass->soon,
    });
}

void xp__net_forward(const xp__net *net, const xp__net_pass *pass) {
    const xp__net_options *o = &net->options;
    const float *small = xp__net_small(net, pass->member);
    if (o->hot > 0 && xp__net_by_rows(net)) {
        forward_by_rows(net, pass);
        return;
    }
    for (size_t r = 0; r < pass->rows; r++) {
        pass->order[r] = (uint32_t)r;
    }
    first_layer(net, pass);
    net->kernels->product(&(xp__net_product){
        .outs = pass->rows,
        .terms = o->hidden,
        .width = net->width,
        .coefficient = pass->hidden1,
        .out_step = net->stride,
        .term_step = 1,
        .matrix = small,
        .matrix_step = net->stride,
        .init = small + xp__net_bias2(net),
        .sets = o->savings & XP_NET_SPARSE ? pass->open1 : NULL,
        .words = net->words,
        .finish = XP__NET_RECTIFY,
        .open = pass->open2,
        .out = pass->hidden2,
        .out_stride = net->stride,
    });
    net->kernels->dot(pass->rows, o->actions, net->width, net->stride, pass->hidden2,
                      small + xp__net_weight3(net), small + xp__net_bias3(net), pass->q);
}

/* Rows are evaluated in blocks whose unit values fit on the stack, so that evaluation needs no
 * memory of the network's own and may run on several threads. */
enum { BLOCK_FLOATS = 4096, BLOCK_ROWS = 64, BLOCK_WORDS = 5 * BLOCK_ROWS, MAX_HOT = 16 };
enum { MAX_ACTIONS = 256 };

/* Called with q[rows][actions] of one member in rows first .. first + rows - 1. */
typedef void block_sink(void *context, size_t member, size_t first, size_t rows, const float *q);

/* What somebody has looked up already: the rows' pending steps, and what is wanted soon. */
typedef struct known {
    const float *late;
    xp__net_soon soon;
} known;

/* `given` may be NULL. */
static void for_each_block(const xp__net *net, size_t first_member, size_t members,
                           const xp__net_rows *rows, const known *given, block_sink *sink,
                           void *context) {
    const xp__net_options *o = &net->options;
    assert(first_member + members <= o->members);
    assert(rows->count == 0 || (o->hot > 0 ? rows->hot != NULL : rows->dense != NULL));
    _Alignas(64) float hidden1[BLOCK_FLOATS], hidden2[BLOCK_FLOATS];
    float q[4 * MAX_ACTIONS], late[BLOCK_ROWS * MAX_HOT];
    uint64_t open1[BLOCK_WORDS], open2[BLOCK_WORDS];
    uint32_t order[BLOCK_ROWS];
    size_t room = BLOCK_FLOATS / net->stride;
    room = room < BLOCK_ROWS ? room : BLOCK_ROWS;
    room = room < sizeof q / sizeof q[0] / o->actions ? room : sizeof q / sizeof q[0] / o->actions;
    const unsigned saved = xp__net_flush_begin();
    xp__net_soon asked = given != NULL ? given->soon : (xp__net_soon){.count = 0};
    const size_t share = rows->count > 0 ? asked.count * room / rows->count + 1 : 0;
    for (size_t first = 0; first < rows->count; first += room) {
        const size_t left = rows->count - first, count = left < room ? left : room;
        const uint32_t *hot = o->hot > 0 ? rows->hot + first * o->hot : NULL;
        if (given == NULL) {
            xp__net_late_rows(net, &(xp__net_rows){.count = count, .hot = hot}, late);
        }
        for (size_t member = first_member; member < first_member + members; member++) {
            const bool more = o->hot > 0 && member + 1 < first_member + members;
            xp__net_soon soon = {xp__net_records(net, member + more), hot,
                                 more ? count * o->hot : 0};
            if (given != NULL) {
                soon = asked;
                soon.count = asked.count < share ? asked.count : share;
                asked.input += soon.count;
                asked.count -= soon.count;
            }
            xp__net_forward(net, &(xp__net_pass){
                                     .rows = count,
                                     .member = member,
                                     .hot = hot,
                                     .dense = o->hot == 0 ? rows->dense + first * o->inputs : NULL,
                                     .late = given != NULL ? given->late + first * o->hot : late,
                                     .soon = soon,
                                     .hidden1 = hidden1,
                                     .hidden2 = hidden2,
                                     .q = q,
                                     .open1 = open1,
                                     .open2 = open2,
                                     .order = order,
                                 });
            sink(context, member - first_member, first, count, q);
        }
    }
    xp__net_flush_end(saved);
}

typedef struct output {
    size_t members, rows, actions;
    float *to;
    size_t best;
} output;

static void store_q(void *context, size_t member, size_t first, size_t rows, const float *q) {
    const output *out = context;
    float *to = out->to + (member * out->rows + first) * out->actions;
    for (size_t i = 0; i < rows * out->actions; i++) {
        to[i] = q[i];
    }
}

static void store_max(void *context, size_t member, size_t first, size_t rows, const float *q) {
    const output *out = context;
    for (size_t r = 0; r < rows; r++) {
        const float *row = q + r * out->actions;
        out->to[(first + r) * out->members + member] = row[xp__argmax_float(row, out->actions)];
    }
}

static void store_best(void *context, size_t member, size_t first, size_t rows, const float *q) {
    (void)member, (void)first, (void)rows;
    output *out = context;
    out->best = xp__argmax_float(q, out->actions);
}

void xp__net_late_rows(const xp__net *net, const xp__net_rows *rows, float *late) {
    for (size_t i = 0; i < rows->count * net->options.hot; i++) {
        const uint32_t input = rows->hot[i];
        assert(input < net->options.inputs || input == XP_NET_NONE);
        late[i] = input == XP_NET_NONE ? 0 : xp__net_late(net, input);
    }
}

void xp__net_max_late(const xp__net *net, size_t member, const xp__net_rows *rows,
                      const float *late, xp__net_soon soon, float *value) {
    output out = {.members = 1, .actions = net->options.actions, .to = value};
    for_each_block(net, member, 1, rows, &(known){late, soon}, store_max, &out);
}

void xp__net_q(const xp__net *net, size_t first, size_t count, const xp__net_rows *rows, float *q) {
    output out = {.rows = rows->count, .actions = net->options.actions, .to = q};
    for_each_block(net, first, count, rows, NULL, store_q, &out);
}

void xp__net_max(const xp__net *net, size_t first, size_t count, const xp__net_rows *rows,
                 float *value) {
    output out = {.members = count, .actions = net->options.actions, .to = value};
    for_each_block(net, first, count, rows, NULL, store_max, &out);
}

size_t xp__net_greedy(const xp__net *net, size_t member, const xp__net_rows *rows) {
    assert(rows->count >= 1);
    const xp__net_rows one = {1, rows->hot, rows->dense};
    output out = {.actions = net->options.actions};
    for_each_block(net, member, 1, &one, NULL, store_best, &out);
    return out.best;
}
