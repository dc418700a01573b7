/* pooled.c: Thompson sampling for families of rewards that are not binary, with a prior that
 * depends on the best arm alone. All arms' rewards together teach the location, scale and noise of
 * the reference measure (reward/reward_type.h).
 *
 * The posterior is ∝ e^{w_best} × that of the reference measure. So a draw from the latter
 * (component, shared numbers, means of the arms) is kept with probability e^{w_best − max w}:
 * exact, and cheap as long as the rewards do not contradict the experts. The action law is
 * computed: P(a) ∝ e^{w_a} Σ_h u_h ∫ E[ f_ha(x) Π_{b≠a} F_hb(x) ] dx with u_h the evidence of
 * component h, the expectation over the shared numbers by the family's nodes and the integral over
 * x by panels, in a product tree. A draw for which `tries` proposals were refused is made from that
 * law as well.
 *
 * Invariants: `seen` is all that rewards have changed; terms, sums and weights are functions of it,
 * whatever the order in which rewards came. */
#include "sampler/pooled/panels.h"
#include "sampler/integral/product_tree.h"
#include "sampler/sampler_type.h"

#include "math/argmax.h"
#include "math/softmax.h"
#include "math/variates_inline.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A component or node of the shared numbers that carries less of the evidence is left out. */
static const double least_share = 1e-6;
/* Standard deviations above which a law has nothing. */
static const double far = 8;
/* Of the largest reward that a family takes. */
static const double most_square = 1e76;

typedef struct pooled {
    xp_sampler sampler;
    size_t tries, components, room; /* H; nodes of the tree */
    bool stale;                     /* sums and weights are those of before a reward */
    xp__reward_seen *seen;          /* K */
    double *keep;                   /* K: e^{w − max w} */
    double *terms;                  /* H × K × XP__REWARD_TERMS */
    double *sum;                    /* H × XP__REWARD_TERMS */
    double *weight;                 /* H: evidence, adding up to one */
    double *center, *width, *law;   /* K each: scratch */
    double *u, *step;               /* nodes and their weights */
    xp__arm_law *arm;               /* K: scratch */
    double *scratch;
    xp__product_tree tree;
    xp__reward_shared node[XP__REWARD_NODES];
    unsigned char memory[];
} pooled;

static const xp_param params[] = {
    XP__INTEGER("tries", "proposals for a draw before the computed probabilities are used instead",
                1, 1e9, 16384),
    XP__INTEGER(
        "nodes",
        "most points of the integral over the best arm's value (rounded up to a multiple of 16)",
        80, 8192, 400),
};

static size_t room_for(const xp__params *values) {
    return ((size_t)xp__params_get(values, "nodes") + XP__LANES - 1) / XP__LANES * XP__LANES;
}

static size_t doubles(size_t arms, size_t room) {
    return arms * (sizeof(xp__reward_seen) + sizeof(xp__arm_law)) / sizeof(double) +
           arms * (4 + XP__REWARD_COMPONENTS * XP__REWARD_TERMS) +
           XP__REWARD_COMPONENTS * (XP__REWARD_TERMS + 1) + 2 * room +
           xp__product_tree_doubles(arms, room) + xp__product_tree_scratch(arms, room);
}

static size_t size(size_t arms, const xp__params *values) {
    return sizeof(pooled) + 64 + doubles(arms, room_for(values)) * sizeof(double);
}

static bool supports(const xp_prior *prior) {
    return prior->best_arm_log_weight != NULL && !xp__reward_binary(&prior->reward);
}

static double *carve(double **next, size_t count) {
    double *here = *next;
    *next += count;
    return here;
}

static void init(xp_sampler *sampler, const xp__params *values) {
    pooled *self = (pooled *)sampler;
    const xp__reward *reward = &sampler->prior->reward;
    const size_t arms = sampler->arms;
    self->tries = (size_t)xp__params_get(values, "tries");
    self->room = room_for(values);
    self->components = reward->type->components(reward);
    double *next = (double *)(((uintptr_t)self->memory + 63) & ~(uintptr_t)63);
    xp__product_tree_init(&self->tree, arms, self->room,
                          carve(&next, xp__product_tree_doubles(arms, self->room)));
    self->seen = (xp__reward_seen *)carve(&next, arms * sizeof *self->seen / sizeof(double));
    self->arm = (xp__arm_law *)carve(&next, arms * sizeof *self->arm / sizeof(double));
    self->keep = carve(&next, arms);
    self->terms = carve(&next, self->components * arms * XP__REWARD_TERMS);
    self->sum = carve(&next, self->components * XP__REWARD_TERMS);
    self->weight = carve(&next, self->components);
    self->center = carve(&next, arms);
    self->width = carve(&next, arms);
    self->law = carve(&next, arms);
    self->u = carve(&next, self->room);
    self->step = carve(&next, self->room);
    self->scratch = next;
    const double *log_weight = sampler->prior->best_arm_log_weight;
    const double largest = log_weight[xp__argmax(log_weight, arms)];
    for (size_t arm = 0; arm < arms; arm++) {
        self->keep[arm] = exp(log_weight[arm] - largest);
    }
}

