/* mixture.c: Thompson sampling when the prior depends on the best arm alone and its reference is a
 * mixture: which of the components the rewards come from is learned, exactly.
 *
 * With c_a = exp(w_a − max w) the posterior of (component, best arm) is
 *     P(h, a) ∝ u_h c_a J_ha ,   J_ha = ∫ f_a Π_{b≠a} F_b dx of Beta(a_h + s, b_h + f) arms,
 * where u_h = pi_h Π_b B(a_h + s_b, b_h + f_b) / B(a_h, b_h) is what rewards say of h alone. A
 * reward multiplies u_h by the probability g_h that h gave it; u adds up to one.
 *
 * To act is to draw h ∝ L_h = u_h Z_h, Z_h = Σ_a c_a J_ha, and then the arm. Only Z needs the
 * component's tree. L_h is the probability of all that was seen under h, which never rises as more
 * is seen, so that an old value divided by Σ u g since is a bound, and u_h is another. So: draw h ∝
 * bound, bring its tree up to date, accept with probability L_h / bound_h, else set bound_h = L_h
 * and draw again. What is accepted has the law ∝ L exactly, and trees that are never drawn are
 * never touched. What is kept is the record of rewards and where the nodes are; trees are functions
 * of these (rewards.h). To be asked for the law moves nothing.
 *
 * Invariants: L_h <= bound_h <= u_h up to rounding; u is computed afresh every `renewal` rewards. A
 * Z below `least_total` is taken from quadrature_reference.h, as in quadrature.c. */
#include "sampler/integral/component.h"
#include "sampler/integral/quadrature_reference.h"
#include "sampler/sampler_type.h"

#include "base/rng_inline.h"
#include "math/variates_inline.h"

#include <math.h>

static const double least_total = 1e-9;
/* Evidence below which a component whose nodes have become too coarse is forgotten, not mended. */
static const double least_evidence = 1e-4;
enum { RENEWAL = 1024, MOST_ROUNDS = 100000 };

typedef struct mixture {
    xp_sampler sampler;
    double evidence[XP__REFERENCE_MAX]; /* u */
    double bound[XP__REFERENCE_MAX];
    double pulls[XP__REFERENCE_MAX]; /* a + b */
    double total;                    /* Σ bound */
    size_t last;                     /* the component that was drawn last */
    uint64_t since; /* rewards since the evidence was last computed from the counts */
    double largest; /* max w */
    double *limit;  /* K: rewards at which some component's nodes become too coarse */
    xp__rewards rewards;
    xp__component component[XP__REFERENCE_MAX];
    double memory[];
} mixture;

static const xp_param params[] = {
    XP__INTEGER("nodes",
                "points of the integral over the best arm's value (rounded up to a multiple of 16)",
                32, 8192, 128),
};

static size_t size_for(const xp_prior *prior, const xp__params *values) {
    const size_t nodes = (size_t)xp__params_get(values, "nodes");
    return sizeof(mixture) + prior->arms * (2 * sizeof(double) + sizeof(xp__arm_rewards)) +
           prior->reference->count * xp__component_bytes(prior->arms, nodes);
}

static bool supports(const xp_prior *prior) {
    return prior->best_arm_log_weight != NULL && prior->reference != NULL;
}

static size_t components(const mixture *self) {
    return self->sampler.prior->reference->count;
}

static void init(xp_sampler *sampler, const xp__params *values) {
    mixture *self = (mixture *)sampler;
    const xp__reference *reference = sampler->prior->reference;
    const size_t arms = sampler->arms, nodes = (size_t)xp__params_get(values, "nodes");
    const double *log_weight = sampler->prior->best_arm_log_weight;
    double *scale = self->memory;
    self->limit = scale + arms;
    self->rewards.arms = arms;
    self->rewards.arm = (xp__arm_rewards *)(void *)(self->limit + arms);
    char *next = (char *)(self->rewards.arm + arms);
    self->largest = -INFINITY;
    for (size_t arm = 0; arm < arms; arm++) {
        self->largest = fmax(self->largest, log_weight[arm]);
    }
    for (size_t arm = 0; arm < arms; arm++) {
        scale[arm] = exp(log_weight[arm] - self->largest);
    }
    for (size_t h = 0; h < reference->count; h++) {
        self->pulls[h] = reference->a[h] + reference->b[h];
        xp__component_init(&self->component[h], arms, nodes, reference->a[h], reference->b[h],
                           scale, next);
        next += xp__component_bytes(arms, nodes);
    }
}

/* The evidence from the counts. */
static void renew(mixture *self) {
    const xp_sampler *sampler = &self->sampler;
    xp__reference_evidence(sampler->prior->reference, sampler->arms, sampler->successes,
                           sampler->failures, self->evidence);
    self->since = 0;
}

