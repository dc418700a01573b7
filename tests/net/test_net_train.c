/* Training: the savings change nothing but rounding, every set of kernels learns the same, members
 * do not mix, losses have the derivatives that they say. */
#include "claim.h"

#include "net/net.h"
#include "net/kernels/kernels.h"
#include "net/reference.h"
#include "net/schedule.h"

#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 60, HIDDEN = 20, ACTIONS = 3, DRAWS = 48, MEMBERS = 4 };

static xp__net_options small_options(unsigned savings, const char *kernels) {
    xp__net_options options = xp__net_options_default(INPUTS, ACTIONS, 1);
    options.members = MEMBERS;
    options.hidden = HIDDEN;
    options.rows = DRAWS;
    options.savings = savings;
    options.kernels = kernels;
    options.lazy_after = 5;
    return options;
}

static xp__net *small_net(unsigned savings, const char *kernels) {
    const xp__net_options options = small_options(savings, kernels);
    const xp_rng rng = xp_rng_seed(11);
    xp__net *net;
    return xp__net_create(&options, &rng, &net, NULL) == XP_OK ? net : NULL;
}

/* A batch of step t: few states, so that many draws coincide, and each target is a fixed function
 * of state, action and member plus noise. */
static void fill_batch(xp__net_batch *batch, uint64_t step) {
    const xp_rng root = xp_rng_seed(21);
    xp_rng rng = xp_rng_fork(&root, step);
    xp__net_batch_clear(batch);
    for (int i = 0; i < DRAWS; i++) {
        /* a window that moves, so that rows are left alone for a while */
        const uint32_t state = (uint32_t)((step / 7 * 9 + xp_rng_below(&rng, 25)) % (INPUTS - 10));
        const size_t action = (size_t)xp_rng_below(&rng, ACTIONS);
        const size_t row = xp__net_batch_add(batch, &state, action);
        float *target = batch->targets + (row * ACTIONS + action) * MEMBERS;
        for (int m = 0; m < MEMBERS; m++) {
            target[m] += sinf((float)(state + 3 * action + 7 * (size_t)m)) +
                         0.1F * (float)xp_rng_normal(&rng);
        }
    }
}

/* Trains for some steps; returns a member's parameters, for free. */
static float *train(xp__net *net, size_t steps, bool collapse, size_t member) {
    xp__net_batch batch;
    EXPECT(xp__net_batch_init(&batch, net, DRAWS, NULL) == XP_OK);
    batch.collapse = collapse;
    for (size_t t = 0; t < steps; t++) {
        fill_batch(&batch, t);
        xp__net_td td = xp__net_td_of(&batch);
        const xp__net_rows rows = xp__net_batch_rows(&batch);
        xp__net_train(net, &rows, xp__net_td_loss, &td, NULL);
    }
    EXPECT(xp__net_steps(net) == steps);
    float *parameters = calloc(xp__net_parameter_count(net), sizeof *parameters);
    xp__net_get(net, member, parameters);
    xp__net_batch_deinit(&batch);
    return parameters;
}

/* The plain algorithm: dense one-hot rows, one row a draw, Adam on everything, in double. */
static double *train_reference(size_t steps, size_t member) {
    xp__net *net = small_net(0, "portable");
    xp__net_batch batch;
    EXPECT(xp__net_batch_init(&batch, net, DRAWS, NULL) == XP_OK);
    batch.collapse = false;
    const size_t count = xp__net_parameter_count(net);
    float *start = calloc(count, sizeof *start);
    xp__net_get(net, member, start);
    double *arrays = calloc(4 * count, sizeof *arrays);
    xp__reference reference = xp__reference_over(arrays, count, INPUTS, HIDDEN, ACTIONS);
    for (size_t i = 0; i < count; i++) {
        arrays[i] = start[i];
    }
    static double x[DRAWS * INPUTS], unit[DRAWS * 2 * HIDDEN];
    double q[DRAWS * ACTIONS], slope[DRAWS * ACTIONS];
    for (size_t t = 0; t < steps; t++) {
        fill_batch(&batch, t);
        memset(x, 0, sizeof x);
        for (size_t r = 0; r < DRAWS; r++) {
            x[r * INPUTS + batch.rows[r]] = 1;
        }
        xp__reference_forward(&reference, DRAWS, x, unit, q);
        for (size_t cell = 0; cell < DRAWS * ACTIONS; cell++) {
            const double error = q[cell] - batch.targets[cell * MEMBERS + member];
            slope[cell] = batch.counts[cell] != 0 ? 2 * error / DRAWS : 0;
        }
        xp__reference_backward(&reference, DRAWS, x, unit, slope);
        xp__reference_adam(&reference);
    }
    free(start);
    xp__net_batch_deinit(&batch);
    xp__net_destroy(net);
    return arrays;
}

