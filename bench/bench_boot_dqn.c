/* Bootstrapped DQN from environment to learner, on one core, as agent boot_dqn runs it:
 *
 *     bench_boot_dqn                     whole runs, what a step costs at other sizes, Frozen Lake
 *     bench_boot_dqn GOAL SEED [EPISODES]    one run on Deep Sea, block by block
 *     bench_boot_dqn lake mdp|pomdp          one run on Frozen Lake
 *
 * Prints lines "measure,value,unit". Seconds are processor time. An update gets cheaper as a run is
 * solved (fewer different states in a batch) and as units close, so runs are named by what became
 * of them: never solved, solved midway, solved early. Which seed is which depends on rounding and
 * so on the kernels; the line "solved from episode" tells. */
#include "bench.h"

#include "agent/states/learner.h"
#include "experior/env.h"
#include "env/create.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPISODES = 2000, BLOCK = 200, LAKE_STEPS = 90000, LAKE_BLOCK = 9000 };

typedef struct scene {
    xp_env *env;
    xp_task *task;
    xp__learner learner;
    xp_rng rewards, own;
    size_t steps;
} scene;

static xp__learner_options usual(size_t actions) {
    return (xp__learner_options){.members = 25,
                                 .hidden = 50,
                                 .actions = actions,
                                 .learning_rate = 1e-3,
                                 .batch = 128,
                                 .buffer = 10000,
                                 .warmup = 128,
                                 .target_every = 4,
                                 .noise = 0.01,
                                 .mask = 1};
}

/* An environment with one parameter set, its first task, and a learner with networks drawn. */
static void prepare(scene *at, const char *name, const char *key, const char *word,
                    const xp__learner_options *options, uint64_t seed) {
    xp_error error;
    xp__params params;
    xp__state_input input;
    xp_rng rng = xp_rng_seed(1);
    *at = (scene){.steps = 0};
    check(xp__env_params_default(name, &params, &error), &error);
    check(xp__params_set_text(&params, key, word, &error), &error);
    check(xp__env_create(name, &params, &rng, &at->env, &error), &error);
    check(xp_task_create(at->env, &at->task, &error), &error);
    const xp_env_info info = xp_env_describe(at->env);
    check(xp__state_input_init(&input, &info, &error), &error);
    check(xp__learner_init(&at->learner, options, &input, &error), &error);
    const xp_rng root = xp_rng_seed(seed);
    xp_rng context = xp_rng_fork(&root, 0);
    at->rewards = xp_rng_fork(&root, 1);
    at->own = xp_rng_fork(&root, 2);
    xp_task_draw(at->task, &context);
    xp__learner_reset(&at->learner, xp_rng_bits(&at->own));
    const xp_rng networks = xp__learner_networks(&at->learner);
    xp__net_draw(at->learner.heads, &networks);
}

static void clean(scene *at) {
    xp__learner_deinit(&at->learner);
    xp_task_destroy(at->task);
    xp_env_destroy(at->env);
}

enum { MAX_STATE = 4 };

static double episode(scene *at) {
    xp__learner *learner = &at->learner;
    double state[MAX_STATE], next[MAX_STATE], total = 0;
    uint32_t row[MAX_STATE];
    xp_step step = {.end = XP_CONTINUES};
    const size_t head = (size_t)xp_rng_below(&at->own, learner->options.members);
    xp_task_reset(at->task, &at->rewards, state);
    for (; step.end == XP_CONTINUES; at->steps++) {
        xp__state_input_row(&learner->input, state, row);
        const xp__net_rows rows = xp__state_input_rows(&learner->input, 1, row);
        const size_t action = xp__net_greedy(xp__learner_head(learner, head), head, &rows);
        step = xp_task_step(at->task, &at->rewards, action, next);
        xp__learner_observe(learner, state, action, step.reward, next, step.end != XP_CONTINUES);
        total += step.reward;
        memcpy(state, next, sizeof state);
    }
    return total;
}