static void add_bounds(mixture *self) {
    double lane[4] = {0};
    for (size_t h = 0; h < XP__REFERENCE_MAX; h++) { /* those that are not there are zero */
        lane[h % 4] += self->bound[h];
    }
    self->total = (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* After the nodes of any component were decided. */
static void set_limits(mixture *self) {
    for (size_t arm = 0; arm < self->sampler.arms; arm++) {
        self->limit[arm] = INFINITY;
        for (size_t h = 0; h < components(self); h++) {
            self->limit[arm] =
                fmin(self->limit[arm], xp__component_limit(&self->component[h], arm));
        }
    }
}

/* Sees to it that the nodes of every component are fine enough for the arm. */
static void watch(mixture *self, size_t arm, bool moved) {
    const xp_sampler *sampler = &self->sampler;
    if (!moved && sampler->successes[arm] + sampler->failures[arm] < self->limit[arm]) {
        return;
    }
    for (size_t h = 0; h < components(self); h++) {
        if (self->evidence[h] < least_evidence) {
            xp__component_reset(&self->component[h]);
        } else {
            xp__component_watch(&self->component[h], &self->rewards, sampler->successes,
                                sampler->failures, arm, moved);
        }
    }
    set_limits(self);
}

static void reset(xp_sampler *sampler, xp_rng *rng) {
    (void)rng;
    mixture *self = (mixture *)sampler;
    renew(self);
    xp__rewards_reset(&self->rewards);
    for (size_t h = 0; h < components(self); h++) {
        self->bound[h] = self->evidence[h];
        xp__component_reset(&self->component[h]);
    }
    self->last = 0;
    add_bounds(self);
    set_limits(self);
}

static void observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    (void)rng;
    mixture *self = (mixture *)sampler;
    const xp__reference *reference = sampler->prior->reference;
    const size_t count = reference->count;
    /* The counts include this reward. */
    const double n = sampler->successes[arm] + sampler->failures[arm] - 1;
    const double seen = (success ? sampler->successes[arm] : sampler->failures[arm]) - 1;
    const double *side = success ? reference->a : reference->b;
    double total = 0;
    for (size_t h = 0; h < count; h++) {
        self->evidence[h] *= (side[h] + seen) / (self->pulls[h] + n);
    }
    for (size_t h = 0; h < count; h++) {
        total += self->evidence[h];
    }
    const double inverse = 1 / total;
    for (size_t h = 0; h < count; h++) {
        self->evidence[h] *= inverse;
        const double stale = self->bound[h] * inverse;
        self->bound[h] = stale < self->evidence[h] ? stale : self->evidence[h];
    }
    add_bounds(self);
    if (++self->since == RENEWAL) {
        renew(self);
    }
    watch(self, arm,
          xp__rewards_add(&self->rewards, arm, success, sampler->successes[arm],
                          sampler->failures[arm]));
}

/* No bound is known but the evidence. */
static void observe_many(xp_sampler *sampler, xp_rng *rng, size_t arm, uint64_t rewards) {
    (void)rng;
    (void)rewards;
    mixture *self = (mixture *)sampler;
    renew(self);
    for (size_t h = 0; h < components(self); h++) {
        self->bound[h] = self->evidence[h];
    }
    add_bounds(self);
    xp__rewards_set(&self->rewards, arm, sampler->successes[arm], sampler->failures[arm]);
    watch(self, arm, true);
}

/* Z of an up-to-date component; the law of its best arm, normalised, if `law` is not NULL. */
static double total_of(mixture *self, size_t h, double *law) {
    xp__component *component = &self->component[h];
    const xp_sampler *sampler = &self->sampler;
    if (xp__component_update(component, &self->rewards, sampler->successes, sampler->failures)) {
        set_limits(self);
    }
    if (component->total >= least_total) {
        if (law != NULL) {
            (void)xp__integral_law(&component->integral, 0, law);
        }
        return component->total;
    }
    const double *successes, *failures;
    xp__component_pulls(component, sampler->successes, sampler->failures, &successes, &failures);
    const double log_total = xp__quadrature_reference_law(
        &component->integral.nodes, sampler->arms, sampler->prior->best_arm_log_weight, successes,
        failures, component->integral.scratch, law != NULL ? law : component->integral.law);
    return exp(log_total - self->largest);
}

/* A component with probability ∝ bound. The one that was drawn last is tried first: it is the
 * likeliest. */
static size_t propose(const mixture *self, xp_rng *rng) {
    double left = self->total * xp__rng_uniform(rng) - self->bound[self->last];
    size_t found = self->last;
    for (size_t h = 0; left >= 0 && h < components(self); h++) {
        if (h != self->last && self->bound[h] > 0) {
            found = h;
            left -= self->bound[h];
        }
    }
    return found;
}

/* The component. */
static size_t draw_component(mixture *self, xp_rng *rng) {
    const size_t count = components(self);
    for (int round = 0; count > 1 && round < MOST_ROUNDS && self->total > 0; round++) {
        const size_t h = propose(self, rng);
        const double bound = self->bound[h], weight = self->evidence[h] * total_of(self, h, NULL);
        if (weight < bound) {
            self->bound[h] = weight;
            add_bounds(self);
        }
        if (weight >= bound || xp__rng_uniform(rng) * bound < weight) {
            self->last = h;
            return h;
        }
    }
    /* One component only; or what was seen is impossible under all, to every digit. */
    const size_t h = count > 1 ? xp__rng_categorical(rng, self->evidence, count) : 0;
    (void)total_of(self, h, NULL);
    return h;
}

/* The best arm, and the node of its value if `node` is not NULL. */
static size_t draw_best(mixture *self, xp_rng *rng, size_t *h, size_t *node) {
    *h = draw_component(self, rng);
    xp__component *component = &self->component[*h];
    xp__integral *integral = &component->integral;
    const size_t arms = self->sampler.arms;
    size_t drawn;
    size_t arm = xp__product_tree_draw(&integral->tree, rng, least_total, &drawn);
    if (arm == arms) {
        (void)total_of(self, *h, integral->law);
        arm = xp__rng_categorical(rng, integral->law, arms);
        if (node != NULL) {
            const double *successes, *failures;
            xp__component_pulls(component, self->sampler.successes, self->sampler.failures,
                                &successes, &failures);
            drawn = xp__quadrature_reference_node(&integral->nodes, arms, arm, successes, failures,
                                                  integral->scratch, rng);
        }
    }
    if (node != NULL) {
        *node = drawn;
    }
    return arm;
}

static size_t act(xp_sampler *sampler, xp_rng *rng) {
    size_t h;
    return draw_best((mixture *)sampler, rng, &h, NULL);
}

static bool draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    mixture *self = (mixture *)sampler;
    size_t node, h;
    const size_t best = draw_best(self, rng, &h, &node);
    const xp__component *component = &self->component[h];
    theta[best] = xp__integral_value(&component->integral, rng, best, node);
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        if (arm != best) {
            theta[arm] = xp__beta_below(rng, component->a + sampler->successes[arm],
                                        component->b + sampler->failures[arm], theta[best]);
        }
    }
    return true;
}