static double largest_difference(size_t n, const float *a, const double *b) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        const double apart = fabs(a[i] - b[i]);
        largest = !(apart <= largest) ? apart : largest;
    }
    return largest;
}

CLAIM(training_with_every_exact_saving_is_plain_training_over_fifty_steps) {
    static const struct {
        unsigned savings;
        bool collapse;
    } ways[] = {{0, false},
                {0, true},
                {XP_NET_VISITED, true},
                {XP_NET_SPARSE, true},
                {XP_NET_VISITED | XP_NET_SPARSE, true},
                {XP_NET_VISITED | XP_NET_SPARSE, false}};
    static const char *const kernels[] = {"portable", "avx2", "avx512"};
    double *wanted = train_reference(50, 1);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] * 3; i++) {
        xp__net *net = small_net(ways[i / 3].savings, kernels[i % 3]);
        if (net == NULL) {
            continue; /* this processor lacks these kernels */
        }
        float *got = train(net, 50, ways[i / 3].collapse, 1);
        /* weights of about 0.2 after steps of 1e-3 each, some 0.05 in all; floats resolve 1e-8 */
        EXPECT(largest_difference(xp__net_parameter_count(net), got, wanted) < 2e-5);
        free(got);
        xp__net_destroy(net);
    }
    free(wanted);
}

CLAIM(lazy_training_differs_by_less_than_a_thousandth_of_a_step) {
    double *wanted = train_reference(150, 2);
    xp__net *net = small_net(XP_NET_SAVINGS, NULL);
    float *got = train(net, 150, true, 2);
    const size_t count = xp__net_parameter_count(net);
    double moved = 0;
    xp__net *fresh = small_net(0, NULL);
    float *start = calloc(count, sizeof *start);
    xp__net_get(fresh, 2, start);
    for (size_t i = 0; i < count; i++) {
        moved = fabs(got[i] - start[i]) > moved ? fabs(got[i] - start[i]) : moved;
    }
    EXPECT(moved > 0.03); /* it has learned something to compare */
    EXPECT(largest_difference(count, got, wanted) < 5e-5);
    free(start);
    free(got);
    free(wanted);
    xp__net_destroy(fresh);
    xp__net_destroy(net);
}

CLAIM(pending_steps_add_up_to_those_of_adam) {
    /* One parameter: gradient 1 at step 1 .. 20, then none; compared with Adam step by step. */
    xp__net_options options = small_options(XP_NET_SAVINGS, NULL);
    xp__net_schedule schedule;
    EXPECT(xp__net_schedule_init(&schedule, &options, NULL) == XP_OK);
    double m = 0, v = 0;
    for (int t = 1; t <= 20; t++) {
        m = 0.9 * m + 0.1;
        v = 0.999 * v + 0.001;
    }
    const double direction = m / (sqrt(v) + xp__net_schedule_floor(&schedule, 20));
    double moved = 0;
    for (int t = 21; t <= 70000; t++) {
        m *= 0.9;
        v *= 0.999;
        const double c1 = 1 - pow(0.9, t), c2 = 1 - pow(0.999, t);
        moved += m > 1e-300 ? 1e-3 * (m / c1) / (sqrt(v / c2) + 1e-8) : 0;
        if (t == 21 || t == 25 || t == 60 || t == 1000 || t == 70000) {
            const double late = xp__net_schedule_late(&schedule, 20, (uint64_t)t);
            EXPECT_NEAR(late * direction / moved, 1, 1e-6); /* floor / sqrt(v) is 7e-8 */
        }
    }
    EXPECT_NEAR(xp__net_schedule_late(&schedule, 90000, 100000), 1e-3 * 0.9 / (sqrt(0.999) - 0.9),
                1e-9); /* geometric series */
    xp__net_schedule_deinit(&schedule);
}

