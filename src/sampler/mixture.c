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
 * never touched.
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
enum { RENEWAL = 1024, MOST_ROUNDS = 100000 };

typedef struct mixture {
    xp_sampler sampler;
    double evidence[XP__REFERENCE_MAX]; /* u */
    double bound[XP__REFERENCE_MAX];
    uint64_t rewards; /* since the evidence was last computed from the counts */
    double largest;   /* max w */
    xp__journal journal;
    xp__component component[XP__REFERENCE_MAX];
    double memory[];
} mixture;

static const xp_param params[] = {
    {.name = "nodes",
     .summary = "points of the integral over the best arm's value (rounded up to 16s)",
     .kind = XP_PARAM_INTEGER,
     .low = 32,
     .high = 8192,
     .standard = 128},
};

static size_t size_for(const xp_prior *prior, const xp__params *values) {
    const size_t nodes = (size_t)xp__params_get(values, "nodes");
    return sizeof(mixture) + prior->arms * sizeof(double) +
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
    char *next = (char *)(scale + arms);
    self->largest = -INFINITY;
    for (size_t arm = 0; arm < arms; arm++) {
        self->largest = fmax(self->largest, log_weight[arm]);
    }
    for (size_t arm = 0; arm < arms; arm++) {
        scale[arm] = exp(log_weight[arm] - self->largest);
    }
    for (size_t h = 0; h < reference->count; h++) {
        xp__component_init(&self->component[h], arms, nodes, reference->a[h], reference->b[h],
                           scale, next);
        next += xp__component_bytes(arms, nodes);
    }
}

/* Evidence and bounds from the counts. */
static void renew(mixture *self) {
    const xp_sampler *sampler = &self->sampler;
    xp__reference_evidence(sampler->prior->reference, sampler->arms, sampler->successes,
                           sampler->failures, self->evidence);
    self->rewards = 0;
}

static void reset(xp_sampler *sampler, xp_rng *rng) {
    (void)rng;
    mixture *self = (mixture *)sampler;
    renew(self);
    self->journal.written = self->journal.first = 0;
    for (size_t h = 0; h < components(self); h++) {
        self->bound[h] = self->evidence[h];
        xp__component_reset(&self->component[h]);
    }
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
        self->evidence[h] *= (side[h] + seen) / (reference->a[h] + reference->b[h] + n);
        total += self->evidence[h];
    }
    const double inverse = 1 / total;
    for (size_t h = 0; h < count; h++) {
        self->evidence[h] *= inverse;
        const double stale = self->bound[h] * inverse;
        self->bound[h] = stale < self->evidence[h] ? stale : self->evidence[h];
    }
    xp__journal_add(&self->journal, arm);
    if (++self->rewards == RENEWAL) {
        renew(self);
    }
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
    xp__journal_add(&self->journal, arm);
}

/* Z of an up-to-date component; the law of its best arm, normalised, if `law` is not NULL. */
static double total_of(mixture *self, size_t h, double *law) {
    xp__component *component = &self->component[h];
    const xp_sampler *sampler = &self->sampler;
    xp__component_update(component, sampler->successes, sampler->failures, &self->journal);
    if (component->total >= least_total) {
        if (law != NULL) {
            (void)xp__integral_law(&component->integral, 0, law);
        }
        return component->total;
    }
    const double *successes, *failures;
    xp__component_pulls(component, &successes, &failures);
    const double log_total = xp__quadrature_reference_law(
        &component->integral.nodes, sampler->arms, sampler->prior->best_arm_log_weight, successes,
        failures, component->integral.scratch, law != NULL ? law : component->integral.law);
    return exp(log_total - self->largest);
}

/* The component. */
static size_t draw_component(mixture *self, xp_rng *rng) {
    const size_t count = components(self);
    for (int round = 0; count > 1 && round < MOST_ROUNDS; round++) {
        double sum = 0;
        for (size_t h = 0; h < count; h++) {
            sum += self->bound[h];
        }
        if (!(sum > 0)) {
            break;
        }
        const size_t h = xp__rng_categorical(rng, self->bound, count);
        const double bound = self->bound[h], weight = self->evidence[h] * total_of(self, h, NULL);
        self->bound[h] = weight;
        if (weight >= bound || xp__rng_uniform(rng) * bound < weight) {
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
            xp__component_pulls(component, &successes, &failures);
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

/* Components in the order of what they can add at most, until what is left cannot be seen. */
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
        if (i > 0 && !(self->bound[next] > 1e-13 * sum)) {
            break;
        }
        done[next] = true;
        const double weight = self->evidence[next] * total_of(self, next, law);
        self->bound[next] = weight < self->bound[next] ? weight : self->bound[next];
        sum += weight;
        for (size_t arm = 0; arm < arms; arm++) {
            probability[arm] += weight * law[arm];
        }
    }
    for (size_t arm = 0; arm < arms; arm++) {
        probability[arm] = sum > 0 ? probability[arm] / sum : law[arm];
    }
}

static void archive(xp_sampler *sampler, xp__archive *archive) {
    mixture *self = (mixture *)sampler;
    const size_t count = components(self);
    xp__archive_within(archive, self->evidence, count, 0, 1.01);
    xp__archive_within(archive, self->bound, count, 0, 1.01);
    xp__archive_number(archive, &self->rewards, RENEWAL - 1);
    xp__archive_number(archive, &self->journal.written, UINT64_MAX);
    if (xp__archive_reading(archive)) {
        self->journal.first = self->journal.written; /* the ring itself is not kept */
    }
    for (size_t h = 0; h < count; h++) {
        xp__component_archive(&self->component[h], archive);
    }
}

const xp__sampler_type xp__sampler_mixture = {
    .name = "mixture",
    .summary = "exact: integrates over the best arm's value on every scale that rewards may have",
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
