/* descend.c: plain and Langevin steps, and the gradient as a vector. They touch every parameter and
 * are bound by the drawing of noise, so they are plain loops. */
#include "net/net_type.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The gradient of one first-layer row after xp__net_backpropagate. */
static void row_gradient(const xp__net *net, const xp__net_rows *rows, size_t input, float *g) {
    const xp__net_work *w = &net->work;
    const size_t hidden = net->options.hidden, stride = net->stride;
    memset(g, 0, hidden * sizeof *g);
    if (net->options.hot == 0) {
        for (size_t r = 0; r < rows->count; r++) {
            const float x = rows->dense[r * net->options.inputs + input];
            for (size_t h = 0; x != 0 && h < hidden; h++) {
                g[h] += x * w->slope1[r * stride + h];
            }
        }
    } else if (w->slot[input] != 0) {
        const xp__net_update *update = &w->plan.update[w->slot[input] - 1];
        for (size_t i = update->first; i < update->last; i++) {
            for (size_t h = 0; h < hidden; h++) {
                g[h] += w->slope1[w->plan.list[i] * stride + h];
            }
        }
    }
}

typedef struct step {
    float size, noise, clip, decay;
    xp_rng rng;
} step;

static void descend_row(step *s, size_t n, float *p, const float *g) {
    for (size_t i = 0; i < n; i++) {
        float slope = g[i] + s->decay * p[i];
        slope = slope > s->clip ? s->clip : slope < -s->clip ? -s->clip : slope;
        p[i] -= s->size * slope;
    }
    if (s->noise > 0) {
        for (size_t i = 0; i < n; i++) {
            p[i] += s->noise * (float)xp_rng_normal(&s->rng);
        }
    }
}

static void descend_member(xp__net *net, size_t member, const xp__net_rows *rows, step *s) {
    const xp__net_options *o = &net->options;
    const xp__net_work *w = &net->work;
    float *records = xp__net_records(net, member), *small = xp__net_small(net, member);
    for (size_t i = 0; i < o->inputs; i++) {
        row_gradient(net, rows, i, w->tile);
        descend_row(s, o->hidden, records + i * 3 * net->stride, w->tile);
    }
    const size_t tail = xp__net_bias3(net);
    for (size_t at = 0; at < tail; at += net->stride) {
        descend_row(s, o->hidden, small + at, w->gradient + at);
    }
    descend_row(s, o->actions, small + tail, w->gradient + tail);
}

void xp__net_descend(xp__net *net, const xp__net_rows *rows, xp__net_loss *loss, void *context,
                     const xp__net_descent *descent, const xp_rng *rng, double *losses) {
    assert(descent->noise <= 0 || rng != NULL);
    const unsigned saved = xp__net_flush_begin();
    xp__net_settle(net);
    xp__net_plan_make(net, &net->work.plan, rows, false);
    xp__net_plan_mark(net, &net->work.plan);
    for (size_t member = 0; member < net->options.members; member++) {
        const double value =
            xp__net_backpropagate(net, member, &net->work.plan, rows, loss, context, false, false);
        if (losses != NULL) {
            losses[member] = value;
        }
        step s = {
            .size = (float)descent->step,
            .noise = (float)descent->noise,
            .clip = descent->clip > 0 ? (float)descent->clip : INFINITY,
            .decay = descent->decay != NULL ? (float)descent->decay[member] : 0,
        };
        if (descent->noise > 0) {
            s.rng = xp_rng_fork(rng, member);
        }
        descend_member(net, member, rows, &s);
    }
    xp__net_plan_unmark(net, &net->work.plan);
    xp__net_flush_end(saved);
}

void xp__net_gradient(xp__net *net, size_t member, const xp__net_rows *rows, xp__net_loss *loss,
                      void *context, float *gradient) {
    const xp__net_options *o = &net->options;
    const xp__net_work *w = &net->work;
    assert(member < o->members);
    const unsigned saved = xp__net_flush_begin();
    xp__net_plan_make(net, &net->work.plan, rows, false);
    xp__net_plan_mark(net, &net->work.plan);
    (void)xp__net_backpropagate(net, member, &net->work.plan, rows, loss, context, false, false);
    for (size_t i = 0; i < o->inputs; i++) {
        row_gradient(net, rows, i, w->tile);
        for (size_t h = 0; h < o->hidden; h++) {
            gradient[h * o->inputs + i] = w->tile[h];
        }
    }
    float *at = gradient + o->hidden * o->inputs;
    memcpy(at, w->gradient + xp__net_bias1(net), o->hidden * sizeof *at);
    at += o->hidden;
    for (size_t j = 0; j < o->hidden; j++) {
        for (size_t i = 0; i < o->hidden; i++) {
            *at++ = w->gradient[i * net->stride + j];
        }
    }
    memcpy(at, w->gradient + xp__net_bias2(net), o->hidden * sizeof *at);
    at += o->hidden;
    for (size_t a = 0; a < o->actions; a++) {
        memcpy(at, w->gradient + xp__net_weight3(net) + a * net->stride, o->hidden * sizeof *at);
        at += o->hidden;
    }
    memcpy(at, w->gradient + xp__net_bias3(net), o->actions * sizeof *at);
    xp__net_plan_unmark(net, &net->work.plan);
    xp__net_flush_end(saved);
}
