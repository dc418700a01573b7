/* reward_bandit.c: K arms that pay rewards of a family (reward/reward_type.h).
 *
 * As in bernoulli_bandit.c arms differ in how their means are distributed, and experts know the
 * means. Half of the spread of the means is between the arms of a problem and half between its
 * tasks: means without bounds are normal, those from 0 log-normal, and those from 0 to 1 Beta with
 * parameters from U(0, 4). None of these is the reference of the family's prior, but for the one
 * that all Betas are drawn alike. One reward uses one random number of the stream, so agents that
 * share it share their luck. */
#include "env/bandit_task.h"

#include "base/memory.h"
#include "base/rng_inline.h"
#include "reward/reward_choices.h"
#include "reward/reward_type.h"

#include <math.h>
#include <string.h>

typedef struct bandit {
    xp_env env;
    const xp__reward_type *type;
    double spread;          /* of the means, or of their logarithms, in a task */
    double noise;           /* of a reward, where the family has such */
    double *first, *second; /* K each: centre and nothing, or Beta parameters */
} bandit;

static const xp_param params[] = {
    {.name = "rewards",
     .summary = "what arms pay; see 'experior list rewards'",
     .kind = XP_PARAM_CHOICE,
     .low = 0,
     .high = XP__REWARD_CHOICES_COUNT - 1,
     .standard = 0,
     .choices = XP__REWARD_CHOICES},
    XP__INTEGER("arms", "number of arms, K", 2, 1024, 10),
    XP__REAL("location",
             "mean of the arms' means, positive if rewards are; not for means between 0 and 1",
             -1e9, 1e9, 10),
    XP__REAL("scale", "standard deviation of the arms' means; not for means between 0 and 1", 1e-9,
             1e9, 3),
    XP__REAL("noise", "standard deviation of a gaussian reward given its arm", 1e-9, 1e9, 5),
};

static bool bounded(const bandit *self) {
    return isfinite(self->type->high);
}

static bool positive(const bandit *self) {
    return self->type->low == 0;
}

/* The distribution of each arm's mean. */
static void draw_arms(bandit *self, double location, double scale, xp_rng *rng) {
    double center = location, spread = scale;
    if (positive(self)) { /* of the logarithm */
        spread = sqrt(log1p((scale / location) * (scale / location)));
        center = log(location) - 0.5 * spread * spread;
    }
    self->spread = spread * sqrt(0.5);
    for (size_t arm = 0; arm < self->env.info.actions; arm++) {
        if (bounded(self)) {
            self->first[arm] = 4 * xp_rng_uniform(rng);
            self->second[arm] = 4 * xp_rng_uniform(rng);
        } else {
            self->first[arm] = center + self->spread * xp_rng_normal(rng);
        }
    }
}

static xp_status init(xp_env *env, const xp__params *values, xp_rng *rng, xp_error *error) {
    bandit *self = (bandit *)env;
    const size_t arms = (size_t)xp__params_get(values, "arms");
    const double location = xp__params_get(values, "location");
    char name[64];
    self->type = xp__reward_find(xp__params_choice(values, "rewards", name, sizeof name));
    self->noise = xp__params_get(values, "noise");
    env->info.actions = arms;
    env->info.state_size = 0;
    env->info.horizon = 1;
    env->info.rewards = self->type->name;
    if (!bounded(self) && positive(self) && !(location > 0)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "reward_bandit.location = %g is not positive, but %s rewards are",
                            location, self->type->name);
    }
    self->first = xp__alloc(arms, sizeof(double));
    self->second = xp__alloc(arms, sizeof(double));
    if (self->first == NULL || self->second == NULL) {
        return xp__no_memory(error);
    }
    draw_arms(self, location, xp__params_get(values, "scale"), rng);
    return XP_OK;
}

static void deinit(xp_env *env) {
    bandit *self = (bandit *)env;
    xp__free(self->first);
    xp__free(self->second);
}

static void task_draw(xp_task *task, xp_rng *rng) {
    const bandit *env = (const bandit *)task->env;
    xp__bandit_task *self = (xp__bandit_task *)task;
    self->best = -INFINITY;
    for (size_t arm = 0; arm < env->env.info.actions; arm++) {
        double mean;
        if (bounded(env)) {
            mean = xp_rng_beta(rng, env->first[arm], env->second[arm]);
        } else {
            mean = env->first[arm] + env->spread * xp_rng_normal(rng);
            mean = positive(env) ? fmin(exp(mean), 1e12) : mean;
        }
        self->mean[arm] = mean;
        self->best = fmax(self->best, mean);
    }
}

static xp_step task_step(xp_task *task, xp_rng *rng, size_t action, double *state) {
    (void)state;
    const bandit *env = (const bandit *)task->env;
    const xp__bandit_task *self = (const xp__bandit_task *)task;
    const double mean = self->mean[action];
    xp_rng own = xp_rng_seed(xp__rng_bits(rng));
    return (xp_step){.reward = env->type->draw_reward(&own, mean, env->noise),
                     .regret = self->best - mean,
                     .end = XP_TERMINATED};
}

const xp__env_type xp__env_reward_bandit = {
    .name = "reward_bandit",
    .summary = "K arms that pay rewards of any family: fractions, real numbers, counts",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .env_size = sizeof(bandit),
    .init = init,
    .deinit = deinit,
    XP__BANDIT_TASK,
    .task_draw = task_draw,
    .task_step = task_step,
};