/* Both have rows with pending steps. */
CLAIM(a_member_moves_a_share_of_the_way_to_another) {
    xp__net *net = small_net(XP_NET_SAVINGS, NULL), *other = small_net(XP_NET_SAVINGS, NULL);
    float *own = train(net, 60, true, 1), *its = train(other, 45, true, 2);
    const size_t count = xp__net_parameter_count(net);
    float *after = calloc(count, sizeof *after), *still = calloc(count, sizeof *still);
    double moved = 0;
    xp__net_blend_member(net, 1, other, 2, 0.25F);
    xp__net_get(net, 1, after);
    xp__net_get(other, 2, still);
    for (size_t i = 0; i < count; i++) {
        EXPECT_NEAR(after[i], own[i] + 0.25F * (its[i] - own[i]), 1e-6);
        EXPECT(still[i] == its[i]);
        moved = fmax(moved, fabs((double)after[i] - (double)own[i]));
    }
    EXPECT(moved > 0.01);
    xp__net_blend_member(net, 1, other, 2, 0); /* and not at all */
    xp__net_get(net, 1, still);
    EXPECT(memcmp(still, after, count * sizeof *after) == 0);
    free(own);
    free(its);
    free(after);
    free(still);
    xp__net_destroy(net);
    xp__net_destroy(other);
}

CLAIM(a_member_computes_the_same_bits_alone_and_in_company) {
    xp__net *all = small_net(XP_NET_SAVINGS, NULL);
    float *together = train(all, 40, true, 2);
    /* the same member and targets in a network of one, numbered 0 */
    xp__net_options options = small_options(XP_NET_SAVINGS, NULL);
    options.members = 1;
    xp__net *one, *start = small_net(XP_NET_SAVINGS, NULL);
    EXPECT(xp__net_create(&options, NULL, &one, NULL) == XP_OK);
    xp__net_copy_member(one, 0, start, 2);
    xp__net_batch batch;
    EXPECT(xp__net_batch_init(&batch, start, DRAWS, NULL) == XP_OK);
    for (size_t t = 0; t < 40; t++) {
        float targets[DRAWS * ACTIONS];
        fill_batch(&batch, t);
        xp__net_td td = xp__net_td_of(&batch);
        for (size_t cell = 0; cell < batch.count * ACTIONS; cell++) {
            targets[cell] = batch.targets[cell * MEMBERS + 2];
        }
        td.members = 1;
        td.targets = targets;
        const xp__net_rows rows = xp__net_batch_rows(&batch);
        xp__net_train(one, &rows, xp__net_td_loss, &td, NULL);
    }
    float *alone = calloc(xp__net_parameter_count(one), sizeof *alone);
    xp__net_get(one, 0, alone);
    EXPECT(memcmp(alone, together, xp__net_parameter_count(one) * sizeof *alone) == 0);
    free(alone);
    free(together);
    xp__net_batch_deinit(&batch);
    xp__net_destroy(all);
    xp__net_destroy(one);
    xp__net_destroy(start);
}

typedef struct share {
    const xp__net *net;
    size_t first;
    xp__net_rows rows;
    float *value;
} share;

static void *evaluate_share(void *context) {
    const share *s = context;
    for (int i = 0; i < 50; i++) {
        xp__net_q(s->net, s->first, MEMBERS / 2, &s->rows, s->value);
    }
    return NULL;
}

