/* net.c: creation of an ensemble, access to its parameters, pending steps. */
#include "net/net_type.h"

#include "base/budget.h"
#include "base/memory.h"
#include "net/pages.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

xp__net_options xp__net_options_default(size_t inputs, size_t actions, size_t hot) {
    return (xp__net_options){
        .members = 25,
        .inputs = inputs,
        .hidden = 50,
        .actions = actions,
        .hot = hot,
        .rows = 128,
        .learning_rate = 1e-3,
        .beta1 = 0.9,
        .beta2 = 0.999,
        .epsilon = 1e-8,
        .savings = XP_NET_SAVINGS,
        .lazy_after = 1000,
    };
}

static xp_status check_size(const char *name, size_t value, size_t low, size_t high,
                            xp_error *error) {
    if (value >= low && value <= high) {
        return XP_OK;
    }
    return xp_error_set(error, XP_ERR_INPUT, "net.%s = %zu is outside [%zu, %zu]", name, value, low,
                        high);
}

static xp_status check_real(const char *name, double value, double low, double high,
                            xp_error *error) {
    if (value >= low && value <= high) {
        return XP_OK;
    }
    return xp_error_set(error, XP_ERR_INPUT, "net.%s = %g is outside [%g, %g]", name, value, low,
                        high);
}

static xp_status check(const xp__net_options *o, xp_error *error) {
    const struct {
        const char *name;
        size_t value, low, high;
    } sizes[] = {
        {"members", o->members, 1, 65536},
        {"inputs", o->inputs, 1, 1 << 24},
        {"hidden", o->hidden, 1, 256},
        {"actions", o->actions, 1, 256},
        {"hot", o->hot, 0, 16},
        {"rows", o->rows, 1, 65536},
    };
    const struct {
        const char *name;
        double value, low, high;
    } reals[] = {
        {"learning_rate", o->learning_rate, 0, 1e3},
        {"beta1", o->beta1, 0, 0.9999},
        {"beta2", o->beta2, 0, 0.99999},
        {"epsilon", o->epsilon, 1e-30, 1e3},
    };
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < sizeof sizes / sizeof sizes[0]; i++) {
        status = check_size(sizes[i].name, sizes[i].value, sizes[i].low, sizes[i].high, error);
    }
    for (size_t i = 0; status == XP_OK && i < sizeof reals / sizeof reals[0]; i++) {
        status = check_real(reals[i].name, reals[i].value, reals[i].low, reals[i].high, error);
    }
    if (status == XP_OK && (o->savings & XP_NET_LAZY) && !(o->savings & XP_NET_VISITED)) {
        status = xp_error_set(error, XP_ERR_INPUT, "net.savings: lazy needs visited");
    }
    if (status == XP_OK && (o->savings & XP_NET_LAZY) && !(o->beta1 < sqrt(o->beta2))) {
        status = xp_error_set(error, XP_ERR_INPUT,
                              "net.beta1 = %g is not below sqrt(net.beta2) = %g, which lazy steps "
                              "need",
                              o->beta1, sqrt(o->beta2));
    }
    return status;
}

/* Hands out aligned pieces of one block; without a block it only adds up their sizes. */
typedef struct carver {
    char *block;
    size_t used;
} carver;

static void *carve(carver *from, size_t count, size_t size) {
    const size_t at = from->used;
    from->used += (count * size + 63) / 64 * 64;
    return from->block != NULL ? from->block + at : NULL;
}

