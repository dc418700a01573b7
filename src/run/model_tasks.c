/* model_tasks.c: the family of tasks that a model believes in: a bandit whose means are drawn from
 * the model's prior and whose arms pay rewards of its family. It is an environment of the caller's
 * like any other (env.h), so whoever acts in it sees rewards and nothing else. */
#include "run/model_tasks.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/rng_inline.h"
#include "model/model_type.h"
#include "prior/bandit/prior_type.h"
#include "sampler/prior_draw.h"

#include <stdio.h>
#include <string.h>

typedef struct model_task {
    const xp_prior *prior;
    double noise;  /* of a reward, where the family has such */
    double mean[]; /* one per arm */
} model_task;

static void *task_create(void *context) {
    const xp_model *model = context;
    model_task *task = xp__alloc(1, sizeof *task + model->info.actions * sizeof task->mean[0]);
    if (task != NULL) {
        task->prior = model->prior;
    }
    return task;
}

static void task_destroy(void *task) {
    xp__free(task);
}

static xp_status task_draw(void *task, xp_rng *rng, xp_error *error) {
    model_task *self = task;
    return xp__prior_draw_with(self->prior, rng, self->mean, &self->noise)
               ? XP_OK
               : xp_error_set(error, XP_ERR_NUMERIC,
                              "no task can be drawn from the prior '%s': it is too concentrated",
                              xp_prior_method(self->prior));
}

static xp_status task_reset(void *task, xp_rng *rng, double *state, xp_error *error) {
    (void)task;
    (void)rng;
    (void)state;
    (void)error;
    return XP_OK;
}

/* One number of the stream per reward whatever the arm, so agents that share a stream share their
 * luck.
 */
static xp_status task_step(void *task, xp_rng *rng, size_t action, double *state,
                           xp_outcome *outcome, xp_error *error) {
    (void)state;
    (void)error;
    const model_task *self = task;
    const double mean = self->mean[action];
    const xp__reward_type *type = self->prior->reward.type;
    outcome->end = XP_TERMINATED;
    if (type == &xp__reward_bernoulli) {
        outcome->reward = xp__rng_uniform(rng) < mean ? 1 : 0;
    } else {
        xp_rng own = xp_rng_seed(xp__rng_bits(rng));
        outcome->reward = type->draw_reward(&own, mean, self->noise);
    }
    return XP_OK;
}

static void task_optimal_q(void *task, const double *state, double *q) {
    (void)state;
    const model_task *self = task;
    memcpy(q, self->mean, xp_prior_arms(self->prior) * sizeof *q);
}

xp_status xp_env_create_from_model(const xp_model *model, xp_env **env, xp_error *error) {
    XP__NOT_NULL(env, error);
    *env = NULL;
    XP__NOT_NULL(model, error);
    if (model->info.state_size > 0) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the model has states: it holds no distribution over tasks that could "
                            "be drawn; tasks are drawn from models of bandits");
    }
    if (model->prior == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the model, fitted for '%.80s', holds no prior to draw tasks from; fit "
                            "one for 'experior_maxent'",
                            model->agent);
    }
    const xp__reward *reward = &model->prior->reward;
    if (!xp__reward_known(reward)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "the model learns on which scale its %s rewards are, so tasks drawn "
                            "from it would be on any; fit one with a known location, scale%s",
                            reward->type->name, reward->type->param_count > 2 ? " and noise" : "");
    }
    xp_env_custom custom = xp_env_custom_default();
    custom.rewards = reward->type->name;
    custom.name = "model_tasks";
    custom.actions = model->info.actions;
    custom.context = (void *)(uintptr_t)model; /* only read */
    custom.task_create = task_create;
    custom.task_destroy = task_destroy;
    custom.task_draw = task_draw;
    custom.task_reset = task_reset;
    custom.task_step = task_step;
    custom.task_optimal_q = task_optimal_q;
    custom.parallel = true;
    return xp_env_create_custom(&custom, env, error);
}

char *xp__oracle_spec(const xp_model *model, const char *spec) {
    const char *settings = strchr(spec, ':');
    const char *more = settings != NULL ? settings + 1 : "";
    const char *between = *more == '\0' ? "" : strchr(model->agent, ':') != NULL ? "," : ":";
    const size_t bytes = strlen(model->agent) + strlen(between) + strlen(more) + 1;
    char *whole = xp__alloc(bytes, 1);
    if (whole != NULL) {
        (void)snprintf(whole, bytes, "%s%s%s", model->agent, between, more);
    }
    return whole;
}

xp_status xp__tasks_check_agent(const xp_model *model, const xp_session *session, const char *spec,
                                xp_error *error) {
    const xp__reward_type *family = model->prior->reward.type;
    const char *takes = xp_session_describe(session).rewards;
    return takes == NULL || strcmp(takes, family->name) == 0 || family == &xp__reward_bernoulli
               ? XP_OK
               : xp_error_set(
                     error, XP_ERR_INPUT,
                     "agent '%.120s' takes %s rewards, but tasks of the model pay %s ones; "
                     "an agent for them has rewards=%s in its spec",
                     spec, takes, family->name, family->name);
}