CLAIM(two_threads_evaluate_the_same_bits_as_one) {
    xp__net *net = small_net(XP_NET_SAVINGS, NULL);
    free(train(net, 30, true, 0)); /* some rows now have pending steps */
    uint32_t states[INPUTS];
    for (uint32_t i = 0; i < INPUTS; i++) {
        states[i] = i;
    }
    const xp__net_rows rows = {INPUTS, states, NULL};
    static float whole[MEMBERS * INPUTS * ACTIONS], halves[MEMBERS * INPUTS * ACTIONS];
    xp__net_q(net, 0, MEMBERS, &rows, whole);
    pthread_t thread[2];
    share shares[2];
    for (size_t i = 0; i < 2; i++) {
        shares[i] = (share){net, i * MEMBERS / 2, rows, halves + i * sizeof halves / 8};
        EXPECT(pthread_create(&thread[i], NULL, evaluate_share, &shares[i]) == 0);
    }
    for (int i = 0; i < 2; i++) {
        (void)pthread_join(thread[i], NULL);
    }
    EXPECT(memcmp(whole, halves, sizeof whole) == 0);
    xp__net_destroy(net);
}

CLAIM(reading_and_copying_see_pending_steps) {
    xp__net *net = small_net(XP_NET_SAVINGS, NULL);
    float *parameters = train(net, 60, true, 1);
    uint32_t states[INPUTS];
    for (uint32_t i = 0; i < INPUTS; i++) {
        states[i] = i;
    }
    const xp__net_rows rows = {INPUTS, states, NULL};
    float before[INPUTS * ACTIONS], after[INPUTS * ACTIONS], copied[INPUTS * ACTIONS];
    const double norm = xp__net_norm(net, 1);
    xp__net_q(net, 1, 1, &rows, before);
    xp__net *other = small_net(XP_NET_SAVINGS, NULL);
    xp__net_copy_member(other, 3, net, 1);
    xp__net_q(other, 3, 1, &rows, copied);
    for (size_t i = 0; i < INPUTS * ACTIONS; i++) {
        EXPECT_NEAR(copied[i], before[i], 1e-6); /* kernels round p - late · d once, copies twice */
    }
    xp__net_reset_optimiser(net);
    EXPECT(xp__net_steps(net) == 0);
    xp__net_q(net, 1, 1, &rows, after);
    double square = 0;
    for (size_t i = 0; i < INPUTS * ACTIONS; i++) {
        EXPECT_NEAR(after[i], before[i], 1e-6);
    }
    for (size_t i = 0; i < xp__net_parameter_count(net); i++) {
        square += (double)parameters[i] * parameters[i];
    }
    EXPECT_NEAR(norm, sqrt(square), 1e-6);
    xp__net_set(other, 0, parameters);
    xp__net_q(other, 0, 1, &rows, after);
    EXPECT(memcmp(after, copied, sizeof after) == 0);
    free(parameters);
    xp__net_destroy(other);
    xp__net_destroy(net);
}

CLAIM(how_the_processor_treats_subnormals_is_left_as_it_was) {
    xp__net *net = small_net(XP_NET_SAVINGS, NULL);
    volatile float tiny = 1e-38F;
    free(train(net, 2, true, 0));
    tiny *= 0.5F;
    EXPECT(tiny != 0);
    xp__net_destroy(net);
}

/* d(loss)/dq by central differences against the slope, for a loss of q[rows][actions]. */
static void expect_slopes(xp__net_loss *loss, void *context, size_t rows, size_t actions,
                          double accuracy) {
    enum { MOST = 64 };
    float q[MOST], slope[MOST], ignored[MOST];
    xp_rng rng = xp_rng_seed(5);
    const size_t cells = rows * actions;
    for (size_t i = 0; i < cells; i++) {
        q[i] = (float)xp_rng_normal(&rng);
    }
    (void)loss(context, 0, rows, q, slope);
    for (size_t i = 0; i < cells; i++) {
        const float kept = q[i], h = 0x1p-8F; /* exact in float */
        q[i] = kept + h;
        const double up = loss(context, 0, rows, q, ignored), high = q[i];
        q[i] = kept - h;
        const double down = loss(context, 0, rows, q, ignored), low = q[i];
        q[i] = kept;
        EXPECT_NEAR(slope[i], (up - down) / (high - low), accuracy);
    }
}