static void carve_all(xp__net *net, carver *from) {
    const xp__net_options *o = &net->options;
    const size_t row = (o->rows + 7) / 8 * 8 * net->stride,
                 /* squares of 8 × 8 are turned */ hot_rows = o->hot > 0 ? o->inputs : 0;
    xp__net_work *w = &net->work;
    net->records = carve(from, o->members * o->inputs * 3 * net->stride, sizeof(float));
    net->smalls = carve(from, o->members * 3 * net->small, sizeof(float));
    net->last = carve(from, hot_rows, sizeof(uint32_t));
    net->visited = carve(from, hot_rows, sizeof(uint32_t));
    w->hidden1 = carve(from, row, sizeof(float));
    w->hidden2 = carve(from, row, sizeof(float));
    w->slope1 = carve(from, row, sizeof(float));
    w->slope2 = carve(from, row, sizeof(float));
    w->open1 = carve(from, o->rows * net->words, sizeof(uint64_t));
    w->open2 = carve(from, o->rows * net->words, sizeof(uint64_t));
    w->order = carve(from, o->rows, sizeof(uint32_t));
    w->turned1 = carve(from, (net->width + 8) * XP__NET_TURNED, sizeof(float));
    w->users = carve(from, net->width + 8, sizeof(uint64_t));
    w->turned = carve(from, net->width * net->stride, sizeof(float));
    w->gradient = carve(from, net->small, sizeof(float));
    w->tile = carve(from, XP__NET_TILE * net->stride, sizeof(float));
    w->q = carve(from, o->rows * o->actions, sizeof(float));
    w->slope = carve(from, o->rows * o->actions, sizeof(float));
    w->slot = carve(from, hot_rows, sizeof(uint32_t));
}

static xp_status allocate(xp__net *net, xp_error *error) {
    carver sizes = {NULL, 0};
    carve_all(net, &sizes);
    const size_t bytes = sizes.used + 64;
    const xp__net_options *o = &net->options;
    char what[160];
    (void)snprintf(what, sizeof what,
                   "%zu network%s of %zu inputs, %zu hidden units and %zu actions", o->members,
                   o->members == 1 ? "" : "s", o->inputs, o->hidden, o->actions);
    const xp_status status =
        xp__budget_check(bytes, 1, what,
                         "use fewer networks or hidden units, or states with fewer values (a whole "
                         "number takes one input per value, any other number one in all)",
                         error);
    if (status != XP_OK) {
        return status;
    }
    net->block = xp__realloc(NULL, bytes, 1);
    if (net->block == NULL) {
        return xp__no_memory(error);
    }
    xp__net_large_pages(net->block, bytes); /* before anything is written there */
    memset(net->block, 0, bytes);
    carver pieces = {(char *)net->block + (64 - (uintptr_t)net->block % 64) % 64, 0};
    carve_all(net, &pieces);
    return XP_OK;
}

/* A normal cut at two standard deviations, scaled to variance 1: the usual LeCun initialiser. */
static double cut_normal(xp_rng *rng) {
    const double deviation = 0.87962566103423978; /* of a standard normal cut at ±2 */
    double x;
    do {
        x = xp_rng_normal(rng);
    } while (fabs(x) > 2);
    return x / deviation;
}

static void draw_member(xp__net *net, size_t member, const xp_rng *parent) {
    const xp__net_options *o = &net->options;
    xp_rng rng = xp_rng_fork(parent, member);
    const double scale1 = 1 / sqrt((double)o->inputs), scale2 = 1 / sqrt((double)o->hidden);
    float *records = xp__net_records(net, member), *small = xp__net_small(net, member);
    for (size_t i = 0; i < o->inputs; i++) {
        for (size_t h = 0; h < o->hidden; h++) {
            records[i * 3 * net->stride + h] = (float)(scale1 * cut_normal(&rng));
        }
    }
    for (size_t i = 0; i < o->hidden; i++) {
        for (size_t h = 0; h < o->hidden; h++) {
            small[i * net->stride + h] = (float)(scale2 * cut_normal(&rng));
        }
    }
    float *weight3 = small + xp__net_weight3(net);
    for (size_t a = 0; a < o->actions; a++) {
        for (size_t h = 0; h < o->hidden; h++) {
            weight3[a * net->stride + h] = (float)(scale2 * cut_normal(&rng));
        }
    }
}

