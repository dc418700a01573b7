/* successive_elimination.c: successive elimination with expert sampling (Algorithm 2) and the bound
 * on its Bayesian regret (Theorem 1).
 *
 * Active arms are tried with relative frequencies ceil(p̂_a / p_min), p_min the smallest positive p̂,
 * interleaved as evenly as whole numbers allow: each step every active arm gains its frequency as
 * credit, the richest is tried and pays the sum. An arm is dropped when its upper confidence bound
 * is no more than another's lower one. act() changes nothing; credits move in observe(). */
#include "agent/bandit/arm_counts.h"

static const xp_param params[] = {
    XP__REAL("delta", "probability that a confidence interval may fail", 1e-12, 1, 0.05),
};

typedef struct successive_elimination {
    xp__agent agent;
    double log_term;   /* log(4 T^4 K / delta) */
    double *frequency; /* K: ceil(p̂ / p_min); 0 for arms never demonstrated */
    double *weight;    /* K: frequency of active arms, 0 of dropped ones */
    double *credit;    /* K */
    xp__arm_counts counts;
    double memory[];
} successive_elimination;

static size_t size(const xp__agent_setup *setup) {
    return sizeof(successive_elimination) + xp__arm_counts_bytes(setup->actions) +
           3 * setup->actions * sizeof(double);
}

static xp_status init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)spec;
    successive_elimination *self = (successive_elimination *)agent;
    const size_t arms = agent->setup.actions;
    const double episodes = (double)(agent->setup.episodes > 0 ? agent->setup.episodes : 1);
    self->log_term =
        log(4 * (double)arms / xp__params_get(&agent->params, "delta")) + 4 * log(episodes);
    xp__arm_counts_init(&self->counts, arms, self->memory);
    self->frequency = self->memory + 2 * arms;
    self->weight = self->frequency + arms;
    self->credit = self->weight + arms;
    const xp_status status = xp__agent_expert_policy(agent, self->frequency, error);
    if (status != XP_OK) {
        return status;
    }
    double smallest = 1;
    for (size_t arm = 0; arm < arms; arm++) {
        const double p = self->frequency[arm];
        smallest = p > 0 && p < smallest ? p : smallest;
    }
    for (size_t arm = 0; arm < arms; arm++) {
        /* Rounding must not push an exact multiple of p_min up to the next whole number. */
        self->frequency[arm] = ceil(self->frequency[arm] / smallest - 1e-9);
    }
    return XP_OK;
}

static void reset(xp__agent *agent, xp_rng *rng) {
    (void)rng;
    successive_elimination *self = (successive_elimination *)agent;
    const size_t bytes = self->counts.arms * sizeof(double);
    xp__arm_counts_reset(&self->counts);
    memcpy(self->weight, self->frequency, bytes);
    memset(self->credit, 0, bytes);
}

/* The active arm that would be richest after this step's income. */
static size_t act(xp__agent *agent, xp_rng *rng, const double *state) {
    (void)rng;
    (void)state;
    const successive_elimination *self = (const successive_elimination *)agent;
    size_t best = 0;
    double best_credit = -INFINITY;
    for (size_t arm = 0; arm < self->counts.arms; arm++) {
        const double credit = self->credit[arm] + self->weight[arm];
        if (self->weight[arm] > 0 && credit > best_credit) {
            best_credit = credit;
            best = arm;
        }
    }
    return best;
}

static void eliminate(successive_elimination *self) {
    const xp__arm_counts *counts = &self->counts;
    double highest_lower = -INFINITY;
    for (size_t arm = 0; arm < counts->arms; arm++) {
        const double n = counts->pulls[arm];
        if (self->weight[arm] > 0 && n > 0) {
            const double lower = counts->rewards[arm] / n - sqrt(self->log_term / (2 * n));
            highest_lower = fmax(highest_lower, lower);
        }
    }
    for (size_t arm = 0; arm < counts->arms; arm++) {
        const double n = counts->pulls[arm];
        if (self->weight[arm] > 0 && n > 0 &&
            counts->rewards[arm] / n + sqrt(self->log_term / (2 * n)) <= highest_lower) {
            self->weight[arm] = 0;
            self->credit[arm] = 0;
        }
    }
}

/* As one by one, but for arms that would have been dropped on the way: they are at the end. */
static void observe_rewards(xp__agent *agent, xp_rng *rng, size_t action, uint64_t trials,
                            double sum) {
    (void)rng;
    successive_elimination *self = (successive_elimination *)agent;
    double income = 0;
    for (size_t arm = 0; arm < self->counts.arms; arm++) {
        self->credit[arm] += (double)trials * self->weight[arm];
        income += self->weight[arm];
    }
    self->credit[action] -= (double)trials * income;
    xp__arm_counts_add_many(&self->counts, action, trials, sum);
    eliminate(self);
}

static void observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    observe_rewards(agent, rng, transition->action, 1, transition->reward);
}

static void archive(xp__agent *agent, xp__archive *archive) {
    successive_elimination *self = (successive_elimination *)agent;
    xp__arm_counts_archive(&self->counts, archive);
    xp__archive_finite(archive, self->credit, self->counts.arms);
    for (size_t arm = 0; arm < self->counts.arms; arm++) {
        bool active = self->weight[arm] > 0;
        xp__archive_bool(archive, &active);
        xp__archive_check(archive, !active || self->frequency[arm] > 0,
                          "an arm is active that no expert chose");
        self->weight[arm] = active ? self->frequency[arm] : 0;
    }
}

const xp__agent_type xp__agent_successive_elimination = {
    .name = "successive_elimination",
    .summary = "successive elimination that tries arms as often as experts chose them",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .needs_demos = true,
    .size = size,
    .init = init,
    .reset = reset,
    .act = act,
    .observe = observe,
    .observe_rewards = observe_rewards,
    .archive = archive,
};

double xp__successive_elimination_bound(const double *p, size_t arms, double episodes) {
    double sum = 0;
    for (size_t a = 0; a < arms; a++) {
        for (size_t b = 0; b < arms; b++) {
            if (a != b && p[a] + p[b] > 0) {
                const double q = p[a] / (p[a] + p[b]);
                sum += sqrt(q * (1 - q)) * (sqrt(p[a]) + sqrt(p[b]));
            }
        }
    }
    return 2 * sqrt(episodes * log(episodes)) * sum;
}
