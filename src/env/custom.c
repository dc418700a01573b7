/* custom.c: environments of the caller's, as functions.
 *
 * What the functions write is checked before anyone sees it: a state that the space does not have,
 * a reward that is not finite and an end that does not exist are errors of the task, like a status
 * that a function returns. The first error is kept until xp__task_status asks; meanwhile states are
 * zeros and every episode ends at once. */
#include "env/custom.h"

#include "base/check.h"
#include "base/memory.h"
#include "reward/reward_type.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct custom_env {
    xp_env env;
    xp_env_custom custom;
    size_t *categories;
    const xp__reward_type *family; /* of its rewards, or NULL */
} custom_env;

typedef struct custom_task {
    xp_task task;
    void *own;
    size_t steps;
    double *state; /* [state_size]: where the episode is */
    double *q;     /* [actions] */
    xp_error error;
    double room[];
} custom_task;

void xp_env_custom_init(xp_env_custom *custom, size_t size) {
    const xp_env_custom own = {.size = sizeof own, .horizon = 1};
    xp__options_give(custom, size, &own, sizeof own);
}

bool xp__env_custom_parallel(const xp_env *env) {
    return ((const custom_env *)env)->custom.parallel;
}

bool xp__env_custom_has_optimal_q(const xp_env *env) {
    return ((const custom_env *)env)->custom.task_optimal_q != NULL;
}

static const xp_env_custom *functions_of(const xp_task *task) {
    return &((const custom_env *)task->env)->custom;
}

static size_t task_size(const xp_env *env) {
    return sizeof(custom_task) + (env->info.state_size + env->info.actions) * sizeof(double);
}

static xp_status task_init(xp_task *task, xp_error *error) {
    custom_task *self = (custom_task *)task;
    const xp_env_custom *functions = functions_of(task);
    self->state = self->room;
    self->q = self->room + task->env->info.state_size;
    self->own = functions->task_create(functions->context);
    return self->own != NULL ? XP_OK
                             : xp_error_set(error, XP_ERR_MEMORY, "%.80s: no task could be created",
                                            task->env->info.name);
}

static void task_deinit(xp_task *task) {
    custom_task *self = (custom_task *)task;
    if (functions_of(task)->task_destroy != NULL) {
        functions_of(task)->task_destroy(self->own);
    }
}

void *xp_task_custom(const xp_task *task) {
    return task != NULL && task->env->type == &xp__custom_env_type
               ? ((const custom_task *)task)->own
               : NULL;
}

/* Keeps the first failure. */
static bool fails(custom_task *self, xp_status status, const xp_error *error) {
    if (status == XP_OK) {
        return false;
    }
    if (self->error.status == XP_OK) {
        self->error = *error;
        self->error.status = status;
        if (self->error.message[0] == '\0') {
            (void)xp_error_set(&self->error, status, "%s", xp_status_summary(status));
        }
    }
    return true;
}

/* A state that the space has. */
static xp_status check_state(const custom_task *self, const double *state, xp_error *error) {
    const xp_env_info *info = &self->task.env->info;
    for (size_t j = 0; j < info->state_size; j++) {
        const size_t values = info->categories[j];
        const double x = state[j];
        if (values == 0 ? !(fabs(x) <= (double)FLT_MAX)
                        : !(x >= -1 && x < (double)values && x == floor(x))) {
            return xp_error_set(error, XP_ERR_INPUT,
                                "%.80s, step %zu: state number %zu is %.10g, which %s", info->name,
                                self->steps, j, x,
                                values == 0 ? "is not finite, or too large"
                                            : "is none of its categories, nor -1 for hidden");
        }
    }
    return XP_OK;
}

static void task_draw(xp_task *task, xp_rng *rng) {
    custom_task *self = (custom_task *)task;
    xp_error error = {.status = XP_OK};
    if (self->error.status == XP_OK) {
        (void)fails(self, functions_of(task)->task_draw(self->own, rng, &error), &error);
    }
}

