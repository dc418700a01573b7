/* Memory that runs out. Each flow through the interface is run with an allocator that fails once,
 * at allocation n, for n = 0, 1, 2… until the flow no longer gets that far: every failure must come
 * back as XP_ERR_MEMORY and leave no block behind. The flows that act must not allocate at all. */
#include "claim.h"

#include "experior/experior.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct counter {
    atomic_long calls; /* allocations asked for */
    atomic_long live;  /* blocks not yet released */
    long fail_at;      /* the call that fails; negative: none */
    atomic_bool failed;
} counter;

static void *reallocate(void *context, void *block, size_t bytes) {
    counter *count = context;
    if (atomic_fetch_add(&count->calls, 1) == count->fail_at) {
        atomic_store(&count->failed, true);
        return NULL;
    }
    void *moved = realloc(block, bytes);
    if (moved != NULL && block == NULL) {
        atomic_fetch_add(&count->live, 1);
    }
    return moved;
}

static void release(void *context, void *block) {
    counter *count = context;
    if (block != NULL) {
        atomic_fetch_sub(&count->live, 1);
    }
    free(block);
}

static void install(counter *count) {
    xp_allocator_install(&(xp_allocator){reallocate, release, count});
}

/* A flow makes things, uses them, destroys all of them, and returns the first bad status. */
typedef xp_status flow(xp_error *error);

/* Every n up to 256, then ever larger steps: a flow with many allocations repeats itself. */
static void expect_survival(flow *run, const char *name) {
    long n = 0;
    for (;; n += n < 256 ? 1 : n / 16) {
        counter count = {.fail_at = n};
        install(&count);
        xp_error error = {.status = XP_OK};
        const xp_status status = run(&error);
        xp_allocator_install(NULL);
        const xp_status wanted = count.failed ? XP_ERR_MEMORY : XP_OK;
        if (status != wanted || count.live != 0) {
            printf("  %s, allocation %ld %s: status %d (%s), %ld blocks left\n", name, n,
                   count.failed ? "fails" : "is not reached", (int)status, error.message,
                   (long)count.live);
            claim_expect(false, name, __FILE__, __LINE__);
        }
        if (count.failed && status == XP_ERR_MEMORY) {
            EXPECT(error.status == XP_ERR_MEMORY);
            EXPECT_TEXT(error.message, "memory");
        }
        if (!count.failed) {
            break;
        }
    }
    EXPECT(n > 0); /* a flow that never allocates claims nothing */
}

static xp_status make_env(xp_error *error) {
    xp_rng rng = xp_rng_seed(1);
    xp_env *env = NULL;
    xp_task *task = NULL;
    xp_status status = xp_env_create("bernoulli_bandit", NULL, &rng, &env, error);
    if (status == XP_OK) {
        status = xp_task_create(env, &task, error);
    }
    xp_task_destroy(task);
    xp_env_destroy(env);
    return status;
}

static xp_status make_given_bandit(xp_error *error) {
    const double a[] = {1, 2, 3}, b[] = {3, 2, 1};
    xp_env *env = NULL;
    const xp_status status = xp_env_create_bernoulli_bandit(3, a, b, &env, error);
    xp_env_destroy(env);
    return status;
}

static xp_status make_experts(xp_error *error) {
    xp_status status = XP_OK;
    for (size_t i = 0; status == XP_OK && i < xp_expert_type_count(); i++) {
        xp_expert *expert = NULL;
        status = xp_expert_create(xp_expert_type_name(i), NULL, &expert, error);
        xp_expert_destroy(expert);
    }
    return status;
}

CLAIM(environments_survive_any_allocation_that_fails) {
    expect_survival(make_env, "environment and task");
    expect_survival(make_given_bandit, "bandit with given parameters");
}

CLAIM(experts_survive_any_allocation_that_fails) {
    expect_survival(make_experts, "experts");
}

CLAIM(tasks_and_experts_act_without_allocating) {
    counter count = {.fail_at = -1};
    install(&count);
    xp_rng rng = xp_rng_seed(2);
    xp_env *env = NULL;
    xp_task *task = NULL;
    xp_expert *expert = NULL;
    EXPECT(xp_env_create("bernoulli_bandit", NULL, &rng, &env, NULL) == XP_OK);
    EXPECT(xp_task_create(env, &task, NULL) == XP_OK);
    EXPECT(xp_expert_create("optimal", NULL, &expert, NULL) == XP_OK);
    const long before = count.calls;
    for (int episode = 0; episode < 100; episode++) {
        xp_task_draw(task, &rng);
        xp_task_reset(task, &rng, NULL);
        (void)xp_task_step(task, &rng, xp_expert_act(expert, &rng, task, NULL), NULL);
    }
    EXPECT(before > 0 && count.calls == before);
    xp_expert_destroy(expert);
    xp_task_destroy(task);
    xp_env_destroy(env);
    EXPECT(count.live == 0);
    xp_allocator_install(NULL);
}