CLAIM(losses_have_the_slopes_that_they_say) {
    const float counts[] = {2, 0, 1, 0, 3, 1}, targets[] = {1, 0, -2, 0, 4, 0.5F};
    xp__net_td td = {.draws = 7, .members = 1, .actions = 3, .counts = counts, .targets = targets};
    expect_slopes(xp__net_td_loss, &td, 2, 3, 1e-3);
    td.counts_by_member = true;
    expect_slopes(xp__net_td_loss, &td, 2, 3, 1e-3);
    xp__net_imitation imitation = {.td = td, .beta = 5};
    expect_slopes(xp__net_imitation_loss, &imitation, 2, 3, 1e-3);
    imitation.fit = 0.5;
    expect_slopes(xp__net_imitation_loss, &imitation, 2, 3, 1e-3);
    const size_t start[] = {0, 3, 5};
    const uint32_t row[] = {0, 1, 3, 2, 0}, action[] = {1, 0, 2, 2, 1};
    const double alpha[] = {2, 0.7};
    double likelihoods[2];
    xp__net_trajectories trajectories = {.count = 2,
                                         .actions = 3,
                                         .start = start,
                                         .row = row,
                                         .action = action,
                                         .alpha = alpha,
                                         .beta = 1.5,
                                         .log_likelihoods = likelihoods};
    expect_slopes(xp__net_trajectories_loss, &trajectories, 4, 3, 1e-4);
    trajectories.logarithm = true;
    expect_slopes(xp__net_trajectories_loss, &trajectories, 4, 3, 1e-4);
}

CLAIM(losses_have_the_values_of_their_closed_forms) {
    /* two equal actions: softmax is 1/2 each */
    const float q[] = {0.3F, 0.3F}, counts[] = {1, 0}, targets[] = {0.5F, 0};
    float slope[2];
    xp__net_td td = {.draws = 1, .members = 1, .actions = 2, .counts = counts, .targets = targets};
    EXPECT_NEAR(xp__net_td_loss(&td, 0, 1, q, slope) + 0.25, 0.04, 1e-6); /* (0.3 - 0.5)² */
    EXPECT_NEAR(slope[0], 2 * (0.3 - 0.5), 1e-6);
    EXPECT(slope[1] == 0);
    xp__net_imitation imitation = {.td = td, .beta = 5};
    EXPECT_NEAR(xp__net_imitation_loss(&imitation, 0, 1, q, slope), log(2) / 5, 1e-6);
    EXPECT_NEAR(slope[0], -0.5, 1e-6);
    const size_t start[] = {0, 2};
    const uint32_t row[] = {0, 0}, action[] = {0, 1};
    const double alpha[] = {3};
    double likelihood;
    xp__net_trajectories t = {.count = 1,
                              .actions = 2,
                              .start = start,
                              .row = row,
                              .action = action,
                              .alpha = alpha,
                              .beta = 2,
                              .log_likelihoods = &likelihood};
    EXPECT_NEAR(xp__net_trajectories_loss(&t, 0, 1, q, slope), -3 * 0.25, 1e-6);
    EXPECT_NEAR(likelihood, 2 * log(0.5), 1e-6);
    t.logarithm = true;
    EXPECT_NEAR(xp__net_trajectories_loss(&t, 0, 1, q, slope), -3 * 2 * log(0.5), 1e-6);
}