void xp__net_draw(xp__net *net, const xp_rng *rng) {
    xp__net_reset_optimiser(net);
    for (size_t member = 0; member < net->options.members; member++) {
        memset(xp__net_small(net, member), 0, net->small * sizeof(float));
        draw_member(net, member, rng);
    }
}

xp_status xp__net_create(const xp__net_options *options, const xp_rng *rng, xp__net **net,
                         xp_error *error) {
    *net = NULL;
    xp_status status = check(options, error);
    if (status != XP_OK) {
        return status;
    }
    const xp__net_kernels *kernels = xp__net_kernels_named(options->kernels);
    if (kernels == NULL) {
        return xp_error_set(error, XP_ERR_INPUT, "net.kernels = '%s' cannot be used here",
                            options->kernels);
    }
    xp__net *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->options = *options;
    made->options.kernels = kernels->name;
    made->kernels = kernels;
    made->width = (options->hidden + 7) / 8 * 8;
    made->stride = (options->hidden + 16) / 16 * 16; /* room for one more: the bias */
    made->words = (options->hidden + 64) / 64;
    made->small =
        (options->hidden + 2 + options->actions) * made->stride + (options->actions + 15) / 16 * 16;
    status = xp__net_schedule_init(&made->schedule, options, error);
    if (status == XP_OK) {
        status = allocate(made, error);
    }
    if (status == XP_OK && !xp__net_plan_init(&made->work.plan, options)) {
        status = xp__no_memory(error);
    }
    if (status != XP_OK) {
        xp__net_destroy(made);
        return status;
    }
    for (size_t member = 0; rng != NULL && member < options->members; member++) {
        draw_member(made, member, rng);
    }
    *net = made;
    return XP_OK;
}

void xp__net_destroy(xp__net *net) {
    if (net != NULL) {
        xp__net_schedule_deinit(&net->schedule);
        xp__net_plan_deinit(&net->work.plan);
        xp__free(net->block);
        xp__free(net);
    }
}

const xp__net_options *xp__net_get_options(const xp__net *net) {
    return &net->options;
}

const char *xp__net_kernels_name(const xp__net *net) {
    return net->kernels->name;
}

uint64_t xp__net_steps(const xp__net *net) {
    return net->step;
}

float xp__net_late(const xp__net *net, uint32_t input) {
    const uint32_t last = net->last[input];
    return last == 0 || last == net->step
               ? 0
               : (float)xp__net_schedule_late(&net->schedule, last, net->step);
}

/* Lets a row be as if it had taken every step: p -= late · d, and moments decayed. */
static void settle_row(xp__net *net, uint32_t input) {
    const uint64_t skipped = net->step - net->last[input];
    const float late = xp__net_late(net, input);
    const float before = (float)xp__net_schedule_floor(&net->schedule, net->last[input]);
    const float after = (float)xp__net_schedule_floor(&net->schedule, net->step);
    const float decay1 = (float)xp__net_power(&net->schedule.beta1, skipped);
    const float decay2 = (float)sqrt(xp__net_power(&net->schedule.beta2, skipped));
    for (size_t member = 0; member < net->options.members; member++) {
        float *p = xp__net_records(net, member) + (size_t)input * 3 * net->stride;
        float *d = p + net->stride, *s = d + net->stride;
        for (size_t h = 0; h < net->options.hidden; h++) {
            const float moment = d[h] * (s[h] + before) * decay1;
            p[h] -= late * d[h];
            s[h] *= decay2;
            d[h] = moment / (s[h] + after);
        }
    }
    net->last[input] = (uint32_t)net->step;
}

void xp__net_settle(xp__net *net) {
    const unsigned saved = xp__net_flush_begin();
    for (size_t i = 0; i < net->visited_count; i++) {
        if (net->last[net->visited[i]] != net->step) {
            settle_row(net, net->visited[i]);
        }
    }
    xp__net_flush_end(saved);
}