/* Multiply-adds that are not by zero, as operations, of an update like the last one. */
static double useful_work(const scene *at, double *rows_used, double *open1, double *open2) {
    const xp__learner *learner = &at->learner;
    const xp__net_deferred *waiting = &learner->deferred;
    const xp__net_work *w = &learner->heads->work;
    const xp__net_rows rows = waiting->steps[waiting->count - 1].rows;
    const double hidden = (double)learner->options.hidden, pairs = 2;
    const double actions = (double)learner->options.actions;
    double work = 0, sum1 = 0, sum2 = 0, count = 0;
    for (size_t member = 0; member < learner->options.members; member++) {
        xp__net_late_rows(learner->heads, &rows, learner->heads->work.plan.late);
        xp__net_forward(learner->heads, &(xp__net_pass){.rows = rows.count,
                                                        .member = member,
                                                        .hot = rows.hot,
                                                        .late = w->plan.late,
                                                        .hidden1 = w->hidden1,
                                                        .hidden2 = w->hidden2,
                                                        .q = w->q,
                                                        .open1 = w->open1,
                                                        .open2 = w->open2,
                                                        .order = w->order});
        for (size_t r = 0; r < rows.count; r++, count++) {
            const double n1 = __builtin_popcountll(w->open1[r]);
            const double n2 = __builtin_popcountll(w->open2[r]);
            /* there: n1 × hidden, heads; back: weights and slopes n1 × n2 each, heads twice */
            work += pairs * (n1 * hidden + 2 * n1 * n2 + 3 * actions * n2);
            sum1 += n1;
            sum2 += n2;
        }
    }
    *rows_used = (double)rows.count;
    *open1 = sum1 / count;
    *open2 = sum2 / count;
    /* next states: there only, with about as many open units */
    const double next = (double)learner->ahead.count / (double)learner->options.target_every;
    const double members = (double)learner->options.members;
    return work + members * next * pairs * (*open1 * hidden + actions * *open2);
}

/* A whole run on Deep Sea; `blocks`: prints each block of episodes. */
static void dive(const char *goal, uint64_t seed, size_t episodes, bool blocks, double peak) {
    const xp__learner_options options = usual(2);
    scene at;
    prepare(&at, "deep_sea", "goal", goal, &options, seed);
    double seconds = 0, work = 0, sum = 0;
    size_t solved_from = 0; /* the first episode after which no block fell below 0.9 */
    char what[96];
    (void)snprintf(what, sizeof what, "goal %s seed %llu", goal, (unsigned long long)seed);
    for (size_t first = 0; first < episodes; first += BLOCK) {
        const double start = now();
        double block = 0;
        for (size_t t = 0; t < BLOCK; t++) {
            block += episode(&at);
        }
        const double spent = now() - start;
        double rows, open1, open2;
        const double each = useful_work(&at, &rows, &open1, &open2);
        work += each * BLOCK * (double)xp_env_describe(at.env).horizon;
        seconds += spent;
        sum += block;
        solved_from = block / BLOCK < 0.9 ? 0 : solved_from == 0 ? first + 1 : solved_from;
        if (blocks) {
            printf("%s episodes %zu to %zu return,%.3f,mean\n", what, first + 1, first + BLOCK,
                   block / BLOCK);
            printf("%s episodes %zu to %zu step,%.1f,us\n", what, first + 1, first + BLOCK,
                   1e6 * spent / (double)(BLOCK * xp_env_describe(at.env).horizon));
            printf("%s episodes %zu to %zu rows of a batch,%.0f,rows\n", what, first + 1,
                   first + BLOCK, rows);
            printf("%s episodes %zu to %zu open units,%.1f,of 50\n", what, first + 1, first + BLOCK,
                   (open1 + open2) / 2);
        }
    }
    printf("%s return of %zu episodes,%.3f,mean\n", what, episodes, sum / (double)episodes);
    printf("%s solved from episode,%zu,0 for never\n", what, solved_from);
    printf("%s %zu steps,%.2f,s\n", what, at.steps, seconds);
    printf("%s step,%.1f,us\n", what, 1e6 * seconds / (double)at.steps);
    printf("%s useful rate,%.2f,GFLOP/s\n", what, 1e-9 * work / seconds);
    if (peak > 0) {
        printf("%s useful rate / FMA peak,%.3f,ratio\n", what, 1e-9 * work / seconds / peak);
    }
    clean(&at);
}

