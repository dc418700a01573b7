/* The ensemble against the plain reference (reference.c, doubles), for every set of kernels that
 * this processor runs: values, gradients, training. */
#include "claim.h"

#include "net/net.h"
#include "net/kernels/kernels.h"
#include "net/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const sets[] = {"portable", "avx2", "avx512"};
enum { SETS = 3 };

typedef struct shape {
    size_t inputs, hidden, actions, hot, rows;
} shape;

/* Widths below, at and above one panel, dense and few-hot, more rows than one word of a set. */
static const shape shapes[] = {
    {900, 50, 2, 1, 100}, {50, 50, 4, 2, 130}, {7, 3, 2, 1, 5},    {20, 64, 3, 0, 70},
    {33, 100, 9, 3, 40},  {11, 8, 1, 0, 3},    {40, 24, 17, 2, 9}, {10, 256, 2, 0, 12},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static xp__net *make_net(const shape *s, size_t members, unsigned savings, const char *kernels) {
    xp__net_options options = xp__net_options_default(s->inputs, s->actions, s->hot);
    options.members = members;
    options.hidden = s->hidden;
    options.rows = s->rows;
    options.savings = savings;
    options.kernels = kernels;
    options.lazy_after = 10;
    const xp_rng rng = xp_rng_seed(7);
    xp__net *net;
    return xp__net_create(&options, &rng, &net, NULL) == XP_OK ? net : NULL;
}

/* Rows with their dense form in doubles. */
typedef struct example {
    xp__net_rows rows;
    uint32_t *hot;
    float *dense;
    double *x;
} example;

static example make_example(const shape *s, uint64_t seed) {
    xp_rng rng = xp_rng_seed(seed);
    example e = {.hot = calloc(s->rows * s->hot + 1, sizeof *e.hot),
                 .dense = calloc(s->rows * s->inputs, sizeof *e.dense),
                 .x = calloc(s->rows * s->inputs, sizeof *e.x)};
    for (size_t r = 0; r < s->rows; r++) {
        for (size_t h = 0; h < s->hot; h++) {
            /* some repeats, and now and then an empty place */
            const uint32_t input = (uint32_t)xp_rng_below(&rng, s->inputs);
            const bool none = s->hot > 1 && xp_rng_bernoulli(&rng, 0.2);
            e.hot[r * s->hot + h] = none ? XP_NET_NONE : input;
            e.x[r * s->inputs + input] += none ? 0 : 1;
        }
        for (size_t i = 0; s->hot == 0 && i < s->inputs; i++) {
            e.dense[r * s->inputs + i] = (float)xp_rng_normal(&rng);
            e.x[r * s->inputs + i] = e.dense[r * s->inputs + i];
        }
    }
    e.rows = (xp__net_rows){s->rows, s->hot > 0 ? e.hot : NULL, s->hot > 0 ? NULL : e.dense};
    return e;
}

static void free_example(example *e) {
    free(e->hot);
    free(e->dense);
    free(e->x);
}

static xp__reference make_reference(const xp__net *net, size_t member) {
    const xp__net_options *o = xp__net_get_options(net);
    xp__reference reference = {
        .inputs = o->inputs,
        .hidden = o->hidden,
        .actions = o->actions,
        .learning_rate = o->learning_rate,
        .beta1 = o->beta1,
        .beta2 = o->beta2,
        .epsilon = o->epsilon,
    };
    const size_t count = xp__net_parameter_count(net);
    double **const arrays[] = {&reference.parameter, &reference.first, &reference.second,
                               &reference.gradient};
    for (int i = 0; i < 4; i++) {
        *arrays[i] = calloc(count, sizeof(double));
    }
    float *parameters = calloc(count, sizeof *parameters);
    xp__net_get(net, member, parameters);
    for (size_t i = 0; i < count; i++) {
        reference.parameter[i] = parameters[i];
    }
    free(parameters);
    return reference;
}

static void free_reference(xp__reference *reference) {
    free(reference->parameter);
    free(reference->first);
    free(reference->second);
    free(reference->gradient);
}

/* The largest difference, relative to the largest wanted number. */
static double difference(size_t n, const float *got, const double *wanted) {
    double largest = 0, top = 1e-30;
    for (size_t i = 0; i < n; i++) {
        const double apart = fabs(got[i] - wanted[i]);
        largest = !(apart <= largest) ? apart : largest;
        top = fabs(wanted[i]) > top ? fabs(wanted[i]) : top;
    }
    return largest / top;
}

CLAIM(the_reference_counts_the_same_parameters) {
    xp__net *net = make_net(&shapes[0], 1, 0, NULL);
    const xp__reference reference = {.inputs = 900, .hidden = 50, .actions = 2};
    EXPECT(xp__net_parameter_count(net) == xp__reference_count(&reference));
    EXPECT(xp__net_parameter_count(net) == 900 * 50 + 50 + 50 * 50 + 50 + 50 * 2 + 2);
    xp__net_destroy(net);
}

CLAIM(at_least_the_portable_kernels_can_be_used) {
    EXPECT(xp__net_kernels_named("portable") != NULL && xp__net_kernels_named(NULL) != NULL);
    EXPECT(xp__net_kernels_named("mmx") == NULL);
}

CLAIM(weights_have_the_variance_one_over_fan_in_and_biases_are_zero) {
    xp__net *net = make_net(&shapes[0], 2, 0, NULL);
    const size_t count = xp__net_parameter_count(net);
    float *p = calloc(count, sizeof *p);
    xp__net_get(net, 1, p);
    double sum = 0, square = 0, top = 0;
    for (size_t i = 0; i < 45000; i++) {
        sum += p[i];
        square += (double)p[i] * p[i];
        top = fabs(p[i]) > top ? fabs(p[i]) : top;
    }
    /* 45,000 draws: standard error 0.0047 of the mean, 0.004 of the variance; bounds at 5 errors */
    EXPECT_NEAR(sum / 45000 * 30, 0, 0.024);
    EXPECT_NEAR(square / 45000 * 900, 1, 0.024);
    EXPECT(top < 2 / 0.8796 / 30 && top > 1.99 / 0.8797 / 30);
    for (size_t h = 0; h < 50; h++) {
        EXPECT(p[45000 + h] == 0 && p[45050 + 2500 + h] == 0);
    }
    EXPECT(p[count - 1] == 0 && p[count - 2] == 0 && p[count - 3] != 0);
    free(p);
    xp__net_destroy(net);
}

CLAIM(values_are_those_of_the_reference) {
    for (size_t i = 0; i < SHAPES * SETS * 2; i++) {
        const shape *s = &shapes[i / 2 % SHAPES];
        xp__net *net = make_net(s, 3, i % 2 ? XP_NET_SAVINGS : 0, sets[i / 2 / SHAPES]);
        if (net == NULL) {
            continue; /* this processor lacks these kernels */
        }
        example e = make_example(s, i);
        xp__reference reference = make_reference(net, 2);
        double *unit = calloc(s->rows * 2 * s->hidden, sizeof *unit);
        double *wanted = calloc(s->rows * s->actions, sizeof *wanted);
        float *q = calloc(3 * s->rows * s->actions, sizeof *q);
        float *top = calloc(2 * s->rows, sizeof *top);
        xp__reference_forward(&reference, s->rows, e.x, unit, wanted);
        xp__net_q(net, 0, 3, &e.rows, q);
        const float *last = q + 2 * s->rows * s->actions;
        EXPECT(difference(s->rows * s->actions, last, wanted) < 1e-5);
        xp__net_max(net, 1, 2, &e.rows, top);
        for (size_t r = 0; r < s->rows; r++) {
            size_t best = 0;
            for (size_t a = 1; a < s->actions; a++) {
                best = last[r * s->actions + a] > last[r * s->actions + best] ? a : best;
            }
            const xp__net_rows one = {1, s->hot > 0 ? e.hot + r * s->hot : NULL,
                                      s->hot > 0 ? NULL : e.dense + r * s->inputs};
            EXPECT(top[r * 2 + 1] == last[r * s->actions + best]);
            EXPECT(xp__net_greedy(net, 2, &one) == best);
        }
        free(unit);
        free(wanted);
        free(q);
        free(top);
        free_reference(&reference);
        free_example(&e);
        xp__net_destroy(net);
    }
}

/* A loss whose slopes are given numbers: Σ slope · Q. */
typedef struct linear {
    size_t cells;
    const double *slope;
} linear;

static double linear_loss(void *context, size_t member, size_t rows, const float *q, float *slope) {
    (void)member, (void)rows;
    const linear *given = context;
    double sum = 0;
    for (size_t i = 0; i < given->cells; i++) {
        slope[i] = (float)given->slope[i];
        sum += slope[i] * q[i];
    }
    return sum;
}

static double *random_slopes(size_t cells, uint64_t seed) {
    xp_rng rng = xp_rng_seed(seed);
    double *slope = calloc(cells, sizeof *slope);
    for (size_t i = 0; i < cells; i++) {
        slope[i] = xp_rng_bernoulli(&rng, 0.5) ? (float)xp_rng_normal(&rng) : 0;
    }
    return slope;
}

CLAIM(the_reference_gradient_is_that_of_finite_differences) {
    const shape s = {6, 5, 3, 0, 4};
    xp__net *net = make_net(&s, 1, 0, "portable");
    example e = make_example(&s, 3);
    xp__reference reference = make_reference(net, 0);
    const size_t count = xp__reference_count(&reference);
    double unit[4 * 2 * 5], q[4 * 3];
    double *slope = random_slopes(12, 4);
    xp__reference_forward(&reference, 4, e.x, unit, q);
    xp__reference_backward(&reference, 4, e.x, unit, slope);
    float *fast = calloc(count, sizeof *fast);
    linear given = {12, slope};
    xp__net_gradient(net, 0, &e.rows, linear_loss, &given, fast);
    for (size_t i = 0; i < count; i++) {
        const double kept = reference.parameter[i], h = 1e-6;
        double loss[2] = {0, 0};
        for (int side = 0; side < 2; side++) {
            reference.parameter[i] = kept + (side ? h : -h);
            xp__reference_forward(&reference, 4, e.x, unit, q);
            for (int c = 0; c < 12; c++) {
                loss[side] += slope[c] * q[c];
            }
        }
        reference.parameter[i] = kept;
        /* the loss is piecewise polynomial of degree 3: the error is that of cancellation */
        EXPECT_NEAR(reference.gradient[i], (loss[1] - loss[0]) / (2 * h), 1e-8);
        EXPECT_NEAR(fast[i], (loss[1] - loss[0]) / (2 * h), 1e-5);
    }
    free(fast);
    free(slope);
    free_reference(&reference);
    free_example(&e);
    xp__net_destroy(net);
}

CLAIM(gradients_are_those_of_the_reference) {
    for (size_t i = 0; i < SHAPES * SETS * 2; i++) {
        const shape *s = &shapes[i / 2 % SHAPES];
        xp__net *net = make_net(s, 2, i % 2 ? XP_NET_SAVINGS : 0, sets[i / 2 / SHAPES]);
        if (net == NULL) {
            continue;
        }
        example e = make_example(s, 100 + i);
        xp__reference reference = make_reference(net, 1);
        const size_t count = xp__reference_count(&reference), cells = s->rows * s->actions;
        double *unit = calloc(s->rows * 2 * s->hidden, sizeof *unit);
        double *q = calloc(cells, sizeof *q), *slope = random_slopes(cells, i);
        float *fast = calloc(count, sizeof *fast);
        linear given = {cells, slope};
        xp__reference_forward(&reference, s->rows, e.x, unit, q);
        xp__reference_backward(&reference, s->rows, e.x, unit, slope);
        xp__net_gradient(net, 1, &e.rows, linear_loss, &given, fast);
        EXPECT(difference(count, fast, reference.gradient) < 1e-5);
        free(unit);
        free(q);
        free(slope);
        free(fast);
        free_reference(&reference);
        free_example(&e);
        xp__net_destroy(net);
    }
}

CLAIM(a_batch_collapses_equal_rows_in_order_of_appearance) {
    const shape s = {50, 8, 4, 2, 16};
    xp__net *net = make_net(&s, 2, XP_NET_SAVINGS, NULL);
    xp__net_batch batch;
    EXPECT(xp__net_batch_init(&batch, net, 6, NULL) == XP_OK);
    const uint32_t a[] = {3, 30}, b[] = {30, 3}, c[] = {3, XP_NET_NONE};
    for (int round = 0; round < 2; round++) {
        EXPECT(xp__net_batch_add(&batch, a, 1) == 0 && xp__net_batch_add(&batch, b, 1) == 1);
        EXPECT(xp__net_batch_add(&batch, c, 0) == 2 && xp__net_batch_add(&batch, a, 1) == 0);
        EXPECT(xp__net_batch_add(&batch, c, 3) == 2 && xp__net_batch_add(&batch, b, 0) == 1);
        EXPECT(batch.count == 3 && batch.draws == 6);
        EXPECT(batch.counts[1] == 2 && batch.counts[4] == 1 && batch.counts[5] == 1);
        EXPECT(batch.counts[8] == 1 && batch.counts[11] == 1 && batch.counts[0] == 0);
        EXPECT(memcmp(batch.rows + 2, b, sizeof b) == 0);
        batch.targets[3] = 5;
        xp__net_batch_clear(&batch);
        EXPECT(batch.targets[3] == 0 && batch.counts[1] == 0);
    }
    batch.collapse = false;
    EXPECT(xp__net_batch_add(&batch, a, 1) == 0 && xp__net_batch_add(&batch, a, 1) == 1);
    xp__net_batch_deinit(&batch);
    xp__net_destroy(net);
}

CLAIM(settings_out_of_range_are_refused_with_their_value) {
    xp__net_options options = xp__net_options_default(900, 2, 1);
    xp__net *net;
    xp_error error;
    options.hidden = 257;
    EXPECT(xp__net_create(&options, NULL, &net, &error) == XP_ERR_INPUT && net == NULL);
    EXPECT_TEXT(error.message, "net.hidden = 257 is outside [1, 256]");
    options.hidden = 50;
    options.beta2 = 1;
    EXPECT(xp__net_create(&options, NULL, &net, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "net.beta2 = 1 is outside");
    options.beta2 = 0.5;
    EXPECT(xp__net_create(&options, NULL, &net, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "net.beta1 = 0.9 is not below");
    options.savings = XP_NET_LAZY;
    EXPECT(xp__net_create(&options, NULL, &net, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "lazy needs visited");
    options.savings = 0;
    options.kernels = "mmx";
    EXPECT(xp__net_create(&options, NULL, &net, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "'mmx'");
    options = xp__net_options_default(900, 2, 1);
    options.learning_rate = NAN;
    EXPECT(xp__net_create(&options, NULL, &net, &error) == XP_ERR_INPUT);
    EXPECT_TEXT(error.message, "net.learning_rate = nan");
}
