/* bench_session.c: what a decision of a bandit costs in C: act and observe one by one, and in
 * batches. bench_python.py sets the same calls of the Python package beside it. */
#include "bench.h"
#include "experior/experior.h"

#include <stdio.h>

enum { ARMS = 10, PAIRS = 200000, BATCH = 1000 };

static xp_session *open_session(xp_model **model) {
    uint64_t counts[ARMS];
    xp_choices *choices = NULL;
    xp_demos *demos = NULL;
    xp_session *session = NULL;
    for (size_t arm = 0; arm < ARMS; arm++) {
        counts[arm] = 10 * (arm + 1);
    }
    if (xp_choices_create(1, NULL, ARMS, NULL, counts, &choices, NULL) != XP_OK ||
        xp_choices_demos(choices, XP_ALL_SEGMENTS, &demos, NULL) != XP_OK ||
        xp_model_fit("experior_maxent:reference=learned", NULL, demos, NULL, model, NULL) !=
            XP_OK ||
        xp_session_create(*model, NULL, &session, NULL) != XP_OK) {
        exit(1);
    }
    xp_demos_destroy(demos);
    xp_choices_destroy(choices);
    return session;
}

static double one_by_one(void) {
    xp_model *model;
    xp_session *session = open_session(&model);
    const double start = now();
    for (size_t i = 0; i < PAIRS; i++) {
        size_t action = 0;
        (void)xp_session_act(session, NULL, &action, NULL);
        const xp_transition seen = {
            .action = action, .reward = (double)(i & 1), .end = XP_TERMINATED};
        (void)xp_session_observe(session, &seen, NULL);
    }
    const double seconds = now() - start;
    xp_session_destroy(session);
    xp_model_destroy(model);
    return 1e9 * seconds / PAIRS;
}

static double batched(void) {
    static size_t actions[BATCH];
    static double rewards[BATCH];
    xp_model *model;
    xp_session *session = open_session(&model);
    for (size_t i = 0; i < BATCH; i++) {
        rewards[i] = (double)(i & 1);
    }
    const double start = now();
    for (size_t i = 0; i < PAIRS; i += BATCH) {
        (void)xp_session_act_batch(session, BATCH, actions, NULL);
        (void)xp_session_observe_batch(session, actions, rewards, BATCH, NULL);
    }
    const double seconds = now() - start;
    xp_session_destroy(session);
    xp_model_destroy(model);
    return 1e9 * seconds / PAIRS;
}

int main(void) {
    printf("act + observe,%.1f,ns\n", one_by_one());
    printf("act + observe in batches of %d,%.1f,ns\n", BATCH, batched());
    return 0;
}