/* Components in the order of what they can add at most, until what is left cannot be seen. One that
 * was never drawn forgets again what it was brought up to date with: to be asked moves nothing. */
static void action_law(xp_sampler *sampler, double *probability) {
    mixture *self = (mixture *)sampler;
    const size_t count = components(self), arms = sampler->arms;
    bool done[XP__REFERENCE_MAX] = {false};
    double sum = 0, *law = sampler->theta;
    for (size_t arm = 0; arm < arms; arm++) {
        probability[arm] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        size_t next = count;
        for (size_t h = 0; h < count; h++) {
            if (!done[h] && (next == count || self->bound[h] > self->bound[next])) {
                next = h;
            }
        }
        if (i > 0 && !(self->bound[next] > 1e-9 * sum)) {
            break;
        }
        done[next] = true;
        const bool drawn = self->component[next].drawn;
        const double weight = self->evidence[next] * total_of(self, next, law);
        if (!drawn) {
            xp__component_reset(&self->component[next]);
        }
        sum += weight;
        for (size_t arm = 0; arm < arms; arm++) {
            probability[arm] += weight * law[arm];
        }
    }
    for (size_t arm = 0; arm < arms; arm++) {
        probability[arm] = sum > 0 ? probability[arm] / sum : law[arm];
    }
    set_limits(self);
}

static void archive(xp_sampler *sampler, xp__archive *archive) {
    mixture *self = (mixture *)sampler;
    const size_t count = components(self);
    xp__archive_within(archive, self->evidence, count, 0, 1.01);
    xp__archive_within(archive, self->bound, count, 0, 1.01);
    xp__archive_number(archive, &self->since, RENEWAL - 1);
    xp__archive_size(archive, &self->last, count - 1);
    xp__rewards_archive(&self->rewards, sampler->successes, sampler->failures, archive);
    for (size_t h = 0; h < count; h++) {
        xp__component_archive(&self->component[h], archive);
    }
    if (xp__archive_reading(archive)) {
        add_bounds(self);
        set_limits(self);
    }
}

const xp__sampler_type xp__sampler_mixture = {
    .name = "mixture",
    .summary =
        "computed: integrates over the best arm's value on every scale that rewards may have",
    .kind = XP_SAMPLER_COMPUTED,
    .preference = 50,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .size_for = size_for,
    .supports = supports,
    .init = init,
    .reset = reset,
    .observe = observe,
    .observe_many = observe_many,
    .draw = draw,
    .act = act,
    .action_law = action_law,
    .archive = archive,
};
