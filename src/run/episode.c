/* episode.c: the loop in which an agent acts.
 *
 * Common random numbers: contexts and rewards come from streams that belong to the task, and an
 * environment takes the same amount from the reward stream whatever the action, so that agents
 * differ by what they do and not by their luck. Regret is V* - Q* of each action taken
 * (pseudo-regret). */
#include "run/episode.h"

#include "base/bytes/checksum.h"
#include "base/memory.h"
#include "env/running.h"
#include "model/session_type.h"
#include "run/evaluate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const size_t xp__checkpoint[XP__CHECKPOINTS] = {1,   5,   10,  25,  50,  100,  150,  200,  300,
                                                400, 500, 600, 750, 900, 1000, 1200, 1350, 1500};

enum { STREAM_CONTEXT, STREAM_REWARD, STREAM_AGENT, STREAM_EVALUATION };

uint64_t xp__text_hash(const char *text) {
    return xp__checksum(XP__CHECKSUM_START, text, strlen(text));
}

/* Welford's and Chan's updates: no cancellation, and a fixed order gives fixed bits. */
void xp__tally_merge(xp__tally *merged, const xp__tally *next) {
    if (next->tasks == 0) {
        return;
    }
    const double here = (double)merged->tasks, there = (double)next->tasks, all = here + there;
    const double gap = next->mean - merged->mean;
    merged->mean += gap * (there / all);
    merged->squares += next->squares + gap * gap * (here * there / all);
    merged->over_t += next->over_t;
    for (size_t i = 0; i < XP__CHECKPOINTS; i++) {
        merged->at[i] += next->at[i];
    }
    merged->tasks += next->tasks;
    merged->steps += next->steps;
}

double xp__tally_se(const xp__tally *tally) {
    const double n = (double)tally->tasks;
    return tally->tasks > 1 ? sqrt(tally->squares / (n - 1) / n) : NAN;
}

/* What one task needs: its own generators, and room for the state before and after a step. */
typedef struct stage {
    xp_task *task;
    xp_session *session;
    xp_rng rewards;
    double *state, *next_state; /* NULL in a bandit */
    size_t horizon;
    uint64_t most; /* steps of a task */
    const xp__pool *pool;
    const xp__onlooker *watch;
    xp__settle *record; /* of the returns of each policy; NULL: not wanted */
} stage;

/* What an episode came to. */
typedef struct outcome {
    double regret, reward; /* sums over its steps */
    bool whole;            /* the last step of the run did not cut it off */
} outcome;

/* Episode number t, from 1; false if who looks on has seen enough. */
static bool run_episode(stage *at, size_t t, uint64_t *steps, outcome *sum) {
    *sum = (outcome){.regret = 0};
    bool done = false;
    xp_task_reset(at->task, &at->rewards, at->state);
    const xp__onlooker *watch = at->watch;
    if (watch != NULL && !watch->begin(watch->context, at->session, at->task, t, at->state)) {
        return false;
    }
    size_t h = 0;
    for (; h < at->horizon && !done && *steps < at->most; h++) {
        const size_t action = xp__session_act(at->session, at->state);
        const xp_step step = xp_task_step(at->task, &at->rewards, action, at->next_state);
        const xp_transition seen = {.state = at->state,
                                    .action = action,
                                    .reward = step.reward,
                                    .next_state = at->next_state,
                                    .end = step.end};
        xp__session_observe(at->session, &seen);
        if (watch != NULL) {
            watch->step(watch->context, at->next_state, &step);
        }
        sum->regret += step.regret;
        sum->reward += step.reward;
        done = step.end != XP_CONTINUES;
        double *kept = at->state;
        at->state = at->next_state;
        at->next_state = kept;
        (*steps)++;
    }
    sum->whole = done || h == at->horizon;
    return true;
}