CLAIM(descent_moves_against_the_gradient_and_noise_has_its_size) {
    xp__net *net = small_net(XP_NET_SAVINGS, NULL);
    const size_t count = xp__net_parameter_count(net);
    float *before = calloc(count, sizeof *before), *after = calloc(count, sizeof *after);
    float *gradient = calloc(count, sizeof *gradient);
    xp__net_batch batch;
    EXPECT(xp__net_batch_init(&batch, net, DRAWS, NULL) == XP_OK);
    free(train(net, 30, true, 0)); /* pending steps are settled first */
    fill_batch(&batch, 99);
    xp__net_td td = xp__net_td_of(&batch);
    const xp__net_rows rows = xp__net_batch_rows(&batch);
    xp__net_get(net, 1, before);
    xp__net_gradient(net, 1, &rows, xp__net_td_loss, &td, gradient);
    const double decay[MEMBERS] = {0, 0.5, 0, 0};
    xp__net_descent descent = {.step = 0.1, .clip = 0.05, .decay = decay};
    double losses[MEMBERS];
    xp__net_descend(net, &rows, xp__net_td_loss, &td, &descent, NULL, losses);
    xp__net_get(net, 1, after);
    for (size_t i = 0; i < count; i++) {
        const double slope = fmax(-0.05, fmin(0.05, gradient[i] + 0.5 * before[i]));
        EXPECT_NEAR(after[i], before[i] - 0.1 * slope, 1e-6);
    }
    descent = (xp__net_descent){.step = 0, .noise = 0.2};
    const xp_rng rng = xp_rng_seed(8);
    xp__net_get(net, 3, before);
    xp__net_descend(net, &rows, xp__net_td_loss, &td, &descent, &rng, NULL);
    xp__net_get(net, 3, after);
    double square = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += after[i] - before[i];
        square += pow(after[i] - before[i], 2);
    }
    /* 1,703 draws: bounds at 5 standard errors */
    EXPECT_NEAR(sum / (double)count, 0, 0.2 * 5 / sqrt((double)count));
    EXPECT_NEAR(square / (double)count / 0.04, 1, 5 * sqrt(2.0 / (double)count));
    free(before);
    free(after);
    free(gradient);
    xp__net_batch_deinit(&batch);
    xp__net_destroy(net);
}

/* y = max(0, x1) - 0.5 x2 from dense rows: is it learned? */
static double regression_loss(void *context, size_t member, size_t rows, const float *q,
                              float *slope) {
    (void)member;
    const float *x = context;
    double sum = 0;
    for (size_t r = 0; r < rows; r++) {
        const float wanted = (x[2 * r] > 0 ? x[2 * r] : 0) - 0.5F * x[2 * r + 1];
        slope[r] = 2 * (q[r] - wanted) / (float)rows;
        sum += (q[r] - wanted) * (q[r] - wanted);
    }
    return sum / (double)rows;
}

CLAIM(dense_rows_learn_a_function) {
    xp__net_options options = xp__net_options_default(2, 1, 0);
    options.members = 3;
    options.learning_rate = 1e-2;
    const xp_rng rng = xp_rng_seed(3);
    xp__net *net;
    EXPECT(xp__net_create(&options, &rng, &net, NULL) == XP_OK);
    float x[2 * 128];
    double first[3], last[3];
    xp_rng draws = xp_rng_seed(4);
    for (int t = 0; t < 400; t++) {
        for (int i = 0; i < 256; i++) {
            x[i] = (float)xp_rng_normal(&draws);
        }
        const xp__net_rows rows = {128, NULL, x};
        xp__net_train(net, &rows, regression_loss, x, t == 0 ? first : last);
    }
    for (int m = 0; m < 3; m++) {
        EXPECT(first[m] > 0.2 && last[m] < 0.005);
    }
    xp__net_destroy(net);
}

CLAIM(an_empty_batch_is_a_step_without_gradient) {
    xp__net *net = small_net(XP_NET_SAVINGS, NULL);
    const size_t count = xp__net_parameter_count(net);
    float *before = calloc(count, sizeof *before), *after = calloc(count, sizeof *after);
    xp__net_get(net, 0, before);
    xp__net_td td = {.draws = 1, .members = MEMBERS, .actions = ACTIONS};
    xp__net_train(net, &(xp__net_rows){.count = 0}, xp__net_td_loss, &td, NULL);
    xp__net_get(net, 0, after);
    EXPECT(memcmp(before, after, count * sizeof *before) == 0);
    free(before);
    free(after);
    xp__net_destroy(net);
}
