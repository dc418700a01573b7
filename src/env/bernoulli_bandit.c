/* bernoulli_bandit.c: K arms that pay 0 or 1.
 *
 * Task distribution (paper, section 4): the mean of arm a is Beta(A_a, B_a), independently; when a
 * task distribution is drawn, A_a and B_a are uniform on (0, parameter_max). Beyond the paper,
 * means may be on another scale: low + (high - low) times such a number. One reward draw uses
 * exactly one uniform number whatever the arm, so agents that share a stream share their luck. */
#include "env/bandit_task.h"
#include "env/task_distribution.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/rng_inline.h"

#include <math.h>
#include <string.h>

typedef struct bandit {
    xp_env env;
    double *a, *b; /* K each */
    double low, high;
} bandit;

static const xp_param params[] = {
    XP__INTEGER("arms", "number of arms, K", 2, 1024, 10),
    XP__REAL("parameter_max", "the arms' Beta parameters are drawn uniformly from 0 to this", 1e-3,
             1e6, 4),
    XP__REAL("low", "smallest mean that an arm can have", 0, 1, 0),
    XP__REAL("high", "largest mean that an arm can have", 0, 1, 1),
};

static xp_status allocate(bandit *self, size_t arms, xp_error *error) {
    self->env.info.actions = arms;
    self->env.info.state_size = 0;
    self->env.info.horizon = 1;
    self->a = xp__alloc(arms, sizeof(double));
    self->b = xp__alloc(arms, sizeof(double));
    self->low = 0;
    self->high = 1;
    return self->a != NULL && self->b != NULL ? XP_OK : xp__no_memory(error);
}

static xp_status init(xp_env *env, const xp__params *values, xp_rng *rng, xp_error *error) {
    bandit *self = (bandit *)env;
    const size_t arms = (size_t)xp__params_get(values, "arms");
    const double parameter_max = xp__params_get(values, "parameter_max");
    const double low = xp__params_get(values, "low"), high = xp__params_get(values, "high");
    if (!(low < high)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "bernoulli_bandit.low = %g is not below bernoulli_bandit.high = %g",
                            low, high);
    }
    const xp_status status = allocate(self, arms, error);
    self->low = low;
    self->high = high;
    for (size_t arm = 0; status == XP_OK && arm < arms; arm++) {
        self->a[arm] = parameter_max * xp_rng_uniform(rng);
        self->b[arm] = parameter_max * xp_rng_uniform(rng);
    }
    return status;
}

static void deinit(xp_env *env) {
    bandit *self = (bandit *)env;
    xp__free(self->a);
    xp__free(self->b);
}

static void task_draw(xp_task *task, xp_rng *rng) {
    const bandit *env = (const bandit *)task->env;
    xp__bandit_task *self = (xp__bandit_task *)task;
    self->best = 0;
    for (size_t arm = 0; arm < env->env.info.actions; arm++) {
        const double unit = xp_rng_beta(rng, env->a[arm], env->b[arm]);
        self->mean[arm] = fmin(env->high, env->low + (env->high - env->low) * unit);
        self->best = fmax(self->best, self->mean[arm]);
    }
}

static xp_step task_step(xp_task *task, xp_rng *rng, size_t action, double *state) {
    (void)state;
    const xp__bandit_task *self = (const xp__bandit_task *)task;
    const double mean = self->mean[action];
    return (xp_step){.reward = xp__rng_uniform(rng) < mean ? 1.0 : 0.0,
                     .regret = self->best - mean,
                     .end = XP_TERMINATED};
}

const xp__env_type xp__env_bernoulli_bandit = {
    .name = "bernoulli_bandit",
    .summary = "K arms that pay 0 or 1; the hidden context is the vector of means",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .env_size = sizeof(bandit),
    .init = init,
    .deinit = deinit,
    XP__BANDIT_TASK,
    .task_draw = task_draw,
    .task_step = task_step,
};

xp_status xp_env_create_bernoulli_bandit(size_t arms, const double *a, const double *b,
                                         xp_env **env, xp_error *error) {
    XP__NOT_NULL(env, error);
    *env = NULL;
    XP__NOT_NULL(a, error);
    XP__NOT_NULL(b, error);
    xp__params values =
        xp__params_default("bernoulli_bandit", params, sizeof params / sizeof params[0]);
    xp_status status = xp__params_set(&values, "arms", (double)arms, error);
    for (size_t arm = 0; status == XP_OK && arm < arms; arm++) {
        if (!(a[arm] > 0 && b[arm] > 0 && isfinite(a[arm]) && isfinite(b[arm]))) {
            status = xp_error_set(error, XP_ERR_INPUT,
                                  "Beta(%g, %g) of arm %zu: parameters must be positive", a[arm],
                                  b[arm], arm);
        }
    }
    if (status != XP_OK) {
        return status;
    }
    bandit *made = xp__alloc(1, sizeof *made);
    if (made == NULL) {
        return xp__no_memory(error);
    }
    made->env.type = &xp__env_bernoulli_bandit;
    made->env.info.name = xp__env_bernoulli_bandit.name;
    made->env.params = values;
    status = allocate(made, arms, error);
    if (status != XP_OK) {
        xp_env_destroy(&made->env);
        return status;
    }
    memcpy(made->a, a, arms * sizeof *a);
    memcpy(made->b, b, arms * sizeof *b);
    *env = &made->env;
    return XP_OK;
}

bool xp__bernoulli_bandit_parameters(const xp_env *env, const double **a, const double **b,
                                     double *low, double *high) {
    if (env->type != &xp__env_bernoulli_bandit) {
        return false;
    }
    *a = ((const bandit *)env)->a;
    *b = ((const bandit *)env)->b;
    *low = ((const bandit *)env)->low;
    *high = ((const bandit *)env)->high;
    return true;
}