/* False if the run was cancelled on the way: one task may take minutes. */
static bool run_task(stage *at, size_t episodes, xp__tally *tally) {
    double total = 0, integral = 0;
    size_t next = 0, t = 0;
    xp__tally one = {.tasks = 1};
    while (t < episodes && one.steps < at->most) {
        outcome episode;
        const bool late = at->most < UINT64_MAX ? one.steps >= at->most - at->most / 10
                                                : t >= episodes - episodes / 10;
        t++;
        if ((at->pool != NULL && xp__pool_cancelled(at->pool)) ||
            !run_episode(at, t, &one.steps, &episode)) {
            return false;
        }
        total += episode.regret;
        integral += total;
        if (tally->returns != NULL) {
            tally->returns[t - 1] += episode.reward;
        }
        if (at->record != NULL && episode.whole) {
            xp__settle_record(at->record, xp__agent_acted(at->session->agent), episode.reward,
                              late);
        }
        if (next < XP__CHECKPOINTS && t == xp__checkpoint[next]) {
            one.at[next++] = total;
        }
    }
    one.mean = total;
    one.over_t = integral / (double)t;
    xp__tally_merge(tally, &one);
    return true;
}

xp_rng xp__task_context(const xp_rng *tasks, size_t i) {
    const xp_rng task = xp_rng_fork(tasks, i);
    return xp_rng_fork(&task, STREAM_CONTEXT);
}

xp_status xp__episodes_run(const xp__tasks *tasks, xp_session *session, uint64_t name, size_t first,
                           size_t count, const xp__pool *pool, xp__tally *tally, xp_error *error) {
    *tally = (xp__tally){.returns = tally->returns, .evaluation = tally->evaluation};
    assert(tally->returns == NULL || tasks->steps == 0);
    const size_t episodes = tasks->steps > 0 ? tasks->steps : tasks->episodes;
    for (size_t t = 0; tally->returns != NULL && t < tasks->episodes; t++) {
        tally->returns[t] = 0;
    }
    const xp_env_info info = xp_env_describe(tasks->env);
    stage at = {.session = session,
                .horizon = info.horizon,
                .most = tasks->steps > 0 ? tasks->steps : UINT64_MAX,
                .pool = pool,
                .watch = tasks->watch};
    xp_status status = xp_task_create(tasks->env, &at.task, error);
    double *states = NULL;
    if (status == XP_OK && info.state_size > 0) {
        states = xp__alloc(2 * info.state_size, sizeof *states);
        status = states != NULL ? XP_OK : xp__no_memory(error);
        at.state = states;
        at.next_state = states != NULL ? states + info.state_size : NULL;
    }
    xp__settle record = {.policies = 0};
    if (status == XP_OK && tally->evaluation != NULL) {
        status = xp__settle_init(&record, xp__agent_policies(session->agent, NULL), error);
        at.record = &record;
    }
    for (size_t i = first; status == XP_OK && i < first + count; i++) {
        const xp_rng task = xp_rng_fork(&tasks->stream, i);
        xp_rng context = xp__task_context(&tasks->stream, i);
        const xp_rng agents = xp_rng_fork(&task, STREAM_AGENT);
        at.rewards = xp_rng_fork(&task, STREAM_REWARD);
        const xp_rng own = xp_rng_fork(&agents, name);
        xp__session_restart(session, &own);
        xp_task_draw(at.task, &context);
        if (at.record != NULL) {
            xp__settle_clear(&record);
        }
        const bool ran = run_task(&at, episodes, tally);
        status = xp__task_status(at.task, error);
        if (status == XP_OK && !ran) {
            status = xp_error_set(error, XP_ERR_INTERRUPTED, "interrupted");
        } else if (status != XP_OK) {
            break;
        } else if (tally->evaluation != NULL) {
            xp_rng luck = xp_rng_fork(&task, STREAM_EVALUATION);
            status = xp__evaluate(session->agent, at.task, &luck, tasks->evaluation, at.horizon,
                                  &record, at.state, tally->evaluation, error);
        }
    }
    xp__settle_deinit(&record);
    xp__free(states);
    xp_task_destroy(at.task);
    return status;
}
