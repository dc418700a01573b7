/* The Q-ensemble on Deep Sea sizes: 25 members, 900 one-hot inputs, 50 hidden units, 2 actions,
 * batches of 128. One update is a batch, its targets and a step of Adam for all members.
 *
 *     bench_net            short: 6,000 steps of bootstrapped DQN, networks as these leave them
 *     bench_net whole      whole seeds of 60,000 steps, with a goal and without
 *
 * Prints lines "measure,value,unit". OpenBLAS is measured where libopenblas.so.0 can be loaded. */
#include "bench.h"

#include "net/net.h"
#include "net/kernels/kernels.h"
#include "net/net_type.h"
#include "net/reference.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 30, STATES = SIZE * SIZE, ACTIONS = 2, REPLAY = 10000, BATCH = 128, SYNC = 4 };
enum { MAX_MEMBERS = 100, AHEAD = SYNC * BATCH };

static void need(bool held, const char *what) {
    if (!held) {
        fprintf(stderr, "bench_net: %s\n", what);
        exit(1);
    }
}

/* Deep Sea with the goal in the last column: one step down and one left or right. Without a goal it
 * is a seed that is never solved, which costs most: it never comes to repeat one path. */
static float deep_sea_step(bool goal, uint32_t state, size_t action, uint32_t *next, bool *done) {
    const uint32_t row = state / SIZE, column = state % SIZE;
    const uint32_t to =
        action == 1 ? (column + 1 < SIZE ? column + 1 : column) : (column > 0 ? column - 1 : 0);
    *done = row == SIZE - 1;
    *next = *done ? 0 : (row + 1) * SIZE + to;
    const bool reachable = SIZE - 1 - column <= SIZE - 1 - row;
    return goal && *done && column == SIZE - 1 ? 1 : reachable ? -0.01F / SIZE : 0;
}

typedef struct transition {
    uint32_t state, action, next;
    bool done;
    float reward, noise[MAX_MEMBERS];
} transition;

typedef struct replay {
    transition *items;
    size_t count, written, members;
    bool goal;
} replay;

/* Targets of the coming updates, evaluated in one go: next states of `ahead` batches. */
typedef struct targets {
    uint32_t slot[STATES], state[AHEAD];
    size_t count;
    float value[AHEAD * MAX_MEMBERS];
} targets;

typedef struct learner {
    xp__net *net;
    xp__net_batch batch;
    targets target;
    uint32_t draw[AHEAD];
    bool collapse;
    size_t ahead; /* batches whose targets are evaluated together */
    size_t next;  /* the next of them */
    size_t rows;  /* unique rows so far */
    double updates;
} learner;

static void learner_targets(learner *l, const replay *memory, xp_rng *rng, size_t batch) {
    targets *t = &l->target;
    t->count = 0;
    memset(t->slot, 0, sizeof t->slot);
    for (size_t i = 0; i < l->ahead * batch; i++) {
        /* not the oldest, which are overwritten before these batches are used */
        const size_t age = (size_t)xp_rng_below(rng, memory->count - SYNC);
        l->draw[i] = (uint32_t)((memory->written - 1 - age) % REPLAY);
        const transition *item = &memory->items[l->draw[i]];
        if (!item->done && (!l->collapse || t->slot[item->next] == 0)) {
            t->state[t->count++] = item->next;
            t->slot[item->next] = (uint32_t)t->count;
        }
    }
    xp__net_max(l->net, 0, xp__net_get_options(l->net)->members,
                &(xp__net_rows){.count = t->count, .hot = t->state}, t->value);
}