static void set_terms(pooled *self, size_t arm) {
    const xp__reward *reward = &self->sampler.prior->reward;
    for (size_t h = 0; h < self->components; h++) {
        reward->type->terms(reward, h, &self->seen[arm],
                            self->terms + (h * self->sampler.arms + arm) * XP__REWARD_TERMS);
    }
    self->stale = true;
}

static void reset(xp_sampler *sampler, xp_rng *rng) {
    (void)rng;
    pooled *self = (pooled *)sampler;
    memset(self->seen, 0, sampler->arms * sizeof *self->seen);
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        set_terms(self, arm);
    }
}

/* Sums and weights from the terms. */
static void settle(pooled *self) {
    if (!self->stale) {
        return;
    }
    const xp__reward *reward = &self->sampler.prior->reward;
    const size_t arms = self->sampler.arms;
    double total = 0;
    for (size_t h = 0; h < self->components; h++) {
        double *sum = self->sum + h * XP__REWARD_TERMS;
        const double *term = self->terms + h * arms * XP__REWARD_TERMS;
        memset(sum, 0, XP__REWARD_TERMS * sizeof *sum);
        for (size_t arm = 0; arm < arms; arm++, term += XP__REWARD_TERMS) {
            for (size_t i = 0; i < XP__REWARD_TERMS; i++) {
                sum[i] += term[i];
            }
        }
        self->weight[h] = reward->type->log_evidence(reward, h, sum);
    }
    (void)xp__exponentiate(self->weight, self->components, NULL);
    for (size_t h = 0; h < self->components; h++) {
        total += self->weight[h];
    }
    for (size_t h = 0; h < self->components; h++) {
        self->weight[h] /= total;
    }
    self->stale = false;
}

static void observe_sums(xp_sampler *sampler, size_t arm, double count, double sum,
                         double deviations) {
    pooled *self = (pooled *)sampler;
    xp__reward_add(&self->seen[arm], count, sum, deviations);
    set_terms(self, arm);
}

static void observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    (void)rng;
    observe_sums(sampler, arm, 1, success ? 1 : 0, 0);
}

static void archive(xp_sampler *sampler, xp__archive *archive) {
    pooled *self = (pooled *)sampler;
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        xp__reward_seen *seen = &self->seen[arm];
        xp__archive_whole(archive, &seen->count, 1, 0x1p52);
        xp__archive_finite(archive, &seen->sum, 1);
        xp__archive_within(archive, &seen->deviations, 1, 0, DBL_MAX);
        if (xp__archive_reading(archive)) {
            const xp__reward_type *type = sampler->prior->reward.type;
            xp__archive_check(archive,
                              seen->count > 0
                                  ? type->legal_sum(seen->count, seen->sum, NAN) &&
                                        seen->deviations <= 4 * most_square * seen->count
                                  : seen->sum == 0 && seen->deviations == 0,
                              "an arm's rewards cannot add up so");
            set_terms(self, arm);
        }
    }
}

/* Leaves of the tree given component and shared numbers. Returns how many nodes are in use. */
static size_t fill(pooled *self, size_t h, const xp__reward_shared *shared) {
    const xp__reward *reward = &self->sampler.prior->reward;
    const size_t arms = self->sampler.arms;
    for (size_t arm = 0; arm < arms; arm++) {
        self->arm[arm] = reward->type->arm_law(reward, h, shared, &self->seen[arm]);
        reward->type->spot(self->arm[arm], &self->center[arm], &self->width[arm]);
    }
    const size_t count = xp__panels_lay(arms, self->center, self->width, reward->type->low_u,
                                        self->room, self->u, self->step);
    const size_t padded = (count + XP__LANES - 1) / XP__LANES * XP__LANES;
    self->tree.nodes = padded; /* its arrays have room for more */
    for (size_t arm = 0; arm < arms; arm++) {
        double *density = xp__product_tree_s(&self->tree, arms + arm);
        double *distribution = xp__product_tree_p(&self->tree, arms + arm);
        if (count > 0 && self->center[arm] + far * self->width[arm] < self->u[0]) {
            for (size_t g = 0; g < padded; g++) { /* it cannot be the best one */
                density[g] = 0;
                distribution[g] = 1;
            }
            continue;
        }
        reward->type->tabulate(self->arm[arm], count, self->u, density, distribution);
        for (size_t g = 0; g < count; g++) {
            const double weighted = self->keep[arm] * self->step[g] * density[g];
            density[g] = weighted < XP__TINY_PRODUCT ? 0 : weighted;
            distribution[g] = distribution[g] < XP__TINY_PROBABILITY ? 0 : distribution[g];
        }
        for (size_t g = count; g < padded; g++) {
            density[g] = 0;
            distribution[g] = 1;
        }
    }
    xp__product_tree_update_all(&self->tree);
    return count;
}

