/* train.c: backward pass and optimiser steps, member by member, so that what a member needs stays
 * in the nearest caches.
 *
 * With z the units' inputs, h = max(0, z) and D = dLoss/dQ:
 *     dW3 = Dᵀ h2,   dz2 = [h2 > 0] (D W3),   dW2 = h1ᵀ dz2,   dz1 = [h1 > 0] (dz2 W2ᵀ),   dW1 = xᵀ
 * dz1. Every sum over units runs over open ones only: the others contribute exact zeros. */
#include "net/net_type.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* dW3 and db3. */
static void head_gradient(const xp__net *net, size_t rows) {
    const xp__net_work *w = &net->work;
    const size_t actions = net->options.actions;
    net->kernels->product(&(xp__net_product){
        .outs = actions,
        .terms = rows,
        .width = net->width,
        .coefficient = w->slope,
        .out_step = 1,
        .term_step = actions,
        .matrix = w->hidden2,
        .matrix_step = net->stride,
        .finish = XP__NET_PLAIN,
        .out = w->gradient + xp__net_weight3(net),
        .out_stride = net->stride,
    });
    float *bias3 = w->gradient + xp__net_bias3(net);
    for (size_t a = 0; a < actions; a++) {
        float sum = 0;
        for (size_t r = 0; r < rows; r++) {
            sum += w->slope[r * actions + a];
        }
        bias3[a] = sum;
    }
}

/* dz2, dz1 and db1, layer by layer. */
static void slopes_by_layers(const xp__net *net, size_t rows, const float *weight3) {
    static const float one = 1;
    const xp__net_work *w = &net->work;
    xp__net_product product = {
        .outs = rows,
        .terms = net->options.actions,
        .width = net->width,
        .coefficient = w->slope,
        .out_step = net->options.actions,
        .term_step = 1,
        .matrix = weight3,
        .matrix_step = net->stride,
        .finish = XP__NET_GATE,
        .gate = w->hidden2,
        .out = w->slope2,
        .out_stride = net->stride,
    };
    net->kernels->product(&product);
    product.terms = net->options.hidden;
    product.coefficient = w->slope2;
    product.out_step = net->stride;
    product.matrix = w->turned;
    product.sets = net->options.savings & XP_NET_SPARSE ? w->open2 : NULL;
    product.words = net->words;
    product.gate = w->hidden1;
    product.out = w->slope1;
    net->kernels->product(&product);
    product.outs = 1;
    product.terms = rows;
    product.coefficient = &one;
    product.out_step = product.term_step = 0;
    product.matrix = w->slope1;
    product.sets = NULL;
    product.finish = XP__NET_PLAIN;
    product.out = w->gradient + xp__net_bias1(net);
    net->kernels->product(&product);
}

/* hidden1 by unit for `count` rows from `first` on, and users[unit] = those in which it is open.
 * The bias, after the last unit, is 1 in all of them. What the squares of 8 × 8 turn beyond the
 * last row is masked out. */
static void find_users(const xp__net *net, size_t first, size_t count) {
    const xp__net_work *w = &net->work;
    const size_t hidden = net->options.hidden;
    net->kernels->turn(count, hidden, w->hidden1 + first * net->stride, net->stride, w->turned1,
                       XP__NET_TURNED);
    float *ones = w->turned1 + hidden * XP__NET_TURNED;
    for (size_t r = 0; r < count; r++) {
        ones[r] = 1;
    }
    net->kernels->positive(hidden + 1, (count + 7) / 8 * 8, w->turned1, XP__NET_TURNED, 1,
                           w->users);
    const uint64_t rows = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    for (size_t unit = 0; unit <= hidden; unit++) {
        w->users[unit] &= rows;
    }
}

/* dW2 and, as its last row, db2; 64 rows of the batch at a time, which the first cache holds. */
static void hidden_gradient(const xp__net *net, size_t rows) {
    const xp__net_work *w = &net->work;
    memset(w->gradient, 0, (net->options.hidden + 1) * net->stride * sizeof w->gradient[0]);
    for (size_t first = 0; first < rows; first += 64) {
        const size_t count = rows - first < 64 ? rows - first : 64;
        find_users(net, first, count);
        net->kernels->product(&(xp__net_product){
            .outs = net->options.hidden + 1,
            .terms = count,
            .width = net->width,
            .coefficient = w->turned1,
            .out_step = XP__NET_TURNED,
            .term_step = 1,
            .matrix = w->slope2 + first * net->stride,
            .matrix_step = net->stride,
            .add = true,
            .sets = net->options.savings & XP_NET_SPARSE ? w->users : NULL,
            .words = 1,
            .finish = XP__NET_PLAIN,
            .out = w->gradient,
            .out_stride = net->stride,
        });
    }
}

/* All of the hidden layers' slopes and gradients, layer by layer. */
static void backward_by_layers(const xp__net *net, size_t rows, const float *small) {
    /* Columns after the last unit hold what follows W2; the gate closes them: hidden1 is 0 there.
     */
    net->kernels->turn(net->width, net->width, small, net->stride, net->work.turned, net->stride);
    slopes_by_layers(net, rows, small + xp__net_weight3(net));
    hidden_gradient(net, rows);
}