/* What is shown after a failure, so that nobody meets a state that does not exist. */
static void show_nothing(custom_task *self, double *state) {
    memset(self->state, 0, self->task.env->info.state_size * sizeof *self->state);
    if (state != NULL) {
        memset(state, 0, self->task.env->info.state_size * sizeof *state);
    }
}

static void task_reset(xp_task *task, xp_rng *rng, double *state) {
    custom_task *self = (custom_task *)task;
    const size_t bytes = task->env->info.state_size * sizeof *state;
    xp_error error = {.status = XP_OK};
    self->steps = 0;
    xp_status status = self->error.status;
    if (status == XP_OK) {
        status = functions_of(task)->task_reset(self->own, rng, self->state, &error);
    }
    if (status == XP_OK) {
        status = check_state(self, self->state, &error);
    }
    if (fails(self, status, &error)) {
        show_nothing(self, state);
    } else if (bytes > 0) {
        memcpy(state, self->state, bytes);
    }
}

/* V* - Q* of the action in the state before it; NAN where these are not known. */
static double regret_of(custom_task *self, size_t action) {
    const xp_env_custom *functions = functions_of(&self->task);
    if (functions->task_optimal_q == NULL) {
        return NAN;
    }
    functions->task_optimal_q(self->own, self->state, self->q);
    double best = self->q[0];
    for (size_t i = 1; i < functions->actions; i++) {
        best = fmax(best, self->q[i]);
    }
    return best - self->q[action];
}

static xp_step task_step(xp_task *task, xp_rng *rng, size_t action, double *state) {
    custom_task *self = (custom_task *)task;
    const xp_env_info *info = &task->env->info;
    xp_step step = {.regret = NAN, .end = XP_TERMINATED};
    xp_outcome outcome = {.end = XP_CONTINUES};
    xp_error error = {.status = XP_OK};
    xp_status status = self->error.status;
    if (status == XP_OK) {
        step.regret = regret_of(self, action);
        status =
            functions_of(task)->task_step(self->own, rng, action, self->state, &outcome, &error);
    }
    self->steps++;
    if (status == XP_OK) {
        status = check_state(self, self->state, &error);
    }
    if (status == XP_OK && (!isfinite(outcome.reward) || (unsigned)outcome.end > XP_TRUNCATED)) {
        status = xp_error_set(&error, XP_ERR_INPUT,
                              "%.80s, step %zu: the reward %g is not finite, or the end %d unknown",
                              info->name, self->steps, outcome.reward, (int)outcome.end);
    }
    const xp__reward_type *family = ((const custom_env *)task->env)->family;
    if (status == XP_OK && family != NULL && !family->legal(outcome.reward)) {
        status = xp_error_set(&error, XP_ERR_INPUT,
                              "%.80s, step %zu: the reward %g is not %s, as %s rewards are",
                              info->name, self->steps, outcome.reward, family->takes, family->name);
    }
    if (fails(self, status, &error)) {
        show_nothing(self, state);
        return step;
    }
    step.reward = outcome.reward;
    step.end = outcome.end == XP_CONTINUES && self->steps >= info->horizon
                   ? (info->state_size == 0 ? XP_TERMINATED : XP_TRUNCATED)
                   : outcome.end;
    if (info->state_size > 0) {
        memcpy(state, self->state, info->state_size * sizeof *state);
    }
    return step;
}

static void task_optimal_q(const xp_task *task, const double *state, double *q) {
    const xp_env_custom *functions = functions_of(task);
    if (functions->task_optimal_q != NULL) {
        functions->task_optimal_q(((const custom_task *)task)->own, state, q);
        return;
    }
    for (size_t i = 0; i < functions->actions; i++) {
        q[i] = NAN;
    }
}