/* Calls `visit` with the tree of each node of component and shared numbers that carries some of
 * the evidence, and its weight. */
static void for_each_node(pooled *self,
                          void (*visit)(pooled *self, size_t h, const xp__reward_shared *shared,
                                        double weight, void *context),
                          void *context) {
    const xp__reward *reward = &self->sampler.prior->reward;
    settle(self);
    for (size_t h = 0; h < self->components; h++) {
        if (!(self->weight[h] > least_share)) {
            continue;
        }
        const size_t nodes =
            reward->type->shared_nodes(reward, h, self->sum + h * XP__REWARD_TERMS, self->node);
        for (size_t q = 0; q < nodes; q++) {
            const double weight = self->weight[h] * exp(self->node[q].log_weight);
            if (weight > least_share) {
                (void)fill(self, h, &self->node[q]);
                visit(self, h, &self->node[q], weight, context);
            }
        }
    }
}

static void add_law(pooled *self, size_t h, const xp__reward_shared *shared, double weight,
                    void *context) {
    (void)h;
    (void)shared;
    double *probability = context;
    xp__product_tree_law(&self->tree, self->scratch, self->law);
    for (size_t arm = 0; arm < self->sampler.arms; arm++) {
        probability[arm] += weight * self->law[arm];
    }
}

static void action_law(xp_sampler *sampler, double *probability) {
    pooled *self = (pooled *)sampler;
    memset(probability, 0, sampler->arms * sizeof *probability);
    for_each_node(self, add_law, probability);
    double total = 0;
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        total += probability[arm];
    }
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        probability[arm] = total > 0 ? probability[arm] / total : 1 / (double)sampler->arms;
    }
}

/* A draw from the posterior of the reference measure; its best arm. */
static size_t propose(pooled *self, xp_rng *rng, double *theta) {
    const xp__reward *reward = &self->sampler.prior->reward;
    const size_t h = xp__rng_categorical(rng, self->weight, self->components);
    const xp__reward_shared shared =
        reward->type->draw_shared(reward, h, self->sum + h * XP__REWARD_TERMS, rng);
    for (size_t arm = 0; arm < self->sampler.arms; arm++) {
        theta[arm] = reward->type->draw_mean(
            reward->type->arm_law(reward, h, &shared, &self->seen[arm]), rng);
    }
    return xp__argmax(theta, self->sampler.arms);
}

/* A node drawn by the evidence of the rewards and of the experts together. */
typedef struct choice {
    xp_rng *rng;
    double total;
    size_t h;
    xp__reward_shared shared;
} choice;

static void maybe_choose(pooled *self, size_t h, const xp__reward_shared *shared, double weight,
                         void *context) {
    choice *drawn = context;
    const double here = weight * xp__product_tree_total(&self->tree);
    drawn->total += here;
    if (here > 0 && xp__rng_uniform(drawn->rng) * drawn->total < here) {
        drawn->h = h;
        drawn->shared = *shared;
    }
}

/* Without proposals: what draws do that the experts hardly ever allow. False if they never do. */
static bool draw_from_law(pooled *self, xp_rng *rng, double *theta) {
    const xp__reward *reward = &self->sampler.prior->reward;
    choice drawn = {.rng = rng};
    for_each_node(self, maybe_choose, &drawn);
    if (!(drawn.total > 0)) {
        return false;
    }
    const size_t count = fill(self, drawn.h, &drawn.shared);
    size_t g;
    const size_t best = xp__product_tree_draw(&self->tree, rng, 0, &g);
    /* Anywhere between the neighbouring nodes' middles. */
    const double low = g > 0 ? 0.5 * (self->u[g - 1] + self->u[g]) : self->u[g];
    const double high = g + 1 < count ? 0.5 * (self->u[g] + self->u[g + 1]) : self->u[g];
    theta[best] = reward->type->value(low + (high - low) * xp__rng_uniform(rng));
    for (size_t arm = 0; arm < self->sampler.arms; arm++) {
        if (arm != best) {
            theta[arm] = reward->type->draw_mean_below(self->arm[arm], rng, theta[best]);
        }
    }
    return true;
}

static bool draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    pooled *self = (pooled *)sampler;
    settle(self);
    for (size_t i = 0; i < self->tries; i++) {
        const double keep = self->keep[propose(self, rng, theta)];
        if (keep == 1 || xp__rng_uniform(rng) < keep) {
            return true;
        }
    }
    return draw_from_law(self, rng, theta);
}

const xp__sampler_type xp__sampler_pooled = {
    .name = "pooled",
    .summary =
        "computed: learns location, scale and noise from all arms (gaussian and poisson rewards)",
    .kind = XP_SAMPLER_COMPUTED,
    .preference = 40,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size = size,
    .supports = supports,
    .init = init,
    .reset = reset,
    .observe = observe,
    .observe_sums = observe_sums,
    .draw = draw,
    .action_law = action_law,
    .archive = archive,
};