/* The same, row by row. */
static void backward_by_rows(const xp__net *net, size_t rows, const float *small,
                             const xp__net_plan *plan, float *records) {
    const xp__net_work *w = &net->work;
    float *bias1 = w->gradient + xp__net_bias1(net);
    memset(w->gradient, 0, net->options.hidden * net->stride * sizeof w->gradient[0]);
    net->kernels->backward_rows(&(xp__net_backward_rows){
        .rows = rows,
        .hidden = net->options.hidden,
        .actions = net->options.actions,
        .width = net->width,
        .stride = net->stride,
        .slope = w->slope,
        .weight2 = small,
        .weight3 = small + xp__net_weight3(net),
        .hidden1 = w->hidden1,
        .hidden2 = w->hidden2,
        .open1 = w->open1,
        .order = w->order,
        .slope1 = w->slope1,
        .gradient2 = w->gradient,
        .bias1 = bias1,
        .bias2 = w->gradient + xp__net_bias2(net),
        .update = plan != NULL ? plan->update : NULL,
        .adam = plan != NULL ? plan->adam : (xp__net_adam){0},
        .records = records,
    });
}

double xp__net_backpropagate(xp__net *net, size_t member, const xp__net_plan *plan,
                             const xp__net_rows *rows, xp__net_loss *loss, void *context, bool more,
                             bool adam) {
    const xp__net_work *w = &net->work;
    const float *small = xp__net_small(net, member);
    const xp__net_soon soon =
        more ? (xp__net_soon){xp__net_records(net, member + 1), plan->fetch, plan->fetches}
             : (xp__net_soon){.count = 0};
    xp__net_forward(net, &(xp__net_pass){
                             .rows = rows->count,
                             .member = member,
                             .hot = rows->hot,
                             .dense = rows->dense,
                             .late = plan->late,
                             .soon = soon,
                             .hidden1 = w->hidden1,
                             .hidden2 = w->hidden2,
                             .q = w->q,
                             .open1 = w->open1,
                             .open2 = w->open2,
                             .order = w->order,
                         });
    const double value = loss(context, member, rows->count, w->q, w->slope);
    head_gradient(net, rows->count);
    if (xp__net_by_rows(net)) {
        backward_by_rows(net, rows->count, small, adam ? plan : NULL, xp__net_records(net, member));
    } else {
        backward_by_layers(net, rows->count, small);
    }
    return value;
}

/* Dense rows: gradients of a tile of first-layer rows at a time, used while they are near. */
static void adam_dense(xp__net *net, size_t member, const xp__net_plan *plan,
                       const xp__net_rows *rows) {
    const xp__net_work *w = &net->work;
    const size_t inputs = net->options.inputs;
    for (size_t from = 0; from < inputs; from += XP__NET_TILE) {
        const size_t left = inputs - from, count = left < XP__NET_TILE ? left : XP__NET_TILE;
        net->kernels->product(&(xp__net_product){
            .outs = count,
            .terms = rows->count,
            .width = net->width,
            .coefficient = rows->dense + from,
            .out_step = 1,
            .term_step = inputs,
            .matrix = w->slope1,
            .matrix_step = net->stride,
            .finish = XP__NET_PLAIN,
            .out = w->tile,
            .out_stride = net->stride,
        });
        for (uint32_t i = 0; i < count; i++) {
            plan->list[i] = i;
            plan->update[i] = (xp__net_update){.input = (uint32_t)from + i,
                                               .first = i,
                                               .last = i + 1,
                                               .floor = plan->floor,
                                               .decay1 = 1,
                                               .decay2 = 1};
        }
        net->kernels->adam_records(&plan->adam, plan->update, count, plan->list, w->tile,
                                   net->width, net->stride, xp__net_records(net, member));
    }
}

static void adam_small(xp__net *net, size_t member, const xp__net_adam *adam) {
    float *p = xp__net_small(net, member), *m = p + net->small, *v = m + net->small;
    const float *g = net->work.gradient;
    const size_t tail = xp__net_bias3(net);
    net->kernels->adam_rows(adam, tail / net->stride, net->width, net->stride, p, m, v, g);
    net->kernels->adam_rows(adam, 1, (net->options.actions + 7) / 8 * 8, net->stride, p + tail,
                            m + tail, v + tail, g + tail);
}

double xp__net_train_member(xp__net *net, size_t member, const xp__net_plan *plan,
                            const xp__net_rows *rows, xp__net_loss *loss, void *context,
                            bool more) {
    /* Rows that share no input with others can be moved while they are at hand. */
    const bool apart =
        net->options.hot == 1 && plan->touched == rows->count && xp__net_by_rows(net);
    const double value = xp__net_backpropagate(net, member, plan, rows, loss, context, more, apart);
    if (net->options.hot > 0) {
        const size_t moved = apart ? plan->touched : 0;
        net->kernels->adam_records(&plan->adam, plan->update + moved, plan->updates - moved,
                                   plan->list, net->work.slope1, net->width, net->stride,
                                   xp__net_records(net, member));
    } else {
        adam_dense(net, member, plan, rows);
    }
    adam_small(net, member, &plan->adam);
    return value;
}

void xp__net_train(xp__net *net, const xp__net_rows *rows, xp__net_loss *loss, void *context,
                   double *losses) {
    const size_t members = net->options.members;
    xp__net_plan *plan = &net->work.plan;
    const unsigned saved = xp__net_flush_begin();
    xp__net_plan_make(net, plan, rows, true);
    for (size_t member = 0; member < members; member++) {
        const double value =
            xp__net_train_member(net, member, plan, rows, loss, context, member + 1 < members);
        if (losses != NULL) {
            losses[member] = value;
        }
    }
    xp__net_flush_end(saved);
}