static void learner_update(learner *l, const replay *memory, xp_rng *rng, size_t batch) {
    const size_t members = xp__net_get_options(l->net)->members;
    if (l->next == 0) {
        learner_targets(l, memory, rng, batch);
    }
    xp__net_batch_clear(&l->batch);
    l->batch.collapse = l->collapse;
    for (size_t i = 0; i < batch; i++) {
        const transition *item = &memory->items[l->draw[l->next * batch + i]];
        const size_t row = xp__net_batch_add(&l->batch, &item->state, item->action);
        float *sum = l->batch.targets + (row * ACTIONS + item->action) * members;
        const float *value =
            item->done ? NULL : l->target.value + (l->target.slot[item->next] - 1) * members;
        for (size_t m = 0; m < members; m++) {
            sum[m] += item->reward + item->noise[m] + (value != NULL ? value[m] : 0);
        }
    }
    xp__net_td td = xp__net_td_of(&l->batch);
    const xp__net_rows rows = xp__net_batch_rows(&l->batch);
    xp__net_train(l->net, &rows, xp__net_td_loss, &td, NULL);
    l->next = (l->next + 1) % l->ahead;
    l->rows += rows.count;
    l->updates++;
}

static learner *learner_create(const xp__net_options *options, bool collapse, size_t ahead) {
    learner *l = calloc(1, sizeof *l);
    const xp_rng rng = xp_rng_seed(1);
    need(l != NULL && xp__net_create(options, &rng, &l->net, NULL) == XP_OK, "no network");
    l->collapse = collapse;
    l->ahead = ahead;
    if (options->hot > 0) {
        need(xp__net_batch_init(&l->batch, l->net, options->rows, NULL) == XP_OK, "no batch");
    }
    return l;
}

static void learner_destroy(learner *l) {
    xp__net_batch_deinit(&l->batch);
    xp__net_destroy(l->net);
    free(l);
}

static replay replay_create(size_t members, bool goal) {
    replay memory = {
        .items = calloc(REPLAY, sizeof *memory.items), .members = members, .goal = goal};
    need(memory.items != NULL, "no memory");
    return memory;
}

/* Bootstrapped DQN for `steps` environment steps; returns seconds. */
static double boot_dqn(learner *l, replay *memory, size_t steps, double *solved) {
    xp_rng rng = xp_rng_seed(2);
    uint32_t state = 0;
    size_t member = 0, wins = 0;
    const double start = now();
    for (size_t step = 0; step < steps; step++) {
        if (state == 0) {
            member = (size_t)xp_rng_below(&rng, memory->members);
        }
        transition *item = &memory->items[memory->written++ % REPLAY];
        item->state = state;
        item->action =
            (uint32_t)xp__net_greedy(l->net, member, &(xp__net_rows){.count = 1, .hot = &state});
        item->reward = deep_sea_step(memory->goal, state, item->action, &item->next, &item->done);
        for (size_t m = 0; m < memory->members; m++) {
            item->noise[m] = 0.01F * (float)xp_rng_normal(&rng);
        }
        wins += item->reward == 1;
        state = item->next;
        memory->count = memory->written < REPLAY ? memory->written : REPLAY;
        if (step >= BATCH) {
            learner_update(l, memory, &rng, BATCH);
        }
    }
    *solved = (double)wins / ((double)steps / SIZE);
    return now() - start;
}

/* Microseconds of an update with the networks of `trained`, the fastest of some rounds. */
static double update_cost(const learner *trained, const replay *memory, unsigned savings,
                          bool collapse, size_t ahead, const char *kernels) {
    xp__net_options options = *xp__net_get_options(trained->net);
    options.savings = savings;
    options.kernels = kernels;
    options.lazy_after = 0;
    learner *l = learner_create(&options, collapse, ahead);
    for (size_t m = 0; m < options.members; m++) {
        xp__net_copy_member(l->net, m, trained->net, m);
    }
    xp_rng rng = xp_rng_seed(3);
    double best = 1e300;
    for (int round = 0; round < 6; round++) {
        enum { UPDATES = 48 };
        const double start = now();
        for (int i = 0; i < UPDATES; i++) {
            learner_update(l, memory, &rng, BATCH);
        }
        const double spent = (now() - start) / UPDATES * 1e6;
        best = round > 0 && spent < best ? spent : best;
    }
    learner_destroy(l);
    return best;
}