static xp_status task_status(xp_task *task, xp_error *error) {
    custom_task *self = (custom_task *)task;
    const xp_error kept = self->error;
    self->error = (xp_error){.status = XP_OK};
    return kept.status == XP_OK ? XP_OK : xp_error_set(error, kept.status, "%s", kept.message);
}

static void deinit(xp_env *env) {
    xp__free(((custom_env *)env)->categories);
}

const xp__env_type xp__custom_env_type = {
    .name = "custom",
    .summary = "an environment of the caller's",
    .env_size = sizeof(custom_env),
    .deinit = deinit,
    .task_size = task_size,
    .task_init = task_init,
    .task_deinit = task_deinit,
    .task_draw = task_draw,
    .task_reset = task_reset,
    .task_step = task_step,
    .task_optimal_q = task_optimal_q,
    .task_status = task_status,
};

static xp_status check(const xp_env_custom *custom, xp_error *error) {
    enum { MOST_ACTIONS = 1024, MOST_NUMBERS = 65536 };
    if (custom->name == NULL || custom->task_create == NULL || custom->task_draw == NULL ||
        custom->task_reset == NULL || custom->task_step == NULL) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "an environment needs a name, task_create, task_draw, task_reset and "
                            "task_step");
    }
    if (custom->actions < 1 || custom->actions > MOST_ACTIONS) {
        return xp_error_set(error, XP_ERR_INPUT, "%.80s: actions = %zu is outside [1, %d]",
                            custom->name, custom->actions, (int)MOST_ACTIONS);
    }
    if (custom->state_size > MOST_NUMBERS || custom->horizon < 1) {
        return xp_error_set(error, XP_ERR_INPUT,
                            "%.80s: a state has %zu numbers (at most %d) and an episode %zu steps "
                            "(at least 1)",
                            custom->name, custom->state_size, (int)MOST_NUMBERS, custom->horizon);
    }
    if (custom->rewards != NULL &&
        (custom->state_size > 0 || xp__reward_find(custom->rewards) == NULL)) {
        return xp_error_set(error, XP_ERR_INPUT,
                            custom->state_size > 0
                                ? "%.80s: rewards = '%.40s' is a family, which only bandits have"
                                : "%.80s: there is no family of rewards '%.40s'",
                            custom->name, custom->rewards);
    }
    return XP_OK;
}

xp_status xp_env_create_custom(const xp_env_custom *custom, xp_env **env, xp_error *error) {
    XP__NOT_NULL(env, error);
    *env = NULL;
    XP__NOT_NULL(custom, error);
    xp_env_custom taken = xp_env_custom_default();
    xp_status status = xp__options_take(&taken, sizeof taken, custom, "xp_env_custom", error);
    custom = &taken;
    if (status == XP_OK) {
        status = check(custom, error);
    }
    if (status != XP_OK) {
        return status;
    }
    custom_env *made = xp__alloc(1, sizeof *made);
    size_t *categories = xp__alloc(custom->state_size + 1, sizeof *categories);
    if (made == NULL || categories == NULL) {
        xp__free(made);
        xp__free(categories);
        return xp__no_memory(error);
    }
    if (custom->categories != NULL && custom->state_size > 0) {
        memcpy(categories, custom->categories, custom->state_size * sizeof *categories);
    }
    made->custom = *custom;
    made->categories = categories;
    const xp__reward_type *family =
        custom->rewards != NULL ? xp__reward_find(custom->rewards) : NULL;
    made->family = family;
    made->env.type = &xp__custom_env_type;
    made->env.params = xp__params_default(custom->name, NULL, 0);
    made->env.info = (xp_env_info){.name = custom->name,
                                   .actions = custom->actions,
                                   .state_size = custom->state_size,
                                   .horizon = custom->horizon,
                                   .categories = custom->state_size > 0 ? categories : NULL,
                                   .rewards = family != NULL ? family->name : NULL};
    *env = &made->env;
    return XP_OK;
}
