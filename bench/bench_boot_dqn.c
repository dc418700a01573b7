/* Bootstrapped DQN on Deep Sea, from environment to agent, on one core:
 *
 *     bench_boot_dqn [EPISODES [SIZE [SEEDS]]]      200 episodes, size 30, 1 seed of each setting
 *     bench_boot_dqn 2000                           a whole seed of the paper
 *
 * Prints lines "measure,value,unit". Seconds are processor time, so that what else runs on the
 * machine does not count. An update gets cheaper as a seed is solved and dearer as more states are
 * met, so a short run says what its own steps cost and no more. */
#include "experior/agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCKS = 20 };

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(xp_status status, const xp_error *error) {
    if (status != XP_OK) {
        fprintf(stderr, "bench_boot_dqn: %s\n", error->message);
        exit(1);
    }
}

typedef struct scene {
    xp_env *env;
    xp_task *task;
    xp_demos *demos;
    xp_q_prior *prior;
    xp_agent *agent;
} scene;

static scene prepare(const char *goal, const char *agent, size_t episodes, size_t size) {
    scene made;
    xp_error error;
    xp_params params;
    xp_expert *expert;
    xp_agent_spec spec;
    xp_rng rng = xp_rng_seed(1);
    need(xp_env_params_default("deep_sea", &params, &error), &error);
    need(xp_params_set(&params, "size", (double)size, &error), &error);
    need(xp_params_set_text(&params, "goal", goal, &error), &error);
    need(xp_env_create("deep_sea", &params, &rng, &made.env, &error), &error);
    need(xp_task_create(made.env, &made.task, &error), &error);
    need(xp_expert_create("optimal", NULL, &expert, &error), &error);
    need(xp_demos_draw(made.env, expert, 1000, &rng, &made.demos, &error), &error);
    xp_expert_destroy(expert);
    const xp_env_info info = xp_env_describe(made.env);
    need(xp_agent_spec_parse(agent, &info, &spec, &error), &error);
    need(xp_agent_q_prior_fit(&spec, made.env, made.demos, &rng, &made.prior, &error), &error);
    const xp_agent_setup setup = {.actions = 2,
                                  .episodes = episodes,
                                  .demos = made.demos,
                                  .q_prior = made.prior,
                                  .env = info};
    need(xp_agent_create(&spec, &setup, &made.agent, &error), &error);
    return made;
}

static double episode(scene *at, xp_rng *rewards, xp_rng *own) {
    double states[2], total = 0;
    xp_step step = {.done = false};
    xp_task_reset(at->task, rewards, &states[0]);
    while (!step.done) {
        const size_t action = xp_agent_act(at->agent, own, &states[0]);
        step = xp_task_step(at->task, rewards, action, &states[1]);
        xp_agent_observe(at->agent, own,
                         &(xp_transition){.state = &states[0],
                                          .action = action,
                                          .reward = step.reward,
                                          .next_state = &states[1],
                                          .done = step.done});
        total += step.reward;
        states[0] = states[1];
    }
    return total;
}

static void measure(const char *goal, const char *agent, size_t episodes, size_t size,
                    uint64_t seed) {
    scene at = prepare(goal, agent, episodes, size);
    const xp_rng root = xp_rng_seed(seed);
    xp_rng context = xp_rng_fork(&root, 0), rewards = xp_rng_fork(&root, 1),
           own = xp_rng_fork(&root, 2);
    char what[160];
    (void)snprintf(what, sizeof what, "%s goal %s size %zu seed %llu", agent, goal, size,
                   (unsigned long long)seed);
    xp_task_draw(at.task, &context);
    const double begin = now();
    xp_agent_reset(at.agent, &own);
    const double start = now();
    printf("%s reset,%.3f,s\n", what, start - begin);
    double sum = 0;
    const size_t block = episodes > BLOCKS * 100 ? episodes / BLOCKS : 100;
    double block_sum = 0;
    for (size_t t = 1; t <= episodes; t++) {
        const double total = episode(&at, &rewards, &own);
        sum += total;
        block_sum += total;
        if (t % block == 0) {
            printf("%s return of episodes %zu to %zu,%.3f,mean\n", what, t - block + 1, t,
                   block_sum / (double)block);
            block_sum = 0;
        }
    }
    const double seconds = now() - start;
    printf("%s return of %zu episodes,%.3f,mean\n", what, episodes, sum / (double)episodes);
    printf("%s %zu episodes,%.2f,s\n", what, episodes, seconds);
    printf("%s step,%.4f,ms\n", what, 1e3 * seconds / (double)(episodes * size));
    xp_agent_destroy(at.agent);
    xp_q_prior_destroy(at.prior);
    xp_demos_destroy(at.demos);
    xp_task_destroy(at.task);
    xp_env_destroy(at.env);
}

int main(int argc, char **argv) {
    const size_t episodes = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 200;
    const size_t size = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) : 30;
    const size_t seeds = argc > 3 ? (size_t)strtoull(argv[3], NULL, 10) : 1;
    if (episodes == 0 || seeds == 0) {
        fprintf(stderr, "usage: bench_boot_dqn [EPISODES [SIZE [SEEDS]]]\n");
        return 2;
    }
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        measure("last", "boot_dqn", episodes, size, seed);
        measure("any", "boot_dqn", episodes, size, seed);
        measure("any", "experior_param", episodes, size, seed);
    }
    return 0;
}