/* What a step costs once lazy steps have set in, networks still about half open. */
static double step_cost(size_t members, size_t batch, size_t hidden) {
    enum { BEFORE = 40, MEASURED = 12 };
    xp__learner_options options = usual(2);
    options.members = members;
    options.batch = batch;
    options.hidden = hidden;
    scene at;
    prepare(&at, "deep_sea", "goal", "last", &options, 1);
    for (size_t t = 0; t < BEFORE; t++) {
        (void)episode(&at);
    }
    const size_t steps = at.steps;
    const double start = now();
    for (size_t t = 0; t < MEASURED; t++) {
        (void)episode(&at);
    }
    const double spent = 1e6 * (now() - start) / (double)(at.steps - steps);
    clean(&at);
    return spent;
}

static void sizes(void) {
    static const size_t members[] = {5, 25, 50, 100}, batches[] = {32, 128, 512},
                        widths[] = {25, 50, 100, 200};
    const double usual_cost = step_cost(25, 128, 50);
    printf("step with 25 members batch 128 width 50,%.1f,us\n", usual_cost);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        const double cost = members[i] == 25 ? usual_cost : step_cost(members[i], 128, 50);
        printf("step with members %zu,%.1f,us\n", members[i], cost);
        printf("step with members %zu / as many times as 25,%.2f,ratio\n", members[i],
               cost / usual_cost * 25 / (double)members[i]);
    }
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        const double cost = batches[i] == 128 ? usual_cost : step_cost(25, batches[i], 50);
        printf("step with batch %zu,%.1f,us\n", batches[i], cost);
        printf("step with batch %zu / batch 128,%.2f,ratio\n", batches[i], cost / usual_cost);
    }
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const double cost = widths[i] == 50 ? usual_cost : step_cost(25, 128, widths[i]);
        printf("step with width %zu,%.1f,us\n", widths[i], cost);
        printf("step with width %zu / width 50,%.2f,ratio\n", widths[i], cost / usual_cost);
    }
}

/* A run of the length of the paper's Table 3, at the learning rate of study table3. */
static void lake(const char *observation, uint64_t seed, double peak) {
    xp__learner_options options = usual(4);
    options.learning_rate = 5e-5;
    scene at;
    prepare(&at, "frozen_lake", "observation", observation, &options, seed);
    double seconds = 0, total = 0, work = 0;
    size_t episodes = 0;
    while (at.steps < LAKE_STEPS) {
        const double start = now();
        const size_t before = at.steps;
        for (; at.steps < before + LAKE_BLOCK; episodes++) {
            total += episode(&at);
        }
        seconds += now() - start;
        double rows, open1, open2;
        work += useful_work(&at, &rows, &open1, &open2) * (double)(at.steps - before);
        if (at.steps >= LAKE_STEPS) {
            printf("frozen_lake %s rows of the last batch,%.0f,rows\n", observation, rows);
            printf("frozen_lake %s open units,%.1f,of 50\n", observation, (open1 + open2) / 2);
        }
    }
    printf("frozen_lake %s %d steps,%.2f,s\n", observation, LAKE_STEPS,
           seconds * LAKE_STEPS / (double)at.steps);
    printf("frozen_lake %s step,%.1f,us\n", observation, 1e6 * seconds / (double)at.steps);
    printf("frozen_lake %s return,%.2f,mean\n", observation, total / (double)episodes);
    printf("frozen_lake %s useful rate,%.2f,GFLOP/s\n", observation, 1e-9 * work / seconds);
    printf("frozen_lake %s useful rate / FMA peak,%.3f,ratio\n", observation,
           1e-9 * work / seconds / peak);
    clean(&at);
}

int main(int argc, char **argv) {
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    const double peak = fma_peak();
    if (argc > 1) {
        if (argc < 3) {
            fprintf(stderr, "usage: bench_boot_dqn [GOAL SEED [EPISODES] | lake mdp|pomdp]\n");
            return 2;
        }
        if (strcmp(argv[1], "lake") == 0) {
            lake(argv[2], 1, peak);
            return 0;
        }
        dive(argv[1], strtoull(argv[2], NULL, 10),
             argc > 3 ? (size_t)strtoull(argv[3], NULL, 10) : EPISODES, true, peak);
        return 0;
    }
    printf("FMA peak,%.1f,GFLOP/s\n", peak);
    static const uint64_t seeds[] = {5, 4, 3};
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        printf("read 16 MiB before the run,%.1f,GB/s\n", read_rate());
        dive("last", seeds[i], EPISODES, false, peak);
    }
    lake("pomdp", 1, peak);
    lake("mdp", 1, peak);
    sizes();
    return 0;
}