/* One plain update of all members by the reference: dense one-hot rows, doubles. */
static double reference_cost(const learner *trained, const replay *memory) {
    const size_t count = xp__net_parameter_count(trained->net);
    float *p = malloc(count * sizeof *p);
    double *arrays = calloc(4 * count, sizeof *arrays);
    double *x = calloc((size_t)BATCH * STATES, sizeof *x),
           *unit = calloc(BATCH * 100, sizeof *unit);
    double q[BATCH * ACTIONS], slope[BATCH * ACTIONS];
    need(p != NULL && arrays != NULL && x != NULL && unit != NULL, "no memory");
    xp__reference net = xp__reference_over(arrays, count, STATES, 50, ACTIONS);
    xp__net_get(trained->net, 0, p);
    for (size_t i = 0; i < count; i++) {
        net.parameter[i] = p[i];
    }
    for (size_t i = 0; i < BATCH; i++) {
        x[i * STATES + memory->items[i].state] = 1;
    }
    const double start = now();
    xp__reference_forward(&net, BATCH, x, unit, q); /* targets */
    xp__reference_forward(&net, BATCH, x, unit, q);
    for (size_t i = 0; i < BATCH * ACTIONS; i++) {
        slope[i] = i % ACTIONS == memory->items[i / ACTIONS].action ? q[i] / BATCH : 0;
    }
    xp__reference_backward(&net, BATCH, x, unit, slope);
    xp__reference_adam(&net);
    const double spent = now() - start;
    free(p);
    free(arrays);
    free(x);
    free(unit);
    return spent * 25 * 1e6;
}

static double square_loss(void *context, size_t member, size_t rows, const float *q, float *slope) {
    (void)context, (void)member;
    for (size_t i = 0; i < rows * ACTIONS; i++) {
        slope[i] = 2 * q[i] / (float)rows;
    }
    return 0;
}

/* One update with dense rows of `inputs` floats: a forward for targets, and a step. */
static double dense_cost(size_t inputs, const char *kernels, bool one_hot) {
    xp__net_options options = xp__net_options_default(inputs, ACTIONS, 0);
    options.kernels = kernels;
    learner *l = learner_create(&options, false, 1);
    float *x = calloc(BATCH * inputs, sizeof *x);
    need(x != NULL, "no memory");
    xp_rng rng = xp_rng_seed(5);
    for (size_t i = 0; i < BATCH * inputs; i++) {
        x[i] =
            one_hot ? (float)(i % inputs == i / inputs * 7 % inputs) : (float)xp_rng_normal(&rng);
    }
    const xp__net_rows rows = {BATCH, NULL, x};
    double best = 1e300;
    for (int round = 0; round < 3; round++) {
        const double start = now();
        xp__net_max(l->net, 0, 25, &rows, l->target.value);
        xp__net_train(l->net, &rows, square_loss, NULL, NULL);
        const double spent = (now() - start) * 1e6;
        best = spent < best ? spent : best;
    }
    free(x);
    learner_destroy(l);
    return best;
}

