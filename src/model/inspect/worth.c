/* worth.c: the regret that a prior promises to save, on tasks drawn from itself or, where the scale
 * of rewards was stated, from the same prior at that scale.
 *
 * Task i uses fork i of the stream: 0 its context, 1 its rewards, 2 and 3 the two learners. Every
 * step uses one number of the rewards' stream, so that both learners have the same luck. */
#include "model/inspect/inspect_parts.h"

/* Marks where the regret so far is read: the horizons, the end, and others at a ratio of 1.12. */
enum { MARKS = 256 }; /* XP__MOST_THINGS episodes have 142 */
static const size_t horizons[XP_INSPECT_HORIZONS] = {10, 100, 1000};

typedef struct worth {
    size_t mark[MARKS]; /* decisions, increasing; the last are all episodes */
    size_t marks;
    xp__moments own[MARKS], without[MARKS], saved[MARKS]; /* regret up to each mark */
} worth;

static void lay_marks(worth *self, size_t episodes) {
    size_t at = 1;
    while (at <= episodes) {
        self->mark[self->marks++] = at;
        size_t next = at + 1 > at * 28 / 25 ? at + 1 : at * 28 / 25;
        for (size_t i = 0; i < XP_INSPECT_HORIZONS; i++) {
            if (at < horizons[i] && horizons[i] < next) {
                next = horizons[i];
            }
        }
        at = at < episodes && next > episodes ? episodes : next;
    }
}

/* Regret of Thompson sampling on the task theta, up to each mark. */
static void act(const xp__inspector *self, const worth *plan, xp_sampler *sampler, double best,
                xp_rng rewards, xp_rng own, double *regret) {
    const double *theta = self->theta;
    double sum = 0;
    size_t mark = 0;
    xp_sampler_reset(sampler, &own);
    for (size_t t = 1; t <= self->result->episodes; t++) {
        const size_t arm = xp_sampler_act(sampler, &own);
        sum += best - theta[arm];
        xp__sampler_observe(sampler, &own, arm, xp_rng_uniform(&rewards) < theta[arm]);
        if (t == plan->mark[mark]) {
            regret[mark++] = sum;
        }
    }
}

static void run_task(xp__inspector *self, worth *plan, const xp_rng *stream) {
    const double *theta = self->theta;
    const xp_rng rewards = xp_rng_fork(stream, 1);
    double best = 0, own[MARKS], without[MARKS];
    for (size_t k = 0; k < self->result->arms; k++) {
        best = fmax(best, theta[k]);
    }
    act(self, plan, self->sampler, best, rewards, xp_rng_fork(stream, 2), own);
    act(self, plan, self->without, best, rewards, xp_rng_fork(stream, 3), without);
    for (size_t i = 0; i < plan->marks; i++) {
        xp__moments_add(&plan->own[i], own[i]);
        xp__moments_add(&plan->without[i], without[i]);
        xp__moments_add(&plan->saved[i], without[i] - own[i]);
    }
}

/* The share's standard error is that of (saved − share × without) / mean without: the delta method.
 */
static xp_inspect_horizon horizon_at(const worth *plan, size_t mark) {
    const xp__moments *own = &plan->own[mark], *without = &plan->without[mark];
    const xp__moments *saved = &plan->saved[mark];
    const double share = saved->mean / without->mean;
    const double vo = xp__moments_variance(own), vw = xp__moments_variance(without);
    const double vs = xp__moments_variance(saved), covariance = (vw + vs - vo) / 2;
    const double spread = fmax(0, vs + share * share * vw - 2 * share * covariance);
    return (xp_inspect_horizon){.decisions = plan->mark[mark],
                                .regret = own->mean,
                                .regret_se = xp__moments_error(own),
                                .without = without->mean,
                                .without_se = xp__moments_error(without),
                                .saved = saved->mean,
                                .saved_se = xp__moments_error(saved),
                                .share = share,
                                .share_se =
                                    isnan(vs) ? NAN : sqrt(spread / without->n) / without->mean};
}

/* Where the regret without the experts reaches what is saved in the end. */
static double head_start(const worth *plan) {
    const double saved = plan->saved[plan->marks - 1].mean;
    double regret = 0, decisions = 0;
    for (size_t i = 0; saved > 0 && i < plan->marks; i++) {
        const double next = plan->without[i].mean, here = (double)plan->mark[i];
        if (next >= saved) {
            return decisions + (here - decisions) * (saved - regret) / (next - regret);
        }
        regret = next;
        decisions = here;
    }
    return decisions;
}

static void conclude(const worth *plan, xp_inspection *result) {
    for (size_t i = 0; i < plan->marks; i++) {
        for (size_t h = 0; h < XP_INSPECT_HORIZONS; h++) {
            if (plan->mark[i] == horizons[h]) {
                result->horizons[result->horizon_count++] = horizon_at(plan, i);
            }
        }
    }
    const xp_inspect_horizon end = horizon_at(plan, plan->marks - 1);
    result->regret = end.regret;
    result->regret_se = end.regret_se;
    result->uniform_regret = end.without;
    result->uniform_regret_se = end.without_se;
    result->saved = end.saved;
    result->saved_se = end.saved_se;
    result->head_start = head_start(plan);
}

xp_status xp__inspect_worth(xp__inspector *self, const xp_rng *root, xp_error *error) {
    worth plan = {.marks = 0};
    lay_marks(&plan, self->result->episodes);
    xp_status status = XP_OK;
    for (size_t task = 0; status == XP_OK && task < self->result->tasks; task++) {
        const xp_rng stream = xp_rng_fork(root, task);
        xp_rng context = xp_rng_fork(&stream, 0);
        xp_sampler_reset(self->tasks, &context);
        status = xp__inspect_draw(self, self->tasks, &context, error);
        if (status == XP_OK) {
            status = xp__inspect_tell(self, task, error);
        }
        if (status == XP_OK) {
            run_task(self, &plan, &stream);
        }
    }
    if (status == XP_OK) {
        conclude(&plan, self->result);
    }
    return status;
}
