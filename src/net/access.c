/* access.c: a member's parameters as one vector, in the order in which other tools keep them:
 * weights by output unit. Inside, rows are by input unit (net_type.h). */
#include "net/net_type.h"

#include <assert.h>
#include <math.h>
#include <string.h>

size_t xp__net_parameter_count(const xp__net *net) {
    const xp__net_options *o = &net->options;
    return o->hidden * (o->inputs + 1) + o->hidden * (o->hidden + 1) + o->actions * (o->hidden + 1);
}

/* out[j][i] = in[i][j] for rows of `step` floats. */
static float *turn(float *out, const float *in, size_t rows, size_t columns, size_t step) {
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < rows; i++) {
            *out++ = in[i * step + j];
        }
    }
    return out;
}

static const float *turn_back(float *out, const float *in, size_t rows, size_t columns,
                              size_t step) {
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < rows; i++) {
            out[i * step + j] = *in++;
        }
    }
    return in;
}

void xp__net_get(const xp__net *net, size_t member, float *parameters) {
    const xp__net_options *o = &net->options;
    assert(member < o->members);
    const float *records = xp__net_records(net, member), *small = xp__net_small(net, member);
    for (size_t i = 0; i < o->inputs; i++) {
        const float *p = records + i * 3 * net->stride;
        const float late = o->hot > 0 ? xp__net_late(net, (uint32_t)i) : 0;
        for (size_t h = 0; h < o->hidden; h++) {
            parameters[h * o->inputs + i] = p[h] - late * p[net->stride + h];
        }
    }
    float *at = parameters + o->hidden * o->inputs;
    memcpy(at, small + xp__net_bias1(net), o->hidden * sizeof *at);
    at = turn(at + o->hidden, small, o->hidden, o->hidden, net->stride);
    memcpy(at, small + xp__net_bias2(net), o->hidden * sizeof *at);
    at += o->hidden;
    for (size_t a = 0; a < o->actions; a++) {
        memcpy(at, small + xp__net_weight3(net) + a * net->stride, o->hidden * sizeof *at);
        at += o->hidden;
    }
    memcpy(at, small + xp__net_bias3(net), o->actions * sizeof *at);
}

void xp__net_set(xp__net *net, size_t member, const float *parameters) {
    const xp__net_options *o = &net->options;
    assert(member < o->members);
    float *records = xp__net_records(net, member), *small = xp__net_small(net, member);
    memset(records, 0, o->inputs * 3 * net->stride * sizeof *records);
    memset(small, 0, 3 * net->small * sizeof *small);
    const float *at = turn_back(records, parameters, o->inputs, o->hidden, 3 * net->stride);
    memcpy(small + xp__net_bias1(net), at, o->hidden * sizeof *at);
    at = turn_back(small, at + o->hidden, o->hidden, o->hidden, net->stride);
    memcpy(small + xp__net_bias2(net), at, o->hidden * sizeof *at);
    at += o->hidden;
    for (size_t a = 0; a < o->actions; a++) {
        memcpy(small + xp__net_weight3(net) + a * net->stride, at, o->hidden * sizeof *at);
        at += o->hidden;
    }
    memcpy(small + xp__net_bias3(net), at, o->actions * sizeof *at);
}

static void check_alike(const xp__net *net, size_t to, const xp__net *source, size_t from) {
    const xp__net_options *o = &net->options, *its = &source->options;
    assert(to < o->members && from < its->members);
    assert(o->inputs == its->inputs && o->hidden == its->hidden && o->actions == its->actions);
    (void)o, (void)its, (void)to, (void)from;
}

void xp__net_copy_member(xp__net *net, size_t to, const xp__net *source, size_t from) {
    const xp__net_options *o = &net->options;
    check_alike(net, to, source, from);
    const size_t stride = net->stride;
    const float *rows = xp__net_records(source, from), *small = xp__net_small(source, from);
    float *own_rows = xp__net_records(net, to), *own_small = xp__net_small(net, to);
    for (size_t i = 0; i < o->inputs; i++) {
        const float *p = rows + i * 3 * stride;
        float *own = own_rows + i * 3 * stride;
        const float late = source->options.hot > 0 ? xp__net_late(source, (uint32_t)i) : 0;
        for (size_t h = 0; h < stride; h++) {
            own[h] = p[h] - late * p[stride + h];
        }
        memset(own + stride, 0, 2 * stride * sizeof *own);
    }
    memmove(own_small, small, net->small * sizeof *small);
    memset(own_small + net->small, 0, 2 * net->small * sizeof *small);
}

void xp__net_blend_member(xp__net *net, size_t to, const xp__net *source, size_t from,
                          float share) {
    const xp__net_options *o = &net->options;
    check_alike(net, to, source, from);
    const size_t stride = net->stride;
    const float *its = xp__net_records(source, from), *its_small = xp__net_small(source, from);
    float *own = xp__net_records(net, to), *own_small = xp__net_small(net, to);
    for (size_t i = 0; i < o->inputs; i++, own += 3 * stride, its += 3 * stride) {
        const float late = o->hot > 0 ? xp__net_late(net, (uint32_t)i) : 0;
        const float its_late = source->options.hot > 0 ? xp__net_late(source, (uint32_t)i) : 0;
        for (size_t h = 0; h < stride; h++) {
            const float x = own[h] - late * own[stride + h];
            own[h] += share * (its[h] - its_late * its[stride + h] - x);
        }
    }
    for (size_t i = 0; i < net->small; i++) {
        own_small[i] += share * (its_small[i] - own_small[i]);
    }
}

void xp__net_reset_optimiser(xp__net *net) {
    const xp__net_options *o = &net->options;
    xp__net_settle(net);
    for (size_t member = 0; member < o->members; member++) {
        for (size_t i = 0; i < o->inputs; i++) {
            float *record = xp__net_records(net, member) + i * 3 * net->stride;
            memset(record + net->stride, 0, 2 * net->stride * sizeof *record);
        }
        memset(xp__net_small(net, member) + net->small, 0, 2 * net->small * sizeof(float));
    }
    for (size_t i = 0; i < net->visited_count; i++) {
        net->last[net->visited[i]] = 0;
    }
    net->visited_count = 0;
    net->step = 0;
}

double xp__net_norm(const xp__net *net, size_t member) {
    const xp__net_options *o = &net->options;
    assert(member < o->members);
    const float *records = xp__net_records(net, member), *small = xp__net_small(net, member);
    double sum = 0;
    for (size_t i = 0; i < o->inputs; i++) {
        const float *p = records + i * 3 * net->stride;
        const float late = o->hot > 0 ? xp__net_late(net, (uint32_t)i) : 0;
        for (size_t h = 0; h < o->hidden; h++) {
            const double x = p[h] - late * p[net->stride + h];
            sum += x * x;
        }
    }
    for (size_t i = 0; i < net->small; i++) {
        sum += (double)small[i] * small[i];
    }
    return sqrt(sum);
}