/* Rows × terms × width in GFLOP/s, by our dense product and by sgemm. */
typedef void sgemm(int order, int turn_a, int turn_b, int m, int n, int k, float alpha,
                   const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

static double product_rate(const xp__net_kernels *kernels, sgemm *blas, size_t rows, size_t terms,
                           size_t width) {
    const size_t stride = (width + 16) / 16 * 16;
    float *a = aligned_alloc(64, (rows * terms + 16) / 16 * 64);
    float *b = aligned_alloc(64, terms * stride * 4), *c = aligned_alloc(64, rows * stride * 4);
    need(a != NULL && b != NULL && c != NULL, "no memory");
    for (size_t i = 0; i < rows * terms; i++) {
        a[i] = 0.5F;
    }
    for (size_t i = 0; i < terms * stride; i++) {
        b[i] = 0.25F;
    }
    const xp__net_product product = {.outs = rows,
                                     .terms = terms,
                                     .width = (width + 7) / 8 * 8,
                                     .coefficient = a,
                                     .out_step = terms,
                                     .term_step = 1,
                                     .matrix = b,
                                     .matrix_step = stride,
                                     .finish = XP__NET_PLAIN,
                                     .out = c,
                                     .out_stride = stride};
    double best = 1e300;
    const size_t loops = 1 + (size_t)(2e7 / (double)(rows * terms * width));
    for (int round = 0; round < 8; round++) {
        const double start = now();
        for (size_t n = 0; n < loops; n++) {
            if (blas != NULL) {
                blas(101, 111, 111, (int)rows, (int)width, (int)terms, 1, a, (int)terms, b,
                     (int)stride, 0, c, (int)stride);
            } else {
                kernels->product(&product);
            }
        }
        const double spent = (now() - start) / (double)loops;
        best = spent < best ? spent : best;
    }
    free(a);
    free(b);
    free(c);
    return 2e-9 * (double)(rows * terms * width) / best;
}

static void compare_products(void) {
    static const size_t sizes[][3] = {{128, 50, 50},  {128, 8, 50},   {128, 50, 64},
                                      {128, 900, 50}, {128, 64, 256}, {16, 50, 50}};
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    sgemm *blas = NULL;
    if (library != NULL) {
        void (*set_threads)(int) = NULL;
        *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
        *(void **)&blas = dlsym(library, "cblas_sgemm");
        if (set_threads != NULL) {
            set_threads(1);
        }
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t *s = sizes[i];
        const double own = product_rate(xp__net_kernels_named(NULL), NULL, s[0], s[1], s[2]);
        printf("product %zu x %zu x %zu own,%.1f,GFLOP/s\n", s[0], s[1], s[2], own);
        if (blas != NULL) {
            printf("product %zu x %zu x %zu OpenBLAS,%.1f,GFLOP/s\n", s[0], s[1], s[2],
                   product_rate(NULL, blas, s[0], s[1], s[2]));
        }
    }
}

/* Multiply-adds that are not by zero in one update of the trained networks, in GFLOP. */
static double useful_work(learner *l, const replay *memory, double *open1, double *open2) {
    xp_rng rng = xp_rng_seed(9);
    l->next = 0;
    const size_t members = xp__net_get_options(l->net)->members;
    double work = 0, sum1 = 0, sum2 = 0, pairs = 0;
    learner_update(l, memory, &rng, BATCH); /* fills l->batch */
    const xp__net_rows rows = xp__net_batch_rows(&l->batch);
    for (size_t m = 0; m < members; m++) {
        const xp__net_work *w = &l->net->work;
        float *late = calloc(rows.count, sizeof *late);
        xp__net_forward(l->net, &(xp__net_pass){.rows = rows.count,
                                                .member = m,
                                                .hot = rows.hot,
                                                .late = late,
                                                .hidden1 = w->hidden1,
                                                .hidden2 = w->hidden2,
                                                .q = w->q,
                                                .open1 = w->open1,
                                                .open2 = w->open2,
                                                .order = w->order});
        free(late);
        for (size_t r = 0; r < rows.count; r++) {
            const double n1 = __builtin_popcountll(w->open1[r]);
            const double n2 = __builtin_popcountll(w->open2[r]);
            /* forward n1 × 50; weights and slopes n1 × n2 each; three times the heads */
            work += 2 * (n1 * 50 + 2 * n1 * n2 + 3 * ACTIONS * n2);
            sum1 += n1;
            sum2 += n2;
            pairs++;
        }
    }
    *open1 = sum1 / pairs;
    *open2 = sum2 / pairs;
    return work * 1e-9;
}

static void scaling(void) {
    static const struct {
        const char *what;
        size_t members, batch, hidden;
    } cases[] = {
        {"members 5", 5, 128, 50},   {"members 10", 10, 128, 50},   {"members 25", 25, 128, 50},
        {"members 50", 50, 128, 50}, {"members 100", 100, 128, 50}, {"batch 32", 25, 32, 50},
        {"batch 64", 25, 64, 50},    {"batch 256", 25, 256, 50},    {"batch 512", 25, 512, 50},
        {"width 25", 25, 128, 25},   {"width 100", 25, 128, 100},   {"width 200", 25, 128, 200},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        xp__net_options options = xp__net_options_default(STATES, ACTIONS, 1);
        options.members = cases[c].members;
        options.hidden = cases[c].hidden;
        options.rows = cases[c].batch;
        options.lazy_after = 0;
        learner *l = learner_create(&options, true, 1);
        uint32_t *rows = calloc(cases[c].batch, sizeof *rows);
        need(rows != NULL, "no memory");
        xp_rng rng = xp_rng_seed(4);
        double best = 1e300;
        for (int round = 0; round < 30; round++) {
            for (size_t i = 0; i < cases[c].batch; i++) {
                rows[i] = (uint32_t)((i * 7 + xp_rng_below(&rng, 7)) % STATES);
            }
            const double start = now();
            xp__net_train(l->net, &(xp__net_rows){.count = cases[c].batch, .hot = rows},
                          square_loss, NULL, NULL);
            const double spent = (now() - start) * 1e6;
            best = spent < best ? spent : best;
        }
        printf("step with %s,%.1f,us\n", cases[c].what, best);
        free(rows);
        learner_destroy(l);
    }
}

static void table(const learner *trained, const replay *memory) {
    const struct {
        const char *what;
        unsigned savings;
        bool collapse;
        size_t ahead;
    } rows[] = {
        {"index inputs", 0, false, 1},
        {"+ collapsed batch", 0, true, 1},
        {"+ Adam on visited rows", XP_NET_VISITED, true, 1},
        {"+ targets once a sync", XP_NET_VISITED, true, SYNC},
        {"+ lazy Adam", XP_NET_VISITED | XP_NET_LAZY, true, SYNC},
        {"+ open units only", XP_NET_SAVINGS, true, SYNC},
    };
    printf("update reference,%.0f,us\n", reference_cost(trained, memory));
    printf("update dense one-hot,%.0f,us\n", dense_cost(STATES, NULL, true));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        printf(
            "update %s,%.1f,us\n", rows[i].what,
            update_cost(trained, memory, rows[i].savings, rows[i].collapse, rows[i].ahead, NULL));
    }
    printf("update all savings avx2,%.1f,us\n",
           update_cost(trained, memory, XP_NET_SAVINGS, true, SYNC, "avx2"));
    printf("update all savings portable,%.1f,us\n",
           update_cost(trained, memory, XP_NET_SAVINGS, true, SYNC, "portable"));
    printf("update dense 8 inputs,%.1f,us\n", dense_cost(8, NULL, false));
    printf("update dense 64 inputs,%.1f,us\n", dense_cost(64, NULL, false));
}

