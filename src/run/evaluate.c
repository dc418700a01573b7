/* evaluate.c: evaluation without learning.
 *
 * An agent is the mixture of its deterministic policies: one is drawn by its weight for an episode.
 * The expected return of the mixture is the weighted mean of what the policies are worth, each
 * computed exactly; the paper's estimate, the mean over the episodes of some 500 steps, is made
 * beside it from the same policies. The episode that the last step cuts off is left out. Agents may
 * weigh their policies by rules of their own; what the one policy is worth that returns alone would
 * choose, by the same rule for all, is computed beside it. */
#include "run/evaluate.h"

#include "base/memory.h"
#include "env/context.h"

#include <math.h>
#include <string.h>

typedef struct mixture {
    xp__agent *agent;
    double *weight; /* of each policy; add up to 1 */
    size_t count;
    size_t policy; /* that acts */
    size_t actions;
    double *votes; /* an action each */
} mixture;

static size_t policy_action(void *context, const double *state) {
    const mixture *self = context;
    return xp__agent_policy_action(self->agent, self->policy, state);
}

static size_t vote_action(void *context, const double *state) {
    const mixture *self = context;
    for (size_t action = 0; action < self->actions; action++) {
        self->votes[action] = 0;
    }
    for (size_t i = 0; i < self->count; i++) {
        if (self->weight[i] > 0) {
            self->votes[xp__agent_policy_action(self->agent, i, state)] += self->weight[i];
        }
    }
    size_t best = 0;
    for (size_t action = 1; action < self->actions; action++) {
        best = self->votes[action] > self->votes[best] ? action : best;
    }
    return best;
}

static double exact_value(mixture *self, const xp_task *task) {
    double sum = 0;
    for (self->policy = 0; self->policy < self->count; self->policy++) {
        if (self->weight[self->policy] > 0) {
            sum += self->weight[self->policy] * xp__task_policy_value(task, policy_action, self);
        }
    }
    return sum;
}

/* Policies that differ may be worth the same, added up in another order: without the last bits they
 * tie, and no difference between agents is made of rounding. */
static double without_rounding(double value) {
    return ldexp(round(ldexp(value, 30)), -30);
}

static size_t draw_policy(const mixture *self, xp_rng *rng) {
    double left = xp_rng_uniform(rng);
    size_t drawn = 0;
    for (size_t i = 0; i < self->count && left >= 0; i++) {
        if (self->weight[i] > 0) {
            drawn = i; /* rounding may leave a rest: then the last with any weight */
            left -= self->weight[i];
        }
    }
    return drawn;
}

static void estimate(mixture *self, xp_task *task, xp_rng *rng, size_t steps, size_t horizon,
                     double *state, xp__evaluation *result) {
    double sum = 0;
    size_t used = 0, episodes = 0;
    while (used < steps) {
        double reward = 0;
        bool done = false;
        self->policy = draw_policy(self, rng);
        xp_task_reset(task, rng, state);
        for (size_t h = 0; used < steps && !done; h++) {
            const xp_step step = xp_task_step(task, rng, policy_action(self, state), state);
            reward += step.reward;
            done = step.end != XP_CONTINUES || h + 1 == horizon;
            used++;
        }
        sum += done ? reward : 0;
        episodes += done;
    }
    result->estimate = episodes > 0 ? sum / (double)episodes : NAN;
    result->episodes = (double)episodes;
}

xp_status xp__evaluate(xp__agent *agent, xp_task *task, xp_rng *rng, size_t steps, size_t horizon,
                       const xp__settle *record, double *state, double *evaluation,
                       xp_error *error) {
    xp__evaluation result = {.exact = NAN,
                             .vote = NAN,
                             .optimal = without_rounding(xp__task_optimal_value(task)),
                             .estimate = NAN,
                             .episodes = 0,
                             .settled = NAN,
                             .acting = xp__settle_late(record)};
    mixture self = {.agent = agent,
                    .count = xp__agent_policies(agent, NULL),
                    .actions = xp__task_actions(task)};
    xp_status status = XP_OK;
    if (self.count > 0) {
        self.weight = xp__alloc(self.count, sizeof *self.weight);
        self.votes = xp__alloc(self.actions, sizeof *self.votes);
        status = self.weight != NULL && self.votes != NULL ? XP_OK : xp__no_memory(error);
    }
    if (status == XP_OK && self.count > 0) {
        (void)xp__agent_policies(agent, self.weight);
        result.exact = without_rounding(exact_value(&self, task));
        result.vote = without_rounding(xp__task_policy_value(task, vote_action, &self));
        estimate(&self, task, rng, steps, horizon, state, &result);
        self.policy = xp__settle_choose(record);
        if (self.policy < self.count) {
            result.settled = without_rounding(xp__task_policy_value(task, policy_action, &self));
        }
    }
    xp__free(self.weight);
    xp__free(self.votes);
    memcpy(evaluation, &result, sizeof result);
    return status;
}