/* Runs of bootstrapped DQN, then what an update of the networks that they left costs. */
static void run(size_t steps, bool goal) {
    const xp__net_options options = xp__net_options_default(STATES, ACTIONS, 1);
    learner *l = learner_create(&options, true, SYNC);
    replay memory = replay_create(options.members, goal);
    const char *what = goal ? "with a goal" : "without a goal";
    double solved;
    const double seconds = boot_dqn(l, &memory, steps, &solved);
    printf("%zu steps %s,%.2f,s\n", steps, what, seconds);
    printf("60000 steps %s,%.2f,s\n", what, seconds * 60000 / (double)steps);
    printf("episodes that reach the goal,%.3f,fraction\n", solved);
    printf("unique rows of a batch,%.1f,rows\n", (double)l->rows / l->updates);
    l->next = 0;
    if (!goal) {
        table(l, &memory);
        double open1, open2;
        const double work = useful_work(l, &memory, &open1, &open2), peak = fma_peak();
        const double spent = update_cost(l, &memory, XP_NET_SAVINGS, true, SYNC, NULL);
        printf("open units of layer 1,%.1f,of 50\nopen units of layer 2,%.1f,of 50\n", open1,
               open2);
        printf("useful rate of an update,%.2f,GFLOP/s\n", work / (spent * 1e-6));
        if (peak > 0) {
            printf("FMA peak,%.1f,GFLOP/s\nuseful rate / peak,%.3f,ratio\n", peak,
                   work / (spent * 1e-6) / peak);
        }
    }
    learner_destroy(l);
    free(memory.items);
}

int main(int argc, char **argv) {
    const bool whole = argc > 1 && strcmp(argv[1], "whole") == 0;
    if (whole) {
        run(60000, true);
    }
    run(whole ? 60000 : 6000, false);
    compare_products();
    scaling();
    return 0;
}
